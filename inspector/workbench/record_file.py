"""Writes a recording: the events of an engine as lines.

Lives here: the file that `--record` names. Not here: opening one again (the window).
Rooms above may import it.

The first line is a header, each further line an event frame exactly as it came, so that
a recording goes through the same reducer as a live engine (decision D7).
"""

import contextlib
from pathlib import Path

import msgspec

from inspector import __version__
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.frame import encode_line
from inspector.protocol.message import EventFrame

FORMAT = 1


class RecordHeader(msgspec.Struct, frozen=True):
    """The first line of a recording.

    Attributes:
        recording: The format's number.
        program: Version of the program that wrote it.
    """

    recording: int = FORMAT
    program: str = __version__


class RecordFile:
    """A recording that is being written."""

    def __init__(self, path: str) -> None:
        """Make the file and write its header; a file that is there is replaced.

        Raises:
            InspectorError: NOT_WRITABLE.
        """
        self._path = path
        try:
            self._stream = Path(path).open("wb")  # noqa: SIM115 - close() ends it
            self._stream.write(msgspec.json.encode(RecordHeader()) + b"\n")
        except (OSError, ValueError) as error:
            raise self._not_writable(error) from error

    def write(self, frame: EventFrame) -> None:
        """Append an event.

        Raises:
            InspectorError: NOT_WRITABLE.
        """
        try:
            self._stream.write(encode_line(frame))
        except (OSError, ValueError) as error:
            raise self._not_writable(error) from error

    def flush(self) -> None:
        """Hand everything written to the system.

        Raises:
            InspectorError: NOT_WRITABLE.
        """
        try:
            self._stream.flush()
        except (OSError, ValueError) as error:
            raise self._not_writable(error) from error

    def close(self) -> None:
        """Close the file; what could not be written was told before."""
        with contextlib.suppress(OSError):
            self._stream.close()

    def _not_writable(self, error: Exception) -> InspectorError:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the recording cannot be written: {reason}."
        hint = "Name a file in a folder that you can write to."
        return InspectorError(ErrorKind.NOT_WRITABLE, message, hint=hint, file=self._path)
