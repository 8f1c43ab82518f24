"""The cells of a timeline row as text.

Lives here: what each column of a firing, a call and a mark says. Not here: which rows
there are (timeline_model), painting (views.timeline_view). Only timeline_model and
views import it.
"""

import enum
from collections import Counter

import msgspec

from inspector.workbench import verdict
from inspector.workbench.formatting import count_text, duration_text, one_line
from inspector.workbench.state import Firing, HookCall, Mark, ResetHook, TimelineItem
from inspector.workbench.verdict import Verdict


class Column(enum.IntEnum):
    """Columns of the timeline."""

    STEP = 0
    EVENT = 1
    PHASE = 2
    HOOK = 3
    RESULT = 4
    OUTCOME = 5
    DURATION = 6


TITLES = ("#", "Event", "Phase", "Hook", "Result", "Outcome", "Time")
HELP_SIGN = " *"
"""Stands after a result that had help which the runtime does not give."""

WHOLE = -1
"""In place of a call's index: the firing itself."""


class Cells(msgspec.Struct, frozen=True):
    """One row.

    Attributes:
        texts: By Column.
        verdict: For the outcome's mark, or None for a line across.
        tip: More about it, or "".
        is_child: Whether it stands below its firing.
        severity: Of a line across: `info` or `error`; "" for other rows.
    """

    texts: tuple[str, str, str, str, str, str, str]
    verdict: Verdict | None
    tip: str = ""
    is_child: bool = False
    severity: str = ""


def cells_of(item: TimelineItem, call_index: int) -> Cells:
    """The cells of a row.

    Args:
        item: A firing or a mark.
        call_index: WHOLE, or a call of the firing.
    """
    if isinstance(item, Mark):
        return Cells(("", item.text, "", "", "", "", ""), None, item.text, severity=item.severity)
    if call_index != WHOLE:
        assert item.record is not None
        return _call_cells(item.record.calls[call_index])
    return _firing_cells(item)


def has_rows_below(firing: Firing) -> bool:
    """Whether the calls of a firing have rows of their own.

    A single call stands in the firing's row, unless it is of an earlier event.
    """
    calls = firing.record.calls if firing.record else ()
    return len(calls) > 1 or any(call.event is not None for call in calls)


def result_text(call: HookCall) -> str:
    """The result of a call: its word, how often, and a star when it had help."""
    help_sign = HELP_SIGN if call.marks else ""
    return _times(verdict.result_word(call), call.count) + help_sign


def _call_cells(call: HookCall) -> Cells:
    shown = verdict.of_call(call)
    event = call.event or ""
    result = result_text(call)
    texts = ("", event, "", call.hook, result, shown.word, duration_text(call.duration_us))
    return Cells(texts, shown, _tip(call), is_child=True)


def _firing_cells(firing: Firing) -> Cells:
    shown = verdict.of_firing(firing)
    record = firing.record
    calls = record.calls if record else ()
    hook, result, tip = "", firing.note, firing.note
    if isinstance(firing.action, ResetHook):
        hook = firing.action.hook
    if has_rows_below(firing):
        hook, result = count_text(len({call.hook for call in calls}), "hook"), digest(calls)
    elif calls:
        hook, tip = calls[0].hook, _tip(calls[0])
        result = result_text(calls[0])
    step = _times(f"{firing.step:,}", record.times if record else 1)
    time = duration_text(record.duration_us) if record else ""
    phase = "" if firing.phase in ("task", "control") else firing.phase
    event = f"{firing.event} · {one_line(firing.label)}" if firing.label else firing.event
    texts = (step, event, phase, hook, one_line(result), shown.word, time)
    return Cells(texts, shown, tip)


def digest(calls: tuple[HookCall, ...]) -> str:
    """The results of several calls, e.g. `none ×2, artifact`."""
    counts: Counter[str] = Counter()
    for call in calls:
        counts[verdict.result_word(call)] += call.count
    return ", ".join(_times(word, count) for word, count in counts.items())


def _times(text: str, count: int) -> str:
    return text if count == 1 else f"{text} ×{count:,}"


def _tip(call: HookCall) -> str:
    lines = [one_line(call.error or call.reason or "", 500)]
    if call.marks:
        lines.append(f"{HELP_SIGN.strip()} with help: {', '.join(call.marks)}")
    return "\n".join(line for line in lines if line)
