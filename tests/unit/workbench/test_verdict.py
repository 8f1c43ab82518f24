"""Marks, words and roles of results."""

import pytest

from inspector.contract.record import Decision, Disposition, Expectation, Failure, Outcome
from inspector.workbench import verdict
from inspector.workbench.state import Firing, FiringStatus
from tests.helpers.sample_state import call, record


@pytest.mark.parametrize(
    ("found", "mark", "word", "role"),
    [
        (call(), "·", "ignored", "muted"),
        (call(result="absent"), "·", "ignored", "muted"),
        (call(result="artifact", disposition=Disposition.HONORED), "✓", "honored", "positive"),
        (call(result="deny", disposition=Disposition.HONORED), "⛨", "denied", "notice"),
        (call(result="deny", disposition=Disposition.FAULT), "◆", "fault", "caution"),
        (call(result="error", disposition=Disposition.ERROR), "✕", "error", "negative"),
        (call(result="error", disposition=Disposition.REFUSED), "⛨", "refused", "notice"),
        (call(result="artifact", disposition=Disposition.DISCARDED), "○", "discarded", "muted"),
        (
            call(result="reopen-task", disposition=Disposition.SUPERSEDED),
            "○",
            "superseded",
            "muted",
        ),
        (call(result="queued"), "⌛", "queued", "caution"),
        (call(result="dropped", disposition=Disposition.FAULT), "⌛", "dropped", "caution"),
        (call(result="abandoned", disposition=Disposition.ERROR), "⌛", "abandoned", "caution"),
    ],
)
def test_of_call__every_kind__has_mark_word_and_role(found, mark, word, role):
    """One vocabulary everywhere."""
    shown = verdict.of_call(found)
    assert (shown.mark, shown.word, shown.role) == (mark, word, role)


class TestOfRecord:
    """of_record."""

    def test_worst_call_shows(self):
        """An error before a fault before what is honored."""
        calls = (
            call(result="artifact", disposition=Disposition.HONORED),
            call(result="error", disposition=Disposition.ERROR),
            call(result="deny", disposition=Disposition.FAULT),
        )
        assert verdict.of_record(record(1, "on-shell", *calls)) == verdict.ERROR
        assert verdict.of_record(record(1, "on-shell", calls[0], calls[2])) == verdict.FAULT
        assert verdict.of_record(record(1, "on-shell", calls[0])) == verdict.HONORED

    def test_decision_shows_its_answer(self):
        """Denied by an answer, refused without one, proceed."""
        for found, wanted in (
            (call(result="deny", disposition=Disposition.HONORED), verdict.DENIED),
            (call(result="error", disposition=Disposition.REFUSED), verdict.REFUSED),
        ):
            outcome = Outcome(decision=Decision("denied", "h", "r"))
            done = record(1, "on-shell", found, phase="decide", outcome=outcome)
            assert verdict.of_record(done) == wanted
        outcome = Outcome(decision=Decision("proceed"))
        done = record(1, "on-shell", call(), phase="decide", outcome=outcome)
        assert verdict.of_record(done) == verdict.PROCEED

    def test_nobody_called(self):
        """An event without a hook, and a control step."""
        assert verdict.of_record(record(1, "on-shell")) == verdict.NO_HOOK
        assert verdict.of_record(record(1, "drain", phase="control")) == verdict.DONE

    def test_failed_expectation_shows_first(self):
        """Whatever the hooks did."""
        done = record(1, "on-shell", call(), expectation=Expectation(False, "x", 1, 2))
        assert verdict.of_record(done) == verdict.UNEXPECTED
        held = record(1, "on-shell", call(), expectation=Expectation(True))
        assert verdict.of_record(held) == verdict.IGNORED


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        (FiringStatus.RUNNING, verdict.RUNNING),
        (FiringStatus.LOST, verdict.LOST),
        (FiringStatus.REFUSED, verdict.NOT_RUN),
    ],
)
def test_of_firing__without_a_record__shows_its_status(status, wanted):
    """Running, lost, not run."""
    assert verdict.of_firing(Firing(1, "on-shell", "observe", status, 1)) == wanted


def test_result_word__error__is_the_class_of_the_failure():
    """More telling than `error`."""
    failed = call(result="error", disposition=Disposition.ERROR, failure=Failure.DEADLINE)
    assert verdict.result_word(failed) == "deadline"
    assert verdict.result_word(call(result="error")) == "error"
    assert verdict.result_word(call()) == "none"


def test_is_bad__by_role__is_what_the_rail_marks():
    """Faults, errors, refusals and what waits; not what was ignored or honored."""
    bad = {shown.word for shown in vars(verdict).values() if getattr(shown, "is_bad", False)}
    assert {"fault", "error", "denied", "refused", "dropped"} <= bad
    assert not {"ignored", "honored", "discarded", "proceed", "done"} & bad
