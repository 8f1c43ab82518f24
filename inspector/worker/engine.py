"""Carries out requests: open, start, fire, hold, end.

Lives here: the engine's state and the order of things. Not here: pipes (wire, main),
description (inspection), sessions (runtime.session). Only worker imports it.
"""

import os
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import assert_never

from inspector import __version__
from inspector.capsule.capsule import Capsule
from inspector.capsule.opening import open_capsule
from inspector.contract.profile import PROFILES, Profile
from inspector.contract.record import LogEntry, StepRecord
from inspector.contract.value import FieldError
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import (
    MAX_MEMORY_READ_BYTES,
    PROTOCOL_VERSION,
    Action,
    BeginTask,
    CapsuleOpened,
    Decide,
    Drain,
    EndTask,
    EngineReady,
    Event,
    Fire,
    Hello,
    HookState,
    Interrupt,
    LogAppended,
    MemoryRead,
    Notice,
    Observe,
    OpenCapsule,
    Progress,
    Pump,
    ReadMemory,
    Request,
    ResetHook,
    SessionSettings,
    SessionStarted,
    SetHeld,
    Shutdown,
    StartSession,
    StepFinished,
    StepStarted,
    TaskOutput,
)
from inspector.runtime.instance import InstantiationError
from inspector.runtime.session import PreparedHook, Session
from inspector.worker.compiling import Compiler
from inspector.worker.finding import findings_of
from inspector.worker.inspection import inspect, outline
from inspector.worker.ledger import LedgerWatch
from inspector.worker.setup import SessionSetup, probe_session, session_setup
from inspector.worker.state import HookWatch


class Engine:
    """One capsule, one session, one front."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        """Wait for requests.

        Args:
            emit: Sends an event; called from any thread.
        """
        self._emit = emit
        self._capsule: Capsule | None = None
        self._profile: Profile = PROFILES["0.3"]
        self._compiler = Compiler(emit)
        self._session: Session | None = None
        self._setup: SessionSetup | None = None
        self._watch = HookWatch(emit)
        self._ledger = LedgerWatch(emit)
        self._greeted = False

    # -- requests

    def handle(self, request: Request) -> None:
        """Carry out one request; what changes is sent as events.

        Args:
            request: Any but Interrupt, which the reader thread has acted on already.

        Raises:
            InspectorError: when it cannot be carried out; nothing is half done then.
        """
        if not self._greeted and not isinstance(request, Hello):
            raise InspectorError(ErrorKind.PROTOCOL, "the first request must be hello")
        match request:
            case Hello():
                self._hello(request)
            case OpenCapsule():
                self._open(request)
            case StartSession(settings=settings):
                self._start(settings)
            case Fire():
                self._fire(request)
            case SetHeld(held=held):
                self._running_session().hold(held)
                self._watch.update(self._running_session())
            case ReadMemory():
                self._read_memory(request)
            case Shutdown():
                self.close()
            case Interrupt():
                return
            case _:
                assert_never(request)

    def interrupt(self) -> None:
        """Stop what runs now; called from the reader thread."""
        self._compiler.cancel()
        session = self._session
        if session is not None:
            session.interrupt()

    def close(self) -> None:
        """Close the session and everything compiled."""
        self._end_session()
        self._compiler.close()

    def _hello(self, request: Hello) -> None:
        if request.protocol != PROTOCOL_VERSION:
            raise InspectorError(
                ErrorKind.PROTOCOL,
                f"the engine speaks protocol {PROTOCOL_VERSION}, the window {request.protocol}",
                hint="Both must come from one installation: reinstall the inspector.",
            )
        self._greeted = True
        versions = {"capsule-inspector": __version__, "wasmtime": metadata.version("wasmtime")}
        self._emit(EngineReady(os.getpid(), versions))

    # -- opening

    def _open(self, request: OpenCapsule) -> None:
        profile = PROFILES.get(request.profile)
        if profile is None:
            known = ", ".join(PROFILES)
            raise InspectorError(
                ErrorKind.USAGE, f"unknown profile {request.profile!r}; there are {known}"
            )
        self._emit(Progress("open", None, "reading the capsule"))
        home = Path(request.home) if request.home else None
        capsule = open_capsule(request.path, profile=profile, home=home)
        self._end_session()
        self._capsule = None
        self._emit(CapsuleOpened(outline(capsule, profile), capsule.manifest_text))
        hooks = self._compile(capsule, profile)
        self._capsule, self._profile = capsule, profile
        self._emit(Progress("open", None, "instantiating the hooks"))
        with tempfile.TemporaryDirectory(prefix="probe-") as folder:
            probe = probe_session(
                capsule, profile, hooks, Path(folder), lenient=request.lenient_imports
            )
        findings = findings_of(capsule, profile, hooks, probe.rejections)
        inspection = inspect(capsule, profile, hooks, probe, findings)
        self._emit(CapsuleOpened(inspection, capsule.manifest_text))
        for hook in inspection.hooks:
            state = "ready" if hook.accepted else "rejected"
            self._emit(HookState(hook.name, state, hook.rejection or ""))

    def _compile(self, capsule: Capsule, profile: Profile) -> tuple[PreparedHook, ...]:
        try:
            return self._compiler.compile(capsule, profile)
        except InspectorError:
            for hook in capsule.hooks:
                text = "It is not compiled, because opening the capsule was cancelled."
                self._emit(HookState(hook.name, "rejected", text))
            raise

    # -- the session

    def _start(self, settings: SessionSettings) -> None:
        capsule = self._capsule
        if capsule is None:
            raise InspectorError(ErrorKind.PROTOCOL, "no capsule is open")
        self._end_session()
        setup = session_setup(capsule, self._profile, settings)
        session = Session(setup.plan, self._compiler.hooks, setup.host, self._log, self._queue_idle)
        self._session, self._setup = session, setup
        for notice in setup.notices:
            self._emit(Notice("warning", notice))
        self._emit(
            SessionStarted(
                session_id=setup.session_id,
                workdir=str(setup.plan.session_dir),
                accessible_dir=str(setup.plan.accessible_dir),
                home=str(setup.plan.home),
                context=dict(setup.plan.context),
                shell_allow=setup.plan.shell_allow,
                gates_calls=session.dispatcher.gates_calls,
            )
        )
        self._watch.begin(session)
        self._ledger.begin()
        self._ledger.update(capsule, session)

    def _read_memory(self, request: ReadMemory) -> None:
        session = self._running_session()
        hook = next((h for h in session.dispatcher.hooks if h.name == request.hook), None)
        if hook is None or not hook.has_instance:
            message = f"no instance of a hook named {request.hook!r} is there to look into"
            raise InspectorError(ErrorKind.BAD_EVENT, message)
        sizes = hook.instance.memory_sizes
        data = b""
        if 0 <= request.memory < len(sizes) and request.offset >= 0:
            length = max(0, min(request.length, MAX_MEMORY_READ_BYTES))
            data = hook.instance.read_memory(request.memory, request.offset, length)
        self._emit(MemoryRead(request.hook, request.memory, request.offset, sizes, data))

    def _end_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _queue_idle(self) -> None:
        """Tell states that changed outside of a step, such as a queue that was let go."""
        session = self._session
        if session is not None:
            self._watch.update(session)

    def _running_session(self) -> Session:
        if self._session is None:
            raise InspectorError(
                ErrorKind.PROTOCOL, "no session is running", hint="Start one first."
            )
        return self._session

    def _log(self, hook: str | None, entry: LogEntry, step: int) -> None:
        self._emit(LogAppended(entry.file, entry.text, hook, step))

    # -- firing

    def _fire(self, request: Fire) -> None:
        session = self._running_session()
        event, phase, fields = describe(request.action)
        try:
            if isinstance(request.action, Observe | Decide):
                fields = session.preview(event, phase, request.action.fields)
            self._emit(StepStarted(request.step, event, phase, fields))
            record = run_action(session, request.step, request.action)
        except FieldError as error:
            raise InspectorError(ErrorKind.BAD_EVENT, f"{event}: {error}") from error
        except ValueError as error:
            raise InspectorError(ErrorKind.BAD_EVENT, f"{event}: {error}") from error
        except KeyError as error:
            message = f"reset: no hook of this session is named {error.args[0]!r}"
            raise InspectorError(ErrorKind.BAD_EVENT, message) from error
        except InstantiationError as error:
            raise InspectorError(
                ErrorKind.BAD_EVENT, f"reset: {error.text}", hint="The old instance stays."
            ) from error
        self._tell(session, record)

    def _tell(self, session: Session, record: StepRecord) -> None:
        """Send a finished step and what has changed with it."""
        for call in record.calls:
            for stream, text in (("stdout", call.stdout), ("stderr", call.stderr)):
                if text:
                    self._emit(LogAppended(stream, text.removesuffix("\n"), call.hook, record.step))
        self._emit(StepFinished(record))
        self._watch.update(session)
        for request in record.requests:
            if not request.allowed:
                self._ledger.note_refusal(request.hook, origin(request.url))
        assert self._capsule is not None
        self._ledger.update(self._capsule, session)


def origin(url: str) -> str:
    """Scheme and authority of a URL, as an entry of `network.allow` spells a target."""
    scheme, separator, rest = url.partition("://")
    authority = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return f"{scheme}{separator}{authority}"


def describe(action: Action) -> tuple[str, str, object]:
    """The event, phase and fields of an action as they stand in its record."""
    match action:
        case Observe(event=event, fields=fields):
            return event, "stage" if event == "on-stage" else "observe", fields
        case Decide(event=event, fields=fields):
            return event, "decide", fields
        case BeginTask():
            return "begin-task", "task", None
        case TaskOutput():
            return "task-output", "task", None
        case EndTask():
            return "end-task", "task", None
        case Drain():
            return "drain", "control", None
        case Pump():
            return "pump", "control", None
        case ResetHook():
            return "reset", "control", None
    assert_never(action)


def run_action(session: Session, step: int, action: Action) -> StepRecord:
    """Carry out one action; raises as the session does."""
    match action:
        case Observe(event=event, fields=fields):
            return session.observe(step, event, fields)
        case Decide(event=event, fields=fields):
            return session.decide(step, event, fields)
        case BeginTask(original=original, as_given=as_given):
            return session.begin_task(step, original, original if as_given is None else as_given)
        case TaskOutput(text=text):
            return session.record_task_output(step, text)
        case EndTask():
            return session.end_task(step)
        case Drain(budget_ms=budget_ms):
            return session.drain(step, budget_ms)
        case Pump():
            return session.pump(step)
        case ResetHook(hook=hook):
            return session.reset(step, hook)
    assert_never(action)
