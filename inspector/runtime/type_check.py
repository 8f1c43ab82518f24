"""Whether a component's function is the contract's, as the mirrored runtime judges it.

Lives here: the structural comparison, the engine's texts, and sentences on what
differs. Not here: reading a component's types (component). Only runtime and worker
import it.

The runtime compares structure: field and case names with their order and types count,
names of parameters and of records do not.
"""

from collections.abc import Iterator, Mapping, Sequence

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


class Difference(msgspec.Struct, frozen=True):
    """One thing in which a type is not the contract's.

    Attributes:
        place: Where it was met, e.g. `items of parameter event`, or "" for a function as
            a whole.
        text: What differs, a phrase without its subject.
        part: The record, variant or enum that it is about, or "" when that is `place`.
    """

    place: str
    text: str
    part: str = ""

    @property
    def sentence(self) -> str:
        """What differs and where, without a full stop."""
        if self.part:
            return f"the hook's {self.part} ({self.place}) {self.text}"
        return f"{self.place} {self.text}".lstrip()

    @property
    def brief(self) -> str:
        """The same without the place of a named type: equal wherever that type is met."""
        return f"the hook's {self.part} {self.text}" if self.part else self.sentence


def check_function(wanted: Function, found: Function) -> Mismatch | None:
    """Compare a component's function with the contract's.

    Args:
        wanted: From the contract.
        found: From the component (component.InterfaceShape).

    Returns:
        The first difference, parameters before the result, or None.

    Source: spec/contract.md 4 and 7.
    """
    for side, differences in (
        ("parameters", _parameters(wanted, found)),
        ("results", _side("the result", wanted.result, found.result)),
    ):
        first = next(differences, None)
        if first is not None:
            return Mismatch(f"type mismatch with {side}", f"{wanted.name}: {first.sentence}")
    return None


def differences(wanted: Function, found: Function) -> Iterator[Difference]:
    """Every difference of a component's function, where check_function tells the first.

    Args:
        wanted: From the contract.
        found: From the component.

    Yields:
        Those of the parameters, then those of the result, depth first.
    """
    yield from _parameters(wanted, found)
    yield from _side("the result", wanted.result, found.result)


def _parameters(wanted: Function, found: Function) -> Iterator[Difference]:
    if len(wanted.parameters) != len(found.parameters):
        ours = _count(len(wanted.parameters), "parameter")
        theirs = _count(len(found.parameters), "parameter")
        yield Difference("", f"the contract has {ours}, the hook {theirs}")
    for mine, other in zip(wanted.parameters, found.parameters, strict=False):
        yield from _types(f"parameter {mine.name}", mine.type, other.type)


def _types(place: str, wanted: ValueType, found: ValueType) -> Iterator[Difference]:
    """The differences of two types that stand at a place."""
    match wanted, found:
        case Record(), Record():
            ours = {field.name: field.type for field in wanted.fields}
            theirs = {field.name: field.type for field in found.fields}
            yield from _parts(place, ("record", "field", wanted.name), ours, theirs)
        case Variant(), Variant():
            cases = {case.name: case.type for case in wanted.cases}
            others = {case.name: case.type for case in found.cases}
            yield from _parts(place, ("variant", "case", wanted.name), cases, others)
        case Enum(), Enum():
            yield from _names(place, f"enum {wanted.name}", "case", wanted.cases, found.cases)
        case ListOf(), ListOf():
            yield from _types(f"items of {place}", wanted.element, found.element)
        case OptionOf(), OptionOf():
            yield from _types(f"content of {place}", wanted.payload, found.payload)
        case ResultOf(), ResultOf():
            yield from _side(f"the ok side of {place}", wanted.ok, found.ok)
            yield from _side(f"the error side of {place}", wanted.error, found.error)
        case TupleOf(), TupleOf() if len(wanted.items) == len(found.items):
            for index, (mine, other) in enumerate(zip(wanted.items, found.items, strict=True)):
                yield from _types(f"{place}, item {index}", mine, other)
        case _ if wanted != found:
            yield _different(place, wanted, found)


def _different(place: str, wanted: ValueType | None, found: ValueType | None) -> Difference:
    ours, theirs = (spell(side) if side else "nothing" for side in (wanted, found))
    return Difference(place, f"is {ours} in the contract and {theirs} in the hook")


def _side(place: str, wanted: ValueType | None, found: ValueType | None) -> Iterator[Difference]:
    """Compare two types of which either may be missing."""
    if wanted is not None and found is not None:
        yield from _types(place, wanted, found)
    elif wanted is not None or found is not None:
        yield _different(place, wanted, found)


def _parts(
    place: str,
    words: tuple[str, str, str],
    wanted: Mapping[str, ValueType | None],
    found: Mapping[str, ValueType | None],
) -> Iterator[Difference]:
    """Compare fields or cases: their names, then the types of all that both have.

    Args:
        place: Where the types stand.
        words: `record` or `variant`, `field` or `case`, the contract's name of the type.
        wanted: The contract's parts.
        found: The component's parts.
    """
    kind, noun, name = words
    yield from _names(place, f"{kind} {name}", noun, tuple(wanted), tuple(found))
    for part, mine in wanted.items():
        if part in found:
            yield from _side(f"{noun} {name}.{part}", mine, found[part])


def _names(
    place: str, part: str, noun: str, wanted: Sequence[str], found: Sequence[str]
) -> Iterator[Difference]:
    """Compare the names of fields or cases: which is missing, which is extra, which moved."""
    ours, theirs = set(wanted), set(found)
    missing = [name for name in wanted if name not in theirs]
    extra = [name for name in found if name not in ours]
    texts = []
    if missing:
        texts.append(f"lacks the {_list(noun, missing)}")
    if extra:
        texts.append(f"has the extra {_list(noun, extra)}")
    if texts:
        yield Difference(place, " and ".join(texts), part)
        return
    for index, (mine, other) in enumerate(zip(wanted, found, strict=True)):
        if mine != other:
            text = f"has {noun} {other} at position {index + 1}, wanted {mine}"
            yield Difference(place, text, part)
            return


def _list(noun: str, names: Sequence[str]) -> str:
    plural = "" if len(names) == 1 else "s"
    return f"{noun}{plural} {', '.join(names)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
