"""What the Detail pane shows: a hook, a firing, a call, a log line, a finding.

Lives here: the targets, places in files, and the one object that knows the current one.
Not here: how a target is shown (gui.views). Everything in gui above it may import it.
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


class DiffTarget(msgspec.Struct, frozen=True):
    """How a firing differs from a marked one, both by their index in the history."""

    marked: int
    chosen: int


class LogTarget(msgspec.Struct, frozen=True):
    """A log line by its index in the log book."""

    index: int


class FindingTarget(msgspec.Struct, frozen=True):
    """A diagnostic by its place in the inspection."""

    index: int


class Place(msgspec.Struct, frozen=True):
    """A place in a file of the capsule, for the manifest's pane.

    Attributes:
        line: From 1, or None for the whole file.
        column: From 1, or None for the line.
        file: Its path, or None for the capsule's manifest.
        note: What is said about it, or "".
        severity: `info`, `warning` or `error`.
        name: Without a line: the name whose entry is the place, or "".
    """

    line: int | None
    column: int | None = None
    file: str | None = None
    note: str = ""
    severity: str = "info"
    name: str = ""


Target = HookTarget | FiringTarget | DiffTarget | LogTarget | FindingTarget


class Focus(QObject):
    """The current target.

    Attributes:
        target: The current one, or None.

    Signals:
        changed(Target | None): another target was chosen.
        place_requested(Place): a place in a file is to be shown.
    """

    changed = Signal(object)
    place_requested = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.target: Target | None = None

    def show(self, target: Target | Place | None) -> None:
        """Choose a target; the same one again tells nobody. A place is shown each time."""
        if isinstance(target, Place):
            self.place_requested.emit(target)
        elif target != self.target:
            self.target = target
            self._emit_changed()

    def _emit_changed(self) -> None:
        self.changed.emit(self.target)
