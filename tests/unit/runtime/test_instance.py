"""Calling one hook: answers, failures and what is left afterwards."""

import threading
from typing import Any

import pytest

from inspector.contract import contract, value
from inspector.contract.contract import EVENTS
from inspector.contract.record import Failure
from inspector.manifest.grant import Limits
from inspector.runtime.codec import CodecError
from inspector.runtime.instance import InstantiationError
from tests.helpers.hook_instance import fire, running
from tests.helpers.raw_hook import raw_hook
from tests.helpers.wat import (
    Answer,
    Calls,
    Error,
    Field,
    GrowMemory,
    GrowTable,
    Nonsense,
    Nonsensical,
    Print,
    Spin,
    hook,
    spinning_hook,
    stub_hook,
    trapping_hook,
)

VERSIONS = contract.versions()
ODD_TEXT = 'a\0b "\x01\x1f\x7f\u2028\U0001f600 é'

ANSWERS: list[Any] = [
    "none",
    {"replace-context": []},
    {"replace-context": [{"role": "user", "content": ODD_TEXT}]},
    {"write-manifests": [{"binary-name": "ls", "content": "x: 1\n"}]},
    {"artifact": ""},
    {"artifact": ODD_TEXT},
]
SINCE_0_8 = [{"reopen-task": "again"}, {"seed-context": [{"role": "r"}]}, {"deny": "no"}]


class TestAnswers:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_every_event_can_be_called_with_its_defaults(self, version: str) -> None:
        """A hook that answers none does so at each of the nine functions it exports."""
        found = contract.load(version)
        with running(hook({event: Answer() for event in EVENTS}, version=version)) as instance:
            assert instance.functions == {*found.rules.required, *found.rules.optional}
            for event in instance.functions:
                result = fire(instance, event, version)
                assert (result.answer, result.failure, result.text) == ("none", None, None)

    @pytest.mark.parametrize(
        ("version", "output"),
        [(v, o) for v in VERSIONS for o in (ANSWERS if v == "0.2.0" else ANSWERS + SINCE_0_8)],
    )
    def test_an_answer_comes_back_as_a_contract_value(self, version: str, output: Any) -> None:
        """Each arm with its payload, completed as contract.value spells it."""
        ((arm, payload),) = output.items() if isinstance(output, dict) else [(output, None)]
        with running(hook({"on-inference": Answer(arm, payload)}, version=version)) as instance:
            answer = fire(instance, "on-inference", version).answer
        assert answer == value.complete(contract.load(version).output, output)

    @pytest.mark.parametrize(
        ("path", "fields", "text"),
        [
            ("command", {"command": ODD_TEXT}, ODD_TEXT),
            ("argv", {"argv": ["-a", "", "b"]}, "3"),
            ("argv[2]", {"argv": ["-a", "", ODD_TEXT]}, ODD_TEXT),
            ("script", {"script": None}, "<<absent>>"),
            ("script", {"script": ""}, ""),
            ("recipe", {"recipe": ODD_TEXT}, ODD_TEXT),
            ("turn", {"turn": 2**32 - 1}, "4294967295"),
            ("outcome.exit-code", {"outcome": {"exit-code": -(2**31)}}, "-2147483648"),
            ("outcome.stdout-bytes", {"outcome": {"stdout-bytes": 2**64 - 1}}, str(2**64 - 1)),
            ("outcome.stderr", {"outcome": None}, "<<absent>>"),
        ],
    )
    def test_a_field_arrives_in_the_guest_as_it_was_given(
        self, path: str, fields: dict[str, Any], text: str
    ) -> None:
        """The guest returns what it found at a path of the event as err."""
        with running(hook({"on-shell": Error(Field(path))})) as instance:
            result = fire(instance, "on-shell", **fields)
        assert (result.failure, result.text) == (Failure.GUEST_ERROR, text)

    def test_an_err_leaves_the_instance_as_it_is(self) -> None:
        """The second call enters the same instance."""
        with running(hook({"on-shell": Error(Calls())})) as instance:
            assert [fire(instance, "on-shell").text for _ in range(3)] == ["1", "2", "3"]
            assert not instance.poisoned

    def test_an_answer_of_a_megabyte_is_whole(self) -> None:
        """Long text goes in and out."""
        text = "é" * 500_000
        with running(hook({"on-shell": Answer("artifact", Field("command"))})) as instance:
            assert fire(instance, "on-shell", command=text).answer == {"artifact": text}


class TestWhatIsNotEntered:
    def test_an_absent_function_is_a_failure_without_text(self) -> None:
        """The optional functions may be missing."""
        with running(hook({})) as instance:
            result = fire(instance, "on-task-start")
        assert (result.failure, result.text, result.duration_us) == (Failure.ABSENT, None, 0)

    def test_a_function_of_another_type_fails_at_its_call_and_harms_nothing(self) -> None:
        """The engine's outermost text, our detail; the other function still works."""
        double = hook({"on-shell": Error(Calls())}, others="stub")
        with running(double) as instance:
            result = fire(instance, "on-inference")
            assert result.failure is Failure.TYPE_MISMATCH
            assert result.text == "type mismatch with parameters"
            assert result.detail == (
                "on-inference: the contract has 1 parameter, the hook 0 parameters"
            )
            assert not instance.poisoned
            assert fire(instance, "on-shell").text == "1"

    def test_the_type_is_looked_at_before_the_instance_is_entered(self) -> None:
        """A poisoned instance still answers with the mismatch, as the runtime does."""
        with running(hook({"on-shell": Nonsensical(Nonsense.BAD_ARM)}, others="stub")) as instance:
            assert fire(instance, "on-shell").failure is Failure.TRAP
            assert fire(instance, "on-inference").failure is Failure.TYPE_MISMATCH

    def test_fields_that_do_not_fit_raise_and_leave_the_instance_as_it_is(self) -> None:
        """The guest is not entered."""
        with running(hook({"on-shell": Error(Calls())})) as instance:
            with pytest.raises(CodecError):
                instance.call("on-shell", {"turn": 1})
            assert fire(instance, "on-shell").text == "1"

    def test_a_closed_instance_cannot_be_called(self) -> None:
        """It says which."""
        with running(hook({}), name="gone") as instance:
            instance.close()
            instance.close()
            with pytest.raises(ValueError, match="the instance of hook gone is closed"):
                fire(instance, "on-shell")
            assert instance.memory_bytes == 0
            assert instance.read_memory(0, 0, 10) == b""


class TestTraps:
    def test_a_trap_gives_the_outermost_text_and_keeps_the_cause_as_detail(self) -> None:
        """The runtime's line is the backtrace; the cause is in the detail alone."""
        with running(trapping_hook("on-shell")) as instance:
            result = fire(instance, "on-shell")
            assert instance.poisoned
        assert result.failure is Failure.TRAP
        assert result.text is not None
        assert result.detail is not None
        prefix = "hook 'h' on-shell trapped: error while executing at wasm backtrace:\n    0: "
        assert result.text.startswith(prefix)
        assert "unreachable" not in result.text
        assert result.detail.endswith("wasm trap: wasm `unreachable` instruction executed")

    def test_a_poisoned_instance_says_so_at_every_later_call(self) -> None:
        """Also at functions that did not trap."""
        with running(trapping_hook("on-shell")) as instance:
            fire(instance, "on-shell")
            for event in ("on-shell", "on-inference"):
                result = fire(instance, event)
                assert result.failure is Failure.POISONED
                assert result.text == (
                    f"hook 'h' {event} trapped: wasm trap: cannot enter component instance"
                )

    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            (Nonsense.BAD_RESULT, "invalid expected discriminant"),
            (Nonsense.BAD_ARM, "unexpected discriminant: 200"),
            (Nonsense.FAR_TEXT, "string pointer/length out of bounds of memory"),
            (Nonsense.NOT_UTF8, "invalid utf-8 sequence of 1 bytes from index 0"),
            (Nonsense.HUGE_LIST, "list pointer/length out of bounds of memory"),
            (Nonsense.ODD_POINTER, "return pointer not aligned"),
            (Nonsense.FAR_POINTER, "pointer out of bounds of memory"),
        ],
    )
    def test_nonsense_is_one_failure_and_no_crash(self, kind: Nonsense, text: str) -> None:
        """What the guest returns is checked before anything is read."""
        with running(hook({"on-shell": Nonsensical(kind)})) as instance:
            result = fire(instance, "on-shell")
            assert (result.failure, result.text) == (
                Failure.TRAP,
                f"hook 'h' on-shell trapped: {text}",
            )
            assert fire(instance, "on-shell").failure is Failure.POISONED

    def test_a_stack_overflow_is_a_trap(self) -> None:
        """Endless recursion in a start function ends in the guest alone."""
        core = "(func $again (call $again)) (start $again)"
        with pytest.raises(InstantiationError) as caught, running(raw_hook(core)):
            pass
        assert caught.value.failure is Failure.TRAP
        assert caught.value.detail is not None
        assert caught.value.detail.endswith("call stack exhausted")


class TestDeadlines:
    def test_a_spinning_guest_is_ended_with_the_configured_seconds_in_the_text(self) -> None:
        """The ticks end it, the text names the deadline."""
        with running(spinning_hook("on-shell"), ticks=1, deadline_s=7) as instance:
            result = fire(instance, "on-shell")
            assert result.failure is Failure.DEADLINE
            assert result.text == (
                "hook 'h' on-shell exceeded its 7s execution deadline "
                "(capabilities.limits.deadline_seconds) and was interrupted"
            )
            assert fire(instance, "on-shell").failure is Failure.POISONED

    def test_each_call_gets_a_fresh_deadline(self) -> None:
        """Waiting between calls uses nothing up: the epoch has moved on meanwhile."""
        with running(hook({}), ticks=1) as instance:
            engine = instance._engine
            for _ in range(5):
                assert fire(instance, "on-shell").answer == "none"
                for _ in range(3):
                    engine.tick()

    def test_the_users_interrupt_ends_a_call_at_once_and_is_classed_apart(self) -> None:
        """Asked from another thread, with a deadline of an hour."""
        with running(spinning_hook("on-shell"), ticks=36_000) as instance:
            results: list[Any] = []
            thread = threading.Thread(target=lambda: results.append(fire(instance, "on-shell")))
            thread.start()
            while thread.is_alive():
                instance.interrupt()
                thread.join(0.001)
            assert results[0].failure is Failure.INTERRUPTED
            assert results[0].text == "hook 'h' on-shell was interrupted by the user"
            assert fire(instance, "on-shell").failure is Failure.POISONED

    def test_an_interrupt_between_calls_does_nothing(self) -> None:
        """Nothing runs, so nothing is remembered."""
        with running(hook({})) as instance:
            instance.interrupt()
            assert fire(instance, "on-shell").answer == "none"

    def test_closing_interrupts_a_running_call(self) -> None:
        """The call ends as interrupted, then the store is given back."""
        with running(spinning_hook("on-shell"), ticks=36_000) as instance:
            results: list[Any] = []
            started = threading.Event()

            def call() -> None:
                started.set()
                results.append(fire(instance, "on-shell"))

            thread = threading.Thread(target=call)
            thread.start()
            started.wait()
            while instance._engine._remaining is None:
                pass
            instance.close()
            thread.join()
        assert results[0].failure is Failure.INTERRUPTED


class TestLimits:
    LIMITS = Limits(memory_bytes=2 * 1024 * 1024)
    DENIED = (
        "hook 'h' {} exceeded its configured resource limits: linear memory growth to "
        "2162688 bytes exceeds capabilities.limits.memory_bytes (2097152)"
    )

    def test_a_denied_growth_traps_and_explains_every_later_failure(self) -> None:
        """The denial is sticky, also for functions that never grow."""
        double = hook({"on-shell": [GrowMemory(1), Spin()]})
        with running(double, limits=self.LIMITS) as instance:
            result = fire(instance, "on-shell")
            assert (result.failure, result.text) == (
                Failure.RESOURCE_LIMIT,
                self.DENIED.format("on-shell"),
            )
            later = fire(instance, "on-inference")
            assert (later.failure, later.text) == (
                Failure.RESOURCE_LIMIT,
                self.DENIED.format("on-inference"),
            )
            assert instance.memory_bytes == 2 * 1024 * 1024

    def test_a_guest_that_answers_after_a_denied_growth_has_failed_all_the_same(self) -> None:
        """Nothing checks the epoch between the growth and the end of the function."""
        with running(hook({"on-shell": GrowMemory(1)}), limits=self.LIMITS) as instance:
            result = fire(instance, "on-shell")
            assert (result.failure, result.text, result.answer) == (
                Failure.RESOURCE_LIMIT,
                self.DENIED.format("on-shell"),
                None,
            )
            assert instance.poisoned
            assert fire(instance, "on-shell").failure is Failure.RESOURCE_LIMIT

    @pytest.mark.parametrize(("pages", "is_allowed"), [(31, True), (32, False)])
    def test_growth_up_to_the_limit_is_allowed(self, pages: int, is_allowed: bool) -> None:
        """The limit itself passes, a page more does not."""
        grow = f"(drop (memory.grow (i32.const {pages})))"
        data = raw_hook(f"(memory 1) (func $grow {grow}) (start $grow)")
        if is_allowed:
            with running(data, limits=self.LIMITS) as instance:
                assert instance.memory_bytes == self.LIMITS.memory_bytes
        else:
            with pytest.raises(InstantiationError), running(data, limits=self.LIMITS):
                pass

    def test_a_denied_table_growth_is_an_answer_of_minus_one(self) -> None:
        """It cannot be seen from outside; the guest goes on."""
        with running(
            hook({"on-shell": [GrowTable(1000), Answer()]}), limits=Limits(table_elements=10)
        ) as instance:
            assert fire(instance, "on-shell").answer == "none"


class TestOutput:
    def test_output_belongs_to_the_call_that_wrote_it(self) -> None:
        """Two calls, two outputs."""
        with running(hook({"on-shell": Print(Field("command"))})) as instance:
            assert fire(instance, "on-shell", command="one\n").stdout == "one\n"
            assert fire(instance, "on-inference").stdout == ""
            assert fire(instance, "on-shell", command="twö").stdout == "twö"

    def test_output_of_a_call_that_failed_is_kept(self) -> None:
        """What was printed before the trap is there."""
        double = hook({"on-shell": [Print("before\n"), Nonsensical(Nonsense.BAD_ARM)]})
        with running(double) as instance:
            assert fire(instance, "on-shell").stdout == "before\n"


class TestMemory:
    def test_the_sizes_follow_the_guest(self) -> None:
        """One memory of one page, which grows with a long event."""
        with running(hook({})) as instance:
            assert instance.memory_sizes == (65536,)
            fire(instance, "on-shell", command="x" * 200_000)
            assert instance.memory_bytes > 200_000

    def test_bytes_of_the_guest_can_be_read_and_the_rest_is_left_out(self) -> None:
        """A text of the data segment is found; reading past the end gives less."""
        with running(hook({"on-shell": Error("find me")})) as instance:
            everything = instance.read_memory(0, 0, 10**9)
            assert len(everything) == 65536
            at = everything.index(b"find me")
            assert instance.read_memory(0, at, 4) == b"find"
            assert instance.read_memory(0, 65530, 100) == everything[65530:]
            assert instance.read_memory(0, 70_000, 1) == b""
            assert instance.read_memory(0, -5, 7) == everything[:2]
            assert instance.read_memory(1, 0, 10) == b""

    def test_reading_while_the_guest_runs_is_safe(self) -> None:
        """Another thread reads during calls that grow and free."""
        with running(hook({"on-shell": Error(Field("command"))})) as instance:
            done = threading.Event()
            sizes: list[int] = []

            def read() -> None:
                while not done.is_set():
                    sizes.append(len(instance.read_memory(0, 0, 1_000_000)))

            thread = threading.Thread(target=read)
            thread.start()
            for number in range(40):
                text = "x" * (number * 1000)
                assert fire(instance, "on-shell", command=text).text == text
            done.set()
            thread.join()
        assert sizes == sorted(sizes)


def test_stub_functions_have_no_type_of_the_contract() -> None:
    """The stub double is what the runtime's own tests count calls with."""
    with running(stub_hook()) as instance:
        assert fire(instance, "on-shell").failure is Failure.TYPE_MISMATCH
