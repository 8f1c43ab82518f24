"""What happened, why, and what the runtime writes where: three sentences.

Lives here: pure sentences about a call and about a whole step, made from the contract's
rules and the record. Not here: marks and words (workbench.verdict), layout (gui). Rooms
above may import it.
"""

from collections.abc import Callable

import msgspec

from inspector.contract.contract import Contract, Phase
from inspector.contract.profile import AsyncPolicy, Profile, UnhonoredPolicy
from inspector.contract.record import (
    ARM_ERROR,
    ARM_QUEUE_OVERFLOW,
    ARM_TIMEOUT,
    EVENT_DRAIN,
    RESULT_ABANDONED,
    RESULT_ABSENT,
    RESULT_DROPPED,
    RESULT_QUEUED,
    Disposition,
    Failure,
    HookCall,
    StepRecord,
)
from inspector.workbench.failure_text import FAILURE_WHAT, FAILURE_WHY
from inspector.workbench.formatting import count_text

NOTHING_WRITTEN = "The runtime writes nothing."
QUEUE_DEPTH = 1024
"""Jobs that fit into the queue of an async hook (spec/dispatch.md 9)."""


class Explanation(msgspec.Struct, frozen=True):
    """Three answers about a result.

    Attributes:
        happened: What happened, in one sentence.
        why: The rule behind it, with the event that would honor the arm.
        written: What the runtime writes, one sentence or place per entry.
    """

    happened: str
    why: str
    written: tuple[str, ...] = (NOTHING_WRITTEN,)


class _Case(msgspec.Struct, frozen=True):
    """A call with all that its sentences depend on."""

    profile: Profile
    record: StepRecord
    call: HookCall

    @property
    def contract(self) -> Contract:
        return self.profile.contract

    @property
    def hook(self) -> str:
        return self.call.hook

    @property
    def event(self) -> str:
        return self.call.event or self.record.event

    @property
    def arm(self) -> str:
        return self.call.result

    @property
    def is_async(self) -> bool:
        return self.call.mode == "async"

    @property
    def is_decision(self) -> bool:
        return self.record.phase == "decide" and self.call.event is None

    @property
    def is_stage(self) -> bool:
        return self.event == "on-stage"

    @property
    def honored(self) -> str | None:
        phase = Phase.DECIDE if self.is_decision else Phase.OBSERVE
        return self.contract.honored_arm(self.event, phase)

    @property
    def log_file(self) -> str:
        return f"logs/hook-{self.hook}.log"


def explain_call(profile: Profile, record: StepRecord, call: HookCall) -> Explanation:
    """Explain one hook's part in a step.

    Args:
        profile: The profile it ran under.
        record: The step.
        call: One of its calls.

    Returns:
        Sentences for people.

    Source: spec/dispatch.md 4 to 9, spec/contract.md 5 and 8.
    """
    case = _Case(profile, record, call)
    special = _BY_RESULT.get(call.result)
    if special is not None and call.disposition is not Disposition.REFUSED:
        return special(case)
    return _BY_DISPOSITION[call.disposition](case)


# -- where arms are honored ------------------------------------------------------------


def honored_places(contract: Contract, arm: str) -> str:
    """Where an arm is honored, in words.

    Args:
        contract: The contract in force.
        arm: An arm besides `none`.

    Returns:
        E.g. `artifact is honored at on-inference`.
    """
    places = [
        f"the decision point of {event}" if phase is Phase.DECIDE else event
        for event, phase in contract.honoring_events(arm)
    ]
    if not places:
        return f"no event of lifecycle@{contract.version} honors {arm}"
    return f"{arm} is honored at {_joined(places)}"


def event_rule(contract: Contract, event: str, phase: Phase) -> str:
    """What an event honors in a phase, in words."""
    arm = contract.honored_arm(event, phase)
    answer = f"{arm} and none" if arm else "nothing but none"
    if phase is Phase.DECIDE:
        return f"the decision point of {event} takes {answer}"
    return f"{event} honors {answer}"


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _sentence(text: str) -> str:
    """A rule as a sentence; names of events and arms keep their small letter."""
    starts_plain = text.startswith(("the ", "no event "))
    return f"{text[0].upper() if starts_plain else text[0]}{text[1:]}."


# -- calls, by what came back ----------------------------------------------------------


def _ignored(case: _Case) -> Explanation:
    if case.arm not in ("none", RESULT_ABSENT):
        return _silent(case)
    if case.is_decision:
        why = (
            "The call goes on to the next policy hook, and runs when every one of them "
            "answers none."
        )
        return Explanation(f"{case.hook} answered none and lets the call run.", why)
    rule = event_rule(case.contract, case.event, Phase.OBSERVE)
    return Explanation(f"{case.hook} answered none.", _sentence(f"none asks for nothing; {rule}"))


def _absent(case: _Case) -> Explanation:
    if case.is_stage:
        return Explanation(
            f"{case.hook} does not export on-stage.",
            "A blocking hook that is bound to on-stage or to all events is staged; without "
            "the function the runtime notes it and goes on.",
            _log_lines(case),
        )
    return Explanation(
        f"{case.hook} does not export {case.event}.",
        f"{case.event} is optional under lifecycle@{case.contract.version}: a hook without "
        "it is skipped.",
    )


def _silent(case: _Case) -> Explanation:
    return Explanation(
        f"{case.hook} returned {case.arm} from {case.event}, and the value was dropped.",
        f"Runtime {case.profile.runtime} drops an arm that the event does not honor without "
        f"a word; {honored_places(case.contract, case.arm)}.",
    )


_HONORED_WHAT: dict[str, Callable[[_Case], str]] = {
    "artifact": lambda case: f"{case.hook} gave an artifact, and it was collected.",
    "replace-context": lambda case: (
        f"{case.hook} replaced the context with {_messages(case.call.payload)}."
    ),
    "seed-context": lambda case: (
        f"{case.hook} proposed {_messages(case.call.payload)} as the task's first context."
    ),
    "write-manifests": lambda case: (
        f"{case.hook} wrote {_counted(case.call.payload, 'tool manifest')}."
    ),
    "reopen-task": lambda case: f"{case.hook} asked to run the task once more.",
    "deny": lambda case: f"{case.hook} denied the call: {case.call.reason or case.call.payload}",
}

_HONORED_WRITES = {
    "artifact": "The caller gets the text with the hook's name; the dispatcher does not check "
    "that it is a JSON object.",
    "replace-context": "The runtime puts the list in place of the messages it sent: every "
    "message gets a fresh id, and a tool message survives only with its envelope.",
    "seed-context": "The runtime weighs the list against budget-tokens and puts what fits at "
    "the head of the context; a seed that it refuses becomes the fault seed-rejected.",
    "reopen-task": "The runtime runs the task again while lifecycle.max_task_reopens and "
    "inference.max_turns leave room; else the task ends as reopen_budget_exhausted.",
    "deny": "trace.jsonl gets a call_denied line, and no tool_call or shell line follows; the "
    "hook's log gets nothing.",
}

_FIRST_WINS = ("replace-context", "seed-context", "reopen-task")


def _honored(case: _Case) -> Explanation:
    what = _HONORED_WHAT[case.arm](case)
    if case.is_decision:
        why = (
            "The first policy hook that does not answer a clean none ends the question; "
            "later ones are not asked."
        )
        return Explanation(what, why, (_HONORED_WRITES["deny"],))
    rule = event_rule(case.contract, case.event, Phase.OBSERVE)
    if case.arm in _FIRST_WINS:
        rule += "; the first hook's value wins"
    elif case.arm == "artifact":
        rule += "; every hook's artifact is kept, in the order of the hooks"
    return Explanation(what, _sentence(rule), _honored_writes(case))


def _honored_writes(case: _Case) -> tuple[str, ...]:
    if case.arm != "write-manifests":
        return (_HONORED_WRITES[case.arm],)
    written = [f"{file.path} in the session folder." for file in case.record.outcome.manifests]
    if len(written) > 4:
        written[3:] = [f"And {count_text(len(written) - 3, 'file')} more."]
    return (*written, *_real_lines(case)) or (NOTHING_WRITTEN,)


def _superseded(case: _Case) -> Explanation:
    first = next(
        (
            call.hook
            for call in case.record.calls
            if call.result == case.arm and call.disposition is Disposition.HONORED
        ),
        "an earlier hook",
    )
    return Explanation(
        f"{case.hook} returned {case.arm} after {first}, and the value was dropped.",
        f"{case.event} keeps the first hook's {case.arm}; later ones go without a word.",
    )


def _discarded(case: _Case) -> Explanation:
    if not case.is_async:
        return _silent(case)
    return Explanation(
        f"{case.hook} returned {case.arm}, and the value was discarded.",
        "The dispatcher does not wait for an async hook, so nothing that it returns is "
        f"applied; from a blocking hook {honored_places(case.contract, case.arm)}.",
    )


def _fault(case: _Case) -> Explanation:
    phase = Phase.DECIDE if case.is_decision else Phase.OBSERVE
    rule = event_rule(case.contract, case.event, phase)
    decide = case.contract.honored_arm(case.event, Phase.DECIDE)
    if phase is Phase.OBSERVE and decide is not None and case.arm == decide:
        rule += " once the call has run"
    why = _sentence(f"{rule}; {honored_places(case.contract, case.arm)}")
    return Explanation(
        f"{case.hook} returned {case.arm} from {case.event}, and the value was discarded.",
        why,
        (*_log_lines(case), *_fault_line(case, case.arm)),
    )


def _error(case: _Case) -> Explanation:
    failure = case.call.failure or Failure.TRAP
    error = case.call.error or ""
    what = FAILURE_WHAT[failure].format(hook=case.hook, event=case.event, error=error)
    why = FAILURE_WHY[failure]
    if case.is_async and case.profile.async_policy is AsyncPolicy.DETACHED:
        return Explanation(what, f"{why} Nobody waits for it.", _log_lines(case))
    if case.is_async:
        return Explanation(what, why, (*_log_lines(case), *_fault_line(case, ARM_ERROR)))
    why += f" {_blocking_error(case)}"
    return Explanation(what, why, _log_lines(case))


def _blocking_error(case: _Case) -> str:
    if case.event == "on-compaction" and case.profile.compaction_errors_surface:
        return (
            "The first error of a compaction is its answer, even when another hook offers a "
            "replacement."
        )
    return "A blocking hook's error is no fault and does not stop the hooks after it."


def _refused(case: _Case) -> Explanation:
    reason = case.call.reason or case.call.error or "no reason was given"
    what = f"{case.hook} refused the call: {reason}"
    if case.arm == RESULT_ABSENT:
        return Explanation(
            what,
            f"A policy hook has to export the function that it gates; without {case.event} it "
            "fails closed.",
            (_HONORED_WRITES["deny"],),
        )
    if case.call.failure is not None:
        why = (
            "A policy hook that gives no answer fails closed. "
            f"{FAILURE_WHY[case.call.failure]} An error at a decision point is no fault."
        )
        return Explanation(what, why, (*_log_lines(case), _HONORED_WRITES["deny"]))
    if case.arm == "deny":
        why = "deny is honored here, and a blank reason is replaced by the runtime's own."
        return Explanation(what, why, (_HONORED_WRITES["deny"],))
    rule = event_rule(case.contract, case.event, Phase.DECIDE)
    why = _sentence(f"{rule}; {honored_places(case.contract, case.arm)}")
    written = (*_log_lines(case), *_fault_line(case, case.arm), _HONORED_WRITES["deny"])
    return Explanation(what, f"{why} Anything else fails closed.", written)


def _queued(case: _Case) -> Explanation:
    return Explanation(
        f"{case.event} waits in the queue of {case.hook}.",
        "The dispatcher puts the event into an async hook's queue and goes on; its worker "
        "takes one after the other, and its result is shown with the step in which it ends.",
    )


def _dropped(case: _Case) -> Explanation:
    return Explanation(
        f"{case.hook} never sees this {case.event}: its queue was full.",
        f"The queue holds {QUEUE_DEPTH:,} events, and the capsule lets this hook drop what "
        "does not fit (on_overflow: drop); block would have made the dispatcher wait.",
        (
            *_fault_line(case, ARM_QUEUE_OVERFLOW),
            f"{case.log_file} gets the sum of dropped events when the queues are drained.",
        ),
    )


def _abandoned(case: _Case) -> Explanation:
    return Explanation(
        f"{case.hook} did not get through its queue in time; the rest was abandoned.",
        "At the session's end all async hooks share one drain budget, 15 s in the runtime.",
        (*_log_lines(case), *_fault_line(case, ARM_TIMEOUT, EVENT_DRAIN)),
    )


_BY_RESULT: dict[str, Callable[[_Case], Explanation]] = {
    RESULT_QUEUED: _queued,
    RESULT_DROPPED: _dropped,
    RESULT_ABANDONED: _abandoned,
    RESULT_ABSENT: _absent,
}

_BY_DISPOSITION: dict[Disposition, Callable[[_Case], Explanation]] = {
    Disposition.IGNORED: _ignored,
    Disposition.HONORED: _honored,
    Disposition.FAULT: _fault,
    Disposition.ERROR: _error,
    Disposition.DISCARDED: _discarded,
    Disposition.SUPERSEDED: _superseded,
    Disposition.REFUSED: _refused,
}


# -- what is written -------------------------------------------------------------------


def _real_lines(case: _Case) -> tuple[str, ...]:
    found = [entry.text for entry in case.record.logs if entry.file == case.log_file]
    return tuple(f"{case.log_file}: {text}" for text in found)


def _log_lines(case: _Case) -> tuple[str, ...]:
    """The hook's log lines of the step, as they were written."""
    return _real_lines(case) or (f"{case.log_file} gets the text of the error.",)


def _fault_line(case: _Case, arm: str, event: str | None = None) -> tuple[str, ...]:
    """The trace line of a fault; staging and silent runtimes have none."""
    if case.is_stage or case.profile.unhonored is UnhonoredPolicy.SILENT:
        return ()
    place = event or case.event
    return (
        f"trace.jsonl gets hook_dispatch_error ({case.hook}, {place}, {arm}), just before "
        "session_end.",
    )


def _messages(payload: object) -> str:
    return _counted(payload, "message")


def _counted(payload: object, noun: str) -> str:
    return count_text(len(payload) if isinstance(payload, list | tuple) else 0, noun)
