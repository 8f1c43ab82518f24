"""Reports of a run: text for people, JSON lines for programs.

Lives here: `Report`, its two line by line forms, the public JSON of an entry. Not here:
JUnit (workbench.junit), the layout of a step (workbench.step_text). Command line and
tests import it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from inspector.contract.profile import profile as profile_of
from inspector.protocol.inspection import Inspection
from inspector.workbench.formatting import count_text, duration_text, one_line
from inspector.workbench.inspection_text import capsule_line, diagnostic_lines
from inspector.workbench.run_entry import Entry
from inspector.workbench.scenario_run import ENDED_COMPLETE, Summary
from inspector.workbench.step_text import entry_lines
from inspector.workbench.terminal import Terminal

Write = Callable[[str], None]
"""Takes text for stdout, with line ends."""


class Report(Protocol):
    """Takes what a run gives, in this order."""

    def opened(self, inspection: Inspection, title: str) -> None:
        """The capsule is open; `title` is the scenario's name."""

    def entry(self, entry: Entry) -> None:
        """A step is over."""

    def finished(self, summary: Summary, extra: Mapping[str, Any]) -> None:
        """The run is over; `extra` is added to the summary."""


def entry_json(entry: Entry) -> dict[str, Any]:
    """The public JSON form of an entry, with every field in its order.

    Source: docs/cli.md ("run --format jsonl").
    """
    document: dict[str, Any] = msgspec.to_builtins(entry.record)
    found = entry.record.expectation
    if found is not None and not found.ok:
        document["expectation"] = {
            "ok": False,
            "path": found.path,
            "wanted": found.wanted,
            "got": found.got,
        }
    document["round"] = entry.round
    if entry.left_out:
        document["left_out"] = dict(entry.left_out)
    return document


def summary_json(summary: Summary, extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The public JSON form of the last line."""
    return {"summary": {**msgspec.to_builtins(summary), **(extra or {})}}


class JsonlReport:
    """One JSON object per line; nothing else goes to stdout."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def opened(self, inspection: Inspection, title: str) -> None:
        """Nothing: the description is what `inspect` prints."""

    def entry(self, entry: Entry) -> None:
        """Write the entry's line."""
        self._line(entry_json(entry))

    def finished(self, summary: Summary, extra: Mapping[str, Any]) -> None:
        """Write the summary's line."""
        self._line(summary_json(summary, extra))

    def _line(self, document: dict[str, Any]) -> None:
        self._write(msgspec.json.encode(document).decode() + "\n")


class TextReport:
    """Lines for people, as the steps come."""

    def __init__(self, write: Write, terminal: Terminal) -> None:
        self._write = write
        self._terminal = terminal
        self._profile = profile_of("0.3")

    def opened(self, inspection: Inspection, title: str) -> None:
        """Write the head and what is wrong with the capsule."""
        self._profile = profile_of(inspection.capsule.profile)
        self._lines(capsule_line(inspection, self._terminal))
        for diagnostic in inspection.diagnostics:
            self._lines(*diagnostic_lines(diagnostic, self._terminal))
        self._lines(one_line(title), "")

    def entry(self, entry: Entry) -> None:
        """Write the entry's lines."""
        self._lines(*entry_lines(entry, self._profile, self._terminal))

    def finished(self, summary: Summary, extra: Mapping[str, Any]) -> None:
        """Write the sums."""
        self._lines("", *summary_lines(summary, self._terminal))
        for name, value in extra.items():
            if value:
                self._lines(f"{name}: {one_line(_words(value), 400)}")

    def _lines(self, *lines: str) -> None:
        self._write("".join(f"{line}\n" for line in lines))


def summary_lines(summary: Summary, terminal: Terminal) -> list[str]:
    """The sums as one line, and a second one when the run did not end by itself."""
    failed = summary.expectations_failed
    parts = [
        count_text(summary.steps, "step"),
        count_text(summary.calls, "call"),
        _painted(count_text(summary.faults, "fault"), summary.faults, "caution", terminal),
        _painted(count_text(summary.errors, "error"), summary.errors, "negative", terminal),
        _painted(f"{summary.denied:,} denied", summary.denied, "notice", terminal),
    ]
    if summary.expectations:
        text = f"{failed:,} of {count_text(summary.expectations, 'expectation')} failed"
        parts.append(_painted(text, failed, "negative", terminal))
    parts.append(duration_text(summary.duration_ms * 1000) or "0 ms")
    lines = [" · ".join(parts)]
    if summary.ended != ENDED_COMPLETE:
        lines.append(terminal.paint(f"the run was not finished: {summary.ended}", "negative"))
    return lines


def _painted(text: str, count: int, role: str, terminal: Terminal) -> str:
    return terminal.paint(text, role) if count else text


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_words(item)}" for key, item in value.items()) or "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
