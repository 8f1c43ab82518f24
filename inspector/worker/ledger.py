"""What hooks used of their grants, for the front: manifest lines and suggestions.

Lives here: from the runtime's ledgers to events, when something has changed. Not here:
counting (runtime.host.ledger). Only worker imports it.
"""

from collections.abc import Callable, Mapping

from inspector.capsule.capsule import Capsule, HookArtifact
from inspector.protocol.message import Event, GrantUse, LedgerChanged
from inspector.runtime.host.ledger import GrantKind, LedgerSnapshot
from inspector.runtime.host.ledger import GrantUse as Counted
from inspector.runtime.session import Session

_BLOCKS = {
    GrantKind.TASK_IO: "  task_io: {read: true}",
    GrantKind.CONVERSATION: "  conversation: {read: true}",
}
_DRIVER = "inference:\n  driver: {artifact: NAME}"


class LedgerWatch:
    """Remembers what was told of each hook's ledger."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._last: dict[str, LedgerChanged] = {}
        self._refused: dict[str, list[str]] = {}

    def begin(self) -> None:
        """Forget an earlier session."""
        self._last.clear()
        self._refused.clear()

    def note_refusal(self, hook: str, target: str) -> None:
        """Remember a network target that was refused, for the suggestion.

        Args:
            hook: The hook's name.
            target: As an entry of `network.allow` would spell it.
        """
        targets = self._refused.setdefault(hook, [])
        if target not in targets and len(targets) < _TARGETS:
            targets.append(target)

    def update(self, capsule: Capsule, session: Session) -> None:
        """Tell what has changed since the last time."""
        artifacts = {hook.name: hook for hook in capsule.hooks}
        for snapshot in session.host.ledgers():
            event = self._event(artifacts[snapshot.hook], snapshot)
            if self._last.get(snapshot.hook) != event:
                self._last[snapshot.hook] = event
                self._emit(event)

    def _event(self, artifact: HookArtifact, snapshot: LedgerSnapshot) -> LedgerChanged:
        refused = self._refused.get(artifact.name, [])
        uses = tuple(_use(artifact.grant.lines, use, refused) for use in snapshot.uses)
        return LedgerChanged(snapshot.hook, uses)


_TARGETS = 20
"""So many refused network targets are kept of one hook for its suggestion."""


def _use(lines: Mapping[str, int], use: Counted, refused_targets: list[str]) -> GrantUse:
    return GrantUse(
        kind=str(use.kind),
        entry=use.entry,
        declared=use.declared,
        observable=use.observable,
        uses=use.uses,
        refusals=use.refusals,
        last_used_ms=use.last_used_ms,
        line=lines.get(str(use.kind)) if use.declared else None,
        suggestion=suggestion(use.kind, refused_targets) if use.refusals else "",
    )


def suggestion(kind: GrantKind, refused_targets: list[str]) -> str:
    """Manifest lines that would have allowed what was refused, ready to copy.

    Args:
        kind: What was refused.
        refused_targets: Network targets, as entries spell them.

    Returns:
        Lines for the hook's entry in the capsule manifest, or for its inference block.
    """
    if kind is GrantKind.NETWORK:
        entries = "".join(f'\n      - "{target}"' for target in refused_targets)
        return f"capabilities:\n  network:\n    allow:{entries}" if entries else ""
    if kind is GrantKind.INFERENCE:
        return _DRIVER
    block = _BLOCKS.get(kind)
    return "" if block is None else f"capabilities:\n{block}"
