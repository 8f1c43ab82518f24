"""The firings of the window and their calls, as a flat table.

Lives here: `TimelineModel`: which rows are shown, in batches, and the filter over them.
Not here: the text of a row (timeline_row), following and painting (views.timeline_view).
Only views import it.
"""

import enum
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
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
from inspector.gui.focus import FiringTarget
from inspector.gui.jobs import SlicedJob
from inspector.gui.models.sorted_index import SortedIndexes
from inspector.gui.models.timeline_row import (
    TITLES,
    WHOLE,
    Cells,
    Column,
    cells_of,
    has_rows_below,
)
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import verdict
from inspector.workbench.history import Change, Series, changes
from inspector.workbench.search import Query, visible_calls
from inspector.workbench.state import Firing, TimelineItem

_CALL_BITS = 20
"""A row is one number, index and call together: a list of plain numbers costs the
collection of garbage nothing, however long it is."""

_CACHED_ROWS = 2048
_AT_ONCE = 2_000
"""Items that a filter goes through without slices."""

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_QUIET = (Column.PHASE, Column.DURATION, Column.STEP)


class TimelineModel(QAbstractTableModel):
    """Rows in the order of the history; a firing with several calls has them below it.

    Attributes:
        has_labels: Whether some firing is one of a batch and has a name.

    Signals:
        filtered(): another query took effect.
        hits_changed(): another number of firings fits the query.
    """

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        TARGET = Qt.ItemDataRole.UserRole + 1
        CELLS = Qt.ItemDataRole.UserRole + 2
        EXPANDED = Qt.ItemDataRole.UserRole + 3

    filtered = Signal()
    hits_changed = Signal()

    def __init__(self, bridge: WorkbenchBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._items: Series[TimelineItem] = Series()
        self._rows: list[int] = []
        self._collapsed: set[int] = set()
        self._query = Query()
        self.has_labels = False
        self._is_highlighting = False
        self._hits = SortedIndexes()
        self._bad = SortedIndexes()
        self._cache: dict[int, tuple[TimelineItem, Cells]] = {}
        self._job = SlicedJob(self)
        self._job.finished.connect(self._take_rows)
        self._job_items: Series[TimelineItem] = Series()
        bridge.history_changed.connect(self._take_change)
        bridge.notes_changed.connect(self._take_notes)
        theme.notifier().changed.connect(self._repaint)
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
        if orientation is Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in (Column.STEP, Column.DURATION) else _LEFT
        return None

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        key = self._rows[index.row()]
        if role == self.Role.TARGET:
            return self.target(index.row())
        if role == self.Role.EXPANDED:
            return self._is_expanded(key)
        cells = self._cells(key)
        if role == self.Role.CELLS:
            return cells
        return _cell_data(cells, Column(index.column()), role)

    # -- look-ups for the view ---------------------------------------------------------

    @property
    def query(self) -> Query:
        """The filter in force."""
        return self._query

    @property
    def is_highlighting(self) -> bool:
        """Whether the filter points rows out instead of hiding the others."""
        return self._is_highlighting

    @property
    def hit_count(self) -> int:
        """Firings that fit the query; 0 without one."""
        return len(self._hits)

    @property
    def total(self) -> int:
        """Items that there are, shown or not."""
        return len(self._items)

    @property
    def dropped(self) -> int:
        """Items that went to keep memory within bounds."""
        return self._bridge.state.history.dropped

    def target(self, row: int) -> FiringTarget | None:
        """What the Detail pane shows for a row; None for a line across."""
        index, call = _split(self._rows[row])
        item = self._items[index]
        if not isinstance(item, Firing):
            return None
        if call == WHOLE and item.record and item.record.calls and not has_rows_below(item):
            return FiringTarget(index, 0)
        return FiringTarget(index, None if call == WHOLE else call)

    def firing(self, row: int) -> Firing | None:
        """The firing that a row belongs to, or None for a line across."""
        item = self._items[_split(self._rows[row])[0]]
        return item if isinstance(item, Firing) else None

    def row_of(self, target: FiringTarget) -> int | None:
        """The row that shows a target best, or None when the filter hides it."""
        first = bisect_left(self._rows, _key(target.index))
        wanted = _key(target.index, WHOLE if target.call is None else target.call)
        if first == len(self._rows) or _split(self._rows[first])[0] != target.index:
            return None
        found = bisect_left(self._rows, wanted)
        return found if found < len(self._rows) and self._rows[found] == wanted else first

    def last_firing_row(self) -> int | None:
        """The row of the newest firing shown."""
        for row in range(len(self._rows) - 1, -1, -1):
            if _split(self._rows[row])[1] == WHOLE and self.firing(row) is not None:
                return row
        return None

    # -- from one row to another -------------------------------------------------------

    def next_hit(self, row: int, *, forward: bool) -> int | None:
        """The row of the next firing that fits the query."""
        return self._nearest(self._hits, row, forward=forward)

    def next_bad(self, row: int, *, forward: bool) -> int | None:
        """The row of what is worst in the next firing that ended badly."""
        return self._nearest(self._bad, row, forward=forward)

    def next_marked(self, row: int, *, forward: bool) -> int | None:
        """The row of the next firing that the user marked."""
        marked = {step for step, note in self._bridge.state.notes.items() if note.is_marked}
        if not marked:
            return None
        found = (
            index
            for index, item in enumerate(self._items, self._items.first)
            if isinstance(item, Firing) and item.step in marked
        )
        return self._nearest(SortedIndexes(found), row, forward=forward)

    def _nearest(self, indexes: SortedIndexes, row: int, *, forward: bool) -> int | None:
        """The next row shown, going round at the end; the whole firing counts as one."""
        here = _split(self._rows[row])[0] if 0 <= row < len(self._rows) else self._items.first - 1
        end = self._items.end
        ways = (
            (indexes.after(here), indexes.after(-1))
            if forward
            else (indexes.before(here), indexes.before(end))
        )
        for index in chain(*ways):
            found = self.row_of(FiringTarget(index, self._worst_call(index)))
            if found is not None:
                return found
        return None

    def _worst_call(self, index: int) -> int | None:
        item = self._items[index]
        calls = item.record.calls if isinstance(item, Firing) and item.record else ()
        ranks = [verdict.of_call(call).rank for call in calls if verdict.of_call(call).is_bad]
        if not ranks or not isinstance(item, Firing) or not has_rows_below(item):
            return None
        return next(i for i, call in enumerate(calls) if verdict.of_call(call).rank == max(ranks))

    # -- what the user changes ---------------------------------------------------------

    def set_query(self, query: Query) -> None:
        """Show what a query lets through; large histories take a moment."""
        if query != self._query:
            self._query = query
            self._refilter()

    def set_highlighting(self, highlighting: bool) -> None:
        """Point out what fits the query, or hide what does not."""
        if highlighting != self._is_highlighting:
            self._is_highlighting = highlighting
            if self._query:
                self._refilter()

    def toggle(self, row: int) -> None:
        """Fold or unfold the calls of a firing."""
        index, _ = _split(self._rows[row])
        if self._is_expanded(_key(index)) is None:
            return
        self._collapsed ^= {index}
        self._swap(index, index + 1)

    def _is_expanded(self, key: int) -> bool | None:
        """Whether a firing's calls are shown; None when there is nothing to fold."""
        index, call = _split(key)
        item = self._items[index]
        if call != WHOLE or not isinstance(item, Firing) or not has_rows_below(item):
            return None
        return index not in self._collapsed

    # -- rows ----------------------------------------------------------------------------

    def _rows_of(self, index: int, item: TimelineItem) -> list[int]:
        """The rows of an item, and whether it is bad and fits, written down on the way."""
        whole = _key(index)
        hides = bool(self._query) and not self._is_highlighting
        if not isinstance(item, Firing):
            return [] if hides else [whole]
        self.has_labels |= bool(item.label)
        self._bad.put(index, belongs=verdict.of_firing(item).is_bad)
        calls = visible_calls(self._query, item, self._bridge.state.notes)
        self._hits.put(index, belongs=bool(self._query) and calls is not None)
        if not hides:
            calls = tuple(range(len(item.record.calls))) if item.record else ()
        if calls is None:
            return []
        if not has_rows_below(item) or index in self._collapsed:
            return [whole]
        return [whole, *(whole + 1 + call for call in calls)]

    @Slot(object)
    def _take_change(self, change: Change) -> None:
        items = self._bridge.state.history.items
        if self._job.is_running:
            return
        if change.restarted:
            self._refilter()
            return
        hits = len(self._hits)
        self._drop_front(change.first)
        self._items = items
        changed = [index for index in change.touched if index >= change.first]
        for index in changed:
            self._swap(index, index + 1)
        if change.appended < change.end:
            self._append(change.appended, change.end)
        if hits != len(self._hits):
            self.hits_changed.emit()

    @Slot()
    def _take_notes(self) -> None:
        self._cache.clear()
        if self._query.asks_notes:
            self._refilter()
        else:
            self._repaint()

    def _drop_front(self, first: int) -> None:
        self._hits.drop_below(first)
        self._bad.drop_below(first)
        gone = bisect_left(self._rows, _key(first))
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
            del self._rows[:gone]
            self.endRemoveRows()

    def _append(self, start: int, end: int) -> None:
        fresh: list[int] = []
        for index, item in zip(range(start, end), self._items.since(start), strict=False):
            fresh += self._rows_of(index, item)
        self._insert(len(self._rows), fresh)

    def _insert(self, at: int, fresh: list[int]) -> None:
        if fresh:
            self.beginInsertRows(QModelIndex(), at, at + len(fresh) - 1)
            self._rows[at:at] = fresh
            self.endInsertRows()

    def _swap(self, start: int, end: int) -> None:
        """Make the rows of some items anew; rows that stay keep their place."""
        at = bisect_left(self._rows, _key(start))
        after = bisect_left(self._rows, _key(end))
        old = self._rows[at:after]
        new: list[int] = []
        for index, item in zip(range(start, end), self._items.since(start), strict=False):
            new += self._rows_of(index, item)
        same = 0
        while same < min(len(old), len(new)) and old[same] == new[same]:
            same += 1
        if len(old) > same:
            self.beginRemoveRows(QModelIndex(), at + same, after - 1)
            del self._rows[at + same : after]
            self.endRemoveRows()
        self._insert(at + same, new[same:])
        if same:
            self._tell_changed(at, at + same - 1)

    def _tell_changed(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, 0), self.index(last, len(Column) - 1))

    # -- the filter ----------------------------------------------------------------------

    def _refilter(self) -> None:
        items = self._bridge.state.history.items
        self._job_items = items
        self._hits, self._bad = SortedIndexes(), SortedIndexes()
        work = self._filtered_rows(items)
        if len(items) <= _AT_ONCE:
            self._job.cancel()
            self._reset(items, list(work))
        else:
            self._job.start(work)

    def _filtered_rows(self, items: Series[TimelineItem]) -> Iterator[list[int]]:
        return (self._rows_of(index, item) for index, item in enumerate(items, items.first))

    @Slot(int, object)
    def _take_rows(self, number: int, rows: list[list[int]]) -> None:
        if number == self._job.number:
            self._reset(self._job_items, rows)
            later = changes(self._job_items, self._bridge.state.history.items)
            if later:
                self._take_change(later)

    def _reset(self, items: Series[TimelineItem], rows: list[list[int]]) -> None:
        self.beginResetModel()
        self._items = items
        self._rows = list(chain.from_iterable(rows))
        self._cache.clear()
        self.endResetModel()
        self.filtered.emit()
        self.hits_changed.emit()

    # -- cells ---------------------------------------------------------------------------

    def _cells(self, key: int) -> Cells:
        index, call = _split(key)
        item = self._items[index]
        found = self._cache.get(key)
        if found is not None and found[0] is item:
            return found[1]
        if len(self._cache) >= _CACHED_ROWS:
            self._cache.clear()
        note = self._bridge.state.notes.get(item.step) if isinstance(item, Firing) else None
        cells = cells_of(item, call, note, is_hit=self._is_pointed_out(item, call, index))
        self._cache[key] = (item, cells)
        return cells

    def _is_pointed_out(self, item: TimelineItem, call: int, index: int) -> bool:
        if not self._is_highlighting or index not in self._hits or not isinstance(item, Firing):
            return False
        found = visible_calls(self._query, item, self._bridge.state.notes)
        return found is not None and (call == WHOLE or call in found)

    @Slot()
    def _repaint(self) -> None:
        if self._rows:
            self._tell_changed(0, len(self._rows) - 1)


def _key(index: int, call: int = WHOLE) -> int:
    return (index << _CALL_BITS) + call + 1


def _split(key: int) -> tuple[int, int]:
    """Index in the history, and a call or WHOLE."""
    return key >> _CALL_BITS, (key & ((1 << _CALL_BITS) - 1)) - 1


def _cell_data(cells: Cells, column: Column, role: int) -> Any:
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return cells.texts[column]
        case Qt.ItemDataRole.ToolTipRole:
            return cells.tip or cells.texts[column] or None
        case Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in (Column.STEP, Column.DURATION) else _LEFT
        case Qt.ItemDataRole.ForegroundRole:
            return _color(cells, column)
        case Qt.ItemDataRole.DecorationRole if column is Column.OUTCOME and cells.verdict:
            return icons.icon(cells.verdict.icon, cells.verdict.role)
    return None


def _color(cells: Cells, column: Column) -> Any:
    if cells.verdict is None:
        return theme.color("negative" if cells.severity == "error" else "muted")
    if column is Column.OUTCOME:
        return theme.color(cells.verdict.role)
    return theme.color("muted") if column in _QUIET else None
