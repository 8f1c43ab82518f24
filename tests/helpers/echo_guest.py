"""A guest that hands a list of values to the host and the host's answer back.

Lives here: the component of one such function for a given type. Not here: doubles of
hooks (wat). Any test may import it.

A list has the same flat form whatever its element, so one core function does for all.
"""

from inspector.contract import wit
from inspector.contract.type import Function, ListOf, Parameter, ValueType
from tests.helpers import wat_host
from tests.helpers.wat import component
from tests.helpers.wat_libc import LIBC

INTERFACE = "test:echo/host@1.0.0"
FUNCTION = "echo"


def echo_function(element: ValueType) -> Function:
    """`echo: func(items: list<element>) -> list<element>`."""
    return Function(FUNCTION, (Parameter("items", ListOf(element)),), ListOf(element))


def echo_interface(element: ValueType) -> wit.Interface:
    """The interface that the guest imports."""
    return wit.Interface(INTERFACE, {}, {FUNCTION: echo_function(element)})


def echo_guest(element: ValueType) -> bytes:
    """The component; it exports an instance `out` with the function."""
    function = echo_function(element)
    named = wat_host.named_types([function])
    types = "\n".join(f"(type ${name} {wat_host.define(kind)})" for name, kind in named.items())
    exported = "".join(f'(export "{name}" (type ${name}))' for name in named)
    lowered = "(memory $memory) (realloc $realloc) string-encoding=utf8"
    return component(
        f"""(component
        {wat_host.import_text(INTERFACE, "host", [function])}
        {LIBC.format(pages=1, heap=1024, segment="")}
        (core func $host.echo (canon lower (func $host "echo") {lowered}))
        (core module $main
          (import "host" "echo" (func $echo (param i32 i32 i32)))
          (func (export "echo") (param i32 i32) (result i32)
            (call $echo (local.get 0) (local.get 1) (i32.const 16)) (i32.const 16)))
        (core instance $given (export "echo" (func $host.echo)))
        (core instance $main (instantiate $main (with "host" (instance $given))))
        {types}
        (type $echo.type {wat_host.function_type(function)})
        (func $echo (type $echo.type)
          (canon lift (core func $main "echo") {lowered} (post-return $free)))
        (instance $out {exported} (export "echo" (func $echo)))
        (export "out" (instance $out))
        )"""
    )
