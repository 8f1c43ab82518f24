"""How near hooks come to their limits: memory over time, the longest calls.

Lives here: pure sums over live states and finished steps. Not here: the limits
themselves (protocol.inspection), painting (gui.views.memory_gauge). Rooms above may
import it.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from inspector.contract.record import HookCall, StepRecord
from inspector.protocol.message import HookState

MOST_SAMPLES = 512
"""Samples of one curve at most; beyond that its older half is thinned."""

US_PER_S = 1_000_000


class MemorySample(msgspec.Struct, frozen=True):
    """Linear memory after a firing.

    Attributes:
        step: Number of the newest firing at that moment.
        generation: Of the instance.
        memory_bytes: Summed over the hook's memories.
    """

    step: int
    generation: int
    memory_bytes: int


class MemoryCurve(msgspec.Struct, frozen=True):
    """The memory of one hook over the firings of a session.

    Attributes:
        samples: Oldest first, one per change; steps never go back.
        since_step: Number of the firing after which the instance was first seen.
        since_ms: Wall clock of that moment, milliseconds since 1970.
    """

    samples: tuple[MemorySample, ...] = ()
    since_step: int = 0
    since_ms: int = 0

    @property
    def peak_bytes(self) -> int:
        """The most that was seen."""
        return max((sample.memory_bytes for sample in self.samples), default=0)

    @property
    def generations(self) -> int:
        """How many instances were seen."""
        return len({sample.generation for sample in self.samples})

    def after(self, state: HookState, step: int, now_ms: int) -> "MemoryCurve":
        """The curve after a live state; the same curve when nothing has changed.

        Args:
            state: The hook's live state.
            step: Number of the newest firing.
            now_ms: Wall clock, milliseconds since 1970.
        """
        sample = MemorySample(step, state.generation, state.memory_bytes)
        last = self.samples[-1] if self.samples else None
        if last is not None and replace(last, step=step) == sample:
            return self
        curve = replace(self, samples=_thinned((*self.samples, sample)))
        if last is None or last.generation != state.generation:
            curve = replace(curve, since_step=step, since_ms=now_ms)
        return curve


def _thinned(samples: tuple[MemorySample, ...]) -> tuple[MemorySample, ...]:
    """Halve the older half once there are too many; of two samples the larger stays."""
    if len(samples) <= MOST_SAMPLES:
        return samples
    half = MOST_SAMPLES // 2
    pairs = zip(samples[0:half:2], samples[1:half:2], strict=True)
    kept = tuple(max(pair, key=lambda sample: sample.memory_bytes) for pair in pairs)
    return (*kept, *samples[half:])


class CallTime(msgspec.Struct, frozen=True):
    """The calls of one function of one hook.

    Attributes:
        function: Its name.
        calls: Calls that entered the hook.
        longest_us: The longest of them.
        longest_step: The firing of that call.
        total_us: All of them together.
    """

    function: str
    calls: int = 0
    longest_us: int = 0
    longest_step: int = 0
    total_us: int = 0

    def after(self, call: HookCall, step: int) -> "CallTime":
        """With one call more."""
        longest = call.duration_us > self.longest_us
        return CallTime(
            self.function,
            self.calls + call.count,
            call.duration_us if longest else self.longest_us,
            step if longest else self.longest_step,
            self.total_us + call.duration_us,
        )


CallTimes = Mapping[tuple[str, str], CallTime]
"""By hook and function."""


def with_record(times: CallTimes, record: StepRecord) -> CallTimes:
    """The times after a finished step; calls that did not enter their hook do not count.

    Args:
        times: The times before; they stay as they are.
        record: A finished step.
    """
    entered = [call for call in record.calls if call.duration_us > 0]
    if not entered:
        return times
    more = dict(times)
    for call in entered:
        function = call.event or record.event
        key = (call.hook, function)
        more[key] = more.get(key, CallTime(function)).after(call, record.step)
    return more


def of_hook(times: CallTimes, hook: str) -> tuple[CallTime, ...]:
    """The times of one hook, the longest call first."""
    found = [time for (name, _), time in times.items() if name == hook]
    return tuple(sorted(found, key=lambda time: -time.longest_us))


def part_text(part: float) -> str:
    """A part of a limit as people read it, e.g. `0.4 %`, `under 0.1 %`, `97 %`.

    Args:
        part: 0 and up; 1 is the whole.
    """
    percent = 100 * part
    if percent <= 0:
        return "0 %"
    if percent < 0.1:
        return "under 0.1 %"
    return f"{percent:.1f} %" if percent < 10 else f"{percent:.0f} %"


def level(part: float) -> str:
    """How worrying a part of a limit is, as a colour role.

    Args:
        part: 0 and up; 1 is the whole.
    """
    if part >= 0.9:
        return "negative"
    return "caution" if part >= 0.6 else "positive"
