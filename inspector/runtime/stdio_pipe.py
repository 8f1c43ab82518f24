"""The pipes through which the output of a guest comes: one per stream and store.

Lives here: `connect`, `StdioPipes` and the one thread that empties them while calls run.
Not here: what is kept of the bytes (wasi). Only wasi imports it.

A runtime lets a guest write to its own stdout, which takes 65,536 bytes at a time. Of the
streams that wasmtime's C API offers, a file takes as many; a callback takes 8,192, and a
guest that writes without a loop loses the rest. So the file is a named pipe. It has no name
any more once wasmtime has opened it, and both ends are closed in processes that are started.

A guest's write returns when the pipe has all bytes. So after a call everything that the
guest wrote is in the pipe or was read already, and `StdioPipes.drain` has it all.
"""

import contextlib
import errno
import os
import select
import selectors
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from wasmtime import WasiConfig

from inspector.runtime import capi

AVAILABLE = hasattr(os, "mkfifo")
"""Whether the system has named pipes; Windows has none."""

FREE_DESCRIPTORS = 16
"""Open files that must still be possible when a store is made: four for its pipes, the rest
because wasmtime aborts the process when it cannot open three for its own I/O later on."""

_CHUNK_BYTES = 65536

Writers = Mapping[str, Callable[[bytes], None]]
"""What takes the bytes of `stdout` and of `stderr`; no two threads call it at once."""


class StdioPipes:
    """The read ends of one store."""

    def __init__(self) -> None:
        """Only `connect` makes them."""
        self._lock = threading.Lock()
        self._writers: dict[int, Callable[[bytes], None]] = {}
        self._poll = select.poll()

    def drain(self) -> None:
        """Hand on all that is left; for the thread that called the guest, after the call."""
        ready = self._poll.poll(0)
        # Also with nothing ready: the thread may hold the lock and bytes that it has read.
        with self._lock:
            for descriptor, _ in ready:
                while self._read(descriptor):
                    pass

    def close(self) -> None:
        """Close the read ends; what is left in them is lost. Any thread may ask."""
        with self._lock:
            for descriptor in tuple(self._writers):
                self._end(descriptor)

    def read_once(self, descriptor: int) -> None:
        """Empty one pipe a little, for the thread: whatever happens, the guest may go on."""
        try:
            with self._lock:
                self._read(descriptor)
        except BaseException:  # noqa: BLE001 -- the thread serves every other hook
            capi.log_unraisable("a hook's output")

    def _open(self, config: WasiConfig, path: Path, stream: str, write: Callable[..., None]) -> int:
        """Make a named pipe and open both ends, the reading one first: no open waits."""
        os.mkfifo(path, 0o600)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            self._writers[descriptor] = write
            self._poll.register(descriptor, select.POLLIN)
            if not capi.set_output_file(config, stream, os.fspath(path)):
                # The C side does not say why; the same attempt does.
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                raise OSError(f"{os.fspath(path)!a} cannot be opened")
        finally:
            path.unlink()
        return descriptor

    def _read(self, descriptor: int) -> bool:
        """Hand on one chunk; whether there may be more. The lock is held."""
        write = self._writers.get(descriptor)
        if write is None:
            return False
        try:
            chunk = os.read(descriptor, _CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            self._end(descriptor)
            raise
        if chunk:
            write(chunk)
        else:
            # The store is gone, without a `close` of ours.
            self._end(descriptor)
        return bool(chunk)

    def _end(self, descriptor: int) -> None:
        del self._writers[descriptor]
        _DRAINER.remove(descriptor)
        os.close(descriptor)


def connect(config: WasiConfig, writers: Writers) -> StdioPipes:
    """Send stdout and stderr of a configuration into pipes of their own.

    Args:
        config: Of a store to be.
        writers: By the name of the stream.

    Returns:
        The read ends. They are closed by `close`, or by themselves after the store.

    Raises:
        OSError: when there can be no more files or threads, or no folder for the pipes.
    """
    _check_free_descriptors()
    pipes = StdioPipes()
    try:
        folder = _make_folder()
        try:
            opened = [
                pipes._open(config, folder / stream, stream, write)
                for stream, write in writers.items()
            ]
        finally:
            folder.rmdir()
        for descriptor in opened:
            _DRAINER.add(descriptor, pipes)
    except BaseException:
        pipes.close()
        raise
    return pipes


def _make_folder() -> Path:
    """A fresh folder of the user's own, in memory where the system has a place for pipes."""
    prefix = "capsule-inspector-"
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        with contextlib.suppress(OSError):
            return Path(tempfile.mkdtemp(prefix=prefix, dir=runtime))
    return Path(tempfile.mkdtemp(prefix=prefix))


def _check_free_descriptors() -> None:
    """OSError when there are not enough; better here than in the middle of things."""
    while True:
        try:
            _hold_descriptors()
        except OSError as error:
            if error.errno != errno.EMFILE or not _raise_limit():
                raise
        else:
            return


def _hold_descriptors() -> None:
    """Take as many as must be free, and give them back."""
    held: list[int] = []
    try:
        held.append(os.open(os.devnull, os.O_RDONLY))
        held.extend(os.dup(held[0]) for _ in range(FREE_DESCRIPTORS - 1))
    finally:
        for descriptor in held:
            os.close(descriptor)


def _raise_limit() -> bool:
    """Double the process's own limit of open files, as far as the system lets it.

    A runtime needs no descriptors for the output of its hooks; a capsule of many hooks is
    not to fail here because of ours.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = soft * 2 if hard == resource.RLIM_INFINITY else min(soft * 2, hard)
    if wanted <= soft:
        return False
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        # macOS names no limit and has one all the same.
        return False
    return True


class _Drainer:
    """A daemon thread that sleeps until there is something in a pipe.

    It keeps the pipes alive, and with them the read ends: a store that is freed without a
    `close` closes its write end, and the thread then the read end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._selector: selectors.BaseSelector | None = None

    def __len__(self) -> int:
        with self._lock:
            return 0 if self._selector is None else len(self._selector.get_map())

    def add(self, descriptor: int, pipes: StdioPipes) -> None:
        """Read from a descriptor from now on."""
        with self._lock:
            # epoll and kqueue both see what is registered while they wait.
            selector = self._selector or self._start()
            selector.register(descriptor, selectors.EVENT_READ, pipes)

    def remove(self, descriptor: int) -> None:
        """Leave a descriptor alone; one that is unknown is no error."""
        with self._lock:
            if self._selector is not None and descriptor in self._selector.get_map():
                self._selector.unregister(descriptor)

    def _start(self) -> selectors.BaseSelector:
        selector = selectors.DefaultSelector()
        try:
            threading.Thread(target=_run, args=(selector,), name="stdio", daemon=True).start()
        except RuntimeError as error:
            selector.close()
            raise OSError(str(error)) from error
        self._selector = selector
        return selector


def _run(selector: selectors.BaseSelector) -> None:
    while True:
        _read_ready(selector)


def _read_ready(selector: selectors.BaseSelector) -> None:
    """Wait, then read each ready pipe once: a busy guest does not keep others waiting."""
    for key, _ in selector.select():
        key.data.read_once(key.fd)


_DRAINER = _Drainer()
