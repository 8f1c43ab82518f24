"""Tells the front how each hook is, when that changes.

Lives here: comparing states between steps. Not here: what the states mean. Only worker
imports it.
"""

import threading
from collections.abc import Callable

from inspector.protocol.message import Event, HookState
from inspector.runtime.async_queue import AsyncQueue
from inspector.runtime.hook import LiveHook
from inspector.runtime.session import Session


class HookWatch:
    """Remembers the last state of each hook of a session; any thread may call it."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._lock = threading.Lock()
        self._last: dict[str, HookState] = {}

    def begin(self, session: Session) -> None:
        """Tell the states of a fresh session."""
        with self._lock:
            self._last.clear()
        for name, text in session.rejections.items():
            self._tell(HookState(name, "rejected", text))
        self.update(session)

    def update(self, session: Session) -> None:
        """Tell what has changed since the last time."""
        queues = {hook.name: queue for hook, queue in session.dispatcher.queues}
        for hook in session.dispatcher.hooks:
            self._tell(state_of(hook, queues.get(hook.name)))

    def _tell(self, state: HookState) -> None:
        with self._lock:
            if self._last.get(state.hook) != state:
                self._last[state.hook] = state
                self._emit(state)


def state_of(hook: LiveHook, queue: AsyncQueue | None) -> HookState:
    """The live state of one hook.

    Args:
        hook: The hook.
        queue: Its queue, for an async hook that is not drained.
    """
    word, detail = "ready", ""
    memory_bytes = 0
    if hook.has_instance:
        memory_bytes = hook.instance.memory_bytes
        if hook.instance.poisoned:
            word = "trapped"
            detail = "A trap has left the instance unusable; every later call fails until a reset."
    if word == "ready" and queue is not None and queue.is_held:
        word, detail = "held", "Its worker waits for a pump or a drain."
    return HookState(
        hook=hook.name,
        state=word,
        detail=detail,
        memory_bytes=memory_bytes,
        queue_length=0 if queue is None else queue.length,
        dropped=0 if queue is None else queue.dropped,
        generation=hook.generation,
    )
