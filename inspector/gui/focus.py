"""What the Detail pane shows: a hook, a firing, a call, a log line, a finding.

Lives here: the targets, and the one object that knows the current one. Not here: how a
target is shown (gui.views). Everything in gui above it may import it.
"""

import msgspec
from PySide6.QtCore import QObject, Signal


class HookTarget(msgspec.Struct, frozen=True):
    """A hook by name."""

    name: str


class FiringTarget(msgspec.Struct, frozen=True):
    """A firing by its index in the history; `call` is one of its calls, or None."""

    index: int
    call: int | None = None


class LogTarget(msgspec.Struct, frozen=True):
    """A log line by its index in the log book."""

    index: int


class FindingTarget(msgspec.Struct, frozen=True):
    """A diagnostic by its place in the inspection."""

    index: int


Target = HookTarget | FiringTarget | LogTarget | FindingTarget


class Focus(QObject):
    """The current target.

    Attributes:
        target: The current one, or None.

    Signals:
        changed(Target | None): another target was chosen.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.target: Target | None = None

    def show(self, target: Target | None) -> None:
        """Choose a target; the same one again tells nobody."""
        if target != self.target:
            self.target = target
            self._emit_changed()

    def _emit_changed(self) -> None:
        self.changed.emit(self.target)
