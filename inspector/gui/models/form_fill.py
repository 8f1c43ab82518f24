"""Fits a value that was kept, perhaps for another contract, into the form of a type.

Lives here: `fill`, and the texts that stand where no value fits. Not here: strict
checking (contract.value). Only gui.models imports it.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from inspector.contract import value
from inspector.contract.type import (
    FLOATS,
    INTEGER_RANGES,
    ListOf,
    OptionOf,
    Primitive,
    Record,
    ValueType,
)
from inspector.contract.value import Path


class Typed(msgspec.Struct, frozen=True):
    """What was typed into a field and is no value of its type.

    Attributes:
        text: To the letter.
        problem: Why not, in one sentence.
    """

    text: str
    problem: str


def fill(value_type: ValueType, given: Any, path: Path = ()) -> tuple[Any, dict[Path, Typed]]:
    """A value of a type that keeps as much of another value as fits.

    Args:
        value_type: The type of the form.
        given: Any JSON value.
        path: Where it stands.

    Returns:
        A whole value, and the texts of numbers that do not fit, by path. What fits
        nowhere is left out.
    """
    match value_type:
        case Record(fields=fields):
            known = given if isinstance(given, Mapping) else {}
            parts = {
                f.name: fill(f.type, known[f.name], (*path, f.name))
                if f.name in known
                else (value.default(f.type), {})
                for f in fields
            }
            typed = {at: text for _, texts in parts.values() for at, text in texts.items()}
            return {name: part for name, (part, _) in parts.items()}, typed
        case OptionOf(payload=payload):
            return (None, {}) if given is None else fill(payload, given, path)
        case ListOf(element=element):
            items = given if isinstance(given, list | tuple) else ()
            filled = [fill(element, item, (*path, index)) for index, item in enumerate(items)]
            texts = {at: text for _, found in filled for at, text in found.items()}
            return [item for item, _ in filled], texts
    return _fill_leaf(value_type, given, path)


def _fill_leaf(value_type: ValueType, given: Any, path: Path) -> tuple[Any, dict[Path, Typed]]:
    try:
        return value.complete(value_type, given), {}
    except value.FieldError as error:
        rest = value.default(value_type)
        is_number = isinstance(value_type, Primitive) and (
            value_type.name in INTEGER_RANGES or value_type.name in FLOATS
        )
        if is_number and isinstance(given, str | int | float):
            problem = f"{error.message[:1].upper()}{error.message[1:]}."
            return rest, {path: Typed(str(given), problem)}
        return rest, {}
