"""Errors that a user meets: one sentence, where, and what to do.

Lives here: the few exception classes that cross rooms. Not here: what the runtime
says about a hook (that is a value, see contract.record). Everyone may import it.
"""

import enum


class ErrorKind(enum.StrEnum):
    """The word in `error` of a JSON error object; each has one exit code."""

    USAGE = "usage"
    UNREADABLE_CAPSULE = "unreadable-capsule"
    UNREADABLE_SCENARIO = "unreadable-scenario"
    UNREADABLE_TRACE = "unreadable-trace"
    NOT_WRITABLE = "not-writable"
    BAD_EVENT = "bad-event"
    ENGINE_LOST = "engine-lost"
    PROTOCOL = "protocol"
    INTERRUPTED = "interrupted"
    INTERNAL = "internal"


EXIT_CODES = {
    ErrorKind.USAGE: 2,
    ErrorKind.UNREADABLE_CAPSULE: 3,
    ErrorKind.UNREADABLE_SCENARIO: 3,
    ErrorKind.UNREADABLE_TRACE: 3,
    ErrorKind.NOT_WRITABLE: 3,
    ErrorKind.BAD_EVENT: 2,
    ErrorKind.ENGINE_LOST: 4,
    ErrorKind.PROTOCOL: 4,
    ErrorKind.INTERRUPTED: 130,
    ErrorKind.INTERNAL: 4,
}
"""Exit code of the command line for each kind (docs/cli.md)."""


class InspectorError(Exception):
    """Something the user did or has that cannot be used, in one sentence.

    Attributes:
        kind: Which class of trouble; decides the exit code.
        message: One sentence that says what is wrong.
        hint: One sentence that says what to do, or "".
        file: The file it is about, or None.
        line: 1-based line in `file`, or None.
        column: 1-based column in `line`, or None.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        hint: str = "",
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.file = file
        self.line = line
        self.column = column

    @property
    def exit_code(self) -> int:
        """The exit code of the command line for this error."""
        return EXIT_CODES[self.kind]

    @property
    def place(self) -> str:
        """Where it is, as `FILE:LINE:COLUMN` as far as known, or ""."""
        parts = [str(part) for part in (self.file, self.line, self.column) if part is not None]
        return ":".join(parts)

    def sentence(self) -> str:
        """The whole message for a terminal or a notice: place, message, hint."""
        head = f"{self.place}: {self.message}" if self.place else self.message
        return with_hint(head, self.hint)


def with_hint(message: str, hint: str) -> str:
    """A message and what to do, as one text.

    Args:
        message: One sentence; the runtime's own texts have no stop at their end.
        hint: One sentence, or "".
    """
    if not hint:
        return message
    stop = "" if message.endswith((".", "!", "?")) else "."
    return f"{message}{stop} {hint}"
