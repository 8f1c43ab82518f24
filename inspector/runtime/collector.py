"""Gathers what the blocking hooks of one dispatch may commit.

Lives here: every artifact, the first of everything else. Not here: judging (judge).
Only runtime imports it.
"""

from typing import Any

from inspector.contract.record import Artifact, Outcome, Reopen, Seed
from inspector.contract.value import to_json
from inspector.runtime.judge import Verdict


class Collector:
    """Collects honored payloads in call order (spec/dispatch.md 4)."""

    def __init__(self) -> None:
        self._artifacts: list[Artifact] = []
        self._replacement: tuple[Any, ...] | None = None
        self._seed: Seed | None = None
        self._reopen: Reopen | None = None

    def take(self, hook: str, verdict: Verdict) -> bool:
        """Keep an honored payload; False when an earlier hook's stands."""
        match verdict.arm:
            case "artifact":
                self._artifacts.append(Artifact(hook, verdict.payload))
                return True
            case "replace-context" if self._replacement is None:
                self._replacement = tuple(to_json(verdict.payload))
                return True
            case "seed-context" if self._seed is None:
                self._seed = Seed(hook, tuple(to_json(verdict.payload)))
                return True
            case "reopen-task" if self._reopen is None:
                self._reopen = Reopen(hook, verdict.payload)
                return True
        return False

    def outcome(self) -> Outcome:
        """What the caller of the dispatcher gets."""
        return Outcome(
            artifacts=tuple(self._artifacts),
            replacement=self._replacement,
            seed=self._seed,
            reopen=self._reopen,
        )
