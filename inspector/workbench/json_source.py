"""Reads JSON into plain values with places.

Lives here: a reader that knows where each value stood, which the standard library's
does not tell. Not here: deciding that a file is JSON (scenario_source). Only that
module imports it.
"""

import bisect
import json
import re
from typing import Any

from inspector.contract.value import Path
from inspector.workbench.source import MAX_DIGITS, Collector, Place, Source


class JsonReader(Collector):
    """Reads JSON; raises json.JSONDecodeError for what is none."""

    _SPACE = re.compile(r"[ \t\n\r]*")

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, file)
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._scalar = json.JSONDecoder(
            parse_int=self._integer, parse_constant=self._constant, object_pairs_hook=dict
        )

    def read(self) -> Source:
        """Read the whole text.

        Raises:
            json.JSONDecodeError: when it is not JSON.
            InspectorError: when a key is there twice or a bound is exceeded.
        """
        value, end = self._value((), self._skip(0), 0)
        end = self._skip(end)
        if end != len(self.text):
            raise json.JSONDecodeError("something follows the value", self.text, end)
        return self.source(value)

    def _integer(self, digits: str) -> int:
        return int(digits) if len(digits) <= MAX_DIGITS else 10**MAX_DIGITS

    def _constant(self, word: str) -> float:
        raise json.JSONDecodeError(f"{word} is not a JSON value", self.text, 0)

    def _skip(self, at: int) -> int:
        match = self._SPACE.match(self.text, at)
        return match.end() if match else at

    def _place(self, at: int) -> Place:
        line = bisect.bisect_right(self._starts, at)
        return Place(line, at - self._starts[line - 1] + 1)

    def _value(self, path: Path, at: int, depth: int) -> tuple[Any, int]:
        place = self._place(at)
        self.places.setdefault(path, place)
        self.count(1, place)
        self.check_depth(depth, place)
        opening = self.text[at : at + 1]
        if opening == "{":
            return self._object(path, at + 1, depth + 1)
        if opening == "[":
            return self._array(path, at + 1, depth + 1)
        value, end = self._scalar.raw_decode(self.text, at)
        if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
            raise self.error(place, f"a number has more than {MAX_DIGITS} digits.")
        if isinstance(value, str):
            self.check_text(value, place)
        elif value is not None:
            self.texts[path] = self.text[at:end]
        return value, end

    def _object(self, path: Path, at: int, depth: int) -> tuple[dict[str, Any], int]:
        entries: dict[str, Any] = {}
        at = self._skip(at)
        while self.text[at : at + 1] != "}":
            if entries:
                at = self._expect(",", at)
            if self.text[at : at + 1] != '"':
                raise json.JSONDecodeError("a key in double quotes is missing", self.text, at)
            key, end = self._scalar.raw_decode(self.text, at)
            place = self._place(at)
            self.check_text(key, place)
            self.check_new_key(entries, key, path, place)
            self.places[(*path, key)] = place
            at = self._expect(":", self._skip(end))
            entries[key], at = self._value((*path, key), at, depth)
            at = self._skip(at)
        return entries, at + 1

    def _array(self, path: Path, at: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        at = self._skip(at)
        while self.text[at : at + 1] != "]":
            if items:
                at = self._expect(",", at)
            item, at = self._value((*path, len(items)), at, depth)
            items.append(item)
            at = self._skip(at)
        return items, at + 1

    def _expect(self, mark: str, at: int) -> int:
        if self.text[at : at + 1] != mark:
            raise json.JSONDecodeError(f"a {mark!r} is missing", self.text, at)
        return self._skip(at + 1)
