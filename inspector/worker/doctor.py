"""Explains imports and exports that do not fit, with the habit behind them.

Lives here: sentences of ours, each with what to do. Not here: the runtime's texts
(instance), diagnostics of manifests, differences one by one (contract_difference). Only
worker imports it.
"""

from inspector.contract.profile import PROFILES, Profile
from inspector.runtime.component import ComponentShape, InterfaceShape
from inspector.worker import contract_difference
from inspector.worker.contract_difference import LIFECYCLE, package_of

_TOLD = 2
"""So many differences stand in a hint; `inspect` lists them all."""

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
    if provided:
        if interface.types_only and package_of(interface.name) == LIFECYCLE:
            return "Types only: nothing has to be defined for it."
        return _GATES.get(gate or "", "")
    return contract_difference.unprovided_note(profile, interface.name)


def rejection_hint(profile: Profile, shape: ComponentShape) -> str:
    """What to do about a component that the profile does not run.

    Args:
        profile: The profile that judges.
        shape: What the component exports.

    Returns:
        Sentences that name what is there instead and what differs, or "".
    """
    contract = profile.contract
    lifecycle = shape.export(contract.interface)
    if lifecycle is not None:
        missing = contract_difference.missing_functions(contract, lifecycle)
        return f"Export {', '.join(missing)} too; answering none is enough." if missing else ""
    theirs = contract_difference.lifecycle_of(contract, shape)
    if theirs is None:
        return f"The component does not export {contract.interface}; it may not be a hook."
    takers = [name for name, each in PROFILES.items() if shape.export(each.contract.interface)]
    head = f"It exports {theirs.name}, which no profile takes: rebuild it."
    if takers:
        head = f"It exports {theirs.name}: try --profile {takers[0]}, or rebuild it."
    changes = contract_difference.function_changes(profile, shape)
    more = len(changes) - _TOLD
    rest = [f"`inspect` lists {more} more."] if more > 0 else []
    return " ".join([head, *changes[:_TOLD], *rest])
