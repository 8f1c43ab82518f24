"""Fixtures of the window's tests: one theme, a fake engine, a watchdog for stalls."""

import gc
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui import theme
from inspector.gui.workbench_bridge import WorkbenchBridge
from tests.helpers.fake_port import FakePort

STALL_S = 0.050
"""Longest time on the processor that one event may take in the window's thread."""

_WORK = 400_000
_WORK_S = 0.012
"""A loop of so many rounds takes so long on the machine that the bound was set on."""


def slowness() -> float:
    """How much slower this machine is right now than the one that the bound is for; >= 1."""
    start = time.thread_time()
    total = 0
    for number in range(_WORK):
        total += number
    return max(1.0, (time.thread_time() - start) / _WORK_S)


# Fonts are loaded and style sheets are worked in when a widget is shown first; that
# cannot be cut into slices.
_FIRST_SHOW = (
    QEvent.Type.Show,
    QEvent.Type.Polish,
    QEvent.Type.PolishRequest,
    QEvent.Type.StyleChange,
    QEvent.Type.LayoutRequest,
    QEvent.Type.UpdateRequest,
    QEvent.Type.DeferredDelete,
)


class WatchedApplication(QApplication):
    """Measures how long each event keeps the thread; nested events count with the outer."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.stalls: list[str] = []
        self.slowest = 1.0
        self._depth = 0

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        kind = event.type()
        name = type(receiver).__name__
        self._depth += 1
        start = time.thread_time()
        try:
            return super().notify(receiver, event)
        finally:
            self._depth -= 1
            took = time.thread_time() - start
            if took > STALL_S and self._depth == 0 and kind not in _FIRST_SHOW:
                self._stalled(f"{name} took {took * 1000:.0f} ms for {kind.name}", took)

    def _stalled(self, sentence: str, took_s: float) -> None:
        """Note a stall, unless the machine is by that much slower than the bound is for."""
        self.slowest = max(self.slowest, slowness())
        if took_s > STALL_S * self.slowest:
            self.stalls.append(sentence)


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    """The application that measures."""
    return WatchedApplication


@pytest.fixture(autouse=True)
def no_stalls(qapp: QApplication) -> Iterator[None]:
    """Fail a test in which one event kept the window's thread too long."""
    assert isinstance(qapp, WatchedApplication)
    qapp.stalls.clear()
    # As in the program (gui.garbage): no collection in the middle of a slot.
    gc.disable()
    yield
    gc.enable()
    stalls, qapp.stalls = list(qapp.stalls), []
    assert not stalls, stalls


@pytest.fixture(autouse=True)
def light_theme(qapp: QApplication) -> None:
    """Start every test with the light palette."""
    if theme.current_name() != "light":
        theme.apply(qapp, "light")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the warnings of the platform without a screen that mean nothing."""
    for item in items:
        if "/gui/" in item.path.as_posix():
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support"))


@pytest.fixture
def engine() -> FakePort:
    """An engine without a process."""
    return FakePort()


@pytest.fixture
def bridge(engine: FakePort, qtbot: QtBot) -> Iterator[WorkbenchBridge]:
    """A bridge over the fake engine."""
    made = WorkbenchBridge(engine)
    yield made
    made.deleteLater()
