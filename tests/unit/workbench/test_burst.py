"""Firing many, without an engine: what is given out when, and what is counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.message import Observe
from inspector.workbench.burst import MOST_TIMES, Burst, Ending, Plan, Shot
from inspector.workbench.state import Firing, FiringStatus
from tests.helpers import sample_state


class Clock:
    """Seconds that pass when told."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


def shot(name="on-stage", label=""):
    """One action."""
    return Shot(Observe(name), label)


def done(step, duration_us=41):
    """A firing that went well."""
    record = sample_state.record(step, "on-stage", sample_state.call(), duration_us=duration_us)
    return Firing(step, "on-stage", "observe", FiringStatus.FINISHED, 1, record=record)


def refused(step):
    """A firing that the engine would not run."""
    return Firing(step, "on-stage", "observe", FiringStatus.REFUSED, 1, note="No.")


def run_out(burst, first=1):
    """Take and finish everything; the labels in order."""
    labels = []
    step = first
    while (found := burst.take(step)) is not None:
        labels.append(found.label)
        burst.tell(step, done(step))
        step += 1
    return labels


class TestGivingOut:
    """Order, number, end."""

    def test_rounds_go_through_all_shots_in_order(self):
        """A batch twice."""
        burst = Burst(Plan((shot(label="a"), shot(label="b")), rounds=2))
        assert run_out(burst) == ["a", "b", "a", "b"]
        progress = burst.progress()
        assert (progress.sent, progress.finished, progress.total) == (4, 4, 4)
        assert progress.ending is Ending.DONE

    def test_over_only_when_the_last_is_finished(self):
        """Given out is not done."""
        burst = Burst(Plan((shot(),)))
        burst.take(7)
        assert not burst.is_giving
        assert not burst.is_over
        assert burst.progress().ending is None
        burst.tell(7, done(7))
        assert burst.is_over

    def test_without_an_end_it_goes_on_until_it_is_stopped(self):
        """And counts to the stop."""
        burst = Burst(Plan((shot(),), rounds=None))
        for step in range(1, 501):
            assert burst.take(step) is not None
            burst.tell(step, done(step))
        burst.take(501)
        burst.stop("Enough.")
        assert burst.take(502) is None
        assert burst.progress().ending is None
        burst.tell(501, done(501))
        progress = burst.progress()
        assert (progress.sent, progress.finished, progress.total) == (501, 501, None)
        assert (progress.ending, progress.reason) == (Ending.STOPPED, "Enough.")

    def test_stop_after_the_end_changes_nothing(self):
        """It was done."""
        burst = Burst(Plan((shot(),)))
        run_out(burst)
        burst.stop("Late.")
        burst.lose("Later.")
        assert burst.progress().ending is Ending.DONE
        assert burst.progress().reason == ""

    @pytest.mark.parametrize(
        "plan",
        [
            Plan(()),
            Plan((shot(),), rounds=0),
            Plan((shot(),), rounds=MOST_TIMES + 1),
            Plan((shot(),), per_s=0),
            Plan((shot(),), per_s=1e9),
        ],
    )
    def test_plan_out_of_range_is_refused(self, plan):
        """Before anything is fired."""
        with pytest.raises(ValueError, match="a burst"):
            Burst(plan)


class TestRate:
    """So many in a second."""

    def test_next_is_due_after_its_share_of_a_second(self):
        """Not before."""
        clock = Clock()
        burst = Burst(Plan((shot(),), rounds=3, per_s=4), clock)
        assert burst.take(1) is not None
        assert burst.take(2) is None
        assert burst.wait_s() == pytest.approx(0.25)
        clock.now_s += 0.25
        assert burst.take(2) is not None

    def test_late_timer_is_made_up_for(self):
        """So that the rate holds on the whole."""
        clock = Clock()
        burst = Burst(Plan((shot(),), rounds=None, per_s=100), clock)
        taken = 0
        for _ in range(1000):
            clock.now_s += 0.0007
            while burst.take(taken + 1) is not None:
                taken += 1
        assert taken in (70, 71)

    def test_after_a_stall_it_does_not_rush(self):
        """Ten seconds are not made up for at once."""
        clock = Clock()
        burst = Burst(Plan((shot(),), rounds=None, per_s=100), clock)
        assert burst.take(1) is not None
        clock.now_s += 10
        taken = 1
        while burst.take(taken + 1) is not None:
            taken += 1
        assert taken <= 13

    def test_nothing_is_waited_for_when_nothing_is_to_come(self):
        """Stopped."""
        burst = Burst(Plan((shot(),), rounds=None, per_s=1), Clock())
        burst.take(1)
        burst.stop()
        assert burst.wait_s() == 0


class TestCounting:
    """Each ends as one thing."""

    def test_words_and_times_are_gathered(self):
        """The median is one of them; the longest is exact."""
        burst = Burst(Plan((shot(),), rounds=5))
        for step, took in enumerate([10, 20, 30, 40, 123_456], 1):
            burst.take(step)
            burst.tell(step, done(step, took))
        progress = burst.progress()
        assert progress.words == {"ignored": 5}
        assert (progress.median_us, progress.longest_us) == (30, 123_456)

    def test_refused_and_forgotten_ones_are_told_apart(self):
        """A firing that is gone from the history counts as lost."""
        burst = Burst(Plan((shot(),), rounds=2))
        burst.take(1)
        burst.tell(1, refused(1))
        burst.take(2)
        burst.tell(2, None)
        progress = burst.progress()
        assert (progress.finished, progress.refused, progress.lost) == (0, 1, 1)

    def test_firings_of_others_do_not_count(self):
        """Nor does a second word about one."""
        burst = Burst(Plan((shot(),), rounds=2))
        burst.take(5)
        burst.tell(4, done(4))
        burst.tell(5, done(5))
        burst.tell(5, done(5))
        assert burst.progress().finished == 1

    def test_lost_engine_ends_it_with_its_sentence(self):
        """The open one is lost."""
        burst = Burst(Plan((shot(),), rounds=None))
        burst.take(1)
        burst.lose("The engine was killed.")
        progress = burst.progress()
        assert (progress.lost, progress.ending) == (1, Ending.LOST)
        assert progress.reason == "The engine was killed."
        assert burst.take(2) is None

    def test_clock_stops_at_the_end(self):
        """The rate stays what it was."""
        clock = Clock()
        burst = Burst(Plan((shot(),)), clock)
        burst.take(1)
        clock.now_s += 2
        burst.tell(1, done(1))
        clock.now_s += 100
        assert burst.progress().elapsed_s == pytest.approx(2)
        assert burst.progress().per_s == pytest.approx(0.5)

    @given(
        st.lists(st.sampled_from(["take", "done", "refuse", "gone", "stop", "lose"]), max_size=60),
        st.one_of(st.none(), st.integers(1, 10)),
    )
    def test_sent_is_always_the_sum(self, steps, rounds):
        """Whatever happens in whatever order."""
        burst = Burst(Plan((shot(), shot("on-shell")), rounds=rounds))
        step, open_steps = 0, []
        for word in steps:
            if word == "take" and burst.take(step + 1) is not None:
                step += 1
                open_steps.append(step)
            elif word == "stop":
                burst.stop()
            elif word == "lose":
                burst.lose("gone")
                open_steps.clear()
            elif word in ("done", "refuse", "gone") and open_steps:
                at = open_steps.pop(0)
                burst.tell(at, {"done": done, "refuse": refused, "gone": lambda _: None}[word](at))
            progress = burst.progress()
            ended = progress.finished + progress.refused + progress.lost
            assert progress.sent == ended + len(open_steps) == step
            assert burst.is_over == (progress.ending is not None)
