"""A sentence across the top of a pane, with at most one thing to do about it.

Lives here: Banner. Not here: when to show one. Only gui may import it.
"""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from inspector.gui.widgets import glyph, look
from inspector.gui.widgets.look import Spacing

SEVERITIES = {
    "info": ("info", "accent"),
    "success": ("success", "positive"),
    "warning": ("warning", "caution"),
    "error": ("error", "negative"),
}
"""Icon and colour role of each severity."""


class Banner(QFrame):
    """A notice that stays until it is closed or answered; hidden at first.

    Signals:
        action_triggered(): the button was pressed.
        closed(): the user closed it; it is hidden by then.
    """

    action_triggered = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = QLabel(self)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.action_button = QPushButton(self)
        self.action_button.setAutoDefault(False)
        self.action_button.clicked.connect(self.action_triggered)
        self.close_button = QToolButton(self)
        self.close_button.setIcon(glyph.icon("close", "muted"))
        self.close_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.close_button.setAccessibleName("Close the notice")
        self.close_button.setToolTip("Close")
        self.close_button.clicked.connect(self._on_close)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.XS, Spacing.XS, Spacing.XS)
        layout.setSpacing(Spacing.S)
        layout.addWidget(self._icon)
        layout.addWidget(self._label, 1)
        layout.addWidget(self.action_button)
        layout.addWidget(self.close_button)
        self.severity = ""
        look.look().changed.connect(self._draw_icon)
        self.hide()

    def show_message(self, severity: str, sentence: str, action: str = "") -> None:
        """Show a sentence in place of an earlier one.

        Args:
            severity: One of SEVERITIES.
            sentence: Plain text.
            action: Text of the button; "" for none.

        Raises:
            KeyError: for an unknown severity.
        """
        _, role = SEVERITIES[severity]
        self.severity = severity
        look.set_property(self, "banner", role)
        self._label.setText(sentence)
        self.setAccessibleName(f"{severity}: {sentence}")
        self.action_button.setText(action)
        self.action_button.setAccessibleName(action)
        self.action_button.setVisible(bool(action))
        self._draw_icon()
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def message(self) -> str:
        """The sentence that is shown."""
        return self._label.text()

    def _draw_icon(self) -> None:
        if self.severity:
            name, role = SEVERITIES[self.severity]
            ratio = self.devicePixelRatioF()
            self._icon.setPixmap(glyph.pixmap(name, role, Spacing.ICON, ratio))

    def _on_close(self) -> None:
        self.hide()
        self.closed.emit()
