"""A real engine process: what it survives, and what it says."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import (
    CapsuleOpened,
    Decide,
    Drain,
    Fire,
    Hello,
    HookState,
    Observe,
    OpenCapsule,
    ResetHook,
    SessionSettings,
    SessionStarted,
    SetHeld,
    StartSession,
    StepFinished,
    StepStarted,
)
from inspector.workbench.client import EngineClient, engine_command, engine_environment
from tests.helpers.wat import (
    Answer,
    Error,
    Field,
    Nonsense,
    Nonsensical,
    OnCall,
    Print,
    Spin,
    hook,
    spinning_hook,
    stub_hook,
    trapping_hook,
)

pytestmark = pytest.mark.process


def make_capsule(folder: Path, doubles, *, limits="", configs=None) -> Path:
    """A capsule folder with one hook per double."""
    names = list(doubles)
    entries = "".join(f"  - {{name: {n}, version: 0.1.0, runtime: hook}}\n" for n in names)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "murmur.yaml").write_text(f"name: lab\nversion: 0.1.0\n{limits}artifacts:\n{entries}")
    for name in names:
        place = folder / "hooks" / name
        place.mkdir(parents=True)
        (place / "hook.wasm").write_bytes(doubles[name].component())
        extra = (configs or {}).get(name, "")
        (place / "murmur.yaml").write_text(f"name: {name}\nversion: 0.1.0\nruntime: hook\n{extra}")
    return folder


@pytest.fixture
def engine():
    """A client of a fresh engine."""
    with EngineClient() as client:
        yield client


def start(client, capsule, **settings):
    """Open a capsule and start a session; the events of both."""
    opened = client.request(OpenCapsule(str(capsule), "0.3"))
    started = client.request(StartSession(SessionSettings(**settings)))
    return [frame.body for frame in (*opened, *started)]


def fire(client, step, action):
    """Fire one action; its record."""
    bodies = [frame.body for frame in client.request(Fire(step, action))]
    (done,) = [body for body in bodies if isinstance(body, StepFinished)]
    return done.record


class TestGuests:
    """Whatever a guest does is one classified result, and the engine lives on."""

    @pytest.mark.parametrize("kind", list(Nonsense))
    def test_nonsense__any_kind__is_a_trap_of_that_call(self, engine, tmp_path, kind):
        """An answer that breaks the ABI ends in a trap, not in the process."""
        doubles = {"odd": hook({"on-shell": Nonsensical(kind)}), "fine": hook({})}
        start(engine, make_capsule(tmp_path / "c", doubles))
        record = fire(engine, 1, Observe("on-shell"))
        assert [call.failure for call in record.calls] == ["trap", None]
        assert record.logs[0].text.startswith("hook 'odd' on-shell trapped: ")
        assert fire(engine, 2, Observe("on-shell")).calls[0].failure == "poisoned"

    def test_output__100_mb__is_cut_and_counted(self, engine, tmp_path):
        """What is not kept is counted; the engine stays small."""
        chunk = "x" * 60_000
        double = hook({"on-shell": [*[Print(chunk)] * 1700, Answer()]})
        start(engine, make_capsule(tmp_path / "c", {"loud": double}))
        (call,) = fire(engine, 1, Observe("on-shell")).calls
        assert call.result == "none"
        assert len(call.stdout) == 1024 * 1024
        assert call.cut_bytes == 1700 * 60_000 - 1024 * 1024

    def test_spin__interrupted__is_classed_as_interrupted_and_the_rest_runs(self, engine, tmp_path):
        """The user's stop is no deadline; the next hook is still called."""
        doubles = {"spins": spinning_hook("on-shell", others="none"), "fine": hook({})}
        capsule = make_capsule(
            tmp_path / "c", doubles, limits="capabilities: {limits: {deadline_seconds: 600}}\n"
        )
        start(engine, capsule)
        begun = threading.Event()
        engine_on_event = engine._on_event

        def watch(frame):
            if isinstance(frame.body, StepStarted):
                begun.set()
            if engine_on_event is not None:
                engine_on_event(frame)

        engine._on_event = watch

        def stop():
            begun.wait(30)
            time.sleep(0.2)
            engine.interrupt()

        threading.Thread(target=stop, daemon=True).start()
        record = fire(engine, 1, Observe("on-shell"))
        assert [call.failure for call in record.calls] == ["interrupted", None]
        assert record.calls[0].error == "hook 'spins' on-shell was interrupted by the user"

    def test_trap__reset__gives_a_fresh_instance_and_marks_it(self, engine, tmp_path):
        """A poisoned hook works again after the user's reset."""
        double = hook({"on-shell": [OnCall(1, Spin()), Error(Field("binary"))]})
        capsule = make_capsule(
            tmp_path / "c",
            {"moody": double},
            limits="capabilities: {limits: {deadline_seconds: 1}}\n",
        )
        start(engine, capsule)
        assert fire(engine, 1, Observe("on-shell")).calls[0].failure == "deadline"
        assert fire(engine, 2, Observe("on-shell")).calls[0].failure == "poisoned"
        fire(engine, 3, ResetHook("moody"))
        assert fire(engine, 4, Observe("on-shell")).calls[0].failure == "deadline"
        assert fire(engine, 4, Observe("on-shell")).calls[0].marks == ("re-instantiated",)

    def test_payload__10_mb__arrives_whole(self, engine, tmp_path):
        """Ten megabytes go in and come back."""
        double = hook({"on-inference": Answer("artifact", Field("prompt"))})
        start(engine, make_capsule(tmp_path / "c", {"echo": double}))
        text = "é\0\x1b" * (10 * 1024 * 1024 // 4)
        record = fire(engine, 1, Observe("on-inference", {"prompt": text}))
        assert record.outcome.artifacts[0].payload == text


class TestRequests:
    """What the engine refuses, it refuses whole."""

    def test_open__bad_path__keeps_the_open_capsule(self, engine, tmp_path):
        """A failed open changes nothing."""
        start(engine, make_capsule(tmp_path / "c", {"fine": hook({})}))
        with pytest.raises(InspectorError) as caught:
            engine.request(OpenCapsule(str(tmp_path / "nope"), "0.3"))
        assert caught.value.kind is ErrorKind.UNREADABLE_CAPSULE
        assert fire(engine, 1, Observe("on-shell")).calls[0].result == "none"

    @pytest.mark.parametrize(
        ("action", "words"),
        [
            (Observe("on-inference", {"turn": 2**32}), "turn"),
            (Observe("on-inference", {"nope": 1}), "nope"),
            (Decide("on-shell", {"outcome": {}}), "outcome"),
            (Decide("on-inference"), "no decision point"),
            (ResetHook("nobody"), "nobody"),
        ],
    )
    def test_fire__does_not_fit__names_the_place_and_nothing_runs(
        self, engine, tmp_path, action, words
    ):
        """A wrong field is one sentence; totals stay."""
        start(engine, make_capsule(tmp_path / "c", {"fine": hook({})}))
        with pytest.raises(InspectorError) as caught:
            engine.request(Fire(1, action))
        assert caught.value.kind is ErrorKind.BAD_EVENT
        assert words in caught.value.message
        assert fire(engine, 2, Observe("on-shell")).totals.turns == 0

    def test_fire__no_session__says_what_to_do(self, engine):
        """A session has to be started first."""
        with pytest.raises(InspectorError, match="no session"):
            engine.request(Fire(1, Observe("on-shell")))

    def test_hello__other_protocol__is_refused(self, engine):
        """Front and engine come from one installation."""
        with pytest.raises(InspectorError, match="protocol"):
            engine.request(Hello(999))

    def test_capsule__one_broken_hook__opens_and_the_others_run(self, engine, tmp_path):
        """The broken hook is rejected with the runtime's text, the launch would be refused."""
        doubles = {
            "old": stub_hook(interface="murmur:hook/lifecycle@0.5.0"),
            "fine": hook({}),
        }
        events = start(engine, make_capsule(tmp_path / "c", doubles))
        states = {e.hook: e for e in events if isinstance(e, HookState)}
        assert states["old"].state == "rejected"
        assert states["old"].detail.startswith("hook old@0.1.0 does not export ")
        opened = [e for e in events if isinstance(e, CapsuleOpened)][-1]
        assert opened.inspection.launch_refusal.startswith("runtime failure: hook old@0.1.0 ")
        assert [c.hook for c in fire(engine, 1, Observe("on-shell")).calls] == ["fine"]

    def test_queue__held__shows_its_length_and_drains(self, engine, tmp_path):
        """A held queue fills, its state is told, a drain empties it."""
        capsule = make_capsule(
            tmp_path / "c", {"slow": hook({})}, configs={"slow": "execution_mode: async\n"}
        )
        events = start(engine, capsule, held=True)
        assert any(isinstance(e, HookState) and e.state == "held" for e in events)
        frames = engine.request(Fire(1, Observe("on-shell")))
        states = [f.body for f in frames if isinstance(f.body, HookState)]
        assert states[-1].queue_length == 1
        engine.request(SetHeld(False))
        drained = fire(engine, 2, Drain())
        assert [call.result for call in drained.calls] in ([], ["none"])

    def test_session__private__writes_below_our_own_folder(self, engine, tmp_path):
        """Without a workdir nothing of the user's is written."""
        capsule = make_capsule(tmp_path / "c", {"bad": trapping_hook("on-shell")})
        before = sorted(p.relative_to(capsule) for p in capsule.rglob("*"))
        events = start(engine, capsule)
        fire(engine, 1, Observe("on-shell"))
        (started,) = [e for e in events if isinstance(e, SessionStarted)]
        assert (Path(started.workdir) / "logs" / "hook-bad.log").is_file()
        assert Path(started.workdir).is_relative_to(os.environ["CAPSULE_INSPECTOR_HOME"])
        assert sorted(p.relative_to(capsule) for p in capsule.rglob("*")) == before


class TestEnd:
    """How the process ends."""

    def test_killed__in_a_call__is_one_sentence_with_the_signal(self, tmp_path):
        """The client says what happened and how."""
        capsule = make_capsule(
            tmp_path / "c",
            {"spins": spinning_hook("on-shell", others="none")},
            limits="capabilities: {limits: {deadline_seconds: 600}}\n",
        )

        def kill(frame):
            if isinstance(frame.body, StepStarted):
                os.kill(client.ready.pid, signal.SIGKILL)

        with EngineClient(on_event=kill) as client:
            start(client, capsule)
            with pytest.raises(InspectorError) as caught:
                client.request(Fire(1, Observe("on-shell")))
        assert caught.value.kind is ErrorKind.ENGINE_LOST
        assert "SIGKILL" in caught.value.message

    def test_stdin__closed__ends_the_process_even_in_a_call(self, tmp_path):
        """An engine never outlives its front."""
        process = subprocess.Popen(
            engine_command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=engine_environment(),
        )
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
        process.stderr.close()

    def test_imports__engine__has_no_qt(self):
        """The engine process never loads Qt."""
        code = (
            "import sys, inspector.worker.main; "
            "sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
        )
        done = subprocess.run([sys.executable, "-c", code], env=engine_environment(), check=False)
        assert done.returncode == 0


class TestManyHooks:
    """A capsule of many hooks."""

    def test_open__200_hooks__tells_progress_and_runs(self, engine, tmp_path):
        """Every hook is compiled, with progress on the way."""
        double = hook({})
        capsule = make_capsule(tmp_path / "c", {f"h{n:03}": double for n in range(200)})
        frames = engine.request(OpenCapsule(str(capsule), "0.3"))
        fractions = [f.body.fraction for f in frames if type(f.body).__name__ == "Progress"]
        assert fractions[-2] == 1.0
        engine.request(StartSession())
        assert len(fire(engine, 1, Observe("on-shell")).calls) == 200
