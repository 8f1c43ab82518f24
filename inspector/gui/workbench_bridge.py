"""The state of the workbench as a QObject: intents in, signals out.

Lives here: `WorkbenchBridge`, which sends requests, reduces events and tells what
changed, at most once per frame of 33 ms. Not here: processes (engine_client), rules of
what may be done (workbench.command). Models, actions and views may import it.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from inspector.contract.record import Expectation
from inspector.errors import InspectorError, with_hint
from inspector.gui.engine_port import Answer, EngineEnd, EnginePort
from inspector.protocol.message import (
    Action,
    Event,
    Failed,
    Fire,
    OpenCapsule,
    ReadMemory,
    SessionSettings,
    SetHeld,
    StartSession,
)
from inspector.workbench import command
from inspector.workbench.burst import Burst, Shot
from inspector.workbench.history import Change, Series, changes
from inspector.workbench.reducer import firing_of, reduce, reduce_local
from inspector.workbench.session_draft import needs_reopening
from inspector.workbench.state import (
    EngineEnded,
    EngineStarting,
    FireAsked,
    FireFailed,
    HeldChanged,
    InterruptAsked,
    LocalEvent,
    NoteTaken,
    OpenAsked,
    OpenDone,
    ProfileChosen,
    RemarkMade,
    RowNote,
    State,
    StepJudged,
)

FLUSH_MS = 33
"""Rows arrive in batches of one frame (conventions 10)."""

SLOWEST_FLUSH_MS = 250
REST = 3
"""After a flush that took long to show, the next one waits so many times as long: most of
the time is left for what comes in."""


class WorkbenchBridge(QObject):
    """Carries intents to the engine and its events to the models.

    Attributes:
        used_settings: What the running session was made with.

    Signals:
        engine_changed(): status, versions or end of the engine.
        capsule_changed(): another inspection, profile, path or open error.
        session_changed(): session, held switch, totals or counts.
        hooks_changed(): live state of some hook.
        ledgers_changed(): use of grants by some hook.
        memory_changed(): another piece of linear memory was read.
        settings_changed(): the next session is made with other settings.
        busy_changed(): what is running, opening or waiting.
        history_changed(Change): timeline items came, changed or went.
        logs_changed(Change): log lines came or went.
        notes_changed(): marks or notes of some firing.
        recording_changed(): a recording is shown instead of the live state, or no longer.
        remark_made(Remark): a sentence for the quiet place.
        changed(): after any of the above.
        settled(): nothing is running, opening or waiting any more.
        step_answered(int): a firing is over; told at once, before the next one goes out.
        interrupted(): the user stopped what runs and what waits; told at once.
    """

    engine_changed = Signal()
    capsule_changed = Signal()
    session_changed = Signal()
    hooks_changed = Signal()
    ledgers_changed = Signal()
    memory_changed = Signal()
    settings_changed = Signal()
    busy_changed = Signal()
    history_changed = Signal(object)
    logs_changed = Signal(object)
    notes_changed = Signal()
    recording_changed = Signal()
    remark_made = Signal(object)
    changed = Signal()
    settled = Signal()
    step_answered = Signal(object)
    interrupted = Signal()

    def __init__(self, engine: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = SessionSettings()
        self.used_settings = SessionSettings()
        self._engine = engine
        engine.setParent(self)
        engine.events_arrived.connect(self._take_events)
        engine.answered.connect(self._take_answer)
        engine.ended.connect(self._take_end)
        self._state = State()
        self._shown = self._state
        self._recording: State | None = None
        self._waiting: deque[Action] = deque()
        self._burst: Burst | None = None
        self._is_unsettled = False
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FLUSH_MS)
        self._timer.timeout.connect(self.flush)

    @property
    def state(self) -> State:
        """The state as the last signals told it; models and views read this one."""
        return self._shown

    @property
    def latest(self) -> State:
        """The newest state; decides what may be done."""
        return self._state if self._recording is None else self._recording

    @property
    def settings(self) -> SessionSettings:
        """What the next session is made with."""
        return self._settings

    @settings.setter
    def settings(self, settings: SessionSettings) -> None:
        if settings != self._settings:
            self._settings = settings
            self.settings_changed.emit()

    @property
    def waiting(self) -> int:
        """Actions that wait for the running one."""
        return len(self._waiting)

    @property
    def is_settled(self) -> bool:
        """Whether nothing is running, opening or waiting."""
        is_bursting = self._burst is not None and not self._burst.is_over
        return not (self._state.running or self._state.opening or self._waiting or is_bursting)

    # -- intents -----------------------------------------------------------------------

    def open_capsule(self, path: str, profile: str | None = None) -> None:
        """Open a capsule and start a session; an engine is started when there is none."""
        if command.can_open(self._state):
            return
        self.close_recording()
        name = profile or self._state.profile
        try:
            lenient = self._settings.lenient_imports
            request = command.open_request(path, name, self._settings.home, lenient_imports=lenient)
        except InspectorError as error:
            self.say("error", error.sentence())
            return
        self._waiting.clear()
        self.stop_burst("The capsule is being opened.")
        self._reduce_local(OpenAsked(path, name))
        self._ensure_engine()
        self._engine.send(request)

    def choose_profile(self, profile: str) -> None:
        """Let another profile judge; an open capsule is opened anew."""
        if self._recording is not None:
            self.say("info", command.IN_RECORDING)
            return
        path = self._state.path
        if path is None:
            self._reduce_local(ProfileChosen(profile))
        else:
            self.open_capsule(path, profile)

    @Slot()
    def reload(self) -> None:
        """Read the capsule again and start a fresh session."""
        path = self._state.path
        if path is not None:
            self.open_capsule(path)

    @Slot()
    def restart_engine(self) -> None:
        """Start a fresh engine after the last one ended, and open the capsule again."""
        if command.can_restart(self._state):
            return
        if self._state.path is not None:
            self.reload()
        else:
            self._ensure_engine()

    def fire(self, action: Action) -> None:
        """Run an action after those that wait already."""
        self.fire_all((action,))

    def fire_all(self, actions: Iterable[Action]) -> None:
        """Run actions one after the other; a stop forgets those that wait."""
        reason = command.can_fire(self.latest)
        if reason:
            self.say("warning", reason)
            return
        self._waiting.extend(actions)
        self._fire_next()

    def start_burst(self, burst: Burst) -> str:
        """Fire from a burst whenever nothing else waits; an earlier one is stopped.

        Returns:
            Why nothing can be fired, or "".
        """
        reason = command.can_fire(self.latest)
        if not reason:
            self.stop_burst()
            self._burst = burst
            self._is_unsettled = True
            self._fire_next()
        return reason

    @Slot()
    def pump_burst(self) -> None:
        """Ask the burst again, for an action that was not due before."""
        self._fire_next()

    def stop_burst(self, reason: str = "") -> None:
        """Take nothing more from the burst; what runs goes on."""
        if self._burst is not None:
            self._burst.stop(reason)
            self._schedule()

    @Slot()
    def interrupt(self) -> None:
        """Stop the running call and forget what waits."""
        self._waiting.clear()
        self.interrupted.emit()
        self.stop_burst()
        if command.can_interrupt(self._state):
            return
        self._reduce_local(InterruptAsked())
        self._engine.interrupt()

    def set_held(self, held: bool) -> None:
        """Hold the async workers, or let them go."""
        if not command.can_hold(self.latest):
            self._engine.send(command.held_request(held))

    @Slot()
    def start_session(self) -> None:
        """Start a fresh session with the settings; hooks are read anew when they need it."""
        path = self._state.path
        reason = command.can_start(self.latest)
        if reason or path is None:
            self.say("warning", reason)
        elif not self._engine.is_running or needs_reopening(self.used_settings, self._settings):
            self.open_capsule(path)
        else:
            self._waiting.clear()
            self.stop_burst("A fresh session is being started.")
            self._reduce_local(OpenAsked(path, self._state.profile))
            self._engine.send(command.start_request(self._settings))

    def read_memory(self, hook: str, memory: int, offset: int, length: int) -> None:
        """Ask for a piece of a hook's linear memory; `memory_changed` follows."""
        if not command.can_read_memory(self.latest, hook):
            self._engine.send(ReadMemory(hook, memory, offset, length))

    def judge(self, step: int, expectation: Expectation) -> None:
        """Write down what an expectation about a finished firing came to."""
        self._reduce_local(StepJudged(step, expectation))

    def say(self, severity: str, sentence: str) -> None:
        """Put a sentence of our own into the quiet place."""
        self._reduce_local(RemarkMade(severity, sentence))

    def take_note(self, note: RowNote) -> None:
        """Keep a mark or a note about a firing; an empty one goes."""
        self._reduce_local(NoteTaken(note))

    def show_recording(self, recording: State) -> None:
        """Show a recording; the live state goes on behind it."""
        self._recording = recording
        self.flush()

    @Slot()
    def close_recording(self) -> None:
        """Show the live state again."""
        if self._recording is not None:
            self._recording = None
            self.flush()

    @Slot()
    def stop(self) -> None:
        """End the engine; `engine_changed` follows."""
        self.close_recording()  # else nobody would hear of the end
        self._waiting.clear()
        self.stop_burst("The engine is being ended.")
        self._engine.stop()

    @property
    def has_engine(self) -> bool:
        """Whether an engine process is there."""
        return self._engine.is_running

    # -- what the engine says ----------------------------------------------------------

    @Slot(object)
    def _take_events(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self._state = reduce(self._state, event)
        self._schedule()

    @Slot(object)
    def _take_answer(self, answer: Answer) -> None:
        failed = answer.reply if isinstance(answer.reply, Failed) else None
        match answer.request:
            case OpenCapsule() if failed is None:
                self._engine.send(command.start_request(self._settings))
            case OpenCapsule():
                self._reduce_local(OpenDone(failed))
            case StartSession(settings=settings):
                self.used_settings = settings
                self._reduce_local(OpenDone(failed))
                self._reduce_local(HeldChanged(settings.held))
            case Fire(step=step):
                self._take_fire_answer(step, failed)
            case SetHeld(held=held) if failed is None:
                self._reduce_local(HeldChanged(held))
                self.settings = replace(self._settings, held=held)
            case _:
                if failed is not None:
                    self.say("error", with_hint(failed.message, failed.hint))

    def _take_fire_answer(self, step: int, failed: Failed | None) -> None:
        if failed is not None:
            self._reduce_local(FireFailed(step, failed))
        if self._burst is not None:
            self._burst.tell(step, firing_of(self._state, step))
            self._schedule()
        self.step_answered.emit(step)
        self._fire_next()

    @Slot(object)
    def _take_end(self, end: EngineEnd) -> None:
        self._waiting.clear()
        if self._burst is not None:
            self._burst.lose(end.sentence)
        self._reduce_local(EngineEnded(end.wanted, end.sentence, end.detail))

    def _ensure_engine(self) -> None:
        if not self._engine.is_running:
            self._reduce_local(EngineStarting())
            self._engine.start()

    def _fire_next(self) -> None:
        shot = None if self._state.running else self._next_shot()
        if shot is None:
            return
        request = command.fire_request(self._state, shot.action)
        self._reduce_local(FireAsked(request.step, request.action, shot.label))
        self._engine.send(request)

    def _next_shot(self) -> Shot | None:
        """What waits goes before the rest of a burst."""
        if self._waiting:
            return Shot(self._waiting.popleft())
        if self._burst is None or command.can_fire(self._state):
            return None
        return self._burst.take(self._state.last_step + 1)

    def _reduce_local(self, event: LocalEvent) -> None:
        if self._recording is not None and isinstance(event, NoteTaken | RemarkMade):
            self._recording = reduce_local(self._recording, event)
            self._schedule()
            return
        self._state = reduce_local(self._state, event)
        self._is_unsettled |= not self.is_settled
        self._schedule()

    # -- telling -----------------------------------------------------------------------

    def _schedule(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def flush(self) -> None:
        """Tell now what changed since the last time."""
        self._timer.stop()
        old, new = self._shown, self.latest
        if old is new:
            self._tell_settled()
            return
        self._shown = new
        self._clock.start()
        self._emit_changes(old, new)
        # Told after the widgets have painted what changed.
        QTimer.singleShot(0, self, self._note_cost)
        self._tell_settled()

    def _tell_settled(self) -> None:
        # Work may begin and end within one frame, and a burst ends without another state.
        if self._is_unsettled and self.is_settled:
            self._is_unsettled = False
            self.settled.emit()

    @Slot()
    def _note_cost(self) -> None:
        wait_ms = REST * self._clock.elapsed()
        self._timer.setInterval(min(max(wait_ms, FLUSH_MS), SLOWEST_FLUSH_MS))

    def _emit_changes(self, old: State, new: State) -> None:
        if old.engine is not new.engine:
            self.engine_changed.emit()
        if _capsule_parts(old) != _capsule_parts(new):
            self.capsule_changed.emit()
        if old.hooks is not new.hooks:
            self.hooks_changed.emit()
        if old.ledgers is not new.ledgers:
            self.ledgers_changed.emit()
        if old.memory is not new.memory:
            self.memory_changed.emit()
        self._emit_lists(old, new)
        if _session_parts(old) != _session_parts(new):
            self.session_changed.emit()
        if _busy_parts(old) != _busy_parts(new):
            self.busy_changed.emit()
        self._emit_remarks(old, new)
        self.changed.emit()

    def _emit_lists(self, old: State, new: State) -> None:
        is_switch = old.recording != new.recording
        history = _changes(old.history.items, new.history.items, is_switch=is_switch)
        if history:
            self.history_changed.emit(history)
        lines = _changes(old.logs.lines, new.logs.lines, is_switch=is_switch)
        if lines:
            self.logs_changed.emit(lines)
        if old.notes is not new.notes:
            self.notes_changed.emit()
        if is_switch:
            self.recording_changed.emit()

    def _emit_remarks(self, old: State, new: State) -> None:
        last = old.remarks[-1].number if old.remarks else 0
        for remark in new.remarks:
            if remark.number > last:
                self.remark_made.emit(remark)


def _changes(old: Series[Any], new: Series[Any], *, is_switch: bool) -> Change:
    """What a list has to do; a recording has nothing to do with the live rows."""
    if is_switch:
        return Change(new.first, (), new.first, new.end, restarted=True)
    return changes(old, new)


def _capsule_parts(state: State) -> tuple[object, ...]:
    return id(state.inspection), id(state.open_error), state.path, state.profile


def _session_parts(state: State) -> tuple[object, ...]:
    session = state.session
    return id(session), state.totals, state.counts, id(state.endings)


def _busy_parts(state: State) -> tuple[object, ...]:
    return state.running, state.opening, state.interrupting, id(state.progress)
