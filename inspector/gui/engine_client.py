"""The engine process as the window has it: QProcess, frames, the ladder of a stop.

Lives here: `EngineClient`. Not here: what requests and events mean (workbench), the
client that blocks (workbench.client). Only gui.app imports it.

Every run is a QProcess of its own. A stop goes three steps: a message, half a second
later terminate, two seconds later kill; whichever step ends the process, the user gets a
sentence that says so.
"""

import itertools
import os
import sys
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Slot

from inspector import logs
from inspector.errors import with_hint
from inspector.gui.engine_port import Answer, EngineEnd, EnginePort
from inspector.protocol.frame import FrameDecoder, FrameError, encode
from inspector.protocol.message import (
    PROTOCOL_VERSION,
    Done,
    Event,
    EventFrame,
    Failed,
    Fire,
    Frame,
    Hello,
    Interrupt,
    OpenCapsule,
    ReplyFrame,
    Request,
    RequestFrame,
    Shutdown,
)
from inspector.workbench.client import engine_command, engine_environment

INTERRUPT_GRACE_MS = 500
"""Between the message and terminate (decision D7)."""

TERMINATE_GRACE_MS = 2_000
"""Between terminate and kill, and between asking an engine to end and terminate."""

CHUNK_BYTES = 128 * 1024
"""Read at a time: about five hundred frames, which take a few milliseconds."""

STDERR_TAIL_CHARACTERS = 4_000


class EngineClient(EnginePort):
    """Starts engine processes, one at a time, and talks frames with the current one."""

    def __init__(
        self,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Prepare a client; no process is started yet.

        Args:
            command: The engine's command line, or None for our own.
            environment: The process's environment, or None for our own.
            parent: The owner.
        """
        super().__init__(parent)
        self._command = list(command) if command is not None else engine_command()
        self._environment = dict(engine_environment() if environment is None else environment)
        self._process: QProcess | None = None
        self._decoder = FrameDecoder()
        self._ids = itertools.count(1)
        self._open: dict[int, Request] = {}
        self._last_seq = 0
        self._stderr = ""
        self._is_wanted_end = False
        self._trouble = ""
        self._rung = ""
        self._ladder = QTimer(self)
        self._ladder.setSingleShot(True)
        self._ladder.timeout.connect(self._climb)
        self._more = QTimer(self)
        self._more.setSingleShot(True)
        self._more.setInterval(0)
        self._more.timeout.connect(self._read_output)

    # -- life ------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        return self._process is not None

    @property
    def process_id(self) -> int:
        """The process id, 0 without a process."""
        return self._process.processId() if self._process is not None else 0

    def start(self) -> None:
        if self._process is not None:
            return
        self._decoder = FrameDecoder()
        self._ids = itertools.count(1)
        self._open = {}
        self._last_seq = 0
        self._stderr = ""
        self._is_wanted_end = False
        self._trouble = ""
        self._rung = ""
        process = QProcess(self)
        process.setProcessEnvironment(_environment(self._environment))
        if sys.platform != "win32":
            # A session of its own: Ctrl+C in a terminal reaches the window alone.
            process.setUnixProcessParameters(QProcess.UnixProcessFlag.CreateNewSession)
        process.readyReadStandardOutput.connect(self._read_output)
        process.readyReadStandardError.connect(self._read_stderr)
        process.errorOccurred.connect(self._on_error)
        process.finished.connect(self._on_finished)
        self._process = process
        process.start(self._command[0], self._command[1:])
        if self._process is not None:  # a start can fail at once
            self.send(Hello(PROTOCOL_VERSION))

    def send(self, request: Request) -> int:
        number = next(self._ids)
        try:
            data = encode(RequestFrame(number, request))
        except FrameError as error:
            self._open[number] = request
            QTimer.singleShot(0, self, _Refusal(self, number, str(error)).tell)
            return number
        self._open[number] = request
        if self._process is not None:
            # QProcess keeps what is written while the process is being started.
            self._process.write(data)
        return number

    def refuse(self, number: int, message: str) -> None:
        """Answer a request on this side of the pipe."""
        failed = Failed("bad-event", f"The event is too large for the engine: {message}.")
        self._answer(number, failed)

    def interrupt(self) -> None:
        if self._process is None or self._rung:
            return
        self.send(Interrupt())
        self._rung = "interrupt"
        self._ladder.start(INTERRUPT_GRACE_MS)

    def stop(self) -> None:
        if self._process is None:
            return
        self._is_wanted_end = True
        if self._is_busy():
            self.send(Interrupt())
        self.send(Shutdown())
        self._process.closeWriteChannel()
        self._rung = "shutdown"
        self._ladder.start(TERMINATE_GRACE_MS)

    def _is_busy(self) -> bool:
        return any(isinstance(request, Fire | OpenCapsule) for request in self._open.values())

    @Slot()
    def _climb(self) -> None:
        """The next step of a stop that has had no effect."""
        process = self._process
        if process is None:
            return
        if self._rung in ("interrupt", "shutdown"):
            self._rung = "terminate"
            process.terminate()
            self._ladder.start(TERMINATE_GRACE_MS)
        else:
            self._rung = "kill"
            process.kill()

    # -- what comes ------------------------------------------------------------------------

    @Slot()
    def _read_output(self) -> None:
        """Read a piece; what is left is read after other events had their turn."""
        process = self._process
        if process is None or self._trouble:
            return
        data = bytes(process.read(CHUNK_BYTES).data())
        try:
            frames = self._decoder.feed(data)
            self._take(frames)
        except FrameError as error:
            logs.GUI.error("the engine broke the protocol: %s", error)
            self._trouble = f"The engine broke the protocol ({error}) and was ended."
            process.kill()
        if self._process is process and process.bytesAvailable():
            self._more.start()

    def _take(self, frames: list[Frame]) -> None:
        """Tell events in runs, each run before the reply that follows it."""
        events: list[Event] = []
        for frame in frames:
            match frame:
                case EventFrame(seq=seq, body=body):
                    if seq != self._last_seq + 1:
                        raise FrameError(f"event {seq} followed event {self._last_seq}")
                    self._last_seq = seq
                    events.append(body)
                case ReplyFrame(id=number, body=body):
                    self._tell(events)
                    events = []
                    self._answer(number, body)
                case RequestFrame():
                    raise FrameError("it sent a request")
        self._tell(events)

    def _tell(self, events: list[Event]) -> None:
        if events:
            self._emit_events(tuple(events))

    def _answer(self, number: int, reply: Done | Failed) -> None:
        request = self._open.pop(number, None)
        if request is None:
            raise FrameError(f"it answered request {number}, which is not open")
        if self._rung == "interrupt" and not self._is_busy():
            self._rung = ""
            self._ladder.stop()
        if isinstance(request, Hello) and isinstance(reply, Failed):
            self._trouble = with_hint(reply.message, reply.hint)
            if self._process is not None:
                self._process.kill()
            return
        self._emit_answer(Answer(number, request, reply))

    @Slot()
    def _read_stderr(self) -> None:
        if self._process is not None:
            text = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
            self._stderr = (self._stderr + text)[-STDERR_TAIL_CHARACTERS:]
            logs.GUI.info("engine: %s", text.rstrip())

    # -- the end ---------------------------------------------------------------------------

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        process = self._process
        if error is QProcess.ProcessError.FailedToStart and process is not None:
            reason = process.errorString()
            self._let_go(EngineEnd(False, f"The engine could not be started: {reason}."))

    @Slot(int, QProcess.ExitStatus)
    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        while self._process is not None and self._process.bytesAvailable() and not self._trouble:
            self._read_output()
        self._read_stderr()
        crashed = status is QProcess.ExitStatus.CrashExit
        sentence = self._trouble or end_sentence(
            self._rung, code, crashed=crashed, wanted=self._is_wanted_end
        )
        self._let_go(EngineEnd(self._is_wanted_end, sentence, self._stderr.strip()))

    def _let_go(self, end: EngineEnd) -> None:
        process, self._process = self._process, None
        self._ladder.stop()
        self._more.stop()
        self._open.clear()
        if process is not None:
            # Never deleted inside its own signal.
            process.readyReadStandardOutput.disconnect(self._read_output)
            process.readyReadStandardError.disconnect(self._read_stderr)
            process.errorOccurred.disconnect(self._on_error)
            process.finished.disconnect(self._on_finished)
            process.deleteLater()
        self._emit_ended(end)


class _Refusal(QObject):
    """Answers a request that could not be encoded, once the sender has its number."""

    def __init__(self, client: EngineClient, number: int, message: str) -> None:
        super().__init__(client)
        self._client = client
        self._number = number
        self._message = message

    @Slot()
    def tell(self) -> None:
        """Answer it."""
        self._client.refuse(self._number, self._message)
        self.deleteLater()


def end_sentence(rung: str, code: int, *, crashed: bool, wanted: bool) -> str:
    """How an engine ended, in one sentence.

    Args:
        rung: The last step of a stop: "", `interrupt`, `shutdown`, `terminate`, `kill`.
        code: Exit code, or the signal's number after a crash.
        crashed: Whether it ended by a signal.
        wanted: Whether the window had asked it to end.
    """
    if wanted:
        by_force = rung in ("terminate", "kill")
        return (
            "The engine did not end by itself and was killed."
            if by_force
            else ("The engine has ended.")
        )
    match rung:
        case "terminate":
            return "The call did not stop within 0.5 s, so the engine was ended."
        case "kill":
            return "The engine did not stop, also not when told to end, so it was killed."
    if crashed:
        return f"The engine was killed from outside or crashed (signal {code})."
    return f"The engine ended by itself (exit code {code})."


def _environment(values: Mapping[str, str]) -> QProcessEnvironment:
    """Ours with some changes; Qt keeps values that are no text, which Python cannot hand over."""
    environment = QProcessEnvironment.systemEnvironment()
    for name, value in values.items():
        if os.environ.get(name) != value:
            environment.insert(name, value)
    return environment
