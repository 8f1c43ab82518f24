"""Long work on the window's thread, cut into slices.

Lives here: `SlicedJob`, which runs a generator a few milliseconds at a time. Not here:
the work itself (pure generators in workbench), guests (the engine). Everything in gui
above it may import it.

A newer run makes the older one void: its result is never told.
"""

import time
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from inspector import logs

SLICE_MS = 6.0
"""Longest time in one slice; a slot has 8 ms."""

STEPS = 64
"""Items taken between two looks at the clock, unless a run says otherwise."""


class SlicedJob(QObject):
    """Runs one generator at a time to its end, between the events of the window.

    Attributes:
        number: Of the current run, 1 and up; a result carries it.

    Signals:
        finished(int, list): number of the run and everything the generator yielded.
    """

    finished = Signal(int, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.number = 0
        self._work: Iterator[Any] | None = None
        self._steps = STEPS
        self._result: list[Any] = []
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._run_slice)

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self._work is not None

    def start(self, work: Iterator[Any], steps: int = STEPS) -> int:
        """Give up the current run and begin another.

        Args:
            work: A generator whose items together are the result; one item must not
                take long.
            steps: Items between two looks at the clock; 1 for items that take a while.

        Returns:
            The number of the new run.
        """
        self.number += 1
        self._work = work
        self._steps = steps
        self._result = []
        self._timer.start()
        return self.number

    def cancel(self) -> None:
        """Give up the current run."""
        self._work = None
        self._result = []
        self._timer.stop()

    @Slot()
    def _run_slice(self) -> None:
        if self._work is None:
            return
        until = time.perf_counter() + SLICE_MS / 1000
        while time.perf_counter() < until:
            for _ in range(self._steps):
                try:
                    self._result.append(next(self._work))
                except StopIteration:
                    self._emit_finished()
                    return
                except Exception:  # noqa: BLE001 - the job runner is one of the doors for anything
                    logs.GUI.exception("a job in slices failed")
                    self.cancel()
                    return

    def _emit_finished(self) -> None:
        result = self._result
        self.cancel()
        self.finished.emit(self.number, result)
