"""A text to read, of any length: colours while it is short, rows when it is long.

Lives here: `TextView` with its search. Not here: JSON values (value_view), live logs
(log_view). Only views import it.
"""

from collections.abc import Iterator

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.jobs import SlicedJob
from inspector.gui.models.line_model import LineModel
from inspector.gui.views.row_table import RowTable
from inspector.gui.widgets import look
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.code_highlighter import Language
from inspector.gui.widgets.search_bar import SearchBar
from inspector.workbench import search
from inspector.workbench.formatting import LINE_CHARACTERS, visible

EDITOR_CHARACTERS = 32 * 1024
"""A longer text is shown as rows: laying it out at once would hold up the window."""


class TextView(QWidget):
    """Lines of text, read-only, with a search."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Make the view; `name` is for assistive tools."""
        super().__init__(parent)
        self._lines: list[str] = []
        self._matches: list[int] = []
        self._job = SlicedJob(self)
        self._job.finished.connect(self._take_matches)
        self._stack = QStackedWidget(self)
        self._editor = CodeEdit(name, self._stack)
        self._editor.setReadOnly(True)
        look.set_property(self._editor, "bare", "true")
        self._model = LineModel(self)
        self._table = _LineTable(name, self._stack)
        self._table.setModel(self._model)
        self._stack.addWidget(self._editor)
        self._stack.addWidget(self._table)
        self._search: SearchBar | None = None
        self._match = 0
        self._found = 0
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._stack, 1)
        self.setFocusProxy(self._stack)

    # -- the text ------------------------------------------------------------------------

    def set_lines(self, lines: list[str], language: Language = "none") -> None:
        """Show a text given as lines.

        Args:
            lines: Without their ends; must not change afterwards.
            language: What to colour a short text as.
        """
        self._job.cancel()
        self._lines = lines
        size = sum(map(len, lines)) + len(lines)
        if size <= EDITOR_CHARACTERS:
            self._model.set_lines(())
            self._editor.set_language(language)
            self._editor.set_text(visible("\n".join(lines)))
            self._stack.setCurrentWidget(self._editor)
        else:
            self._editor.set_text("")
            self._model.set_lines(lines)
            self._table.fit(self._model.longest)
            self._stack.setCurrentWidget(self._table)
        if self._search is not None and self._search.isVisible():
            self._find(self._search.text())

    @property
    def lines(self) -> list[str]:
        """What is shown."""
        return self._lines

    @property
    def is_long(self) -> bool:
        """Whether the text is shown as rows."""
        return self._stack.currentWidget() is self._table

    # -- a place -------------------------------------------------------------------------

    def show_place(self, line: int, column: int, role: str, *, take_focus: bool) -> None:
        """Go to a place and underline what stands there; a long text shows the line.

        Args:
            line: From 1.
            column: From 1, in characters.
            role: Colour role of the underline.
            take_focus: Whether the keyboard goes there, too.
        """
        if not self.is_long:
            self._editor.set_error(line, column, role)
            self._editor.go_to(line, column, take_focus=take_focus)
            return
        self._table.show_row(min(line, len(self._lines)) - 1)
        if take_focus:
            self._table.setFocus(Qt.FocusReason.OtherFocusReason)

    def clear_place(self) -> None:
        """Take the underline away."""
        self._editor.clear_error()

    def place(self) -> tuple[int, int] | None:
        """Line and column of what is underlined; the row of a long text."""
        if self.is_long:
            row = self._table.current_row()
            return (row + 1, 1) if row >= 0 else None
        return self._editor.error()

    # -- the search ----------------------------------------------------------------------

    @Slot()
    def open_search(self) -> None:
        """Show the field to search in."""
        self.search_bar.open_search()
        self._find(self.search_bar.text())

    @property
    def is_searching(self) -> bool:
        """Whether the field to search in is open."""
        return self._search is not None and self._search.isVisibleTo(self)

    @property
    def search_bar(self) -> SearchBar:
        """The field to search in, made when it is first wanted."""
        if self._search is None:
            self._search = SearchBar(self)
            self._search.searched.connect(self._find)
            self._search.next_requested.connect(self._go_next)
            self._search.previous_requested.connect(self._go_previous)
            self._search.closed.connect(self._end_search)
            self._layout.insertWidget(0, self._search)
        return self._search

    @Slot(str)
    def _find(self, text: str) -> None:
        self._match = 0
        if not self.is_long:
            self._found = self._editor.search(text)
            self.search_bar.set_count(0, self._found)
            return
        self._job.start(_found_in(self._lines, text))

    @Slot(int, object)
    def _take_matches(self, number: int, found: list[bool]) -> None:
        if number == self._job.number:
            self._matches = [row for row, holds in enumerate(found) if holds]
            self.search_bar.set_count(0, len(self._matches))

    @Slot()
    def _go_next(self) -> None:
        self._go(1)

    @Slot()
    def _go_previous(self) -> None:
        self._go(-1 if self._match else 0)

    def _go(self, by: int) -> None:
        total = len(self._matches) if self.is_long else self._found
        if not total:
            return
        self._match = (self._match + by - 1) % total + 1
        if self.is_long:
            self._table.show_row(self._matches[self._match - 1])
        else:
            self._editor.show_match(self._match - 1)
        self.search_bar.set_count(self._match, total)

    @Slot()
    def _end_search(self) -> None:
        self._editor.search("")
        shown = self._table if self.is_long else self._editor
        shown.setFocus(Qt.FocusReason.OtherFocusReason)


def _found_in(lines: list[str], text: str) -> Iterator[bool]:
    """Whether each line holds a text, or begins one that goes on in the next piece of it."""
    matches = search.line_matcher(text)
    for number, line in enumerate(lines):
        whole = line
        if len(line) >= LINE_CHARACTERS and number + 1 < len(lines):
            whole += lines[number + 1][: max(len(text) - 1, 0)]
        yield bool(text) and matches(whole)


class _LineTable(RowTable):
    """One column, as wide as the longest line."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(name, parent)
        self.setFont(theme.mono_font())
        self.setFrameShape(RowTable.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2)

    def fit(self, characters: int) -> None:
        """Make room for so many characters."""
        self.setColumnWidth(0, (characters + 2) * self.fontMetrics().averageCharWidth())

    def row_text(self, row: int) -> str:
        model = self.model()
        assert isinstance(model, LineModel)
        return model.text(row)
