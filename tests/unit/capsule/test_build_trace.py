"""How a component was built, from its sections."""

import pytest

from inspector.capsule.build_trace import BuildTrace, Toolchain, trace
from tests.helpers import wat
from tests.helpers.wasm_bytes import component, custom, module, nested, producers, wrapped

_COMPONENTIZE_JS = {
    "language": [("C11", ""), ("Rust", ""), ("JavaScript", "")],
    "processed-by": [("clang", "21.1.4"), ("ComponentizeJS", "0.23.0")],
}
_RUST = {"language": [("Rust", "")], "processed-by": [("rustc", "1.95.0"), ("clang", "21")]}


@pytest.mark.parametrize(
    ("fields", "toolchain"),
    [
        (_COMPONENTIZE_JS, Toolchain.JAVASCRIPT),
        (_RUST, Toolchain.RUST),
        ({"language": [("C11", "")]}, Toolchain.C),
        ({"processed-by": [("clang", "21")]}, Toolchain.C),
        ({"language": [("Go", "")], "processed-by": [("TinyGo", "0.38")]}, Toolchain.GO),
        ({"processed-by": [("wit-component", "0.245.1")]}, None),
        ({"language": [("Rusty", "")]}, None),
    ],
)
def test_toolchain__is_guessed_from_the_producers(
    fields: dict[str, list[tuple[str, str]]], toolchain: Toolchain | None
) -> None:
    """An engine in C or Rust stands beside the language that it runs."""
    assert trace(component(nested(module(producers(fields))))).toolchain is toolchain


@pytest.mark.parametrize(
    ("name", "toolchain"),
    [
        (b"\x29libcomponentize_py_runtime.so:memory_base", Toolchain.PYTHON),
        (b"\x28componentize_qjs_runtime.wasm:memory_base", Toolchain.JAVASCRIPT),
    ],
)
def test_toolchain__of_linked_interpreters__is_told_by_their_modules(
    name: bytes, toolchain: Toolchain
) -> None:
    """Their producers say Rust."""
    data = component(nested(module(producers(_RUST))), nested(module(custom("x", name))))
    assert trace(data).toolchain is toolchain


def test_debug_information__of_all_modules__is_summed_up() -> None:
    """Every section of the kind counts as soon as there are lines or entries."""
    lines = module(custom(".debug_line", b"1" * 10), custom(".debug_str", b"2" * 5))
    entries = module(custom(".debug_info", b"3" * 7), custom("name", b"4" * 3))
    data = wrapped([lines, entries, module(custom("name", b"5" * 90))])
    assert trace(data) == BuildTrace(len(data), None, debug_bytes=22, name_bytes=90)


def test_strings_alone__are_no_debug_build() -> None:
    """Some tools leave them behind."""
    assert trace(module(custom(".debug_str", b"2" * 5))).debug_bytes == 0


def test_text_and_stripped_components__tell_little() -> None:
    """The size of a text is not the component's."""
    assert trace(b"(component)") == BuildTrace()
    assert trace(b"") == BuildTrace()
    plain = wat.hook({}).component()
    found = trace(plain)
    assert (found.component_bytes, found.toolchain, found.debug_bytes) == (len(plain), None, 0)
    assert 0 < found.name_bytes < 1000
