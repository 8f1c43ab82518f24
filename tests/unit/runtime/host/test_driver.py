"""Running an inference driver."""

import http.server
import json
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.contract.contract import load
from inspector.manifest.grant import Limits, NetworkRule
from inspector.runtime.host.driver import ComponentDriver, DriverPlan, environment
from inspector.runtime.host.inference import DriverError, Inference, RealDriver
from inspector.runtime.wasi import WasiSettings
from tests.helpers.wat import (
    Environment,
    GrowMemory,
    HttpGet,
    Preopens,
    Return,
    Spin,
    Trap,
    answering_driver,
    component,
    driver,
    echo_driver,
    hook,
)

_CONTRACT = load("0.8.0")
_EMPTY_REQUEST = {"messages": [], "system-prompt": None, "model": None}


@contextmanager
def made(double, *, limits=Limits(), wasi=WasiSettings(), network=(), contract=_CONTRACT):  # noqa: B008 -- frozen
    """A driver that is closed afterwards, and the requests it made."""
    data = double if isinstance(double, bytes) else double.component()
    plan = DriverPlan("mock", "1.2.3", data, limits, wasi, network)
    requests = []
    runner = ComponentDriver(plan, contract, requests.append)
    try:
        yield runner, requests
    finally:
        runner.close()


def _data(text):
    """A driver that gives a text as data."""
    return driver(Return({"status": "passed", "data": text}))


def _failure(double, **settings):
    with made(double, **settings) as (runner, _), pytest.raises(DriverError) as caught:
        runner.run("{}")
    return str(caught.value)


class TestRuns:
    """Runs that come to their end."""

    def test_run__gives_the_whole_tool_result(self):
        """Every field, in the spelling of contract.value."""
        answer = {
            "status": "failed",
            "summary": "why",
            "data": 'é\0"',
            "data-path": "/p",
            "truncated": True,
            "metadata": [["k", "v"], ["", ""]],
        }
        with made(driver(Return(answer))) as (runner, _):
            assert runner.run("{}") == answer

    def test_run__passes_the_payload_on_as_it_is(self):
        """The request is the driver's tool-input.data."""
        with made(echo_driver()) as (runner, _):
            data = json.loads(runner.run('{"a":"é\\u0000"}')["data"])
        assert data["content"][0]["text"] == '{"a":"é\\u0000"}'

    def test_runs__each_have_an_instance_of_their_own(self):
        """Nothing of one run is left in the next."""
        steps = [GrowMemory(1), Return({"status": "passed", "data": "grown"})]
        limits = Limits(memory_bytes=3 * 65536)
        double = driver([Return({"status": "passed", "data": "fresh"})])
        with made(double, limits=limits) as (runner, _):
            assert [runner.run("{}")["data"] for _ in range(3)] == ["fresh"] * 3
        assert "exceeded its configured resource limits" in _failure(driver(steps), limits=limits)

    def test_run__after_a_trap__is_not_poisoned(self):
        """A hook that retries gets a fresh driver."""
        with made(driver(Trap())) as (runner, _):
            texts = []
            for _ in range(2):
                with pytest.raises(DriverError) as caught:
                    runner.run("{}")
                texts.append(str(caught.value).split("\n", maxsplit=1)[0])
        assert texts[0] == texts[1]
        assert "cannot enter" not in texts[1]

    @pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files in /proc")
    def test_runs__many__leave_no_open_file(self):
        """The pipes of a run's output go with it."""
        with made(_data("x")) as (runner, _):
            runner.run("{}")
            before = len(list(Path("/proc/self/fd").iterdir()))
            for _number in range(20):
                runner.run("{}")
            assert len(list(Path("/proc/self/fd").iterdir())) <= before

    def test_runs__at_the_same_time__do_not_wait_for_each_other(self):
        """Each overlapping run has an engine of its own."""
        barrier = threading.Barrier(3, timeout=60)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                barrier.wait()
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            serving = threading.Thread(target=server.serve_forever, args=(0.01,))
            serving.start()
            port = server.server_port
            rule = NetworkRule("r", "http", "127.0.0.1", port)
            answers = []
            with made(_data(HttpGet(f"http://127.0.0.1:{port}/")), network=(rule,)) as (runner, _):
                threads = [
                    threading.Thread(target=lambda: answers.append(runner.run("{}")["data"]))
                    for _ in range(3)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            server.shutdown()
            serving.join()
        assert answers == ["200"] * 3


class TestFailures:
    """Texts of spec/imports.md 2.2."""

    def test_trap__is_told_with_the_engines_text(self):
        """With the runtime's words before it."""
        assert _failure(driver(Trap())).startswith("tool 'mock' trapped: ")

    def test_deadline__is_the_capsules(self):
        """Not that of the calling hook."""
        assert _failure(driver(Spin()), limits=Limits(declared_deadline_s=1)) == (
            "tool 'mock' exceeded its 1s execution deadline "
            "(capabilities.limits.deadline_seconds) and was interrupted"
        )

    def test_undeclared_deadline__is_600_seconds(self):
        """The hook's 30 seconds do not hold for a driver."""
        assert DriverPlan("n", "v", b"", Limits(), WasiSettings()).deadline_s == 600

    def test_memory__is_the_capsules_limit(self):
        """A denied growth is told as such."""
        text = _failure(driver([GrowMemory(), Trap()]), limits=Limits(memory_bytes=2**20))
        assert text.startswith(
            "tool 'mock' exceeded its configured resource limits: linear memory growth to "
        )
        assert text.endswith("exceeds capabilities.limits.memory_bytes (1048576)")

    def test_unknown_import__cannot_be_instantiated(self):
        """Hooks' own imports are not there for a driver."""
        double = component('(component (import "murmur:shell/exec@0.1.0" (func)))')
        assert _failure(double).startswith("failed to instantiate tool 'mock': ")

    def test_component_without_run__is_told_to_be_rebuilt(self):
        """A hook is no driver."""
        assert _failure(hook({})) == (
            "tool component 'mock' missing export murmur:tool/run@0.1.0#run; rebuild the "
            "artifact against the versioned WIT (run `mur install` for a default artifact, or "
            "rebuild from source otherwise)"
        )

    def test_run_of_another_type__is_a_failed_type_check(self):
        """The engine's text, after the runtime's words."""
        double = component("""(component
          (core module $m (func (export "run") (param i32) (result i32) (local.get 0)))
          (core instance $i (instantiate $m))
          (func $run (param "input" u32) (result u32) (canon lift (core func $i "run")))
          (instance $run-i (export "run" (func $run)))
          (export "murmur:tool/run@0.1.0" (instance $run-i)))""")
        assert _failure(double) == (
            "failed to type-check tool 'mock' run export: type mismatch with parameters"
        )

    def test_no_component__cannot_be_compiled(self):
        """The text names the artifact with its version."""
        text = _failure(b"no component")
        assert text.startswith("failed to compile component for mock@1.2.3: ")

    def test_folder_that_is_gone__is_no_wasi_context(self, tmp_path):
        """The driver's folder must be there."""
        wasi = WasiSettings(preopens=((str(tmp_path / "gone"), "."),))
        text = _failure(_data("x"), wasi=wasi)
        assert text.startswith("failed to build WASI context for tool 'mock': ")

    def test_interrupt__ends_a_running_driver(self):
        """From any thread, while the hook waits for it."""
        with made(driver(Spin())) as (runner, _):
            ended = threading.Event()

            def interrupt():
                # The run may not have begun yet, and an interrupt is for a running one.
                while not ended.wait(0.02):
                    runner.interrupt()

            other = threading.Thread(target=interrupt)
            other.start()
            with pytest.raises(DriverError, match="interrupted by the user"):
                runner.run("{}")
            ended.set()
            other.join()


class TestWorld:
    """What a driver sees."""

    def test_environment__is_what_was_planned(self):
        """Nothing of the host's own."""
        wasi = WasiSettings(env=(("A", "1"), ("B", "x=y")))
        with made(_data(Environment()), wasi=wasi) as (runner, _):
            assert runner.run("{}")["data"] == "A=1\nB=x=y\n"

    def test_folder__is_the_planned_one(self, tmp_path):
        """As the current folder."""
        wasi = WasiSettings(preopens=((str(tmp_path), "."),))
        with made(_data(Preopens()), wasi=wasi) as (runner, _):
            assert runner.run("{}")["data"] == ".,"

    def test_network__is_gated_by_the_drivers_own_rules(self):
        """Without rules nothing goes out."""
        with made(_data(HttpGet("http://127.0.0.1:1/x"))) as (runner, requests):
            assert runner.run("{}")["data"] == "!15"
        (request,) = requests
        assert (request.hook, request.url, request.allowed) == (
            "driver mock",
            "http://127.0.0.1:1/x",
            False,
        )

    def test_chunks__are_inert_and_input_is_refused(self):
        """A completion for a hook streams nowhere and asks nobody."""
        with made(component(_ASKING)) as (runner, _), pytest.raises(DriverError) as caught:
            runner.run("{}")
        assert str(caught.value).startswith("tool 'mock' trapped: ")
        assert "request-input is not available outside an A2A task context" in caught.value.detail


_ASKING = """(component
  (import "murmur:text/chunks@0.1.0" (instance $chunks
    (export "emit-chunk" (func (param "chunk" string)))
    (export "emit-thinking-chunk" (func (param "chunk" string)))))
  (import "murmur:task/task@0.1.0" (instance $task
    (export "request-input" (func (param "prompt" string) (result string)))))
  (core module $libc
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
  (core instance $l (instantiate $libc))
  (alias core export $l "memory" (core memory $memory))
  (alias core export $l "realloc" (core func $realloc))
  (core func $chunk (canon lower (func $chunks "emit-chunk") (memory $memory)))
  (core func $thinking (canon lower (func $chunks "emit-thinking-chunk") (memory $memory)))
  (core func $ask (canon lower (func $task "request-input")
    (memory $memory) (realloc $realloc)))
  (core module $m
    (import "l" "memory" (memory 1))
    (import "h" "chunk" (func $chunk (param i32 i32)))
    (import "h" "thinking" (func $thinking (param i32 i32)))
    (import "h" "ask" (func $ask (param i32 i32 i32)))
    (func (export "run") (param i32 i32 i32 i32 i32 i32) (result i32)
      (call $chunk (i32.const 0) (i32.const 4))
      (call $thinking (i32.const 0) (i32.const 4))
      (call $ask (i32.const 0) (i32.const 4) (i32.const 64))
      (i32.const 128)))
  (core instance $i (instantiate $m (with "l" (instance $l)) (with "h" (instance
    (export "chunk" (func $chunk)) (export "thinking" (func $thinking))
    (export "ask" (func $ask))))))
  (type $status' (enum "passed" "failed" "error"))
  (type $input' (record (field "data" (option string)) (field "log-path" (option string))))
  (type $result' (record (field "status" $status') (field "summary" (option string))
    (field "data" (option string)) (field "data-path" (option string))
    (field "truncated" bool) (field "metadata" (list (tuple string string)))))
  (func $run (param "input" $input') (result $result')
    (canon lift (core func $i "run") (memory $memory) (realloc $realloc)))
  (instance $run-i (export "status" (type $status')) (export "tool-input" (type $input'))
    (export "tool-result" (type $result')) (export "run" (func $run)))
  (export "murmur:tool/run@0.1.0" (instance $run-i)))"""


@pytest.mark.parametrize("version", ["0.8.0", "0.9.0"])
def test_inference__with_a_real_driver__completes(version):
    """The whole way, for each contract that has inference."""
    double = answering_driver('hello "from" driver')
    with made(double, contract=load(version)) as (runner, _):
        session = Inference(RealDriver(runner), "m")
        assert session.run("h", _EMPTY_REQUEST)["ok"]["text"] == 'hello "from" driver'
        (record,) = session.drain()
    assert (record.decision, record.scripted) == ("end_turn", False)


def test_inference__with_a_trapping_driver__names_it():
    """Text and record of a failed call."""
    with made(driver(Trap())) as (runner, _):
        session = Inference(RealDriver(runner), "m")
        answer = session.run("h", _EMPTY_REQUEST)
    assert answer["err"].startswith("inference driver 'mock' failed: tool 'mock' trapped: ")
    (record,) = session.drain()
    assert (record.decision, record.error) == ("error", answer["err"])
    assert "unreachable" in record.detail


def test_environment__has_the_names_of_the_runtime_in_their_order():
    """Absent values are not set; the model stays the manifest's."""
    block = {
        "transport": "http",
        "endpoint": "https://model.test",
        "model": "m",
        "driver": "d",
        "driver_config": '{"a":1}',
        "api_key": "secret",
    }
    variables = environment(
        block, capsule=("c", "1.0"), session_id="ses_1", allowed={"LANG": "C", "TZ": ""}
    )
    assert variables == (
        ("LANG", "C"),
        ("TZ", ""),
        ("MURMUR_INFERENCE_TRANSPORT", "http"),
        ("MURMUR_INFERENCE_ENDPOINT", "https://model.test"),
        ("MURMUR_INFERENCE_MODEL", "m"),
        ("MURMUR_INFERENCE_DRIVER", "d"),
        ("MURMUR_INFERENCE_API_KEY", "secret"),
        ("MURMUR_INFERENCE_DRIVER_CONFIG", '{"a":1}'),
        ("MURMUR_CAPSULE_NAME", "c"),
        ("MURMUR_CAPSULE_VERSION", "1.0"),
        ("MURMUR_SESSION_ID", "ses_1"),
    )
    del block["api_key"], block["driver_config"]
    shorter = environment(block, capsule=("c", "1.0"), session_id="s", allowed={})
    assert [name for name, _ in shorter if "KEY" in name or "CONFIG" in name] == []
