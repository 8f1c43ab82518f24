"""The lines of the logs, live, with filters, entries that open, and a search.

Lives here: `LogModel`: which lines are shown, in batches, and which of them hold the
text that is searched for. Not here: what a line is (workbench.log_entry), following and
painting (views.log_view). Only views import it.
"""

import enum
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, MutableSequence, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)

from inspector.gui import icons, theme
from inspector.gui.jobs import SlicedJob
from inspector.gui.models.log_filter import ALL_FILES as ALL_FILES
from inspector.gui.models.log_filter import LogFilter, holds, matching, rows_of
from inspector.gui.models.log_row import LEVEL_SIGNS, TEXT_ROLES, TITLES, cell
from inspector.gui.models.log_row import Column as Column
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.history import Change, Series, changes
from inspector.workbench.log_entry import entry_text, level_of
from inspector.workbench.state import LogLine

_AT_ONCE = 20_000
"""Lines that are gone through without slices."""


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class LogModel(QAbstractTableModel):
    """Log lines in order of arrival; an entry of many lines is one row until it is opened.

    Signals:
        matches_changed(): the set of lines that hold the searched text is another one.
    """

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        INDEX = Qt.ItemDataRole.UserRole + 1
        MATCH = Qt.ItemDataRole.UserRole + 2
        CAUSED = Qt.ItemDataRole.UserRole + 3
        EXPANDED = Qt.ItemDataRole.UserRole + 4

    matches_changed = Signal()

    def __init__(self, bridge: WorkbenchBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._lines: Series[LogLine] = Series()
        self._filter = LogFilter()
        # Every line and no entry of many: a range. Else an array.
        self._rows: range | MutableSequence[int] = range(0)
        self._opened: set[int] = set()
        self._has_entries = False
        self._longest = 0
        self._step: int | None = None
        self._first_of_step: dict[int, int] = {}
        self._indexed = 0
        self._needle = ""
        self._matches: list[int] = []
        self._filter_job = SlicedJob(self)
        self._filter_job.finished.connect(self._take_rows)
        self._filter_lines: Series[LogLine] = Series()
        self._search_job = SlicedJob(self)
        self._search_job.finished.connect(self._take_matches)
        self._search_lines: Series[LogLine] = Series()
        bridge.logs_changed.connect(self._take_change)
        theme.notifier().changed.connect(self._repaint)
        self._index(bridge.state.logs.lines)
        self._refilter()

    # -- the table ---------------------------------------------------------------------

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        line = self._lines[self._rows[index.row()]]
        column = Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(index.row(), line, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(index.row(), line, column)
            case Qt.ItemDataRole.DecorationRole if column is Column.FILE and not line.part:
                sign = LEVEL_SIGNS[level_of(line)]
                return icons.icon(sign.name, sign.role)
            case Qt.ItemDataRole.ToolTipRole if column is Column.FILE:
                return f"{level_of(self._head(line, index.row()))}: {line.file}"
            case Qt.ItemDataRole.TextAlignmentRole if column is Column.STEP:
                return _RIGHT
            case Qt.ItemDataRole.ForegroundRole:
                return self._color(index.row(), line, column)
            case _:
                return self._own_data(index.row(), line, role)

    def _own_data(self, row: int, line: LogLine, role: int) -> Any:
        match role:
            case self.Role.INDEX:
                return self._rows[row]
            case self.Role.MATCH:
                return self.is_match(row)
            case self.Role.CAUSED:
                return self._step is not None and line.step == self._step
            case self.Role.EXPANDED if line.more and not line.part:
                return self._rows[row] in self._opened
        return None

    def _cell(self, row: int, line: LogLine, column: Column) -> str:
        return cell(line, column, is_closed=self._is_closed(row, line))

    def _is_closed(self, row: int, line: LogLine) -> bool:
        """Whether a row stands for a whole entry of many lines."""
        return line.more > 0 and not line.part and self._rows[row] not in self._opened

    def _spoken(self, row: int, line: LogLine, column: Column) -> str:
        text = self._cell(row, line, column)
        if column is Column.TEXT:
            return f"{level_of(self._head(line, row))}: {text}"
        return text

    def _color(self, row: int, line: LogLine, column: Column) -> Any:
        if column is not Column.TEXT:
            return theme.color("muted")
        if self._needle and self.is_match(row):
            return None  # plain text is readable on the ground of a match
        role = TEXT_ROLES.get(level_of(self._head(line, row)))
        return theme.color(role) if role else None

    def _head(self, line: LogLine, row: int) -> LogLine:
        """The first line of a row's entry, as far as it is held."""
        if not line.part:
            return line
        return self._lines[max(self._rows[row] - line.part, self._lines.first)]

    @Slot()
    def _repaint(self) -> None:
        if self._rows:
            last = self.index(len(self._rows) - 1, len(Column) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    # -- look-ups for the view ---------------------------------------------------------

    @property
    def file(self) -> str:
        """The file that is shown, or ALL_FILES."""
        return self._filter.file

    @property
    def filter(self) -> LogFilter:
        """What is shown."""
        return self._filter

    @property
    def longest(self) -> int:
        """Characters of the longest line shown so far."""
        return self._longest

    def line(self, row: int) -> LogLine:
        """The line of a row."""
        return self._lines[self._rows[row]]

    def index_of(self, row: int) -> int:
        """The index in the log book of a row."""
        return self._rows[row]

    def text_of(self, row: int) -> str:
        """The text of a row, of the whole entry while it is closed."""
        line = self.line(row)
        whole = self._is_closed(row, line)
        return entry_text(self._lines, self._rows[row]) if whole else line.text

    def indexes(self) -> Sequence[int]:
        """The indexes of all rows now; later changes leave it as it is."""
        return self._rows if isinstance(self._rows, range) else self._rows[:]

    def saved_line(self, index: int) -> str:
        """A row as it stands in a saved file, a closed entry as a whole.

        Args:
            index: One of `indexes()` that is still held.
        """
        line = self._lines[index]
        closed = line.more > 0 and not line.part and index not in self._opened
        text = entry_text(self._lines, index) if closed else line.text
        # With several files in one, each line says whose it is.
        return text if self._filter.file else f"{line.file}\t{text}"

    def row_of_step(self, step: int) -> int | None:
        """The first row that a firing caused, or None when none is shown."""
        first = self._first_of_step.get(step)
        if first is None:
            return None
        row = bisect_left(self._rows, first)
        # The lines of a firing stand together, but for those of async hooks.
        end = min(row + _AT_ONCE, len(self._rows))
        return next((r for r in range(row, end) if self.line(r).step == step), None)

    # -- entries -----------------------------------------------------------------------

    def toggle(self, row: int) -> None:
        """Open or close the entry of a row; a line that is none stays as it is."""
        index = self._rows[row]
        line = self._lines[index]
        if not line.more or line.part or self._filter_job.is_running:
            return
        below = range(index + 1, min(index + line.more + 1, self._lines.end))
        assert isinstance(self._rows, array)
        if index in self._opened:
            self._opened.discard(index)
            self.beginRemoveRows(QModelIndex(), row + 1, row + len(below))
            del self._rows[row + 1 : row + 1 + len(below)]
            self.endRemoveRows()
        else:
            self._opened.add(index)
            self._longest = max(self._longest, *(len(self._lines[i].text) + 4 for i in below))
            self.beginInsertRows(QModelIndex(), row + 1, row + len(below))
            self._rows[row + 1 : row + 1] = array("q", below)
            self.endInsertRows()
        self.dataChanged.emit(self.index(row, 0), self.index(row, Column.TEXT))
        self._search()

    # -- the firing that is chosen -----------------------------------------------------

    @property
    def step(self) -> int | None:
        """The firing whose lines are marked."""
        return self._step

    def set_step(self, step: int | None) -> None:
        """Mark the lines of a firing, or of none."""
        if step != self._step:
            self._step = step
            self._repaint()

    # -- the search --------------------------------------------------------------------

    @property
    def match_count(self) -> int:
        """Rows that hold the searched text."""
        return len(self._matches)

    @property
    def needle(self) -> str:
        """The searched text, or ""."""
        return self._needle

    def is_match(self, row: int) -> bool:
        """Whether a row holds the searched text."""
        index = self._rows[row]
        at = bisect_left(self._matches, index)
        return at < len(self._matches) and self._matches[at] == index

    def next_match(self, row: int, *, forward: bool) -> tuple[int, int] | None:
        """The row of the match after or before a row, and its ordinal; wraps around.

        Args:
            row: The current row, or -1 for none.
            forward: Towards the newest.
        """
        if not self._matches:
            return None
        index = self._rows[row] if row >= 0 else -1
        if forward:
            at = bisect_right(self._matches, index) % len(self._matches)
        else:
            at = (bisect_left(self._matches, index) - 1) % len(self._matches)
        return bisect_left(self._rows, self._matches[at]), at + 1

    # -- what the user changes ---------------------------------------------------------

    def set_file(self, file: str) -> None:
        """Show the lines of one file, or ALL_FILES."""
        self.set_filter(LogFilter(file, self._filter.hook, self._filter.levels))

    def set_filter(self, wanted: LogFilter) -> None:
        """Show other lines."""
        if wanted != self._filter:
            self._filter = wanted
            self._refilter()

    def find(self, needle: str) -> None:
        """Search for a text in the lines shown; "" ends the search."""
        if needle != self._needle:
            self._needle = needle
            self._search()

    # -- rows ----------------------------------------------------------------------------

    def _index(self, lines: Series[LogLine]) -> None:
        """Note of the lines not yet seen which firing caused them."""
        start = max(self._indexed, lines.first)
        for index, line in enumerate(lines.since(start), start):
            if line.step is not None and line.step not in self._first_of_step:
                self._first_of_step[line.step] = index
            self._has_entries = self._has_entries or line.more > 0
        self._indexed = lines.end

    def _refilter(self) -> None:
        lines = self._bridge.state.logs.lines
        self._filter_lines = lines
        self._filter_job.cancel()
        if not self._filter and not self._has_entries:
            self._reset(lines, range(lines.first, lines.end))
            return
        work = rows_of(self._filter, lines, lines.first, frozenset(self._opened))
        if len(lines) <= _AT_ONCE:
            self._reset(lines, _joined(work))
        else:
            self._filter_job.start(work, steps=1)

    @Slot(int, object)
    def _take_rows(self, number: int, batches: "list[array[int]]") -> None:
        if number == self._filter_job.number:
            self._reset(self._filter_lines, _joined(batches))
            later = changes(self._filter_lines, self._bridge.state.logs.lines)
            if later:
                self._take_change(later)

    def _reset(self, lines: Series[LogLine], rows: "range | array[int]") -> None:
        self.beginResetModel()
        self._lines = lines
        self._rows = rows
        self._longest = max((len(lines[i].text) for i in rows[-_AT_ONCE:]), default=0)
        self.endResetModel()
        self._search()

    @Slot(object)
    def _take_change(self, change: Change) -> None:
        lines = self._bridge.state.logs.lines
        if change.restarted:
            self._first_of_step.clear()
            self._opened.clear()
            self._has_entries, self._indexed = False, 0
        self._index(lines)
        if self._filter_job.is_running:
            return
        if change.restarted:
            self._refilter()
            return
        self._drop_front(change.first)
        self._lines = lines
        if isinstance(self._rows, range) and self._has_entries:
            self._rows = array("q", self._rows)
        fresh = _joined(rows_of(self._filter, lines, change.appended, frozenset()))
        if not fresh:
            return
        self._longest = max(self._longest, *(len(lines[i].text) for i in fresh))
        count = len(self._rows)
        self.beginInsertRows(QModelIndex(), count, count + len(fresh) - 1)
        if isinstance(self._rows, range):
            self._rows = range(lines.first, lines.end)
        else:
            self._rows += fresh
        self.endInsertRows()
        self._search_more(fresh)

    def _drop_front(self, first: int) -> None:
        gone = bisect_left(self._rows, first)
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
            if isinstance(self._rows, range):
                self._rows = self._rows[gone:]
            else:
                del self._rows[:gone]
            self.endRemoveRows()
            del self._matches[: bisect_left(self._matches, first)]

    # -- searching -----------------------------------------------------------------------

    def _search(self) -> None:
        self._search_job.cancel()
        self._set_matches([])
        if not self._needle:
            return
        self._search_lines = self._lines
        work = matching(self._lines, self.indexes(), self._needle, frozenset(self._opened))
        self._search_job.start(work, steps=1)

    @Slot(int, object)
    def _take_matches(self, number: int, found: list[list[int]]) -> None:
        if number != self._search_job.number:
            return
        first = self._lines.first
        late = range(max(self._search_lines.end, first), self._lines.end)
        self._set_matches([i for part in found for i in part if i >= first])
        shown = self._rows[bisect_left(self._rows, late.start) :]
        self._search_more(shown)

    def _search_more(self, fresh: Sequence[int]) -> None:
        if not self._needle or self._search_job.is_running:
            return
        more = holds(self._lines, fresh, self._needle, frozenset(self._opened))
        if more:
            self._set_matches([*self._matches, *more])

    def _set_matches(self, matches: list[int]) -> None:
        if matches != self._matches:
            self._matches = matches
            self.matches_changed.emit()


def _joined(batches: "Iterable[array[int]]") -> "array[int]":
    rows = array("q")
    for batch in batches:
        rows.extend(batch)
    return rows
