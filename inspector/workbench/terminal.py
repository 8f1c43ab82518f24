"""Text for a terminal: colours by role, safe characters, aligned columns.

Lives here: `Terminal`. Not here: what is said (workbench.step_text,
workbench.inspection_text). Command line and reports import it.
"""

import os
from collections.abc import Mapping, Sequence
from typing import IO

from inspector.workbench.formatting import visible
from inspector.workbench.verdict import Verdict

_CODES = {
    "positive": "32",
    "caution": "33",
    "negative": "31",
    "notice": "35",
    "accent": "36",
    "muted": "2",
    "strong": "1",
}
"""Sequence of each role of the window's palette, and of headings."""


def wants_colour(stream: IO[str], environment: Mapping[str, str] | None = None) -> bool:
    """Whether a stream shows colours: a terminal, and nobody set NO_COLOR.

    Args:
        stream: E.g. sys.stdout.
        environment: Variables, or None for the process's own.
    """
    variables = os.environ if environment is None else environment
    if variables.get("NO_COLOR") or variables.get("TERM") == "dumb":
        return False
    return stream.isatty()


class Terminal:
    """Paints text, or leaves it as it is.

    Attributes:
        colour: Whether sequences are written.
    """

    def __init__(self, colour: bool = False) -> None:
        self.colour = colour

    def paint(self, text: str, role: str) -> str:
        """The text in the colour of a role; unchanged without colours."""
        code = _CODES.get(role)
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text

    def verdict(self, verdict: Verdict) -> str:
        """Mark and word, in the colour of the role."""
        return self.paint(f"{verdict.mark} {verdict.word}", verdict.role)


def block(text: str, indent: str) -> list[str]:
    """Guest text as safe lines behind an indent; control characters become pictures."""
    return [f"{indent}{visible(line)}" for line in text.removesuffix("\n").split("\n")]


def table(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Rows as lines with aligned columns, two spaces apart.

    Args:
        rows: Rows of the same length, without colours.
        indent: What stands before each line.
    """
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        (indent + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]
