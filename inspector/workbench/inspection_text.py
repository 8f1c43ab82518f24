"""An inspection as lines for people.

Lives here: layout of `check` and `inspect --format text`. Not here: the document
(protocol.inspection), WIT (workbench.wit_text). Command line and reports import it.
"""

from collections.abc import Iterator

from inspector.contract.profile import profile as profile_of
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.protocol.inspection import (
    EventView,
    ExportView,
    GrantsView,
    HookView,
    ImportView,
    Inspection,
    LimitsView,
)
from inspector.workbench.formatting import bytes_text, count_text, duration_text, one_line
from inspector.workbench.terminal import Terminal, block, table

_ROLES = {Severity.ERROR: "negative", Severity.WARNING: "caution", Severity.INFO: "muted"}
_MARKS = {Severity.ERROR: "✕", Severity.WARNING: "◆", Severity.INFO: "·"}
_TITLE_WIDTH = 10
_INDENT = "    "


def inspection_lines(inspection: Inspection, terminal: Terminal) -> Iterator[str]:
    """The whole description.

    Args:
        inspection: Of an opened capsule.
        terminal: Paints.

    Yields:
        Lines without their ends.
    """
    yield capsule_line(inspection, terminal)
    yield f"{'path':<{_TITLE_WIDTH}}{one_line(inspection.capsule.path, 400)}"
    yield f"{'limits':<{_TITLE_WIDTH}}{_limits(inspection.limits)}"
    if inspection.launch_refusal is not None:
        text = one_line(inspection.launch_refusal, 400)
        yield terminal.paint(f"the runtime would refuse the launch: {text}", "negative")
    for hook in inspection.hooks:
        yield ""
        yield from hook_lines(hook, terminal)
    yield ""
    yield from findings_lines(inspection.diagnostics, terminal)


def capsule_line(inspection: Inspection, terminal: Terminal) -> str:
    """Name, version, profile and number of hooks on one line."""
    head = inspection.capsule
    profile = profile_of(head.profile)
    name = terminal.paint(one_line(f"{head.name} {head.version}"), "strong")
    hooks = count_text(len(inspection.hooks), "hook")
    contract = f"runtime {profile.runtime}, lifecycle@{profile.contract_version}"
    return f"{name} · profile {head.profile} ({contract}) · {hooks}"


def _limits(limits: LimitsView) -> str:
    return (
        f"memory {bytes_text(limits.memory_bytes)}, "
        f"{limits.table_elements:,} table elements, "
        f"{count_text(limits.instances, 'instance')}, "
        f"{limits.deadline_s} s per call"
    )


# -- findings -------------------------------------------------------------------------


def findings_lines(diagnostics: tuple[Diagnostic, ...], terminal: Terminal) -> Iterator[str]:
    """Every diagnostic, then how many there are of each severity."""
    for diagnostic in diagnostics:
        yield from diagnostic_lines(diagnostic, terminal)
    counts = [
        count_text(count, severity.value, "info" if severity is Severity.INFO else None)
        for severity in Severity
        if (count := sum(d.severity is severity for d in diagnostics))
    ]
    yield ", ".join(counts) if counts else terminal.paint("✓ no findings", "positive")


def diagnostic_lines(diagnostic: Diagnostic, terminal: Terminal) -> list[str]:
    """One finding: what, where, what to do, its code at the end."""
    severity = diagnostic.severity
    place = ":".join(
        str(part)
        for part in (diagnostic.file, diagnostic.line, diagnostic.column)
        if part is not None
    )
    head = terminal.paint(f"{_MARKS[severity]} {severity.value}", _ROLES[severity])
    about = f"hook {diagnostic.hook}: " if diagnostic.hook else ""
    first, *more = block(f"{about}{diagnostic.message}", "")
    lines = [f"{head}  {first}  [{diagnostic.code}]", *(f"{_INDENT}{line}" for line in more)]
    if place:
        lines.append(f"{_INDENT}{one_line(place, 400)}")
    if diagnostic.hint:
        lines += block(diagnostic.hint, _INDENT)
    return lines


# -- one hook -------------------------------------------------------------------------


def hook_lines(hook: HookView, terminal: Terminal) -> Iterator[str]:
    """Everything about one hook."""
    state = ("● accepted", "positive") if hook.accepted else ("✕ rejected", "negative")
    name = terminal.paint(one_line(f"{hook.name} {hook.version}"), "strong")
    yield f"{name}  {terminal.paint(*state)}"
    if hook.rejection is not None:
        yield from block(hook.rejection, _INDENT)
    for title, text in _facts(hook):
        yield f"{_INDENT}{title:<{_TITLE_WIDTH}}{one_line(text, 400)}"
    for title, rows in (
        ("exports", [_export_row(e) for e in hook.exports if not e.signature_matches]),
        ("imports", [_import_row(found) for found in hook.imports]),
        ("events", [_event_row(event) for event in hook.events if event.phases]),
        ("differs from the contract", [(one_line(text, 400),) for text in hook.differences]),
    ):
        if rows:
            yield f"{_INDENT}{title}"
            yield from table(rows, _INDENT * 2)


def _facts(hook: HookView) -> Iterator[tuple[str, str]]:
    if hook.source is not None:
        yield "source", f"{hook.source.kind} {hook.source.path}"
        yield "sha256", hook.source.sha256
    bound = "every event" if hook.binding == "all" else hook.binding
    yield "bound to", f"{bound}, {hook.execution_mode}, commit policy {hook.commit_policy}"
    if hook.execution_mode == "async":
        yield "overflow", hook.on_overflow
    yield "lifecycle", hook.lifecycle or "none"
    words = (f"{name} {'yes' if fits else 'no'}" for name, fits in hook.profiles.items())
    yield "profiles", ", ".join(words)
    if hook.component_bytes:
        times = {"compiled": hook.compile_us, "instantiated": hook.instantiate_us}
        told = (f", {word} in {duration_text(us)}" for word, us in times.items() if us)
        yield "component", bytes_text(hook.component_bytes) + "".join(told)
    if hook.exports:
        matching = sum(export.signature_matches is True for export in hook.exports)
        functions = count_text(len(hook.exports), "function")
        yield "functions", f"{matching} of {functions} exported with the contract's type"
    yield "grants", ", ".join(_grants(hook.grants)) or "nothing"
    for name, value in hook.env:
        yield "env", f"{name}={value}"
    if hook.other_exports:
        yield "also", f"exports {', '.join(hook.other_exports)}"


def _grants(grants: GrantsView) -> Iterator[str]:
    yield from (f"network {rule.entry}" for rule in grants.network)
    if grants.filesystem_scope is not None:
        yield f"folder {grants.filesystem_scope}"
    if grants.state_store is not None:
        yield f"state store {grants.state_store}"
    if grants.task_io:
        yield "task texts"
    if grants.conversation:
        yield "conversation"
    if grants.config is not None:
        yield f"config {grants.config}"


def _export_row(export: ExportView) -> tuple[str, ...]:
    """One function that is not as the contract has it."""
    need = "required" if export.required else "optional"
    if not export.present:
        mark = "✕" if export.required else "·"
        return mark, export.function, need, "not exported"
    return "✕", export.function, need, one_line(export.mismatch or export.signature, 400)


def _import_row(found: ImportView) -> tuple[str, ...]:
    if not found.provided:
        return "✕", found.interface, "not provided", found.note
    if found.gate is None:
        return "✓", found.interface, "provided", found.note
    gate = f"{found.gate} {'granted' if found.granted else 'not granted'}"
    return "✓" if found.granted else "⛨", found.interface, gate, found.note


def _event_row(event: EventView) -> tuple[str, ...]:
    cells = []
    for phase in event.phases:
        honored = event.honored.decide if phase == "decide" else event.honored.observe
        cells.append(f"{phase}: {honored or 'nothing'} is honored")
    return event.event, ", ".join(cells)
