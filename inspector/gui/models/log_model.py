"""The lines of the logs, live, with a choice of file and a search.

Lives here: `LogModel`: which lines are shown, in batches, and which of them hold the
text that is searched for. Not here: following and painting (views.log_view). Only views
import it.
"""

import enum
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
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

from inspector.gui import theme
from inspector.gui.jobs import SlicedJob
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import search
from inspector.workbench.formatting import LINE_CHARACTERS, visible
from inspector.workbench.history import Change, Series, changes
from inspector.workbench.state import FAULTS_FILE, STDERR_FILE, LogLine

ALL_FILES = ""
"""The choice that shows every line."""

_AT_ONCE = 20_000
"""Lines that are gone through without slices."""

_BATCH = 1_000
"""Lines that are searched between two looks at the clock."""


class Column(enum.IntEnum):
    """Columns of the logs."""

    STEP = 0
    FILE = 1
    TEXT = 2


TITLES = ("#", "File", "Text")
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_FILE_ROLES = {FAULTS_FILE: "caution", STDERR_FILE: "negative"}


class LogModel(QAbstractTableModel):
    """Log lines in order of arrival.

    Signals:
        matches_changed(): the set of lines that hold the searched text is another one.
    """

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        INDEX = Qt.ItemDataRole.UserRole + 1
        MATCH = Qt.ItemDataRole.UserRole + 2

    matches_changed = Signal()

    def __init__(self, bridge: WorkbenchBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._lines: Series[LogLine] = Series()
        self._file = ALL_FILES
        # Every line: a range. One file: a list.
        self._rows: Sequence[int] = range(0)
        self._longest = 0
        self._needle = ""
        self._matches: list[int] = []
        self._filter_job = SlicedJob(self)
        self._filter_job.finished.connect(self._take_rows)
        self._filter_lines: Series[LogLine] = Series()
        self._search_job = SlicedJob(self)
        self._search_job.finished.connect(self._take_matches)
        self._search_lines: Series[LogLine] = Series()
        bridge.logs_changed.connect(self._take_change)
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
                return _cell(line, column)
            case Qt.ItemDataRole.ToolTipRole if column is Column.FILE:
                return line.file
            case Qt.ItemDataRole.TextAlignmentRole if column is Column.STEP:
                return _RIGHT
            case Qt.ItemDataRole.ForegroundRole:
                return _color(line, column)
            case self.Role.INDEX:
                return self._rows[index.row()]
            case self.Role.MATCH:
                return self.is_match(index.row())
        return None

    # -- look-ups for the view ---------------------------------------------------------

    @property
    def file(self) -> str:
        """The file that is shown, or ALL_FILES."""
        return self._file

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

    @property
    def match_count(self) -> int:
        """Lines that hold the searched text."""
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
        if file != self._file:
            self._file = file
            self._refilter()

    def find(self, needle: str) -> None:
        """Search for a text in the lines shown; "" ends the search."""
        if needle != self._needle:
            self._needle = needle
            self._search()

    # -- rows ----------------------------------------------------------------------------

    def _refilter(self) -> None:
        lines = self._bridge.state.logs.lines
        self._filter_lines = lines
        work = search.log_lines(lines, self._file, lines.first)
        if len(lines) <= _AT_ONCE or not self._file:
            self._filter_job.cancel()
            self._reset(lines, [*work] if self._file else range(lines.first, lines.end))
        else:
            self._filter_job.start(work)

    @Slot(int, object)
    def _take_rows(self, number: int, rows: list[int]) -> None:
        if number == self._filter_job.number:
            self._reset(self._filter_lines, rows)
            later = changes(self._filter_lines, self._bridge.state.logs.lines)
            if later:
                self._take_change(later)

    def _reset(self, lines: Series[LogLine], rows: Sequence[int]) -> None:
        self.beginResetModel()
        self._lines = lines
        self._rows = rows
        self._longest = max((len(lines[i].text) for i in rows[-_AT_ONCE:]), default=0)
        self.endResetModel()
        self._search()

    @Slot(object)
    def _take_change(self, change: Change) -> None:
        if self._filter_job.is_running:
            return
        if change.restarted:
            self._refilter()
            return
        self._drop_front(change.first)
        self._lines = self._bridge.state.logs.lines
        fresh = list(
            search.log_lines(self._lines.since(change.appended), self._file, change.appended)
        )
        if not fresh:
            return
        self._longest = max(self._longest, *(len(self._lines[i].text) for i in fresh))
        count = len(self._rows)
        self.beginInsertRows(QModelIndex(), count, count + len(fresh) - 1)
        if isinstance(self._rows, list):
            self._rows += fresh
        else:
            self._rows = range(self._lines.first, self._lines.end)
        self.endInsertRows()
        self._search_more(fresh)

    def _drop_front(self, first: int) -> None:
        gone = bisect_left(self._rows, first)
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
            self._rows = self._rows[gone:]
            self.endRemoveRows()
            del self._matches[: bisect_left(self._matches, first)]

    # -- the search ----------------------------------------------------------------------

    def _search(self) -> None:
        self._search_job.cancel()
        self._set_matches([])
        if not self._needle:
            return
        self._search_lines = self._lines
        rows = self._rows if isinstance(self._rows, range) else tuple(self._rows)
        self._search_job.start(_matches(self._lines, rows, self._needle), steps=1)

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
        matches = search.line_matcher(self._needle)
        more = [i for i in fresh if matches(self._lines[i].text)]
        if more:
            self._set_matches([*self._matches, *more])

    def _set_matches(self, matches: list[int]) -> None:
        if matches != self._matches:
            self._matches = matches
            self.matches_changed.emit()


def _matches(lines: Series[LogLine], rows: Sequence[int], needle: str) -> Iterator[list[int]]:
    """Indexes of the lines that hold a text, a batch of lines at a time."""
    holds = search.line_matcher(needle)
    for start in range(0, len(rows), _BATCH):
        yield [index for index in rows[start : start + _BATCH] if holds(lines[index].text)]


def _cell(line: LogLine, column: Column) -> str:
    match column:
        case Column.STEP:
            return "" if line.step is None else f"{line.step:,}"
        case Column.FILE:
            return line.file.removeprefix("logs/")
        case Column.TEXT:
            return visible(line.text[:LINE_CHARACTERS])


def _color(line: LogLine, column: Column) -> Any:
    if column is Column.TEXT:
        role = _FILE_ROLES.get(line.file)
        return theme.color(role) if role else None
    return theme.color("muted")
