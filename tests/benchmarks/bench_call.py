"""How dear one call through the codec is, next to the raw C call and the library's own.

Run it as `python -m tests.benchmarks.bench_call`. All three call the same function of
the same instance in the same run, so the ratios hold on a noisy machine. `raw` calls
with arguments that were lowered once and frees the result without reading it.

A second table shows what output costs, with pipes and with wasmtime's callbacks.
"""

import contextlib
import ctypes
import functools
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import wasmtime
from wasmtime import component as wc

from inspector.contract import contract, value
from inspector.contract.contract import Contract
from inspector.runtime import capi, stdio_pipe
from inspector.runtime.codec import FunctionCodec
from inspector.runtime.codec_encode import encoder
from inspector.runtime.codec_memory import Arena
from inspector.runtime.instance import HookInstance
from tests.helpers.guest import to_library
from tests.helpers.hook_instance import running
from tests.helpers.wat import Answer, Print, hook
from tests.helpers.wat_step import Steps

ROUNDS = 7

EVENTS: dict[str, dict[str, Any]] = {
    "on-tool-call": {
        "turn": 1,
        "tool-name": "grep",
        "input": '{"pattern": "x"}',
        "input-bytes": 16,
        "outcome": {"output-bytes": 10, "duration-ms": 3, "status": "ok"},
    },
    "on-compaction": {
        "messages": [{"role": "user", "content": f"message {n}"} for n in range(10_000)],
        "session-tokens": 1234,
        "threshold": 0.98,
    },
}


def median_us(call: Callable[[], object], count: int) -> float:
    """The median over rounds of the mean time of a call, in microseconds."""
    rounds = []
    for _ in range(ROUNDS):
        started = time.perf_counter_ns()
        for _ in range(count):
            call()
        rounds.append((time.perf_counter_ns() - started) / count / 1000)
    return statistics.median(rounds)


def callers(found: Contract, event: str, fields: Any) -> dict[str, Callable[[], object]]:
    """The three ways to call one function of one instance."""
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    linker = wc.Linker(engine)
    data = hook({event: Answer()}, version=found.version).component()
    instance = linker.instantiate(store, wc.Component(engine, data))
    interface = instance.get_export_index(store, found.interface)
    index = instance.get_export_index(store, event, interface)
    func = None if index is None else instance.get_func(store, index)
    assert func is not None

    codec = FunctionCodec(found.function(event))
    arena = Arena()
    record = encoder(found.record(event))
    lowered = record.store(fields, arena)
    slot = (ctypes.c_char * capi.VALUE_SIZE)()
    address = ctypes.addressof(slot)

    def raw() -> None:
        ctypes.memset(address, 0, capi.VALUE_SIZE)
        error = capi.call_function(store, func, lowered, 1, address, 1)
        assert error is None, error
        capi.delete_value(address)

    def ours() -> Any:
        return codec.call(store, func, (fields,))

    argument = to_library(found.record(event), fields)

    def library() -> Any:
        return func(store, argument)

    # The closures above borrow these.
    raw.kept = (arena, slot, instance, record)  # type: ignore[attr-defined]
    return {"raw C call": raw, "codec": ours, "Func.__call__": library}


PRINTED: dict[str, tuple[str, Steps, int]] = {
    "on-shell": ("nothing printed", Answer(), 2000),
    "on-tool-call": ("one line printed", Print("one line of output\n"), 2000),
    "on-inference": ("100 MB printed", [Print("x" * 62_500)] * 1600, 1),
}
"""What a function does and how often a round calls it, by event."""


@contextlib.contextmanager
def loud_instance(available: bool) -> Iterator[HookInstance]:
    """A hook that prints, with pipes or with callbacks."""
    usual = stdio_pipe.AVAILABLE
    stdio_pipe.AVAILABLE = available
    try:
        with running(hook({event: steps for event, (_, steps, _) in PRINTED.items()})) as instance:
            yield instance
    finally:
        stdio_pipe.AVAILABLE = usual


def print_output(found: Contract) -> None:
    """Print what output costs, both ways."""
    ways = {"callbacks": False, "pipes": True} if stdio_pipe.AVAILABLE else {"callbacks": False}
    print("output")
    with contextlib.ExitStack() as stack:
        made = {way: stack.enter_context(loud_instance(has)) for way, has in ways.items()}
        for event, (name, _, count) in PRINTED.items():
            fields = value.complete(found.record(event), {})
            for way, instance in made.items():
                call = functools.partial(instance.call, event, fields)
                print(f"  {name:16} {way:10} {median_us(call, count):12.1f} us")


def main() -> None:
    """Print one table per event, and one of output."""
    found = contract.load("0.8.0")
    for event, given in EVENTS.items():
        fields = value.complete(found.record(event), given)
        ways = callers(found, event, fields)
        count = 5 if event == "on-compaction" else 2000
        times = {name: median_us(call, count) for name, call in ways.items()}
        print(event)
        for name, each in times.items():
            print(f"  {name:14} {each:12.1f} us  x{each / times['raw C call']:.1f} of raw")
    print_output(found)


if __name__ == "__main__":
    main()
