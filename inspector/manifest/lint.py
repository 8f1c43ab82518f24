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
MIB = 1 << 20
USUAL_BYTES = {
    "Rust": 4 * MIB,
    "C": 4 * MIB,
    "Go": 8 * MIB,
    "JavaScript": 20 * MIB,
    "Python": 40 * MIB,
}
"""What a hook of each toolchain stays below, engine or interpreter included."""

USUAL_NAME_BYTES = MIB
"""What the function names of a stripped component stay below; CPython's take 0.4 MiB."""

_GRANT_KEYS = {
    "network": ("network", "`network: {allow: [...]}`"),
    "task_io": ("task_io", "`task_io: {read: true}`"),
    "conversation": ("conversation", "`conversation: {read: true}`"),
    "filesystem": ("filesystem", "`filesystem: {scope: ...}`"),
}


class Build(msgspec.Struct, frozen=True):
    """How a component was built, as far as it says.

    Attributes:
        component_bytes: Its size; 0 when it is not known.
        toolchain: `Rust`, `Python` and so on, or "" when nothing tells.
        debug_bytes: Debug information in it.
        name_bytes: Its largest section of function names.
    """

    component_bytes: int = 0
    toolchain: str = ""
    debug_bytes: int = 0
    name_bytes: int = 0


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
        mismatched: Those of `exports` whose type is not the contract's.
        build: How the component was built.
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
    mismatched: Collection[str] = ()
    build: Build = Build()


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
        *_never_acts(hook, profile),
        *_wrong_types(hook),
        *_build(hook),
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


def _never_acts(hook: LintedHook, profile: Profile) -> list[Diagnostic]:
    """A policy whose output no function of the hook can give.

    A binding that is not exported has a finding of its own.
    """
    config, contract = hook.config, profile.contract
    if config.commit_policy == "none" or config.binding not in (None, *hook.exports):
        return []
    phases = tuple(Phase) if profile.has_decisions else (Phase.OBSERVE,)
    called = [event for event in hook.exports if config.reaches(event)]
    arms = {contract.honored_arm(event, phase) for event in called for phase in phases}
    if config.commit_policy in arms:
        return []
    honoring = [event for event, _ in contract.honoring_events(config.commit_policy)]
    text = (
        f"hook '{hook.name}' declares commit_policy '{config.commit_policy}', and no function that "
        "it exports and is called for honors that, so the policy never acts"
    )
    hint = f"Export and bind {' or '.join(honoring)}, or leave the policy out."
    return [_finding(hook, Severity.WARNING, "policy-never-acts", text, hint)]


def _wrong_types(hook: LintedHook) -> list[Diagnostic]:
    """Functions that are found by name and fail each call's type check."""
    called = [event for event in hook.mismatched if hook.config.reaches(event)]
    if not called:
        return []
    text = (
        f"hook '{hook.name}' exports {', '.join(called)} with another type than the contract's, "
        "so every such call fails"
    )
    hint = "Rebuild it against the contract's WIT; `inspect` says what differs."
    return [_finding(hook, Severity.WARNING, "wrong-type", text, hint)]


def _build(hook: LintedHook) -> list[Diagnostic]:
    """A component that is larger than it has to be."""
    build, found = hook.build, []
    parts = [(build.debug_bytes, "debug information")] if build.debug_bytes else []
    if build.name_bytes > USUAL_NAME_BYTES:
        parts.append((build.name_bytes, "function names"))
    if parts:
        told = " and ".join(f"{_mib(size)} of {what}" for size, what in parts)
        text = f"hook '{hook.name}' carries {told}, so it is a debug build or was not stripped"
        hint = "Build for release and strip it; it is loaded and compiled faster then."
        found.append(_finding(hook, Severity.INFO, "debug-build", text, hint))
    usual = USUAL_BYTES.get(build.toolchain)
    rest = build.component_bytes - sum(size for size, _ in parts)
    if usual is not None and rest > usual:
        text = (
            f"hook '{hook.name}' has {_mib(rest)}, where hooks built from {build.toolchain} stay "
            f"below {_mib(usual)}"
        )
        hint = "Look for data or libraries that it does not need; every launch compiles it."
        found.append(_finding(hook, Severity.INFO, "large-component", text, hint))
    return found


def _mib(size: int) -> str:
    return f"{size / MIB:.1f} MiB".replace(".0 ", " ")


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
