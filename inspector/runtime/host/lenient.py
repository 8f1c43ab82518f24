"""Lenient imports: what no runtime defines becomes a trap, so that a hook can be looked at.

Lives here: what a component imports in vain, and the traps. Not here: what is defined
otherwise (imports). Only runtime.host imports it.

WORKAROUND wasmtime 50: `Linker.define_unknown_imports_as_traps` goes by exact names. It
puts traps over every WASI interface that the hook imports in another patch version than
the engine's, and so breaks hooks that would run. tests/unit/runtime/host/test_imports.py
tells when it may be used.
"""

from collections.abc import Mapping
from typing import Any

from wasmtime import component as wc
from wasmtime.component import Linker, LinkerInstance

from inspector.contract.contract import Contract
from inspector.contract.type import Function
from inspector.runtime import capi
from inspector.runtime.component import CompiledHook, ComponentShape, find_compatible, item_of

_RESOURCE_BASE = 1_000_000
"""Numbers of trap resources; the engine has no other host resources of ours."""


def unmet_imports(shape: ComponentShape, contract: Contract) -> tuple[str, ...]:
    """What a component imports and no runtime of a contract defines.

    Functions of WASI interfaces are taken for defined, since the engine knows them.

    Args:
        shape: Of the component.
        contract: Whose rules hold.

    Returns:
        Interface names, or `INTERFACE#FUNCTION` where only some functions are missing.
    """
    unmet = list(shape.other_imports)
    for name, interface in shape.imports.items():
        known = find_compatible(name, defined_interfaces(contract))
        if known is not None:
            ours = contract.interfaces[known].functions
            unmet += [f"{name}#{each}" for each in interface.functions if each not in ours]
        elif contract.import_rule(name) is None and not interface.types_only:
            unmet.append(name)
    return tuple(unmet)


def defined_interfaces(contract: Contract) -> tuple[str, ...]:
    """The interfaces of a contract's own packages that its runtime defines."""
    return tuple(name for name in contract.interfaces if contract.import_rule(name) is not None)


def missing_functions(
    shape: ComponentShape, contract: Contract, interface: str
) -> Mapping[str, Function]:
    """Functions that a component wants of a defined interface and that it does not have.

    Args:
        shape: Of the component.
        contract: Whose rules hold.
        interface: One of `defined_interfaces`.
    """
    ours = contract.interfaces[interface].functions
    defined = defined_interfaces(contract)
    return {
        name: function
        for wanted, found in shape.imports.items()
        if find_compatible(wanted, defined) == interface
        for name, function in found.functions.items()
        if name not in ours
    }


def define_traps(linker: Linker, compiled: CompiledHook, contract: Contract) -> None:
    """Define every import that nobody defines, as far as an import can be a trap.

    A module, a component or an instance inside an instance cannot; the hook then fails
    to instantiate as it does elsewhere.

    Args:
        linker: Has everything that is defined otherwise.
        compiled: The component.
        contract: Whose rules hold.
    """
    unmet = set(unmet_imports(compiled.shape, contract))
    engine = compiled.engine.wasmtime_engine
    known: list[wc.ResourceType] = []
    with compiled.component.type as kind, linker.root() as root:
        for name, extern in kind.imports(engine).items():
            item = item_of(extern)
            if isinstance(item, wc.ComponentInstanceType):
                items = {each: item_of(found) for each, found in item.exports(engine).items()}
                if name in unmet:
                    with root.add_instance(name) as instance:
                        _fill(instance, name, items, known)
                known += [each for each in items.values() if isinstance(each, wc.ResourceType)]
            elif name in unmet:
                _fill(root, "", {name: item}, known)


def _fill(
    target: LinkerInstance, interface: str, items: Mapping[str, Any], known: list[wc.ResourceType]
) -> None:
    """Traps for functions, types without values for resources of the interface's own."""
    for name, item in items.items():
        if isinstance(item, wc.FuncType):
            place = f"{interface}#{name}" if interface else name
            number = _TRAPS.add(trap_text(place))
            capi.add_function(target, name, _enter, _drop, number)
        elif isinstance(item, wc.ResourceType) and item not in known:
            # One that is `use`d from another interface is defined there.
            number = _RESOURCE_BASE + len(known)
            target.add_resource(name, wc.ResourceType.host(number), _no_destructor)
            known.append(item)


def trap_text(place: str) -> str:
    """The text of a trap, in the words of the engine.

    Args:
        place: `INTERFACE#FUNCTION`.
    """
    return f"unknown import: `{place}` has not been defined"


def _no_destructor(_store: object, _number: int) -> None:
    """No value of the type can have been made."""


_TRAPS: capi.Registry[str] = capi.Registry()


@capi.static(capi.HOST_CALLBACK)
def _enter(
    number: Any, context: Any, kind: Any, arguments: Any, count: int, results: Any, expected: int
) -> int:
    try:
        return capi.new_error(_TRAPS.get(number))
    except BaseException:  # noqa: BLE001 -- nothing may be raised into the C side
        capi.log_unraisable("a lenient import")
        return capi.new_error("an unknown import has not been defined")


_drop = capi.finalizer(_TRAPS)
