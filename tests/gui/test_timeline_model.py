"""Rows of the timeline: batches, folding, the filter, bounds."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from inspector.contract.record import Disposition, Failure
from inspector.gui.focus import FiringTarget
from inspector.gui.models import timeline_model
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.models.timeline_row import Column, Timing, timing_text
from inspector.protocol.message import Observe, ResetHook, StepFinished
from inspector.workbench import reducer
from inspector.workbench.history import CHUNK, Series
from inspector.workbench.search import parse
from inspector.workbench.state import Firing, FiringStatus, History, RowNote
from tests.helpers import sample_state
from tests.helpers.sample_state import call, record


@pytest.fixture
def model(bridge):
    """A model that Qt's tester watches."""
    made = TimelineModel(bridge)
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Warning, made)
    return made


def rows(model: TimelineModel) -> list[tuple[str, ...]]:
    """Step, event, hook, result and outcome of every row."""
    columns = (Column.STEP, Column.EVENT, Column.HOOK, Column.RESULT, Column.OUTCOME)
    return [
        tuple(model.index(row, column).data() for column in columns)
        for row in range(model.rowCount())
    ]


def tell(engine, bridge, *records):
    """Finish steps and flush."""
    engine.tell(*map(StepFinished, records))
    bridge.flush()


class TestRows:
    """What a firing looks like."""

    def test_one_call_stands_in_the_firings_row(self, model, engine, bridge):
        """And the row shows that call in the Detail pane."""
        tell(engine, bridge, record(1, "on-shell", call("a", "deny", Disposition.FAULT)))
        assert rows(model) == [("1", "on-shell", "a", "deny", "fault")]
        assert model.target(0) == FiringTarget(0, 0)

    def test_several_calls_stand_below(self, model, engine, bridge):
        """With the sum on top."""
        tell(engine, bridge, record(1, "on-shell", call("a"), call("b"), call("c", "queued")))
        assert rows(model) == [
            ("1", "on-shell", "3 hooks", "none ×2, queued", "queued"),
            ("", "", "a", "none", "ignored"),
            ("", "", "b", "none", "ignored"),
            ("", "", "c", "queued", "queued"),
        ]
        assert [model.target(row) for row in range(4)] == [
            FiringTarget(0),
            FiringTarget(0, 0),
            FiringTarget(0, 1),
            FiringTarget(0, 2),
        ]

    def test_result_of_an_earlier_event_stands_below(self, model, engine, bridge):
        """With that event."""
        late = call("counter", mode="async", event="on-tool-call")
        tell(engine, bridge, record(1, "pump", late, phase="control"))
        assert rows(model) == [
            ("1", "pump", "1 hook", "none", "ignored"),
            ("", "on-tool-call", "counter", "none", "ignored"),
        ]
        assert model.target(0) == FiringTarget(0)

    def test_help_is_marked(self, model, engine, bridge):
        """With what it was."""
        tell(engine, bridge, record(1, "on-shell", call("a", marks=("lenient-imports",))))
        assert rows(model)[0][3] == "none *"
        tip = model.index(0, Column.RESULT).data(Qt.ItemDataRole.ToolTipRole)
        assert tip == (
            "* with help: lenient-imports\n53 µs: 41 µs in the guest, 12 µs in the dispatcher"
        )

    def test_reset_names_its_hook(self, model, engine, bridge):
        """There is no call to name it."""
        engine.on_fire = lambda fire: (StepFinished(record(fire.step, "reset", phase="control")),)
        bridge.open_capsule("/c")
        bridge.fire(ResetHook("compactor"))
        bridge.flush()
        assert rows(model)[-1] == ("1", "reset", "compactor", "", "done")

    def test_grouped_rounds_are_counted(self, model, engine, bridge):
        """`times` of the step, `count` of the call."""
        tell(engine, bridge, record(1, "on-shell", call("a", count=1029), times=1029))
        assert rows(model)[0][0] == "1 ×1,029"
        assert rows(model)[0][3] == "none ×1,029"

    def test_running_firing_becomes_a_finished_one(self, model, engine, bridge):
        """In its place, with its calls inserted below."""
        engine.is_patient = True
        bridge.open_capsule("/c")
        bridge.fire(Observe("on-shell"))
        bridge.flush()
        assert rows(model)[-1] == ("1", "on-shell", "", "", "running")
        tell(engine, bridge, record(1, "on-shell", call("a"), call("b")))
        assert [row[4] for row in rows(model)[-3:]] == ["ignored"] * 3

    def test_session_is_a_line_across(self, model, bridge):
        """With nothing to show in the Detail pane."""
        bridge.open_capsule("/c")
        bridge.flush()
        assert "Session ses_02" in rows(model)[0][1]
        assert model.target(0) is None
        assert model.firing(0) is None

    def test_batch_is_one_insertion(self, model, engine, bridge):
        """However many events came in a frame."""
        insertions = []
        model.rowsInserted.connect(lambda *place: insertions.append(place[1:]))
        tell(engine, bridge, *(record(i, "on-shell", call("a")) for i in range(1, 501)))
        assert insertions == [(0, 499)]


class TestFolding:
    """toggle."""

    def test_folds_and_unfolds_one_firing(self, model, engine, bridge):
        """The others stay."""
        found = [record(i, "on-shell", call("a"), call("b")) for i in (1, 2)]
        tell(engine, bridge, *found)
        model.toggle(0)
        assert [row[0] for row in rows(model)] == ["1", "2", "", ""]
        assert model.index(0, 0).data(TimelineModel.Role.EXPANDED) is False
        model.toggle(0)
        assert [row[0] for row in rows(model)] == ["1", "", "", "2", "", ""]

    def test_row_without_calls_cannot_fold(self, model, engine, bridge):
        """Neither a single call nor a child."""
        tell(engine, bridge, record(1, "on-shell", call("a")))
        model.toggle(0)
        assert len(rows(model)) == 1
        assert model.index(0, 0).data(TimelineModel.Role.EXPANDED) is None

    def test_hidden_call_leads_to_its_firing(self, model, engine, bridge):
        """A target finds the nearest row."""
        tell(engine, bridge, record(1, "on-shell", call("a"), call("b")))
        assert model.row_of(FiringTarget(0, 1)) == 2
        model.toggle(0)
        assert model.row_of(FiringTarget(0, 1)) == 0
        assert model.row_of(FiringTarget(7)) is None


class TestFilter:
    """set_query."""

    def test_hides_firings_and_calls(self, model, engine, bridge):
        """Also those that come later."""
        tell(engine, bridge, *sample_state.demo_records())
        model.set_query(parse("is:fault"))
        assert [row[0] for row in rows(model)] == ["3", ""]
        tell(engine, bridge, record(9, "on-shell", call("a", "deny", Disposition.FAULT)))
        tell(engine, bridge, record(10, "on-shell", call("a")))
        assert [row[0] for row in rows(model)] == ["3", "", "9"]
        model.set_query(parse(""))
        assert model.rowCount() == 17

    def test_long_history_is_filtered_in_slices(self, qtbot, bridge, engine, monkeypatch):
        """What comes meanwhile is not lost."""
        model = TimelineModel(bridge)  # Qt's tester would look at every row at once
        monkeypatch.setattr(timeline_model, "_AT_ONCE", 10)
        tell(engine, bridge, *(record(i, "on-shell", call("a")) for i in range(1, 3_001)))
        with qtbot.waitSignal(model.filtered):
            model.set_query(parse("step:2999"))
            tell(engine, bridge, record(3_001, "on-shell", call("b")))
            assert model.rowCount() == 3_000
        assert [row[0] for row in rows(model)] == ["2,999"]
        with qtbot.waitSignal(model.filtered):
            model.set_query(parse("-step:2999"))
        assert model.rowCount() == 3_000
        assert rows(model)[-1][2] == "b"

    def test_newer_query_makes_the_older_void(self, qtbot, bridge, engine, monkeypatch):
        """Only the last result shows."""
        model = TimelineModel(bridge)
        monkeypatch.setattr(timeline_model, "_AT_ONCE", 10)
        tell(engine, bridge, *(record(i, "on-shell", call("a")) for i in range(1, 2_001)))
        with qtbot.waitSignal(model.filtered):
            model.set_query(parse("step:5"))
            model.set_query(parse("step:6"))
        assert [row[0] for row in rows(model)] == ["6"]


def test_bounds__oldest_items_go__front_rows_are_removed(model, engine, bridge, monkeypatch):
    """Rows that stay keep their texts."""
    monkeypatch.setattr(reducer, "HISTORY_ITEMS", CHUNK + 10)
    tell(engine, bridge, *(record(i, "on-shell", call("a"), call("b")) for i in range(1, CHUNK)))
    removed = []
    model.rowsRemoved.connect(lambda *place: removed.append(place[1:]))
    tell(engine, bridge, *(record(i, "on-shell", call("a")) for i in range(CHUNK, CHUNK + 20)))
    assert removed == [(0, 3 * (CHUNK - 1) - 1)]
    assert rows(model)[0][0] == f"{CHUNK + 1}"
    assert model.dropped == CHUNK


def test_last_firing_row__marks_behind_it__are_skipped(model, engine, bridge):
    """A line across is no firing."""
    assert model.last_firing_row() is None
    tell(engine, bridge, record(1, "on-shell", call("a"), call("b")))
    engine.die()
    bridge.flush()
    assert model.last_firing_row() == 0


class TestTiming:
    """Where the time of a row went."""

    def test_host_calls_are_told_apart(self, model, engine, bridge):
        """Guest, host, and what the dispatcher took besides."""
        slow = call("a", duration_us=1_000, host_us=400)
        tell(engine, bridge, record(1, "on-shell", slow, call("b", duration_us=200)))
        cells = model.index(0, 0).data(TimelineModel.Role.CELLS)
        assert timing_text(cells.timing) == (
            "1.21 ms: 800 µs in the guest, 400 µs in host calls, 12 µs in the dispatcher"
        )
        assert cells.timing.host_part == pytest.approx(400 / 1_212)
        child = model.index(1, 0).data(TimelineModel.Role.CELLS)
        assert timing_text(child.timing) == "1.00 ms: 600 µs in the guest, 400 µs in host calls"

    @pytest.mark.parametrize(
        ("total_us", "bar"),
        [(0, 0.0), (1, 0.04), (1_000, 3 / 7), (10_000_000, 1.0), (10**9, 1.0)],
    )
    def test_bar_is_a_logarithm(self, total_us, bar):
        """All rows can be compared, from a microsecond to ten seconds."""
        assert Timing(total_us).bar == pytest.approx(bar)

    def test_late_results_are_not_of_the_step(self, model, engine, bridge):
        """An async call took its time elsewhere."""
        late = call("a", duration_us=9_000, mode="async", event="on-shell")
        tell(engine, bridge, record(1, "pump", late, phase="control", duration_us=100))
        cells = model.index(0, 0).data(TimelineModel.Role.CELLS)
        assert timing_text(cells.timing) == "100 µs: 100 µs in the dispatcher"

    def test_session_tells_how_long_its_hooks_took_to_start(self, model, engine, bridge):
        """In all, and each in the tooltip."""
        bridge.open_capsule("/c")
        bridge.flush()
        assert (
            model.index(0, Column.EVENT)
            .data()
            .endswith("· 5 hooks compiled in 16.1 ms, instantiated in 2.00 ms")
        )
        tip = model.index(0, Column.EVENT).data(Qt.ItemDataRole.ToolTipRole)
        assert "gatekeeper: compiled in 3.21 ms, instantiated in 400 µs" in tip


class TestNotes:
    """Marks and notes."""

    def test_mark_and_note_stand_in_the_row(self, model, qtbot, engine, bridge):
        """As soon as they are taken, and after the engine is gone."""
        tell(engine, bridge, record(1, "on-shell", call("a")))
        with qtbot.waitSignal(model.dataChanged):
            bridge.take_note(RowNote(1, True, "two\nlines"))
            bridge.flush()
        engine.die()
        bridge.flush()
        cells = model.index(0, 0).data(TimelineModel.Role.CELLS)
        assert cells.is_marked
        assert model.index(0, Column.NOTE).data() == "two␊lines"
        assert "Note: two\nlines" in model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)

    def test_filter_follows_marks(self, model, engine, bridge):
        """A row that is marked comes into sight."""
        tell(engine, bridge, *[record(step, "on-shell", call("a")) for step in (1, 2, 3)])
        model.set_query(parse("is:marked"))
        assert model.rowCount() == 0
        bridge.take_note(RowNote(2, True))
        bridge.flush()
        assert [row[0] for row in rows(model)] == ["2"]


class TestHighlighting:
    """The filter points rows out instead of hiding the others."""

    def test_every_row_stays_and_hits_are_marked(self, model, engine, bridge):
        """A firing and those of its calls that fit."""
        tell(engine, bridge, *sample_state.demo_records())
        count = model.rowCount()
        model.set_highlighting(True)
        model.set_query(parse("hook:audit-trail is:fault"))
        assert model.rowCount() == count
        hit = [
            row for row in range(count) if model.index(row, 0).data(TimelineModel.Role.CELLS).is_hit
        ]
        assert [rows(model)[row][2] for row in hit] == ["2 hooks", "audit-trail"]
        assert model.hit_count == 1

    def test_new_rows_are_counted(self, model, qtbot, engine, bridge):
        """And told."""
        model.set_query(parse("hook:a"))
        with qtbot.waitSignal(model.hits_changed):
            tell(engine, bridge, record(1, "on-shell", call("a")), record(2, "on-shell", call("b")))
        assert model.hit_count == 1


class TestWays:
    """From one row to the next that matters."""

    def test_next_bad_is_the_worst_call(self, model, engine, bridge):
        """Round and round, forward and back."""
        tell(engine, bridge, *sample_state.demo_records())
        found, row = [], -1
        for _ in range(3):
            row = model.next_bad(row, forward=True)
            found.append((model.firing(row).step, rows(model)[row][4]))
        assert found == [(2, "denied"), (3, "fault"), (4, "error")]
        assert model.firing(model.next_bad(row, forward=True)).step == 2
        assert model.firing(model.next_bad(row, forward=False)).step == 3

    def test_next_marked_goes_round(self, model, engine, bridge):
        """Without a mark it goes nowhere."""
        tell(engine, bridge, *[record(step, "on-shell", call("a")) for step in range(1, 10)])
        assert model.next_marked(0, forward=True) is None
        for step in (2, 7):
            bridge.take_note(RowNote(step, True))
        bridge.flush()
        assert [model.next_marked(row, forward=True) for row in (-1, 1, 6, 8)] == [1, 6, 1, 1]
        assert [model.next_marked(row, forward=False) for row in (1, 6, 8)] == [6, 1, 6]

    def test_hidden_rows_are_passed_over(self, model, engine, bridge):
        """Only what is shown can be gone to."""
        failed = call("b", "error", Disposition.ERROR)
        tell(engine, bridge, record(1, "on-shell", failed), record(2, "on-stage", failed))
        model.set_query(parse("event:on-stage"))
        assert model.firing(model.next_bad(-1, forward=True)).step == 2
        model.set_query(parse("event:on-task-end"))
        assert model.next_bad(-1, forward=True) is None


def test_filter__hundred_thousand_rows__holds_up_nothing(qtbot, bridge):
    """The watchdog of these tests sees every slot; the result is complete."""
    model = TimelineModel(bridge)  # Qt's tester would go through all rows at each reset
    count = 100_000
    good, bad = call("a"), call("b", "error", Disposition.ERROR, failure=Failure.TRAP)
    firings = [
        Firing(step, "on-shell", "observe", FiringStatus.FINISHED, 1, record=done)
        for step, done in (
            (step, record(step, "on-shell", good, bad if step % 10 == 0 else good))
            for step in range(1, count + 1)
        )
    ]
    state = replace(bridge.latest, history=History(Series().extend(firings)), recording="x")
    bridge.show_recording(state)
    qtbot.waitUntil(lambda: model.rowCount() == 3 * count, timeout=60_000)
    for text, shown in (("failure:trap", 2 * count // 10), ("#99990-", 33)):
        with qtbot.waitSignal(model.filtered, timeout=60_000):
            model.set_query(parse(text))
        assert model.rowCount() == shown
    model.set_query(parse(""))
    qtbot.waitUntil(lambda: model.rowCount() == 3 * count, timeout=60_000)
    assert model.firing(model.next_bad(-1, forward=False)).step == count
