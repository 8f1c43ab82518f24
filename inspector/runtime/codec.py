"""Values between contracts and guests, compiled once per function (decision D4).

Lives here: `FunctionCodec`, for calls into a guest and for calls out of it. Not here:
the bytes of single types (codec_encode, codec_decode), names of the C side (capi).
Only runtime imports it.

No state is shared between calls but a pool of free arenas, so stores on different
threads stay independent.
"""

import struct
from collections.abc import Callable, Sequence
from ctypes import string_at
from typing import Any

from wasmtime.component import Func

from inspector.contract.type import Function, signature
from inspector.runtime import capi
from inspector.runtime.codec_decode import decoder
from inspector.runtime.codec_encode import CodecError, Encoder, encoder
from inspector.runtime.codec_memory import Arena, ArenaPool

__all__ = ["CodecError", "FunctionCodec"]

_NOTHING = bytes(capi.VALUE_SIZE)
_BAD_VALUE = (
    struct.error,
    TypeError,
    KeyError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What encoding a value of the wrong shape can raise."""


class FunctionCodec:
    """The codec of one function type.

    Attributes:
        function: The type it was compiled from.
    """

    def __init__(self, function: Function) -> None:
        """Compile the codec.

        Args:
            function: From a contract, or from a component (component.py).

        Raises:
            CodecError: when a type cannot cross, such as a stream.
        """
        self.function = function
        types = [parameter.type for parameter in function.parameters]
        self._encoders = [encoder(each) for each in types]
        self._decoders = [decoder(each) for each in types]
        self._result_encoder = encoder(function.result) if function.result else None
        self._result_decoder = decoder(function.result) if function.result else None
        self._arguments = struct.Struct("<" + "".join(each.format for each in self._encoders))
        self._parameters = struct.Struct("<" + "".join(each.format for each in self._decoders))
        self._pool = ArenaPool()

    def call(self, store: capi.Storelike, func: Func, args: Sequence[Any]) -> Any:
        """Call an export of a guest.

        The function type of `func` must have been checked before (type_check).

        Args:
            store: The store of the instance, or the context inside a host function.
            func: The export.
            args: One value per parameter, in the spelling of contract.value.

        Returns:
            The result in the same spelling; None for a function without result.

        Raises:
            CodecError: before the call, when an argument does not fit its type.
            wasmtime.WasmtimeError: when the guest traps.
        """
        arena = self._pool.acquire()
        try:
            result, slot = self._slot(arena)
            arguments = self._encode_arguments(args, arena)
            error = capi.call_function(store, func, arguments, len(self._encoders), slot, result)
            if error is not None:
                raise error
            return self._take_result(slot)
        finally:
            self._pool.release(arena)

    def _slot(self, arena: Arena) -> tuple[int, int]:
        """How many results there are, and a zeroed slot; the C side drops what it replaces."""
        at = arena.take(capi.VALUE_SIZE)
        arena.data[at : at + capi.VALUE_SIZE] = _NOTHING
        return (1 if self._result_decoder else 0), arena.base + at

    def _encode_arguments(self, args: Sequence[Any], arena: Arena) -> int:
        if len(args) != len(self._encoders):
            raise CodecError(f"{len(args)} arguments are given to {signature(self.function)}")
        try:
            return _encode(self._encoders, self._arguments, args, arena)
        except _BAD_VALUE as error:
            raise CodecError(f"{self.function.name}: {_reason(error)}") from error

    def _take_result(self, slot: int) -> Any:
        if self._result_decoder is None:
            return None
        try:
            return self._result_decoder.load(slot)
        finally:
            capi.delete_value(slot)

    def answer(
        self,
        implementation: Callable[..., Any],
        arguments: int,
        count: int,
        results: int,
        result_count: int,
    ) -> None:
        """Serve a call out of a guest.

        Args:
            implementation: Takes one contract value per parameter, gives one back.
            arguments: Address of `count` values of the C side; they stay its own.
            count: How many arguments came.
            results: Address of the slot for the result.
            result_count: 0 or 1.

        Raises:
            CodecError: when the guest's type is another one, or the result does not fit.
            BaseException: whatever the implementation raises.
        """
        wanted = 0 if self._result_encoder is None else 1
        if count != len(self._decoders) or result_count != wanted:
            raise CodecError(f"the guest's type differs from {signature(self.function)}")
        block = string_at(arguments, self._parameters.size) if count else b""
        words = self._parameters.unpack(block)
        values = []
        start = 0
        for part in self._decoders:
            values.append(part.read(words, start))
            start += part.width
        self.give(implementation(*values), results)

    def give(self, value: Any, slot: int) -> None:
        """Put a result of a host function into a slot of the C side.

        Raises:
            CodecError: when the value does not fit the result type.
        """
        if self._result_encoder is None:
            if value is not None:
                raise CodecError(f"{self.function.name} has no result")
            return
        arena = self._pool.acquire()
        try:
            # The C side frees results itself, so they must be copied into its own memory.
            capi.clone_value(self._result_encoder.store(value, arena), slot)
        except _BAD_VALUE as error:
            raise CodecError(f"{self.function.name}: {_reason(error)}") from error
        finally:
            self._pool.release(arena)


def _reason(error: Exception) -> str:
    if isinstance(error, CodecError):
        return str(error)
    return f"the value does not fit its type ({type(error).__name__}: {error})"


def _encode(
    encoders: Sequence[Encoder], layout: struct.Struct, values: Sequence[Any], arena: Arena
) -> int:
    at = arena.take(layout.size)
    data, base = arena.data, arena.base
    words: list[Any] = []
    for part, value in zip(encoders, values, strict=True):
        part.emit(value, words, arena)
    layout.pack_into(data, at, *words)
    return base + at
