"""The dispatcher against its rules, with hooks that answer from a script."""

import itertools
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.contract.contract import EVENTS, Phase
from inspector.contract.profile import PROFILES, AsyncPolicy, UnhonoredPolicy
from inspector.contract.record import Disposition, Failure, Fault
from inspector.contract.value import FieldError
from inspector.manifest.hook_config import OverflowPolicy
from inspector.runtime.dispatcher import Dispatcher
from inspector.runtime.hook_log import SessionLog
from tests.helpers.fake_hook import FakeAnswer, failing, fake_hook, instance_of

CONTEXT = {
    "capsule-name": "test-capsule",
    "capsule-version": "0.1.0",
    "session-id": "sess-test",
    "model": "test-model",
    "capabilities": [],
}
SESSION_EVENTS = EVENTS[1:]
MESSAGE = {"role": "user", "content": "hello"}


def answers(profile):
    """One answer for each arm of a profile's contract, by arm."""
    texts = {"artifact": "{}", "reopen-task": "again", "deny": "no"}
    lists = {"replace-context": [MESSAGE], "seed-context": [MESSAGE], "write-manifests": []}
    made = {"none": "none"}
    for arm in profile.contract.arms[1:]:
        made[arm] = {arm: texts[arm] if arm in texts else lists[arm]}
    return made


@pytest.fixture
def make(tmp_path):
    """Makes dispatchers that are closed at the end."""
    made = []

    def build(*hooks, profile="0.3", **options):
        dispatcher = Dispatcher(
            hooks, PROFILES[profile], SessionLog(tmp_path), session_context=CONTEXT, **options
        )
        made.append(dispatcher)
        return dispatcher

    yield build
    for dispatcher in made:
        dispatcher.close()


def log_text(folder: Path, hook: str = "test-hook") -> str:
    """The hook's log, empty when there is none."""
    path = folder / "logs" / f"hook-{hook}.log"
    return path.read_text("utf-8") if path.exists() else ""


OBSERVATIONS = [
    (profile, event, arm, is_async)
    for profile in PROFILES
    for event, is_async in itertools.product(SESSION_EVENTS, (False, True))
    for arm in PROFILES[profile].contract.arms
]


class TestObservationTable:
    """Every event, arm, mode and profile."""

    @pytest.mark.parametrize(("profile", "event", "arm", "is_async"), OBSERVATIONS)
    def test_answer__any_combination__is_judged_by_the_tables(
        self, make, tmp_path, profile, event, arm, is_async
    ):
        """Disposition, fault, log and outcome follow from the honored arm alone."""
        rules = PROFILES[profile]
        hook = fake_hook(answers(rules)[arm], is_async=is_async)
        seen = []
        dispatcher = make(hook, profile=profile, on_async_result=seen.append)
        done = dispatcher.observe(event, {})
        assert dispatcher.wait_idle(5)
        call = seen[0].call if is_async else done.calls[0]

        is_honored = rules.contract.rules.observe.get(event) == arm
        is_silent = rules.unhonored is UnhonoredPolicy.SILENT
        is_fault = arm != "none" and not is_honored and not is_silent
        wanted = (
            Disposition.FAULT
            if is_fault
            else Disposition.IGNORED
            if arm == "none"
            else Disposition.DISCARDED
            if is_async and (is_honored or rules.async_policy is AsyncPolicy.DETACHED)
            else Disposition.HONORED
            if is_honored
            else Disposition.IGNORED
        )
        assert (call.result, call.disposition) == (arm, wanted)
        assert dispatcher.faults.drain() == ((Fault("test-hook", event, arm),) if is_fault else ())
        line = (
            f"hook 'test-hook' returned unsupported hook-output arm '{arm}' from '{event}'; this "
            "event does not honor that arm, so the value was discarded\n"
        )
        assert log_text(tmp_path) == (line if is_fault else "")
        commits = wanted is Disposition.HONORED
        assert bool(done.outcome.artifacts) == (commits and arm == "artifact")
        assert (done.outcome.replacement is not None) == (commits and arm == "replace-context")
        assert (done.outcome.seed is not None) == (commits and arm == "seed-context")
        assert (done.outcome.reopen is not None) == (commits and arm == "reopen-task")
        assert done.outcome.decision is None

    @pytest.mark.parametrize("profile", ["0.3", "0.4"])
    @pytest.mark.parametrize("event", SESSION_EVENTS)
    @pytest.mark.parametrize("is_async", [False, True])
    def test_error__any_event__is_logged_and_a_fault_for_async_hooks_alone(
        self, make, tmp_path, profile, event, is_async
    ):
        """A blocking error is a log line; an async one is a fault too."""
        dispatcher = make(fake_hook(failing("boom"), is_async=is_async), profile=profile)
        dispatcher.observe(event, {})
        assert dispatcher.wait_idle(5)
        assert log_text(tmp_path) == "boom\n"
        wanted = (Fault("test-hook", event, "error"),) if is_async else ()
        assert dispatcher.faults.drain() == wanted


DECISIONS = [
    (profile, event, arm)
    for profile in ("0.3", "0.4")
    for event in ("on-shell", "on-tool-call")
    for arm in PROFILES[profile].contract.arms
]


class TestDecision:
    """The decision point, spec/dispatch.md 5."""

    @pytest.mark.parametrize(("profile", "event", "arm"), DECISIONS)
    def test_answer__any_arm__refuses_unless_it_is_none(self, make, tmp_path, profile, event, arm):
        """Only none lets a call run; deny gives its reason; the rest fail closed."""
        hook = fake_hook(answers(PROFILES[profile])[arm], binding=event, policy="deny")
        dispatcher = make(hook, profile=profile)
        done = dispatcher.decide(event, {})
        decision, call = done.outcome.decision, done.calls[0]
        if arm == "none":
            assert (decision.verdict, call.disposition) == ("proceed", Disposition.IGNORED)
            return
        assert (decision.verdict, decision.hook) == ("denied", "test-hook")
        if arm == "deny":
            assert (decision.reason, call.disposition) == ("no", Disposition.HONORED)
            assert log_text(tmp_path) == ""
            assert dispatcher.faults.drain() == ()
            return
        assert call.disposition is Disposition.REFUSED
        assert decision.reason == (
            f"policy hook 'test-hook' returned hook-output arm '{arm}' from the '{event}' "
            "decision point; only 'deny' or 'none' is answerable there, so the call was refused"
        )
        assert dispatcher.faults.drain() == (Fault("test-hook", event, arm),)
        assert log_text(tmp_path).count("\n") == 1

    @pytest.mark.parametrize("blank", ["", " ", "\t\r\n", "\u2003\u3000", "\x85"])
    def test_deny__blank_reason__gets_one_that_names_the_hook(self, make, blank):
        """A reason of white space alone is replaced."""
        hook = fake_hook({"deny": blank}, binding="on-shell", policy="deny")
        decision = make(hook).decide("on-shell", {}).outcome.decision
        assert decision.reason == (
            "policy hook 'test-hook' refused this call from 'on-shell' but returned an empty reason"
        )

    @pytest.mark.parametrize("reason", ["\x1f", "\x1c", "\0", "\u200b"])
    def test_deny__control_characters__count_as_a_reason(self, make, reason):
        """Only Unicode white space is blank, as in Rust."""
        hook = fake_hook({"deny": reason}, binding="on-shell", policy="deny")
        assert make(hook).decide("on-shell", {}).outcome.decision.reason == reason

    def test_function__absent__refuses(self, make):
        """A policy hook must export what it gates."""
        functions = frozenset(EVENTS) - {"on-shell"}
        hook = fake_hook(binding="on-shell", policy="deny", functions=functions)
        done = make(hook).decide("on-shell", {})
        assert done.calls[0].result == "absent"
        assert done.outcome.decision.reason == (
            "policy hook 'test-hook' does not export 'on-shell'; a policy hook must export the "
            "function it gates, so the call was refused"
        )

    @pytest.mark.parametrize(
        "failure",
        [
            Failure.GUEST_ERROR,
            Failure.TRAP,
            Failure.DEADLINE,
            Failure.RESOURCE_LIMIT,
            Failure.TYPE_MISMATCH,
            Failure.POISONED,
        ],
    )
    def test_call__fails__refuses_and_logs_without_a_fault(self, make, tmp_path, failure):
        """An error at the decision point fails closed."""
        hook = fake_hook(failing("it broke", failure), binding="on-tool-call", policy="deny")
        dispatcher = make(hook)
        done = dispatcher.decide("on-tool-call", {})
        assert done.outcome.decision.reason == (
            "policy hook 'test-hook' failed at the 'on-tool-call' decision point: it broke"
        )
        assert done.calls[0].disposition is Disposition.REFUSED
        assert log_text(tmp_path) == "it broke\n"
        assert dispatcher.faults.drain() == ()

    def test_loop__first_denial__ends_it(self, make):
        """Hooks after the first that denies are not asked."""
        hooks = [
            fake_hook(answer, name=name, binding="on-shell", policy="deny")
            for name, answer in (("a", "none"), ("b", {"deny": "stop"}), ("c", {"deny": "late"}))
        ]
        done = make(*hooks).decide("on-shell", {})
        assert [call.hook for call in done.calls] == ["a", "b"]
        assert done.outcome.decision.hook == "b"

    def test_hook__all_bound_or_async_or_without_policy__is_not_asked(self, make):
        """Only a blocking hook bound to the event with policy deny decides."""
        hooks = [
            fake_hook({"deny": "x"}, name="all", policy="deny"),
            fake_hook({"deny": "x"}, name="none", binding="on-shell"),
            fake_hook(
                {"deny": "x"}, name="async", binding="on-shell", policy="deny", is_async=True
            ),
            fake_hook({"deny": "x"}, name="tool", binding="on-tool-call", policy="deny"),
        ]
        done = make(*hooks, held=True).decide("on-shell", {})
        assert done.calls == ()
        assert done.outcome.decision.verdict == "proceed"

    def test_decide__no_decision_point__is_an_error(self, make):
        """Other events, and the 0.1 profile, have none."""
        with pytest.raises(ValueError, match="no decision point"):
            make().decide("on-inference", {})
        with pytest.raises(ValueError, match="no decision points"):
            make(profile="0.1").decide("on-shell", {})

    def test_decide__any__moves_no_totals(self, make):
        """A decision is not an observation."""
        dispatcher = make()
        dispatcher.decide("on-shell", {})
        dispatcher.decide("on-tool-call", {})
        assert dispatcher.totals.shell_calls == dispatcher.totals.tool_calls == 0


class TestEventRecord:
    """What a hook receives."""

    @pytest.mark.parametrize("phase", list(Phase))
    def test_command__long__is_cut_to_200_characters_in_both_phases(self, make, phase):
        """The cut counts characters, not bytes; argv and script stay whole."""
        hook = fake_hook(binding="on-shell", policy="deny")
        dispatcher = make(hook)
        given_fields = {"command": "é" * 300, "argv": ["x" * 300], "script": "y" * 300}
        send = dispatcher.observe if phase is Phase.OBSERVE else dispatcher.decide
        send("on-shell", given_fields)
        ((_, sent),) = instance_of(hook).calls
        assert sent["command"] == "é" * 200
        assert sent["argv"] == ["x" * 300]
        assert sent["script"] == "y" * 300

    def test_outcome__left_out__is_some_when_observed_and_none_when_decided(self, make):
        """The phase decides the default of outcome."""
        hook = fake_hook(binding="on-tool-call", policy="deny")
        dispatcher = make(hook)
        dispatcher.observe("on-tool-call", {})
        dispatcher.decide("on-tool-call", {})
        sent = [fields["outcome"] for _, fields in instance_of(hook).calls]
        assert sent == [{"output-bytes": 0, "duration-ms": 0, "status": ""}, None]

    def test_outcome__given_at_a_decision__is_an_error_before_any_call(self, make):
        """A call that has not run has no outcome."""
        hook = fake_hook(binding="on-tool-call", policy="deny")
        with pytest.raises(FieldError, match="outcome"):
            make(hook).decide("on-tool-call", {"outcome": {"status": "ok"}})
        assert instance_of(hook).calls == []

    def test_session_start__nothing_given__carries_the_session_context(self, make):
        """The context of the session is the default record."""
        hook = fake_hook()
        make(hook).observe("on-session-start", {"model": "other"})
        assert instance_of(hook).calls == [("on-session-start", CONTEXT | {"model": "other"})]

    def test_session_end__nothing_given__carries_the_totals_and_the_time(self, make):
        """Totals come from the dispatcher, the duration from its clock."""
        hook = fake_hook()
        now = iter(range(100))
        dispatcher = make(hook, clock=lambda: next(now) * 1.0)
        dispatcher.observe("on-inference", {"input-tokens": 7, "output-tokens": 5})
        dispatcher.observe("on-tool-call", {})
        dispatcher.observe("on-shell", {})
        dispatcher.observe("on-session-end", {"exit-status": "ok"})
        sent = instance_of(hook).calls[-1][1]
        assert sent.pop("duration-ms") >= 1000
        assert sent == {
            "total-turns": 1,
            "total-input-tokens": 7,
            "total-output-tokens": 5,
            "total-tool-calls": 1,
            "total-shell-calls": 1,
            "exit-status": "ok",
        }

    def test_totals__overflow__saturate(self, make):
        """Sums stop at the largest u64."""
        dispatcher = make()
        for _ in range(2):
            dispatcher.observe("on-inference", {"input-tokens": 2**64 - 1})
        assert dispatcher.totals.input_tokens == 2**64 - 1
        assert dispatcher.totals.turns == 2

    def test_field__does_not_fit__nothing_is_dispatched(self, make):
        """A wrong field stops the dispatch before totals move."""
        hook = fake_hook()
        dispatcher = make(hook)
        with pytest.raises(FieldError):
            dispatcher.observe("on-inference", {"turn": -1})
        assert instance_of(hook).calls == []
        assert dispatcher.totals.turns == 0


class TestOutcome:
    """First wins, and errors of compaction."""

    def test_arms__several_hooks__artifacts_all_and_the_first_of_the_rest(self, make):
        """Every artifact is kept; a second seed is superseded."""
        first = fake_hook({"seed-context": [MESSAGE]}, name="a")
        second = fake_hook({"seed-context": []}, name="b")
        done = make(first, second).observe("on-task-start", {})
        assert done.outcome.seed.hook == "a"
        assert [c.disposition for c in done.calls] == [
            Disposition.HONORED,
            Disposition.SUPERSEDED,
        ]
        artifacts = [fake_hook({"artifact": n}, name=n) for n in ("a", "b")]
        kept = make(*artifacts).emit("on-inference", {})
        assert [(a.hook, a.payload) for a in kept] == [("a", "a"), ("b", "b")]

    def test_compaction__one_hook_fails__its_error_wins_over_a_replacement(self, make):
        """The first error of the dispatch is what the caller gets."""
        hooks = [
            fake_hook({"replace-context": [MESSAGE]}, name="good"),
            fake_hook(failing("boom"), name="bad"),
            fake_hook(failing("later"), name="worse"),
        ]
        outcome = make(*hooks).observe("on-compaction", {}).outcome
        assert outcome.compaction_error == "bad: boom"
        assert outcome.replacement is None

    def test_compaction__profile_0_1__keeps_the_replacement_beside_an_error(self, make):
        """There an error is only logged."""
        hooks = [
            fake_hook(failing("boom"), name="bad"),
            fake_hook({"replace-context": [MESSAGE]}, name="good"),
        ]
        outcome = make(*hooks, profile="0.1").observe("on-compaction", {}).outcome
        assert outcome.compaction_error is None
        assert outcome.replacement == (MESSAGE,)

    def test_task_start__any__puts_the_context_in_scope_before_the_hooks(self, make):
        """The conversation moves first."""
        order = []
        hook = fake_hook(lambda event, fields: order.append("hook") or "none")
        dispatcher = make(hook, set_context=lambda context: order.append(context))
        dispatcher.observe("on-task-start", {"context-id": "ctx_1"})
        assert order == ["ctx_1", "hook"]


class TestAsyncHooks:
    """Queues, overflow, order and drain; spec/dispatch.md 9."""

    def test_overflow__drop_held__counts_exactly_what_does_not_fit(self, make, tmp_path):
        """1029 events into a held queue of 1024 drop five, with a fault each."""
        dispatcher = make(fake_hook(is_async=True), held=True)
        results = [dispatcher.observe("on-tool-call", {}).calls[0].result for _ in range(1029)]
        assert results.count("dropped") == 5
        assert (
            dispatcher.faults.drain() == (Fault("test-hook", "on-tool-call", "queue-overflow"),) * 5
        )
        dispatcher.drain()
        assert log_text(tmp_path) == (
            "hook 'test-hook' discarded 5 lifecycle event(s): its queue (1024 deep) was full and "
            "the capsule manifest declares 'on_overflow: drop' for this hook\n"
        )

    def test_overflow__block_held__runs_just_what_is_needed(self, make):
        """A held worker makes room one job at a time."""
        hook = fake_hook(is_async=True, on_overflow=OverflowPolicy.BLOCK)
        dispatcher = make(hook, held=True)
        for _ in range(1027):
            dispatcher.observe("on-tool-call", {})
        ((_, queue),) = dispatcher.queues
        assert queue.dropped == 0
        assert len(instance_of(hook).calls) == 3
        dispatcher.observe("on-session-end", {})
        assert dispatcher.drain() == ()
        assert [e for e, _ in instance_of(hook).calls][-1] == "on-session-end"
        assert len(instance_of(hook).calls) == 1028

    def test_held__pump__runs_until_empty_and_holds_again(self, make):
        """A pump empties the queue once."""
        hook = fake_hook(is_async=True)
        dispatcher = make(hook, held=True)
        dispatcher.observe("on-shell", {})
        assert instance_of(hook).calls == []
        dispatcher.pump()
        assert dispatcher.wait_idle(5)
        dispatcher.observe("on-shell", {})
        assert len(instance_of(hook).calls) == 1

    def test_drain__worker_does_not_end__abandons_with_text_and_fault(self, make, tmp_path):
        """What is left is abandoned and counted."""
        release = threading.Event()
        entered = threading.Event()

        def block(_event, _fields):
            entered.set()
            release.wait(30)
            return "none"

        hook = fake_hook(block, name="wedged", is_async=True)
        dispatcher = make(hook)
        dispatcher.observe("on-shell", {})
        dispatcher.observe("on-tool-call", {})
        assert entered.wait(5)
        inner = instance_of(hook)
        threading.Thread(target=lambda: inner.interrupted.wait(5) and release.set()).start()
        left = dispatcher.drain(budget_ms=50)
        assert [(c.event, c.result) for c in left] == [
            ("on-shell", "abandoned"),
            ("on-tool-call", "abandoned"),
        ]
        assert dispatcher.faults.drain() == (Fault("wedged", "drain", "timeout"),)
        assert log_text(tmp_path, "wedged") == (
            "hook 'wedged' did not finish its queued lifecycle calls within the 50ms session-end "
            "drain budget; the remaining calls were abandoned\n"
        )

    def test_faults__drained__come_inline_first_then_from_workers(self, make):
        """The order of the two lanes is the runtime's."""
        hooks = [
            fake_hook({"artifact": "x"}, name="async", is_async=True),
            fake_hook({"artifact": "x"}, name="blocking"),
        ]
        dispatcher = make(*hooks)
        dispatcher.observe("on-shell", {})
        assert dispatcher.wait_idle(5)
        dispatcher.observe("on-tool-call", {})
        assert dispatcher.wait_idle(5)
        assert [(f.hook, f.event) for f in dispatcher.faults.drain()] == [
            ("blocking", "on-shell"),
            ("blocking", "on-tool-call"),
            ("async", "on-shell"),
            ("async", "on-tool-call"),
        ]
        assert dispatcher.faults.drain() == ()

    def test_drained__later_events__reach_no_async_hook(self, make):
        """The queue list is taken away."""
        dispatcher = make(fake_hook(is_async=True))
        dispatcher.drain()
        assert dispatcher.observe("on-shell", {}).calls == ()

    def test_job__session_end__carries_totals_of_the_time_it_was_queued(self, make):
        """Totals are captured when the job is queued."""
        hook = fake_hook(is_async=True)
        dispatcher = make(hook, held=True)
        dispatcher.observe("on-session-end", {})
        dispatcher.observe("on-inference", {"input-tokens": 3})
        dispatcher.pump()
        assert dispatcher.wait_idle(5)
        assert instance_of(hook).calls[0][1]["total-input-tokens"] == 0

    def test_reset__async_hook__keeps_the_queue_and_marks_later_calls(self, make):
        """A fresh instance answers what was queued before."""
        hook = fake_hook(is_async=True)
        seen = []
        dispatcher = make(hook, held=True, on_async_result=seen.append)
        dispatcher.observe("on-shell", {})
        old = instance_of(hook)
        dispatcher.reset("test-hook")
        dispatcher.pump()
        assert dispatcher.wait_idle(5)
        assert old.closed
        assert old.calls == []
        assert seen[0].call.marks == ("re-instantiated",)
        with pytest.raises(KeyError):
            dispatcher.reset("nobody")


EVENT_AND_ANSWER = st.tuples(
    st.sampled_from(SESSION_EVENTS),
    st.sampled_from(["none", "artifact", "reopen-task", "seed-context", "error"]),
    st.integers(0, 2**64 - 1),
)


class TestAgainstAPlainModel:
    """Any sequence of events leaves what a plain model says."""

    @settings(
        max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(steps=st.lists(EVENT_AND_ANSWER, max_size=20), held=st.booleans())
    def test_sequence__any__totals_faults_and_logs_agree(self, steps, held, tmp_path_factory):
        """Totals, both fault lanes and both logs are those of sections 4 to 9."""
        folder = tmp_path_factory.mktemp("model")
        current = []
        payloads = {"artifact": "{}", "reopen-task": "again", "seed-context": []}

        def script(_event, _fields):
            return current[-1]

        queued = []

        def scripted_async(_event, _fields):
            return queued.pop(0)

        hooks = [
            fake_hook(script, name="blocking"),
            fake_hook(scripted_async, name="async", is_async=True),
        ]
        dispatcher = Dispatcher(
            hooks,
            PROFILES["0.3"],
            SessionLog(folder),
            session_context=CONTEXT,
            held=held,
        )
        turns = tokens = tools = shells = 0
        inline, sent, log = [], [], []
        for event, arm, amount in steps:
            value = failing("boom") if arm == "error" else {arm: payloads.get(arm)}
            answer = value if isinstance(value, FakeAnswer) or arm != "none" else "none"
            current.append(answer)
            queued.append(answer)
            fields = {"input-tokens": amount} if event == "on-inference" else {}
            dispatcher.observe(event, fields)
            if not held:
                assert dispatcher.wait_idle(5)
            turns += event == "on-inference"
            tokens = min(tokens + fields.get("input-tokens", 0), 2**64 - 1)
            tools += event == "on-tool-call"
            shells += event == "on-shell"
            honored = PROFILES["0.3"].contract.rules.observe.get(event) == arm
            if arm == "error":
                log.append("boom")
                sent.append(("async", event, "error"))
            elif arm != "none" and not honored:
                log.append(arm)
                inline.append(("blocking", event, arm))
                sent.append(("async", event, arm))
        assert dispatcher.drain() == ()
        totals = dispatcher.totals
        faults = [(f.hook, f.event, f.arm) for f in dispatcher.faults.drain()]
        dispatcher.close()
        assert (totals.turns, totals.input_tokens) == (turns, tokens)
        assert (totals.tool_calls, totals.shell_calls) == (tools, shells)
        assert faults == inline + sent
        for hook in ("blocking", "async"):
            lines = log_text(folder, hook).splitlines()
            assert len(lines) == len(log)
            assert all(word in line for word, line in zip(log, lines, strict=True))
