"""An editor for JSON and YAML: line numbers, colours, one marked error, search.

Lives here: CodeEdit. Not here: colouring (code_highlighter), parsing, the search field
(search_bar). Only gui may import it.
"""

import re

from PySide6.QtCore import QEvent, QMimeData, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from inspector.gui.widgets import look
from inspector.gui.widgets.code_highlighter import CodeHighlighter, Language, utf16_length
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.text_line import asks_for_shift_enter

MOST_MARKED = 1_000
"""Matches that are painted at once; all of them are counted."""

LONGEST_PASTE = 1_000_000
"""Characters in one paste; Qt lays out a longer one for seconds."""

_INDENT = "  "
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\w.+-]+|\S')


class CodeEdit(QPlainTextEdit):
    """A monospaced text editor; undo is Qt's own.

    Signals:
        paste_refused(int): a paste of so many characters was too long to take.
    """

    paste_refused = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Make the editor; `name` is for assistive tools."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFont(look.mono_font())
        # A focus that Tab cannot leave locks keyboard users in.
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._highlighter = CodeHighlighter(self.document())
        self._gutter = _Gutter(self)
        self._error: tuple[int, int] | None = None
        self._error_role = "negative"
        self._matches: list[tuple[int, int]] = []
        self._match = -1
        self.blockCountChanged.connect(self._fit_gutter)
        self.updateRequest.connect(self._on_update_request)
        look.look().changed.connect(self._mark)
        self._fit_gutter()

    # -- the text -----------------------------------------------------------------

    def set_language(self, language: Language) -> None:
        """Colour the text as this language."""
        self._highlighter.set_language(language)

    def text(self) -> str:
        """The text to the letter; `toPlainText` would change no-break spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def set_text(self, text: str) -> None:
        """Show a text; what was there cannot be undone to."""
        self.setPlainText(text)

    def replace_text(self, text: str) -> None:
        """Put a text in place of all there is, as one change that undo takes back."""
        if text == self.text():
            return
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = source.text()
        if len(text) > LONGEST_PASTE:
            self.paste_refused.emit(len(text))
            return
        self.textCursor().insertText(text.replace("\r\n", "\n").replace("\r", "\n"))
        self.ensureCursorVisible()

    def event(self, event: QEvent) -> bool:
        if asks_for_shift_enter(event):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                event.ignore()  # an action of the window, never a line break too
            elif not self.isReadOnly():
                self._break_line()
            return
        super().keyPressEvent(event)

    def _break_line(self) -> None:
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        indent = before[: len(before) - len(before.lstrip(" "))]
        if before.rstrip().endswith(("{", "[")):
            indent += _INDENT
        cursor.insertText(f"\n{indent}")
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    # -- the error ----------------------------------------------------------------

    def set_error(self, line: int, column: int, role: str = "negative") -> None:
        """Underline what stands at a place.

        Args:
            line: From 1.
            column: From 1, in characters.
            role: Colour role of the underline.
        """
        self._error = (line, column)
        self._error_role = role
        self._mark()

    def clear_error(self) -> None:
        """Take the underline away."""
        if self._error is not None:
            self._error = None
            self._mark()

    def error(self) -> tuple[int, int] | None:
        """Line and column of the underline."""
        return self._error

    def error_role(self) -> str:
        """Colour role of the underline."""
        return self._error_role

    def go_to(self, line: int, column: int, *, take_focus: bool = True) -> None:
        """Put the cursor at a place and, unless told otherwise, take the focus."""
        block = self.document().findBlockByNumber(line - 1)
        if block.isValid():
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + _offset(block, column))
            self.setTextCursor(cursor)
            self.centerCursor()
        if take_focus:
            self.setFocus()

    def _error_selection(self) -> QTextEdit.ExtraSelection | None:
        if self._error is None:
            return None
        line, column = self._error
        block = self.document().findBlockByNumber(line - 1)
        if not block.isValid():
            return None
        text = block.text()
        token = _TOKEN.match(text, column - 1)
        end = token.end() if token else column
        if column > len(text):
            # Nothing stands there (a line ended too early): mark the last character.
            column, end = max(len(text.rstrip()), 1), len(text)
        char_format = QTextCharFormat()
        char_format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        char_format.setUnderlineColor(look.color(self._error_role))
        char_format.setBackground(look.color(f"{self._error_role}_tint"))
        first = block.position() + _offset(block, column)
        return self._selection(first, block.position() + utf16_length(text[:end]), char_format)

    # -- the search ---------------------------------------------------------------

    def search(self, words: str) -> int:
        """Mark every place where a text stands, without regard to case.

        Args:
            words: What to look for; "" ends the search.

        Returns:
            How many places there are.
        """
        text = self.text()
        self._matches = []
        if words:
            pattern = re.compile(re.escape(words), re.IGNORECASE)
            self._matches = [found.span() for found in pattern.finditer(text)]
            if not text.isascii():
                self._matches = _to_utf16(text, self._matches)
        self._match = -1
        self._mark()
        return len(self._matches)

    def show_match(self, index: int) -> None:
        """Go to a match; `index` counts from 0 and wraps around."""
        if not self._matches:
            return
        self._match = index % len(self._matches)
        start, end = self._matches[self._match]
        cursor = self.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.centerCursor()
        self._mark()

    def current_match(self) -> int:
        """Index of the match that was gone to, or -1."""
        return self._match

    # -- painting -----------------------------------------------------------------

    @Slot()
    def _mark(self) -> None:
        selections = []
        found = QTextCharFormat()
        found.setBackground(look.color("match"))
        found.setForeground(look.color("text"))
        near = max(self._match - MOST_MARKED // 2, 0)
        for start, end in self._matches[near : near + MOST_MARKED]:
            selections.append(self._selection(start, end, found))
        error = self._error_selection()
        if error is not None:
            selections.append(error)
        self.setExtraSelections(selections)
        self._gutter.update()

    def _selection(
        self, start: int, end: int, char_format: QTextCharFormat
    ) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        selection.format = char_format
        return selection

    def gutter_width(self) -> int:
        """Width of the line numbers."""
        digits = max(len(str(self.blockCount())), 2)
        return Spacing.M + self.fontMetrics().horizontalAdvance("9" * digits)

    @Slot()
    def _fit_gutter(self) -> None:
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)

    @Slot(QRect, int)
    def _on_update_request(self, rect: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        box = self.contentsRect()
        self._gutter.setGeometry(box.left(), box.top(), self.gutter_width(), box.height())

    def visible_lines(self) -> list[tuple[int, QRect]]:
        """Number (from 1) and box of each line in view, for the gutter."""
        lines = []
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= self.viewport().height():
            height = self.blockBoundingRect(block).height()
            if block.isVisible():
                box = QRect(0, round(top), self._gutter.width(), self.fontMetrics().height())
                lines.append((block.blockNumber() + 1, box))
            top += height
            block = block.next()
        return lines


class _Gutter(QWidget):
    """The line numbers left of the text."""

    def __init__(self, editor: CodeEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setFont(editor.font())

    def sizeHint(self) -> QSize:
        return QSize(self._editor.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), look.color("surface"))
        error = self._editor.error()
        for number, box in self._editor.visible_lines():
            is_error = error is not None and error[0] == number
            painter.setPen(QColor(look.color(self._editor.error_role() if is_error else "muted")))
            font = self.font()
            font.setBold(is_error)
            painter.setFont(font)
            box.setRight(self.width() - Spacing.S)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, str(number))
        painter.end()


def _offset(block: QTextBlock, column: int) -> int:
    """Qt's offset in a line of a column that counts characters from 1."""
    return utf16_length(block.text()[: column - 1])


def _to_utf16(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that count characters as spans that count Qt's; spans are in order."""
    moved = []
    seen = extra = 0
    for start, end in spans:
        extra += sum(ch > "\uffff" for ch in text[seen:start])
        inner = sum(ch > "\uffff" for ch in text[start:end])
        moved.append((start + extra, end + extra + inner))
        extra += inner
        seen = end
    return moved
