"""The three sentences about a call, value by value."""

import itertools

import pytest

from inspector.contract.contract import EVENTS, Phase
from inspector.contract.profile import PROFILES
from inspector.contract.record import (
    Decision,
    Disposition,
    Failure,
    Fault,
    LogEntry,
    ManifestFile,
    Outcome,
)
from inspector.workbench.explanation import (
    NOTHING_WRITTEN,
    Explanation,
    event_rule,
    explain_call,
    honored_places,
)
from tests.helpers.sample_state import call, record

P3, P1 = PROFILES["0.3"], PROFILES["0.1"]
MESSAGES = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]


def explain(event, found, profile=P3, **changes) -> Explanation:
    """The explanation of the only call of a step."""
    phase = "stage" if event == "on-stage" else "observe"
    return explain_call(profile, record(1, event, found, **{"phase": phase, **changes}), found)


class TestRules:
    """honored_places and event_rule."""

    @pytest.mark.parametrize(
        ("arm", "sentence"),
        [
            ("artifact", "artifact is honored at on-inference"),
            ("seed-context", "seed-context is honored at on-task-start"),
            ("reopen-task", "reopen-task is honored at on-task-end"),
            ("replace-context", "replace-context is honored at on-compaction"),
            ("write-manifests", "write-manifests is honored at on-stage"),
            (
                "deny",
                "deny is honored at the decision point of on-tool-call and the decision point "
                "of on-shell",
            ),
        ],
    )
    def test_places_of_every_arm(self, arm, sentence):
        """Each arm of 0.8.0 names the events that honor it."""
        assert honored_places(P3.contract, arm) == sentence

    def test_arm_that_no_event_honors(self):
        """0.2.0 has three arms only."""
        assert honored_places(P1.contract, "deny") == "no event of lifecycle@0.2.0 honors deny"

    def test_rule_of_an_event(self):
        """With an arm, without one, and at a decision."""
        contract = P3.contract
        assert event_rule(contract, "on-inference", Phase.OBSERVE) == (
            "on-inference honors artifact and none"
        )
        assert event_rule(contract, "on-shell", Phase.OBSERVE) == (
            "on-shell honors nothing but none"
        )
        assert event_rule(contract, "on-shell", Phase.DECIDE) == (
            "the decision point of on-shell takes deny and none"
        )


class TestIgnored:
    """Answers that ask for nothing."""

    def test_none_at_an_observation(self):
        """Nothing is written."""
        assert explain("on-shell", call("obs")) == Explanation(
            "obs answered none.", "none asks for nothing; on-shell honors nothing but none."
        )

    def test_none_at_a_decision_lets_the_call_run(self):
        """It is the only answer that does."""
        found = explain("on-shell", call("guard"), phase="decide")
        assert found.happened == "guard answered none and lets the call run."
        assert "every one of them answers none" in found.why
        assert found.written == (NOTHING_WRITTEN,)

    def test_optional_function_that_is_absent(self):
        """It is skipped."""
        found = explain("on-task-end", call("obs", "absent"))
        assert found.happened == "obs does not export on-task-end."
        assert found.why.startswith("on-task-end is optional under lifecycle@0.8.0")

    def test_absent_on_stage_is_noted(self):
        """The line is shown as it was written."""
        line = "hook obs@0.1.0 missing on-stage"
        found = explain(
            "on-stage",
            call("obs", "absent", Disposition.ERROR, failure=Failure.ABSENT, error=line),
            logs=(LogEntry("logs/hook-obs.log", line),),
        )
        assert found.happened == "obs does not export on-stage."
        assert found.written == (f"logs/hook-obs.log: {line}",)


class TestHonored:
    """Answers that count."""

    @pytest.mark.parametrize(
        ("event", "arm", "payload", "happened", "why", "written"),
        [
            (
                "on-inference",
                "artifact",
                "{}",
                "h gave an artifact, and it was collected.",
                "every hook's artifact is kept",
                "does not check that it is a JSON object",
            ),
            (
                "on-compaction",
                "replace-context",
                MESSAGES,
                "h replaced the context with 2 messages.",
                "on-compaction honors replace-context and none; the first hook's value wins.",
                "every message gets a fresh id",
            ),
            (
                "on-task-start",
                "seed-context",
                MESSAGES[:1],
                "h proposed 1 message as the task's first context.",
                "the first hook's value wins",
                "seed-rejected",
            ),
            (
                "on-task-end",
                "reopen-task",
                "again",
                "h asked to run the task once more.",
                "the first hook's value wins",
                "reopen_budget_exhausted",
            ),
        ],
    )
    def test_arm_at_its_event(self, event, arm, payload, happened, why, written):
        """What, the rule, and what the runtime does with it."""
        found = explain(event, call("h", arm, Disposition.HONORED, payload=payload))
        assert found.happened == happened
        assert why in found.why
        assert written in " ".join(found.written)

    def test_manifests_are_named_by_their_files(self):
        """Four places at most, the rest as a number."""
        files = tuple(ManifestFile(f"b{i}", f"tools/b{i}/murmur.yaml") for i in range(6))
        payload = [{"binary-name": file.binary, "content": ""} for file in files]
        found = explain(
            "on-stage",
            call("h", "write-manifests", Disposition.HONORED, payload=payload),
            outcome=Outcome(manifests=files),
        )
        assert found.happened == "h wrote 6 tool manifests."
        assert found.written[0] == "tools/b0/murmur.yaml in the session folder."
        assert found.written[3] == "And 3 files more."

    def test_deny_at_a_decision(self):
        """With the hook's own reason."""
        deny = call("guard", "deny", Disposition.HONORED, payload="no rm", reason="no rm")
        found = explain(
            "on-shell",
            deny,
            phase="decide",
            outcome=Outcome(decision=Decision("denied", "guard", "no rm")),
        )
        assert found.happened == "guard denied the call: no rm"
        assert "later ones are not asked" in found.why
        assert "call_denied" in found.written[0]


class TestFault:
    """Arms that an event does not honor."""

    def test_artifact_from_on_shell(self):
        """Names the rule, the event that would honor it, the log line and the trace line."""
        line = "hook 'h' returned unsupported hook-output arm 'artifact' from 'on-shell'; ..."
        found = explain(
            "on-shell",
            call("h", "artifact", Disposition.FAULT, payload="{}"),
            faults=(Fault("h", "on-shell", "artifact"),),
            logs=(LogEntry("logs/hook-h.log", line), LogEntry("logs/hook-other.log", "x")),
        )
        assert found == Explanation(
            "h returned artifact from on-shell, and the value was discarded.",
            "on-shell honors nothing but none; artifact is honored at on-inference.",
            (
                f"logs/hook-h.log: {line}",
                "trace.jsonl gets hook_dispatch_error (h, on-shell, artifact), just before "
                "session_end.",
            ),
        )

    def test_deny_after_the_call_has_run(self):
        """Says that it came too late."""
        found = explain("on-shell", call("h", "deny", Disposition.FAULT, payload="no"))
        assert "on-shell honors nothing but none once the call has run" in found.why

    def test_staging_has_no_trace_yet(self):
        """Only the log line."""
        found = explain("on-stage", call("h", "artifact", Disposition.FAULT, payload="x"))
        assert found.written == ("logs/hook-h.log gets the text of the error.",)

    def test_silent_runtime_writes_nothing(self):
        """0.1.0 drops the arm without a word."""
        found = explain(
            "on-shell", call("h", "artifact", Disposition.IGNORED, payload="x"), profile=P1
        )
        assert found.happened == "h returned artifact from on-shell, and the value was dropped."
        assert found.why.startswith("Runtime 0.1.0 drops")
        assert found.written == (NOTHING_WRITTEN,)


class TestError:
    """Calls that gave no answer."""

    @pytest.mark.parametrize(
        ("failure", "happened", "why"),
        [
            (Failure.GUEST_ERROR, "h answered on-shell with an error: boom", "stays usable"),
            (Failure.TYPE_MISMATCH, "h was not called: its on-shell", "at each call"),
            (Failure.TRAP, "h trapped in on-shell.", "every later call to it fails"),
            (Failure.DEADLINE, "h was still in on-shell at its deadline", "host calls counts"),
            (Failure.RESOURCE_LIMIT, "h ran into a limit in on-shell.", "the refusal sticks"),
            (Failure.POISONED, "h could not be entered for on-shell", "a reset gives"),
            (Failure.ABSENT, "h does not export on-shell.", "not exported"),
            (Failure.REJECTED, "h could not be instantiated for on-shell.", "throwaway"),
            (Failure.INTERRUPTED, "You stopped h in on-shell.", "as a deadline would"),
            (Failure.ENGINE_LOST, "The engine ended while h was in on-shell.", "own process"),
        ],
    )
    def test_every_failure_of_a_blocking_hook(self, failure, happened, why):
        """Never a fault; the hooks after it are called."""
        found = explain(
            "on-shell", call("h", "error", Disposition.ERROR, failure=failure, error="boom")
        )
        assert found.happened.startswith(happened)
        assert why in found.why
        assert "is no fault and does not stop the hooks after it" in found.why
        assert not any("hook_dispatch_error" in line for line in found.written)

    def test_async_error_is_a_fault(self):
        """With the arm `error`."""
        failed = call(
            "h", "error", Disposition.ERROR, mode="async", failure=Failure.TRAP, error="x"
        )
        found = explain("on-shell", failed)
        assert "hook_dispatch_error (h, on-shell, error)" in found.written[-1]

    def test_detached_async_error_is_logged_only(self):
        """0.1.0 spawns and forgets."""
        failed = call(
            "h", "error", Disposition.ERROR, mode="async", failure=Failure.TRAP, error="x"
        )
        found = explain("on-shell", failed, profile=P1)
        assert found.why.endswith("Nobody waits for it.")
        assert not any("hook_dispatch_error" in line for line in found.written)

    def test_compaction_error_is_the_answer(self):
        """It wins over a replacement; under 0.1.0 it does not."""
        failed = call("h", "error", Disposition.ERROR, failure=Failure.GUEST_ERROR, error="boom")
        assert "even when another hook" in explain("on-compaction", failed).why
        assert "even when another hook" not in explain("on-compaction", failed, P1).why


class TestRefused:
    """Decision answers that fail closed."""

    @pytest.mark.parametrize(
        ("changes", "why", "fault"),
        [
            (
                {"result": "error", "failure": Failure.TRAP, "error": "e"},
                "An error at a decision point is no fault.",
                False,
            ),
            ({"result": "absent"}, "A policy hook has to export the function", False),
            ({"result": "deny", "payload": " "}, "a blank reason is replaced", False),
            (
                {"result": "artifact", "payload": "x"},
                "The decision point of on-shell takes deny and none; artifact is honored at "
                "on-inference. Anything else fails closed.",
                True,
            ),
        ],
    )
    def test_every_way(self, changes, why, fault):
        """Only another arm is a fault."""
        refused = call("g", disposition=Disposition.REFUSED, reason="the runtime's text", **changes)
        found = explain("on-shell", refused, phase="decide")
        assert found.happened == "g refused the call: the runtime's text"
        assert why in found.why
        assert any("hook_dispatch_error" in line for line in found.written) is fault
        assert any("call_denied" in line for line in found.written)


class TestAsync:
    """Queues and what comes out of them."""

    def test_output_of_an_async_hook(self):
        """Is discarded without a word, with where it would count."""
        found = explain(
            "on-compaction",
            call("h", "replace-context", Disposition.DISCARDED, mode="async", payload=[]),
        )
        assert found.happened == "h returned replace-context, and the value was discarded."
        assert "replace-context is honored at on-compaction" in found.why
        assert found.written == (NOTHING_WRITTEN,)

    def test_queued(self):
        """Nothing has happened yet."""
        found = explain("on-shell", call("h", "queued", mode="async"))
        assert found.happened == "on-shell waits in the queue of h."

    def test_dropped(self):
        """Names the depth, the policy and the fault."""
        found = explain("on-shell", call("h", "dropped", mode="async"))
        assert "1,024 events" in found.why
        assert "(h, on-shell, queue-overflow)" in found.written[0]

    def test_abandoned(self):
        """The fault stands under drain."""
        found = explain("drain", call("h", "abandoned", mode="async"), phase="control")
        assert "(h, drain, timeout)" in found.written[-1]

    def test_result_of_an_earlier_event(self):
        """The event is the call's own, and no decision."""
        late = call("h", "deny", Disposition.FAULT, mode="async", event="on-tool-call")
        found = explain("on-shell", late, phase="decide")
        assert found.happened.startswith("h returned deny from on-tool-call")


def test_superseded__second_value__names_the_first_hook():
    """First wins, the second goes without a word."""
    first = call("a", "reopen-task", Disposition.HONORED, payload="x")
    second = call("b", "reopen-task", Disposition.SUPERSEDED, payload="y")
    found = explain_call(P3, record(1, "on-task-end", first, second), second)
    assert found.happened == "b returned reopen-task after a, and the value was dropped."
    assert found.written == (NOTHING_WRITTEN,)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_explain_call__every_combination__gives_sentences(profile):
    """No event, arm, disposition, phase or mode falls through; every sentence ends."""
    results = (*profile.contract.arms, "error", "absent", "queued", "dropped", "abandoned")
    for event, result, disposition, phase, mode in itertools.product(
        EVENTS, results, Disposition, ("observe", "decide"), ("blocking", "async")
    ):
        if disposition is Disposition.HONORED and result not in profile.contract.arms[1:]:
            continue
        found = call("h", result, disposition, mode=mode, payload=[], reason="r.")
        explanation = explain_call(profile, record(1, event, found, phase=phase), found)
        assert explanation.happened.endswith(".")
        assert "h" in explanation.happened.rstrip(".").split()
        assert explanation.why.endswith(".")
        assert explanation.written
