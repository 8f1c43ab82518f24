"""The arena that arguments are built in."""

import ctypes
import threading

from hypothesis import given
from hypothesis import strategies as st

from inspector.runtime import codec_memory
from inspector.runtime.codec_memory import Arena, ArenaPool


@given(st.lists(st.binary(max_size=5000), max_size=60))
def test_arena__many_contents__all_stay_where_they_were_put(contents: list[bytes]) -> None:
    """Also when a later one needs a new block; addresses are aligned and never null."""
    arena = Arena()
    places = [(arena.put(content), content) for content in contents]
    for address, content in places:
        assert address
        assert address % 8 == 0
        assert ctypes.string_at(address, len(content)) == content


def test_arena__a_content_larger_than_any_block__gets_a_block_of_its_own() -> None:
    """Ten megabytes at once."""
    content = b"x" * 10_000_000
    arena = Arena()
    first = arena.put(b"before")
    assert ctypes.string_at(arena.put(content), len(content)) == content
    assert ctypes.string_at(first, 6) == b"before"


def test_arena__reset__keeps_the_largest_block_alone() -> None:
    """The next call of the same size needs no new one."""
    arena = Arena()
    for _ in range(100):
        arena.put(b"x" * 5000)
    arena.reset()
    kept = arena.total_bytes
    arena.put(b"x" * (kept // 2))
    assert arena.total_bytes == kept


class TestPool:
    def test_an_arena_is_used_again(self) -> None:
        """After it was given back."""
        pool = ArenaPool()
        arena = pool.acquire()
        assert pool.acquire() is not arena
        pool.release(arena)
        assert pool.acquire() is arena

    def test_a_huge_arena_is_not_kept(self) -> None:
        """One huge event does not hold its memory for ever."""
        pool = ArenaPool()
        arena = pool.acquire()
        arena.put(b"x" * (codec_memory._KEPT_BYTES + 1))
        pool.release(arena)
        assert pool.acquire() is not arena

    def test_no_two_threads_get_the_same_arena(self) -> None:
        """Each acquires and gives back many times."""
        pool = ArenaPool()
        in_use: set[int] = set()
        clashes: list[int] = []

        def work() -> None:
            for _ in range(2000):
                arena = pool.acquire()
                if id(arena) in in_use:
                    clashes.append(id(arena))
                in_use.add(id(arena))
                in_use.discard(id(arena))
                pool.release(arena)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert clashes == []
