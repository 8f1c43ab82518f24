"""The scope in which a step writes its code: parameters, locals, places of values.

Lives here: `Scope`, and reading a field of a value by its path. Not here: the steps
(wat_step) and the frame around them (wat). Only tests.helpers.wat_* import it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspector.contract.type import (
    Enum,
    Function,
    ListOf,
    OptionOf,
    Primitive,
    Record,
    ResultOf,
    ValueType,
)
from inspector.contract.wit import Interface
from tests.helpers import wat_layout
from tests.helpers.wat_layout import Image
from tests.helpers.wat_wasi_import import WASI_FUNCTIONS

AREA_BYTES = 64
HISTORY_BYTES = 8192

_LOADS = {
    "bool": "i32.load8_u",
    "u8": "i32.load8_u",
    "s8": "i32.load8_s",
    "u16": "i32.load16_u",
    "s16": "i32.load16_s",
    "u64": "i64.load",
    "s64": "i64.load",
    "f32": "f32.load",
    "f64": "f64.load",
}
_SIGNED = ("s8", "s16", "s32", "s64")


@dataclass(frozen=True)
class Flat:
    """A value in core locals."""

    type: ValueType
    locals: tuple[str, ...]


@dataclass(frozen=True)
class Stored:
    """A value in memory, `offset` bytes after the address in the expression `base`."""

    type: ValueType
    base: str
    offset: int = 0

    def load(self, instruction: str, extra: int = 0) -> str:
        """An expression that loads from the value's place plus `extra` bytes."""
        return f"({instruction} offset={self.offset + extra} {self.base})"


Place = Flat | Stored


def core_value(place: Place) -> str:
    """The expression of a value that is one core value."""
    if isinstance(place, Flat):
        return f"(local.get {place.locals[0]})"
    if isinstance(place.type, Enum):
        return place.load("i32.load8_u")
    assert isinstance(place.type, Primitive)
    return place.load(_LOADS.get(place.type.name, "i32.load"))


def pair(place: Place) -> tuple[str, str]:
    """Expressions of the address and the length of a string or list."""
    if isinstance(place, Flat):
        return f"(local.get {place.locals[0]})", f"(local.get {place.locals[1]})"
    return place.load("i32.load"), place.load("i32.load", 4)


def flags(place: Place) -> str:
    """The expression of the discriminant of an option or result."""
    if isinstance(place, Flat):
        return f"(local.get {place.locals[0]})"
    return place.load("i32.load8_u")


def payload(place: Place, value_type: ValueType) -> Place:
    """The place of the payload of an option or result."""
    if isinstance(place, Flat):
        return Flat(value_type, place.locals[1:])
    offset = place.offset + wat_layout.payload_offset(place.type)
    return Stored(value_type, place.base, offset)


def member(place: Place, name: str) -> Place:
    """The place of a field of a record."""
    record = place.type
    assert isinstance(record, Record), f"{record} has no fields"
    names = [f.name for f in record.fields]
    found = record.fields[names.index(name)]
    if isinstance(place, Stored):
        return Stored(found.type, place.base, place.offset + wat_layout.field_offset(record, name))
    before = sum(len(wat_layout.flat(f.type)) for f in record.fields[: names.index(name)])
    count = len(wat_layout.flat(found.type))
    return Flat(found.type, place.locals[before : before + count])


def flat_values(place: Stored) -> list[str]:
    """Expressions of the flat form of a stored value."""
    match place.type:
        case Primitive(name="string") | ListOf():
            return list(pair(place))
        case Record(fields=fields):
            places = [member(place, f.name) for f in fields]
            return [v for p in places if isinstance(p, Stored) for v in flat_values(p)]
        case OptionOf(payload=inner):
            held = payload(place, inner)
            assert isinstance(held, Stored)
            return [flags(place), *flat_values(held)]
        case _:
            return [core_value(place)]


def put(place: Place) -> str:
    """Code that adds the text of a value: a string as it is, an integer in decimal, a
    float as the decimal of its bits, an enum as its case number, a list as its length.
    """
    match place.type:
        case Primitive(name="string"):
            return f"(call $put {' '.join(pair(place))})"
        case ListOf():
            return f"(call $decimal (i64.extend_i32_u {pair(place)[1]}))"
        case Primitive(name="f64"):
            return f"(call $decimal (i64.reinterpret_f64 {core_value(place)}))"
        case Primitive(name=name):
            wide = "" if name.endswith("64") else "i64.extend_i32_s "
            if name in _SIGNED:
                return f"(call $signed {_wrapped(wide, core_value(place))})"
            return f"(call $decimal {_wrapped(wide.replace('_s ', '_u '), core_value(place))})"
        case Enum():
            return f"(call $decimal (i64.extend_i32_u {core_value(place)}))"
        case _:
            raise NotImplementedError(f"text of {place.type}; name a field of it")


def _wrapped(instruction: str, expression: str) -> str:
    return f"({instruction}{expression})" if instruction else expression


@dataclass
class Module:
    """What all functions of a double share.

    Attributes:
        interfaces: Interfaces of the contract, by full name.
        image: The static memory.
        wasi: Names of the WASI functions used (keys of WASI_FUNCTIONS).
        imports: Functions used of the runtime's own interfaces, by interface and name.
        helpers: Core functions that steps brought along, by name.
    """

    interfaces: Mapping[str, Interface]
    image: Image = field(default_factory=Image)
    wasi: dict[str, None] = field(default_factory=dict)
    imports: dict[str, dict[str, Function]] = field(default_factory=dict)
    helpers: dict[str, str] = field(default_factory=dict)
    area: int = 0
    history: int = 0

    def __post_init__(self) -> None:
        self.area = self.image.reserve(AREA_BYTES)

    def history_address(self) -> int:
        """Where the marks are kept; taken at first use."""
        self.history = self.history or self.image.reserve(HISTORY_BYTES)
        return self.history


@dataclass
class Scope:
    """One function while its code is written.

    Attributes:
        module: Shared by all functions.
        function: Its contract type.
        locals: Name and core type of each local besides the parameters.
    """

    module: Module
    function: Function
    locals: list[tuple[str, str]] = field(default_factory=list)
    labels: int = 0

    @property
    def parameters(self) -> list[str]:
        """The core types of the function's parameters."""
        return wat_layout.parameters([p.type for p in self.function.parameters])

    @property
    def event(self) -> Place:
        """The place of the function's one parameter."""
        record = self.function.parameters[0].type
        count = len(self.parameters)
        if count == 1 < len(wat_layout.flat(record)):
            return Stored(record, "(local.get $p0)")
        return Flat(record, tuple(f"$p{number}" for number in range(count)))

    def local(self, core_type: str = "i32") -> str:
        """A fresh local; returns its name."""
        name = f"$v{len(self.locals)}"
        self.locals.append((name, core_type))
        return name

    def label(self, stem: str) -> str:
        """A fresh label that begins with `$` and a stem."""
        self.labels += 1
        return f"${stem}{self.labels}"

    def text(self, content: str | bytes) -> str:
        """Address and length of a static text, as two operands."""
        address, length = self.module.image.text(content)
        return f"(i32.const {address}) (i32.const {length})"

    def wasi(self, *names: str) -> None:
        """Note that the code calls WASI functions."""
        for name in names:
            assert name in WASI_FUNCTIONS, name
            self.module.wasi[name] = None

    def helper(self, name: str, code: str, *wasi: str) -> None:
        """Add a core function once, and the WASI functions it calls."""
        self.module.helpers.setdefault(name, code)
        self.wasi(*wasi)

    def locate(self, place: Place, path: str, absent: str) -> tuple[str, Place]:
        """Find a value inside another.

        Args:
            place: Where to begin.
            path: Field names and indexes, e.g. `messages[0].content`; "" for `place`.
            absent: Label to branch to when an option is none or a list too short.

        Returns:
            Code that checks the way, and the place; options are unwrapped.
        """
        code, place = self._unwrap(place, absent)
        for name, index in re.findall(r"([a-z0-9-]+)|\[(\d+)\]", path):
            if name:
                place = member(place, name)
            else:
                more, place = self._item(place, int(index), absent)
                code += more
            more, place = self._unwrap(place, absent)
            code += more
        return code, place

    def _unwrap(self, place: Place, absent: str) -> tuple[str, Place]:
        code = ""
        while isinstance(place.type, OptionOf):
            code += f"(br_if {absent} (i32.eqz {flags(place)}))\n"
            place = payload(place, place.type.payload)
        return code, place

    def _item(self, place: Place, index: int, absent: str) -> tuple[str, Place]:
        assert isinstance(place.type, ListOf), f"{place.type} has no items"
        address, length = pair(place)
        element = place.type.element
        code = f"(br_if {absent} (i32.le_u {length} (i32.const {index})))\n"
        return code, Stored(element, address, index * wat_layout.size(element))

    def call(self, interface: str, function: str, arguments: list[int]) -> tuple[str, Place]:
        """Call a function of the runtime's own interfaces.

        Args:
            interface: Its name without version, e.g. `murmur:task-io/read`.
            function: Its name.
            arguments: Address of each argument in the static memory.

        Returns:
            Code, and the place of the result.
        """
        full, found = self._import(interface, function)
        self.module.imports.setdefault(full, {})[function] = found
        values = [
            value
            for parameter, address in zip(found.parameters, arguments, strict=True)
            for value in flat_values(Stored(parameter.type, f"(i32.const {address})"))
        ]
        result = found.result
        assert result is not None
        core = f"${full}.{function}"
        if not isinstance(result, ResultOf):
            local = self.local(wat_layout.flat(result)[0])
            return f"(local.set {local} (call {core} {' '.join(values)}))", Flat(result, (local,))
        area = self.module.image.reserve(wat_layout.size(result))
        code = f"(call {core} {' '.join(values)} (i32.const {area}))"
        return code, Stored(result, f"(i32.const {area})")

    def _import(self, interface: str, function: str) -> tuple[str, Function]:
        for full, found in self.module.interfaces.items():
            if full.startswith(f"{interface}@"):
                return full, found.functions[function]
        raise KeyError(f"{interface} is not in this contract")

    def place_arguments(self, interface: str, function: str, values: list[Any]) -> list[int]:
        """Put arguments into the static memory; returns their addresses."""
        _, found = self._import(interface, function)
        pairs = zip(found.parameters, values, strict=True)
        return [self.module.image.value(p.type, v) for p, v in pairs]
