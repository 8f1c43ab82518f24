"""Fixtures, bursts, the last fired and drafts in the whole window, as a user does it."""

import json

import pytest
from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication

from inspector.contract.contract import Phase
from inspector.contract.profile import PROFILES
from inspector.gui import window_state
from inspector.gui.dialogs.fixture_name_dialog import FixtureNameDialog
from inspector.gui.main_window import MainWindow
from inspector.gui.models.timeline_row import Column
from inspector.gui.widgets.text_line import TextLine
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Decide, Fire, Observe
from inspector.workbench import fixture, fixture_store
from inspector.workbench.burst import Ending
from inspector.workbench.draft import Draft
from inspector.workbench.fixture import Fixture
from inspector.workbench.state import Firing
from tests.helpers.fake_port import FakePort

CONTRACT = PROFILES["0.3"].contract


@pytest.fixture
def make(qtbot, tmp_path):
    """Make a window and show it; its fixtures lie beside the file of its state."""
    windows = []

    def build(engine: FakePort | None = None) -> MainWindow:
        window = MainWindow(WorkbenchBridge(engine or FakePort()), tmp_path / "window.json")
        windows.append(window)
        with qtbot.waitExposed(window):
            window.show()
        return window

    yield build
    for window in windows:
        window.close()
        window.deleteLater()


@pytest.fixture
def engine():
    """Its engine."""
    return FakePort()


@pytest.fixture
def window(make, engine):
    """A window with an open capsule and on-shell in the composer."""
    made = make(engine)
    made.open_capsule("/c")
    made.bridge.flush()
    made.composer_link.choose_event("on-shell")
    return made


@pytest.fixture
def folder(tmp_path):
    """The user's own folder of fixtures."""
    return tmp_path / "fixtures"


def fired(engine):
    """Actions that were sent."""
    return [request.action for request in engine.requests if isinstance(request, Fire)]


def press(window, action_id):
    """Trigger an action as its key would."""
    action = window.actions_table[action_id]
    assert action.isEnabled(), action.toolTip()
    action.trigger()
    window.bridge.flush()


def settle(qtbot, window):
    """Wait until the files are read and written."""
    qtbot.waitUntil(lambda: window.fixtures.job.is_idle)


def keep(folder, name, *, event="on-shell", phase="observe", profile="0.3", **fields):
    """Put a fixture into the folder, as another program would."""
    folder.mkdir(exist_ok=True)
    interface = PROFILES[profile].contract.interface
    path = folder / f"{fixture.file_stem(name)}.json"
    path.write_bytes(fixture.encode(Fixture(name, interface, event, phase, fields)))
    return path


def open_list(qtbot, window, words=""):
    """Open the list and search."""
    press(window, "fixtures")
    settle(qtbot, window)
    dialog = window.fixtures.dialog
    qtbot.waitUntil(dialog.isVisible)
    dialog.search.setText(words)
    return dialog


def answer_name(qtbot, window, name):
    """Type a name into the dialog that asks for one, and press Enter."""
    qtbot.waitUntil(lambda: bool(QApplication.topLevelWidgets()) and bool(_asking()))
    dialog = _asking()
    dialog.field.setText(name)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    settle(qtbot, window)


def _asking():
    found = [w for w in QApplication.topLevelWidgets() if isinstance(w, FixtureNameDialog)]
    return next((dialog for dialog in found if dialog.isVisible()), None)


class TestFixtures:
    """Save, find, load, rename, copy, delete, star."""

    def test_saved_event_is_loaded_and_fired_as_it_was(self, qtbot, window, engine, folder):
        """Ctrl+S, another event, Ctrl+E, a few words, Ctrl+Enter."""
        window.composer.load_fields("on-shell", Phase.DECIDE, {"turn": 4_294_967_295})
        shown = window.composer.action()
        press(window, "save-fixture")
        answer_name(qtbot, window, "Largest turn: é")
        assert [path.name for path in folder.glob("*.json")] == ["Largest turn%3A é.json"]
        assert window.bridge.latest.remarks[-1].message == "“Largest turn: é” was saved."
        window.composer_link.choose_event("on-stage")
        dialog = open_list(qtbot, window, "largest turn")
        qtbot.keyClick(dialog.search, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        settle(qtbot, window)
        assert fired(engine) == [shown]
        assert window.composer.action() == shown
        assert window.fixtures.dialog is None

    def test_what_is_no_event_yet_is_not_saved(self, qtbot, window):
        """The problem is told; nothing is lost."""
        window.composer.set_draft(Draft("on-shell", "observe", "text", "{ half"))
        press(window, "save-fixture")
        assert "cannot be kept as a fixture yet. Line 1" in window.bridge.latest.remarks[-1].message
        assert _asking() is None
        assert window.composer.draft().text == "{ half"

    def test_same_name_asks_and_comes_back(self, qtbot, window, folder):
        """Replace is said on the button; the list has the way back."""
        path = keep(folder, "rm", turn=1)
        window.composer.load_fields("on-shell", Phase.OBSERVE, {"turn": 2})
        press(window, "save-fixture")
        settle(qtbot, window)
        dialog = _asking()
        dialog.field.setText("RM")
        assert dialog.accept_button.text() == "Replace"
        qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
        settle(qtbot, window)
        assert json.loads(path.read_bytes())["fields"]["turn"] == 2
        listed = open_list(qtbot, window)
        assert listed.banner.message() == "“RM” was saved in place of the earlier one."
        listed.banner.action_button.click()
        settle(qtbot, window)
        assert json.loads(path.read_bytes())["fields"]["turn"] == 1
        listed.close()

    def test_change_by_another_program_is_said_before_it_is_replaced(self, qtbot, window, folder):
        """Loaded, edited elsewhere, then saved here."""
        keep(folder, "rm", turn=1)
        dialog = open_list(qtbot, window, "rm")
        dialog.load()
        settle(qtbot, window)
        keep(folder, "rm", turn=77)
        press(window, "save-fixture")
        settle(qtbot, window)
        asking = _asking()
        assert asking.field.text() == "rm"
        assert "changed by another program" in asking.note.text()
        asking.close()

    def test_broken_file_keeps_its_name(self, qtbot, window, folder):
        """The name cannot be taken, and the list says what is wrong."""
        folder.mkdir()
        (folder / "rm.json").write_text("{ half")
        press(window, "save-fixture")
        settle(qtbot, window)
        asking = _asking()
        asking.field.setText("rm")
        assert not asking.accept_button.isEnabled()
        assert asking.note.text().endswith("It is left as it is; choose another name.")
        qtbot.keyClick(asking.field, Qt.Key.Key_Return)
        assert asking.isVisible()
        asking.close()
        dialog = open_list(qtbot, window, "rm.json")
        assert dialog.note.text().startswith("rm.json is not JSON (line 1, column 3")
        assert not dialog.load_button.isEnabled()
        dialog.close()
        assert (folder / "rm.json").read_text() == "{ half"

    def test_other_contract_is_told_and_not_loaded(self, qtbot, window, folder):
        """With the profile that takes it."""
        keep(folder, "ancient", event="on-task-start", profile="0.1", nonsense=1)
        dialog = open_list(qtbot, window, "ancient")
        assert dialog.note.text().startswith("Made for lifecycle@0.2.0, and lifecycle@0.8.0 is in")
        assert not dialog.load_button.isEnabled()
        dialog.load()
        assert window.fixtures.dialog is dialog
        dialog.close()

    def test_renamed_by_f2(self, qtbot, window, folder):
        """The file goes along, and the row stays chosen."""
        keep(folder, "a")
        keep(folder, "b")
        dialog = open_list(qtbot, window)
        dialog.table.show_row(1)
        qtbot.keyClick(dialog.table, Qt.Key.Key_F2)
        answer_name(qtbot, window, "z")
        assert sorted(path.name for path in folder.glob("*.json")) == ["a.json", "z.json"]
        assert dialog.pick().name == "z"
        dialog.close()

    def test_taken_name_is_not_given_again(self, qtbot, window, folder):
        """The reason stands under the field."""
        keep(folder, "a")
        keep(folder, "b")
        dialog = open_list(qtbot, window, "a.json")
        dialog.rename()
        asking = _asking()
        asking.field.setText("B")
        assert not asking.accept_button.isEnabled()
        assert asking.note.text() == "There is a fixture of this name; choose another one."
        asking.field.setText("A")
        assert asking.accept_button.text() == "Rename"
        asking.close()
        dialog.close()

    def test_deleted_after_a_question_and_back_by_undo(self, qtbot, window, folder):
        """Del, Enter on the question, Ctrl+Z."""
        path = keep(folder, "rm")
        content = path.read_bytes()
        dialog = open_list(qtbot, window, "rm.json")
        dialog.table.setFocus()
        qtbot.keyClick(dialog.table, Qt.Key.Key_Delete)
        assert dialog.banner.message() == "Delete “rm”?"
        assert path.exists()
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.banner.isVisible()
        assert dialog.isVisible()
        dialog.ask_delete()
        dialog.banner.action_button.click()
        settle(qtbot, window)
        assert not path.exists()
        qtbot.keyClick(dialog, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        settle(qtbot, window)
        assert path.read_bytes() == content
        assert dialog.pick().name == "rm"
        dialog.close()

    def test_star_and_copy_by_keys(self, qtbot, window, folder):
        """A star takes it to the top."""
        keep(folder, "a")
        keep(folder, "b")
        dialog = open_list(qtbot, window, "b.json")
        qtbot.keyClick(dialog.search, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
        settle(qtbot, window)
        dialog.search.clear()
        assert (dialog.pick().name, dialog.pick().is_star) == ("b", True)
        qtbot.keyClick(dialog.search, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
        settle(qtbot, window)
        assert dialog.pick().name == "b copy"
        assert sorted(path.stem for path in folder.glob("*.json")) == ["a", "b", "b copy"]
        dialog.close()

    def test_file_of_another_program_appears_while_the_list_shows(self, qtbot, window, folder):
        """Nothing has to be pressed."""
        dialog = open_list(qtbot, window, "came")
        assert dialog.stack.currentWidget() is dialog.empty
        keep(folder, "came")
        qtbot.waitUntil(lambda: dialog.pick() is not None)
        assert dialog.pick().name == "came"
        dialog.close()

    def test_edge_case_is_found_by_words_and_loaded_by_enter(self, qtbot, window):
        """Arrows move in the list while words are typed."""
        dialog = open_list(qtbot, window, "numbers")
        assert dialog.pick().name == "Largest numbers"
        qtbot.keyClick(dialog.search, Qt.Key.Key_Down)
        assert dialog.pick().name == "Smallest numbers"
        qtbot.keyClick(dialog.search, Qt.Key.Key_Up)
        qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
        assert window.composer.action().fields["turn"] == 4_294_967_295

    def test_typing_in_the_list_goes_on_searching(self, qtbot, window):
        """The letter is not lost."""
        dialog = open_list(qtbot, window, "nu")
        dialog.table.setFocus()
        qtbot.keyClick(dialog.table, Qt.Key.Key_L)
        assert dialog.search.text() == "nul"
        dialog.close()

    def test_capsules_own_fixtures_are_there_and_stay(self, qtbot, make, tmp_path):
        """They can be copied, not renamed."""
        shared = keep(tmp_path / "capsule-fixtures", "shared")
        folder = tmp_path / "capsule" / "fixtures"
        folder.mkdir(parents=True)
        shared = shared.rename(folder / "shared.json")
        window = make()
        window.open_capsule("/c")
        window.bridge.flush()
        window.fixtures._capsule = lambda: str(tmp_path / "capsule")
        dialog = open_list(qtbot, window, "shared")
        assert dialog.pick().kind == "capsule's"
        assert not dialog.rename_button.isEnabled()
        assert not dialog.delete_button.isEnabled()
        dialog.duplicate()
        settle(qtbot, window)
        assert list(folder.iterdir()) == [shared]
        assert (tmp_path / "fixtures" / "shared copy.json").exists()
        dialog.close()

    def test_disk_that_refuses_is_told_and_nothing_is_lost(self, qtbot, window, folder):
        """A file stands where the folder should be."""
        folder.write_text("x")
        press(window, "save-fixture")
        settle(qtbot, window)
        answer_name(qtbot, window, "rm")
        texts = [remark.message for remark in window.bridge.latest.remarks]
        assert any("cannot be written" in text for text in texts)
        assert window.composer.action() is not None

    def test_every_control_of_the_list_has_a_name_and_a_tab_place(self, qtbot, window, folder):
        """And closing gives the focus back."""
        keep(folder, "rm")
        dialog = open_list(qtbot, window, "rm.json")
        order = [dialog.search]
        while (following := order[-1].nextInFocusChain()) not in order:
            order.append(following)
        tabbed = [w for w in order if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isVisible()]
        assert all(widget.accessibleName() for widget in tabbed)
        for button in (dialog.star_button, dialog.rename_button, dialog.load_button):
            assert button in tabbed
        dialog.close()

    def test_thousand_fixtures_do_not_hold_up_the_window(self, qtbot, window, folder):
        """They are read in another thread (the watchdog looks on)."""
        for number in range(1_000):
            keep(folder, f"fixture {number:04}", turn=number)
        dialog = open_list(qtbot, window, "fixture 0999")
        assert dialog.pick().name == "fixture 0999"
        dialog.close()


class Answerer(QObject):
    """Answers open firings in batches, as an engine's frames come."""

    def __init__(self, engine, burst_of, parent):
        super().__init__(parent)
        self._engine = engine
        self._burst_of = burst_of
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._answer)
        self._timer.start()

    @Slot()
    def _answer(self):
        for _ in range(20):
            burst = self._burst_of()
            if burst is None or burst.is_over:
                self._timer.stop()
                return
            self._engine.finish()


class TestBurstInTheWindow:
    """With timeline, logs and all."""

    def test_ten_thousand_do_not_stall(self, qtbot, window, engine):
        """The watchdog looks at every event; the counts are exact."""
        engine.is_patient = True
        press(window, "fire-many")
        window.bursts.bar.times.setText("10000")
        window.bursts.bar.start_button.click()
        Answerer(engine, lambda: window.bursts.burst, window)
        qtbot.waitUntil(lambda: window.bursts.burst.is_over, timeout=120_000)
        window.bridge.flush()
        progress = window.bursts.burst.progress()
        assert (progress.sent, progress.finished, progress.ending) == (10_000, 10_000, Ending.DONE)
        assert window.bridge.state.counts.fired == 10_000
        assert len(fired(engine)) == 10_000

    def test_escape_stops_the_burst_first_then_the_call(self, window, engine):
        """The running call is not hit by the first one."""
        engine.is_patient = True
        press(window, "fire-many")
        window.bursts.bar.forever.setChecked(True)
        window.bursts.bar.start_button.click()
        press(window, "stop")
        assert engine.interrupts == 0
        assert not window.bursts.is_giving
        press(window, "stop")
        assert engine.interrupts == 1
        engine.finish()

    def test_stop_is_there_while_a_slow_burst_waits(self, qtbot, window, engine):
        """Nothing runs, and something is to stop."""
        window.bursts.bar.rate.setText("0.01")
        window.bursts.bar.start_button.click()
        window.bridge.flush()
        assert not window.bridge.latest.running
        press(window, "stop")
        qtbot.waitUntil(lambda: not window.actions_table["stop"].isEnabled())

    def test_edge_cases_stand_in_the_timeline_by_name(self, qtbot, window):
        """And the filter finds them."""
        press(window, "fire-edge-cases")
        qtbot.waitUntil(lambda: window.bursts.burst is not None and window.bridge.is_settled)
        window.bridge.flush()
        labels = [i.label for i in window.bridge.state.history.items if isinstance(i, Firing)]
        assert "Right-to-left text" in labels
        assert window.bursts.burst.progress().finished == len(labels) >= 10
        model = window.timeline.table.model()
        events = [model.index(row, Column.EVENT).data() for row in range(model.rowCount())]
        assert [event for event in events if event.startswith("on-shell ·")] == [
            f"on-shell · {n}" for n in labels if n
        ]
        window.timeline.filter_field.setText('"right-to-left"')
        qtbot.waitUntil(lambda: model.rowCount() == 1)


class TestLastFired:
    """Again, and back into the composer."""

    def test_last_comes_back_into_the_composer(self, window, engine):
        """Event, phase and fields; undo gives back what was typed meanwhile."""
        window.composer.load_fields("on-shell", Phase.DECIDE, {"turn": 5, "binary": "/bin/rm"})
        press(window, "fire")
        window.composer.load_fields("on-shell", Phase.OBSERVE, {"turn": 9})
        window.composer_link.choose_event("on-stage")
        press(window, "load-last")
        assert window.composer.action() == fired(engine)[0]
        assert isinstance(fired(engine)[0], Decide)
        window.composer.composition().undo()
        assert window.composer.composition().form.value()["turn"] == 9

    def test_last_is_fired_again_while_another_event_is_half_typed(self, window, engine):
        """Exactly, and the half typed text stays."""
        window.composer.load_fields("on-shell", Phase.OBSERVE, {"turn": 5})
        press(window, "fire")
        window.composer.set_draft(Draft("on-stage", "observe", "text", "{ half"))
        press(window, "fire-last")
        assert fired(engine)[0] == fired(engine)[1]
        assert window.composer.draft().text == "{ half"

    def test_shift_enter_in_a_field_fires_the_last(self, qtbot, window, engine):
        """From wherever the focus is in the form."""
        press(window, "fire")
        window.composer_link.choose_event("on-inference")
        window.composer.setFocus()
        focused = QApplication.focusWidget()
        qtbot.keyClick(focused, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert len(fired(engine)) == 2
        assert fired(engine)[1].event == "on-shell"

    def test_last_is_still_known_after_the_engine_was_lost(self, window, engine):
        """It goes to the next engine as it was."""
        press(window, "fire")
        engine.die("Gone.")
        window.bridge.flush()
        assert not window.actions_table["fire-last"].isEnabled()
        window.bridge.restart_engine()
        window.bridge.flush()
        press(window, "fire-last")
        assert fired(engine)[0] == fired(engine)[1]

    def test_nothing_fired_yet_is_said(self, window):
        """Both actions say why."""
        for action in ("fire-last", "load-last"):
            assert window.actions_table[action].toolTip().endswith("Nothing was fired yet.")


BROKEN = '{"turn": 12, "binary": "/bin/\\q\0'


class TestDrafts:
    """Nothing typed is ever lost."""

    @pytest.fixture
    def typed(self, window):
        """A text with an error in on-shell, typed key by key into the editor."""
        window.composer.composition().set_mode("text")
        window.composer.text_pane.editor.selectAll()
        window.composer.text_pane.editor.insertPlainText(BROKEN)
        assert window.composer.draft().text == BROKEN
        return window

    def test_switching_events_keeps_invalid_text(self, typed):
        """To the letter, NUL and all."""
        for event in ("on-stage", "on-inference", "on-shell"):
            typed.composer_link.choose_event(event)
        assert typed.composer.draft().text == BROKEN
        assert typed.composer.text_pane.text() == BROKEN
        assert typed.composer.action() is None

    def test_reload_and_another_profile_keep_it(self, typed):
        """Also when the contract changes and changes back."""
        press(typed, "reload")
        assert typed.composer.text_pane.text() == BROKEN
        for profile in ("0.1", "0.4", "0.3"):
            typed.bridge.choose_profile(profile)
            typed.bridge.flush()
            assert typed.composer.text_pane.text() == BROKEN

    def test_lost_engine_keeps_it(self, typed, engine):
        """And the restart."""
        engine.die("Gone.")
        typed.bridge.flush()
        assert typed.composer.text_pane.text() == BROKEN
        typed.bridge.restart_engine()
        typed.bridge.flush()
        assert typed.composer.text_pane.text() == BROKEN

    def test_next_window_has_it(self, typed, make, engine):
        """Also what was typed into a form and is no number."""
        typed.composer_link.choose_event("on-inference")
        typed.composer.composition().form.set_typed(("turn",), "4294967296", "Too large.")
        typed.close()
        second = make()
        assert second.composer.event_name() == "on-inference"
        second.open_capsule("/c")
        second.bridge.flush()
        (path, wrong), *_ = second.composer.composition().form.problems()
        assert (path, wrong.text) == (("turn",), "4294967296")
        second.composer_link.choose_event("on-shell")
        assert second.composer.text_pane.text() == BROKEN

    def test_loading_over_invalid_text_is_undone_in_the_editor(self, qtbot, typed):
        """Ctrl+Z gives the text back."""
        typed.composer_link.load_fields("on-shell", "observe", {"turn": 3})
        assert typed.composer.action().fields["turn"] == 3
        typed.composer.text_pane.editor.undo()
        assert typed.composer.text_pane.text() == BROKEN
        assert typed.composer.draft().text == BROKEN

    def test_loading_a_big_value_over_invalid_text_is_undone_too(self, typed):
        """The editor holds only a picture then; its button has the way back."""
        typed.composer_link.load_fields("on-shell", "observe", {"command": "x" * 200_000})
        assert typed.composer.composition().is_held()
        typed.composer.text_pane.banner.action_button.click()
        assert typed.composer.text_pane.text() == BROKEN
        assert typed.composer.draft().text == BROKEN

    def test_draft_is_on_the_disk_soon_after_typing(self, qtbot, typed, tmp_path):
        """A crash of the window costs nothing older than the last pause."""
        typed.memory._timer.setInterval(0)
        typed.composer.text_pane.editor.insertPlainText("x")
        qtbot.waitUntil((tmp_path / "window.json").exists)
        (draft,) = [
            one
            for one in window_state.load(tmp_path / "window.json").state.drafts
            if one.event == "on-shell"
        ]
        assert draft.text == BROKEN + "x"

    def test_what_is_fired_is_what_the_text_says(self, typed, engine):
        """Mended text goes out, never an earlier value."""
        typed.composer.text_pane.editor.selectAll()
        typed.composer.text_pane.editor.insertPlainText('{"turn": 18, "binary": "b"}')
        press(typed, "fire")
        (action,) = fired(engine)
        assert isinstance(action, Observe)
        assert (action.fields["turn"], action.fields["binary"]) == (18, "b")


def test_fixtures__default_place__is_in_the_state_folder(monkeypatch, tmp_path):
    """Below the home of the inspector's own."""
    monkeypatch.setenv("CAPSULE_INSPECTOR_HOME", str(tmp_path))
    assert fixture_store.default_folder() == window_state.default_path().parent / "fixtures"


class TestShiftEnter:
    """Who takes the key."""

    def test_text_editor_leaves_it_to_the_window(self, qtbot, window, engine):
        """It fires the last; the text stays as it is."""
        press(window, "fire")
        window.composer.composition().set_mode("text")
        window.composer.setFocus()
        editor = window.composer.text_pane.editor
        qtbot.waitUntil(editor.hasFocus)
        before = editor.text()
        qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert len(fired(engine)) == 2
        assert editor.text() == before
        qtbot.keyClick(editor, Qt.Key.Key_Return)
        assert editor.text() != before

    def test_lines_of_text_leave_it_too(self, qtbot, window, engine):
        """A field of a form."""
        press(window, "fire")
        (field, *_) = window.composer.form().findChildren(TextLine)
        field.setFocus()
        qtbot.waitUntil(field.hasFocus)
        qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert len(fired(engine)) == 2
        assert fired(engine)[0] == fired(engine)[1]

    def test_search_keeps_it_for_the_previous_match(self, qtbot, window, engine):
        """Nothing is fired by searching."""
        press(window, "fire")
        window.composer.composition().set_mode("text")
        window.composer.open_search()
        bar = window.composer.text_pane.search_bar
        qtbot.waitUntil(bar.field.hasFocus)
        bar.field.setText("t")
        with qtbot.waitSignal(bar.previous_requested):
            qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert len(fired(engine)) == 1

    def test_filter_of_the_timeline_keeps_it_too(self, qtbot, window, engine):
        """It goes to the row before."""
        press(window, "fire")
        field = window.timeline.filter_field
        field.setFocus()
        qtbot.waitUntil(field.hasFocus)
        qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert len(fired(engine)) == 1
