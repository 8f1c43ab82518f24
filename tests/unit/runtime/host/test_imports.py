"""What a hook instance is linked with; numbers are those of spec/dispatch.md 11."""

import http.server
import json
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import wasmtime
from wasmtime import component as wc

from inspector.contract.contract import load
from inspector.contract.profile import PROFILES
from inspector.manifest.grant import Grant, Limits, NetworkRule
from inspector.runtime.component import compile_hook
from inspector.runtime.engine import HookEngine
from inspector.runtime.host import tokens
from inspector.runtime.host.conversation import ConversationState
from inspector.runtime.host.imports import HostImports
from inspector.runtime.host.inference import Inference, NoDriver, ScriptedError, ScriptedReply
from inspector.runtime.host.ledger import GrantKind, GrantLedger
from inspector.runtime.host.lenient import unmet_imports
from inspector.runtime.host.task_io import TaskIoState
from inspector.runtime.instance import InstantiationError, instantiate
from inspector.runtime.wasi import WasiSettings
from tests.helpers.hook_instance import PROFILE_OF, fire
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
    task_output,
    token_count,
)

_LIMITS = Limits()
_TASK_IO = Grant(task_io=True)
_CONVERSATION = Grant(conversation=True)
_CALLS = [{"role": "user", "content": "hi"}]


@contextmanager
def linked(
    double,
    *,
    profile=None,
    grant=Grant(),  # noqa: B008 -- frozen
    settings=NoDriver(),  # noqa: B008 -- frozen
    root=None,
    stage=False,
    lenient=False,
    limits=_LIMITS,
):
    """An instance with the host imports, and the state behind them."""
    data = double if isinstance(double, bytes) else double.component()
    judge = profile or PROFILE_OF["0.8.0" if isinstance(double, bytes) else double.version]
    engine = HookEngine(limits, 600)
    compiled = compile_hook(engine, data)
    state = SimpleNamespace(requests=[], marks=[], notes=[])
    state.task_io = TaskIoState()
    state.conversation = ConversationState(root, state.notes.append, judge.contract.message)
    state.inference = Inference(settings, "the-model")
    state.ledger = GrantLedger("h", grant)
    imports = HostImports(
        "h",
        compiled,
        judge.contract,
        grant,
        limits,
        task_io=state.task_io,
        conversation=state.conversation,
        inference=state.inference,
        ledger=state.ledger,
        on_request=state.requests.append,
        on_mark=state.marks.append,
        is_lenient=lenient,
    )
    state.imports = imports.staging() if stage else imports
    try:
        state.instance = instantiate(
            compiled,
            judge.contract,
            judge,
            "h",
            "1.0.0",
            limits,
            30,
            WasiSettings(),
            state.imports.define,
            "stage" if stage else "session",
        )
        try:
            yield state
        finally:
            state.instance.close()
    finally:
        compiled.close()
        engine.close()


def _said(state, event="on-inference", version="0.8.0", **fields):
    """The text that a hook gives as its error."""
    return fire(state.instance, event, version, **fields).text


def _teller(text, event="on-inference", **settings):
    return hook({event: Error(text)}, **settings)


class TestTokens:
    """21."""

    @pytest.mark.parametrize("version", ["0.8.0", "0.9.0"])
    def test_count__gives_the_hosts_own_number(self, version):
        """21, for each contract that has it."""
        text = 'probe é\U0001f600 <|endoftext|>"\0'
        with linked(_teller(token_count(text), version=version)) as state:
            assert _said(state, version=version) == str(tokens.count(text))


class TestTaskIo:
    """23 to 25."""

    _DOUBLE = _teller(Joined("in=", input_length(), " out=", output_length()))

    def test_scope__follows_the_session(self):
        """23: no task, input only, both, a second attempt, none again."""
        with linked(self._DOUBLE, grant=_TASK_IO) as state:
            seen = [_said(state)]
            state.task_io.begin_attempt("task text", "task text")
            seen.append(_said(state))
            state.task_io.record_output("the result")
            seen.append(_said(state))
            state.task_io.begin_attempt("task text", "task text, again")
            seen.append(_said(state))
            state.task_io.end_task()
            seen.append(_said(state))
        assert seen == [
            "in=!1 out=!1",
            "in=9 out=!2",
            "in=9 out=10",
            "in=16 out=!2",
            "in=!1 out=!1",
        ]

    def test_ungranted__links_and_reads_not_granted(self):
        """24: the answer never leaks a length."""
        with linked(self._DOUBLE) as state:
            state.task_io.begin_attempt("task text", "task text")
            state.task_io.record_output("the result")
            assert _said(state) == "in=!0 out=!0"
            assert state.ledger.snapshot().of(GrantKind.TASK_IO)[0].refusals == 2

    def test_granted__reads_both_forms_and_the_output(self):
        """25."""
        text = Joined(
            "A=", task_input(), " O=", task_input("original"), " R=", task_output(), " LI=",
            input_length(),
        )  # fmt: skip
        with linked(_teller(text), grant=_TASK_IO) as state:
            state.task_io.begin_attempt("pristine", "pristine + feedback é")
            state.task_io.record_output("agent said \0 this")
            said = "A=pristine + feedback é O=pristine R=agent said \0 this LI=22"
            assert _said(state) == said


class TestConversation:
    """26 to 30."""

    @staticmethod
    def _record(tmp_path, count, *more):
        path = tmp_path / "ctx_1" / "conversation.jsonl"
        path.parent.mkdir()
        lines = [
            json.dumps({"role": "user", "content": [{"text": f"m{n}"}], "id": f"msg_{n}"})
            for n in range(1, count + 1)
        ]
        path.write_text("".join(f"{line}\n" for line in (*lines, *more)), "utf-8")
        return tmp_path

    @pytest.mark.parametrize("version", ["0.8.0", "0.9.0"])
    def test_pages__come_newest_first(self, tmp_path, version):
        """26: two pages of two."""
        double = _teller(ConversationPages(2, pages=2), version=version)
        with linked(double, grant=_CONVERSATION, root=self._record(tmp_path, 5)) as state:
            state.conversation.set_context("ctx_1")
            first, second = _said(state, version=version).split("|")[:2]
        assert "msg_5" in first
        assert "msg_4" in first
        assert "msg_3" not in first
        assert "mc_3" in first
        assert "msg_3" in second
        assert "mc_1" in second

    def test_ungranted__is_not_granted(self, tmp_path):
        """28."""
        with linked(_teller(ConversationPages(2)), root=self._record(tmp_path, 3)) as state:
            state.conversation.set_context("ctx_1")
            assert "!not-granted" in _said(state)

    def test_malformed_line__is_noted_and_skipped(self, tmp_path):
        """30."""
        root = self._record(tmp_path, 3, '{"role":"user"')
        with linked(_teller(ConversationPages(5)), grant=_CONVERSATION, root=root) as state:
            state.conversation.set_context("ctx_1")
            assert "msg_3" in _said(state)
            assert state.notes[0].endswith("line 4 is not a message and was skipped")


class TestInference:
    """18 and 19; the real driver is in test_driver."""

    _DOUBLE = hook({"on-inference": Answer("artifact", inference(_CALLS))})

    @pytest.mark.parametrize("version", ["0.8.0", "0.9.0"])
    def test_scripted_reply__comes_back_marked(self, version):
        """18, with a script."""
        double = hook({"on-inference": Answer("artifact", inference(_CALLS))}, version=version)
        with linked(double, settings=ScriptedReply("hello é")) as state:
            result = fire(state.instance, "on-inference", version)
            assert result.answer == {"artifact": "hello é"}
            assert state.marks == ["scripted-inference"]
            (record,) = state.inference.drain()
        assert (record.source, record.model, record.scripted) == ("hook:h", "the-model", True)

    def test_scripted_error__is_the_hooks_err(self):
        """With the runtime's words before it."""
        with linked(self._DOUBLE, settings=ScriptedError("overloaded")) as state:
            result = fire(state.instance, "on-inference")
        assert result.answer == {"artifact": "!inference driver returned an error: overloaded"}

    def test_no_driver__is_a_clear_error(self):
        """19."""
        with linked(self._DOUBLE) as state:
            answer = fire(state.instance, "on-inference").answer["artifact"]
        assert "inference driver is not configured" in answer
        assert "inference.driver.artifact" in answer


class TestHttp:
    """31, 32."""

    @contextmanager
    def _server(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            yield server.server_port
            server.shutdown()
            thread.join()

    def test_ungranted__denies_every_request(self):
        """31: handle answers HTTP-request-denied, which is case 15."""
        text = Joined(HttpGet("https://telemetry.example.com/x"), HttpGet("http://127.0.0.1:1/"))
        with linked(_teller(text)) as state:
            assert _said(state) == "!15!15"
            assert [request.allowed for request in state.requests] == [False, False]

    def test_granted__admits_only_what_is_declared(self):
        """32: another port and another host are refused."""
        with self._server() as port:
            grant = Grant(network=(NetworkRule("r", "http", "127.0.0.1", port),))
            urls = (
                f"http://127.0.0.1:{port}/a",
                "http://127.0.0.1:1/",
                f"http://localhost:{port}/",
            )
            with linked(_teller(Joined(*map(HttpGet, urls))), grant=grant) as state:
                assert _said(state) == "204!15!15"
                assert [request.url for request in state.requests] == list(urls)
                uses = state.ledger.snapshot().of(GrantKind.NETWORK)
        assert [(use.entry, use.uses, use.refusals) for use in uses] == [("r", 1, 0), ("", 0, 2)]

    def test_gate__does_not_count_as_the_hooks_memory(self):
        """The gauge shows the hook's own memories."""
        with linked(_teller(HttpGet("http://127.0.0.1:1/"))) as gated, linked(_teller("x")) as bare:
            assert len(gated.instance.memory_sizes) == len(bare.instance.memory_sizes)
            _said(gated)
            assert len(gated.instance.memory_sizes) == len(bare.instance.memory_sizes)


class TestStaging:
    """What on-stage is linked with."""

    def test_task_io__granted__is_a_state_of_its_own_without_a_task(self):
        """23, the first line: no-task, even while the session has one."""
        double = hook({"on-stage": Error(Joined(input_length(), output_length()))})
        with linked(double, grant=_TASK_IO, stage=True) as state:
            state.task_io.begin_attempt("x", "x")
            assert fire(state.instance, "on-stage").text == "!1!1"

    def test_task_io__ungranted__is_not_granted(self):
        """As in a session."""
        double = hook({"on-stage": Error(input_length())})
        with linked(double, stage=True) as state:
            assert fire(state.instance, "on-stage").text == "!0"

    def test_conversation__granted__is_an_empty_page(self, tmp_path):
        """No record root."""
        (tmp_path / "ctx_1").mkdir()
        (tmp_path / "ctx_1" / "conversation.jsonl").write_text('{"role":"user","id":"msg_1"}\n')
        double = hook({"on-stage": Error(ConversationPages(5))})
        with linked(double, grant=_CONVERSATION, root=tmp_path, stage=True) as state:
            state.conversation.set_context("ctx_1")
            text = fire(state.instance, "on-stage").text
        assert "msg_1" not in text
        assert "not-granted" not in text

    def test_inference__has_no_driver_and_no_script(self):
        """Always the same error, and nothing to mark."""
        double = hook({"on-stage": Error(inference(_CALLS))})
        with linked(double, settings=ScriptedReply("x"), stage=True) as state:
            text = fire(state.instance, "on-stage").text
            assert state.marks == []
        assert text.startswith("!inference driver is not configured")

    def test_network__is_gated_by_the_same_rules(self):
        """The grant holds for on-stage too."""
        double = hook({"on-stage": Error(HttpGet("http://127.0.0.1:1/"))})
        with linked(double, stage=True) as state:
            assert fire(state.instance, "on-stage").text == "!15"
            assert len(state.requests) == 1


def _importing(name, body="", *, version="0.8.0"):
    """A hook component with one more import, and a function that calls nothing."""
    wat = hook({"on-inference": Answer()}, version=version).wat()
    assert wat.startswith("(component")
    return component(
        f'(component (import "{name}" (instance {body}))' + wat.removeprefix("(component")
    )


_RUN = '(export "run" (func))'
_NESTED_INSTANCE = '(import "a:b/c@0.1.0" (instance (export "i" (instance (export "f" (func))))))'
_RESOURCES = """
  (import "x:store/types@0.1.0" (instance $store-types
    (export "bucket" (type $bucket (sub resource)))
    (export "[constructor]bucket" (func (result (own $bucket))))
    (export "[method]bucket.get" (func (param "self" (borrow $bucket)) (result string)))))
  (alias export $store-types "bucket" (type $bucket))
  (import "x:store/open@0.1.0" (instance
    (alias outer 1 $bucket (type $bucket-outside))
    (export "bucket" (type $bucket (eq $bucket-outside)))
    (export "handle" (type $handle (sub resource)))
    (export "open" (func (param "name" string) (result (own $bucket))))))
"""


class TestUnknownImports:
    """What the rules do not list is not defined."""

    @pytest.mark.parametrize(
        "name",
        [
            "murmur:shell/exec@0.1.0",
            "murmur:message/send@0.1.0",
            "murmur:task/task@0.1.0",
            "murmur:text/chunks@0.1.0",
            "murmur:tool/run@0.1.0",
            "murmur:hook/lifecycle@0.8.0",
            "murmur:runtime/inference@0.2.0",
            "murmur:runtime/tokens@0.4.0",
            "murmur:task-io/read@0.2.0",
            "murmur:conversation/read@0.2.0",
            "wasi:http/incoming-handler@0.2.0",
            "wasi:cli/environment@0.3.0",
            "inspector:http-gate/policy",
        ],
    )
    def test_import__fails_to_instantiate(self, name):
        """Strictly, as the runtime does; the shape tells why beforehand."""
        data = _importing(name, _RUN)
        with pytest.raises(InstantiationError, match="was not found in the linker"), linked(data):
            pass
        with linked(data, lenient=True) as state:
            assert state.imports.marks == ("lenient-imports",)
            assert fire(state.instance, "on-inference").answer == "none"

    @pytest.mark.parametrize("version", ["0.2.0", "0.8.0", "0.9.0"])
    def test_types_only_import__links_without_a_mark(self, version):
        """wit-bindgen guests import the lifecycle's types so."""
        record = '(type $r (record (field "role" string))) (export "message" (type (eq $r)))'
        data = _importing(f"murmur:hook/lifecycle@{version}", record, version=version)
        with linked(data, profile=PROFILE_OF[version], lenient=True) as state:
            assert state.imports.marks == ()

    def test_function_that_an_interface_lacks__is_unmet(self):
        """The rest of the interface is served all the same."""
        count = '(export "count" (func (param "text" string) (result u64)))'
        data = _importing("murmur:runtime/tokens@0.3.0", f'{count} (export "recount" (func))')
        with pytest.raises(InstantiationError), linked(data):
            pass
        with linked(data, lenient=True) as state:
            assert state.imports.marks == ("lenient-imports",)

    def test_compatible_version__is_met(self):
        """The engine resolves it to the defined one."""
        count = '(export "count" (func (param "text" string) (result u64)))'
        with linked(_importing("murmur:runtime/tokens@0.3.7", count), lenient=True) as state:
            assert state.imports.marks == ()

    def test_function_import_at_the_root__is_unmet(self):
        """No runtime defines anything there."""
        wat = hook({"on-inference": Answer()}).wat()
        data = component('(component (import "f" (func))' + wat.removeprefix("(component"))
        with pytest.raises(InstantiationError), linked(data):
            pass
        with linked(data, lenient=True) as state:
            assert state.imports.marks == ("lenient-imports",)

    def test_interface_with_resources__becomes_traps_and_types(self):
        """Also where one uses the resource of another."""
        wat = hook({"on-inference": Answer()}).wat().removeprefix("(component")
        data = component(f"(component {_RESOURCES} {wat}")
        with pytest.raises(InstantiationError), linked(data):
            pass
        with linked(data, lenient=True) as state:
            assert state.imports.marks == ("lenient-imports",)
            assert fire(state.instance, "on-inference").answer == "none"

    @pytest.mark.parametrize(
        "item", ['(import "m" (core module (export "f" (func))))', _NESTED_INSTANCE]
    )
    def test_import_that_cannot_be_a_trap__fails_as_ever(self, item):
        """The engine's own text says what is missing."""
        data = component(f"(component {item} {hook({}).wat().removeprefix('(component')}")
        with pytest.raises(InstantiationError), linked(data, lenient=True):
            pass

    def test_called_trap__names_the_import(self):
        """A trap, not an answer of ours."""
        with linked(component(_CALLER), lenient=True) as state:
            result = fire(state.instance, "on-session-start")
        assert result.failure == "trap"
        assert "murmur:shell/exec" in result.detail

    def test_lenient_hook__is_still_behind_the_gate(self):
        """Traps fill holes, they open nothing."""
        text = HttpGet("http://127.0.0.1:1/")
        with linked(_teller(text), lenient=True) as state:
            assert _said(state) == "!15"
            assert state.imports.marks == ()

    def test_hook_of_0_2_0__has_wasi_and_nothing_else(self):
        """Neither wasi:http nor any import of the runtime (spec/contract.md 8)."""
        for name in ("wasi:http/outgoing-handler@0.2.0", "murmur:runtime/tokens@0.3.0"):
            data = _importing(name, _RUN, version="0.2.0")
            with pytest.raises(InstantiationError), linked(data, profile=PROFILES["0.1"]):
                pass


_CALLER = """(component
  (import "murmur:shell/exec@0.1.0" (instance $shell (export "run" (func))))
  (core func $run (canon lower (func $shell "run")))
  (core module $m
    (import "h" "run" (func $run))
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
    (func (export "start") (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
      (call $run) (i32.const 64))
    (func (export "noop")))
  (core instance $i (instantiate $m (with "h" (instance (export "run" (func $run))))))
  (alias core export $i "memory" (core memory $memory))
  (alias core export $i "realloc" (core func $realloc))
  (type $message (record (field "role" string) (field "content" string)
    (field "id" (option string)) (field "source-id" (option string))))
  (type $manifest (record (field "binary-name" string) (field "content" string)))
  (type $output (variant (case "none") (case "replace-context" (list $message))
    (case "write-manifests" (list $manifest)) (case "artifact" string)
    (case "reopen-task" string) (case "seed-context" (list $message)) (case "deny" string)))
  (type $context (record (field "capsule-name" string) (field "capsule-version" string)
    (field "session-id" string) (field "model" string) (field "capabilities" (list string))))
  (func $start (param "ctx" $context) (result (result $output (error string)))
    (canon lift (core func $i "start") (memory $memory) (realloc $realloc)))
  (func $noop (canon lift (core func $i "noop")))
  (instance $lifecycle
    (export "message" (type $message)) (export "tool-manifest" (type $manifest))
    (export "hook-output" (type $output)) (export "session-context" (type $context))
    (export "on-session-start" (func $start)) (export "on-inference" (func $noop))
    (export "on-tool-call" (func $noop)) (export "on-shell" (func $noop))
    (export "on-compaction" (func $noop)) (export "on-session-end" (func $noop)))
  (export "murmur:hook/lifecycle@0.8.0" (instance $lifecycle)))"""


def test_library__own_traps__still_break_wasi_of_another_patch_version():
    """When this fails, lenient.py may use the library's function."""
    engine = wasmtime.Engine()
    text = """(component
      (import "wasi:random/random@0.2.0" (instance $random
        (export "get-random-u64" (func (result u64)))))
      (core func $get (canon lower (func $random "get-random-u64")))
      (core module $m (import "h" "get" (func $get (result i64)))
        (func (export "f") (result i64) (call $get)))
      (core instance $i (instantiate $m (with "h" (instance (export "get" (func $get))))))
      (func (export "f") (result u64) (canon lift (core func $i "f"))))"""
    with wc.Component(engine, text) as guest, wc.Linker(engine) as linker:
        linker.add_wasip2()
        linker.define_unknown_imports_as_traps(guest)
        store = wasmtime.Store(engine)
        store.set_wasi(wasmtime.WasiConfig())
        function = linker.instantiate(store, guest).get_func(store, "f")
        with pytest.raises(wasmtime.WasmtimeError, match="has not been defined"):
            function(store)
        store.close()
    engine.close()


def test_unmet_imports__of_a_plain_hook__are_none():
    """Each contract's own imports are met by it, and not by an older one."""
    double = hook({"on-inference": Error(Joined(token_count("x"), input_length()))})
    engine = HookEngine(_LIMITS, 1)
    compiled = compile_hook(engine, double.component())
    try:
        assert unmet_imports(compiled.shape, load("0.8.0")) == ()
        assert set(unmet_imports(compiled.shape, load("0.2.0"))) == {
            "murmur:runtime/tokens@0.3.0",
            "murmur:task-io/read@0.1.0",
        }
    finally:
        compiled.close()
        engine.close()
