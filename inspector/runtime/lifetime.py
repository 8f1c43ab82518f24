"""What must be closed before the interpreter ends, in order.

Lives here: one weak list of open things and the exit handler. Not here: the things.
Only runtime imports it.

A store whose callbacks are Python functions aborts the process when it is freed after
the interpreter has begun to take modules apart.
"""

import atexit
import itertools
import threading
import weakref
from typing import Protocol


class Closable(Protocol):
    """Something with a `close` that may be called twice."""

    def close(self) -> None:
        """Give back what is held."""


_lock = threading.Lock()
_numbers = itertools.count()
_open: "weakref.WeakValueDictionary[int, Closable]" = weakref.WeakValueDictionary()


def register(item: Closable) -> None:
    """Close an item at exit when it still lives; what was registered later goes first."""
    with _lock:
        _open[next(_numbers)] = item


def close_all() -> None:
    """Close every registered item, newest first."""
    with _lock:
        items = [item for _, item in sorted(_open.items(), reverse=True, key=lambda pair: pair[0])]
    for item in items:
        item.close()


atexit.register(close_all)
