"""Describes an opened capsule: exports, imports, grants, events, profiles.

Lives here: from capsule, compiled shapes and rejections to the public document. Not
here: its structs (protocol.inspection) and lints (manifest.lint). Only worker imports
it.
"""

from collections.abc import Sequence

import msgspec

from inspector.capsule.capsule import Capsule, HookArtifact
from inspector.contract.contract import EVENTS, Contract, Phase
from inspector.contract.profile import PROFILES, Profile
from inspector.contract.type import signature
from inspector.manifest.diagnostic import Diagnostic
from inspector.manifest.grant import Grant
from inspector.protocol.inspection import (
    FORMAT,
    CapsuleHead,
    EventView,
    ExportView,
    GrantsView,
    HonoredView,
    HookView,
    ImportView,
    Inspection,
    LimitsView,
    RuleView,
    SourceView,
)
from inspector.runtime.component import ComponentShape
from inspector.runtime.sandbox import environment
from inspector.runtime.session import PreparedHook
from inspector.runtime.type_check import check_function
from inspector.worker.contract_difference import lifecycle_of, report
from inspector.worker.doctor import import_note
from inspector.worker.setup import Probe


def inspect(
    capsule: Capsule,
    profile: Profile,
    hooks: Sequence[PreparedHook],
    probe: Probe,
    diagnostics: Sequence[Diagnostic],
) -> Inspection:
    """Describe a capsule under a profile.

    Args:
        capsule: As opened.
        profile: The profile that judges.
        hooks: Its hooks, compiled or refused.
        probe: What a launch came to.
        diagnostics: Everything found.

    Returns:
        The document of `inspect --format json`.
    """
    limits = capsule.limits
    stopped = next((d.message for d in capsule.diagnostics if d.stops_launch), None)
    return Inspection(
        format=FORMAT,
        capsule=CapsuleHead(capsule.name, capsule.version, str(capsule.path), profile.name),
        limits=LimitsView(
            limits.memory_bytes,
            limits.table_elements,
            limits.instances,
            limits.hook_deadline_s(profile.hook_deadline_s),
        ),
        hooks=tuple(_hook(capsule, profile, hook, probe) for hook in hooks),
        diagnostics=tuple(diagnostics),
        launch_refusal=probe.refusal if stopped is None else stopped,
    )


def outline(capsule: Capsule, profile: Profile) -> Inspection:
    """Describe a capsule before anything of it is compiled, for a list at once.

    Args:
        capsule: As opened.
        profile: The profile that judges.

    Returns:
        Names, sources, configurations, grants and events; `complete` is False.
    """
    hooks = [PreparedHook(artifact, None, artifact.refusal) for artifact in capsule.hooks]
    refused = {h.artifact.name: h.rejection for h in hooks if h.rejection is not None}
    found = inspect(capsule, profile, hooks, Probe(refused, None, {}), capsule.diagnostics)
    return msgspec.structs.replace(found, complete=False)


def _hook(capsule: Capsule, profile: Profile, prepared: PreparedHook, probe: Probe) -> HookView:
    artifact = prepared.artifact
    rejection = probe.rejections.get(artifact.name)
    compiled = prepared.compiled
    shape = ComponentShape({}, {}) if compiled is None else compiled.shape
    source = artifact.source
    lifecycle = lifecycle_of(profile.contract, shape)
    profiles = {
        name: would_take(each, shape) if name != profile.name else rejection is None
        for name, each in PROFILES.items()
    }
    return HookView(
        name=artifact.name,
        version=artifact.version,
        source=None if source is None else SourceView(str(source.kind), source.path, source.sha256),
        binding=artifact.config.binding_word,
        execution_mode=str(artifact.config.execution_mode),
        commit_policy=artifact.config.commit_policy,
        on_overflow=str(artifact.on_overflow),
        lifecycle=None if lifecycle is None else lifecycle.name,
        accepted=rejection is None,
        rejection=rejection,
        profiles=profiles,
        exports=exports_of(profile.contract, shape) if compiled else (),
        imports=tuple(imports_of(profile, artifact.grant, shape, capsule)),
        grants=_grants(artifact.grant),
        env=environment(profile, artifact.grant, capsule.env),
        events=tuple(event_view(profile, artifact, event) for event in EVENTS),
        other_exports=_other_exports(profile.contract, shape),
        component_bytes=len(artifact.component or b""),
        compile_us=0 if compiled is None else compiled.compile_us,
        instantiate_us=probe.instantiate_us.get(artifact.name, 0),
        differences=report(profile, shape, [name for name, takes in profiles.items() if takes]),
    )


def _other_exports(contract: Contract, shape: ComponentShape) -> tuple[str, ...]:
    """Exports that the contract does not name."""
    lifecycle = shape.export(contract.interface)
    known = None if lifecycle is None else lifecycle.name
    others = (name for name in shape.exports if name != known)
    return (*others, *shape.other_exports)


def would_take(profile: Profile, shape: ComponentShape) -> bool:
    """Whether a profile would make an instance, judged by names alone.

    Source: spec/dispatch.md 3.
    """
    contract = profile.contract
    lifecycle = shape.export(contract.interface)
    if lifecycle is None:
        return False
    if any(name not in lifecycle.functions for name in contract.rules.required):
        return False
    return not shape.other_imports and all(
        interface.types_only or contract.import_rule(name) is not None
        for name, interface in shape.imports.items()
    )


def exports_of(contract: Contract, shape: ComponentShape) -> tuple[ExportView, ...]:
    """The nine functions against the contract."""
    lifecycle = shape.export(contract.interface)
    found = {} if lifecycle is None else lifecycle.functions
    views = []
    for event in EVENTS:
        wanted, theirs = contract.function(event), found.get(event)
        mismatch = None if theirs is None else check_function(wanted, theirs)
        views.append(
            ExportView(
                function=event,
                required=event in contract.rules.required,
                present=theirs is not None,
                signature_matches=None if theirs is None else mismatch is None,
                signature=signature(wanted if theirs is None else theirs),
                mismatch=None if mismatch is None else f"{mismatch.text}: {mismatch.detail}",
            )
        )
    return tuple(views)


def imports_of(
    profile: Profile, grant: Grant, shape: ComponentShape, capsule: Capsule
) -> list[ImportView]:
    """Every imported interface: provided or not, gated by what, granted or not."""
    gates = {
        "network": bool(grant.network),
        "filesystem": grant.filesystem_scope is not None or grant.state_store is not None,
        "task_io": grant.task_io,
        "conversation": grant.conversation,
        "inference": capsule.driver is not None,
    }
    views = []
    for name, interface in shape.imports.items():
        rule = profile.contract.import_rule(name)
        gate = None if rule is None else rule.gate
        provided = rule is not None or interface.types_only
        views.append(
            ImportView(
                interface=name,
                provided=provided,
                gate=gate,
                granted=None if gate is None else gates[gate],
                note=import_note(profile, interface, provided=provided, gate=gate),
                functions=tuple(interface.functions),
            )
        )
    views += [
        ImportView(name, False, None, None, "No runtime provides imports that are no interface.")
        for name in shape.other_imports
    ]
    return views


def _grants(grant: Grant) -> GrantsView:
    return GrantsView(
        network=tuple(RuleView(r.entry, r.scheme, r.host, r.port) for r in grant.network),
        filesystem_scope=grant.filesystem_scope,
        state_store=grant.state_store,
        task_io=grant.task_io,
        conversation=grant.conversation,
        config=grant.config_json,
    )


def event_view(profile: Profile, artifact: HookArtifact, event: str) -> EventView:
    """Whether and how an event reaches a hook (spec/dispatch.md 2, 4, 5)."""
    config = artifact.config
    is_stage = event == EVENTS[0]
    reached = config.reaches(event) and not (is_stage and config.execution_mode == "async")
    phases = []
    if reached:
        phases.append("stage" if is_stage else str(Phase.OBSERVE))
    if profile.has_decisions and config.gates(event):
        phases.append(str(Phase.DECIDE))
    contract = profile.contract
    honored = HonoredView(
        contract.honored_arm(event, Phase.OBSERVE), contract.honored_arm(event, Phase.DECIDE)
    )
    return EventView(event, reached, tuple(phases), honored)
