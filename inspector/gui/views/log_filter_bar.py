"""The choices of the Logs pane: one hook, and kinds of lines.

Lives here: `LogFilterBar`. Not here: which lines a choice lets through
(models.log_filter). Only log_view imports it.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QWidget

from inspector.gui import icons
from inspector.gui.models.log_row import LEVEL_SIGNS
from inspector.gui.widgets.combo_box import ComboBox
from inspector.gui.widgets.look import Spacing
from inspector.workbench.log_entry import Level

_WHAT = {
    Level.ERROR: "Errors of hooks",
    Level.FAULT: "Faults",
    Level.OUTPUT: "Output of guests",
    Level.NOTE: "Notes of the runtime",
}
_WIDEST = 180


class LogFilterBar(QWidget):
    """A list of hooks and a switch for each kind of line.

    Signals:
        changed(): the user chose something else.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hooks = ComboBox("Lines of hook", self)
        self.hooks.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.hooks.setMinimumContentsLength(9)
        self.hooks.setMaximumWidth(_WIDEST)
        self.hooks.setToolTip("Show the lines of one hook")
        self.hooks.addItem("all hooks", "")
        self.hooks.currentIndexChanged.connect(self._on_changed)
        self.buttons = {level: self._button(level) for level in Level}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.hooks)
        layout.addSpacing(Spacing.XS)
        for button in self.buttons.values():
            layout.addWidget(button)

    def _button(self, level: Level) -> QToolButton:
        sign = LEVEL_SIGNS[level]
        button = QToolButton(self)
        button.setCheckable(True)
        button.setChecked(True)
        button.setIcon(icons.icon(sign.name, sign.role))
        button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        button.setToolTip(f"{_WHAT[level]}: show or hide")
        button.setAccessibleName(f"Show {_WHAT[level].lower()}")
        button.toggled.connect(self._on_changed)
        return button

    @property
    def hook(self) -> str:
        """The chosen hook, or "" for all."""
        return str(self.hooks.currentData() or "")

    @property
    def levels(self) -> frozenset[Level]:
        """The kinds that are shown."""
        return frozenset(level for level, button in self.buttons.items() if button.isChecked())

    def set_hooks(self, names: Sequence[str]) -> None:
        """Offer other hooks; the chosen one stays, even when it went."""
        wanted = list(dict.fromkeys([*names, *([self.hook] if self.hook else [])]))
        shown = [str(self.hooks.itemData(row)) for row in range(1, self.hooks.count())]
        if wanted == shown:
            return
        chosen = self.hook
        self.hooks.blockSignals(True)
        while self.hooks.count() > 1:
            self.hooks.removeItem(1)
        for name in wanted:
            self.hooks.addItem(name, name)
        self.hooks.setCurrentIndex(max(self.hooks.findData(chosen), 0))
        self.hooks.blockSignals(False)

    def clear(self) -> None:
        """Show every hook and every kind."""
        self.blockSignals(True)
        self.hooks.setCurrentIndex(0)
        for button in self.buttons.values():
            button.setChecked(True)
        self.blockSignals(False)
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        self.changed.emit()
