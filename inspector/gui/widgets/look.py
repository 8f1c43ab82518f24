"""Colours by role, distances and fonts, as the parts of the window see them.

Lives here: the look in force and the signal of its change. Not here: which colours a
palette has (gui.theme puts them in). Everything in gui may import it.
"""

import enum
import sys
from collections.abc import Mapping
from functools import lru_cache

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QWidget

_FIXED_FAMILIES = ("Cascadia Mono", "SF Mono", "Menlo", "Consolas")
"""Better than what these two platforms name as their fixed font."""

_SMALL = 0.9
"""Size of the smaller of the two text sizes, as a part of the larger."""


class Spacing(enum.IntEnum):
    """Distances in device-independent pixels, on a grid of eight."""

    XS = 4
    S = 8
    M = 16
    L = 24
    XL = 32
    ROW_COMPACT = 24
    ROW = 28
    ICON = 16


class Look(QObject):
    """The look in force.

    Attributes:
        name: Name of the palette, or "" before one was installed.
        zoom: Size of all text as a part of what it is at first.

    Signals:
        changed(): another look is in force; every widget has been restyled by then.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.name = ""
        self.zoom = 1.0
        self._colors: dict[str, QColor] = {}

    def install(self, name: str, colors: Mapping[str, QColor]) -> None:
        """Put a look in force and tell everyone."""
        self.name = name
        self._colors = dict(colors)
        self.changed.emit()

    def color(self, role: str) -> QColor:
        """A copy of the colour of a role; the plain text colour before any install.

        Raises:
            KeyError: for a role that the look does not have.
        """
        if not self._colors:
            return QGuiApplication.palette().color(QPalette.ColorRole.WindowText)
        return QColor(self._colors[role])


@lru_cache(maxsize=1)
def look() -> Look:
    """The one look of this process."""
    return Look()


def color(role: str) -> QColor:
    """The colour of a role in the look in force."""
    return look().color(role)


def zoomed(pixels: int) -> int:
    """Pixels that hold text, at the zoom in force."""
    return round(pixels * look().zoom)


def ui_font(*, small: bool = False, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of controls, in one of two sizes and three weights."""
    font = QFont(QGuiApplication.font())
    font.setWeight(weight)
    if small:
        _scale(font, _SMALL)
    return font


def mono_font(*, small: bool = False) -> QFont:
    """The font of values, logs and signatures; its figures align."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if sys.platform in ("win32", "darwin"):
        font.setFamilies([*_FIXED_FAMILIES, font.family()])
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    _take_size(font, QGuiApplication.font())
    if small:
        _scale(font, _SMALL)
    return font


def _take_size(font: QFont, source: QFont) -> None:
    if source.pointSizeF() > 0:
        font.setPointSizeF(source.pointSizeF())
    else:
        font.setPixelSize(source.pixelSize())


def _scale(font: QFont, factor: float) -> None:
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * factor)
    else:
        font.setPixelSize(round(font.pixelSize() * factor))


def set_property(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the style sheet looks at, and have it looked at again."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()
