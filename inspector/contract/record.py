"""What a dispatch came to: calls, outcome, faults, logs, totals.

Lives here: the public record of a step, field by field as in docs/cli.md; the same
values run through runtime, protocol, command line and window. Not here: how they come
about (runtime). Every room above may import it.
"""

import enum
from typing import Any

import msgspec


class Failure(enum.StrEnum):
    """Why a call gave no answer; one vocabulary in window, JSON and exit codes."""

    GUEST_ERROR = "guest-error"
    TYPE_MISMATCH = "type-mismatch"
    TRAP = "trap"
    DEADLINE = "deadline"
    RESOURCE_LIMIT = "resource-limit"
    POISONED = "poisoned"
    ABSENT = "absent"
    REJECTED = "rejected"
    INTERRUPTED = "interrupted"
    ENGINE_LOST = "engine-lost"


class Disposition(enum.StrEnum):
    """What the dispatcher did with an answer."""

    IGNORED = "ignored"
    HONORED = "honored"
    FAULT = "fault"
    ERROR = "error"
    DISCARDED = "discarded"
    SUPERSEDED = "superseded"
    REFUSED = "refused"


RESULT_ERROR = "error"
RESULT_ABSENT = "absent"
RESULT_QUEUED = "queued"
RESULT_DROPPED = "dropped"
RESULT_ABANDONED = "abandoned"
"""Words in `HookCall.result` beside the arms."""

ARM_ERROR = "error"
ARM_QUEUE_OVERFLOW = "queue-overflow"
ARM_TIMEOUT = "timeout"
ARM_SEED_REJECTED = "seed-rejected"
EVENT_DRAIN = "drain"
"""Words in `Fault.arm` and `Fault.event` beside arms and functions (spec/dispatch.md 6)."""


class Fault(msgspec.Struct, frozen=True):
    """One dispatch fault as the runtime writes it to its trace."""

    hook: str
    event: str
    arm: str


class HookCall(msgspec.Struct, frozen=True):
    """One hook's part in a step.

    Attributes:
        hook: The hook's name.
        mode: `blocking` or `async`.
        result: `none`, an arm, `error`, `absent`, `queued`, `dropped` or `abandoned`.
        disposition: What became of it.
        payload: The arm's payload in JSON form, or None.
        error: The runtime's text of the error, or None.
        failure: Word of the failure class, or None.
        duration_us: Wall time of the call; 0 when the hook was not entered.
        stdout: What the guest wrote to stdout during the call.
        stderr: The same for stderr.
        event: The event of the call when it is not the step's own (async results that
            arrive later), else None.
        detail: The engine's whole text of a trap, with causes, or None.
        reason: The reason given to the caller when the call was refused, or None.
        cut_bytes: Bytes of stdout and stderr that were not kept.
        marks: Help that the runtime does not give and that touched this call.
        count: How many calls this entry stands for.
        host_us: Part of `duration_us` that host functions of ours took.
    """

    hook: str
    mode: str
    result: str
    disposition: Disposition
    payload: Any = None
    error: str | None = None
    failure: Failure | None = None
    duration_us: int = 0
    stdout: str = ""
    stderr: str = ""
    event: str | None = None
    detail: str | None = None
    reason: str | None = None
    cut_bytes: int = 0
    marks: tuple[str, ...] = ()
    count: int = 1
    host_us: int = 0


class Artifact(msgspec.Struct, frozen=True):
    """An artifact and the hook that gave it."""

    hook: str
    payload: str


class Seed(msgspec.Struct, frozen=True):
    """Messages proposed at a task's start, in JSON form."""

    hook: str
    messages: tuple[Any, ...]


class Reopen(msgspec.Struct, frozen=True):
    """A request to run the task once more."""

    hook: str
    reason: str


class Decision(msgspec.Struct, frozen=True):
    """The answer to a decision: `proceed`, or `denied` with hook and reason."""

    verdict: str
    hook: str | None = None
    reason: str | None = None


class ManifestFile(msgspec.Struct, frozen=True):
    """A tool manifest that on-stage wrote; `path` is relative to the session folder."""

    binary: str
    path: str


class Outcome(msgspec.Struct, frozen=True):
    """What the caller of the dispatcher gets."""

    artifacts: tuple[Artifact, ...] = ()
    replacement: tuple[Any, ...] | None = None
    compaction_error: str | None = None
    seed: Seed | None = None
    reopen: Reopen | None = None
    decision: Decision | None = None
    manifests: tuple[ManifestFile, ...] = ()


class LogEntry(msgspec.Struct, frozen=True):
    """One entry that the runtime appended to a log; `file` is below the session folder."""

    file: str
    text: str


class HttpRequest(msgspec.Struct, frozen=True):
    """One outgoing request of a hook, sent or refused.

    Attributes:
        hook: The hook's name.
        method: E.g. `GET`.
        url: Scheme, authority and path as the hook gave them.
        allowed: Whether it was handed to the network.
        rule: Entry of the rule that allowed it, or of the nearest one that did not; None
            when no rule names the host.
        status: Status code of the response, or None where it is not seen.
        duration_us: How long it took to hand it over or refuse it.
        explanation: Why it was refused, in one sentence; "" when it was allowed.
    """

    hook: str
    method: str
    url: str
    allowed: bool
    rule: str | None
    status: int | None
    duration_us: int = 0
    explanation: str = ""


class InferenceCall(msgspec.Struct, frozen=True):
    """One completion that a hook asked for.

    Attributes:
        hook: The hook's name.
        model: As sent.
        input_tokens: The host's count of the request.
        output_tokens: The host's count of the answer; 0 for a failure.
        decision: `end_turn` or `error`.
        duration_us: Wall time of the driver.
        scripted: Whether a script of ours answered.
        error: What the hook got as err, or None.

    Source: spec/imports.md 2.4.
    """

    hook: str
    model: str
    input_tokens: int
    output_tokens: int
    decision: str
    duration_us: int
    scripted: bool = False
    error: str | None = None


class Totals(msgspec.Struct, frozen=True):
    """The dispatcher's running sums (spec/dispatch.md 4)."""

    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tool_calls: int = 0
    shell_calls: int = 0


class Expectation(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether an `expect` step held; the last three only when it did not."""

    ok: bool
    path: str | None = None
    wanted: Any = None
    got: Any = None


class StepRecord(msgspec.Struct, frozen=True):
    """Everything that one step came to; one line of `run --format jsonl`.

    Attributes:
        step: 1-based number in the scenario, or of the firing in a session.
        event: A lifecycle function, or the name of a control step.
        phase: `observe`, `decide`, `stage`, `task` or `control`.
        times: How many rounds this record sums up.
        fields: The event's record as it was sent, in JSON form, or None.
        started_ms: Wall clock at the start, milliseconds since 1970.
        duration_us: Wall time of the whole dispatch.
        findings: What the inspector did not do although the runtime would, in sentences.
        inferences: Completions that hooks asked for, in call order.
    """

    step: int
    event: str
    phase: str
    times: int = 1
    calls: tuple[HookCall, ...] = ()
    outcome: Outcome = Outcome()
    faults: tuple[Fault, ...] = ()
    logs: tuple[LogEntry, ...] = ()
    requests: tuple[HttpRequest, ...] = ()
    totals: Totals = Totals()
    expectation: Expectation | None = None
    fields: Any = None
    started_ms: int = 0
    duration_us: int = 0
    findings: tuple[str, ...] = ()
    inferences: tuple[InferenceCall, ...] = ()
