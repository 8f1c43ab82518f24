"""The window's program: what starts it, and the picture that it takes of itself.

Lives here: `run` and `take_screenshot`. Not here: the window (main_window), reading
scenarios (workbench.scenario). Only cli imports it, late.
"""

import os
import signal
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from inspector import __version__, logs
from inspector.errors import ErrorKind, InspectorError
from inspector.gui import icons, theme, window_picture, window_state
from inspector.gui.engine_client import EngineClient
from inspector.gui.garbage import GarbageTimer
from inspector.gui.main_window import MainWindow
from inspector.gui.notify import Notifier, install_message_handler
from inspector.gui.theme import ThemeName
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import sample, scenario, verdict
from inspector.workbench.qt_pair import require_usable_pair
from inspector.workbench.scenario import Scenario
from inspector.workbench.screenshot import ScreenshotPlan
from inspector.workbench.state import EngineStatus, Firing, State

DEMO_CAPSULE = "sample:tour"
REST_MS = 200
"""A picture is taken when nothing has moved for so long."""


def run(capsule: str | None, scenario_path: str | None, demo: bool) -> int:
    """Open the window and stay until it is closed.

    Args:
        capsule: What to open, as the engine takes it, or None.
        scenario_path: A scenario file that is fired once the capsule is open, or None.
        demo: Open the first sample with its scenario when nothing else is named.

    Returns:
        The exit code.

    Raises:
        InspectorError: for versions of Qt that would crash, or a bad scenario file.
    """
    require_usable_pair()
    if demo and capsule is None:
        capsule = DEMO_CAPSULE
    if demo and scenario_path is None and capsule is not None and capsule.startswith("sample:"):
        scenario_path = sample.scenario_path(capsule)
    loaded = None if scenario_path is None else scenario.load(scenario_path)
    logs.configure("window")
    # Without this, Ctrl+C in a terminal waits until the window happens to run Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    install_message_handler()
    app = _application()
    state_path = window_state.default_path()
    theme.apply(app, _first_theme(window_state.load(state_path).state.theme))
    notifier = Notifier(app)
    window = _window(state_path)
    notifier.said.connect(window.bridge.say)
    notifier.install_hook()
    window.closed.connect(app.quit)
    window.show()
    _open(window, capsule, loaded)
    garbage = GarbageTimer(app)
    try:
        return app.exec()
    finally:
        garbage.stop()


def take_screenshot(plan: ScreenshotPlan) -> int:
    """Open the window without a screen, fire, and save a picture of it.

    Args:
        plan: What to open and fire, and where the picture goes.

    Returns:
        The exit code 0.

    Raises:
        InspectorError: when the capsule cannot be opened, the engine is lost, or the
            picture cannot be written.
    """
    require_usable_pair()
    if QApplication.instance() is None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        # A program around us has its own handler.
        install_message_handler()
        logs.configure("window")
    app = _application()
    theme.apply(app, _theme_name(plan.theme))
    with tempfile.TemporaryDirectory(prefix="inspector-") as folder:
        window = _window(Path(folder) / "window.json")
        try:
            _take(window, plan)
        finally:
            _close(window)
    return 0


def _take(window: MainWindow, plan: ScreenshotPlan) -> None:
    window.resize(*plan.size)
    window.show()
    window.bridge.settings = plan.settings
    waiter = _Waiter(window.bridge)
    if plan.capsule:
        window.bridge.open_capsule(plan.capsule, plan.profile)
        waiter.wait()
        _raise_trouble(window.bridge.state)
    if plan.actions:
        window.bridge.fire_all(plan.actions)
        waiter.wait()
        _raise_trouble(window.bridge.state)
        _show_telling(window)
    _rest()
    for word in plan.show:
        window_picture.show(window, word)
        if word == window_picture.LOSE_ENGINE:
            waiter.wait()
        _rest()
    if not window.grab().save(plan.out, "PNG"):
        raise InspectorError(
            ErrorKind.NOT_WRITABLE,
            "the picture cannot be written.",
            hint="Name a file in a folder that you can write to.",
            file=plan.out,
        )


def _raise_trouble(state: State) -> None:
    if state.engine.status is EngineStatus.LOST:
        raise InspectorError(ErrorKind.ENGINE_LOST, state.engine.sentence)
    if state.open_error is not None:
        raise state.open_error.as_error()


def _show_telling(window: MainWindow) -> None:
    """Choose the newest of the rows that a reader should see first."""
    found = telling_firing(window.bridge.state)
    if found is not None:
        window.show_firing(*found)


def telling_firing(state: State) -> tuple[int, Firing] | None:
    """Index and firing of the row to see first; the newest of equals."""
    best: tuple[int, Firing] | None = None
    best_rank = -1
    for index, item in state.history.items.newest_first():
        if isinstance(item, Firing) and (rank := verdict.of_firing(item).rank) > best_rank:
            best, best_rank = (index, item), rank
    return best


# -- parts ---------------------------------------------------------------------------


def _application() -> QApplication:
    app = QApplication.instance()
    if isinstance(app, QApplication):
        return app
    app = QApplication(sys.argv[:1])
    app.setApplicationName("capsule-inspector")
    app.setApplicationDisplayName("Capsule Inspector")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("capsule-inspector")
    app.setWindowIcon(icons.icon("hook", "accent"))
    # The window hides first and is closed when the engine is gone.
    app.setQuitOnLastWindowClosed(False)
    return app


def _window(state_path: Path) -> MainWindow:
    return MainWindow(WorkbenchBridge(EngineClient()), state_path)


def _first_theme(remembered: str) -> ThemeName:
    if remembered in theme.THEME_NAMES:
        return _theme_name(remembered)
    scheme = QApplication.styleHints().colorScheme()
    return "dark" if scheme is Qt.ColorScheme.Dark else "light"


def _theme_name(name: str) -> ThemeName:
    return "dark" if name == "dark" else "light"


def _open(window: MainWindow, capsule: str | None, loaded: Scenario | None) -> None:
    if loaded is None:
        if capsule is not None:
            window.bridge.open_capsule(capsule)
    elif capsule is not None:
        window.desk.player.run(loaded, capsule)
    else:
        window.desk.player.run_later(loaded)


class _Waiter(QObject):
    """Waits until the bridge has settled or its engine is lost."""

    done = Signal()

    def __init__(self, bridge: WorkbenchBridge) -> None:
        super().__init__(bridge)
        self._bridge = bridge
        bridge.changed.connect(self._look)

    @Slot()
    def _look(self) -> None:
        lost = self._bridge.state.engine.status is EngineStatus.LOST
        if lost or self._is_quiet():
            self.done.emit()

    def _is_quiet(self) -> bool:
        shown = self._bridge.state
        return self._bridge.is_settled and not (shown.running or shown.opening)

    def wait(self) -> None:
        """Run the event loop until then."""
        loop = QEventLoop()
        self.done.connect(loop.quit)
        loop.exec()


def _rest() -> None:
    """Let timers run and widgets paint."""
    loop = QEventLoop()
    QTimer.singleShot(REST_MS, loop.quit)
    loop.exec()


def _close(window: MainWindow) -> None:
    loop = QEventLoop()
    window.closed.connect(loop.quit)
    # Closing may be over at once, before a loop could hear of it.
    QTimer.singleShot(0, window.close)
    loop.exec()
    window.deleteLater()
