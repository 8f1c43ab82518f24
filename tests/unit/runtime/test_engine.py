"""Deadlines, interruption and the ticker."""

import gc
import weakref

import pytest
import wasmtime
from wasmtime import component as wc

from inspector import paths
from inspector.contract.type import Function
from inspector.manifest.grant import Limits
from inspector.runtime import engine as engine_module
from inspector.runtime.codec import FunctionCodec
from inspector.runtime.component import compile_hook
from inspector.runtime.engine import HookEngine, deadline_ticks
from tests.helpers.raw_hook import raw_hook


@pytest.mark.parametrize(("seconds", "ticks"), [(0, 1), (1, 10), (30, 300), (600, 6000)])
def test_deadline_ticks__seconds__are_ten_each_and_at_least_one(seconds: int, ticks: int) -> None:
    """A tick is 100 ms."""
    assert deadline_ticks(seconds) == ticks


class Runner:
    """A store whose function returns at once, on an engine that only the test ticks."""

    def __init__(self, ticks: int) -> None:
        self.engine = HookEngine(Limits(), ticks)
        engine_module._TICKER.remove(self.engine)
        self.compiled = compile_hook(self.engine, raw_hook())
        self.store = wasmtime.Store(self.engine.wasmtime_engine)
        self.store.set_epoch_deadline(1)
        linker = wc.Linker(self.engine.wasmtime_engine)
        instance = linker.instantiate(self.store, self.compiled.component)
        interface = instance.get_export_index(self.store, "murmur:hook/lifecycle@0.8.0")
        index = instance.get_export_index(self.store, "on-shell", interface)
        func = None if index is None else instance.get_func(self.store, index)
        assert func is not None
        self.func = func
        self.codec = FunctionCodec(Function("on-shell", (), None))

    def is_interrupted(self) -> bool:
        """Whether the deadline of the store is over."""
        try:
            self.codec.call(self.store, self.func, ())
        except wasmtime.WasmtimeError as error:
            assert "wasm trap: interrupt" in str(error)  # noqa: PT017 -- both ways are fine
            return True
        return False


class TestDeadline:
    def test_it_is_over_after_its_ticks_and_not_before(self) -> None:
        """Three ticks."""
        runner = Runner(3)
        runner.engine.arm(runner.store)
        for _ in range(2):
            runner.engine.tick()
            assert not runner.is_interrupted()
        runner.engine.tick()
        assert runner.is_interrupted()

    def test_arming_again_counts_from_the_beginning(self) -> None:
        """Ticks of an earlier call do not count."""
        runner = Runner(2)
        runner.engine.arm(runner.store)
        runner.engine.tick()
        runner.engine.arm(runner.store)
        runner.engine.tick()
        assert not runner.is_interrupted()

    def test_a_disarmed_engine_does_not_move(self) -> None:
        """Between calls the clock stands."""
        runner = Runner(1)
        runner.engine.arm(runner.store)
        runner.engine.disarm()
        for _ in range(5):
            runner.engine.tick()
        assert not runner.is_interrupted()


class TestInterrupt:
    def test_it_ends_an_armed_call_and_is_remembered(self) -> None:
        """However long the deadline is."""
        runner = Runner(10**9)
        runner.engine.arm(runner.store)
        assert runner.engine.interrupt()
        assert runner.engine.interrupted
        assert runner.is_interrupted()

    def test_it_does_nothing_when_no_call_is_armed(self) -> None:
        """And says so."""
        runner = Runner(10)
        assert not runner.engine.interrupt()
        assert not runner.engine.interrupted
        assert not runner.is_interrupted()

    def test_the_next_call_is_not_interrupted(self) -> None:
        """Arming forgets it."""
        runner = Runner(10)
        runner.engine.arm(runner.store)
        runner.engine.interrupt()
        runner.engine.arm(runner.store)
        assert not runner.engine.interrupted
        assert not runner.is_interrupted()

    def test_a_deadline_is_no_interrupt_of_the_user(self) -> None:
        """The flag stays down."""
        runner = Runner(1)
        runner.engine.arm(runner.store)
        runner.engine.tick()
        assert runner.is_interrupted()
        assert not runner.engine.interrupted


class TestLife:
    def test_a_closed_engine_is_left_alone(self) -> None:
        """By the ticker, by an interrupt, by a second close."""
        engine = HookEngine(Limits(), 1)
        engine.close()
        engine.close()
        engine.tick()
        assert not engine.interrupt()

    def test_the_ticker_holds_no_engine(self) -> None:
        """An engine that nobody uses is collected while the ticker runs."""
        engine = HookEngine(Limits(), 1)
        gone = weakref.ref(engine)
        del engine
        gc.collect()
        assert gone() is None

    def test_the_ticker_ends_with_its_last_engine_and_starts_again(self) -> None:
        """The thread is a daemon, and there is one at a time."""
        ticker = engine_module._Ticker()
        engine = HookEngine(Limits(), 1)
        for _ in range(2):
            ticker.add(engine)
            thread = ticker._thread
            assert thread is not None
            assert thread.daemon
            ticker.add(engine)
            assert ticker._thread is thread
            ticker.remove(engine)
            thread.join()
            assert ticker._thread is None
            assert len(ticker) == 0


class TestCache:
    def test_compiled_code_is_kept_in_our_folder(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: object
    ) -> None:
        """The second engine reads what the first one wrote."""
        monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
        for _ in range(2):
            compile_hook(HookEngine(Limits(), 1), raw_hook())
        files = [p for p in (paths.cache_dir() / "compiled").rglob("*") if p.is_file()]
        assert files

    def test_without_a_folder_hooks_are_compiled_all_the_same(
        self,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: object,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """It is said once in our log."""
        blocked = f"{tmp_path}/file"
        with open(blocked, "w") as file:  # noqa: PTH123
            file.write("")
        monkeypatch.setenv(paths.HOME_VARIABLE, blocked)
        assert compile_hook(HookEngine(Limits(), 1), raw_hook()).shape.exports
        assert "compiled hooks are not cached" in caplog.text
