"""A JSON value of any size as a tree that is made as it is opened.

Lives here: `ValueModel`. Not here: the text form (workbench.formatting), the view
around it (views.value_view). Only views import it.
"""

import enum
from itertools import islice
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui import theme
from inspector.workbench.formatting import summary, visible

_BATCH = 200
"""Children that are made at a time."""

_TIP_CHARACTERS = 2_000


class Column(enum.IntEnum):
    """Columns of a value tree."""

    KEY = 0
    VALUE = 1


class _Node(msgspec.Struct):
    key: str
    value: Any
    parent: int
    row: int
    children: list[int]

    @property
    def size(self) -> int:
        return len(self.value) if isinstance(self.value, dict | list | tuple) else 0


class ValueModel(QAbstractItemModel):
    """One value; its parts are the rows of the root, a scalar is a row of its own."""

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        VALUE = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._nodes = [_Node("", [], -1, 0, [])]

    def set_value(self, value: Any) -> None:
        """Show another value; it must not change afterwards."""
        self.beginResetModel()
        root = value if isinstance(value, dict | list | tuple) else [value]
        self._nodes = [_Node("", root, -1, 0, [])]
        self._fetch(0)
        self.endResetModel()

    def _node(self, index: QModelIndex | QPersistentModelIndex) -> _Node:
        return self._nodes[index.internalId() if index.isValid() else 0]

    def _fetch(self, number: int) -> None:
        node = self._nodes[number]
        start = len(node.children)
        stop = min(start + _BATCH, node.size)
        if isinstance(node.value, dict):
            parts = list(islice(node.value.items(), start, stop))
        else:
            parts = [(f"{i}", node.value[i]) for i in range(start, stop)]
        for row, (key, value) in enumerate(parts, start):
            node.children.append(len(self._nodes))
            self._nodes.append(_Node(str(key), value, number, row, []))

    def hasChildren(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> bool:
        return parent.column() <= 0 and self._node(parent).size > 0

    def canFetchMore(self, parent: QModelIndex | QPersistentModelIndex) -> bool:
        node = self._node(parent)
        return parent.column() <= 0 and len(node.children) < node.size

    def fetchMore(self, parent: QModelIndex | QPersistentModelIndex) -> None:
        node = self._node(parent)
        start = len(node.children)
        stop = min(start + _BATCH, node.size)
        if start == stop:
            return
        number = parent.internalId() if parent.isValid() else 0
        # The views may hand in a persistent index, which beginInsertRows does not take.
        place = self.createIndex(parent.row(), 0, number) if parent.isValid() else QModelIndex()
        self.beginInsertRows(place, start, stop - 1)
        self._fetch(number)
        self.endInsertRows()

    def index(
        self,
        row: int,
        column: int,
        parent: QModelIndex | QPersistentModelIndex = QModelIndex(),
    ) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, self._node(parent).children[row])

    def parent(  # type: ignore[override]  # Qt has a second parent() without argument
        self, index: QModelIndex | QPersistentModelIndex = QModelIndex()
    ) -> QModelIndex:
        above = self._node(index).parent if index.isValid() else 0
        if above <= 0:
            return QModelIndex()
        return self.createIndex(self._nodes[above].row, 0, above)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.column() > 0 else len(self._node(parent).children)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return len(Column)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return ("Key", "Value")[section]
        return None

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        node = self._node(index)
        is_key = index.column() == Column.KEY
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return node.key if is_key else summary(node.value)
            case Qt.ItemDataRole.ForegroundRole if is_key or node.value is None or node.size:
                return theme.color("muted")
            case Qt.ItemDataRole.FontRole if not is_key:
                return theme.mono_font()
            case Qt.ItemDataRole.ToolTipRole if isinstance(node.value, str):
                return visible(node.value[:_TIP_CHARACTERS]) or None
            case self.Role.VALUE:
                return node.value
        return None
