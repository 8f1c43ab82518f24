"""One running hook: instantiate it, call one function at a time, close it.

Lives here: `instantiate`, `HookInstance`, `CallResult`. Not here: which hook is called
when (the dispatcher), what imports do (host_function and the modules on top of it).
Rooms above may import it.
"""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec
from wasmtime import Store, WasmtimeError
from wasmtime.component import ExportIndex, Func, Instance, Linker

from inspector import logs
from inspector.contract.contract import Contract
from inspector.contract.profile import Profile
from inspector.contract.record import Failure
from inspector.manifest.grant import Limits
from inspector.runtime import capi, failure, host_time, instance_text, lifetime
from inspector.runtime.codec import FunctionCodec
from inspector.runtime.component import CompiledHook
from inspector.runtime.engine import HookEngine
from inspector.runtime.instance_text import InstantiationError
from inspector.runtime.memory import MemoryAccount
from inspector.runtime.type_check import Mismatch, check_function
from inspector.runtime.wasi import Captured, StdioCapture, WasiError, WasiSettings, wasi_config

__all__ = ["CallResult", "DefineImports", "HookInstance", "InstantiationError", "instantiate"]

Lookup = Literal["session", "stage"]
DefineImports = Callable[[Linker, Store], None]

_STAGE = "on-stage"
_HTTP = "wasi:http/outgoing-handler@0.2.0"
_CLOSE_WAIT_S = 2.0


class CallResult(msgspec.Struct, frozen=True):
    """What one call came to.

    Attributes:
        answer: The `hook-output` value when the hook answered ok, else None.
        failure: Why there is no answer, else None.
        text: The runtime's text of the failure; None for an absent function.
        detail: The engine's whole text with causes, or what differs in a type; None
            when there is no more to say.
        duration_us: Wall time inside the guest; 0 when it was not entered.
        stdout: What the guest wrote to stdout during the call.
        stderr: The same for stderr.
        cut_bytes: Bytes of stdout and stderr that were not kept.
        host_us: Part of `duration_us` that host functions of ours took.
    """

    answer: Any = None
    failure: Failure | None = None
    text: str | None = None
    detail: str | None = None
    duration_us: int = 0
    stdout: str = ""
    stderr: str = ""
    cut_bytes: int = 0
    host_us: int = 0


class HookInstance:
    """An instance of a hook; one thread at a time calls it.

    Attributes:
        name: Of the hook.
        version: Of the hook.
        startup: What the guest wrote while it was instantiated.
        functions: The lifecycle functions that can be called.
    """

    def __init__(
        self,
        compiled: CompiledHook,
        contract: Contract,
        label: tuple[str, str],
        deadline_s: int,
        parts: "_Parts",
    ) -> None:
        """Only `instantiate` makes instances."""
        self.name, self.version = label
        self.startup: Captured = parts.capture.take()
        self._engine = compiled.engine
        self._deadline_s = deadline_s
        self._contract = contract
        self._parts = parts
        self._shape = compiled.shape.export(contract.interface)
        self._codecs: dict[str, FunctionCodec] = {}
        self._mismatches: dict[str, Mismatch | None] = {}
        self._entry = threading.RLock()
        self._trapped = False
        self._closed = False
        lifetime.register(self)

    @property
    def functions(self) -> frozenset[str]:
        """The lifecycle functions that can be called."""
        return frozenset(self._parts.functions)

    @property
    def poisoned(self) -> bool:
        """Whether the guest has trapped; every later call fails."""
        return self._trapped

    @property
    def memory_bytes(self) -> int:
        """Bytes of all linear memories now; any thread may ask."""
        return self._parts.account.total_bytes

    @property
    def memory_sizes(self) -> tuple[int, ...]:
        """Bytes of each linear memory now."""
        return self._parts.account.sizes()

    def read_memory(self, memory_index: int, offset: int, length: int) -> bytes:
        """Copy bytes out of a linear memory, also while the guest runs.

        Args:
            memory_index: As in `memory_sizes`.
            offset: First byte.
            length: How many; what lies outside of the memory is left out.
        """
        return self._parts.account.read(memory_index, offset, length)

    def interrupt(self) -> None:
        """End the running call at once, if there is one; any thread may ask."""
        self._engine.interrupt()

    def call(self, function: str, fields: Mapping[str, Any]) -> CallResult:
        """Call a lifecycle function.

        Args:
            function: Its name, e.g. `on-shell`.
            fields: The whole event record, completed (contract.value.complete).

        Returns:
            The answer or the failure; a guest cannot make this raise.

        Raises:
            CodecError: when `fields` does not fit the record; the guest was not entered.
            ValueError: when the instance is closed.

        Source: spec/dispatch.md 7.
        """
        if self._closed:
            raise ValueError(f"the instance of hook {self.name} is closed")
        func = self._parts.functions.get(function)
        if func is None:
            return CallResult(failure=Failure.ABSENT)
        mismatch = self._mismatch(function)
        if mismatch is not None:
            return CallResult(
                failure=Failure.TYPE_MISMATCH, text=mismatch.text, detail=mismatch.detail
            )
        with self._entry:
            if self._closed:
                raise ValueError(f"the instance of hook {self.name} is closed")
            return self._enter(function, func, fields)

    def _mismatch(self, function: str) -> Mismatch | None:
        """Found per call, as the runtime does, but looked for once."""
        if function not in self._mismatches:
            assert self._shape is not None
            found = self._shape.functions[function]
            self._mismatches[function] = check_function(self._contract.function(function), found)
        return self._mismatches[function]

    def _codec(self, function: str) -> FunctionCodec:
        codec = self._codecs.get(function)
        if codec is None:
            codec = self._codecs[function] = FunctionCodec(self._contract.function(function))
        return codec

    def _enter(self, function: str, func: Func, fields: Mapping[str, Any]) -> CallResult:
        codec = self._codec(function)
        account = self._parts.account
        subject = f"hook '{self.name}' {function}"
        if self._trapped and account.denial is not None:
            # The guest may have gone on past a denied growth to its end; the runtime
            # would have trapped it there, so it is not entered again.
            kind, text = failure.limit_failure(account.denial, subject)
            return CallResult(failure=kind, text=text)
        error: WasmtimeError | None = None
        value: Any = None
        self._engine.arm(self._parts.store)
        host_ns = host_time.spent_ns()
        started = time.perf_counter_ns()
        try:
            value = codec.call(self._parts.store, func, (fields,))
        except WasmtimeError as caught:
            error = caught
        finally:
            duration_us = (time.perf_counter_ns() - started) // 1000
            self._engine.disarm()
        result = self._result(value, error, subject)
        output = self._parts.capture.take()
        return msgspec.structs.replace(
            result,
            duration_us=duration_us,
            stdout=output.stdout,
            stderr=output.stderr,
            cut_bytes=output.cut_bytes,
            host_us=(host_time.spent_ns() - host_ns) // 1000,
        )

    def _result(self, value: Any, error: WasmtimeError | None, subject: str) -> CallResult:
        account = self._parts.account
        if error is not None:
            self._trapped = True
            kind, text = failure.classify(
                error,
                account,
                interrupted=self._engine.interrupted,
                subject=subject,
                deadline_s=self._deadline_s,
            )
            return CallResult(failure=kind, text=text, detail=failure.full_text(error))
        if account.denial is not None:
            self._trapped = True
            kind, text = failure.limit_failure(account.denial, subject)
            return CallResult(failure=kind, text=text)
        if "err" in value:
            return CallResult(failure=Failure.GUEST_ERROR, text=value["err"])
        return CallResult(answer=value["ok"])

    def close(self) -> None:
        """Give the store back; a running call is interrupted first."""
        if not self._entry.acquire(blocking=False):
            self.interrupt()
            if not self._entry.acquire(timeout=_CLOSE_WAIT_S):
                logs.RUNTIME.error("hook %s is stuck in a host call; it is left open", self.name)
                capi.immortal(self)
                return
        try:
            self._closed = True
            self._parts.close()
        finally:
            self._entry.release()


class _Parts:
    """What an instance is made of, and closed with.

    Attributes:
        store: Its store.
        linker: Kept as long as the store, for the host functions.
        capture: Its output.
        account: Its memories.
        functions: Its exports by lifecycle function.
    """

    def __init__(self, engine: HookEngine, limits: Limits) -> None:
        self.store = Store(engine.wasmtime_engine)
        self.store.set_limits(table_elements=limits.table_elements, instances=limits.instances)
        # What `define_imports` makes in the store runs before the hook's deadline begins.
        self.store.set_epoch_deadline(1)
        self.linker = Linker(engine.wasmtime_engine)
        self.capture = StdioCapture()
        self.account: MemoryAccount = engine.tracker.open_account()
        self.functions: dict[str, Func] = {}

    def close(self) -> None:
        self.functions = {}
        # Before the store: the end of its pipes needs no notice then.
        self.capture.close()
        self.store.close()
        self.linker.close()
        self.account.close()


def instantiate(
    compiled: CompiledHook,
    contract: Contract,
    profile: Profile,
    name: str,
    version: str,
    limits: Limits,
    deadline_s: int,
    wasi: WasiSettings,
    define_imports: DefineImports,
    lookup: Lookup,
) -> HookInstance:
    """Make an instance of a hook as the mirrored runtime does.

    Args:
        compiled: The hook, on an engine of its own.
        contract: The contract that judges it.
        profile: The runtime that is mirrored, for its texts.
        name: Of the hook.
        version: Of the hook.
        limits: Bounds of tables and instances; those of memories are the engine's.
        deadline_s: Configured deadline, for texts; the engine's ticks count it.
        wasi: What the hook sees of the host.
        define_imports: Defines the host functions in a linker that has WASI already.
        lookup: `session` resolves required and optional functions, `stage` on-stage.

    Returns:
        The instance; close it before its engine.

    Raises:
        InstantiationError: with the runtime's own text.

    Source: spec/dispatch.md 2 and 3.
    """
    label = f"{name}@{version}"
    parts = _Parts(compiled.engine, limits)
    try:
        _prepare(parts, contract, wasi, define_imports)
        instance = _link(parts, compiled, contract, label, limits)
        parts.functions = _resolve(parts.store, instance, contract, profile, label, lookup)
    except BaseException:
        parts.close()
        raise
    return HookInstance(compiled, contract, (name, version), deadline_s, parts)


def _prepare(
    parts: _Parts, contract: Contract, wasi: WasiSettings, define_imports: DefineImports
) -> None:
    """WASI, wasi:http where the runtime has it, then the imports of the contract."""
    try:
        parts.store.set_wasi(wasi_config(wasi, parts.capture))
    except WasiError as error:
        raise InstantiationError(str(error), prefixed=False) from error
    parts.linker.add_wasip2()
    if contract.import_rule(_HTTP) is not None:
        parts.store.set_wasi_http()
        parts.linker.add_wasi_http()
    define_imports(parts.linker, parts.store)


def _link(
    parts: _Parts, compiled: CompiledHook, contract: Contract, label: str, limits: Limits
) -> Instance:
    """Link and start the component under a fresh deadline."""
    engine = compiled.engine
    mismatch = instance_text.import_mismatch(compiled.shape, contract)
    try:
        with engine.tracker.accounting(parts.account):
            engine.arm(parts.store)
            if mismatch is not None:
                # Only to see whether an earlier import fails: no guest code may run.
                parts.store.set_epoch_deadline(0)
            instance = parts.linker.instantiate(parts.store, compiled.component)
    except WasmtimeError as error:
        raise instance_text.link_failure(
            error, mismatch, compiled.shape, parts.account, label, limits, engine.interrupted
        ) from error
    finally:
        engine.disarm()
    if mismatch is not None:
        raise instance_text.mismatch_failure(mismatch, label)
    if parts.account.denial is not None:
        raise instance_text.denial_failure(parts.account.denial, label)
    return instance


def _resolve(
    store: Store,
    instance: Instance,
    contract: Contract,
    profile: Profile,
    label: str,
    lookup: Lookup,
) -> dict[str, Func]:
    """Find the functions by name alone; signatures are checked at each call."""
    interface = contract.interface
    index = instance.get_export_index(store, interface)
    if index is None:
        raise InstantiationError(profile.missing_interface.format(hook=label, interface=interface))
    if lookup == "stage":
        stage = _function(store, instance, index, _STAGE)
        if stage is None:
            raise InstantiationError(f"hook {label} missing {_STAGE}")
        return {_STAGE: stage}
    functions: dict[str, Func] = {}
    for each in (*contract.rules.required, *contract.rules.optional):
        func = _function(store, instance, index, each)
        if func is not None:
            functions[each] = func
        elif each in contract.rules.required:
            raise InstantiationError(f"hook {label} missing function {interface}#{each}")
    return functions


def _function(store: Store, instance: Instance, interface: ExportIndex, name: str) -> Func | None:
    index = instance.get_export_index(store, name, interface)
    return None if index is None else instance.get_func(store, index)
