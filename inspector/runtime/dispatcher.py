"""The dispatcher: which hooks an event reaches, in what order, and what comes of it.

Lives here: observation, decision, the wrappers, totals, faults, async hand-over, drain.
Not here: instances (instance), staging, the answers' rules (judge), processes. Only
runtime and worker import it.

No I/O of its own but the session's logs; it takes hooks, a clock, sinks and a profile,
and returns values (decision D6).
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from inspector.contract.contract import Phase
from inspector.contract.profile import Profile
from inspector.contract.record import (
    RESULT_ERROR,
    Artifact,
    Decision,
    Disposition,
    Failure,
    Fault,
    HookCall,
    Outcome,
    Totals,
)
from inspector.runtime import call_entry, judge
from inspector.runtime.async_lane import AsyncLane, AsyncResult
from inspector.runtime.async_queue import AsyncQueue
from inspector.runtime.checkpoint import Checkpoints
from inspector.runtime.collector import Collector
from inspector.runtime.event_record import event_record, session_end_defaults
from inspector.runtime.fault_buffer import FaultBuffer
from inspector.runtime.hook import CallAnswer, LiveHook
from inspector.runtime.hook_log import SessionLog
from inspector.runtime.totals import advance

DRAIN_BUDGET_MS = 15_000
"""Time that all queues share at the session's end (spec/dispatch.md 9)."""


class Dispatch(msgspec.Struct, frozen=True):
    """What one dispatch came to.

    Attributes:
        event: The lifecycle function.
        phase: Observation or decision.
        fields: The record as it was sent.
        calls: One entry per hook that was reached, in order.
        outcome: What the caller gets.
    """

    event: str
    phase: Phase
    fields: dict[str, Any]
    calls: tuple[HookCall, ...]
    outcome: Outcome


class Dispatcher:
    """Dispatches events to the hooks of one session."""

    def __init__(
        self,
        hooks: Sequence[LiveHook],
        profile: Profile,
        log: SessionLog,
        *,
        session_context: Mapping[str, Any],
        clock: Callable[[], float] = time.monotonic,
        held: bool = False,
        on_fault: Callable[[Fault], None] | None = None,
        on_async_result: Callable[[AsyncResult], None] | None = None,
        on_idle: Callable[[], None] | None = None,
        set_context: Callable[[str], None] | None = None,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        """Take over hooks that are instantiated already.

        Args:
            hooks: In staged order.
            profile: Contract and behaviour in force.
            log: Sink of the session's logs.
            session_context: The record of on-session-start.
            clock: Seconds, monotonic.
            held: Whether async workers begin held.
            on_fault: Told of each fault as it is raised, on the thread that raises it.
            on_async_result: Told of each async result, on the worker's thread.
            on_idle: Told when an async queue has become empty, on its worker's thread.
            set_context: Puts a conversation in scope when a task starts.
            checkpoints: Signs and checks checkpoint files, where the profile does so.
        """
        self.profile = profile
        self.contract = profile.contract
        self.totals = Totals()
        self.faults = FaultBuffer(on_fault)
        self._log = log
        self._session_context = dict(session_context)
        self._clock = clock
        self._set_context = set_context or (lambda _context: None)
        self._checkpoints = checkpoints
        self._running: set[LiveHook] = set()
        self._running_lock = threading.Lock()
        self._hooks = tuple(hooks)
        self._blocking = [hook for hook in hooks if hook.is_blocking]
        self._lane = AsyncLane(
            [hook for hook in hooks if not hook.is_blocking],
            profile,
            log,
            self.faults,
            call=self._call,
            interrupt=self._interrupt_one,
            clock=clock,
            held=held,
            on_result=on_async_result,
            on_idle=on_idle,
        )
        self._started = clock()

    # -- state ------------------------------------------------------------------------

    @property
    def hooks(self) -> tuple[LiveHook, ...]:
        """Every hook in registration order."""
        return self._hooks

    @property
    def queues(self) -> tuple[tuple[LiveHook, AsyncQueue], ...]:
        """Async hooks and their queues in registration order; empty after a drain."""
        return self._lane.queues

    @property
    def gates_calls(self) -> bool:
        """Whether some hook is asked at decision points (spec/dispatch.md 3)."""
        return self.profile.has_decisions and any(
            hook.config.gates(event)
            for hook in self._blocking
            for event in self.contract.rules.decide
        )

    def hold(self, held: bool) -> None:
        """Hold every async worker, or let them go."""
        self._lane.hold(held)

    def interrupt(self) -> None:
        """Stop the calls that are running now; from any thread."""
        with self._running_lock:
            running = list(self._running)
        for hook in running:
            hook.instance.interrupt()

    def _interrupt_one(self, hook: LiveHook) -> None:
        with self._running_lock:
            is_running = hook in self._running
        if is_running:
            hook.instance.interrupt()

    def begin_step(self, step: int) -> None:
        """Number the step that later jobs and results belong to."""
        self._lane.step = step

    # -- observation --------------------------------------------------------------------

    def emit(self, event: str, given: Mapping[str, Any]) -> tuple[Artifact, ...]:
        """Dispatch an observation and keep its artifacts alone (spec/dispatch.md 4)."""
        return self.observe(event, given).outcome.artifacts

    def observe(self, event: str, given: Mapping[str, Any]) -> Dispatch:
        """Dispatch an observation through the wrapper that the runtime uses for it.

        Args:
            event: Any lifecycle function but on-stage.
            given: Fields; what is left out takes the session's value, else the default.

        Returns:
            Calls and outcome; a compaction's outcome has the error or the replacement,
            never both.

        Raises:
            FieldError: when a field does not fit; nothing was dispatched then.

        Source: spec/dispatch.md 4.
        """
        fields = self.record(event, Phase.OBSERVE, given)
        if event == "on-task-start":
            self._set_context(fields["context-id"])
        done = self._dispatch(event, fields, given)
        if event != "on-compaction":
            return done
        return self._as_compaction(done)

    def _as_compaction(self, done: Dispatch) -> Dispatch:
        failed = next(
            (c for c in done.calls if c.mode == call_entry.BLOCKING and c.result == RESULT_ERROR),
            None,
        )
        if failed is None or not self.profile.compaction_errors_surface:
            return done
        outcome = msgspec.structs.replace(
            done.outcome, replacement=None, compaction_error=f"{failed.hook}: {failed.error}"
        )
        return msgspec.structs.replace(done, outcome=outcome)

    def record(self, event: str, phase: Phase, given: Mapping[str, Any]) -> dict[str, Any]:
        """The whole record that a dispatch would send now.

        Args:
            event: A lifecycle function.
            phase: Observation or decision.
            given: Fields; what is left out takes the session's value, else the default.

        Raises:
            FieldError: when a field does not fit.
        """
        session: Mapping[str, Any] = {}
        if event == "on-session-start":
            session = self._session_context
        elif event == "on-session-end":
            session = session_end_defaults(self.totals, self._elapsed_ms())
        return event_record(self.contract, event, phase, given, session)

    def _elapsed_ms(self) -> int:
        return int((self._clock() - self._started) * 1000)

    def _dispatch(self, event: str, fields: dict[str, Any], given: Mapping[str, Any]) -> Dispatch:
        if self._checkpoints is not None and event == "on-session-start":
            self._checkpoints.verify()
        self.totals = advance(self.totals, event, fields)
        collector = Collector()
        faults: list[Fault] = []
        calls = []
        for hook in self._blocking:
            if hook.config.reaches(event):
                sent = self._fields_now(event, fields, given)
                calls.append(self._observe_one(hook, event, sent, collector, faults))
        for fault in faults:
            self.faults.push(fault)
        calls += self._lane.enqueue(event, self._fields_now(event, fields, given))
        outcome = collector.outcome()
        if self._checkpoints is not None and _ends_a_context(event, outcome):
            self._checkpoints.sign()
        return Dispatch(event, Phase.OBSERVE, fields, tuple(calls), outcome)

    def _fields_now(
        self, event: str, fields: dict[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The record for one hook: on-session-end measures its duration at each call."""
        if event != "on-session-end" or "duration-ms" in given:
            return fields
        return {**fields, "duration-ms": self._elapsed_ms()}

    def _observe_one(
        self,
        hook: LiveHook,
        event: str,
        fields: dict[str, Any],
        collector: Collector,
        faults: list[Fault],
    ) -> HookCall:
        answer = self._call(hook, event, fields)
        if answer.failure is Failure.ABSENT:
            return call_entry.absent(hook, answer, Disposition.IGNORED)
        if answer.failure is not None:
            self._log.hook(hook.name, answer.text or "")
            return call_entry.failed(hook, answer, Disposition.ERROR)
        verdict = judge.judge(self.profile, event, Phase.OBSERVE, answer.answer)
        disposition = verdict.disposition
        if disposition is Disposition.FAULT:
            self._log.hook(hook.name, judge.unsupported_arm_text(hook.name, event, verdict.arm))
            faults.append(Fault(hook.name, event, verdict.arm))
        elif disposition is Disposition.HONORED and not collector.take(hook.name, verdict):
            disposition = Disposition.SUPERSEDED
        return call_entry.answered(hook, answer, verdict, disposition)

    def _call(self, hook: LiveHook, event: str, fields: dict[str, Any]) -> CallAnswer:
        with self._running_lock:
            self._running.add(hook)
        try:
            return hook.instance.call(event, fields)
        finally:
            with self._running_lock:
                self._running.discard(hook)

    # -- decision -----------------------------------------------------------------------

    def decide(self, event: str, given: Mapping[str, Any]) -> Dispatch:
        """Ask the policy hooks whether a call may run.

        Args:
            event: `on-shell` or `on-tool-call`.
            given: Fields of the event; `outcome` is none.

        Returns:
            The calls made and `outcome.decision`; the first hook that does not answer
            with a clean none ends the loop.

        Raises:
            FieldError: when a field does not fit; nothing was dispatched then.
            ValueError: when the event or the profile has no decision point.

        Source: spec/dispatch.md 5.
        """
        if not self.profile.has_decisions:
            raise ValueError(f"profile {self.profile.name} has no decision points")
        if event not in self.contract.rules.decide:
            raise ValueError(f"{event} has no decision point")
        fields = self.record(event, Phase.DECIDE, given)
        calls: list[HookCall] = []
        decision = Decision("proceed")
        for hook in self._blocking:
            if not hook.config.gates(event):
                continue
            call = self._decide_one(hook, event, fields)
            calls.append(call)
            if call.reason is not None:
                decision = Decision("denied", hook.name, call.reason)
                break
        return Dispatch(event, Phase.DECIDE, fields, tuple(calls), Outcome(decision=decision))

    def _decide_one(self, hook: LiveHook, event: str, fields: dict[str, Any]) -> HookCall:
        answer = self._call(hook, event, fields)
        if answer.failure is Failure.ABSENT:
            reason = judge.absent_text(hook.name, event)
            return call_entry.refused(call_entry.absent(hook, answer, Disposition.REFUSED), reason)
        if answer.failure is not None:
            text = answer.text or ""
            self._log.hook(hook.name, text)
            reason = judge.failed_text(hook.name, event, text)
            return call_entry.refused(call_entry.failed(hook, answer, Disposition.REFUSED), reason)
        verdict = judge.judge(self.profile, event, Phase.DECIDE, answer.answer)
        call = call_entry.answered(hook, answer, verdict, verdict.disposition)
        if verdict.disposition is Disposition.IGNORED:
            return call
        if verdict.disposition is Disposition.HONORED:
            if _is_blank(verdict.payload):
                return call_entry.refused(call, judge.empty_reason_text(hook.name, event))
            return msgspec.structs.replace(call, reason=verdict.payload)
        self._log.hook(hook.name, judge.unsupported_arm_text(hook.name, event, verdict.arm))
        self.faults.push(Fault(hook.name, event, verdict.arm))
        return call_entry.refused(call, judge.wrong_arm_text(hook.name, event, verdict.arm))

    # -- async hooks --------------------------------------------------------------------

    def pump(self) -> None:
        """Let held workers run until their queues are empty."""
        self._lane.pump()

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until every async hook is idle; False when the time was over first."""
        return self._lane.wait_idle(timeout_s)

    def drain(self, budget_ms: int = DRAIN_BUDGET_MS) -> tuple[HookCall, ...]:
        """Close the queues and wait for their workers, within one shared budget.

        Args:
            budget_ms: Time for all of them together.

        Returns:
            An `abandoned` entry for each job that was given up.

        Source: spec/dispatch.md 9.
        """
        return self._lane.drain(budget_ms)

    def reset(self, name: str) -> LiveHook:
        """Give one hook a fresh instance; waits for an async hook's running call.

        Args:
            name: The hook's name.

        Returns:
            The hook.

        Raises:
            KeyError: when no hook of the session has the name.
            InstantiationError: when no instance can be made; the old one stays.
        """
        hook = next((h for h in self._hooks if h.name == name), None)
        if hook is None:
            raise KeyError(name)
        with self._lane.paused(hook):
            hook.reset()
        return hook

    def close(self) -> None:
        """End the workers and close every instance that no call is inside."""
        self._lane.close()
        with self._running_lock:
            stuck = set(self._running)
        for hook in set(self._hooks) - stuck:
            hook.close()


def _ends_a_context(event: str, outcome: Outcome) -> bool:
    return event == "on-session-end" or outcome.replacement is not None


_WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode White_Space, which Rust trims; Python's own strip takes U+001C to U+001F too."""


def _is_blank(reason: str) -> bool:
    return not reason.strip(_WHITE_SPACE)
