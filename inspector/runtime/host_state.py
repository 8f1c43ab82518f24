"""The state behind the host imports of one session.

Lives here: what the granted hooks share, and what each hook's linker gets. Not here:
the imports themselves (host). Only runtime and worker import it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspector.capsule.capsule import Capsule, HookArtifact
from inspector.contract.profile import Profile
from inspector.contract.record import HttpRequest
from inspector.runtime.component import CompiledHook
from inspector.runtime.host import conversation, task_io, tokens
from inspector.runtime.host.conversation import ConversationState
from inspector.runtime.host.ledger import GrantLedger
from inspector.runtime.host.task_io import TaskIoState
from inspector.runtime.host_function import define
from inspector.runtime.instance import DefineImports

Define = Callable[..., None]


class HostState:
    """Shared state and per-hook ledgers of one session.

    Attributes:
        task_io: The task in scope, shared by all granted hooks.
    """

    def __init__(
        self,
        profile: Profile,
        capsule: Capsule,
        *,
        inference: Mapping[str, Any] | None,
        conversation_root: Path | None,
        lenient_imports: bool = False,
    ) -> None:
        """Make the state; `connect` completes it.

        Args:
            profile: Contract and behaviour.
            capsule: The open capsule.
            inference: As in protocol.message.SessionSettings.
            conversation_root: Folder with one folder per context, or None.
            lenient_imports: Whether unknown imports become traps.
        """
        self.task_io = TaskIoState()
        self._profile = profile
        self._capsule = capsule
        self._inference = inference
        self._root = conversation_root
        self._lenient = lenient_imports
        self._conversation: ConversationState | None = None
        self._ledgers: dict[str, GrantLedger] = {}
        self._on_request: Callable[[HttpRequest], None] = lambda _request: None

    def connect(
        self, *, note: Callable[[str], None], on_request: Callable[[HttpRequest], None]
    ) -> None:
        """Attach the session's sinks.

        Args:
            note: Takes lines for the bootstrap log.
            on_request: Told of each outgoing request.
        """
        self._on_request = on_request
        self._conversation = ConversationState(self._root, note, self._profile.contract.message)

    def set_context(self, context_id: str) -> None:
        """Put a task's conversation in scope."""
        assert self._conversation is not None
        self._conversation.set_context(context_id)

    def marks(self, hook: str) -> tuple[str, ...]:
        """Help of ours that touches every call of a hook."""
        return ()

    def ledger(self, artifact: HookArtifact) -> GrantLedger:
        """The ledger of a hook."""
        if artifact.name not in self._ledgers:
            self._ledgers[artifact.name] = GrantLedger(artifact.name, artifact.grant)
        return self._ledgers[artifact.name]

    def imports_of(
        self, artifact: HookArtifact, compiled: CompiledHook, *, stage: bool
    ) -> DefineImports:
        """What defines the host functions of one instance.

        Args:
            artifact: The hook.
            compiled: Its component.
            stage: Whether it is a throwaway instance for on-stage.
        """
        ledger = self.ledger(artifact)
        contract = self._profile.contract
        task = (TaskIoState() if stage else self.task_io) if artifact.grant.task_io else None
        record = self._conversation if artifact.grant.conversation else None
        if stage and record is not None:
            record = ConversationState(None, lambda _text: None, contract.message)
        implementations = {
            "murmur:task-io/read": task_io.implementations(task, ledger),
            "murmur:conversation/read": conversation.implementations(record, ledger),
            "murmur:runtime/tokens": tokens.implementations(),
        }

        def define_imports(linker: Any, _store: Any) -> None:
            for name, interface in contract.interfaces.items():
                found = implementations.get(name.partition("@")[0])
                if found is not None and contract.import_rule(name) is not None:
                    define(linker, interface, found)

        return define_imports
