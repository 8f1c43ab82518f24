"""Rows of the timeline in the whole window: again, edit, marks, compare, copy, recordings."""

import json
import shlex

import pytest
import yaml
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from inspector.contract.record import Disposition
from inspector.gui.focus import DiffTarget, FiringTarget
from inspector.gui.main_window import MainWindow
from inspector.gui.timeline_link import MOST_COPIED
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import BeginTask, Decide, Fire, Observe, StepFinished, TaskOutput
from inspector.workbench import scenario
from inspector.workbench.state import RowNote
from tests.helpers import sample_state
from tests.helpers.fake_port import FakePort
from tests.helpers.sample_state import call, record


@pytest.fixture
def engine():
    """Its engine."""
    return FakePort()


@pytest.fixture
def window(qtbot, tmp_path, engine, monkeypatch):
    """A window with an open capsule."""
    monkeypatch.setenv("CAPSULE_INSPECTOR_HOME", str(tmp_path / "home"))
    made = MainWindow(WorkbenchBridge(engine), tmp_path / "window.json")
    with qtbot.waitExposed(made):
        made.show()
    made.open_capsule("/my capsule")
    made.bridge.flush()
    yield made
    made.close()
    made.deleteLater()


def press(window, action_id):
    """Trigger an action as its key would."""
    action = window.actions_table[action_id]
    assert action.isEnabled(), action.toolTip()
    action.trigger()
    window.bridge.flush()


def fire(window, *actions):
    """Run actions."""
    for action in actions:
        window.bridge.fire(action)
    window.bridge.flush()


def choose(window, step):
    """Make the row of a firing the current one, as a click does."""
    model = window.timeline.table.model()
    row = next(r for r in range(model.rowCount()) if (f := model.firing(r)) and f.step == step)
    window.timeline.table.setCurrentIndex(model.index(row, 0))
    assert window.timeline.current_firing().step == step


def fired(engine):
    """Actions that were sent."""
    return [request.action for request in engine.requests if isinstance(request, Fire)]


SHELL = Decide("on-shell", {"turn": 1, "binary": "/bin/rm", "argv": ["-rf", "a b"]})


class TestAgain:
    """Fire again, edit and fire."""

    def test_any_row_is_fired_again_as_a_new_one(self, window, engine):
        """A control step, too; the old row stays."""
        fire(window, BeginTask("do it"), SHELL)
        choose(window, 1)
        press(window, "refire")
        assert fired(engine) == [BeginTask("do it"), SHELL, BeginTask("do it")]
        assert window.timeline.current_firing().step == 3
        assert window.timeline.table.follows

    def test_edited_row_is_a_new_one(self, window, engine):
        """The one it came from is never written over."""
        fire(window, Observe("on-shell", {"turn": 7}))
        choose(window, 1)
        press(window, "edit-row")
        assert window.composer.action().fields["turn"] == 7
        press(window, "fire")
        assert [action.fields["turn"] for action in fired(engine)] == [7, 7]
        assert window.bridge.state.item(1).fields == {"turn": 7}

    def test_step_without_fields_says_what_to_do(self, window):
        """It can only be fired again."""
        fire(window, TaskOutput("x"))
        action = window.actions_table["edit-row"]
        assert not action.isEnabled()
        assert "task-output has no fields to edit; fire it again instead." in action.toolTip()


class TestMarks:
    """M, N and the ways."""

    def test_mark_note_and_crash(self, qtbot, window, engine):
        """What the user keeps outlives engine and session."""
        fire(window, SHELL, SHELL, SHELL)
        choose(window, 2)
        qtbot.keyClick(window.timeline.table, Qt.Key.Key_M)
        qtbot.keyClick(window.timeline.table, Qt.Key.Key_N)
        assert window.timeline.note_bar.isVisible()
        qtbot.keyClicks(window.timeline.note_bar.field, "odd m1")
        qtbot.keyClick(window.timeline.note_bar.field, Qt.Key.Key_Return)
        engine.die()
        window.bridge.flush()
        window.bridge.restart_engine()
        window.bridge.flush()
        assert window.bridge.state.notes == {2: RowNote(2, True, "odd m1")}
        choose(window, 2)
        press(window, "mark")
        assert window.bridge.state.notes == {2: RowNote(2, False, "odd m1")}

    def test_ways_lead_from_row_to_row(self, window, engine):
        """Marked ones, bad ones, the newest."""
        assert not window.actions_table["next-mark"].isEnabled()
        engine.tell(*map(StepFinished, sample_state.demo_records()))
        window.bridge.flush()
        choose(window, 1)
        press(window, "mark")
        choose(window, 5)
        press(window, "next-mark")
        assert window.timeline.current_firing().step == 1
        press(window, "next-bad")
        assert window.timeline.current_firing().step == 2
        press(window, "previous-bad")
        assert window.timeline.current_firing().step == 4
        press(window, "follow")
        assert window.timeline.current_firing().step == 7

    def test_nothing_bad_is_told(self, window):
        """In the status bar."""
        fire(window, BeginTask("x"))
        press(window, "next-bad")
        assert window.status.currentMessage() == "No row that is shown ended badly."


class TestCompare:
    """D."""

    def test_row_is_compared_with_the_marked_one(self, qtbot, window, engine):
        """And D again shows the row."""
        fire(window, Observe("on-shell", {"turn": 1}), Observe("on-shell", {"turn": 2}))
        choose(window, 1)
        assert not window.actions_table["diff"].isEnabled()
        press(window, "mark")
        choose(window, 2)
        press(window, "diff")
        assert isinstance(window.focus.target, DiffTarget)
        lines = window.detail.diff_page.lines
        qtbot.waitUntil(lambda: len(lines.model.rows) > 3)
        texts = [row.texts for row in lines.model.rows]
        assert ("−", '  "turn": 1') in texts
        assert ("+", '  "turn": 2') in texts
        assert lines.summary.text() == "2 lines differ"
        assert "#1 on-shell → #2 on-shell" in window.detail.diff_page.head.texts()
        press(window, "diff")
        assert window.focus.target == FiringTarget(2)

    def test_row_that_was_shown_from_elsewhere_can_be_compared(self, window):
        """A link of a log line, say, makes it the current one, too."""
        fire(window, SHELL, SHELL)
        choose(window, 1)
        press(window, "mark")
        window.focus.show(FiringTarget(2, 0))
        press(window, "diff")
        assert window.focus.target == DiffTarget(1, 2)

    def test_last_mark_counts(self, window):
        """Other than the row itself."""
        fire(window, SHELL, SHELL, SHELL)
        for step in (1, 2):
            choose(window, step)
            press(window, "mark")
        choose(window, 3)
        press(window, "diff")
        assert window.focus.target == DiffTarget(2, 3)
        choose(window, 2)
        press(window, "diff")
        assert window.focus.target == DiffTarget(1, 2)


class TestCopy:
    """Text that goes elsewhere and comes back."""

    def test_chosen_rows_are_scenario_steps(self, window):
        """In YAML and in JSON, read back to what was sent."""
        fire(window, BeginTask("do\nit"), SHELL)
        window.timeline.table.selectAll()
        press(window, "copy-step")
        text = "".join(f"  {x}\n" for x in QGuiApplication.clipboard().text().splitlines())
        found = list(scenario.parse(f"scenario: 1\nsteps:\n{text}").actions())
        assert found[0] == BeginTask("do\nit")
        assert (found[1].event, found[1].fields["argv"]) == ("on-shell", ["-rf", "a b"])
        press(window, "copy-json")
        steps = json.loads(QGuiApplication.clipboard().text())
        assert steps[0] == {"begin-task": {"original": "do\nit"}}

    def test_command_runs_a_scenario_that_was_saved(self, qtbot, window, tmp_path):
        """With the capsule as it was opened."""
        fire(window, SHELL)
        choose(window, 1)
        press(window, "copy-command")
        words = shlex.split(QGuiApplication.clipboard().text())
        assert words[:3] == ["capsule-inspector", "run", "/my capsule"]
        folder = tmp_path / "home" / "state" / "scenarios"
        qtbot.waitUntil(lambda: folder.is_dir() and any(folder.glob("*.yaml")))
        (path,) = folder.glob("*.yaml")
        assert words[3] == str(path)
        (action,) = scenario.load(str(path)).actions()
        assert action.fields["argv"] == ["-rf", "a b"]

    def test_rows_are_saved_as_a_scenario(self, qtbot, window, tmp_path):
        """Where the user says."""
        fire(window, SHELL)
        press(window, "save-scenario")
        (dialog,) = window.findChildren(QFileDialog)
        path = tmp_path / "x.scenario.yaml"
        dialog.fileSelected.emit(str(path))
        dialog.close()
        qtbot.waitUntil(path.exists)
        assert yaml.safe_load(path.read_text())["profile"] == "0.3"

    def test_result_is_json(self, window):
        """As a record of the command line."""
        fire(window, SHELL)
        press(window, "copy-record")
        assert json.loads(QGuiApplication.clipboard().text())["event"] == "on-shell"

    def test_too_many_rows_are_refused(self, window, engine):
        """In a sentence; the clipboard stays."""
        QGuiApplication.clipboard().setText("before")
        engine.tell(
            *(StepFinished(record(n, "on-shell", call("a"))) for n in range(1, MOST_COPIED + 2))
        )
        window.bridge.flush()
        window.timeline.table.selectAll()
        press(window, "copy-step")
        assert QGuiApplication.clipboard().text() == "before"
        assert "At most 1,000 rows" in window.bridge.state.remarks[-1].message


class TestRecording:
    """Save, open, close."""

    def record_day(self, qtbot, window, engine, path):
        """A few rows, saved."""
        engine.tell(*map(StepFinished, sample_state.demo_records()))
        window.bridge.take_note(RowNote(4, True, "look"))
        window.bridge.flush()
        press(window, "save-recording")
        dialog = window.findChildren(QFileDialog)[-1]
        dialog.fileSelected.emit(str(path))
        dialog.close()
        qtbot.waitUntil(path.exists)

    def test_recording_is_shown_and_closed_again(self, qtbot, window, engine, tmp_path):
        """Nothing can be fired in it; the live rows are there afterwards."""
        path = tmp_path / "day.jsonl"
        self.record_day(qtbot, window, engine, path)
        fire(window, SHELL)
        live = window.timeline.table.model().rowCount()
        with qtbot.waitSignal(window.recordings.opened):
            window.open_capsule(str(path))
        assert window.recordings.banner.isVisible()
        assert "day.jsonl" in window.recordings.banner.message()
        assert window.windowTitle() == "day.jsonl (recording) — Capsule Inspector"
        assert window.timeline.table.model().rowCount() == live - 1
        assert window.bridge.state.notes == {4: RowNote(4, True, "look")}
        for action in ("fire", "refire", "reload", "reset-hook"):
            assert not window.actions_table[action].isEnabled(), action
        sent = len(fired(engine))
        window.bridge.fire(SHELL)
        assert len(fired(engine)) == sent
        engine.tell(StepFinished(record(50, "on-shell", call("a"))))
        window.bridge.flush()
        assert window.timeline.table.model().rowCount() == live - 1
        window.recordings.banner.action_button.click()
        assert window.timeline.table.model().rowCount() == live + 1
        assert not window.recordings.banner.isVisible()
        assert window.actions_table["fire"].isEnabled()
        assert window.windowTitle() == "ledger-demo 0.3.1 — Capsule Inspector"

    def test_rows_of_a_recording_are_marked_and_copied(self, qtbot, window, engine, tmp_path):
        """What is only looked at can be kept and taken along."""
        path = tmp_path / "day.jsonl"
        self.record_day(qtbot, window, engine, path)
        with qtbot.waitSignal(window.recordings.opened):
            window.recordings.open(str(path))
        choose(window, 2)
        press(window, "mark")
        assert list(window.bridge.state.notes) == [4, 2]
        press(window, "copy-step")
        assert QGuiApplication.clipboard().text().startswith("- decide:\n    on-shell:\n")
        press(window, "close-recording")
        assert list(window.bridge.state.notes) == [4]

    def test_opening_a_capsule_leaves_the_recording(self, qtbot, window, engine, tmp_path):
        """The live rows go on."""
        path = tmp_path / "day.jsonl"
        self.record_day(qtbot, window, engine, path)
        with qtbot.waitSignal(window.recordings.opened):
            window.recordings.open(str(path))
        window.open_capsule("/other")
        window.bridge.flush()
        assert window.bridge.state.recording is None
        assert window.bridge.state.path == "/other"

    def test_window_closes_while_a_recording_is_shown(self, qtbot, window, engine, tmp_path):
        """It hears of the engine's end all the same."""
        path = tmp_path / "day.jsonl"
        self.record_day(qtbot, window, engine, path)
        with qtbot.waitSignal(window.recordings.opened):
            window.recordings.open(str(path))
        with qtbot.waitSignal(window.closed):
            window.close()

    def test_other_file_is_refused_in_a_sentence(self, qtbot, window, tmp_path):
        """With its name; what is shown stays."""
        path = tmp_path / "x.jsonl"
        path.write_text("{}")
        window.recordings.open(str(path))
        qtbot.waitUntil(
            lambda: any("no recording" in r.message for r in window.bridge.latest.remarks)
        )
        assert window.bridge.state.recording is None


def test_menu__of_a_row__offers_what_can_be_done(window):
    """Each an action of the table."""
    failed = call("a", "error", Disposition.ERROR)
    window.bridge._engine.tell(StepFinished(record(1, "on-shell", failed)))
    window.bridge.flush()
    texts = [action.text() for action in window.timeline._menu_actions if action is not None]
    assert texts[:4] == ["Fire again", "Edit and fire…", "Mark", "Note…"]
