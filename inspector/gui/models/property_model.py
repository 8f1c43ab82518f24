"""Names and values in sections, as a tree: the page of a hook, an outcome, a session.

Lives here: the value `Property` and `PropertyModel`, which shows a snapshot of them.
Not here: which properties a thing has (hook_property, outcome_property), painting
(views.property_view). Only gui.models and views import it.
"""

import enum
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui import icons, theme
from inspector.gui.focus import Place, Target


class Property(msgspec.Struct, frozen=True):
    """One line, or a section of lines.

    Attributes:
        name: What it is; a sentence of its own when there is no value.
        value: Its value; for a section a summary.
        icon: Name of a picture before the value, or "".
        role: Colour role of the value, or "" for plain text.
        tip: More about it, or "".
        is_code: Whether the value is shown in the fixed font.
        target: What a double click shows, or None.
        children: The lines of a section.
    """

    name: str
    value: str = ""
    icon: str = ""
    role: str = ""
    tip: str = ""
    is_code: bool = False
    target: Target | Place | None = None
    children: tuple["Property", ...] = ()


class _Node(msgspec.Struct):
    item: Property
    parent: int
    row: int
    children: list[int]


class Column(enum.IntEnum):
    """Columns of a property tree."""

    NAME = 0
    VALUE = 1


class PropertyModel(QAbstractItemModel):
    """A snapshot of properties; the root has the sections."""

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        PROPERTY = Qt.ItemDataRole.UserRole + 1
        IS_SECTION = Qt.ItemDataRole.UserRole + 2

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._properties: tuple[Property, ...] = ()
        self._nodes: list[_Node] = []
        self._build()
        theme.notifier().changed.connect(self._repaint)

    @property
    def properties(self) -> tuple[Property, ...]:
        """What is shown."""
        return self._properties

    def set_properties(self, properties: tuple[Property, ...]) -> None:
        """Show other properties; with the same names in the same places nothing moves."""
        if properties == self._properties:
            return
        if _shape(properties) == _shape(self._properties):
            self._properties = properties
            self._build()
            self._repaint()
            return
        self.beginResetModel()
        self._properties = properties
        self._build()
        self.endResetModel()

    def _build(self) -> None:
        root = Property("", children=self._properties)
        self._nodes = [_Node(root, -1, 0, [])]
        todo = [0]
        for number in todo:
            node = self._nodes[number]
            for row, child in enumerate(node.item.children):
                node.children.append(len(self._nodes))
                todo.append(len(self._nodes))
                self._nodes.append(_Node(child, number, row, []))

    def _node(self, index: QModelIndex | QPersistentModelIndex) -> _Node:
        return self._nodes[index.internalId() if index.isValid() else 0]

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

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        node = self._node(index)
        if role == self.Role.PROPERTY:
            return node.item
        if role == self.Role.IS_SECTION:
            return node.parent == 0
        is_name = index.column() == Column.NAME
        return _name_data(node, role) if is_name else _value_data(node, role)

    def _repaint(self) -> None:
        for node in self._nodes:
            if node.children:
                first, last = node.children[0], node.children[-1]
                self.dataChanged.emit(
                    self.createIndex(self._nodes[first].row, 0, first),
                    self.createIndex(self._nodes[last].row, len(Column) - 1, last),
                )


def _shape(properties: tuple[Property, ...]) -> tuple[object, ...]:
    return tuple((item.name, _shape(item.children)) for item in properties)


def _name_data(node: _Node, role: int) -> Any:
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return node.item.name
        case Qt.ItemDataRole.FontRole if node.parent == 0:
            return theme.ui_font(weight=theme.ui_font().Weight.DemiBold)
        case Qt.ItemDataRole.ToolTipRole:
            return node.item.tip or node.item.name
        case Qt.ItemDataRole.ForegroundRole if node.parent != 0:
            is_sentence = not node.item.value and node.item.role
            return theme.color(node.item.role if is_sentence else "muted")
    return None


def _value_data(node: _Node, role: int) -> Any:
    item = node.item
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return item.value
        case Qt.ItemDataRole.DecorationRole if item.icon:
            return icons.icon(item.icon, item.role or "muted")
        case Qt.ItemDataRole.FontRole if item.is_code:
            return theme.mono_font()
        case Qt.ItemDataRole.ToolTipRole:
            return item.tip or item.value or None
        case Qt.ItemDataRole.ForegroundRole if item.role or node.parent == 0:
            return theme.color(item.role or "muted")
    return None
