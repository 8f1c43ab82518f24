"""Hooks as raw WAT, for what no contract type describes: limits, odd imports.

Lives here: `raw_hook`. Not here: doubles that do something (wat). Any test may import it.
"""

from collections.abc import Iterable

from inspector.contract import contract
from tests.helpers.wat import component


def raw_hook(
    core: str = "",
    *,
    imports: str = "",
    extra: str = "",
    functions: Iterable[str] | None = None,
    interface: str | None = None,
    version: str = "0.8.0",
) -> bytes:
    """A hook whose functions take nothing and return nothing.

    Args:
        core: Fields of its core module, e.g. a memory and a start function.
        imports: Imports of the component.
        extra: Further definitions of the component, after the core instance.
        functions: What it exports, the contract's required functions by default.
        interface: The name it exports, the contract's by default.
        version: The contract.
    """
    found = contract.load(version)
    names = found.rules.required if functions is None else functions
    exports = " ".join(f'(export "{name}" (func $stub))' for name in names)
    return component(
        f"""(component {imports}
        (core module $main {core} (func (export "stub")))
        (core instance $main (instantiate $main))
        (func $stub (canon lift (core func $main "stub"))) {extra}
        (instance $lifecycle {exports})
        (export "{interface or found.interface}" (instance $lifecycle)))"""
    )
