"""Plain values read from a text, with the places where they stood.

Lives here: `Source`, what its readers gather, and the bounds of a file. Not here: JSON
(json_source), YAML (scenario_source). Only these and workbench.scenario import it.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from inspector.contract.value import Path
from inspector.errors import ErrorKind, InspectorError

MAX_BYTES = 16 * 1024 * 1024
"""A longer file is refused."""

MAX_DEPTH = 64
"""Lists and mappings nest at most so deep."""

MAX_NODES = 1_000_000
"""Values in one file at most; what an alias stands for counts each time."""

MAX_DIGITS = 400
"""A longer number is refused: no type of any contract holds it."""

SURROGATE = re.compile("[\ud800-\udfff]")


class Place(msgspec.Struct, frozen=True):
    """Where something stands; both from 1."""

    line: int
    column: int


class Source(msgspec.Struct, frozen=True):
    """The content of a file with the places of its parts.

    Attributes:
        file: Its path as given, for messages.
        data: Dicts with text keys, lists, text, numbers, true, false, None.
        places: Path of a part to the place of its key, or of itself in a list.
        texts: Path of a number, true or false to the text it was written as.
    """

    file: str
    data: Any
    places: dict[Path, Place]
    texts: dict[Path, str]

    def place(self, path: Path) -> Place:
        """The place of a part, or of the nearest part around it."""
        for length in range(len(path), -1, -1):
            if (found := self.places.get(path[:length])) is not None:
                return found
        return Place(1, 1)

    def error(self, path: Path, message: str, hint: str = "") -> InspectorError:
        """An error about a part, to be raised by the caller."""
        place = self.place(path)
        return unreadable(self.file, place, message, hint)


def unreadable(file: str, place: Place | None, message: str, hint: str = "") -> InspectorError:
    """An error about a place in a file; None stands for the whole of it."""
    return InspectorError(
        ErrorKind.UNREADABLE_SCENARIO,
        message,
        hint=hint,
        file=file,
        line=place.line if place else None,
        column=place.column if place else None,
    )


class Collector:
    """What a reader gathers, and the bounds it keeps.

    Attributes:
        text: What is read.
        file: Its name for messages.
        places: As in Source.
        texts: As in Source.
        nodes: Values counted so far.
    """

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.places: dict[Path, Place] = {}
        self.texts: dict[Path, str] = {}
        self.nodes = 0

    def count(self, nodes: int, place: Place) -> None:
        """Count values.

        Raises:
            InspectorError: when the file holds too many.
        """
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            raise self.error(place, f"the file holds more than {MAX_NODES:,} values.")

    def check_depth(self, depth: int, place: Place) -> None:
        """Refuse a value that lies too deep."""
        if depth > MAX_DEPTH:
            raise self.error(place, f"lists and mappings nest deeper than {MAX_DEPTH} levels.")

    def check_new_key(self, seen: Mapping[str, Any], key: str, path: Path, place: Place) -> None:
        """Refuse a key that the mapping at `path` has already."""
        if key in seen:
            first = self.places[(*path, key)]
            message = f"the key {key!r} is here twice, first in line {first.line}."
            raise self.error(place, message, "Keep one of them.")

    def check_text(self, text: str, place: Place) -> None:
        """Refuse text that no UTF-8 can carry."""
        if SURROGATE.search(text):
            message = "a text holds a lone surrogate, which no Unicode text can carry."
            raise self.error(place, message)

    def error(self, place: Place, message: str, hint: str = "") -> InspectorError:
        """An error about a place, to be raised by the caller."""
        return unreadable(self.file, place, message, hint)

    def source(self, data: Any) -> Source:
        """The finished source."""
        return Source(self.file, data, self.places, self.texts)
