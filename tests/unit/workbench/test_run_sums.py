"""Sums over rounds, and what `--fail-on` finds in a record."""

import pytest

from inspector.contract.record import (
    Decision,
    Disposition,
    Failure,
    Fault,
    HookCall,
    LogEntry,
    Outcome,
    StepRecord,
    Totals,
)
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import Observe
from inspector.workbench import round_sum
from inspector.workbench.expectation import Mismatch
from inspector.workbench.finding import KINDS, check_kinds, kinds_of
from inspector.workbench.round_sum import RoundSum
from inspector.workbench.run_entry import Check, Entry, verdict_of
from inspector.workbench.scenario_step import ActionStep
from inspector.workbench.source import Place

STEP = ActionStep(2, Place(4, 3), Observe("on-tool-call"))


def call(result="none", hook="a", **more):
    """One call entry."""
    return HookCall(hook, "async", result, Disposition.IGNORED, **more)


def entry(*calls, round_=1, checks=(), **more):
    """One round of the step."""
    record = StepRecord(2, "on-tool-call", "observe", calls=calls, **more)
    return Entry(STEP, record, round_, checks=checks, found=dict(kinds_of(record)))


def summed(*entries):
    """The sum of rounds."""
    sums = RoundSum()
    for one in entries:
        sums.add(one)
    return sums.entry()


class TestRoundSum:
    """One record for many rounds."""

    def test_calls_are_grouped_by_hook_and_result(self):
        """Counts and times are summed, in the order of first appearance."""
        found = summed(
            entry(call("queued", duration_us=1), call("none", "b", duration_us=5)),
            entry(call("queued", duration_us=2)),
            entry(call("dropped")),
        )
        groups = [(c.hook, c.result, c.count, c.duration_us) for c in found.record.calls]
        assert groups == [("a", "queued", 2, 3), ("b", "none", 1, 5), ("a", "dropped", 1, 0)]
        assert found.record.times == 3

    def test_texts_are_those_of_the_first_call(self):
        """Nothing is glued together."""
        found = summed(entry(call(stdout="one")), entry(call(stdout="two")))
        assert found.record.calls[0].stdout == "one"

    def test_outcome_and_totals_are_those_of_the_last_round(self):
        """As things stand afterwards."""
        last = Outcome(decision=Decision("proceed"))
        found = summed(
            entry(outcome=Outcome(decision=Decision("denied", "a", "no")), started_ms=5),
            entry(outcome=last, totals=Totals(turns=9), started_ms=6, round_=2),
        )
        assert found.record.outcome == last
        assert found.record.totals.turns == 9
        assert found.record.started_ms == 5
        assert found.round == 2

    def test_lists_are_bounded_and_the_rest_is_counted(self, monkeypatch):
        """A million faults do not fill the memory."""
        monkeypatch.setattr(round_sum, "LIST_LIMIT", 3)
        faults = (Fault("a", "on-tool-call", "x"), Fault("a", "on-tool-call", "y"))
        logs = (LogEntry("logs/a", "text"),)
        found = summed(*[entry(faults=faults, logs=logs)] * 4)
        assert len(found.record.faults) == 3
        assert len(found.record.logs) == 3
        assert found.left_out == {"faults": 5, "logs": 1}
        assert found.found == {"fault": 8}

    def test_expectations_keep_the_first_failure(self):
        """Held back once, held up for all."""
        bad, worse = (Mismatch(path, 1, 2, "it differs") for path in ("a", "b"))
        found = summed(
            entry(checks=(Check(3, 9, None),)),
            entry(checks=(Check(3, 9, bad),)),
            entry(checks=(Check(3, 9, worse),)),
        )
        assert found.checks == (Check(3, 9, bad, times=3),)
        assert found.record.expectation.path == "a"

    def test_sums_of_sums_add_up(self):
        """A long repeat inside a long repeat."""
        inner = summed(entry(call()), entry(call()))
        found = summed(inner, inner, inner)
        assert found.record.times == 6
        assert found.record.calls[0].count == 6

    def test_sum_of_nothing_is_refused(self):
        """There is no record without a round."""
        with pytest.raises(ValueError, match="no rounds"):
            RoundSum().entry()


class TestVerdict:
    """The public word on expectations."""

    def test_no_expectation_is_none(self):
        """Nobody asked."""
        assert verdict_of(()) is None

    def test_all_that_hold_are_ok(self):
        """Two that hold."""
        assert verdict_of([Check(1, 1, None), Check(2, 2, None)]).ok

    def test_one_that_fails_decides(self):
        """Whatever comes before it."""
        found = verdict_of([Check(1, 1, None), Check(2, 2, Mismatch("p", 1, None, "s"))])
        assert (found.ok, found.path, found.wanted, found.got) == (False, "p", 1, None)


class TestFinding:
    """The words of --fail-on."""

    def test_every_failure_is_a_word(self):
        """And the few beside them."""
        assert {failure.value for failure in Failure} < set(KINDS)
        assert check_kinds(KINDS) == KINDS

    def test_word_twice_counts_once(self):
        """In the order typed."""
        assert check_kinds(["trap", "fault", "trap"]) == ("trap", "fault")

    def test_unknown_word_is_refused_with_the_list(self):
        """Wrong usage."""
        with pytest.raises(InspectorError) as caught:
            check_kinds(["crash"])
        assert caught.value.kind is ErrorKind.USAGE
        assert "'crash'" in caught.value.message
        assert all(word in caught.value.hint for word in KINDS)

    def test_record_is_searched_for_each_word(self):
        """Calls, faults and the decision."""
        record = StepRecord(
            1,
            "on-shell",
            "observe",
            calls=(
                call("error", failure=Failure.TRAP, count=2),
                call("error", failure=Failure.DEADLINE),
                call("absent", failure=Failure.ABSENT),
                call("artifact"),
            ),
            faults=(
                Fault("a", "on-shell", "artifact"),
                Fault("a", "on-shell", "queue-overflow"),
                Fault("a", "drain", "timeout"),
            ),
            outcome=Outcome(decision=Decision("denied", "a", "no")),
        )
        assert kinds_of(record) == {
            "error": 3,
            "trap": 2,
            "deadline": 1,
            "absent": 1,
            "fault": 3,
            "queue-overflow": 1,
            "timeout": 1,
            "denied": 1,
        }

    def test_decision_to_proceed_is_no_finding(self):
        """Only a denied call counts."""
        outcome = Outcome(decision=Decision("proceed"))
        assert not kinds_of(StepRecord(1, "on-shell", "decide", outcome=outcome))
