"""The filter of the timeline, and searching in lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.contract.record import Decision, Disposition, Failure, Outcome
from inspector.workbench import search
from inspector.workbench.search import Query, Term, parse, visible_calls
from inspector.workbench.state import Firing, FiringStatus, LogLine
from tests.helpers.sample_state import call, record


def firing(event: str, *calls, **changes) -> Firing:
    """A finished firing."""
    done = record(12, event, *calls, **changes)
    return Firing(12, event, done.phase, FiringStatus.FINISHED, 2, record=done)


SHELL = firing(
    "on-shell",
    call("gatekeeper"),
    call("Audit", "artifact", Disposition.FAULT),
    call("crash", "error", Disposition.ERROR, failure=Failure.TRAP, error="Unreachable code"),
)
DENIED = firing(
    "on-shell",
    call("gatekeeper", "deny", Disposition.HONORED, reason="no rm here"),
    phase="decide",
    outcome=Outcome(decision=Decision("denied", "gatekeeper", "no rm here")),
)
LONELY = firing("on-task-start")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("Shell", [Term("", "shell", False)]),
        ("-none", [Term("", "none", True)]),
        ('"two words" x', [Term("", "two words", False), Term("", "x", False)]),
        ("event:on-shell", [Term("event", "on-shell", False)]),
        ('-hook:"a b"', [Term("hook", "a b", True)]),
        ("http://x", [Term("", "http://x", False)]),
        ("is:", [Term("", "is:", False)]),
        ('"open', [Term("", "open", False)]),
        ("-", [Term("", "-", False)]),
    ],
)
def test_parse__any_text__is_a_query(text, terms):
    """Unknown keys and half typed terms are plain text."""
    assert list(parse(text).terms) == terms


@given(st.text())
def test_parse__whatever_is_typed__never_fails(text):
    """Each keystroke is a query."""
    visible_calls(parse(text), SHELL)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("", (0, 1, 2)),
        ("shell", (0, 1, 2)),
        ("hook:audit", (1,)),
        ("audit", (1,)),
        ("result:trap", (2,)),
        ("unreachable", (2,)),
        ("is:fault", (1,)),
        ("is:error", (2,)),
        ("is:bad", (1, 2)),
        ("-is:bad", (0,)),
        ("event:on-shell hook:a", (0, 1, 2)),
        ("event:on-stage", None),
        ("phase:decide", None),
        ("phase:observe", (0, 1, 2)),
        ("step:12", (0, 1, 2)),
        ("step:1", None),
        ("session:2 -hook:audit", (0, 2)),
    ],
)
def test_visible_calls__of_three__are_those_that_hold_every_term(text, calls):
    """A firing without a call left is hidden."""
    assert visible_calls(parse(text), SHELL) == calls


def test_visible_calls__denied_call__is_found_by_word_and_reason():
    """As it reads in the row."""
    assert visible_calls(parse("is:denied"), DENIED) == (0,)
    assert visible_calls(parse('"no rm"'), DENIED) == (0,)


def test_visible_calls__firing_without_calls__matches_by_itself():
    """`()` shows the row, None hides it."""
    assert visible_calls(parse("task-start"), LONELY) == ()
    assert visible_calls(parse("hook:x"), LONELY) is None
    lost = Firing(1, "on-shell", "observe", FiringStatus.LOST, 1, note="Engine killed")
    assert visible_calls(parse("killed"), lost) == ()
    assert visible_calls(parse('is:"engine lost"'), lost) == ()


def test_query__without_terms__is_false():
    """Nothing is filtered."""
    assert not Query()
    assert parse("x")


@pytest.mark.parametrize(
    ("needle", "found"),
    [("error", [0, 1]), ("Error", [1]), ("", []), ("x" * 99, [])],
)
def test_find__smart_case__counts_capitals_only_when_typed(needle, found):
    """Small letters find both."""
    assert list(search.find(["an error", "An Error", "fine"], needle)) == found


def test_find__first_number__is_given():
    """Lines of a series have absolute numbers."""
    assert list(search.find(iter(["a", "b", "a"]), "a", 100)) == [100, 102]


def test_log_lines__file__chooses_lines():
    """ "" is every file."""
    lines = [LogLine("stdout", "1"), LogLine("faults", "2"), LogLine("stdout", "3")]
    assert list(search.log_lines(lines, "stdout", 10)) == [10, 12]
    assert list(search.log_lines(lines, "")) == [0, 1, 2]
