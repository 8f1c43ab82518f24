"""Variables of the launching process, with the .env file beside a manifest.

Lives here: reading both. Not here: what reaches a hook (runtime). Only inspector.capsule
and what stands for the launching process (runtime.host_state) import it.
"""

import os
import re
from pathlib import Path

from inspector.capsule import reading
from inspector.capsule.reading import ReadError

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*(.*?)\s*")
_QUOTES = ("'", '"')
FORMATION_VARIABLE = "MURMUR_FORMATION_ID"


class Environment:
    """Look-up of variables; the process wins over the file.

    Source: spec/artifact.md 4 (step 1).

    Attributes:
        problem: Why the .env file was not read, or None.
    """

    def __init__(self, project: Path | None) -> None:
        self.problem: ReadError | None = None
        self._file: dict[str, str] = {}
        path = project / ".env" if project is not None else None
        if path is not None and reading.kind_of(path) != "missing":
            try:
                self._file = parse(reading.read_text(path))
            except ReadError as error:
                self.problem = error

    def get(self, name: str) -> str | None:
        """A variable's text; None when it is not set or is no Unicode text."""
        value = os.environ.get(name, self._file.get(name))
        if value is None:
            return None
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return None
        return value


def parse(text: str) -> dict[str, str]:
    """The assignments of a .env file; the last one of a name counts.

    Args:
        text: `NAME=value` lines, `#` comments, values in quotes as they are.
    """
    found = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is not None:
            found[match.group(1)] = _value(match.group(2))
    return found


def _value(written: str) -> str:
    if len(written) >= 2 and written[0] in _QUOTES and written[-1] == written[0]:
        return written[1:-1]
    return written.split(" #", maxsplit=1)[0].rstrip()
