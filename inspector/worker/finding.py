"""Everything found about an opened capsule, in one list.

Lives here: joining what the manifests gave with what compiling and instantiating gave.
Not here: the texts (runtime) and manifest checks (manifest, capsule). Only worker
imports it.
"""

from collections.abc import Mapping, Sequence

from inspector.capsule import build_trace
from inspector.capsule.capsule import Capsule
from inspector.contract.profile import Profile
from inspector.manifest import capsule_lint, lint
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.lint import Build, LintedHook
from inspector.runtime.component import ComponentShape
from inspector.runtime.session import PreparedHook
from inspector.runtime.type_check import check_function
from inspector.worker.doctor import import_note, rejection_hint


def findings_of(
    capsule: Capsule,
    profile: Profile,
    hooks: Sequence[PreparedHook],
    rejections: Mapping[str, str],
) -> tuple[Diagnostic, ...]:
    """Join all findings; exactly one stops the launch when anything does.

    Args:
        capsule: Its diagnostics come first.
        profile: The profile that judges.
        hooks: Compiled or refused.
        rejections: The runtime's text by hook.

    Returns:
        Diagnostics of the manifests in their order, then rejections, then what concerns
        several hooks, then lints, in hook order.
    """
    found = list(capsule.diagnostics)
    known = {(d.hook, d.message) for d in found}
    stopped = any(d.stops_launch for d in found)
    for hook in hooks:
        text = rejections.get(hook.artifact.name)
        if text is None or (hook.artifact.name, text) in known:
            continue
        found.append(_rejection(profile, hook, text, stops=not stopped))
        stopped = True
    file = None if capsule.manifest_path is None else str(capsule.manifest_path)
    found += capsule_lint.all_rejected([h.artifact.name for h in hooks], rejections, file)
    grants = [(hook.artifact.name, hook.artifact.grant) for hook in hooks]
    found += capsule_lint.shared_stores(grants, profile, file)
    for hook in hooks:
        found += _lints(capsule, profile, hook)
    return tuple(found)


def _lints(capsule: Capsule, profile: Profile, hook: PreparedHook) -> tuple[Diagnostic, ...]:
    """What a hook's shape tells against what it declares."""
    if hook.compiled is None:
        return ()
    artifact, shape = hook.artifact, hook.compiled.shape
    lifecycle = shape.export(profile.contract.interface)
    if lifecycle is None:
        return ()
    wanted = profile.contract.lifecycle.functions
    linted = LintedHook(
        name=artifact.name,
        config=artifact.config,
        grant=artifact.grant,
        on_overflow=artifact.on_overflow,
        exports=tuple(lifecycle.functions),
        imports=tuple(name for name, each in shape.imports.items() if not each.types_only),
        manifest_file=None if capsule.manifest_path is None else str(capsule.manifest_path),
        component_file=None if artifact.source is None else artifact.source.path,
        has_driver=capsule.driver is not None,
        mismatched=tuple(
            event
            for event, ours in wanted.items()
            if (theirs := lifecycle.functions.get(event)) and check_function(ours, theirs)
        ),
        build=_build(artifact.component or b""),
    )
    return lint.findings(linted, profile)


def _build(component: bytes) -> Build:
    trace = build_trace.trace(component)
    tool = "" if trace.toolchain is None else str(trace.toolchain)
    return Build(trace.component_bytes, tool, trace.debug_bytes, trace.name_bytes)


def _rejection(profile: Profile, hook: PreparedHook, text: str, *, stops: bool) -> Diagnostic:
    source = hook.artifact.source
    shape = ComponentShape({}, {}) if hook.compiled is None else hook.compiled.shape
    unmet = next(
        (
            each
            for name, each in shape.imports.items()
            if profile.contract.import_rule(name) is None and not each.types_only
        ),
        None,
    )
    hints = [hook.hint]
    if hook.compiled is not None:
        note = "" if unmet is None else import_note(profile, unmet, provided=False, gate=None)
        hints = [note, rejection_hint(profile, shape)]
    return Diagnostic(
        Severity.ERROR,
        "rejected",
        text,
        hint=" ".join(filter(None, hints)),
        file=None if source is None else source.path,
        line=hook.line,
        column=hook.column,
        hook=hook.artifact.name,
        stops_launch=stops,
    )
