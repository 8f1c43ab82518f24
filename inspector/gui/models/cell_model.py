"""Rows of text cells with a text behind each: requests, frames, messages, files.

Lives here: the value `CellRow` and `CellModel`, which shows a snapshot of rows. Not
here: what the rows say (firing_row), the table and its text (views.table_page). Only
gui.models and views import it.
"""

import enum
from collections.abc import Sequence
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui import icons, theme
from inspector.workbench.formatting import one_line

_LONGEST_CELL = 500


class CellRow(msgspec.Struct, frozen=True):
    """One row.

    Attributes:
        texts: By column.
        icon: Name of a picture in the first column, or "".
        role: Colour role of picture and text, or "" for plain text.
        detail: What stands below the table while the row is chosen.
        depth: Levels that the first column is moved in.
    """

    texts: tuple[str, ...]
    icon: str = ""
    role: str = ""
    detail: str = ""
    depth: int = 0


class CellModel(QAbstractTableModel):
    """A snapshot of rows, swapped as a whole or cell by cell."""

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        DEPTH = Qt.ItemDataRole.UserRole + 1

    def __init__(
        self, titles: tuple[str, ...], right: tuple[int, ...] = (), parent: QObject | None = None
    ) -> None:
        """Make an empty model.

        Args:
            titles: Of the columns.
            right: Columns with numbers, set to the right.
            parent: The owner.
        """
        super().__init__(parent)
        self._titles = titles
        self._right = right
        self._rows: Sequence[CellRow] = ()
        theme.notifier().changed.connect(self._repaint)

    @property
    def rows(self) -> Sequence[CellRow]:
        """What is shown."""
        return self._rows

    def set_rows(self, rows: Sequence[CellRow]) -> None:
        """Show other rows; as many as before keep the place in the view."""
        if len(rows) == len(self._rows):
            self._rows = rows
            self._repaint()
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return None

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return one_line(row.texts[column], _LONGEST_CELL)
            case Qt.ItemDataRole.ToolTipRole:
                return one_line(row.texts[column], 2_000) or None
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(column)
            case Qt.ItemDataRole.ForegroundRole if row.role:
                return theme.color(row.role)
            case Qt.ItemDataRole.DecorationRole if row.icon and column == 0:
                return icons.icon(row.icon, row.role or "muted")
            case self.Role.DEPTH:
                return row.depth if column == 0 else 0
        return None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in self._right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def _repaint(self) -> None:
        if self._rows:
            last = self.index(len(self._rows) - 1, len(self._titles) - 1)
            self.dataChanged.emit(self.index(0, 0), last)
