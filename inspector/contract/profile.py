"""Runtime profiles: which contract a runtime accepts, and where its behaviour differs.

Lives here: the named policies of each profile, as data. Not here: the code that
follows them (runtime). Every room above may import it.
"""

import enum

import msgspec

from inspector.contract.contract import Contract, load


class AsyncPolicy(enum.StrEnum):
    """How async hooks are run.

    QUEUED: one instance per hook, a queue, one worker. DETACHED: a fresh instance per
    event, no order, errors only in the hook's log.
    """

    QUEUED = "queued"
    DETACHED = "detached"


class UnhonoredPolicy(enum.StrEnum):
    """What becomes of an arm that the event does not honor."""

    FAULT = "fault"
    SILENT = "silent"


class GrantPolicy(enum.StrEnum):
    """Where a hook's directories and network come from.

    DECLARED: from the operator's entry. INHERITED: the whole root directory and the
    host's network, for every hook.
    """

    DECLARED = "declared"
    INHERITED = "inherited"


class Profile(msgspec.Struct, frozen=True):
    """The behaviour of one line of runtimes.

    Attributes:
        name: As on the command line.
        runtime: The runtime version it mirrors.
        contract_version: The one lifecycle version it accepts.
        async_policy: See AsyncPolicy.
        unhonored: See UnhonoredPolicy.
        grants: See GrantPolicy.
        missing_interface: Text for a component without the interface; `{hook}` is
            NAME@VERSION, `{interface}` the full name.
        compaction_errors_surface: Whether a compaction hook's error reaches the caller.
        has_decisions: Whether calls are put to policy hooks.
        checks_policy_binding: Whether the hook's own manifest is refused when its
            policy does not fit its binding.
        signs_checkpoints: Whether checkpoints are signed and checked.
        hook_deadline_s: Deadline of a hook call when the manifest declares none.
        passes_config: Whether MURMUR_ARTIFACT_CONFIG is set.

    Source: spec/contract.md 8.
    """

    name: str
    runtime: str
    contract_version: str
    async_policy: AsyncPolicy
    unhonored: UnhonoredPolicy
    grants: GrantPolicy
    missing_interface: str
    compaction_errors_surface: bool
    has_decisions: bool
    checks_policy_binding: bool
    signs_checkpoints: bool
    hook_deadline_s: int
    passes_config: bool

    @property
    def contract(self) -> Contract:
        """The contract of this profile."""
        return load(self.contract_version)


_REBUILD = "(run `mur install` for a default artifact, or rebuild from source otherwise)"
_CURRENT = (
    "hook {hook} does not export {interface}; rebuild the hook against the current WIT " + _REBUILD
)

_OLDEST = Profile(
    name="0.1",
    runtime="0.1.0",
    contract_version="0.2.0",
    async_policy=AsyncPolicy.DETACHED,
    unhonored=UnhonoredPolicy.SILENT,
    grants=GrantPolicy.INHERITED,
    missing_interface="hook {hook} missing export {interface}; rebuild the hook against "
    "the versioned WIT " + _REBUILD,
    compaction_errors_surface=False,
    has_decisions=False,
    checks_policy_binding=False,
    signs_checkpoints=True,
    hook_deadline_s=600,
    passes_config=False,
)
_DEFAULT = Profile(
    name="0.3",
    runtime="0.3.0",
    contract_version="0.8.0",
    async_policy=AsyncPolicy.QUEUED,
    unhonored=UnhonoredPolicy.FAULT,
    grants=GrantPolicy.DECLARED,
    missing_interface=_CURRENT,
    compaction_errors_surface=True,
    has_decisions=True,
    checks_policy_binding=True,
    signs_checkpoints=False,
    hook_deadline_s=30,
    passes_config=True,
)
_NEWEST = msgspec.structs.replace(_DEFAULT, name="0.4", runtime="0.4.0", contract_version="0.9.0")

PROFILES = {each.name: each for each in (_OLDEST, _DEFAULT, _NEWEST)}
"""Every profile by name."""

DEFAULT_PROFILE = "0.3"


def profile(name: str) -> Profile:
    """The profile of a name.

    Args:
        name: One of PROFILES.

    Raises:
        KeyError: for any other name.
    """
    return PROFILES[name]
