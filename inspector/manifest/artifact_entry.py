"""One entry of `artifacts` in a capsule manifest.

Lives here: its values and the checks at parse, in the runtime's order. Not here: the
capabilities block (capability), finding the artifact (capsule). Rooms above may import it.
"""

import enum

import msgspec

from inspector.errors import InspectorError
from inspector.manifest.capability import Capabilities, Place
from inspector.manifest.capability import read as read_capabilities
from inspector.manifest.hook_config import OverflowPolicy
from inspector.manifest.refusal import Placed, Refusals
from inspector.manifest.schema import BlockView
from inspector.manifest.yaml_source import Node


class Role(enum.StrEnum):
    """What an artifact is for."""

    TOOL = "tool"
    DRIVER = "driver"
    HOOK = "hook"
    SKILL = "skill"


LOCAL_VERSION = "local"
"""The version of an entry with `source`."""


class ArtifactEntry(msgspec.Struct, frozen=True):
    """An accepted entry.

    Attributes:
        index: Position in the list, 0-based.
        name: As written.
        version: As written, or `local`.
        role: See Role.
        source: Path of a local skill, or None.
        prompt_payload: Whether its text may be the system prompt.
        capabilities: Its own block, or None.
        on_overflow: `drop` unless declared.
        config: The node of `config` (a null included), or None when the key is absent.
        line: Of the entry, 1-based.
        column: Of the entry, 1-based.
        config_line: Of the key `config`, or of the entry.
        ignored_version: A version that `source` makes meaningless, or None.
    """

    index: int
    name: str
    version: str
    role: Role
    source: str | None
    prompt_payload: bool
    capabilities: Capabilities | None
    on_overflow: OverflowPolicy
    config: Node | None
    line: int
    column: int
    config_line: int
    ignored_version: str | None = None

    @property
    def label(self) -> str:
        """NAME@VERSION, as in the runtime's messages."""
        return f"{self.name}@{self.version}"


def read(index: int, view: BlockView, refusals: Refusals) -> ArtifactEntry:
    """Read an entry and check it in the runtime's order.

    Args:
        index: Its position, 0-based.
        view: The entry.
        refusals: For the file.

    Raises:
        InspectorError: for the first thing that the runtime refuses.

    Source: spec/manifest.md 2.
    """
    return _Reader(index, view, refusals).read()


class _Reader:
    def __init__(self, index: int, view: BlockView, refusals: Refusals) -> None:
        self.index = index
        self.view = view
        self.refusals = refusals
        self.name = ""

    def refuse(self, message: str, key: str, hint: str = "") -> InspectorError:
        place: Placed = Place(*self.view.place(key))
        return self.refusals.artifact(self.index, message, place, hint)

    def read(self) -> ArtifactEntry:
        self.name = self._required("name")
        role = self._role()
        source = self.view.text("source")
        path = source.text if source is not None and source.text.strip() else None
        local = self.view.flag("local_source")
        if path is not None and not (role is Role.SKILL if local is None else local):
            raise self.refuse(
                f"artifact '{self.name}' declares 'source:' but does not declare "
                f"'local_source: true' (runtime: {role})",
                "source",
                "A source is read as a skill.md; to try a hook from a folder, put it below "
                f"hooks/{self.name}/ beside the manifest and leave `source` out.",
            )
        version = LOCAL_VERSION if path is not None else self._required("version")
        prompt = self.view.flag("prompt_payload")
        line, column = self.view.node.line, self.view.node.column
        return ArtifactEntry(
            index=self.index,
            name=self.name,
            version=version,
            role=role,
            source=path,
            prompt_payload=role is Role.SKILL if prompt is None else prompt,
            capabilities=self._capabilities(role),
            on_overflow=self._on_overflow(role),
            config=self._config(role),
            line=line,
            column=column,
            config_line=self.view.place("config")[0],
            ignored_version=self._ignored_version(path),
        )

    def _required(self, key: str) -> str:
        value = self.view.text(key)
        if value is None or not value.text.strip():
            raise self.refuse(f"missing required field '{key}'", key, f"Add `{key}:` to the entry.")
        return value.text

    def _ignored_version(self, path: str | None) -> str | None:
        value = self.view.text("version")
        given = path is not None and value is not None and value.text.strip()
        return value.text if given and value is not None else None

    def _role(self) -> Role:
        value = self.view.text("runtime")
        if value is None:
            return Role.TOOL
        if value.text in ("wasm", "native"):
            raise self.refuse(
                "use 'runtime: tool'; implementation is declared in the artifact's own manifest "
                f"(got '{value.text}')",
                "runtime",
            )
        if value.text not in {str(role) for role in Role}:
            raise self.refuse(
                f"unknown runtime '{value.text}'; expected one of: tool, driver, hook, skill",
                "runtime",
            )
        return Role(value.text)

    def _capabilities(self, role: Role) -> Capabilities | None:
        block = self.view.inner("capabilities")
        if block is None:
            return None
        if role is Role.SKILL:
            raise self.refuse(
                f"artifact '{self.name}' declares per-artifact 'capabilities:' but has "
                "'runtime: skill'; per-artifact capabilities are only recognized on "
                "'runtime: hook', 'runtime: tool', and 'runtime: driver' entries — use the "
                "capsule-wide top-level 'capabilities:' block instead",
                "capabilities",
            )
        for key, interface in _HOOK_GRANTS.items():
            if block.inner(key) is not None and role is not Role.HOOK:
                raise self.refuse(
                    f"artifact '{self.name}' declares 'capabilities.{key}:' but has 'runtime: "
                    f"{role}'; the key grants the {interface} host import and is only "
                    "recognized on 'runtime: hook' entries",
                    "capabilities",
                )
        return read_capabilities(block, self.refusals)

    def _on_overflow(self, role: Role) -> OverflowPolicy:
        value = self.view.text("on_overflow")
        if value is None:
            return OverflowPolicy.DROP
        if role is not Role.HOOK:
            raise self.refuse(
                f"artifact '{self.name}' declares 'on_overflow:' but has 'runtime: {role}'; the "
                "key governs an async hook's job queue and is only recognized on "
                "'runtime: hook' entries",
                "on_overflow",
                "Leave the key out of this entry.",
            )
        if value.text not in {str(policy) for policy in OverflowPolicy}:
            raise self.refuse(
                f"artifact '{self.name}' declares unknown on_overflow '{value.text}'; "
                "expected: drop, block",
                "on_overflow",
            )
        return OverflowPolicy(value.text)

    def _config(self, role: Role) -> Node | None:
        node = self.view.raw("config")
        if node is not None and role is Role.SKILL:
            raise self.refuse(
                f"artifact '{self.name}' declares 'config:' but has 'runtime: skill'; the key "
                "is recognized only on 'runtime: hook', 'runtime: tool', and "
                "'runtime: driver' entries",
                "config",
            )
        return node


_HOOK_GRANTS = {
    "task_io": "murmur:task-io/read",
    "conversation": "murmur:conversation/read",
}
