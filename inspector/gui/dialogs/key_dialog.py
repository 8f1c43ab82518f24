"""The list of keys, made from the table of actions.

Lives here: `KeyDialog`. Not here: the table (gui.actions). Only gui.main_window imports
it.
"""

from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.actions import ROWS
from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing


class KeyDialog(QDialog):
    """Every action that has a key, by group; closes itself for good."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        content = QWidget(self)
        grid = QGridLayout(content)
        grid.setHorizontalSpacing(Spacing.L)
        grid.setVerticalSpacing(Spacing.XS)
        grid.setColumnStretch(2, 1)
        self._fill(grid)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setWidget(content)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.addWidget(area, 1)
        layout.addWidget(buttons)
        self.resize(720, 600)

    def _fill(self, grid: QGridLayout) -> None:
        line = 0
        for group, rows in groupby(ROWS, key=lambda row: row.group):
            title = QLabel(group, self)
            title.setFont(theme.ui_font(weight=QFont.Weight.DemiBold))
            grid.addWidget(title, line, 0, 1, 3)
            line += 1
            for row in rows:
                if row.keys:
                    keys = QLabel(row.keys[0], self)
                    keys.setFont(theme.mono_font())
                    tip = QLabel(row.tip, self)
                    look.set_property(tip, "tone", "muted")
                    for column, widget in enumerate((keys, QLabel(row.text, self), tip)):
                        grid.addWidget(widget, line, column)
                    line += 1
            grid.setRowMinimumHeight(line, Spacing.S)
            line += 1
        grid.setRowStretch(line, 1)
