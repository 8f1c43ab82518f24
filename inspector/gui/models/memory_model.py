"""A page of linear memory as rows: offset, sixteen bytes, the same as text.

Lives here: `MemoryModel`. Not here: reading memory (the bridge), how bytes are written
(workbench.memory_view). Only views import it.
"""

import enum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui import theme
from inspector.workbench.memory_view import (
    ROW_BYTES,
    Hits,
    find,
    hex_text,
    offset_text,
    plain_text,
)


class Column(enum.IntEnum):
    """Columns of the page."""

    OFFSET = 0
    HEX = 1
    TEXT = 2


TITLES = ("Offset", "Bytes", "Text")


class MemoryModel(QAbstractTableModel):
    """One page; swapped as a whole."""

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        MATCH = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = b""
        self._offset = 0
        self._needle = b""
        self._hits = Hits()
        self._rows_hit: frozenset[int] = frozenset()
        self._row_bytes = ROW_BYTES

    @property
    def row_length(self) -> int:
        """Bytes of a row."""
        return self._row_bytes

    def set_row_length(self, count: int) -> None:
        """Show so many bytes in a row, ROW_BYTES or half of it."""
        if count != self._row_bytes:
            self.beginResetModel()
            self._row_bytes = count
            self.endResetModel()
            self._search()

    def set_page(self, data: bytes, offset: int) -> None:
        """Show another page.

        Args:
            data: Its bytes.
            offset: Of the first of them.
        """
        if (data, offset) == (self._data, self._offset):
            return
        if len(data) == len(self._data):
            self._data, self._offset = data, offset
            self._search()
            return
        self.beginResetModel()
        self._data, self._offset = data, offset
        self.endResetModel()
        self._search()

    @property
    def page(self) -> bytes:
        """The bytes that are shown."""
        return self._data

    @property
    def offset(self) -> int:
        """Offset of the first byte."""
        return self._offset

    # -- the search ----------------------------------------------------------------------

    def set_needle(self, needle: bytes) -> None:
        """Search for bytes in the page; b"" ends the search."""
        if needle != self._needle:
            self._needle = needle
            self._search()

    @property
    def hits(self) -> Hits:
        """Where the bytes stand, from the start of the page."""
        return self._hits

    def _search(self) -> None:
        self._hits = find(self._data, self._needle)
        length = max(self._hits.length, 1)
        size = self._row_bytes
        rows = (range(at // size, (at + length - 1) // size + 1) for at in self._hits.offsets)
        self._rows_hit = frozenset(row for span in rows for row in span)
        if self.rowCount():
            last = self.index(self.rowCount() - 1, len(Column) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    # -- the table -----------------------------------------------------------------------

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else -(-len(self._data) // self._row_bytes)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def row_bytes(self, row: int) -> bytes:
        """The bytes of a row."""
        return self._data[row * self._row_bytes : (row + 1) * self._row_bytes]

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.cell(index.row(), Column(index.column()))
            case Qt.ItemDataRole.ForegroundRole if index.column() == Column.OFFSET:
                return theme.color("muted")
            case Qt.ItemDataRole.ForegroundRole if not any(self.row_bytes(index.row())):
                return theme.color("muted")
            case self.Role.MATCH:
                return index.row() in self._rows_hit
        return None

    def cell(self, row: int, column: Column) -> str:
        """The text of a cell."""
        match column:
            case Column.OFFSET:
                return offset_text(self._offset + row * self._row_bytes)
            case Column.HEX:
                return hex_text(self.row_bytes(row), self._row_bytes)
            case Column.TEXT:
                return plain_text(self.row_bytes(row))
