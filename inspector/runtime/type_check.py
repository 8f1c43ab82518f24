"""Whether a component's function is the contract's, as the mirrored runtime judges it.

Lives here: the structural comparison, the engine's texts, and a sentence on what
differs. Not here: reading a component's types (component). Only runtime imports it.

The runtime compares structure: field and case names with their order and types count,
names of parameters and of records do not.
"""

from collections.abc import Sequence

import msgspec

from inspector.contract.type import (
    Enum,
    Function,
    ListOf,
    OptionOf,
    Record,
    ResultOf,
    TupleOf,
    ValueType,
    Variant,
    spell,
)


class Mismatch(msgspec.Struct, frozen=True):
    """A function of another type.

    Attributes:
        text: The engine's own text.
        detail: One sentence of ours on the first difference.
    """

    text: str
    detail: str


def check_function(wanted: Function, found: Function) -> Mismatch | None:
    """Compare a component's function with the contract's.

    Args:
        wanted: From the contract.
        found: From the component (component.InterfaceShape).

    Returns:
        The first difference, parameters before the result, or None.

    Source: spec/contract.md 4 and 7.
    """
    difference = _parameters(wanted, found)
    if difference is not None:
        return Mismatch("type mismatch with parameters", f"{wanted.name}: {difference}")
    difference = _side("the result", wanted.result, found.result)
    if difference is not None:
        return Mismatch("type mismatch with results", f"{wanted.name}: {difference}")
    return None


def _parameters(wanted: Function, found: Function) -> str | None:
    if len(wanted.parameters) != len(found.parameters):
        return (
            f"the contract has {_count(len(wanted.parameters), 'parameter')}, "
            f"the hook {_count(len(found.parameters), 'parameter')}"
        )
    for ours, theirs in zip(wanted.parameters, found.parameters, strict=True):
        difference = difference_of(f"parameter {ours.name}", ours.type, theirs.type)
        if difference is not None:
            return difference
    return None


def difference_of(place: str, wanted: ValueType, found: ValueType) -> str | None:
    """The first difference of two types.

    Args:
        place: Where they stand, for the sentence.
        wanted: The contract's type.
        found: The component's type.

    Returns:
        A sentence without a full stop, or None when they are equal in structure.
    """
    match wanted, found:
        case Record(), Record():
            return _records(place, wanted, found)
        case Variant(), Variant():
            return _variants(place, wanted, found)
        case Enum(), Enum():
            subject = f"enum {wanted.name} ({place})"
            return _names(subject, "case", wanted.cases, found.cases)
        case ListOf(), ListOf():
            return difference_of(f"items of {place}", wanted.element, found.element)
        case OptionOf(), OptionOf():
            return difference_of(f"content of {place}", wanted.payload, found.payload)
        case ResultOf(), ResultOf():
            return _side(f"the ok side of {place}", wanted.ok, found.ok) or _side(
                f"the error side of {place}", wanted.error, found.error
            )
        case TupleOf(), TupleOf():
            return _tuples(place, wanted, found)
    if wanted == found:
        return None
    return f"{place} is {spell(wanted)} in the contract and {spell(found)} in the hook"


def _records(place: str, wanted: Record, found: Record) -> str | None:
    ours = tuple(field.name for field in wanted.fields)
    theirs = tuple(field.name for field in found.fields)
    difference = _names(f"record {wanted.name} ({place})", "field", ours, theirs)
    if difference is not None:
        return difference
    for mine, other in zip(wanted.fields, found.fields, strict=True):
        difference = difference_of(f"field {wanted.name}.{mine.name}", mine.type, other.type)
        if difference is not None:
            return difference
    return None


def _variants(place: str, wanted: Variant, found: Variant) -> str | None:
    ours = tuple(case.name for case in wanted.cases)
    theirs = tuple(case.name for case in found.cases)
    difference = _names(f"variant {wanted.name} ({place})", "case", ours, theirs)
    if difference is not None:
        return difference
    for mine, other in zip(wanted.cases, found.cases, strict=True):
        difference = _side(f"case {wanted.name}.{mine.name}", mine.type, other.type)
        if difference is not None:
            return difference
    return None


def _tuples(place: str, wanted: TupleOf, found: TupleOf) -> str | None:
    if len(wanted.items) != len(found.items):
        return f"{place} is {spell(wanted)} in the contract and {spell(found)} in the hook"
    for index, (ours, theirs) in enumerate(zip(wanted.items, found.items, strict=True)):
        difference = difference_of(f"{place}, item {index}", ours, theirs)
        if difference is not None:
            return difference
    return None


def _side(place: str, wanted: ValueType | None, found: ValueType | None) -> str | None:
    """Compare two types of which either may be missing."""
    if wanted is None and found is None:
        return None
    if wanted is None or found is None:
        ours = spell(wanted) if wanted else "nothing"
        theirs = spell(found) if found else "nothing"
        return f"{place} is {ours} in the contract and {theirs} in the hook"
    return difference_of(place, wanted, found)


def _names(subject: str, noun: str, wanted: Sequence[str], found: Sequence[str]) -> str | None:
    """Compare the names of fields or cases: which is missing, which is extra, which moved."""
    missing = [name for name in wanted if name not in found]
    extra = [name for name in found if name not in wanted]
    parts = []
    if missing:
        parts.append(f"lacks the {_list(noun, missing)}")
    if extra:
        parts.append(f"has the extra {_list(noun, extra)}")
    if parts:
        return f"the hook's {subject} {' and '.join(parts)}"
    for index, (ours, theirs) in enumerate(zip(wanted, found, strict=True)):
        if ours != theirs:
            return (
                f"the hook's {subject} has {noun} {theirs} at position {index + 1}, wanted {ours}"
            )
    return None


def _list(noun: str, names: Sequence[str]) -> str:
    plural = "" if len(names) == 1 else "s"
    return f"{noun}{plural} {', '.join(names)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
