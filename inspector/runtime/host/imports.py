"""Everything that one hook instance gets linked beside WASI.

Lives here: `HostImports`, for a session's instance and for a staging one. Not here:
what each import answers (the modules beside), WASI itself (instance). Only runtime and
worker import it.

Linking never depends on a grant: every interface of the contract's rules is defined for
every hook, and a missing grant is an answer. What the rules do not list is not defined,
so that a hook fails to instantiate here exactly when it does there.
"""

from collections.abc import Callable, Mapping
from typing import Any

from wasmtime import Store
from wasmtime.component import Linker

from inspector.contract.contract import Contract
from inspector.contract.record import HttpRequest
from inspector.contract.type import Function
from inspector.manifest.grant import Grant, Limits
from inspector.runtime import host_function
from inspector.runtime.component import CompiledHook, InterfaceShape
from inspector.runtime.host import conversation, inference, lenient, task_io, tokens
from inspector.runtime.host.conversation import ConversationState
from inspector.runtime.host.http_gate import HttpGate
from inspector.runtime.host.inference import Inference, NoDriver
from inspector.runtime.host.ledger import GrantLedger
from inspector.runtime.host.task_io import TaskIoState
from inspector.runtime.host_function import HostTrap, Implementation

MARK_LENIENT = "lenient-imports"
"""Mark of a hook that no runtime would instantiate: unknown imports are traps."""

_HTTP_HANDLER = "wasi:http/outgoing-handler@0.2.0"


class HostImports:
    """The host imports of one hook; `define` is made for instance.instantiate."""

    def __init__(
        self,
        hook: str,
        compiled: CompiledHook,
        contract: Contract,
        grant: Grant,
        limits: Limits,
        *,
        task_io: TaskIoState,
        conversation: ConversationState,
        inference: Inference,
        ledger: GrantLedger,
        on_request: Callable[[HttpRequest], None],
        on_mark: Callable[[str], None],
        is_lenient: bool = False,
    ) -> None:
        """Prepare the imports of a hook.

        Args:
            hook: Its name.
            compiled: Its component.
            contract: Whose rules say what is defined.
            grant: What answers depend on.
            limits: Bounds of its store.
            task_io: The session's; read only with the grant.
            conversation: The session's; read only with the grant.
            inference: The session's.
            ledger: Of this hook.
            on_request: Told of each outgoing request, on the thread that runs the hook.
            on_mark: Told when help of ours has touched the running call.
            is_lenient: Whether imports that no runtime defines become traps.
        """
        self._hook = hook
        self._compiled = compiled
        self._contract = contract
        self._grant = grant
        self._limits = limits
        self._task_io = task_io
        self._conversation = conversation
        self._inference = inference
        self._ledger = ledger
        self._on_request = on_request
        self._on_mark = on_mark
        self._lenient = is_lenient

    def staging(self) -> "HostImports":
        """The imports of a throwaway instance for on-stage.

        No driver, a task-io state of its own without a task, no conversation record;
        the ledger and the network rules are the same.

        Source: spec/dispatch.md 2.
        """
        return HostImports(
            self._hook,
            self._compiled,
            self._contract,
            self._grant,
            self._limits,
            task_io=TaskIoState(),
            conversation=ConversationState(None, _no_note, self._contract.message),
            inference=Inference(NoDriver(), ""),
            ledger=self._ledger,
            on_request=self._on_request,
            on_mark=self._on_mark,
            is_lenient=self._lenient,
        )

    @property
    def marks(self) -> tuple[str, ...]:
        """Help of ours that touches every call of this hook."""
        is_helped = self._lenient and lenient.unmet_imports(self._compiled.shape, self._contract)
        return (MARK_LENIENT,) if is_helped else ()

    def define(self, linker: Linker, store: Store) -> None:
        """Define the imports in a linker that has WASI, and wasi:http where the rules do.

        Args:
            linker: Of the hook, not instantiated from yet.
            store: Of the hook.

        Source: spec/imports.md 1.
        """
        implementations = self._implementations()
        for name in lenient.defined_interfaces(self._contract):
            known = implementations.get(name.partition("@")[0])
            if known is not None:
                self._define_interface(linker, name, known)
        if self._contract.import_rule(_HTTP_HANDLER) is not None:
            gate = HttpGate(
                self._hook, self._grant.network, self._ledger, self._on_request, self._limits
            )
            gate.define(linker, store, self._compiled.shape.imports)
        if self._lenient:
            lenient.define_traps(linker, self._compiled, self._contract)

    def _define_interface(
        self, linker: Linker, name: str, known: Mapping[str, Implementation]
    ) -> None:
        functions = self._contract.interfaces[name].functions
        extra: Mapping[str, Function] = {}
        if self._lenient:
            extra = lenient.missing_functions(self._compiled.shape, self._contract, name)
        traps = {each: _trap(f"{name}#{each}") for each in extra}
        interface = InterfaceShape(name, {**functions, **extra}, {})
        host_function.define(linker, interface, {**known, **traps})

    def _implementations(self) -> Mapping[str, Mapping[str, Implementation]]:
        """Functions by interface, without its version."""
        grant, ledger = self._grant, self._ledger
        task = self._task_io if grant.task_io else None
        record = self._conversation if grant.conversation else None
        return {
            "murmur:runtime/inference": inference.implementations(
                self._inference, self._hook, ledger, self._on_mark
            ),
            "murmur:runtime/tokens": tokens.implementations(),
            "murmur:task-io/read": task_io.implementations(task, ledger),
            "murmur:conversation/read": conversation.implementations(record, ledger),
        }


def _trap(place: str) -> Implementation:
    def trap(*_: Any) -> None:
        raise HostTrap(lenient.trap_text(place))

    return trap


def _no_note(_text: str) -> None:
    """Without a record there is nothing to note."""
