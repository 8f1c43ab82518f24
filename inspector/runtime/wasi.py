"""The WASI side of a hook: environment, folders, captured output.

Lives here: `WasiSettings` and `StdioCapture`. Not here: the pipes that output comes through
(stdio_pipe), which folders a grant opens (the dispatcher), wasi:http (http gate). Only
runtime imports it.

A hook has no arguments, an empty stdin, no sockets and no name look-up.

Where there are no named pipes (Windows), output comes through wasmtime's callbacks. Their
stream takes 8,192 bytes at a time instead of 65,536: a guest that writes more in one go, and
does not look at what was taken, loses the rest there and not in the runtime.
"""

import errno
import os
from collections.abc import Callable
from typing import Any

import msgspec
from wasmtime import WasiConfig

from inspector.manifest.rust_format import io_error
from inspector.runtime import capi, stdio_pipe

KEPT_BYTES = 1024 * 1024
"""Bytes of each stream that are kept of one call; the rest is counted."""


class WasiSettings(msgspec.Struct, frozen=True):
    """What a hook sees of the host.

    Attributes:
        env: Variables in the order in which the guest sees them.
        preopens: Absolute host folder and the name that the guest sees, in order.
        inherit_network: Whether sockets and name look-up are open.

    Source: spec/imports.md 7, spec/manifest.md 4.6.
    """

    env: tuple[tuple[str, str], ...] = ()
    preopens: tuple[tuple[str, str], ...] = ()
    inherit_network: bool = False


class WasiError(Exception):
    """A WASI setting that cannot be had; the text is the runtime's own where it has one."""


class Captured(msgspec.Struct, frozen=True):
    """Output of one call.

    Attributes:
        stdout: As text; bytes that are no UTF-8 are shown as U+FFFD.
        stderr: The same.
        cut_bytes: Bytes of both streams that were not kept.
    """

    stdout: str = ""
    stderr: str = ""
    cut_bytes: int = 0


class _Stream:
    """Collects the bytes of one stream of one call."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._cut = 0

    def write(self, chunk: bytes) -> None:
        room = KEPT_BYTES - len(self._kept)
        self._kept += chunk[:room]
        self._cut += max(0, len(chunk) - room)

    def take(self) -> tuple[str, int]:
        """Text and cut bytes since the last time."""
        kept, cut = bytes(self._kept), self._cut
        self._kept, self._cut = bytearray(), 0
        if cut:
            # The limit may have cut a character in two; half a one is no text.
            whole = _whole_characters(kept)
            cut += len(kept) - len(whole)
            kept = whole
        return kept.decode("utf-8", "replace"), cut


def _whole_characters(content: bytes) -> bytes:
    """Leave out the beginning of a character at the end."""
    for length in range(1, min(4, len(content)) + 1):
        lead = content[-length]
        if lead & 0xC0 == 0x80:
            continue
        wanted = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        return content if wanted <= length else content[:-length]
    return content


class StdioCapture:
    """What one store's guest writes to stdout and stderr, call by call."""

    def __init__(self) -> None:
        self._streams = {"stdout": _Stream(), "stderr": _Stream()}
        self._pipes: stdio_pipe.StdioPipes | None = None

    def take(self) -> Captured:
        """The output since the last time, and begin anew; not while the guest runs."""
        if self._pipes is not None:
            self._pipes.drain()
        stdout, cut_stdout = self._streams["stdout"].take()
        stderr, cut_stderr = self._streams["stderr"].take()
        return Captured(stdout, stderr, cut_stdout + cut_stderr)

    def connect(self, config: WasiConfig) -> None:
        """Send both streams of a configuration here.

        Raises:
            WasiError: when there can be no more open files, or no folder for the pipes.
        """
        if not stdio_pipe.AVAILABLE:
            for name, stream in self._streams.items():
                number = _WRITERS.add(stream.write)
                capi.set_output(config, name, _write, _drop_writer, number)
            return
        writers = {name: stream.write for name, stream in self._streams.items()}
        try:
            self._pipes = stdio_pipe.connect(config, writers)
        except OSError as error:
            text = f"failed to initialize WASI for stdout and stderr: {io_error(error)}"
            if error.errno in (errno.EMFILE, errno.ENFILE):
                text += "; close other sessions, or allow more open files (ulimit -n)"
            raise WasiError(text) from error

    def close(self) -> None:
        """Take no more output; for a store whose guest does not run any more."""
        if self._pipes is not None:
            self._pipes.close()


def wasi_config(settings: WasiSettings, capture: StdioCapture) -> WasiConfig:
    """Make the configuration of a store.

    Args:
        settings: What the hook sees.
        capture: Where its output goes.

    Returns:
        A configuration for `Store.set_wasi`, which consumes it.

    Raises:
        WasiError: when a folder cannot be opened, a variable holds a NUL, or there can be
            no more open files.
    """
    config = WasiConfig()
    _set_env(config, settings.env)
    capture.connect(config)
    if settings.inherit_network:
        capi.inherit_network(config)
    for host_path, guest_name in settings.preopens:
        _preopen(config, host_path, guest_name)
    return config


def _set_env(config: WasiConfig, env: tuple[tuple[str, str], ...]) -> None:
    for name, value in env:
        if "\0" in name or "\0" in value:
            raise WasiError(f"the environment variable {name!r} holds a NUL character")
        if not name or "=" in name:
            raise WasiError(f"{name!r} is no name of an environment variable")
    if env:
        config.env = env


def _preopen(config: WasiConfig, host_path: str, guest_name: str) -> None:
    cause = _open_failure(host_path)
    if cause is None and not capi.preopen(config, host_path, guest_name):
        cause = "the folder cannot be opened"
    if cause is not None:
        raise WasiError(f"failed to initialize WASI for {host_path}: {cause}")


def _open_failure(path: str) -> str | None:
    """Why a folder cannot be opened, in the words of the runtime; the C side gives none."""
    try:
        with os.scandir(path):
            return None
    except OSError as error:
        return io_error(error)


_WRITERS: capi.Registry[Callable[[bytes], None]] = capi.Registry()


@capi.static(capi.OUTPUT_CALLBACK)
def _write(number: Any, address: Any, size: int) -> int:
    # The C side aborts the process when more is reported than it gave.
    try:
        if size:
            _WRITERS.get(number)(capi.bytes_at(address, size))
    except BaseException:  # noqa: BLE001 -- nothing may be raised into the C side
        capi.log_unraisable("a hook's output")
    return size


_drop_writer = capi.finalizer(_WRITERS)
