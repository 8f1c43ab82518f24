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
from inspector.workbench.state import Firing, HookCall, Mark, TimelineItem
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


def _call_cells(call: HookCall) -> Cells:
    shown = verdict.of_call(call)
    event = call.event or ""
    result = _times(verdict.result_word(call), call.count)
    texts = ("", event, "", call.hook, result, shown.word, duration_text(call.duration_us))
    return Cells(texts, shown, _tip(call), is_child=True)


def _firing_cells(firing: Firing) -> Cells:
    shown = verdict.of_firing(firing)
    record = firing.record
    calls = record.calls if record else ()
    hook, result, tip = "", firing.note, firing.note
    if len(calls) == 1:
        hook, tip = calls[0].hook, _tip(calls[0])
        result = _times(verdict.result_word(calls[0]), calls[0].count)
    elif calls:
        hook, result = count_text(len({call.hook for call in calls}), "hook"), digest(calls)
    step = _times(f"{firing.step:,}", record.times if record else 1)
    time = duration_text(record.duration_us) if record else ""
    phase = "" if firing.phase in ("task", "control") else firing.phase
    texts = (step, firing.event, phase, hook, one_line(result), shown.word, time)
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
    return one_line(call.error or call.reason or "", 500)
