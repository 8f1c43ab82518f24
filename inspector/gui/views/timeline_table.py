"""The rows of the timeline: columns, folding, keys.

Lives here: `TimelineTable`. Not here: the pane around it (timeline_view), painting
(timeline_delegate), which rows there are (models.timeline_model). Only timeline_view
imports it.
"""

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.models.timeline_row import Column
from inspector.gui.views.row_table import RowTable
from inspector.gui.views.timeline_delegate import BAR_WIDTH, TimelineDelegate

_WIDTHS = {
    Column.STEP: "00,000",
    Column.EVENT: "on-session-start",
    Column.PHASE: "observe",
    Column.RESULT: "replace-context, no",
    Column.OUTCOME: "superseded    ",
    Column.DURATION: "00.0 ms",
    Column.NOTE: "a note of some words",
}
"""Texts that each column has room for; the column of hooks takes the rest."""

_SIGNS_WIDTH = 28
_BAR_NEEDS = 720
_NEEDED_WIDTHS = {
    Column.NOTE: 860,
    Column.PHASE: 600,
    Column.DURATION: 520,
    Column.RESULT: 400,
}
"""A narrower table leaves the column out, so that hook and outcome stay in sight."""


class TimelineTable(RowTable):
    """The rows; a click on the fold sign, Left and Right fold the calls of a firing.

    Signals:
        menu_requested(QPoint): where a menu for the current row is wanted.
    """

    menu_requested = Signal(QPoint)

    def __init__(self, model: TimelineModel, parent: QWidget) -> None:
        super().__init__("Timeline", parent)
        self._timeline = model
        self._has_notes = False
        self._shows_labels = False
        model.rowsInserted.connect(self._on_rows_inserted)
        self.setModel(model)
        self.setFrameShape(RowTable.Shape.NoFrame)
        self.setItemDelegate(TimelineDelegate(self, Column.EVENT))
        header = self.horizontalHeader()
        metrics = self.fontMetrics()
        extra = {Column.STEP: _SIGNS_WIDTH}
        for column, text in _WIDTHS.items():
            width = metrics.horizontalAdvance(text) + 20 + extra.get(column, 0)
            header.resizeSection(column, width)
        header.setSectionResizeMode(Column.HOOK, QHeaderView.ResizeMode.Stretch)
        self.setColumnHidden(Column.NOTE, True)

    def set_has_notes(self, has_notes: bool) -> None:
        """Show the column of notes while there is one."""
        self._has_notes = has_notes
        self._fit(self.viewport().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(event.size().width())

    @Slot()
    def _on_rows_inserted(self) -> None:
        if self._timeline.has_labels and not self._shows_labels:
            # The names of a batch need the room of the phase.
            self._shows_labels = True
            text = f"{_WIDTHS[Column.EVENT]} {_WIDTHS[Column.PHASE]} "
            self.setColumnWidth(Column.EVENT, self.fontMetrics().horizontalAdvance(text) + 20)
            self._fit(self.viewport().width())

    def _fit(self, width: int) -> None:
        needed = dict(_NEEDED_WIDTHS)
        if self._shows_labels:
            needed[Column.PHASE] = needed[Column.NOTE]
        for column, least in needed.items():
            is_shown = width >= least and (column is not Column.NOTE or self._has_notes)
            self.setColumnHidden(column, not is_shown)
        time = self.fontMetrics().horizontalAdvance(_WIDTHS[Column.DURATION]) + 20
        self.setColumnWidth(Column.DURATION, time + (BAR_WIDTH if width >= _BAR_NEEDS else 0))
        self.setColumnWidth(Column.RESULT, min(max(width // 5, 110), 320))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        super().mousePressEvent(event)
        if index.column() == Column.STEP and event.button() is Qt.MouseButton.LeftButton:
            self._timeline.toggle(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        folds = {Qt.Key.Key_Left: True, Qt.Key.Key_Right: False}
        wanted = folds.get(Qt.Key(event.key()))
        if wanted is not None and self.current_row() >= 0:
            index = self.model().index(self.current_row(), 0)
            if index.data(TimelineModel.Role.EXPANDED) is wanted:
                self._timeline.toggle(index.row())
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(event.globalPos())
