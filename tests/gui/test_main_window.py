"""The whole window over an engine without a process."""

import json

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QFileDialog

from inspector.contract.contract import EVENTS, Phase
from inspector.gui import theme, window_state
from inspector.gui.dialogs.key_dialog import KeyDialog
from inspector.gui.focus import FiringTarget, HookTarget
from inspector.gui.main_window import MainWindow
from inspector.gui.window_state import WindowState
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Decide, Fire, LogAppended, Observe, OpenCapsule, ResetHook
from inspector.workbench.draft import Draft
from inspector.workbench.state import Firing
from tests.helpers import sample_state
from tests.helpers.fake_port import FakePort


@pytest.fixture
def state_path(tmp_path):
    """The file of what is remembered."""
    return tmp_path / "window.json"


@pytest.fixture
def make(qtbot, state_path):
    """Make a window and show it."""
    windows = []

    def build(engine: FakePort | None = None) -> MainWindow:
        window = MainWindow(WorkbenchBridge(engine or FakePort()), state_path)
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
    """A window with an open capsule."""
    made = make(engine)
    made.open_capsule("/c")
    made.bridge.flush()
    return made


def fired(engine):
    """Actions that were sent."""
    return [request.action for request in engine.requests if isinstance(request, Fire)]


def press(window, action_id):
    """Trigger an action as its key would."""
    action = window.actions_table[action_id]
    assert action.isEnabled(), action.toolTip()
    action.trigger()
    window.bridge.flush()


class TestOpening:
    """Welcome page and panes."""

    def test_welcome_page_comes_first(self, make):
        """No pane without a capsule; the samples are offered."""
        window = make()
        assert window.welcome.isVisible()
        assert not any(dock.isVisible() for dock in window.findChildren(QDockWidget))
        assert not window.rail.isVisible()
        assert "sample:tour" in [
            button.property("capsulePath") for button in window.welcome.buttons()
        ]

    def test_open_capsule_shows_the_panes(self, window):
        """And its name in the title."""
        assert window.composer.isVisible()
        assert window.rail.isVisible()
        assert all(
            dock.isVisible() or dock.objectName() == "findings"
            for dock in window.findChildren(QDockWidget)
        )
        assert window.windowTitle() == "ledger-demo 0.3.1 — Capsule Inspector"

    def test_first_page_is_a_rejected_hook(self, window):
        """What is wrong comes first; the composer has the focus."""
        assert window.focus.target == HookTarget("legacy")
        window.detail.refresh()
        assert window.detail.page is window.detail.hook_page

    def test_dropped_file_is_opened(self, make, engine):
        """The first one."""
        window = make(engine)
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile("/a b/x.wasm"), QUrl.fromLocalFile("/other")])
        event = QDropEvent(
            QPointF(1, 1),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        window.dropEvent(event)
        assert engine.requests[0] == OpenCapsule("/a b/x.wasm", "0.3")

    @pytest.mark.parametrize("action", ["open-folder", "open-file"])
    def test_dialog_asks_without_stopping_the_window(self, qtbot, window, action):
        """It is no modal loop; its answer opens."""
        press(window, action)
        (dialog,) = window.findChildren(QFileDialog)
        dialog.fileSelected.emit("/chosen")
        assert window.bridge.latest.path == "/chosen"
        dialog.close()


class TestFiring:
    """Composer, rail, keys, timeline."""

    def test_number_keys_and_rail_choose_the_event(self, qtbot, window):
        """Both show the same."""
        qtbot.keyClick(window, Qt.Key.Key_8)
        assert window.composer.event_name() == "on-task-end"
        assert window.rail.station("on-task-end").isChecked()
        window.rail.station("on-stage").click()
        assert window.composer.event_name() == "on-stage"

    @pytest.mark.parametrize("event", EVENTS)
    def test_every_event_fires_with_what_is_shown(self, window, engine, event):
        """From the composer, unchanged."""
        window.composer_link.choose_event(event)
        shown = window.composer.action()
        press(window, "fire")
        assert fired(engine) == [shown]
        assert isinstance(shown, Observe)
        assert shown.event == event

    def test_session_fills_in_what_it_knows(self, window, engine):
        """The session context of the engine."""
        window.composer_link.choose_event("on-session-start")
        press(window, "fire")
        assert fired(engine)[0].fields == sample_state.session("ses_02").context

    def test_fired_row_is_shown(self, window):
        """Timeline and Detail follow."""
        press(window, "fire")
        assert window.focus.target == FiringTarget(1, 0)
        window.detail.refresh()
        assert window.detail.page is window.detail.firing_page

    def test_last_is_fired_again_exactly(self, window, engine):
        """Whatever stands in the composer by then."""
        assert not window.actions_table["fire-last"].isEnabled()
        window.composer_link.choose_event("on-shell")
        press(window, "fire")
        window.composer_link.choose_event("on-stage")
        press(window, "fire-last")
        assert fired(engine)[0] == fired(engine)[1]

    def test_row_is_fired_again_and_loaded(self, window, engine):
        """A decision stays a decision."""
        action = Decide("on-shell", {"turn": 7, "binary": "/bin/rm"})
        window.bridge.fire(action)
        window.bridge.flush()
        press(window, "refire")
        assert fired(engine) == [action, action]
        window.composer_link.choose_event("on-stage")
        press(window, "edit-row")
        assert (window.composer.event_name(), window.composer.phase()) == (
            "on-shell",
            Phase.DECIDE,
        )
        assert window.composer.action().fields["turn"] == 7

    def test_stop_interrupts(self, window, engine):
        """Only while something runs."""
        assert not window.actions_table["stop"].isEnabled()
        engine.is_patient = True
        press(window, "fire")
        press(window, "stop")
        assert engine.interrupts == 1
        assert not window.actions_table["stop"].isEnabled()

    def test_escape_closes_an_open_search_first(self, qtbot, window, engine):
        """The call goes on."""
        engine.is_patient = True
        engine.tell(LogAppended("stdout", "x"))
        press(window, "fire")
        window.logs.open_search()
        qtbot.waitUntil(lambda: window.logs.search_bar.field.hasFocus())
        window.actions_table["stop"].trigger()
        assert engine.interrupts == 0
        assert not window.logs.search_bar.isVisible()

    def test_hook_is_reset(self, window, engine):
        """The chosen one."""
        assert window.actions_table["reset-hook"].toolTip().endswith("legacy has no instance.")
        window.hooks.choose_hook("compactor")
        window.hooks.hook_chosen.emit("compactor")
        assert window.focus.target == HookTarget("compactor")
        press(window, "reset-hook")
        assert fired(engine) == [ResetHook("compactor")]

    def test_disabled_action_says_why(self, make):
        """Without a capsule."""
        window = make()
        assert window.actions_table["fire"].toolTip().endswith("\nOpen a capsule first.")

    def test_log_line_leads_to_its_firing(self, window, engine):
        """By its number."""
        for _ in range(3):
            press(window, "fire")
        window.logs.step_chosen.emit(2)
        assert window.focus.target == FiringTarget(2)
        assert not window.timeline.table.follows


class TestLostEngine:
    """The engine is killed."""

    def test_everything_typed_and_seen_stays(self, window, engine):
        """A banner, and a restart into a fresh session."""
        press(window, "fire")
        window.composer_link.choose_event("on-shell")
        window.composer.set_draft(Draft("on-shell", "decide", "text", "{ half"))
        engine.die("The engine was killed.")
        window.bridge.flush()
        assert window.notices.engine.isVisible()
        assert window.composer.draft().text == "{ half"
        assert not window.actions_table["fire"].isEnabled()
        window.notices.engine.action_button.click()
        window.bridge.flush()
        assert not window.notices.engine.isVisible()
        assert window.composer.draft().text == "{ half"
        marks = [item for item in window.bridge.state.history.items if not isinstance(item, Firing)]
        assert [mark.severity for mark in marks] == ["info", "error", "info"]


class TestMemory:
    """What is remembered between starts."""

    def test_drafts_profile_theme_and_recent_come_back(self, make, state_path, qapp):
        """As they were."""
        first = make()
        first.open_capsule("/c")
        first.bridge.flush()
        first.composer_link.choose_event("on-shell")
        first.composer.text_pane.editor.set_text("")
        first.composer_link._on_draft_changed(Draft("on-shell", "decide", "text", "{ half"))
        first.bridge.choose_profile("0.4")
        first.bridge.flush()
        first.switch_theme()
        first.close()
        remembered = window_state.load(state_path).state
        assert (remembered.theme, remembered.profile, remembered.recent) == ("dark", "0.3", ("/c",))
        theme.apply(qapp, "light")
        second = make()
        assert second.composer.event_name() == "on-shell"
        assert second.composer.draft().text == "{ half"
        assert second.welcome.buttons()[-1].text().startswith("c")

    def test_bad_file_opens_a_new_window_with_a_word(self, make, state_path):
        """And is replaced at the end."""
        state_path.write_text("{ not json")
        window = make()
        window.bridge.flush()
        assert "damaged" in window.notices.remark.message()
        window.close()
        assert window_state.load(state_path).note == ""

    def test_newer_file_is_not_written_over(self, make, state_path):
        """It belongs to another program."""
        content = json.dumps({"version": 99, "precious": True})
        state_path.write_text(content)
        window = make()
        window.memory.save()
        window.close()
        assert state_path.read_text() == content

    def test_unknown_layout_falls_back(self, make, state_path):
        """The panes are where they are at first."""
        window_state.save(state_path, WindowState(layout="bm9uc2Vuc2U=", splitter="eA=="))
        window = make()
        window.open_capsule("/c")
        window.bridge.flush()
        assert all(dock.isVisible() for dock in (window.places.docks["hooks"],))

    def test_failing_save_is_told(self, make, state_path):
        """And the window goes on."""
        window = make()
        state_path.mkdir()
        window.memory.save()
        window.bridge.flush()
        assert "could not be saved" in window.notices.remark.message()
        state_path.rmdir()

    def test_panes_are_switched_in_the_menu(self, window):
        """Each by a switch; without a capsule there is none."""
        toggles = {action.text(): action for action in window.tools._panes.actions()}
        assert set(toggles) == {"Hooks", "Session", "Detail", "Manifest", "Logs", "Findings"}
        toggles["Hooks"].trigger()
        assert not window.places.docks["hooks"].isVisible()
        toggles["Hooks"].trigger()
        assert window.places.docks["hooks"].isVisible()

    def test_window_fits_the_screen(self, make):
        """The offscreen one is 800 by 800."""
        window = make()
        screen = window.screen().availableGeometry()
        assert window.width() <= screen.width()
        assert window.height() <= screen.height()

    def test_reset_layout_brings_panes_back(self, window):
        """A closed one, too."""
        window.places.docks["hooks"].close()
        press(window, "reset-layout")
        assert window.places.docks["hooks"].isVisible()


class TestWindow:
    """Going about in it."""

    @pytest.mark.parametrize(
        ("action", "pane"),
        [
            ("go-hooks", "hooks"),
            ("go-composer", "composer"),
            ("go-timeline", "timeline"),
            ("go-detail", "detail"),
            ("go-logs", "logs"),
        ],
    )
    def test_keys_go_to_each_pane(self, qtbot, window, action, pane):
        """Something in it has the focus."""
        window.activateWindow()
        press(window, "fire")
        press(window, action)
        view = getattr(window, pane)
        qtbot.waitUntil(
            lambda: (
                (found := QApplication.focusWidget()) is not None
                and (found is view or view.isAncestorOf(found))
            )
        )

    def test_search_goes_where_the_focus_is(self, qtbot, window, engine):
        """Logs, else the Detail pane."""
        engine.tell(LogAppended("stdout", "x"))
        press(window, "fire")
        window.logs.table.setFocus()
        qtbot.waitUntil(window.logs.table.hasFocus)
        press(window, "search")
        assert window.logs.search_bar.isVisible()
        window.timeline.table.setFocus()
        qtbot.waitUntil(window.timeline.table.hasFocus)
        window.detail.refresh()
        press(window, "search")
        assert window.detail.firing_page.sent.form == "text"

    def test_filter_and_theme_and_keys(self, qtbot, window, qapp):
        """Each by its action."""
        press(window, "filter")
        qtbot.waitUntil(window.timeline.filter_field.hasFocus)
        press(window, "theme")
        assert theme.current_name() == "dark"
        press(window, "keys")
        (dialog,) = window.findChildren(KeyDialog)
        assert dialog.isVisible()
        dialog.close()

    def test_remarks(self, window):
        """Bad ones in a banner, others in the status bar."""
        window.bridge.say("info", "a word")
        window.bridge.say("error", "trouble")
        window.bridge.flush()
        assert window.status.currentMessage() == "a word"
        assert window.notices.remark.message() == "trouble"

    def test_held_switch_reaches_the_engine(self, window):
        """And comes back from it."""
        window.session.held_box.click()
        window.bridge.flush()
        assert window.bridge.state.session.held
        assert window.session.held_box.isChecked()

    def test_both_palettes_paint(self, window, engine, qapp):
        """Every pane, with content."""
        for _ in range(3):
            press(window, "fire")
        light = window.grab().toImage().pixelColor(QPoint(5, 5))
        press(window, "theme")
        assert window.grab().toImage().pixelColor(QPoint(5, 5)) != light


class TestClosing:
    """close."""

    def test_engine_goes_first(self, qtbot, window, engine):
        """The window is hidden at once and closed when the engine is gone."""
        told = []
        window.closed.connect(lambda: told.append(window.isVisible()))
        engine.stop = lambda: told.append("asked")
        window.close()
        assert told == ["asked"]
        assert not window.isVisible()
        engine.die("ended", wanted=True)
        window.bridge.flush()
        assert told == ["asked", False]

    def test_without_an_engine_it_is_over_at_once(self, make):
        """Nothing to wait for."""
        window = make()
        told = []
        window.closed.connect(lambda: told.append(1))
        window.close()
        assert told == [1]
