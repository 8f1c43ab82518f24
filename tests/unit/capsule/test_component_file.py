"""Telling a component from what is often taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capsule.component_file import (
    ComponentKind,
    kind_of,
    may_be_component,
    problem_of,
)
from tests.helpers.capsule_files import COMPONENT, CORE_MODULE


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", ComponentKind.EMPTY),
        (COMPONENT, ComponentKind.BINARY),
        (COMPONENT + b"\x00" * 100, ComponentKind.BINARY),
        (CORE_MODULE, ComponentKind.CORE_MODULE),
        (b"\0asm\x0c\0\x01\0", ComponentKind.OTHER_VERSION),
        (b"\0asm\x02\0\0\0", ComponentKind.UNKNOWN),
        (b"\0asm", ComponentKind.UNKNOWN),
        (b"(component)", ComponentKind.TEXT),
        (b"  \n\t( component $x)", ComponentKind.TEXT),
        (b"\xef\xbb\xbf(component)", ComponentKind.TEXT),
        (b";; (module)\n(; (; (module ;) ;) (component)", ComponentKind.TEXT),
        (b"(module)", ComponentKind.CORE_TEXT),
        (b";; only a comment", ComponentKind.UNKNOWN),
        (b"(components)", ComponentKind.UNKNOWN),
        (b"hello", ComponentKind.UNKNOWN),
        (b"PK\x03\x04", ComponentKind.UNKNOWN),
        (b"(component)\0", ComponentKind.UNKNOWN),
        (b"(; never closed (component)", ComponentKind.UNKNOWN),
    ],
)
def test_kind_of__bytes__is_told_by_their_beginning(data: bytes, kind: ComponentKind) -> None:
    """Header for binaries, first token for texts."""
    assert kind_of(data) is kind


@pytest.mark.parametrize(
    ("data", "name", "words", "hint"),
    [
        (b"", "a.wasm", "is empty", "Build it again"),
        (CORE_MODULE, "a.wasm", "core WebAssembly module, not a component", "component new"),
        (b"(module)", "a.wat", "text of a core WebAssembly module", "component new"),
        (b"(component)", "a.WASM", "text in a file named .wasm", "Rename it"),
        (b"\0asm\x0c\0\x01\0", "a.wasm", "in an encoding that", "current tools"),
        (b"hello", "a.wasm", "is not a WebAssembly component", "*.wat"),
    ],
)
def test_problem_of__no_component__says_what_it_is_and_what_to_do(
    data: bytes, name: str, words: str, hint: str
) -> None:
    """One sentence of ours and one hint."""
    problem = problem_of(data, name)
    assert problem is not None
    assert words in problem.reason
    assert hint in problem.hint


def test_problem_of__component__is_none() -> None:
    """Text belongs in *.wat; a binary may have either name."""
    assert problem_of(b"(component)", "a.wat") is None
    assert problem_of(COMPONENT, "a.wasm") is None
    assert problem_of(COMPONENT, "a.wat") is None


@pytest.mark.parametrize(
    ("head", "read_on"),
    [
        (COMPONENT, True),
        (b"(component", True),
        (b";; " + b"x" * 4093, True),
        (b"(; " + b"x" * 4093, True),
        (b"", False),
        (b"\0" * 4096, False),
        (CORE_MODULE, False),
        (b"(module", False),
        (b"hello", False),
    ],
)
def test_may_be_component__head__decides_whether_to_read_on(head: bytes, read_on: bool) -> None:
    """Only a long comment leaves it open."""
    assert may_be_component(head) is read_on


@given(st.binary(max_size=200))
def test_kind_of__any_bytes__has_a_kind(data: bytes) -> None:
    """And what may be a component by its head is one or has a problem by its whole."""
    kind = kind_of(data)
    assert (problem_of(data, "a.wat") is None) is (
        kind in (ComponentKind.BINARY, ComponentKind.TEXT)
    )
    if kind in (ComponentKind.BINARY, ComponentKind.TEXT):
        assert may_be_component(data)
