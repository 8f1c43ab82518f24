"""Events in, states out; the older state stays as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.contract.record import (
    Decision,
    Disposition,
    Expectation,
    Fault,
    LogEntry,
    Outcome,
    Totals,
)
from inspector.protocol import message as m
from inspector.workbench import reducer
from inspector.workbench.history import CHUNK
from inspector.workbench.reducer import name_of, reduce, reduce_local
from inspector.workbench.state import (
    EngineEnded,
    EngineStarting,
    EngineStatus,
    FireAsked,
    FireFailed,
    Firing,
    FiringStatus,
    HeldChanged,
    InterruptAsked,
    Mark,
    NoteTaken,
    OpenAsked,
    OpenDone,
    ProfileChosen,
    RemarkMade,
    RowNote,
    State,
    StepJudged,
)
from tests.helpers import sample_state
from tests.helpers.sample_state import call, inspection, record, session


def play(state: State, *events) -> State:
    """Reduce events of both kinds."""
    for event in events:
        local = type(event).__module__ == "inspector.workbench.state"
        state = reduce_local(state, event) if local else reduce(state, event)
    return state


def opened() -> State:
    """A state with a capsule, a session and an engine."""
    return play(
        State(),
        EngineStarting(),
        m.EngineReady(7, {"wasmtime": "50"}),
        OpenAsked("/c", "0.3"),
        m.CapsuleOpened(inspection()),
        session(),
        OpenDone(),
    )


def firings(state: State) -> list[Firing]:
    """The firings of a state."""
    return [item for item in state.history.items if isinstance(item, Firing)]


class TestOpening:
    """From the request to a session."""

    def test_all_goes_well(self):
        """Engine, capsule, session and a mark across the timeline."""
        state = opened()
        assert (state.engine.status, state.engine.pid) == (EngineStatus.READY, 7)
        assert state.inspection == inspection()
        assert (state.session.number, state.session.started.session_id) == (1, "ses_01demo")
        assert not state.opening
        (mark,) = state.history.items
        text = "Session ses_01demo of ledger-demo 0.3.1, profile 0.3"
        assert mark == Mark(text, 1, started=session(), inspection=inspection())

    def test_failure_keeps_what_was_open_before(self):
        """The old description stays in sight; the session is gone in the engine."""
        failed = m.Failed("unreadable-capsule", "no murmur.yaml", file="/d")
        state = play(opened(), OpenAsked("/d", "0.4"), OpenDone(failed))
        assert state.open_error == failed
        assert state.inspection is not None
        assert (state.session, state.opening) == (None, False)

    def test_new_attempt_takes_the_error_away(self):
        """One error at a time."""
        failed = m.Failed("unreadable-capsule", "no")
        state = play(State(), OpenAsked("/d", "0.3"), OpenDone(failed), OpenAsked("/c", "0.3"))
        assert state.open_error is None

    def test_progress_ends_with_the_opening(self):
        """No bar stays behind."""
        state = play(State(), OpenAsked("/c", "0.3"), m.Progress("open", 0.5, "compiling"))
        assert state.progress.fraction == 0.5
        assert play(state, OpenDone()).progress is None

    def test_second_session_counts_on(self):
        """Also after the engine was lost in between."""
        state = play(opened(), EngineEnded(False, "lost"), EngineStarting(), session("ses_2"))
        assert state.session.number == 2

    def test_session_forgets_endings_and_totals(self):
        """The rail and the totals begin anew, the history does not."""
        fault = record(1, "on-shell", call(disposition=Disposition.FAULT), totals=Totals(3))
        state = play(opened(), m.StepFinished(fault))
        assert state.endings == {"on-shell": "caution"}
        state = play(state, session("ses_2"))
        assert (state.endings, state.totals) == ({}, Totals())
        assert len(firings(state)) == 1

    def test_profile_is_the_inspections(self):
        """What judged stands in the description."""
        state = play(State(), ProfileChosen("0.1"))
        assert state.profile == "0.1"
        state = play(state, m.CapsuleOpened(inspection(profile_name="0.4")))
        assert state.profile == "0.4"


class TestFiring:
    """From the request to the record."""

    def test_life_of_a_firing(self):
        """Asked, started with what is sent, finished with a record."""
        action = m.Observe("on-shell", {"turn": 1})
        state = play(opened(), FireAsked(5, action))
        (firing,) = firings(state)
        assert (firing.status, firing.action, firing.fields) == (
            FiringStatus.RUNNING,
            action,
            {"turn": 1},
        )
        assert (state.running, state.last_step) == ((5,), 5)
        full = {"turn": 1, "binary": ""}
        state = play(state, m.StepStarted(5, "on-shell", "observe", full))
        assert firings(state)[0].fields == full
        done = record(5, "on-shell", call(), fields=full, totals=Totals(shell_calls=1))
        state = play(state, m.StepFinished(done))
        (firing,) = firings(state)
        assert (firing.status, firing.record, firing.action) == (
            FiringStatus.FINISHED,
            done,
            action,
        )
        assert (state.running, state.totals.shell_calls) == ((), 1)

    def test_record_without_a_start_makes_a_firing(self):
        """As in a recording that begins in the middle."""
        state = play(State(), m.StepFinished(record(9, "on-stage", phase="stage")))
        (firing,) = firings(state)
        assert (firing.step, firing.action, firing.status) == (9, None, FiringStatus.FINISHED)
        assert state.last_step == 9

    def test_sums(self):
        """Fired, faults, errors and denials; control steps are no firings of events."""
        state = play(
            opened(),
            m.StepFinished(
                record(
                    1,
                    "on-shell",
                    call(disposition=Disposition.ERROR, result="error", count=3),
                    times=3,
                    faults=(Fault("h", "on-shell", "deny"),) * 2,
                )
            ),
            m.StepFinished(
                record(
                    2,
                    "on-shell",
                    phase="decide",
                    outcome=Outcome(decision=Decision("denied", "g", "r")),
                )
            ),
            m.StepFinished(
                record(3, "on-shell", phase="decide", outcome=Outcome(decision=Decision("proceed")))
            ),
            m.StepFinished(record(4, "drain", phase="control")),
        )
        counts = state.counts
        assert (counts.fired, counts.errors, counts.faults, counts.denied) == (5, 3, 2, 1)

    def test_faults_become_lines(self):
        """In a file of their own, tied to the firing."""
        done = record(4, "on-shell", faults=(Fault("h", "on-shell", "deny"),))
        (line,) = play(opened(), m.StepFinished(done)).logs.lines
        assert (line.file, line.hook, line.step) == ("faults", "h", 4)
        assert line.text == "h  on-shell  deny"

    def test_refusal_of_the_engine(self):
        """The row says why; the sentence is also said."""
        failed = m.Failed("bad-event", "turn wants a number.", "Mend it.")
        state = play(opened(), FireAsked(1, m.Observe("on-shell")), FireFailed(1, failed))
        (firing,) = firings(state)
        assert (firing.status, firing.note) == (
            FiringStatus.REFUSED,
            "turn wants a number. Mend it.",
        )
        assert state.remarks[-1].message == firing.note
        assert state.running == ()

    def test_refusal_after_the_record_leaves_the_record(self):
        """A finished firing stays finished."""
        state = play(
            opened(),
            FireAsked(1, m.Observe("on-shell")),
            m.StepFinished(record(1, "on-shell")),
            FireFailed(1, m.Failed("internal", "late")),
        )
        assert firings(state)[0].status is FiringStatus.FINISHED

    @pytest.mark.parametrize(
        ("action", "name"),
        [
            (m.Observe("on-stage"), ("on-stage", "stage")),
            (m.Observe("on-shell"), ("on-shell", "observe")),
            (m.Decide("on-shell"), ("on-shell", "decide")),
            (m.BeginTask("x"), ("begin-task", "task")),
            (m.TaskOutput("x"), ("task-output", "task")),
            (m.EndTask(), ("end-task", "task")),
            (m.Drain(), ("drain", "control")),
            (m.Pump(), ("pump", "control")),
            (m.ResetHook("h"), ("reset", "control")),
        ],
    )
    def test_name_of_every_action(self, action, name):
        """As the engine names its records."""
        assert name_of(action) == name


class TestEngineEnd:
    """The engine goes."""

    def test_lost_in_the_middle_of_a_firing(self):
        """The firing is lost, a line across says so, everything else stays."""
        before = play(opened(), FireAsked(1, m.Observe("on-shell")), InterruptAsked())
        state = play(before, EngineEnded(False, "The engine was killed.", "stderr"))
        assert (state.engine.status, state.engine.sentence, state.engine.detail) == (
            EngineStatus.LOST,
            "The engine was killed.",
            "stderr",
        )
        (firing,) = firings(state)
        assert (firing.status, firing.note) == (FiringStatus.LOST, "The engine was killed.")
        ended = EngineEnded(False, "The engine was killed.", "stderr")
        mark = Mark("The engine was killed.", 1, "error", ended=ended)
        assert list(state.history.items)[-1] == mark
        assert (state.session, state.hooks, state.running) == (None, {}, ())
        assert not state.interrupting
        assert state.inspection is not None
        assert firings(before)[0].status is FiringStatus.RUNNING

    def test_wanted_end_is_no_loss(self):
        """No line across."""
        state = play(opened(), EngineEnded(True, "ended"))
        assert state.engine.status is EngineStatus.STOPPED
        assert len(state.history.items) == 1

    def test_lost_while_opening(self):
        """Opening is over."""
        state = play(State(), OpenAsked("/c", "0.3"), EngineEnded(False, "crash"))
        assert not state.opening


class TestSmallThings:
    """Hook states, holds, stops, sentences, log lines."""

    def test_hook_state_replaces_the_earlier_one(self):
        """By name."""
        state = play(State(), m.HookState("a", "ready"), m.HookState("a", "trapped", "why"))
        assert state.hooks == {"a": m.HookState("a", "trapped", "why")}

    def test_held(self):
        """Only a session can hold."""
        assert play(opened(), HeldChanged(True)).session.held
        assert play(State(), HeldChanged(True)).session is None

    def test_interrupt_lasts_until_nothing_runs(self):
        """And means nothing when nothing does."""
        assert not play(opened(), InterruptAsked()).interrupting
        state = play(opened(), FireAsked(1, m.Pump()), InterruptAsked())
        assert state.interrupting
        assert not play(state, m.StepFinished(record(1, "pump", phase="control"))).interrupting

    def test_remarks_are_numbered_and_bounded(self):
        """Equal sentences are told apart; the oldest go."""
        state = State()
        for _ in range(reducer.REMARKS + 5):
            state = play(state, RemarkMade("info", "same"))
        assert len(state.remarks) == reducer.REMARKS
        assert state.remarks[-1].number == reducer.REMARKS + 5
        assert play(state, m.Notice("error", "new")).remarks[-1].severity == "error"

    def test_log_entry_of_several_lines(self):
        """One row per line; ends of both kinds."""
        state = play(State(), m.LogAppended("logs/hook-a.log", "one\r\ntwo\n\nfour", "a", 3))
        assert [line.text for line in state.logs.lines] == ["one", "two", "", "four"]
        assert {line.step for line in state.logs.lines} == {3}
        assert state.logs.counts == {"logs/hook-a.log": 4}


class TestBounds:
    """Memory does not grow for ever."""

    def test_history_drops_its_oldest_chunk(self, monkeypatch):
        """By count; indexes stay what they were."""
        monkeypatch.setattr(reducer, "HISTORY_ITEMS", 2 * CHUNK)
        state = State()
        for step in range(1, 3 * CHUNK + 1):
            state = play(state, m.StepFinished(record(step, "on-shell")))
        assert len(state.history.items) <= 2 * CHUNK
        assert state.history.dropped == state.history.items.first == CHUNK
        assert state.item(0) is None
        assert state.item(CHUNK).step == CHUNK + 1

    def test_history_drops_by_weight(self, monkeypatch):
        """Large payloads count."""
        monkeypatch.setattr(reducer, "HISTORY_BYTES", 1_000_000)
        state = State()
        for step in range(1, 2 * CHUNK + 2):
            found = call("h", "artifact", Disposition.HONORED, payload="x" * 10_000)
            state = play(state, m.StepFinished(record(step, "on-inference", found)))
        assert state.history.dropped == 2 * CHUNK
        assert state.history.weight_bytes == sum(
            reducer.weight_of(item) for item in state.history.items
        )

    def test_logs_drop_their_oldest_lines(self, monkeypatch):
        """And the counts of the tabs follow."""
        monkeypatch.setattr(reducer, "LOG_LINES", 2 * CHUNK)
        state = State()
        for number in range(3 * CHUNK):
            state = play(state, m.LogAppended("stdout", f"line {number}"))
        assert state.logs.dropped == state.logs.lines.first
        assert state.logs.counts["stdout"] == len(state.logs.lines)
        assert state.logs.weight_bytes == sum(len(line.text) for line in state.logs.lines)


EVENTS = st.sampled_from(
    [
        EngineStarting(),
        m.EngineReady(1, {}),
        OpenAsked("/c", "0.3"),
        OpenDone(),
        OpenDone(m.Failed("internal", "x")),
        m.CapsuleOpened(inspection()),
        session(),
        m.HookState("audit-trail", "ready"),
        *(FireAsked(step, m.Observe("on-shell")) for step in (1, 2, 3)),
        *(FireFailed(step, m.Failed("internal", "x")) for step in (1, 2)),
        *(m.StepStarted(step, "on-shell", "observe", {}) for step in (1, 2, 3)),
        *(m.StepFinished(found) for found in sample_state.demo_records()),
        m.LogAppended("stdout", "x"),
        m.Notice("info", "x"),
        m.Progress("open", None, "x"),
        InterruptAsked(),
        HeldChanged(True),
        EngineEnded(False, "lost"),
        EngineEnded(True, "ended"),
    ]
)


@given(st.lists(EVENTS, max_size=30))
def test_reduce__any_order_of_events__keeps_the_books_right(events):
    """Whatever comes, running firings are those without an end, and sums are sums."""
    state = State()
    for event in events:
        if not isinstance(event, FireAsked) or event.step not in {f.step for f in firings(state)}:
            state = play(state, event)
    weights = sum(reducer.weight_of(item) for item in state.history.items)
    assert state.history.weight_bytes == weights
    assert sum(state.logs.counts.values()) == len(state.logs.lines)
    running = {f.step for f in firings(state) if f.status is FiringStatus.RUNNING}
    assert running <= set(state.running)
    if events and isinstance(events[-1], EngineEnded):
        assert (state.session, state.running, state.opening) == (None, (), False)


def test_logs_of_a_record__are_not_added_twice():
    """Lines come as events of their own; the record repeats them for the Detail pane."""
    done = record(1, "on-shell", logs=(LogEntry("logs/hook-a.log", "x"),))
    assert len(play(State(), m.StepFinished(done)).logs.lines) == 0


class TestNotes:
    """What the user keeps about firings."""

    def test_marks_are_kept_in_the_order_in_which_they_were_set(self):
        """Marking again puts a row last; writing a note to a marked row does not."""
        state = play(
            opened(),
            NoteTaken(RowNote(3, True)),
            NoteTaken(RowNote(1, True)),
            NoteTaken(RowNote(3, True, "slow")),
        )
        assert list(state.notes.values()) == [RowNote(3, True, "slow"), RowNote(1, True)]
        state = play(state, NoteTaken(RowNote(3, False, "slow")), NoteTaken(RowNote(3, True)))
        assert list(state.notes) == [1, 3]

    def test_empty_note_goes(self):
        """Neither mark nor text is left."""
        state = play(opened(), NoteTaken(RowNote(3, text="x")), NoteTaken(RowNote(3)))
        assert state.notes == {}

    def test_notes_outlive_engine_and_session(self):
        """Rows keep their numbers."""
        state = play(
            opened(), NoteTaken(RowNote(1, True)), EngineEnded(False, "gone"), session("ses_02")
        )
        assert state.notes == {1: RowNote(1, True)}


class TestJudging:
    """Expectations about firings that are over."""

    def test_failed_expectation_marks_row_and_event(self):
        """Row, rail and record tell it."""
        before = reduce(State(), m.StepFinished(sample_state.record(1, "on-shell")))
        judged = Expectation(ok=False, path="faults", wanted=[], got=["x"])
        after = reduce_local(before, StepJudged(1, judged))
        firing = after.item(after.history.items.end - 1)
        assert firing.record.expectation == judged
        assert after.endings["on-shell"] == "negative"
        assert before.endings["on-shell"] != "negative"

    def test_unknown_or_unfinished_firing_is_left_alone(self):
        """Its row may have gone."""
        before = State()
        assert reduce_local(before, StepJudged(7, Expectation(ok=True))) is before
