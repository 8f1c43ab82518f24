"""The grant ledger of one hook as properties: declared, used, refused, never used.

Lives here: pure functions from a ledger to properties. Not here: counting (the engine),
the tree (property_model), the page (views.hook_grants). Only views import it.
"""

import datetime

from inspector.gui.focus import Place
from inspector.gui.models.property_model import Property
from inspector.protocol.inspection import GrantsView, HookView, Inspection
from inspector.protocol.message import GrantUse, LedgerChanged
from inspector.workbench.formatting import count_text

_NAMES = {
    "network": "network",
    "filesystem": "filesystem scope",
    "state": "state store",
    "task_io": "task texts",
    "conversation": "conversation",
    "inference": "inference driver",
}
"""The words of the manifest as people read them."""

_WHAT = {
    "Refused": "asked for without the grant",
    "Used": "granted and used",
    "Never used": "granted, and could be taken out",
    "Not seen": "granted; the engine does not tell of its use",
    "Not granted": "and not asked for",
}
"""What each section holds."""

_UNSEEN = "The engine opens files itself, so no use of this is seen."


def ledger_properties(ledger: LedgerChanged) -> tuple[Property, ...]:
    """One section per verdict: refused, used, never used, not granted.

    Args:
        ledger: What the engine told last.

    Returns:
        Sections with at least one line; each line's name begins with the grant's word.
    """
    sections = (
        ("Refused", [use for use in ledger.uses if use.refusals]),
        ("Used", [use for use in ledger.uses if use.uses and not use.refusals]),
        ("Never used", [use for use in ledger.uses if _is_idle(use)]),
        ("Not seen", [use for use in ledger.uses if _is_unseen(use)]),
        ("Not granted", [use for use in ledger.uses if _is_absent(use)]),
    )
    return tuple(
        Property(title, _WHAT[title], children=tuple(map(line_of, uses)))
        for title, uses in sections
        if uses
    )


def _is_idle(use: GrantUse) -> bool:
    return use.declared and use.observable and not use.uses and not use.refusals


def _is_unseen(use: GrantUse) -> bool:
    return use.declared and not use.observable


def _is_absent(use: GrantUse) -> bool:
    return not use.declared and not use.uses and not use.refusals


def line_of(use: GrantUse) -> Property:
    """One line of the ledger."""
    parts = []
    if use.refusals:
        icon, role = "mark-refused", "negative"
        parts.append(f"refused {use.refusals:,} ×")
    elif use.uses:
        icon, role = "mark-honored", "positive"
    elif _is_idle(use):
        icon, role = "mark-ignored", "caution"
    else:
        icon, role = "mark-ignored", "muted"
    if use.uses:
        parts.append(f"used {use.uses:,} ×, {time_text(use.last_used_ms)}")
    if not parts:
        parts.append("granted" if use.declared else "not granted")
    if use.line is not None:
        parts.append(f"line {use.line:,}")
    target = None
    if use.line is not None:
        target = Place(use.line, note=f"This grants {label_of(use)}: {parts[0]}.")
    return Property(
        label_of(use), "  ·  ".join(parts), icon=icon, role=role, tip=_tip(use), target=target
    )


def label_of(use: GrantUse) -> str:
    """The grant's word, with the rule, scope or store."""
    name = _NAMES.get(use.kind, use.kind)
    return f"{name} {use.entry}" if use.entry else name


def _tip(use: GrantUse) -> str:
    lines = [label_of(use)]
    if use.refusals:
        lines.append(f"Refused {count_text(use.refusals, 'time')} in this session.")
    if use.uses:
        last = time_text(use.last_used_ms)
        lines.append(f"Used {count_text(use.uses, 'time')} in this session, last at {last}.")
    if use.line is not None:
        lines.append(f"Granted by line {use.line:,} of the manifest; double-click goes there.")
    if not use.observable:
        lines.append(_UNSEEN)
    if _is_idle(use):
        lines.append("No call of this session needed it; it could be taken out.")
    if use.suggestion:
        lines.append("Choose the line to see what would grant it.")
    return "\n".join(lines)


def time_text(moment_ms: int | None) -> str:
    """A wall clock time of today's kind, e.g. `14:03:07`; "" for none.

    Args:
        moment_ms: Milliseconds since 1970, or None.
    """
    if moment_ms is None:
        return ""
    moment = datetime.datetime.fromtimestamp(moment_ms / 1000, datetime.UTC).astimezone()
    return moment.strftime("%H:%M:%S")


def uses_in_order(ledger: LedgerChanged) -> dict[str, GrantUse]:
    """The lines of a ledger by their label."""
    return {label_of(use): use for use in ledger.uses}


def store_sharers(inspection: Inspection, hook: HookView) -> tuple[str, ...]:
    """Names of the other hooks that have the same state store.

    Args:
        inspection: The capsule.
        hook: One of its hooks.
    """
    store = hook.grants.state_store
    if store is None:
        return ()
    return tuple(
        other.name
        for other in inspection.hooks
        if other.name != hook.name and other.grants.state_store == store
    )


def shared_stores(inspection: Inspection) -> dict[str, tuple[str, ...]]:
    """State stores that more than one hook has, with the names of the hooks."""
    by_store: dict[str, list[str]] = {}
    for hook in inspection.hooks:
        grants: GrantsView = hook.grants
        if grants.state_store is not None:
            by_store.setdefault(grants.state_store, []).append(hook.name)
    return {store: tuple(names) for store, names in by_store.items() if len(names) > 1}
