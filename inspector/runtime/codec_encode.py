"""From contract values to `wasmtime_component_val_t`, compiled once per type.

Lives here: `Encoder` and the encoder of each kind of type. Not here: the way back
(codec_decode), calls (codec). Only codec imports it.

An encoder is a struct format for the 32 bytes of a value and a function that appends
what the format wants; whatever does not fit in 32 bytes goes to the arena first.
"""

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any, assert_never

from wasmtime.component import ResourceAny

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
    spell,
)
from inspector.runtime import capi
from inspector.runtime.codec_memory import Arena

Words = list[Any]
Emit = Callable[[Any, Words, Arena], None]


class CodecError(ValueError):
    """A value or a type that cannot cross the border to a guest."""


class Encoder:
    """How values of one type are written.

    Attributes:
        format: Struct codes of the 32 bytes, without byte order.
        emit: Appends the arguments of `format`.
        layout: `format`, compiled.
    """

    __slots__ = ("emit", "format", "layout")

    def __init__(self, payload_format: str, emit: Emit) -> None:
        self.format = "Q" + payload_format
        self.layout = struct.Struct("<" + self.format)
        self.emit = emit
        assert self.layout.size == capi.VALUE_SIZE

    def store(self, value: Any, arena: Arena) -> int:
        """Write a value into the arena.

        Returns:
            Its address.
        """
        at = arena.take(capi.VALUE_SIZE)
        data, base = arena.data, arena.base
        words: Words = []
        self.emit(value, words, arena)
        self.layout.pack_into(data, at, *words)
        return base + at


class Name:
    """A constant name with an address, for record fields and cases."""

    __slots__ = ("_bytes", "address", "size")

    def __init__(self, text: str) -> None:
        encoded = text.encode()
        self._bytes = ctypes.create_string_buffer(encoded)
        self.address = ctypes.addressof(self._bytes)
        self.size = len(encoded)


def encoder(value_type: ValueType) -> Encoder:
    """Compile the encoder of a type.

    Raises:
        CodecError: for a type that no contract uses, such as a stream.
    """
    match value_type:
        case Primitive():
            return _primitive(value_type)
        case ListOf(element=element):
            return _list(encoder(element))
        case TupleOf(items=items):
            return _tuple([encoder(item) for item in items])
        case Record():
            return _record(value_type)
        case OptionOf(payload=payload):
            return _option(encoder(payload))
        case ResultOf():
            return _result(value_type)
        case Variant():
            return _variant(value_type)
        case Enum():
            return _enum(value_type)
    assert_never(value_type)


def _primitive(value_type: Primitive) -> Encoder:
    name = value_type.name
    if name == "string":
        return _string()
    if name == "char":
        return _char()
    if name in capi.SCALAR_FORMATS:
        return _scalar(name)
    if name.startswith(("own<", "borrow<")):
        return _resource()
    raise CodecError(f"values of type {spell(value_type)} cannot be sent to a guest")


def _scalar(name: str) -> Encoder:
    kind = capi.KIND_OF_PRIMITIVE[name]
    wants_bool = name == "bool"

    def emit(value: Any, words: Words, arena: Arena) -> None:
        # struct takes any object for a bool and True for a number.
        if (value is True or value is False) is not wants_bool:
            raise CodecError(f"{value!r} is no {name}")
        words += (kind, value)

    return Encoder(capi.SCALAR_FORMATS[name], emit)


def _string() -> Encoder:
    kind = capi.KIND_OF_PRIMITIVE["string"]

    def emit(value: Any, words: Words, arena: Arena) -> None:
        content = value.encode()
        words += (kind, len(content), arena.put(content))

    return Encoder("QQ8x", emit)


def _char() -> Encoder:
    kind = capi.KIND_OF_PRIMITIVE["char"]

    def emit(value: Any, words: Words, arena: Arena) -> None:
        code = ord(value)
        if 0xD800 <= code <= 0xDFFF:
            raise CodecError("a lone surrogate is no char")
        words += (kind, code)

    return Encoder("I20x", emit)


def _resource() -> Encoder:
    def emit(value: Any, words: Words, arena: Arena) -> None:
        if not isinstance(value, ResourceAny):
            raise CodecError(f"{value!r} is no resource handle")
        arena.kept.append(value)
        words += (capi.KIND_RESOURCE, capi.resource_address(value))

    return Encoder("Q16x", emit)


def _list(element: Encoder) -> Encoder:
    pack_into, emit_element, size = element.layout.pack_into, element.emit, capi.VALUE_SIZE

    def emit(value: Any, words: Words, arena: Arena) -> None:
        if not isinstance(value, list | tuple):
            raise CodecError(f"{value!r} is no list")
        count = len(value)
        at = arena.take(count * size)
        data = arena.data
        words += (capi.KIND_LIST, count, arena.base + at)
        for item in value:
            item_words: Words = []
            emit_element(item, item_words, arena)
            pack_into(data, at, *item_words)
            at += size

    return Encoder("QQ8x", emit)


def _tuple(items: Sequence[Encoder]) -> Encoder:
    layout = struct.Struct("<" + "".join(item.format for item in items))
    emits = [item.emit for item in items]

    def emit(value: Any, words: Words, arena: Arena) -> None:
        if not isinstance(value, list | tuple) or len(value) != len(emits):
            raise CodecError(f"{value!r} is no tuple of {len(emits)}")
        at = arena.take(layout.size)
        data = arena.data
        words += (capi.KIND_TUPLE, len(emits), arena.base + at)
        item_words: Words = []
        for emit_item, item in zip(emits, value, strict=True):
            emit_item(item, item_words, arena)
        layout.pack_into(data, at, *item_words)

    return Encoder("QQ8x", emit)


def _record(value_type: Record) -> Encoder:
    fields = [(field.name, Name(field.name), encoder(field.type)) for field in value_type.fields]
    layout = struct.Struct("<" + "".join("QQ" + part.format for _, _, part in fields))
    plan = [(key, name.size, name.address, part.emit) for key, name, part in fields]
    # The addresses in `plan` are only good while the names live.
    names = tuple(name for _, name, _ in fields)
    size, count, pack_into = layout.size, len(plan), layout.pack_into

    def emit(value: Any, words: Words, arena: Arena, _names: Any = names) -> None:
        at = arena.take(size)
        data = arena.data
        words += (capi.KIND_RECORD, count, arena.base + at)
        field_words: Words = []
        for key, name_size, name_address, emit_field in plan:
            field_words += (name_size, name_address)
            emit_field(value[key], field_words, arena)
        pack_into(data, at, *field_words)

    return Encoder("QQ8x", emit)


def _option(payload: Encoder) -> Encoder:
    store = payload.store

    def emit(value: Any, words: Words, arena: Arena) -> None:
        words += (capi.KIND_OPTION, 0 if value is None else store(value, arena))

    return Encoder("Q16x", emit)


def _result(value_type: ResultOf) -> Encoder:
    ok = encoder(value_type.ok) if value_type.ok else None
    error = encoder(value_type.error) if value_type.error else None
    sides = {"ok": (True, ok), "err": (False, error)}

    def emit(value: Any, words: Words, arena: Arena) -> None:
        ((name, payload),) = value.items()
        is_ok, part = sides[name]
        words += (capi.KIND_RESULT, is_ok, _payload(part, payload, arena))

    return Encoder("?7xQ8x", emit)


def _payload(part: Encoder | None, payload: Any, arena: Arena) -> int:
    """The address of a case's payload, 0 for a case without one."""
    if part is not None:
        return part.store(payload, arena)
    if payload is not None:
        raise CodecError(f"{payload!r} is given to a case without payload")
    return 0


def _variant(value_type: Variant) -> Encoder:
    cases = {
        case.name: (Name(case.name), encoder(case.type) if case.type else None)
        for case in value_type.cases
    }

    def emit(value: Any, words: Words, arena: Arena) -> None:
        if isinstance(value, str):
            case, payload = value, None
        else:
            ((case, payload),) = value.items()
        name, part = cases[case]
        words += (capi.KIND_VARIANT, name.size, name.address, _payload(part, payload, arena))

    return Encoder("QQQ", emit)


def _enum(value_type: Enum) -> Encoder:
    names = {case: Name(case) for case in value_type.cases}

    def emit(value: Any, words: Words, arena: Arena) -> None:
        name = names[value]
        words += (capi.KIND_ENUM, name.size, name.address)

    return Encoder("QQ8x", emit)
