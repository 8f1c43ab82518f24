"""Frames as bytes: u32 little-endian length, then JSON.

Lives here: encoding, and a decoder that eats chunks of any size. Not here: reading and
writing them (worker, workbench.client, gui.engine_client). Rooms above may import it.
"""

import struct

import msgspec

from inspector.protocol.message import EventFrame, Frame

MAX_FRAME_BYTES = 256 * 1024 * 1024
"""A longer frame is refused: the largest payload of 10 MB grows to about 60 MB of JSON."""

_LENGTH = struct.Struct("<I")
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Frame)
_EVENT_DECODER = msgspec.json.Decoder(EventFrame)


class FrameError(ValueError):
    """Bytes that are no frame; the connection cannot go on."""


def encode(frame: Frame) -> bytes:
    """The bytes of one frame.

    Raises:
        FrameError: when the JSON is longer than MAX_FRAME_BYTES.
    """
    body = _ENCODER.encode(frame)
    if len(body) > MAX_FRAME_BYTES:
        raise FrameError(f"a frame of {len(body)} bytes exceeds the limit of {MAX_FRAME_BYTES}")
    return _LENGTH.pack(len(body)) + body


def encode_line(frame: EventFrame) -> bytes:
    """One line of a recording: the event frame as JSON with a newline."""
    return _ENCODER.encode(frame) + b"\n"


def decode_line(line: bytes) -> EventFrame:
    """The event frame of one line of a recording.

    Raises:
        FrameError: when it is none.
    """
    try:
        return _EVENT_DECODER.decode(line)
    except msgspec.MsgspecError as error:
        raise FrameError(f"not an event frame: {error}") from error


class FrameDecoder:
    """Collects chunks and gives back whole frames, in order."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def pending_bytes(self) -> int:
        """Bytes of an unfinished frame."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> list[Frame]:
        """Add a chunk.

        Args:
            chunk: Any number of bytes, also none.

        Returns:
            The frames that are whole now.

        Raises:
            FrameError: when the bytes are no frame.
        """
        self._buffer += chunk
        frames: list[Frame] = []
        start = 0
        while len(self._buffer) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer, start)
            if length > MAX_FRAME_BYTES:
                raise FrameError(f"a frame of {length} bytes exceeds {MAX_FRAME_BYTES}")
            end = start + _LENGTH.size + length
            if end > len(self._buffer):
                break
            frames.append(self._decode(bytes(self._buffer[start + _LENGTH.size : end])))
            start = end
        del self._buffer[:start]
        return frames

    @staticmethod
    def _decode(body: bytes) -> Frame:
        try:
            return _DECODER.decode(body)
        except msgspec.MsgspecError as error:
            raise FrameError(f"not a frame: {error}") from error
