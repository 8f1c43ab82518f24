"""A capabilities block, capsule-wide or of one entry.

Lives here: the block as values with places, and the checks at parse. Not here: what it
grants a hook (granting). Rooms above may import it.
"""

from collections.abc import Callable

import msgspec

from inspector.errors import InspectorError
from inspector.manifest.grant import Limits
from inspector.manifest.refusal import Placed, Refusals
from inspector.manifest.schema import BlockView, Located

INERT_ON_HOOKS = ("shell", "spawn", "env", "limits", "resources", "containment")
"""Blocks that parse on a hook's entry and do nothing there."""

_EXPLICIT = "must be set explicitly to true or false — a capability is never inferred"
_CONTAINMENT = ("advisory", "scoped", "sealed")
_LIMITS = ("memory_bytes", "table_elements", "instances", "deadline_seconds")
_PEER_FETCH = "must be a non-empty list of network destinations"


class Place(msgspec.Struct, frozen=True):
    """A place in the file; 1-based."""

    line: int
    column: int


class Capabilities(msgspec.Struct, frozen=True):
    """What one block says.

    Attributes:
        network: Entries of `network.allow`, as written.
        filesystem_scope: Trimmed; None when absent or blank.
        state: None without a `state` block; else the written store name, trimmed, or a
            text None when the capsule's name is meant.
        task_io: None without the block.
        conversation: None without the block.
        shell_allow: Binaries of `shell.allow`.
        limits: Declared limits, defaults elsewhere.
        declared: Line and column of each sub-block that is there, by key.
        read_only: Entries of `filesystem.read_only`, trimmed, blank ones dropped.
        env_allow: Names of `env.allow`.
    """

    network: tuple[Located, ...] = ()
    filesystem_scope: Located | None = None
    state: "StateBlock | None" = None
    task_io: bool | None = None
    conversation: bool | None = None
    shell_allow: tuple[str, ...] = ()
    limits: Limits = Limits()
    declared: dict[str, Place] = {}
    read_only: tuple[Located, ...] = ()
    env_allow: tuple[str, ...] = ()

    @property
    def inert_on_hooks(self) -> tuple[str, ...]:
        """Declared sub-blocks that have no effect on a hook."""
        return tuple(key for key in INERT_ON_HOOKS if key in self.declared)


class StateBlock(msgspec.Struct, frozen=True):
    """A `state` block: the written name, trimmed, or None; and where it stands."""

    store: str | None
    line: int
    column: int


def read(view: BlockView | None, refusals: Refusals) -> Capabilities | None:
    """Read a block and check it in the runtime's order.

    Args:
        view: The block, or None.
        refusals: For the file.

    Returns:
        Its values, or None when there is no block.

    Raises:
        InspectorError: for the first thing that the runtime refuses at parse.

    Source: spec/manifest.md 3.
    """
    if view is None:
        return None
    checks = _Checks(view, refusals)
    checks.peer_fetch()
    checks.shell()
    limits = checks.limits()
    checks.resources()
    task_io = checks.explicit("task_io", "read")
    conversation = checks.explicit("conversation", "read")
    checks.explicit("plan", "submit")
    checks.containment()
    network, filesystem, shell, env = (
        view.inner(key) for key in ("network", "filesystem", "shell", "env")
    )
    return Capabilities(
        network=network.texts("allow") if network else (),
        filesystem_scope=_trimmed(filesystem.text("scope")) if filesystem else None,
        state=_state(view),
        task_io=task_io,
        conversation=conversation,
        shell_allow=_names(shell),
        limits=limits,
        declared=_declared(view),
        read_only=_read_only(filesystem),
        env_allow=_names(env),
    )


def _names(block: BlockView | None) -> tuple[str, ...]:
    return tuple(item.text for item in block.texts("allow")) if block else ()


def _declared(view: BlockView) -> dict[str, Place]:
    found = {}
    for key in view.block.fields:
        if key == "containment":
            present = view.text(key) is not None
        else:
            present = view.inner(key) is not None
        if present:
            found[key] = Place(*view.place(key))
    return found


def _state(view: BlockView) -> StateBlock | None:
    inner = view.inner("state")
    if inner is None:
        return None
    store = inner.text("store")
    if store is None:
        return StateBlock(None, *view.place("state"))
    return StateBlock(store.text.strip(), store.line, store.column)


def _trimmed(text: Located | None) -> Located | None:
    if text is None or not text.text.strip():
        return None
    return Located(text.text.strip(), text.line, text.column)


def _read_only(filesystem: BlockView | None) -> tuple[Located, ...]:
    entries = filesystem.texts("read_only") if filesystem else ()
    trimmed = (_trimmed(entry) for entry in entries)
    return tuple(entry for entry in trimmed if entry is not None)


class _Checks:
    """The checks of one block, each raising for what it refuses."""

    def __init__(self, view: BlockView, refusals: Refusals) -> None:
        self.view = view
        self.refusals = refusals

    def refuse(self, field: str, message: str, at: Placed, hint: str = "") -> InspectorError:
        return self.refusals.capability(f"capabilities.{field}", message, at, hint)

    def peer_fetch(self) -> None:
        block = self.view.inner("peer_fetch")
        if block is not None and not block.texts("allow"):
            raise self.refuse("peer_fetch.allow", _PEER_FETCH, Place(*block.place("allow")))

    def shell(self) -> None:
        block = self.view.inner("shell")
        if block is None:
            return
        if not block.texts("allow"):
            raise self.refuse(
                "shell.allow",
                "must contain at least one binary",
                Place(*block.place("allow")),
                "Name a binary, or leave `shell` out.",
            )
        check_runtime_grants(block, self.refuse)

    def limits(self) -> Limits:
        block = self.view.inner("limits")
        if block is None:
            return Limits()
        self._no_zero(block, "limits", _LIMITS)
        defaults = Limits()
        return Limits(
            block.count("memory_bytes") or defaults.memory_bytes,
            block.count("table_elements") or defaults.table_elements,
            block.count("instances") or defaults.instances,
            block.count("deadline_seconds"),
        )

    def resources(self) -> None:
        block = self.view.inner("resources")
        if block is not None:
            self._no_zero(block, "resources", tuple(block.block.fields))

    def _no_zero(self, block: BlockView, name: str, keys: tuple[str, ...]) -> None:
        for key in keys:
            if block.count(key) == 0:
                place = Place(*block.place(key))
                hint = "Leave the key out to get the default."
                raise self.refuse(f"{name}.{key}", "must be greater than zero", place, hint)

    def explicit(self, key: str, inner_key: str) -> bool | None:
        block = self.view.inner(key)
        if block is None:
            return None
        value = block.flag(inner_key)
        if value is None:
            place = Place(*self.view.place(key))
            hint = f"Write `{inner_key}: true` or `{inner_key}: false` below `{key}:`."
            raise self.refuse(f"{key}.{inner_key}", _EXPLICIT, place, hint)
        return value

    def containment(self) -> None:
        word = self.view.text("containment")
        if word is not None and word.text.strip() not in _CONTAINMENT:
            message = f"must be one of: advisory, scoped, sealed; got '{word.text.strip()}'"
            raise self.refuse("containment", message, word)


def check_runtime_grants(shell: BlockView, refuse: Callable[..., InspectorError]) -> None:
    """Check `interpreter_runtime` and `staged_runtime` of a shell block.

    Args:
        shell: The shell block.
        refuse: Makes an error of field, message and place.

    Raises:
        InspectorError: for the first grant that names no allowed binary, no directory,
            or no build.
    """
    allowed = {item.text for item in shell.texts("allow")}
    interpreted = set()
    for index, grant in enumerate(shell.inners("interpreter_runtime")):
        base = f"shell.interpreter_runtime[{index}]"
        _check_interpreter(grant, base, allowed, refuse)
        binary = grant.text("binary")
        interpreted.add(binary.text if binary else "")
    for index, grant in enumerate(shell.inners("staged_runtime")):
        _check_staged(grant, f"shell.staged_runtime[{index}]", allowed, interpreted, refuse)


def _check_binary(
    grant: BlockView,
    base: str,
    allowed: set[str],
    purpose: str,
    refuse: Callable[..., InspectorError],
) -> str:
    binary = grant.text("binary")
    place = Place(*grant.place("binary"))
    if binary is None or not binary.text.strip():
        raise refuse(f"{base}.binary", "must name a binary", place)
    if binary.text not in allowed:
        message = f"'{binary.text}' is not in capabilities.shell.allow — {purpose}"
        raise refuse(f"{base}.binary", message, place)
    return binary.text


def _check_interpreter(
    grant: BlockView, base: str, allowed: set[str], refuse: Callable[..., InspectorError]
) -> None:
    purpose = (
        "interpreter_runtime can only narrow filesystem access for an already-allowlisted "
        "binary, never grant exec"
    )
    _check_binary(grant, base, allowed, purpose, refuse)
    dirs = grant.inners("dirs")
    if not dirs:
        place = Place(*grant.place("dirs"))
        raise refuse(f"{base}.dirs", "must name at least one directory", place)
    for index, entry in enumerate(dirs):
        _check_dir(entry, f"{base}.dirs[{index}]", refuse)


def _check_dir(entry: BlockView, base: str, refuse: Callable[..., InspectorError]) -> None:
    path, place = entry.text("path"), Place(*entry.place("path"))
    if path is None or not path.text.strip():
        raise refuse(f"{base}.path", "must name a host directory", place)
    if not path.text.startswith("/"):
        message = (
            f"'{path.text}' must be an absolute host path (start with '/') — these are "
            "filesystem paths outside the workdir"
        )
        raise refuse(f"{base}.path", message, place)
    if entry.flag("list_dir") is None:
        message = (
            f"'{path.text}' must set list_dir explicitly to true or false — enumerability is "
            "never inferred"
        )
        raise refuse(f"{base}.list_dir", message, place)


def _check_staged(
    grant: BlockView,
    base: str,
    allowed: set[str],
    interpreted: set[str],
    refuse: Callable[..., InspectorError],
) -> None:
    purpose = (
        "staged_runtime can only stage the runtime tree behind an already-allowlisted binary, "
        "never grant exec"
    )
    binary = _check_binary(grant, base, allowed, purpose, refuse)
    if binary in interpreted:
        raise refuse(f"{base}.binary", _exclusive(binary), Place(*grant.place("binary")))
    path, place = grant.text("source_path"), Place(*grant.place("source_path"))
    if path is None or not path.text.strip():
        message = "must name the host directory holding the pinned runtime tree"
        raise refuse(f"{base}.source_path", message, place)
    if not path.text.startswith("/"):
        message = (
            f"'{path.text}' must be an absolute host path (start with '/') — staged-runtime "
            "sources are host filesystem paths outside the workdir"
        )
        raise refuse(f"{base}.source_path", message, place)
    pin = grant.text("pin")
    if pin is None or not pin.text.strip():
        message = (
            f"'{path.text}' must declare a non-empty pin identifying which build this tree is "
            "— it is never inferred, because it is the value a human compares across two hosts "
            "to confirm the same runtime shipped to both"
        )
        raise refuse(f"{base}.pin", message, Place(*grant.place("pin")))


def _exclusive(binary: str) -> str:
    return (
        f"'{binary}' also has a capabilities.shell.interpreter_runtime grant — the two are "
        "mutually exclusive per binary: staged_runtime bind-mounts the runtime tree into the "
        "capsule's own root, which is what makes widening the capsule's host filesystem scope "
        "unnecessary rather than something to add to it. Remove the interpreter_runtime grant "
        f"for '{binary}'"
    )
