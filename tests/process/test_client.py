"""The blocking client: replies, trouble, interrupts, the end of the process."""

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from inspector import __version__
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.frame import decode_line
from inspector.protocol.message import (
    CapsuleOpened,
    Fire,
    Notice,
    Observe,
    OpenCapsule,
    SessionStarted,
    StartSession,
    StepFinished,
)
from inspector.workbench import client as client_module
from inspector.workbench.client import (
    EngineClient,
    engine_command,
    engine_environment,
    last_event,
)

pytestmark = pytest.mark.process

FAKE = Path(__file__).parents[1] / "helpers" / "frame_engine.py"
FIRE = Fire(1, Observe("on-shell"))


def command(mode="plain"):
    """The command line of a fake engine."""
    return [sys.executable, str(FAKE), mode]


def is_alive(pid):
    """Whether a process exists and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


class TestRequests:
    """Events before the reply, in order."""

    def test_events_come_with_the_reply(self):
        """And are told one by one while they come."""
        told = []
        with EngineClient(command(), on_event=told.append) as client:
            assert client.ready.versions == {"fake": "1.0"}
            opened = client.request(OpenCapsule("/c", "0.3"))
            started = client.request(StartSession())
            fired = client.request(FIRE)
        assert last_event(opened, CapsuleOpened).inspection.capsule.path == "/c"
        assert last_event(started, SessionStarted).session_id == "ses_fake"
        assert last_event(fired, StepFinished).record.event == "on-shell"
        assert [frame.seq for frame in told] == [1, 2, 3, 4]

    def test_failed_reply_is_raised_with_all_its_parts(self):
        """And the engine goes on."""
        with EngineClient(command()) as client:
            with pytest.raises(InspectorError) as caught:
                client.request(OpenCapsule("/missing", "0.3"))
            error = caught.value
            assert error.kind is ErrorKind.UNREADABLE_CAPSULE
            assert (error.message, error.hint) == ("there is nothing.", "Look.")
            assert (error.file, error.line, error.column) == ("/missing", 3, 4)
            assert client.request(OpenCapsule("/c", "0.3"))

    def test_event_that_did_not_come_is_a_protocol_error(self):
        """Never a StopIteration."""
        with pytest.raises(InspectorError) as caught:
            last_event([], StepFinished)
        assert caught.value.kind is ErrorKind.PROTOCOL


class TestTrouble:
    """An engine that dies or lies is told in one sentence."""

    @pytest.mark.parametrize(
        ("mode", "kind", "words"),
        [
            ("die", ErrorKind.ENGINE_LOST, "ended with exit code 7 during the request 'fire'"),
            ("die", ErrorKind.ENGINE_LOST, "its last output was: the last words"),
            ("killed", ErrorKind.ENGINE_LOST, "was ended by SIGKILL"),
            ("killed", ErrorKind.ENGINE_LOST, "without a word."),
            ("garbage", ErrorKind.PROTOCOL, "exceeds"),
            ("gap", ErrorKind.PROTOCOL, "event 5 followed event 3"),
        ],
    )
    def test_end_of_the_engine(self, mode, kind, words):
        """Exit code or signal, request, last words; and the process is gone."""
        with EngineClient(command(mode)) as client:
            client.request(OpenCapsule("/c", "0.3"))
            client.request(StartSession())
            with pytest.raises(InspectorError) as caught:
                client.request(FIRE)
            pid = client.ready.pid
        assert caught.value.kind is kind
        assert caught.value.exit_code == 4
        assert words in caught.value.message
        assert not is_alive(pid)

    def test_lost_engine_stays_lost(self):
        """A later request is told the same at once."""
        with EngineClient(command("die")) as client:
            for _ in range(2):
                with pytest.raises(InspectorError, match="exit code 7"):
                    client.request(FIRE)

    def test_program_that_is_not_there(self, tmp_path):
        """One sentence, no traceback of Popen."""
        with pytest.raises(InspectorError) as caught:
            EngineClient([str(tmp_path / "none")]).start()
        assert caught.value.kind is ErrorKind.ENGINE_LOST
        assert "cannot be started" in caught.value.message

    def test_program_that_is_no_engine(self):
        """Its own words are shown."""
        line = [sys.executable, "-c", "import sys; sys.exit('no engine here')"]
        with pytest.raises(InspectorError, match="no engine here"):
            EngineClient(line).start()


class TestInterrupt:
    """From any thread; half a second later the engine is ended."""

    def test_engine_that_goes_on_is_ended(self):
        """The request is over, and told as interrupted."""

        def on_event(frame):
            if isinstance(frame.body, Notice):
                threading.Thread(target=client.interrupt).start()

        with EngineClient(command("hang"), on_event=on_event) as client:
            with pytest.raises(InspectorError) as caught:
                client.request(FIRE)
            pid = client.ready.pid
        assert caught.value.kind is ErrorKind.INTERRUPTED
        assert caught.value.exit_code == 130
        assert not is_alive(pid)

    def test_interrupt_between_requests_ends_nothing(self):
        """There is nothing to stop."""
        with EngineClient(command()) as client:
            client.interrupt()
            assert client.request(OpenCapsule("/c", "0.3"))
            client.interrupt()
            assert client.request(StartSession())


class TestEnd:
    """Nothing of an engine is left behind."""

    def test_close_ends_the_process(self):
        """Asked, it ends by itself; a second close does nothing."""
        client = EngineClient(command())
        client.start()
        pid = client.ready.pid
        assert is_alive(pid)
        client.close()
        client.close()
        assert not is_alive(pid)

    def test_engine_that_will_not_end_is_killed(self, monkeypatch):
        """Neither asking nor terminating helps here."""
        monkeypatch.setattr(client_module, "END_GRACE_S", 0.2)
        with EngineClient(command("will-not-end")) as client:
            pid = client.ready.pid
        assert not is_alive(pid)

    def test_engine_has_a_process_group_of_its_own(self):
        """Ctrl+C in a terminal reaches the front alone."""
        with EngineClient(command()) as client:
            assert os.getpgid(client.ready.pid) != os.getpgid(0)

    def test_error_inside_the_context_ends_the_engine_in_a_call(self, monkeypatch):
        """Also when it hangs in one."""
        monkeypatch.setattr(client_module, "END_GRACE_S", 0.2)

        def on_event(frame):
            if isinstance(frame.body, Notice):
                raise KeyError("a bug of the caller")

        client = EngineClient(command("hang"), on_event=on_event)
        with pytest.raises(KeyError), client:
            client.request(FIRE)
        assert not is_alive(client.ready.pid)


class TestRecording:
    """--record."""

    def test_every_event_is_a_line_behind_the_header(self, tmp_path):
        """Exactly as it came."""
        path = tmp_path / "r.jsonl"
        told = []
        with EngineClient(command(), record=str(path), on_event=told.append) as client:
            client.request(OpenCapsule("/c", "0.3"))
            client.request(FIRE)
        header, *lines = path.read_bytes().splitlines()
        assert json.loads(header) == {"recording": 1, "program": __version__}
        assert [decode_line(line) for line in lines] == told
        assert len(told) == 3

    def test_file_that_cannot_be_made_starts_no_engine(self, tmp_path):
        """One sentence, exit code 3."""
        with pytest.raises(InspectorError) as caught:
            EngineClient(command(), record=str(tmp_path / "none" / "r.jsonl")).start()
        assert caught.value.kind is ErrorKind.NOT_WRITABLE
        assert caught.value.exit_code == 3

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_full_disk_is_told(self):
        """As soon as the system says so."""
        with pytest.raises(InspectorError) as caught:
            EngineClient(command(), record="/dev/full").start()
        assert caught.value.kind is ErrorKind.NOT_WRITABLE
        assert "No space left" in caught.value.message


class TestCommand:
    """How our own engine is started."""

    def test_source_tree_and_bundle(self, monkeypatch):
        """A bundle has no -m."""
        assert engine_command() == [sys.executable, "-m", "inspector", "--engine"]
        monkeypatch.setattr(sys, "frozen", True, raising=False)
        assert engine_command() == [sys.executable, "--engine"]
        assert engine_environment() == dict(os.environ)

    def test_folder_named_inspector_is_not_taken_for_ours(self, tmp_path, monkeypatch):
        """The current folder is the user's, not ours."""
        trap = tmp_path / "inspector"
        trap.mkdir()
        (trap / "__init__.py").write_text("")
        (trap / "__main__.py").write_text("raise SystemExit('the wrong package')")
        monkeypatch.chdir(tmp_path)
        with EngineClient() as client:
            assert client.ready.versions["capsule-inspector"] == __version__
