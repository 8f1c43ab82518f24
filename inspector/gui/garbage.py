"""When Python looks for cycles: between events, never in the middle of one.

Lives here: `GarbageTimer`. Not here: what is kept and for how long (workbench.reducer).
Only gui.app imports it.

With a million log lines a full collection takes a third of a second, and Python would
start it inside whatever slot happens to make the next object. The values of the
workbench never form cycles, so little is lost by looking at the old ones rarely.
"""

import gc
import time

from PySide6.QtCore import QObject, QTimer, Slot

TICK_MS = 100
YOUNG_OBJECTS = 5_000
"""New objects that are worth a look."""

MIDDLE_ROUNDS = 20
"""Looks at the newest objects before those that survived them are looked at."""

QUIET_TICKS = 200
"""So many ticks without much new (20 s), and everything is looked at."""

QUIET_OBJECTS = 200
"""New objects in a tick in which nothing much happens."""

SLOW_S = 0.050
"""A full look that took longer makes what is there now exempt from the next ones."""


class GarbageTimer(QObject):
    """Takes over from Python's own collection until it is stopped."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.collect()
        gc.freeze()
        gc.disable()
        self._rounds = 0
        self._quiet = 0
        self._last_count = 0
        self._is_due = False
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
        """Look at new objects when there are enough; at all of them when nothing happens."""
        count = gc.get_count()[0]
        self._quiet = self._quiet + 1 if count - self._last_count < QUIET_OBJECTS else 0
        if count >= YOUNG_OBJECTS:
            self._rounds += 1
            self._is_due = True
            gc.collect(1 if self._rounds % MIDDLE_ROUNDS == 0 else 0)
        elif self._is_due and self._quiet > QUIET_TICKS:
            self._is_due = False
            self._collect_all()
        self._last_count = gc.get_count()[0]

    def _collect_all(self) -> None:
        start = time.monotonic()
        gc.collect()
        if time.monotonic() - start > SLOW_S:
            gc.freeze()
