"""Bytes of a component: what kind they are, before anything compiles them.

Lives here: telling a component from everything that is often taken for one. Not here:
compiling (runtime), which also turns text into binary. Only inspector.capsule imports it.
"""

import enum
import re

import msgspec

MAGIC = b"\0asm"
HEADER_BYTES = 8
MODULE_HEADER = MAGIC + b"\x01\0\0\0"
COMPONENT_HEADER = MAGIC + b"\x0d\0\x01\0"
_TOKEN = re.compile(r"\(\s*(component|module)\b")


class ComponentKind(enum.Enum):
    """What the first bytes of a file say."""

    BINARY = "component"
    TEXT = "component text"
    EMPTY = "nothing"
    CORE_MODULE = "core module"
    CORE_TEXT = "core module text"
    OTHER_VERSION = "component of another encoding"
    UNKNOWN = "something else"


class Problem(msgspec.Struct, frozen=True):
    """Why bytes are no component: the end of a sentence about them, and what to do."""

    reason: str
    hint: str


_WRAP = (
    "Make a component of it: `cargo build --target wasm32-wasip2`, or "
    "`wasm-tools component new MODULE.wasm -o COMPONENT.wasm`."
)
_BUILD = "Name the component that your build wrote, binary (*.wasm) or text (*.wat)."
_PROBLEMS = {
    ComponentKind.EMPTY: Problem("is empty", "Build it again; the last build broke off."),
    ComponentKind.CORE_MODULE: Problem("is a core WebAssembly module, not a component", _WRAP),
    ComponentKind.CORE_TEXT: Problem(
        "is the text of a core WebAssembly module, not of a component",
        "Wrap it in `(component ...)`, or make a component of the built module with "
        "`wasm-tools component new`.",
    ),
    ComponentKind.OTHER_VERSION: Problem(
        "is a component in an encoding that this runtime does not read",
        "Build it again with current tools (wasm-tools 1.0 or later).",
    ),
    ComponentKind.UNKNOWN: Problem("is not a WebAssembly component", _BUILD),
}
_TEXT_AS_WASM = Problem(
    "is WebAssembly text in a file named .wasm", "Rename it to *.wat, or build the binary."
)


def kind_of(data: bytes) -> ComponentKind:
    """The kind of some bytes, by their beginning alone.

    Args:
        data: The whole file, or its first few thousand bytes.
    """
    if not data:
        return ComponentKind.EMPTY
    header = data[:HEADER_BYTES]
    if header.startswith(MAGIC):
        if header == MODULE_HEADER:
            return ComponentKind.CORE_MODULE
        layer = header[6:8]
        if header == COMPONENT_HEADER:
            return ComponentKind.BINARY
        is_component = layer == b"\x01\0"
        return ComponentKind.OTHER_VERSION if is_component else ComponentKind.UNKNOWN
    return _text_kind(data)


def _text_kind(data: bytes) -> ComponentKind:
    text = data.decode("utf-8", "ignore").removeprefix("\ufeff")
    if "\0" in text:
        return ComponentKind.UNKNOWN
    match = _TOKEN.match(text, _code_start(text))
    if match is None:
        return ComponentKind.UNKNOWN
    is_component = match.group(1) == "component"
    return ComponentKind.TEXT if is_component else ComponentKind.CORE_TEXT


def _code_start(text: str) -> int:
    """Where the first token stands: after blanks, line comments and nested comments."""
    index, depth = 0, 0
    while index < len(text):
        pair = text[index : index + 2]
        if pair == "(;":
            depth, index = depth + 1, index + 2
        elif depth and pair == ";)":
            depth, index = depth - 1, index + 2
        elif not depth and pair == ";;":
            end = text.find("\n", index)
            index = len(text) if end < 0 else end + 1
        elif depth or text[index].isspace():
            index += 1
        else:
            break
    return index


def problem_of(data: bytes, file_name: str) -> Problem | None:
    """Why some bytes are no component that can be run, or None.

    Args:
        data: The file.
        file_name: Its name; text belongs in *.wat.
    """
    kind = kind_of(data)
    if kind is ComponentKind.TEXT and file_name.lower().endswith(".wasm"):
        return _TEXT_AS_WASM
    return _PROBLEMS.get(kind)


def may_be_component(head: bytes) -> bool:
    """Whether reading on makes sense after the first bytes.

    A comment at the start of a text can be longer than the first bytes; such a text is
    read on.
    """
    if kind_of(head) in (ComponentKind.BINARY, ComponentKind.TEXT):
        return True
    if head.startswith(MAGIC) or b"\0" in head:
        return False
    text = head.decode("utf-8", "ignore").removeprefix("\ufeff")
    return bool(text) and _code_start(text) >= len(text) - 1
