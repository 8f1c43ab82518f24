"""What a pane shows when it has nothing to show: what to do next.

Lives here: EmptyState. Not here: the actions behind its buttons. Only gui may import it.
"""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from inspector.gui.widgets import glyph, look
from inspector.gui.widgets.look import Spacing

_PICTURE = 32
_WIDEST = 360


class EmptyState(QWidget):
    """An icon, a title, a sentence and the buttons for the next step."""

    def __init__(self, icon: str, title: str, sentence: str, parent: QWidget | None = None) -> None:
        """Make it.

        Args:
            icon: Name of an icon.
            title: A few words.
            sentence: What to do next.
            parent: The owner.
        """
        super().__init__(parent)
        self._name = icon
        self._picture = QLabel(self)
        self._title = QLabel(self)
        self._title.setFont(look.ui_font(weight=QFont.Weight.DemiBold))
        self._sentence = QLabel(self)
        self._sentence.setWordWrap(True)
        self._sentence.setMaximumWidth(_WIDEST)
        look.set_property(self._sentence, "tone", "muted")
        self._row = QHBoxLayout()
        self._row.setSpacing(Spacing.S)
        self._row.addStretch(1)
        self._row.addStretch(1)
        self._lay_out()
        look.look().changed.connect(self._draw)
        self.set_content(icon, title, sentence)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.M, Spacing.M, Spacing.M, Spacing.M)
        layout.setSpacing(Spacing.S)
        layout.addStretch(2)
        for label in (self._picture, self._title, self._sentence):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setTextFormat(Qt.TextFormat.PlainText)
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(label, 100)
            row.addStretch(1)
            layout.addLayout(row)
        layout.addSpacing(Spacing.S)
        layout.addLayout(self._row)
        layout.addStretch(3)

    def set_content(self, icon: str, title: str, sentence: str) -> None:
        """Say something else; the buttons stay."""
        self._name = icon
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._sentence.setText(sentence)
        self.setAccessibleName(title)
        self.setAccessibleDescription(sentence)
        self._draw()

    def title(self) -> str:
        """The words on top."""
        return self._title.text()

    def sentence(self) -> str:
        """What it says to do."""
        return self._sentence.text()

    def add_action(self, action: QAction, *, primary: bool = False) -> QPushButton:
        """Add a button that does an action and follows its state.

        Args:
            action: Its text, icon and whether it is enabled are taken over.
            primary: Whether this is the one to press.

        Returns:
            The new button.
        """
        button = _ActionButton(action, self)
        look.set_property(button, "tone", "primary" if primary else "")
        self._row.insertWidget(self._row.count() - 1, button)
        return button

    def _draw(self) -> None:
        ratio = self.devicePixelRatioF()
        self._picture.setPixmap(glyph.pixmap(self._name, "muted", _PICTURE, ratio))


class _ActionButton(QPushButton):
    """A push button that stands for an action."""

    def __init__(self, action: QAction, parent: QWidget) -> None:
        super().__init__(parent)
        self._action = action
        self.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.setAutoDefault(False)
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.setText(self._action.text())
        self.setIcon(self._action.icon())
        self.setEnabled(self._action.isEnabled())
        self.setToolTip(self._action.toolTip())
        self.setAccessibleName(self._action.iconText())
