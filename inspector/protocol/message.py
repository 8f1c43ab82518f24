"""Requests, replies and events between a front and the engine.

Lives here: every message as a frozen tagged struct, and `PROTOCOL_VERSION`. Not here:
bytes (frame). Rooms above may import it.

A request has an id and gets exactly one reply with that id. Everything that changes
what a front shows travels as an event with a running number, so that a recording of
events replays through the same reducer as a live engine.
"""

from typing import Any

import msgspec

from inspector.contract.record import StepRecord
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.inspection import Inspection

PROTOCOL_VERSION = 2
"""Exact match is required; front and engine come from one installation."""

MAX_MEMORY_READ_BYTES = 65536
"""So much of a linear memory is copied at once at most."""


class SessionSettings(msgspec.Struct, frozen=True):
    """What a session is made with; None takes the capsule's own value.

    Attributes:
        session_id: `ses_` id; None makes a fresh one.
        model: Model name in the session context.
        capabilities: Category names in the session context.
        env: Name of a variable setting (`otel-endpoint`, ...) to its value.
        inference: None (no driver), {"reply": text}, {"error": text} or {"driver": true}.
        conversation: Context id to stored messages, written to the private record.
        held: Whether async workers wait for pump or drain.
        lenient_imports: Whether unknown imports become traps.
        workdir: The accessible folder, as `--workdir`, or None for a fresh one.
        home: The murmur home, or None for the private one.
    """

    session_id: str | None = None
    model: str | None = None
    capabilities: tuple[str, ...] | None = None
    env: dict[str, str] = {}
    inference: dict[str, Any] | None = None
    conversation: dict[str, list[Any]] = {}
    held: bool = False
    lenient_imports: bool = False
    workdir: str | None = None
    home: str | None = None


# -- actions: what one step asks of the dispatcher ---------------------------------


class Observe(msgspec.Struct, frozen=True, tag="observe"):
    """Dispatch an event after the fact; on-stage runs staging.

    Attributes:
        event: A lifecycle function.
        fields: The whole record in JSON form; missing fields take defaults.
    """

    event: str
    fields: dict[str, Any] = {}


class Decide(msgspec.Struct, frozen=True, tag="decide"):
    """Ask whether a call may run; `event` is on-shell or on-tool-call."""

    event: str
    fields: dict[str, Any] = {}


class BeginTask(msgspec.Struct, frozen=True, tag="begin-task"):
    """Open a task attempt; `as_given` None means the original text."""

    original: str
    as_given: str | None = None


class TaskOutput(msgspec.Struct, frozen=True, tag="task-output"):
    """Record the task's output text."""

    text: str


class EndTask(msgspec.Struct, frozen=True, tag="end-task"):
    """Close the task."""


class Drain(msgspec.Struct, frozen=True, tag="drain"):
    """Drain the async queues; None is the runtime's 15 s budget."""

    budget_ms: int | None = None


class Pump(msgspec.Struct, frozen=True, tag="pump"):
    """Let held workers run until their queues are empty."""


class ResetHook(msgspec.Struct, frozen=True, tag="reset"):
    """Give one hook a fresh instance."""

    hook: str


Action = Observe | Decide | BeginTask | TaskOutput | EndTask | Drain | Pump | ResetHook


# -- requests -----------------------------------------------------------------------


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first request; the engine refuses any other version."""

    protocol: int


class OpenCapsule(msgspec.Struct, frozen=True, tag="open"):
    """Open a capsule, compile its hooks and describe it; ends a running session."""

    path: str
    profile: str
    home: str | None = None
    lenient_imports: bool = False


class StartSession(msgspec.Struct, frozen=True, tag="start"):
    """Instantiate the accepted hooks of the open capsule; replaces a running session."""

    settings: SessionSettings = SessionSettings()


class Fire(msgspec.Struct, frozen=True, tag="fire"):
    """Run one action; `times` rounds of it give one StepFinished each."""

    step: int
    action: Action


class SetHeld(msgspec.Struct, frozen=True, tag="set-held"):
    """Hold the async workers, or let them go."""

    held: bool


class ReadMemory(msgspec.Struct, frozen=True, tag="read-memory"):
    """Copy a piece of a hook's linear memory; answered by a MemoryRead event.

    Attributes:
        hook: A hook of the session.
        memory: Index of the memory, 0 for the first.
        offset: First byte.
        length: At most MAX_MEMORY_READ_BYTES.
    """

    hook: str
    memory: int = 0
    offset: int = 0
    length: int = 4096


class Interrupt(msgspec.Struct, frozen=True, tag="interrupt"):
    """Interrupt the running call; acted on by the reader thread, at once."""


class Shutdown(msgspec.Struct, frozen=True, tag="shutdown"):
    """Close stores and end the process."""


Request = Hello | OpenCapsule | StartSession | Fire | SetHeld | ReadMemory | Interrupt | Shutdown


# -- replies ------------------------------------------------------------------------


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The request was carried out; what it changed came as events before."""


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The request could not be carried out; fields as in errors.InspectorError."""

    kind: str
    message: str
    hint: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None

    def as_error(self) -> InspectorError:
        """The error that the engine met; a kind that we do not know is `internal`."""
        known = {kind.value for kind in ErrorKind}
        return InspectorError(
            ErrorKind(self.kind) if self.kind in known else ErrorKind.INTERNAL,
            self.message,
            hint=self.hint,
            file=self.file,
            line=self.line,
            column=self.column,
        )


Reply = Done | Failed


# -- events -------------------------------------------------------------------------


class EngineReady(msgspec.Struct, frozen=True, tag="engine-ready"):
    """The engine answers.

    Attributes:
        pid: Its process id.
        versions: Component name to version, for bug reports.
    """

    pid: int
    versions: dict[str, str]


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """How far a long job is.

    Attributes:
        job: E.g. `open`.
        fraction: 0.0 to 1.0, or None when unknown.
        text: What is being done, for people.
    """

    job: str
    fraction: float | None
    text: str


class CapsuleOpened(msgspec.Struct, frozen=True, tag="capsule-opened"):
    """The capsule's description; replaces an earlier one."""

    inspection: Inspection
    manifest_text: str | None = None


class SessionStarted(msgspec.Struct, frozen=True, tag="session-started"):
    """A fresh session; totals and logs start anew.

    Attributes:
        session_id: The id in the session context.
        workdir: Session folder (logs, tools), absolute.
        accessible_dir: Folder that scopes hang under, absolute.
        home: The murmur home in use, absolute.
        context: The session context that on-session-start gets by default.
        shell_allow: Default of on-stage.
        gates_calls: Whether some hook is asked at decision points.
    """

    session_id: str
    workdir: str
    accessible_dir: str
    home: str
    context: dict[str, Any]
    shell_allow: tuple[str, ...]
    gates_calls: bool


class HookState(msgspec.Struct, frozen=True, tag="hook-state"):
    """The live state of one hook.

    Attributes:
        hook: Its name.
        state: `ready`, `compiling`, `trapped`, `rejected`, `held` or `running`.
        detail: One sentence, or "".
        memory_bytes: Linear memory now, summed over the hook's memories.
        queue_length: Jobs waiting, for an async hook.
        dropped: Events dropped so far.
        generation: How many times the instance was made anew.
    """

    hook: str
    state: str
    detail: str = ""
    memory_bytes: int = 0
    queue_length: int = 0
    dropped: int = 0
    generation: int = 0


class StepStarted(msgspec.Struct, frozen=True, tag="step-started"):
    """A firing has begun; `fields` is exactly what is sent."""

    step: int
    event: str
    phase: str
    fields: Any = None


class StepFinished(msgspec.Struct, frozen=True, tag="step-finished"):
    """A firing is over."""

    record: StepRecord


class LogAppended(msgspec.Struct, frozen=True, tag="log-appended"):
    """One entry was appended to a log of the session.

    Attributes:
        file: Path below the session folder, e.g. `logs/hook-NAME.log`; `stdout` and
            `stderr` for guest output.
        text: The entry without its last newline.
        hook: The hook it is of, or None.
        step: The firing that caused it, or None.
    """

    file: str
    text: str
    hook: str | None = None
    step: int | None = None


class GrantUse(msgspec.Struct, frozen=True):
    """One line of a hook's grant ledger.

    Attributes:
        kind: `network`, `filesystem`, `state`, `task_io`, `conversation`, `inference`.
        entry: The rule, scope or store as declared; "" for a kind as a whole.
        declared: Whether it is granted.
        observable: Whether uses and refusals can be seen at all.
        uses: Answered calls, sent requests.
        refusals: Calls and requests that were refused.
        last_used_ms: Wall clock of the last use, milliseconds since 1970, or None.
        line: 1-based line of the capsule manifest that declares it, or None.
        suggestion: Manifest lines to add for what was refused, or "".
    """

    kind: str
    entry: str
    declared: bool
    observable: bool
    uses: int = 0
    refusals: int = 0
    last_used_ms: int | None = None
    line: int | None = None
    suggestion: str = ""


class LedgerChanged(msgspec.Struct, frozen=True, tag="ledger-changed"):
    """What one hook was granted, used and refused so far; replaces an earlier one."""

    hook: str
    uses: tuple[GrantUse, ...]


class MemoryRead(msgspec.Struct, frozen=True, tag="memory-read"):
    """A piece of a hook's linear memory, as it was at one moment.

    Attributes:
        hook: Its name.
        memory: Index of the memory.
        offset: Of the first byte of `data`.
        sizes_bytes: Sizes of all memories of the instance.
        data: What lies inside the memory of the piece that was asked for.
    """

    hook: str
    memory: int
    offset: int
    sizes_bytes: tuple[int, ...]
    data: bytes


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """A sentence for the quiet place: `severity` is info, warning or error."""

    severity: str
    message: str


Event = (
    EngineReady
    | Progress
    | CapsuleOpened
    | SessionStarted
    | HookState
    | StepStarted
    | StepFinished
    | LogAppended
    | LedgerChanged
    | MemoryRead
    | Notice
)


# -- the three kinds of frames --------------------------------------------------------


class RequestFrame(msgspec.Struct, frozen=True, tag="request"):
    """A request and its id (1 and up, unique within a connection)."""

    id: int
    body: Request


class ReplyFrame(msgspec.Struct, frozen=True, tag="reply"):
    """The one reply to a request."""

    id: int
    body: Reply


class EventFrame(msgspec.Struct, frozen=True, tag="event"):
    """An event and its running number (1 and up, without gaps)."""

    seq: int
    body: Event


Frame = RequestFrame | ReplyFrame | EventFrame
