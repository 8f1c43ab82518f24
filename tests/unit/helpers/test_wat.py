"""The doubles do what they say, checked with wasmtime's own conversions."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
import wasmtime

from inspector.contract import contract
from inspector.contract.contract import EVENTS
from tests.helpers.guest import Guest
from tests.helpers.wat import (
    ABSENT,
    HTTP_ERRORS,
    Answer,
    AppendFile,
    Calls,
    Check,
    ConversationPages,
    Environment,
    Error,
    Field,
    FileText,
    GrowMemory,
    GrowTable,
    History,
    HttpGet,
    Joined,
    JsonText,
    Mark,
    Nonsense,
    Nonsensical,
    OnCall,
    Preopens,
    Print,
    Return,
    Same,
    Sleep,
    When,
    answering_driver,
    answering_hook,
    driver,
    echo_driver,
    echo_hook,
    erring_hook,
    growing_hook,
    hook,
    inference,
    input_length,
    marking_hook,
    output_length,
    spinning_hook,
    stub_hook,
    task_input,
    task_output,
    token_count,
    trapping_hook,
)

VERSIONS = contract.versions()
NONE = {"ok": "none"}
TOOL = "murmur:tool/run@0.1.0"
MESSAGE = {"role": "user", "content": "hello", "id": "m1", "source-id": None}


def guest(double, **settings):
    """An instance of a double."""
    names = {"version": double.version, "interface": double.interface, "types": double.types}
    return Guest(double.component(), **{**names, **settings})


class TestFrame:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_hook__no_functions_given__the_required_ones_answer_none(self, version):
        """A hook without further words is one that any runtime of its contract accepts."""
        with guest(hook({}, version=version)) as instance:
            assert set(instance.exports()) == set(contract.load(version).rules.required)
            for event in instance.exports():
                assert instance.call(event) == NONE

    @pytest.mark.parametrize("version", VERSIONS)
    def test_hook__every_event__each_function_has_the_contract_type(self, version):
        """All nine functions can be called with the contract's records at each version."""
        with guest(hook({event: Error(event) for event in EVENTS}, version=version)) as instance:
            assert {event: instance.call(event) for event in EVENTS} == {
                event: {"err": event} for event in EVENTS
            }

    def test_hook__others_absent__only_the_given_functions_are_exported(self):
        """A hook may lack required functions."""
        with guest(hook({"on-shell": Answer()}, others="absent")) as instance:
            assert instance.exports() == ("on-shell",)

    def test_stub_hook__a_call_with_the_event__fails_its_check(self):
        """A stub takes no parameters, so every dispatched call is a mismatch."""
        with guest(stub_hook()) as instance:
            assert set(instance.exports()) == set(contract.load("0.8.0").rules.required)
            with pytest.raises(TypeError, match="wrong number of parameters"):
                instance.call("on-shell")

    @pytest.mark.parametrize("name", ["murmur:hook/lifecycle", "murmur:hook/lifecycle@9.9.9"])
    def test_stub_hook__other_interface__exports_that_name(self, name):
        """The name of the interface is free."""
        with guest(stub_hook(["on-stage"], interface=name)) as instance:
            assert instance.exports() == ("on-stage",)

    def test_hook__types_of_another_version__the_record_does_not_fit(self):
        """A hook built against old types under the current name mismatches per call."""
        old = hook({}, version="0.2.0", interface="murmur:hook/lifecycle@0.8.0")
        with Guest(old.component()) as instance:
            assert instance.call("on-session-start") == {"ok": "none"}
            with pytest.raises(AttributeError):
                instance.call("on-shell")

    def test_hook__imports_types__instantiates_without_a_definition(self):
        """An import of types alone needs no host, as with wit-bindgen guests."""
        with guest(hook({"on-shell": Error("x")}, imports_types=True)) as instance:
            assert instance.call("on-shell") == {"err": "x"}

    def test_hook__unknown_import__does_not_instantiate(self):
        """A function that no host defines is a link error."""
        unknown = hook({}, unknown_imports=("murmur:runtime/tokens@0.2.0",))
        with pytest.raises(wasmtime.WasmtimeError, match=r"murmur:runtime/tokens@0\.2\.0"):
            guest(unknown)

    def test_hook__extra_exports__still_a_hook(self):
        """Other exports stand beside the interface."""
        with guest(hook({}, extra_exports=("init",))) as instance:
            assert instance.call("on-shell") == NONE

    def test_hook__thousand_large_calls__memory_is_reused(self):
        """A double can be called for long under a small limit."""
        double = hook({"on-tool-call": Error(Field("input"))})
        with guest(double, memory_bytes=1 << 20) as instance:
            for _ in range(1100):
                text = "x" * 10000
                assert instance.call("on-tool-call", input=text) == {"err": text}


class TestAnswers:
    @pytest.mark.parametrize("version", ["0.8.0", "0.9.0"])
    @pytest.mark.parametrize(
        ("arm", "payload"),
        [
            ("write-manifests", [{"binary-name": "rm", "content": "x: 1"}]),
            ("write-manifests", []),
            ("artifact", '{"a": "ü"}'),
            ("reopen-task", ""),
            ("deny", "no\0nul"),
        ],
    )
    def test_answer__each_arm__arrives_as_written(self, version, arm, payload):
        """Static payloads are laid out by the canonical ABI."""
        with guest(answering_hook({"on-shell": Answer(arm, payload)}, version=version)) as instance:
            assert instance.call("on-shell") == {"ok": {arm: payload}}

    def test_answer__messages_at_every_version__fields_in_place(self):
        """The message record grew over the versions."""
        marked = {
            "0.2.0": {},
            "0.8.0": {"source-id": "s"},
            "0.9.0": {"inserted-by": "seed-context"},
        }
        for version, extra in marked.items():
            messages = [{"role": "user", "content": "a"}, {"role": "tool", "content": "b", **extra}]
            double = answering_hook(
                {"on-compaction": Answer("replace-context", messages)}, version=version
            )
            with guest(double) as instance:
                got = instance.call("on-compaction")["ok"]["replace-context"]
            assert [{k: v for k, v in m.items() if v is not None} for m in got] == messages

    def test_answer__sources_in_the_payload__are_computed(self):
        """Any string of a payload may come from the event."""
        seed = [{"role": "user", "content": Joined("task ", Field("task-id"))}, {"role": "x"}]
        with guest(hook({"on-task-start": Answer("seed-context", seed)})) as instance:
            got = instance.call("on-task-start", task_id="t1")["ok"]["seed-context"]
        assert [(m["role"], m["content"]) for m in got] == [("user", "task t1"), ("x", "")]

    def test_answer__same_list__comes_back_whole(self):
        """A list of the event can be returned as it came."""
        double = hook({"on-compaction": Answer("replace-context", Same("messages"))})
        messages = [MESSAGE, {**MESSAGE, "id": None, "source-id": "x", "content": "ü\0"}]
        with guest(double) as instance:
            answer = instance.call("on-compaction", messages=messages)
        assert answer == {"ok": {"replace-context": messages}}

    @pytest.mark.parametrize("kind", list(Nonsense))
    def test_nonsensical__each_kind__is_refused_by_the_engine(self, kind):
        """Broken answers never reach the host as values."""
        double = hook({"on-shell": Nonsensical(kind)})
        with guest(double) as instance, pytest.raises(wasmtime.WasmtimeError):
            instance.call("on-shell")


class TestFields:
    @pytest.mark.parametrize(
        ("event", "path", "fields", "text"),
        [
            ("on-shell", "turn", {"turn": 2**32 - 1}, "4294967295"),
            ("on-shell", "argv", {"argv": ["a", "b"]}, "2"),
            ("on-shell", "argv[1]", {"argv": ["a", "b"]}, "b"),
            ("on-shell", "argv[2]", {"argv": ["a", "b"]}, ABSENT),
            ("on-shell", "script", {"script": ""}, ""),
            ("on-shell", "script", {}, ABSENT),
            ("on-shell", "outcome.exit-code", {"outcome": {"exit-code": -(2**31)}}, str(-(2**31))),
            ("on-shell", "outcome.stderr", {"outcome": {"stderr": "e"}}, "e"),
            ("on-shell", "outcome.stderr", {}, ABSENT),
            ("on-tool-call", "outcome.status", {"outcome": {"status": "ok"}}, "ok"),
            ("on-tool-call", "outcome.duration-ms", {"outcome": {"duration-ms": 7}}, "7"),
            ("on-tool-call", "outcome.status", {}, ABSENT),
            ("on-tool-call", "input-bytes", {"input_bytes": 2**64 - 1}, str(2**64 - 1)),
            ("on-inference", "input-tokens", {"input_tokens": 2**63}, str(2**63)),
            ("on-inference", "tools", {"tools": "[]"}, "[]"),
            ("on-compaction", "messages[1].content", {"messages": [MESSAGE, MESSAGE]}, "hello"),
            ("on-compaction", "messages[0].source-id", {"messages": [MESSAGE]}, ABSENT),
            ("on-compaction", "threshold", {"threshold": 1.0}, str(0x3FF0000000000000)),
            ("on-compaction", "system-prompt", {"system_prompt": "be brief"}, "be brief"),
            ("on-task-start", "prior-tokens", {"prior_tokens": 3}, "3"),
            ("on-task-end", "exit-status", {"exit_status": "failed"}, "failed"),
            ("on-session-end", "total-shell-calls", {"total_shell_calls": 9}, "9"),
            ("on-session-end", "exit-status", {"exit_status": "ok"}, "ok"),
            ("on-session-start", "capabilities[0]", {"capabilities": ["network"]}, "network"),
            ("on-stage", "shell-allow[0]", {"shell_allow": ["bash"]}, "bash"),
        ],
    )
    def test_echo_hook__a_field__comes_back_as_text(self, event, path, fields, text):
        """Every kind of field can be read, from core parameters and from memory."""
        with guest(echo_hook(event, path)) as instance:
            assert instance.call(event, **fields) == {"err": text}

    def test_echo_hook__mark_of_a_message__reads_the_case(self):
        """An enum inside an option has its own place at 0.9.0."""
        with guest(echo_hook("on-compaction", "messages[0].inserted-by", version="0.9.0")) as one:
            marked = [{"inserted-by": "seed-context"}]
            assert one.call("on-compaction", messages=marked) == {"err": "1"}
            assert one.call("on-compaction", messages=[{}]) == {"err": ABSENT}

    def test_check__other_text__traps(self):
        """A guest can insist on what it was sent."""
        double = hook({"on-shell": Check(Field("binary"), "/usr/bin/pytest")})
        with guest(double) as instance:
            assert instance.call("on-shell", binary="/usr/bin/pytest") == NONE
            with pytest.raises(wasmtime.WasmtimeError, match="unreachable"):
                instance.call("on-shell", binary="/usr/bin/pytesu")

    def test_when__text_matches__only_then_the_steps_run(self):
        """A double may answer differently by a field."""
        reopen = Answer("reopen-task", "again")
        double = hook({"on-task-end": When(Field("exit-status"), "failed", reopen, Error("fine"))})
        with guest(double) as instance:
            assert instance.call("on-task-end", exit_status="ok") == {"err": "fine"}
            failed = instance.call("on-task-end", exit_status="failed")
            assert failed == {"ok": {"reopen-task": "again"}}

    def test_json_text__quotes_and_controls__are_escaped(self):
        """Text can be put inside a JSON string."""
        double = hook({"on-tool-call": Error(Joined('"', JsonText(Field("input")), '"'))})
        with guest(double) as instance:
            got = instance.call("on-tool-call", input='a"b\\c\n\x1fü')
        assert got == {"err": '"a\\"b\\\\c\\u000a\\u001fü"'}


class TestState:
    def test_marking_hook__events_in_order__history_is_kept(self):
        """One instance remembers what it was called for."""
        with guest(marking_hook()) as instance:
            for event in ("on-tool-call", "on-session-start", "on-tool-call"):
                assert instance.call(event) == NONE
            assert instance.call("on-session-end") == {"err": "TSTE"}

    def test_marking_hook__1028_calls__history_holds_them(self):
        """The history is long enough for a full queue."""
        with guest(marking_hook()) as instance:
            for _ in range(1027):
                instance.call("on-tool-call")
            assert instance.call("on-session-end") == {"err": "T" * 1027 + "E"}

    def test_mark__history_full__traps(self):
        """Nothing is written past the history's end."""
        double = hook({"on-shell": Mark("x" * 4096), "on-session-end": Error(History())})
        with guest(double) as instance:
            assert [instance.call("on-shell") for _ in range(2)] == [NONE, NONE]
            with pytest.raises(wasmtime.WasmtimeError):
                instance.call("on-shell")

    def test_on_call__nth_call__counts_over_all_functions(self):
        """Steps can be kept for one call."""
        double = hook(
            {
                "on-shell": [OnCall(2, Error("second")), Answer("artifact", Calls())],
                "on-tool-call": Answer(),
            }
        )
        with guest(double) as instance:
            assert instance.call("on-tool-call") == NONE
            assert instance.call("on-shell") == {"err": "second"}
            assert instance.call("on-shell") == {"ok": {"artifact": "3"}}


class TestFailures:
    def test_erring_hook__called__returns_err(self):
        """An error is a value of the guest."""
        with guest(erring_hook("on-compaction", "boom")) as instance:
            assert instance.call("on-compaction") == {"err": "boom"}

    def test_trapping_hook__called_twice__is_poisoned(self):
        """The first trap is the guest's, the second the engine's."""
        with guest(trapping_hook("on-shell")) as instance:
            with pytest.raises(wasmtime.WasmtimeError, match="unreachable"):
                instance.call("on-shell")
            with pytest.raises(wasmtime.WasmtimeError, match="cannot enter component instance"):
                instance.call("on-session-start")

    def test_spinning_hook__deadline_passed__is_interrupted(self):
        """The loop ends only by the epoch."""
        interrupted = pytest.raises(wasmtime.WasmtimeError, match="interrupt")
        with guest(spinning_hook()) as instance, interrupted:
            instance.call_interrupted("on-session-start")

    def test_growing_hook__limit__is_reached_then_traps(self):
        """Growth stops where the host says no."""
        trapped = pytest.raises(wasmtime.WasmtimeError, match="unreachable")
        with guest(growing_hook("on-shell"), memory_bytes=4 << 20) as instance, trapped:
            instance.call("on-shell")

    def test_grow_memory__denied__the_guest_may_go_on(self):
        """A denial is a -1 to the guest."""
        double = hook({"on-shell": [GrowMemory(1), Error("denied")]})
        with guest(double, memory_bytes=1 << 20) as instance:
            assert instance.call("on-shell") == {"err": "denied"}

    def test_grow_table__any_answer__goes_on(self):
        """A table can be grown once."""
        with guest(hook({"on-shell": [GrowTable(1000), Error("grown")]})) as instance:
            assert instance.call("on-shell") == {"err": "grown"}


class TestWasi:
    def test_print__long_text__arrives_on_its_stream(self):
        """Output longer than one write call is whole."""
        steps = [Print(Joined(Field("stdout"), "\n")), Print("bad", "stderr")]
        with guest(hook({"on-shell": steps}, version="0.2.0")) as instance:
            assert instance.call("on-shell", stdout="x" * 10000) == NONE
            assert bytes(instance.stdout) == b"x" * 10000 + b"\n"
            assert bytes(instance.stderr) == b"bad"

    def test_environment__variables__in_host_order(self):
        """The whole environment can be told."""
        env = (("B", "1"), ("A", "ü=2"))
        with guest(hook({"on-shell": Error(Environment())}), env=env) as instance:
            assert instance.call("on-shell") == {"err": "B=1\nA=ü=2\n"}
        with guest(hook({"on-shell": Error(Environment())})) as instance:
            assert instance.call("on-shell") == {"err": ""}

    def test_append_file__two_instances__texts_follow_each_other(self, tmp_path):
        """Files are appended to, not overwritten."""
        steps = AppendFile("env.txt", Joined(Environment(), "|"), preopen="state")
        for number in "12":
            double, env = hook({"on-shell": steps}), (("N", number),)
            with guest(double, env=env, preopens={"state": tmp_path}) as instance:
                assert instance.call("on-shell") == NONE
        assert (tmp_path / "env.txt").read_text() == "N=1\n|N=2\n|"

    def test_append_file__no_directory__traps(self):
        """Without the preopen there is nothing to write to."""
        trapped = pytest.raises(wasmtime.WasmtimeError, match="unreachable")
        with guest(hook({"on-shell": AppendFile("x", "y")})) as instance, trapped:
            instance.call("on-shell")

    def test_file_text__present_missing_and_ungranted__three_answers(self, tmp_path):
        """Reading tells why it could not."""
        (tmp_path / "a.txt").write_text("content")
        text = Joined(FileText("a.txt"), " ", FileText("b.txt"), " ", FileText("a.txt", "state"))
        with guest(hook({"on-shell": Error(text)}), preopens={".": tmp_path}) as instance:
            assert instance.call("on-shell") == {"err": "content !22 !1"}

    def test_preopens__two_directories__in_order(self, tmp_path):
        """Grants can be told by their names."""
        granted = {".": tmp_path, "state": tmp_path}
        with guest(hook({"on-shell": Error(Preopens())}), preopens=granted) as instance:
            assert instance.call("on-shell") == {"err": ".,state,"}

    def test_sleep__short__returns(self):
        """A wait inside the host ends."""
        with guest(hook({"on-shell": [Sleep(1), Error("awake")]})) as instance:
            assert instance.call("on-shell") == {"err": "awake"}

    def test_http_get__loopback__gives_the_status(self, http_status_server):
        """Requests go out, with their path and query."""
        url = f"http://127.0.0.1:{http_status_server}/a?status=418"
        with guest(hook({"on-shell": Error(HttpGet(url))})) as instance:
            assert instance.call("on-shell") == {"err": "418"}

    def test_http_get__nobody_listens__gives_the_error_case(self, http_status_server):
        """A failed request is a value."""
        with guest(hook({"on-shell": Error(HttpGet("http://127.0.0.1:1/"))})) as instance:
            code = f"!{HTTP_ERRORS.index('connection-refused')}"
            assert instance.call("on-shell") == {"err": code}


@pytest.fixture
def http_status_server():
    """A loopback server that answers with the status in the query; yields its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(int(self.path.rpartition("=")[2]))
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments):
            del arguments

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


class TestRuntimeImports:
    def test_token_count__probe__asks_the_host(self):
        """The number is the host's own."""
        host = {"murmur:runtime/tokens@0.3.0": {"count": lambda text: 2**40 + len(text)}}
        with guest(hook({"on-session-start": Error(token_count("pröbe"))}), host=host) as one:
            assert one.call("on-session-start") == {"err": str(2**40 + 5)}

    @pytest.mark.parametrize(("version", "runtime"), [("0.8.0", "0.3.0"), ("0.9.0", "0.4.0")])
    def test_inference__request_and_answer__both_whole(self, version, runtime):
        """The request reaches the host and each field of the answer the guest."""
        seen = []

        def run(request):
            seen.append(request)
            return {"ok": {"text": "t", "model-used": "m", "input-tokens": 1, "output-tokens": 2}}

        messages = [{"role": "user", "content": Field("prompt")}]
        texts = [
            inference(messages, "sys", path="text"),
            inference(model="big", path="model-used"),
            inference(path="output-tokens"),
        ]
        double = hook({"on-inference": Answer("artifact", Joined(*texts))}, version=version)
        host = {f"murmur:runtime/inference@{runtime}": {"run-inference": run}}
        with guest(double, host=host) as instance:
            answer = instance.call("on-inference", prompt="hi")
        assert answer == {"ok": {"artifact": "tm2"}}
        assert [(m["role"], m["content"]) for m in seen[0]["messages"]] == [("user", "hi")]
        assert [(r["system-prompt"], r["model"]) for r in seen] == [
            ("sys", None),
            (None, "big"),
            (None, None),
        ]

    def test_inference__host_error__is_told_with_a_mark(self):
        """An err of the host shows as its text."""
        host = {"murmur:runtime/inference@0.3.0": {"run-inference": lambda _: {"err": "no driver"}}}
        with guest(hook({"on-inference": Answer("artifact", inference())}), host=host) as one:
            assert one.call("on-inference") == {"ok": {"artifact": "!no driver"}}

    def test_task_io__values_and_errors__both_shown(self):
        """Lengths, windows and the case numbers of errors."""
        asked = []

        def read_input(*arguments):
            asked.append(arguments)
            return {"ok": "task text"}

        host = {
            "murmur:task-io/read@0.1.0": {
                "input-len": lambda form: {"ok": 9} if form == "original" else {"err": "no-task"},
                "read-input": read_input,
                "output-len": lambda: {"err": "no-output"},
                "read-output": lambda _offset, _bytes: {"err": "out-of-range"},
            }
        }
        parts = (
            input_length("original"),
            input_length(),
            task_input("original", 3, 2**40),
            output_length(),
            task_output(),
        )
        double = hook({"on-task-end": Answer("reopen-task", Joined(*parts))})
        with guest(double, host=host) as instance:
            answer = instance.call("on-task-end")
        assert answer == {"ok": {"reopen-task": "9!1task text!2!3"}}
        assert asked == [("original", 3, 2**40)]

    def test_conversation_pages__two_pages__the_cursor_goes_on(self):
        """Pages are read one after the other."""
        asked = []

        def read(cursor, limit):
            asked.append((cursor, limit))
            messages = [MESSAGE, {**MESSAGE, "id": None, "role": "tool"}] if cursor is None else []
            following = "mc_3" if cursor is None else None
            return {"ok": {"messages": messages, "next-cursor": following, "total": 5}}

        double = hook({"on-task-end": Answer("reopen-task", ConversationPages(2, 2))})
        host = {"murmur:conversation/read@0.1.0": {"read-messages": read}}
        with guest(double, host=host) as instance:
            answer = instance.call("on-task-end")
        pages = f"T=5;m1=user;{ABSENT}=tool;N=mc_3|T=5;N=-"
        assert answer == {"ok": {"reopen-task": pages}}
        assert asked == [(None, 2), ("mc_3", 2)]

    def test_conversation_pages__contents_wanted__are_shown(self):
        """The content may stand beside the role; larger records at 0.9.0."""
        page = {"messages": [{**MESSAGE, "inserted-by": None}] * 2, "next-cursor": None, "total": 2}
        double = hook({"on-task-end": Error(ConversationPages(2, contents=True))}, version="0.9.0")
        read = {"read-messages": lambda _cursor, _limit: {"ok": page}}
        with guest(double, host={"murmur:conversation/read@0.2.0": read}) as instance:
            assert instance.call("on-task-end") == {"err": "T=2;m1=user:hello;m1=user:hello;N=-"}

    def test_conversation_pages__host_error__every_page_asks_again(self):
        """An error is no cursor."""
        asked = []

        def read(cursor, limit):
            asked.append((cursor, limit))
            return {"err": "not-granted"}

        double = hook({"on-task-end": Error(ConversationPages(2, 2, cursor="mc_9"))})
        host = {"murmur:conversation/read@0.1.0": {"read-messages": read}}
        with guest(double, host=host) as instance:
            assert instance.call("on-task-end") == {"err": "!not-granted|!not-granted"}
        assert asked == [("mc_9", 2), (None, 2)]


class TestDrivers:
    def test_answering_driver__any_input__gives_the_completion(self):
        """A driver's data is the JSON that the runtime reads."""
        with guest(answering_driver('say "hi"')) as instance:
            result = instance.call("run", data="x")
        text = '{"stop_reason":"end_turn","content":[{"type":"text","text":"say \\"hi\\""}]}'
        assert result == {
            "status": "passed",
            "summary": None,
            "data": text,
            "data-path": None,
            "truncated": False,
            "metadata": [],
        }

    def test_echo_driver__request__comes_back_as_text(self):
        """The request can be seen from inside."""
        with guest(echo_driver()) as instance:
            data = instance.call("run", data='{"a":1}')["data"]
        assert '"text":"{\\"a\\":1}"' in data

    def test_driver__own_result__any_field(self):
        """A driver may fail in its own way."""
        result = {"status": "failed", "summary": Field("log-path"), "metadata": [["k", "v"]]}
        with guest(driver(Return(result))) as instance:
            got = instance.call("run", log_path="p")
        assert (got["status"], got["summary"], got["metadata"]) == ("failed", "p", [["k", "v"]])
