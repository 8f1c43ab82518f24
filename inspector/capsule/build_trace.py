"""What a component's sections tell of how it was built: by which tool, stripped or not.

Lives here: the guess of the toolchain, sizes of debug information and names. Not here:
reading sections (sections), what is made of it (manifest.lint). Rooms above may import
it.
"""

import enum

import msgspec

from inspector.capsule import sections
from inspector.capsule.component_file import MAGIC
from inspector.capsule.sections import Sections

DEBUG_SECTIONS = (".debug_info", ".debug_line")
"""Either of them makes a debug build; every `.debug_` section counts then."""

_DEBUG_PREFIX = ".debug_"
_NAMES = "name"
_LINKED_PYTHON = b"libcomponentize_py_runtime.so:"
_LINKED_QUICKJS = b"componentize_qjs_runtime.wasm:"
"""Names by which the modules of such a component are linked; its producers say Rust."""


class Toolchain(enum.StrEnum):
    """What a component was built from."""

    PYTHON = "Python"
    JAVASCRIPT = "JavaScript"
    RUST = "Rust"
    GO = "Go"
    C = "C"


_PRODUCERS = (
    (Toolchain.JAVASCRIPT, ("ComponentizeJS", "JavaScript")),
    (Toolchain.GO, ("TinyGo", "Go")),
    (Toolchain.RUST, ("Rust", "rustc")),
    (Toolchain.C, ("C99", "C11", "C17", "clang")),
)
"""Names in producers sections; engines in C or Rust stand beside the language they run."""


class BuildTrace(msgspec.Struct, frozen=True):
    """How a component was built, as far as its sections say.

    Attributes:
        component_bytes: Its size; 0 for text, whose size says nothing.
        toolchain: The guess, or None.
        debug_bytes: Debug information in all its modules; 0 when stripped.
        name_bytes: The largest section of function names.
    """

    component_bytes: int = 0
    toolchain: Toolchain | None = None
    debug_bytes: int = 0
    name_bytes: int = 0


def trace(data: bytes) -> BuildTrace:
    """What a component says of its build.

    Args:
        data: Its bytes as they are in the file; text says nothing.
    """
    if not data.startswith(MAGIC):
        return BuildTrace()
    found = sections.read(data)
    has_debug = any(each.name in DEBUG_SECTIONS for each in found.custom)
    debug = [each.size_bytes for each in found.custom if each.name.startswith(_DEBUG_PREFIX)]
    names = [each.size_bytes for each in found.custom if each.name == _NAMES]
    return BuildTrace(
        component_bytes=len(data),
        toolchain=_toolchain(data, found),
        debug_bytes=sum(debug) if has_debug else 0,
        name_bytes=max(names, default=0),
    )


def _toolchain(data: bytes, found: Sections) -> Toolchain | None:
    if _LINKED_PYTHON in data:
        return Toolchain.PYTHON
    if _LINKED_QUICKJS in data:
        return Toolchain.JAVASCRIPT
    names = {producer.name for producer in found.producers}
    return next((tool for tool, marks in _PRODUCERS if names.intersection(marks)), None)
