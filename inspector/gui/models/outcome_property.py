"""What a step came to, as properties: decision, outputs, faults, requests, totals.

Lives here: pure functions from a record to properties. Not here: sentences about it
(workbench.explanation), the tree (property_model). Only views import it.
"""

from inspector.gui.models.property_model import Property
from inspector.workbench.formatting import (
    bytes_text,
    compact,
    count_text,
    duration_text,
    one_line,
    rough_weight,
)
from inspector.workbench.state import StepRecord


def outcome_properties(record: StepRecord) -> tuple[Property, ...]:
    """Sections of what the dispatch gave; those that are empty are left out."""
    sections = (
        _decision(record),
        _artifacts(record),
        _commits(record),
        _manifests(record),
        _faults(record),
        _requests(record),
        _expectation(record),
        _totals(record),
    )
    return tuple(section for section in sections if section is not None)


def _decision(record: StepRecord) -> Property | None:
    decision = record.outcome.decision
    if decision is None:
        return None
    if decision.verdict == "proceed":
        return Property("Decision", "proceed", icon="mark-honored", role="positive")
    lines = (
        Property("hook", decision.hook or ""),
        Property("reason", one_line(decision.reason or "", 2_000), tip=decision.reason or ""),
    )
    return Property("Decision", "denied", icon="mark-refused", role="notice", children=lines)


def _artifacts(record: StepRecord) -> Property | None:
    artifacts = record.outcome.artifacts
    if not artifacts:
        return None
    lines = tuple(
        Property(item.hook, one_line(item.payload, 500), is_code=True) for item in artifacts
    )
    return Property("Artifacts", count_text(len(lines), "artifact"), children=lines)


def _commits(record: StepRecord) -> Property | None:
    outcome = record.outcome
    lines = []
    if outcome.replacement is not None:
        size = bytes_text(rough_weight(outcome.replacement))
        text = f"{count_text(len(outcome.replacement), 'message')}, about {size}"
        lines.append(Property("replaced context", text))
    if outcome.compaction_error is not None:
        text = one_line(outcome.compaction_error, 2_000)
        lines.append(Property("compaction fails", text, icon="mark-error", role="negative"))
    if outcome.seed is not None:
        text = f"{count_text(len(outcome.seed.messages), 'message')} of {outcome.seed.hook}"
        lines.append(Property("seed", text))
    if outcome.reopen is not None:
        reason = one_line(outcome.reopen.reason, 2_000)
        lines.append(Property("reopen", f"{outcome.reopen.hook}: {reason}"))
    if not lines:
        return None
    return Property("Commits", ", ".join(line.name for line in lines), children=tuple(lines))


def _manifests(record: StepRecord) -> Property | None:
    files = record.outcome.manifests
    if not files:
        return None
    lines = tuple(Property(file.binary, file.path, is_code=True) for file in files)
    return Property("Tool manifests", count_text(len(lines), "file"), children=lines)


def _faults(record: StepRecord) -> Property | None:
    if not record.faults:
        return None
    lines = tuple(
        Property(fault.hook, f"{fault.event}, {fault.arm}", icon="mark-fault", role="caution")
        for fault in record.faults
    )
    return Property("Faults", count_text(len(lines), "fault"), children=lines)


def _requests(record: StepRecord) -> Property | None:
    if not record.requests:
        return None
    lines = []
    for request in record.requests:
        if request.allowed:
            word = "no answer" if request.status is None else f"status {request.status}"
            text = f"{request.url}  ·  {word}  {duration_text(request.duration_us)}".rstrip()
            icon, role = "mark-honored", ""
        else:
            text, icon, role = f"{request.url}  ·  denied", "mark-refused", "notice"
        tip = f"{request.hook} {request.method} {request.url}\nrule: {request.rule or 'none'}"
        lines.append(
            Property(f"{request.hook} {request.method}", text, icon=icon, role=role, tip=tip)
        )
    denied = sum(not request.allowed for request in record.requests)
    summary = count_text(len(lines), "request") + (f", {denied} denied" if denied else "")
    return Property("Requests", summary, children=tuple(lines))


def _expectation(record: StepRecord) -> Property | None:
    found = record.expectation
    if found is None:
        return None
    if found.ok:
        return Property("Expectation", "holds", icon="mark-honored", role="positive")
    lines = (
        Property("at", found.path or "", is_code=True),
        Property("wanted", one_line(compact(found.wanted), 500), is_code=True),
        Property("got", one_line(compact(found.got), 500), is_code=True),
    )
    return Property("Expectation", "failed", icon="mark-error", role="negative", children=lines)


def _totals(record: StepRecord) -> Property:
    totals = record.totals
    lines = (
        Property("turns", f"{totals.turns:,}"),
        Property("input tokens", f"{totals.input_tokens:,}"),
        Property("output tokens", f"{totals.output_tokens:,}"),
        Property("tool calls", f"{totals.tool_calls:,}"),
        Property("shell calls", f"{totals.shell_calls:,}"),
    )
    return Property("Totals after it", count_text(totals.turns, "turn"), children=lines)
