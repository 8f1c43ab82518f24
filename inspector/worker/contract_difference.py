"""What separates a hook from the contract of the profile in force.

Lives here: versions, functions and imports against the contract, as sentences, and what
to rebuild. Not here: the comparison of types (runtime.type_check), whether an instance is
made at all (runtime). Only worker imports it.
"""

from collections.abc import Iterator, Mapping, Sequence

from inspector.contract.contract import EVENTS, Contract
from inspector.contract.profile import PROFILES, Profile
from inspector.contract.type import Function
from inspector.runtime import type_check
from inspector.runtime.component import ComponentShape, InterfaceShape

MOST = 50
"""So many differences are listed; a hostile component could have any number."""

LIFECYCLE = "murmur:hook/lifecycle"
"""The lifecycle interface, whatever its version."""

_OURS = "murmur:"
_SHOWN_CHARACTERS = 300
_IMPORTED_LIFECYCLE = (
    "The hook imports the lifecycle interface as functions, which no runtime provides. "
    "componentize-py and componentize-js do this when the world imports an interface "
    "that uses lifecycle types: build against a world without inference and conversation, or "
    "spell the record message out in those two interfaces."
)
_RETIRED = {
    "0.3.0": "0.2.0",
    "0.4.0": "0.2.0",
    "0.5.0": "0.2.0",
    "0.6.0": "0.3.0",
    "0.7.0": "0.3.0",
}
"""Runtime of each lifecycle version that no profile has (spec/contract.md 1)."""


def package_of(interface: str) -> str:
    """The name of an interface without its version."""
    return interface.partition("@")[0]


def lifecycle_of(contract: Contract, shape: ComponentShape) -> InterfaceShape | None:
    """The lifecycle interface that a component exports: the contract's, else its first.

    Args:
        contract: Of the profile in force.
        shape: What the component exports.
    """
    others = (each for name, each in shape.exports.items() if package_of(name) == LIFECYCLE)
    return shape.export(contract.interface) or next(others, None)


def report(profile: Profile, shape: ComponentShape, takers: Sequence[str]) -> tuple[str, ...]:
    """Everything that separates a hook from the contract, as short sentences.

    Args:
        profile: The profile in force.
        shape: What the component exports and imports.
        takers: Profiles that make an instance of it.

    Returns:
        The versions, who takes it, each difference (at most MOST), what to do; nothing
        for a hook that matches and for a component without a lifecycle interface.

    Source: spec/contract.md 1 to 6.
    """
    contract = profile.contract
    if lifecycle_of(contract, shape) is None:
        return ()
    found = changes(profile, shape)
    if not found and shape.export(contract.interface) is not None:
        return ()
    listed = found[:MOST]
    if len(found) > MOST:
        listed = (*listed, f"There are {len(found) - MOST} more.")
    return (
        _clipped(_versions(profile, shape)),
        _takers(takers),
        *listed,
        _clipped(_remedy(profile, shape, takers)),
    )


def changes(profile: Profile, shape: ComponentShape) -> tuple[str, ...]:
    """Each difference of a hook from the contract, without what to do about them.

    Args:
        profile: The profile in force.
        shape: What the component exports and imports.

    Returns:
        Differences of most functions first; a difference of one named type once, with
        the functions that meet it.
    """
    return (*function_changes(profile, shape), *map(_clipped, _imports(profile, shape)))


def function_changes(profile: Profile, shape: ComponentShape) -> tuple[str, ...]:
    """The part of `changes` that is about functions and their types.

    Args:
        profile: The profile in force.
        shape: What the component exports and imports.
    """
    lifecycle = lifecycle_of(profile.contract, shape)
    if lifecycle is None:
        return ()
    where: dict[str, list[str]] = {}
    for name, wanted, found in _pairs(profile.contract, lifecycle, shape):
        for difference in type_check.differences(wanted, found):
            places = where.setdefault(difference.brief, [])
            if name not in places:
                places.append(name)
    known = [name for name in lifecycle.functions if name in EVENTS]
    grouped = sorted(where.items(), key=lambda item: -len(item[1]))
    sentences = [
        *_missing(profile.contract, lifecycle),
        *(f"{_where(places, known)}: {text}." for text, places in grouped),
    ]
    return tuple(map(_clipped, sentences))


def _pairs(
    contract: Contract, lifecycle: InterfaceShape, shape: ComponentShape
) -> Iterator[tuple[str, Function, Function]]:
    """Every function that both sides have: its name, the contract's, the hook's."""
    both = [(contract.lifecycle.functions, lifecycle.functions)]
    for name, interface in shape.imports.items():
        ours = _provided(contract, name)
        if ours is not None:
            both.append((contract.interfaces[ours].functions, interface.functions))
    for wanted, found in both:
        yield from ((name, wanted[name], found[name]) for name in wanted if name in found)


def _provided(contract: Contract, name: str) -> str | None:
    """The host interface of the same package that the contract has, in its own version."""
    package = package_of(name)
    return next(
        (
            each
            for each in contract.interfaces
            if package_of(each) == package and contract.import_rule(each) is not None
        ),
        None,
    )


def _where(places: Sequence[str], lifecycle: Sequence[str]) -> str:
    if len(lifecycle) > 1 and all(name in places for name in lifecycle):
        others = [name for name in places if name not in lifecycle]
        return ", ".join(["Every lifecycle function", *others])
    return ", ".join(places)


def _missing(contract: Contract, lifecycle: InterfaceShape) -> Iterator[str]:
    missing = missing_functions(contract, lifecycle)
    if missing:
        yield f"It lacks {', '.join(missing)}, without which no instance is made."
    unknown = [name for name in lifecycle.functions if name not in contract.lifecycle.functions]
    if unknown:
        yield f"It exports {', '.join(unknown)}, which the contract does not have."


def missing_functions(contract: Contract, lifecycle: InterfaceShape) -> tuple[str, ...]:
    """Functions that an instance needs and the hook does not export."""
    return tuple(name for name in contract.rules.required if name not in lifecycle.functions)


def _imports(profile: Profile, shape: ComponentShape) -> Iterator[str]:
    contract = profile.contract
    for name, interface in shape.imports.items():
        ours = _provided(contract, name)
        if contract.import_rule(name) is None and not interface.types_only:
            yield f"It imports {name}. {unprovided_note(profile, name)}"
        if ours is not None:
            known: Mapping[str, Function] = contract.interfaces[ours].functions
            unknown = [each for each in interface.functions if each not in known]
            if unknown:
                yield f"It imports {', '.join(unknown)}, which {ours} does not have."
    for name in shape.other_imports:
        yield f"It imports {name}, which is no interface; no runtime provides that."


def unprovided_note(profile: Profile, name: str) -> str:
    """Why an import is not provided, and what to do.

    Args:
        profile: The profile in force.
        name: The import's full name.
    """
    package = package_of(name)
    if package == LIFECYCLE:
        return _IMPORTED_LIFECYCLE
    rules = profile.contract.rules.imports
    ours = next((r.interface for r in rules if package_of(r.interface) == package), None)
    if ours is not None:
        return f"Profile {profile.name} provides {ours} and no other version: rebuild against it."
    others = [
        each.name for each in PROFILES.values() if each.contract.import_rule(name) is not None
    ]
    if others:
        return f"Only profile {' and '.join(others)} provides it."
    return "No profile provides it: remove the import, or the code that needs it."


def _versions(profile: Profile, shape: ComponentShape) -> str:
    exported = [name for name in shape.exports if package_of(name) == LIFECYCLE]
    imported = [name for name in shape.imports if name.startswith(_OURS)]
    texts = [f"It exports {' and '.join(map(_dated, exported))}"]
    if imported:
        texts.append(f"imports {', '.join(imported)}")
    return f"{' and '.join(texts)}; profile {profile.name} takes {profile.contract.interface}."


def _dated(lifecycle: str) -> str:
    runtime = _RETIRED.get(lifecycle.partition("@")[2])
    return lifecycle if runtime is None else f"{lifecycle} (of runtime {runtime})"


def _takers(takers: Sequence[str]) -> str:
    if not takers:
        return "No profile takes it."
    return f"Profile {' and '.join(takers)} makes an instance of it."


def _remedy(profile: Profile, shape: ComponentShape, takers: Sequence[str]) -> str:
    contract = profile.contract
    lifecycle = shape.export(contract.interface)
    if lifecycle is not None:
        missing = missing_functions(contract, lifecycle)
        if missing and len(changes(profile, shape)) == 1:
            return f"Export {', '.join(missing)} too; answering none is enough."
    wanted = [contract.interface]
    for name in shape.imports:
        ours = _provided(contract, name)
        if ours is not None and contract.import_rule(name) is None:
            wanted.append(ours)
    others = [name for name in takers if name != profile.name]
    otherwise = f", or choose profile {' or '.join(others)}" if others else ""
    return f"Rebuild the hook against {', '.join(wanted)}{otherwise}."


def _clipped(sentence: str) -> str:
    """A sentence of bearable length; names of a component may be of any number."""
    if len(sentence) <= _SHOWN_CHARACTERS:
        return sentence
    return f"{sentence[: _SHOWN_CHARACTERS - 1]}…"
