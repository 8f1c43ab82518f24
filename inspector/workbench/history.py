"""An append-only list for frozen states: old versions stay as they were.

Lives here: `Series`, and what differs between two versions of one. Not here: what is
kept in it (workbench.state) and when the oldest part goes (workbench.reducer). Rooms
above may import it.
"""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

import msgspec

CHUNK = 256
"""Items in a chunk: an append copies at most this many references."""

T = TypeVar("T")


class Series(msgspec.Struct, Generic[T], frozen=True, eq=False):
    """Items with absolute indexes that never change, also after the oldest went.

    Attributes:
        first: Index of the oldest item still held, a multiple of CHUNK.
        chunks: Full chunks, oldest first.
        tail: The unfinished chunk.
    """

    first: int = 0
    chunks: tuple[tuple[T, ...], ...] = ()
    tail: tuple[T, ...] = ()

    def __len__(self) -> int:
        return len(self.chunks) * CHUNK + len(self.tail)

    @property
    def end(self) -> int:
        """The index that the next item gets."""
        return self.first + len(self)

    def __getitem__(self, index: int) -> T:
        """The item at an absolute index.

        Raises:
            IndexError: when it was never there or went already.
        """
        chunk, offset = self._locate(index)
        return self.tail[offset] if chunk == len(self.chunks) else self.chunks[chunk][offset]

    def __iter__(self) -> Iterator[T]:
        return self.since(self.first)

    def since(self, index: int) -> Iterator[T]:
        """Items from an absolute index on; from the oldest when that one went."""
        start = max(index, self.first) - self.first
        chunk, offset = divmod(start, CHUNK)
        for items in (*self.chunks[chunk:], self.tail if chunk <= len(self.chunks) else ()):
            yield from items[offset:]
            offset = 0

    def newest_first(self) -> Iterator[tuple[int, T]]:
        """Index and item, from the newest to the oldest."""
        index = self.end
        for items in (self.tail, *reversed(self.chunks)):
            for item in reversed(items):
                index -= 1
                yield index, item

    def append(self, item: T) -> "Series[T]":
        """A version with one item more."""
        return self.extend((item,))

    def extend(self, items: Iterable[T]) -> "Series[T]":
        """A version with more items at the end."""
        tail = (*self.tail, *items)
        if len(tail) < CHUNK:
            return Series(self.first, self.chunks, tail)
        full = len(tail) - len(tail) % CHUNK
        fresh = tuple(tail[i : i + CHUNK] for i in range(0, full, CHUNK))
        return Series(self.first, (*self.chunks, *fresh), tail[full:])

    def replace(self, index: int, item: T) -> "Series[T]":
        """A version with another item at an absolute index.

        Raises:
            IndexError: when nothing is there.
        """
        chunk, offset = self._locate(index)
        if chunk == len(self.chunks):
            tail = (*self.tail[:offset], item, *self.tail[offset + 1 :])
            return Series(self.first, self.chunks, tail)
        old = self.chunks[chunk]
        new = (*old[:offset], item, *old[offset + 1 :])
        chunks = (*self.chunks[:chunk], new, *self.chunks[chunk + 1 :])
        return Series(self.first, chunks, self.tail)

    def without_oldest(self) -> tuple["Series[T]", tuple[T, ...]]:
        """A version without the oldest chunk, and that chunk; no change without a full one."""
        if not self.chunks:
            return self, ()
        return Series(self.first + CHUNK, self.chunks[1:], self.tail), self.chunks[0]

    def _locate(self, index: int) -> tuple[int, int]:
        if not self.first <= index < self.end:
            raise IndexError(index)
        return divmod(index - self.first, CHUNK)


class Change(msgspec.Struct, frozen=True):
    """How a newer version differs from an older one.

    Attributes:
        first: Index of the oldest item of the newer version.
        touched: Indexes below `appended` whose item is another one now.
        appended: Index of the first item that is new; the end when none is.
        end: End of the newer version.
        restarted: Whether the newer version does not continue the older one.
    """

    first: int
    touched: tuple[int, ...]
    appended: int
    end: int
    restarted: bool = False

    def __bool__(self) -> bool:
        return bool(self.touched) or self.appended < self.end or self.restarted


def changes(old: Series[T], new: Series[T]) -> Change:
    """Compare two versions of one series; the cost is one look per unchanged chunk.

    Args:
        old: The older version.
        new: A version made from it, or an empty or foreign one.

    Returns:
        What a list shown from `old` has to do.
    """
    if new.end < old.end or new.first < old.first:
        return Change(new.first, (), new.first, new.end, restarted=True)
    start = new.first
    shared = max(min(old.end, new.end), start)
    touched: list[int] = []
    old_chunks = (*old.chunks, old.tail)
    new_chunks = (*new.chunks, new.tail)
    shift = (new.first - old.first) // CHUNK
    for position, items in enumerate(new_chunks):
        base = start + position * CHUNK
        if base >= shared:
            break
        before = old_chunks[position + shift]
        if before is not items:
            pairs = zip(before, items, strict=False)
            touched += [base + i for i, (a, b) in enumerate(pairs) if a is not b]
    return Change(start, tuple(touched), shared, new.end)
