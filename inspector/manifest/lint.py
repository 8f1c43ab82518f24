"""Findings that need a component's shape: what a hook declares against what it is.

Lives here: pure functions over a hook's configuration, grant, exports and imports. Not
here: reading a component (runtime), which hands in the names. The engine process calls
them.
"""

from collections.abc import Collection

import msgspec

from inspector.contract.contract import Contract, Phase
from inspector.contract.profile import GrantPolicy, Profile
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.grant import Grant
from inspector.manifest.hook_config import ExecutionMode, HookConfig, OverflowPolicy

STAGE = "on-stage"
_GRANT_KEYS = {
    "network": ("network", "`network: {allow: [...]}`"),
    "task_io": ("task_io", "`task_io: {read: true}`"),
    "conversation": ("conversation", "`conversation: {read: true}`"),
    "filesystem": ("filesystem", "`filesystem: {scope: ...}`"),
}


class LintedHook(msgspec.Struct, frozen=True):
    """One hook as the lints see it.

    Attributes:
        name: Of the operator's entry.
        config: From its own manifest.
        grant: From the operator's entry.
        on_overflow: From the operator's entry.
        exports: Names of the lifecycle functions that the component exports.
        imports: Full names of the interfaces that it imports with at least one function.
        manifest_file: The capsule manifest, or None for a hook alone.
        component_file: The file that holds the component, or None.
        has_driver: Whether the capsule has an inference driver.
    """

    name: str
    config: HookConfig
    grant: Grant
    on_overflow: OverflowPolicy
    exports: Collection[str]
    imports: Collection[str]
    manifest_file: str | None = None
    component_file: str | None = None
    has_driver: bool = True


def findings(hook: LintedHook, profile: Profile) -> tuple[Diagnostic, ...]:
    """Every lint of a hook whose component could be read.

    Args:
        hook: See LintedHook.
        profile: Contract and behaviour in force.
    """
    found = [
        *_missing_binding(hook, profile),
        *_missing_stage(hook),
        *_discarded(hook, profile.contract),
        *_overflow(hook),
    ]
    if profile.grants is GrantPolicy.DECLARED:
        found.extend(_imports_without_grant(hook, profile.contract))
        found.extend(_grants_without_import(hook, profile.contract))
    return tuple(found)


def _finding(
    hook: LintedHook, severity: Severity, code: str, message: str, hint: str, key: str = ""
) -> Diagnostic:
    """A finding about the component, or about a declared grant when `key` names one."""
    if key:
        line = hook.grant.lines.get(key)
        return Diagnostic(severity, code, message, hint, hook.manifest_file, line, None, hook.name)
    return Diagnostic(severity, code, message, hint, hook.component_file, hook=hook.name)


def _missing_binding(hook: LintedHook, profile: Profile) -> list[Diagnostic]:
    """The one event a hook is bound to is a function that it does not have."""
    event = hook.config.binding
    if event is None or event in hook.exports:
        return []
    if profile.has_decisions and hook.config.gates(event):
        text = (
            f"hook '{hook.name}' gates '{event}' and does not export it, so every such call is "
            "refused"
        )
        hint = f"Export {event}, or change the binding in the hook's own murmur.yaml."
        return [_finding(hook, Severity.WARNING, "gate-not-exported", text, hint)]
    text = f"hook '{hook.name}' is bound to '{event}' and does not export it, so it never runs"
    hint = f"Export {event}, or change the binding in the hook's own murmur.yaml."
    return [_finding(hook, Severity.WARNING, "binding-not-exported", text, hint)]


def _missing_stage(hook: LintedHook) -> list[Diagnostic]:
    """A hook of every event is staged too, and each launch logs the missing function."""
    unbound = hook.config.binding is None
    blocking = hook.config.execution_mode is ExecutionMode.BLOCKING
    if not (unbound and blocking) or STAGE in hook.exports:
        return []
    text = (
        f"hook '{hook.name}' has no binding, so it is staged too, and does not export on-stage; "
        "each launch writes one line about it to the hook's log"
    )
    hint = "Export on-stage with `none`, or bind the hook to one event."
    return [_finding(hook, Severity.INFO, "stage-not-exported", text, hint)]


def _discarded(hook: LintedHook, contract: Contract) -> list[Diagnostic]:
    """An async hook's outputs are thrown away."""
    event = hook.config.binding
    if hook.config.execution_mode is not ExecutionMode.ASYNC or event is None:
        return []
    arms = [arm for phase in Phase if (arm := contract.honored_arm(event, phase)) is not None]
    if not arms:
        return []
    text = (
        f"hook '{hook.name}' runs async, so an output of '{event}' such as '{arms[0]}' is "
        "thrown away"
    )
    hint = "Use `execution_mode: blocking` when the output should count."
    return [_finding(hook, Severity.INFO, "async-output", text, hint)]


def _overflow(hook: LintedHook) -> list[Diagnostic]:
    blocking = hook.config.execution_mode is ExecutionMode.BLOCKING
    if not blocking or hook.on_overflow is OverflowPolicy.DROP:
        return []
    text = f"hook '{hook.name}' is blocking, so `on_overflow: {hook.on_overflow}` has no effect"
    hint = "Leave `on_overflow` out; only async hooks have a queue."
    return [_finding(hook, Severity.INFO, "inert-overflow", text, hint)]


def _imports_without_grant(hook: LintedHook, contract: Contract) -> list[Diagnostic]:
    """Imports whose every answer will be a refusal.

    Folders are left out: language runtimes import them whether the hook uses them or not.
    """
    granted = _granted(hook.grant)
    found = []
    for interface in sorted(hook.imports):
        rule = contract.import_rule(interface)
        gate = rule.gate if rule is not None else None
        if gate == "inference" and not hook.has_driver:
            text = (
                f"hook '{hook.name}' imports {interface} and the capsule has no inference "
                "driver, so every request fails"
            )
            hint = "Add `inference: {driver: ...}` to the capsule, or script a reply."
            found.append(_finding(hook, Severity.INFO, "no-driver", text, hint))
        elif gate in ("network", "task_io", "conversation") and not granted[gate]:
            text = f"hook '{hook.name}' imports {interface} and its entry does not grant it"
            hint = f"Add {_GRANT_KEYS[gate][1]} to the capabilities of its entry if it needs it."
            found.append(_finding(hook, Severity.INFO, "ungranted-import", text, hint))
    return found


def _grants_without_import(hook: LintedHook, contract: Contract) -> list[Diagnostic]:
    """Grants that the component has no way to use."""
    granted = _granted(hook.grant)
    rules = [contract.import_rule(interface) for interface in hook.imports]
    used = {rule.gate for rule in rules if rule is not None}
    found = []
    for gate, (key, _) in _GRANT_KEYS.items():
        if not granted[gate] or gate in used:
            continue
        if gate == "filesystem" and key not in hook.grant.lines:
            key = "state"
        text = f"hook '{hook.name}' is granted {key} and imports nothing that uses it"
        hint = f"Leave `{key}` out of its capabilities."
        found.append(_finding(hook, Severity.INFO, "unused-grant", text, hint, key))
    return found


def _granted(grant: Grant) -> dict[str, bool]:
    folders = grant.filesystem_scope is not None or grant.state_store is not None
    return {
        "network": bool(grant.network),
        "filesystem": folders,
        "task_io": grant.task_io,
        "conversation": grant.conversation,
    }
