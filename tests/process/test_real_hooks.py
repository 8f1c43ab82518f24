"""Hooks that real toolchains built, in a real engine process.

What the tools do with the contract's WIT text (docs/hooks-by-toolchain.md): they import
every function of an interface of which a world uses a type only. `inference` and
`conversation` use the record `message` of `murmur:hook/lifecycle`, so a hook built
against that text imports the lifecycle functions, which no runtime provides. With the
record spelled out in both interfaces the same sources give a hook that runs and pages a
conversation, because a host compares structure; the recorder here is built that way.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.contract.contract import EVENTS
from inspector.contract.record import Disposition, Failure
from inspector.paths import HOME_VARIABLE
from inspector.protocol.message import BeginTask, EndTask, ResetHook, TaskOutput
from tests.helpers import toolchain
from tests.helpers.lab import LabHook, granted, lab, write_capsule
from tests.helpers.loopback import web_server
from tests.helpers.toolchain import FETCHER, GUARD, RECORDER, SHARED_TYPES, ToolchainError

# The first test of a kind builds and compiles a component.
pytestmark = [pytest.mark.process, pytest.mark.toolchain, pytest.mark.timeout(600)]

LINUX_STATUS = Path("/proc/self/status")
MEGABYTE = 1_000_000
WRITE_BYTES = 65_536
"""What wasmtime takes of one write to an inherited stdout."""
SOME_TEXT = 'é\0\x1b\u2028\U0001f600 "\\'


@pytest.fixture(scope="module")
def build(request):
    """Builds a hook and gives its bytes; a missing tool fails the test."""

    def built(source):
        try:
            path = toolchain.build(source, toolchain.cache_folder(request.config))
        except ToolchainError as error:
            pytest.fail(str(error), pytrace=False)
        return path.read_bytes()

    return built


@pytest.fixture(scope="module")
def engine_home(tmp_path_factory):
    """One folder for all engines: a component is compiled once."""
    return tmp_path_factory.getbasetemp() / "engine-home"


def message(number, role="user"):
    """A stored message."""
    return {"role": role, "content": [{"type": "text", "text": f"m{number}"}], "id": f"id{number}"}


def spoken(call):
    """What a guest printed, as word and JSON value of each line."""
    lines = (line.partition(" ") for line in call.stdout.split("\n") if line)
    return {word: json.loads(value) for word, _, value in lines}


def underscored(value):
    """A record of the contract with the names that componentize-py gives."""
    if isinstance(value, dict):
        return {name.replace("-", "_"): underscored(inner) for name, inner in value.items()}
    return [underscored(inner) for inner in value] if isinstance(value, list) else value


FIELDS = {
    "on-stage": {"shell-allow": ["bash", "git"]},
    "on-session-start": {},
    "on-task-start": {"task-id": "t1", "context-id": "ctx", "input-bytes": 2**64 - 1},
    "on-inference": {"turn": 2**32 - 1, "decision": "tool_call", "output": "hello world"},
    "on-tool-call": {"tool-name": SOME_TEXT, "input-bytes": 2**53 + 1},
    "on-shell": {
        "binary": "/bin/ls",
        "argv": ["-l", "", SOME_TEXT],
        "outcome": {"exit-code": -(2**31), "stdout": "x" * 60_000, "duration-ms": 2**63},
    },
    "on-compaction": {
        "messages": [{"role": "user", "content": SOME_TEXT}, {"role": "tool", "content": "{}"}],
        "session-tokens": 5,
        "threshold": 0.1,
        "model": "small",
    },
    "on-task-end": {"task-id": "t1", "exit-status": "ok"},
    "on-session-end": {"exit-status": "ok"},
}
"""One firing of each event, with values at the edges of their types."""


class Story:
    """A whole session of the recorder.

    Attributes:
        records: The step of each event.
        calls: The recorder's call of each event.
        view: What the engine says of the hook.
        workdir: The accessible folder.
        home: The murmur home.
    """

    def __init__(self, running):
        order = (
            *EVENTS[:3],
            BeginTask("do it all right", SOME_TEXT),
            *EVENTS[3:7],
            TaskOutput("the result"),
            "on-task-end",
            EndTask(),
            "on-session-end",
        )
        self.records = {
            step if isinstance(step, str) else type(step).__name__: (
                running.observe(step, FIELDS[step]) if isinstance(step, str) else running.fire(step)
            )
            for step in order
        }
        self.calls = {event: self.records[event].calls[0] for event in EVENTS}
        self.view = running.hook("recorder")
        self.workdir, self.home = running.workdir, running.home
        # The last event trapped; a fresh instance goes on with the same folders.
        running.fire(ResetHook("recorder"))
        self.after_reset = running.observe("on-task-start").calls[0]


class TestPythonHook:
    """A hook of componentize-py with every grant but the network."""

    @pytest.fixture(scope="class")
    @classmethod
    def story(cls, build, engine_home, tmp_path_factory):
        grants = (
            "{filesystem: {scope: notes}, state: {store: counts}, task_io: {read: true}, "
            "conversation: {read: true}}"
        )
        hooks = {"recorder": granted(build(RECORDER), grants, "config: {level: 2, tag: é}")}
        conversation = {"ctx": [message(1), message(2, "assistant"), message(3)]}
        with lab(
            tmp_path_factory.mktemp("story"),
            hooks,
            engine_home=engine_home,
            conversation=conversation,
            inference={"reply": "a summary"},
            session_id="ses_story",
        ) as running:
            yield Story(running)

    def test_component__of_the_tool__is_accepted_with_nine_functions(self, story):
        """Types, names and versions are the contract's; the tool's own export is listed."""
        assert story.view.accepted
        assert [e.function for e in story.view.exports if e.signature_matches] == list(EVENTS)
        assert story.view.other_exports == ("exports",)
        assert all(each.provided for each in story.view.imports)
        murmur = {each.interface for each in story.view.imports if each.interface[:4] == "murm"}
        assert murmur == {
            "murmur:runtime/inference@0.3.0",
            "murmur:runtime/tokens@0.3.0",
            "murmur:task-io/read@0.1.0",
            "murmur:conversation/read@0.1.0",
        }

    @pytest.mark.parametrize("event", EVENTS)
    def test_event__fired__reaches_the_guest_field_by_field(self, story, event):
        """What the guest's own bindings read is what was sent."""
        assert spoken(story.calls[event])[event] == underscored(story.records[event].fields)

    def test_environment__with_config__is_that_variable_alone(self, story):
        """Python sees what the runtime sets, and nothing of the engine's process."""
        assert spoken(story.calls["on-session-start"])["environment"] == {
            "MURMUR_ARTIFACT_CONFIG": '{"level":2,"tag":"é"}'
        }

    def test_stage__manifests_for_two_binaries__are_written(self, story):
        """The staging instance of the hook answers, and its files are there."""
        record = story.records["on-stage"]
        assert [each.binary for each in record.outcome.manifests] == ["bash", "git"]
        session = story.workdir / ".murmur" / "ses_story"
        texts = [(session / each.path).read_text() for each in record.outcome.manifests]
        assert texts == ["name: bash\n", "name: git\n"]

    def test_conversation__paged_by_two__comes_newest_first(self, story):
        """The guest follows the cursor to the end; contents are the stored JSON."""
        assert spoken(story.calls["on-task-start"])["pages"] == [
            {
                "messages": [
                    ["user", '[{"text":"m3","type":"text"}]', "id3", None],
                    ["assistant", '[{"text":"m2","type":"text"}]', "id2", None],
                ],
                "next": "mc_1",
                "total": 3,
            },
            {
                "messages": [["user", '[{"text":"m1","type":"text"}]', "id1", None]],
                "next": None,
                "total": 3,
            },
        ]
        seed = story.records["on-task-start"].outcome.seed
        assert [each["content"] for each in seed.messages] == ["task t1"]

    def test_task__in_an_attempt__has_input_and_later_output(self, story):
        """Both forms of the input as bytes; an output only once there is one."""
        shared = {"input-len": 15, "as-given": SOME_TEXT, "original": "do it al"}
        assert spoken(story.calls["on-inference"])["task"] == {
            **shared,
            "output-len": {"err": "NO_OUTPUT"},
            "output": {"err": "NO_OUTPUT"},
        }
        assert spoken(story.calls["on-task-end"])["task"] == {
            **shared,
            "output-len": 10,
            "output": "the result",
        }

    def test_tokens__of_a_text__are_counted_by_the_host(self, story):
        """The artifact carries the count of `hello world`."""
        (artifact,) = story.records["on-inference"].outcome.artifacts
        assert json.loads(artifact.payload) == {"tokens": 2}

    def test_model__asked_for_a_summary__answers_as_scripted(self, story):
        """The replacement is the reply and the last message; the call is marked."""
        said = spoken(story.calls["on-compaction"])["said"]
        assert (said["text"], said["model_used"]) == ("a summary", "small")
        assert said["input_tokens"] > said["output_tokens"] > 0
        replacement = story.records["on-compaction"].outcome.replacement
        assert [each["content"] for each in replacement] == ["a summary", "{}"]
        assert story.calls["on-compaction"].marks == ("scripted-inference",)

    def test_error__raised_as_err__is_the_guests_own(self, story):
        """An err leaves the instance usable."""
        call = story.calls["on-tool-call"]
        assert call.failure is Failure.GUEST_ERROR
        assert call.error == f"no tool is named {SOME_TEXT}"
        assert story.calls["on-shell"].result == "none"

    def test_task_end__reopened__is_honored(self, story):
        """The arm that the event honors."""
        assert story.calls["on-task-end"].disposition is Disposition.HONORED
        assert story.records["on-task-end"].outcome.reopen.reason == "once more"

    def test_exception__not_caught__is_a_trap_with_its_traceback(self, story):
        """Python's own words are in stderr; a fresh instance works again."""
        call = story.calls["on-session-end"]
        assert call.failure is Failure.TRAP
        assert "RuntimeError: the recorder is done" in call.stderr
        assert story.after_reset.marks == ("re-instantiated",)
        assert story.after_reset.result == "seed-context"

    def test_scope__written_at_every_event__holds_the_lines(self, story):
        """Staging has the session's folder, the session the accessible one."""
        staged = story.workdir / ".murmur" / "ses_story" / "notes" / "events.log"
        assert staged.read_text() == "on-stage\n"
        lines = (story.workdir / "notes" / "events.log").read_text().splitlines()
        assert lines == [*EVENTS[1:], "on-task-start"]

    def test_state_store__counted_at_every_event__outlives_trap_and_reset(self, story):
        """All instances of a hook share its store."""
        count = story.home / "state" / "counts" / "count"
        assert count.read_text() == str(len(EVENTS) + 1)

    @pytest.mark.parametrize("size", [60_000, 100_000])
    def test_print__in_one_write__arrives_as_far_as_a_stream_takes_it(
        self, size, build, engine_home, tmp_path
    ):
        """64 KiB of one write, as in a runtime; Python drops the rest without a word."""
        fields = {"binary": "probe", "command": "print", "argv": [str(size)]}
        with lab(tmp_path, {"recorder": LabHook(build(RECORDER))}, engine_home=engine_home) as run:
            (call,) = run.observe("on-shell", fields).calls
        printed, _, answer = call.stdout.partition("probe ")
        assert printed == "x" * min(size, WRITE_BYTES) + "\n"
        assert call.cut_bytes == 0
        assert json.loads(answer) == {"done": None}

    def test_hook__without_grants__goes_on_with_refusals(self, build, engine_home, tmp_path):
        """The same component; every gated call answers, none traps."""
        with lab(tmp_path, {"recorder": LabHook(build(RECORDER))}, engine_home=engine_home) as run:
            started = run.observe("on-task-start", {"context-id": "ctx"}).calls[0]
            compacted = run.observe("on-compaction").calls[0]
            inferred = run.observe("on-inference").calls[0]
        assert spoken(started)["pages"] == [{"err": "not-granted"}]
        assert {str(each) for each in spoken(inferred)["task"].values()} == {
            "{'err': 'NOT_GRANTED'}"
        }
        assert compacted.error.startswith("inference driver is not configured")
        assert not (tmp_path / "work" / "events.log").exists()


def resident_bytes(running):
    """Memory of the engine process now."""
    text = Path(f"/proc/{running.client.ready.pid}/status").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


class TestJavaScriptHook:
    """A hook of componentize-js that fetches."""

    @pytest.fixture(scope="class")
    @classmethod
    def servers(cls):
        with web_server() as granted_server, web_server() as other:
            yield granted_server, other

    @pytest.fixture(scope="class")
    @classmethod
    def running(cls, build, engine_home, servers, tmp_path_factory):
        component = build(FETCHER)
        allow = f'{{network: {{allow: ["{servers[0].url().rstrip("/")}"]}}}}'
        hooks = {"granted": granted(component, allow), "ungranted": LabHook(component)}
        folder = tmp_path_factory.mktemp("fetch")
        with lab(folder, hooks, engine_home=engine_home) as running:
            yield running

    @staticmethod
    def fetch(running, url, how):
        """What each hook printed of a fetch, and the requests that the engine saw."""
        record = running.observe("on-shell", {"argv": [url, how]})
        assert [call.failure for call in record.calls] == [None, None]
        answers = {call.hook: json.loads(call.stdout) for call in record.calls}
        return answers, {request.hook: request for request in record.requests}

    def test_start__printed__is_captured(self, running):
        """`console.log` goes to stdout."""
        call = running.calls("on-session-start")["granted"]
        assert call.stdout == "started in lab, 2 tokens\n"

    def test_fetch__with_the_rule__is_answered(self, running, servers):
        """Status and text come back; the record names the rule."""
        answers, requests = self.fetch(running, servers[0].url("/a?b"), "text")
        assert answers["granted"] == {"status": 200, "text": "/a?b"}
        assert requests["granted"].allowed
        assert requests["granted"].rule == servers[0].url().rstrip("/")

    def test_print__100_kb_in_one_line__arrives_whole(self, running, servers):
        """This engine goes on writing until the host has taken everything."""
        answers, _ = self.fetch(running, servers[0].url("/?count=100000"), "text")
        assert answers["granted"] == {"status": 200, "text": "x" * 100_000}

    def test_fetch__without_a_rule__fails_inside_the_guest(self, running, servers):
        """The hook beside it was granted the host, this one was not."""
        asked = list(servers[0].paths)
        answers, requests = self.fetch(running, servers[0].url("/mine"), "text")
        assert answers["ungranted"]["failed"] == "Error"
        assert not requests["ungranted"].allowed
        assert requests["ungranted"].explanation == "the hook has no network grant"
        assert servers[0].paths == [*asked, "/mine"]

    def test_fetch__another_port__is_refused(self, running, servers):
        """The server there is not asked."""
        answers, requests = self.fetch(running, servers[1].url("/other"), "text")
        assert answers["granted"]["failed"] == "Error"
        assert requests["granted"].explanation == (
            f"the rule is for port {servers[0].port}, "
            f"and the request goes to port {servers[1].port}"
        )
        assert "/other" not in servers[1].paths

    def test_redirect__followed_by_the_hook__is_judged_anew(self, running, servers):
        """The host follows nothing; the second request is one of its own."""
        inside, outside = servers[0].url("/landed"), servers[1].url("/landed")
        record = running.observe(
            "on-shell", {"argv": [servers[0].url(f"/?to={outside}"), "follow"]}
        )
        answer = json.loads(record.calls[0].stdout)
        assert (answer["status"], answer["location"]) == (302, outside)
        assert answer["then"]["failed"] == "Error"
        mine = [(r.url, r.allowed) for r in record.requests if r.hook == "granted"]
        assert mine == [(servers[0].url(f"/?to={outside}"), True), (outside, False)]
        assert "/landed" not in servers[1].paths
        answers, _ = self.fetch(running, servers[0].url(f"/?to={inside}"), "follow")
        assert answers["granted"]["then"] == {"status": 200, "text": "/landed"}

    @pytest.mark.skipif(not LINUX_STATUS.exists(), reason="reads memory sizes as Linux tells them")
    def test_body__500_mb_streamed__does_not_pile_up_in_the_engine(self, running, servers):
        """Pieces that the guest has read are given back."""
        self.fetch(running, servers[0].url(f"/?count={MEGABYTE}"), "stream")
        before = resident_bytes(running)
        size = 500 * MEGABYTE
        answers, _ = self.fetch(running, servers[0].url(f"/?count={size}"), "stream")
        assert answers["granted"] == {"status": 200, "bytes": size}
        assert resident_bytes(running) - before < 250 * MEGABYTE

    @pytest.mark.skipif(not LINUX_STATUS.exists(), reason="reads memory sizes as Linux tells them")
    def test_body__100_mb_not_read__is_not_fetched_into_the_engine(self, running, servers):
        """What the guest leaves alone is not kept for it."""
        before = resident_bytes(running)
        url = servers[0].url(f"/?count={100 * MEGABYTE}")
        answers, _ = self.fetch(running, url, "status")
        assert answers["granted"] == {"status": 200}
        assert resident_bytes(running) - before < 50 * MEGABYTE

    def test_body__100_mb_in_64_mib_of_memory__ends_the_hook_alone(
        self, build, engine_home, servers, tmp_path
    ):
        """The limit is the guest's; the engine and the other hook go on."""
        component = build(FETCHER)
        allow = f'{{network: {{allow: ["{servers[0].authority}"]}}}}'
        hooks = {"greedy": granted(component, allow), "guard": LabHook(build(GUARD))}
        limits = f"capabilities: {{limits: {{memory_bytes: {64 * 2**20}}}}}"
        with lab(tmp_path, hooks, limits, engine_home=engine_home) as running:
            fields = {"argv": [servers[0].url(f"/?count={100 * MEGABYTE}"), "buffer"]}
            record = running.observe("on-shell", fields)
            assert [call.failure for call in record.calls] == [Failure.RESOURCE_LIMIT, None]
            assert str(64 * 2**20) in record.calls[0].error
            again = running.observe("on-shell")
        assert [call.result for call in again.calls] == ["error", "none"]


class TestQuickJsHook:
    """A policy hook of componentize-qjs."""

    @pytest.fixture(scope="class")
    @classmethod
    def running(cls, build, engine_home, tmp_path_factory):
        manifest = ("binding: on-shell", "commit_policy: deny")
        hooks = {"guard": LabHook(build(GUARD), manifest=manifest)}
        folder = tmp_path_factory.mktemp("guard")
        with lab(folder, hooks, engine_home=engine_home) as running:
            yield running

    def test_decision__forbidden_binary__is_denied_with_the_guests_reason(self, running):
        """The reason is the guest's own text, with the host's token count."""
        record = running.decide("on-shell", {"binary": "/bin/rm", "argv": ["-rf", "/"]})
        assert record.outcome.decision.verdict == "denied"
        assert record.outcome.decision.reason == "/bin/rm -rf / (3 tokens)"

    def test_decision__any_other_binary__proceeds(self, running):
        """The hook answers none."""
        record = running.decide("on-shell", {"binary": "/bin/ls"})
        assert record.outcome.decision.verdict == "proceed"

    def test_observation__of_the_forbidden_binary__is_ignored(self, running):
        """With an outcome there is nothing left to deny."""
        record = running.observe("on-shell", {"binary": "/bin/rm"})
        assert [call.disposition for call in record.calls] == [Disposition.IGNORED]


class TestSharedTypes:
    """Hooks of the contract's own WIT text with inference and conversation."""

    @pytest.fixture(scope="class")
    @classmethod
    def hooks(cls, build):
        """One of each tool with the habit, and one that is fine."""
        refused = {str(source.tool): LabHook(build(source)) for source in SHARED_TYPES}
        return {**refused, "fine": LabHook(build(GUARD))}

    @pytest.fixture(scope="class")
    @classmethod
    def running(cls, hooks, engine_home, tmp_path_factory):
        with lab(tmp_path_factory.mktemp("shared"), hooks, engine_home=engine_home) as running:
            yield running

    @pytest.mark.parametrize("tool", [str(source.tool) for source in SHARED_TYPES])
    def test_hook__imports_lifecycle_functions__is_rejected_with_the_reason(self, running, tool):
        """The runtime's text, and our sentence on the habit of the tools."""
        view = running.hook(tool)
        assert view.rejection == (
            f"failed to instantiate hook {tool}@0.1.0: component imports instance "
            "`murmur:hook/lifecycle@0.8.0`, but a matching implementation was not found in "
            "the linker"
        )
        (imported,) = [i for i in view.imports if i.interface == "murmur:hook/lifecycle@0.8.0"]
        assert not imported.provided
        assert set(imported.functions) == set(EVENTS)
        assert "imports the lifecycle interface as functions" in imported.note
        (found,) = [d for d in running.inspection.diagnostics if d.message == view.rejection]
        assert found.hint == imported.note
        assert "componentize-py" in found.hint
        assert set(view.profiles.values()) == {False}

    def test_other_hook__beside_the_rejected__still_runs(self, running):
        """The launch would be refused; the inspector runs what there is."""
        assert running.inspection.launch_refusal.startswith("runtime failure: failed to inst")
        assert [call.hook for call in running.observe("on-shell").calls] == ["fine"]

    def test_check__on_the_command_line__says_it_too(self, hooks, engine_home, tmp_path):
        """Exit code 1, and the sentence among the diagnostics."""
        capsule = write_capsule(tmp_path / "capsule", hooks)
        done = inspector(engine_home, "check", str(capsule), "--format", "json")
        assert done.returncode == 1
        found = json.loads(done.stdout)["diagnostics"]
        rejected = [each for each in found if each["severity"] == "error"]
        assert [each["hook"] for each in rejected] == [str(each.tool) for each in SHARED_TYPES]
        assert all("as functions, which no runtime" in each["hint"] for each in rejected)


def inspector(home, *arguments):
    """Run the command line; the finished process."""
    return subprocess.run(
        [sys.executable, "-m", "inspector", *arguments],
        env={**os.environ, HOME_VARIABLE: str(home)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


class TestCommandLine:
    """A built component as a user points at it."""

    def test_run__bare_component__prints_what_the_guest_printed(self, build, engine_home, tmp_path):
        """The file alone is a capsule of one hook without grants."""
        component = tmp_path / "recorder.wasm"
        component.write_bytes(build(RECORDER))
        scenario = tmp_path / "s.yaml"
        scenario.write_text(
            "scenario: 1\nsteps:\n  - on-shell: {binary: /bin/ls, argv: [a, b]}\n"
            '  - expect: {calls: [{result: none, stdout: {$contains: \'"argv": ["a", "b"]\'}}]}\n'
        )
        arguments = ("run", str(component), str(scenario), "--format", "jsonl")
        done = inspector(engine_home, *arguments)
        assert done.returncode == 0, done.stderr
        first, summary = [json.loads(line) for line in done.stdout.splitlines()]
        assert first["expectation"] == {"ok": True}
        assert summary["summary"]["calls"] == 1

    def test_compiled_code__opened_again__comes_from_the_cache(self, build, tmp_path):
        """The second engine writes no compiled file anew."""
        component = tmp_path / "guard.wasm"
        component.write_bytes(build(GUARD))
        home = tmp_path / "home"
        kept = []
        for _ in range(2):
            done = inspector(home, "inspect", str(component), "--format", "json")
            assert done.returncode == 0, done.stderr
            files = (home / "cache" / "compiled").rglob("*")
            big = [file for file in files if file.is_file() and file.stat().st_size > MEGABYTE]
            kept.append({file: file.stat().st_mtime_ns for file in big})
        assert len(kept[0]) == 1
        assert kept[0] == kept[1]
