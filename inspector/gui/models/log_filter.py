"""Which lines of the logs are shown, and which of them hold a text.

Lives here: `LogFilter` and generators that go through the lines in batches. Not here:
running them without blocking (log_model), the choices (views.log_filter_bar). Only
log_model and views import it.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence

import msgspec

from inspector.workbench import search
from inspector.workbench.history import Series
from inspector.workbench.log_entry import Level, level_of
from inspector.workbench.state import LogLine

ALL_FILES = ""
"""The choice that shows every file."""

ALL_LEVELS = frozenset(Level)

BATCH = 1_000
"""Lines that are gone through between two looks at the clock."""


class LogFilter(msgspec.Struct, frozen=True):
    """What is shown; everything at first.

    Attributes:
        file: One file, or ALL_FILES.
        hook: Lines of one hook, or "".
        levels: Kinds of lines.
    """

    file: str = ALL_FILES
    hook: str = ""
    levels: frozenset[Level] = ALL_LEVELS

    def __bool__(self) -> bool:
        return bool(self.file or self.hook or self.levels != ALL_LEVELS)

    def lets_through(self, head: LogLine) -> bool:
        """Whether an entry is shown.

        Args:
            head: Its first line.
        """
        if self.file and head.file != self.file:
            return False
        if self.hook and head.hook != self.hook:
            return False
        return self.levels == ALL_LEVELS or level_of(head) in self.levels


def rows_of(
    wanted: LogFilter, lines: Series[LogLine], start: int, opened: frozenset[int]
) -> "Iterator[array[int]]":
    """Indexes of the lines that have a row, a batch of lines at a time.

    Args:
        wanted: The filter.
        lines: All lines.
        start: The first line to look at.
        opened: First lines of the entries that are open.

    Yields:
        Indexes in order.
    """
    batch = array("q")
    shows, rest_shows = False, False
    for index, line in enumerate(lines.since(start), max(start, lines.first)):
        if not line.part:
            shows = wanted.lets_through(line)
            rest_shows = shows and index in opened
        elif index == lines.first:
            # The head went; what is left of the entry shows as it is.
            shows = rest_shows = wanted.lets_through(line)
        if rest_shows if line.part else shows:
            batch.append(index)
        if index % BATCH == 0:
            yield batch
            batch = array("q")
    yield batch


def matching(
    lines: Series[LogLine], rows: Sequence[int], needle: str, opened: frozenset[int]
) -> Iterator[list[int]]:
    """Indexes of the rows that hold a text, a batch of rows at a time.

    Args:
        lines: All lines.
        rows: Indexes of the rows.
        needle: What is searched for.
        opened: First lines of the entries that are open; a closed one is searched whole.
    """
    for start in range(0, len(rows), BATCH):
        yield holds(lines, rows[start : start + BATCH], needle, opened)


def holds(
    lines: Series[LogLine], rows: Sequence[int], needle: str, opened: frozenset[int]
) -> list[int]:
    """Indexes of those rows that hold a text; arguments as `matching`."""
    found = search.line_matcher(needle)
    return [index for index in rows if _holds(lines, index, found, opened)]


def _holds(
    lines: Series[LogLine], index: int, found: Callable[[str], bool], opened: frozenset[int]
) -> bool:
    line = lines[index]
    if found(line.text):
        return True
    if not line.more or line.part or index in opened:
        return False
    end = min(index + line.more + 1, lines.end)
    return any(found(lines[i].text) for i in range(index + 1, end))
