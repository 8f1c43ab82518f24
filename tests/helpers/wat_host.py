"""Contract types and the runtime's own interfaces, spelled in WAT.

Lives here: types, function types, and the import of any interface of a contract. Not
here: WASI (wat_wasi_import), the calls (wat_source). Only tests.helpers.wat_* import it.
"""

from collections.abc import Iterable

from inspector.contract.type import (
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
)
from tests.helpers import wat_layout


def spell(value_type: ValueType) -> str:
    """A type in WAT; named types by `$name`."""
    match value_type:
        case Primitive(name=name):
            return name
        case Record(name=name) | Variant(name=name) | Enum(name=name):
            return f"${name}"
        case ListOf(element=element):
            return f"(list {spell(element)})"
        case OptionOf(payload=payload):
            return f"(option {spell(payload)})"
        case TupleOf(items=items):
            return f"(tuple {' '.join(map(spell, items))})"
        case ResultOf(ok=ok, error=error):
            sides = [spell(ok)] if ok else []
            sides += [f"(error {spell(error)})"] if error else []
            return f"(result {' '.join(sides)})"


def define(value_type: ValueType) -> str:
    """The structure of a named type in WAT."""
    match value_type:
        case Record(fields=fields):
            inner = " ".join(f'(field "{f.name}" {spell(f.type)})' for f in fields)
            return f"(record {inner})"
        case Variant(cases=cases):
            payloads = [f" {spell(case.type)}" if case.type else "" for case in cases]
            names = [f'(case "{c.name}"{p})' for c, p in zip(cases, payloads, strict=True)]
            return f"(variant {' '.join(names)})"
        case Enum(cases=names):
            inner = " ".join(f'"{name}"' for name in names)
            return f"(enum {inner})"
        case _:
            raise NotImplementedError(f"{value_type} has no name")


def named_types(functions: Iterable[Function]) -> dict[str, ValueType]:
    """The named types that functions use, each after those it is made of."""
    found: dict[str, ValueType] = {}
    for function in functions:
        for parameter in function.parameters:
            _collect(parameter.type, found)
        if function.result is not None:
            _collect(function.result, found)
    return found


def _collect(value_type: ValueType, found: dict[str, ValueType]) -> None:
    for part in _parts(value_type):
        _collect(part, found)
    if isinstance(value_type, Record | Variant | Enum):
        found[value_type.name] = value_type


def _parts(value_type: ValueType) -> list[ValueType]:
    if isinstance(value_type, ListOf):
        return [value_type.element]
    if isinstance(value_type, Primitive | Enum):
        return []
    return wat_layout.parts(value_type)


def function_type(function: Function) -> str:
    """The type of a component function in WAT."""
    parameters = [f'(param "{p.name}" {spell(p.type)})' for p in function.parameters]
    result = [f"(result {spell(function.result)})"] if function.result else []
    return f"(func {' '.join([*parameters, *result])})"


def import_text(name: str, label: str, functions: Iterable[Function]) -> str:
    """The import of an interface with some of its functions and the types they use."""
    functions = list(functions)
    lines = [f'(import "{name}" (instance ${label}']
    for type_name, value_type in named_types(functions).items():
        lines.append(f"  (type ${type_name}' {define(value_type)})")
        lines.append(f'  (export "{type_name}" (type ${type_name} (eq ${type_name}\')))')
    lines += [f'  (export "{f.name}" {function_type(f)})' for f in functions]
    return "\n".join([*lines, "))"])


def lowered_type(function: Function) -> str:
    """The core signature of an imported function."""
    values = wat_layout.parameters([p.type for p in function.parameters])
    results = [] if function.result is None else wat_layout.flat_result(function.result)
    if len(results) > 1:
        values, results = [*values, "i32"], []
    arrow = f" (result {results[0]})" if results else ""
    return f"(param {' '.join(values)}){arrow}"
