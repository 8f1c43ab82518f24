"""The window's client against processes that behave and that do not."""

import os
import sys
from pathlib import Path

import pytest

from inspector.gui import engine_client
from inspector.gui.engine_client import EngineClient, end_sentence
from inspector.protocol.message import (
    CapsuleOpened,
    Done,
    EngineReady,
    Failed,
    Fire,
    Interrupt,
    Observe,
    OpenCapsule,
    SessionStarted,
    Shutdown,
    StartSession,
    StepFinished,
)

pytestmark = [pytest.mark.process, pytest.mark.qt_log_ignore("This plugin does not support")]

FRAME_ENGINE = Path(__file__).parents[1] / "helpers" / "frame_engine.py"

STUBBORN = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stderr.write("I stay"); sys.stderr.flush()
time.sleep(60)
"""


class Talk:
    """A client and everything that it told."""

    def __init__(self, qtbot, *command):
        self.qtbot = qtbot
        self.client = EngineClient(command, dict(os.environ))
        self.events, self.answers, self.ends = [], [], []
        self.client.events_arrived.connect(self.events.extend)
        self.client.answered.connect(self.answers.append)
        self.client.ended.connect(self.ends.append)

    def kinds(self):
        """Classes of the events so far."""
        return [type(event) for event in self.events]

    def replied(self, kind):
        """Whether a request of a kind was answered."""
        return any(isinstance(answer.request, kind) for answer in self.answers)

    def wait(self, condition):
        """Run the event loop until a condition holds."""
        self.qtbot.waitUntil(condition, timeout=20_000)

    def wait_for_end(self):
        """The one end."""
        self.wait(lambda: bool(self.ends))
        assert len(self.ends) == 1
        assert not self.client.is_running
        return self.ends[0]


@pytest.fixture
def start(qtbot):
    """Start a client of a frame engine in a mode, or of another program."""
    talks = []

    def make(mode="plain", *command):
        talk = Talk(qtbot, *(command or (sys.executable, str(FRAME_ENGINE), mode)))
        talks.append(talk)
        talk.client.start()
        return talk

    yield make
    for talk in talks:
        talk.client.stop()
        qtbot.waitUntil(lambda talk=talk: not talk.client.is_running, timeout=20_000)
        talk.client.deleteLater()


def open_capsule(talk):
    """Up to a session."""
    talk.client.send(OpenCapsule("/c", "0.3"))
    talk.client.send(StartSession())
    talk.wait(lambda: talk.replied(StartSession))


class TestTalking:
    """Requests, events, replies."""

    def test_whole_conversation(self, start):
        """Requests are kept until the process is there; events come before their reply."""
        talk = start()
        open_capsule(talk)
        number = talk.client.send(Fire(1, Observe("on-inference")))
        talk.wait(lambda: talk.replied(Fire))
        assert talk.kinds() == [EngineReady, CapsuleOpened, SessionStarted, StepFinished]
        assert talk.events[0].pid == talk.client.process_id
        answer = talk.answers[-1]
        assert (answer.id, answer.request.step, answer.reply) == (number, 1, Done())

    def test_failure_is_an_answer(self, start):
        """With its place."""
        talk = start()
        talk.client.send(OpenCapsule("/missing", "0.3"))
        talk.wait(lambda: talk.replied(OpenCapsule))
        reply = talk.answers[-1].reply
        assert isinstance(reply, Failed)
        assert (reply.line, reply.column) == (3, 4)

    def test_too_large_request_is_refused_here(self, start, monkeypatch):
        """The conversation goes on."""
        talk = start()
        monkeypatch.setattr("inspector.protocol.frame.MAX_FRAME_BYTES", 1_000)
        talk.client.send(Fire(1, Observe("on-shell", {"command": "x" * 2_000})))
        talk.client.send(OpenCapsule("/c", "0.3"))
        talk.wait(lambda: talk.replied(Fire))
        (refused,) = [answer for answer in talk.answers if isinstance(answer.request, Fire)]
        assert "too large for the engine" in refused.reply.message
        monkeypatch.undo()
        talk.wait(lambda: talk.replied(OpenCapsule))

    def test_large_event_arrives_whole(self, start):
        """Many chunks, one frame."""
        talk = start()
        open_capsule(talk)
        fields = {"output": "ä" * 2_000_000}
        talk.client.send(Fire(1, Observe("on-inference", fields)))
        talk.wait(lambda: talk.replied(Fire))
        assert talk.events[-1].record.fields == fields


class TestEnds:
    """How a process goes."""

    def test_stop_is_asked_for(self, start):
        """And is no trouble."""
        talk = start()
        open_capsule(talk)
        talk.client.stop()
        end = talk.wait_for_end()
        assert (end.wanted, end.sentence) == (True, "The engine has ended.")
        assert talk.replied(Shutdown)

    def test_new_process_for_each_run(self, start):
        """With numbers that begin anew."""
        talk = start()
        open_capsule(talk)
        first = talk.client.process_id
        talk.client.stop()
        talk.wait_for_end()
        talk.ends.clear()
        talk.client.start()
        open_capsule(talk)
        assert talk.client.process_id not in (0, first)

    def test_exit_is_told_with_its_last_words(self, start):
        """What came before it is not lost."""
        talk = start("die")
        open_capsule(talk)
        talk.client.send(Fire(1, Observe("on-shell")))
        end = talk.wait_for_end()
        assert end.sentence == "The engine ended by itself (exit code 7)."
        assert (end.wanted, end.detail) == (False, "the last words")
        assert SessionStarted in talk.kinds()

    def test_kill_from_outside(self, start):
        """By its signal."""
        talk = start("killed")
        open_capsule(talk)
        talk.client.send(Fire(1, Observe("on-shell")))
        assert talk.wait_for_end().sentence == (
            "The engine was killed from outside or crashed (signal 9)."
        )

    @pytest.mark.parametrize(
        ("mode", "words"), [("garbage", "exceeds"), ("gap", "event 5 followed event 3")]
    )
    def test_broken_protocol_ends_it(self, start, mode, words):
        """With what was wrong."""
        talk = start(mode)
        open_capsule(talk)
        talk.client.send(Fire(1, Observe("on-shell")))
        sentence = talk.wait_for_end().sentence
        assert sentence.startswith("The engine broke the protocol")
        assert words in sentence

    def test_program_that_is_not_there(self, qtbot):
        """Told, not raised."""
        talk = Talk(qtbot, "/nowhere/engine")
        talk.client.start()
        assert talk.wait_for_end().sentence.startswith("The engine could not be started")


class TestLadder:
    """Message, terminate, kill."""

    @pytest.fixture(autouse=True)
    def short_graces(self, monkeypatch):
        """The steps are the subject, not the time between them."""
        monkeypatch.setattr(engine_client, "INTERRUPT_GRACE_MS", 50)
        monkeypatch.setattr(engine_client, "TERMINATE_GRACE_MS", 50)

    def test_engine_that_listens_stays(self, start):
        """The ladder ends with the answer."""
        talk = start()
        open_capsule(talk)
        talk.client.send(Fire(1, Observe("on-inference")))
        talk.client.interrupt()
        talk.wait(lambda: talk.replied(Interrupt))
        pid = talk.client.process_id
        talk.qtbot.waitUntil(lambda: not talk.client._ladder.isActive())
        talk.client.send(Fire(2, Observe("on-inference")))
        talk.wait(lambda: talk.answers[-1].request == Fire(2, Observe("on-inference")))
        assert talk.client.process_id == pid

    def test_engine_that_hangs_is_terminated(self, start):
        """After the first grace."""
        talk = start("hang")
        open_capsule(talk)
        talk.client.send(Fire(1, Observe("on-shell")))
        talk.wait(lambda: len(talk.events) == 4)
        talk.client.interrupt()
        end = talk.wait_for_end()
        assert end.sentence == "The call did not stop within 0.5 s, so the engine was ended."
        assert not end.wanted

    def test_engine_that_does_not_even_terminate_is_killed(self, start):
        """After the second."""
        talk = start("", sys.executable, "-c", STUBBORN)
        talk.wait(lambda: talk.client._stderr == "I stay")
        talk.client.interrupt()
        end = talk.wait_for_end()
        assert end.sentence == (
            "The engine did not stop, also not when told to end, so it was killed."
        )

    def test_engine_that_will_not_close_is_killed(self, start):
        """Closing the window never hangs."""
        talk = start("will-not-end")
        open_capsule(talk)
        talk.client.stop()
        end = talk.wait_for_end()
        assert (end.wanted, end.sentence) == (
            True,
            "The engine did not end by itself and was killed.",
        )


def test_end_sentence__every_end__is_one_sentence():
    """Whichever step it was."""
    for rung in ("", "interrupt", "shutdown", "terminate", "kill"):
        for crashed in (False, True):
            for wanted in (False, True):
                sentence = end_sentence(rung, 3, crashed=crashed, wanted=wanted)
                assert sentence.endswith(".")
                assert sentence.startswith(("The engine", "The call"))
