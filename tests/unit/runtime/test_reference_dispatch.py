"""The runtime's own tests, by their names: instances, dispatch, arms (profile 0.3).

Numbers are those of spec/dispatch.md 11; tests of async hooks, of grants and of the 0.1
profile stand in the modules beside.
"""

import pytest

from inspector.contract.contract import EVENTS, Phase, load
from inspector.contract.profile import PROFILES
from inspector.contract.record import Decision
from inspector.manifest.grant import Limits
from inspector.manifest.hook_manifest import HookConfigError, read
from inspector.runtime.judge import judge
from tests.helpers.launch import LaunchError, Staged, launch
from tests.helpers.wat import (
    ABSENT,
    Answer,
    Check,
    Error,
    Field,
    Spin,
    answering_hook,
    hook,
    stub_hook,
)

CONTRACT = load("0.8.0")
PROFILE = PROFILES["0.3"]
IFACE = "murmur:hook/lifecycle@0.8.0"
REQUIRED = CONTRACT.rules.required
OPTIONAL = CONTRACT.rules.optional
COMPACTION = {
    "messages": [{"role": "user", "content": "hello"}],
    "session-tokens": 1234,
    "threshold": 0.98,
}
SHELL = {
    "turn": 1,
    "binary": "/usr/bin/pytest",
    "command": "-q tests/",
    "argv": ["-q", "tests/"],
    "outcome": {"exit-code": 0, "stdout": "ok", "stdout-bytes": 2, "duration-ms": 12},
}
TASK_START = {
    "task-id": "tsk_1",
    "context-id": "ctx_1",
    "source": "task_md",
    "input-bytes": 10,
}
TASK_END = {"task-id": "tsk_1", "exit-status": "failed"}
MESSAGE = {"role": "user", "content": "seed"}


def unsupported(hook_name: str, event: str, arm: str) -> str:
    """The log line of an unhonored arm."""
    return (
        f"hook '{hook_name}' returned unsupported hook-output arm '{arm}' from '{event}'; this "
        "event does not honor that arm, so the value was discarded\n"
    )


class TestInstantiation:
    """Tests 1 to 7 and 15."""

    def test_blocking_hook_missing_task_fns_instantiates_and_skips_them(self, tmp_path):
        """1: without the two task functions nothing is called or logged for them."""
        with launch(tmp_path, Staged(stub_hook())) as run:
            assert run.functions() == set(REQUIRED)
            run.emit("on-task-start", TASK_START)
            run.emit("on-task-end", {"task-id": "tsk_1", "exit-status": "ok"})
            assert run.log() == ""

    def test_blocking_hook_with_task_fns_registers_them(self, tmp_path):
        """2: exported, both are in the table."""
        with launch(tmp_path, Staged(stub_hook((*REQUIRED, *OPTIONAL)))) as run:
            assert set(OPTIONAL) <= run.functions()

    def test_queue_mode_fires_session_events_once_and_task_events_per_task(self, tmp_path):
        """3: session events once, task events per task, turns summed up."""
        bindings = ("on-session-start", "on-task-start", "on-task-end", "on-session-end")
        staged = [
            Staged(stub_hook((*REQUIRED, *OPTIONAL)), name=f"hook-{event}", binding=event)
            for event in bindings
        ]
        with launch(tmp_path, *staged) as run:
            run.emit("on-session-start")
            for _ in range(3):
                run.emit("on-task-start", TASK_START)
                run.emit("on-inference", {"decision": "end_turn"})
                run.emit("on-task-end", {"task-id": "tsk_1", "exit-status": "ok"})
            run.emit("on-session-end", {"exit-status": "ok"})
            assert [run.log_lines(f"hook-{event}") for event in bindings] == [1, 3, 3, 1]
            assert run.session.dispatcher.totals.turns == 3

    def test_blocking_hook_missing_required_fn_fails_new(self, tmp_path):
        """4: the launch fails and names the function."""
        functions = [name for name in REQUIRED if name != "on-session-start"]
        with (
            pytest.raises(LaunchError) as caught,
            launch(tmp_path, Staged(stub_hook(functions))),
        ):
            pass
        assert str(caught.value) == (
            f"runtime failure: hook test-hook@0.0.1 missing function {IFACE}#on-session-start"
        )

    def test_versioned_hook_double_instantiates_and_registers_fns(self, tmp_path):
        """5: the versioned export resolves all eight."""
        with launch(tmp_path, Staged(stub_hook((*REQUIRED, *OPTIONAL)))) as run:
            assert run.functions() == {*REQUIRED, *OPTIONAL}

    @pytest.mark.parametrize("interface", ["murmur:hook/lifecycle"])
    def test_unversioned_only_hook_double_fails_hard(self, tmp_path, interface):
        """6: no version, no launch."""
        self._refuses(tmp_path, interface)

    def test_hook_missing_lifecycle_export_fails(self, tmp_path):
        """7: another version is no match."""
        self._refuses(tmp_path, "murmur:hook/lifecycle@9.9.9")

    def test_retired_version_hook_fails_to_instantiate(self, tmp_path):
        """15: a retired version is refused with the hint to rebuild."""
        self._refuses(tmp_path, "murmur:hook/lifecycle@0.5.0")

    @staticmethod
    def _refuses(folder, interface):
        staged = Staged(stub_hook(interface=interface))
        with pytest.raises(LaunchError) as caught, launch(folder, staged):
            pass
        assert str(caught.value) == (
            f"runtime failure: hook test-hook@0.0.1 does not export {IFACE}; rebuild the hook "
            "against the current WIT (run `mur install` for a default artifact, or rebuild from "
            "source otherwise)"
        )


class TestCompaction:
    """Tests 8 to 14."""

    @staticmethod
    def _echo(role, path):
        content = Field(path)
        message = {"role": role, "content": content, "id": None, "source-id": None}
        return answering_hook({"on-compaction": Answer("replace-context", [message])})

    def _compact(self, folder, path, **extra):
        staged = Staged(self._echo("model", path), binding="on-compaction")
        with launch(folder, staged) as run:
            record = run.emit("on-compaction", COMPACTION | extra)
            assert run.log() == ""
        (message,) = record.outcome.replacement
        assert message["role"] == "model"
        return message["content"]

    def test_compaction_hook_receives_manifest_model(self, tmp_path):
        """8: the manifest's model arrives."""
        assert self._compact(tmp_path, "model", model="claude-x") == "claude-x"

    def test_compaction_hook_receives_manifest_system_prompt(self, tmp_path):
        """9: the system prompt arrives verbatim."""
        prompt = "Summarise.\nKeep \u00e9 and \0."
        assert self._compact(tmp_path, "system-prompt", **{"system-prompt": prompt}) == prompt

    def test_compaction_hook_receives_none_when_system_prompt_unset(self, tmp_path):
        """10: none reaches the guest as none."""
        assert self._compact(tmp_path, "system-prompt", model="m") == ABSENT

    def test_compaction_hook_receives_none_when_model_unset(self, tmp_path):
        """11: the same for the model."""
        assert self._compact(tmp_path, "model", **{"system-prompt": "p"}) == ABSENT

    def test_compaction_hook_error_surfaces_to_caller(self, tmp_path):
        """12: the error reaches the caller with the hook's name, and the log."""
        double = hook({"on-compaction": Error("boom")})
        staged = Staged(double, name="compactor", binding="on-compaction")
        with launch(tmp_path, staged) as run:
            record = run.emit("on-compaction", COMPACTION)
            assert record.outcome.compaction_error == "compactor: boom"
            assert run.log("compactor") == "boom\n"

    def test_compaction_with_no_bound_hook_is_ok_none(self, tmp_path):
        """13: nobody asked, nothing replaced."""
        with launch(tmp_path) as run:
            outcome = run.emit("on-compaction", COMPACTION).outcome
        assert (outcome.replacement, outcome.compaction_error) == (None, None)

    def test_current_hook_receives_five_field_compaction_event(self, tmp_path):
        """14: the five-field record is received."""
        double = hook(
            {
                "on-compaction": [
                    Check(Field("messages[0].content"), "hello"),
                    Check(Field("session-tokens"), "1234"),
                    Check(Field("model"), "m"),
                    Check(Field("system-prompt"), "p"),
                    Answer(),
                ]
            }
        )
        with launch(tmp_path, Staged(double)) as run:
            fields = COMPACTION | {"model": "m", "system-prompt": "p"}
            outcome = run.emit("on-compaction", fields).outcome
            assert (outcome.replacement, outcome.compaction_error) == (None, None)
            assert run.log() == ""


class TestShellAndDeadline:
    """Tests 16, 17 and 20."""

    @staticmethod
    def _expecting(binary):
        return hook({"on-shell": [Check(Field("binary"), binary), Answer()]})

    def test_current_hook_receives_the_invoked_binary_in_shell_event(self, tmp_path):
        """16: the guest sees the binary."""
        with launch(tmp_path, Staged(self._expecting("/usr/bin/pytest"))) as run:
            run.emit("on-shell", SHELL)
            assert run.log() == ""

    def test_shell_double_rejects_a_binary_it_did_not_expect(self, tmp_path):
        """17: another binary traps, so 16 can fail."""
        with launch(tmp_path, Staged(self._expecting("/usr/bin/cargo"))) as run:
            run.emit("on-shell", SHELL)
            assert run.log().startswith("hook 'test-hook' on-shell trapped: ")

    def test_blocking_hook_that_spins_is_interrupted_and_does_not_abort_dispatch(self, tmp_path):
        """20: the deadline ends the spinner, the next hook is still called."""
        spinner = Staged(hook({"on-session-start": Spin()}, others="stub"), name="spinner")
        bystander = Staged(stub_hook(), name="bystander")
        with launch(tmp_path, spinner, bystander, limits=Limits(declared_deadline_s=1)) as run:
            record = run.emit("on-session-start")
            assert run.log("spinner") == (
                "hook 'spinner' on-session-start exceeded its 1s execution deadline "
                "(capabilities.limits.deadline_seconds) and was interrupted\n"
            )
            assert run.log("bystander") == "type mismatch with parameters\n"
        assert [call.failure for call in record.calls] == ["deadline", "type-mismatch"]


class TestTaskEnd:
    """Tests 45 to 47."""

    def test_on_task_end_reopen_task_is_surfaced_by_dispatch_task_end(self, tmp_path):
        """45: reason and hook name surface."""
        double = answering_hook({"on-task-end": Answer("reopen-task", "tests still fail")})
        with launch(tmp_path, Staged(double, name="verifier")) as run:
            reopen = run.emit("on-task-end", TASK_END).outcome.reopen
            assert (reopen.hook, reopen.reason) == ("verifier", "tests still fail")
            assert run.faults() == []
            assert run.log("verifier") == ""

    def test_on_task_end_none_surfaces_no_reopen(self, tmp_path):
        """46: none asks for nothing."""
        with launch(tmp_path, Staged(answering_hook({"on-task-end": Answer()}))) as run:
            assert run.emit("on-task-end", TASK_END).outcome.reopen is None
            assert run.faults() == []

    def test_reopen_task_is_only_honored_at_on_task_end(self):
        """47: a property of the table."""
        honoring = [e for e in EVENTS if CONTRACT.honored_arm(e, Phase.OBSERVE) == "reopen-task"]
        assert honoring == ["on-task-end"]


class TestTaskStart:
    """Tests 48 to 52."""

    @staticmethod
    def _expecting(window):
        return hook({"on-task-start": [Check(Field("context-window"), window), Answer()]})

    @pytest.mark.parametrize("window", [200000, 2**64 - 1])
    def test_on_task_start_carries_the_context_window_to_the_guest(self, tmp_path, window):
        """48: the number arrives, exactly."""
        with launch(tmp_path, Staged(self._expecting(str(window)))) as run:
            run.emit("on-task-start", TASK_START | {"context-window": window})
            assert run.log() == ""
            assert run.faults() == []

    def test_on_task_start_carries_a_zero_context_window_when_the_manifest_declares_none(
        self, tmp_path
    ):
        """49: 0 arrives as 0, and anything else would trap."""
        with launch(tmp_path, Staged(self._expecting("0"))) as run:
            run.emit("on-task-start", TASK_START)
            assert run.log() == ""
            run.emit("on-task-start", TASK_START | {"context-window": 1})
            assert "trapped" in run.log()

    def test_seed_context_from_on_task_start_is_honored(self, tmp_path):
        """50: the seed surfaces with its hook."""
        payload = [MESSAGE | {"id": None, "source-id": None}]
        double = answering_hook({"on-task-start": Answer("seed-context", payload)})
        with launch(tmp_path, Staged(double, name="seeder", binding="on-task-start")) as run:
            seed = run.emit("on-task-start", TASK_START).outcome.seed
            assert (seed.hook, list(seed.messages)) == ("seeder", payload)
            assert run.faults() == []
            assert run.log("seeder") == ""

    def test_none_from_on_task_start_proposes_no_seed(self, tmp_path):
        """51: none proposes nothing."""
        with launch(tmp_path, Staged(answering_hook({"on-task-start": Answer()}))) as run:
            assert run.emit("on-task-start", TASK_START).outcome.seed is None

    def test_only_on_task_start_honors_seed_context(self):
        """52: a property of the table."""
        honoring = [e for e in EVENTS if CONTRACT.honored_arm(e, Phase.OBSERVE) == "seed-context"]
        assert honoring == ["on-task-start"]


class TestArms:
    """Tests 53 to 58."""

    def test_unsupported_arm_from_blocking_hook_is_logged_and_buffered(self, tmp_path):
        """53: no artifact, one fault, one line; the buffer is empty after a drain."""
        double = answering_hook({"on-tool-call": Answer("write-manifests", [])})
        with launch(tmp_path, Staged(double, name="noisy")) as run:
            record = run.emit("on-tool-call")
            assert record.outcome.artifacts == ()
            assert run.faults() == [("noisy", "on-tool-call", "write-manifests")]
            assert run.faults() == []
            assert run.log("noisy") == unsupported("noisy", "on-tool-call", "write-manifests")

    def test_none_from_blocking_hook_produces_no_fault(self, tmp_path):
        """54: none is silent."""
        with launch(tmp_path, Staged(answering_hook({"on-tool-call": Answer()}))) as run:
            run.emit("on-tool-call")
            assert run.faults() == []
            assert run.log() == ""

    def test_honored_inference_artifact_produces_no_fault(self, tmp_path):
        """55: an artifact of on-inference is collected."""
        double = answering_hook({"on-inference": Answer("artifact", '{"a":1}')})
        with launch(tmp_path, Staged(double)) as run:
            (artifact,) = run.emit("on-inference").outcome.artifacts
            assert artifact.payload == '{"a":1}'
            assert run.faults() == []
            assert run.log() == ""

    def test_honored_compaction_replace_context_produces_no_fault(self, tmp_path):
        """56: a replacement comes back."""
        payload = [MESSAGE | {"id": None, "source-id": None}]
        double = answering_hook({"on-compaction": Answer("replace-context", payload)})
        with launch(tmp_path, Staged(double)) as run:
            assert list(run.emit("on-compaction", COMPACTION).outcome.replacement) == payload
            assert run.faults() == []
            assert run.log() == ""

    def test_on_stage_unsupported_arm_is_logged_not_traced(self, tmp_path):
        """57: one line, no fault, no trace file."""
        double = answering_hook({"on-stage": Answer("replace-context", [])})
        with launch(tmp_path, Staged(double, name="stager", binding="on-stage")) as run:
            run.emit("on-stage")
            assert run.log("stager") == unsupported("stager", "on-stage", "replace-context")
            assert run.faults() == []
            assert not (run.session_dir / "trace.jsonl").exists()

    def test_on_stage_write_manifests_remains_honored(self, tmp_path):
        """58: an empty list is honored in silence."""
        double = answering_hook({"on-stage": Answer("write-manifests", [])})
        with launch(tmp_path, Staged(double, binding="on-stage")) as run:
            record = run.emit("on-stage")
            assert record.calls[0].disposition == "honored"
            assert run.log() == ""


def answer_of(arm: str) -> object:
    """Some value of an arm."""
    texts = ("artifact", "reopen-task", "deny")
    return arm if arm == "none" else {arm: "x" if arm in texts else []}


class TestTables:
    """Tests 60 to 65."""

    def test_honored_output_arm_table_is_complete_and_consistent(self):
        """60: nine events, every honored arm a real one."""
        assert len(EVENTS) == 9
        assert set(CONTRACT.lifecycle.functions) == set(EVENTS)
        for event in EVENTS:
            for phase in Phase:
                arm = CONTRACT.honored_arm(event, phase)
                assert arm is None or arm in CONTRACT.arms[1:]
        assert set(CONTRACT.rules.observe) | set(CONTRACT.rules.decide) <= set(EVENTS)

    @pytest.mark.parametrize("event", EVENTS)
    def test_honored_output_arm_agrees_with_manifest_commit_policy_for_binding(self, event):
        """61: exactly the honored arm may be declared as the policy of a binding."""
        observed = CONTRACT.honored_arm(event, Phase.OBSERVE)
        decided = CONTRACT.honored_arm(event, Phase.DECIDE)
        declarable = [
            policy
            for policy in CONTRACT.rules.commit_policies
            if policy != "none" and accepts(f"binding: {event}\ncommit_policy: {policy}\n")
        ]
        if event == "on-inference":
            assert observed == "artifact"
            assert declarable == []
        else:
            assert declarable == [arm for arm in (observed, decided) if arm is not None]
        if event in ("on-shell", "on-tool-call"):
            assert (observed, decided) == (None, "deny")

    @pytest.mark.parametrize("event", EVENTS)
    def test_deny_is_a_fault_at_every_observation_dispatch(self, event):
        """62: deny observes nothing."""
        assert judge(PROFILE, event, Phase.OBSERVE, {"deny": "x"}).disposition == "fault"

    @pytest.mark.parametrize("event", ["on-shell", "on-tool-call"])
    def test_only_deny_is_honored_at_a_decision_point(self, event):
        """63: deny is honored, none ignored, the rest faults."""
        found = {
            arm: judge(PROFILE, event, Phase.DECIDE, answer_of(arm)).disposition
            for arm in CONTRACT.arms
        }
        wanted = dict.fromkeys(CONTRACT.arms, "fault") | {"none": "ignored", "deny": "honored"}
        assert found == wanted

    def test_a_call_decision_has_two_variants_and_carries_no_grant(self, tmp_path):
        """64: proceed, or denied with hook and reason; nothing else."""
        denier = answering_hook({"on-shell": Answer("deny", "not here")})
        staged = Staged(denier, name="guard", binding="on-shell", policy="deny")
        with launch(tmp_path, staged) as run:
            denied = run.decide("on-shell", {"binary": "/bin/rm"}).outcome.decision
            proceed = run.decide("on-tool-call").outcome.decision
        assert denied == Decision("denied", "guard", "not here")
        assert proceed == Decision("proceed", None, None)
        assert set(Decision.__struct_fields__) == {"verdict", "hook", "reason"}

    @pytest.mark.parametrize(
        ("binding", "policy", "gates"),
        [
            ("on-shell", "deny", True),
            ("on-tool-call", "deny", True),
            ("on-shell", "none", False),
            ("on-tool-call", "none", False),
            ("on-compaction", "deny", False),
            (None, "none", False),
        ],
    )
    def test_gates_calls_is_true_only_for_a_bound_policy_hook(
        self, tmp_path, binding, policy, gates
    ):
        """65: only a bound policy hook gates calls."""
        staged = Staged(stub_hook(), binding=binding, policy=policy)
        with launch(tmp_path, staged) as run:
            assert run.session.dispatcher.gates_calls is gates


def accepts(manifest: str) -> bool:
    """Whether the runtime takes a hook's own manifest."""
    try:
        read(manifest, PROFILE)
    except HookConfigError:
        return False
    return True
