"""The size of all text of the program, and of the rows that hold it.

Lives here: the steps of the zoom and putting one on. Not here: the keys (gui.actions),
remembering it (window_state). Only gui.app and gui.window_* import it.

Qt hands the application's font down only to widgets that have none of their own, and row
heights are set in pixels; both are scaled here for whatever is on the screen. What is made
later takes the size from the application's font and `look.zoomed`.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableView, QWidget

from inspector.gui import theme
from inspector.gui.widgets import look

STEPS = (75, 90, 100, 110, 125, 150, 175, 200)
"""Percent of the platform's font size."""

NORMAL = 100
_HIGHEST_FIXED = 400
"""A fixed height above this one is no row of text."""


def current_percent() -> int:
    """The zoom in force."""
    return round(look.look().zoom * 100)


def step(by: int) -> int:
    """The step so many steps away from the one in force, within the ends."""
    now = current_percent()
    nearest = min(range(len(STEPS)), key=lambda at: abs(STEPS[at] - now))
    return STEPS[min(max(nearest + by, 0), len(STEPS) - 1)]


def usable(percent: int) -> int:
    """A remembered zoom, or the normal one for a number that is no step."""
    return percent if percent in STEPS else NORMAL


def apply(app: QApplication, percent: int) -> None:
    """Put a zoom on every window of the program.

    Args:
        app: The running application.
        percent: One of STEPS.
    """
    factor = percent / 100 / look.look().zoom
    if factor == 1:
        return
    widgets = app.allWidgets()
    own = [
        (widget, _scaled(widget.font(), factor))
        for widget in widgets
        if widget.testAttribute(Qt.WidgetAttribute.WA_SetFont)
    ]
    # Under a style sheet no widget takes another font of the application.
    app.setStyleSheet("")
    app.setFont(_scaled(app.font(), factor))
    look.look().zoom = percent / 100
    for widget in widgets:
        _scale_heights(widget, factor)
    theme.apply(app, "dark" if theme.current_name() == "dark" else "light")
    # A sheet that is put on gives every widget the font back that it had before.
    for widget, font in own:
        widget.setFont(font)


def _scaled(font: QFont, factor: float) -> QFont:
    font = QFont(font)
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * factor)
    else:
        font.setPixelSize(max(round(font.pixelSize() * factor), 1))
    return font


def _scale_heights(widget: QWidget, factor: float) -> None:
    if isinstance(widget, QTableView):
        rows = widget.verticalHeader()
        if rows.sectionResizeMode(0) is QHeaderView.ResizeMode.Fixed or not rows.count():
            rows.setDefaultSectionSize(round(rows.defaultSectionSize() * factor))
    if isinstance(widget, QAbstractItemView):
        # Rows of trees and lists are measured anew.
        widget.scheduleDelayedItemsLayout()
    height = widget.minimumHeight()
    if 0 < height == widget.maximumHeight() <= _HIGHEST_FIXED and _holds_text(widget):
        widget.setFixedHeight(round(height * factor))


def _holds_text(widget: QWidget) -> bool:
    return not isinstance(widget, QHeaderView)
