"""The queue and the worker of one async hook.

Lives here: depth, overflow, order, holding and pumping, closing and abandoning. Not
here: what a call means (dispatcher). Only runtime imports it.

The runtime's workers advance only while its dispatcher awaits something. Ours is a
thread, so it can be held: nothing runs until it is pumped, drained, or a full queue
with the block policy needs room (spec/dispatch.md 9).
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from inspector import logs

QUEUE_DEPTH = 1024
"""Jobs that wait at most (spec/dispatch.md 9)."""


class Job(msgspec.Struct, frozen=True):
    """One event for an async hook, captured when it was queued."""

    step: int
    event: str
    fields: dict[str, Any]


class AsyncQueue:
    """A FIFO of jobs and the thread that works them off, one at a time.

    Attributes:
        dropped: How many jobs a full queue turned away.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[Job], None],
        *,
        held: bool,
        depth: int | None = QUEUE_DEPTH,
        on_idle: Callable[[], None] | None = None,
    ) -> None:
        """Start the worker.

        Args:
            name: The hook's name, for the thread.
            work: Runs one job; called on the worker's thread.
            held: Whether the worker begins held.
            depth: Jobs that may wait; None for no bound.
            on_idle: Told when the last job is done, on the worker's thread.
        """
        self.dropped = 0
        self._work = work
        self._depth = depth
        self._on_idle = on_idle or (lambda: None)
        self._jobs: deque[Job] = deque()
        self._condition = threading.Condition()
        self._held = held
        self._permits = 0
        self._paused = False
        self._pumping = False
        self._running: Job | None = None
        self._closed = False
        self._abandoned = False
        self.crash: BaseException | None = None
        self._thread = threading.Thread(target=self._loop, name=f"hook-{name}", daemon=True)
        self._thread.start()

    # -- the dispatcher's side

    @property
    def length(self) -> int:
        """Jobs waiting; the running one not counted."""
        return len(self._jobs)

    @property
    def is_held(self) -> bool:
        """Whether the worker is held."""
        return self._held

    @property
    def alive(self) -> bool:
        """Whether the worker's thread still runs."""
        return self._thread.is_alive()

    def offer(self, job: Job) -> bool:
        """Put a job without waiting.

        Returns:
            False when the queue is full; the drop is counted then.
        """
        with self._condition:
            if self._depth is not None and len(self._jobs) >= self._depth:
                self.dropped += 1
                return False
            self._jobs.append(job)
            self._condition.notify_all()
            return True

    def put(self, job: Job) -> None:
        """Put a job, waiting for room; a held worker makes just the room that is needed."""
        with self._condition:
            while self._depth is not None and len(self._jobs) >= self._depth and not self._closed:
                if self._held and not self._permits and self._running is None:
                    self._permits = 1
                    self._condition.notify_all()
                self._condition.wait()
            self._jobs.append(job)
            self._condition.notify_all()

    def hold(self, held: bool) -> None:
        """Hold the worker after its running job, or let it go."""
        with self._condition:
            self._held = held
            self._condition.notify_all()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep the worker from running while the block runs; its running job ends first."""
        with self._condition:
            self._paused = True
            self._condition.wait_for(lambda: self._running is None)
        try:
            yield
        finally:
            with self._condition:
                self._paused = False
                self._condition.notify_all()

    def pump(self) -> None:
        """Let a held worker run until the queue is empty."""
        with self._condition:
            self._pumping = bool(self._jobs)
            self._condition.notify_all()

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until nothing waits and nothing runs.

        Returns:
            False when the time was over first.
        """
        with self._condition:
            return self._condition.wait_for(
                lambda: (not self._jobs and self._running is None) or self.crash is not None,
                timeout_s,
            )

    def close(self) -> None:
        """Let the worker finish what waits, then end; a hold is lifted."""
        with self._condition:
            self._closed = True
            self._held = False
            self._condition.notify_all()

    def join(self, timeout_s: float) -> bool:
        """Wait for the worker's end; True when it has ended."""
        self._thread.join(max(timeout_s, 0.0))
        return not self._thread.is_alive()

    def abandon(self) -> tuple[Job, ...]:
        """Give up: what waits is never run, what runs is never reported.

        Returns:
            The running job, if any, then those that waited.
        """
        with self._condition:
            self._abandoned = True
            left = (*([self._running] if self._running else []), *self._jobs)
            self._jobs.clear()
            self._closed = True
            self._condition.notify_all()
        return left

    @property
    def abandoned(self) -> bool:
        """Whether results of this worker count no more."""
        return self._abandoned

    # -- the worker's side

    def _loop(self) -> None:
        while (job := self._take()) is not None:
            try:
                self._work(job)
            except BaseException as error:  # noqa: BLE001 - a door: the worker's own loop
                logs.RUNTIME.exception("async worker failed")
                self.crash = error
            with self._condition:
                self._running = None
                is_idle = not self._jobs
                if is_idle:
                    self._pumping = False
                self._condition.notify_all()
            if self.crash is not None:
                return
            if is_idle and not self._abandoned:
                self._on_idle()

    def _take(self) -> Job | None:
        with self._condition:
            self._condition.wait_for(self._may_run)
            if not self._jobs:
                return None
            if self._permits:
                self._permits -= 1
            self._running = self._jobs.popleft()
            self._condition.notify_all()
            return self._running

    def _may_run(self) -> bool:
        if not self._jobs:
            return self._closed
        if self._paused:
            return False
        return not self._held or self._pumping or self._permits > 0
