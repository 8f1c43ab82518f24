"""The habits of a desktop program, tied to the window: palette, drops, watch, notices.

Lives here: `WindowDesk`, which owns these parts and connects them. Not here: the parts
themselves, the panes and what happens between them (main_window). Only main_window
imports it.
"""

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject, Qt, QTimer, Slot

from inspector.gui.dialogs.about_dialog import AboutDialog
from inspector.gui.dialogs.notice_dialog import NoticeDialog
from inspector.gui.dialogs.open_dialog import ScenarioDialog
from inspector.gui.focus import HookTarget, Place
from inspector.gui.scenario_player import ScenarioPlayer
from inspector.gui.watch import CapsuleWatch
from inspector.gui.window_palette import (
    ActionOffer,
    CapsuleOffer,
    HookOffer,
    ScenarioOffer,
    WindowPalette,
)
from inspector.gui.window_theme import LookChoice
from inspector.workbench import command, opening, sample
from inspector.workbench.opening import PathKind

if TYPE_CHECKING:
    from inspector.gui.main_window import MainWindow

START_MS = 3_000
"""A window that has stood for so long has started."""


class WindowDesk(QObject):
    """One per window.

    Attributes:
        palette: The command palette.
        player: Runs scenarios.
        watch: Looks after the capsule's files.
        look: Colours and text size.
    """

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        state = window.memory.state
        self.palette = WindowPalette(window)
        self.player = ScenarioPlayer(window.bridge, self)
        self.watch = CapsuleWatch(self)
        self.look = LookChoice(window.actions_table, state.theme, self)
        self._changed_files: tuple[str, ...] = ()
        self._was_opening = False
        self._offer()
        self._connect()
        self.look.set_zoom(state.zoom)
        window.welcome.setFocus(Qt.FocusReason.OtherFocusReason)
        window.actions_table["watch"].setChecked(state.watch)
        # The row "watch" may have been checked before it was connected.
        self.watch.set_on(is_on=state.watch)
        self._start = QTimer(self)
        self._start.setSingleShot(True)
        self._start.setInterval(START_MS)
        self._start.timeout.connect(window.memory.finish_start)
        self._start.start()

    def _offer(self) -> None:
        window, bridge = self._window, self._window.bridge
        add = self.palette.add
        add("action", ActionOffer(window.actions_table))
        add("hook", HookOffer(bridge, self._show_hook))
        add("capsule", CapsuleOffer(bridge, self._recent, window.open_capsule))
        add("scenario", ScenarioOffer(bridge, self.player.run_file))

    def _connect(self) -> None:
        window, bridge, actions = self._window, self._window.bridge, self._window.actions_table
        slots = {
            "palette": self.palette.present,
            "about": self._show_about,
            "notices": self._show_notices,
            "jump": window.findings.jump,
            "run-scenario": self._ask_scenario,
            "watch": self._on_watch_switched,
        }
        for action_id, slot in slots.items():
            actions[action_id].triggered.connect(slot)
        window.status.set_actions(actions["stop"], actions["notices"])
        window.findings.jump_requested.connect(self._jump)
        window.findings.place_chosen.connect(self._follow_place)
        window.focus.place_requested.connect(self._jump)
        window.welcome.scenario_chosen.connect(self._run_sample)
        self.player.changed.connect(self._show_task)
        self.watch.changed.connect(self._on_files_changed)
        self.look.changed.connect(window.memory.save_soon)
        bridge.busy_changed.connect(self._on_busy_changed)
        bridge.capsule_changed.connect(self._on_capsule_changed)
        bridge.settled.connect(self._reload_if_changed)
        bridge.changed.connect(self._update_actions)
        window.focus.changed.connect(self._update_actions)
        self._update_actions()

    @Slot()
    def _update_actions(self) -> None:
        window = self._window
        state, allow = window.bridge.latest, window.actions_table.allow
        allow("jump", window.findings.jump_reason())
        busy = "A scenario is running; stop it first." if self.player.is_busy else ""
        allow("run-scenario", busy or command.can_reload(state))

    # -- opening -----------------------------------------------------------------------------

    def _recent(self) -> tuple[str, ...]:
        return self._window.memory.recent

    def open_path(self, path: str) -> None:
        """Open whatever the user dropped or named.

        Args:
            path: A capsule, a scenario or a recording.
        """
        match opening.kind_of_existing(path):
            case PathKind.SCENARIO:
                self.player.run_file(path)
            case PathKind.RECORDING:
                self._open_recording(path)
            case PathKind.UNKNOWN:
                self._window.bridge.say("warning", opening.unknown_text(path))
            case PathKind.CAPSULE:
                self._window.open_capsule(path)

    def _open_recording(self, path: str) -> None:
        # Whatever else has lines of JSON is told as no recording when it is read.
        self._window.recordings.open(path)

    @staticmethod
    def can_drop(data: QMimeData) -> bool:
        """Whether something that is dragged over the window could be opened."""
        paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
        return bool(paths) and opening.kind_of_existing(paths[0]) is not PathKind.UNKNOWN

    def drop(self, data: QMimeData) -> None:
        """Open the first file that was dropped, and say so when there were more."""
        paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
        if paths:
            self.open_path(paths[0])
        if len(paths) > 1:
            name = PurePath(paths[0]).name
            self._window.bridge.say("info", f"Only {name} is opened; one at a time.")

    @Slot(str)
    def _run_sample(self, capsule: str) -> None:
        self.player.run_file(sample.scenario_path(capsule), capsule)

    @Slot()
    def _ask_scenario(self) -> None:
        dialog = ScenarioDialog(self._window)
        dialog.fileSelected.connect(self.run_scenario)
        dialog.open()

    @Slot(str)
    def run_scenario(self, file: str) -> None:
        """Run a scenario file on the open capsule."""
        self.player.run_file(file)

    @Slot()
    def _show_task(self) -> None:
        self._window.status.set_task(*self.player.status())
        self._window.timeline.set_follow(True)
        self._update_actions()

    # -- watching ----------------------------------------------------------------------------

    @Slot(bool)
    def _on_watch_switched(self, is_on: bool) -> None:
        self.watch.set_on(is_on=is_on)
        self._window.memory.save_soon()

    @Slot()
    def _on_busy_changed(self) -> None:
        opening_now = self._window.bridge.state.opening
        if opening_now and not self._was_opening:
            self.watch.begin_opening()
        self._was_opening = opening_now

    @Slot()
    def _on_capsule_changed(self) -> None:
        self.watch.set_inspection(self._window.bridge.state.inspection)

    @Slot(object)
    def _on_files_changed(self, names: tuple[str, ...]) -> None:
        self._changed_files = tuple(dict.fromkeys((*self._changed_files, *names)))
        self._reload_if_changed()

    @Slot()
    def _reload_if_changed(self) -> None:
        """Reload what has changed, once nothing runs."""
        bridge = self._window.bridge
        if not self._changed_files or self.player.is_busy or not bridge.is_settled:
            return
        names, self._changed_files = self._changed_files, ()
        if not command.can_reload(bridge.latest):
            shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            bridge.say("info", f"Read again, since {shown} changed.")
            bridge.reload()

    # -- showing -----------------------------------------------------------------------------

    def _show_hook(self, name: str) -> None:
        self._window.places.show_pane("detail")
        self._window.focus.show(HookTarget(name))

    @Slot(object)
    def _jump(self, place: Place) -> None:
        window = self._window
        window.places.show_pane("manifest")
        trouble = window.manifest.show_place(place, take_focus=True)
        if trouble:
            window.bridge.say("warning", trouble)

    @Slot(object)
    def _follow_place(self, place: Place) -> None:
        if not self._window.manifest.visibleRegion().isEmpty():
            self._window.manifest.show_place(place, take_focus=False)

    @Slot()
    def _show_about(self) -> None:
        AboutDialog(self._window.bridge.state.engine, self._window).open()

    @Slot()
    def _show_notices(self) -> None:
        NoticeDialog(self._window.bridge, self._window).show()

    def close(self) -> None:
        """The window closes."""
        self.player.close()
