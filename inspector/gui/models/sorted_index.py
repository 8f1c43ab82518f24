"""Sorted numbers that answer which one comes next.

Lives here: `SortedIndexes`: which rows of the timeline are bad, which ones fit a filter.
Not here: rows (timeline_model). Only gui.models import it.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable


class SortedIndexes:
    """Indexes of a list that grows at its end and shrinks at its front."""

    def __init__(self, indexes: Iterable[int] = ()) -> None:
        """Begin with indexes in order."""
        self._indexes = list(indexes)

    def __len__(self) -> int:
        return len(self._indexes)

    def __contains__(self, index: int) -> bool:
        at = bisect_left(self._indexes, index)
        return at < len(self._indexes) and self._indexes[at] == index

    def put(self, index: int, *, belongs: bool) -> None:
        """Take an index in, or out."""
        if not self._indexes or index > self._indexes[-1]:
            if belongs:
                self._indexes.append(index)
            return
        if belongs is not (index in self):
            if belongs:
                insort(self._indexes, index)
            else:
                del self._indexes[bisect_left(self._indexes, index)]

    def drop_below(self, first: int) -> None:
        """Forget what is smaller."""
        del self._indexes[: bisect_left(self._indexes, first)]

    def after(self, index: int) -> Iterable[int]:
        """Those that are larger, the nearest first."""
        start = bisect_right(self._indexes, index)
        return (self._indexes[at] for at in range(start, len(self._indexes)))

    def before(self, index: int) -> Iterable[int]:
        """Those that are smaller, the nearest first."""
        end = bisect_left(self._indexes, index)
        return (self._indexes[at] for at in range(end - 1, -1, -1))
