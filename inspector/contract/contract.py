"""One accepted contract version: its interfaces and its rules.

Lives here: `Contract`, `load`, and the look-ups on the rule table that WIT cannot
say. Not here: behaviour of a runtime (profile). Every room above may import it.
"""

import enum
import fnmatch
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from inspector import assets
from inspector.contract import wit
from inspector.contract.type import Function, ListOf, Record, ResultOf, ValueType, Variant

EVENTS = (
    "on-stage",
    "on-session-start",
    "on-task-start",
    "on-inference",
    "on-tool-call",
    "on-shell",
    "on-compaction",
    "on-task-end",
    "on-session-end",
)
"""The nine lifecycle functions in the order in which a session meets them."""


class Phase(enum.StrEnum):
    """Why an event is dispatched: after the fact, or to ask whether a call may run."""

    OBSERVE = "observe"
    DECIDE = "decide"


class ImportRule(msgspec.Struct, frozen=True):
    """One interface that a runtime of this contract provides.

    Attributes:
        interface: Full name; `*` for any interface of the package; a version of two
            numbers (`@0.2`) stands for every patch of it.
        gate: The grant that an answer depends on (`network`, `filesystem`, `task_io`,
            `conversation`, `inference`), or None.
    """

    interface: str
    gate: str | None


class Rules(msgspec.Struct, frozen=True):
    """What WIT cannot say, one table per version (resources/wit/hook-V/rules.json).

    Attributes:
        version: The contract version.
        required: Functions without which no instance is made, in the order of the check.
        optional: Functions that are resolved when they are there.
        observe: Honored arm by event at an observation.
        decide: Honored arm by event at a decision point.
        commit_policies: Accepted spellings in a hook's own manifest, in message order.
        imports: What the runtime provides.
    """

    version: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    observe: Mapping[str, str]
    decide: Mapping[str, str]
    commit_policies: tuple[str, ...]
    imports: tuple[ImportRule, ...]


class Contract(msgspec.Struct, frozen=True):
    """A contract version, ready for look-ups.

    Attributes:
        version: E.g. `0.8.0`.
        interface: Full name of the lifecycle interface.
        lifecycle: The lifecycle interface itself.
        interfaces: Every interface of the version's WIT files, by full name.
        rules: The rule table.
        texts: The WIT files, by file name.
    """

    version: str
    interface: str
    lifecycle: wit.Interface
    interfaces: Mapping[str, wit.Interface]
    rules: Rules
    texts: Mapping[str, str]

    def function(self, event: str) -> Function:
        """The lifecycle function of an event; KeyError for an unknown name."""
        return self.lifecycle.functions[event]

    def record(self, event: str) -> Record:
        """The record type that the event's function takes."""
        parameter = self.function(event).parameters[0].type
        assert isinstance(parameter, Record)
        return parameter

    @property
    def output(self) -> Variant:
        """The variant `hook-output`."""
        result = self.function(EVENTS[0]).result
        assert isinstance(result, ResultOf)
        assert isinstance(result.ok, Variant)
        return result.ok

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms in discriminant order, `none` first."""
        return tuple(case.name for case in self.output.cases)

    @property
    def message(self) -> Record:
        """The record `message`."""
        found = self.lifecycle.types["message"]
        assert isinstance(found, Record)
        return found

    @property
    def messages(self) -> ListOf:
        """The type `list<message>`."""
        return ListOf(self.message)

    def honored_arm(self, event: str, phase: Phase) -> str | None:
        """The one arm besides `none` that an event honors in a phase.

        Args:
            event: A lifecycle function name.
            phase: Observation or decision.

        Returns:
            The arm, or None when only `none` is answerable.

        Source: spec/contract.md 5.
        """
        table = self.rules.decide if phase is Phase.DECIDE else self.rules.observe
        return table.get(event)

    def honoring_events(self, arm: str) -> tuple[tuple[str, Phase], ...]:
        """Where an arm is honored, in lifecycle order; for explanations."""
        return tuple(
            (event, phase)
            for event in EVENTS
            for phase in Phase
            if self.honored_arm(event, phase) == arm
        )

    def requirement(self, event: str) -> str:
        """`required`, `optional`, or `stage` for on-stage, which is in neither list."""
        if event in self.rules.required:
            return "required"
        return "optional" if event in self.rules.optional else "stage"

    def import_rule(self, interface: str) -> ImportRule | None:
        """The rule that provides an import, or None when no runtime of this version does.

        Args:
            interface: Full name as imported, e.g. `wasi:http/types@0.2.4`.
        """
        return next((r for r in self.rules.imports if _provides(r.interface, interface)), None)

    def type_of_arm(self, arm: str) -> ValueType | None:
        """The payload type of an arm; None for `none`."""
        return next(case.type for case in self.output.cases if case.name == arm)


def _provides(rule: str, interface: str) -> bool:
    rule_name, _, rule_version = rule.partition("@")
    name, _, version = interface.partition("@")
    if not fnmatch.fnmatchcase(name, rule_name):
        return False
    return version == rule_version or version.startswith(f"{rule_version}.")


@lru_cache(maxsize=8)
def load(version: str) -> Contract:
    """Load an accepted contract version.

    Args:
        version: One of `versions()`.

    Returns:
        The contract; the same object for the same version.

    Raises:
        KeyError: for a version without a folder of its own.
    """
    folder = assets.resource("wit", f"hook-{version}")
    if not folder.is_dir():
        raise KeyError(version)
    texts = {p.name: p.read_text("utf-8") for p in sorted(folder.glob("*.wit"))}
    parsed = wit.parse(texts.values())
    rules = msgspec.json.decode((folder / "rules.json").read_bytes(), type=Rules)
    interface = f"murmur:hook/lifecycle@{version}"
    return Contract(
        version, interface, parsed.interfaces[interface], parsed.interfaces, rules, texts
    )


@lru_cache(maxsize=1)
def versions() -> tuple[str, ...]:
    """The accepted contract versions, oldest first."""
    folders = assets.resource("wit").glob("hook-*")
    return tuple(sorted((p.name.removeprefix("hook-") for p in folders), key=_version_key))


def _version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
