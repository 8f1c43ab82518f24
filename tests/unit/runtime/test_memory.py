"""Linear memories: limits, views, and that they are given back."""

import ctypes
import gc
import threading

import pytest

from inspector.manifest.grant import Limits
from inspector.runtime import capi, memory
from inspector.runtime.component import compile_hook
from inspector.runtime.engine import HookEngine
from inspector.runtime.instance import InstantiationError
from inspector.runtime.memory import MemoryTracker, PageError
from tests.helpers.hook_instance import fire, running
from tests.helpers.raw_hook import raw_hook
from tests.helpers.wat import Answer, Error, Field, hook

PAGE = 65536


@pytest.fixture
def overruns() -> list[None]:
    """One entry per overrun of the tracker."""
    return []


@pytest.fixture
def tracker(overruns: list[None]) -> MemoryTracker:
    """A tracker with a limit of four pages."""
    return MemoryTracker(4 * PAGE, lambda: overruns.append(None))


def grow(number: int, size: int) -> str | None:
    """What the callback says to a growth: the text of an error, or None."""
    address = memory._grow_memory(number, size)
    return str(capi.error_at(address)) if address else None


class TestTracker:
    def test_a_memory_grows_to_the_limit_and_no_further(
        self, tracker: MemoryTracker, overruns: list[None]
    ) -> None:
        """The denial has the asked-for size and overruns the engine; the size stays."""
        account = tracker.open_account()
        with tracker.accounting(account):
            number = tracker.create(PAGE, 16 * PAGE, PAGE)
        assert grow(number, 4 * PAGE) is None
        assert account.denial is None
        text = (
            f"linear memory growth to {5 * PAGE} bytes exceeds "
            f"capabilities.limits.memory_bytes ({4 * PAGE})"
        )
        assert grow(number, 5 * PAGE) == text
        assert (account.denial, len(overruns)) == (text, 1)
        assert account.sizes() == (4 * PAGE,)
        memory._drop_memory(number)

    def test_the_first_denial_stays(self, tracker: MemoryTracker) -> None:
        """A second one does not replace it."""
        account = tracker.open_account()
        with tracker.accounting(account):
            number = tracker.create(PAGE, 16 * PAGE, 0)
        grow(number, 9 * PAGE)
        first = account.denial
        grow(number, 7 * PAGE)
        assert account.denial == first
        memory._drop_memory(number)

    def test_an_initial_size_over_the_limit_is_denied(self, tracker: MemoryTracker) -> None:
        """No memory is made; nothing runs that could be overrun."""
        account = tracker.open_account()
        with tracker.accounting(account), pytest.raises(PageError, match="growth to 327680 bytes"):
            tracker.create(5 * PAGE, 16 * PAGE, 0)
        assert account.denial is not None
        assert account.sizes() == ()

    def test_a_growth_past_the_reservation_is_an_error_without_a_denial(
        self, tracker: MemoryTracker, overruns: list[None]
    ) -> None:
        """There is no address space for it; that is no limit of the capsule."""
        account = tracker.open_account()
        with tracker.accounting(account):
            number = tracker.create(PAGE, 2 * PAGE, 0)
        assert "longer than its reservation" in (grow(number, 3 * PAGE) or "")
        assert (account.denial, overruns) == (None, [])
        memory._drop_memory(number)

    def test_address_space_that_the_system_has_not_is_an_error(
        self, tracker: MemoryTracker
    ) -> None:
        """A reservation of 2^62 bytes."""
        with pytest.raises(PageError, match="cannot reserve"):
            tracker.create(PAGE, 2**62, 0)

    def test_accounts_are_apart(self, tracker: MemoryTracker) -> None:
        """A denial of one store says nothing about another."""
        accounts = [tracker.open_account() for _ in range(2)]
        numbers = []
        for account in accounts:
            with tracker.accounting(account):
                numbers.append(tracker.create(PAGE, 16 * PAGE, 0))
        grow(numbers[0], 9 * PAGE)
        assert [account.denial is None for account in accounts] == [False, True]
        assert [account.total_bytes for account in accounts] == [PAGE, PAGE]
        for number in numbers:
            memory._drop_memory(number)

    def test_a_memory_that_was_given_back_reads_as_nothing(self, tracker: MemoryTracker) -> None:
        """Also when the account still knows it."""
        account = tracker.open_account()
        with tracker.accounting(account):
            number = tracker.create(PAGE, 2 * PAGE, 0)
        address = memory._get_memory(number, (ctypes.c_size_t * 1)(), (ctypes.c_size_t * 1)())
        ctypes.memset(address, 7, PAGE)
        assert account.read(0, 10, 3) == b"\7\7\7"
        memory._drop_memory(number)
        memory._drop_memory(number)
        assert account.read(0, 10, 3) == b""
        assert account.total_bytes == 0


class TestWithGuests:
    def test_nothing_is_left_after_instances_and_engines_are_closed(self) -> None:
        """Registries of memories and trackers are as before."""
        gc.collect()
        before = len(memory._MEMORIES), len(memory._TRACKERS)
        for _ in range(20):
            with running(hook({"on-shell": Answer()})) as instance:
                fire(instance, "on-shell")
        assert (len(memory._MEMORIES), len(memory._TRACKERS)) == before

    def test_an_engine_that_is_only_dropped_is_given_back_too(self) -> None:
        """Nothing of ours holds it."""
        gc.collect()
        before = len(memory._TRACKERS)
        for _ in range(5):
            compile_hook(HookEngine(Limits(), 10), raw_hook())
        assert len(memory._TRACKERS) == before

    def test_several_memories_are_counted_each(self) -> None:
        """Sizes are in the order in which they were made."""
        extra = "(core module $b (memory 3)) (core instance $b (instantiate $b))"
        with running(raw_hook("(memory 2)", extra=extra)) as instance:
            assert instance.memory_sizes == (2 * PAGE, 3 * PAGE)
            assert instance.memory_bytes == 5 * PAGE

    def test_the_limit_is_each_memorys_own(self) -> None:
        """Two memories of the limit are allowed, as under the runtime."""
        extra = "(core module $b (memory 2)) (core instance $b (instantiate $b))"
        limits = Limits(memory_bytes=2 * PAGE)
        with running(raw_hook("(memory 2)", extra=extra), limits=limits) as instance:
            assert instance.memory_bytes == 4 * PAGE

    def test_instances_on_many_threads_have_their_own_accounts(self) -> None:
        """Each thread makes, grows and closes its own."""
        wrong: list[object] = []

        def work(pages: int) -> None:
            for _ in range(5):
                with running(hook({"on-shell": Error(Field("command"))}, pages=pages)) as instance:
                    text = "x" * 1000 * pages
                    if fire(instance, "on-shell", command=text).text != text:
                        wrong.append(pages)
                    if instance.memory_sizes[0] < pages * PAGE or len(instance.memory_sizes) != 1:
                        wrong.append(instance.memory_sizes)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


@pytest.mark.parametrize(
    "address",
    [
        "(i32.const 65536)",
        "(i32.const 0x7fffffff)",
        "offset=0xffffffff (i32.const -1)",
        "offset=65535 (i32.const 1)",
    ],
)
@pytest.mark.parametrize("access", ["drop (i32.load8_u {}", "i32.store8 {} (i32.const 1"])
def test_memory__an_access_past_its_end__is_a_trap_of_the_guest(address: str, access: str) -> None:
    """In the reservation and in the guard behind it; the process lives."""
    core = f"(memory 1) (func $s ({access.format(address)}))) (start $s)"
    with pytest.raises(InstantiationError) as caught, running(raw_hook(core)):
        pass
    assert caught.value.detail is not None
    assert "out of bounds memory access" in caught.value.detail


def test_memory__after_growth__the_new_bytes_are_zero_and_usable() -> None:
    """A start function grows by a page and checks its last byte, then writes it."""
    check = "(if (i32.load8_u (i32.const 131071)) (then unreachable))"
    write = "(i32.store8 (i32.const 131071) (i32.const 9))"
    core = f"""(memory 1) (start $s)
        (func $s (drop (memory.grow (i32.const 1))) {check} {write})"""
    with running(raw_hook(core)) as instance:
        assert instance.read_memory(0, 131070, 9) == b"\0\t"
