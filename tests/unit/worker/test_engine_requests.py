"""The engine in process: description, findings, settings."""

import os
import time

import pytest

from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import (
    MAX_MEMORY_READ_BYTES,
    PROTOCOL_VERSION,
    CapsuleOpened,
    Fire,
    Hello,
    HookState,
    LedgerChanged,
    MemoryRead,
    Notice,
    Observe,
    OpenCapsule,
    Progress,
    ReadMemory,
    SessionSettings,
    SessionStarted,
    SetHeld,
    StartSession,
    StepFinished,
)
from inspector.worker.engine import Engine
from tests.helpers.wasm_bytes import custom
from tests.helpers.wat import (
    Answer,
    Calls,
    ConversationPages,
    Environment,
    Error,
    Field,
    HttpGet,
    Preopens,
    Sleep,
    hook,
    inference,
    input_length,
    stub_hook,
)


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """An engine, its events, and a maker of capsules."""
    monkeypatch.setenv("CAPSULE_INSPECTOR_HOME", str(tmp_path / "own"))
    made = Lab(tmp_path / "capsule")
    yield made
    made.engine.close()


class Lab:
    """An engine in process."""

    def __init__(self, folder):
        self.folder = folder
        self.events = []
        self.engine = Engine(self.events.append)
        self.engine.handle(Hello(PROTOCOL_VERSION))

    def capsule(self, hooks, *, head="", entries=None, own=None):
        """Write a capsule: doubles or texts by name."""
        listed = "".join(
            f"  - name: {name}\n    version: 0.1.0\n    runtime: hook\n"
            + (entries or {}).get(name, "")
            for name in hooks
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "murmur.yaml").write_text(
            f"name: lab\nversion: 0.1.0\n{head}artifacts:\n{listed}"
        )
        for name, double in hooks.items():
            place = self.folder / "hooks" / name
            place.mkdir(parents=True, exist_ok=True)
            if isinstance(double, str | bytes):
                text = double if isinstance(double, bytes) else double.encode()
                (place / "hook.wat").write_bytes(text)
            else:
                (place / "hook.wasm").write_bytes(double.component())
            (place / "murmur.yaml").write_text(
                f"name: {name}\nversion: 0.1.0\nruntime: hook\n" + (own or {}).get(name, "")
            )

    def open(self, profile="0.3", **options):
        """Open the capsule; its description."""
        self.engine.handle(OpenCapsule(str(self.folder), profile, **options))
        return self.last(CapsuleOpened).inspection

    def start(self, **settings):
        """Start a session; what was told of it."""
        self.engine.handle(StartSession(SessionSettings(**settings)))
        return self.last(SessionStarted)

    def fire(self, event, **fields):
        """Fire an observation; its record."""
        self.engine.handle(Fire(1, Observe(event, fields)))
        return self.last(StepFinished).record

    def last(self, kind):
        """The newest event of a kind."""
        return [event for event in self.events if isinstance(event, kind)][-1]


class TestInspection:
    """What a front is told of a capsule."""

    def test_exports__of_a_whole_hook__match(self, lab):
        """Nine rows, each judged."""
        lab.capsule({"fine": hook({"on-stage": Answer()})})
        (view,) = lab.open().hooks
        rows = {row.function: row for row in view.exports}
        assert len(rows) == 9
        assert rows["on-stage"].present
        assert not rows["on-stage"].required
        assert rows["on-shell"].required
        assert rows["on-shell"].signature_matches is True
        assert rows["on-task-end"].present is False
        assert rows["on-task-end"].signature_matches is None
        assert view.profiles == {"0.1": False, "0.3": True, "0.4": False}

    def test_differences__are_those_of_the_component_itself(self, lab):
        """Of an accepted hook none, of another version's each, in the finding the first."""
        lab.capsule({"fine": hook({}), "old": hook({}, version="0.2.0")})
        opened = lab.open()
        fine, old = opened.hooks
        assert fine.differences == ()
        assert old.differences[:2] == (
            "It exports murmur:hook/lifecycle@0.2.0; profile 0.3 takes "
            "murmur:hook/lifecycle@0.8.0.",
            "Profile 0.1 makes an instance of it.",
        )
        assert old.differences[-1].endswith("or choose profile 0.1.")
        (found,) = [d for d in opened.diagnostics if d.code == "rejected"]
        assert "try --profile 0.1, or rebuild it. Every lifecycle function: " in found.hint
        assert [len(view.differences) for view in lab.open("0.1").hooks] == [
            len(old.differences),
            0,
        ]

    def test_retired_interface_with_an_import__has_both_in_the_hint(self, lab):
        """The import fails first, and the export would fail next."""
        double = hook(
            {},
            interface="murmur:hook/lifecycle@0.5.0",
            unknown_imports=("murmur:runtime/tokens@0.2.0",),
        )
        lab.capsule({"old": double})
        opened = lab.open()
        (found,) = [d for d in opened.diagnostics if d.code == "rejected"]
        assert found.hint == (
            "Profile 0.3 provides murmur:runtime/tokens@0.3.0 and no other version: rebuild "
            "against it. It exports murmur:hook/lifecycle@0.5.0, which no profile takes: rebuild "
            "it."
        )

    def test_lints__are_about_the_components_themselves(self, lab):
        """Types, sections, and what hooks have in common."""
        state = "    capabilities: {state: {store: notes}}\n"
        stub = stub_hook()
        lab.capsule(
            {"stub": stub, "fine": hook({"on-stage": Answer()})},
            entries={"stub": state, "fine": state},
            own={"stub": "execution_mode: async\n"},
        )
        place = lab.folder / "hooks" / "fine" / "hook.wasm"
        place.write_bytes(place.read_bytes() + custom(".debug_info", b"x" * (3 << 20)))
        found = {(d.hook, d.code): d.message for d in lab.open().diagnostics}
        assert (
            "exports on-session-start, on-inference, on-tool-call, on-shell, "
            in (found["stub", "wrong-type"])
        )
        assert ("fine", "wrong-type") not in found
        assert found["fine", "shared-store"].endswith("'notes' with hook 'stub'")
        assert "carries 3 MiB of debug information" in found["fine", "debug-build"]
        assert (None, "all-rejected") not in found

    def test_every_hook_rejected__is_told_once_more(self, lab):
        """A session would have none."""
        lab.capsule({"a": hook({}), "b": hook({})})
        codes = [d.code for d in lab.open("0.4").diagnostics]
        assert codes[-3:] == ["rejected", "rejected", "all-rejected"]

    def test_exports__of_a_stub__say_what_differs(self, lab):
        """The engine's text, then ours."""
        lab.capsule({"stub": stub_hook()})
        (view,) = lab.open().hooks
        row = next(row for row in view.exports if row.function == "on-shell")
        assert row.signature_matches is False
        assert row.signature == "func()"
        assert row.mismatch.startswith("type mismatch with parameters: on-shell: ")

    @pytest.mark.parametrize(
        ("version", "profile"), [("0.2.0", "0.1"), ("0.8.0", "0.3"), ("0.9.0", "0.4")]
    )
    def test_profile__each__takes_the_hook_of_its_contract_alone(self, lab, version, profile):
        """And says which profile would take another's."""
        lab.capsule({"one": hook({}, version=version)})
        for name in ("0.1", "0.3", "0.4"):
            inspection = lab.open(name)
            (view,) = inspection.hooks
            assert view.accepted is (name == profile)
            assert view.profiles[profile] is True
            assert sum(view.profiles.values()) == 1
            if name != profile:
                (finding,) = [d for d in inspection.diagnostics if d.code == "rejected"]
                assert f"--profile {profile}" in finding.hint
                assert inspection.launch_refusal == f"runtime failure: {view.rejection}"

    def test_events__of_bindings__are_reached_in_their_phases(self, lab):
        """An async hook is never staged; a policy hook decides."""
        lab.capsule(
            {"guard": hook({}), "async": hook({}), "stage": hook({})},
            own={
                "guard": "binding: on-shell\ncommit_policy: deny\n",
                "async": "execution_mode: async\n",
                "stage": "binding: on-stage\ncommit_policy: write-manifests\n",
            },
        )
        views = {view.name: {e.event: e for e in view.events} for view in lab.open().hooks}
        assert views["guard"]["on-shell"].phases == ("observe", "decide")
        assert views["guard"]["on-shell"].honored.decide == "deny"
        assert not views["guard"]["on-inference"].reached
        assert not views["async"]["on-stage"].reached
        assert views["async"]["on-shell"].phases == ("observe",)
        assert views["stage"]["on-stage"].phases == ("stage",)

    def test_imports__gated__say_whether_granted(self, lab):
        """Gate, grant and what the gate means."""
        double = hook({"on-inference": Error(ConversationPages(1))})
        grant = "    capabilities: {conversation: {read: true}}\n"
        lab.capsule({"reader": double, "poor": double}, entries={"reader": grant})
        inspection = lab.open()
        name = "murmur:conversation/read@0.1.0"
        found = {
            view.name: next(row for row in view.imports if row.interface == name)
            for view in inspection.hooks
        }
        assert (found["reader"].gate, found["reader"].granted) == ("conversation", True)
        assert (found["poor"].provided, found["poor"].granted) == (True, False)
        assert "not-granted" in found["poor"].note
        assert found["poor"].functions == ("read-messages",)

    def test_imports__unknown_version__names_the_one_provided(self, lab):
        """What to rebuild against."""
        name = "murmur:runtime/tokens@0.2.0"
        lab.capsule({"old": hook({}, unknown_imports=(name,))})
        inspection = lab.open()
        (view,) = inspection.hooks
        (row,) = [row for row in view.imports if row.interface == name]
        assert not row.provided
        assert "murmur:runtime/tokens@0.3.0" in row.note
        assert not view.accepted

    def test_imports__lifecycle_functions__name_the_toolchain_habit(self, lab):
        """Why a hook of componentize-py may not link."""
        lab.capsule({"py": hook({}, unknown_imports=("murmur:hook/lifecycle@0.8.0",))})
        inspection = lab.open()
        (finding,) = [d for d in inspection.diagnostics if d.code == "rejected"]
        assert "componentize-py" in finding.hint

    def test_lenient__unknown_import__opens_marks_and_keeps_the_refusal(self, lab):
        """Help that the runtime does not give is marked."""
        lab.capsule({"odd": hook({}, unknown_imports=("acme:x/y@1.0.0",))})
        inspection = lab.open(lenient_imports=True)
        assert inspection.hooks[0].accepted
        lab.start(lenient_imports=True)
        (call,) = lab.fire("on-shell").calls
        assert call.marks == ("lenient-imports",)

    def test_text__broken__is_placed(self, lab):
        """Line and column of the component's own text."""
        lab.capsule({"bad": "(component\n  (oops))", "fine": hook({})})
        inspection = lab.open()
        (finding,) = [d for d in inspection.diagnostics if d.code == "rejected"]
        assert (finding.line, finding.column) == (2, 4)
        assert "line 2, column 4" in finding.message
        assert [view.accepted for view in inspection.hooks] == [False, True]

    def test_text__not_utf8__is_said(self, lab):
        """So is another encoding."""
        lab.capsule({"bad": b"(component) \xff"})
        (finding,) = [d for d in lab.open().diagnostics if d.code == "rejected"]
        assert "UTF-8" in finding.message + finding.hint

    def test_open__several_hooks__tells_progress(self, lab):
        """From nothing to everything."""
        lab.capsule({name: hook({}) for name in "abc"})
        lab.open()
        fractions = [e.fraction for e in lab.events if isinstance(e, Progress)]
        assert [f for f in fractions if f is not None] == pytest.approx([1 / 3, 2 / 3, 1.0])

    def test_open__any__lists_the_hooks_before_they_are_compiled(self, lab):
        """A list at once, the rest when it is there."""
        lab.capsule({name: hook({}) for name in "abc"})
        lab.open()
        opened = [n for n, e in enumerate(lab.events) if isinstance(e, CapsuleOpened)]
        compiled = [n for n, e in enumerate(lab.events) if isinstance(e, Progress) and e.fraction]
        assert opened[0] < compiled[0] < opened[1]
        first, second = (lab.events[n].inspection for n in opened)
        assert (first.complete, second.complete) == (False, True)
        assert [view.name for view in first.hooks] == ["a", "b", "c"]
        assert first.hooks[0].exports == ()
        assert len(second.hooks[0].exports) == 9
        assert first.hooks[0].instantiate_us == 0
        assert second.hooks[0].instantiate_us > 0

    def test_open__cancelled__leaves_nothing_compiled(self, lab, monkeypatch):
        """A cancel is one sentence, and the next open works."""
        lab.capsule({name: hook({}) for name in "abcdef"})
        forward = lab.engine._compiler._emit

        def cancel(event):
            forward(event)
            if isinstance(event, Progress):
                lab.engine.interrupt()

        monkeypatch.setattr(lab.engine._compiler, "_emit", cancel)
        with pytest.raises(InspectorError) as caught:
            lab.open()
        assert caught.value.kind is ErrorKind.INTERRUPTED
        states = {e.hook: e.state for e in lab.events if isinstance(e, HookState)}
        assert set(states.values()) == {"rejected"}
        with pytest.raises(InspectorError, match="no capsule is open"):
            lab.start()
        monkeypatch.setattr(lab.engine._compiler, "_emit", forward)
        assert len(lab.open().hooks) == 6


class TestSettings:
    """What a session is made with."""

    def test_context__nothing_given__is_the_capsules(self, lab):
        """Name, version, a fresh id."""
        lab.capsule({"fine": hook({})}, head="capabilities: {shell: {allow: [git]}}\n")
        lab.open()
        started = lab.start()
        assert started.context["capsule-name"] == "lab"
        assert started.context["capabilities"] == ["shell"]
        assert started.shell_allow == ("git",)
        assert started.session_id.startswith("ses_")
        assert len(started.session_id) == 36

    def test_context__given__reaches_the_hook(self, lab):
        """Settings win over the capsule."""
        lab.capsule({"echo": hook({"on-session-start": Error(Field("session-id"))})})
        lab.open()
        lab.start(session_id="ses_demo", model="m")
        assert lab.fire("on-session-start").calls[0].error == "ses_demo"

    @pytest.mark.parametrize("odd", ["../x", "a/b", "", ".", "..", "x" * 300, "a\0b"])
    def test_session_id__no_folder_name__names_no_folder(self, lab, odd, tmp_path):
        """The id is kept, the folder has another name."""
        lab.capsule({"echo": hook({"on-session-start": Error(Field("session-id"))})})
        lab.open()
        started = lab.start(session_id=odd)
        assert os.path.commonpath([started.workdir, str(tmp_path / "own")]) == str(tmp_path / "own")
        if odd:
            assert lab.fire("on-session-start").calls[0].error == odd

    def test_env__given__reaches_the_hook_in_order(self, lab):
        """By the names of the scenario file."""
        lab.capsule({"env": hook({"on-shell": Error(Environment())})})
        lab.open()
        lab.start(env={"case-id": "c", "otel-endpoint": "http://o"})
        assert lab.fire("on-shell").calls[0].error == (
            "MURMUR_OTEL_ENDPOINT=http://o\nMURMUR_CASE_ID=c\n"
        )

    def test_env__unknown__is_refused(self, lab):
        """The known ones are named."""
        lab.capsule({"fine": hook({})})
        lab.open()
        with pytest.raises(InspectorError, match="otel-endpoint"):
            lab.start(env={"nope": "x"})

    def test_inference__scripted__answers_and_marks(self, lab):
        """A scripted reply is our help, and every result it touched says so."""
        text = inference([{"role": "user", "content": "hi", "id": None, "source-id": None}])
        lab.capsule(
            {"caller": hook({"on-inference": Answer("artifact", text), "on-shell": Answer()})}
        )
        lab.open()
        lab.start(inference={"reply": "scripted words"})
        record = lab.fire("on-inference")
        assert record.outcome.artifacts[0].payload == "scripted words"
        assert record.calls[0].marks == ("scripted-inference",)
        assert lab.fire("on-shell").calls[0].marks == ()
        lab.start(inference={"error": "no luck"})
        artifact = lab.fire("on-inference").outcome.artifacts[0]
        assert artifact.payload == "!inference driver returned an error: no luck"

    def test_conversation__given__is_read_from_the_sessions_own_record(self, lab):
        """No real record changes."""
        double = hook({"on-inference": Error(ConversationPages(5))})
        grant = "    capabilities: {conversation: {read: true}}\n"
        lab.capsule({"reader": double}, entries={"reader": grant})
        lab.open()
        messages = [{"role": "user", "content": [{"type": "text", "text": "x"}], "id": "7"}]
        lab.start(conversation={"ctx_1": messages})
        lab.fire("on-task-start", **{"context-id": "ctx_1"})
        assert lab.fire("on-inference").calls[0].error == "T=1;7=user;N=-"
        lab.start()
        lab.fire("on-task-start", **{"context-id": "ctx_1"})
        assert lab.fire("on-inference").calls[0].error == "T=0;N=-"

    def test_conversation__record_off__is_noticed(self, lab):
        """Messages that nobody reads are said to be so."""
        lab.capsule({"fine": hook({})}, head="context: {record: off}\n")
        lab.open()
        lab.start(conversation={"ctx_1": []})
        assert "not read" in lab.last(Notice).message

    def test_workdir__given__holds_scope_and_session(self, lab, tmp_path):
        """As with --workdir of the runtime."""
        grant = "    capabilities: {filesystem: {scope: data}}\n"
        double = hook({"on-shell": Error(Preopens())})
        lab.capsule({"scoped": double}, entries={"scoped": grant})
        lab.open()
        started = lab.start(workdir=str(tmp_path / "w"), session_id="ses_1")
        assert started.accessible_dir == str(tmp_path / "w")
        assert started.workdir == str(tmp_path / "w" / ".murmur" / "ses_1")
        assert (tmp_path / "w" / "data").is_dir()
        assert lab.fire("on-shell").calls[0].error == ".,"

    def test_store__private__stays_in_our_home(self, lab, tmp_path):
        """State lives in the private home unless the user points elsewhere."""
        grant = "    capabilities: {state: {}}\n"
        lab.capsule({"keeper": hook({})}, entries={"keeper": grant})
        lab.open()
        started = lab.start()
        assert started.home.startswith(str(tmp_path / "own"))
        store = tmp_path / "own" / "cache" / "murmur-home" / "state" / "lab"
        assert store.is_dir()
        assert store.stat().st_mode & 0o777 == 0o700
        other = tmp_path / "other-home"
        lab.start(home=str(other))
        assert (other / "state" / "lab").is_dir()


class TestLedger:
    """What a hook used of its grants, as the front is told."""

    def uses(self, lab, hook_name):
        """The newest ledger of a hook, by kind and entry."""
        events = [e for e in lab.events if isinstance(e, LedgerChanged) and e.hook == hook_name]
        return {(use.kind, use.entry): use for use in events[-1].uses}

    def test_ledger__granted_and_used__counts_with_its_line(self, lab):
        """How often, and where it is declared."""
        grant = "    capabilities:\n      task_io: {read: true}\n"
        double = hook({"on-inference": Error(input_length())})
        lab.capsule({"reader": double}, entries={"reader": grant})
        lab.open()
        lab.start()
        assert self.uses(lab, "reader")["task_io", ""].uses == 0
        lab.fire("on-inference")
        lab.fire("on-inference")
        use = self.uses(lab, "reader")["task_io", ""]
        assert (use.declared, use.uses, use.refusals) == (True, 2, 0)
        line = (lab.folder / "murmur.yaml").read_text().splitlines()[use.line - 1]
        assert "task_io" in line

    def test_ledger__refused__suggests_the_lines_to_add(self, lab):
        """Ready to copy."""
        lab.capsule({"reader": hook({"on-inference": Error(input_length())})})
        lab.open()
        lab.start()
        lab.fire("on-inference")
        use = self.uses(lab, "reader")["task_io", ""]
        assert (use.declared, use.refusals, use.line) == (False, 1, None)
        assert use.suggestion == "capabilities:\n  task_io: {read: true}"

    def test_ledger__request_refused__suggests_its_origin(self, lab):
        """The entry that would have let the request out."""
        double = hook({"on-shell": Error(HttpGet("http://127.0.0.1:1/path?x=1"))})
        lab.capsule({"caller": double})
        lab.open()
        lab.start()
        record = lab.fire("on-shell")
        assert [r.allowed for r in record.requests] == [False]
        use = self.uses(lab, "caller")["network", ""]
        assert use.suggestion == (
            'capabilities:\n  network:\n    allow:\n      - "http://127.0.0.1:1"'
        )

    def test_record__of_a_completion__stands_in_the_step(self, lab):
        """Model, tokens and the script that answered."""
        request = inference([{"role": "user", "content": "hi", "id": None, "source-id": None}])
        lab.capsule({"caller": hook({"on-inference": Answer("artifact", request)})})
        lab.open()
        lab.start(inference={"reply": "two words"})
        (call,) = lab.fire("on-inference").inferences
        assert (call.hook, call.decision, call.scripted) == ("caller", "end_turn", True)
        assert call.input_tokens > 0
        assert lab.fire("on-shell").inferences == ()

    def test_host_time__of_a_host_call__is_part_of_the_call(self, lab):
        """Never more than the whole."""
        lab.capsule({"reader": hook({"on-inference": Error(input_length())})})
        lab.open()
        lab.start()
        (call,) = lab.fire("on-inference").calls
        assert 0 < call.host_us <= call.duration_us
        assert lab.fire("on-shell").calls[0].host_us == 0


class TestMemory:
    """A look into linear memory."""

    def test_read__inside__copies_the_bytes(self, lab):
        """What lies beyond the end is left out."""
        lab.capsule({"one": hook({})})
        lab.open()
        lab.start()
        lab.engine.handle(ReadMemory("one", 0, 65536 - 16, 64))
        read = lab.last(MemoryRead)
        assert read.sizes_bytes == (65536,)
        assert len(read.data) == 16
        lab.engine.handle(ReadMemory("one", 5, 0, 64))
        assert lab.last(MemoryRead).data == b""
        lab.engine.handle(ReadMemory("one", 0, 0, 10**9))
        assert len(lab.last(MemoryRead).data) == MAX_MEMORY_READ_BYTES

    def test_read__unknown_hook__is_refused(self, lab):
        """By name."""
        lab.capsule({"one": hook({})})
        lab.open()
        lab.start()
        with pytest.raises(InspectorError, match="nobody"):
            lab.engine.handle(ReadMemory("nobody"))


class TestSharedComponent:
    """Several hooks made from one component."""

    def test_open__same_bytes_twice__compiles_once_and_keeps_them_apart(self, lab, monkeypatch):
        """The second hook takes the first one's code, on an engine of its own."""
        from inspector.worker import compiling

        compiled = []
        original = compiling.compile_hook

        def counting(engine, data):
            compiled.append(len(data))
            return original(engine, data)

        monkeypatch.setattr(compiling, "compile_hook", counting)
        double = hook({"on-shell": Error(Calls())})
        lab.capsule({"a": double, "b": double, "c": hook({})})
        lab.open()
        assert len(compiled) == 2
        lab.start()
        lab.fire("on-shell")
        errors = [call.error for call in lab.fire("on-shell").calls]
        assert errors == ["2", "2", None]


class TestQueueState:
    """What a front sees of a queue between steps."""

    def test_hold__lifted__tells_when_the_queue_has_become_empty(self, lab):
        """Without another step."""
        slow = hook({"on-shell": [Sleep(50), Answer()]})
        lab.capsule({"slow": slow}, own={"slow": "execution_mode: async\n"})
        lab.open()
        lab.start(held=True)
        for _ in range(3):
            lab.fire("on-shell")
        assert lab.last(HookState).queue_length == 3
        lab.engine.handle(SetHeld(held=False))
        end = time.monotonic() + 30
        while lab.last(HookState).queue_length and time.monotonic() < end:
            time.sleep(0.01)
        assert lab.last(HookState).queue_length == 0
        assert lab.last(HookState).state == "ready"
