"""What is measured of hooks while the window is open: memory curves, call times.

Lives here: `HookMeter`, which keeps the sums of workbench.headroom up to date. Not
here: how they are added up (workbench.headroom), showing them (views). Only views
import it.
"""

import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal, Slot

from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import headroom
from inspector.workbench.headroom import CallTime, MemoryCurve
from inspector.workbench.history import Change
from inspector.workbench.state import Firing

_MOST_AT_ONCE = 20_000
"""Firings that are counted at once when other rows are shown."""


def _wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


class HookMeter(QObject):
    """Sums over the running session; a fresh session begins anew.

    Signals:
        changed(): some curve or time is another one.
    """

    changed = Signal()

    def __init__(
        self,
        bridge: WorkbenchBridge,
        parent: QObject | None = None,
        clock_ms: Callable[[], int] = _wall_clock_ms,
    ) -> None:
        """Begin to measure.

        Args:
            bridge: What tells live states and finished firings.
            parent: The owner.
            clock_ms: Milliseconds since 1970.
        """
        super().__init__(parent)
        self._bridge = bridge
        self._clock_ms = clock_ms
        self._key = ("", 0)
        self._curves: dict[str, MemoryCurve] = {}
        self._kept: dict[tuple[str, int], dict[str, MemoryCurve]] = {}
        self._times: Mapping[tuple[str, str], CallTime] = {}
        self._counted = 0
        bridge.hooks_changed.connect(self._take_states)
        bridge.history_changed.connect(self._take_firings)
        bridge.session_changed.connect(self._take_states)

    def curve(self, hook: str) -> MemoryCurve:
        """The memory of a hook."""
        return self._curves.get(hook, MemoryCurve())

    def times(self, hook: str) -> tuple[CallTime, ...]:
        """The calls of a hook by function, the longest first."""
        return headroom.of_hook(self._times, hook)

    @Slot()
    def _take_states(self) -> None:
        state = self._bridge.state
        if not self._enter_session():
            return
        now_ms = self._clock_ms()
        fresh = {
            name: self.curve(name).after(live, state.last_step, now_ms)
            for name, live in state.hooks.items()
            if live.state != "rejected"
        }
        if any(curve is not self._curves.get(name) for name, curve in fresh.items()):
            self._curves |= fresh
            self.changed.emit()

    @Slot(object)
    def _take_firings(self, change: Change) -> None:
        if not self._enter_session():
            return
        items = self._bridge.state.history.items
        before = self._times
        start = change.appended
        if change.restarted:
            # A recording was opened or closed: other rows, from the beginning.
            self._times, self._counted = {}, 0
            start = max(items.first, items.end - _MOST_AT_ONCE)
        touched = (items[index] for index in change.touched if index >= items.first)
        for item in (*touched, *items.since(start)):
            # A row may be told of again after it was counted.
            if isinstance(item, Firing) and item.record and item.step > self._counted:
                self._counted = item.step
                if item.session == self._key[1]:
                    self._times = headroom.with_record(self._times, item.record)
        if self._times is not before:
            self.changed.emit()

    def _enter_session(self) -> bool:
        """Go to the sums of the session that is shown; False when there is none."""
        state = self._bridge.state
        if state.session is None:
            return False
        key = (state.recording or "", state.session.number)
        if key != self._key:
            self._kept[self._key] = self._curves
            if not state.recording and key not in self._kept:
                self._kept.clear()  # a fresh session, not the way back from a recording
            self._curves = self._kept.pop(key, {})
            self._key = key
            self._times = {}
        return True
