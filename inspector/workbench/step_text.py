"""A step of a run as lines for people.

Lives here: layout of one entry. Not here: marks and words (workbench.verdict), the
sentences (workbench.explanation), JSON (workbench.report). Only workbench.report
imports it.
"""

import itertools
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from inspector.contract.profile import Profile
from inspector.contract.record import HookCall, HttpRequest, StepRecord
from inspector.workbench import verdict
from inspector.workbench.explanation import explain_call
from inspector.workbench.formatting import compact, duration_text, one_line, summary
from inspector.workbench.run_entry import Check, Entry
from inspector.workbench.terminal import Terminal, block

_INDENT = "       "
_DEEP = _INDENT + "    "
_VALUE_CHARACTERS = 200
_HOOK_WIDTH = 18


def entry_lines(entry: Entry, profile: Profile, terminal: Terminal) -> Iterator[str]:
    """The lines of an entry.

    Args:
        entry: Of a run.
        profile: The profile it ran under.
        terminal: Paints.

    Yields:
        Lines without their ends.
    """
    record = entry.record
    yield _head(entry, terminal)
    for call in _grouped(record.calls):
        yield from _call_lines(record, call, profile, terminal)
    for request in record.requests:
        yield _INDENT + _request_line(request)
    if record.outcome.compaction_error is not None:
        error = one_line(record.outcome.compaction_error, _VALUE_CHARACTERS)
        yield f"{_INDENT}the compaction fails: {error}"
    for finding in record.findings:
        yield f"{_INDENT}{one_line(finding, 400)}"
    for name, count in entry.left_out.items():
        yield f"{_INDENT}{count:,} more {name} are not kept"
    for check in entry.checks:
        yield from _check_lines(check, terminal)


def _request_line(request: HttpRequest) -> str:
    target = one_line(f"{request.method} {request.url}", _VALUE_CHARACTERS)
    if not request.allowed:
        why = f": {request.explanation}" if request.explanation else ""
        return f"{request.hook}: {target}  refused{one_line(why, 400)}"
    answer = f"  {request.status}" if request.status is not None else ""
    return f"{request.hook}: {target}  sent{answer}, rule {request.rule}"


def _head(entry: Entry, terminal: Terminal) -> str:
    record = entry.record
    label = one_line(entry.step.label, 60)
    if record.times > 1:
        label += f" ×{record.times:,}"
    elif entry.round > 1:
        label += f" round {entry.round:,}"
    shown = terminal.verdict(verdict.of_record(record))
    return f"{record.step:>5}  {terminal.paint(label.ljust(26), 'strong')}  {shown}".rstrip()


def _grouped(calls: Iterable[HookCall]) -> Iterator[HookCall]:
    """Calls with neighbours that differ in nothing but their time made one, with a count."""
    for _, same in itertools.groupby(calls, lambda call: replace(call, duration_us=0, count=1)):
        group = list(same)
        yield replace(
            group[0],
            count=sum(call.count for call in group),
            duration_us=sum(call.duration_us for call in group),
        )


def _call_lines(
    record: StepRecord, call: HookCall, profile: Profile, terminal: Terminal
) -> Iterator[str]:
    found = verdict.of_call(call)
    cells = [
        one_line(call.hook, 60).ljust(_HOOK_WIDTH),
        verdict.result_word(call).ljust(15),
        found.word.ljust(10),
        f"×{call.count:,}".ljust(8) if call.count > 1 else "",
        duration_text(call.duration_us).rjust(8),
        call.mode if call.mode == "async" else "",
        f"event {call.event}" if call.event else "",
        " ".join(call.marks),
    ]
    line = "  ".join(cell for cell in cells if cell).rstrip()
    yield f"{_INDENT}{terminal.paint(found.mark, found.role)} {line}"
    yield from _explained(record, call, profile, found)
    for name, text in (("stdout", call.stdout), ("stderr", call.stderr)):
        if text:
            yield from block(text, f"{_DEEP}{name} | ")
    if call.cut_bytes:
        yield f"{_DEEP}{call.cut_bytes:,} bytes of output were not kept"


def _explained(
    record: StepRecord, call: HookCall, profile: Profile, found: verdict.Verdict
) -> Iterator[str]:
    """Sentences about what went wrong; else the value, in short."""
    if found.is_bad and found.word not in ("queued",):
        told = explain_call(profile, record, call)
        for sentence in (told.happened, told.why, *told.written):
            for line in block(sentence, _DEEP):
                yield line[:2_000]
    elif call.payload is not None:
        yield f"{_DEEP}{summary(call.payload, _VALUE_CHARACTERS)}"


def _check_lines(check: Check, terminal: Terminal) -> Iterator[str]:
    times = f" ×{check.times:,}" if check.times > 1 else ""
    if check.mismatch is None:
        mark = terminal.paint("✓", "positive")
        yield f"{_INDENT}{mark} expectation of step {check.number} holds{times}"
        return
    mark = terminal.paint("✕", "negative")
    place = check.mismatch.path or "the record"
    yield f"{_INDENT}{mark} expectation of step {check.number} (line {check.line}){times} fails:"
    yield f"{_DEEP}{place}: {check.mismatch.sentence}"
    yield f"{_DEEP}wanted {one_line(compact(check.mismatch.wanted), 400)}"
    yield f"{_DEEP}got    {one_line(compact(check.mismatch.got), 400)}"
