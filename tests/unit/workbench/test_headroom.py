"""Memory curves and the longest calls."""

import pytest

from inspector.protocol.message import HookState
from inspector.workbench import headroom
from inspector.workbench.headroom import MOST_SAMPLES, CallTime, MemoryCurve
from tests.helpers.sample_state import call, record


def grown(*states):
    """A curve after (step, generation, bytes) at second `step`."""
    curve = MemoryCurve()
    for step, generation, size in states:
        live = HookState("a", "ready", memory_bytes=size, generation=generation)
        curve = curve.after(live, step, 1_000 * step)
    return curve


class TestCurve:
    """MemoryCurve."""

    def test_only_changes_are_kept(self):
        """The same curve when nothing has changed."""
        curve = grown((0, 0, 10), (3, 0, 20))
        live = HookState("a", "trapped", "x", memory_bytes=20)
        assert curve.after(live, 9, 9_000) is curve
        assert [(one.step, one.memory_bytes) for one in curve.samples] == [(0, 10), (3, 20)]
        assert (curve.peak_bytes, curve.generations) == (20, 1)

    def test_fresh_instance_has_an_age_of_its_own(self):
        """The peak is that of all instances."""
        curve = grown((0, 0, 10), (3, 0, 99), (5, 1, 10), (6, 1, 11))
        assert (curve.since_step, curve.since_ms) == (5, 5_000)
        assert (curve.peak_bytes, curve.generations) == (99, 2)

    def test_long_curve_is_thinned_where_it_is_old(self):
        """Peaks and the newer half stay."""
        states = [(step, 0, 1_000_000 if step == 7 else step) for step in range(3 * MOST_SAMPLES)]
        curve = grown(*states)
        assert len(curve.samples) <= MOST_SAMPLES
        assert curve.peak_bytes == 1_000_000
        steps = [one.step for one in curve.samples]
        assert steps == sorted(steps)
        newest = range(3 * MOST_SAMPLES - MOST_SAMPLES // 4, 3 * MOST_SAMPLES)
        assert steps[-len(newest) :] == list(newest)

    def test_nothing_measured(self):
        """An empty curve has no peak."""
        assert (MemoryCurve().peak_bytes, MemoryCurve().generations) == (0, 0)


class TestTimes:
    """with_record, of_hook."""

    def test_longest_call_of_each_function(self):
        """With the firing that it was in."""
        times = headroom.with_record({}, record(1, "on-shell", call("a", duration_us=50)))
        times = headroom.with_record(times, record(2, "on-shell", call("a", duration_us=80)))
        times = headroom.with_record(times, record(3, "on-shell", call("a", duration_us=20)))
        times = headroom.with_record(times, record(4, "on-stage", call("a", duration_us=90)))
        times = headroom.with_record(times, record(5, "on-stage", call("b", duration_us=7)))
        assert headroom.of_hook(times, "a") == (
            CallTime("on-stage", 1, 90, 4, 90),
            CallTime("on-shell", 3, 80, 2, 150),
        )

    def test_late_call_counts_for_its_own_event(self):
        """An async result arrives in another firing."""
        late = call("a", mode="async", event="on-task-end", duration_us=9)
        times = headroom.with_record({}, record(1, "pump", late, phase="control"))
        assert headroom.of_hook(times, "a")[0].function == "on-task-end"

    def test_call_that_did_not_enter_does_not_count(self):
        """Poisoned, absent, queued."""
        times: dict = {}
        assert headroom.with_record(times, record(1, "on-shell", call(duration_us=0))) is times


@pytest.mark.parametrize(
    ("part", "text", "role"),
    [
        (0.0, "0 %", "positive"),
        (0.0004, "under 0.1 %", "positive"),
        (0.0123, "1.2 %", "positive"),
        (0.61, "61 %", "caution"),
        (0.9, "90 %", "negative"),
        (1.02, "102 %", "negative"),
    ],
)
def test_part__of_a_limit__has_a_text_and_a_colour(part, text, role):
    """Never a zero for something."""
    assert headroom.part_text(part) == text
    assert headroom.level(part) == role
