"""Linear memories of guests: exact limit denials, live sizes, a read-only view.

Lives here: the host memory creator of an engine (`MemoryTracker`) and the memories of
one store (`MemoryAccount`). Not here: pages of the operating system (memory_page),
tables, which wasmtime limits itself: a denied `table.grow` is an answer of -1 that
nobody sees. Only runtime imports it.

wasmtime's own store limits answer a denied growth with -1 and tell nobody. Here each
request is seen; a denial is noted and the engine overrun, so that the guest traps right
after its `memory.grow`, as under the runtime that is mirrored. One request stays
unseen: a growth past the maximum that the memory itself declares (4 GiB without one) is
answered with -1 by wasmtime before it asks.
"""

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wasmtime import Config

from inspector.runtime import capi, memory_page
from inspector.runtime.memory_page import PageError


def denial_text(size_bytes: int, limit_bytes: int) -> str:
    """The runtime's text of a denied growth (spec/dispatch.md 7)."""
    return (
        f"linear memory growth to {size_bytes} bytes exceeds "
        f"capabilities.limits.memory_bytes ({limit_bytes})"
    )


class _Memory:
    """One linear memory; `lock` is held while its pages are read or given back."""

    __slots__ = ("account", "address", "lock", "mapped", "overrun", "reserved", "size")

    def __init__(
        self,
        account: "MemoryAccount",
        size: int,
        reserved: int,
        guard: int,
        overrun: Callable[[], None],
    ) -> None:
        self.account = account
        self.size = size
        self.reserved = reserved
        self.mapped = reserved + guard
        self.overrun = overrun
        # A finalizer can run on the thread that is reading, out of the garbage collector.
        self.lock = threading.RLock()
        self.address = memory_page.reserve(self.mapped)
        try:
            memory_page.open_pages(self.address, size)
        except PageError:
            memory_page.release(self.address, self.mapped)
            raise

    def grow(self, size: int) -> None:
        if size > self.reserved:
            raise PageError(f"a memory of {size} bytes is longer than its reservation")
        memory_page.open_pages(self.address, size)
        self.size = size

    def release(self) -> None:
        with self.lock:
            address, self.address, self.size = self.address, 0, 0
            if address:
                memory_page.release(address, self.mapped)

    def read(self, offset: int, length: int) -> bytes:
        with self.lock:
            start = min(max(offset, 0), self.size)
            end = min(max(offset + length, start), self.size)
            return ctypes.string_at(self.address + start, end - start) if end > start else b""


class MemoryAccount:
    """The linear memories of one store and its first denial.

    Attributes:
        limit_bytes: Ceiling of each memory.
        denial: The runtime's text of the first denied growth, or None. It stays: every
            later failure of the store counts as this one (spec/dispatch.md 7).
    """

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.denial: str | None = None
        self._memories: list[_Memory] = []

    def sizes(self) -> tuple[int, ...]:
        """Bytes of each memory, in the order in which they were made."""
        return tuple(memory.size for memory in self._memories)

    @property
    def total_bytes(self) -> int:
        """Bytes of all memories."""
        return sum(self.sizes())

    def read(self, memory_index: int, offset: int, length: int) -> bytes:
        """Copy bytes out of a memory, also while the guest runs.

        Args:
            memory_index: As in `sizes`.
            offset: First byte.
            length: How many; what lies outside of the memory is left out.

        Returns:
            At most `length` bytes; none for a memory that is gone.
        """
        if not 0 <= memory_index < len(self._memories):
            return b""
        return self._memories[memory_index].read(offset, length)

    def admits(self, size_bytes: int) -> bool:
        """Whether a memory may have a size; a denial is noted."""
        if size_bytes <= self.limit_bytes:
            return True
        self.denial = self.denial or denial_text(size_bytes, self.limit_bytes)
        return False

    def add(self, memory: _Memory) -> None:
        """Take a new memory in."""
        self._memories.append(memory)

    def close(self) -> None:
        """Let go of memories that were given back."""
        self._memories = [memory for memory in self._memories if memory.address]


class MemoryTracker:
    """The memory creator of one engine.

    Attributes:
        limit_bytes: Ceiling of each memory.
    """

    def __init__(self, limit_bytes: int, overrun: Callable[[], None]) -> None:
        """Make a tracker.

        Args:
            limit_bytes: Ceiling of each memory.
            overrun: Makes the running guest trap; must not keep the engine alive.
        """
        self.limit_bytes = limit_bytes
        self._overrun = overrun
        self._current = threading.local()

    def install(self, config: Config) -> None:
        """Make every memory of the engine of a configuration here."""
        # Copy-on-write images are made for memories that wasmtime maps itself; with them
        # it panics on the first component with data segments.
        config.memory_init_cow = False
        capi.set_memory_creator(config, _TRACKERS.add(self), *_CREATOR)

    def open_account(self) -> MemoryAccount:
        """An account for the memories of a new store."""
        return MemoryAccount(self.limit_bytes)

    @contextmanager
    def accounting(self, account: MemoryAccount) -> Iterator[None]:
        """Book memories that this thread makes, during instantiation, on an account."""
        self._current.account = account
        try:
            yield
        finally:
            del self._current.account

    def create(self, minimum: int, reserved: int, guard: int) -> int:
        """Make a memory.

        Returns:
            Its number for the callbacks.

        Raises:
            PageError: when it is over the limit, or when there is no address space.
        """
        account: MemoryAccount = getattr(self._current, "account", None) or self.open_account()
        if not account.admits(minimum):
            raise PageError(account.denial)
        memory = _Memory(account, minimum, max(reserved, minimum), guard, self._overrun)
        account.add(memory)
        return _MEMORIES.add(memory)


_TRACKERS: capi.Registry[MemoryTracker] = capi.Registry()
_MEMORIES: capi.Registry[_Memory] = capi.Registry()


@capi.static(capi.NEW_MEMORY)
def _new_memory(
    number: Any, kind: Any, minimum: int, maximum: int, reserved: int, guard: int, out: Any
) -> int:
    try:
        memory = _TRACKERS.get(number).create(minimum, reserved, guard)
        slot = out.contents
        slot.env = memory
        slot.get_memory, slot.grow_memory, slot.finalizer = _get_memory, _grow_memory, _drop_memory
    except PageError as error:
        return capi.new_error(str(error))
    except BaseException:  # noqa: BLE001 -- nothing may be raised into the C side
        capi.log_unraisable("a new linear memory")
        return capi.new_error("the host cannot make a linear memory")
    return 0


@capi.static(capi.GET_MEMORY)
def _get_memory(number: Any, size: Any, maximum: Any) -> int:
    memory = _MEMORIES.get(number)
    size[0] = memory.size
    maximum[0] = memory.reserved
    return memory.address


@capi.static(capi.GROW_MEMORY)
def _grow_memory(number: Any, size: int) -> int:
    try:
        memory = _MEMORIES.get(number)
        if not memory.account.admits(size):
            memory.overrun()
            return capi.new_error(memory.account.denial or "")
        memory.grow(size)
    except PageError as error:
        return capi.new_error(str(error))
    except BaseException:  # noqa: BLE001 -- nothing may be raised into the C side
        capi.log_unraisable("memory.grow")
        return capi.new_error("the host cannot grow a linear memory")
    return 0


@capi.static(capi.FINALIZER)
def _drop_memory(number: Any, memories: capi.Registry[_Memory] = _MEMORIES) -> None:
    memory = memories.drop(number)
    if memory is not None:
        memory.release()


_drop_tracker = capi.finalizer(_TRACKERS)

_CREATOR = (_new_memory, _drop_tracker)
