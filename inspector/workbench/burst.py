"""Firing many: the same event again and again, or a batch of different ones.

Lives here: `Plan`, what is to be fired how often and how fast, and `Burst`, which gives
out one action after the other and counts what becomes of each. Not here: sending
(gui.workbench_bridge), timers and bars (gui.burst_link, views.composer_burst). Rooms
above may import it.

A burst is asked for its next action only when nothing is running, so no queue ever
grows. Every action that was given out ends in exactly one of finished, refused or lost.
"""

import enum
import time
from collections import Counter
from collections.abc import Callable

import msgspec

from inspector.workbench import verdict
from inspector.workbench.state import Action, Firing, FiringStatus

MOST_TIMES = 1_000_000
MOST_PER_S = 10_000
_CATCH_UP_S = 0.1
"""A burst that is late makes up for at most so long; after a stall it does not rush."""


class Shot(msgspec.Struct, frozen=True):
    """One action of a burst, with the name that marks it in the timeline, or ""."""

    action: Action
    label: str = ""


class Plan(msgspec.Struct, frozen=True):
    """What a burst is to fire.

    Attributes:
        shots: In this order, round after round; at least one.
        rounds: How often all of them, or None until it is stopped.
        per_s: Actions per second at most, or None for as fast as they go.
        title: What it is, in a few words.
    """

    shots: tuple[Shot, ...]
    rounds: int | None = 1
    per_s: float | None = None
    title: str = ""

    @property
    def total(self) -> int | None:
        """All actions, or None when it goes on until it is stopped."""
        return None if self.rounds is None else self.rounds * len(self.shots)


class Ending(enum.StrEnum):
    """How a burst came to its end."""

    DONE = "done"
    STOPPED = "stopped"
    LOST = "engine lost"


class Progress(msgspec.Struct, frozen=True):
    """How far a burst is.

    Attributes:
        total: As in Plan.
        sent: Given out.
        finished: With a record.
        refused: The engine would not run them.
        lost: The engine ended while they ran.
        words: Finished ones by the word of their verdict.
        elapsed_s: Since it began, until it ended.
        median_us: Duration of a middling step to three figures; None before the first.
        longest_us: Of the longest step; None before the first.
        ending: None while it goes on.
        reason: Why it ended before its time, or "".
    """

    total: int | None
    sent: int
    finished: int
    refused: int
    lost: int
    words: dict[str, int]
    elapsed_s: float
    median_us: int | None
    longest_us: int | None
    ending: Ending | None
    reason: str = ""

    @property
    def per_s(self) -> float:
        """Actions per second so far."""
        return (self.finished + self.refused) / self.elapsed_s if self.elapsed_s > 0 else 0.0


class Burst:
    """One burst under way.

    Attributes:
        plan: What it fires.
    """

    def __init__(self, plan: Plan, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin now.

        Args:
            plan: What to fire; checked.
            clock: Seconds; only differences count.

        Raises:
            ValueError: for a plan without shots or with a number out of range.
        """
        if not plan.shots:
            raise ValueError("a burst needs an action")
        if plan.rounds is not None and not 1 <= plan.rounds <= MOST_TIMES:
            raise ValueError(f"a burst has 1 to {MOST_TIMES} rounds")
        if plan.per_s is not None and not 0 < plan.per_s <= MOST_PER_S:
            raise ValueError(f"a burst has at most {MOST_PER_S} actions per second")
        self.plan = plan
        self._clock = clock
        self._started_s = self._due_s = clock()
        self._ended_s: float | None = None
        self._sent = self._refused = self._lost = 0
        self._open: set[int] = set()
        self._words: Counter[str] = Counter()
        self._times: Counter[int] = Counter()
        self._longest_us: int | None = None
        self._ending: Ending | None = None
        self._reason = ""

    # -- giving out --------------------------------------------------------------------

    @property
    def is_giving(self) -> bool:
        """Whether more actions are to come."""
        return self._ending is None and self._sent != self.plan.total

    @property
    def is_over(self) -> bool:
        """Whether nothing is to come and nothing is open."""
        return not self.is_giving and not self._open

    def wait_s(self) -> float:
        """Seconds until the next action is due; 0 when it is."""
        return max(0.0, self._due_s - self._clock()) if self.is_giving else 0.0

    def take(self, step: int) -> Shot | None:
        """The next action, to be sent under a number now.

        Args:
            step: The number.

        Returns:
            None when none is due yet or to come at all.
        """
        if not self.is_giving or self.wait_s() > 0:
            return None
        if self.plan.per_s is not None:
            earliest = self._clock() - _CATCH_UP_S
            self._due_s = max(self._due_s + 1 / self.plan.per_s, earliest)
        shot = self.plan.shots[self._sent % len(self.plan.shots)]
        self._sent += 1
        self._open.add(step)
        return shot

    # -- what became of them -----------------------------------------------------------

    def tell(self, step: int, firing: Firing | None) -> None:
        """Say what became of an action; those of others are passed over.

        Args:
            step: Its number.
            firing: As it stands in the history, None when it went from there.
        """
        if step not in self._open:
            return
        self._open.remove(step)
        if firing is None or firing.status is FiringStatus.LOST:
            self._lost += 1
        elif firing.record is None:
            self._refused += 1
        else:
            self._words[verdict.of_firing(firing).word] += 1
            took_us = firing.record.duration_us
            self._times[_rounded(took_us)] += 1
            self._longest_us = max(took_us, self._longest_us or 0)
        self._settle()

    def stop(self, reason: str = "") -> None:
        """Give out nothing more; what runs is still counted."""
        if self.is_giving:
            self._ending = Ending.STOPPED
            self._reason = reason
            self._settle()

    def lose(self, reason: str) -> None:
        """The engine is gone: what is open is lost, and nothing more is given out."""
        if self.is_over:
            return
        self._lost += len(self._open)
        self._open.clear()
        self._ending = Ending.LOST
        self._reason = reason
        self._settle()

    def _settle(self) -> None:
        if self.is_over and self._ended_s is None:
            self._ended_s = self._clock()
            self._ending = self._ending or Ending.DONE

    def progress(self) -> Progress:
        """How far it is."""
        until = self._clock() if self._ended_s is None else self._ended_s
        return Progress(
            self.plan.total,
            self._sent,
            self._words.total(),
            self._refused,
            self._lost,
            dict(self._words),
            until - self._started_s,
            _median(self._times),
            self._longest_us,
            self._ending if self.is_over else None,
            self._reason,
        )


def _rounded(number: int) -> int:
    """A number to three figures, so that a long burst keeps few of them."""
    unit: int = 10 ** max(0, len(str(number)) - 3)
    return round(number / unit) * unit


def _median(counts: Counter[int]) -> int | None:
    passed = 0
    half = counts.total() / 2
    for number in sorted(counts):
        passed += counts[number]
        if passed >= half:
            return number
    return None
