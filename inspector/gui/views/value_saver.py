"""Saves a value of any size to a file, away from the thread of the window.

Lives here: `ValueSaver`. Not here: showing values (value_view), the file
(workbench.text_file). Only detail_view and value_view import it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from inspector.gui.file_job import FileJob, FileResult
from inspector.workbench.formatting import pretty_lines
from inspector.workbench.text_file import write_parts


class ValueSaver(QObject):
    """Asks for a file, then writes text as it is and everything else as JSON.

    Signals:
        told(str, str): severity and sentence, once a file is written or is not.
    """

    told = Signal(str, str)

    def __init__(self, work: FileJob, window: QWidget) -> None:
        """Make it.

        Args:
            work: Writes in the other thread.
            window: The owner, and that of its dialog.
        """
        super().__init__(window)
        self._window = window
        self._work = work
        self._value: Any = None
        self._saving: dict[int, str] = {}
        work.finished.connect(self._take)

    def ask(self, value: Any) -> None:
        """Ask where to save a value, which must not change afterwards."""
        self._value = value
        dialog = QFileDialog(self._window, "Save the value")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("txt" if isinstance(value, str) else "json")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.save)
        dialog.open()

    @Slot(str)
    def save(self, path: str) -> None:
        """Save the value that was asked about."""
        self._saving[self._work.submit(_Writing(path, self._value))] = path

    @Slot(object)
    def _take(self, result: FileResult) -> None:
        path = self._saving.pop(result.number, None)
        if path is None:
            return
        if result.error is not None:
            self._tell("error", result.error.sentence())
        else:
            self._tell("info", f"Saved the value {path}.")

    def _tell(self, severity: str, sentence: str) -> None:
        self.told.emit(severity, sentence)


class _Writing:
    """A value to be written in the other thread."""

    def __init__(self, path: str, value: Any) -> None:
        self._path = path
        self._value = value

    def __call__(self) -> None:
        """Write it."""
        write_parts(Path(self._path), value_parts(self._value))


def value_parts(value: Any) -> Iterator[str]:
    """What is written for a value: a text as it is, else its JSON in lines."""
    if isinstance(value, str):
        yield value
        return
    yield from (f"{line}\n" for line in pretty_lines(value))
