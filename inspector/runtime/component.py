"""Compiled hooks, and what a component exports and imports in contract types.

Lives here: compiling, `ComponentShape`, and the conversion of component types. Not
here: whether a shape fits a contract (type_check), running it (instance). Rooms above
may import it.
"""

import time
from collections.abc import Iterable, Mapping

import msgspec
import wasmtime
from wasmtime import WasmtimeError
from wasmtime import component as wc

from inspector.contract.type import Function, ValueType
from inspector.runtime import capi, failure, lifetime
from inspector.runtime.component_type import TypeConverter
from inspector.runtime.engine import HookEngine

_MAGIC = b"\0asm"
_CORE_VERSION = b"\1\0\0\0"
_UNPARSED = "failed to parse WebAssembly module"
"""The engine's outermost text for bytes that are no WebAssembly."""


class CompileError(Exception):
    """A component that the engine refuses.

    Attributes:
        text: The engine's outermost text.
        detail: The engine's whole text.
        hint: One sentence of ours on what the file is, or "".
    """

    def __init__(self, text: str, detail: str = "", hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.detail = detail or text
        self.hint = hint


class InterfaceShape(msgspec.Struct, frozen=True):
    """An instance that a component exports or imports.

    Attributes:
        name: Full name, e.g. `murmur:hook/lifecycle@0.8.0`.
        functions: Its functions by name, in declared order.
        types: Its named types.
        resources: Names of its resources.
        others: Names of items of other kinds (modules, components, instances).
    """

    name: str
    functions: Mapping[str, Function]
    types: Mapping[str, ValueType]
    resources: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def types_only(self) -> bool:
        """Whether an import asks for nothing that a host must define."""
        return not (self.functions or self.resources or self.others)


class ComponentShape(msgspec.Struct, frozen=True):
    """What a component exports and imports, in declared order.

    Attributes:
        exports: Exported instances by name.
        imports: Imported instances by name.
        other_exports: Names of exports that are no instances.
        other_imports: Names of imports that are no instances.
    """

    exports: Mapping[str, InterfaceShape]
    imports: Mapping[str, InterfaceShape]
    other_exports: tuple[str, ...] = ()
    other_imports: tuple[str, ...] = ()

    def export(self, name: str) -> InterfaceShape | None:
        """The exported instance that the engine finds under a name.

        Args:
            name: Full name with version; a compatible one is found too.
        """
        found = find_compatible(name, self.exports)
        return None if found is None else self.exports[found]


class CompiledHook:
    """A component, compiled for one engine.

    Attributes:
        engine: Its engine.
        shape: What it exports and imports.
        compile_us: Wall time of the compilation.
    """

    def __init__(self, engine: HookEngine, component: wc.Component, compile_us: int) -> None:
        self.engine = engine
        self.compile_us = compile_us
        self.component = component
        self.shape = _shape(engine.wasmtime_engine, component)
        lifetime.register(self)

    def on(self, engine: HookEngine) -> "CompiledHook":
        """The same component for another engine, without compiling again.

        Args:
            engine: Of the same configuration, as every HookEngine is.
        """
        started = time.perf_counter_ns()
        component = wc.Component.deserialize(engine.wasmtime_engine, self.component.serialize())
        return CompiledHook(engine, component, _elapsed_us(started))

    def close(self) -> None:
        """Give the compiled code back; instances must be closed before."""
        self.component.close()


def compile_hook(engine: HookEngine, data: bytes) -> CompiledHook:
    """Compile a component.

    Args:
        engine: The engine it is to run on.
        data: A component in binary form.

    Returns:
        The compiled hook.

    Raises:
        CompileError: when it is something else, or not valid.
    """
    started = time.perf_counter_ns()
    if not data.startswith(_MAGIC):
        # The engine would take it for text, and text is not what the runtime stages.
        raise CompileError(_UNPARSED, hint=_hint(data))
    try:
        component = capi.new_component(engine.wasmtime_engine, bytes(data))
    except WasmtimeError as error:
        text, detail = failure.display_text(error), failure.full_text(error)
        raise CompileError(text, detail, _hint(data)) from error
    return CompiledHook(engine, component, _elapsed_us(started))


def _elapsed_us(started_ns: int) -> int:
    return (time.perf_counter_ns() - started_ns) // 1000


def _hint(data: bytes) -> str:
    """What a refused file is, in one sentence."""
    if not data:
        return "The file is empty."
    if not data.startswith(_MAGIC):
        if data.lstrip().startswith(b"("):
            return "The file is WebAssembly text; it has to be in binary form."
        return "The file is no WebAssembly: it does not begin with the bytes 00 61 73 6d."
    if data[4:8] == _CORE_VERSION:
        return (
            "The file is a core module, not a component; wrap it with `wasm-tools component new`."
        )
    return "The component is damaged or cut off, or uses a feature that this engine lacks."


def binary_from_text(text: str) -> bytes:
    """The binary form of a component in WebAssembly text.

    Args:
        text: A component, or any module, as WAT.

    Raises:
        CompileError: when the text does not parse; the text names line and column.
    """
    try:
        return bytes(wasmtime.wat2wasm(text))
    except WasmtimeError as error:
        raise CompileError(failure.display_text(error), failure.full_text(error)) from error


def find_compatible(name: str, names: Iterable[str]) -> str | None:
    """The name that the engine resolves a look-up to.

    The exact name wins; else the highest version that is compatible in the sense of
    semantic versioning: same major, or same minor below 1.0.

    Args:
        name: Full name, with or without version.
        names: What is there.

    Returns:
        One of `names`, or None.
    """
    known = list(names)
    if name in known:
        return name
    key = _compatibility_key(name)
    if key is None:
        return None
    candidates = [each for each in known if _compatibility_key(each) == key]
    return max(candidates, key=_version, default=None)


def _version(name: str) -> tuple[int, ...]:
    numbers = name.rpartition("@")[2].partition("+")[0].split(".")
    return tuple(int(number) for number in numbers)


def _compatibility_key(name: str) -> tuple[str, int, int] | None:
    base, at, version = name.rpartition("@")
    numbers = version.partition("+")[0].split(".")
    # A pre-release is compatible with itself alone, and so is 0.0.x.
    if not at or len(numbers) != 3 or not all(number.isdecimal() for number in numbers):
        return None
    major, minor = int(numbers[0]), int(numbers[1])
    if major:
        return base, major, 0
    return (base, 0, minor) if minor else None


def _shape(engine: wasmtime.Engine, component: wc.Component) -> ComponentShape:
    with component.type as kind:
        exports, other_exports = _interfaces(engine, kind.exports(engine))
        imports, other_imports = _interfaces(engine, kind.imports(engine))
    return ComponentShape(exports, imports, other_exports, other_imports)


def _interfaces(
    engine: wasmtime.Engine, items: Mapping[str, object]
) -> tuple[Mapping[str, InterfaceShape], tuple[str, ...]]:
    """Split items into instances and the rest."""
    interfaces: dict[str, InterfaceShape] = {}
    others = []
    converter = TypeConverter()
    for name, extern in items.items():
        item = item_of(extern)
        if isinstance(item, wc.ComponentInstanceType):
            interfaces[name] = _interface(engine, name, item, converter)
        else:
            others.append(name)
            converter.name_item(name, item)
    return interfaces, tuple(others)


def _interface(
    engine: wasmtime.Engine, name: str, kind: wc.ComponentInstanceType, converter: TypeConverter
) -> InterfaceShape:
    items = {each: item_of(extern) for each, extern in kind.exports(engine).items()}
    for each, item in items.items():
        converter.name_item(each, item)
    functions: dict[str, Function] = {}
    types: dict[str, ValueType] = {}
    resources = []
    others = []
    for each, item in items.items():
        if isinstance(item, wc.FuncType):
            functions[each] = converter.function(each, item)
        elif isinstance(item, wc.ResourceType):
            resources.append(each)
        elif isinstance(item, wc.ValType):
            types[each] = converter.value_type(item)
        else:
            others.append(each)
    return InterfaceShape(name, functions, types, tuple(resources), tuple(others))


def item_of(extern: object) -> object:
    """What an extern is; None for a kind that the library does not know."""
    try:
        return extern.ty  # type: ignore[attr-defined]
    except (TypeError, WasmtimeError):
        return None
