"""Recordings of a window: written, read back, judged."""

import msgspec
import pytest
from msgspec.structs import replace

from inspector.contract.record import Disposition, Failure
from inspector.errors import InspectorError
from inspector.protocol import message as m
from inspector.protocol.frame import decode_line, encode_line
from inspector.workbench import command, recording
from inspector.workbench.record_file import RecordFile
from inspector.workbench.reducer import reduce, reduce_local
from inspector.workbench.state import (
    EngineEnded,
    FireAsked,
    FireFailed,
    Firing,
    FiringStatus,
    Mark,
    NoteTaken,
    RowNote,
    State,
)
from tests.helpers import sample_state
from tests.helpers.sample_state import call, inspection, record, session


def play(state: State, *events) -> State:
    """Reduce events of both kinds."""
    for event in events:
        local = type(event).__module__ == "inspector.workbench.state"
        state = reduce_local(state, event) if local else reduce(state, event)
    return state


def busy_day() -> State:
    """Two sessions, a lost engine, every kind of row, logs, marks and notes."""
    state = play(
        State(), m.EngineReady(7, {}), m.CapsuleOpened(inspection(), "name: x"), session("ses_1")
    )
    for done in sample_state.demo_records():
        start = m.StepStarted(done.step, done.event, done.phase, done.fields)
        line = m.LogAppended("stdout", "one\ntwo", "a", done.step)
        state = play(state, start, line, m.StepFinished(done))
    state = play(
        state,
        NoteTaken(RowNote(4, True, "look here")),
        FireAsked(8, m.BeginTask("do it")),
        m.StepStarted(8, "begin-task", "task"),
        m.StepFinished(record(8, "begin-task", phase="task", fields=None)),
        FireAsked(9, m.Observe("on-shell", {"turn": 1}), "3 of 8"),
        EngineEnded(False, "The engine was killed.", "stderr"),
        m.EngineReady(8, {}),
        m.CapsuleOpened(inspection(), "name: y"),
        session("ses_2"),
        *sample_state.hook_states(inspection().hooks),
        m.LogAppended("logs/bootstrap.log", "late", None, None),
        FireAsked(10, m.Observe("on-shell", {"turn": 2})),
        FireFailed(10, m.Failed("bad-event", "No.", "Mend it.")),
    )
    failed = call("a", "error", Disposition.ERROR, failure=Failure.TRAP, error="boom")
    return play(
        state, m.StepFinished(record(11, "on-shell", failed)), NoteTaken(RowNote(11, text="again"))
    )


def read_back(path) -> State:
    """The state that reading gives."""
    *pauses, state = recording.read(str(path))
    assert pauses == [None] * len(pauses)
    assert state is not None
    return state


def shown(item):
    """What a row shows; the action of an event is told by its fields."""
    if isinstance(item, Mark):
        return replace(item, inspection=None)
    return replace(item, action=command.action_of(item))


def test_read__of_what_was_written__shows_the_same(tmp_path):
    """Rows, marks, notes, logs, counts, hooks, the manifest."""
    path = tmp_path / "x.jsonl"
    state = busy_day()
    list(recording.write(state, str(path)))
    found = read_back(path)
    assert list(map(shown, found.history.items)) == list(map(shown, state.history.items))
    assert list(found.logs.lines) == list(state.logs.lines)
    assert found.notes == state.notes
    assert (found.counts, found.hooks) == (state.counts, state.hooks)
    assert (found.inspection, found.manifest_text) == (state.inspection, "name: y")
    assert found.recording == str(path)
    assert (found.running, found.path) == ((), None)


def test_write__lines__are_event_frames_with_running_numbers(tmp_path):
    """The format of `run --record`."""
    path = tmp_path / "x.jsonl"
    list(recording.write(busy_day(), str(path)))
    header, *lines = path.read_bytes().splitlines(keepends=True)
    assert msgspec.json.decode(header)["recording"] == 1
    frames = [decode_line(line) for line in lines]
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))
    assert [encode_line(frame) for frame in frames] == lines


def test_write__again_of_a_recording__is_the_same_file(tmp_path):
    """Nothing is lost on the way."""
    first, second = tmp_path / "1", tmp_path / "2"
    list(recording.write(busy_day(), str(first)))
    list(recording.write(read_back(first), str(second)))
    assert first.read_bytes() == second.read_bytes()


def test_read__file_of_the_command_line__is_a_recording(tmp_path):
    """Rounds of one step are rows of their own, their lines go along."""
    path = str(tmp_path / "x")
    file = RecordFile(path)
    events = [m.CapsuleOpened(inspection()), session()]
    for turn in (1, 2):
        events += [
            m.StepStarted(1, "on-shell", "observe", {"turn": turn}),
            m.LogAppended("stdout", f"turn {turn}", "a", 1),
            m.StepFinished(record(1, "on-shell", call("a"), fields={"turn": turn})),
        ]
    for seq, event in enumerate(events, 1):
        file.write(m.EventFrame(seq, event))
    file.close()
    state = read_back(path)
    rows = [item for item in state.history.items if isinstance(item, Firing)]
    assert [(row.step, row.fields["turn"]) for row in rows] == [(1, 1), (2, 2)]
    assert [line.step for line in state.logs.lines] == [1, 2]


def test_read__last_line_cut_short__shows_what_came_before(tmp_path):
    """A program that was killed while it wrote."""
    path = tmp_path / "x"
    state = play(State(), m.CapsuleOpened(inspection()), session())
    state = play(state, m.StepStarted(1, "on-shell", "observe", {}))
    list(recording.write(state, str(path)))
    path.write_bytes(path.read_bytes() + b'{"type":"event","seq"')
    (_, row) = read_back(path).history.items
    assert (row.status, row.note) == (FiringStatus.LOST, recording.CUT_SHORT)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "this is no recording."),
        (b"name: x\n", "this is no recording."),
        (b"\xff\xfe\n", "this is no recording."),
        (b'{"recording":2}\n', "the recording has the format 2, and this program knows up to 1."),
        (b'{"recording":1}\n{"x":1}\n', "not an event frame"),
    ],
)
def test_read__other_files__are_refused_in_a_sentence(tmp_path, content, words):
    """With the file and the line."""
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(InspectorError) as caught:
        list(recording.read(str(path)))
    assert caught.value.message.startswith(words)
    assert caught.value.file == str(path)
    assert caught.value.line is not None


def test_read__missing_file__is_told(tmp_path):
    """By its path."""
    with pytest.raises(InspectorError, match="cannot be read"):
        list(recording.read(str(tmp_path / "none")))


def test_write__folder_that_is_not_there__is_told_and_nothing_is_left(tmp_path):
    """Also when it fails in the middle the old file stays."""
    with pytest.raises(InspectorError, match="cannot be written"):
        list(recording.write(busy_day(), str(tmp_path / "no" / "x")))
    path = tmp_path / "x"
    path.write_text("old")
    work = recording.write(busy_day(), str(path))
    for _ in range(40):
        next(work)
    work.close()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_is_recording__looks_at_the_beginning(tmp_path):
    """A trace of a runtime has lines, too."""
    path = tmp_path / "x"
    list(recording.write(State(), str(path)))
    assert recording.is_recording(str(path))
    path.write_text('{"event": 1}')
    assert not recording.is_recording(str(path))
    assert not recording.is_recording(str(tmp_path / "none"))
