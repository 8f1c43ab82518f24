"""Reads YAML and JSON text into plain values that remember where they stood.

Lives here: opening a file, telling YAML from JSON, reading YAML. Not here: what a
scenario may hold (workbench.scenario), manifests (manifest). Only workbench.scenario
imports it.

Values follow YAML's core schema, which is JSON with fewer quotes: `yes`, `on`, `12:30`
and `2024-01-01` are text, whole numbers are exact, keys are always text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

import yaml

from inspector.contract.value import Path
from inspector.errors import InspectorError
from inspector.workbench.json_source import JsonReader
from inspector.workbench.source import (
    MAX_BYTES,
    MAX_DIGITS,
    SURROGATE,
    Collector,
    Place,
    Source,
    unreadable,
)

_CORE_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
_BEYOND_UNICODE = re.compile(r"\\U(?!000|0010)[0-9a-fA-F]{8}")
_WORDS: Mapping[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int),
    "bool": (bool,),
    "null": (type(None),),
}


def read(file: str) -> Source:
    """Read a file.

    Args:
        file: Path of a YAML or JSON file; the content decides which it is.

    Raises:
        InspectorError: UNREADABLE_SCENARIO, when it cannot be opened or is neither.
    """
    try:
        with FilePath(file).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise unreadable(file, None, f"the scenario cannot be read: {reason}.") from error
    except ValueError as error:  # a NUL in the path
        raise unreadable(file, None, "the scenario's path is not a path.") from error
    if len(content) > MAX_BYTES:
        message = f"the scenario is longer than {MAX_BYTES // 1024 // 1024} MiB."
        raise unreadable(file, None, message, "Split it into several.")
    return parse(_decoded(content, file), file)


def _decoded(content: bytes, file: str) -> str:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        before = content[: error.start]
        place = Place(before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1)
        message = f"byte 0x{content[error.start]:02x} is not {encoding.upper()[:6].rstrip('-')}."
        raise unreadable(file, place, message, "Save the file as UTF-8.") from error


def parse(text: str, file: str = "scenario") -> Source:
    """Read a text.

    Args:
        text: YAML or JSON; it is JSON when it starts with a brace and reads as JSON.
        file: Name for messages.

    Raises:
        InspectorError: UNREADABLE_SCENARIO, when it is neither, holds a key twice, or
            exceeds a bound.
    """
    if not text.lstrip().startswith(("{", "[")):
        return _YamlReader(text, file).read()
    try:
        return JsonReader(text, file).read()
    except json.JSONDecodeError as json_error:
        try:
            return _YamlReader(text, file).read()
        except InspectorError:
            if not file.endswith(".json"):
                raise
            place = Place(json_error.lineno, json_error.colno)
            raise unreadable(file, place, f"this is not JSON: {json_error.msg}.") from json_error


class _YamlReader(Collector):
    """Reads one YAML document from PyYAML's events, which come without recursion."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, file)
        self._events: Iterator[yaml.Event] = iter(())
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open_anchors: set[str] = set()

    def read(self) -> Source:
        try:
            self._events = yaml.parse(self.text, Loader=yaml.SafeLoader)
            return self.source(self._document())
        except yaml.reader.ReaderError as error:
            raise self._character(error) from error
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
            what = " ".join(filter(None, (error.context, error.problem)))
            raise self.error(place, f"this is not YAML: {what}.") from error
        except (ValueError, OverflowError) as error:
            raise self._escape() from error

    def _escape(self) -> InspectorError:
        """WORKAROUND PyYAML 6.0.3: chr() fails inside it for an escape beyond Unicode."""
        found = _BEYOND_UNICODE.search(self.text)
        at = found.start() if found else 0
        before = self.text[:at]
        place = Place(before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1)
        return self.error(place, "an escape stands for no Unicode character.")

    def _character(self, error: yaml.reader.ReaderError) -> InspectorError:
        before = self.text[: error.position]
        place = Place(before.count("\n") + 1, error.position - (before.rfind("\n") + 1) + 1)
        message = f"YAML cannot hold the character U+{ord(self.text[error.position]):04X} as it is."
        hint = 'Write it as an escape in double quotes, such as "\\x07" or "\\0".'
        return self.error(place, message, hint)

    def _document(self) -> Any:
        value: Any = None
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self.error(_place(event), "a second YAML document starts here.")
                value = self._value((), next(self._events), 0)
        return value

    def _value(self, path: Path, event: yaml.Event, depth: int) -> Any:
        place = _place(event)
        self.places.setdefault(path, place)
        self.check_depth(depth, place)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event.anchor or "", place)
        assert isinstance(event, yaml.NodeEvent)
        anchor, before = event.anchor, self.nodes
        self.count(1, place)
        if anchor is not None:
            self._open_anchors.add(anchor)
        value = self._node(path, event, depth)
        if anchor is not None:
            self._open_anchors.discard(anchor)
            self._anchors[anchor] = (value, self.nodes - before)
        return value

    def _node(self, path: Path, event: yaml.Event, depth: int) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
            if not isinstance(value, str) and value is not None:
                self.texts[path] = event.value
            return value
        assert isinstance(event, yaml.CollectionStartEvent)
        kind = "map" if isinstance(event, yaml.MappingStartEvent) else "seq"
        if event.tag not in (None, "!", _CORE_TAG + kind):
            raise self._unknown_tag(event.tag, _place(event))
        if kind == "map":
            return self._mapping(path, depth + 1)
        return self._sequence(path, depth + 1)

    def _alias(self, name: str, place: Place) -> Any:
        if name in self._open_anchors:
            raise self.error(place, f"the alias *{name} stands inside what it stands for.")
        if name not in self._anchors:
            raise self.error(place, f"the alias *{name} has no anchor &{name} before it.")
        value, nodes = self._anchors[name]
        self.count(nodes, place)
        return value

    def _mapping(self, path: Path, depth: int) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            place = _place(event)
            if not isinstance(event, yaml.ScalarEvent):
                raise self.error(place, "a key must be text on one line.")
            key = _joined(event.value)
            self.check_text(key, place)
            self.check_new_key(entries, key, path, place)
            self.places[(*path, key)] = place
            entries[key] = self._value((*path, key), next(self._events), depth)
        return entries

    def _sequence(self, path: Path, depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value((*path, len(items)), event, depth))
        return items

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        tag = event.tag
        if tag is None and event.implicit[0]:
            return self._resolved(event.value, _place(event))
        if tag in (None, "!", _CORE_TAG + "str"):
            text = _joined(event.value)
            self.check_text(text, _place(event))
            return text
        wanted = _TYPES.get(tag.removeprefix(_CORE_TAG))
        if wanted is None:
            raise self._unknown_tag(tag, _place(event))
        value = self._resolved(event.value, _place(event))
        if type(value) not in wanted:
            word = tag.removeprefix(_CORE_TAG)
            raise self.error(_place(event), f"{event.value!r} is not of the type !!{word}.")
        return value

    def _resolved(self, text: str, place: Place) -> Any:
        if text in _WORDS:
            return _WORDS[text]
        is_integer = _INTEGER.fullmatch(text) is not None
        if (is_integer or _FLOAT.fullmatch(text)) and len(text) > MAX_DIGITS:
            raise self.error(place, f"a number has more than {MAX_DIGITS} digits.")
        if is_integer:
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        if _FLOAT.fullmatch(text):
            return float(text)
        if _INFINITY.fullmatch(text):
            return float(text.replace(".", ""))
        return text

    def _unknown_tag(self, tag: str, place: Place) -> InspectorError:
        return self.error(place, f"the tag {tag} is unknown here.", "Leave it out.")


def _place(event: yaml.Event) -> Place:
    mark = event.start_mark
    return Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)


def _joined(text: str) -> str:
    """The text with pairs of escaped surrogates as the one character they stand for."""
    if not SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
