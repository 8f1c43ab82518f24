"""The engine's two pipes as frames.

Lives here: reading requests from one file descriptor, writing replies and events to
another, from any thread. Not here: what they mean (engine). Only worker imports it.
"""

import os
import threading
from collections.abc import Iterator

from inspector.protocol.frame import FrameDecoder, encode
from inspector.protocol.message import Event, EventFrame, Reply, ReplyFrame, RequestFrame

_CHUNK_BYTES = 1 << 16


class FrameWriter:
    """Writes replies and events; events get their running number here."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._seq = 0
        self._broken = False

    @property
    def broken(self) -> bool:
        """Whether nobody reads any more."""
        return self._broken

    def event(self, event: Event) -> None:
        """Send an event."""
        with self._lock:
            self._seq += 1
            self._write(encode(EventFrame(self._seq, event)))

    def reply(self, request_id: int, reply: Reply) -> None:
        """Send the reply to a request."""
        with self._lock:
            self._write(encode(ReplyFrame(request_id, reply)))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view and not self._broken:
            try:
                view = view[os.write(self._descriptor, view) :]
            except OSError:
                self._broken = True


def read_requests(descriptor: int) -> Iterator[RequestFrame]:
    """Requests until the other side closes the pipe.

    Args:
        descriptor: A readable file descriptor.

    Yields:
        Each request, as soon as it is whole.

    Raises:
        FrameError: when the bytes are no frames.
    """
    decoder = FrameDecoder()
    while chunk := os.read(descriptor, _CHUNK_BYTES):
        for frame in decoder.feed(chunk):
            if isinstance(frame, RequestFrame):
                yield frame
