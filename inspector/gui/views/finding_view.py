"""The Findings pane: what is wrong with the capsule, and where.

Lives here: `FindingView`. Not here: rows (models.finding_model). Only gui.main_window
imports it.
"""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QVBoxLayout, QWidget

from inspector.gui.focus import FindingTarget, Focus
from inspector.gui.models.finding_model import Column, FindingModel
from inspector.gui.views.row_table import RowTable
from inspector.gui.widgets.empty_state import EmptyState


class FindingView(QWidget):
    """One row per finding; choosing one shows it whole in the Detail pane."""

    def __init__(self, model: FindingModel, focus: Focus, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._focus = focus
        self.table = RowTable("Findings", self)
        self.table.setModel(model)
        self.table.setFrameShape(RowTable.Shape.NoFrame)
        self.table.row_chosen.connect(self._on_row_chosen)
        header = self.table.horizontalHeader()
        for column, width in ((Column.SEVERITY, 100), (Column.HOOK, 140), (Column.PLACE, 180)):
            header.resizeSection(column, width)
        header.setSectionResizeMode(Column.TEXT, QHeaderView.ResizeMode.Stretch)
        self.empty = EmptyState(
            "success", "No findings", "The manifest and the hooks are as the runtime wants.", self
        )
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self.setFocusProxy(self.table)
        model.modelReset.connect(self._on_reset)
        self._on_reset()

    @Slot()
    def _on_reset(self) -> None:
        self._stack.setCurrentWidget(self.table if self._model.rowCount() else self.empty)

    @Slot(int)
    def _on_row_chosen(self, row: int) -> None:
        if row >= 0:
            self._focus.show(FindingTarget(row))
