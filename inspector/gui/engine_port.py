"""What the bridge asks of an engine process, without saying how.

Lives here: the signals and methods that gui.engine_client fills and that tests fill
with fakes. Not here: processes and frames (gui.engine_client), the state
(gui.workbench_bridge). Everything in gui above it may import it, views do not.
"""

import msgspec
from PySide6.QtCore import QObject, Signal

from inspector.protocol.message import Event, Reply, Request


class Answer(msgspec.Struct, frozen=True):
    """A reply with the request it belongs to."""

    id: int
    request: Request
    reply: Reply


class EngineEnd(msgspec.Struct, frozen=True):
    """How an engine process went.

    Attributes:
        wanted: Whether we had asked it to go.
        sentence: How it ended, for people.
        detail: The tail of its stderr.
    """

    wanted: bool
    sentence: str
    detail: str = ""


class EnginePort(QObject):
    """An engine that takes requests and tells events.

    Signals:
        events_arrived(tuple[Event, ...]): in order, before any later reply.
        answered(Answer): the one reply to a request.
        ended(EngineEnd): the process is gone; nothing else comes from it.
    """

    events_arrived = Signal(object)
    answered = Signal(object)
    ended = Signal(object)

    @property
    def is_running(self) -> bool:
        """Whether a process is there or being started."""
        raise NotImplementedError

    def start(self) -> None:
        """Start a fresh process; requests may be sent at once."""
        raise NotImplementedError

    def send(self, request: Request) -> int:
        """Send a request and give its id; the answer comes as a signal."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Stop the running call, and the process if it does not listen."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the process; `ended` follows."""
        raise NotImplementedError

    def _emit_events(self, events: tuple[Event, ...]) -> None:
        self.events_arrived.emit(events)

    def _emit_answer(self, answer: Answer) -> None:
        self.answered.emit(answer)

    def _emit_ended(self, end: EngineEnd) -> None:
        self.ended.emit(end)
