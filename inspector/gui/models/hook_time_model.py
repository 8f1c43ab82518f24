"""The calls of one hook by function, against the deadline.

Lives here: `HookTimeModel`. Not here: the sums (workbench.headroom), painting
(views.hook_time). Only views import it.
"""

import enum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui import theme
from inspector.workbench.formatting import duration_text
from inspector.workbench.headroom import US_PER_S, CallTime, level, part_text


class Column(enum.IntEnum):
    """Columns of the table."""

    FUNCTION = 0
    LONGEST = 1
    PART = 2
    CALLS = 3
    STEP = 4


TITLES = ("Function", "Longest", "Of the deadline", "Calls", "Firing")
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class HookTimeModel(QAbstractTableModel):
    """One row per function that was called; `Role.PART` gives the part of the deadline."""

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        PART = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._times: tuple[CallTime, ...] = ()
        self._deadline_s = 1

    def set_times(self, times: tuple[CallTime, ...], deadline_s: int) -> None:
        """Show other times.

        Args:
            times: In the order of the rows.
            deadline_s: Seconds that one call has, 1 and up.
        """
        if (times, deadline_s) == (self._times, self._deadline_s):
            return
        same = [time.function for time in times] == [time.function for time in self._times]
        if same and times:
            self._times, self._deadline_s = times, deadline_s
            last = self.index(len(times) - 1, len(Column) - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self._times, self._deadline_s = times, deadline_s
        self.endResetModel()

    def time(self, row: int) -> CallTime:
        """The times of a row."""
        return self._times[row]

    def part(self, row: int) -> float:
        """The longest call of a row as a part of the deadline."""
        return self._times[row].longest_us / (self._deadline_s * US_PER_S)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._times)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        row, column = index.row(), Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(row, column)
            case Qt.ItemDataRole.TextAlignmentRole if column is not Column.FUNCTION:
                return _RIGHT
            case Qt.ItemDataRole.ForegroundRole if column is Column.PART:
                return theme.color(level(self.part(row)))
            case Qt.ItemDataRole.ToolTipRole:
                return self._tip(row)
            case self.Role.PART:
                return self.part(row)
        return None

    def _cell(self, row: int, column: Column) -> str:
        time = self._times[row]
        match column:
            case Column.FUNCTION:
                return time.function
            case Column.LONGEST:
                return duration_text(time.longest_us)
            case Column.PART:
                return part_text(self.part(row))
            case Column.CALLS:
                return f"{time.calls:,}"
            case Column.STEP:
                return f"#{time.longest_step:,}"

    def _tip(self, row: int) -> str:
        time = self._times[row]
        mean = duration_text(time.total_us // max(time.calls, 1))
        return (
            f"{time.function}: longest call {duration_text(time.longest_us)} in firing "
            f"#{time.longest_step:,}, {mean} on average, "
            f"{part_text(self.part(row))} of {self._deadline_s:,} s\nDouble-click shows the firing."
        )
