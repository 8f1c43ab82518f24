"""Values of contract types: defaults, completion, checking, the JSON form.

Lives here: one spelling of every value, used by scenario files, JSON output, the
protocol and the codec. Not here: memory layout (runtime.codec). Every room above may
import it.

The spelling: a record is a dict with WIT names; an option is None or the payload; a
list or tuple is a list; an enum is its case name; a variant is the case name, or a
dict of one entry when the case has a payload; a result is {"ok": x} or {"err": x};
a float is a number, or "NaN", "Infinity", "-Infinity".
"""

import math
import re
from collections.abc import Mapping
from typing import Any, assert_never

from inspector.contract.type import (
    FLOATS,
    INTEGER_RANGES,
    Enum,
    ListOf,
    OptionOf,
    Primitive,
    Record,
    ResultOf,
    TupleOf,
    ValueType,
    Variant,
    spell,
)

Path = tuple[str | int, ...]

# A search is forty times as fast as a loop, and the window checks a mebibyte at a key.
_SURROGATE = re.compile("[\ud800-\udfff]")
_FLOAT_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class FieldError(ValueError):
    """A value that does not fit its type.

    Attributes:
        path: Keys and indexes from the outermost value to the place.
        message: One sentence, without the place.
        wanted: The WIT spelling of the type at that place.
    """

    def __init__(self, path: Path, message: str, wanted: str) -> None:
        self.path = path
        self.message = message
        self.wanted = wanted
        super().__init__(f"{spell_path(path)}: {message}" if path else message)


def spell_path(path: Path) -> str:
    """A path as people write it, e.g. `messages[2].role`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


def default(value_type: ValueType) -> Any:
    """The default of a type: 0, false, "", none, [], the first case.

    Args:
        value_type: Any type.

    Returns:
        A fresh value in the spelling of this module.
    """
    match value_type:
        case Primitive(name=name):
            return _default_primitive(name)
        case OptionOf():
            return None
        case ListOf():
            return []
        case Record(fields=fields):
            return {field.name: default(field.type) for field in fields}
        case TupleOf(items=items):
            return [default(item) for item in items]
        case Enum(cases=cases):
            return cases[0]
        case Variant(cases=variant_cases):
            first = variant_cases[0]
            return first.name if first.type is None else {first.name: default(first.type)}
        case ResultOf(ok=ok):
            return {"ok": None if ok is None else default(ok)}
    assert_never(value_type)


def _default_primitive(name: str) -> Any:
    if name in INTEGER_RANGES:
        return 0
    if name in FLOATS:
        return 0.0
    return False if name == "bool" else "" if name == "string" else "\0"


def complete(value_type: ValueType, value: Any, path: Path = ()) -> Any:
    """Check a value against its type and fill in what was left out.

    Args:
        value_type: The type it must have.
        value: The value in the spelling of this module; missing record fields take
            their default. Lists may be tuples.
        path: Where the value stands, for the error.

    Returns:
        A new value with every field present and in declared order.

    Raises:
        FieldError: for the first place that does not fit.

    Source: design of the scenario file, docs/scenario.md ("Fields left out").
    """
    match value_type:
        case Primitive():
            return _complete_primitive(value_type, value, path)
        case OptionOf(payload=payload):
            return None if value is None else complete(payload, value, path)
        case ListOf(element=element):
            items = _sequence(value_type, value, path)
            return [complete(element, item, (*path, i)) for i, item in enumerate(items)]
        case Record():
            return _complete_record(value_type, value, path)
        case TupleOf(items=kinds):
            items = _sequence(value_type, value, path, len(kinds))
            return [complete(t, v, (*path, i)) for i, (t, v) in enumerate(zip(kinds, items))]  # noqa: B905
        case Enum(cases=cases):
            if not isinstance(value, str) or value not in cases:
                raise FieldError(path, f"wants one of {', '.join(cases)}", value_type.name)
            return value
        case Variant():
            return _complete_variant(value_type, value, path)
        case ResultOf():
            return _complete_result(value_type, value, path)
    assert_never(value_type)


def _complete_primitive(value_type: Primitive, value: Any, path: Path) -> Any:
    name = value_type.name
    if name in INTEGER_RANGES:
        return _complete_integer(name, value, path)
    if name in FLOATS:
        return _complete_float(name, value, path)
    if name == "bool":
        if not isinstance(value, bool):
            raise FieldError(path, f"wants true or false, got {_shown(value)}", name)
        return value
    if not isinstance(value, str):
        raise FieldError(path, f"wants text, got {_shown(value)}", name)
    if _SURROGATE.search(value):
        raise FieldError(path, "holds a lone surrogate, which no Unicode text can carry", name)
    if name == "char" and len(value) != 1:
        raise FieldError(path, f"wants exactly one character, got {len(value)}", name)
    return value


def _complete_integer(name: str, value: Any, path: Path) -> int:
    low, high = INTEGER_RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int):
        raise FieldError(path, f"wants a whole number ({name}), got {_shown(value)}", name)
    if not low <= value <= high:
        raise FieldError(path, f"wants {low} to {high} ({name}), got {value}", name)
    return value


def _complete_float(name: str, value: Any, path: Path) -> float:
    if isinstance(value, str) and value in _FLOAT_WORDS:
        return _FLOAT_WORDS[value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FieldError(path, f"wants a number ({name}), got {_shown(value)}", name)
    try:
        return float(value)
    except OverflowError:
        raise FieldError(path, f"is too large for {name}", name) from None


def _complete_record(value_type: Record, value: Any, path: Path) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        message = f"wants the fields of {value_type.name}, got {_shown(value)}"
        raise FieldError(path, message, value_type.name)
    names = {field.name for field in value_type.fields}
    for key in value:
        if key not in names:
            known = ", ".join(field.name for field in value_type.fields)
            message = f"unknown field {key!r}; {value_type.name} has {known}"
            raise FieldError((*path, str(key)), message, value_type.name)
    return {
        f.name: complete(f.type, value[f.name], (*path, f.name))
        if f.name in value
        else default(f.type)
        for f in value_type.fields
    }


def _complete_variant(value_type: Variant, value: Any, path: Path) -> Any:
    name, payload = _case_of(value)
    case = next((c for c in value_type.cases if c.name == name), None)
    if case is None:
        known = ", ".join(c.name for c in value_type.cases)
        raise FieldError(path, f"wants one of {known}", value_type.name)
    if case.type is None:
        return case.name
    return {case.name: complete(case.type, payload, (*path, case.name))}


def _complete_result(value_type: ResultOf, value: Any, path: Path) -> Any:
    name, payload = _case_of(value)
    if name not in ("ok", "err"):
        raise FieldError(path, "wants ok or err", spell(value_type))
    side = value_type.ok if name == "ok" else value_type.error
    return {name: None if side is None else complete(side, payload, (*path, name))}


def _case_of(value: Any) -> tuple[str | None, Any]:
    if isinstance(value, str):
        return value, None
    if isinstance(value, Mapping) and len(value) == 1:
        (entry,) = value.items()
        return entry
    return None, None


def _sequence(value_type: ValueType, value: Any, path: Path, length: int | None = None) -> Any:
    if not isinstance(value, list | tuple):
        raise FieldError(path, f"wants a list, got {_shown(value)}", spell(value_type))
    if length is not None and len(value) != length:
        raise FieldError(path, f"wants {length} items, got {len(value)}", spell(value_type))
    return value


def _shown(value: Any) -> str:
    """A short picture of a wrong value."""
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def to_json(value: Any) -> Any:
    """The JSON form: the same value with floats that JSON has no number for as words.

    Args:
        value: A value in the spelling of this module.

    Returns:
        A value that any JSON encoder keeps exact.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else _float_word(value)
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value


def _float_word(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
