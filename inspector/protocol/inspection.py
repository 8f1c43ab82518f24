"""The description of an opened capsule; `inspect --format json` field by field.

Lives here: the public structs. Not here: who fills them (worker.inspection). Rooms
above may import it.
"""

import msgspec

from inspector.manifest.diagnostic import Diagnostic

FORMAT = 1


class CapsuleHead(msgspec.Struct, frozen=True):
    """Name, version, path, and the profile that judges."""

    name: str
    version: str
    path: str
    profile: str


class LimitsView(msgspec.Struct, frozen=True):
    """Limits that hold for one hook call."""

    memory_bytes: int
    table_elements: int
    instances: int
    deadline_s: int


class SourceView(msgspec.Struct, frozen=True):
    """Where the hook's component came from."""

    kind: str
    path: str
    sha256: str


class ExportView(msgspec.Struct, frozen=True):
    """One of the nine functions.

    Attributes:
        function: Its name.
        required: Whether an instance needs it.
        present: Whether the component exports it.
        signature_matches: Whether a call would pass the type check; None when absent.
        signature: The component's own when present, else the contract's.
        mismatch: What differs, in one sentence, or None.
    """

    function: str
    required: bool
    present: bool
    signature_matches: bool | None
    signature: str
    mismatch: str | None = None


class ImportView(msgspec.Struct, frozen=True):
    """One imported interface.

    Attributes:
        interface: Full name.
        provided: Whether the profile's runtime defines it.
        gate: The grant its answers depend on, or None.
        granted: Whether that grant is there; None without a gate.
        note: Why it is not provided, or what the gate means, in one sentence.
        functions: Names of the functions imported from it.
    """

    interface: str
    provided: bool
    gate: str | None
    granted: bool | None
    note: str = ""
    functions: tuple[str, ...] = ()


class RuleView(msgspec.Struct, frozen=True):
    """One network rule."""

    entry: str
    scheme: str | None
    host: str
    port: int | None


class GrantsView(msgspec.Struct, frozen=True):
    """What the operator granted; `config` is the JSON text or None."""

    network: tuple[RuleView, ...]
    filesystem_scope: str | None
    state_store: str | None
    task_io: bool
    conversation: bool
    config: str | None


class HonoredView(msgspec.Struct, frozen=True):
    """Honored arm by phase; None where only `none` is answerable."""

    observe: str | None
    decide: str | None


class EventView(msgspec.Struct, frozen=True):
    """Whether and how one event reaches a hook."""

    event: str
    reached: bool
    phases: tuple[str, ...]
    honored: HonoredView


class HookView(msgspec.Struct, frozen=True):
    """One hook; see docs/cli.md for each field."""

    name: str
    version: str
    source: SourceView | None
    binding: str
    execution_mode: str
    commit_policy: str
    on_overflow: str
    lifecycle: str | None
    accepted: bool
    rejection: str | None
    profiles: dict[str, bool]
    exports: tuple[ExportView, ...]
    imports: tuple[ImportView, ...]
    grants: GrantsView
    env: tuple[tuple[str, str], ...]
    events: tuple[EventView, ...]
    other_exports: tuple[str, ...] = ()
    component_bytes: int = 0
    compile_us: int = 0
    instantiate_us: int = 0
    differences: tuple[str, ...] = ()


class Inspection(msgspec.Struct, frozen=True):
    """The whole document.

    Attributes:
        launch_refusal: The text with which the runtime would refuse the launch, or None.
        complete: False in the first description of a capsule whose hooks are still being
            compiled: exports, imports and rejections follow.
    """

    format: int
    capsule: CapsuleHead
    limits: LimitsView
    hooks: tuple[HookView, ...]
    diagnostics: tuple[Diagnostic, ...]
    launch_refusal: str | None = None
    complete: bool = True
