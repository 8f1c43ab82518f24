"""The cells of a timeline row as text.

Lives here: what each column of a firing, a call and a mark says. Not here: which rows
there are (timeline_model), painting (views.timeline_view). Only timeline_model and
views import it.
"""

import enum
import math
from collections import Counter

import msgspec

from inspector.workbench import verdict
from inspector.workbench.formatting import count_text, duration_text, one_line
from inspector.workbench.state import Firing, HookCall, Mark, ResetHook, RowNote, TimelineItem
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
    NOTE = 7


TITLES = ("#", "Event", "Phase", "Hook", "Result", "Outcome", "Time", "Note")
HELP_SIGN = " *"
"""Stands after a result that had help which the runtime does not give."""

_MOST_NAMED = 12
"""Hooks that the tooltip of a session names, the slowest first."""

WHOLE = -1
"""In place of a call's index: the firing itself."""


_LONGEST_EXPONENT = 7
"""A bar is full at ten seconds; each tenth of it is a factor of five."""


class Timing(msgspec.Struct, frozen=True):
    """Where the time of a row went, in microseconds.

    Attributes:
        total_us: All of it.
        host_us: The part in host functions of ours.
        guest_us: The rest of the calls.
    """

    total_us: int
    host_us: int = 0
    guest_us: int = 0

    @property
    def bar(self) -> float:
        """Length of the bar, 0 to 1: the logarithm, so that all rows can be compared."""
        if self.total_us <= 0:
            return 0.0
        return min(max(math.log10(self.total_us) / _LONGEST_EXPONENT, 0.04), 1.0)

    @property
    def host_part(self) -> float:
        """The host's share of the row's time, 0 to 1."""
        return min(self.host_us / self.total_us, 1.0) if self.total_us > 0 else 0.0


class Cells(msgspec.Struct, frozen=True):
    """One row.

    Attributes:
        texts: By Column.
        verdict: For the outcome's mark, or None for a line across.
        tip: More about it, or "".
        is_child: Whether it stands below its firing.
        severity: Of a line across: `info` or `error`; "" for other rows.
        timing: Where the time went; None for a line across.
        is_marked: Whether the user marked the firing.
        is_hit: Whether the row is one that the filter points out.
    """

    texts: tuple[str, str, str, str, str, str, str, str]
    verdict: Verdict | None
    tip: str = ""
    is_child: bool = False
    severity: str = ""
    timing: Timing | None = None
    is_marked: bool = False
    is_hit: bool = False


def cells_of(
    item: TimelineItem, call_index: int, note: RowNote | None = None, *, is_hit: bool = False
) -> Cells:
    """The cells of a row.

    Args:
        item: A firing or a mark.
        call_index: WHOLE, or a call of the firing.
        note: What the user keeps about the firing.
        is_hit: Whether the filter points the row out.
    """
    if isinstance(item, Mark):
        text, tip = _line_across(item)
        return Cells(("", text, "", "", "", "", "", ""), None, tip, severity=item.severity)
    if call_index != WHOLE:
        assert item.record is not None
        return _call_cells(item.record.calls[call_index], is_hit=is_hit)
    return _firing_cells(item, note or RowNote(item.step), is_hit=is_hit)


def _line_across(mark: Mark) -> tuple[str, str]:
    """Text and tooltip; a session tells how long its hooks were compiled."""
    hooks = mark.inspection.hooks if mark.inspection else ()
    timed = [hook for hook in hooks if hook.compile_us > 0]
    if not timed:
        return mark.text, mark.text
    total = duration_text(sum(hook.compile_us for hook in timed))
    text = f"{mark.text} · {count_text(len(timed), 'hook')} compiled in {total}"
    instantiated = sum(hook.instantiate_us for hook in timed)
    if instantiated:
        text += f", instantiated in {duration_text(instantiated)}"
    slowest = sorted(timed, key=lambda hook: -hook.compile_us)[:_MOST_NAMED]
    named = (
        f"{hook.name}: compiled in {duration_text(hook.compile_us)}, "
        f"instantiated in {duration_text(hook.instantiate_us) or 'no time'}"
        for hook in slowest
    )
    return text, "\n".join((mark.text, *named))


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


def _call_cells(call: HookCall, *, is_hit: bool) -> Cells:
    shown = verdict.of_call(call)
    timing = _call_timing(call)
    texts = (
        "",
        call.event or "",
        "",
        call.hook,
        result_text(call),
        shown.word,
        duration_text(call.duration_us),
        "",
    )
    tip = _joined(_tip(call), timing_text(timing))
    return Cells(texts, shown, tip, is_child=True, timing=timing, is_hit=is_hit)


def _firing_cells(firing: Firing, note: RowNote, *, is_hit: bool) -> Cells:
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
    phase = "" if firing.phase in ("task", "control") else firing.phase
    event = f"{firing.event} · {one_line(firing.label)}" if firing.label else firing.event
    timing = _firing_timing(firing)
    time = duration_text(timing.total_us)
    texts = (step, event, phase, hook, one_line(result), shown.word, time, one_line(note.text))
    tip = _joined(firing.label, tip, timing_text(timing), note.text and f"Note: {note.text}")
    is_marked = note.is_marked
    return Cells(texts, shown, tip, timing=timing, is_marked=is_marked, is_hit=is_hit)


def _call_timing(call: HookCall) -> Timing:
    host_us = min(call.host_us, call.duration_us)
    return Timing(call.duration_us, host_us, call.duration_us - host_us)


def _firing_timing(firing: Firing) -> Timing:
    record = firing.record
    if record is None:
        return Timing(0)
    parts = [_call_timing(call) for call in record.calls if call.event is None]
    host_us = sum(part.host_us for part in parts)
    return Timing(record.duration_us, host_us, sum(part.guest_us for part in parts))


def timing_text(timing: Timing) -> str:
    """Where the time went, in one line; "" for a row without time."""
    if timing.total_us <= 0:
        return ""
    rest_us = timing.total_us - timing.host_us - timing.guest_us
    parts = (
        ("in the guest", timing.guest_us),
        ("in host calls", timing.host_us),
        ("in the dispatcher", rest_us),
    )
    told = ", ".join(f"{duration_text(spent)} {where}" for where, spent in parts if spent > 0)
    return f"{duration_text(timing.total_us)}: {told}"


def _joined(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


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
