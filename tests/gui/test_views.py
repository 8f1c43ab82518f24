"""Panes: rail, hooks, session, findings, notices, status, welcome, toolbar."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from inspector.contract.record import Disposition
from inspector.gui.actions import Actions
from inspector.gui.focus import FindingTarget, Focus
from inspector.gui.models.finding_model import FindingModel
from inspector.gui.models.hook_model import HookModel
from inspector.gui.views.finding_view import FindingView
from inspector.gui.views.hook_view import HookView
from inspector.gui.views.notice_view import NoticeView
from inspector.gui.views.rail_view import RailView
from inspector.gui.views.session_view import SessionView
from inspector.gui.views.status_view import StatusView
from inspector.gui.views.tool_view import ToolView
from inspector.gui.views.welcome_view import WelcomeView
from inspector.protocol.message import Failed, HookState, Progress, Pump, StepFinished
from tests.helpers import sample_state
from tests.helpers.sample_state import call, record


@pytest.fixture
def opened(bridge):
    """A bridge with a capsule and a session."""
    bridge.open_capsule("/c")
    bridge.flush()
    return bridge


class TestRail:
    """RailView."""

    def test_counts_hooks_and_shows_shields(self, qtbot, opened):
        """Rejected hooks are not reached."""
        rail = RailView(opened)
        qtbot.addWidget(rail)
        assert rail.station("on-shell").hook_count == 3
        assert rail.station("on-compaction").hook_count == 3
        assert rail.station("on-stage").hook_count == 2
        assert rail.station("on-shell").has_shield
        assert not rail.station("on-tool-call").has_shield

    def test_marks_an_event_that_ended_badly(self, qtbot, opened, engine):
        """Until it ends well."""
        rail = RailView(opened)
        qtbot.addWidget(rail)
        for disposition, marked in ((Disposition.FAULT, True), (Disposition.IGNORED, False)):
            engine.tell(StepFinished(record(1, "on-shell", call(disposition=disposition))))
            opened.flush()
            assert rail.station("on-shell").has_mark is marked
        assert not rail.station("on-stage").has_mark

    def test_click_chooses_and_set_event_does_not_tell(self, qtbot, opened):
        """The composer and the rail would call each other for ever."""
        rail = RailView(opened)
        qtbot.addWidget(rail)
        told = []
        rail.event_chosen.connect(told.append)
        rail.set_event("on-stage")
        assert told == []
        rail.station("on-task-end").click()
        assert told == ["on-task-end"]
        assert not rail.station("on-stage").isChecked()

    def test_station_says_everything_to_assistive_tools(self, qtbot, opened):
        """Number, gate, ending; not by colour or shape alone."""
        rail = RailView(opened)
        qtbot.addWidget(rail)
        station = rail.station("on-shell")
        assert station.accessibleName() == (
            "on-shell: reaches 3 hooks, 1 policy hook gate the call"
        )
        assert station.toolTip().endswith("Key 6 chooses it.")

    def test_paints_in_every_state(self, qtbot, opened, engine):
        """Chosen, marked, with a shield, narrow."""
        engine.tell(StepFinished(record(1, "on-shell", call(disposition=Disposition.ERROR))))
        opened.flush()
        rail = RailView(opened)
        qtbot.addWidget(rail)
        rail.set_event("on-shell")
        plain = rail.grab().toImage()
        rail.set_event("on-stage")
        assert rail.grab().toImage() != plain
        rail.resize(300, 52)
        assert not rail.grab().isNull()


class TestHooks:
    """HookView."""

    def test_click_and_keys_choose(self, qtbot, opened):
        """Choosing from elsewhere is not told."""
        view = HookView(HookModel(opened))
        qtbot.addWidget(view)
        told = []
        view.hook_chosen.connect(told.append)
        view.choose_hook("compactor")
        assert (told, view.current_hook()) == ([], "compactor")
        view.clicked.emit(view.model().index(0, 0))
        qtbot.keyClick(view, Qt.Key.Key_Down)
        assert told == ["gatekeeper", view.current_hook()]
        view.choose_hook("nobody")

    def test_state_change_keeps_the_choice(self, qtbot, opened, engine):
        """Rows are told of, not made anew."""
        view = HookView(HookModel(opened))
        qtbot.addWidget(view)
        view.choose_hook("compactor")
        engine.tell(HookState("compactor", "running"))
        opened.flush()
        assert view.current_hook() == "compactor"

    def test_paints_every_row(self, qtbot, opened, engine):
        """Long names, queues, shields, rejected ones."""
        engine.tell(HookState("audit-trail", "ready", queue_length=7, dropped=3))
        opened.flush()
        view = HookView(HookModel(opened))
        qtbot.addWidget(view)
        view.resize(240, 300)
        assert not view.grab().isNull()


class TestSession:
    """SessionView."""

    def test_shows_ids_folders_and_totals(self, qtbot, opened):
        """Everything that one would copy."""
        view = SessionView(opened)
        qtbot.addWidget(view)
        facts = dict(view.facts.grid.rows())
        assert facts["session"] == "ses_02"
        assert (facts["profile"], facts["runtime"], facts["lifecycle"]) == ("0.3", "0.3.0", "0.8.0")
        assert facts["capabilities"] == "network, shell"
        assert view.facts.folders.folders()[0][0] == "session folder"
        assert view.facts.folders.folders()[0][1].endswith("run-x7k2")

    def test_switch_asks_and_shows_what_the_engine_took(self, qtbot, opened):
        """It is never ahead of the engine."""
        view = SessionView(opened)
        qtbot.addWidget(view)
        asked = []
        view.held_chosen.connect(asked.append)
        view.held_box.click()
        assert (asked, view.held_box.isChecked()) == ([True], False)
        opened.set_held(True)
        opened.flush()
        assert view.held_box.isChecked()

    def test_no_session_says_how_to_get_one(self, qtbot, bridge):
        """An empty state."""
        view = SessionView(bridge)
        qtbot.addWidget(view)
        assert view.empty.isVisibleTo(view)
        bridge.open_capsule("/c")
        bridge.flush()
        assert not view.empty.isVisibleTo(view)


class TestFindings:
    """FindingView."""

    def test_choosing_a_row_shows_it(self, qtbot, opened, engine):
        """In the Detail pane."""
        engine.inspection = sample_state.inspection(diagnostics=sample_state.demo_diagnostics())
        focus = Focus()
        view = FindingView(FindingModel(opened), focus)
        qtbot.addWidget(view)
        assert view.empty.isVisibleTo(view)
        opened.reload()
        opened.flush()
        assert not view.empty.isVisibleTo(view)
        view.table.selectRow(1)
        assert focus.target == FindingTarget(1)


class TestNotices:
    """NoticeView."""

    def test_lost_engine_offers_a_restart(self, qtbot, opened, engine):
        """One sentence; gone when there is an engine again."""
        view = NoticeView(opened)
        qtbot.addWidget(view)
        engine.die("The engine was killed.")
        opened.flush()
        assert view.engine.isVisibleTo(view)
        assert view.engine.message().startswith("The engine was killed. The timeline")
        assert view.engine.toolTip() == "last words on stderr"
        with qtbot.waitSignal(view.restart_requested):
            view.engine.action_button.click()
        opened.restart_engine()
        opened.flush()
        assert not view.engine.isVisibleTo(view)

    def test_wanted_end_is_no_trouble(self, qtbot, opened, engine):
        """Nothing to see."""
        view = NoticeView(opened)
        qtbot.addWidget(view)
        engine.stop()
        opened.flush()
        assert not view.engine.isVisibleTo(view)

    def test_open_error_names_place_and_hint(self, qtbot, bridge, engine):
        """In one line."""
        engine.open_failure = Failed(
            "unreadable-capsule", "name is missing.", "Add it.", "/c/murmur.yaml", 3, 1
        )
        view = NoticeView(bridge)
        qtbot.addWidget(view)
        bridge.open_capsule("/c")
        bridge.flush()
        assert view.open_error.message() == "/c/murmur.yaml:3:1: name is missing. Add it."
        engine.open_failure = None
        bridge.reload()
        bridge.flush()
        assert not view.open_error.isVisibleTo(view)

    def test_refused_launch_is_told_until_it_is_closed(self, qtbot, opened, engine):
        """A later flush does not bring it back."""
        engine.inspection = sample_state.inspection(launch_refusal="hook x does not export y")
        view = NoticeView(opened)
        qtbot.addWidget(view)
        opened.reload()
        opened.flush()
        assert "would not launch this capsule: hook x does not" in view.refusal.message()
        view.refusal.close_button.click()
        engine.tell(HookState("audit-trail", "trapped"))
        opened.flush()
        assert not view.refusal.isVisibleTo(view)


class TestStatus:
    """StatusView."""

    def test_engine_in_words(self, qtbot, bridge, engine):
        """From none to lost."""
        view = StatusView(bridge)
        qtbot.addWidget(view)
        assert view.engine.text() == "no engine"
        bridge.open_capsule("/c")
        bridge.flush()
        assert view.engine.text() == "engine ready"
        engine.is_patient = True
        bridge.fire(Pump())
        bridge.flush()
        assert view.engine.text() == "running #1"
        bridge.interrupt()
        bridge.flush()
        assert view.engine.text() == "stopping"
        engine.die()
        bridge.flush()
        assert view.engine.text() == "engine lost"

    def test_progress_shows_while_opening(self, qtbot, bridge, engine):
        """With the engine's own words."""
        view = StatusView(bridge)
        qtbot.addWidget(view)
        engine.send = lambda request: 1  # an engine that takes its time
        bridge.open_capsule("/c")
        engine.tell(Progress("open", 0.25, "compiling 2 of 8"))
        bridge.flush()
        assert view.engine.text() == "compiling 2 of 8"
        assert (view.progress.value(), view.progress.maximum()) == (250, 1000)
        assert view.progress.isVisibleTo(view)

    def test_sums_leave_out_what_did_not_happen(self, qtbot, opened, engine):
        """Short while all is well."""
        view = StatusView(opened)
        qtbot.addWidget(view)
        assert view.sums.text() == "0 fired"
        engine.tell(*map(StepFinished, sample_state.demo_records()))
        opened.flush()
        assert view.sums.text() == "7 fired  ·  1 error  ·  1 fault  ·  1 denied"
        assert view.memory.text() == "memory 4.2 MiB, at most 512 MiB each"


class TestWelcome:
    """WelcomeView."""

    def test_offers_samples_and_recent_capsules(self, qtbot, bridge):
        """A click names what to open."""
        actions = Actions(bridge)
        view = WelcomeView([actions["open-folder"], actions["open-file"]])
        qtbot.addWidget(view)
        view.set_samples([("sample:tour", "tour")])
        view.set_recent(["/a/b/c"])
        view.set_recent(["/d/e", "/a/b/c"])
        assert [button.text() for button in view.buttons()] == ["tour", "e", "c"]
        with qtbot.waitSignal(view.capsule_chosen) as told:
            view.buttons()[0].click()
        assert told.args == ["sample:tour"]

    def test_main_button_opens_a_folder(self, qtbot, bridge):
        """As the action does."""
        actions = Actions(bridge)
        view = WelcomeView([actions["open-folder"]])
        qtbot.addWidget(view)
        button = next(found for found in view.findChildren(QPushButton) if "folder" in found.text())
        with qtbot.waitSignal(actions["open-folder"].triggered):
            button.click()


class TestTools:
    """ToolView."""

    def test_names_what_is_open(self, qtbot, bridge):
        """And the profile in force."""
        view = ToolView(bridge, Actions(bridge))
        qtbot.addWidget(view)
        assert view._title.text() == "No capsule"
        bridge.open_capsule("/c")
        bridge.flush()
        assert (view._title.text(), view._version.text()) == ("ledger-demo", "0.3.1")
        assert view.profile_box.currentData() == "0.3"

    def test_profile_is_told_when_it_is_another_one(self, qtbot, opened):
        """Not when the same is chosen again."""
        view = ToolView(opened, Actions(opened))
        qtbot.addWidget(view)
        told = []
        view.profile_chosen.connect(told.append)
        view.profile_box.activated.emit(view.profile_box.findData("0.3"))
        view.profile_box.activated.emit(view.profile_box.findData("0.1"))
        assert told == ["0.1"]

    def test_menus_name_capsules(self, qtbot, opened):
        """Once per choice, however often the menu was filled."""
        view = ToolView(opened, Actions(opened))
        qtbot.addWidget(view)
        told = []
        view.capsule_chosen.connect(told.append)
        view.set_recent(["/a"])
        view.set_recent(["/b & c", "/a"])
        view._recent.actions()[0].trigger()
        assert told == ["/b & c"]
