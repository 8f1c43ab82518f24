"""From `wasmtime_component_val_t` to contract values, compiled once per type.

Lives here: `Decoder` and the decoder of each kind of type. Not here: the way in
(codec_encode), calls (codec). Only codec imports it.

A decoder is a struct format for the 32 bytes of a value and a function that reads the
unpacked words from an index on. Memory of the C side is only copied, never freed here.
"""

import struct
from collections.abc import Callable, Sequence
from ctypes import string_at
from typing import Any, assert_never

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
from inspector.runtime.codec_encode import CodecError

Words = tuple[Any, ...]
Read = Callable[[Words, int], Any]


class Decoder:
    """How values of one type are read.

    Attributes:
        format: Struct codes of the 32 bytes, without byte order.
        width: How many words the format gives.
        read: Takes the words and the index of the first.
        layout: `format`, compiled.
    """

    __slots__ = ("format", "layout", "read", "width")

    def __init__(self, payload_format: str, width: int, read: Read) -> None:
        # The kind is one byte; the seven behind it are not initialized.
        self.format = "B7x" + payload_format
        self.width = width
        self.layout = struct.Struct("<" + self.format)
        self.read = read
        assert self.layout.size == capi.VALUE_SIZE

    def load(self, address: int) -> Any:
        """Read the value at an address."""
        return self.read(self.layout.unpack(string_at(address, capi.VALUE_SIZE)), 0)


def decoder(value_type: ValueType) -> Decoder:
    """Compile the decoder of a type.

    Raises:
        CodecError: for a type that no contract uses, such as a stream.
    """
    match value_type:
        case Primitive():
            return _primitive(value_type)
        case ListOf(element=element):
            return _list(decoder(element))
        case TupleOf(items=items):
            return _tuple([decoder(item) for item in items])
        case Record():
            return _record(value_type)
        case OptionOf(payload=payload):
            return _option(decoder(payload))
        case ResultOf():
            return _result(value_type)
        case Variant():
            return _variant(value_type)
        case Enum():
            return _enum(value_type)
    assert_never(value_type)


def _wrong_kind(found: int, wanted: int) -> CodecError:
    return CodecError(f"a value of kind {found} came where kind {wanted} was expected")


def _primitive(value_type: Primitive) -> Decoder:
    name = value_type.name
    if name == "string":
        return _string()
    if name == "char":
        return _char()
    if name in capi.SCALAR_FORMATS:
        return _scalar(name)
    if name.startswith(("own<", "borrow<")):
        return _resource()
    raise CodecError(f"values of type {spell(value_type)} cannot be read from a guest")


def _scalar(name: str) -> Decoder:
    kind = capi.KIND_OF_PRIMITIVE[name]

    def read(words: Words, at: int) -> Any:
        if words[at] != kind:
            raise _wrong_kind(words[at], kind)
        return words[at + 1]

    return Decoder(capi.SCALAR_FORMATS[name], 2, read)


def _string() -> Decoder:
    kind = capi.KIND_OF_PRIMITIVE["string"]

    def read(words: Words, at: int) -> Any:
        if words[at] != kind:
            raise _wrong_kind(words[at], kind)
        # Empty text has a dangling address.
        size = words[at + 1]
        return string_at(words[at + 2], size).decode() if size else ""

    return Decoder("QQ8x", 3, read)


def _char() -> Decoder:
    kind = capi.KIND_OF_PRIMITIVE["char"]

    def read(words: Words, at: int) -> Any:
        if words[at] != kind:
            raise _wrong_kind(words[at], kind)
        return chr(words[at + 1])

    return Decoder("I20x", 2, read)


def _resource() -> Decoder:
    def read(words: Words, at: int) -> Any:
        if words[at] != capi.KIND_RESOURCE:
            raise _wrong_kind(words[at], capi.KIND_RESOURCE)
        return capi.take_resource(words[at + 1])

    return Decoder("Q16x", 2, read)


def _block(words: Words, at: int, kind: int, size: int) -> bytes:
    """The bytes of a sequence: the count stands after the kind, then the address."""
    if words[at] != kind:
        raise _wrong_kind(words[at], kind)
    count = words[at + 1]
    return string_at(words[at + 2], count * size) if count else b""


def _list(element: Decoder) -> Decoder:
    read_element, iter_unpack = element.read, element.layout.iter_unpack

    def read(words: Words, at: int) -> Any:
        block = _block(words, at, capi.KIND_LIST, capi.VALUE_SIZE)
        return [read_element(item, 0) for item in iter_unpack(block)]

    return Decoder("QQ8x", 3, read)


def _plan(parts: Sequence[Decoder]) -> list[tuple[Read, int]]:
    """Each part's reader and the index of its first word."""
    plan = []
    start = 0
    for part in parts:
        plan.append((part.read, start))
        start += part.width
    return plan


def _tuple(items: Sequence[Decoder]) -> Decoder:
    layout = struct.Struct("<" + "".join(item.format for item in items))
    plan = _plan(items)

    def read(words: Words, at: int) -> Any:
        block = _block(words, at, capi.KIND_TUPLE, capi.VALUE_SIZE)
        if len(block) != layout.size:
            raise CodecError(f"a tuple of {words[at + 1]} came where {len(plan)} were expected")
        parts = layout.unpack(block)
        return [read_item(parts, start) for read_item, start in plan]

    return Decoder("QQ8x", 3, read)


def _record(value_type: Record) -> Decoder:
    parts = [decoder(field.type) for field in value_type.fields]
    # The C side gives the fields in declared order; the names need no look.
    layout = struct.Struct("<" + "".join("16x" + part.format for part in parts))
    plan = [
        (field.name, read_field, start)
        for field, (read_field, start) in zip(value_type.fields, _plan(parts), strict=True)
    ]
    size, unpack = layout.size, layout.unpack

    def read(words: Words, at: int) -> Any:
        block = _block(words, at, capi.KIND_RECORD, capi.ENTRY_SIZE)
        if len(block) != size:
            raise CodecError(f"a record of {words[at + 1]} fields came for {value_type.name}")
        entries = unpack(block)
        return {name: read_field(entries, start) for name, read_field, start in plan}

    return Decoder("QQ8x", 3, read)


def _option(payload: Decoder) -> Decoder:
    load = payload.load

    def read(words: Words, at: int) -> Any:
        if words[at] != capi.KIND_OPTION:
            raise _wrong_kind(words[at], capi.KIND_OPTION)
        address = words[at + 1]
        return load(address) if address else None

    return Decoder("Q16x", 2, read)


def _result(value_type: ResultOf) -> Decoder:
    ok = decoder(value_type.ok) if value_type.ok else None
    error = decoder(value_type.error) if value_type.error else None

    def read(words: Words, at: int) -> Any:
        if words[at] != capi.KIND_RESULT:
            raise _wrong_kind(words[at], capi.KIND_RESULT)
        side, part = ("ok", ok) if words[at + 1] else ("err", error)
        return {side: part.load(words[at + 2]) if part else None}

    return Decoder("?7xQ8x", 3, read)


def _variant(value_type: Variant) -> Decoder:
    cases = {
        case.name.encode(): (case.name, decoder(case.type) if case.type else None)
        for case in value_type.cases
    }

    def read(words: Words, at: int) -> Any:
        if words[at] != capi.KIND_VARIANT:
            raise _wrong_kind(words[at], capi.KIND_VARIANT)
        name, part = cases[string_at(words[at + 2], words[at + 1])]
        return {name: part.load(words[at + 3])} if part else name

    return Decoder("QQQ", 4, read)


def _enum(value_type: Enum) -> Decoder:
    names = {case.encode(): case for case in value_type.cases}

    def read(words: Words, at: int) -> Any:
        if words[at] != capi.KIND_ENUM:
            raise _wrong_kind(words[at], capi.KIND_ENUM)
        return names[string_at(words[at + 2], words[at + 1])]

    return Decoder("QQ8x", 3, read)
