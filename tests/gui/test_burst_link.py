"""Firing many from the window, over an engine without a process."""

import pytest
from PySide6.QtCore import Qt

from inspector.gui.burst_link import BurstLink
from inspector.gui.composer_link import ComposerLink
from inspector.gui.views.composer_burst import progress_text, rate_of, rounds_of
from inspector.gui.views.composer_view import ComposerView
from inspector.protocol.message import Failed, Fire, Observe
from inspector.workbench import edge_case
from inspector.workbench.burst import Ending, Plan, Progress, Shot
from inspector.workbench.state import Firing


@pytest.fixture
def composer(qtbot):
    """A composer that shows."""
    made = ComposerView()
    qtbot.addWidget(made)
    made.resize(700, 500)
    return made


@pytest.fixture
def link(composer, bridge, engine, qtbot):
    """Everything tied together over an open capsule; firings stay open."""
    engine.is_patient = True
    composer_link = ComposerLink(composer, bridge, composer)
    made = BurstLink(composer, composer_link, bridge, composer)
    made.composer_link = composer_link
    bridge.open_capsule("/c")
    bridge.flush()
    composer_link.choose_event("on-shell")
    with qtbot.waitExposed(composer):
        composer.show()
    return made


def fired(engine):
    """Actions that were sent."""
    return [request.action for request in engine.requests if isinstance(request, Fire)]


def finish(engine, link, count=None):
    """Answer open firings one by one until the burst is over."""
    while link.burst.progress().ending is None and count != 0:
        engine.finish()
        count = None if count is None else count - 1


class TestFireMany:
    """From the bar."""

    def test_bar_fires_exactly_what_is_shown_so_many_times(self, link, composer, engine):
        """Counts are exact; never more than one is on its way."""
        link.open_bar()
        link.bar.times.setText("1,000")
        composer.composition().form.set(("turn",), 7)
        shown = composer.action()
        link.bar.start_button.click()
        assert len(fired(engine)) == 1
        composer.composition().form.set(("turn",), 8)
        finish(engine, link)
        assert fired(engine) == [shown] * 1000
        progress = link.burst.progress()
        assert (progress.sent, progress.finished, progress.ending) == (1000, 1000, Ending.DONE)
        assert link.composer_link.last == shown

    def test_one_at_a_time_is_on_its_way(self, link, engine):
        """The queue to the engine never grows."""
        link.start(Plan((Shot(Observe("on-stage")),), 20))
        for sent in range(1, 20):
            assert len(fired(engine)) == sent
            engine.finish()

    def test_user_goes_before_the_rest_of_a_burst(self, link, composer, engine):
        """Fire does not wait for ten thousand."""
        link.start(Plan((Shot(Observe("on-stage")),), 10_000))
        composer.fire()
        engine.finish()
        assert fired(engine)[1] == composer.action()
        engine.finish()
        assert fired(engine)[2] == Observe("on-stage")

    def test_stop_ends_it_after_the_running_call(self, link, engine, bridge):
        """Nothing is interrupted; the counts tell."""
        link.start(Plan((Shot(Observe("on-stage")),), None))
        finish(engine, link, 5)
        assert link.stop()
        assert not link.stop()
        assert engine.interrupts == 0
        assert not bridge.is_settled
        engine.finish()
        assert bridge.is_settled
        progress = link.burst.progress()
        assert (progress.sent, progress.finished) == (6, 6)
        assert progress.ending is Ending.STOPPED
        link._on_tick()
        assert "6 · 6 ignored" in link.bar.label.text()
        assert link.bar.label.text().endswith("\nEnded early: stopped.")

    def test_interrupt_ends_it_too(self, link, engine, bridge):
        """Nothing more is sent."""
        link.start(Plan((Shot(Observe("on-stage")),), None))
        bridge.interrupt()
        engine.finish()
        assert len(fired(engine)) == 1

    def test_lost_engine_ends_it_with_a_word(self, link, engine, bridge, qtbot):
        """Nothing goes on in the next engine."""
        link.start(Plan((Shot(Observe("on-stage")),), None))
        finish(engine, link, 3)
        engine.die("The engine was killed.")
        bridge.flush()
        progress = link.burst.progress()
        assert (progress.sent, progress.finished, progress.lost) == (4, 3, 1)
        link._on_tick()
        assert link.bar.label.text().endswith("Ended early: engine lost. The engine was killed.")
        bridge.restart_engine()
        bridge.flush()
        assert len(fired(engine)) == 4
        assert bridge.is_settled

    def test_refusal_of_the_engine_is_counted(self, link, engine):
        """As not run."""
        link.start(Plan((Shot(Observe("on-stage")),), 2))
        engine.finish(Failed("bad-event", "No.", ""))
        engine.finish()
        progress = link.burst.progress()
        assert (progress.refused, progress.finished) == (1, 1)
        assert "1 not run" in progress_text("x", progress)

    def test_opening_a_capsule_ends_it(self, link, engine, bridge):
        """Between two actions of a slow one."""
        link.start(Plan((Shot(Observe("on-stage")),), None, per_s=0.01))
        engine.finish()
        bridge.open_capsule("/other")
        assert link.burst.progress().reason == "The capsule is being opened."

    def test_rate_waits_between_actions(self, link, engine, qtbot):
        """The first at once, the next when it is due."""
        link.start(Plan((Shot(Observe("on-stage")),), 3, per_s=50))
        engine.finish()
        assert len(fired(engine)) == 1
        qtbot.waitUntil(lambda: len(fired(engine)) == 2)
        engine.finish()
        qtbot.waitUntil(lambda: len(fired(engine)) == 3)
        engine.finish()
        qtbot.waitUntil(lambda: not link._pump.isActive() and not link._tick.isActive())
        assert link.burst.progress().ending is Ending.DONE

    def test_settled_is_told_when_a_waiting_burst_is_stopped(self, link, engine, bridge, qtbot):
        """Nothing was running, so no event of the engine comes."""
        link.start(Plan((Shot(Observe("on-stage")),), None, per_s=0.01))
        engine.finish()
        bridge.flush()
        assert not bridge.is_settled
        with qtbot.waitSignal(bridge.settled):
            link.stop()

    def test_nothing_starts_without_a_session(self, link, engine, bridge):
        """The reason is told."""
        engine.die("Gone.")
        bridge.flush()
        assert not link.start(Plan((Shot(Observe("on-stage")),)))
        assert bridge.latest.remarks[-1].message.startswith("The engine has ended")
        link.open_bar()
        assert not link.bar.start_button.isEnabled()
        assert "The engine has ended" in link.bar.start_button.toolTip()


class TestEdgeCases:
    """All of an event as one batch."""

    def test_every_case_is_fired_once_under_its_name(self, link, composer, engine, bridge, qtbot):
        """In the order of the menu."""
        link.fire_edge_cases()
        qtbot.waitUntil(lambda: link.burst is not None)
        finish(engine, link)
        bridge.flush()
        cases = edge_case.edge_cases(
            composer.composition().contract, "on-shell", composer.composition().phase
        )
        rows = [item for item in bridge.state.history.items if isinstance(item, Firing)]
        assert [row.label for row in rows] == [case.name for case in cases]
        assert [repr(action.fields) for action in fired(engine)] == [
            repr(case.fields) for case in cases
        ]

    def test_stop_before_the_batch_is_made_fires_nothing(self, link, engine):
        """It is made in slices."""
        link.fire_edge_cases()
        link.stop()
        assert link.burst is None
        assert fired(engine) == []

    def test_without_a_contract_there_is_nothing(self, composer, bridge):
        """No capsule yet."""
        made = BurstLink(composer, ComposerLink(composer, bridge, composer), bridge, composer)
        made.fire_edge_cases()
        assert made.burst is None


class TestBar:
    """Its fields and keys."""

    @pytest.mark.parametrize(
        ("text", "number"),
        [("1", 1), ("10,000", 10_000), ("1 000 000", 1_000_000), ("0", None), ("-1", None)]
        + [(text, None) for text in ("", "1000001", "9" * 50, "1.5", "x", "١")],
    )
    def test_rounds(self, text, number):
        """Whole numbers within the bounds."""
        assert rounds_of(text) == number

    @pytest.mark.parametrize(
        ("text", "number"),
        [("1", 1.0), ("2.5", 2.5), ("10,000", 10_000.0), ("0.001", 0.001)]
        + [(text, None) for text in ("0", "-1", "1e3", "nan", "inf", "10001", ".", "x")],
    )
    def test_rates(self, text, number):
        """Numbers above nothing."""
        assert rate_of(text) == number

    def test_wrong_number_is_marked_and_stops_start(self, link, engine):
        """With a sentence, until it is mended."""
        link.open_bar()
        link.bar.times.setText("many")
        assert not link.bar.start_button.isEnabled()
        assert link.bar.label.text() == "How many times: wants a number from 1 to 1,000,000."
        assert link.bar.times.property("invalid") == "true"
        link.bar.start_requested.connect(lambda *_: pytest.fail("started"))
        link.bar._on_start()
        link.bar.forever.setChecked(True)
        assert link.bar.start_button.isEnabled()
        assert link.bar.label.text() == ""
        link.bar.rate.setText("fast")
        assert link.bar.label.text().startswith("Per second:")

    def test_problem_of_the_composer_stops_start(self, link, composer):
        """The same sentence as at Fire."""
        composer.composition().form.set_typed(("turn",), "x", "No number.")
        assert not link.bar.start_button.isEnabled()
        assert "turn" in link.bar.start_button.toolTip()

    def test_keys_start_stop_and_close(self, link, engine, qtbot):
        """Enter, then Escape twice."""
        link.open_bar()
        qtbot.waitUntil(link.bar.times.hasFocus)
        qtbot.keyClick(link.bar.times, Qt.Key.Key_Return)
        assert link.is_giving
        assert link.bar.stop_button.isVisible()
        qtbot.waitUntil(link.bar.stop_button.hasFocus)
        qtbot.keyClick(link.bar.stop_button, Qt.Key.Key_Escape)
        assert not link.is_giving
        engine.finish()
        link._on_tick()
        qtbot.waitUntil(link.bar.start_button.hasFocus)
        qtbot.keyClick(link.bar.start_button, Qt.Key.Key_Escape)
        assert not link.bar.isVisible()

    def test_unbounded_burst_shows_a_busy_bar(self, link, engine):
        """There is no part of the whole."""
        link.bar.forever.setChecked(True)
        link.bar._on_start()
        assert (link.bar.bar.minimum(), link.bar.bar.maximum()) == (0, 0)
        link.stop()
        engine.finish()

    @pytest.mark.parametrize("width", [320, 480, 900])
    def test_everything_fits(self, link, composer, width, qtbot):
        """Nothing is cut at the right."""
        link.open_bar()
        composer.resize(width, 600)
        for widget in (link.bar.times, link.bar.rate, link.bar.start_button, link.bar.close_button):
            right = widget.mapTo(composer, widget.rect().bottomRight()).x()
            assert right <= composer.width()

    def test_figures_in_one_line(self):
        """Words of every verdict, the rate, the times."""
        progress = Progress(
            10_000, 1_600, 1_500, 40, 60, {"ignored": 1_400, "error": 100}, 2.0, 319, 8_520, None
        )
        assert progress_text("on-shell (observe)", progress) == (
            "on-shell (observe): 1,600 of 10,000 · 100 error · 1,400 ignored · 40 not run · "
            "60 lost · 770.0 per second · median 319 µs, longest 8.52 ms"
        )
