"""The rows of the Logs pane: fixed font, fold signs, grounds of matches and firings.

Lives here: `LogTable` and the painting of its rows. Not here: which rows there are
(models.log_model), tabs and search (log_view). Only log_view imports it.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from inspector.gui import icons, theme
from inspector.gui.models.log_model import Column, LogModel
from inspector.gui.views.row_table import RowTable
from inspector.gui.widgets.look import Spacing

_FOLD = 12
_STEP_CHARACTERS = 9
_FILE_CHARACTERS = 24


class LogTable(RowTable):
    """Lines in the fixed font; the last column is as wide as the longest line.

    A click on the fold sign, Left, Right and Space open and close an entry of many lines.
    """

    def __init__(self, model: LogModel, parent: QWidget) -> None:
        super().__init__("Log lines", parent)
        self._logs = model
        self.setModel(model)
        self.setFont(theme.mono_font(small=True))
        self.setFrameShape(RowTable.Shape.NoFrame)
        self.setItemDelegate(_LineDelegate(self))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 4)
        header = self.horizontalHeader()
        header.hide()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        width = self.fontMetrics().averageCharWidth()
        header.resizeSection(Column.STEP, _STEP_CHARACTERS * width + _FOLD)
        header.resizeSection(Column.FILE, _FILE_CHARACTERS * width + Spacing.ICON)
        header.setStretchLastSection(True)

    def fit(self, characters: int) -> None:
        """Make room for so many characters of text."""
        width = (characters + 16) * self.fontMetrics().averageCharWidth()
        self.horizontalHeader().setMinimumSectionSize(24)
        left = sum(self.columnWidth(column) for column in (Column.STEP, Column.FILE))
        self.setColumnWidth(Column.TEXT, max(width, self.viewport().width() - left))

    def row_text(self, row: int) -> str:
        return self._logs.text_of(row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        super().mousePressEvent(event)
        if index.column() == Column.STEP and event.button() is Qt.MouseButton.LeftButton:
            self._logs.toggle(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current_row()
        expanded = self._logs.index(row, 0).data(LogModel.Role.EXPANDED) if row >= 0 else None
        wanted = {
            Qt.Key.Key_Left: False,
            Qt.Key.Key_Right: True,
            Qt.Key.Key_Space: not expanded,
        }.get(Qt.Key(event.key()))
        if expanded is None or wanted is None:
            super().keyPressEvent(event)
        elif wanted is not expanded:
            self._logs.toggle(row)


class _LineDelegate(QStyledItemDelegate):
    """Puts a ground under lines that match or belong to the firing; draws the fold sign."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        box: QRect = option.rect
        if index.data(LogModel.Role.CAUSED):
            painter.fillRect(box, theme.color("accent_tint"))
            if index.column() == Column.STEP:
                painter.fillRect(
                    QRect(box.left(), box.top(), 3, box.height()), theme.color("accent")
                )
        if index.column() == Column.TEXT and index.data(LogModel.Role.MATCH):
            painter.fillRect(box, theme.color("match"))
        super().paint(painter, option, index)
        if index.column() == Column.STEP:
            self._paint_fold(painter, box, index.data(LogModel.Role.EXPANDED))

    def _paint_fold(self, painter: QPainter, box: QRect, expanded: bool | None) -> None:
        if expanded is None:
            return
        sign = icons.Sign("down" if expanded else "right", "", "muted")
        picture = icons.sign_pixmap(sign, _FOLD, painter.device().devicePixelRatio())
        top = box.top() + (box.height() - _FOLD) // 2
        painter.drawPixmap(box.left() + Spacing.XS, top, picture)
