"""Hypothesis strategies for values of contract types.

Lives here: `values`, and lists of the types that contracts have. Not here: anything of
inspector.runtime. Any test may import it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from inspector.contract import contract
from inspector.contract.type import (
    INTEGER_RANGES,
    Enum,
    Function,
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

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
"""Any Unicode, NUL and control characters included."""


def values(value_type: ValueType) -> st.SearchStrategy[Any]:
    """Values of a type, in the spelling of contract.value."""
    match value_type:
        case Primitive():
            return _primitives(value_type.name)
        case ListOf(element=element):
            return st.lists(values(element), max_size=4)
        case OptionOf(payload=payload):
            return st.none() | values(payload)
        case TupleOf(items=items):
            return st.tuples(*map(values, items)).map(list)
        case Record(fields=fields):
            return st.fixed_dictionaries({f.name: values(f.type) for f in fields})
        case Enum(cases=cases):
            return st.sampled_from(cases)
        case Variant(cases=variant_cases):
            return st.one_of([_case(case.name, case.type) for case in variant_cases])
        case ResultOf(ok=ok, error=error):
            return _side("ok", ok) | _side("err", error)


def _primitives(name: str) -> st.SearchStrategy[Any]:
    if name in INTEGER_RANGES:
        return st.integers(*INTEGER_RANGES[name])
    if name == "f64":
        return st.floats(allow_nan=False)
    if name == "f32":
        return st.floats(allow_nan=False, width=32)
    if name == "bool":
        return st.booleans()
    return TEXT if name == "string" else st.characters(codec="utf-8")


def _case(name: str, payload: ValueType | None) -> st.SearchStrategy[Any]:
    return st.just(name) if payload is None else st.fixed_dictionaries({name: values(payload)})


def _side(name: str, payload: ValueType | None) -> st.SearchStrategy[Any]:
    inner = st.none() if payload is None else values(payload)
    return st.fixed_dictionaries({name: inner})


def contract_functions() -> Iterator[tuple[str, Function]]:
    """Every function of every interface of every contract, with a label for the test."""
    for version in contract.versions():
        for name, interface in contract.load(version).interfaces.items():
            for function in interface.functions.values():
                yield f"{version}:{name}#{function.name}", function


def contract_types() -> Mapping[str, ValueType]:
    """The different parameter and result types of those functions, each with a label."""
    found: dict[ValueType, str] = {}
    for label, function in contract_functions():
        for parameter in function.parameters:
            found.setdefault(parameter.type, f"{label}({parameter.name}: {spell(parameter.type)})")
        if function.result is not None:
            found.setdefault(function.result, f"{label} -> {spell(function.result)}")
    return {label: value_type for value_type, label in found.items()}
