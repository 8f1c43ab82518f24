"""An opened capsule: what was found, hook by hook.

Lives here: the values that capsule.opening makes and that the engine runs. Not here:
how they are found. Rooms above may import it.
"""

import enum
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from inspector.manifest.diagnostic import Diagnostic
from inspector.manifest.grant import DriverGrant, Grant, Limits
from inspector.manifest.hook_config import HookConfig, OverflowPolicy


class SourceKind(enum.StrEnum):
    """Where a hook's bytes came from."""

    STORE = "store"
    HOOKS_FOLDER = "hooks-folder"
    ARCHIVE = "archive"
    PROJECT = "project"
    COMPONENT = "component"
    SAMPLE = "sample"


class HookSource(msgspec.Struct, frozen=True):
    """Where one hook was read from.

    Attributes:
        kind: See SourceKind.
        path: Absolute path of the file that holds the component.
        sha256: Hex digest of that file's bytes (of the whole archive for a packed
            artifact); "" when the file is of the wrong kind and was not read whole.
    """

    kind: SourceKind
    path: str
    sha256: str


class HookArtifact(msgspec.Struct, frozen=True):
    """One hook of a capsule.

    Attributes:
        name: Of the operator's entry.
        version: Of the operator's entry.
        source: None when nothing was found.
        component: The component's bytes as they are in the file, binary or WAT text (the
            runtime room converts), or None when there is none to run.
        config: From the hook's own manifest.
        grant: From the operator's entry.
        on_overflow: From the operator's entry.
        refusal: The runtime's text when it would refuse the hook before compiling it,
            else None.
    """

    name: str
    version: str
    source: HookSource | None
    component: bytes | None
    config: HookConfig = HookConfig()
    grant: Grant = Grant()
    on_overflow: OverflowPolicy = OverflowPolicy.DROP
    refusal: str | None = None


class EnvSettings(msgspec.Struct, frozen=True):
    """Values that reach hooks as environment variables; None leaves one unset.

    Source: spec/manifest.md 4.6.
    """

    otel_endpoint: str | None = None
    formation_id: str | None = None
    eval_config: str | None = None
    case_id: str | None = None
    dataset_id: str | None = None


class DriverArtifact(msgspec.Struct, frozen=True):
    """The capsule's inference driver, a component that exports murmur:tool/run.

    Attributes:
        name: Artifact name.
        version: Artifact version.
        component: Its bytes, binary or WAT text, or None when it was not found.
        config: `inference.driver.config` as JSON text, or None.
        grant: From the capsule-wide block, narrowed by the operator's entry.
    """

    name: str
    version: str
    component: bytes | None
    config: str | None = None
    grant: DriverGrant = DriverGrant()


class Capsule(msgspec.Struct, frozen=True):
    """An opened capsule.

    Attributes:
        name: Manifest name, or the hook's for a capsule of one hook.
        version: Manifest version.
        path: What was opened, absolute.
        project: The folder of the manifest (root of scopes without a workdir).
        manifest_path: The capsule manifest, or None for a capsule of one hook.
        hooks: In manifest order.
        limits: Capsule-wide.
        capabilities: Category names granted capsule-wide, for the session context.
        shell_allow: Capsule-wide `shell.allow`, shown to on-stage.
        model: `inference.model`, or "".
        system_prompt: Of the compaction block, or None.
        context_window: `context.max_tokens`, or 0.
        seed_budget: Fraction of the window.
        record_name: Folder name of the conversation record, or None when off.
        env: From the observability block.
        driver: The inference driver, or None.
        inference: The inference block as plain values, for the driver's environment.
        diagnostics: Everything found, in file order.
        manifest_text: Text of the capsule manifest, or None.
    """

    name: str
    version: str
    path: Path
    project: Path
    manifest_path: Path | None
    hooks: tuple[HookArtifact, ...]
    limits: Limits = Limits()
    capabilities: tuple[str, ...] = ()
    shell_allow: tuple[str, ...] = ()
    model: str = ""
    system_prompt: str | None = None
    context_window: int = 0
    seed_budget: float = 0.10
    record_name: str | None = None
    env: EnvSettings = EnvSettings()
    driver: DriverArtifact | None = None
    inference: Mapping[str, Any] | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    manifest_text: str | None = None
