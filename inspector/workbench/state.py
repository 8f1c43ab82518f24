"""Everything the window shows, as one frozen value.

Lives here: `State` and its parts, and the local events that no engine sends. Not here:
how an event changes it (workbench.reducer), sentences about it (workbench.explanation).
Rooms above may import it.
"""

import enum
from collections.abc import Mapping
from typing import Any

import msgspec

from inspector.contract.contract import EVENTS as EVENTS
from inspector.contract.profile import DEFAULT_PROFILE
from inspector.contract.record import Expectation, Totals
from inspector.contract.record import HookCall as HookCall
from inspector.contract.record import StepRecord as StepRecord
from inspector.manifest.diagnostic import Diagnostic as Diagnostic
from inspector.protocol.inspection import EventView as EventView
from inspector.protocol.inspection import HookView as HookView
from inspector.protocol.inspection import Inspection as Inspection
from inspector.protocol.message import Action as Action
from inspector.protocol.message import Failed, LedgerChanged, MemoryRead, Progress, SessionStarted
from inspector.protocol.message import HookState as HookState
from inspector.protocol.message import ResetHook as ResetHook
from inspector.workbench.history import Series

FAULTS_FILE = "faults"
STDOUT_FILE = "stdout"
STDERR_FILE = "stderr"
"""Words in `LogLine.file` beside paths below the session folder."""


class EngineStatus(enum.StrEnum):
    """Where the engine process stands."""

    ABSENT = "absent"
    STARTING = "starting"
    READY = "ready"
    LOST = "lost"
    STOPPED = "stopped"


class Engine(msgspec.Struct, frozen=True):
    """The engine process as the window knows it.

    Attributes:
        status: See EngineStatus.
        pid: Its process id, 0 before it answered.
        versions: Component name to version.
        sentence: How the last one ended, or "".
        detail: The tail of what it wrote to stderr, or "".
    """

    status: EngineStatus = EngineStatus.ABSENT
    pid: int = 0
    versions: Mapping[str, str] = {}
    sentence: str = ""
    detail: str = ""


class FiringStatus(enum.StrEnum):
    """Whether a firing is over."""

    RUNNING = "running"
    FINISHED = "finished"
    LOST = "lost"
    REFUSED = "not run"


class Firing(msgspec.Struct, frozen=True):
    """One action and what became of it.

    Attributes:
        step: Its number, unique within a window.
        event: A lifecycle function, or the word of a control action.
        phase: As in StepRecord.
        status: See FiringStatus.
        session: Ordinal of the session it ran in.
        action: What was asked, for firing it again; None for a replayed one.
        fields: Exactly what was sent, or None.
        record: What it came to, once finished.
        note: Why it did not run or finish, or "".
        label: Which one of a batch it is, or "".
    """

    step: int
    event: str
    phase: str
    status: FiringStatus
    session: int
    action: Action | None = None
    fields: Any = None
    record: StepRecord | None = None
    note: str = ""
    label: str = ""


class Mark(msgspec.Struct, frozen=True):
    """A line across the timeline: a fresh session, or the end of an engine.

    Attributes:
        text: What it says.
        session: Ordinal of the session that begins or ended.
        severity: `info`, or `error` for an engine that was lost.
        started: The session that begins, or None.
        inspection: The capsule of that session, or None.
        ended: How an engine ended, or None.
    """

    text: str
    session: int
    severity: str = "info"
    started: SessionStarted | None = None
    inspection: Inspection | None = None
    ended: "EngineEnded | None" = None


TimelineItem = Firing | Mark


class History(msgspec.Struct, frozen=True):
    """Firings and marks.

    Attributes:
        items: In the order in which they began.
        weight_bytes: Rough size of what the items hold.
        dropped: Items that went to keep within bounds.
    """

    items: Series[TimelineItem] = Series()
    weight_bytes: int = 0
    dropped: int = 0


class LogLine(msgspec.Struct, frozen=True):
    """One line of a log.

    Attributes:
        file: Path below the session folder, or `stdout`, `stderr`, `faults`.
        text: The line, without its end.
        hook: The hook it is of, or None.
        step: The firing that caused it, or None.
        part: Its place in its entry, 0 for the first line.
        more: Lines of the entry that follow it.
    """

    file: str
    text: str
    hook: str | None = None
    step: int | None = None
    part: int = 0
    more: int = 0


class LogBook(msgspec.Struct, frozen=True):
    """Every log line of the window.

    Attributes:
        lines: In order of arrival.
        counts: Lines by file, in order of first appearance.
        weight_bytes: Characters held.
        dropped: Lines that went to keep within bounds.
    """

    lines: Series[LogLine] = Series()
    counts: Mapping[str, int] = {}
    weight_bytes: int = 0
    dropped: int = 0


class RowNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the user keeps about a firing; outlives sessions and engines.

    Attributes:
        step: The firing's number.
        is_marked: Whether it is marked.
        text: A note, or "".
    """

    step: int
    is_marked: bool = False
    text: str = ""


class Session(msgspec.Struct, frozen=True):
    """The running session.

    Attributes:
        number: Ordinal within the window, 1 and up.
        started: What the engine said about it.
        held: Whether its async workers are held.
    """

    number: int
    started: SessionStarted
    held: bool = False


class Counts(msgspec.Struct, frozen=True):
    """Sums over the window's life for the status bar."""

    fired: int = 0
    faults: int = 0
    errors: int = 0
    denied: int = 0


class Remark(msgspec.Struct, frozen=True):
    """A sentence for the quiet place; `number` tells equal ones apart."""

    number: int
    severity: str
    message: str


class State(msgspec.Struct, frozen=True, eq=False):
    """The whole window.

    Attributes:
        engine: See Engine.
        path: The capsule that was asked for, or None.
        profile: Name of the profile in force.
        opening: Whether an open request is under way.
        progress: How far a long job is, or None.
        inspection: The opened capsule, or None.
        manifest_text: Its manifest, or None.
        open_error: Why the last open failed, or None.
        session: The running session, or None.
        hooks: Live state by hook name.
        ledgers: Use of grants by hook name.
        memory: The piece of linear memory read last, or None.
        history: Firings and marks.
        logs: Log lines.
        counts: Sums for the status bar.
        totals: The dispatcher's sums.
        endings: How the last firing of each event ended (role word of its verdict).
        remarks: The last sentences, oldest first.
        last_step: The number given out last.
        running: Numbers of the firings under way.
        interrupting: Whether a stop was asked for and has not had effect.
        notes: What the user keeps about firings, by number; marked last comes last.
        recording: Path of the recording that is shown instead of a live engine, or None.
    """

    engine: Engine = Engine()
    path: str | None = None
    profile: str = DEFAULT_PROFILE
    opening: bool = False
    progress: Progress | None = None
    inspection: Inspection | None = None
    manifest_text: str | None = None
    open_error: Failed | None = None
    session: Session | None = None
    hooks: Mapping[str, HookState] = {}
    ledgers: Mapping[str, LedgerChanged] = {}
    memory: MemoryRead | None = None
    history: History = History()
    logs: LogBook = LogBook()
    counts: Counts = Counts()
    totals: Totals = Totals()
    endings: Mapping[str, str] = {}
    remarks: tuple[Remark, ...] = ()
    last_step: int = 0
    running: tuple[int, ...] = ()
    interrupting: bool = False
    notes: Mapping[int, RowNote] = {}
    recording: str | None = None

    def hook(self, name: str) -> HookView | None:
        """The description of a hook by name."""
        hooks = self.inspection.hooks if self.inspection else ()
        return next((hook for hook in hooks if hook.name == name), None)

    def item(self, index: int) -> TimelineItem | None:
        """The timeline item at an absolute index, or None when it went."""
        items = self.history.items
        return items[index] if items.first <= index < items.end else None


# -- local events: what happens on this side of the protocol ------------------------


class EngineStarting(msgspec.Struct, frozen=True):
    """A fresh engine process is being started."""


class EngineEnded(msgspec.Struct, frozen=True):
    """The engine process is gone.

    Attributes:
        wanted: Whether we had asked it to go.
        sentence: How it ended, for people.
        detail: The tail of its stderr.
    """

    wanted: bool
    sentence: str
    detail: str = ""


class ProfileChosen(msgspec.Struct, frozen=True):
    """Another runtime profile is to judge, before a capsule is open."""

    profile: str


class OpenAsked(msgspec.Struct, frozen=True):
    """A capsule was asked for."""

    path: str
    profile: str


class OpenDone(msgspec.Struct, frozen=True):
    """The open request was answered; `failed` is None when it went well."""

    failed: Failed | None = None


class FireAsked(msgspec.Struct, frozen=True):
    """An action was sent under a number; `label` tells which one of a batch it is."""

    step: int
    action: Action
    label: str = ""


class FireFailed(msgspec.Struct, frozen=True):
    """The engine refused to run an action."""

    step: int
    failed: Failed


class HeldChanged(msgspec.Struct, frozen=True):
    """The engine took a new setting of the held workers."""

    held: bool


class InterruptAsked(msgspec.Struct, frozen=True):
    """A stop was asked for."""


class NoteTaken(msgspec.Struct, frozen=True):
    """The user marked a firing or wrote a note; an empty note goes."""

    note: RowNote


class StepJudged(msgspec.Struct, frozen=True):
    """An expectation about a finished firing was looked at."""

    step: int
    expectation: Expectation


class RemarkMade(msgspec.Struct, frozen=True):
    """A sentence of our own for the quiet place."""

    severity: str
    message: str


LocalEvent = (
    EngineStarting
    | EngineEnded
    | ProfileChosen
    | OpenAsked
    | OpenDone
    | FireAsked
    | FireFailed
    | HeldChanged
    | InterruptAsked
    | NoteTaken
    | RemarkMade
    | StepJudged
)
