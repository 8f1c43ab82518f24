"""Rows of the timeline: batches, folding, the filter, bounds."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from inspector.contract.record import Disposition
from inspector.gui.focus import FiringTarget
from inspector.gui.models import timeline_model
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.models.timeline_row import Column
from inspector.protocol.message import Observe, ResetHook, StepFinished
from inspector.workbench import reducer
from inspector.workbench.history import CHUNK
from inspector.workbench.search import parse
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
        assert tip == "* with help: lenient-imports"

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
