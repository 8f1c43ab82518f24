"""Findings about the hooks of a capsule together.

Lives here: pure functions over names and grants. Not here: single hooks (lint). The
engine process calls them.
"""

from collections.abc import Collection, Sequence

from inspector.contract.profile import GrantPolicy, Profile
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.grant import Grant

HookGrant = tuple[str, Grant]
"""A hook's name and what its entry grants it."""


def shared_stores(
    hooks: Sequence[HookGrant], profile: Profile, file: str | None
) -> tuple[Diagnostic, ...]:
    """Hooks that see each other's files because their entries name one state store.

    Args:
        hooks: Every hook of the capsule, in manifest order.
        profile: A runtime without per-hook grants has no stores.
        file: The capsule manifest, or None.

    Returns:
        One finding per hook that shares a store, with the names of the others.

    Source: spec/manifest.md 4.4.
    """
    if profile.grants is not GrantPolicy.DECLARED:
        return ()
    found = []
    for index, (name, grant) in enumerate(hooks):
        others = [
            other
            for place, (other, each) in enumerate(hooks)
            if place != index and each.state_store == grant.state_store
        ]
        if grant.state_store is not None and others:
            found.append(_shared(name, grant, others, file))
    return tuple(found)


def _shared(name: str, grant: Grant, others: Sequence[str], file: str | None) -> Diagnostic:
    who = ", ".join(f"'{other}'" for other in others)
    noun = "hook" if len(others) == 1 else "hooks"
    text = f"hook '{name}' shares the state store '{grant.state_store}' with {noun} {who}"
    hint = (
        "There is no locking between them. Give each a `state: {store: ...}` of its own unless "
        "they are meant to share."
    )
    line = grant.lines.get("state")
    return Diagnostic(Severity.INFO, "shared-store", text, hint, file, line, None, name)


def all_rejected(
    hooks: Sequence[str], rejected: Collection[str], file: str | None
) -> tuple[Diagnostic, ...]:
    """A capsule of several hooks of which none is left.

    Args:
        hooks: Names of all hooks.
        rejected: Names of those that the runtime does not run.
        file: The capsule manifest, or None.
    """
    if len(hooks) < 2 or any(name not in rejected for name in hooks):
        return ()
    text = f"all {len(hooks)} hooks of the capsule are rejected, so no event reaches any hook"
    hint = "If one reason stands at all of them, another profile may be the right one."
    return (Diagnostic(Severity.WARNING, "all-rejected", text, hint, file),)
