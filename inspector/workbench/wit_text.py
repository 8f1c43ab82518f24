"""A hook's component as WIT text.

Lives here: the world, and the lifecycle interface with its types. Not here: parsing WIT
(contract.wit), other layouts (workbench.inspection_text). Command line and window import
it.

The text is WIT: what the component imports and exports, and of the lifecycle interface
the functions that it really has, each as the component spells it. The types beside
them are the contract's, so a function that differs is marked.
"""

from collections.abc import Iterator

from inspector.contract.contract import Contract, load, versions
from inspector.contract.type import Enum, Record, ValueType, Variant, spell
from inspector.protocol.inspection import HookView
from inspector.workbench.formatting import one_line


def wit_lines(hook: HookView) -> Iterator[str]:
    """The WIT text of one hook.

    Args:
        hook: From an inspection.

    Yields:
        Lines without their ends.
    """
    state = "accepted" if hook.accepted else "rejected"
    yield f"// {one_line(f'{hook.name} {hook.version}')}: {state}"
    if hook.rejection is not None:
        yield from _comment(hook.rejection)
    yield "package root:component;"
    yield ""
    yield "world root {"
    for found in hook.imports:
        if ":" in found.interface:
            note = _note(found.provided, found.gate, found.granted)
            yield f"    import {found.interface};{note}"
        else:
            yield from _comment(f"import {found.interface}, which is no interface", "    ")
    for name in (*filter(None, [hook.lifecycle]), *hook.other_exports):
        if ":" in name:
            yield f"    export {name};"
        else:
            yield from _comment(f"export {name}, which is no interface", "    ")
    yield "}"
    contract = _contract(hook)
    if contract is not None:
        yield ""
        yield from _package(hook, contract)


def _note(provided: bool, gate: str | None, granted: bool | None) -> str:
    if not provided:
        return "  // not provided"
    if gate is None:
        return ""
    return f"  // {gate}: {'granted' if granted else 'not granted'}"


def _comment(text: str, indent: str = "") -> Iterator[str]:
    for line in text.split("\n"):
        yield f"{indent}// {one_line(line, 400)}".rstrip()


def _contract(hook: HookView) -> Contract | None:
    """The contract that the component was built for, when it is one that is known."""
    version = (hook.lifecycle or "").partition("@")[2]
    if version not in versions() or not any(export.present for export in hook.exports):
        return None
    return load(version)


def _package(hook: HookView, contract: Contract) -> Iterator[str]:
    package, _, interface = contract.interface.partition("@")[0].partition("/")
    yield f"package {package}@{contract.version} {{"
    yield f"    interface {interface} {{"
    for value_type in contract.lifecycle.types.values():
        yield from (f"        {line}" for line in type_lines(value_type))
        yield ""
    for export in hook.exports:
        if not export.present:
            need = "required" if export.required else "optional"
            yield f"        // {export.function} is not exported ({need})"
            continue
        if not export.signature_matches:
            yield from _comment(export.mismatch or "differs from the contract", " " * 8)
        yield f"        {export.function}: {export.signature};"
    yield "    }"
    yield "}"


def type_lines(value_type: ValueType) -> Iterator[str]:
    """The definition of a named type; nothing for a type without a name."""
    match value_type:
        case Record(name=name, fields=fields):
            yield f"record {name} {{"
            yield from (f"    {field.name}: {spell(field.type)}," for field in fields)
            yield "}"
        case Variant(name=name, cases=cases):
            yield f"variant {name} {{"
            for case in cases:
                payload = f"({spell(case.type)})" if case.type is not None else ""
                yield f"    {case.name}{payload},"
            yield "}"
        case Enum(name=name, cases=words):
            yield f"enum {name} {{"
            yield from (f"    {word}," for word in words)
            yield "}"
        case _:
            return
