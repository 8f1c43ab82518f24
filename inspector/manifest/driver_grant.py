"""From the capsule-wide block and an entry to what a driver or a tool is left with.

Lives here: narrowing by the ceiling, the faults and the warning met on the way. Not here:
hooks, which no ceiling bounds (granting), the values (grant). Rooms above may import it.
"""

import msgspec

from inspector.manifest import granting, scope
from inspector.manifest.artifact_entry import ArtifactEntry
from inspector.manifest.capability import Capabilities
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.fault import Fault
from inspector.manifest.grant import DriverGrant, NetworkRule

UNCOVERED = "W-SEC-007"


class Narrowed(msgspec.Struct, frozen=True):
    """What an entry is left with.

    Attributes:
        grant: Without the rules that the ceiling does not cover; with faults it holds
            what is right.
        dropped: Those rules, in manifest order.
        faults: What the runtime refuses the entry for.
    """

    grant: DriverGrant
    dropped: tuple[NetworkRule, ...] = ()
    faults: tuple[Fault, ...] = ()


def narrow(entry: ArtifactEntry, capsule_wide: Capabilities | None) -> Narrowed:
    """What the entry of a driver or a tool is left with under the capsule's ceiling.

    An entry without a network block has the whole ceiling; one with a block has its own
    rules as far as a rule of the ceiling covers them.

    Args:
        entry: The operator's entry.
        capsule_wide: The block at the top of the manifest; bad rules in it count as absent.

    Source: spec/manifest.md 3, spec/imports.md 2.3.
    """
    ceiling, own = capsule_wide or Capabilities(), entry.capabilities or Capabilities()
    rules, _ = _rules(ceiling)
    dropped: tuple[NetworkRule, ...] = ()
    faults: tuple[Fault, ...] = ()
    if "network" in own.declared:
        wanted, faults = _rules(own)
        dropped = tuple(r for r in wanted if not any(bound.covers(r) for bound in rules))
        rules = tuple(rule for rule in wanted if rule not in dropped)
    folder = own.filesystem_scope
    fault = None if folder is None else scope.scope_fault(folder)
    if fault is not None:
        faults = (*faults, fault)
    grant = DriverGrant(
        network=rules,
        filesystem_scope=None if folder is None or fault is not None else folder.text,
        env=ceiling.env_allow,
    )
    return Narrowed(grant, dropped, faults)


def _rules(block: Capabilities) -> tuple[tuple[NetworkRule, ...], tuple[Fault, ...]]:
    parsed = granting.network_rules(block)
    return (
        tuple(rule for rule in parsed if isinstance(rule, NetworkRule)),
        tuple(fault for fault in parsed if isinstance(fault, Fault)),
    )


def warnings(entry: ArtifactEntry, narrowed: Narrowed, file: str) -> list[Diagnostic]:
    """One warning for each rule that the ceiling does not cover.

    Args:
        entry: The operator's entry.
        narrowed: What `narrow` made of it.
        file: The capsule manifest.

    Source: spec/manifest.md 3 (W-SEC-007).
    """
    return [
        Diagnostic(
            Severity.WARNING,
            UNCOVERED,
            f"{entry.role} '{entry.name}' declares the network target '{rule.entry}', which no "
            "capsule-wide capabilities.network.allow entry covers, so it is dropped",
            "Add it to the capsule-wide `network.allow`, with the same scheme and port or "
            "without any, or leave it out here.",
            file,
            rule.line,
        )
        for rule in narrowed.dropped
    ]
