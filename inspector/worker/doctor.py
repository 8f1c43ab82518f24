"""Explains imports and exports that do not fit, with the habit behind them.

Lives here: sentences of ours, each with what to do. Not here: the runtime's texts
(instance) and diagnostics of manifests. Only worker imports it.
"""

from inspector.contract.profile import PROFILES, Profile
from inspector.runtime.component import ComponentShape, InterfaceShape

_LIFECYCLE = "murmur:hook/lifecycle"

_GATES = {
    "network": "Requests are refused unless the operator's entry allows their target.",
    "filesystem": "No folder is there unless the operator's entry grants a scope or a store.",
    "task_io": "Reads answer not-granted unless the operator's entry sets task_io.read.",
    "conversation": "Reads answer not-granted unless the operator's entry sets conversation.read.",
    "inference": "Calls answer an error unless the capsule has an inference driver.",
}


def import_note(
    profile: Profile, interface: InterfaceShape, *, provided: bool, gate: str | None
) -> str:
    """One or two sentences on an import.

    Args:
        profile: The profile that judges.
        interface: The import.
        provided: Whether the profile's runtime defines it.
        gate: The grant that its answers depend on, or None.

    Returns:
        Why it is not provided and what to do, or what its gate means, or "".
    """
    package = interface.name.partition("@")[0]
    if provided:
        if interface.types_only and package == _LIFECYCLE:
            return "Types only: nothing has to be defined for it."
        return _GATES.get(gate or "", "")
    if package == _LIFECYCLE:
        return (
            "The hook imports the lifecycle interface as functions, which no runtime provides. "
            "componentize-py and componentize-js do this when the world imports an interface "
            "that uses lifecycle types: build against a world without inference and conversation."
        )
    return _version_note(profile, interface.name)


def _version_note(profile: Profile, name: str) -> str:
    package = name.partition("@")[0]
    ours = next(
        (
            rule.interface
            for rule in profile.contract.rules.imports
            if rule.interface.partition("@")[0] == package
        ),
        None,
    )
    if ours is not None:
        return f"Profile {profile.name} provides {ours} and no other version: rebuild against it."
    others = [
        each.name for each in PROFILES.values() if each.contract.import_rule(name) is not None
    ]
    if others:
        return f"Only profile {' and '.join(others)} provides it."
    return "No profile provides it: remove the import, or the code that needs it."


def rejection_hint(profile: Profile, shape: ComponentShape) -> str:
    """What to do about a component that the profile does not run.

    Args:
        profile: The profile that judges.
        shape: What the component exports.

    Returns:
        One sentence that names what is there instead, or "".
    """
    contract = profile.contract
    lifecycle = shape.export(contract.interface)
    if lifecycle is not None:
        missing = [name for name in contract.rules.required if name not in lifecycle.functions]
        return f"Export {', '.join(missing)} too; answering none is enough." if missing else ""
    theirs = next((n for n in shape.exports if n.partition("@")[0] == _LIFECYCLE), None)
    if theirs is None:
        return f"The component does not export {contract.interface}; it may not be a hook."
    takers = [name for name, each in PROFILES.items() if shape.export(each.contract.interface)]
    if takers:
        return f"It exports {theirs}: try --profile {takers[0]}, or rebuild it."
    return f"It exports {theirs}, which no profile takes: rebuild it."
