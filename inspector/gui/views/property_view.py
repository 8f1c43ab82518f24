"""Names and values in sections that open and close.

Lives here: `PropertyView`. Not here: what the properties are (gui.models). Only views
import it.
"""

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeView,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.property_model import Column, Property, PropertyModel
from inspector.gui.views.row_delegate import RowDelegate


class PropertyView(QTreeView):
    """A property tree; sections are open at first and keep how the user left them.

    Signals:
        target_chosen(Target): a line that stands for something was activated.
    """

    target_chosen = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Make the tree; `name` is for assistive tools."""
        super().__init__(parent)
        self._closed: set[str] = set()
        self._model = PropertyModel(self)
        self.setModel(self._model)
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(theme.spacing.M)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setItemDelegate(RowDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.header()
        header.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(Column.VALUE, QHeaderView.ResizeMode.Stretch)
        header.setStretchLastSection(True)
        self.collapsed.connect(self._note_closed)
        self.expanded.connect(self._note_open)
        self.activated.connect(self._on_activated)

    def set_properties(self, properties: tuple[Property, ...]) -> None:
        """Show other properties."""
        before = self._model.properties
        self._model.set_properties(properties)
        if len(before) != len(properties) or not self._is_open_right():
            self._open_sections()
        self._span_sentences()
        self._fit_names()

    def _span_sentences(self) -> None:
        """Let a line without a value take the width of both columns."""
        for row, section in enumerate(self._model.properties):
            parent = self._model.index(row, 0)
            for below, item in enumerate(section.children):
                self.setFirstColumnSpanned(below, parent, not item.value and not item.children)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_names()

    @property
    def properties(self) -> tuple[Property, ...]:
        """What is shown."""
        return self._model.properties

    def _is_open_right(self) -> bool:
        return all(
            self.isExpanded(self._model.index(row, 0)) == (item.name not in self._closed)
            for row, item in enumerate(self._model.properties)
        )

    def _open_sections(self) -> None:
        closed = set(self._closed)
        for row, item in enumerate(self._model.properties):
            self.setExpanded(self._model.index(row, 0), item.name not in closed)

    def _fit_names(self) -> None:
        properties = self._model.properties
        metrics = self.fontMetrics()
        names = [child.name for section in properties for child in section.children if child.value]
        names += [section.name for section in properties]
        widest = max((metrics.horizontalAdvance(name) for name in names), default=0)
        room = max(120, self.viewport().width() * 45 // 100)
        self.setColumnWidth(Column.NAME, min(widest + 3 * theme.spacing.M, room))

    @Slot(QModelIndex)
    def _note_closed(self, index: QModelIndex) -> None:
        if not index.parent().isValid():
            self._closed.add(str(index.data()))

    @Slot(QModelIndex)
    def _note_open(self, index: QModelIndex) -> None:
        if not index.parent().isValid():
            self._closed.discard(str(index.data()))

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        item = index.data(PropertyModel.Role.PROPERTY)
        if isinstance(item, Property) and item.target is not None:
            self.target_chosen.emit(item.target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            item = self.currentIndex().data(PropertyModel.Role.PROPERTY)
            if isinstance(item, Property):
                QGuiApplication.clipboard().setText(item.value or item.name)
            return
        super().keyPressEvent(event)
