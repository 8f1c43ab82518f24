"""Memory layout of contract types, and the static memory image of a double.

Lives here: sizes, offsets and flat forms by the canonical ABI, and `Image`, which lays
values out as data. Not here: instructions (wat_step). Only tests.helpers.wat_* import it.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspector.contract import value
from inspector.contract.type import (
    Enum,
    ListOf,
    OptionOf,
    Primitive,
    Record,
    ResultOf,
    TupleOf,
    ValueType,
    Variant,
)

_SIZES = {"bool": 1, "u8": 1, "s8": 1, "u16": 2, "s16": 2, "u64": 8, "s64": 8, "f64": 8}
_FORMATS = {
    "bool": "<?",
    "u8": "<B",
    "s8": "<b",
    "u16": "<H",
    "s16": "<h",
    "u32": "<I",
    "s32": "<i",
    "u64": "<Q",
    "s64": "<q",
    "f32": "<f",
    "f64": "<d",
}
_CORE = {"u64": "i64", "s64": "i64", "f32": "f32", "f64": "f64"}
MAX_FLAT_PARAMETERS = 16


def align(value_type: ValueType) -> int:
    """The alignment of a type in bytes."""
    match value_type:
        case Primitive(name=name):
            return _SIZES.get(name, 4)
        case ListOf():
            return 4
        case _:
            return max([1, *map(align, parts(value_type))])


def size(value_type: ValueType) -> int:
    """The size of a type in bytes, padding at its end included."""
    match value_type:
        case Primitive(name="string") | ListOf():
            return 8
        case Primitive(name=name):
            return _SIZES.get(name, 4)
        case Record() | TupleOf():
            end = max([0, *(at + size(part) for at, part in _members(value_type))])
        case Enum():
            return 1
        case _:
            end = payload_offset(value_type) + max([0, *map(size, parts(value_type))])
    return _up(end, align(value_type))


def payload_offset(value_type: ValueType) -> int:
    """Where the payload of an option, result or variant begins, in bytes."""
    return max([1, *map(align, parts(value_type))])


def field_offset(record: Record, name: str) -> int:
    """Where a field of a record begins, in bytes."""
    names = [f.name for f in record.fields]
    return _members(record)[names.index(name)][0]


def flat(value_type: ValueType) -> list[str]:
    """The core value types that a value is passed as.

    Raises:
        NotImplementedError: for a variant whose payloads would share core values.
    """
    match value_type:
        case Primitive(name="string") | ListOf():
            return ["i32", "i32"]
        case Primitive(name=name):
            return [_CORE.get(name, "i32")]
        case Record() | TupleOf():
            return [core for part in parts(value_type) for core in flat(part)]
        case Enum():
            return ["i32"]
        case OptionOf(payload=payload):
            return ["i32", *flat(payload)]
        case _:
            raise NotImplementedError(f"flat form of {value_type}")


def parameters(value_types: list[ValueType]) -> list[str]:
    """The core parameters of a function: the flat values, or one pointer when too many."""
    values = [core for value_type in value_types for core in flat(value_type)]
    return values if len(values) <= MAX_FLAT_PARAMETERS else ["i32"]


def flat_result(value_type: ValueType) -> list[str]:
    """The core values of a result; two or more stand for a pointer to a result area."""
    is_wide = isinstance(value_type, ResultOf | Variant)
    return ["i32", "i32"] if is_wide else flat(value_type)


def parts(value_type: ValueType) -> list[ValueType]:
    """The types that a record, tuple, option, result or variant is made of."""
    match value_type:
        case Record(fields=fields):
            return [f.type for f in fields]
        case TupleOf(items=items):
            return list(items)
        case OptionOf(payload=payload):
            return [payload]
        case ResultOf(ok=ok, error=error):
            return [side for side in (ok, error) if side is not None]
        case Variant(cases=cases):
            return [case.type for case in cases if case.type is not None]
        case _:
            return []


def _members(value_type: Record | TupleOf) -> list[tuple[int, ValueType]]:
    members, at = [], 0
    for part in parts(value_type):
        at = _up(at, align(part))
        members.append((at, part))
        at += size(part)
    return members


def _up(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


class Computed:
    """A part of a value that the guest computes; `Image` leaves a hole for it."""


@dataclass
class Image:
    """The static memory of a double, filled while its code is written.

    Attributes:
        base: Address of the first byte.
        data: The bytes so far.
        holes: Address, type and content of each hole since they were last taken.
    """

    base: int = 1024
    data: bytearray = field(default_factory=bytearray)
    holes: list[tuple[int, ValueType, Computed]] = field(default_factory=list)
    _texts: dict[bytes, int] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """The first free address, aligned to 8."""
        return _up(self.base + len(self.data), 8)

    def reserve(self, count: int, alignment: int = 8) -> int:
        """Take zeroed bytes; returns their address."""
        address = _up(self.base + len(self.data), alignment)
        self.data.extend(bytes(address + count - self.base - len(self.data)))
        return address

    def text(self, content: str | bytes) -> tuple[int, int]:
        """Place a text once; returns address and length in bytes."""
        encoded = content.encode() if isinstance(content, str) else content
        if encoded not in self._texts:
            self._texts[encoded] = self.reserve(len(encoded), 1)
            self._write(self._texts[encoded], encoded)
        return self._texts[encoded], len(encoded)

    def value(self, value_type: ValueType, content: Any) -> int:
        """Place a value in the spelling of contract.value; returns its address.

        Missing record fields take their default. A `Computed` part becomes a hole.
        """
        address = self.reserve(size(value_type), align(value_type))
        self._store(value_type, content, address)
        return address

    def take_holes(self) -> list[tuple[int, ValueType, Computed]]:
        """The holes since the last call."""
        taken, self.holes = self.holes, []
        return taken

    def segment(self) -> str:
        """The data segment in WAT."""
        content = "".join(f"\\{byte:02x}" for byte in self.data)
        return f'(data (i32.const {self.base}) "{content}")'

    def _write(self, address: int, content: bytes) -> None:
        at = address - self.base
        self.data[at : at + len(content)] = content

    def _store(self, value_type: ValueType, content: Any, address: int) -> None:
        if isinstance(content, Computed) and not isinstance(value_type, OptionOf):
            self.holes.append((address, value_type, content))
            return
        match value_type:
            case Primitive(name="string"):
                self._write(address, struct.pack("<II", *self.text(content)))
            case Primitive(name="char"):
                self._write(address, struct.pack("<I", ord(content)))
            case Primitive(name=name):
                self._write(address, struct.pack(_FORMATS[name], content))
            case ListOf(element=element):
                self._store_list(element, content, address)
            case Record() | TupleOf():
                self._store_members(value_type, content, address)
            case Enum(cases=names):
                self._write(address, bytes([names.index(content)]))
            case _:
                self._store_case(value_type, content, address)

    def _store_list(self, element: ValueType, content: list[Any], address: int) -> None:
        items = self.reserve(size(element) * len(content), align(element))
        for number, item in enumerate(content):
            self._store(element, item, items + number * size(element))
        self._write(address, struct.pack("<II", items, len(content)))

    def _store_members(self, value_type: Record | TupleOf, content: Any, address: int) -> None:
        names = [f.name for f in value_type.fields] if isinstance(value_type, Record) else []
        if unknown := set(content) - set(names) if names else set():
            raise KeyError(f"{value_type} has no {sorted(unknown)}")
        for number, (at, part) in enumerate(_members(value_type)):
            key: Any = names[number] if names else number
            given = key in content if names else True
            self._store(part, content[key] if given else value.default(part), address + at)

    def _store_case(self, value_type: ValueType, content: Any, address: int) -> None:
        number, payload_type, payload = _case(value_type, content)
        self._write(address, bytes([number]))
        if payload_type is not None:
            self._store(payload_type, payload, address + payload_offset(value_type))


def _case(value_type: ValueType, content: Any) -> tuple[int, ValueType | None, Any]:
    """Discriminant, payload type and payload of an option, result or variant."""
    match value_type:
        case OptionOf(payload=payload):
            return (0, None, None) if content is None else (1, payload, content)
        case ResultOf(ok=ok, error=error):
            ((side, inner),) = content.items()
            return (0, ok, inner) if side == "ok" else (1, error, inner)
        case Variant(cases=cases):
            name, inner = _named(content)
            number = [case.name for case in cases].index(name)
            return number, cases[number].type, inner
        case _:
            raise NotImplementedError(f"cases of {value_type}")


def _named(content: Any) -> tuple[str, Any]:
    if isinstance(content, Mapping):
        ((name, inner),) = content.items()
        return str(name), inner
    return str(content), None
