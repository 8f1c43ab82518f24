"""A blocking client of an engine process, for the command line and the tests.

Lives here: starting the process, one request after the other, interrupting, the end.
Not here: the window's client, which never blocks (gui.engine_client), what requests
mean (worker). Command line, window and tests import it.
"""

import contextlib
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeVar

from inspector import logs
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.frame import FrameDecoder, FrameError, encode
from inspector.protocol.message import (
    PROTOCOL_VERSION,
    Done,
    EngineReady,
    EventFrame,
    Failed,
    Frame,
    Hello,
    Interrupt,
    ReplyFrame,
    Request,
    RequestFrame,
    Shutdown,
)
from inspector.workbench.record_file import RecordFile

T = TypeVar("T")

INTERRUPT_GRACE_S = 0.5
"""Time between an interrupt and the end of an engine that goes on (decision D7)."""

END_GRACE_S = 2.0
"""Time between asking an engine to end, terminating it and killing it."""

STDERR_TAIL_CHARACTERS = 2_000
_POLL_S = 0.1
_CHUNK_BYTES = 1 << 16


def engine_command() -> list[str]:
    """The command of an engine process, from a source tree, a wheel or a frozen bundle."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--engine"]
    return [sys.executable, "-m", "inspector", "--engine"]


def engine_environment() -> dict[str, str]:
    """The environment of an engine process.

    Returns:
        Ours, made so that `-m inspector` finds this very package and no folder of that
        name in the current directory.
    """
    environment = dict(os.environ)
    if getattr(sys, "frozen", False):
        return environment
    environment["PYTHONSAFEPATH"] = "1"
    package_parent = str(Path(__file__).resolve().parents[2])
    if Path(package_parent).name not in ("site-packages", "dist-packages"):
        inherited = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package_parent, inherited)))
    return environment


class _Ended:
    """Stands in the queue of frames for the end of the engine's output."""

    def __init__(self, trouble: str = "") -> None:
        self.trouble = trouble


class EngineClient:
    """An engine process and a conversation with it; use it as a context manager.

    Attributes:
        ready: What the engine said of itself, once `start` is back.
    """

    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        on_event: Callable[[EventFrame], None] | None = None,
        record: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare a client; `start`, or entering the context, starts the process.

        Args:
            command: The engine's command line, or None for our own.
            on_event: Told of each event, on the thread that called `request`.
            record: Path of a file that gets every event, or None.
            environment: The process's environment, or None for our own.
        """
        self._command = list(command) if command is not None else engine_command()
        self._environment = engine_environment() if environment is None else environment
        self._on_event = on_event
        self._record_path = record
        self._record: RecordFile | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []
        # SimpleQueue.put may be called from a signal handler at any point.
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._incoming: queue.SimpleQueue[Frame | _Ended] = queue.SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=STDERR_TAIL_CHARACTERS)
        self._ids = itertools.count(1)
        self._last_seq = 0
        self._busy = ""
        self._is_answered = True
        self._interrupted_at: float | None = None
        self._ended: _Ended | None = None
        self.ready: EngineReady | None = None

    def __enter__(self) -> "EngineClient":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- life -----------------------------------------------------------------------

    def start(self) -> None:
        """Start the process and greet it.

        Raises:
            InspectorError: ENGINE_LOST when it does not start or does not answer,
                PROTOCOL when it speaks another version, NOT_WRITABLE for the recording.
        """
        if self._record_path is not None:
            self._record = RecordFile(self._record_path)
        try:
            self._process = self._spawn()
            self.request(Hello(PROTOCOL_VERSION))
        except BaseException:
            self.close()
            raise

    def _spawn(self) -> subprocess.Popen[bytes]:
        # A process group of its own: Ctrl+C reaches us alone, and we ask it to stop.
        options: dict[str, Any] = {"process_group": 0}
        if sys.platform == "win32":
            options = {
                "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
            }
        try:
            process = subprocess.Popen(  # noqa: S603 - our own program
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(self._environment),
                bufsize=0,
                **options,
            )
        except (OSError, ValueError) as error:
            message = f"the engine process cannot be started: {error}."
            raise InspectorError(ErrorKind.ENGINE_LOST, message) from error
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for target, pipe in (
            (self._write_frames, process.stdin),
            (self._read_frames, process.stdout),
            (self._read_stderr, process.stderr),
        ):
            thread = threading.Thread(target=target, args=(pipe,), daemon=True)
            thread.start()
            self._threads.append(thread)
        return process

    def close(self) -> None:
        """End the process: ask, after 2 s terminate, after 2 s more kill. Never raises."""
        process, self._process = self._process, None
        if process is not None:
            if not self._is_answered:
                self._send(Interrupt())
            self._send(Shutdown())
            self._outgoing.put(None)
            self._wait_for_end(process)
        for thread in self._threads:
            thread.join(END_GRACE_S)
        for pipe in (process.stdin, process.stdout, process.stderr) if process else ():
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._threads.clear()
        if self._record is not None:
            self._record.close()

    @staticmethod
    def _wait_for_end(process: subprocess.Popen[bytes]) -> None:
        for end in (None, process.terminate, process.kill):
            if end is not None:
                end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_GRACE_S)
                return

    # -- requests -------------------------------------------------------------------

    def request(self, body: Request) -> list[EventFrame]:
        """Send a request and wait for its reply; from one thread at a time.

        Args:
            body: Any request.

        Returns:
            The events that came before the reply, in order.

        Raises:
            InspectorError: what the engine replied when it failed; ENGINE_LOST when the
                process ended; INTERRUPTED when it had to be ended because `interrupt`
                did not stop it; NOT_WRITABLE when the recording cannot be written.
        """
        self._busy = str(body.__struct_config__.tag)
        try:
            number = self._send(body)
            self._is_answered = False
            return self._wait_for_reply(number)
        finally:
            self._busy = ""
            self._interrupted_at = None
            if self._record is not None:
                self._record.flush()

    def interrupt(self) -> None:
        """Stop the running call; safe in a signal handler and on any thread.

        When the engine has not answered half a second later it is terminated, 2 s later
        killed.
        """
        self._send(Interrupt())
        if self._busy and self._interrupted_at is None:
            self._interrupted_at = time.monotonic()

    def _send(self, body: Request) -> int:
        number = next(self._ids)
        try:
            self._outgoing.put(encode(RequestFrame(number, body)))
        except FrameError as error:
            message = f"the request is too large for the engine: {error}."
            raise InspectorError(ErrorKind.BAD_EVENT, message) from error
        return number

    def _wait_for_reply(self, number: int) -> list[EventFrame]:
        events: list[EventFrame] = []
        while True:
            frame = self._next_frame()
            if isinstance(frame, EventFrame):
                events.append(frame)
                self._take_event(frame)
            elif isinstance(frame, ReplyFrame) and frame.id == number:
                self._is_answered = True
                match frame.body:
                    case Done():
                        return events
                    case Failed():
                        raise frame.body.as_error()
            elif not isinstance(frame, ReplyFrame):
                raise self._broken("it sent a request")

    def _next_frame(self) -> Frame:
        while self._ended is None:
            with contextlib.suppress(queue.Empty):
                # A wait without end could not be interrupted on every platform.
                frame = self._incoming.get(timeout=_POLL_S)
                if not isinstance(frame, _Ended):
                    return frame
                self._ended = frame
            self._press_interrupt()
        raise self._lost()

    def _press_interrupt(self) -> None:
        """Terminate, later kill, an engine that an interrupt did not stop."""
        if self._interrupted_at is None or self._process is None:
            return
        waited_s = time.monotonic() - self._interrupted_at
        if waited_s >= INTERRUPT_GRACE_S + END_GRACE_S:
            self._process.kill()
        elif waited_s >= INTERRUPT_GRACE_S:
            self._process.terminate()

    def _take_event(self, frame: EventFrame) -> None:
        if frame.seq != self._last_seq + 1:
            raise self._broken(f"event {frame.seq} followed event {self._last_seq}")
        self._last_seq = frame.seq
        if isinstance(frame.body, EngineReady):
            self.ready = frame.body
        if self._record is not None:
            self._record.write(frame)
        if self._on_event is not None:
            self._on_event(frame)

    # -- trouble ----------------------------------------------------------------------

    def _broken(self, what: str) -> InspectorError:
        message = f"the engine broke the protocol: {what}."
        hint = "Front and engine must come from one installation."
        return InspectorError(ErrorKind.PROTOCOL, message, hint=hint)

    def _lost(self) -> InspectorError:
        assert self._ended is not None
        if self._ended.trouble:
            return self._broken(self._ended.trouble)
        if self._interrupted_at is not None:
            message = "interrupted; the engine did not stop by itself and was ended."
            return InspectorError(ErrorKind.INTERRUPTED, message)
        during = f" during the request '{self._busy}'" if self._busy else ""
        message = f"the engine process {self._end_word()}{during}"
        tail = self._stderr_tail()
        message += f"; its last output was: {tail}" if tail else " without a word."
        return InspectorError(ErrorKind.ENGINE_LOST, message)

    def _end_word(self) -> str:
        if self._process is None:
            return "is not running"
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_GRACE_S)
        code = self._process.returncode
        if code is None:
            return "closed its output"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-code).name}"
            return f"was ended by signal {-code}"
        return f"ended with exit code {code}" if code < 256 else f"ended with code {code:#010x}"

    def _stderr_tail(self) -> str:
        for thread in self._threads:
            thread.join(_POLL_S)
        return "".join(self._stderr).strip()

    # -- threads of the pipes -----------------------------------------------------------

    def _write_frames(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            while (data := self._outgoing.get()) is not None:
                view = memoryview(data)
                while view:
                    view = view[pipe.write(view) :]

    def _read_frames(self, pipe: IO[bytes]) -> None:
        decoder = FrameDecoder()
        ended = _Ended()
        try:
            while chunk := pipe.read(_CHUNK_BYTES):
                for frame in decoder.feed(chunk):
                    self._incoming.put(frame)
        except FrameError as error:
            ended = _Ended(str(error))
        except (OSError, ValueError) as error:
            logs.WORKBENCH.debug("the engine's output cannot be read: %s", error)
        self._incoming.put(ended)

    def _read_stderr(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := pipe.read(_CHUNK_BYTES):
                text = chunk.decode("utf-8", "replace")
                self._stderr.extend(text)
                logs.WORKBENCH.info("engine: %s", text.rstrip())


def last_event(frames: Sequence[EventFrame], kind: type[T]) -> T:
    """The last event of a kind.

    Args:
        frames: What `request` gave back.
        kind: A class of events.

    Raises:
        InspectorError: PROTOCOL when there is none.
    """
    for frame in reversed(frames):
        if isinstance(frame.body, kind):
            return frame.body
    message = f"the engine sent no {kind.__name__}."
    raise InspectorError(ErrorKind.PROTOCOL, message)
