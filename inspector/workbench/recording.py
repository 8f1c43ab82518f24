"""Recordings of a window: what it shows, written as events, and read back.

Lives here: `write` and `read`, as generators that can run in slices. Not here: the file
that `--record` makes (workbench.record_file; it is read here just as well), showing a
recording (gui). Rooms above may import it.

A recording is a header line and event frames as lines; reading it runs the reducer of a
live engine. What the window knows and no engine says (marks, notes, how an engine was
lost, what a row was asked as) stands in the header.
"""

import collections
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec.structs import replace

from inspector import __version__
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.frame import MAX_FRAME_BYTES, FrameError, decode_line, encode_line
from inspector.protocol.message import (
    Action,
    CapsuleOpened,
    Decide,
    Event,
    EventFrame,
    LogAppended,
    Observe,
    SessionStarted,
    StepFinished,
    StepStarted,
)
from inspector.workbench.record_file import FORMAT
from inspector.workbench.reducer import reduce, reduce_local
from inspector.workbench.state import (
    FAULTS_FILE,
    Engine,
    EngineEnded,
    Firing,
    FiringStatus,
    Inspection,
    LogLine,
    Mark,
    RowNote,
    State,
    TimelineItem,
)

SUFFIX = ".recording.jsonl"
MAX_HEADER_BYTES = 16 * 1024 * 1024
CUT_SHORT = "The recording ends before this firing did."


class LostEngine(msgspec.Struct, frozen=True, omit_defaults=True):
    """How an engine was lost, after the event with a running number."""

    after: int
    sentence: str
    detail: str = ""


class KnownFiring(msgspec.Struct, frozen=True, omit_defaults=True):
    """What events do not say of a firing.

    Attributes:
        step: Its number.
        action: What was asked, where the event's record does not tell it.
        status: A word of FiringStatus when it did not finish, else "".
        note: Why not, or "".
        label: Which one of a batch it is, or "".
    """

    step: int
    action: Action | None = None
    status: str = ""
    note: str = ""
    label: str = ""


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first line; the command line writes the first two fields alone."""

    recording: int
    program: str = ""
    notes: tuple[RowNote, ...] = ()
    lost_engines: tuple[LostEngine, ...] = ()
    firings: tuple[KnownFiring, ...] = ()


# -- writing -------------------------------------------------------------------------


def write(state: State, path: str) -> Iterator[None]:
    """Write what a window holds.

    Args:
        state: Of a live window or of a recording.
        path: The file; one that is there is replaced once the new one is whole.

    Yields:
        None after each piece of work, to be run in slices.

    Raises:
        InspectorError: NOT_WRITABLE.
    """
    plan = _Plan(state)
    for _ in plan.events():
        yield
    header = plan.header()
    try:
        yield from _write_file(Path(path), header, _Plan(state).events())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the recording cannot be written: {reason}."
        hint = "Name a file in a folder that you can write to."
        raise InspectorError(ErrorKind.NOT_WRITABLE, message, hint=hint, file=path) from error


def _write_file(path: Path, header: Header, events: Iterator[Event]) -> Iterator[None]:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(msgspec.json.encode(header) + b"\n")
            for seq, event in enumerate(events, 1):
                stream.write(encode_line(EventFrame(seq, event)))
                yield
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class _Plan:
    """Goes through a state as the events that would make it."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._lines = iter(state.logs.lines)
        self._line = next(self._lines, None)
        self._inspection: Inspection | None = None
        self._seq = 0
        self._lost: list[LostEngine] = []
        self._known: list[KnownFiring] = []

    def header(self) -> Header:
        """The header, once all events were asked for."""
        notes = tuple(self._state.notes.values())
        return Header(FORMAT, __version__, notes, tuple(self._lost), tuple(self._known))

    def events(self) -> Iterator[Event]:
        """Every event in order."""
        for event in self._all():
            self._seq += 1
            yield event

    def _all(self) -> Iterator[Event]:
        state = self._state
        items = iter(state.history.items)
        first = next(items, None)
        if not isinstance(first, Mark) and state.session is not None:
            # The line of the first session went with the oldest rows.
            yield from self._opened(state.inspection)
            yield state.session.started
        if first is not None:
            yield from self._item(first)
        for item in items:
            yield from self._item(item)
        yield from self._opened(state.inspection)
        while self._line is not None:
            yield from self._next_line(self._line)
        yield from state.hooks.values()
        yield from state.ledgers.values()

    def _item(self, item: TimelineItem) -> Iterator[Event]:
        if isinstance(item, Firing):
            yield from self._firing(item)
        elif item.started is not None:
            yield from self._opened(item.inspection)
            yield item.started
        elif item.ended is not None:
            self._lost.append(LostEngine(self._seq, item.ended.sentence, item.ended.detail))

    def _opened(self, inspection: Inspection | None) -> Iterator[Event]:
        if inspection is None or inspection is self._inspection:
            return
        self._inspection = inspection
        is_last = inspection is self._state.inspection
        yield CapsuleOpened(inspection, self._state.manifest_text if is_last else None)

    def _firing(self, firing: Firing) -> Iterator[Event]:
        yield StepStarted(firing.step, firing.event, firing.phase, firing.fields)
        while self._line is not None and (self._line.step or 0) <= firing.step:
            yield from self._next_line(self._line)
        is_over = firing.status is FiringStatus.FINISHED
        if firing.record is not None:
            yield StepFinished(firing.record)
        # The record of an event tells what was asked; a control step has none.
        action = None if isinstance(firing.action, Observe | Decide) else firing.action
        if action is not None or firing.label or not is_over:
            status = "" if is_over else firing.status.value
            known = KnownFiring(firing.step, action, status, firing.note, firing.label)
            self._known.append(known)

    def _next_line(self, line: LogLine) -> Iterator[Event]:
        self._line = next(self._lines, None)
        if line.file != FAULTS_FILE:  # the reducer makes these of the records
            yield LogAppended(line.file, line.text, line.hook, line.step)


# -- reading -------------------------------------------------------------------------


def is_recording(path: str) -> bool:
    """Whether a file begins as a recording does."""
    try:
        with Path(path).open("rb") as stream:
            return stream.read(64).startswith(b'{"recording":')
    except (OSError, ValueError):
        return False


def read(path: str) -> Iterator[State | None]:
    """Read a recording.

    Args:
        path: A file that `write` or `run --record` made.

    Yields:
        None after each piece of work, to be run in slices; the state at last.

    Raises:
        InspectorError: UNREADABLE_TRACE, in one sentence with the line.
    """
    try:
        with Path(path).open("rb") as stream:
            yield from _Reader(path, stream).run()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _unreadable(path, None, f"the recording cannot be read: {reason}.") from error


class _Reader:
    """Feeds the lines of a file to the reducer."""

    def __init__(self, path: str, stream: BinaryIO) -> None:
        self._path = path
        self._stream = stream
        self._state = State()
        self._used: set[int] = set()
        self._renamed: dict[int, int] = {}
        self._seq = 0

    def run(self) -> Iterator[State | None]:
        header = self._header()
        losses = list(reversed(header.lost_engines))
        number = 1
        while True:
            while losses and losses[-1].after <= self._seq:
                lost = losses.pop()
                self._state = reduce_local(
                    self._state, EngineEnded(False, lost.sentence, lost.detail)
                )
            number += 1
            event = self._event(number)
            if event is None:
                break
            self._state = reduce(self._state, self._renumbered(event))
            yield None
        yield from self._finish(header)

    def _header(self) -> Header:
        line = self._stream.readline(MAX_HEADER_BYTES + 1)
        try:
            header = msgspec.json.decode(line, type=Header)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            hint = "Open a file that `run --record` or Save recording made."
            raise _unreadable(self._path, 1, "this is no recording.", hint) from error
        if header.recording > FORMAT:
            message = (
                f"the recording has the format {header.recording}, and this program knows up to "
                f"{FORMAT}."
            )
            raise _unreadable(self._path, 1, message, "Use a newer version of it.")
        return header

    def _event(self, number: int) -> Event | None:
        """The next event; None at the end, also when the last line was cut short."""
        line = self._stream.readline(MAX_FRAME_BYTES + 1)
        if not line:
            return None
        try:
            frame = decode_line(line)
        except (FrameError, UnicodeDecodeError) as error:
            if not line.endswith(b"\n") and len(line) <= MAX_FRAME_BYTES:
                return None
            raise _unreadable(self._path, number, f"{error}.") from error
        self._seq = frame.seq
        return frame.body

    def _renumbered(self, event: Event) -> Event:
        """Rounds of a repeated step get numbers of their own: a row is one firing."""
        match event:
            case SessionStarted():
                self._renamed = {}
            case StepStarted(step=step):
                if step in self._used:
                    self._renamed[step] = max(self._used) + 1
                new = self._renamed.get(step, step)
                self._used.add(new)
                return replace(event, step=new)
            case StepFinished(record=record) if record.step in self._renamed:
                return StepFinished(replace(record, step=self._renamed[record.step]))
            case LogAppended(step=int(step)) if step in self._renamed:
                return replace(event, step=self._renamed[step])
        return event

    def _finish(self, header: Header) -> Iterator[State | None]:
        """Put in what only the header knows."""
        known = {firing.step: firing for firing in header.firings}
        items = self._state.history.items
        for index, item in enumerate(items, items.first):
            if isinstance(item, Firing) and (item.step in known or item.record is None):
                items = items.replace(index, _completed(item, known.get(item.step)))
                yield None
        state = self._state
        yield replace(
            state,
            history=replace(state.history, items=items),
            notes={note.step: note for note in header.notes},
            recording=self._path,
            engine=Engine(versions=state.engine.versions),
            running=(),
            progress=None,
            remarks=(),
        )


def _completed(firing: Firing, known: KnownFiring | None) -> Firing:
    if known is not None:
        firing = replace(firing, action=known.action, label=known.label)
    if firing.record is not None:
        return firing
    words = {status.value for status in FiringStatus} - {FiringStatus.RUNNING.value}
    if known is not None and known.status in words:
        status, note = FiringStatus(known.status), known.note
    else:
        status, note = FiringStatus.LOST, firing.note or CUT_SHORT
    return replace(firing, status=status, note=note)


def _unreadable(path: str, line: int | None, message: str, hint: str = "") -> InspectorError:
    return InspectorError(ErrorKind.UNREADABLE_TRACE, message, hint=hint, file=path, line=line)


def save(state: State, path: str) -> None:
    """Write a recording at once; as `write`."""
    for _ in write(state, path):
        pass


def load(path: str) -> State:
    """Read a recording at once; as `read`."""
    last = collections.deque(read(path), maxlen=1).pop()
    assert last is not None
    return last
