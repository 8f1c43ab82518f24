"""Intents go out as requests, events come back as signals, once per frame."""

import pytest

from inspector.protocol.message import (
    Failed,
    Fire,
    HookState,
    LogAppended,
    Observe,
    OpenCapsule,
    Pump,
    SessionSettings,
    SetHeld,
    StartSession,
    StepFinished,
)
from inspector.workbench.state import EngineStatus, Firing, FiringStatus
from tests.helpers.sample_state import record

SIGNALS = (
    "engine_changed",
    "capsule_changed",
    "session_changed",
    "hooks_changed",
    "busy_changed",
    "history_changed",
    "logs_changed",
    "remark_made",
    "changed",
    "settled",
)


@pytest.fixture
def told(bridge):
    """Names of the signals that were sent, in order."""
    names: list[str] = []
    for name in SIGNALS:
        getattr(bridge, name).connect(lambda *_, name=name: names.append(name))
    return names


def sent(engine, kind):
    """Requests of a kind."""
    return [request for request in engine.requests if isinstance(request, kind)]


class TestOpening:
    """open_capsule, reload, choose_profile."""

    def test_starts_an_engine_and_a_session(self, bridge, engine, told):
        """Open, then start, with the settings."""
        bridge.settings = SessionSettings(model="m")
        bridge.open_capsule("/c", "0.4")
        assert engine.requests == [
            OpenCapsule("/c", "0.4"),
            StartSession(SessionSettings(model="m")),
        ]
        bridge.flush()
        assert bridge.state.session is not None
        assert told[-2:] == ["changed", "settled"]
        assert {"engine_changed", "capsule_changed", "session_changed"} <= set(told)

    def test_failure_starts_no_session(self, bridge, engine):
        """The error is in the state; the engine stays for the next attempt."""
        engine.open_failure = Failed("unreadable-capsule", "There is no murmur.yaml.", file="/d")
        bridge.open_capsule("/d")
        bridge.flush()
        assert bridge.state.open_error == engine.open_failure
        assert not sent(engine, StartSession)
        assert bridge.has_engine

    def test_reload_opens_the_same_again(self, bridge, engine):
        """With the same profile."""
        bridge.open_capsule("/c", "0.1")
        engine.inspection = engine.inspection
        bridge.reload()
        assert [request.path for request in sent(engine, OpenCapsule)] == ["/c", "/c"]

    def test_profile_without_a_capsule_is_kept_for_the_next(self, bridge, engine):
        """Nothing is sent."""
        bridge.choose_profile("0.1")
        assert not engine.requests
        bridge.open_capsule("/c")
        assert sent(engine, OpenCapsule) == [OpenCapsule("/c", "0.1")]

    def test_unknown_profile_is_said(self, bridge, engine):
        """In a sentence."""
        bridge.open_capsule("/c", "0.7")
        assert not engine.requests
        assert "0.7" in bridge.latest.remarks[-1].message

    def test_running_call_forbids_opening(self, bridge, engine):
        """It would end its session."""
        engine.is_patient = True
        bridge.open_capsule("/c")
        bridge.fire(Pump())
        bridge.open_capsule("/d")
        assert len(sent(engine, OpenCapsule)) == 1


class TestFiring:
    """fire, fire_all, interrupt."""

    def test_one_runs_at_a_time(self, bridge, engine):
        """The next goes out with the answer to the one before."""
        engine.is_patient = True
        bridge.open_capsule("/c")
        bridge.fire_all([Pump(), Pump(), Pump()])
        assert [request.step for request in sent(engine, Fire)] == [1]
        assert bridge.waiting == 2
        engine.finish()
        assert [request.step for request in sent(engine, Fire)] == [1, 2]

    def test_stop_forgets_what_waits(self, bridge, engine):
        """And interrupts what runs, once."""
        engine.is_patient = True
        bridge.open_capsule("/c")
        bridge.fire_all([Pump()] * 3)
        bridge.interrupt()
        bridge.interrupt()
        assert engine.interrupts == 1
        engine.finish()
        bridge.flush()
        assert len(sent(engine, Fire)) == 1
        assert bridge.is_settled

    def test_stop_without_a_call_does_nothing(self, bridge, engine):
        """There is nothing to interrupt."""
        bridge.open_capsule("/c")
        bridge.interrupt()
        assert engine.interrupts == 0

    def test_refused_action_is_a_row(self, bridge, engine):
        """And the next one still runs."""
        engine.is_patient = True
        bridge.open_capsule("/c")
        bridge.fire_all([Observe("on-shell"), Pump()])
        engine.finish(Failed("bad-event", "no"))
        bridge.flush()
        firings = [item for item in bridge.state.history.items if isinstance(item, Firing)]
        assert [item.status for item in firings] == [FiringStatus.REFUSED, FiringStatus.RUNNING]

    def test_nothing_to_fire_at_is_said(self, bridge, engine):
        """With the reason."""
        bridge.fire(Pump())
        assert bridge.latest.remarks[-1].message == "Open a capsule first."
        assert bridge.is_settled


class TestEnd:
    """The engine goes, and comes again."""

    def test_restart_opens_the_capsule_again(self, bridge, engine):
        """With the history of before."""
        bridge.open_capsule("/c", "0.4")
        bridge.fire(Pump())
        engine.die()
        bridge.flush()
        assert bridge.state.engine.status is EngineStatus.LOST
        bridge.restart_engine()
        bridge.flush()
        assert sent(engine, OpenCapsule)[-1].path == "/c"
        assert bridge.state.session.number == 2
        assert any(isinstance(item, Firing) for item in bridge.state.history.items)

    def test_restart_of_a_running_engine_does_nothing(self, bridge, engine):
        """There is one."""
        bridge.open_capsule("/c")
        before = len(engine.requests)
        bridge.restart_engine()
        assert len(engine.requests) == before

    def test_end_forgets_what_waits(self, bridge, engine):
        """No firing into a fresh session by surprise."""
        engine.is_patient = True
        bridge.open_capsule("/c")
        bridge.fire_all([Pump()] * 3)
        engine.die()
        bridge.restart_engine()
        assert bridge.waiting == 0
        assert len(sent(engine, Fire)) == 1


class TestHeld:
    """set_held."""

    def test_answer_changes_the_switch(self, bridge, engine):
        """And a reload keeps it."""
        bridge.open_capsule("/c")
        bridge.set_held(True)
        assert sent(engine, SetHeld) == [SetHeld(True)]
        assert bridge.latest.session.held
        bridge.reload()
        assert sent(engine, StartSession)[-1].settings.held


class TestTelling:
    """flush."""

    def test_burst_is_told_once(self, qtbot, bridge, engine, told):
        """A thousand events, one signal of each kind."""
        bridge.open_capsule("/c")
        bridge.flush()
        told.clear()
        with qtbot.waitSignal(bridge.changed):
            for step in range(1, 1_001):
                engine.tell(
                    StepFinished(record(step, "on-shell")),
                    LogAppended("stdout", "x"),
                    HookState("audit-trail", "ready", memory_bytes=step),
                )
        assert sorted(told) == sorted(
            ["hooks_changed", "history_changed", "logs_changed", "session_changed", "changed"]
        )
        assert len(bridge.state.logs.lines) == 1_000

    def test_state_is_what_was_told(self, bridge, engine):
        """Views never see what no signal has announced; commands decide on the newest."""
        bridge.open_capsule("/c")
        assert bridge.state.inspection is None
        assert bridge.latest.inspection is not None

    def test_nothing_new_is_not_told(self, bridge, told):
        """No signal for nothing."""
        bridge.flush()
        assert told == []

    def test_each_remark_is_told(self, bridge):
        """Also two in one frame."""
        heard = []
        bridge.remark_made.connect(lambda remark: heard.append(remark.message))
        bridge.say("info", "one")
        bridge.say("info", "two")
        bridge.flush()
        bridge.say("info", "three")
        bridge.flush()
        assert heard == ["one", "two", "three"]
