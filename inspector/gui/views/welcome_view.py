"""What the window shows without a capsule: how to open one.

Lives here: `WelcomeView`. Not here: opening (gui.main_window). Only gui.main_window
imports it.
"""

from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons, theme
from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing

_WIDEST = 560
_MOST_RECENT = 5
_PATH = "capsulePath"


class WelcomeView(QWidget):
    """A sentence, the buttons to open, the samples and the last capsules.

    Signals:
        capsule_chosen(str): a sample or a recent capsule is to be opened.
    """

    capsule_chosen = Signal(str)

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        """Make the view.

        Args:
            actions: What opens a capsule, the first one as the main button.
            parent: The owner.
        """
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._group.buttonClicked.connect(self._on_clicked)
        self._column = QVBoxLayout()
        self._column.setSpacing(Spacing.S)
        card = QWidget(self)
        card.setMaximumWidth(_WIDEST)
        card.setLayout(self._column)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(card, 100)
        middle.addStretch(1)
        outer.addLayout(middle)
        outer.addStretch(3)
        self._add_head(actions)
        self._samples = self._add_list("Samples", "Capsules that ship with the inspector")
        self._recent = self._add_list("Recent", "Opened before")

    def _add_head(self, actions: Sequence[QAction]) -> None:
        title = QLabel("Open a capsule", self)
        font = theme.ui_font(weight=QFont.Weight.DemiBold)
        title.setFont(font)
        text = QLabel(
            "Choose a folder with a murmur.yaml, or a file: a packed hook (.mur.zip), a "
            "component (.wasm, .wat) or a manifest. You can also drop it here.",
            self,
        )
        text.setWordWrap(True)
        look.set_property(text, "tone", "muted")
        row = QHBoxLayout()
        row.setSpacing(Spacing.S)
        for number, action in enumerate(actions):
            is_main = number == 0
            icon = icons.icon("open", "on_accent" if is_main else "text")
            button = QPushButton(icon, action.text(), self)
            button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
            button.setToolTip(action.toolTip())
            look.set_property(button, "tone", "primary" if is_main else "")
            button.clicked.connect(action.trigger)
            row.addWidget(button)
        row.addStretch(1)
        for widget in (title, text):
            self._column.addWidget(widget)
        self._column.addSpacing(Spacing.XS)
        self._column.addLayout(row)

    def _add_list(self, title: str, tip: str) -> QWidget:
        holder = QWidget(self)
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, Spacing.M, 0, 0)
        layout.setSpacing(2)
        label = QLabel(title, holder)
        label.setToolTip(tip)
        label.setFont(theme.ui_font(small=True, weight=QFont.Weight.DemiBold))
        look.set_property(label, "tone", "muted")
        layout.addWidget(label)
        self._column.addWidget(holder)
        return holder

    def set_samples(self, samples: Sequence[tuple[str, str]]) -> None:
        """Show the samples: what opens one, and its name."""
        self._fill(self._samples, samples, "hook")

    def set_recent(self, paths: Sequence[str]) -> None:
        """Show the capsules opened before, the last one first."""
        shown = [(path, _short(path)) for path in paths[:_MOST_RECENT]]
        self._fill(self._recent, shown, "open")

    def _fill(self, holder: QWidget, entries: Sequence[tuple[str, str]], icon: str) -> None:
        layout = holder.layout()
        assert isinstance(layout, QVBoxLayout)
        while layout.count() > 1:
            item = layout.takeAt(1)
            widget = item.widget() if item else None
            if isinstance(widget, QAbstractButton):
                self._group.removeButton(widget)
                widget.hide()
                widget.deleteLater()
        for path, text in entries:
            button = QPushButton(icons.icon(icon, "accent"), text, holder)
            button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
            button.setFlat(True)
            button.setProperty(_PATH, path)
            button.setToolTip(path)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            self._group.addButton(button)
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        holder.setVisible(bool(entries))

    def buttons(self) -> list[QPushButton]:
        """The buttons of samples and recent capsules."""
        found = self.findChildren(QPushButton)
        return [button for button in found if button.property(_PATH) and not button.isHidden()]

    @Slot(QAbstractButton)
    def _on_clicked(self, button: QAbstractButton) -> None:
        self.capsule_chosen.emit(str(button.property(_PATH)))


def _short(path: str) -> str:
    if path.startswith("sample:"):
        return path
    pure = PurePath(path)
    return f"{pure.name}  ·  {pure.parent}"
