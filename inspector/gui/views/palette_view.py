"""The command palette: a field and what its letters find.

Lives here: `PaletteView`, which lies over the window. Not here: what it offers and what
choosing does (gui.window_palette), finding (workbench.palette). Only
gui.window_palette imports it.
"""

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.palette_model import PaletteModel, spoken
from inspector.gui.widgets import look
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing
from inspector.workbench.palette import Entry, Found, ranked

WIDEST, HIGHEST = 680, 460
_MARGIN = 40
_HINT = "↑ ↓ choose  ·  Enter does it  ·  Esc closes"
_NOTHING = "Nothing is called so. Try fewer letters."


_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -10,
    Qt.Key.Key_PageDown: 10,
    Qt.Key.Key_Tab: 1,
    Qt.Key.Key_Backtab: -1,
}
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
"""Keys that mean something in the list; the window's shortcuts do not get them."""


class PaletteView(QFrame):
    """Lies over its parent while it is open; keys alone are enough.

    Signals:
        chosen(Entry): an entry that can be chosen was; the palette is closed by then.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("palette")
        self.setAccessibleName("Command palette")
        look.set_property(self, "overlay", "true")
        self.setAutoFillBackground(True)
        self._entries: tuple[Entry, ...] = ()
        self._before: QWidget | None = None
        self.field = _Field(self)
        self.field.textChanged.connect(self._find)
        self.field.moved.connect(self._move)
        self.field.accepted.connect(self._accept)
        self.field.dismissed.connect(self.dismiss)
        self.model = PaletteModel(self)
        self.list = QListView(self)
        self.list.setAccessibleName("What the letters find")
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Delegate(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._on_clicked)
        self.list.selectionModel().currentChanged.connect(self._tell_current)
        self.foot = ElidedLabel(_HINT, self, Qt.TextElideMode.ElideRight)
        self.foot.setFont(theme.ui_font(small=True))
        look.set_property(self.foot, "tone", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        layout.setSpacing(Spacing.S)
        layout.addWidget(self.field)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.foot)
        self.setFocusProxy(self.field)
        parent.installEventFilter(self)
        self.hide()

    # -- opening and closing -----------------------------------------------------------------

    def present(self, entries: tuple[Entry, ...], letters: str = "") -> None:
        """Lie over the window with other entries.

        Args:
            entries: What is offered, in the order for no letters.
            letters: What stands in the field at first.
        """
        self._entries = entries
        if self.isHidden():
            self._before = QApplication.focusWidget()
        self.field.setText(letters)
        self._find(letters)
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        QApplication.instance().focusChanged.connect(  # type: ignore[union-attr]
            self._on_focus_changed, Qt.ConnectionType.UniqueConnection
        )

    @Slot()
    def dismiss(self) -> None:
        """Close it; the focus goes back to where it was."""
        if self.isHidden():
            return
        before, self._before = self._before, None
        self.hide()
        if before is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if self.isVisible() and new is not None and not self.isAncestorOf(new):
            self._before = None
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _place(self) -> None:
        around = self.parentWidget()
        if around is None:
            return
        width = min(look.zoomed(WIDEST), around.width() - 2 * _MARGIN)
        height = min(look.zoomed(HIGHEST), around.height() - 2 * _MARGIN)
        self.setGeometry((around.width() - width) // 2, _MARGIN, width, height)

    # -- finding -----------------------------------------------------------------------------

    @Slot(str)
    def _find(self, letters: str) -> None:
        self.model.set_found(ranked(self._entries, letters))
        if self.model.rowCount():
            self.list.setCurrentIndex(self.model.index(0))
        self._tell_current()

    @Slot()
    def _tell_current(self) -> None:
        entry = self.current()
        if entry is None:
            self.foot.setText(_NOTHING)
            return
        self.foot.setText(entry.reason or _HINT)
        look.set_property(self.foot, "tone", "caution" if entry.reason else "muted")
        self.field.setAccessibleDescription(spoken(entry))

    def current(self) -> Entry | None:
        """The entry that Enter chooses."""
        return self.model.entry(self.list.currentIndex().row())

    @Slot(int)
    def _move(self, by: int) -> None:
        rows = self.model.rowCount()
        if rows:
            row = self.list.currentIndex().row()
            # One step goes round, a page stops at the ends.
            row = (row + by) % rows if abs(by) == 1 else min(max(row + by, 0), rows - 1)
            self.list.setCurrentIndex(self.model.index(row))

    @Slot(QModelIndex)
    def _on_clicked(self, _index: QModelIndex) -> None:
        self._accept()

    @Slot()
    def _accept(self) -> None:
        entry = self.current()
        if entry is None or entry.reason:
            return
        self.dismiss()
        self.chosen.emit(entry)


class _Field(QLineEdit):
    """Keeps every key that means something in the list from the window's shortcuts.

    Signals:
        moved(int): so many rows up or down.
        accepted(): Enter, with whatever modifier.
        dismissed(): Escape.
    """

    moved = Signal(int)
    accepted = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Find a command, a hook, an event, a capsule")
        self.setPlaceholderText("Find a command, a hook, an event, a capsule…")

    def event(self, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return super().event(event)
        kind, key = event.type(), Qt.Key(event.key())
        if kind == QEvent.Type.ShortcutOverride and (key in _STEPS or key in _ENDS):
            event.accept()
            return True
        # Tab never comes as far as keyPressEvent.
        if kind == QEvent.Type.KeyPress and self._take(key):
            return True
        return super().event(event)

    def _take(self, key: Qt.Key) -> bool:
        if key in _STEPS:
            self.moved.emit(_STEPS[key])
        elif key is Qt.Key.Key_Escape:
            self.dismissed.emit()
        elif key in _ENDS:
            self.accepted.emit()
        else:
            return False
        return True


class _Delegate(QStyledItemDelegate):
    """Kind, title with the letters that were hit, detail or reason, shortcut."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(100, look.zoomed(Spacing.ROW))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        found = index.data(PaletteModel.Role.FOUND)
        if not isinstance(found, Found):
            return
        self.initStyleOption(option, index)
        option.text, option.icon = "", QIcon()
        view = option.widget
        box = QRect(option.rect)
        state = option.state
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        style = view.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, view)
        painter.save()
        _paint_entry(painter, box, found, index.data(Qt.ItemDataRole.DecorationRole), is_chosen)
        painter.restore()


def _paint_entry(
    painter: QPainter, box: QRect, found: Found, icon: QIcon | None, is_chosen: bool
) -> None:
    entry = found.entry
    text = "selection_text" if is_chosen else "text"
    strong = theme.color("disabled" if entry.reason else text)
    soft = theme.color(text if is_chosen else "muted")
    side = Spacing.ICON
    if icon is not None:
        place = QPoint(box.left() + Spacing.S, box.center().y() - side // 2)
        icon.paint(painter, QRect(place, QSize(side, side)))
    box = box.adjusted(Spacing.S + side + Spacing.S, 0, -Spacing.S, 0)
    small = QFontMetrics(theme.ui_font(small=True))
    kind = look.zoomed(76)
    _write(painter, QRect(box.left(), box.top(), kind, box.height()), entry.kind, soft)
    right = box.right()
    if entry.keys:
        width = small.horizontalAdvance(entry.keys)
        _write(painter, QRect(right - width, box.top(), width + 1, box.height()), entry.keys, soft)
        right -= width + Spacing.M
    left = box.left() + kind + Spacing.S
    end = _write_title(painter, QRect(left, box.top(), right - left, box.height()), found, strong)
    rest = QRect(end + Spacing.M, box.top(), right - end - Spacing.M, box.height())
    if rest.width() > look.zoomed(40):
        color = theme.color("caution") if entry.reason and not is_chosen else soft
        _write(painter, rest, entry.reason or entry.detail, color)


def _write(painter: QPainter, box: QRect, text: str, color: QColor) -> None:
    painter.setFont(theme.ui_font(small=True))
    painter.setPen(color)
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def _write_title(painter: QPainter, box: QRect, found: Found, color: QColor) -> int:
    """Paint the title, what was hit in bold; where it ended."""
    plain, bold = theme.ui_font(), theme.ui_font(weight=QFont.Weight.Bold)
    painter.setPen(color)
    left, hits = box.left(), frozenset(found.places)
    for part, is_hit in _runs(found.entry.title, hits):
        painter.setFont(bold if is_hit else plain)
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(part, Qt.TextElideMode.ElideRight, box.right() - left)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRect(left, box.top(), box.right() - left, box.height()), flags, shown)
        left += metrics.horizontalAdvance(shown)
        if shown != part:
            break
    return left


def _runs(title: str, hits: frozenset[int]) -> list[tuple[str, bool]]:
    runs: list[tuple[str, bool]] = []
    for place, letter in enumerate(title):
        is_hit = place in hits
        if runs and runs[-1][1] is is_hit:
            runs[-1] = (runs[-1][0] + letter, is_hit)
        else:
            runs.append((letter, is_hit))
    return runs
