"""A value of a contract type as text that people edit, and back.

Lives here: writing pretty JSON, reading JSON or YAML with the place of what is wrong,
and what is too big for an editor. Not here: types (contract), the readers themselves
(json_source, scenario_source), the editor (gui.views). Rooms above may import it.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.contract import value as contract_value
from inspector.contract.type import ValueType
from inspector.errors import ErrorKind, InspectorError
from inspector.workbench import formatting, scenario_source
from inspector.workbench.json_source import JsonReader
from inspector.workbench.source import Source

MAX_CHARACTERS = 100_000
"""A longer text is shown, cut, but not edited."""

MAX_LINE = 20_000
"""A text with a longer line is not edited either: Qt lays out a line as a whole."""

MAX_YAML = 10_000
"""Longer text must be JSON; reading YAML takes forty times as long."""

_NAME = "event"
"""What the readers call the text in their messages; taken out again here."""

_PREVIEW_TEXT = 2_000
_PREVIEW_ITEMS = 200
_HIDDEN = re.compile(r"[^ -~]")
_SYNTAX = (
    ("Unterminated string", "The text that starts here has no closing quote."),
    ("Invalid control character", "A line break or control character stands in a text; write \\n."),
    ("Invalid \\escape", "This is no escape; write \\\\ for a backslash."),
    ("Invalid \\uXXXX", "After \\u there must be four hexadecimal digits."),
    ("Expecting value", 'Here must be a value: "text", a number, true, false, null, { or [.'),
)
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<word>-?\b(?:NaN|Infinity)\b)')
_DIGITS = re.compile(r"[0-9]")


def to_text(value: Any) -> str:
    """A value as pretty JSON: exact, the same every time, nothing hidden in it.

    Args:
        value: A value in the spelling of contract.value.

    Returns:
        Text that `parse` reads back to an equal value.
    """
    plain = json.dumps(contract_value.to_json(value), indent=2, ensure_ascii=False)
    return _HIDDEN.sub(_visible, plain)


def _visible(found: re.Match[str]) -> str:
    char = found.group()
    if char == "\n" or char.isprintable():
        return char
    return json.dumps(char)[1:-1]


def is_too_big(value: Any) -> bool:
    """Whether the text of a value is too big for an editor."""
    if formatting.weight(value, MAX_CHARACTERS) > MAX_CHARACTERS:
        return True
    return any(len(text) > MAX_LINE for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            stack.extend(item.values())
        elif isinstance(item, list | tuple):
            stack.extend(item)


def preview_text(value: Any) -> str:
    """The text of a value with its long parts cut; not to be read back."""
    return to_text(_cut(value))


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _PREVIEW_TEXT:
        return f"{value[:_PREVIEW_TEXT]}… {len(value):,} characters in all"
    if isinstance(value, Mapping):
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        head = [_cut(item) for item in value[:_PREVIEW_ITEMS]]
        return head if len(head) == len(value) else [*head, f"… {len(value):,} items in all"]
    return value


def parse(value_type: ValueType, text: str, none_field: str = "") -> Any:
    """Read a value from JSON, or from YAML when it does not start with a bracket.

    Args:
        value_type: The type it must have.
        text: What was typed.
        none_field: Name of a field that has to be none here, a call's outcome while it
            is being decided.

    Returns:
        The value, checked, with every field that was left out at its default.

    Raises:
        InspectorError: BAD_EVENT with line and column of the first thing that is wrong.
    """
    source = _read(text)
    _check_overflow(source)
    try:
        value = contract_value.complete(value_type, source.data)
    except contract_value.FieldError as error:
        place = source.place(error.path)
        # A message that begins with a field's name keeps the name as it is.
        sentence = f"{error}." if error.path else _sentence(error.message)
        raise _bad(sentence, place.line, place.column) from error
    if none_field and value[none_field] is not None:
        place = source.place((none_field,))
        sentence = f"{none_field}: a call that is being decided has none; write null."
        raise _bad(sentence, place.line, place.column)
    return value


def _read(text: str) -> Source:
    looks_like_json = text.lstrip().startswith(("{", "["))
    try:
        if looks_like_json:
            return JsonReader(text, _NAME).read()
        if len(text) > MAX_YAML:
            raise _bad(f"Text of more than {MAX_YAML:,} characters must be JSON.", 1, 1)
        return scenario_source.parse(text, _NAME)
    except json.JSONDecodeError as error:
        raise _json_error(error, text) from error
    except InspectorError as error:
        if error.kind is ErrorKind.BAD_EVENT:
            raise
        hint = f" {error.hint}" if error.hint else ""
        sentence = _sentence(error.message) + hint
        raise _bad(sentence, error.line or 1, error.column or 1) from error


def _json_error(error: json.JSONDecodeError, text: str) -> InspectorError:
    at = error.pos
    message = next((ours for theirs, ours in _SYNTAX if error.msg.startswith(theirs)), "")
    if error.msg.endswith("is not a JSON value"):
        words = (found for found in _SCALAR.finditer(text) if found.group("word"))
        found = next(words, None)
        at = found.start("word") if found else at
        message = "JSON has no such number; write the word in double quotes."
    before = text[:at]
    line = before.count("\n") + 1
    column = at - (before.rfind("\n") + 1) + 1
    return _bad(message or _sentence(error.msg), line, column)


def _check_overflow(source: Source) -> None:
    """Refuse a number that a float cannot hold; Python would read it as infinity."""
    for path, written in source.texts.items():
        if _DIGITS.search(written) and ("e" in written.lower() or len(written) > 300):
            number = _float(written)
            if number is not None and math.isinf(number):
                place = source.place(path)
                raise _bad("The number is too large for f64.", place.line, place.column)


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _sentence(message: str) -> str:
    """A reader's message with a capital and a full stop."""
    return f"{message[:1].upper()}{message[1:].removesuffix('.')}."


def _bad(message: str, line: int, column: int) -> InspectorError:
    return InspectorError(ErrorKind.BAD_EVENT, message, line=line, column=column)
