"""A list of a form as the rows of a table.

Lives here: FormListModel. Not here: the value (form_model), the table (gui.views). Only
gui may import it.
"""

import enum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Slot,
)

from inspector.contract import value
from inspector.contract.type import ListOf, Record, spell
from inspector.contract.value import Path
from inspector.gui.models.form_model import FormModel, overlaps
from inspector.gui.widgets.visible_text import escape
from inspector.workbench import formatting

_CELL = 200
_TOOLTIP = 2_000

Index = QModelIndex | QPersistentModelIndex


class Role(enum.IntEnum):
    """Roles beyond Qt's."""

    VALUE = Qt.ItemDataRole.UserRole + 1


class FormListModel(QAbstractTableModel):
    """One row for each item; a column for each field of a record, or one."""

    def __init__(
        self, form: FormModel, path: Path, kind: ListOf, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._form = form
        self._path = path
        self._kind = kind
        element = kind.element
        self._columns = [f.name for f in element.fields] if isinstance(element, Record) else []
        self._items: list[Any] = form.get(path)
        self._busy = False
        form.changed.connect(self._on_changed)

    def path(self) -> Path:
        """Where the list stands in the form."""
        return self._path

    def bind(self, path: Path) -> None:
        """Show another list of the same type."""
        self.beginResetModel()
        self._path = path
        self._items = self._form.get(path)
        self.endResetModel()

    # -- Qt -----------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._items)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else max(len(self._columns), 1)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        item = self._items[index.row()]
        part = item[self._columns[index.column()]] if self._columns else item
        if role == Qt.ItemDataRole.DisplayRole:
            return _picture(part, _CELL)
        if role == Qt.ItemDataRole.ToolTipRole:
            return _picture(part, _TOOLTIP)
        return part if role == Role.VALUE else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return str(section)
        names = self._columns or [spell(self._kind.element)]
        return names[section] if section < len(names) else None

    # -- changing -----------------------------------------------------------------

    def add(self, row: int) -> None:
        """Put a default item in, so that it has the number `row`."""
        self.beginInsertRows(QModelIndex(), row, row)
        self._do(self._form.insert, self._path, row, value.default(self._kind.element))
        self.endInsertRows()

    def remove(self, row: int) -> None:
        """Take an item out."""
        self.beginRemoveRows(QModelIndex(), row, row)
        self._do(self._form.remove, self._path, row)
        self.endRemoveRows()

    def move(self, row: int, target: int) -> None:
        """Move an item so that it has the number `target`."""
        if row == target:
            return
        # Qt counts the place before the item is taken out.
        before = target + 1 if target > row else target
        self.beginMoveRows(QModelIndex(), row, row, QModelIndex(), before)
        self._do(self._form.move, self._path, row, target)
        self.endMoveRows()

    def _do(self, change: Any, *arguments: Any) -> None:
        self._busy = True
        try:
            change(*arguments)
            self._items = self._form.get(self._path)
        finally:
            self._busy = False

    @Slot(object)
    def _on_changed(self, path: Path) -> None:
        if self._busy or not overlaps(path, self._path):
            return
        items = self._current()
        if len(path) > len(self._path) and len(items) == len(self._items):
            row = int(path[len(self._path)])
            self._items = items
            self.dataChanged.emit(self.index(row, 0), self.index(row, self.columnCount() - 1))
        elif items is not self._items:
            self.beginResetModel()
            self._items = items
            self.endResetModel()

    def _current(self) -> list[Any]:
        """The list now; [] when an option around it has become none."""
        try:
            items = self._form.get(self._path)
        except (KeyError, IndexError, TypeError):
            return []
        return items if isinstance(items, list) else []


def _picture(part: Any, limit: int) -> str:
    """A short picture of a part; texts in quotes, so that empty ones show."""
    if not isinstance(part, str):
        return formatting.summary(part, limit)
    cut = "…" if len(part) > limit else ""
    return f'"{escape(part[:limit])}{cut}"'
