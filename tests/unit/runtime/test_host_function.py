"""Host functions: values, errors, traps and threads."""

import gc
import threading
from typing import Any

import pytest
import wasmtime
from wasmtime import component as wc

from inspector.contract import contract
from inspector.contract.record import Failure
from inspector.contract.type import Function, Parameter, Primitive
from inspector.manifest.grant import Limits
from inspector.runtime import host_function
from inspector.runtime.codec import CodecError, FunctionCodec
from inspector.runtime.component import InterfaceShape, compile_hook
from inspector.runtime.engine import HookEngine
from inspector.runtime.host_function import HostTrap
from tests.helpers.hook_instance import fire, running
from tests.helpers.wat import ConversationPages, Error, component, hook, task_input, token_count

TOKENS = "murmur:runtime/tokens@0.3.0"
TASK_IO = "murmur:task-io/read@0.1.0"
CONVERSATION = "murmur:conversation/read@0.1.0"

COUNTING = hook({"on-shell": Error(token_count("hello"))})
READING = hook({"on-shell": Error(task_input("original"))})
PAGING = hook({"on-shell": Error(ConversationPages(limit=2))})


def shell(double: Any, interface: str, **functions: Any) -> Any:
    """What on-shell gives with host functions of one interface (`_` for `-`)."""
    named = {name.replace("_", "-"): function for name, function in functions.items()}
    declared = contract.load("0.8.0").interfaces[interface].functions
    host = {name: named.get(name, lambda *_: None) for name in declared}
    with running(double, host={interface: host}) as instance:
        return fire(instance, "on-shell")


def raising(error: BaseException) -> Any:
    """An implementation that raises; each time without an earlier traceback."""

    def implementation(*_: Any) -> Any:
        raise error.with_traceback(None)

    return implementation


class TestValues:
    def test_arguments_and_results_are_contract_values(self) -> None:
        """Enums as their case, results as ok or err, integers exact."""
        seen: list[Any] = []

        def read(form: str, offset: int, count: int) -> Any:
            seen.append((form, offset, count))
            return {"ok": "the text"}

        result = shell(READING, TASK_IO, read_input=read)
        assert result.text == "the text"
        assert seen
        assert seen[0][0] == "original"
        assert all(type(number) is int for number in seen[0][1:])

    def test_an_err_value_is_handed_to_the_guest(self) -> None:
        """The error is the third case of its enum."""
        result = shell(READING, TASK_IO, read_input=lambda *_: {"err": "no-output"})
        assert result.text == "!2"

    def test_the_largest_number_is_exact(self) -> None:
        """2^64 - 1 tokens."""
        assert shell(COUNTING, TOKENS, count=lambda text: 2**64 - 1).text == str(2**64 - 1)

    def test_a_missing_implementation_is_said_when_it_is_defined(self) -> None:
        """Not when it is called."""
        engine = wasmtime.Engine()
        with pytest.raises(KeyError, match="read-messages"):
            host_function.define(
                wc.Linker(engine), contract.load("0.8.0").interfaces[CONVERSATION], {}
            )

    def test_a_type_that_cannot_cross_is_said_when_it_is_defined(self) -> None:
        """A stream, for instance."""
        odd = InterfaceShape(
            "a:b/c@1.0.0", {"f": Function("f", (Parameter("x", Primitive("stream")),), None)}, {}
        )
        with pytest.raises(CodecError):
            host_function.define(wc.Linker(wasmtime.Engine()), odd, {"f": print})

    def test_a_name_that_is_taken_is_refused_unless_shadowing_is_allowed(self) -> None:
        """The linker's own rule."""
        linker = wc.Linker(wasmtime.Engine())
        tokens = contract.load("0.8.0").interfaces[TOKENS]
        host_function.define(linker, tokens, {"count": len})
        with pytest.raises(wasmtime.WasmtimeError):
            host_function.define(linker, tokens, {"count": len})
        linker.allow_shadowing = True
        host_function.define(linker, tokens, {"count": len})


ERRORS = [ValueError("bad"), KeyboardInterrupt(), SystemExit(3), MemoryError(), RecursionError()]


class TestErrors:
    @pytest.mark.parametrize("error", ERRORS, ids=repr)
    def test_an_exception_is_a_trap_where_the_guest_cannot_take_a_text(
        self, error: BaseException, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Not even KeyboardInterrupt leaves; the traceback is in our log."""
        result = shell(COUNTING, TOKENS, count=raising(error))
        assert result.failure is Failure.TRAP
        assert result.detail.endswith(f"host function {TOKENS}#count failed: {error!r}")
        assert "in implementation" in caplog.text

    @pytest.mark.parametrize("error", ERRORS, ids=repr)
    def test_an_exception_is_an_err_value_where_the_guest_can_take_a_text(
        self, error: BaseException
    ) -> None:
        """`result<_, string>`: the guest goes on."""
        result = shell(PAGING, CONVERSATION, read_messages=raising(error))
        assert result.failure is Failure.GUEST_ERROR
        assert f"host function {CONVERSATION}#read-messages failed: {error!r}" in result.text

    def test_a_host_trap_has_its_own_text_and_is_not_logged(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Also where an err value would be possible."""
        for double, interface, name in (
            (COUNTING, TOKENS, "count"),
            (PAGING, CONVERSATION, "read_messages"),
        ):
            result = shell(double, interface, **{name: raising(HostTrap("not available here"))})
            assert result.failure is Failure.TRAP
            assert result.detail.endswith("Caused by:\n    not available here")
        assert caplog.text == ""

    @pytest.mark.parametrize("wrong", [None, -1, 2**64, "5", 1.0, {"ok": 5}, True])
    def test_a_result_of_the_wrong_shape_is_a_trap(self, wrong: Any) -> None:
        """It is an error of ours, and it does not crash."""
        result = shell(COUNTING, TOKENS, count=lambda text: wrong)
        assert result.failure is Failure.TRAP
        assert "CodecError" in result.detail

    def test_a_text_with_a_nul_and_a_lone_surrogate_becomes_a_trap_all_the_same(self) -> None:
        """The C side takes neither."""
        result = shell(COUNTING, TOKENS, count=raising(HostTrap("a\0b\ud800c")))
        assert result.detail.endswith("a\\0b\\ud800c")

    def test_an_err_text_with_a_lone_surrogate_arrives(self) -> None:
        """Escaped, since no Unicode text can carry it."""
        result = shell(PAGING, CONVERSATION, read_messages=raising(ValueError("\ud800")))
        assert result.failure is Failure.GUEST_ERROR

    def test_an_error_of_a_guest_called_from_inside_is_handed_on(self) -> None:
        """Its text is the cause of the outer trap."""
        result = shell(COUNTING, TOKENS, count=raising(wasmtime.WasmtimeError("inner trap")))
        assert result.failure is Failure.TRAP
        assert result.detail.endswith("inner trap")


class TestThreads:
    def test_stores_on_four_threads_call_the_same_implementation(self) -> None:
        """Each gets its own answers, for results and errors alike."""
        wrong: list[Any] = []

        def page(cursor: str | None, limit: int) -> Any:
            name = threading.current_thread().name
            return {"err": f"nothing for {name}"}

        def work() -> None:
            name = threading.current_thread().name
            with running(PAGING, host={CONVERSATION: {"read-messages": page}}) as instance:
                for _ in range(100):
                    text = fire(instance, "on-shell").text or ""
                    if f"nothing for {name}" not in text:
                        wrong.append((name, text))

        threads = [threading.Thread(target=work, name=f"t{n}") for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []

    def test_functions_are_forgotten_with_their_linkers(self) -> None:
        """The registry is as before."""
        gc.collect()
        before = len(host_function._FUNCTIONS)
        for _ in range(5):
            shell(COUNTING, TOKENS, count=len)
        assert len(host_function._FUNCTIONS) == before


RESOURCES = """(component
  (type $r' (resource (rep i32)))
  (core func $new (canon resource.new $r'))
  (core func $rep (canon resource.rep $r'))
  (core module $m
    (import "" "new" (func $new (param i32) (result i32)))
    (import "" "rep" (func $rep (param i32) (result i32)))
    (func (export "make") (param i32) (result i32) (call $new (local.get 0)))
    (func (export "look") (param i32) (result i32) (local.get 0))
    (func (export "take") (param i32) (result i32) (call $rep (local.get 0))))
  (core instance $i (instantiate $m (with "" (instance
    (export "new" (func $new)) (export "rep" (func $rep))))))
  (func $make (param "n" u32) (result (own $r')) (canon lift (core func $i "make")))
  (func $look (param "t" (borrow $r')) (result u32) (canon lift (core func $i "look")))
  (func $take (param "t" (own $r')) (result u32) (canon lift (core func $i "take")))
  (component $shape
    (import "raw-thing" (type $thing' (sub resource)))
    (import "raw-make" (func $make (param "n" u32) (result (own $thing'))))
    (import "raw-look" (func $look (param "t" (borrow $thing')) (result u32)))
    (import "raw-take" (func $take (param "t" (own $thing')) (result u32)))
    (export $thing "thing" (type $thing'))
    (export "make" (func $make) (func (param "n" u32) (result (own $thing))))
    (export "look" (func $look) (func (param "t" (borrow $thing)) (result u32)))
    (export "take" (func $take) (func (param "t" (own $thing)) (result u32))))
  (instance $out (instantiate $shape (with "raw-thing" (type $r')) (with "raw-make" (func $make))
    (with "raw-look" (func $look)) (with "raw-take" (func $take))))
  (export "test:r/things@1.0.0" (instance $out)))"""


def test_function_codec__resources__pass_through_as_handles() -> None:
    """Own and borrow go in and out by the types of the component's own shape."""
    engine = HookEngine(Limits(), 10)
    compiled = compile_hook(engine, component(RESOURCES))
    shape = compiled.shape.exports["test:r/things@1.0.0"]
    store = wasmtime.Store(engine.wasmtime_engine)
    store.set_epoch_deadline(1)
    instance = wc.Linker(engine.wasmtime_engine).instantiate(store, compiled.component)
    interface = instance.get_export_index(store, shape.name)

    def call(name: str, *arguments: Any) -> Any:
        index = instance.get_export_index(store, name, interface)
        assert index is not None
        func = instance.get_func(store, index)
        assert func is not None
        return FunctionCodec(shape.functions[name]).call(store, func, arguments)

    handle = call("make", 42)
    assert handle.owned
    assert call("look", handle) == 42
    assert call("look", handle) == 42
    assert call("take", handle) == 42
    with pytest.raises(wasmtime.WasmtimeError):
        call("look", handle)
