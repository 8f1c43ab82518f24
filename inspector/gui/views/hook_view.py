"""The list of hooks: state, name, binding, mode, policy, queue.

Lives here: `HookView` and the painting of its rows. Not here: what a row tells
(models.hook_model), the page of one hook (hook_page). Only gui.main_window imports it.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from inspector.gui import icons, theme
from inspector.gui.models.hook_model import NOT_LOADED, HookModel, HookRow
from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing

_ROW_HEIGHT = 2 * Spacing.ROW_COMPACT - 4
_NOT_LOADED_SIGN = icons.Sign("mark-discarded", "○", "muted")


class HookView(QListView):
    """Hooks in the order of the manifest.

    Signals:
        hook_chosen(str): the user chose a hook by name.
    """

    hook_chosen = Signal(str)

    def __init__(self, model: HookModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setAccessibleName("Hooks")
        self.setModel(model)
        self.setItemDelegate(_HookDelegate(self))
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.clicked.connect(self._on_clicked)
        self.activated.connect(self._on_clicked)

    def current_hook(self) -> str | None:
        """The name of the current hook."""
        index = self.currentIndex()
        return str(index.data()) if index.isValid() else None

    def choose_hook(self, name: str) -> None:
        """Make a hook the current one without telling."""
        row = self._model.row_of(name)
        if row is not None:
            self.setCurrentIndex(self._model.index(row))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.current_hook()
        super().keyPressEvent(event)
        after = self.current_hook()
        if after is not None and after != before:
            self.hook_chosen.emit(after)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self.hook_chosen.emit(str(index.data()))


class _HookDelegate(QStyledItemDelegate):
    """Two lines: state, name and version; then what is declared and the queue."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, look.zoomed(_ROW_HEIGHT))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row = index.data(HookModel.Role.ROW)
        assert isinstance(row, HookRow)
        self._paint_ground(painter, option, index)
        box: QRect = option.rect
        box = box.adjusted(Spacing.S, 3, -Spacing.S, -3)
        half = box.height() // 2
        painter.save()
        self._paint_head(painter, QRect(box.left(), box.top(), box.width(), half), row)
        below = QRect(box.left() + Spacing.L, box.top() + half, box.width() - Spacing.L, half)
        self._paint_facts(painter, below, row)
        painter.restore()

    def _paint_ground(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        ground = QStyleOptionViewItem(option)
        self.initStyleOption(ground, index)
        ground.text = ""
        view = self.parent()
        assert isinstance(view, QWidget)
        view.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, ground, painter, view)

    def _paint_head(self, painter: QPainter, box: QRect, row: HookRow) -> None:
        sign = _NOT_LOADED_SIGN if row.state == NOT_LOADED else icons.state(row.state)
        ratio = painter.device().devicePixelRatio()
        top = box.top() + (box.height() - Spacing.ICON) // 2
        painter.drawPixmap(box.left(), top, icons.sign_pixmap(sign, Spacing.ICON, ratio))
        left = box.left() + Spacing.L
        right = box.right()
        small = theme.ui_font(small=True)
        right = _text_right(painter, box, right, row.state, small, sign.role)
        if row.gates:
            right -= Spacing.ICON + Spacing.XS
            shield = icons.Sign("shield", "⛨", "notice")
            painter.drawPixmap(right, top, icons.sign_pixmap(shield, Spacing.ICON, ratio))
        bold = theme.ui_font(weight=QFont.Weight.DemiBold)
        width = right - left - Spacing.S
        version_width = QFontMetrics(small).horizontalAdvance(row.version) + Spacing.XS
        name_width = QFontMetrics(bold).horizontalAdvance(row.name)
        name = QFontMetrics(bold).elidedText(row.name, Qt.TextElideMode.ElideMiddle, width)
        _text(painter, QRect(left, box.top(), width, box.height()), name, bold, "text")
        if name_width + version_width <= width:
            place = QRect(left + name_width + Spacing.XS, box.top(), version_width, box.height())
            _text(painter, place, row.version, small, "muted")

    def _paint_facts(self, painter: QPainter, box: QRect, row: HookRow) -> None:
        small = theme.ui_font(small=True)
        right = box.right()
        if row.queue:
            role = "caution" if row.is_dropping else "muted"
            right = _text_right(painter, box, right, row.queue, small, role)
        width = right - box.left() - Spacing.S
        facts = QFontMetrics(small).elidedText(row.facts, Qt.TextElideMode.ElideRight, width)
        _text(painter, QRect(box.left(), box.top(), width, box.height()), facts, small, "muted")


def _text(painter: QPainter, box: QRect, text: str, font: QFont, role: str) -> None:
    painter.setFont(font)
    painter.setPen(theme.color(role))
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(box, int(flags), text)


def _text_right(
    painter: QPainter, box: QRect, right: int, text: str, font: QFont, role: str
) -> int:
    """Write a text that ends at `right`; gives where the next one has to end."""
    width = QFontMetrics(font).horizontalAdvance(text)
    _text(painter, QRect(right - width, box.top(), width + 2, box.height()), text, font, role)
    return right - width - Spacing.S
