"""Sums the rounds of a long `repeat` into one entry per step.

Lives here: `RoundSum`. Not here: which rounds are summed (workbench.scenario_run). Only
that module imports it.
"""

from collections import Counter
from typing import Any

from msgspec.structs import replace

from inspector.contract.record import HookCall
from inspector.workbench.run_entry import Check, Entry, verdict_of

LIST_LIMIT = 10_000
"""Faults, log lines, requests and findings that a sum keeps of each; the rest is counted."""

_LISTS = ("faults", "logs", "requests", "findings")


class RoundSum:
    """The rounds of one step.

    Counts and times are summed. Calls are grouped by hook and result; the texts of a
    group are those of its first call. Outcome and totals are those of the last round.
    """

    def __init__(self) -> None:
        self._first: Entry | None = None
        self._last: Entry | None = None
        self._times = 0
        self._duration_us = 0
        self._calls: dict[tuple[str, str], HookCall] = {}
        self._lists: dict[str, list[Any]] = {name: [] for name in _LISTS}
        self._left_out: Counter[str] = Counter()
        self._checks: dict[int, Check] = {}
        self._found: Counter[str] = Counter()

    def add(self, entry: Entry) -> None:
        """Add a round, or a sum of rounds."""
        record = entry.record
        self._first = self._first or entry
        self._last = entry
        self._times += record.times
        self._duration_us += record.duration_us
        for call in record.calls:
            self._add_call(call)
        for name in _LISTS:
            self._add_list(name, getattr(record, name))
        for check in entry.checks:
            self._add_check(check)
        self._left_out.update(entry.left_out)
        self._found.update(entry.found)

    def _add_call(self, call: HookCall) -> None:
        key = (call.hook, call.result)
        known = self._calls.get(key)
        if known is None:
            self._calls[key] = call
            return
        self._calls[key] = replace(
            known,
            count=known.count + call.count,
            duration_us=known.duration_us + call.duration_us,
            cut_bytes=known.cut_bytes + call.cut_bytes,
            marks=tuple(dict.fromkeys((*known.marks, *call.marks))),
        )

    def _add_list(self, name: str, items: tuple[Any, ...]) -> None:
        kept = self._lists[name]
        room = LIST_LIMIT - len(kept)
        kept.extend(items[:room])
        if len(items) > room:
            self._left_out[name] += len(items) - room

    def _add_check(self, check: Check) -> None:
        known = self._checks.get(check.number)
        if known is None:
            self._checks[check.number] = check
            return
        self._checks[check.number] = replace(
            known, times=known.times + check.times, mismatch=known.mismatch or check.mismatch
        )

    def entry(self) -> Entry:
        """The sum.

        Raises:
            ValueError: when nothing was added.
        """
        if self._first is None or self._last is None:
            raise ValueError("no rounds to sum")
        record = replace(
            self._last.record,
            times=self._times,
            calls=tuple(self._calls.values()),
            faults=tuple(self._lists["faults"]),
            logs=tuple(self._lists["logs"]),
            requests=tuple(self._lists["requests"]),
            findings=tuple(dict.fromkeys(self._lists["findings"])),
            expectation=verdict_of(self._checks.values()),
            fields=self._first.record.fields,
            started_ms=self._first.record.started_ms,
            duration_us=self._duration_us,
        )
        checks = tuple(self._checks.values())
        return Entry(
            self._last.step,
            record,
            self._last.round,
            checks=checks,
            found=dict(self._found),
            left_out=dict(self._left_out),
        )
