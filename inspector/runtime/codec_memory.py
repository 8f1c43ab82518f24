"""Memory that arguments are built in: Python owns it, the C side borrows it.

Lives here: `Arena`, a bump allocator, and `ArenaPool`. Not here: what is written
(codec_encode). Only runtime imports it.
"""

import ctypes
from collections import deque

_FIRST_BYTES = 16 * 1024
_KEPT_BYTES = 1024 * 1024
"""An arena that grew past this is not pooled, so that one huge event is not kept forever."""

_KEPT_ARENAS = 8


class _Block:
    """A bytearray with a fixed address."""

    __slots__ = ("_pin", "address", "data", "size")

    def __init__(self, size: int) -> None:
        self.data = bytearray(size)
        # The export both gives the address and forbids that the bytearray moves.
        self._pin = (ctypes.c_char * size).from_buffer(self.data)
        self.address = ctypes.addressof(self._pin)
        self.size = size


class Arena:
    """A bump allocator over blocks that never move while a call borrows them.

    Attributes:
        data: The block that the last `take` was served from.
        base: Its address.
        total_bytes: Size of all blocks.
    """

    __slots__ = ("_at", "_blocks", "_size", "base", "data", "kept", "total_bytes")

    def __init__(self) -> None:
        first = _Block(_FIRST_BYTES)
        self._blocks = [first]
        self.total_bytes = first.size
        self.kept: list[object] = []
        self._use(first)

    def _use(self, block: _Block) -> None:
        self.data = block.data
        self.base = block.address
        self._size = block.size
        self._at = 0

    def take(self, size: int) -> int:
        """Reserve bytes; they hold whatever was there before.

        Args:
            size: A multiple of 8.

        Returns:
            The offset in `data`; `base` plus offset is the address. Both attributes
            change when a later call needs a new block, so read them at once.
        """
        at = self._at
        if at + size > self._size:
            self._grow(size)
            at = 0
        self._at = at + size
        return at

    def _grow(self, size: int) -> None:
        block = _Block(max(size, 2 * self._size))
        self._blocks.append(block)
        self.total_bytes += block.size
        self._use(block)

    def put(self, content: bytes) -> int:
        """Copy bytes in.

        Returns:
            Their address; never null, also for no bytes.
        """
        size = len(content)
        at = self.take((size + 7) & ~7)
        self.data[at : at + size] = content
        return self.base + at

    def reset(self) -> None:
        """Forget everything, keep the largest block."""
        last = self._blocks[-1]
        self._blocks = [last]
        self.total_bytes = last.size
        self.kept.clear()
        self._use(last)


class ArenaPool:
    """Arenas that are free; every step is atomic, so any thread may use it."""

    def __init__(self) -> None:
        self._free: deque[Arena] = deque(maxlen=_KEPT_ARENAS)

    def acquire(self) -> Arena:
        """An arena that nobody else uses."""
        try:
            return self._free.pop()
        except IndexError:
            return Arena()

    def release(self, arena: Arena) -> None:
        """Give an arena back once the C side is done with it."""
        if arena.total_bytes <= _KEPT_BYTES:
            arena.reset()
            self._free.append(arena)
