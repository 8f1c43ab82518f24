"""Host functions: Python functions that a guest imports, through our codec.

Lives here: `define`, `HostTrap`, and the C callback behind them and behind the http gate.
Not here: what the functions do (the import modules beside). Only runtime imports it.

Nothing is ever raised into the C side: an exception, KeyboardInterrupt included, would
be a segmentation fault there.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from wasmtime import WasmtimeError
from wasmtime.component import Linker

from inspector import logs
from inspector.contract.type import STRING, Function, ResultOf
from inspector.runtime import capi, host_time
from inspector.runtime.codec import FunctionCodec

Implementation = Callable[..., Any]


class FunctionSet(Protocol):
    """A named set of functions: `wit.Interface` and `component.InterfaceShape` are two."""

    @property
    def name(self) -> str:
        """Full instance name."""

    @property
    def functions(self) -> Mapping[str, Function]:
        """Function types by name."""


class HostTrap(Exception):  # noqa: N818 -- it is no error of ours, the guest traps
    """Raised by an implementation to trap the guest with a text of its own."""


class _HostFunction:
    """One defined function; any number of threads may be in it."""

    __slots__ = ("_codec", "_implementation", "_name", "_tells")

    def __init__(self, interface: str, function: Function, implementation: Implementation) -> None:
        self._name = f"{interface}#{function.name}"
        self._codec = FunctionCodec(function)
        self._implementation = implementation
        result = function.result
        self._tells = isinstance(result, ResultOf) and result.error == STRING

    def run(self, arguments: int, count: int, results: int, result_count: int) -> int:
        """Serve one call; the address of an error for a trap, else 0."""
        try:
            self._codec.answer(self._implementation, arguments, count, results, result_count)
        except HostTrap as trap:
            return capi.new_error(str(trap))
        except WasmtimeError as error:
            # A guest that was called from inside has trapped: hand its error on.
            return capi.consume_error(error)
        except BaseException as error:  # noqa: BLE001 -- nothing may be raised into the C side
            logs.RUNTIME.exception("host function %s failed", self._name)
            text = f"host function {self._name} failed: {error!r}"
            return self._fail(text, results, result_count)
        return 0

    def _fail(self, text: str, results: int, result_count: int) -> int:
        """An err value where the guest can take a text, else a trap."""
        if not self._tells or result_count != 1:
            return capi.new_error(text)
        self._codec.give({"err": text.encode("utf-8", "backslashreplace").decode()}, results)
        return 0


def define(
    linker: Linker, interface: FunctionSet, implementations: Mapping[str, Implementation]
) -> None:
    """Define every function of an interface in a linker.

    An implementation takes one contract value per parameter and gives the result as a
    contract value (`{"ok": x}`, `{"err": y}` for a result type, None for no result).
    What it raises is logged and becomes an err value where the result type is
    `result<_, string>`, else a trap; `HostTrap` is a trap with its own text.

    Args:
        linker: Where; the interface must not be there yet, unless shadowing is allowed.
        interface: Name and function types, from a contract or from a component's shape.
        implementations: One callable per function of the interface. They may be called
            from any thread that runs a store of this linker.

    Raises:
        KeyError: when a function has no implementation.
        CodecError: when a function's type cannot cross, such as a stream.
        wasmtime.WasmtimeError: when the name is taken.
    """
    functions = [
        (name, _HostFunction(interface.name, function, implementations[name]))
        for name, function in interface.functions.items()
    ]
    with linker.root() as root, root.add_instance(interface.name) as instance:
        for name, function in functions:
            number = _FUNCTIONS.add(function)
            capi.add_function(instance, name, _enter, _drop, number)


def entry(registry: capi.Registry[Any], subject: str) -> Any:
    """The C callback that runs an object of a registry, its time counted as the host's.

    Args:
        registry: Of objects with `run(arguments, count, results, expected)`, which gives
            the address of an error, or 0.
        subject: What they are, for the log and for the guest's trap, e.g. `host function`.
    """

    @capi.static(capi.HOST_CALLBACK)
    def enter(
        number: Any,
        context: Any,
        kind: Any,
        arguments: Any,
        count: int,
        results: Any,
        expected: int,
    ) -> int:
        try:
            with host_time.counted():
                address: int = registry.get(number).run(arguments, count, results, expected)
                return address
        except BaseException:  # noqa: BLE001 -- nothing may be raised into the C side
            capi.log_unraisable(f"a {subject}")
            return capi.new_error(f"the {subject} failed")

    return enter


_FUNCTIONS: capi.Registry[_HostFunction] = capi.Registry()
_enter = entry(_FUNCTIONS, "host function")
_drop = capi.finalizer(_FUNCTIONS)
