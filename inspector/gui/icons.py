"""What the icons stand for: names, the marks of results, the dots of hook states.

Lives here: the tables from a word to a picture and a colour role. Not here: drawing
(widgets.glyph), colours (theme). Everything in gui above widgets may import it.
"""

import msgspec
from PySide6.QtGui import QIcon, QPixmap

from inspector.gui.widgets import glyph
from inspector.gui.widgets.glyph import icon, names, pixmap

__all__ = [
    "MARKS",
    "STATES",
    "Sign",
    "icon",
    "mark",
    "mark_icon",
    "names",
    "pixmap",
    "sign_pixmap",
    "state",
    "state_icon",
]


class Sign(msgspec.Struct, frozen=True):
    """A word with its picture; never told by colour alone.

    Attributes:
        name: The icon; each meaning has a shape of its own.
        glyph: The same as a character, for plain text.
        role: Its colour role.
    """

    name: str
    glyph: str
    role: str


_HONORED = Sign("mark-honored", "✓", "positive")
_IGNORED = Sign("mark-ignored", "·", "muted")
_FAULT = Sign("mark-fault", "◆", "caution")
_ERROR = Sign("mark-error", "✕", "negative")
_REFUSED = Sign("mark-refused", "⛨", "notice")
_DISCARDED = Sign("mark-discarded", "○", "muted")
_WAITING = Sign("mark-waiting", "⌛", "caution")

MARKS = {
    "honored": _HONORED,
    "ignored": _IGNORED,
    "none": _IGNORED,
    "absent": _IGNORED,
    "fault": _FAULT,
    "error": _ERROR,
    "denied": _REFUSED,
    "refused": _REFUSED,
    "discarded": _DISCARDED,
    "superseded": _DISCARDED,
    "waiting": _WAITING,
    "queued": _WAITING,
    "dropped": _WAITING,
    "abandoned": _WAITING,
}
"""The mark of each word that a result is told in."""

STATES = {
    "ready": Sign("state-ready", "●", "positive"),
    "compiling": Sign("state-compiling", "◐", "accent"),
    "running": Sign("state-running", "▶", "accent"),
    "trapped": Sign("state-trapped", "▲", "negative"),
    "rejected": Sign("state-rejected", "✕", "negative"),
    "held": Sign("state-held", "⏸", "caution"),
}
"""The dot of each state of a hook."""


def mark(word: str) -> Sign:
    """The mark of a result's word; KeyError for a word that results do not use."""
    return MARKS[word]


def mark_icon(word: str) -> QIcon:
    """The mark of a result's word as an icon."""
    sign = MARKS[word]
    return icon(sign.name, sign.role)


def state(word: str) -> Sign:
    """The dot of a hook's state; KeyError for an unknown state."""
    return STATES[word]


def state_icon(word: str) -> QIcon:
    """The dot of a hook's state as an icon."""
    sign = STATES[word]
    return icon(sign.name, sign.role)


def sign_pixmap(sign: Sign, side: int, ratio: float = 1.0) -> QPixmap:
    """A mark or dot as a picture, for delegates that paint."""
    return glyph.pixmap(sign.name, sign.role, side, ratio)
