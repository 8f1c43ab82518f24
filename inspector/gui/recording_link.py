"""Opening, saving and closing recordings, and the banner that says what is shown.

Lives here: `RecordingLink`. Not here: the file (workbench.recording), the states
(workbench_bridge). Only main_window imports it.
"""

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from inspector.gui.actions import Actions
from inspector.gui.file_job import FileJob, FileResult
from inspector.gui.widgets.banner import Banner
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import recording
from inspector.workbench.state import State

_FILTER = "Recordings (*.jsonl)"
_NOTHING = "There is nothing to save yet."


class RecordingLink(QObject):
    """Reads and writes recordings in the other thread.

    Attributes:
        banner: Shows while a recording is shown.

    Signals:
        opened(str): a recording is shown.
    """

    opened = Signal(str)

    def __init__(self, bridge: WorkbenchBridge, actions: Actions, window: QWidget) -> None:
        """Make it.

        Args:
            bridge: Shows recordings.
            actions: Those about recordings are connected here.
            window: The owner, and that of its dialogs.
        """
        super().__init__(window)
        self._bridge = bridge
        self._actions = actions
        self._window = window
        self._files = FileJob(self)
        self._files.finished.connect(self._take)
        self._saving: dict[int, str] = {}
        self._opening = 0
        self.banner = Banner(window)
        self.banner.close_button.hide()
        self.banner.action_triggered.connect(bridge.close_recording)
        actions["open-recording"].triggered.connect(self.ask_open)
        actions["save-recording"].triggered.connect(self.ask_save)
        actions["close-recording"].triggered.connect(bridge.close_recording)
        bridge.recording_changed.connect(self._show_banner)
        bridge.changed.connect(self.update_actions)
        self.update_actions()

    @Slot()
    def update_actions(self) -> None:
        """Enable what can be done."""
        state = self._bridge.latest
        self._actions.allow("save-recording", "" if len(state.history.items) else _NOTHING)
        is_shown = state.recording is not None
        self._actions.allow("close-recording", "" if is_shown else "No recording is shown.")

    # -- opening ---------------------------------------------------------------------------

    @Slot()
    def ask_open(self) -> None:
        """Ask for a recording and show it."""
        dialog = self._dialog("Open a recording", QFileDialog.AcceptMode.AcceptOpen)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.open)
        dialog.open()

    @Slot(str)
    def open(self, path: str) -> None:
        """Show a recording once it is read."""
        self._bridge.say("info", f"Reading {Path(path).name}…")
        self._opening = self._files.submit(_Reading(path))

    @staticmethod
    def is_recording(path: str) -> bool:
        """Whether a file that is to be opened is a recording."""
        return path.endswith(".jsonl") and recording.is_recording(path)

    # -- saving ----------------------------------------------------------------------------

    @Slot()
    def ask_save(self) -> None:
        """Ask where to save what the window shows."""
        dialog = self._dialog("Save a recording", QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(recording.SUFFIX.removeprefix("."))
        dialog.fileSelected.connect(self.save)
        dialog.open()

    @Slot(str)
    def save(self, path: str) -> None:
        """Save rows, logs, marks and notes as they are now."""
        number = self._files.submit(_Writing(self._bridge.latest, path))
        self._saving[number] = path

    def _dialog(self, title: str, mode: QFileDialog.AcceptMode) -> QFileDialog:
        dialog = QFileDialog(self._window, title)
        dialog.setAcceptMode(mode)
        dialog.setNameFilters([_FILTER, "All files (*)"])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    # -- what came of it -------------------------------------------------------------------

    @Slot(object)
    def _take(self, result: FileResult) -> None:
        saved = self._saving.pop(result.number, None)
        if result.error is not None:
            self._bridge.say("error", result.error.sentence())
        elif saved is not None:
            self._bridge.say("info", f"Saved the recording {saved}.")
        elif result.number == self._opening and isinstance(result.value, State):
            self._bridge.show_recording(result.value)
            self._tell_opened(result.value.recording or "")

    def _tell_opened(self, path: str) -> None:
        self.opened.emit(path)

    @Slot()
    def _show_banner(self) -> None:
        path = self._bridge.state.recording
        if path is None:
            self.banner.hide()
            return
        sentence = (
            f"This is the recording {Path(path).name}. You can read, filter, mark, compare and "
            "copy; nothing can be fired."
        )
        self.banner.show_message("info", sentence, "Close recording")
        self.banner.setToolTip(path)

    def close(self) -> None:
        """Tell nothing more; what was begun is still finished."""
        self._files.close()


class _Reading:
    """A recording to be read in the other thread."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self) -> State:
        """Read it."""
        return recording.load(self._path)


class _Writing:
    """A state to be written in the other thread."""

    def __init__(self, state: State, path: str) -> None:
        self._state = state
        self._path = path

    def __call__(self) -> None:
        """Write it."""
        recording.save(self._state, self._path)
