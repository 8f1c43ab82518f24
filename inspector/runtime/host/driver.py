"""Running the capsule's inference driver, a component that exports murmur:tool/run.

Lives here: one fresh store and instance per call, what a driver sees of the host, the
texts of its failures. Not here: what is asked and how an answer is read (inference).
Only runtime and worker import it.

A driver runs under the capsule's own limits and deadline, not under its caller's: the
clock of the calling hook goes on meanwhile, and is looked at when the hook's code
resumes.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from wasmtime import Store, WasmtimeError
from wasmtime.component import Func, Instance, Linker

from inspector.contract.contract import Contract
from inspector.contract.record import HttpRequest
from inspector.contract.type import STRING, Function, Parameter
from inspector.manifest.grant import Grant, Limits, NetworkRule
from inspector.runtime import failure, host_function
from inspector.runtime.codec import FunctionCodec
from inspector.runtime.component import CompiledHook, CompileError, InterfaceShape, compile_hook
from inspector.runtime.engine import HookEngine, deadline_ticks
from inspector.runtime.host.http_gate import HttpGate
from inspector.runtime.host.inference import DriverError
from inspector.runtime.host.ledger import GrantLedger
from inspector.runtime.host_function import HostTrap
from inspector.runtime.instance import InstantiationError
from inspector.runtime.memory import MemoryAccount
from inspector.runtime.sandbox import SCOPE_PREOPEN, make_scope
from inspector.runtime.type_check import check_function
from inspector.runtime.wasi import StdioCapture, WasiError, WasiSettings, wasi_config

TOOL_RUN = "murmur:tool/run@0.1.0"
DEFAULT_DEADLINE_S = 600
"""Deadline of a driver when the manifest declares none (spec/manifest.md 4.7)."""

_CHUNK = (Parameter("chunk", STRING),)
_CHUNKS = InterfaceShape(
    "murmur:text/chunks@0.1.0",
    {
        "emit-chunk": Function("emit-chunk", _CHUNK, None),
        "emit-thinking-chunk": Function("emit-thinking-chunk", _CHUNK, None),
    },
    {},
)
_TASK = InterfaceShape(
    "murmur:task/task@0.1.0",
    {"request-input": Function("request-input", (Parameter("prompt", STRING),), STRING)},
    {},
)
_NO_INPUT = "request-input is not available outside an A2A task context"


class DriverPlan(msgspec.Struct, frozen=True):
    """What a driver is run with.

    Attributes:
        name: Artifact name.
        version: Artifact version.
        component: Its bytes.
        limits: Capsule-wide.
        wasi: What it sees of the host besides `scope`; see `environment`.
        network: Rules of the capsule, narrowed by the driver's own entry; none denies
            every request.
        scope: A folder and the driver's scope below it, made for each run, as `.`; None
            when `wasi` has that folder.
    """

    name: str
    version: str
    component: bytes
    limits: Limits
    wasi: WasiSettings
    network: tuple[NetworkRule, ...] = ()
    scope: tuple[Path, str] | None = None

    @property
    def deadline_s(self) -> int:
        """Seconds that one run may take."""
        return self.limits.hook_deadline_s(DEFAULT_DEADLINE_S)


def environment(
    inference: Mapping[str, Any],
    *,
    capsule: tuple[str, str],
    session_id: str,
    allowed: Mapping[str, str],
) -> tuple[tuple[str, str], ...]:
    """The variables of a driver.

    MURMUR_CAPSULE_URL is left out: there is no server of the capsule here.

    Args:
        inference: The inference block as plain values (capsule.Capsule.inference).
        capsule: Its name and version.
        session_id: The session's id.
        allowed: Variables of the host that `capabilities.env` names, and their values.

    Source: spec/imports.md 2.3.
    """
    pairs = (
        ("MURMUR_INFERENCE_TRANSPORT", inference.get("transport")),
        ("MURMUR_INFERENCE_ENDPOINT", inference.get("endpoint", "")),
        ("MURMUR_INFERENCE_MODEL", inference.get("model", "")),
        ("MURMUR_INFERENCE_DRIVER", inference.get("driver", "")),
        ("MURMUR_INFERENCE_API_KEY", inference.get("api_key")),
        ("MURMUR_INFERENCE_DRIVER_CONFIG", inference.get("driver_config")),
        ("MURMUR_CAPSULE_NAME", capsule[0]),
        ("MURMUR_CAPSULE_VERSION", capsule[1]),
        ("MURMUR_SESSION_ID", session_id),
    )
    own = tuple((name, value) for name, value in pairs if value is not None)
    return (*allowed.items(), *own)


class ComponentDriver:
    """A driver that is instantiated anew for each run; any thread may run it.

    Two hooks may call at once, and an engine ends one call at a time, so each run that
    overlaps another has an engine of its own; engines are kept for the next run.
    """

    def __init__(
        self, plan: DriverPlan, contract: Contract, on_request: Callable[[HttpRequest], None]
    ) -> None:
        """Make a driver; it is compiled when it first runs.

        Args:
            plan: What to run, and with what.
            contract: Has the interface of drivers.
            on_request: Told of each request that the driver makes.
        """
        self._plan = plan
        self._on_request = on_request
        self._codec = FunctionCodec(contract.interfaces[TOOL_RUN].functions["run"])
        self._lock = threading.Lock()
        self._compiling = threading.Lock()
        self._all: list[CompiledHook] = []
        self._free: list[CompiledHook] = []

    @property
    def name(self) -> str:
        """The artifact's name."""
        return self._plan.name

    def run(self, payload: str) -> Mapping[str, Any]:
        """Run the driver once, as inference.Driver says."""
        compiled = self._take()
        try:
            with _Run(self._plan, compiled, self._on_request) as run:
                return run.call(self._codec, payload)
        finally:
            with self._lock:
                self._free.append(compiled)

    def interrupt(self) -> None:
        """End the runs that are going on; any thread may ask."""
        with self._lock:
            engines = [compiled.engine for compiled in self._all]
        for engine in engines:
            engine.interrupt()

    def close(self) -> None:
        """Give everything back; no run may be going on."""
        with self._lock:
            everything, self._all, self._free = self._all, [], []
        for compiled in everything:
            compiled.close()
            compiled.engine.close()

    def _take(self) -> CompiledHook:
        """A compiled driver that nobody runs."""
        with self._lock:
            if self._free:
                return self._free.pop()
        with self._compiling:
            compiled = self._compile()
            with self._lock:
                self._all.append(compiled)
        return compiled

    def _compile(self) -> CompiledHook:
        plan = self._plan
        engine = HookEngine(plan.limits, deadline_ticks(plan.deadline_s))
        with self._lock:
            first = self._all[0] if self._all else None
        try:
            return compile_hook(engine, plan.component) if first is None else first.on(engine)
        except CompileError as error:
            engine.close()
            label = f"{plan.name}@{plan.version}"
            text = f"failed to compile component for {label}: {error.text}"
            raise DriverError(text, error.detail) from error


class _Run:
    """One run: a store and an instance that nothing is left of afterwards."""

    def __init__(
        self, plan: DriverPlan, compiled: CompiledHook, on_request: Callable[[HttpRequest], None]
    ) -> None:
        self._plan = plan
        self._compiled = compiled
        self._engine = compiled.engine
        self._on_request = on_request
        self._store = Store(self._engine.wasmtime_engine)
        self._linker = Linker(self._engine.wasmtime_engine)
        self._account: MemoryAccount = self._engine.tracker.open_account()
        self._capture = StdioCapture()

    def __enter__(self) -> "_Run":
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()
        self._linker.close()
        self._account.close()
        self._capture.close()

    def call(self, codec: FunctionCodec, payload: str) -> Mapping[str, Any]:
        """Instantiate and call; DriverError with the runtime's text."""
        self._define()
        func = self._function(self._instantiate())
        self._check(codec.function)
        try:
            self._engine.arm(self._store)
            result: Mapping[str, Any] = codec.call(
                self._store, func, ({"data": payload, "log-path": None},)
            )
        except WasmtimeError as error:
            raise DriverError(self._failure(error), failure.full_text(error)) from error
        finally:
            self._engine.disarm()
        if self._account.denial is not None:
            # It went on past a denied growth; the runtime would have trapped it there.
            raise DriverError(failure.limit_failure(self._account.denial, self._subject)[1])
        return result

    @property
    def _subject(self) -> str:
        return f"tool '{self._plan.name}'"

    def _define(self) -> None:
        plan, limits = self._plan, self._plan.limits
        self._store.set_limits(table_elements=limits.table_elements, instances=limits.instances)
        try:
            self._store.set_wasi(wasi_config(self._wasi(), self._capture))
        except (WasiError, InstantiationError) as error:
            text = f"failed to build WASI context for {self._subject}: {error}"
            raise DriverError(text) from error
        self._linker.add_wasip2()
        self._store.set_wasi_http()
        self._linker.add_wasi_http()
        label = f"driver {plan.name}"
        ledger = GrantLedger(label, Grant(network=plan.network))
        gate = HttpGate(label, plan.network, ledger, self._on_request, limits)
        gate.define(self._linker, self._store, self._compiled.shape.imports)
        inert = {"emit-chunk": _ignore, "emit-thinking-chunk": _ignore}
        host_function.define(self._linker, _CHUNKS, inert)
        host_function.define(self._linker, _TASK, {"request-input": _refuse_input})

    def _wasi(self) -> WasiSettings:
        wasi, scope = self._plan.wasi, self._plan.scope
        if scope is None:
            return wasi
        folder = (make_scope(*scope), SCOPE_PREOPEN)
        return msgspec.structs.replace(wasi, preopens=(folder, *wasi.preopens))

    def _instantiate(self) -> Instance:
        try:
            with self._engine.tracker.accounting(self._account):
                self._engine.arm(self._store)
                return self._linker.instantiate(self._store, self._compiled.component)
        except WasmtimeError as error:
            cause = self._account.denial or failure.display_text(error)
            text = f"failed to instantiate {self._subject}: {cause}"
            raise DriverError(text, failure.full_text(error)) from error
        finally:
            self._engine.disarm()

    def _function(self, instance: Instance) -> Func:
        interface = instance.get_export_index(self._store, TOOL_RUN)
        index = interface and instance.get_export_index(self._store, "run", interface)
        func = instance.get_func(self._store, index) if index else None
        if func is None:
            raise DriverError(
                f"tool component '{self._plan.name}' missing export {TOOL_RUN}#run; rebuild the "
                "artifact against the versioned WIT (run `mur install` for a default artifact, "
                "or rebuild from source otherwise)"
            )
        return func

    def _check(self, wanted: Function) -> None:
        shape = self._compiled.shape.export(TOOL_RUN)
        assert shape is not None
        mismatch = check_function(wanted, shape.functions["run"])
        if mismatch is not None:
            text = f"failed to type-check {self._subject} run export: {mismatch.text}"
            raise DriverError(text, mismatch.detail)

    def _failure(self, error: WasmtimeError) -> str:
        _, text = failure.classify(
            error,
            self._account,
            interrupted=self._engine.interrupted,
            subject=self._subject,
            deadline_s=self._plan.deadline_s,
        )
        return text


def _ignore(_text: str) -> None:
    """A hook's completion is no part of what a user watches."""


def _refuse_input(_prompt: str) -> str:
    raise HostTrap(_NO_INPUT)
