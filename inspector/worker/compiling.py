"""Compiles the hooks of a capsule on all cores, with progress and cancel.

Lives here: engines and compiled components of the open capsule. Not here: one
component's compilation (runtime.component). Only worker imports it.
"""

import os
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from inspector.capsule.capsule import Capsule, HookArtifact
from inspector.contract.profile import Profile
from inspector.errors import ErrorKind, InspectorError
from inspector.manifest.grant import Limits
from inspector.protocol.message import Event, HookState, Progress
from inspector.runtime.component import CompiledHook, CompileError, binary_from_text, compile_hook
from inspector.runtime.engine import HookEngine, deadline_ticks
from inspector.runtime.host import tokens
from inspector.runtime.session import PreparedHook

_MAGIC = b"\0asm"
_TOKENS = "murmur:runtime/tokens@"
_TEXT_ERROR = re.compile(r"(.*?)\n *--> <anon>:([0-9]+):([0-9]+)\n", re.DOTALL)
_MEND = "Mend the .wat file there."


class Compiler:
    """Owns what is compiled of one capsule at a time.

    Attributes:
        hooks: In manifest order; empty before the first capsule.
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self.hooks: tuple[PreparedHook, ...] = ()
        self._emit = emit
        self._cancelled = threading.Event()
        self._engines: list[HookEngine] = []
        self._once_lock = threading.Lock()
        self._once: dict[bytes, _Once] = {}

    def cancel(self) -> None:
        """Stop a running `compile` after the components that are being compiled."""
        self._cancelled.set()

    def close(self) -> None:
        """Give everything back; sessions must be closed before."""
        for hook in self.hooks:
            if hook.compiled is not None:
                hook.compiled.close()
        for engine in self._engines:
            engine.close()
        self.hooks, self._engines, self._once = (), [], {}

    def compile(self, capsule: Capsule, profile: Profile) -> tuple[PreparedHook, ...]:
        """Compile every hook that has a component, replacing an earlier capsule's.

        Args:
            capsule: As opened.
            profile: Decides the default deadline.

        Returns:
            One entry per hook, in manifest order.

        Raises:
            InspectorError: INTERRUPTED when it was cancelled; nothing is left compiled.
        """
        self.close()
        self._cancelled.clear()
        ticks = deadline_ticks(capsule.limits.hook_deadline_s(profile.hook_deadline_s))
        workers = min(os.cpu_count() or 1, max(len(capsule.hooks), 1))
        with ThreadPoolExecutor(workers, thread_name_prefix="compile") as pool:
            jobs = [
                pool.submit(self._compile_one, hook, capsule.limits, ticks)
                for hook in capsule.hooks
            ]
            self._collect(jobs)
        self.hooks = tuple(job.result() for job in jobs if not job.cancelled())
        if self._cancelled.is_set():
            self.close()
            raise InspectorError(ErrorKind.INTERRUPTED, "opening the capsule was cancelled")
        return self.hooks

    def _collect(self, jobs: "list[Future[PreparedHook]]") -> None:
        for count, job in enumerate(as_completed(jobs), 1):
            if self._cancelled.is_set():
                for other in jobs:
                    other.cancel()
            if not job.cancelled():
                name = job.result().artifact.name
                text = f"compiled {name} ({count} of {len(jobs)})"
                self._emit(Progress("open", count / len(jobs), text))

    def _compile_one(self, artifact: HookArtifact, limits: Limits, ticks: int) -> PreparedHook:
        if artifact.component is None or artifact.refusal is not None:
            return PreparedHook(artifact, None, artifact.refusal)
        self._emit(HookState(artifact.name, "compiling"))
        binary: bytes | PreparedHook = artifact.component
        if not artifact.component.startswith(_MAGIC):
            binary = self._compile_text(artifact, artifact.component)
        if isinstance(binary, PreparedHook):
            return binary
        try:
            compiled = self._compiled(binary, limits, ticks)
            if any(name.startswith(_TOKENS) for name in compiled.shape.imports):
                # Reading the table takes half a second, which a call's deadline would count.
                tokens.count("")
            return PreparedHook(artifact, compiled)
        except CompileError as error:
            subject = f"{artifact.name}@{artifact.version}"
            text = f"failed to compile component for {subject}: {error.text}"
            return PreparedHook(artifact, None, text, error.hint)

    def _compile_text(self, artifact: HookArtifact, data: bytes) -> bytes | PreparedHook:
        """The binary form of a component's text, or the refusal of a broken one."""
        subject = f"{artifact.name}@{artifact.version}"
        try:
            return binary_from_text(data.decode())
        except UnicodeDecodeError as error:
            text = f"the text of {subject} is not UTF-8 at byte {error.start + 1}"
            return PreparedHook(artifact, None, text, "Save the .wat file as UTF-8.")
        except CompileError as error:
            found = _TEXT_ERROR.match(error.text)
            if found is None:
                text = f"the text of {subject} does not parse: {error.text}"
                return PreparedHook(artifact, None, text, _MEND)
            message, line, column = found[1], int(found[2]), int(found[3])
            text = (
                f"the text of {subject} does not parse at line {line}, column {column}: {message}"
            )
            return PreparedHook(artifact, None, text, _MEND, line, column)

    def _compiled(self, binary: bytes, limits: Limits, ticks: int) -> CompiledHook:
        engine = HookEngine(limits, ticks)
        with self._once_lock:
            once = self._once.setdefault(binary, _Once())
        try:
            with once.lock:
                if once.compiled is None:
                    once.compiled = compiled = compile_hook(engine, binary)
                else:
                    compiled = once.compiled.on(engine)
        except CompileError:
            engine.close()
            raise
        self._engines.append(engine)
        return compiled


class _Once:
    """A component that several hooks may share; it is compiled for the first of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.compiled: CompiledHook | None = None
