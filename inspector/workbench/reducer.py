"""How an event changes the state; the only place where states are made.

Lives here: `reduce` and `reduce_local`, pure functions. Not here: the values
(workbench.state), who sends events (gui.engine_client, recordings). Rooms above may
import it.
"""

from collections.abc import Iterable, Mapping
from typing import assert_never

from msgspec.structs import replace

from inspector.contract.record import Disposition, StepRecord, Totals
from inspector.errors import with_hint
from inspector.protocol import message
from inspector.protocol.message import Action, Decide, EndTask, Event, Failed, Observe
from inspector.workbench import formatting, verdict
from inspector.workbench.history import CHUNK
from inspector.workbench.state import (
    FAULTS_FILE,
    STDERR_FILE,
    STDOUT_FILE,
    Counts,
    EngineEnded,
    EngineStarting,
    EngineStatus,
    FireAsked,
    FireFailed,
    Firing,
    FiringStatus,
    HeldChanged,
    History,
    InterruptAsked,
    LocalEvent,
    LogBook,
    LogLine,
    Mark,
    NoteTaken,
    OpenAsked,
    OpenDone,
    ProfileChosen,
    Remark,
    RemarkMade,
    RowNote,
    Session,
    State,
    StepJudged,
    TimelineItem,
)

HISTORY_BYTES = 256 * 1024 * 1024
HISTORY_ITEMS = 200_000
LOG_BYTES = 256 * 1024 * 1024
LOG_LINES = 2_000_000
"""Bounds: beyond one of them the oldest part goes and is counted as dropped."""

REMARKS = 50
"""Sentences kept for the quiet place."""


def reduce(state: State, event: Event) -> State:
    """The state after an event of the engine.

    Args:
        state: The state before; it stays as it is.
        event: Any event of the protocol.

    Returns:
        A new state.
    """
    match event:
        case message.EngineReady(pid=pid, versions=versions):
            engine = replace(
                state.engine, status=EngineStatus.READY, pid=pid, versions=versions, sentence=""
            )
            return replace(state, engine=engine)
        case message.Progress():
            return replace(state, progress=event)
        case message.CapsuleOpened():
            return replace(
                state,
                inspection=event.inspection,
                manifest_text=event.manifest_text,
                profile=event.inspection.capsule.profile,
                open_error=None,
            )
        case message.SessionStarted():
            return _session_started(state, event)
        case message.HookState() | message.LedgerChanged() | message.MemoryRead():
            return _hook_changed(state, event)
        case message.StepStarted():
            return _step_started(state, event)
        case message.StepFinished(record=record):
            return _step_finished(state, record)
        case message.LogAppended():
            lines = _lines(event.file, event.text, event.hook, event.step)
            return replace(state, logs=_log(state.logs, lines))
        case message.Notice(severity=severity, message=text):
            return _remark(state, severity, text)
    assert_never(event)


def _hook_changed(
    state: State, event: message.HookState | message.LedgerChanged | message.MemoryRead
) -> State:
    match event:
        case message.HookState():
            return replace(state, hooks={**state.hooks, event.hook: event})
        case message.LedgerChanged():
            return replace(state, ledgers={**state.ledgers, event.hook: event})
        case message.MemoryRead():
            return replace(state, memory=event)
    assert_never(event)


def reduce_local(state: State, event: LocalEvent) -> State:
    """The state after something on this side of the protocol.

    Args:
        state: The state before; it stays as it is.
        event: Any local event.

    Returns:
        A new state.
    """
    match event:
        case EngineStarting():
            engine = replace(state.engine, status=EngineStatus.STARTING, pid=0, versions={})
            return replace(state, engine=engine)
        case EngineEnded():
            return _engine_ended(state, event)
        case ProfileChosen(profile=profile):
            return replace(state, profile=profile)
        case OpenAsked(path=path, profile=profile):
            return replace(state, path=path, profile=profile, opening=True, open_error=None)
        case OpenDone(failed=failed):
            return _open_done(state, failed)
        case FireAsked():
            return _fire_asked(state, event)
        case FireFailed():
            return _fire_failed(state, event.step, event.failed)
        case HeldChanged(held=held):
            session = state.session
            return replace(state, session=replace(session, held=held) if session else None)
        case InterruptAsked() | NoteTaken() | RemarkMade() | StepJudged():
            return _said(state, event)
    assert_never(event)


def _said(state: State, event: InterruptAsked | NoteTaken | RemarkMade | StepJudged) -> State:
    if isinstance(event, StepJudged):
        return _step_judged(state, event)
    if isinstance(event, RemarkMade):
        return _remark(state, event.severity, event.message)
    if isinstance(event, NoteTaken):
        return replace(state, notes=with_note(state.notes, event.note))
    return replace(state, interrupting=bool(state.running) or state.opening)


def with_note(notes: Mapping[int, RowNote], note: RowNote) -> Mapping[int, RowNote]:
    """Notes with another one; a fresh mark goes to the end, an empty note goes.

    Args:
        notes: By number of the firing.
        note: In place of an earlier one about the same firing.
    """
    before = notes.get(note.step)
    stays = before is not None and (before.is_marked or not note.is_marked)
    rest = {step: old for step, old in notes.items() if stays or step != note.step}
    if note.is_marked or note.text:
        rest[note.step] = note
    else:
        rest.pop(note.step, None)
    return rest


# -- session and engine --------------------------------------------------------------


def _session_started(state: State, event: message.SessionStarted) -> State:
    number = state.session.number + 1 if state.session else _last_session(state) + 1
    name = state.inspection.capsule if state.inspection else None
    of_what = f"{name.name} {name.version}, profile {name.profile}" if name else "a capsule"
    text = f"Session {event.session_id} of {of_what}"
    mark = Mark(text, number, started=event, inspection=state.inspection)
    return replace(
        _with_item(state, mark),
        session=Session(number, event),
        totals=Totals(),
        endings={},
    )


def _last_session(state: State) -> int:
    return next((item.session for _, item in state.history.items.newest_first()), 0)


def _open_done(state: State, failed: Failed | None) -> State:
    state = replace(state, opening=False, progress=None, open_error=failed, interrupting=False)
    return replace(state, session=None) if failed else state


def _engine_ended(state: State, event: EngineEnded) -> State:
    status = EngineStatus.STOPPED if event.wanted else EngineStatus.LOST
    engine = replace(
        state.engine, status=status, pid=0, sentence=event.sentence, detail=event.detail
    )
    number = state.session.number if state.session else _last_session(state)
    for step in state.running:
        state = _close_firing(state, step, FiringStatus.LOST, event.sentence)
    if not event.wanted:
        state = _with_item(state, Mark(event.sentence, number, "error", ended=event))
    return replace(
        state,
        engine=engine,
        session=None,
        opening=False,
        progress=None,
        interrupting=False,
        hooks={},
    )


# -- firings --------------------------------------------------------------------------


def _fire_asked(state: State, asked: FireAsked) -> State:
    step, action = asked.step, asked.action
    event, phase = name_of(action)
    number = state.session.number if state.session else _last_session(state)
    fields = action.fields if isinstance(action, Observe | Decide) else None
    running = FiringStatus.RUNNING
    firing = Firing(step, event, phase, running, number, action, fields, label=asked.label)
    state = _with_item(state, firing)
    return replace(state, last_step=max(step, state.last_step), running=(*state.running, step))


def name_of(action: Action) -> tuple[str, str]:
    """The event and the phase under which an action stands in the timeline."""
    match action:
        case Observe(event=event):
            return event, "stage" if event == "on-stage" else "observe"
        case Decide(event=event):
            return event, "decide"
        case message.BeginTask():
            return "begin-task", "task"
        case message.TaskOutput():
            return "task-output", "task"
        case EndTask():
            return "end-task", "task"
        case message.Drain():
            return "drain", "control"
        case message.Pump():
            return "pump", "control"
        case message.ResetHook():
            return "reset", "control"
    assert_never(action)


def _find(state: State, step: int) -> tuple[int, Firing] | None:
    if step > state.last_step:
        return None
    for index, item in state.history.items.newest_first():
        if isinstance(item, Firing) and item.step == step:
            return index, item
    return None


def firing_of(state: State, step: int) -> Firing | None:
    """The firing of a number, or None when it went from the history."""
    found = _find(state, step)
    return found[1] if found else None


def _step_started(state: State, event: message.StepStarted) -> State:
    found = _find(state, event.step)
    if found is not None:
        index, firing = found
        return _with_replaced(state, index, replace(firing, phase=event.phase, fields=event.fields))
    number = state.session.number if state.session else 0
    firing = Firing(
        event.step, event.event, event.phase, FiringStatus.RUNNING, number, fields=event.fields
    )
    state = _with_item(state, firing)
    return replace(
        state, last_step=max(event.step, state.last_step), running=(*state.running, event.step)
    )


def _step_finished(state: State, record: StepRecord) -> State:
    if _find(state, record.step) is None:
        start = message.StepStarted(record.step, record.event, record.phase, record.fields)
        state = _step_started(state, start)
    found = _find(state, record.step)
    assert found is not None
    index, firing = found
    fields = firing.fields if record.fields is None else record.fields
    finished = replace(
        firing,
        event=record.event,
        phase=record.phase,
        status=FiringStatus.FINISHED,
        fields=fields,
        record=record,
    )
    running = tuple(step for step in state.running if step != record.step)
    state = _with_replaced(state, index, finished)
    return replace(
        state,
        running=running,
        interrupting=state.interrupting and bool(running),
        totals=record.totals,
        counts=_counted(state, record),
        endings={**state.endings, record.event: verdict.of_record(record).role},
        logs=_log(state.logs, _fault_lines(record)),
    )


def _step_judged(state: State, event: StepJudged) -> State:
    found = _find(state, event.step)
    if found is None or found[1].record is None:
        return state  # the oldest rows may have gone
    index, firing = found
    record = replace(found[1].record, expectation=event.expectation)
    endings = {**state.endings, firing.event: verdict.of_record(record).role}
    return _with_replaced(replace(state, endings=endings), index, replace(firing, record=record))


def _counted(state: State, record: StepRecord) -> Counts:
    counts = state.counts
    errors = sum(call.count for call in record.calls if call.disposition is Disposition.ERROR)
    decision = record.outcome.decision
    return replace(
        counts,
        fired=counts.fired + (record.times if record.phase not in ("task", "control") else 0),
        faults=counts.faults + len(record.faults),
        errors=counts.errors + errors,
        denied=counts.denied + (decision is not None and decision.verdict == "denied"),
    )


def _fault_lines(record: StepRecord) -> Iterable[LogLine]:
    return (
        LogLine(FAULTS_FILE, f"{fault.hook}  {fault.event}  {fault.arm}", fault.hook, record.step)
        for fault in record.faults
    )


def _fire_failed(state: State, step: int, failed: Failed) -> State:
    sentence = with_hint(failed.message, failed.hint)
    state = _close_firing(state, step, FiringStatus.REFUSED, sentence)
    return _remark(state, "error", sentence)


def _close_firing(state: State, step: int, status: FiringStatus, note: str) -> State:
    running = tuple(other for other in state.running if other != step)
    state = replace(state, running=running, interrupting=state.interrupting and bool(running))
    found = _find(state, step)
    if found is None or found[1].record is not None:
        return state
    index, firing = found
    endings = {**state.endings, firing.event: "negative"}
    closed = replace(firing, status=status, note=note)
    return _with_replaced(replace(state, endings=endings), index, closed)


# -- lists with bounds ----------------------------------------------------------------


def _with_item(state: State, item: TimelineItem) -> State:
    history = state.history
    grown = replace(
        history,
        items=history.items.append(item),
        weight_bytes=history.weight_bytes + weight_of(item),
    )
    return replace(state, history=_trimmed_history(grown))


def _with_replaced(state: State, index: int, firing: Firing) -> State:
    history = state.history
    delta = weight_of(firing) - weight_of(history.items[index])
    grown = replace(
        history,
        items=history.items.replace(index, firing),
        weight_bytes=history.weight_bytes + delta,
    )
    return replace(state, history=_trimmed_history(grown))


def weight_of(item: TimelineItem) -> int:
    """Roughly how many bytes an item of the timeline holds."""
    if isinstance(item, Mark):
        return 100
    total = 400 + formatting.rough_weight(item.fields)
    if item.record is not None:
        for call in item.record.calls:
            texts = (call.stdout, call.stderr, call.error or "", call.detail or "")
            total += 300 + formatting.rough_weight(call.payload) + sum(map(len, texts))
        total += formatting.rough_weight(item.record.outcome.replacement)
    return total


def _trimmed_history(history: History) -> History:
    # The newest item stays, however large it is.
    while len(history.items) > CHUNK and (
        history.weight_bytes > HISTORY_BYTES or len(history.items) > HISTORY_ITEMS
    ):
        items, gone = history.items.without_oldest()
        history = History(
            items,
            history.weight_bytes - sum(map(weight_of, gone)),
            history.dropped + len(gone),
        )
    return history


def _lines(file: str, text: str, hook: str | None, step: int | None) -> Iterable[LogLine]:
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    if file in (STDOUT_FILE, STDERR_FILE):
        # What a guest printed in one call is no entry: each line is one of its own.
        return (LogLine(file, line, hook, step) for line in lines)
    last = len(lines) - 1
    return (LogLine(file, line, hook, step, i, last - i) for i, line in enumerate(lines))


def _log(logs: LogBook, fresh: Iterable[LogLine]) -> LogBook:
    lines = tuple(fresh)
    if not lines:
        return logs
    counts = dict(logs.counts)
    for line in lines:
        counts[line.file] = counts.get(line.file, 0) + 1
    size = sum(len(line.text) for line in lines)
    return _trimmed_logs(
        LogBook(logs.lines.extend(lines), counts, logs.weight_bytes + size, logs.dropped)
    )


def _trimmed_logs(logs: LogBook) -> LogBook:
    while logs.lines.chunks and (logs.weight_bytes > LOG_BYTES or len(logs.lines) > LOG_LINES):
        lines, gone = logs.lines.without_oldest()
        counts = dict(logs.counts)
        for line in gone:
            counts[line.file] -= 1
        size = sum(len(line.text) for line in gone)
        logs = LogBook(lines, counts, logs.weight_bytes - size, logs.dropped + len(gone))
    return logs


def _remark(state: State, severity: str, text: str) -> State:
    number = state.remarks[-1].number + 1 if state.remarks else 1
    remarks = (*state.remarks, Remark(number, severity, text))[-REMARKS:]
    return replace(state, remarks=remarks)
