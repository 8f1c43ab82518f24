"""A finding about a capsule: severity, text, place, what to do.

Lives here: the value alone. Not here: who finds what (the modules beside, capsule,
worker). Rooms above may import it.
"""

import enum

import msgspec


class Severity(enum.StrEnum):
    """How bad a finding is: `error` means that the runtime would refuse the launch."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Diagnostic(msgspec.Struct, frozen=True):
    """One finding.

    Attributes:
        severity: See Severity.
        code: The runtime's code (`E-CAP-001`) where it has one, else a word of ours.
        message: One line; the runtime's own text to the letter where it has one.
        hint: What to do, in our words, or "".
        file: Path of the file it is about, or None.
        line: 1-based line, or None.
        column: 1-based column, or None.
        hook: Name of the hook it is about, or None.
        stops_launch: Whether this is what the runtime would stop at first.
    """

    severity: Severity
    code: str
    message: str
    hint: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    hook: str | None = None
    stops_launch: bool = False
