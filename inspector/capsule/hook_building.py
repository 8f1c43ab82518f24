"""One hook of a capsule out of an entry and what was found for it.

Lives here: the hook's own manifest judged, every fault of the hook, the refusal. Not
here: finding it (artifact_search, single_hook). Only inspector.capsule imports it.
"""

import msgspec

from inspector.capsule.capsule import HookArtifact
from inspector.capsule.found import Found
from inspector.contract.profile import Profile
from inspector.manifest import hook_manifest
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.fault import HOOK_CONFIG, Fault, Stage
from inspector.manifest.grant import Grant
from inspector.manifest.hook_config import HookConfig, OverflowPolicy
from inspector.manifest.hook_manifest import HookConfigError


class Built(msgspec.Struct, frozen=True):
    """A hook with everything that is wrong with it, first met first."""

    hook: HookArtifact
    faults: tuple[Fault, ...]
    notes: tuple[Diagnostic, ...]


def build(
    name: str,
    version: str,
    found: Found,
    profile: Profile,
    *,
    grant: Grant | None = None,
    on_overflow: OverflowPolicy = OverflowPolicy.DROP,
    faults: tuple[Fault, ...] = (),
) -> Built:
    """Put a hook together.

    Args:
        name: Of the operator's entry.
        version: Of the operator's entry.
        found: The look-up of its bytes.
        profile: Judges the hook's own manifest.
        grant: From the entry; None grants nothing.
        on_overflow: From the entry.
        faults: Of the entry.
    """
    config, config_faults = _config(f"{name}@{version}", found, profile)
    every = tuple(sorted((*faults, *found.faults, *config_faults), key=lambda f: f.stage))
    hook = HookArtifact(
        name=name,
        version=version,
        source=found.source,
        component=found.component,
        config=config,
        grant=grant or Grant(),
        on_overflow=on_overflow,
        refusal=every[0].message if every else None,
    )
    return Built(hook, every, (*found.notes, *_identity_notes(name, version, found)))


def _config(label: str, found: Found, profile: Profile) -> tuple[HookConfig, tuple[Fault, ...]]:
    if found.manifest_text is None:
        return HookConfig(), ()
    try:
        return hook_manifest.read(found.manifest_text, profile), ()
    except HookConfigError as error:
        fault = Fault(
            Stage.HOOK_MANIFEST,
            HOOK_CONFIG,
            f"hook {label} invalid config: {error.message}",
            "Mend the hook's own murmur.yaml; the capsule's manifest cannot override it.",
            error.line,
            error.column,
            found.manifest_file,
        )
        return HookConfig(), (fault,)


def _identity_notes(name: str, version: str, found: Found) -> tuple[Diagnostic, ...]:
    """Where the hook's own manifest says something else than the entry."""
    if found.manifest_text is None:
        return ()
    about = hook_manifest.identity(found.manifest_text)
    said = {
        "name": (about.name, name),
        "version": (about.version, version),
        "runtime": (about.runtime, "hook"),
    }
    return tuple(
        Diagnostic(
            Severity.INFO if key != "runtime" else Severity.WARNING,
            "identity",
            f"the hook's own manifest says {key} '{own}' where the entry says '{wanted}'; the "
            "entry decides",
            "Make both the same before the hook is published.",
            found.manifest_file,
            hook=name,
        )
        for key, (own, wanted) in said.items()
        if own is not None and own != wanted
    )
