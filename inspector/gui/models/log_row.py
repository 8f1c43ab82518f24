"""How one log line looks: its cells, its picture, its colour, what is spoken.

Lives here: pure functions and tables. Not here: which lines have a row (log_model),
what kind a line is (workbench.log_entry). Only log_model and views import it.
"""

import enum

from inspector.gui import icons
from inspector.workbench.formatting import LINE_CHARACTERS, count_text, visible
from inspector.workbench.log_entry import Level
from inspector.workbench.state import LogLine


class Column(enum.IntEnum):
    """Columns of the logs."""

    STEP = 0
    FILE = 1
    TEXT = 2


TITLES = ("#", "File", "Text")
LEVEL_SIGNS = {
    Level.ERROR: icons.mark("error"),
    Level.FAULT: icons.mark("fault"),
    Level.OUTPUT: icons.Sign("log", "›", "muted"),
    Level.NOTE: icons.Sign("info", "i", "muted"),
}
"""The picture of each kind of line."""

TEXT_ROLES = {Level.ERROR: "negative", Level.FAULT: "caution"}
"""Colour role of the text, for kinds that have one."""

_INDENT = "    "


def cell(line: LogLine, column: Column, *, is_closed: bool) -> str:
    """The text of a cell.

    Args:
        line: A line that has a row.
        column: Which cell.
        is_closed: Whether the row stands for a whole entry of many lines.
    """
    match column:
        case Column.STEP:
            return "" if line.step is None or line.part else f"{line.step:,}"
        case Column.FILE:
            return "" if line.part else line.file.removeprefix("logs/")
    text = visible(line.text[:LINE_CHARACTERS])
    if line.part:
        return _INDENT + text
    return f"{text}  … {count_text(line.more, 'line')} more" if is_closed else text
