"""Writes the lines of the Logs pane into a file, a slice at a time.

Lives here: `LogSaver` and its dialog. Not here: which lines (models.log_model). Only
log_view imports it.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from inspector.gui.jobs import SlicedJob
from inspector.workbench.formatting import count_text

_BATCH = 1_000
"""Lines that are written between two looks at the clock."""


class LogSaver(QObject):
    """Saves a text that comes in parts, beside the file and then in its place.

    Signals:
        saved(str): a sentence: where it was written and how much.
        failed(str): a sentence: why it could not be written.
    """

    saved = Signal(str)
    failed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._path = Path()
        self._trouble = ""
        self._job = SlicedJob(self)
        self._job.finished.connect(self._on_finished)

    def save(self, path: str, lines: Iterator[str]) -> None:
        """Begin to write; an earlier run is given up.

        Args:
            path: The file.
            lines: Lines without their ends.
        """
        self._path = Path(path)
        self._trouble = ""
        self._job.start(self._write(lines), steps=1)

    def _write(self, lines: Iterator[str]) -> Iterator[int]:
        """Write batches; yields the number of lines of each."""
        name = ""
        try:
            handle, name = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
                batch = _next_batch(lines)
                while batch:
                    file.write("".join(f"{line}\n" for line in batch))
                    yield len(batch)
                    batch = _next_batch(lines)
            Path(name).replace(self._path)
            name = ""
        except OSError as error:
            self._trouble = f"The log could not be saved ({self._path}: {error.strerror})."
        finally:
            if name:
                Path(name).unlink(missing_ok=True)

    @Slot(int, object)
    def _on_finished(self, number: int, counts: list[int]) -> None:
        if self._trouble:
            self.failed.emit(self._trouble)
        else:
            self.saved.emit(f"{count_text(sum(counts), 'line')} saved in {self._path}.")


def _next_batch(lines: Iterator[str]) -> list[str]:
    return [line for _, line in zip(range(_BATCH), lines, strict=False)]


class LogSaveDialog(QFileDialog):
    """Asks for a file; the window does not wait, `fileSelected` gives the path."""

    def __init__(self, parent: QWidget, name: str) -> None:
        """Make the dialog; `name` is the file's name to begin with."""
        super().__init__(parent, "Save the lines shown")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setNameFilters(["Text (*.log *.txt)", "All files (*)"])
        self.setDefaultSuffix("log")
        self.selectFile(name)
