"""Where the panes of the window are: head, docks, middle.

Lives here: `WindowLayout`, which places views and keeps or restores their places. Not
here: the views, what happens between them (main_window). Only main_window imports it.
"""

from collections.abc import Mapping

from PySide6.QtCore import QByteArray, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from inspector.gui.window_state import LAYOUT_VERSION, WindowState

SIZE = QSize(1400, 900)

_LEFT_PART = (0.19, 200, 320)
_RIGHT_PART = (0.30, 280, 640)
_BOTTOM_PART = (0.22, 120, 320)
"""Part of the window that a side takes at first; smallest and largest in pixels."""

_TITLE_WIDTH, _TITLE_HEIGHT = 120, 24

_TOUCH = 4
"""Pixels between a dock and its tabs at most."""

_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea

_PANES = (
    ("hooks", "Hooks", _LEFT),
    ("session", "Session", _LEFT),
    ("detail", "Detail", _RIGHT),
    ("manifest", "Manifest", _RIGHT),
    ("logs", "Logs", _BOTTOM),
    ("findings", "Findings", _BOTTOM),
)


class WindowLayout:
    """Places views in a window; without a capsule only the welcome page shows.

    Attributes:
        docks: The panes around the middle, by name.
    """

    def __init__(
        self,
        window: QMainWindow,
        head: tuple[QWidget, ...],
        panes: Mapping[str, QWidget],
        middle: tuple[QWidget, QWidget],
        welcome: QWidget,
    ) -> None:
        """Place everything.

        Args:
            window: The window.
            head: Rows over the whole width, from the top; the last but one needs a
                capsule.
            panes: View of each dock.
            middle: What stands above and below in the middle.
            welcome: What shows without a capsule.
        """
        self._window = window
        self._rail = head[-2]
        self._welcome = welcome
        self._head = QWidget(window)
        rows = QVBoxLayout(self._head)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        for widget in head:
            rows.addWidget(widget)
        # A tool bar area would ignore that banners grow with their text.
        window.setMenuWidget(self._head)
        self._splitter = QSplitter(Qt.Orientation.Vertical, window)
        for widget in middle:
            self._splitter.addWidget(widget)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setStretchFactor(0, 2)
        self._splitter.setStretchFactor(1, 3)
        self._pages = QStackedWidget(window)
        self._pages.addWidget(welcome)
        self._pages.addWidget(self._splitter)
        window.setCentralWidget(self._pages)
        self.docks = {
            name: self._dock(name, title, panes[name], area) for name, title, area in _PANES
        }
        self._arrange()
        self._default = window.saveState(LAYOUT_VERSION)
        self._is_open = True
        self.set_open(is_open=False)

    def _dock(self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(name)
        dock.setWidget(widget)
        self._window.addDockWidget(area, dock)
        return dock

    def _arrange(self) -> None:
        window = self._window
        window.setDockOptions(
            QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AllowNestedDocks
        )
        window.setCorner(Qt.Corner.BottomRightCorner, _RIGHT)
        window.setCorner(Qt.Corner.BottomLeftCorner, _BOTTOM)
        window.tabifyDockWidget(self.docks["logs"], self.docks["findings"])
        self.docks["logs"].raise_()
        window.tabifyDockWidget(self.docks["detail"], self.docks["manifest"])
        self.docks["detail"].raise_()
        window.resize(SIZE)
        self._size()

    def _size(self) -> None:
        docks, window = self.docks, self._window
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        sides = [_part(window.width(), *_LEFT_PART), _part(window.width(), *_RIGHT_PART)]
        window.resizeDocks([docks["hooks"], docks["detail"]], sides, horizontal)
        window.resizeDocks([docks["logs"]], [_part(window.height(), *_BOTTOM_PART)], vertical)
        window.resizeDocks([docks["hooks"], docks["session"]], [300, 280], vertical)
        self._splitter.setSizes([280, 320])

    @property
    def is_open(self) -> bool:
        """Whether the panes show."""
        return self._is_open

    def set_open(self, *, is_open: bool) -> None:
        """Show the panes of an open capsule, or the welcome page alone."""
        self._is_open = is_open
        self._pages.setCurrentWidget(self._splitter if is_open else self._welcome)
        self._rail.setVisible(is_open)
        for dock in self.docks.values():
            dock.setVisible(is_open)
            dock.toggleViewAction().setEnabled(is_open)
        if is_open:
            self._size()
        QTimer.singleShot(0, self._window, self._hide_stale_bars)

    def _hide_stale_bars(self) -> None:
        """Hide tab bars that belong to no dock.

        WORKAROUND Qt 6.11: a tab bar of docks that were tabbed before the window was shown
        is left behind, in sight, when another takes its place. A test tells which one stays.
        """
        docks = [dock.geometry() for dock in self.docks.values() if dock.isVisible()]
        for bar in self._window.findChildren(
            QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly
        ):
            place = bar.geometry()
            touches = any(
                place.left() == dock.left() and abs(place.top() - dock.bottom()) <= _TOUCH
                for dock in docks
            )
            if bar.isVisible() and not touches:
                bar.hide()

    def toggles(self) -> list[QAction]:
        """A switch for each pane."""
        return [dock.toggleViewAction() for dock in self.docks.values()]

    def show_pane(self, name: str) -> None:
        """Bring a dock to the front."""
        if name in self.docks:
            self.docks[name].show()
            self.docks[name].raise_()

    # -- keeping ---------------------------------------------------------------------------

    def texts(self) -> dict[str, str]:
        """The opaque parts of the window's state; the panes' only while they show."""
        found = {"geometry": _base64(self._window.saveGeometry())}
        if self._is_open:
            found["layout"] = _base64(self._window.saveState(LAYOUT_VERSION))
            found["splitter"] = _base64(self._splitter.saveState())
        return found

    def restore_geometry(self, state: WindowState) -> None:
        """Put the window where it was, or on a screen that is still there."""
        screens = QGuiApplication.screens()
        if state.geometry:
            self._window.restoreGeometry(_bytes(state.geometry))
        elif screens:
            self._window.resize(SIZE.boundedTo(screens[0].availableGeometry().size()))
        frame = self._window.frameGeometry()
        # So much of the title has to be in sight that it can be grabbed.
        title = QRect(frame.left(), frame.top(), frame.width(), _TITLE_HEIGHT)
        seen = [screen.availableGeometry().intersected(title) for screen in screens]
        if screens and not any(part.width() >= _TITLE_WIDTH for part in seen):
            self._window.move(screens[0].availableGeometry().topLeft())

    def restore_panes(self, state: WindowState) -> None:
        """Put the panes where they were; as at first when that does not work."""
        if state.layout and not self._window.restoreState(_bytes(state.layout), LAYOUT_VERSION):
            self.reset()
        if state.splitter:
            self._splitter.restoreState(_bytes(state.splitter))

    def reset(self) -> None:
        """Put every pane back to where it was at first."""
        self._window.restoreState(self._default, LAYOUT_VERSION)
        self.set_open(is_open=self._is_open)


def _part(whole: int, part: float, smallest: int, largest: int) -> int:
    return min(max(round(whole * part), smallest), largest)


def _base64(data: QByteArray) -> str:
    return bytes(data.toBase64().data()).decode()


def _bytes(text: str) -> QByteArray:
    return QByteArray.fromBase64(text.encode())
