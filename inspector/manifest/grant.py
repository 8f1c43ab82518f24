"""What the operator lets a hook or the driver touch, and the limits both run under.

Lives here: the values. Not here: how an entry becomes a grant (the modules beside),
and what enforces it (runtime). Rooms above may import it.
"""

from collections.abc import Mapping

import msgspec


class NetworkRule(msgspec.Struct, frozen=True):
    """One allowed target.

    Attributes:
        entry: As written in the manifest.
        scheme: `http` or `https`; None for either.
        host: Lower case, IPv6 in brackets.
        port: None for any.
        line: 1-based line of the entry in the manifest, or None.

    Source: spec/manifest.md 4.2.
    """

    entry: str
    scheme: str | None
    host: str
    port: int | None
    line: int | None = None

    def allows(self, scheme: str, host: str, port: int | None) -> bool:
        """Whether a request target matches; all three as the runtime normalizes them."""
        return self.host == host and self.scheme in (None, scheme) and self.port in (None, port)

    def covers(self, rule: "NetworkRule") -> bool:
        """Whether everything that another rule allows is allowed by this one."""
        return (
            self.host == rule.host
            and self.scheme in (None, rule.scheme)
            and self.port in (None, rule.port)
        )


class Grant(msgspec.Struct, frozen=True):
    """The grant of one hook; the default grants nothing.

    Attributes:
        network: Rules, in manifest order; empty denies every request.
        filesystem_scope: Folder below the root that becomes `.`, or None.
        state_store: Name of the store that becomes `state`, or None.
        task_io: Whether task texts may be read.
        conversation: Whether the record may be read.
        config_json: Compact JSON for MURMUR_ARTIFACT_CONFIG, or None.
        lines: 1-based manifest line of each declaration that is there; keys `network`,
            `filesystem`, `state`, `task_io`, `conversation`, `config`.

    Source: spec/manifest.md 4.1.
    """

    network: tuple[NetworkRule, ...] = ()
    filesystem_scope: str | None = None
    state_store: str | None = None
    task_io: bool = False
    conversation: bool = False
    config_json: str | None = None
    lines: Mapping[str, int] = {}


class DriverGrant(msgspec.Struct, frozen=True):
    """What the inference driver may touch; the default is a capsule that grants nothing.

    Attributes:
        network: Rules, in manifest order; empty denies every request.
        filesystem_scope: Folder below the accessible one that becomes `.`; None for all of
            it.
        env: Names of variables of the launching process that it sees.

    Source: spec/imports.md 2.3.
    """

    network: tuple[NetworkRule, ...] = ()
    filesystem_scope: str | None = None
    env: tuple[str, ...] = ()


class Limits(msgspec.Struct, frozen=True):
    """Bounds of every guest, from the capsule-wide block.

    Attributes:
        memory_bytes: Ceiling of one linear memory.
        table_elements: Ceiling of one table.
        instances: Ceiling of core instances in a store.
        declared_deadline_s: The declared deadline, or None; hooks then take their
            profile's default.

    Source: spec/manifest.md 4.7.
    """

    memory_bytes: int = 536870912
    table_elements: int = 100000
    instances: int = 1000
    declared_deadline_s: int | None = None

    def hook_deadline_s(self, default_s: int) -> int:
        """The deadline of a hook call in seconds: the declared one, else the default."""
        return default_s if self.declared_deadline_s is None else self.declared_deadline_s
