"""What kind of line a log line is, and the whole entry that it belongs to.

Lives here: pure functions over log lines. Not here: the lines (workbench.state), who
splits entries (workbench.reducer). Rooms above may import it.

The runtime writes no levels (spec/dispatch.md 8): the word is told by the file and, in
the log of a hook, by the runtime's own sentences.
"""

import enum
import re

from inspector.workbench.history import Series
from inspector.workbench.state import FAULTS_FILE, STDERR_FILE, STDOUT_FILE, LogLine


class Level(enum.StrEnum):
    """Kinds of lines."""

    ERROR = "error"
    FAULT = "fault"
    OUTPUT = "output"
    NOTE = "note"


_HOOK_LOG = "logs/hook-"
_FAULT = re.compile(
    r"(?:policy )?hook '.*?' (?:returned (?:unsupported )?hook-output arm |discarded \d+ lifecycle"
    r"|did not finish its queued lifecycle calls)",
    re.DOTALL,
)
"""What the runtime writes along with a fault.

Source: spec/dispatch.md 5, 6 and 9.
"""


def level_of(line: LogLine) -> Level:
    """The kind of an entry by its first line.

    Args:
        line: The first line of an entry.
    """
    if line.file in (STDOUT_FILE, STDERR_FILE):
        return Level.OUTPUT
    if line.file == FAULTS_FILE:
        return Level.FAULT
    if line.file.startswith(_HOOK_LOG):
        return Level.FAULT if _FAULT.match(line.text) else Level.ERROR
    return Level.NOTE


def head_of(lines: Series[LogLine], index: int) -> int:
    """The index of the first line of the entry that a line belongs to.

    Args:
        lines: The log book's lines.
        index: Of a line that is there.

    Returns:
        The oldest line of the entry that is still held.
    """
    return max(index - lines[index].part, lines.first)


def entry_text(lines: Series[LogLine], index: int) -> str:
    """The whole text of the entry that a line belongs to.

    Args:
        lines: The log book's lines.
        index: Of a line that is there.
    """
    head = head_of(lines, index)
    end = min(index + lines[index].more + 1, lines.end)
    return "\n".join(lines[i].text for i in range(head, end))
