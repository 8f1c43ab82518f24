"""The window: where the panes are, and what happens between them.

Lives here: `MainWindow`: layout, wiring, closing. Not here: panes (views), what may be
done (workbench.command), the engine (engine_client). Only gui.app imports it.
"""

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from inspector import assets
from inspector.contract.contract import EVENTS
from inspector.gui import window_focus, window_state, window_zoom
from inspector.gui.actions import EVENT, GO, Actions
from inspector.gui.burst_link import BurstLink
from inspector.gui.composer_link import ComposerLink
from inspector.gui.dialogs.key_dialog import KeyDialog
from inspector.gui.dialogs.open_dialog import OpenDialog
from inspector.gui.fixture_link import FixtureLink, default_store
from inspector.gui.focus import FiringTarget, Focus, HookTarget, Target
from inspector.gui.models.finding_model import FindingModel
from inspector.gui.models.hook_model import HookModel
from inspector.gui.models.log_model import LogModel
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.recording_link import RecordingLink
from inspector.gui.timeline_link import TimelineLink
from inspector.gui.views.composer_view import ComposerView
from inspector.gui.views.detail_view import DetailView
from inspector.gui.views.finding_view import FindingView
from inspector.gui.views.hook_view import HookView
from inspector.gui.views.log_view import LogView
from inspector.gui.views.manifest_view import ManifestView
from inspector.gui.views.notice_view import NoticeView
from inspector.gui.views.rail_view import RailView
from inspector.gui.views.session_view import SessionView
from inspector.gui.views.status_view import StatusView
from inspector.gui.views.timeline_view import TimelineView
from inspector.gui.views.tool_view import ToolView
from inspector.gui.views.welcome_view import WelcomeView
from inspector.gui.widgets.search_bar import SearchBar
from inspector.gui.window_desk import WindowDesk
from inspector.gui.window_layout import WindowLayout
from inspector.gui.window_memory import WindowMemory
from inspector.gui.window_state import WindowState
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Drain, Pump, ResetHook
from inspector.workbench import command, verdict
from inspector.workbench.state import Firing, HookCall, Inspection, Remark

REMARK_MS = 8_000


class MainWindow(QMainWindow):
    """The whole window.

    Signals:
        closed(): the window was closed and the engine is gone.
    """

    closed = Signal()

    def __init__(
        self, bridge: WorkbenchBridge, state_path: Path, parent: QWidget | None = None
    ) -> None:
        """Make the window.

        Args:
            bridge: Becomes a child of the window.
            state_path: The file of what is remembered between starts.
            parent: The owner.
        """
        super().__init__(parent)
        bridge.setParent(self)
        self.bridge = bridge
        self.actions_table = Actions(self)
        self.focus = Focus(self)
        self.memory = WindowMemory(state_path, self.current_state, self)
        self._is_closing = False
        self._make_views()
        store = default_store(state_path)
        self.fixtures = FixtureLink(self.composer, self.composer_link, bridge, store, self)
        self.setWindowTitle("Capsule Inspector")
        self.setAcceptDrops(True)
        self.places = WindowLayout(
            self,
            (self.tools, self.recordings.banner, self.rail, self.notices),
            {
                "hooks": self.hooks,
                "session": self.session,
                "detail": self.detail,
                "manifest": self.manifest,
                "logs": self.logs,
                "findings": self.findings,
            },
            (self.composer, self.timeline),
            self.welcome,
        )
        self.tools.set_panes(self.places.toggles())
        self.hooks.addAction(self.actions_table["reset-hook"])
        self._connect()
        self.desk = WindowDesk(self)
        self._restore()
        self._update_actions()

    # -- making ----------------------------------------------------------------------------

    def _make_views(self) -> None:
        bridge, focus = self.bridge, self.focus
        # They get their parents from the layout, once: each change is styled anew.
        self.hooks = HookView(HookModel(bridge, self))
        self.timeline = TimelineView(TimelineModel(bridge, self), focus)
        self.detail = DetailView(bridge, focus)
        self.logs = LogView(bridge, LogModel(bridge, self), focus)
        self.findings = FindingView(FindingModel(bridge, self), focus)
        self.manifest = ManifestView(bridge)
        self.session = SessionView(bridge)
        self.rail = RailView(bridge)
        self.notices = NoticeView(bridge)
        self.composer = ComposerView()
        self.composer_link = ComposerLink(self.composer, bridge, self)
        self.timeline_link = TimelineLink(
            self.timeline, bridge, focus, self.composer_link, self.actions_table, self
        )
        self.recordings = RecordingLink(bridge, self.actions_table, self)
        self.timeline_link.composer_requested.connect(self._focus_composer)
        self.bursts = BurstLink(self.composer, self.composer_link, bridge, self)
        self.tools = ToolView(bridge, self.actions_table)
        opening = [self.actions_table["open-folder"], self.actions_table["open-file"]]
        self.welcome = WelcomeView(opening)
        samples = [(f"sample:{name}", name) for name in assets.sample_names()]
        self.tools.set_samples(samples)
        self.welcome.set_samples(samples)
        self.status = StatusView(bridge, self)
        self.setStatusBar(self.status)
        more = ("fixtures", "save-fixture", "load-last", "fire-edge-cases")
        self.composer.head.values_menu.more = tuple(map(self.actions_table.__getitem__, more))
        for action in self.actions_table:
            self.addAction(action)

    # -- wiring ------------------------------------------------------------------------------

    def _connect(self) -> None:
        bridge = self.bridge
        bridge.changed.connect(self._update_actions)
        bridge.capsule_changed.connect(self._update_page)
        bridge.recording_changed.connect(self._on_recording_changed)
        bridge.remark_made.connect(self._on_remark_made)
        bridge.engine_changed.connect(self._on_engine_changed)
        self.bursts.changed.connect(self._update_actions)
        self.rail.event_chosen.connect(self.composer_link.choose_event)
        self.composer_link.event_shown.connect(self.rail.set_event)
        self.composer_link.drafts_changed.connect(self.memory.save_soon)
        self.hooks.hook_chosen.connect(self._on_hook_chosen)
        self.detail.target_chosen.connect(self.focus.show)
        self.detail.step_chosen.connect(self._on_step_chosen)
        self.logs.step_chosen.connect(self._on_step_chosen)
        self.logs.cause_shown.connect(self._on_cause_shown)
        self.session.held_chosen.connect(bridge.set_held)
        self.session.start_requested.connect(bridge.start_session)
        self.session.drafts_changed.connect(self.memory.save_soon)
        self.notices.restart_requested.connect(bridge.restart_engine)
        self.notices.reload_requested.connect(bridge.reload)
        self.tools.capsule_chosen.connect(self.open_capsule)
        self.tools.profile_chosen.connect(bridge.choose_profile)
        self.welcome.capsule_chosen.connect(self.open_capsule)
        self.focus.changed.connect(self._on_focus_changed)
        self.memory.recent_changed.connect(self._show_recent)
        self.memory.failed.connect(self._on_save_failed)
        self._connect_actions()

    def _connect_actions(self) -> None:
        slots = {
            "open-folder": self._ask_folder,
            "open-file": self._ask_file,
            "reload": self.bridge.reload,
            "quit": self.close,
            "fire": self._fire,
            "fire-last": self._fire_last,
            "fixtures": self.fixtures.open_dialog,
            "save-fixture": self.fixtures.save,
            "fire-many": self.bursts.open_bar,
            "fire-edge-cases": self._fire_edge_cases,
            "load-last": self._load_last,
            "stop": self._stop,
            "reset-hook": self._reset_hook,
            "restart-engine": self.bridge.restart_engine,
            "start-session": self.session.start,
            "pump": self._pump,
            "drain": self._drain,
            "search": self._search,
            "filter": self.timeline.focus_filter,
            "follow": self._follow,
            "theme": self.switch_theme,
            "reset-layout": self.reset_layout,
            "keys": self._show_keys,
        }
        for action_id, slot in slots.items():
            self.actions_table[action_id].triggered.connect(slot)
        for number, event in enumerate(EVENTS, 1):
            self.actions_table[f"event-{number}"].setData(event)
        for name in ("hooks", "composer", "timeline", "detail", "logs", "findings", "manifest"):
            self.actions_table[f"go-{name}"].setData(name)
        # A group tells which of its actions was triggered.
        events, places = QActionGroup(self), QActionGroup(self)
        for action in self.actions_table.group(EVENT):
            events.addAction(action)
        for action in self.actions_table.group(GO):
            if action.data():
                places.addAction(action)
        for group in (events, places):
            group.setExclusionPolicy(QActionGroup.ExclusionPolicy.None_)
        events.triggered.connect(self._choose_event)
        places.triggered.connect(self._go)

    # -- what the workbench says ---------------------------------------------------------------

    @Slot()
    def _update_page(self) -> None:
        state = self.bridge.state
        inspection = state.inspection
        if inspection is None:
            return
        if not self.places.is_open:
            self.places.set_open(is_open=True)
            self.places.restore_panes(self.memory.state)
            self._show_first_hook()
            self.composer.setFocus(Qt.FocusReason.OtherFocusReason)
        head = inspection.capsule
        self.setWindowTitle(f"{head.name} {head.version} — Capsule Inspector")
        if state.path is not None and state.open_error is None:
            self.memory.remember_capsule(state.path)
        findings = len(inspection.diagnostics)
        title = f"Findings ({findings})" if findings else "Findings"
        self.places.docks["findings"].setWindowTitle(title)

    @Slot()
    def _on_recording_changed(self) -> None:
        """Begin at the newest row of what is shown now."""
        state = self.bridge.state
        self.focus.show(None)
        self.timeline.set_follow(True)
        if state.recording is not None:
            name = Path(state.recording).name
            self.setWindowTitle(f"{name} (recording) — Capsule Inspector")
        elif state.inspection is None:
            self.setWindowTitle("Capsule Inspector")
            self.places.set_open(is_open=False)

    def _show_first_hook(self) -> None:
        """Begin with a hook that was rejected, else with the first one."""
        inspection = self.bridge.state.inspection
        if self.focus.target is None and inspection is not None and inspection.hooks:
            self.focus.show(HookTarget(_first_hook(inspection)))

    @Slot()
    def _show_recent(self) -> None:
        self.tools.set_recent(self.memory.recent)
        self.welcome.set_recent(self.memory.recent)

    @Slot()
    def _update_actions(self) -> None:
        state, allow = self.bridge.latest, self.actions_table.allow
        fire = command.can_fire(state)
        allow("open-folder", command.can_open(state))
        allow("open-file", command.can_open(state))
        allow("reload", command.can_reload(state))
        allow("fire", fire)
        last = self.composer_link.last
        allow("fire-last", fire or ("" if last else "Nothing was fired yet."))
        allow("load-last", "" if last else "Nothing was fired yet.")
        allow("fixtures", "" if state.inspection else "Open a capsule first.")
        allow("save-fixture", "" if state.inspection else "Open a capsule first.")
        allow("fire-many", fire)
        bursting = "A burst is running; stop it first." if self.bursts.is_giving else ""
        allow("fire-edge-cases", fire or bursting)
        allow("stop", "" if self.bursts.is_giving else command.can_interrupt(state))
        allow("reset-hook", command.can_reset(state, self.hooks.current_hook()))
        allow("restart-engine", command.can_restart(state))
        allow("start-session", command.can_start(state))
        allow("pump", fire)
        allow("drain", fire)

    @Slot(str)
    def _on_save_failed(self, sentence: str) -> None:
        self.bridge.say("warning", sentence)

    @Slot(object)
    def _on_remark_made(self, remark: Remark) -> None:
        if remark.severity == "info":
            self.status.showMessage(remark.message, REMARK_MS)
        else:
            self.notices.say(remark.severity, remark.message)

    # -- what the user does --------------------------------------------------------------------

    @Slot(str)
    def open_capsule(self, path: str) -> None:
        """Open a capsule in place of the one that is open; a recording is shown beside it."""
        if self.recordings.is_recording(path):
            self.recordings.open(path)
            return
        self.bridge.open_capsule(path)

    @Slot()
    def _ask_folder(self) -> None:
        self._ask(wants_folder=True)

    @Slot()
    def _ask_file(self) -> None:
        self._ask(wants_folder=False)

    def _ask(self, *, wants_folder: bool) -> None:
        dialog = OpenDialog(self, wants_folder=wants_folder)
        dialog.fileSelected.connect(self.open_capsule)
        dialog.open()

    @Slot(QAction)
    def _choose_event(self, action: QAction) -> None:
        self.composer_link.choose_event(str(action.data()))

    @Slot()
    def _fire(self) -> None:
        self.timeline.set_follow(True)
        self.composer_link.fire()

    @Slot()
    def _fire_last(self) -> None:
        self.timeline.set_follow(True)
        self.composer_link.fire_last()

    @Slot()
    def _fire_edge_cases(self) -> None:
        self.timeline.set_follow(True)
        self.bursts.fire_edge_cases()

    @Slot()
    def _load_last(self) -> None:
        self.composer_link.load_last()
        self.composer.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _stop(self) -> None:
        bar = _search_bar_of(QApplication.focusWidget())
        if bar is not None:
            bar.close_search()
        elif not self.bursts.stop():
            self.bridge.interrupt()

    @Slot()
    def _pump(self) -> None:
        self.bridge.fire(Pump())

    @Slot()
    def _drain(self) -> None:
        self.bridge.fire(Drain())

    @Slot()
    def _reset_hook(self) -> None:
        hook = self.hooks.current_hook()
        if hook is not None and not command.can_reset(self.bridge.latest, hook):
            self.bridge.fire(ResetHook(hook))

    @Slot()
    def _focus_composer(self) -> None:
        self.composer.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(str)
    def _on_hook_chosen(self, name: str) -> None:
        self.focus.show(HookTarget(name))
        self._update_actions()

    @Slot(object)
    def _on_focus_changed(self, target: Target | None) -> None:
        if isinstance(target, HookTarget):
            self.hooks.choose_hook(target.name)

    @Slot(int)
    def _on_cause_shown(self, step: int) -> None:
        for index, item in self.bridge.state.history.items.newest_first():
            if isinstance(item, Firing) and item.step == step:
                self.timeline.mark_firing(index)
                return

    @Slot(int)
    def _on_step_chosen(self, step: int) -> None:
        for index, item in self.bridge.state.history.items.newest_first():
            if isinstance(item, Firing) and item.step == step:
                self.timeline.set_follow(False)
                self.focus.show(FiringTarget(index))
                return

    def show_firing(self, index: int, firing: Firing) -> None:
        """Show a firing in timeline, Detail and composer.

        Args:
            index: Its index in the history.
            firing: What stands there.
        """
        self.timeline.set_follow(False)
        calls = firing.record.calls if firing.record else ()
        worst = max(calls, key=_rank_of, default=None)
        call = None if worst is None else calls.index(worst)
        self.focus.show(FiringTarget(index, call))
        self.composer_link.load(firing)

    @Slot()
    def _search(self) -> None:
        focused = QApplication.focusWidget() or self
        if self.logs.isAncestorOf(focused):
            self.logs.open_search()
        elif self.composer.isAncestorOf(focused):
            self.composer.open_search()
        else:
            self.detail.open_search()

    @Slot()
    def _follow(self) -> None:
        self.timeline.set_follow(True)

    @Slot(QAction)
    def _go(self, action: QAction) -> None:
        name = str(action.data())
        widgets: dict[str, QWidget] = {
            "hooks": self.hooks,
            "composer": self.composer,
            "timeline": self.timeline,
            "detail": self.detail,
            "logs": self.logs,
            "findings": self.findings,
            "manifest": self.manifest,
        }
        self.places.show_pane(name)
        widgets[name].setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def switch_theme(self) -> None:
        """Put the other palette on."""
        self.desk.look.switch_theme()

    @Slot()
    def _show_keys(self) -> None:
        KeyDialog(self).open()

    def tab_panes(self) -> tuple[QWidget, ...]:
        """The panes in the order in which Tab goes through them."""
        around = (self.tools, self.notices, self.rail, self.hooks, self.session, self.welcome)
        middle = (self.composer, self.timeline, self.detail, self.manifest)
        return (*around, *middle, self.logs, self.findings, self.status)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return window_focus.step(self, self.tab_panes(), forward=forward)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.desk.can_drop(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.desk.drop(event.mimeData())

    # -- what is remembered --------------------------------------------------------------------

    def _restore(self) -> None:
        state = self.memory.state
        self.places.restore_geometry(state)
        if self.bridge.latest.path is None:
            self.bridge.choose_profile(state.profile)
        self.composer_link.restore(state.drafts, state.event)
        self.session.restore(state.session, state.task)
        self._show_recent()
        if self.memory.note:
            self.bridge.say("warning", self.memory.note)

    @Slot()
    def reset_layout(self) -> None:
        """Put every pane back to where it was at first."""
        self.places.reset()

    def current_state(self) -> WindowState:
        """What is to be remembered now."""
        return replace(
            self.memory.state,
            **self.places.texts(),
            theme=self.desk.look.theme_choice,
            zoom=window_zoom.current_percent(),
            watch=self.actions_table["watch"].isChecked(),
            profile=self.bridge.latest.profile,
            recent=self.memory.recent,
            event=self.composer.event_name(),
            drafts=window_state.kept_drafts(self.composer_link.drafts),
            session=window_state.kept_session(self.session.draft),
            task=window_state.kept_task(self.session.task.draft),
        )

    # -- closing -------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._is_closing:
            self._is_closing = True
            self.memory.save()
            self.desk.close()
            self.fixtures.close()
            self.timeline_link.close()
            self.recordings.close()
            self.detail.work.close()
        if self.bridge.has_engine:
            # The window goes at once; it is gone for good when the engine is.
            self.hide()
            self.bridge.stop()
            event.ignore()
            return
        event.accept()
        self._emit_closed()

    @Slot()
    def _on_engine_changed(self) -> None:
        if self._is_closing and not self.bridge.has_engine:
            self.close()

    def _emit_closed(self) -> None:
        self.closed.emit()


def _first_hook(inspection: Inspection) -> str:
    rejected = (hook.name for hook in inspection.hooks if not hook.accepted)
    return next(rejected, inspection.hooks[0].name)


def _rank_of(call: HookCall) -> int:
    return verdict.of_call(call).rank


def _search_bar_of(widget: QWidget | None) -> SearchBar | None:
    while widget is not None:
        if isinstance(widget, SearchBar):
            return widget
        widget = widget.parentWidget()
    return None
