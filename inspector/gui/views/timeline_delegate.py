"""Paints the rows of the timeline.

Lives here: `TimelineDelegate`. Not here: what a row says (models.timeline_row). Only
timeline_view imports it.

A cell is painted by hand: through the style sheet it takes five times as long, and a
running scenario paints hundreds of cells in each frame.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from inspector.gui import icons, theme
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.models.timeline_row import Cells, Column, Timing
from inspector.gui.widgets.look import Spacing

BAR_WIDTH = 40
"""Pixels that the bar of the time and the gap after it take."""

_SIGN = 12
_BAR_HEIGHT = 6
_EDGE = 3
_RIGHT = (Column.STEP, Column.DURATION)
_QUIET = (Column.PHASE, Column.DURATION, Column.STEP, Column.NOTE)
_LEFT_FLAGS = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT_FLAGS = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class TimelineDelegate(QStyledItemDelegate):
    """Text, mark and fold sign of a cell; a line across runs over all columns."""

    def __init__(self, table: QTableView, across: Column) -> None:
        """Make it.

        Args:
            table: The table, its parent.
            across: The column where the text of a line across begins.
        """
        super().__init__(table)
        self._table = table
        self._across = across

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        cells = index.data(TimelineModel.Role.CELLS)
        assert isinstance(cells, Cells)
        box: QRect = option.rect
        if cells.severity:
            self._paint_across(painter, box, cells)
            return
        column = Column(index.column())
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, _ground(option, is_selected=is_selected))
        elif cells.is_hit:
            painter.fillRect(box, _hit_ground())
        inner = box.adjusted(Spacing.S - 2, 0, 2 - Spacing.S, 0)
        if column is Column.OUTCOME and cells.verdict is not None:
            top = box.top() + (box.height() - Spacing.ICON) // 2
            sign = icons.Sign(cells.verdict.icon, cells.verdict.mark, cells.verdict.role)
            ratio = painter.device().devicePixelRatio()
            painter.drawPixmap(inner.left(), top, icons.sign_pixmap(sign, Spacing.ICON, ratio))
            inner.setLeft(inner.left() + Spacing.ICON + Spacing.XS)
        elif column is Column.STEP:
            self._paint_signs(painter, box, index, cells)
        elif column is Column.DURATION and cells.timing is not None:
            _paint_bar(painter, inner, cells.timing)
        text = cells.texts[column]
        if text:
            painter.setPen(_ink(cells, column, is_selected=is_selected))
            _write(painter, inner, text, option.font, column)

    def _paint_signs(
        self,
        painter: QPainter,
        box: QRect,
        index: QModelIndex | QPersistentModelIndex,
        cells: Cells,
    ) -> None:
        """The edge of a row that is pointed out, the fold sign, the pin of a marked row."""
        if cells.is_hit:
            painter.fillRect(QRect(box.left(), box.top(), _EDGE, box.height()), _edge_color())
        expanded = index.data(TimelineModel.Role.EXPANDED)
        if expanded is not None:
            sign = icons.Sign("down" if expanded else "right", "", "muted")
            _draw_sign(painter, box, Spacing.XS, sign)
        if cells.is_marked:
            _draw_sign(painter, box, Spacing.XS + _SIGN + 2, icons.Sign("pin", "", "accent"))
        if cells.texts[Column.NOTE]:
            left = Spacing.XS + 2 * (_SIGN + 2)
            _draw_sign(painter, box, left, icons.Sign("edit", "", "muted"))

    def _paint_across(self, painter: QPainter, box: QRect, cells: Cells) -> None:
        left = self._table.columnViewportPosition(self._across) + Spacing.XS
        whole = QRect(left, box.top(), self._table.viewport().width() - left, box.height())
        painter.save()
        painter.setClipRect(box)
        painter.fillRect(box, theme.color("surface"))
        painter.setFont(theme.ui_font(small=True))
        painter.setPen(theme.color("negative" if cells.severity == "error" else "muted"))
        text = painter.fontMetrics().elidedText(
            cells.texts[self._across], Qt.TextElideMode.ElideRight, whole.width() - Spacing.S
        )
        painter.drawText(whole, _LEFT_FLAGS, text)
        painter.restore()


def _draw_sign(painter: QPainter, box: QRect, left: int, sign: icons.Sign) -> None:
    top = box.top() + (box.height() - _SIGN) // 2
    picture = icons.sign_pixmap(sign, _SIGN, painter.device().devicePixelRatio())
    painter.drawPixmap(box.left() + left, top, picture)


def _paint_bar(painter: QPainter, box: QRect, timing: Timing) -> None:
    """The time as a bar: filled for the guest and the dispatcher, framed for the host."""
    room = BAR_WIDTH - Spacing.S
    length = round(timing.bar * room)
    if length <= 0 or box.width() <= 2 * BAR_WIDTH:
        return
    top = box.top() + (box.height() - _BAR_HEIGHT) // 2
    host = round(length * timing.host_part)
    ink = theme.color("muted")
    painter.fillRect(QRect(box.left(), top, length - host, _BAR_HEIGHT), ink)
    if host > 0:
        painter.setPen(ink)
        painter.drawRect(QRect(box.left() + length - host, top, host - 1, _BAR_HEIGHT - 1))


def _hit_ground() -> QColor:
    ground = theme.color("match")
    ground.setAlpha(70)
    return ground


def _edge_color() -> QColor:
    return theme.color("caution")


def _ground(option: QStyleOptionViewItem, *, is_selected: bool) -> QColor:
    if not is_selected:
        return theme.color("hover")
    is_active = option.state & QStyle.StateFlag.State_Active
    return theme.color("selection" if is_active else "pressed")


def _ink(cells: Cells, column: Column, *, is_selected: bool) -> QColor:
    if column is Column.OUTCOME and cells.verdict is not None:
        return theme.color(cells.verdict.role)
    if is_selected or column not in _QUIET:
        return theme.color("text")
    return theme.color("muted")


def _write(painter: QPainter, box: QRect, text: str, font: QFont, column: Column) -> None:
    metrics = QFontMetrics(font)
    if metrics.horizontalAdvance(text) > box.width():
        text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, box.width())
    painter.setFont(font)
    painter.drawText(box, _RIGHT_FLAGS if column in _RIGHT else _LEFT_FLAGS, text)
