"""The dispatch faults of a session, in the runtime's two lanes.

Lives here: the buffer and its order. Not here: what raises faults (dispatcher,
async_queue). Only runtime imports it.
"""

import threading
from collections.abc import Callable

from inspector.contract.record import Fault


class FaultBuffer:
    """Inline faults and those sent by async workers, drained inline first.

    Source: spec/dispatch.md 6.
    """

    def __init__(self, observe: Callable[[Fault], None] | None = None) -> None:
        self._lock = threading.Lock()
        self._inline: list[Fault] = []
        self._sent: list[Fault] = []
        self._observe = observe

    def push(self, fault: Fault) -> None:
        """Buffer a fault of the dispatcher itself."""
        self._add(self._inline, fault)

    def send(self, fault: Fault) -> None:
        """Buffer a fault on the workers' lane; overflow faults go there too."""
        self._add(self._sent, fault)

    def _add(self, lane: list[Fault], fault: Fault) -> None:
        with self._lock:
            lane.append(fault)
        if self._observe is not None:
            self._observe(fault)

    def drain(self) -> tuple[Fault, ...]:
        """Take everything: the inline lane in push order, then the workers' in send order."""
        with self._lock:
            faults = (*self._inline, *self._sent)
            self._inline.clear()
            self._sent.clear()
        return faults
