"""The 0.1 runtime's own tests, by their names (spec/dispatch.md 12)."""

import pytest

from inspector.contract.contract import load
from inspector.manifest.grant import Limits
from tests.helpers.launch import LaunchError, Staged, launch
from tests.helpers.wat import (
    Answer,
    Error,
    Spin,
    answering_hook,
    hook,
    marking_hook,
    stub_hook,
)

VERSION = "0.2.0"
IFACE = "murmur:hook/lifecycle@0.2.0"
REQUIRED = load(VERSION).rules.required
OPTIONAL = load(VERSION).rules.optional
TASK_START = {"task-id": "tsk_1", "context-id": "ctx_1", "source": "task_md", "input-bytes": 10}


@pytest.fixture
def run_0_1(tmp_path):
    """Launches under profile 0.1."""

    def make(*staged, **options):
        return launch(tmp_path, *staged, profile="0.1", **options)

    return make


def stub(functions=None, interface=None):
    """A stub of this contract."""
    return stub_hook(functions, interface, VERSION)


class TestInstantiation:
    """Tests 1 to 7."""

    def test_blocking_hook_missing_task_fns_instantiates_and_skips_them(self, run_0_1):
        """1: without the two task functions nothing is called or logged for them."""
        with run_0_1(Staged(stub())) as run:
            assert run.functions() == set(REQUIRED)
            run.emit("on-task-start", TASK_START)
            run.emit("on-task-end", {"task-id": "tsk_1"})
            assert run.log() == ""

    def test_blocking_hook_with_task_fns_registers_them(self, run_0_1):
        """2: exported, both are in the table."""
        with run_0_1(Staged(stub((*REQUIRED, *OPTIONAL)))) as run:
            assert set(OPTIONAL) <= run.functions()

    def test_queue_mode_fires_session_events_once_and_task_events_per_task(self, run_0_1):
        """3: the four-field task start reaches the hooks."""
        bindings = ("on-session-start", "on-task-start", "on-task-end", "on-session-end")
        staged = [
            Staged(stub((*REQUIRED, *OPTIONAL)), name=event, binding=event) for event in bindings
        ]
        with run_0_1(*staged) as run:
            run.emit("on-session-start")
            for _ in range(3):
                run.emit("on-task-start", TASK_START)
                run.emit("on-inference")
                run.emit("on-task-end", {"task-id": "tsk_1"})
            run.emit("on-session-end")
            assert [run.log_lines(event) for event in bindings] == [1, 3, 3, 1]
            assert run.session.dispatcher.totals.turns == 3

    def test_blocking_hook_missing_required_fn_fails_new(self, run_0_1):
        """4: the launch fails and names the function."""
        functions = [name for name in REQUIRED if name != "on-session-start"]
        with pytest.raises(LaunchError) as caught, run_0_1(Staged(stub(functions))):
            pass
        assert str(caught.value) == (
            f"runtime failure: hook test-hook@0.0.1 missing function {IFACE}#on-session-start"
        )

    def test_versioned_hook_double_instantiates_and_registers_fns(self, run_0_1):
        """5: the versioned export resolves all eight."""
        with run_0_1(Staged(stub((*REQUIRED, *OPTIONAL)))) as run:
            assert run.functions() == {*REQUIRED, *OPTIONAL}

    @pytest.mark.parametrize("interface", ["murmur:hook/lifecycle", "murmur:hook/lifecycle@0.8.0"])
    def test_unversioned_only_hook_double_fails_hard(self, run_0_1, interface):
        """6: no version, or a later one, no launch."""
        self._refuses(run_0_1, interface)

    def test_hook_missing_lifecycle_export_fails(self, run_0_1):
        """7: another version is no match."""
        self._refuses(run_0_1, "murmur:hook/lifecycle@9.9.9")

    @staticmethod
    def _refuses(run_0_1, interface):
        staged = Staged(stub(interface=interface))
        with pytest.raises(LaunchError) as caught, run_0_1(staged):
            pass
        assert str(caught.value) == (
            f"runtime failure: hook test-hook@0.0.1 missing export {IFACE}; rebuild the hook "
            "against the versioned WIT (run `mur install` for a default artifact, or rebuild "
            "from source otherwise)"
        )


class TestCheckpoints:
    """Tests 8 to 10; with no hook at all these effects still happen."""

    @staticmethod
    def _file(run, name, text):
        folder = run.accessible_dir / "checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        return folder / name

    def test_session_end_emit_signs_existing_checkpoints(self, run_0_1):
        """8: after the session's end a present file has a signature."""
        with run_0_1() as run:
            path = self._file(run, "summary.md", "goals: ship it")
            run.emit("on-session-end", {"exit-status": "ok"})
            assert len(path.with_name("summary.md.sig").read_text()) == 64

    def test_session_start_emit_quarantines_tampered_checkpoint(self, run_0_1):
        """9: a changed file is renamed before any hook is called, and noted."""
        with run_0_1() as run:
            path = self._file(run, "plan.json", '{"tasks":[]}')
            run.emit("on-session-end")
            path.write_text('{"tasks":["evil"]}')
            run.emit("on-session-start")
            assert not path.exists()
            assert path.with_name("plan.json.rejected").read_text() == '{"tasks":["evil"]}'
            assert not path.with_name("plan.json.sig").exists()
            assert run.file("logs/bootstrap.log") == (
                "[checkpoint] rejected unsigned/tampered checkpoint file(s): plan.json\n"
            )

    def test_session_start_emit_leaves_validly_signed_checkpoint_untouched(self, run_0_1):
        """10: what is signed stays."""
        with run_0_1() as run:
            path = self._file(run, "decisions.json", "[]")
            run.emit("on-session-end")
            run.emit("on-session-start")
            assert path.read_text() == "[]"
            assert not path.with_name("decisions.json.rejected").exists()

    def test_compaction__with_a_replacement__signs(self, run_0_1):
        """A compaction that got a replacement signs, one without does not."""
        double = answering_hook({"on-compaction": Answer("replace-context", [])}, version=VERSION)
        with run_0_1(Staged(double, binding="on-compaction")) as run:
            path = self._file(run, "summary.md", "x")
            run.emit("on-inference")
            assert not path.with_name("summary.md.sig").exists()
            run.emit("on-compaction")
            assert path.with_name("summary.md.sig").exists()

    def test_verify__no_signature__quarantines_and_replaces_an_old_one(self, run_0_1):
        """A missing signature counts as tampering; an old .rejected is replaced."""
        with run_0_1() as run:
            path = self._file(run, "plan.json", "new")
            path.with_name("plan.json.rejected").write_text("old")
            run.emit("on-session-start")
            assert path.with_name("plan.json.rejected").read_text() == "new"

    def test_key__that_cannot_be_had__is_noted_and_nothing_else(self, run_0_1):
        """In the words of the runtime's library, once for each purpose."""
        with run_0_1() as run:
            path = self._file(run, "plan.json", "x")
            keys = run.session_dir.parent / "home" / "checkpoint-keys"
            keys.parent.mkdir(parents=True, exist_ok=True)
            keys.write_text("a file in the place of the folder")
            run.emit("on-session-start")
            run.emit("on-session-end")
            assert path.read_text() == "x"
            assert not path.with_name("plan.json.sig").exists()
            assert run.file("logs/bootstrap.log").splitlines() == [
                f"[checkpoint] signing key unavailable, skipping checkpoint {purpose}: File "
                "exists (os error 17)"
                for purpose in ("verification", "signing")
            ]


class TestDispatch:
    """Test 11, and what else is different from later runtimes."""

    def test_blocking_hook_that_spins_is_interrupted_and_does_not_abort_dispatch(self, run_0_1):
        """11: the deadline ends the spinner, the next hook is still called."""
        spinner = Staged(
            hook({"on-session-start": Spin()}, others="stub", version=VERSION), name="spinner"
        )
        bystander = Staged(stub(), name="bystander")
        with run_0_1(spinner, bystander, limits=Limits(declared_deadline_s=1)) as run:
            run.emit("on-session-start")
            assert "exceeded its 1s execution deadline" in run.log("spinner")
            assert run.log_lines("bystander") == 1

    def test_arm__not_honored__is_dropped_in_silence(self, run_0_1):
        """No fault, no line."""
        double = answering_hook({"on-shell": Answer("artifact", "x")}, version=VERSION)
        with run_0_1(Staged(double)) as run:
            record = run.emit("on-shell")
            assert (record.calls[0].result, record.calls[0].disposition) == ("artifact", "ignored")
            assert run.faults() == []
            assert run.log() == ""

    def test_async_hook__each_event__gets_an_instance_of_its_own(self, run_0_1):
        """Nothing is remembered between events."""
        with run_0_1(Staged(marking_hook(version=VERSION), is_async=True)) as run:
            for event in ("on-session-start", "on-tool-call", "on-session-end"):
                run.emit(event)
            assert run.log() == "E\n"
            assert run.faults() == []

    def test_async_hook__lacks_the_interface__is_found_at_the_first_event(self, run_0_1):
        """The launch goes on; the text names no version of the hook."""
        staged = Staged(stub(interface="murmur:hook/lifecycle@0.5.0"), is_async=True)
        with run_0_1(staged) as run:
            record = run.emit("on-shell")
            assert run.log() == (
                f"hook test-hook missing export {IFACE}; rebuild the hook against the versioned "
                "WIT (run `mur install` for a default artifact, or rebuild from source otherwise)\n"
            )
            assert record.calls[0].failure == "rejected"

    def test_async_hook__lacks_a_function__says_so_without_a_version(self, run_0_1):
        """The detached path's own wording."""
        functions = [name for name in REQUIRED if name != "on-shell"]
        with run_0_1(Staged(stub(functions), is_async=True)) as run:
            run.emit("on-inference")
            assert run.log() == f"hook test-hook missing {IFACE}#on-shell\n"

    def test_folder__any_hook__gets_the_whole_root(self, run_0_1):
        """The root is preopened for every hook."""
        from tests.helpers.wat import Preopens

        double = hook({"on-shell": Error(Preopens())}, version=VERSION)
        with run_0_1(Staged(double)) as run:
            run.emit("on-shell")
            assert run.log() == ".,\n"
