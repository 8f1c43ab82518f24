"""The gate in front of wasi:http/outgoing-handler: only what the rules allow goes out.

Lives here: defining the gate in a hook's linker, and the record of each request. Not
here: the decision (http_policy), the gate's code (resources/wit/http-gate.wat). Only
runtime and worker import it.

Each hook instance has a gate of its own, with its own rules. The engine's handler would
send anything anywhere; so the name that the hook imports is shadowed by a host function
that passes the call to the gate component, in the same store. Where the gate cannot be
made or fails, the hook traps and nothing is sent.

What is not seen: the response. Its handle goes straight to the hook, and the engine
neither lets a single function of wasi:http/types be shadowed nor tells about answers.
So a record has no status, and its duration is that of the hand-over.

Bounds: the gate adds none, neither to a body nor to fields; the engine's own stay as
they are. A body is streamed by the hook, at its pace and into its limited memory.
"""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import wasmtime
from wasmtime import Store, WasmtimeError
from wasmtime.component import Func, Linker

from inspector import assets, logs
from inspector.contract.record import HttpRequest
from inspector.contract.type import (
    STRING,
    Case,
    Enum,
    Function,
    OptionOf,
    Parameter,
    Variant,
)
from inspector.manifest.grant import Limits, NetworkRule
from inspector.runtime import capi, host_function
from inspector.runtime.component import InterfaceShape
from inspector.runtime.host import http_policy
from inspector.runtime.host.http_policy import Verdict
from inspector.runtime.host.ledger import GrantKind, GrantLedger

CORE_INSTANCES = 2
"""Core instances of one gate."""

_HANDLER = re.compile(r"wasi:http/outgoing-handler@.*")
_METHODS = ("get", "head", "post", "put", "delete", "connect", "options", "trace", "patch")
_METHOD = Variant("method", (*(Case(name, None) for name in _METHODS), Case("other", STRING)))
_SCHEME = Variant("scheme", (Case("HTTP", None), Case("HTTPS", None), Case("other", STRING)))
_JUDGE = Function(
    "judge",
    (
        Parameter("method", _METHOD),
        Parameter("scheme", OptionOf(_SCHEME)),
        Parameter("authority", OptionOf(STRING)),
        Parameter("path-with-query", OptionOf(STRING)),
    ),
    Enum("verdict", tuple(Verdict)),
)
_POLICY = InterfaceShape("inspector:http-gate/policy", {"judge": _JUDGE}, {})


@lru_cache(maxsize=1)
def _gate_binary() -> bytes:
    return bytes(wasmtime.wat2wasm(assets.resource("wit", "http-gate.wat").read_text("utf-8")))


class HttpGate:
    """Judges and records the requests of one hook instance; its thread alone calls it."""

    def __init__(
        self,
        hook: str,
        rules: Sequence[NetworkRule],
        ledger: GrantLedger,
        on_request: Callable[[HttpRequest], None],
        limits: Limits,
    ) -> None:
        """Make a gate that is not yet in a store.

        Args:
            hook: Its name, for the record.
            rules: What it may reach; none denies everything.
            ledger: Of this hook.
            on_request: Told of each request once the gate has answered, on the thread
                that runs the hook.
            limits: Bounds of the hook's store.
        """
        self._hook = hook
        self._rules = tuple(rules)
        self._ledger = ledger
        self._on_request = on_request
        self._limits = limits
        self._request: HttpRequest | None = None
        self._store: Store | None = None
        self._linker: Linker | None = None
        self._handle: Func | None = None

    def define(self, linker: Linker, store: Store, imports: Iterable[str]) -> None:
        """Put the gate before every outgoing-handler that a component imports.

        Args:
            linker: Of the hook; has wasi:http of the engine already.
            store: Of the hook; has WASI and wasi:http.
            imports: Names of the interfaces that the component imports.
        """
        names = [name for name in imports if _HANDLER.fullmatch(name)]
        if not names:
            return
        self._store = store
        # The gate lives in the hook's store, but not at the hook's expense.
        store.set_limits(
            table_elements=self._limits.table_elements,
            instances=self._limits.instances + CORE_INSTANCES,
        )
        try:
            self._instantiate(linker, store)
        except WasmtimeError as error:
            # Nothing is sent without a gate: the host function traps.
            logs.RUNTIME.warning("no http gate for hook %s: %s", self._hook, error)
        linker.allow_shadowing = True
        for name in names:
            with linker.root() as root, root.add_instance(name) as instance:
                capi.add_function(instance, "handle", _enter, _drop, _GATES.add(self))
        linker.allow_shadowing = False

    def _instantiate(self, linker: Linker, store: Store) -> None:
        """Instantiate the gate component over the engine's own handler."""
        self._linker = Linker(linker.engine)
        self._linker.add_wasip2()
        self._linker.add_wasi_http()
        host_function.define(self._linker, _POLICY, {"judge": self._judge})
        with capi.new_component(linker.engine, _gate_binary()) as component:
            instance = self._linker.instantiate(store, component)
        self._handle = instance.get_func(store, "handle")

    def _judge(self, method: Any, scheme: Any, authority: str | None, path: str | None) -> Verdict:
        judged = http_policy.judge(self._rules, method, scheme, authority, path)
        is_allowed = judged.verdict is Verdict.FORWARD
        if is_allowed and judged.rule is not None:
            self._ledger.used(GrantKind.NETWORK, judged.rule)
        else:
            self._ledger.refused(GrantKind.NETWORK)
        self._request = HttpRequest(
            self._hook,
            judged.method,
            judged.url,
            is_allowed,
            judged.rule,
            status=None,
            explanation=judged.explanation,
        )
        return judged.verdict

    def run(self, arguments: int, count: int, results: int, result_count: int) -> int:
        """Serve one call of `handle`: pass it to the gate as it is.

        Args:
            arguments: Address of `count` values; the gate takes what they own.
            count: How many arguments came.
            results: Address of the slot for the result.
            result_count: 1.

        Returns:
            The address of an error for a trap, else 0.
        """
        if self._store is None or self._handle is None:
            return capi.new_error("the http gate could not be made, so nothing is sent")
        self._request = None
        started_ns = time.perf_counter_ns()
        error = capi.call_function(
            self._store, self._handle, arguments, count, results, result_count
        )
        self._tell((time.perf_counter_ns() - started_ns) // 1000)
        # An error is the gate's trap, a deadline as a rule: hand it on with its own text.
        return 0 if error is None else capi.consume_error(error)

    def close(self) -> None:
        """Give the gate's linker back, and with it the policy; the store is closed before."""
        linker, self._linker = self._linker, None
        self._handle = self._store = None
        if linker is not None:
            linker.close()

    def _tell(self, duration_us: int) -> None:
        """Hand the record over; what the receiver raises must not undo a sent request."""
        request, self._request = self._request, None
        if request is None:
            return
        try:
            self._on_request(msgspec.structs.replace(request, duration_us=duration_us))
        except BaseException:  # noqa: BLE001 -- nothing may be raised into the C side
            capi.log_unraisable("the receiver of http requests")


_GATES: capi.Registry[HttpGate] = capi.Registry()
_enter = host_function.entry(_GATES, "http gate")


@capi.static(capi.FINALIZER)
def _drop(number: Any) -> None:
    try:
        gate = _GATES.drop(number)
        if gate is not None:
            gate.close()
    except BaseException:  # noqa: BLE001 -- nothing may be raised into the C side
        capi.log_unraisable("the end of an http gate")
