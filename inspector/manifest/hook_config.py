"""Binding, mode and policy of a hook, as its own manifest declares them.

Lives here: the values. Not here: reading them (hook_manifest). Rooms above may import
it.
"""

import enum

import msgspec


class ExecutionMode(enum.StrEnum):
    """Whether the dispatcher waits for the hook."""

    BLOCKING = "blocking"
    ASYNC = "async"


class OverflowPolicy(enum.StrEnum):
    """What happens when an async hook's queue is full (the operator's entry)."""

    DROP = "drop"
    BLOCK = "block"


class HookConfig(msgspec.Struct, frozen=True):
    """The three keys that count.

    Attributes:
        binding: A lifecycle function, or None for every event.
        execution_mode: Blocking by default.
        commit_policy: E.g. `none`, `deny`, `replace-context`.

    Source: spec/manifest.md 5.
    """

    binding: str | None = None
    execution_mode: ExecutionMode = ExecutionMode.BLOCKING
    commit_policy: str = "none"

    @property
    def binding_word(self) -> str:
        """The binding as shown: the event, or `all`."""
        return self.binding or "all"

    def reaches(self, event: str) -> bool:
        """Whether the hook is called for an event.

        All-bound hooks are staged as well as observed; a hook bound to on-stage sees
        nothing else.

        Source: spec/dispatch.md 2 and 4.
        """
        return self.binding is None or self.binding == event

    def gates(self, event: str) -> bool:
        """Whether the hook is asked at the event's decision point (spec/dispatch.md 5)."""
        return (
            self.execution_mode is ExecutionMode.BLOCKING
            and self.commit_policy == "deny"
            and self.binding == event
        )
