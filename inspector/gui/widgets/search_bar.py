"""A field to search in what is shown, with the count and the way through the matches.

Lives here: SearchBar. Not here: searching. Only gui may import it.
"""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from inspector.gui.widgets import glyph, look
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.text_line import asks_for_shift_enter


class SearchBar(QWidget):
    """Text, count, previous, next and close; hidden at first.

    Signals:
        searched(str): the text to look for has changed; "" ends the search.
        next_requested(): Enter or the button.
        previous_requested(): Shift+Enter or the button.
        closed(): Escape or the button; it is hidden by then.
    """

    searched = Signal(str)
    next_requested = Signal()
    previous_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Search")
        self.field.setAccessibleName("Search text")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.searched)
        self.field.installEventFilter(self)
        self._count = QLabel(self)
        self._count.setAccessibleName("Matches")
        look.set_property(self._count, "tone", "muted")
        self.previous_button = self._button("up", "Previous match (Shift+Enter)")
        self.next_button = self._button("down", "Next match (Enter)")
        self.close_button = self._button("close", "Close the search (Esc)")
        self.previous_button.clicked.connect(self.previous_requested)
        self.next_button.clicked.connect(self.next_requested)
        self.close_button.clicked.connect(self.close_search)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Spacing.XS, Spacing.XS, Spacing.XS, Spacing.XS)
        layout.setSpacing(Spacing.XS)
        layout.addWidget(self.field, 1)
        layout.addWidget(self._count)
        for button in (self.previous_button, self.next_button, self.close_button):
            layout.addWidget(button)
        self.set_count(0, 0)
        self.hide()

    def _button(self, icon: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(glyph.icon(icon))
        button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        button.setToolTip(name)
        button.setAccessibleName(name.partition(" (")[0])
        return button

    def text(self) -> str:
        """What is looked for."""
        return self.field.text()

    def open_search(self) -> None:
        """Show the bar and put the cursor into it with its text selected."""
        self.show()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def close_search(self) -> None:
        """Hide the bar; the text stays for the next time."""
        self.hide()
        self.closed.emit()

    def set_count(self, current: int, total: int) -> None:
        """Show which of how many matches is the current one.

        Args:
            current: From 1; 0 when none was gone to yet.
            total: All matches.
        """
        if not self.text():
            self._count.setText("")
        elif total == 0:
            self._count.setText("no match")
        else:
            self._count.setText(f"{current:,} of {total:,}" if current else f"{total:,} found")
        look.set_property(self._count, "tone", "muted" if total or not self.text() else "negative")
        self.next_button.setEnabled(total > 0)
        self.previous_button.setEnabled(total > 0)

    def count_text(self) -> str:
        """The words of the count."""
        return self._count.text()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if asks_for_shift_enter(event):
            # Else an action of the window would have it.
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_search()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.previous_requested if shifted else self.next_requested).emit()
        else:
            super().keyPressEvent(event)
