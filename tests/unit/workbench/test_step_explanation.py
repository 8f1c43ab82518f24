"""The three sentences about a whole step."""

import pytest

from inspector.contract.profile import PROFILES
from inspector.contract.record import (
    Artifact,
    Decision,
    Disposition,
    Fault,
    LogEntry,
    ManifestFile,
    Outcome,
    Reopen,
    Seed,
)
from inspector.workbench.explanation import NOTHING_WRITTEN
from inspector.workbench.state import Firing, FiringStatus
from inspector.workbench.step_explanation import explain_open_firing, explain_step
from tests.helpers.sample_state import call, record

P3, P1 = PROFILES["0.3"], PROFILES["0.1"]


class TestDecision:
    """Questions put to policy hooks."""

    def decide(self, *calls, profile=P3, **outcome):
        """The explanation of a decision."""
        done = record(
            1,
            "on-shell",
            *calls,
            phase="decide",
            outcome=Outcome(decision=Decision(**outcome)),
        )
        return explain_step(profile, done)

    def test_denied(self):
        """By whom and why."""
        found = self.decide(call("g"), verdict="denied", hook="g", reason="no")
        assert found.happened == "The call is denied by g: no"

    def test_every_hook_answered_none(self):
        """With their number."""
        found = self.decide(call("a"), call("b"), verdict="proceed")
        assert found.happened == "The call may run."
        assert found.why.startswith("2 policy hooks answered none")

    def test_nobody_was_asked(self):
        """Says which hooks would be; 0.1.0 asks nobody ever."""
        found = self.decide(verdict="proceed")
        assert "commit_policy deny" in found.why
        assert "Runtime 0.1.0 puts no call" in self.decide(verdict="proceed", profile=P1).why


@pytest.mark.parametrize(
    ("event", "outcome", "why"),
    [
        (
            "on-compaction",
            Outcome(replacement=({},), compaction_error="h: boom"),
            "The compaction fails, and with it the session: h: boom",
        ),
        ("on-compaction", Outcome(replacement=({}, {})), "The context is replaced by 2 messages."),
        ("on-task-start", Outcome(seed=Seed("h", ({},))), "h proposes 1 message"),
        ("on-task-end", Outcome(reopen=Reopen("h", "again")), "once more: again"),
        ("on-inference", Outcome(artifacts=(Artifact("h", "{}"),)), "The caller gets 1 artifact."),
        ("on-stage", Outcome(manifests=(ManifestFile("b", "p"),)), "gets 1 tool manifest."),
        ("on-shell", Outcome(), "honors nothing but none, so nothing changes"),
        ("on-inference", Outcome(), "No hook's artifact was taken"),
    ],
)
def test_explain_step__every_outcome__says_what_changes(event, outcome, why):
    """For the session, not for a hook."""
    assert why in explain_step(P3, record(1, event, call("h"), outcome=outcome)).why


def test_explain_step__several_calls__counts_them_by_word():
    """In the order of the calls."""
    done = record(1, "on-shell", call("a"), call("b"), call("c", disposition=Disposition.FAULT))
    found = explain_step(P3, done)
    assert found.happened == "on-shell reached 3 hooks: 2 ignored, 1 fault."
    assert found.written == (NOTHING_WRITTEN,)


@pytest.mark.parametrize("event", ["on-shell", "on-stage"])
def test_explain_step__no_hook__says_who_would_be_reached(event):
    """Staging takes blocking hooks only."""
    found = explain_step(P3, record(1, event))
    assert found.happened == f"{event} reached no hook."
    assert "all events" in found.why


@pytest.mark.parametrize(
    "event", ["begin-task", "task-output", "end-task", "drain", "pump", "reset"]
)
def test_explain_step__control_step__says_what_it_is_for(event):
    """Each has sentences of its own."""
    found = explain_step(P3, record(1, event, phase="control"))
    assert found.happened.endswith(".")
    assert found.why.endswith(".")


def test_explain_step__logs_and_faults__are_counted_by_file():
    """Places first, then the trace."""
    done = record(
        1,
        "on-shell",
        call("h"),
        logs=(LogEntry("logs/hook-h.log", "a\nb"), LogEntry("logs/hook-h.log", "c")),
        faults=(Fault("h", "on-shell", "deny"),),
    )
    assert explain_step(P3, done).written == (
        "logs/hook-h.log: 3 lines.",
        "trace.jsonl gets 1 hook_dispatch_error line, just before session_end.",
    )


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (FiringStatus.RUNNING, "on-shell is running."),
        (FiringStatus.LOST, "The engine ended while on-shell was running."),
        (FiringStatus.REFUSED, "on-shell was not run."),
    ],
)
def test_explain_open_firing__every_status__has_a_sentence(status, sentence):
    """The note says why."""
    found = explain_open_firing(Firing(1, "on-shell", "observe", status, 1, note="because"))
    assert found.happened == sentence
    assert status is FiringStatus.RUNNING or found.why == "because"
