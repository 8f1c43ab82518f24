"""What a hook was granted, what it used, and what it was refused.

Lives here: `GrantLedger`, fed by the imports beside, and its snapshot. Not here: the
grants themselves (manifest.grant) and their enforcement (the modules beside, wasi).
Only runtime and worker import it.
"""

import enum
import threading
import time
from collections.abc import Callable

import msgspec

from inspector.manifest.grant import Grant


class GrantKind(enum.StrEnum):
    """What a grant opens; the words of the operator's entry."""

    NETWORK = "network"
    FILESYSTEM = "filesystem"
    STATE = "state"
    TASK_IO = "task_io"
    CONVERSATION = "conversation"
    INFERENCE = "inference"


OBSERVED = frozenset(
    {GrantKind.NETWORK, GrantKind.TASK_IO, GrantKind.CONVERSATION, GrantKind.INFERENCE}
)
"""Kinds whose every use passes through a host function of ours.

Files are opened inside the engine, which tells nobody; a look at the folder would miss
every read, so nothing is said of them instead of something wrong.
"""


class GrantUse(msgspec.Struct, frozen=True):
    """One line of the ledger.

    Attributes:
        kind: See GrantKind.
        entry: The rule, scope or store as declared; "" for a kind as a whole.
        declared: Whether it is granted.
        observable: Whether uses and refusals are seen at all.
        uses: Answered calls, sent requests.
        refusals: Calls and requests that were refused.
        last_used_ms: Wall clock of the last use, milliseconds since 1970, or None.
    """

    kind: GrantKind
    entry: str
    declared: bool
    observable: bool
    uses: int = 0
    refusals: int = 0
    last_used_ms: int | None = None

    @property
    def is_idle(self) -> bool:
        """Whether it is granted and certainly was never used."""
        return self.declared and self.observable and not self.uses


class LedgerSnapshot(msgspec.Struct, frozen=True):
    """The ledger of one hook at one moment, grants in the order of the operator's entry."""

    hook: str
    uses: tuple[GrantUse, ...]

    def of(self, kind: GrantKind) -> tuple[GrantUse, ...]:
        """The lines of one kind; at least one."""
        return tuple(use for use in self.uses if use.kind is kind)


def _wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


class GrantLedger:
    """Counts uses and refusals of one hook's grants; any thread may call it."""

    def __init__(
        self,
        hook: str,
        grant: Grant,
        *,
        has_driver: bool = False,
        clock_ms: Callable[[], int] = _wall_clock_ms,
    ) -> None:
        """Open a ledger with nothing used.

        Args:
            hook: Its name.
            grant: What the operator granted.
            has_driver: Whether the session answers run-inference at all.
            clock_ms: Milliseconds since 1970.
        """
        self._hook = hook
        self._clock_ms = clock_ms
        self._lock = threading.Lock()
        self._lines = {(line.kind, line.entry): line for line in _declared(grant, has_driver)}

    def used(self, kind: GrantKind, entry: str = "") -> None:
        """Count one use.

        Args:
            kind: What was used.
            entry: The rule that allowed it, for the network.
        """
        with self._lock:
            line = self._line(kind, entry)
            self._lines[line.kind, line.entry] = msgspec.structs.replace(
                line, uses=line.uses + 1, last_used_ms=self._clock_ms()
            )

    def refused(self, kind: GrantKind) -> None:
        """Count one refusal."""
        with self._lock:
            line = self._line(kind, "")
            self._lines[line.kind, line.entry] = msgspec.structs.replace(
                line, refusals=line.refusals + 1
            )

    def snapshot(self) -> LedgerSnapshot:
        """The ledger now."""
        with self._lock:
            return LedgerSnapshot(self._hook, tuple(self._lines.values()))

    def _line(self, kind: GrantKind, entry: str) -> GrantUse:
        return self._lines.get((kind, entry)) or GrantUse(kind, entry, False, kind in OBSERVED)


def _declared(grant: Grant, has_driver: bool) -> list[GrantUse]:
    """One line per network rule, and one for each kind as a whole."""
    rules = dict.fromkeys(rule.entry for rule in grant.network)
    lines = [GrantUse(GrantKind.NETWORK, entry, True, True) for entry in rules]
    if not lines:
        lines = [GrantUse(GrantKind.NETWORK, "", False, True)]
    whole = (
        (GrantKind.FILESYSTEM, grant.filesystem_scope),
        (GrantKind.STATE, grant.state_store),
        (GrantKind.TASK_IO, "" if grant.task_io else None),
        (GrantKind.CONVERSATION, "" if grant.conversation else None),
        (GrantKind.INFERENCE, "" if has_driver else None),
    )
    lines += [GrantUse(k, entry or "", entry is not None, k in OBSERVED) for k, entry in whole]
    return lines
