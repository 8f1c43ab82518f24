"""Short words on a rounded ground in the colour of a role.

Lives here: PillLabel, StatusPill. Not here: which role a word has. Only gui may import it.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from inspector.gui.widgets import glyph, look
from inspector.gui.widgets.look import Spacing


class PillLabel(QLabel):
    """A word on a tinted ground."""

    def __init__(self, text: str = "", role: str = "muted", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(look.ui_font(small=True))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_pill(text, role)

    def set_pill(self, text: str, role: str) -> None:
        """Show another word; `role` is a text role."""
        self.setText(text)
        self.setAccessibleName(text)
        look.set_property(self, "pill", role)


class StatusPill(QWidget):
    """A sign and a word: the state is told by shape and word, the colour only helps."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = QLabel(self)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Spacing.XS)
        layout.addWidget(self._icon)
        layout.addWidget(self._label, 1)
        self._sign = ("", "")
        look.look().changed.connect(self._draw)

    def set_status(self, icon: str, role: str, text: str) -> None:
        """Show a state.

        Args:
            icon: Name of the icon.
            role: Its colour role; the word stays in the text colour.
            text: The word.
        """
        self._sign = (icon, role)
        self._label.setText(text)
        self.setAccessibleName(text)
        self._draw()

    def text(self) -> str:
        """The word that is shown."""
        return self._label.text()

    def _draw(self) -> None:
        name, role = self._sign
        if name:
            ratio = self.devicePixelRatioF()
            self._icon.setPixmap(glyph.pixmap(name, role, Spacing.ICON, ratio))
