"""The async hooks of a session: hand-over, results, hold, drain.

Lives here: what a queued job comes to, and the drain with its texts. Not here: the
queue itself (async_queue), blocking hooks (dispatcher). Only runtime imports it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from inspector.contract.contract import Phase
from inspector.contract.profile import AsyncPolicy, Profile
from inspector.contract.record import (
    ARM_ERROR,
    ARM_QUEUE_OVERFLOW,
    ARM_TIMEOUT,
    EVENT_DRAIN,
    RESULT_ABANDONED,
    RESULT_DROPPED,
    RESULT_QUEUED,
    Disposition,
    Failure,
    Fault,
    HookCall,
)
from inspector.manifest.hook_config import OverflowPolicy
from inspector.runtime import call_entry, judge
from inspector.runtime.async_queue import QUEUE_DEPTH, AsyncQueue, Job
from inspector.runtime.detached import call_detached
from inspector.runtime.fault_buffer import FaultBuffer
from inspector.runtime.hook import CallAnswer, LiveHook
from inspector.runtime.hook_log import SessionLog

_ABANDON_JOIN_S = 1.0
"""How long an interrupted worker may take to come back from guest code."""


class AsyncResult(msgspec.Struct, frozen=True):
    """The result of a queued call, when its worker got to it.

    Attributes:
        step: The step that queued it.
        event: The lifecycle function.
        call: The entry.
    """

    step: int
    event: str
    call: HookCall


class AsyncLane:
    """Queues and workers of the async hooks of one session.

    Attributes:
        step: Number of the step that jobs queued now belong to.
    """

    def __init__(
        self,
        hooks: Sequence[LiveHook],
        profile: Profile,
        log: SessionLog,
        faults: FaultBuffer,
        *,
        call: Callable[[LiveHook, str, dict[str, Any]], CallAnswer],
        interrupt: Callable[[LiveHook], None],
        clock: Callable[[], float] = time.monotonic,
        held: bool = False,
        on_result: Callable[[AsyncResult], None] | None = None,
        on_idle: Callable[[], None] | None = None,
    ) -> None:
        """Start one worker per hook.

        Args:
            hooks: Async hooks in registration order.
            profile: Contract and behaviour in force.
            log: Sink of the session's logs.
            faults: The session's faults.
            call: Calls a hook and keeps count of running calls.
            interrupt: Stops a hook's running call, if there is one.
            clock: Seconds, monotonic.
            held: Whether workers begin held.
            on_result: Told of each result on the worker's thread.
            on_idle: Told when a queue has become empty, on its worker's thread.
        """
        self.step = 0
        self._profile = profile
        self._log = log
        self._faults = faults
        self._call = call
        self._interrupt = interrupt
        self._clock = clock
        self._on_result = on_result or (lambda _result: None)
        self._on_idle = on_idle
        self._detached = profile.async_policy is AsyncPolicy.DETACHED
        self._queues = [(hook, self._start(hook, held)) for hook in hooks]

    @property
    def queues(self) -> tuple[tuple[LiveHook, AsyncQueue], ...]:
        """Hooks and queues in registration order; empty after a drain."""
        return tuple(self._queues)

    def _start(self, hook: LiveHook, held: bool) -> AsyncQueue:
        def work(job: Job) -> None:
            run = self._run_detached if self._detached else self._run
            entry = run(hook, job, queue)
            if entry is not None:
                self._on_result(AsyncResult(job.step, job.event, entry))

        depth = None if self._detached else QUEUE_DEPTH
        queue = AsyncQueue(hook.name, work, held=held, depth=depth, on_idle=self._on_idle)
        return queue

    # -- the dispatcher's side

    def enqueue(self, event: str, fields: dict[str, Any]) -> list[HookCall]:
        """Hand an event to every async hook that it reaches.

        Args:
            event: A lifecycle function.
            fields: The whole record.

        Returns:
            A `queued` or `dropped` entry per hook, in registration order.

        Source: spec/dispatch.md 4 and 9.
        """
        entries = []
        for hook, queue in self._queues:
            if hook.config.reaches(event):
                entries.append(self._hand_over(hook, queue, Job(self.step, event, fields)))
        return entries

    def _hand_over(self, hook: LiveHook, queue: AsyncQueue, job: Job) -> HookCall:
        if hook.on_overflow is OverflowPolicy.BLOCK:
            queue.put(job)
        elif not queue.offer(job):
            self._faults.send(Fault(hook.name, job.event, ARM_QUEUE_OVERFLOW))
            return call_entry.waiting(hook, RESULT_DROPPED, Disposition.FAULT)
        return call_entry.waiting(hook, RESULT_QUEUED, Disposition.IGNORED)

    def hold(self, held: bool) -> None:
        """Hold every worker, or let them go."""
        for _, queue in self._queues:
            queue.hold(held)

    def pump(self) -> None:
        """Let held workers run until their queues are empty."""
        for _, queue in self._queues:
            queue.pump()

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until every hook is idle; False when the time was over first."""
        end = self._clock() + timeout_s
        return all(queue.wait_idle(max(end - self._clock(), 0.0)) for _, queue in self._queues)

    @contextmanager
    def paused(self, hook: LiveHook) -> Iterator[None]:
        """Keep a hook's worker, if it has one, from running while the block runs."""
        queue = next((q for h, q in self._queues if h is hook), None)
        if queue is None:
            yield
            return
        with queue.paused():
            yield

    def drain(self, budget_ms: int) -> tuple[HookCall, ...]:
        """Close the queues and wait for their workers, within one shared budget.

        Args:
            budget_ms: Time for all of them together.

        Returns:
            An `abandoned` entry for each job that was given up.

        Source: spec/dispatch.md 9.
        """
        queues, self._queues = self._queues, []
        deadline = self._clock() + budget_ms / 1000
        abandoned: list[HookCall] = []
        for hook, queue in queues:
            queue.close()
            if queue.dropped:
                self._log.hook(hook.name, discarded_text(hook.name, queue.dropped))
            if not queue.join(deadline - self._clock()):
                abandoned += self._abandon(hook, queue, budget_ms)
            elif queue.crash is not None:
                self._log.hook(hook.name, f"hook '{hook.name}' worker task failed: {queue.crash}")
        return tuple(abandoned)

    def _abandon(self, hook: LiveHook, queue: AsyncQueue, budget_ms: int) -> list[HookCall]:
        left = queue.abandon()
        if not self._detached:
            # The 0.1 runtime ends its tasks with the session, without a word.
            self._log.hook(hook.name, abandoned_text(hook.name, budget_ms))
            self._faults.push(Fault(hook.name, EVENT_DRAIN, ARM_TIMEOUT))
        self._interrupt(hook)
        queue.join(_ABANDON_JOIN_S)
        entry = call_entry.waiting(hook, RESULT_ABANDONED, Disposition.FAULT)
        return [msgspec.structs.replace(entry, event=job.event) for job in left]

    def close(self) -> None:
        """End the workers without a word in any log."""
        for hook, queue in self._queues:
            queue.abandon()
            self._interrupt(hook)
        for _, queue in self._queues:
            queue.join(_ABANDON_JOIN_S)
        self._queues = []

    # -- the workers' side

    def _run(self, hook: LiveHook, job: Job, queue: AsyncQueue) -> HookCall | None:
        """Run a queued job; None when the drain has given this worker up meanwhile."""
        answer = self._call(hook, job.event, job.fields)
        if queue.abandoned:
            return None
        if answer.failure is Failure.ABSENT:
            return call_entry.absent(hook, answer, Disposition.IGNORED)
        if answer.failure is not None:
            self._log.hook(hook.name, answer.text or "")
            self._faults.send(Fault(hook.name, job.event, ARM_ERROR))
            return call_entry.failed(hook, answer, Disposition.ERROR)
        verdict = judge.judge(self._profile, job.event, Phase.OBSERVE, answer.answer)
        disposition = verdict.disposition
        if disposition is Disposition.FAULT:
            self._log.hook(hook.name, judge.unsupported_arm_text(hook.name, job.event, verdict.arm))
            self._faults.send(Fault(hook.name, job.event, verdict.arm))
        elif disposition is Disposition.HONORED:
            disposition = Disposition.DISCARDED
        return call_entry.answered(hook, answer, verdict, disposition)

    def _run_detached(self, hook: LiveHook, job: Job, queue: AsyncQueue) -> HookCall | None:
        """Run a job on an instance of its own (profile 0.1; spec/contract.md 8)."""
        answer = call_detached(hook, job.event, job.fields, self._call)
        if queue.abandoned:
            return None
        if answer.failure is Failure.ABSENT:
            return call_entry.absent(hook, answer, Disposition.IGNORED)
        if answer.failure is not None:
            self._log.hook(hook.name, answer.text or "")
            return call_entry.failed(hook, answer, Disposition.ERROR)
        verdict = judge.judge(self._profile, job.event, Phase.OBSERVE, answer.answer)
        ignored = verdict.arm == judge.ARM_NONE
        disposition = Disposition.IGNORED if ignored else Disposition.DISCARDED
        return call_entry.answered(hook, answer, verdict, disposition)


def discarded_text(hook: str, count: int) -> str:
    """The drain's line for dropped events (spec/dispatch.md 9)."""
    return (
        f"hook '{hook}' discarded {count} lifecycle event(s): its queue ({QUEUE_DEPTH} deep) was "
        "full and the capsule manifest declares 'on_overflow: drop' for this hook"
    )


def abandoned_text(hook: str, budget_ms: int) -> str:
    """The drain's line for a worker that was given up (spec/dispatch.md 9)."""
    return (
        f"hook '{hook}' did not finish its queued lifecycle calls within the {budget_ms}ms "
        "session-end drain budget; the remaining calls were abandoned"
    )
