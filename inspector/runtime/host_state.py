"""The state behind the host imports of one session.

Lives here: what the granted hooks share, each hook's ledger, marks of our help. Not
here: the imports themselves (host). Only runtime and worker import it.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from inspector.capsule.capsule import Capsule, DriverArtifact, HookArtifact
from inspector.capsule.environment import Environment
from inspector.contract.profile import Profile
from inspector.contract.record import HttpRequest, InferenceCall
from inspector.manifest.grant import DriverGrant, Limits
from inspector.runtime.component import CompiledHook
from inspector.runtime.host.conversation import ConversationState
from inspector.runtime.host.driver import TOOL_RUN, ComponentDriver, DriverPlan, environment
from inspector.runtime.host.imports import HostImports
from inspector.runtime.host.inference import (
    Inference,
    InferenceRecord,
    InferenceSettings,
    NoDriver,
    RealDriver,
    ScriptedError,
    ScriptedReply,
)
from inspector.runtime.host.ledger import GrantLedger, LedgerSnapshot
from inspector.runtime.host.task_io import TaskIoState
from inspector.runtime.instance import DefineImports
from inspector.runtime.sandbox import SCOPE_PREOPEN
from inspector.runtime.wasi import WasiSettings


class HostPlan(msgspec.Struct, frozen=True):
    """What the host's state is made with.

    Attributes:
        session_id: For the driver's environment.
        inference: As in protocol.message.SessionSettings.
        conversation_root: Folder with one folder per context, or None.
        accessible_dir: What a driver without a scope sees.
        lenient_imports: Whether unknown imports become traps.
    """

    session_id: str
    inference: Mapping[str, Any] | None
    conversation_root: Path | None
    accessible_dir: Path
    lenient_imports: bool = False


class HostState:
    """Shared state and per-hook ledgers of one session.

    Attributes:
        task_io: The task in scope, shared by all granted hooks.
    """

    def __init__(self, profile: Profile, capsule: Capsule, plan: HostPlan) -> None:
        """Make the state; `connect` completes it.

        Args:
            profile: Contract and behaviour.
            capsule: The open capsule.
            plan: What the session wants.
        """
        self.task_io = TaskIoState()
        self._profile = profile
        self._capsule = capsule
        self._plan = plan
        self._conversation: ConversationState | None = None
        self._driver: ComponentDriver | None = None
        self._inference = Inference(NoDriver(), capsule.model)
        self._ledgers: dict[str, GrantLedger] = {}
        self._marks_lock = threading.Lock()
        self._marks: dict[str, list[str]] = {}
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
        message = self._profile.contract.message
        self._conversation = ConversationState(self._plan.conversation_root, note, message)
        self._inference = Inference(self._inference_settings(), self._capsule.model)

    def _inference_settings(self) -> InferenceSettings:
        wanted = self._plan.inference or {}
        if "reply" in wanted:
            return ScriptedReply(wanted["reply"])
        if "error" in wanted:
            return ScriptedError(wanted["error"])
        artifact = self._capsule.driver
        if not wanted.get("driver") or artifact is None or artifact.component is None:
            return NoDriver()
        if TOOL_RUN not in self._profile.contract.interfaces:
            # A runtime whose hooks have no inference never runs a driver for them.
            return NoDriver()
        self._driver = ComponentDriver(
            self._driver_plan(artifact, artifact.component),
            self._profile.contract,
            self._on_request,
        )
        return RealDriver(self._driver)

    def _driver_plan(self, artifact: DriverArtifact, component: bytes) -> DriverPlan:
        """What the capsule's driver runs with; no hook's grant plays a part."""
        capsule, accessible = self._capsule, self._plan.accessible_dir
        accessible.mkdir(parents=True, exist_ok=True)
        grant = artifact.grant
        whole, scope = ((str(accessible), SCOPE_PREOPEN),), grant.filesystem_scope
        return DriverPlan(
            artifact.name,
            artifact.version,
            component,
            capsule.limits,
            WasiSettings(env=self._driver_env(grant), preopens=whole if scope is None else ()),
            grant.network,
            None if scope is None else (accessible, scope),
        )

    def _driver_env(self, grant: DriverGrant) -> tuple[tuple[str, str], ...]:
        capsule, host = self._capsule, Environment(self._capsule.project)
        values = {name: host.get(name) for name in grant.env}
        return environment(
            capsule.inference or {},
            capsule=(capsule.name, capsule.version),
            session_id=self._plan.session_id,
            allowed={name: value for name, value in values.items() if value is not None},
        )

    # -- the session's side

    def set_context(self, context_id: str) -> None:
        """Put a task's conversation in scope."""
        assert self._conversation is not None
        self._conversation.set_context(context_id)

    def inference_records(self) -> tuple[InferenceRecord, ...]:
        """Take the records of completions since the last time, in call order."""
        return self._inference.drain()

    def inference_calls(self) -> tuple[InferenceCall, ...]:
        """The same records as they stand in a step's record."""
        return tuple(
            InferenceCall(
                hook=record.source.removeprefix("hook:"),
                model=record.model,
                input_tokens=record.input_tokens,
                output_tokens=record.output_tokens,
                decision=record.decision,
                duration_us=record.duration_us,
                scripted=record.scripted,
                error=record.error,
            )
            for record in self.inference_records()
        )

    def ledgers(self) -> tuple[LedgerSnapshot, ...]:
        """What each hook was granted, used and refused, in the order they were made."""
        return tuple(ledger.snapshot() for ledger in self._ledgers.values())

    def interrupt(self) -> None:
        """End completions that are going on; any thread may ask."""
        self._inference.interrupt()

    def close(self) -> None:
        """Give the driver back; no call may be going on."""
        if self._driver is not None:
            self._driver.close()

    # -- the hooks' side

    def marks(self, artifact: HookArtifact, compiled: CompiledHook) -> tuple[str, ...]:
        """Help of ours that touches every call of a hook."""
        return self._imports(artifact, compiled).marks

    def take_marks(self, hook: str) -> tuple[str, ...]:
        """Help of ours that touched the call which has just ended."""
        with self._marks_lock:
            return tuple(dict.fromkeys(self._marks.pop(hook, ())))

    def _mark(self, hook: str, mark: str) -> None:
        with self._marks_lock:
            self._marks.setdefault(hook, []).append(mark)

    def ledger(self, artifact: HookArtifact) -> GrantLedger:
        """The ledger of a hook."""
        if artifact.name not in self._ledgers:
            self._ledgers[artifact.name] = GrantLedger(
                artifact.name, artifact.grant, has_driver=self._inference.has_driver
            )
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
        imports = self._imports(artifact, compiled)
        return (imports.staging() if stage else imports).define

    def _imports(self, artifact: HookArtifact, compiled: CompiledHook) -> HostImports:
        assert self._conversation is not None

        def on_mark(mark: str) -> None:
            self._mark(artifact.name, mark)

        return HostImports(
            artifact.name,
            compiled,
            self._profile.contract,
            artifact.grant,
            self._limits,
            task_io=self.task_io,
            conversation=self._conversation,
            inference=self._inference,
            ledger=self.ledger(artifact),
            on_request=self._on_request,
            on_mark=on_mark,
            is_lenient=self._plan.lenient_imports,
        )

    @property
    def _limits(self) -> Limits:
        return self._capsule.limits
