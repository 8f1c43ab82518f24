"""From the operator's entry to a hook's grant.

Lives here: the derivation and the faults met on the way. Not here: the values (grant),
single rules (network, scope, state_store, config_json). Rooms above may import it.
"""

import msgspec

from inspector.contract.profile import GrantPolicy, Profile
from inspector.manifest import config_json, network, scope, state_store
from inspector.manifest.artifact_entry import ArtifactEntry
from inspector.manifest.capability import Capabilities
from inspector.manifest.capsule_manifest import CapsuleManifest
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.fault import Fault, Stage
from inspector.manifest.grant import Grant, NetworkRule
from inspector.manifest.schema import Located


class Derived(msgspec.Struct, frozen=True):
    """A grant and what is wrong with it; with faults the grant holds what is right."""

    grant: Grant
    faults: tuple[Fault, ...]


def derive(entry: ArtifactEntry, capsule_name: str, profile: Profile) -> Derived:
    """The grant of a hook.

    Args:
        entry: The operator's entry.
        capsule_name: Names the state store when the entry does not.
        profile: A runtime without per-hook grants derives none and checks none.

    Returns:
        The grant with every fault, in the order in which the runtime meets them.

    Source: spec/manifest.md 4.1.
    """
    declared = profile.grants is GrantPolicy.DECLARED
    block = (entry.capabilities if declared else None) or Capabilities()
    faults: list[Fault] = []
    store = state_name(block, capsule_name)
    if store is not None:
        faults.extend(_some(state_store.state_fault(store)))
    config = None
    if entry.config is not None and profile.passes_config:
        lowered = config_json.lower(entry.name, entry.config)
        config = lowered if isinstance(lowered, str) else None
        faults.extend([lowered] if isinstance(lowered, Fault) else [])
    rules = network_rules(block)
    faults.extend(rule for rule in rules if isinstance(rule, Fault))
    if block.filesystem_scope is not None:
        faults.extend(_some(scope.scope_fault(block.filesystem_scope)))
    grant = Grant(
        network=tuple(rule for rule in rules if isinstance(rule, NetworkRule)),
        filesystem_scope=block.filesystem_scope.text if block.filesystem_scope else None,
        state_store=store.text if store else None,
        task_io=bool(block.task_io),
        conversation=bool(block.conversation),
        config_json=config,
        lines=_lines(entry, block, profile),
    )
    return Derived(grant, tuple(sorted(faults, key=lambda fault: fault.stage)))


def _some(fault: Fault | None) -> list[Fault]:
    return [] if fault is None else [fault]


def network_rules(block: Capabilities) -> list[NetworkRule | Fault]:
    """The rules of `network.allow`, or the fault of each bad entry, in order."""
    return [network.rule(entry) for entry in block.network]


def state_name(block: Capabilities, capsule_name: str) -> Located | None:
    """The name of the state store that a block asks for, or None."""
    if block.state is None:
        return None
    written = block.state.store
    name = capsule_name if written is None else written
    return Located(name, block.state.line, block.state.column)


def _lines(entry: ArtifactEntry, block: Capabilities, profile: Profile) -> dict[str, int]:
    keys = ("network", "filesystem", "state", "task_io", "conversation")
    lines = {key: block.declared[key].line for key in keys if key in block.declared}
    if entry.config is not None and profile.passes_config:
        lines["config"] = entry.config_line
    return lines


def capsule_faults(manifest: CapsuleManifest) -> list[Fault]:
    """Faults of the capsule-wide block and of names outside any entry.

    Source: spec/artifact.md 4 (step 3).
    """
    block = manifest.capabilities or Capabilities()
    found = [rule for rule in network_rules(block) if isinstance(rule, Fault)]
    if block.filesystem_scope is not None:
        found.extend(_some(scope.scope_fault(block.filesystem_scope)))
    found.extend(
        fault for entry in block.read_only for fault in _some(scope.read_only_fault(entry))
    )
    if manifest.context.record_store is not None and manifest.context.record:
        found.extend(_some(state_store.record_fault(manifest.context.record_store)))
    early = [msgspec.structs.replace(fault, stage=Stage.CAPSULE_POLICY) for fault in found]
    store = state_name(block, manifest.name)
    return early + (_some(state_store.state_fault(store)) if store else [])


def capsule_warnings(manifest: CapsuleManifest, file: str) -> list[Diagnostic]:
    """Capsule-wide blocks that grant nothing.

    Source: spec/manifest.md 3 (capsule-wide only).
    """
    declared = manifest.capabilities.declared if manifest.capabilities else {}
    found = []
    for key, (code, what) in _INERT_CAPSULE_WIDE.items():
        if key in declared:
            place = declared[key]
            hint = f"Move `{key}` to the entry that needs it."
            message = f"a capsule-wide capabilities.{key} block grants nothing — {what}"
            found.append(
                Diagnostic(Severity.WARNING, code, message, hint, file, place.line, place.column)
            )
    return found


_INERT_CAPSULE_WIDE = {
    "state": ("W-SEC-014", "a durable store is granted per artifact"),
    "conversation": ("W-SEC-016", "the grant is per hook"),
}


def entry_warnings(entry: ArtifactEntry, profile: Profile, file: str) -> list[Diagnostic]:
    """What a hook's entry declares without effect.

    Source: spec/manifest.md 3 (W-SEC-006).
    """
    found = []
    block = entry.capabilities
    if block is not None and profile.grants is GrantPolicy.DECLARED and block.inert_on_hooks:
        keys = block.inert_on_hooks
        named = ", ".join(f"capabilities.{key}" for key in keys)
        place = block.declared[keys[0]]
        found.append(
            Diagnostic(
                Severity.WARNING,
                "W-SEC-006",
                f"hook '{entry.name}' declares {named} which the runtime does not apply per-hook",
                "Move them to the capsule-wide block, or leave them out.",
                file,
                place.line,
                place.column,
                entry.name,
            )
        )
    found.extend(_profile_notes(entry, profile, file))
    return found


def _profile_notes(entry: ArtifactEntry, profile: Profile, file: str) -> list[Diagnostic]:
    """What the profile in force does not read at all."""
    ignored = []
    if entry.capabilities is not None and profile.grants is not GrantPolicy.DECLARED:
        ignored.append("capabilities")
    if entry.config is not None and not profile.passes_config:
        ignored.append("config")
    return [
        Diagnostic(
            Severity.INFO,
            "ignored-by-profile",
            f"hook '{entry.name}' declares {key}, which a runtime of profile {profile.name} "
            "does not read",
            "Choose a later profile to see it in effect.",
            file,
            entry.line,
            entry.column,
            entry.name,
        )
        for key in ignored
    ]
