"""Host imports of hooks in a real engine process."""

import http.server
import threading
import time
from pathlib import Path

import pytest

from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import (
    BeginTask,
    Fire,
    Observe,
    OpenCapsule,
    SessionSettings,
    StartSession,
    StepFinished,
    StepStarted,
    TaskOutput,
)
from inspector.workbench.client import EngineClient
from tests.helpers.wat import (
    Answer,
    ConversationPages,
    Error,
    HttpGet,
    Joined,
    component,
    hook,
    inference,
    input_length,
    output_length,
    task_input,
    token_count,
)

pytestmark = pytest.mark.process

_CALLS = [{"role": "user", "content": "hi"}]


def make_capsule(folder: Path, double, capabilities="{}") -> Path:
    """A capsule of one hook, `probe`, with the operator's capabilities."""
    place = folder / "hooks" / "probe"
    place.mkdir(parents=True)
    (folder / "murmur.yaml").write_text(
        "name: lab\nversion: 0.1.0\nartifacts:\n"
        f"  - {{name: probe, version: 0.1.0, runtime: hook, capabilities: {capabilities}}}\n",
        "utf-8",
    )
    data = double if isinstance(double, bytes) else double.component()
    (place / "hook.wasm").write_bytes(data)
    (place / "murmur.yaml").write_text("name: probe\nversion: 0.1.0\nruntime: hook\n")
    return folder


@pytest.fixture
def engine():
    """A client of a fresh engine."""
    with EngineClient() as client:
        yield client


@pytest.fixture
def server():
    """A loopback server that answers 204, or never for `/wait`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/wait":
                released.wait(60)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    released = threading.Event()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        released.set()
        running.shutdown()
        thread.join()


def start(client, capsule, *, lenient=False, **settings):
    """Open a capsule and start a session."""
    client.request(OpenCapsule(str(capsule), "0.3", lenient_imports=lenient))
    client.request(StartSession(SessionSettings(lenient_imports=lenient, **settings)))


def fire(client, step, action):
    """Fire one action; its record."""
    bodies = [frame.body for frame in client.request(Fire(step, action))]
    (done,) = [body for body in bodies if isinstance(body, StepFinished)]
    return done.record


def said(client, event="on-shell", fields=None, step=1):
    """The one call of an observation."""
    (call,) = fire(client, step, Observe(event, fields or {})).calls
    return call


class TestHttp:
    """Requests and their records."""

    def test_requests__allowed_and_refused__are_in_the_steps_record(self, engine, server, tmp_path):
        """Each with the rule that let it through, or the one that nearly did."""
        port = server.server_port
        urls = (f"http://127.0.0.1:{port}/a?b", "http://127.0.0.1:1/", "https://evil.test/x")
        double = hook({"on-shell": Error(Joined(*map(HttpGet, urls)))})
        rule = f"http://127.0.0.1:{port}"
        start(engine, make_capsule(tmp_path / "c", double, f'{{network: {{allow: ["{rule}"]}}}}'))
        record = fire(engine, 1, Observe("on-shell"))
        assert record.calls[0].error == "204!15!15"
        assert [(r.hook, r.method, r.url, r.allowed, r.rule) for r in record.requests] == [
            ("probe", "GET", urls[0], True, rule),
            ("probe", "GET", urls[1], False, rule),
            ("probe", "GET", urls[2], False, None),
        ]
        assert record.requests[2].explanation == "the one rule does not name the host evil.test"

    def test_request__during_staging__is_gated_too(self, engine, tmp_path):
        """A throwaway instance has the same gate."""
        double = hook({"on-stage": Error(HttpGet("http://127.0.0.1:1/"))})
        start(engine, make_capsule(tmp_path / "c", double))
        record = fire(engine, 1, Observe("on-stage"))
        assert record.calls[0].error == "!15"
        assert [request.allowed for request in record.requests] == [False]

    def test_hook_that_waits_for_a_server__is_ended_with_the_engine(self, server, tmp_path):
        """A guest inside the engine's own wait cannot be interrupted; the process can."""
        port = server.server_port
        double = hook({"on-shell": Error(HttpGet(f"http://127.0.0.1:{port}/wait"))})
        allow = f'{{network: {{allow: ["127.0.0.1:{port}"]}}}}'
        capsule = make_capsule(tmp_path / "c", double, allow)
        begun = threading.Event()

        def watch(frame):
            if isinstance(frame.body, StepStarted):
                begun.set()

        with EngineClient(on_event=watch) as client:
            start(client, capsule)

            def stop():
                begun.wait(30)
                time.sleep(0.2)
                client.close()

            stopper = threading.Thread(target=stop)
            stopper.start()
            with pytest.raises(InspectorError) as caught:
                fire(client, 1, Observe("on-shell"))
            stopper.join()
        assert caught.value.kind is ErrorKind.ENGINE_LOST


class TestInference:
    """Scripted answers are marked, call by call."""

    _DOUBLE = hook(
        {"on-inference": Answer("artifact", inference(_CALLS)), "on-shell": Answer()},
    )

    def test_scripted_reply__marks_the_call_that_it_touched(self, engine, tmp_path):
        """And no other call of the same hook."""
        start(engine, make_capsule(tmp_path / "c", self._DOUBLE), inference={"reply": "é!"})
        record = fire(engine, 1, Observe("on-inference"))
        assert [a.payload for a in record.outcome.artifacts] == ["é!"]
        assert record.calls[0].marks == ("scripted-inference",)
        assert said(engine, step=2).marks == ()

    def test_scripted_error__is_the_runtimes_sentence(self, engine, tmp_path):
        """As a driver's own error would be told."""
        start(engine, make_capsule(tmp_path / "c", self._DOUBLE), inference={"error": "busy"})
        record = fire(engine, 1, Observe("on-inference"))
        assert record.outcome.artifacts[0].payload == "!inference driver returned an error: busy"

    def test_nothing_configured__is_the_runtimes_answer_without_a_mark(self, engine, tmp_path):
        """The default invents nothing."""
        start(engine, make_capsule(tmp_path / "c", self._DOUBLE))
        record = fire(engine, 1, Observe("on-inference"))
        assert record.outcome.artifacts[0].payload == (
            "!inference driver is not configured; add inference.driver.artifact to murmur.yaml"
        )
        assert record.calls[0].marks == ()


class TestTexts:
    """Task and conversation, tokens."""

    def test_task__is_read_with_the_grant(self, engine, tmp_path):
        """Input, then output, as the task moves."""
        text = Joined(task_input(), "|", input_length(), "|", output_length())
        double = hook({"on-shell": Error(text)})
        start(engine, make_capsule(tmp_path / "c", double, "{task_io: {read: true}}"))
        assert said(engine).error == "!1|!1|!1"
        fire(engine, 2, BeginTask("do \0 it", "do \0 it é"))
        assert said(engine, step=3).error == "do \0 it é|10|!2"
        fire(engine, 4, TaskOutput("done"))
        assert said(engine, step=5).error == "do \0 it é|10|4"

    def test_conversation__given_with_the_session__is_paged(self, engine, tmp_path):
        """The context of the task that started."""
        double = hook({"on-shell": Error(ConversationPages(1)), "on-task-start": Answer()})
        start(
            engine,
            make_capsule(tmp_path / "c", double, "{conversation: {read: true}}"),
            conversation={
                "ctx_1": [
                    {"role": "user", "content": [{"type": "text", "text": "old"}], "id": "msg_1"},
                    {"role": "assistant", "content": [], "id": "msg_2"},
                ]
            },
        )
        fire(engine, 1, Observe("on-task-start", {"task-id": "t", "context-id": "ctx_1"}))
        text = said(engine, step=2).error
        assert "msg_2" in text
        assert "msg_1" not in text
        assert "mc_1" in text

    def test_tokens__are_counted_in_the_engine(self, engine, tmp_path):
        """The tables are found in the engine's process."""
        double = hook({"on-shell": Error(token_count("hello world"))})
        start(engine, make_capsule(tmp_path / "c", double))
        assert said(engine).error == "2"


class TestLenientImports:
    """Help that the user switches on."""

    @staticmethod
    def _double():
        wat = hook({"on-shell": Answer()}).wat().removeprefix("(component")
        unknown = '(import "murmur:shell/exec@0.1.0" (instance (export "run" (func))))'
        return component(f"(component {unknown} {wat}")

    def test_unknown_import__is_a_trap_and_marks_every_call(self, engine, tmp_path):
        """No runtime would run this hook."""
        start(engine, make_capsule(tmp_path / "c", self._double()), lenient=True)
        call = said(engine)
        assert (call.result, call.marks) == ("none", ("lenient-imports",))

    def test_unknown_import__strictly__is_a_rejected_hook(self, engine, tmp_path):
        """The default is what the runtime does."""
        start(engine, make_capsule(tmp_path / "c", self._double()))
        assert fire(engine, 1, Observe("on-shell")).calls == ()
