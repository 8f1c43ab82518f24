"""A guest run with the wasmtime library's own conversions, without the inspector.

Lives here: `Guest`, the yardstick that doubles and samples are checked with. Not here:
anything of inspector.runtime, which is tested against it. Any test may import it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import wasmtime
from wasmtime import component as wc

from inspector.contract import contract, value
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

HostFunctions = Mapping[str, Mapping[str, Callable[..., Any]]]
"""By full interface name and function name; values in the spelling of contract.value."""

_PRIMITIVES: dict[str, type] = {"bool": bool, "f32": float, "f64": float}


class Guest:
    """One instance of a component.

    Attributes:
        stdout: What it has written to stdout.
        stderr: The same for stderr.
    """

    def __init__(
        self,
        component: bytes,
        *,
        version: str = "0.8.0",
        interface: str | None = None,
        types: str | None = None,
        host: HostFunctions | None = None,
        env: tuple[tuple[str, str], ...] = (),
        preopens: Mapping[str, Path] | None = None,
        memory_bytes: int | None = None,
    ) -> None:
        self._contract = contract.load(version)
        self._functions = self._contract.interfaces[types or self._contract.interface].functions
        self._name = interface or types or self._contract.interface
        self.stdout = bytearray()
        self.stderr = bytearray()
        config = wasmtime.Config()
        config.epoch_interruption = True
        self._engine = wasmtime.Engine(config)
        self._store = wasmtime.Store(self._engine)
        self._store.set_epoch_deadline(2**40)
        if memory_bytes is not None:
            self._store.set_limits(memory_size=memory_bytes)
        self._store.set_wasi(self._wasi(env, preopens or {}))
        self._store.set_wasi_http()
        try:
            self._instance = self._link(host or {}).instantiate(
                self._store, wc.Component(self._engine, component)
            )
        except BaseException:
            self._store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._store.close()

    def call(self, function: str, **fields: Any) -> Any:
        """Call a function of one record.

        Args:
            function: E.g. `on-shell`.
            fields: Fields of the record, with `_` for `-`; the others take their default.

        Returns:
            The result in the spelling of contract.value.

        Raises:
            wasmtime.WasmtimeError: when the guest traps or the types do not fit.
        """
        declared = self._functions[function]
        record = declared.parameters[0].type
        given = {name.replace("_", "-"): content for name, content in fields.items()}
        argument = to_library(record, value.complete(record, given))
        assert declared.result is not None
        return from_library(declared.result, self._function(function)(self._store, argument))

    def call_interrupted(self, function: str) -> Any:
        """Call a function whose deadline has passed already."""
        self._store.set_epoch_deadline(1)
        self._engine.increment_epoch()
        return self.call(function)

    def exports(self) -> tuple[str, ...]:
        """Names of the contract's functions that the interface exports.

        Raises:
            LookupError: when the component has no such interface.
        """
        return tuple(name for name in self._functions if self._function(name) is not None)

    def parameter_fields(self, function: str) -> list[str]:
        """Field names of the record that the component's own function takes."""
        ((_, record),) = self._function(function).type(self._store).params
        return [name for name, _ in record.fields]

    def _function(self, name: str) -> Any:
        interface = self._instance.get_export_index(self._store, self._name)
        if interface is None:
            raise LookupError(f"no export {self._name}")
        index = self._instance.get_export_index(self._store, name, interface)
        return None if index is None else self._instance.get_func(self._store, index)

    def _wasi(
        self, env: tuple[tuple[str, str], ...], preopens: Mapping[str, Path]
    ) -> wasmtime.WasiConfig:
        config = wasmtime.WasiConfig()
        config.env = env
        config.stdout_custom = self._keep(self.stdout)
        config.stderr_custom = self._keep(self.stderr)
        for name, path in preopens.items():
            config.preopen_dir(str(path), name)
        return config

    @staticmethod
    def _keep(buffer: bytearray) -> Callable[[bytes], None]:
        def keep(chunk: bytes) -> None:
            buffer.extend(chunk)

        return keep

    def _link(self, host: HostFunctions) -> wc.Linker:
        linker = wc.Linker(self._engine)
        linker.add_wasip2()
        linker.add_wasi_http()
        for interface, functions in host.items():
            declared = self._contract.interfaces[interface].functions
            with linker.root() as root, root.add_instance(interface) as instance:
                for name, function in functions.items():
                    instance.add_func(name, _hosted(declared[name], function))
        return linker


def _hosted(declared: Function, function: Callable[..., Any]) -> Callable[..., Any]:
    """A host function that takes and gives values in the spelling of contract.value."""

    def call(_store: object, *arguments: Any) -> Any:
        types = [p.type for p in declared.parameters]
        values = [from_library(t, a) for t, a in zip(types, arguments, strict=True)]
        assert declared.result is not None
        return to_library(declared.result, function(*values))

    return call


def to_library(value_type: ValueType, content: Any) -> Any:
    """A value of contract.value's spelling as the library's conversions want it."""
    match value_type:
        case Primitive() | Enum():
            return content
        case ListOf(element=element):
            return [to_library(element, item) for item in content]
        case TupleOf(items=items):
            return tuple(to_library(t, item) for t, item in zip(items, content, strict=True))
        case Record(fields=fields):
            record = wc.Record()
            for field in fields:
                setattr(record, field.name, to_library(field.type, content[field.name]))
            return record
        case OptionOf(payload=payload):
            return None if content is None else to_library(payload, content)
        case Variant() | ResultOf():
            ((name, inner),) = content.items() if isinstance(content, dict) else [(content, None)]
            side = dict(_cases(value_type))[name]
            lowered = None if side is None else to_library(side, inner)
            return wc.Variant(name, lowered) if _is_tagged(value_type) else lowered


def from_library(value_type: ValueType, content: Any) -> Any:
    """The reverse of `to_library`."""
    match value_type:
        case Primitive() | Enum():
            return content
        case ListOf(element=element):
            return [from_library(element, item) for item in content]
        case TupleOf(items=items):
            return [from_library(t, item) for t, item in zip(items, content, strict=True)]
        case Record(fields=fields):
            return {f.name: from_library(f.type, getattr(content, f.name)) for f in fields}
        case OptionOf(payload=payload):
            return None if content is None else from_library(payload, content)
        case Variant() | ResultOf():
            return _from_case(value_type, content)


def _from_case(value_type: Variant | ResultOf, content: Any) -> Any:
    cases = dict(_cases(value_type))
    if _is_tagged(value_type):
        name, content = content.tag, content.payload
    else:
        name = next(n for n, t in cases.items() if t and isinstance(content, tuple(_classes(t))))
    side = cases[name]
    return name if side is None else {name: from_library(side, content)}


def _cases(value_type: Variant | ResultOf | OptionOf) -> list[tuple[str, ValueType | None]]:
    match value_type:
        case Variant(cases=cases):
            return [(case.name, case.type) for case in cases]
        case ResultOf(ok=ok, error=error):
            return [("ok", ok), ("err", error)]
        case OptionOf(payload=payload):
            return [("none", None), ("some", payload)]


def _is_tagged(value_type: Variant | ResultOf | OptionOf) -> bool:
    """Whether the library needs a tag because two cases share a Python class."""
    seen: set[type] = set()
    for _, side in _cases(value_type):
        classes = {object} if side is None else _classes(side)
        if classes & seen:
            return True
        seen |= classes
    return False


def _classes(value_type: ValueType) -> set[type]:
    match value_type:
        case Primitive(name="string") | Primitive(name="char") | Enum():
            return {str}
        case Primitive(name=name):
            return {_PRIMITIVES.get(name, int)}
        case ListOf():
            return {list}
        case TupleOf():
            return {tuple}
        case Record():
            return {wc.Record}
        case _ if _is_tagged(value_type):
            return {wc.Variant}
        case _:
            sides = [side for _, side in _cases(value_type)]
            return {c for side in sides for c in ({object} if side is None else _classes(side))}
