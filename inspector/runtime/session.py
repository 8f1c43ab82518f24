"""A session: folders, host state, instances, dispatcher, staging.

Lives here: making all of it from a compiled capsule, and carrying out actions. Not
here: reading capsules (capsule), requests (worker.engine). Only worker imports it.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from inspector.capsule.capsule import EnvSettings, HookArtifact
from inspector.contract.contract import Phase
from inspector.contract.profile import AsyncPolicy, Profile
from inspector.contract.record import StepRecord
from inspector.contract.value import to_json
from inspector.manifest.grant import Limits
from inspector.manifest.rust_format import io_error
from inspector.runtime.checkpoint import Checkpoints
from inspector.runtime.component import CompiledHook
from inspector.runtime.dispatcher import DRAIN_BUDGET_MS, Dispatch, Dispatcher
from inspector.runtime.hook import InstancePort, LiveHook
from inspector.runtime.hook_log import SessionLog
from inspector.runtime.host_state import HostState
from inspector.runtime.instance import InstantiationError, instantiate
from inspector.runtime.sandbox import make_state_store, staging_env, wasi_settings
from inspector.runtime.staging import ON_STAGE, Staging
from inspector.runtime.step_recorder import LogObserver, StepRecorder

_IDLE_MARGIN_S = 1.0
"""Eager async calls may take their deadline and so much more."""


class PreparedHook(msgspec.Struct, frozen=True):
    """A hook of a capsule, compiled or refused.

    Attributes:
        artifact: From the capsule.
        compiled: None when it was refused before it could be instantiated.
        rejection: The runtime's text, or None.
        hint: What to do about the rejection, or "".
        line: 1-based line of the component's text that it is about, or None.
        column: 1-based column, or None.
    """

    artifact: HookArtifact
    compiled: CompiledHook | None
    rejection: str | None = None
    hint: str = ""
    line: int | None = None
    column: int | None = None


class SessionPlan(msgspec.Struct, frozen=True):
    """Everything a session is made with.

    Attributes:
        profile: Contract and behaviour.
        limits: Of the capsule.
        context: The session context, as on-session-start's record.
        shell_allow: Default of on-stage.
        env: Values of variables.
        session_dir: Logs and tools; exists.
        accessible_dir: Scopes hang under it; need not exist.
        home: The murmur home.
        held: Whether async workers begin held.
        lenient_imports: Whether unknown imports become traps.
    """

    profile: Profile
    limits: Limits
    context: Mapping[str, Any]
    shell_allow: tuple[str, ...]
    env: EnvSettings
    session_dir: Path
    accessible_dir: Path
    home: Path
    held: bool = False
    lenient_imports: bool = False


class Session:
    """The hooks of one launch, ready to be dispatched to.

    Attributes:
        dispatcher: The dispatcher over every hook that could be instantiated.
        host: State behind the host imports.
        rejections: The runtime's text by hook, for those that could not.
        launch_refusal: What the runtime itself would say instead of launching, or None.
    """

    def __init__(
        self,
        plan: SessionPlan,
        hooks: Sequence[PreparedHook],
        host: HostState,
        on_log: LogObserver,
        on_idle: Callable[[], None] | None = None,
    ) -> None:
        """Instantiate every hook; one that fails is left out, with its text.

        Args:
            plan: What to make.
            hooks: In manifest order.
            host: State behind the host imports; takes our sink of requests.
            on_log: Told of each log entry, on any thread.
            on_idle: Told when an async queue has become empty, on its worker's thread.
        """
        self._plan = plan
        self._hooks = hooks
        self.host = host
        self.recorder = StepRecorder(on_log)
        self._log = SessionLog(plan.session_dir, self.recorder.log)
        host.connect(note=self._log.bootstrap, on_request=self.recorder.request)
        self.rejections: dict[str, str] = {}
        self.launch_refusal: str | None = None
        self._staging_hook: LiveHook | None = None
        self._staging_lock = threading.Lock()
        live = [made for hook in hooks if (made := self._live(hook)) is not None]
        self.dispatcher = Dispatcher(
            live,
            plan.profile,
            self._log,
            session_context=plan.context,
            held=plan.held,
            on_fault=self.recorder.fault,
            on_async_result=self.recorder.async_result,
            on_idle=on_idle,
            set_context=host.set_context,
            checkpoints=self._checkpoints(),
        )

    def _checkpoints(self) -> Checkpoints | None:
        if not self._plan.profile.signs_checkpoints:
            return None
        return Checkpoints(self._plan.accessible_dir, self._plan.home, self._log)

    # -- instances

    def _live(self, prepared: PreparedHook) -> LiveHook | None:
        artifact = prepared.artifact
        if prepared.compiled is None:
            self._reject(artifact.name, prepared.rejection or "", prefix="")
            return None

        def make() -> InstancePort:
            return self._instantiate(prepared, stage=False)

        hook = self._hook(prepared, make)
        if not hook.is_blocking and self._plan.profile.async_policy is AsyncPolicy.DETACHED:
            return hook
        try:
            hook.renew()
        except InstantiationError as error:
            prefix = "runtime failure: " if error.prefixed else ""
            self._reject(artifact.name, error.text, prefix=prefix)
            return None
        return hook

    def _reject(self, hook: str, text: str, *, prefix: str) -> None:
        self.rejections[hook] = text
        if self.launch_refusal is None:
            self.launch_refusal = prefix + text

    def _hook(self, prepared: PreparedHook, make: Callable[[], InstancePort]) -> LiveHook:
        artifact = prepared.artifact
        assert prepared.compiled is not None
        return LiveHook(
            artifact.name,
            artifact.version,
            artifact.config,
            None,
            on_overflow=artifact.on_overflow,
            make_instance=make,
            marks=self.host.marks(artifact, prepared.compiled),
            take_marks=lambda: self.host.take_marks(artifact.name),
        )

    def _instantiate(self, prepared: PreparedHook, *, stage: bool) -> InstancePort:
        plan, artifact = self._plan, prepared.artifact
        assert prepared.compiled is not None
        if artifact.grant.state_store is not None:
            self._make_store(artifact.grant.state_store)
        root = plan.session_dir if stage else plan.accessible_dir
        env = staging_env(plan.env) if stage else plan.env
        return instantiate(
            prepared.compiled,
            plan.profile.contract,
            plan.profile,
            artifact.name,
            artifact.version,
            plan.limits,
            plan.limits.hook_deadline_s(plan.profile.hook_deadline_s),
            wasi_settings(plan.profile, artifact.grant, env, root, plan.home),
            self.host.imports_of(artifact, prepared.compiled, stage=stage),
            "stage" if stage else "session",
        )

    def _make_store(self, store: str) -> None:
        try:
            make_state_store(self._plan.home, store)
        except OSError as error:
            path = self._plan.home / "state" / store
            text = f"state store '{store}' is unavailable at {path}: {io_error(error)}"
            raise InstantiationError(text, prefixed=False) from error

    # -- actions

    def observe(self, step: int, event: str, given: Mapping[str, Any]) -> StepRecord:
        """Dispatch an observation, or run staging for on-stage.

        Args:
            step: The step's number.
            event: A lifecycle function.
            given: Fields; what is left out takes the session's value or the default.

        Raises:
            FieldError: when a field does not fit; nothing was dispatched then.
        """
        self._begin(step)
        if event == ON_STAGE:
            return self._stage(given)
        return self._finish(self.dispatcher.observe(event, given), "observe")

    def preview(self, event: str, phase: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The record that an observation or a decision would send now, in JSON form.

        Raises:
            FieldError: when a field does not fit.
        """
        if event == ON_STAGE:
            given = {"shell-allow": list(self._plan.shell_allow)} | dict(given)
        record: dict[str, Any] = to_json(
            self.dispatcher.record(
                event, Phase.DECIDE if phase == "decide" else Phase.OBSERVE, given
            )
        )
        return record

    def decide(self, step: int, event: str, given: Mapping[str, Any]) -> StepRecord:
        """Ask the policy hooks; raises as Dispatcher.decide does."""
        self._begin(step)
        return self._finish(self.dispatcher.decide(event, given), "decide")

    def _begin(self, step: int) -> None:
        self.recorder.begin(step)
        self.dispatcher.begin_step(step)

    def _finish(self, done: Dispatch, phase: str, findings: tuple[str, ...] = ()) -> StepRecord:
        if not self._plan.held:
            deadline_s = self._plan.limits.hook_deadline_s(self._plan.profile.hook_deadline_s)
            self.dispatcher.wait_idle(deadline_s + _IDLE_MARGIN_S)
        return self.recorder.finish(
            done.event,
            phase,
            self.dispatcher.totals,
            fields=done.fields,
            calls=done.calls,
            outcome=done.outcome,
            findings=findings,
            inferences=self.host.inference_calls(),
        )

    def _stage(self, given: Mapping[str, Any]) -> StepRecord:
        def hook_of(prepared: PreparedHook) -> LiveHook:
            return self._hook(prepared, lambda: self._instantiate(prepared, stage=True))

        staged = [hook_of(hook) for hook in self._hooks if hook.compiled is not None]
        staging = Staging(
            staged, self._plan.profile, self._log, self._plan.session_dir, self._call_staged
        )
        result = staging.run({"shell-allow": list(self._plan.shell_allow)} | dict(given))
        return self._finish(result.dispatch, "stage", result.findings)

    def _call_staged(self, hook: LiveHook, fields: Mapping[str, Any]) -> Any:
        with self._staging_lock:
            self._staging_hook = hook
        try:
            return hook.instance.call(ON_STAGE, fields)
        finally:
            with self._staging_lock:
                self._staging_hook = None

    def begin_task(self, step: int, original: str, as_given: str) -> StepRecord:
        """Open a task attempt."""
        self._begin(step)
        self.host.task_io.begin_attempt(original, as_given)
        fields = {"original": original, "as-given": as_given}
        return self._control("begin-task", "task", fields=fields)

    def record_task_output(self, step: int, text: str) -> StepRecord:
        """Record the task's output; no effect when no task is open."""
        self._begin(step)
        self.host.task_io.record_output(text)
        return self._control("task-output", "task", fields={"text": text})

    def end_task(self, step: int) -> StepRecord:
        """Close the task."""
        self._begin(step)
        self.host.task_io.end_task()
        return self._control("end-task", "task")

    def drain(self, step: int, budget_ms: int | None) -> StepRecord:
        """Drain the async queues within a budget; None is the runtime's."""
        self._begin(step)
        budget = DRAIN_BUDGET_MS if budget_ms is None else budget_ms
        calls = self.dispatcher.drain(budget)
        record = self._control("drain", "control", fields={"budget-ms": budget})
        return msgspec.structs.replace(record, calls=(*record.calls, *calls))

    def pump(self, step: int) -> StepRecord:
        """Let held workers run until their queues are empty."""
        self._begin(step)
        deadline_s = self._plan.limits.hook_deadline_s(self._plan.profile.hook_deadline_s)
        waiting = max((queue.length for _, queue in self.dispatcher.queues), default=0)
        self.dispatcher.pump()
        self.dispatcher.wait_idle((waiting + 1) * deadline_s + _IDLE_MARGIN_S)
        return self._control("pump", "control")

    def reset(self, step: int, hook: str) -> StepRecord:
        """Give one hook a fresh instance.

        Raises:
            KeyError: when the session has no such hook.
            InstantiationError: when no instance can be made; the old one stays.
        """
        self._begin(step)
        self.dispatcher.reset(hook)
        return self._control("reset", "control", fields={"hook": hook})

    def _control(self, name: str, phase: str, fields: Any = None) -> StepRecord:
        return self.recorder.finish(
            name,
            phase,
            self.dispatcher.totals,
            fields=fields,
            inferences=self.host.inference_calls(),
        )

    def hold(self, held: bool) -> None:
        """Hold the async workers, or let them go."""
        self._plan = msgspec.structs.replace(self._plan, held=held)
        self.dispatcher.hold(held)

    def interrupt(self) -> None:
        """Stop the calls that are running now; from any thread."""
        self.dispatcher.interrupt()
        self.host.interrupt()
        with self._staging_lock:
            hook = self._staging_hook
            if hook is not None:
                hook.instance.interrupt()

    def close(self) -> None:
        """End workers and close instances; logs and folders stay."""
        self.dispatcher.close()
        self.host.close()
