"""How long host functions of ours run inside a call.

Lives here: one sum per thread. Not here: who reads it (instance) and who adds
(host_function). Only runtime imports it.

A call runs on one thread from its start to its end, so a sum per thread is a sum per
call when it is read before and after.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _Sum(threading.local):
    spent_ns = 0


_SUM = _Sum()


def spent_ns() -> int:
    """Nanoseconds in host functions on this thread so far."""
    return _SUM.spent_ns


@contextmanager
def counted() -> Iterator[None]:
    """Count the time of the block."""
    begun_ns = time.perf_counter_ns()
    try:
        yield
    finally:
        _SUM.spent_ns += time.perf_counter_ns() - begun_ns
