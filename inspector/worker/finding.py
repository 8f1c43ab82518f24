"""Everything found about an opened capsule, in one list.

Lives here: joining what the manifests gave with what compiling and instantiating gave.
Not here: the texts (runtime) and manifest checks (manifest, capsule). Only worker
imports it.
"""

from collections.abc import Mapping, Sequence

from inspector.capsule.capsule import Capsule
from inspector.contract.profile import Profile
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.runtime.component import ComponentShape
from inspector.runtime.session import PreparedHook
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
        Diagnostics of the manifests in their order, then rejections in hook order.
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
    return tuple(found)


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
    hint = (
        rejection_hint(profile, shape)
        if unmet is None
        else import_note(profile, unmet, provided=False, gate=None)
    )
    return Diagnostic(
        Severity.ERROR,
        "rejected",
        text,
        hint=hint,
        file=None if source is None else source.path,
        hook=hook.artifact.name,
        stops_launch=stops,
    )
