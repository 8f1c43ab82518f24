"""The codec against the library's own conversions, and through a guest and back."""

import ctypes
import math
import threading
from typing import Any

import pytest
import wasmtime
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wasmtime import _ffi as ffi
from wasmtime import component as wc

from inspector.contract import contract, value
from inspector.contract.type import (
    STRING,
    Case,
    Enum,
    Field,
    Function,
    ListOf,
    OptionOf,
    Parameter,
    Primitive,
    Record,
    ResultOf,
    TupleOf,
    ValueType,
    Variant,
)
from inspector.runtime import capi, host_function
from inspector.runtime.codec import CodecError, FunctionCodec
from inspector.runtime.codec_decode import decoder
from inspector.runtime.codec_encode import encoder
from inspector.runtime.codec_memory import Arena
from tests.helpers import wat_host
from tests.helpers.echo_guest import FUNCTION, echo_function, echo_guest, echo_interface
from tests.helpers.guest import from_library, to_library
from tests.helpers.value_strategy import contract_types, values
from tests.helpers.wat import component

TYPES = contract_types()
ENGINE = wasmtime.Engine()

ZOO = Record(
    "zoo",
    (
        *(
            Field(name, Primitive(name))
            for name in ("bool", "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64")
        ),
        Field("char", Primitive("char")),
        Field("pair", TupleOf((STRING, Primitive("u8")))),
        Field("nested", OptionOf(OptionOf(Primitive("u32")))),
        Field("bare", ResultOf(None, None)),
        Field("half", ResultOf(None, STRING)),
        Field(
            "shape",
            Variant("shape", (Case("dot", None), Case("text", STRING), Case("also", STRING))),
        ),
        Field("colour", Enum("colour", ("red", "deep-blue"))),
        Field("bytes", ListOf(Primitive("u16"))),
    ),
)
"""Every kind of type, also those that no contract uses; the library cannot tell its
values apart (option of option)."""

WITH_ZOO = {**TYPES, "zoo": ZOO}


def library_type(value_type: ValueType) -> wc.ValType:
    """The library's own type object of a contract type."""
    function = Function("f", (Parameter("x", value_type),), None)
    text = wat_host.import_text("test:t/t@1.0.0", "t", [function])
    kind = wc.Component(ENGINE, component(f"(component {text})")).type
    instance = kind.imports(ENGINE)["test:t/t@1.0.0"].ty
    assert isinstance(instance, wc.ComponentInstanceType)
    found = instance.exports(ENGINE)["f"].ty
    assert isinstance(found, wc.FuncType)
    return found.params[0][1]


class TestAgainstTheLibrary:
    @pytest.mark.parametrize("label", TYPES)
    def test_what_the_codec_writes_is_what_the_library_reads(self, label: str) -> None:
        """A value written by us and read by the library is the same value."""
        value_type = TYPES[label]
        library, write = library_type(value_type), encoder(value_type)

        @given(values(value_type))
        @settings(max_examples=40, deadline=None)
        def check(content: Any) -> None:
            slot = ffi.wasmtime_component_val_t()
            arena = Arena()
            capi.clone_value(write.store(content, arena), ctypes.addressof(slot))
            assert from_library(value_type, library.convert_from_c(slot)) == content

        check()

    @pytest.mark.parametrize("label", TYPES)
    def test_what_the_library_writes_is_what_the_codec_reads(self, label: str) -> None:
        """A value written by the library and read by us is the same value."""
        value_type = TYPES[label]
        library, read = library_type(value_type), decoder(value_type)
        store = wasmtime.Store(ENGINE)

        @given(values(value_type))
        @settings(max_examples=40, deadline=None)
        def check(content: Any) -> None:
            slot = ffi.wasmtime_component_val_t()
            library.convert_to_c(store, to_library(value_type, content), ctypes.pointer(slot))
            try:
                assert read.load(ctypes.addressof(slot)) == content
            finally:
                capi.delete_value(ctypes.addressof(slot))

        check()


class Echo:
    """The echo guest of a type, with the codec on both sides."""

    def __init__(self, element: ValueType) -> None:
        self.seen: list[Any] = []
        self.codec = FunctionCodec(echo_function(element))
        self.store = wasmtime.Store(ENGINE)
        linker = wc.Linker(ENGINE)
        host_function.define(linker, echo_interface(element), {FUNCTION: self._answer})
        instance = linker.instantiate(self.store, wc.Component(ENGINE, echo_guest(element)))
        out = instance.get_export_index(self.store, "out")
        index = instance.get_export_index(self.store, FUNCTION, out)
        assert index is not None
        func = instance.get_func(self.store, index)
        assert func is not None
        self.func = func

    def _answer(self, items: list[Any]) -> list[Any]:
        self.seen.append(items)
        return items

    def call(self, items: list[Any]) -> Any:
        return self.codec.call(self.store, self.func, [items])


class TestThroughAGuest:
    @pytest.mark.parametrize("label", WITH_ZOO)
    def test_values_arrive_in_the_host_and_come_back(self, label: str) -> None:
        """A call in, a host call out, its result in, the result out: all the same value."""
        value_type = WITH_ZOO[label]
        echo = Echo(value_type)

        @given(st.lists(values(value_type), max_size=3))
        @settings(max_examples=20, deadline=None)
        def check(items: list[Any]) -> None:
            echo.seen.clear()
            assert echo.call(items) == items
            assert echo.seen == [items]

        check()
        echo.store.close()

    def test_text_of_any_unicode_is_exact(self) -> None:
        """NUL, control characters, astral characters and empty text survive."""
        texts = ["", "\0", "a\0b", "\x01\x7f\x85\u2028", "\U0010ffff", "é" * 5000, "\ufeffx\r\n"]
        assert Echo(STRING).call(texts) == texts

    @pytest.mark.parametrize(
        ("name", "numbers"),
        [
            ("u64", [0, 2**53 + 1, 2**63, 2**64 - 1]),
            ("s64", [-(2**63), -(2**53) - 1, 2**63 - 1]),
            ("u32", [0, 2**32 - 1]),
            ("s32", [-(2**31), 2**31 - 1]),
        ],
    )
    def test_integers_are_exact_at_their_ends(self, name: str, numbers: list[int]) -> None:
        """No number goes through a float."""
        assert Echo(Primitive(name)).call(numbers) == numbers

    def test_floats_keep_sign_infinity_and_not_a_number(self) -> None:
        """-0.0, the infinities and NaN come back as they went."""
        back = Echo(Primitive("f64")).call([-0.0, math.inf, -math.inf, math.nan, 5e-324])
        assert math.copysign(1, back[0]) == -1
        assert back[1:3] == [math.inf, -math.inf]
        assert math.isnan(back[3])
        assert back[4] == 5e-324

    def test_a_list_larger_than_the_first_block_of_the_arena_is_whole(self) -> None:
        """10,000 messages go in and out, in order."""
        message = contract.load("0.8.0").message
        items = [
            {"role": "user", "content": f"text {n}", "id": f"msg_{n}", "source-id": None}
            for n in range(10_000)
        ]
        assert Echo(message).call(items) == items

    def test_calls_on_four_threads_do_not_disturb_each_other(self) -> None:
        """Each thread has its own store; the codec is shared."""
        output = contract.load("0.8.0").output
        echoes = [Echo(output) for _ in range(4)]
        for echo in echoes:
            echo.codec = echoes[0].codec
        wrong: list[Any] = []

        def run(number: int) -> None:
            arm = ["none", {"deny": f"no {number}"}, {"artifact": "x" * number}, {"deny": ""}]
            for _ in range(300):
                back = echoes[number].call(arm)
                if back != arm:
                    wrong.append(back)

        threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


BAD_VALUES: list[tuple[ValueType, Any]] = [
    (Primitive("u8"), 256),
    (Primitive("u8"), -1),
    (Primitive("u64"), 2**64),
    (Primitive("s64"), 2**63),
    (Primitive("u32"), 1.5),
    (Primitive("u32"), "1"),
    (Primitive("u32"), True),
    (Primitive("bool"), 1),
    (Primitive("bool"), None),
    (Primitive("f32"), 1e300),
    (Primitive("f64"), "1.0"),
    (Primitive("char"), "ab"),
    (Primitive("char"), "\ud800"),
    (STRING, b"bytes"),
    (STRING, None),
    (STRING, "lone \ud800 surrogate"),
    (ListOf(STRING), "text"),
    (ListOf(STRING), None),
    (TupleOf((STRING, STRING)), ["one"]),
    (Record("r", (Field("a", STRING),)), {}),
    (Record("r", (Field("a", STRING),)), ["a"]),
    (Enum("e", ("a", "b")), "c"),
    (Enum("e", ("a", "b")), 0),
    (Variant("v", (Case("a", None), Case("b", STRING))), "c"),
    (Variant("v", (Case("a", None), Case("b", STRING))), "b"),
    (Variant("v", (Case("a", None), Case("b", STRING))), {"a": "payload"}),
    (Variant("v", (Case("a", None), Case("b", STRING))), {"a": None, "b": "x"}),
    (ResultOf(STRING, STRING), "text"),
    (ResultOf(STRING, STRING), {"okay": "x"}),
    (Primitive("own<thing>"), 7),
]


class TestBadValues:
    @pytest.mark.parametrize(("value_type", "content"), BAD_VALUES)
    def test_a_value_of_the_wrong_shape_raises_before_the_call(
        self, value_type: ValueType, content: Any
    ) -> None:
        """The function pointer is never used: there is none."""
        codec = FunctionCodec(Function("f", (Parameter("x", value_type),), None))
        with pytest.raises(CodecError):
            codec.call(None, None, [content])  # type: ignore[arg-type]

    def test_the_wrong_number_of_arguments_raises(self) -> None:
        """The sentence shows the signature."""
        codec = FunctionCodec(Function("f", (Parameter("x", STRING),), None))
        with pytest.raises(CodecError, match=r"2 arguments are given to func\(x: string\)"):
            codec.call(None, None, ["a", "b"])  # type: ignore[arg-type]

    @given(
        st.sampled_from(list(TYPES)),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=8,
        ),
    )
    @settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
    def test_any_junk_is_either_written_or_refused(self, label: str, junk: Any) -> None:
        """No value of any shape makes the codec raise something else, or crash."""
        codec = FunctionCodec(Function("f", (), TYPES[label]))
        slot = ffi.wasmtime_component_val_t()
        try:
            codec.give(junk, ctypes.addressof(slot))
        except CodecError:
            return
        capi.delete_value(ctypes.addressof(slot))

    @pytest.mark.parametrize("name", ["stream", "future", "error-context", "flags<a>", "unknown"])
    def test_a_type_that_no_contract_has_is_refused_at_compile_time(self, name: str) -> None:
        """Such a function gets no codec."""
        with pytest.raises(CodecError, match=name):
            FunctionCodec(Function("f", (Parameter("x", Primitive(name)),), None))
        with pytest.raises(CodecError, match=name):
            FunctionCodec(Function("f", (), OptionOf(Primitive(name))))

    def test_a_value_of_another_type_is_refused_when_it_is_read(self) -> None:
        """A string is no number: the kind is looked at."""
        arena = Arena()
        address = encoder(STRING).store("text", arena)
        with pytest.raises(CodecError, match="kind 12 came where kind 6"):
            decoder(Primitive("u32")).load(address)


class TestDefaults:
    @pytest.mark.parametrize("version", contract.versions())
    def test_the_default_of_every_event_can_be_sent(self, version: str) -> None:
        """What contract.value completes is what the codec takes."""
        found = contract.load(version)
        for function in found.lifecycle.functions.values():
            record = function.parameters[0].type
            encoder(record).store(value.default(record), Arena())
