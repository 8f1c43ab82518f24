"""A guest that handles its output streams itself, without a language's runtime.

Lives here: `StreamGuest`. Not here: doubles of hooks that print (wat). Any test may import it.
"""

import wasmtime
from wasmtime import component as wc

from tests.helpers.wat import component

_TEXT = """(component
  (import "wasi:io/error@0.2.0" (instance $error (export "error" (type (sub resource)))))
  (alias export $error "error" (type $error))
  (import "wasi:io/streams@0.2.0" (instance $streams
    (alias outer 1 $error (type $error'))
    (export "error" (type $e (eq $error')))
    (export "output-stream" (type $stream (sub resource)))
    (type $failure' (variant (case "last-operation-failed" (own $e)) (case "closed")))
    (export "stream-error" (type $failure (eq $failure')))
    (export "[method]output-stream.check-write"
      (func (param "self" (borrow $stream)) (result (result u64 (error $failure)))))
    (export "[method]output-stream.write" (func (param "self" (borrow $stream))
      (param "contents" (list u8)) (result (result (error $failure)))))))
  (alias export $streams "output-stream" (type $stream))
  (import "wasi:cli/stdout@0.2.0" (instance $stdout
    (alias outer 1 $stream (type $stream')) (export "output-stream" (type $s (eq $stream')))
    (export "get-stdout" (func (result (own $s))))))
  (import "wasi:cli/stderr@0.2.0" (instance $stderr
    (alias outer 1 $stream (type $stream')) (export "output-stream" (type $s (eq $stream')))
    (export "get-stderr" (func (result (own $s))))))
  (core module $memory (memory (export "memory") 40))
  (core instance $memory (instantiate $memory))
  (core func $get-stdout (canon lower (func $stdout "get-stdout")))
  (core func $get-stderr (canon lower (func $stderr "get-stderr")))
  (core func $check (canon lower (func $streams "[method]output-stream.check-write")
    (memory (core memory $memory "memory"))))
  (core func $write (canon lower (func $streams "[method]output-stream.write")
    (memory (core memory $memory "memory"))))
  (core module $main
    (import "h" "get-stdout" (func $get-stdout (result i32)))
    (import "h" "get-stderr" (func $get-stderr (result i32)))
    (import "h" "check" (func $check (param i32 i32)))
    (import "h" "write" (func $write (param i32 i32 i32 i32)))
    (import "h" "memory" (memory 1))
    (func $stream (param $is-error i32) (result i32)
      (if (result i32) (local.get $is-error)
        (then (call $get-stderr)) (else (call $get-stdout))))
    (func (export "permit") (param $is-error i32) (result i64)
      (call $check (call $stream (local.get $is-error)) (i32.const 16))
      (if (i32.load8_u (i32.const 16)) (then unreachable))
      (i64.load (i32.const 24)))
    (func (export "write") (param $is-error i32) (param $size i32) (result i32)
      (local $stream i32)
      (local.set $stream (call $stream (local.get $is-error)))
      (call $check (local.get $stream) (i32.const 16))
      (call $write (local.get $stream) (i32.const 64) (local.get $size) (i32.const 16))
      (i32.eqz (i32.load8_u (i32.const 16)))))
  (core instance $main (instantiate $main (with "h" (instance
    (export "get-stdout" (func $get-stdout)) (export "get-stderr" (func $get-stderr))
    (export "check" (func $check)) (export "write" (func $write))
    (export "memory" (memory $memory "memory"))))))
  (func (export "permit") (param "is-error" bool) (result u64)
    (canon lift (core func $main "permit")))
  (func (export "write") (param "is-error" bool) (param "size" u32) (result bool)
    (canon lift (core func $main "write"))))"""


class StreamGuest:
    """An instance with a store of its own.

    Attributes:
        store: Close it afterwards.
    """

    def __init__(self, config: wasmtime.WasiConfig) -> None:
        """Make the instance.

        Args:
            config: Says where its output goes; it is consumed.
        """
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        self.store.set_wasi(config)
        linker = wc.Linker(engine)
        linker.add_wasip2()
        made = linker.instantiate(self.store, wc.Component(engine, component(_TEXT)))
        self._functions = {name: made.get_func(self.store, name) for name in ("permit", "write")}

    def permit(self, *, is_error: bool = False) -> int:
        """How many bytes the host takes of the next write."""
        return int(self._call("permit", is_error))

    def write(self, size: int, *, is_error: bool = False) -> bool:
        """Write NUL characters in one go; whether the host took them."""
        return bool(self._call("write", is_error, size))

    def _call(self, name: str, *arguments: int) -> int:
        func = self._functions[name]
        assert func is not None
        result: int = func(self.store, *arguments)
        return result
