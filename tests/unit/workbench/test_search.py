"""The filter of the timeline, and searching in lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.contract.record import Decision, Disposition, Failure, Outcome
from inspector.workbench import search, verdict
from inspector.workbench.search import Query, Term, parse, visible_calls
from inspector.workbench.search_help import EXAMPLES, completions, last_word
from inspector.workbench.state import Firing, FiringStatus, LogLine, RowNote
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
        ("#12", [Term("step", "12", False)]),
        ("-#12-20", [Term("step", "12-20", True)]),
        ('"#12"', [Term("", "#12", False)]),
        ("is:BAD", [Term("is", "bad", False)]),
        ('is:"no hook"', [Term("is", "no hook", False)]),
    ],
)
def test_parse__sound_text__is_its_words(text, terms):
    """Words apart by blanks, with keys, quotes and minus signs."""
    assert parse(text) == Query(tuple(terms))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"open', "The quote is not closed."),
        ("-", "A minus wants a word after it."),
        ("hook:", "hook: wants a part of a hook's name after it."),
        ("#", "# wants the number of a row after it."),
        ("#x", '# wants a number like 12 or 12-20, and "x" is none.'),
        ("#" + "9" * 5_000, "# wants a number like 12 or 12-20"),
        ("session:x", 'session: wants a number like 12 or 12-20, and "x" is none.'),
        ("is:wrong", 'is: knows no "wrong"; it takes bad, denied, fault'),
        ("phase:obs", 'phase: knows no "obs"; it takes observe, decide, stage, task, control.'),
        ("event:on-nothing", 'event: knows no "on-nothing"; it takes on-stage'),
        ("arm:trap", 'arm: knows no "trap"; it takes none'),
        ("failure:none", 'failure: knows no "none"; it takes guest-error'),
        ("hok:x", "There is no hok: here, only hook:, event:, arm:, result:"),
    ],
)
def test_parse__what_means_nothing__is_one_sentence(text, words):
    """And filters nothing."""
    query = parse(f"on-shell {text}")
    assert query.error.startswith(words)
    assert query.error.endswith(".")
    assert "\n" not in query.error
    assert not query


@settings(deadline=None)
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
        ("#12", (0, 1, 2)),
        ("#10-12", (0, 1, 2)),
        ("#13-", None),
        ("-#12", None),
        ("arm:art", (1,)),
        ("arm:none", (0,)),
        ("failure:trap", (2,)),
        ("failure:trap -failure:trap", None),
        ("is:marked", (0, 1, 2)),
        ("is:noted", (0, 1, 2)),
        ("note:slow", (0, 1, 2)),
        ("note:fast", None),
        ("slow", (0, 1, 2)),
        ("session:2 -hook:audit", (0, 2)),
    ],
)
def test_visible_calls__of_three__are_those_that_hold_every_term(text, calls):
    """A firing without a call left is hidden."""
    notes = {12: RowNote(12, True, "Too slow?")}
    assert visible_calls(parse(text), SHELL, notes) == calls


def test_visible_calls__no_note__is_not_marked():
    """Nothing is kept about the row."""
    for text in ("is:marked", "is:noted", "note:a"):
        assert visible_calls(parse(text), SHELL) is None


def test_visible_calls__refused_call__is_denied_too():
    """A policy hook that fails closed does not let the call run."""
    refused = firing("on-shell", call("g", "error", Disposition.REFUSED, failure=Failure.TRAP))
    assert visible_calls(parse("is:denied"), refused) == (0,)
    assert visible_calls(parse("is:refused"), refused) == (0,)


def test_visible_calls__late_result__is_found_by_its_own_event():
    """Not by that of the step in which it arrived."""
    late = firing("pump", call("a", event="on-tool-call"), call("b"), phase="control")
    assert visible_calls(parse("event:on-tool-call"), late) == (0,)
    assert visible_calls(parse("event:pump"), late) == (1,)


def test_query__asks_notes__when_a_note_can_decide():
    """A change of notes then asks for another look."""
    asking = [text for text in ("x", "is:marked", "note:x", "is:bad", "") if parse(text).asks_notes]
    assert asking == ["x", "is:marked", "note:x"]


def test_standings__are_the_words_of_the_outcome_column():
    """None is missing, none is invented."""
    words = {value.word for value in vars(verdict).values() if isinstance(value, verdict.Verdict)}
    assert set(search.STANDINGS) == words | {"bad", "marked", "noted"}


class TestHelp:
    """Completions and examples."""

    def test_every_example_and_completion_is_sound(self):
        """Nothing is offered that is refused."""
        for text, _ in EXAMPLES:
            assert not parse(text).error, text
        for text in completions(["a b", "guard"]):
            assert text.endswith(":") or not parse(text).error, text

    def test_completions_hold_keys_values_and_hooks(self):
        """Values with blanks come in quotes."""
        found = completions(["a b"])
        assert {"hook:", 'hook:"a b"', "is:bad", 'is:"no hook"', "event:on-shell"} <= set(found)

    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("", ("", "")),
            ("is:b", ("", "is:b")),
            ("a -ho", ("a -", "ho")),
            ('hook:"a b', ("", 'hook:"a b')),
            ("x ", ("x ", "")),
        ],
    )
    def test_last_word_is_what_is_typed_now(self, text, parts):
        """Quotes hold blanks together; a minus stays."""
        assert last_word(text) == parts


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
