"""The way that Tab takes through the window: pane after pane.

Lives here: the stops in their order, and the step to the next one. Not here: keys that go
to a pane at once (gui.actions), which pane is in front (window_layout). Only
gui.main_window imports it.

Qt's own chain goes by the time at which widgets were made, so that the fields of a form
that was made anew would come after everything else.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QWidget


def stops(window: QMainWindow, panes: Sequence[QWidget]) -> list[QWidget]:
    """Everything that Tab stops at now.

    Args:
        window: The window.
        panes: In the order in which Tab goes through them; the rest comes last.

    Returns:
        The stops of each pane together, in Qt's own order.
    """
    found: list[tuple[int, QWidget]] = []
    widget = window.nextInFocusChain()
    while widget is not None and widget is not window:
        if takes_tab(widget):
            found.append((_pane_of(widget, panes), widget))
        widget = widget.nextInFocusChain()
    found.sort(key=lambda stop: stop[0])
    return [widget for _, widget in found]


def takes_tab(widget: QWidget) -> bool:
    """Whether Tab would stop at a widget."""
    # The mask has two bits; one of them alone is the click.
    policy = widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
    return bool(
        policy and widget.isEnabled() and widget.isVisible() and widget.focusProxy() is None
    )


def _pane_of(widget: QWidget, panes: Sequence[QWidget]) -> int:
    around: QWidget | None = widget
    while around is not None:
        if around in panes:
            return panes.index(around)
        around = around.parentWidget()
    return len(panes)


def step(window: QMainWindow, panes: Sequence[QWidget], *, forward: bool) -> bool:
    """Move the focus to the next stop, or to the one before.

    Args:
        window: The window.
        panes: As for `stops`.
        forward: Tab, or Shift+Tab.

    Returns:
        Whether there was a stop to go to.
    """
    order = stops(window, panes)
    focused = window.focusWidget()
    if not order:
        return False
    at = order.index(focused) if focused in order else (-1 if forward else 0)
    target = order[(at + (1 if forward else -1)) % len(order)]
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    target.setFocus(reason)
    return True
