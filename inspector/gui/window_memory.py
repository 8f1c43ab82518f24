"""The file of the window's state, held open in the mind of the window.

Lives here: `WindowMemory`: when to write, what was opened before. Not here: the file's
form (window_state), places of panes (window_layout). Only main_window imports it.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from inspector.gui import window_state
from inspector.gui.window_marker import StartMarker
from inspector.gui.window_state import WindowState

SAVE_MS = 1_500
"""What was typed is saved this long after the last change."""


class WindowMemory(QObject):
    """Reads once, writes a little after each change and at the end.

    Attributes:
        state: What was read at the start.
        note: Why it could not be read, in a sentence, or "".
        recent: Capsules opened before, the last one first.

    Signals:
        recent_changed(): another capsule is the last one.
        failed(str): a sentence, when the file could not be written.
    """

    recent_changed = Signal()
    failed = Signal(str)

    def __init__(self, path: Path, gather: Callable[[], WindowState], parent: QObject) -> None:
        """Read the file.

        Args:
            path: The file; it need not exist.
            gather: Gives what is to be remembered now.
            parent: The owner, which must be what `gather` belongs to.
        """
        super().__init__(parent)
        loaded = window_state.load(path)
        self.state = loaded.state
        self.note = loaded.note
        self._marker = StartMarker(path)
        if self._marker.begin():
            self._leave_out_last_session(path)
        self.recent = loaded.state.recent
        self._may_save = loaded.may_save
        self._path = path
        self._gather = gather
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_MS)
        self._timer.timeout.connect(self.save)

    def _leave_out_last_session(self, path: Path) -> None:
        """Begin without what may have kept the last window from opening; keep a copy."""
        copy = path.with_name(f"{path.name}.last")
        kept = f"They are kept in {copy}."
        try:
            shutil.copyfile(path, copy)
        except OSError:
            kept = ""
        old = self.state
        self.state = WindowState(theme=old.theme, profile=old.profile, recent=old.recent)
        self.note = self.note or (
            "The last start did not come to its end, so this window opens without the layout "
            f"and the drafts of the last session. {kept}".rstrip()
        )

    def finish_start(self) -> None:
        """Note that the window stands: what was restored has done no harm."""
        self._marker.finish()

    def forget_capsule(self, path: str) -> None:
        """Take a capsule off the recent ones."""
        if path in self.recent:
            self.recent = tuple(other for other in self.recent if other != path)
            self.recent_changed.emit()
            self.save_soon()

    def remember_capsule(self, path: str) -> None:
        """Put a capsule first among the recent ones."""
        if self.recent[:1] != (path,):
            self.recent = window_state.with_recent(self.recent, path)
            self.recent_changed.emit()
            self.save_soon()

    @Slot()
    def save_soon(self) -> None:
        """Write when nothing has changed for a while."""
        self._timer.start()

    @Slot()
    def save(self) -> None:
        """Write now; a failure is told, never fatal."""
        self._timer.stop()
        self._marker.finish()
        if not self._may_save:
            return
        trouble = window_state.save(self._path, self._gather())
        if trouble:
            self.failed.emit(trouble)
