"""Lines of text as a table with one column: a million of them work.

Lives here: `LineModel` for a text that is complete. Not here: live logs (log_model),
search and painting (views.line_view). Only views import it.
"""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.workbench.formatting import visible


class LineModel(QAbstractTableModel):
    """The lines of one text; swapped as a whole."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: Sequence[str] = ()
        self._longest = 0

    def set_lines(self, lines: Sequence[str]) -> None:
        """Show other lines; the sequence must not change afterwards."""
        self.beginResetModel()
        self._lines = lines
        self._longest = max(map(len, lines), default=0)
        self.endResetModel()

    @property
    def longest(self) -> int:
        """Characters of the longest line."""
        return self._longest

    def text(self, row: int) -> str:
        """A line as it is, for copying and searching."""
        return self._lines[row]

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else 1

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if index.isValid() and role == Qt.ItemDataRole.DisplayRole:
            return visible(self._lines[index.row()])
        return None
