"""The runtime's own tests, by their names: async hooks (profile 0.3).

Numbers are those of spec/dispatch.md 11: 59, 66 to 77.
"""

from inspector.capsule.capsule import EnvSettings
from inspector.manifest.grant import Grant, Limits
from inspector.manifest.hook_config import OverflowPolicy
from tests.helpers.launch import Staged, launch
from tests.helpers.wat import (
    Answer,
    Environment,
    Error,
    Spin,
    answering_hook,
    hook,
    marking_hook,
)

COMPACTION = {
    "messages": [{"role": "user", "content": "hello"}],
    "session-tokens": 1234,
    "threshold": 0.98,
}


def environment_hook():
    """A hook that gives its environment back as an error, NAME=VALUE by line."""
    return hook({"on-session-start": Error(Environment())})


class TestArms:
    """Tests 59, 76 and 77."""

    def test_async_hook_unsupported_arm_is_logged_and_traced(self, tmp_path):
        """59: one line, one fault."""
        double = answering_hook({"on-tool-call": Answer("write-manifests", [])})
        with launch(tmp_path, Staged(double, name="noisy", is_async=True)) as run:
            run.emit("on-tool-call")
            assert run.log("noisy") == (
                "hook 'noisy' returned unsupported hook-output arm 'write-manifests' from "
                "'on-tool-call'; this event does not honor that arm, so the value was discarded\n"
            )
            assert run.faults() == [("noisy", "on-tool-call", "write-manifests")]

    def test_async_hook_error_reaches_the_trace_fault_path(self, tmp_path):
        """76: an error at session end is one fault and one line."""
        double = hook({"on-session-end": Error("cannot flush")})
        with launch(tmp_path, Staged(double, name="sink", is_async=True)) as run:
            run.emit("on-session-end", {"exit-status": "ok"})
            run.drain()
            assert run.faults() == [("sink", "on-session-end", "error")]
            assert run.log("sink") == "cannot flush\n"

    def test_async_hook_replace_context_is_never_applied(self, tmp_path):
        """77: an async replacement is dropped without a word."""
        double = answering_hook({"on-compaction": Answer("replace-context", [])})
        with launch(tmp_path, Staged(double, is_async=True)) as run:
            record = run.emit("on-compaction", COMPACTION)
            assert record.outcome.replacement is None
            assert record.outcome.compaction_error is None
            assert [call.disposition for call in record.calls] == ["discarded"]
            assert run.faults() == []
            assert run.log() == ""


class TestInstance:
    """Tests 66, 67 and 72."""

    def test_async_hook_reuses_one_instance_across_events(self, tmp_path):
        """66: the instance remembers what it saw."""
        with launch(tmp_path, Staged(marking_hook(), is_async=True)) as run:
            for event in ("on-session-start", "on-tool-call", "on-session-end"):
                run.emit(event)
            assert run.log() == "STE\n"

    def test_async_hook_calls_are_serialized_in_dispatch_order(self, tmp_path):
        """67: order is that of the dispatches."""
        with launch(tmp_path, Staged(marking_hook(), is_async=True), held=True) as run:
            for event in ("on-tool-call", "on-session-start", "on-tool-call", "on-session-end"):
                run.emit(event)
            run.drain()
            assert run.log() == "TSTE\n"

    def test_async_hook_session_end_work_survives_local_set_teardown(self, tmp_path):
        """72: the drain completes what is queued."""
        with launch(tmp_path, Staged(marking_hook(), is_async=True), held=True) as run:
            for event in ("on-session-start", "on-tool-call", "on-session-end"):
                run.emit(event)
            assert run.log() == ""
            record = run.drain()
            assert run.log() == "STE\n"
            assert [call.event for call in record.calls] == [
                "on-session-start",
                "on-tool-call",
                "on-session-end",
            ]


class TestEnvironment:
    """Tests 68 to 71."""

    @staticmethod
    def _variables(folder, *, grant=None, env=None, is_async=False):
        staged = Staged(environment_hook(), grant=grant or Grant(), is_async=is_async)
        with launch(folder, staged, env=env) as run:
            run.emit("on-session-start")
            return run.log().splitlines()

    def test_async_hook_receives_the_session_environment(self, tmp_path):
        """68: the endpoint is the first variable."""
        env = EnvSettings(otel_endpoint="http://127.0.0.1:4318", case_id="c1")
        lines = self._variables(tmp_path, env=env, is_async=True)
        assert lines[0] == "MURMUR_OTEL_ENDPOINT=http://127.0.0.1:4318"

    def test_a_hook_granted_config_sees_it_in_its_environment(self, tmp_path):
        """69: the config is the first variable."""
        lines = self._variables(tmp_path, grant=Grant(config_json='{"level":2}'))
        assert lines[0] == 'MURMUR_ARTIFACT_CONFIG={"level":2}'

    def test_an_unconfigured_hook_sees_no_environment_at_all(self, tmp_path):
        """70: nothing of the host's environment is there."""
        assert [line for line in self._variables(tmp_path) if line] == []

    def test_config_is_injected_before_the_runtime_owned_variables(self, tmp_path):
        """71: config first, then the others in their order."""
        env = EnvSettings("http://o", "f", "{}", "c", "d")
        lines = self._variables(tmp_path, grant=Grant(config_json="{}"), env=env)
        assert [line.partition("=")[0] for line in lines if line] == [
            "MURMUR_ARTIFACT_CONFIG",
            "MURMUR_OTEL_ENDPOINT",
            "MURMUR_FORMATION_ID",
            "MURMUR_EVAL_CONFIG",
            "MURMUR_CASE_ID",
            "MURMUR_DATASET_ID",
        ]


class TestQueue:
    """Tests 73 to 75."""

    def test_async_hook_that_overruns_the_drain_budget_is_reported(self, tmp_path):
        """73: a wedged worker is given up, with text and fault."""
        double = hook({"on-tool-call": Spin()})
        staged = Staged(double, name="wedged", is_async=True)
        limits = Limits(declared_deadline_s=600)
        with launch(tmp_path, staged, held=True, limits=limits) as run:
            run.emit("on-tool-call")
            run.emit("on-tool-call")
            record = run.drain(budget_ms=50)
            assert run.faults() == [("wedged", "drain", "timeout")]
            assert run.log("wedged") == (
                "hook 'wedged' did not finish its queued lifecycle calls within the 50ms "
                "session-end drain budget; the remaining calls were abandoned\n"
            )
            assert [call.result for call in record.calls] == ["abandoned", "abandoned"]

    def test_async_hook_overflow_drop_discards_and_counts(self, tmp_path):
        """74: 1029 events drop five, each a fault."""
        with launch(tmp_path, Staged(marking_hook(), is_async=True), held=True) as run:
            for _ in range(1029):
                run.emit("on-tool-call")
            ((_, queue),) = run.session.dispatcher.queues
            assert queue.dropped == 5
            assert run.faults() == [("test-hook", "on-tool-call", "queue-overflow")] * 5

    def test_async_hook_overflow_block_applies_backpressure(self, tmp_path):
        """75: nothing is dropped, everything arrives in order."""
        staged = Staged(marking_hook(), is_async=True, on_overflow=OverflowPolicy.BLOCK)
        with launch(tmp_path, staged, held=True) as run:
            for _ in range(1027):
                run.emit("on-tool-call")
            run.emit("on-session-end")
            ((_, queue),) = run.session.dispatcher.queues
            run.drain()
            assert queue.dropped == 0
            history = run.log().rstrip("\n")
            assert len(history) == 1028
            assert history.endswith("E")
