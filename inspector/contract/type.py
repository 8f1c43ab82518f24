"""Types of the component model, as far as the contracts use them.

Lives here: the type values and their WIT spelling. Not here: parsing (wit) and
values of these types (value). Every room above may import it.
"""

from typing import assert_never

import msgspec


class Primitive(msgspec.Struct, frozen=True, tag=True):
    """A type without parts.

    Attributes:
        name: `bool`, `u8` to `u64`, `s8` to `s64`, `f32`, `f64`, `char` or `string`.
    """

    name: str


class ListOf(msgspec.Struct, frozen=True, tag=True):
    """`list<element>`."""

    element: "ValueType"


class OptionOf(msgspec.Struct, frozen=True, tag=True):
    """`option<payload>`."""

    payload: "ValueType"


class ResultOf(msgspec.Struct, frozen=True, tag=True):
    """`result<ok, error>`; a missing side is None."""

    ok: "ValueType | None"
    error: "ValueType | None"


class TupleOf(msgspec.Struct, frozen=True, tag=True):
    """`tuple<...>`."""

    items: tuple["ValueType", ...]


class Field(msgspec.Struct, frozen=True):
    """A field of a record."""

    name: str
    type: "ValueType"
    doc: str = ""


class Record(msgspec.Struct, frozen=True, tag=True):
    """A named record; fields in declared order."""

    name: str
    fields: tuple[Field, ...]
    doc: str = ""


class Case(msgspec.Struct, frozen=True):
    """A case of a variant; `type` is None for a case without payload."""

    name: str
    type: "ValueType | None"


class Variant(msgspec.Struct, frozen=True, tag=True):
    """A named variant; the index of a case is its discriminant."""

    name: str
    cases: tuple[Case, ...]
    doc: str = ""


class Enum(msgspec.Struct, frozen=True, tag=True):
    """A named enum; the index of a case is its discriminant."""

    name: str
    cases: tuple[str, ...]
    doc: str = ""


ValueType = Primitive | ListOf | OptionOf | ResultOf | TupleOf | Record | Variant | Enum

STRING = Primitive("string")
BOOL = Primitive("bool")

INTEGER_RANGES = {
    "u8": (0, 2**8 - 1),
    "u16": (0, 2**16 - 1),
    "u32": (0, 2**32 - 1),
    "u64": (0, 2**64 - 1),
    "s8": (-(2**7), 2**7 - 1),
    "s16": (-(2**15), 2**15 - 1),
    "s32": (-(2**31), 2**31 - 1),
    "s64": (-(2**63), 2**63 - 1),
}
"""Inclusive lower and upper bound of each integer type."""

FLOATS = ("f32", "f64")
PRIMITIVE_NAMES = (*INTEGER_RANGES, *FLOATS, "bool", "char", "string")


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a function."""

    name: str
    type: ValueType


class Function(msgspec.Struct, frozen=True):
    """A function of an interface.

    Attributes:
        name: The name in WIT, e.g. `on-tool-call`.
        parameters: In declared order.
        result: None for a function without result.
        doc: The documentation comment, or "".
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: ValueType | None
    doc: str = ""


def spell(value_type: ValueType) -> str:
    """The WIT spelling of a type; named types by their name.

    Args:
        value_type: Any type.

    Returns:
        E.g. `list<message>`, `option<string>`, `result<hook-output, string>`.
    """
    match value_type:
        case Primitive(name=name) | Record(name=name) | Variant(name=name) | Enum(name=name):
            return name
        case ListOf(element=element):
            return f"list<{spell(element)}>"
        case OptionOf(payload=payload):
            return f"option<{spell(payload)}>"
        case ResultOf():
            return _spell_result(value_type)
        case TupleOf(items=items):
            return f"tuple<{', '.join(spell(item) for item in items)}>"
    assert_never(value_type)


def _spell_result(value_type: ResultOf) -> str:
    ok = spell(value_type.ok) if value_type.ok else "_"
    if value_type.error is None:
        return f"result<{ok}>" if value_type.ok else "result"
    return f"result<{ok}, {spell(value_type.error)}>"


def signature(function: Function) -> str:
    """The WIT spelling of a function type, e.g. `func(event: stage-event) -> ...`."""
    parameters = ", ".join(f"{p.name}: {spell(p.type)}" for p in function.parameters)
    arrow = f" -> {spell(function.result)}" if function.result else ""
    return f"func({parameters}){arrow}"
