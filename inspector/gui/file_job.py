"""Work on files, away from the thread of the window.

Lives here: `FileJob`, one thread that does one thing after the other. Not here: the work
itself (workbench.fixture_store), work that only takes long (gui.jobs). Everything in gui
above it may import it.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal, Slot

from inspector import logs
from inspector.errors import ErrorKind, InspectorError


class FileResult(msgspec.Struct, frozen=True):
    """What a piece of work came to.

    Attributes:
        number: As `submit` gave it.
        value: What it returned, or None.
        error: Why it failed, or None.
    """

    number: int
    value: Any = None
    error: InspectorError | None = None


class FileJob(QObject):
    """Does pieces of work in the order in which they came, in a thread of its own.

    Signals:
        finished(FileResult): in the thread of the window, in the same order.
    """

    finished = Signal(object)
    _done = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._number = 0
        self._open: set[int] = set()
        self._is_closed = False
        # Joined at the program's end, so that what was begun is written whole.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="files")
        # Emitted in the other thread: queued over to this one, which owns the receiver.
        self._done.connect(self._take)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way."""
        return not self._open

    def submit(self, work: Callable[[], Any]) -> int:
        """Do something in the other thread.

        Args:
            work: Touches nothing of Qt and returns a frozen value.

        Returns:
            The number that the result will carry; 0 once closed.
        """
        if self._is_closed:
            return 0
        self._number += 1
        self._open.add(self._number)
        self._thread.submit(self._run, self._number, work)
        return self._number

    def _run(self, number: int, work: Callable[[], Any]) -> None:
        try:
            result = FileResult(number, work())
        except InspectorError as error:
            result = FileResult(number, error=error)
        except Exception as error:  # noqa: BLE001 - the job runner is one of the doors for anything
            logs.GUI.exception("work on a file failed")
            unknown = InspectorError(ErrorKind.INTERNAL, f"This failed unexpectedly: {error!r}.")
            result = FileResult(number, error=unknown)
        if not self._is_closed:
            self._done.emit(result)

    @Slot(object)
    def _take(self, result: FileResult) -> None:
        self._open.discard(result.number)
        if not self._is_closed:
            self.finished.emit(result)

    def close(self) -> None:
        """Tell nothing more; what was begun is still finished."""
        self._is_closed = True
        self._thread.shutdown(wait=False)
