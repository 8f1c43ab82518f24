"""Captured output and the network; folders and variables are in test_instantiation."""

import gc

import pytest
import wasmtime
from wasmtime import component as wc

from inspector.contract.type import BOOL, Function
from inspector.runtime import stdio_pipe, wasi
from inspector.runtime.codec import FunctionCodec
from inspector.runtime.wasi import (
    KEPT_BYTES,
    Captured,
    StdioCapture,
    WasiSettings,
    wasi_config,
)
from tests.helpers.hook_instance import fire, running
from tests.helpers.wat import Field, Print, component, hook


def write(capture: StdioCapture, *chunks: bytes, stream: str = "stdout") -> None:
    """Write chunks as the guest would."""
    for chunk in chunks:
        capture._streams[stream].write(chunk)


class TestCapture:
    def test_streams_are_apart_and_begin_anew_after_each_take(self) -> None:
        """The second take is empty."""
        capture = StdioCapture()
        write(capture, b"out")
        write(capture, b"err", stream="stderr")
        assert capture.take() == Captured("out", "err", 0)
        assert capture.take() == Captured("", "", 0)

    @pytest.mark.parametrize("character", ["é", "€", "😀"])
    def test_a_character_cut_by_chunks_is_whole(self, character: str) -> None:
        """Chunks are no lines and no characters."""
        capture = StdioCapture()
        write(capture, *(bytes([byte]) for byte in character.encode()))
        assert capture.take().stdout == character

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (b"a\xffb", "a\ufffdb"),
            (b"end\xe2\x82", "end\ufffd"),
            (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
            (b"nul\0\x1b[31m\r\n", "nul\0\x1b[31m\r\n"),
        ],
    )
    def test_bytes_that_are_no_text_are_shown_as_such(self, content: bytes, text: str) -> None:
        """Everything else is left as it is."""
        capture = StdioCapture()
        write(capture, content)
        assert capture.take().stdout == text

    def test_the_rest_over_the_limit_is_counted(self) -> None:
        """A mebibyte of each stream is kept."""
        capture = StdioCapture()
        write(capture, b"x" * (KEPT_BYTES - 1), b"yz", b"more")
        write(capture, b"e" * (KEPT_BYTES + 7), stream="stderr")
        taken = capture.take()
        assert taken.stdout == "x" * (KEPT_BYTES - 1) + "y"
        assert len(taken.stderr) == KEPT_BYTES
        assert taken.cut_bytes == 1 + 4 + 7

    def test_exactly_the_limit_is_kept_whole(self) -> None:
        """Nothing is counted as cut."""
        capture = StdioCapture()
        write(capture, b"x" * KEPT_BYTES)
        assert capture.take().cut_bytes == 0

    @pytest.mark.parametrize("character", ["é", "€", "😀"])
    def test_the_limit_does_not_leave_half_a_character(self, character: str) -> None:
        """Its bytes count as cut."""
        encoded = character.encode()
        for kept in range(1, len(encoded)):
            capture = StdioCapture()
            write(capture, b"x" * (KEPT_BYTES - kept), encoded)
            taken = capture.take()
            assert taken.stdout == "x" * (KEPT_BYTES - kept)
            assert taken.cut_bytes == len(encoded)

    def test_bad_bytes_at_the_limit_are_shown_and_not_taken_for_half_a_character(self) -> None:
        """A lone continuation byte is no beginning."""
        capture = StdioCapture()
        write(capture, b"x" * (KEPT_BYTES - 5), b"\x80" * 5, b"more")
        taken = capture.take()
        assert taken.stdout.endswith("\ufffd" * 5)
        assert taken.cut_bytes == 4


@pytest.fixture
def callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output comes as on a system without named pipes."""
    monkeypatch.setattr(stdio_pipe, "AVAILABLE", False)


class TestGuest:
    """The way of this system."""

    def test_two_mebibytes_of_output_are_cut_and_the_next_call_is_clean(self) -> None:
        """The guest notices nothing."""
        with running(hook({"on-shell": Print(Field("command"))})) as instance:
            result = fire(instance, "on-shell", command="x" * (2 * KEPT_BYTES))
            assert (len(result.stdout), result.cut_bytes) == (KEPT_BYTES, KEPT_BYTES)
            assert result.answer == "none"
            after = fire(instance, "on-shell", command="short")
            assert (after.stdout, after.cut_bytes) == ("short", 0)


@pytest.mark.usefixtures("callbacks")
class TestGuestWithCallbacks(TestGuest):
    """The way of a system without named pipes."""

    def test_a_capture_that_raises_does_not_reach_the_guest(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Also not when it is the user's Ctrl-C; it is logged."""
        caplog.set_level("ERROR", "inspector")

        def interrupted(stream: object, chunk: bytes) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(wasi._Stream, "write", interrupted)
        with running(hook({"on-shell": Print("x")})) as instance:
            assert fire(instance, "on-shell").answer == "none"
        assert "a hook's output" in caplog.text

    def test_writers_are_forgotten_with_their_stores(self) -> None:
        """The registry is as before."""
        gc.collect()
        before = len(wasi._WRITERS)
        with running(hook({"on-shell": Print("x")})) as instance:
            assert len(wasi._WRITERS) == before + 2
            fire(instance, "on-shell")
        assert len(wasi._WRITERS) == before


NAME_LOOKUP = """(component
  (import "wasi:sockets/network@0.2.0" (instance $network
    (export "network" (type $n (sub resource)))
    (type $e' (enum "unknown" "access-denied" "not-supported" "invalid-argument"
      "out-of-memory" "timeout" "concurrency-conflict" "not-in-progress" "would-block"
      "invalid-state" "new-socket-limit" "address-not-bindable" "address-in-use"
      "remote-unreachable" "connection-refused" "connection-reset" "connection-aborted"
      "datagram-too-large" "name-unresolvable" "temporary-resolver-failure"
      "permanent-resolver-failure"))
    (export "error-code" (type $e (eq $e')))))
  (alias export $network "network" (type $n))
  (alias export $network "error-code" (type $e))
  (import "wasi:sockets/instance-network@0.2.0" (instance $default
    (alias outer 1 $n (type $n')) (export "network" (type $n (eq $n')))
    (export "instance-network" (func (result (own $n))))))
  (import "wasi:sockets/ip-name-lookup@0.2.0" (instance $lookup
    (export "resolve-address-stream" (type $s (sub resource)))
    (alias outer 1 $n (type $n')) (export "network" (type $n (eq $n')))
    (alias outer 1 $e (type $e')) (export "error-code" (type $e (eq $e')))
    (export "resolve-addresses" (func (param "network" (borrow $n)) (param "name" string)
      (result (result (own $s) (error $e)))))))
  (core module $memory (memory (export "memory") 1) (data (i32.const 64) "127.0.0.1"))
  (core instance $memory (instantiate $memory))
  (core func $net (canon lower (func $default "instance-network")))
  (core func $resolve (canon lower (func $lookup "resolve-addresses")
    (memory (core memory $memory "memory")) string-encoding=utf8))
  (core module $main
    (import "h" "net" (func $net (result i32)))
    (import "h" "resolve" (func $resolve (param i32 i32 i32 i32)))
    (import "h" "memory" (memory 1))
    (func (export "is-refused") (result i32)
      (call $resolve (call $net) (i32.const 64) (i32.const 9) (i32.const 16))
      (i32.load8_u (i32.const 16))))
  (core instance $main (instantiate $main (with "h" (instance
    (export "net" (func $net)) (export "resolve" (func $resolve))
    (export "memory" (memory $memory "memory"))))))
  (func (export "is-refused") (result bool) (canon lift (core func $main "is-refused"))))"""


@pytest.mark.parametrize("is_open", [True, False])
def test_wasi_config__the_network__is_open_only_when_inherited(is_open: bool) -> None:
    """Name look-up of a literal address, which asks no server."""
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    capture = StdioCapture()
    store.set_wasi(wasi_config(WasiSettings(inherit_network=is_open), capture))
    linker = wc.Linker(engine)
    linker.add_wasip2()
    instance = linker.instantiate(store, wc.Component(engine, component(NAME_LOOKUP)))
    func = instance.get_func(store, "is-refused")
    assert func is not None
    codec = FunctionCodec(Function("is-refused", (), BOOL))
    assert codec.call(store, func, ()) is not is_open
    capture.close()
    store.close()
