"""A heading that opens and closes what is under it.

Lives here: CollapsibleSection. Not here: its content. Only gui may import it.
"""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from inspector.gui.widgets import glyph, look
from inspector.gui.widgets.look import Spacing


class CollapsibleSection(QWidget):
    """A section of a pane; Space or Enter on its heading opens and closes it.

    Signals:
        toggled(bool): the section was opened (True) or closed.
    """

    toggled = Signal(bool)

    def __init__(self, title: str, parent: QWidget | None = None, *, is_open: bool = True) -> None:
        super().__init__(parent)
        self.header = QToolButton(self)
        self.header.setCheckable(True)
        self.header.setChecked(is_open)
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.header.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.header.setFont(look.ui_font(weight=QFont.Weight.DemiBold))
        self.header.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.set_property(self.header, "section", "true")
        self.header.toggled.connect(self._on_toggled)
        self._content: QWidget | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Spacing.XS)
        self._layout.addWidget(self.header)
        self.set_title(title)
        self._draw()

    def set_title(self, title: str) -> None:
        """Change the heading."""
        self.header.setText(title)
        self.header.setAccessibleName(title)

    def set_content(self, content: QWidget) -> None:
        """Put a widget under the heading; an earlier one is let go."""
        if self._content is not None:
            self._layout.removeWidget(self._content)
            self._content.deleteLater()
        self._content = content
        self._layout.addWidget(content)
        content.setVisible(self.is_open())

    def content(self) -> QWidget | None:
        """The widget under the heading."""
        return self._content

    def is_open(self) -> bool:
        """Whether the content shows."""
        return self.header.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Open or close it."""
        self.header.setChecked(is_open)

    @Slot(bool)
    def _on_toggled(self, checked: bool) -> None:
        self._draw()
        if self._content is not None:
            self._content.setVisible(checked)
        self.toggled.emit(checked)

    def _draw(self) -> None:
        is_open = self.is_open()
        self.header.setIcon(glyph.icon("down" if is_open else "right", "muted"))
        self.header.setAccessibleDescription("open" if is_open else "closed")
