"""Collects what happens during one step and makes its public record.

Lives here: logs, faults, requests and late async results, between begin and finish.
Not here: the dispatch itself (dispatcher). Only runtime imports it.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from inspector.contract.record import (
    RESULT_QUEUED,
    Fault,
    HookCall,
    HttpRequest,
    InferenceCall,
    LogEntry,
    Outcome,
    StepRecord,
    Totals,
)
from inspector.contract.value import to_json
from inspector.runtime.async_lane import AsyncResult

LogObserver = Callable[[str | None, LogEntry, int], None]
"""Told of each log entry: hook (None for bootstrap), entry, step."""


class StepRecorder:
    """The sinks of a session; safe to feed from any thread."""

    def __init__(self, on_log: LogObserver) -> None:
        self._lock = threading.Lock()
        self._on_log = on_log
        self._step = 0
        self._clear()

    def _clear(self) -> None:
        self._logs: list[LogEntry] = []
        self._faults: list[Fault] = []
        self._requests: list[HttpRequest] = []
        self._results: list[AsyncResult] = []

    # -- sinks

    def log(self, hook: str | None, entry: LogEntry) -> None:
        """Take a log entry."""
        with self._lock:
            self._logs.append(entry)
            step = self._step
        self._on_log(hook, entry, step)

    def fault(self, fault: Fault) -> None:
        """Take a fault."""
        with self._lock:
            self._faults.append(fault)

    def request(self, request: HttpRequest) -> None:
        """Take an outgoing request."""
        with self._lock:
            self._requests.append(request)

    def async_result(self, result: AsyncResult) -> None:
        """Take the result of a queued call."""
        with self._lock:
            self._results.append(result)

    # -- one step

    def begin(self, step: int) -> None:
        """Begin a step; what is fed from now on belongs to it."""
        with self._lock:
            self._step = step
        self._started_ms = time.time_ns() // 1_000_000
        self._begun_ns = time.perf_counter_ns()

    def finish(
        self,
        event: str,
        phase: str,
        totals: Totals,
        *,
        fields: Any = None,
        calls: tuple[HookCall, ...] = (),
        outcome: Outcome | None = None,
        findings: tuple[str, ...] = (),
        inferences: tuple[InferenceCall, ...] = (),
    ) -> StepRecord:
        """End the step.

        Args:
            event: The lifecycle function or the control step's name.
            phase: `observe`, `decide`, `stage`, `task` or `control`.
            totals: The sums now.
            fields: The record that was sent.
            calls: Entries of the dispatch; a `queued` one is replaced by its result when
                that has come.
            outcome: What the caller gets.
            findings: Sentences on what was not done.
            inferences: Completions that hooks asked for.

        Returns:
            The record; everything fed since the last one is in it.
        """
        spent_us = (time.perf_counter_ns() - self._begun_ns) // 1000
        with self._lock:
            step = self._step
            logs, faults = tuple(self._logs), tuple(self._faults)
            requests, results = tuple(self._requests), self._results
            self._clear()
        return StepRecord(
            step=step,
            event=event,
            phase=phase,
            calls=_merge(calls, results, step),
            outcome=outcome or Outcome(),
            faults=faults,
            logs=logs,
            requests=requests,
            totals=totals,
            fields=to_json(fields),
            started_ms=self._started_ms,
            duration_us=spent_us,
            findings=findings,
            inferences=inferences,
        )


def _merge(
    calls: tuple[HookCall, ...], results: list[AsyncResult], step: int
) -> tuple[HookCall, ...]:
    """Put results in the place of their `queued` entries; late ones go to the end."""
    own = {result.call.hook: result.call for result in results if result.step == step}
    merged = [own.pop(call.hook, call) if call.result == RESULT_QUEUED else call for call in calls]
    late = [
        msgspec.structs.replace(result.call, event=result.event)
        for result in results
        if result.step != step or result.call.hook in own
    ]
    return (*merged, *late)
