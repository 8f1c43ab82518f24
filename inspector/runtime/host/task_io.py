"""murmur:task-io/read: the texts of the task in scope, in windows of UTF-8 bytes.

Lives here: `TaskIoState`, one per session, and what a hook's calls answer. Not here:
when a task begins and ends (dispatcher). Only runtime and worker import it.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from inspector.runtime.host.ledger import GrantKind, GrantLedger

NOT_GRANTED = "not-granted"
NO_TASK = "no-task"
NO_OUTPUT = "no-output"
OUT_OF_RANGE = "out-of-range"
"""Cases of `io-error`."""

ORIGINAL = "original"
AS_GIVEN = "as-given"
"""Cases of `task-input-form`."""

Answer = dict[str, Any]
"""A `result` in the spelling of contract.value."""


class _Task(msgspec.Struct, frozen=True):
    """One attempt; texts as UTF-8 because every offset counts bytes."""

    original: bytes
    as_given: bytes
    output: bytes | None = None


class TaskIoState:
    """The task in scope, shared by all granted hooks of a session; any thread may call it.

    Async hooks read what is in scope when their worker gets to the job, so reads and
    moves happen on different threads.

    Source: spec/imports.md 4.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._task: _Task | None = None

    # -- the runtime's side ---------------------------------------------------------

    def begin_attempt(self, original: str, as_given: str) -> None:
        """Open the scope for an attempt; the output of an earlier one is gone.

        Args:
            original: Text of the task's first attempt.
            as_given: Text of this attempt.
        """
        with self._lock:
            self._task = _Task(original.encode(), as_given.encode())

    def record_output(self, text: str) -> None:
        """Set the output of the attempt; without a task nothing happens."""
        with self._lock:
            if self._task is not None:
                self._task = msgspec.structs.replace(self._task, output=text.encode())

    def end_task(self) -> None:
        """Close the scope."""
        with self._lock:
            self._task = None

    # -- the guest's side -------------------------------------------------------------

    def input_len(self, form: str) -> Answer:
        """Length of the task's text in bytes, as `result<u64, io-error>`.

        Args:
            form: `as-given` or `original`.
        """
        return _length(self._input(form))

    def read_input(self, form: str, offset: int, max_bytes: int) -> Answer:
        """A window on the task's text, as `result<string, io-error>`.

        Args:
            form: `as-given` or `original`.
            offset: First byte.
            max_bytes: Upper bound of the window; it ends at a character all the same.
        """
        return _window(self._input(form), offset, max_bytes)

    def output_len(self) -> Answer:
        """Length of the output in bytes, as `result<u64, io-error>`."""
        return _length(self._output())

    def read_output(self, offset: int, max_bytes: int) -> Answer:
        """A window on the output, as `result<string, io-error>`; see `read_input`."""
        return _window(self._output(), offset, max_bytes)

    def _input(self, form: str) -> bytes | str:
        """The text, or the case of `io-error`."""
        with self._lock:
            task = self._task
        if task is None:
            return NO_TASK
        return task.original if form == ORIGINAL else task.as_given

    def _output(self) -> bytes | str:
        with self._lock:
            task = self._task
        if task is None:
            return NO_TASK
        return NO_OUTPUT if task.output is None else task.output


def _length(text: bytes | str) -> Answer:
    return {"err": text} if isinstance(text, str) else {"ok": len(text)}


def _window(text: bytes | str, offset: int, max_bytes: int) -> Answer:
    if isinstance(text, str):
        return {"err": text}
    if offset > len(text) or not _is_boundary(text, offset):
        return {"err": OUT_OF_RANGE}
    end = min(offset + max_bytes, len(text))
    while not _is_boundary(text, end):
        end -= 1
    return {"ok": text[offset:end].decode()}


def _is_boundary(text: bytes, offset: int) -> bool:
    """Whether a character starts, or the text ends, at an offset."""
    return offset == len(text) or text[offset] & 0xC0 != 0x80


def implementations(
    state: TaskIoState | None, ledger: GrantLedger
) -> Mapping[str, Callable[..., Answer]]:
    """The functions of `murmur:task-io/read` for one hook.

    Args:
        state: The session's state, or None for a hook without the grant, which gets
            `not-granted` whatever it asks.
        ledger: Of this hook.

    Returns:
        Function name to implementation, for host_function.define.
    """
    if state is None:
        return dict.fromkeys(
            ("input-len", "read-input", "output-len", "read-output"), _refusal(ledger)
        )
    return {
        "input-len": _counted(state.input_len, ledger),
        "read-input": _counted(state.read_input, ledger),
        "output-len": _counted(state.output_len, ledger),
        "read-output": _counted(state.read_output, ledger),
    }


def _refusal(ledger: GrantLedger) -> Callable[..., Answer]:
    def refuse(*_: Any) -> Answer:
        ledger.refused(GrantKind.TASK_IO)
        return {"err": NOT_GRANTED}

    return refuse


def _counted(function: Callable[..., Answer], ledger: GrantLedger) -> Callable[..., Answer]:
    def call(*arguments: Any) -> Answer:
        ledger.used(GrantKind.TASK_IO)
        return function(*arguments)

    return call
