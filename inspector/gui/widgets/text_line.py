"""The two editors of a text field: a line, and a box of many lines.

Lives here: TextLine, ManyLinesEdit: Qt's editors, made exact. Not here: which one is in
use and how the text is shown (text_field). Only gui may import it.
"""

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from inspector.gui.widgets import look
from inspector.gui.widgets.code_highlighter import utf16_length

_NO_LIMIT = 2**30
"""QLineEdit cuts at 32,767 characters, without a word, unless told otherwise."""

_FEWEST = 2
_MOST = 12
"""Lines that the box shows before it scrolls."""


def is_undo(event: QKeyEvent) -> bool:
    """Whether a key takes a change back, or makes it again."""
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(
        QKeySequence.StandardKey.Redo
    )


def asks_for_shift_enter(event: QEvent) -> bool:
    """Whether an editor is asked to keep Shift+Enter from an action of the window."""
    if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    return shifted and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def _is_fire(event: QKeyEvent) -> bool:
    """Ctrl+Enter: an action of the window, never a line break or an Enter too."""
    has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    return has_control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def _is_menu(event: QKeyEvent) -> bool:
    """Alt+Down, which opens what hangs at a field."""
    has_alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
    return has_alt and event.key() == Qt.Key.Key_Down


class TextLine(QLineEdit):
    """A line edit that takes long texts and line breaks as they are.

    Attributes:
        local_undo: Whether undo is the line's own; else the key goes to the parents.

    Signals:
        menu_requested(): Alt+Down.
    """

    menu_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.local_undo = True
        self.setMaxLength(_NO_LIMIT)
        self.setFont(look.mono_font())

    def text_before_cursor(self) -> str:
        """The text left of the cursor."""
        units = self.text().encode("utf-16-le", "surrogatepass")
        return units[: 2 * self.cursorPosition()].decode("utf-16-le", "replace")

    def put_cursor_after(self, text: str) -> None:
        """Put the cursor behind a beginning of the text."""
        self.setCursorPosition(utf16_length(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste) and not self.isReadOnly():
            self.insert(QGuiApplication.clipboard().text().replace("\r\n", "\n"))
            self.textEdited.emit(self.text())
        elif _is_menu(event):
            self.menu_requested.emit()
        elif _is_fire(event) or (is_undo(event) and not self.local_undo):
            event.ignore()
        else:
            super().keyPressEvent(event)


class ManyLinesEdit(QPlainTextEdit):
    """A text box as high as its text, within bounds.

    Attributes:
        local_undo: Whether undo is the box's own; else the key goes to the parents.
        is_setting: Whether `set_text` is at work, so that a change is not the user's.

    Signals:
        menu_requested(): Alt+Down.
    """

    menu_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.local_undo = True
        self.is_setting = False
        self.setFont(look.mono_font())
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.fit_height()

    def text(self) -> str:
        """The text to the letter; `toPlainText` would change no-break spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def set_text(self, text: str) -> None:
        """Show a text; the same one leaves cursor and undo alone."""
        if text != self.text():
            self.is_setting = True
            self.setPlainText(text)
            self.is_setting = False
        self.fit_height()

    def text_before_cursor(self) -> str:
        """The text left of the cursor."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self.textCursor().position(), QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText().replace("\u2029", "\n")

    def put_cursor_after(self, text: str) -> None:
        """Put the cursor behind a beginning of the text."""
        cursor = self.textCursor()
        cursor.setPosition(min(utf16_length(text), self.document().characterCount() - 1))
        self.setTextCursor(cursor)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.textCursor().insertText(source.text().replace("\r\n", "\n"))
        self.ensureCursorVisible()

    def event(self, event: QEvent) -> bool:
        if asks_for_shift_enter(event):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_fire(event):
            event.ignore()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # With Shift, Qt would insert U+2028.
            self.textCursor().insertText("\n")
            self.ensureCursorVisible()
        elif _is_menu(event):
            self.menu_requested.emit()
        elif is_undo(event) and not self.local_undo:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def fit_height(self) -> None:
        """Take the height of the text."""
        lines = min(max(self._line_count(), _FEWEST), _MOST)
        frame = 2 * (self.frameWidth() + round(self.document().documentMargin()) + 2)
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + frame)

    def _line_count(self) -> int:
        """Lines as wrapped, as far as they matter; unwrapped before there is a width."""
        count = 0
        is_laid_out = self.isVisible()
        block = self.document().firstBlock()
        while block.isValid() and count < _MOST:
            count += max(block.lineCount(), 1) if is_laid_out else 1
            block = block.next()
        return count

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit_height()
