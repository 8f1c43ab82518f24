"""A capsule of any components in a real engine process, with the operator's grants.

Lives here: `LabHook`, `Lab` and `lab`. Not here: the components (wat, toolchain) and the
servers that they talk to (loopback). Process tests may import it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.contract.record import HookCall, StepRecord
from inspector.paths import HOME_VARIABLE
from inspector.protocol.inspection import HookView, Inspection
from inspector.protocol.message import (
    Action,
    CapsuleOpened,
    Decide,
    Fire,
    Observe,
    OpenCapsule,
    SessionSettings,
    StartSession,
    StepFinished,
)
from inspector.workbench.client import EngineClient, engine_environment
from tests.helpers.capsule_files import capsule_at, hook_at

PROFILE = "0.3"


@dataclass(frozen=True)
class LabHook:
    """One hook of the capsule.

    Attributes:
        component: Its bytes.
        entry: Further lines of its entry in the capsule, each `key: value` in YAML.
        manifest: Further lines of its own manifest.
    """

    component: bytes
    entry: tuple[str, ...] = ()
    manifest: tuple[str, ...] = ()


def granted(component: bytes, capabilities: str, *entry: str) -> LabHook:
    """A hook with a capabilities block, in YAML's flow form."""
    return LabHook(component, (f"capabilities: {capabilities}", *entry))


class Lab:
    """An open capsule and a running session.

    Attributes:
        client: Of the engine.
        inspection: What the engine says of the capsule.
        workdir: The accessible folder; scopes hang under it.
        home: The murmur home; state stores hang under it.
    """

    def __init__(
        self, client: EngineClient, inspection: Inspection, workdir: Path, home: Path
    ) -> None:
        self.client = client
        self.inspection = inspection
        self.workdir = workdir
        self.home = home
        self._step = 0

    def fire(self, action: Action) -> StepRecord:
        """Run one action; its record."""
        self._step += 1
        bodies = [frame.body for frame in self.client.request(Fire(self._step, action))]
        (done,) = [body for body in bodies if isinstance(body, StepFinished)]
        return done.record

    def observe(self, event: str, fields: Mapping[str, Any] | None = None) -> StepRecord:
        """Dispatch an observation."""
        return self.fire(Observe(event, dict(fields or {})))

    def decide(self, event: str, fields: Mapping[str, Any] | None = None) -> StepRecord:
        """Ask the policy hooks."""
        return self.fire(Decide(event, dict(fields or {})))

    def calls(self, event: str, fields: Mapping[str, Any] | None = None) -> Mapping[str, HookCall]:
        """Dispatch an observation; its calls by hook."""
        return {call.hook: call for call in self.observe(event, fields).calls}

    def hook(self, name: str) -> HookView:
        """What the engine says of a hook."""
        (found,) = [each for each in self.inspection.hooks if each.name == name]
        return found


def write_capsule(folder: Path, hooks: Mapping[str, LabHook], *head: str) -> Path:
    """Write a capsule named `lab`; returns its folder.

    Args:
        folder: Made here.
        hooks: By name.
        head: Further lines of the capsule's manifest.
    """
    lines = ["name: lab", "version: 0.1.0", *head, "artifacts:"]
    for name, hook in hooks.items():
        lines += [f"  - name: {name}", "    version: 0.1.0", "    runtime: hook"]
        lines += [f"    {line}" for line in hook.entry]
        own = [f"name: {name}", "version: 0.1.0", "runtime: hook", *hook.manifest]
        files = {"hook.wasm": hook.component}
        hook_at(folder / "hooks" / name, "\n".join(own) + "\n", files)
    return capsule_at(folder, "\n".join(lines) + "\n")


@contextmanager
def lab(
    folder: Path,
    hooks: Mapping[str, LabHook],
    *head: str,
    engine_home: Path | None = None,
    home: Path | None = None,
    **settings: Any,
) -> Iterator[Lab]:
    """Open a capsule of hooks in a fresh engine and start a session.

    Args:
        folder: Capsule, work folder and homes are made in it.
        hooks: By name.
        head: Further lines of the capsule's manifest.
        engine_home: The engine's own folder; shared ones share compiled code.
        home: The murmur home.
        settings: Further ones of SessionSettings.
    """
    capsule = write_capsule(folder / "capsule", hooks, *head)
    work, own_home = folder / "work", home or folder / "murmur-home"
    work.mkdir(exist_ok=True)
    environment = {
        **engine_environment(),
        HOME_VARIABLE: str(engine_home or folder / "engine-home"),
    }
    with EngineClient(environment=environment) as client:
        frames = client.request(OpenCapsule(str(capsule), PROFILE))
        opened = [f.body for f in frames if isinstance(f.body, CapsuleOpened)][-1]
        places = SessionSettings(workdir=str(work), home=str(own_home), **settings)
        client.request(StartSession(places))
        yield Lab(client, opened.inspection, work, own_home)
