"""The engine's text of a trap, taken apart."""

import pytest

from inspector.workbench.backtrace import Frame, parse, readable
from tests.helpers.sample_state import TRAP_DETAIL

DEBUG = """hook 'x' on-shell trapped: error while executing at wasm backtrace:
    0:    0x1f2 - m.wasm!_ZN4core9panicking5panic17h0123456789abcdefE
                    at /rustc/src/panicking.rs:145:5
                    at /src/lib.rs:9:1
    1:    0x2a7 - <unknown>!<wasm function 12>

Caused by:
    0: a panic happened
    1: wasm trap: wasm `unreachable` instruction executed"""


def test_parse__trap__gives_cause_and_frames():
    """Innermost frame first."""
    found = parse(TRAP_DETAIL)
    assert found is not None
    assert found.causes == ("wasm trap: wasm `unreachable` instruction executed",)
    name = "murmur:hook/lifecycle@0.8.0#on-tool-call"
    assert found.frames == (
        Frame(0, "0x1f2", "crashing_observer.wasm", "on-tool-call", "on-tool-call"),
        Frame(1, "0x2a7", "crashing_observer.wasm", name, name),
    )


def test_parse__causes_and_places__root_cause_comes_first():
    """With source places where there are some."""
    found = parse(DEBUG)
    assert found is not None
    assert found.causes == (
        "wasm trap: wasm `unreachable` instruction executed",
        "a panic happened",
        "hook 'x' on-shell trapped",
    )
    first, second = found.frames
    assert first.function == "core::panicking::panic"
    assert first.places == ("/rustc/src/panicking.rs:145:5", "/src/lib.rs:9:1")
    assert (second.module, second.function) == ("<unknown>", "<wasm function 12>")


@pytest.mark.parametrize("text", ["", "the hook said no", "wasm backtrace:", "Caused by:\n  x"])
def test_parse__other_text__is_none(text):
    """Then there is only the text."""
    assert parse(text) is None


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("on-shell", "on-shell"),
        ("_ZN3foo3barE", "foo::bar"),
        ("_ZN3foo3bar17h0123456789abcdefE", "foo::bar"),
        ("_ZN38_$LT$T$u20$as$u20$core..fmt..Debug$GT$3fmtE", "<T as core::fmt::Debug>::fmt"),
        ("_ZN9xE", "_ZN9xE"),
        ("_ZNxE", "_ZNxE"),
        ("_ZNE", "_ZNE"),
    ],
)
def test_readable__symbol__is_a_name_or_stays(symbol, name):
    """What cannot be read is shown as it is."""
    assert readable(symbol) == name
