"""A table with a text below it that tells more about the chosen row.

Lives here: `TablePage`, which the tabs of a firing share. Not here: rows
(models.firing_row). Only views import it.
"""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Slot
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.cell_model import CellModel, CellRow
from inspector.gui.views.row_table import RowTable
from inspector.gui.views.text_view import TextView
from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing
from inspector.workbench.formatting import broken_lines, visible

_SAMPLE = 50
"""Rows that the widths of columns are taken from."""

_WIDEST = 220
_SUMMARY_CHARACTERS = 600


class TablePage(QWidget):
    """Rows above, the chosen one's text below, a sentence on top."""

    def __init__(
        self,
        name: str,
        titles: tuple[str, ...],
        stretch: int,
        right: tuple[int, ...] = (),
        parent: QWidget | None = None,
    ) -> None:
        """Make an empty page.

        Args:
            name: For assistive tools.
            titles: Of the columns.
            stretch: The column that takes the room that is left.
            right: Columns with numbers.
            parent: The owner.
        """
        super().__init__(parent)
        self._stretch = stretch
        self.model = CellModel(titles, right, self)
        self.summary = QLabel(self)
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setWordWrap(True)
        self.summary.setMinimumWidth(40)
        self.summary.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.summary.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        look.set_property(self.summary, "tone", "muted")
        self.table = RowTable(name, self)
        self.table.setFrameShape(RowTable.Shape.NoFrame)
        self.table.setModel(self.model)
        self.table.setItemDelegate(_IndentDelegate(self.table))
        self.table.horizontalHeader().setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self.text = TextView(f"{name}, chosen row", self)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.addWidget(self.table)
        self._splitter.addWidget(self.text)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setSizes([240, 200])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.summary)
        layout.addWidget(self._splitter, 1)
        self.setFocusProxy(self.table)

    def set_rows(self, rows: Sequence[CellRow], summary: str = "") -> None:
        """Show other rows and choose the first that has a text.

        Args:
            rows: All of them.
            summary: A sentence or more about them, or "".
        """
        self.set_summary(summary)
        before = self.table.current_row()
        self.model.set_rows(rows)
        self._fit(rows)
        has_detail = any(row.detail for row in rows)
        self.text.setVisible(has_detail)
        first = next((number for number, row in enumerate(rows) if row.detail), -1)
        if not (0 <= before < len(rows) and rows[before].detail):
            self.table.choose_row(first)
        self._show_text()

    def set_summary(self, summary: str) -> None:
        """Show another sentence on top; "" hides it."""
        cut = summary[:_SUMMARY_CHARACTERS]
        self.summary.setText(visible(cut) + ("…" if len(cut) < len(summary) else ""))
        self.summary.setVisible(bool(summary))

    def _fit(self, rows: Sequence[CellRow]) -> None:
        metrics = self.table.fontMetrics()
        for column in range(self.model.columnCount()):
            if column == self._stretch:
                continue
            title = str(self.model.headerData(column, Qt.Orientation.Horizontal))
            texts = [title, *(row.texts[column][:80] for row in rows[:_SAMPLE])]
            extra = Spacing.ICON + Spacing.S if column == 0 else 0
            if column == 0:
                extra += Spacing.M * max((row.depth for row in rows[:_SAMPLE]), default=0)
            width = max(metrics.horizontalAdvance(text) for text in texts) + Spacing.M + extra
            self.table.setColumnWidth(column, min(width, _WIDEST))

    @Slot()
    def _on_row_changed(self) -> None:
        self._show_text()

    def _show_text(self) -> None:
        row = self.table.current_row()
        detail = self.model.rows[row].detail if 0 <= row < len(self.model.rows) else ""
        self.text.set_lines(list(broken_lines(detail)))

    @Slot()
    def open_search(self) -> None:
        """Search in the chosen row's text."""
        self.text.open_search()


class _IndentDelegate(QStyledItemDelegate):
    """Moves the first column in by the row's depth."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        depth = index.data(CellModel.Role.DEPTH) or 0
        if depth:
            option.rect.setLeft(option.rect.left() + depth * theme.spacing.M)
