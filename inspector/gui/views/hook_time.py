"""The tab Time of a hook's page: its longest calls against the deadline.

Lives here: `HookTime`. Not here: the sums (workbench.headroom). Only hook_page imports
it.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Signal, Slot
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.gui.models.hook_time_model import Column, HookTimeModel
from inspector.gui.views.memory_gauge import paint_bar
from inspector.gui.views.row_table import RowTable
from inspector.gui.widgets import look
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.workbench.headroom import CallTime

_BAR = 4
_NEEDED_WIDTHS = {Column.CALLS: 380, Column.STEP: 320}


class HookTime(QWidget):
    """One row per function, the longest call first.

    Signals:
        step_chosen(int): the firing of a longest call is wanted.
    """

    step_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = HookTimeModel(self)
        self.table = _TimeTable(self.model, self)
        self.table.activated.connect(self._on_activated)
        self._note = QLabel(self)
        self._note.setWordWrap(True)
        look.set_property(self._note, "tone", "muted")
        self.empty = EmptyState(
            "event", "No call yet", "Fire an event that reaches the hook.", self
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.XS)
        head.addWidget(self._note)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.empty, 1)
        self.setFocusProxy(self.table)

    def show_times(self, times: tuple[CallTime, ...], deadline_s: int) -> None:
        """Show the calls of a hook.

        Args:
            times: The longest first.
            deadline_s: Seconds that one call has.
        """
        self.model.set_times(times, deadline_s)
        self._note.setText(f"Each call has {deadline_s:,} s. Longest calls of this session:")
        self._note.setVisible(bool(times))
        self.table.setVisible(bool(times))
        self.empty.setVisible(not times)

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        self.step_chosen.emit(self.model.time(index.row()).longest_step)


class _TimeTable(RowTable):
    """Rows with a bar under the part of the deadline."""

    def __init__(self, model: HookTimeModel, parent: QWidget) -> None:
        super().__init__("Longest calls", parent)
        self.setModel(model)
        self.setFrameShape(RowTable.Shape.NoFrame)
        self.setItemDelegateForColumn(Column.PART, _PartDelegate(self))
        self.verticalHeader().setDefaultSectionSize(Spacing.ROW)
        header = self.horizontalHeader()
        header.setSectionResizeMode(Column.FUNCTION, QHeaderView.ResizeMode.Stretch)
        metrics = self.fontMetrics()
        widths = {Column.LONGEST: "000 ms", Column.PART: "Of the deadline", Column.CALLS: "00,000"}
        for column, text in {**widths, Column.STEP: "Firing"}.items():
            header.resizeSection(column, metrics.horizontalAdvance(text) + Spacing.L)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for column, least in _NEEDED_WIDTHS.items():
            self.setColumnHidden(column, event.size().width() < least)


class _PartDelegate(QStyledItemDelegate):
    """The words, and a bar below them."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        box = QRectF(option.rect)
        bar = QRectF(box.left() + Spacing.S, box.bottom() - _BAR, box.width() - Spacing.M, 3)
        painter.save()
        paint_bar(painter, bar, float(index.data(HookTimeModel.Role.PART)))
        painter.restore()
