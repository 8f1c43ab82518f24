"""The page of one hook as properties: exports, imports, grants, events and the rest.

Lives here: pure functions from an inspection to properties. Not here: the tree
(property_model), the pane (views.hook_page). Only views import it.
"""

from inspector.contract.profile import PROFILES
from inspector.gui.models.property_model import Property
from inspector.protocol.inspection import EventView, ExportView, GrantsView, ImportView, LimitsView
from inspector.workbench.formatting import bytes_text, count_text, duration_text
from inspector.workbench.state import HookState, HookView

_YES = "mark-honored"
_NO = "mark-error"
_OPEN = "mark-ignored"


def hook_properties(
    hook: HookView,
    live: HookState | None,
    limits: LimitsView,
    sharers: tuple[str, ...] = (),
) -> tuple[Property, ...]:
    """Everything about a hook, in the order in which one asks.

    Args:
        hook: The hook.
        live: Its live state, or None without an engine.
        limits: What holds for each of its calls.
        sharers: Other hooks with the same state store.
    """
    differences = (_differences(hook),) if hook.differences else ()
    return (
        _events(hook),
        _exports(hook),
        *differences,
        _imports(hook),
        _grants(hook.grants, sharers),
        _environment(hook),
        _profiles(hook),
        _state(hook, live, limits),
        _source(hook),
    )


def _events(hook: HookView) -> Property:
    reached = [event for event in hook.events if event.reached]
    lines = tuple(_event(event, accepted=hook.accepted) for event in hook.events)
    end = "reach it" if hook.accepted else "would, were it accepted"
    return Property("Events", f"{len(reached)} of {len(hook.events)} {end}", children=lines)


def _event(event: EventView, *, accepted: bool) -> Property:
    if not event.reached:
        return Property(event.event, "not reached", icon=_OPEN, role="muted")
    parts, rules = [], []
    for phase in event.phases:
        arm = event.honored.decide if phase == "decide" else event.honored.observe
        parts.append(f"{phase}: {arm}" if arm else phase)
        rules.append(f"{phase}: honors {arm or 'nothing'} besides none")
    icon = "shield" if "decide" in event.phases else _YES
    role = "notice" if "decide" in event.phases else "positive"
    if not accepted:
        icon, role = _OPEN, "muted"
    tip = "\n".join(rules)
    return Property(event.event, "  ·  ".join(parts), icon=icon, role=role, tip=tip)


def _exports(hook: HookView) -> Property:
    present = sum(export.present for export in hook.exports)
    bad = sum(export.signature_matches is False for export in hook.exports)
    missing = sum(export.required and not export.present for export in hook.exports)
    text = f"{present} of {len(hook.exports)}"
    if missing:
        text += f", {missing} required missing"
    if bad:
        text += f", {bad} of another type"
    lines = [_export(export) for export in hook.exports]
    lines += [Property("also exports", name, is_code=True) for name in hook.other_exports]
    interface = hook.lifecycle or "no lifecycle interface"
    lines.insert(0, Property("interface", interface, is_code=True))
    return Property("Exports", text, children=tuple(lines))


def _differences(hook: HookView) -> Property:
    lines = tuple(
        Property(text, role="negative", tip=text)  # over both columns
        for text in hook.differences
    )
    return Property("Differences", "from the contract in force", children=lines)


def _export(export: ExportView) -> Property:
    need = "required" if export.required else "optional"
    if not export.present:
        icon, role = (_NO, "negative") if export.required else (_OPEN, "muted")
        tip = f"{need}, absent\n{export.signature}"
        return Property(export.function, f"{need}, absent", icon=icon, role=role, tip=tip)
    tip = f"{need}, present\n{export.signature}"
    children = (Property("type", export.signature, is_code=True),)
    if export.signature_matches is False:
        text = f"{need}, another type: {export.mismatch or export.signature}"
        return Property(
            export.function,
            text,
            icon=_NO,
            role="negative",
            tip=f"{text}\n{tip}",
            children=children,
        )
    return Property(
        export.function, f"{need}, present", icon=_YES, role="positive", tip=tip, children=children
    )


def _imports(hook: HookView) -> Property:
    lacking = sum(not found.provided for found in hook.imports)
    text = count_text(len(hook.imports), "interface")
    if lacking:
        text += f", {lacking} not provided"
    return Property("Imports", text, children=tuple(_import(found) for found in hook.imports))


def _import(found: ImportView) -> Property:
    functions = tuple(Property("function", name, is_code=True) for name in found.functions)
    if found.note:
        functions = (Property("note", found.note), *functions)
    tip = "\n".join([found.interface, found.note, *found.functions]).strip()
    if not found.provided:
        text = f"not provided. {found.note}".strip()
        return Property(
            found.interface, text, icon=_NO, role="negative", tip=tip, children=functions
        )
    if found.gate is None:
        text, icon, role = "provided, needs no grant", _YES, "positive"
    elif found.granted:
        text, icon, role = f"provided, {found.gate} granted", _YES, "positive"
    else:
        text, icon, role = f"provided, {found.gate} not granted", _OPEN, "caution"
    return Property(found.interface, text, icon=icon, role=role, tip=tip, children=functions)


def _grants(grants: GrantsView, sharers: tuple[str, ...]) -> Property:
    rules = tuple(
        Property(
            "allow", rule.entry, is_code=True, tip=_rule_tip(rule.scheme, rule.host, rule.port)
        )
        for rule in grants.network
    )
    network = count_text(len(rules), "rule") if rules else "every request is denied"
    lines = (
        Property("network", network, children=rules, role="" if rules else "muted"),
        _grant("filesystem scope", grants.filesystem_scope, "no folder"),
        _store(grants.state_store, sharers),
        _switch("task texts", grants.task_io),
        _switch("conversation", grants.conversation),
        _grant("config", grants.config, "none"),
    )
    given = sum(
        (
            bool(rules),
            grants.filesystem_scope is not None,
            grants.state_store is not None,
            grants.task_io,
            grants.conversation,
        )
    )
    return Property("Grants", f"{given} of 5 granted", children=lines)


def _rule_tip(scheme: str | None, host: str, port: int | None) -> str:
    shown_port = "any port" if port is None else f"port {port}"
    return f"{scheme or 'http or https'}, host {host}, {shown_port}"


def _grant(name: str, value: str | None, absent: str) -> Property:
    if value is None:
        return Property(name, absent, role="muted")
    return Property(name, value, is_code=True)


def _store(store: str | None, sharers: tuple[str, ...]) -> Property:
    if store is None or not sharers:
        return _grant("state store", store, "no store")
    text = f"{store}, shared with {', '.join(sharers)}"
    tip = "These hooks read and change the same files, in the order in which they are called."
    return Property("state store", text, icon="warning", role="caution", tip=f"{text}\n{tip}")


def _switch(name: str, granted: bool) -> Property:
    if granted:
        return Property(name, "granted", icon=_YES, role="positive")
    return Property(name, "not granted", role="muted")


def _environment(hook: HookView) -> Property:
    lines = tuple(Property(name, value, is_code=True) for name, value in hook.env)
    text = count_text(len(lines), "variable") if lines else "empty"
    return Property("Environment", text, children=lines)


def _profiles(hook: HookView) -> Property:
    lines = []
    for name, profile in PROFILES.items():
        takes = hook.profiles.get(name, False)
        what = f"runtime {profile.runtime}, lifecycle@{profile.contract_version}"
        word = "takes it" if takes else "refuses it"
        icon, role = (_YES, "positive") if takes else (_OPEN, "muted")
        lines.append(Property(name, f"{word}  ·  {what}", icon=icon, role=role))
    taking = [name for name in PROFILES if hook.profiles.get(name, False)]
    return Property("Profiles", f"runs under {', '.join(taking) or 'none'}", children=tuple(lines))


def _state(hook: HookView, live: HookState | None, limits: LimitsView) -> Property:
    lines = [
        Property("deadline of a call", f"{limits.deadline_s} s"),
        Property("memory limit", bytes_text(limits.memory_bytes)),
        Property("table limit", count_text(limits.table_elements, "element")),
        Property("instance limit", f"{limits.instances:,}"),
    ]
    if live is None:
        return Property("Instance", "none", children=tuple(lines))
    fresh = [
        Property("memory", bytes_text(live.memory_bytes)),
        Property("made anew", f"{live.generation:,} times"),
    ]
    if hook.execution_mode == "async":
        fresh.append(Property("queue", f"{live.queue_length:,} waiting, {live.dropped:,} dropped"))
        fresh.append(Property("on_overflow", hook.on_overflow))
    return Property("Instance", live.state, children=(*fresh, *lines))


def _source(hook: HookView) -> Property:
    if hook.source is None:
        return Property("Source", "not found", role="negative")
    compiled = duration_text(hook.compile_us)
    lines = [
        Property("path", hook.source.path, is_code=True),
        Property("sha256", hook.source.sha256, is_code=True),
        Property("size", bytes_text(hook.component_bytes)),
    ]
    if compiled:
        lines.append(Property("compiled in", compiled))
    instantiated = duration_text(hook.instantiate_us)
    if instantiated:
        lines.append(Property("instantiated in", instantiated))
    return Property("Source", hook.source.kind, children=tuple(lines))
