"""A hook as the dispatcher sees it.

Lives here: the port that an instance fills, and a live hook with its configuration.
Not here: wasmtime (instance). Only runtime imports it; tests fill the port with fakes.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from inspector.contract.record import Failure
from inspector.manifest.hook_config import ExecutionMode, HookConfig, OverflowPolicy


class CallAnswer(Protocol):
    """What one call came to (instance.CallResult)."""

    @property
    def answer(self) -> Any:
        """The `hook-output` value, or None when the call failed."""

    @property
    def failure(self) -> Failure | None:
        """Why there is no answer, or None."""

    @property
    def text(self) -> str | None:
        """The runtime's text of the failure, or None."""

    @property
    def detail(self) -> str | None:
        """The engine's whole text, or None."""

    @property
    def duration_us(self) -> int:
        """Wall time in microseconds."""

    @property
    def stdout(self) -> str:
        """What the guest wrote during the call."""

    @property
    def stderr(self) -> str:
        """What the guest wrote during the call."""

    @property
    def cut_bytes(self) -> int:
        """Bytes of stdout and stderr that were not kept."""

    @property
    def host_us(self) -> int:
        """Time in host functions of ours, part of the wall time."""


class InstancePort(Protocol):
    """An instance that can be called."""

    @property
    def functions(self) -> frozenset[str]:
        """Lifecycle functions in its table."""

    @property
    def poisoned(self) -> bool:
        """Whether a trap has left it unusable."""

    @property
    def memory_bytes(self) -> int:
        """Size of its linear memories now."""

    @property
    def memory_sizes(self) -> tuple[int, ...]:
        """Size of each linear memory now."""

    def read_memory(self, memory_index: int, offset: int, length: int) -> bytes:
        """Copy bytes out of a linear memory, also while the guest runs."""

    def call(self, function: str, fields: Mapping[str, Any]) -> CallAnswer:
        """Call one function with its record."""

    def interrupt(self) -> None:
        """Stop the running call soon; from any thread."""

    def close(self) -> None:
        """Give everything back; no call may be running."""


class LiveHook:
    """One hook of a session: configuration plus the instance that answers for it.

    Attributes:
        name: Artifact name.
        version: Artifact version.
        config: Binding, mode, policy.
        on_overflow: The operator's choice for a full queue.
        marks: Help that touched it, e.g. `re-instantiated`.
        generation: How many times the instance was made anew.
        instantiate_us: Wall time of the last instantiation.
    """

    def __init__(
        self,
        name: str,
        version: str,
        config: HookConfig,
        instance: InstancePort | None,
        *,
        on_overflow: OverflowPolicy = OverflowPolicy.DROP,
        make_instance: Callable[[], InstancePort] | None = None,
        marks: tuple[str, ...] = (),
        take_marks: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """Wrap an instance.

        Args:
            name: Artifact name.
            version: Artifact version.
            config: From the hook's own manifest.
            instance: None only where a fresh one is made for each event.
            on_overflow: From the operator's entry.
            make_instance: Makes another instance of the same hook.
            marks: Help of ours that every call of this hook is touched by.
            take_marks: Help that touched the call which has just ended.
        """
        self.name = name
        self.version = version
        self.config = config
        self.on_overflow = on_overflow
        self.marks = marks
        self.take_marks = take_marks
        self.generation = 0
        self.instantiate_us = 0
        self._instance = instance
        self._make_instance = make_instance

    @property
    def is_blocking(self) -> bool:
        """Whether the dispatcher waits for it."""
        return self.config.execution_mode is ExecutionMode.BLOCKING

    @property
    def instance(self) -> InstancePort:
        """The instance in use."""
        assert self._instance is not None
        return self._instance

    @property
    def has_instance(self) -> bool:
        """Whether it keeps an instance between events."""
        return self._instance is not None

    def renew(self) -> None:
        """Replace the instance by a fresh one; the old one stays when that fails.

        Raises:
            InstantiationError: when no instance can be made.
        """
        assert self._make_instance is not None
        begun_ns = time.perf_counter_ns()
        fresh = self._make_instance()
        self.instantiate_us = (time.perf_counter_ns() - begun_ns) // 1000
        old, self._instance = self._instance, fresh
        if old is not None:
            old.close()

    def reset(self) -> None:
        """Renew the instance for the user and mark every later call; no call may run.

        Raises:
            InstantiationError: when no instance can be made.
        """
        self.renew()
        self.generation += 1
        if "re-instantiated" not in self.marks:
            self.marks = (*self.marks, "re-instantiated")

    def close(self) -> None:
        """Close the instance, if there is one."""
        if self._instance is not None:
            self._instance.close()
            self._instance = None
