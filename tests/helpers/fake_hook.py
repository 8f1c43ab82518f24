"""Hooks without wasm: instances that answer from a script.

Lives here: fakes of runtime.hook's port for tests of the dispatcher. Not here: real
doubles (wat).
"""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from inspector.contract.contract import EVENTS
from inspector.contract.record import Failure
from inspector.manifest.hook_config import ExecutionMode, HookConfig, OverflowPolicy
from inspector.runtime.hook import LiveHook

Script = Callable[[str, Mapping[str, Any]], Any]


class FakeAnswer(msgspec.Struct, frozen=True):
    """A call's answer as the dispatcher reads it."""

    answer: Any = None
    failure: Failure | None = None
    text: str | None = None
    detail: str | None = None
    duration_us: int = 1
    stdout: str = ""
    stderr: str = ""
    cut_bytes: int = 0
    host_us: int = 0


def failing(text: str, failure: Failure = Failure.GUEST_ERROR) -> FakeAnswer:
    """An answer for a call that failed."""
    return FakeAnswer(failure=failure, text=text)


class FakeInstance:
    """An instance whose answers come from a function; it remembers its calls.

    Attributes:
        calls: Function and record of each call, in order.
        interrupted: Set by interrupt().
        closed: Whether it was closed.
    """

    def __init__(self, script: Script, functions: frozenset[str] = frozenset(EVENTS)) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.interrupted = threading.Event()
        self.closed = False
        self.poisoned = False
        self.memory_bytes = 0
        self.functions = functions
        self._script = script

    def call(self, function: str, fields: Mapping[str, Any]) -> FakeAnswer:
        """Answer from the script; a plain value is an answer, a FakeAnswer itself."""
        self.calls.append((function, dict(fields)))
        if function not in self.functions:
            return FakeAnswer(failure=Failure.ABSENT)
        result = self._script(function, fields)
        return result if isinstance(result, FakeAnswer) else FakeAnswer(answer=result)

    @property
    def memory_sizes(self) -> tuple[int, ...]:
        """One memory of `memory_bytes`."""
        return (self.memory_bytes,)

    def read_memory(self, memory_index: int, offset: int, length: int) -> bytes:
        """Nothing but zeros."""
        assert memory_index == 0
        return bytes(max(0, min(length, self.memory_bytes - offset)))

    def interrupt(self) -> None:
        """Remember the interrupt."""
        self.interrupted.set()

    def close(self) -> None:
        """Remember the end."""
        self.closed = True


def fake_hook(
    script: Script | Any = "none",
    *,
    name: str = "test-hook",
    binding: str | None = None,
    policy: str = "none",
    is_async: bool = False,
    on_overflow: OverflowPolicy = OverflowPolicy.DROP,
    functions: frozenset[str] = frozenset(EVENTS),
) -> LiveHook:
    """A live hook around a fake instance.

    Args:
        script: A function of event and record, or one answer for every call.
        name: The hook's name.
        binding: One event, or None for all.
        policy: Its commit policy.
        is_async: Whether it is an async hook.
        on_overflow: For a full queue.
        functions: What it exports.
    """
    answer: Script = script if callable(script) else (lambda _event, _fields: script)
    mode = ExecutionMode.ASYNC if is_async else ExecutionMode.BLOCKING
    config = HookConfig(binding, mode, policy)
    return LiveHook(
        name,
        "0.0.1",
        config,
        FakeInstance(answer, functions),
        on_overflow=on_overflow,
        make_instance=lambda: FakeInstance(answer, functions),
    )


def instance_of(hook: LiveHook) -> FakeInstance:
    """The fake instance of a hook."""
    assert isinstance(hook.instance, FakeInstance)
    return hook.instance
