"""Two firings compared: what was sent, what came back, what was logged.

Lives here: `compare`, pure, in pieces. Not here: which two (gui.timeline_link), showing
it (gui.views). Rooms above may import it.
"""

import difflib
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.workbench import verdict
from inspector.workbench.formatting import pretty_lines
from inspector.workbench.state import Firing, HookCall

MOST_LINES = 4_000
"""A part with more lines on both sides together is not aligned line by line."""

CONTEXT_LINES = 3


class DiffLine(msgspec.Struct, frozen=True):
    """One line of a comparison.

    Attributes:
        sign: `+`, `-`, ` `, `@` for a gap, or `#` for a heading.
        text: The line without its sign.
    """

    sign: str
    text: str


def compare(marked: Firing, chosen: Firing) -> Iterator[DiffLine]:
    """Compare two firings, part by part; times do not count.

    Args:
        marked: Stands for `-`.
        chosen: Stands for `+`.

    Yields:
        Headings, and below each the lines that differ with some around them, or a line
        that says that nothing differs.
    """
    parts = (
        ("Event", [f"{marked.event} · {marked.phase}"], [f"{chosen.event} · {chosen.phase}"]),
        ("Fields sent", _value_lines(marked.fields), _value_lines(chosen.fields)),
        ("Results", list(_result_lines(marked)), list(_result_lines(chosen))),
        ("What the caller gets", _outcome_lines(marked), _outcome_lines(chosen)),
        ("Logs", list(_log_lines(marked)), list(_log_lines(chosen))),
        ("Output", list(_output_lines(marked)), list(_output_lines(chosen))),
    )
    for title, before, after in parts:
        if not before and not after:
            continue
        yield DiffLine("#", title)
        yield from _part(before, after)


def _part(before: list[str], after: list[str]) -> Iterator[DiffLine]:
    if before == after:
        yield DiffLine(" ", "no difference")
        return
    if len(before) + len(after) > MOST_LINES:
        head = next(
            (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
            min(len(before), len(after)),
        )
        yield from (DiffLine("-", line) for line in before[head:])
        yield from (DiffLine("+", line) for line in after[head:])
        return
    lines = difflib.unified_diff(before, after, n=CONTEXT_LINES, lineterm="")
    for number, line in enumerate(lines):
        if line.startswith("@@") and number < 3:
            continue
        if number >= 2:  # the two lines before it name files
            yield DiffLine("@", "…") if line.startswith("@@") else DiffLine(line[0], line[1:])


def _value_lines(value: Any) -> list[str]:
    return [] if value is None else list(pretty_lines(value))


def _result_lines(firing: Firing) -> Iterator[str]:
    if firing.record is None:
        yield verdict.of_firing(firing).word
        return
    if firing.record.outcome.decision is not None:
        yield f"decision: {firing.record.outcome.decision.verdict}"
    for call in firing.record.calls:
        yield from _call_lines(call)


def _call_lines(call: HookCall) -> Iterator[str]:
    shown = verdict.of_call(call)
    about = f" for {call.event}" if call.event else ""
    times = f" ×{call.count:,}" if call.count > 1 else ""
    yield f"{call.hook}{about}: {verdict.result_word(call)} · {shown.word}{times}"
    if call.payload is not None:
        yield from (f"  {line}" for line in pretty_lines(call.payload))
    for text in (call.error, call.reason):
        if text:
            yield from (f"  {line}" for line in text.split("\n"))


def _outcome_lines(firing: Firing) -> list[str]:
    if firing.record is None:
        return []
    outcome = msgspec.to_builtins(firing.record.outcome)
    outcome.pop("decision")  # stands with the results
    filled = {name: value for name, value in outcome.items() if value}
    return _value_lines(filled) if filled else []


def _log_lines(firing: Firing) -> Iterator[str]:
    for entry in firing.record.logs if firing.record else ():
        yield from (f"{entry.file}: {line}" for line in entry.text.split("\n"))


def _output_lines(firing: Firing) -> Iterator[str]:
    for call in firing.record.calls if firing.record else ():
        for name, text in (("stdout", call.stdout), ("stderr", call.stderr)):
            yield from (f"{call.hook} {name}: {line}" for line in text.splitlines())
