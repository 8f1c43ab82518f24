"""Partial matching of a step's record: what `expect` means.

Lives here: checking a pattern before anything runs, and matching it. Not here: reading
it (workbench.scenario), showing the result (workbench.report, workbench.junit). Rooms
above may import it.

A mapping matches when each of its keys matches, a list element by element and in
length, anything else by equality. A mapping of one key with a dollar sign is an
operator: {$contains: X}, {$matches: REGEX}, {$any: true}, {$length: N}.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import inspect as types

from inspector.contract.record import StepRecord
from inspector.contract.value import Path, spell_path, to_json

OPERATORS = ("$contains", "$matches", "$any", "$length")


class PatternError(ValueError):
    """A pattern that can never match as it was meant.

    Attributes:
        path: Keys and indexes from the pattern to the place.
        message: One sentence, without the place.
    """

    def __init__(self, path: Path, message: str) -> None:
        self.path = path
        self.message = message
        super().__init__(message)


class Mismatch(msgspec.Struct, frozen=True):
    """The first place where a record differs from a pattern.

    Attributes:
        path: Where, e.g. `calls[0].result`; "" for the whole.
        wanted: The part of the pattern.
        got: The part of the record; None also when there is no such part.
        sentence: What differs, for people.
    """

    path: str
    wanted: Any
    got: Any
    sentence: str


# -- before the run -----------------------------------------------------------------


def check(pattern: Any, record_type: Any = StepRecord) -> None:
    """Check a pattern against the fields that a record has.

    Args:
        pattern: A value as read from a scenario.
        record_type: The type of what it will be matched with.

    Raises:
        PatternError: for an unknown field, an unknown operator or a bad operand.
    """
    _check(pattern, types.type_info(record_type), ())


def _check(pattern: Any, kind: types.Type, path: Path) -> None:
    if isinstance(pattern, list):
        element = _element(kind)
        for index, item in enumerate(pattern):
            _check(item, element, (*path, index))
    elif isinstance(pattern, Mapping):
        if (operator := _operator(pattern, path)) is not None:
            _check_operand(operator, pattern[operator], kind, path)
            return
        fields = _fields(kind)
        for key, item in pattern.items():
            if fields is not None and key not in fields:
                known = ", ".join(fields)
                raise PatternError((*path, key), f"unknown field {key!r}; there are {known}")
            _check(item, fields[key] if fields else types.AnyType(), (*path, key))


def _operator(pattern: Mapping[str, Any], path: Path) -> str | None:
    marked = [key for key in pattern if key.startswith("$")]
    if not marked:
        return None
    key = marked[0]
    if key not in OPERATORS:
        known = ", ".join(OPERATORS)
        raise PatternError((*path, key), f"unknown operator {key!r}; there are {known}")
    if len(pattern) > 1:
        raise PatternError((*path, key), f"the operator {key} must stand alone in its mapping")
    return key


def _check_operand(operator: str, operand: Any, kind: types.Type, path: Path) -> None:
    path = (*path, operator)
    match operator:
        case "$contains":
            _check(operand, _element(kind), path)
        case "$matches":
            if not isinstance(operand, str):
                raise PatternError(path, "$matches wants a regular expression as text")
            try:
                re.compile(operand)
            except re.error as error:
                message = f"$matches wants a regular expression: {error}"
                raise PatternError(path, message) from error
        case "$any":
            if operand is not True:
                raise PatternError(path, "$any wants true")
        case "$length":
            if isinstance(operand, bool) or not isinstance(operand, int) or operand < 0:
                raise PatternError(path, "$length wants a whole number from 0")


def _without_none(kind: types.Type) -> types.Type:
    if isinstance(kind, types.UnionType):
        others = [part for part in kind.types if not isinstance(part, types.NoneType)]
        return others[0] if len(others) == 1 else types.AnyType()
    return kind


def _element(kind: types.Type) -> types.Type:
    kind = _without_none(kind)
    if isinstance(kind, types.VarTupleType | types.ListType):
        return kind.item_type
    return types.AnyType()


def _fields(kind: types.Type) -> dict[str, types.Type] | None:
    """The fields of a struct by name; None where any key is fine."""
    kind = _without_none(kind)
    if not isinstance(kind, types.StructType):
        return None
    return {field.encode_name: field.type for field in kind.fields}


# -- after the step -------------------------------------------------------------------


def match(pattern: Any, value: Any) -> Mismatch | None:
    """Match a value in JSON form with a pattern.

    Args:
        pattern: A pattern that `check` took.
        value: Dicts, lists or tuples, scalars.

    Returns:
        The first mismatch in the pattern's order, or None when it matches.

    Source: design of the scenario file, docs/scenario.md ("expect").
    """
    return _match(to_json(pattern), value, ())


def _match(pattern: Any, value: Any, path: Path) -> Mismatch | None:
    if isinstance(pattern, Mapping):
        if len(pattern) == 1 and (key := next(iter(pattern))) in OPERATORS:
            return _match_operator(key, pattern[key], value, path)
        return _match_mapping(pattern, value, path)
    if isinstance(pattern, list):
        return _match_list(pattern, value, path)
    if _equal(pattern, value):
        return None
    return _mismatch(path, pattern, value, "it differs")


def _mismatch(path: Path, wanted: Any, got: Any, sentence: str) -> Mismatch:
    return Mismatch(spell_path(path), wanted, got, sentence)


def _equal(wanted: Any, got: Any) -> bool:
    """Equality of JSON scalars: true is not 1, but 1 is 1.0."""
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    return bool(wanted == got)


def _match_mapping(pattern: Mapping[str, Any], value: Any, path: Path) -> Mismatch | None:
    if not isinstance(value, Mapping):
        return _mismatch(path, pattern, value, "it has no fields")
    for key, wanted in pattern.items():
        if key not in value:
            return _mismatch((*path, key), wanted, None, "there is no such field")
        if (found := _match(wanted, value[key], (*path, key))) is not None:
            return found
    return None


def _match_list(pattern: list[Any], value: Any, path: Path) -> Mismatch | None:
    if not isinstance(value, list | tuple):
        return _mismatch(path, pattern, value, "it is no list")
    for index, (wanted, got) in enumerate(zip(pattern, value, strict=False)):
        if (found := _match(wanted, got, (*path, index))) is not None:
            return found
    if len(pattern) != len(value):
        return _mismatch(path, pattern, value, f"it has {len(value)} items, not {len(pattern)}")
    return None


def _match_operator(operator: str, operand: Any, value: Any, path: Path) -> Mismatch | None:
    match operator:
        case "$contains":
            holds, sentence = _contains(operand, value), "it does not contain that"
        case "$matches":
            holds = isinstance(value, str) and re.search(operand, value) is not None
            sentence = "it does not match the regular expression"
        case "$length":
            size = len(value) if isinstance(value, str | list | tuple | Mapping) else None
            holds = size == operand
            sentence = "it has no length" if size is None else f"its length is {size}"
        case _:  # $any
            holds, sentence = True, ""
    return None if holds else _mismatch(path, {operator: operand}, value, sentence)


def _contains(wanted: Any, value: Any) -> bool:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    if isinstance(value, list | tuple):
        return any(_match(wanted, item, ()) is None for item in value)
    return isinstance(value, Mapping) and isinstance(wanted, str) and wanted in value
