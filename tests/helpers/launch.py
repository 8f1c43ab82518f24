"""A launch of doubles, as the runtime's own tests make one.

Lives here: `Staged` and `Launch`, a real session over real components in process. Not
here: the components (wat). Any test of the runtime may import it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.capsule.capsule import Capsule, DriverArtifact, EnvSettings, HookArtifact
from inspector.contract.profile import PROFILES, GrantPolicy
from inspector.contract.record import Fault, StepRecord
from inspector.manifest.grant import DriverGrant, Grant, Limits
from inspector.manifest.hook_config import ExecutionMode, HookConfig, OverflowPolicy
from inspector.runtime.component import compile_hook
from inspector.runtime.engine import HookEngine, deadline_ticks
from inspector.runtime.host_state import HostPlan, HostState
from inspector.runtime.session import PreparedHook, Session, SessionPlan
from tests.helpers.wat import Double

CONTEXT = {
    "capsule-name": "test-capsule",
    "capsule-version": "0.1.0",
    "session-id": "sess-test",
    "model": "test-model",
    "capabilities": [],
}


class LaunchError(Exception):
    """The runtime would refuse the launch; the text is its own."""


@dataclass(frozen=True)
class Staged:
    """A hook as staging hands it over."""

    double: Double
    name: str = "test-hook"
    version: str = "0.0.1"
    binding: str | None = None
    policy: str = "none"
    is_async: bool = False
    on_overflow: OverflowPolicy = OverflowPolicy.DROP
    grant: Grant = field(default_factory=Grant)

    def artifact(self) -> HookArtifact:
        """The capsule's value of it."""
        mode = ExecutionMode.ASYNC if self.is_async else ExecutionMode.BLOCKING
        return HookArtifact(
            self.name,
            self.version,
            None,
            self.double.component(),
            HookConfig(self.binding, mode, self.policy),
            self.grant,
            self.on_overflow,
        )


class Launch:
    """A session and what it left behind.

    Attributes:
        session: The session.
        session_dir: Logs and tools.
        accessible_dir: Scopes hang under it.
    """

    def __init__(self, session: Session, session_dir: Path, accessible_dir: Path) -> None:
        self.session = session
        self.session_dir = session_dir
        self.accessible_dir = accessible_dir
        self._step = 0

    def emit(self, event: str, fields: Mapping[str, Any] | None = None) -> StepRecord:
        """Dispatch an observation, or staging."""
        self._step += 1
        return self.session.observe(self._step, event, fields or {})

    def decide(self, event: str, fields: Mapping[str, Any] | None = None) -> StepRecord:
        """Ask the policy hooks."""
        self._step += 1
        return self.session.decide(self._step, event, fields or {})

    def drain(self, budget_ms: int | None = None) -> StepRecord:
        """Drain the async queues."""
        self._step += 1
        return self.session.drain(self._step, budget_ms)

    def faults(self) -> list[tuple[str, str, str]]:
        """Drain the fault buffer."""
        drained: Sequence[Fault] = self.session.dispatcher.faults.drain()
        return [(fault.hook, fault.event, fault.arm) for fault in drained]

    def functions(self, hook: str = "test-hook") -> frozenset[str]:
        """The function table of a hook."""
        (found,) = [each for each in self.session.dispatcher.hooks if each.name == hook]
        return found.instance.functions

    def log(self, hook: str = "test-hook") -> str:
        """The text of a hook's log, empty when there is none."""
        return self.file(f"logs/hook-{hook}.log")

    def log_lines(self, hook: str = "test-hook") -> int:
        """How many lines a hook's log has."""
        return self.log(hook).count("\n")

    def file(self, name: str) -> str:
        """The text of a file of the session, empty when there is none."""
        path = self.session_dir / name
        return path.read_text("utf-8") if path.exists() else ""


@contextmanager
def launch(
    folder: Path,
    *staged: Staged,
    profile: str = "0.3",
    limits: Limits | None = None,
    env: EnvSettings | None = None,
    held: bool = False,
    accessible_dir: Path | None = None,
    conversation_root: Path | None = None,
    inference: Mapping[str, Any] | None = None,
    driver: Double | None = None,
    driver_grant: DriverGrant | None = None,
    model: str = "test-model",
    strict: bool = True,
) -> Iterator[Launch]:
    """Make a session over doubles and close it at the end.

    Args:
        folder: An empty folder; `session`, `accessible` and `home` are made in it.
        staged: The hooks in order.
        profile: Name of the profile.
        limits: Of the capsule.
        env: Values of variables.
        held: Whether async workers begin held.
        accessible_dir: Instead of the one in `folder`.
        conversation_root: Folder with a folder per context.
        inference: As in the session settings.
        driver: The capsule's driver.
        driver_grant: What it may touch, nothing by default.
        model: The manifest's model.
        strict: Whether a rejected hook fails the launch, as in the runtime.

    Yields:
        The launch.

    Raises:
        LaunchError: when strict and a hook was rejected.
    """
    bounds = limits or Limits()
    rules = PROFILES[profile]
    ticks = deadline_ticks(bounds.hook_deadline_s(rules.hook_deadline_s))
    prepared = []
    for hook in staged:
        engine = HookEngine(bounds, ticks)
        artifact = hook.artifact()
        assert artifact.component is not None
        prepared.append(PreparedHook(artifact, compile_hook(engine, artifact.component)))
    session_dir = folder / "session"
    session_dir.mkdir(exist_ok=True)
    accessible = accessible_dir or folder / "accessible"
    if rules.grants is GrantPolicy.INHERITED:
        accessible.mkdir(exist_ok=True)
    home = folder / "home"
    settings = env or EnvSettings()
    plan = SessionPlan(rules, bounds, CONTEXT, (), settings, session_dir, accessible, home, held)
    artifact_of = None
    if driver is not None:
        granted = driver_grant or DriverGrant()
        artifact_of = DriverArtifact("driver", "0.0.1", driver.component(), grant=granted)
    capsule = Capsule(
        "test-capsule",
        "0.1.0",
        folder,
        folder,
        None,
        tuple(hook.artifact for hook in prepared),
        bounds,
        model=model,
        driver=artifact_of,
    )
    host_plan = HostPlan("sess-test", inference, conversation_root, accessible)
    host = HostState(rules, capsule, host_plan)
    session = Session(plan, prepared, host, lambda _hook, _entry, _step: None)
    try:
        if strict and session.launch_refusal is not None:
            raise LaunchError(session.launch_refusal)
        yield Launch(session, session_dir, accessible)
    finally:
        session.close()
        for each in prepared:
            assert each.compiled is not None
            each.compiled.close()
            each.compiled.engine.close()
