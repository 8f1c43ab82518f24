"""The runtime's own tests, by their names: host imports and folders (profile 0.3).

Numbers are those of spec/dispatch.md 11: 18, 19, 21 to 44.
"""

import json

import pytest

from inspector.capsule.opening import open_capsule
from inspector.contract.profile import PROFILES
from inspector.manifest.grant import Grant
from inspector.manifest.network import rule
from inspector.manifest.schema import Located
from inspector.runtime.host import tokens
from tests.helpers.launch import LaunchError, Staged, launch
from tests.helpers.wat import (
    HTTP_ERRORS,
    Answer,
    ConversationPages,
    Error,
    HttpGet,
    Joined,
    Preopens,
    answering_driver,
    hook,
    inference,
    input_length,
    output_length,
    task_input,
    task_output,
    token_count,
)

TASK_IO = Grant(task_io=True)
CONVERSATION = Grant(conversation=True)
NOT_GRANTED, NO_TASK, NO_OUTPUT = "!0", "!1", "!2"
ALL_EVENTS = (
    "on-session-start",
    "on-task-start",
    "on-inference",
    "on-task-end",
    "on-session-end",
)


class TestInference:
    """Tests 18 and 19."""

    DOUBLE = hook(
        {
            "on-inference": Answer(
                "artifact",
                inference([{"role": "user", "content": "hi", "id": None, "source-id": None}]),
            )
        }
    )

    def test_hook_importing_run_inference_receives_the_driver_completion(self, tmp_path):
        """18: the driver's text comes back, with one record of the call."""
        driver = answering_driver("hello from driver")
        staged = Staged(self.DOUBLE, name="caller")
        with launch(
            tmp_path, staged, driver=driver, inference={"driver": True}, model="the-model"
        ) as run:
            record = run.emit("on-inference")
            assert record.outcome.artifacts[0].payload == "hello from driver"
            (call,) = record.inferences
            assert (call.hook, call.model, call.decision) == ("caller", "the-model", "end_turn")

    def test_hook_run_inference_without_driver_gets_clear_error(self, tmp_path):
        """19: without a driver the call answers an error."""
        with launch(tmp_path, Staged(self.DOUBLE)) as run:
            (artifact,) = run.emit("on-inference").outcome.artifacts
            assert artifact.payload == (
                "!inference driver is not configured; add inference.driver.artifact to murmur.yaml"
            )


class TestTokens:
    """Tests 21 and 22."""

    PROBE = "The quick brown fox \u00e9\U0001f600 <|endoftext|>"

    def test_tokens_count_answers_a_hook_with_the_hosts_own_number(self, tmp_path):
        """21: guest and host count alike."""
        double = hook({"on-session-start": Error(token_count(self.PROBE))})
        with launch(tmp_path, Staged(double)) as run:
            run.emit("on-session-start")
            assert tokens.count(self.PROBE) > 0
            assert run.log() == f"{tokens.count(self.PROBE)}\n"

    def test_tokens_count_is_registered_on_the_staging_linker_too(self, tmp_path):
        """22: staged, it links and then lacks on-stage."""
        double = hook({"on-session-start": Error(token_count("x"))})
        with launch(tmp_path, Staged(double, name="counter")) as run:
            run.emit("on-stage")
            assert run.log("counter") == "hook counter@0.0.1 missing on-stage\n"


def lengths():
    """A hook that gives both lengths back at every event of a task."""
    text = Joined("in=", input_length(), " out=", output_length())
    return hook({event: Error(text) for event in ALL_EVENTS})


class TestTaskIo:
    """Tests 23 to 25."""

    @staticmethod
    def _through_a_task(run):
        run.emit("on-session-start")
        run.emit("on-task-start", {"context-id": "ctx_1"})
        run.session.begin_task(1, "do a task", "do a task")
        run.emit("on-inference")
        run.session.record_task_output(1, "the result")
        run.emit("on-task-end")
        run.session.end_task(1)
        run.emit("on-session-end")
        return run.log().splitlines()

    def test_the_scope_table_holds_at_every_lifecycle_event(self, tmp_path):
        """23: what is in scope, event by event."""
        with launch(tmp_path, Staged(lengths(), grant=TASK_IO)) as run:
            assert self._through_a_task(run) == [
                f"in={NO_TASK} out={NO_TASK}",
                f"in={NO_TASK} out={NO_TASK}",
                f"in=9 out={NO_OUTPUT}",
                "in=9 out=10",
                f"in={NO_TASK} out={NO_TASK}",
            ]

    def test_an_ungranted_hook_links_and_reads_not_granted(self, tmp_path):
        """24: without the grant the answer is not-granted."""
        with launch(tmp_path, Staged(lengths())) as run:
            assert set(self._through_a_task(run)) == {f"in={NOT_GRANTED} out={NOT_GRANTED}"}

    def test_a_granted_reader_returns_what_it_read_as_reopen_task(self, tmp_path):
        """25: both forms and the output, in a reopen reason."""
        text = Joined(
            task_input(),
            "|",
            task_input("original"),
            "|",
            task_output(),
            "|",
            input_length(),
            "|",
            input_length("original"),
        )
        double = hook({"on-task-end": Answer("reopen-task", text)})
        with launch(tmp_path, Staged(double, grant=TASK_IO)) as run:
            run.session.begin_task(1, "do the old task", "do the old task now")
            run.session.record_task_output(1, "done")
            reopen = run.emit("on-task-end").outcome.reopen
            assert reopen.reason == "do the old task now|do the old task|done|19|15"
            assert run.faults() == []


def pages(limit, count=1):
    """A hook that gives pages of the record back."""
    return hook({"on-inference": Error(ConversationPages(limit, count))})


class TestConversation:
    """Tests 26 to 30."""

    @staticmethod
    def _record(root, count, broken=None):
        folder = root / "ctx_1"
        folder.mkdir(parents=True)
        lines = [
            json.dumps(
                {"role": "user", "content": [{"type": "text", "text": f"m{n}"}], "id": str(n)}
            )
            for n in range(1, count + 1)
        ]
        if broken is not None:
            lines.append(broken)
        (folder / "conversation.jsonl").write_text("".join(line + "\n" for line in lines))

    @staticmethod
    def _read(folder, double, *, root, grant=CONVERSATION):
        with launch(folder, Staged(double, grant=grant), conversation_root=root) as run:
            run.emit("on-task-start", {"context-id": "ctx_1"})
            run.emit("on-inference")
            return run.log().rstrip("\n"), run.file("logs/bootstrap.log")

    def test_a_granted_hook_pages_a_prior_runs_record_newest_first(self, tmp_path):
        """26: newest first, the cursor leads on."""
        root = tmp_path / "record"
        self._record(root, 5)
        found, _ = self._read(tmp_path, pages(2, 2), root=root)
        assert found == "T=5;5=user;4=user;N=mc_3|T=5;3=user;2=user;N=mc_1"

    def test_the_final_page_reports_no_next_cursor(self, tmp_path):
        """27: nothing older, no cursor."""
        root = tmp_path / "record"
        self._record(root, 2)
        found, _ = self._read(tmp_path, pages(2), root=root)
        assert found == "T=2;2=user;1=user;N=-"

    def test_an_ungranted_hook_reads_not_granted_rather_than_an_empty_page(self, tmp_path):
        """28: a refusal, not emptiness."""
        root = tmp_path / "record"
        self._record(root, 2)
        found, _ = self._read(tmp_path, pages(2, 2), root=root, grant=Grant())
        assert set(found.split("|")) == {"!not-granted"}

    def test_a_session_with_no_record_reads_an_empty_page(self, tmp_path):
        """29: no root, an empty page, twice."""
        found, _ = self._read(tmp_path, pages(2, 2), root=None)
        assert found == "T=0;N=-|T=0;N=-"

    def test_a_malformed_record_line_is_skipped_and_the_read_still_succeeds(self, tmp_path):
        """30: the broken line is noted once."""
        root = tmp_path / "record"
        self._record(root, 3, broken="{not json")
        found, notes = self._read(tmp_path, pages(10), root=root)
        assert found.startswith("T=3;")
        path = root / "ctx_1" / "conversation.jsonl"
        assert notes == (f"[conversation] {path}: line 4 is not a message and was skipped\n")


class TestNetwork:
    """Tests 31, 32 and 44."""

    DENIED = f"!{HTTP_ERRORS.index('HTTP-request-denied')}"

    def _get(self, folder, url, *entries):
        double = hook({"on-session-start": Error(HttpGet(url))})
        grant = Grant(network=tuple(rule(Located(entry, 1, 1)) for entry in entries))
        with launch(folder, Staged(double, grant=grant)) as run:
            record = run.emit("on-session-start")
            (request,) = record.requests
            return run.log().rstrip("\n"), request

    @pytest.mark.parametrize("url", ["https://api.test/x", "http://127.0.0.1:1/"])
    def test_ungranted_hook_store_denies_every_outbound_request(self, tmp_path, url):
        """31: without a rule nothing leaves."""
        found, request = self._get(tmp_path, url)
        assert found == self.DENIED
        assert not request.allowed
        assert request.url == url

    @pytest.mark.parametrize(
        ("url", "passes"),
        [
            ("http://127.0.0.1:1/", True),
            ("http://127.0.0.1:2/", False),
            ("http://other.test:1/", False),
        ],
    )
    def test_granted_hook_store_admits_only_the_declared_host(self, tmp_path, url, passes):
        """32: host and port count; what passes fails at the connection, not at the gate."""
        found, request = self._get(tmp_path, url, "http://127.0.0.1:1")
        assert request.allowed is passes
        assert (found == self.DENIED) is not passes
        assert found.startswith("!")

    def test_hook_self_declared_capabilities_do_not_grant_anything(self, tmp_path):
        """44: what the hook's own manifest declares is not looked at."""
        double = hook({"on-session-start": Error(HttpGet("http://127.0.0.1:1/"))})
        place = tmp_path / "capsule" / "hooks" / "greedy"
        place.mkdir(parents=True)
        (place / "hook.wasm").write_bytes(double.component())
        (place / "murmur.yaml").write_text(
            "name: greedy\nversion: 0.1.0\nruntime: hook\n"
            "capabilities:\n  network: {allow: ['http://127.0.0.1:1']}\n"
            "  filesystem: {scope: data}\n  state: {}\n"
        )
        (tmp_path / "capsule" / "murmur.yaml").write_text(
            "name: c\nversion: 0.1.0\nartifacts:\n"
            "  - {name: greedy, version: 0.1.0, runtime: hook}\n"
        )
        capsule = open_capsule(str(tmp_path / "capsule"), profile=PROFILES["0.3"], home=tmp_path)
        (artifact,) = capsule.hooks
        assert artifact.grant == Grant()
        found, request = self._get(tmp_path, "http://127.0.0.1:1/")
        assert (found, request.allowed) == (self.DENIED, False)


class TestFolders:
    """Tests 33 to 43."""

    SCOPED = Grant(filesystem_scope="data/out")

    @staticmethod
    def _preopens(folder, grant, **options):
        double = hook({"on-session-start": Error(Preopens()), "on-stage": Error(Preopens())})
        with launch(folder, Staged(double, grant=grant), **options) as run:
            run.emit("on-session-start")
            return run.log().rstrip("\n")

    def test_ungranted_hook_gets_no_preopened_directory(self, tmp_path):
        """33: no folder is there and none is made."""
        missing = tmp_path / "missing"
        assert self._preopens(tmp_path, Grant(), accessible_dir=missing) == ""
        assert not missing.exists()

    def test_a_hook_granted_scope_and_state_preopens_both(self, tmp_path):
        """34: the scope hangs under the root, the store beside it, its file untouched."""
        store = tmp_path / "home" / "state" / "shared"
        store.mkdir(parents=True)
        (store / "kept").write_text("as it was")
        grant = Grant(filesystem_scope="data", state_store="shared")
        assert self._preopens(tmp_path, grant) == ".,state,"
        assert (tmp_path / "accessible" / "data").is_dir()
        assert (store / "kept").read_text() == "as it was"

    def test_a_hook_granted_state_but_no_scope_preopens_only_the_store(self, tmp_path):
        """35: the missing root stays missing."""
        missing = tmp_path / "missing"
        found = self._preopens(tmp_path, Grant(state_store="s"), accessible_dir=missing)
        assert found == "state,"
        assert not missing.exists()

    def test_a_missing_state_directory_fails_the_build(self, tmp_path):
        """36: a store that cannot be made is named."""
        home = tmp_path / "home"
        home.mkdir()
        (home / "state").write_text("a file in the way")
        with pytest.raises(LaunchError) as caught:
            self._preopens(tmp_path, Grant(state_store="s"))
        assert str(home / "state" / "s") in str(caught.value)

    def test_granted_hook_preopens_only_the_scoped_subtree(self, tmp_path):
        """37: the scope is made, siblings are left alone."""
        sibling = tmp_path / "accessible" / "data" / "sibling"
        sibling.mkdir(parents=True)
        assert self._preopens(tmp_path, self.SCOPED) == ".,"
        assert (tmp_path / "accessible" / "data" / "out").is_dir()
        assert list(sibling.iterdir()) == []

    def test_granted_hook_scope_reuses_an_existing_directory(self, tmp_path):
        """38: what is there stays."""
        kept = tmp_path / "accessible" / "data" / "out" / "kept"
        kept.parent.mkdir(parents=True)
        kept.write_text("as it was")
        self._preopens(tmp_path, self.SCOPED)
        assert kept.read_text() == "as it was"

    def test_unusable_scope_fails_instantiation(self, tmp_path):
        """39: a file in the way is an error that names the scope."""
        path = tmp_path / "accessible" / "data"
        path.parent.mkdir()
        path.write_text("a file")
        with pytest.raises(LaunchError) as caught:
            self._preopens(tmp_path, self.SCOPED)
        assert str(caught.value) == (
            f"failed to initialize WASI for {path}/out: failed to create granted filesystem scope "
            "'data/out': Not a directory (os error 20)"
        )

    def test_blocking_hook_instantiation_applies_the_grant(self, tmp_path):
        """40: under the accessible folder, not under the session's."""
        self._preopens(tmp_path, self.SCOPED)
        assert (tmp_path / "accessible" / "data" / "out").is_dir()
        assert not (tmp_path / "session" / "data").exists()

    def test_ungranted_blocking_hook_instantiates_without_any_preopen(self, tmp_path):
        """41: the project folder may be missing and stays so."""
        missing = tmp_path / "project"
        with launch(tmp_path, Staged(hook({})), accessible_dir=missing) as run:
            assert run.functions()
        assert not missing.exists()

    def test_on_stage_instantiation_applies_the_grant(self, tmp_path):
        """42: staging makes the scope below the session folder."""
        double = hook({"on-stage": Answer()})
        with launch(tmp_path, Staged(double, grant=self.SCOPED, binding="on-stage")) as run:
            run.emit("on-stage")
            assert (run.session_dir / "data" / "out").is_dir()

    def test_async_hook_instantiation_applies_the_grant(self, tmp_path):
        """43: async hooks alike."""
        with launch(tmp_path, Staged(hook({}), grant=self.SCOPED, is_async=True)) as run:
            assert (run.accessible_dir / "data" / "out").is_dir()
            assert not (run.session_dir / "data").exists()
