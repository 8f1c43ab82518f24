"""wasmtime's C API by address: the names that the library keeps private.

Lives here: every use of `wasmtime._ffi` and of underscored members, and the layout of
`wasmtime_component_val_t`. Not here: what the bytes mean (codec_*), what a callback
does (host_function, memory, wasi). Only runtime imports it.

Callbacks get a number and find their object in a `Registry`: the C side calls
finalizers when it likes, so no callback may die with the object that it serves.
"""

import ctypes
import itertools
import os
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from wasmtime import Config, Store, StoreContext, WasiConfig, WasmtimeError
from wasmtime import _ffi as ffi
from wasmtime.component import Component, Func, LinkerInstance, ResourceAny

from inspector import logs

Storelike = Store | StoreContext

VALUE_SIZE = 32
"""Bytes of a `wasmtime_component_val_t`: the kind, then 24 bytes of payload."""

ENTRY_SIZE = 48
"""Bytes of a record entry: name size, name address, value."""

KIND_OF_PRIMITIVE = {
    "bool": 0,
    "s8": 1,
    "u8": 2,
    "s16": 3,
    "u16": 4,
    "s32": 5,
    "u32": 6,
    "s64": 7,
    "u64": 8,
    "f32": 9,
    "f64": 10,
    "char": 11,
    "string": 12,
}
SCALAR_FORMATS = {
    "bool": "?23x",
    "s8": "b23x",
    "u8": "B23x",
    "s16": "h22x",
    "u16": "H22x",
    "s32": "i20x",
    "u32": "I20x",
    "s64": "q16x",
    "u64": "Q16x",
    "f32": "f20x",
    "f64": "d16x",
}
"""Struct codes of the 24 bytes of payload, by primitive."""

KIND_LIST = 13
KIND_RECORD = 14
KIND_TUPLE = 15
KIND_VARIANT = 16
KIND_ENUM = 17
KIND_OPTION = 18
KIND_RESULT = 19
KIND_RESOURCE = 21


def _check_layout() -> None:
    """Refuse a library whose layout is not the one that the codec writes."""
    variant: Any = ffi.wasmtime_component_valvariant
    result: Any = ffi.wasmtime_component_valresult
    found = (
        ctypes.sizeof(ffi.wasmtime_component_val_t),
        ctypes.sizeof(ffi.wasmtime_component_valrecord_entry),
        ffi.WASMTIME_COMPONENT_STRING.value,
        ffi.WASMTIME_COMPONENT_RESOURCE.value,
        variant.val.offset,
        result.val.offset,
    )
    wanted = (VALUE_SIZE, ENTRY_SIZE, KIND_OF_PRIMITIVE["string"], KIND_RESOURCE, 16, 8)
    if found != wanted:
        raise ImportError(f"wasmtime lays its values out as {found}, the codec wants {wanted}")


_check_layout()

_ADDRESS = ctypes.c_void_p
_SIZE = ctypes.c_size_t

FINALIZER = ctypes.CFUNCTYPE(None, _ADDRESS)
HOST_CALLBACK = ctypes.CFUNCTYPE(
    _SIZE, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _SIZE, _ADDRESS, _SIZE
)
OUTPUT_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_ssize_t, _ADDRESS, _ADDRESS, _SIZE)
NEW_MEMORY = ffi.wasmtime_new_memory_callback_t
GET_MEMORY = ffi.wasmtime_memory_get_callback_t
GROW_MEMORY = ffi.wasmtime_memory_grow_callback_t


def _prototype(name: str, result: Any, *arguments: Any) -> Any:
    """A C function with argument types of our own; the library's stay untouched."""
    function = ffi.dll[name]
    function.restype = result
    function.argtypes = list(arguments)
    return function


_func_call = _prototype(
    "wasmtime_component_func_call", _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _SIZE, _ADDRESS, _SIZE
)
_val_delete = _prototype("wasmtime_component_val_delete", None, _ADDRESS)
_val_clone = _prototype("wasmtime_component_val_clone", None, _ADDRESS, _ADDRESS)
_resource_clone = _prototype("wasmtime_component_resource_any_clone", _ADDRESS, _ADDRESS)
_error_new = _prototype("wasmtime_error_new", _ADDRESS, ctypes.c_char_p)
_component_new = _prototype(
    "wasmtime_component_new", _ADDRESS, _ADDRESS, ctypes.c_char_p, _SIZE, _ADDRESS
)
_add_func = _prototype(
    "wasmtime_component_linker_instance_add_func",
    _ADDRESS,
    _ADDRESS,
    ctypes.c_char_p,
    _SIZE,
    HOST_CALLBACK,
    _ADDRESS,
    FINALIZER,
)
_preopen_dir = _prototype(
    "wasi_config_preopen_dir",
    ctypes.c_bool,
    _ADDRESS,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_bool,
)
_set_file_output = {
    stream: _prototype(f"wasi_config_set_{stream}_file", ctypes.c_bool, _ADDRESS, ctypes.c_char_p)
    for stream in ("stdout", "stderr")
}
_set_custom_output = {
    stream: _prototype(
        f"wasi_config_set_{stream}_custom", None, _ADDRESS, OUTPUT_CALLBACK, _ADDRESS, FINALIZER
    )
    for stream in ("stdout", "stderr")
}

_Object = TypeVar("_Object")


class Registry(Generic[_Object]):
    """Objects by a number that is never reused.

    Each step is one atomic operation, because finalizers run on any thread. The first
    number is 1: a callback cannot tell a 0 from a null pointer.
    """

    def __init__(self) -> None:
        self._objects: dict[int, _Object] = {}
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._objects)

    def add(self, item: _Object) -> int:
        """Keep an object; the number finds it again."""
        number = next(self._numbers)
        self._objects[number] = item
        return number

    def get(self, number: int) -> _Object:
        """The object of a number; KeyError when it was dropped."""
        return self._objects[number]

    def drop(self, number: int | None) -> _Object | None:
        """Forget an object; a second time does nothing."""
        return self._objects.pop(number or 0, None)


def immortal(item: Any) -> Any:
    """Keep an object to the very end, past the teardown of modules."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(item))
    return item


def static(prototype: Any) -> Callable[[Callable[..., int | None]], Any]:
    """Decorate a function of a module as a C callback that lives as long as the process.

    Stores may be freed while modules are taken apart, and call their finalizers then.
    """

    def decorate(function: Callable[..., int | None]) -> Any:
        return immortal(prototype(function))

    return decorate


def finalizer(registry: Registry[Any]) -> Any:
    """A C callback that forgets an object of a registry."""
    return static(FINALIZER)(lambda number: registry.drop(number) and None)


def new_error(text: str) -> int:
    """The address of a fresh error with a text, to be returned from a callback."""
    address: int = _error_new(text.replace("\0", "\\0").encode("utf-8", "backslashreplace"))
    return address


def error_at(address: int) -> WasmtimeError:
    """Take ownership of an error that the C side returned."""
    return WasmtimeError._from_ptr(ctypes.cast(address, ctypes.POINTER(ffi.wasmtime_error_t)))


def consume_error(error: WasmtimeError) -> int:
    """Give an error back to the C side.

    Returns:
        Its address, to be returned from a callback.
    """
    address = ctypes.cast(error._consume(), _ADDRESS).value
    assert address is not None
    return address


def call_function(
    store: Storelike, func: Func, arguments: int, count: int, result: int, results: int
) -> WasmtimeError | None:
    """Call a component function with values at given addresses.

    Args:
        store: The store, or the context inside a host function.
        func: An export of an instance in that store.
        arguments: Address of `count` values; they stay the caller's.
        count: How many.
        result: Address of `results` zeroed slots. Without an error the caller must free
            each with `delete_value`.
        results: 0 or 1.

    Returns:
        The error, or None.
    """
    error = _func_call(
        ctypes.byref(func._func), store._context(), arguments, count, result, results
    )
    return error_at(error) if error else None


def delete_value(address: int) -> None:
    """Free what hangs on a value that the C side made; the slot itself is not freed."""
    _val_delete(address)


def clone_value(source: int, target: int) -> None:
    """Copy a whole value into memory that the C side owns."""
    _val_clone(source, target)


def take_resource(address: int) -> ResourceAny:
    """A handle of its own for the resource at an address of a value's payload."""
    pointer = ctypes.cast(
        _resource_clone(address), ctypes.POINTER(ffi.wasmtime_component_resource_any_t)
    )
    return ResourceAny._from_ptr(pointer)


def resource_address(resource: ResourceAny) -> int:
    """The address of a resource handle; ValueError when it was closed."""
    address = ctypes.cast(resource.ptr(), _ADDRESS).value
    assert address is not None
    return address


def new_component(engine: Any, binary: bytes) -> Component:
    """Compile a binary as it is, without the library's guess that it may be text.

    Raises:
        WasmtimeError: when it is no component, or an invalid one.
    """
    pointer = ctypes.POINTER(ffi.wasmtime_component_t)()
    error = _component_new(engine.ptr(), binary, len(binary), ctypes.byref(pointer))
    if error:
        raise error_at(error)
    return Component._from_ptr(pointer)


def add_function(
    instance: LinkerInstance, name: str, callback: Any, finalizer: Any, number: int
) -> None:
    """Define a host function; `number` comes back as the first argument of the callback.

    Raises:
        WasmtimeError: when the name is taken.
    """
    encoded = name.encode()
    error = _add_func(instance.ptr(), encoded, len(encoded), callback, number, finalizer)
    if error:
        raise error_at(error)


def set_output(config: WasiConfig, stream: str, callback: Any, finalizer: Any, number: int) -> None:
    """Send a stream (`stdout`, `stderr`) to a callback with a number."""
    _set_custom_output[stream](config.ptr(), callback, number, finalizer)


def set_output_file(config: WasiConfig, stream: str, path: str) -> bool:
    """Send a stream to a file, which is opened now; False when it cannot be."""
    return bool(_set_file_output[stream](config.ptr(), os.fsencode(path)))


def preopen(config: WasiConfig, host_path: str, guest_name: str) -> bool:
    """Give a folder to the guest with every permission; False when it cannot be opened."""
    path = os.fsencode(host_path)
    return bool(_preopen_dir(config.ptr(), path, guest_name.encode(), True))


def inherit_network(config: WasiConfig) -> None:
    """Let the guest open sockets and look up names."""
    ffi.wasi_config_inherit_network(config.ptr())
    ffi.wasi_config_allow_ip_name_lookup(config.ptr(), True)


def set_memory_creator(config: Config, number: int, new_memory: Any, finalizer: Any) -> None:
    """Let our own callback make every linear memory of an engine."""
    creator: Any = ffi.wasmtime_memory_creator_t()
    creator.env = number
    creator.new_memory = new_memory
    creator.finalizer = finalizer
    ffi.wasmtime_config_host_memory_creator_set(config.ptr(), ctypes.byref(creator))


def bytes_at(address: int, size: int) -> bytes:
    """A copy of bytes of the C side."""
    return ctypes.string_at(address, size)


def log_unraisable(where: str) -> None:
    """Log the exception in flight of a callback that must not raise."""
    logs.RUNTIME.exception("exception in %s; the guest sees a failure", where)
