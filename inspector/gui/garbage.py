"""When Python looks for cycles: between events, never in the middle of one.

Lives here: `GarbageTimer`. Not here: what is kept and for how long (workbench.reducer).
Only gui.app imports it.

With a million log lines a full collection takes a third of a second, and Python would
start it inside whatever slot happens to make the next object. The values of the
workbench never form cycles, so little is lost by looking at the old ones rarely.
"""

import gc
import time

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

TICK_MS = 100
YOUNG_OBJECTS = 5_000
"""New objects that are worth a look."""

MIDDLE_ROUNDS = 20
"""Looks at the newest objects before those that survived them are looked at."""

IDLE_S = 20.0
"""The user has done nothing for so long before everything is looked at."""

SLOW_S = 0.050
"""A full look that took longer makes what is there now exempt from the next ones."""

_ACTIVITY = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class GarbageTimer(QObject):
    """Takes over from Python's own collection until it is stopped."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        gc.collect()
        gc.freeze()
        gc.disable()
        self._rounds = 0
        self._last_activity_s = time.monotonic()
        self._is_due = False
        app.installEventFilter(self)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def stop(self) -> None:
        """Give the collection back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    @Slot()
    def look(self) -> None:
        """Look at new objects when there are enough; at all of them when the user rests."""
        if gc.get_count()[0] >= YOUNG_OBJECTS:
            self._rounds += 1
            self._is_due = True
            gc.collect(1 if self._rounds % MIDDLE_ROUNDS == 0 else 0)
        elif self._is_due and time.monotonic() - self._last_activity_s > IDLE_S:
            self._is_due = False
            self._collect_all()

    def _collect_all(self) -> None:
        start = time.monotonic()
        gc.collect()
        if time.monotonic() - start > SLOW_S:
            gc.freeze()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _ACTIVITY:
            self._last_activity_s = time.monotonic()
        return False
