"""What a whole step came to, in the same three sentences as a call.

Lives here: pure sentences about a step and about a firing that did not end. Not here:
sentences about one call (workbench.explanation). Rooms above may import it.
"""

from collections import Counter

from inspector.contract.profile import Profile
from inspector.contract.record import StepRecord
from inspector.workbench import verdict
from inspector.workbench.explanation import NOTHING_WRITTEN, Explanation
from inspector.workbench.formatting import count_text
from inspector.workbench.state import Firing, FiringStatus

_CONTROL = {
    "begin-task": (
        "A task attempt is open.",
        "From here to the end of the task, hooks with the task_io grant read its texts; the "
        "output of an earlier attempt is gone.",
    ),
    "task-output": (
        "The task's output was recorded.",
        "Hooks with the task_io grant read it until the next attempt begins or the task ends.",
    ),
    "end-task": (
        "The task is closed.",
        "Hooks with the task_io grant now read no-task.",
    ),
    "pump": (
        "The held workers ran until their queues were empty.",
        "Workers are held only in the inspector, to let a queue fill.",
    ),
    "reset": (
        "The hook has a fresh instance.",
        "Only the inspector does this; the runtime keeps an instance for the whole session.",
    ),
    "drain": (
        "The async queues were drained.",
        "At the session's end every async hook finishes what is queued, within one shared "
        "budget; afterwards there are no async hooks any more.",
    ),
}


def explain_step(profile: Profile, record: StepRecord) -> Explanation:
    """Explain a step as a whole.

    Args:
        profile: The profile it ran under.
        record: The step.

    Returns:
        Sentences for people.

    Source: spec/dispatch.md 2, 4, 5 and 9.
    """
    if record.event in _CONTROL:
        happened, why = _CONTROL[record.event]
    elif record.phase == "decide":
        happened, why = _decision(profile, record)
    elif not record.calls:
        happened, why = _unreached(record)
    else:
        happened, why = _dispatch(profile, record)
    return Explanation(happened, why, _written(record))


def explain_open_firing(firing: Firing) -> Explanation:
    """Explain a firing without a record: running, lost or refused."""
    match firing.status:
        case FiringStatus.RUNNING:
            return Explanation(
                f"{firing.event} is running.",
                "The dispatcher awaits each blocking hook in turn; Stop interrupts the call.",
                (),
            )
        case FiringStatus.LOST:
            return Explanation(
                f"The engine ended while {firing.event} was running.",
                firing.note,
                ("What the hooks had written before stays in the session folder.",),
            )
        case _:
            return Explanation(f"{firing.event} was not run.", firing.note, ())


def _decision(profile: Profile, record: StepRecord) -> tuple[str, str]:
    decision = record.outcome.decision
    if decision is not None and decision.verdict == "denied":
        return (
            f"The call is denied by {decision.hook}: {decision.reason}",
            "The first policy hook that does not answer a clean none ends the question.",
        )
    if record.calls:
        asked = count_text(len(record.calls), "policy hook")
        return "The call may run.", f"{asked} answered none; there is no arm that permits a call."
    if not profile.has_decisions:
        return "The call may run.", f"Runtime {profile.runtime} puts no call to any hook."
    return (
        "The call may run: no hook was asked.",
        f"Only a blocking hook with binding {record.event} and commit_policy deny is asked; a "
        "hook that is bound to all events never is.",
    )


def _unreached(record: StepRecord) -> tuple[str, str]:
    if record.event == "on-stage":
        return (
            "on-stage reached no hook.",
            "Only blocking hooks are staged, those bound to on-stage or to all events.",
        )
    return (
        f"{record.event} reached no hook.",
        f"No hook of this capsule is bound to {record.event} or to all events.",
    )


def _dispatch(profile: Profile, record: StepRecord) -> tuple[str, str]:
    words: Counter[str] = Counter()
    for call in record.calls:
        words[verdict.of_call(call).word] += call.count
    reached = count_text(sum(words.values()), "hook")
    listed = ", ".join(f"{count} {word}" for word, count in words.items())
    happened = f"{record.event} reached {reached}: {listed}."
    return happened, _effect(profile, record)


def _effect(profile: Profile, record: StepRecord) -> str:
    outcome = record.outcome
    if outcome.compaction_error is not None:
        return f"The compaction fails, and with it the session: {outcome.compaction_error}"
    if outcome.replacement is not None:
        messages = count_text(len(outcome.replacement), "message")
        return f"The context is replaced by {messages}."
    if outcome.seed is not None:
        messages = count_text(len(outcome.seed.messages), "message")
        return f"{outcome.seed.hook} proposes {messages} as the task's first context."
    if outcome.reopen is not None:
        return f"{outcome.reopen.hook} asks to run the task once more: {outcome.reopen.reason}"
    if outcome.artifacts:
        return f"The caller gets {count_text(len(outcome.artifacts), 'artifact')}."
    if outcome.manifests:
        return f"The session folder gets {count_text(len(outcome.manifests), 'tool manifest')}."
    arm = profile.contract.rules.observe.get(record.event)
    if arm is None:
        return f"{record.event} honors nothing but none, so nothing changes for the session."
    return f"No hook's {arm} was taken, so nothing changes for the session."


def _written(record: StepRecord) -> tuple[str, ...]:
    lines: Counter[str] = Counter()
    for entry in record.logs:
        lines[entry.file] += entry.text.count("\n") + 1
    written = [f"{file}: {count_text(count, 'line')}." for file, count in lines.items()]
    if record.faults:
        faults = count_text(len(record.faults), "hook_dispatch_error line")
        written.append(f"trace.jsonl gets {faults}, just before session_end.")
    written += [f"{file.path} in the session folder." for file in record.outcome.manifests[:3]]
    return tuple(written) or (NOTHING_WRITTEN,)
