"""What the command palette offers, gathered anew each time that it opens.

Lives here: `WindowPalette`. Not here: finding (workbench.palette), the list on the screen
(views.palette_view), what an action does (main_window). Only gui.window_desk imports it.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import Protocol

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from inspector import assets
from inspector.gui.actions import EVENT, ROWS, Actions
from inspector.gui.views.palette_view import PaletteView
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import command, opening, sample
from inspector.workbench.palette import Entry

HOOK, CAPSULE, RECENT, SCENARIO = "Hook", "Sample", "Recent", "Scenario"


class Offer(Protocol):
    """Someone who offers entries and does what is chosen."""

    def entries(self) -> Iterable[Entry]:
        """What is offered now."""

    def choose(self, key: str) -> None:
        """Do what the entry of an id stands for."""


class WindowPalette(QObject):
    """Asks everyone who offers something; an id is `SOURCE:KEY`."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.view = PaletteView(window)
        self.view.chosen.connect(self._on_chosen)
        self._offers: dict[str, Offer] = {}

    def add(self, source: str, offer: Offer) -> None:
        """Let someone offer entries.

        Args:
            source: A word without a colon; what the ids of its entries begin with.
            offer: Gives entries, whose ids lack that beginning.
        """
        self._offers[source] = offer

    @Slot()
    def present(self) -> None:
        """Open it."""
        self.view.present(tuple(self.entries()))

    def entries(self) -> Iterator[Entry]:
        """Everything that is offered now."""
        for source, offer in self._offers.items():
            for entry in offer.entries():
                yield _with_id(entry, f"{source}:{entry.id}")

    @Slot(object)
    def _on_chosen(self, entry: Entry) -> None:
        source, _, key = entry.id.partition(":")
        self._offers[source].choose(key)


def _with_id(entry: Entry, entry_id: str) -> Entry:
    return Entry(
        entry_id, entry.kind, entry.title, entry.detail, entry.keys, entry.icon, entry.reason
    )


class ActionOffer:
    """Every action of the table; those that cannot be done say why."""

    def __init__(self, actions: Actions) -> None:
        self._actions = actions

    def entries(self) -> Iterator[Entry]:
        """What is offered now."""
        for row in ROWS:
            if row.id == "palette":
                continue
            action = self._actions[row.id]
            keys = QKeySequence(row.keys[0]) if row.keys else QKeySequence()
            shown = keys.toString(QKeySequence.SequenceFormat.NativeText)
            reason = self._actions.reason(row.id)
            if not action.isEnabled() and not reason:
                reason = "Cannot be done now."
            state = " (on)" if row.is_checkable and action.isChecked() else ""
            icon = row.icon or ("event" if row.group == EVENT else "")
            title = row.text.rstrip("…")
            yield Entry(row.id, row.group, f"{title}{state}", row.tip, shown, icon, reason)

    def choose(self, key: str) -> None:
        """Do it."""
        self._actions[key].trigger()


class HookOffer:
    """The hooks of the open capsule."""

    def __init__(self, bridge: WorkbenchBridge, show: Callable[[str], None]) -> None:
        self._bridge = bridge
        self._show = show

    def entries(self) -> Iterator[Entry]:
        """What is offered now."""
        inspection = self._bridge.state.inspection
        for hook in inspection.hooks if inspection else ():
            facts = f"{hook.binding} · {hook.execution_mode} · {hook.commit_policy}"
            detail = facts if hook.accepted else f"rejected · {facts}"
            yield Entry(hook.name, HOOK, hook.name, detail, icon="hook")

    def choose(self, key: str) -> None:
        """Show its page."""
        self._show(key)


class CapsuleOffer:
    """Capsules opened before, and samples; what is gone says so."""

    def __init__(
        self,
        bridge: WorkbenchBridge,
        recent: Callable[[], tuple[str, ...]],
        open_path: Callable[[str], None],
    ) -> None:
        self._bridge = bridge
        self._recent = recent
        self._open = open_path

    def entries(self) -> Iterator[Entry]:
        """What is offered now."""
        busy = command.can_open(self._bridge.latest)
        for path in self._recent():
            if not path.startswith(sample.PREFIX):
                pure, gone = PurePath(path), opening.missing_text(path)
                reason = f"{gone.capitalize()}: {path}" if gone else busy
                yield Entry(path, RECENT, pure.name, str(pure.parent), "", "open", reason)
        for name in assets.sample_names():
            path = f"{sample.PREFIX}{name}"
            yield Entry(path, CAPSULE, name, sample.description(name), "", "open", busy)

    def choose(self, key: str) -> None:
        """Open it."""
        self._open(key)


class ScenarioOffer:
    """The scenarios of the samples; each opens its sample."""

    def __init__(self, bridge: WorkbenchBridge, run: Callable[[str, str | None], None]) -> None:
        self._bridge = bridge
        self._run = run

    def entries(self) -> Iterator[Entry]:
        """What is offered now."""
        busy = command.can_open(self._bridge.latest)
        for capsule in assets.sample_names():
            for name in sample.scenario_names(capsule):
                detail = f"Open the sample {capsule} and run its scenario."
                yield Entry(f"{capsule}/{name}", SCENARIO, f"Run {name}", detail, "", "fire", busy)

    def choose(self, key: str) -> None:
        """Open the sample and run it."""
        capsule = key.partition("/")[0]
        path = sample.scenario_path(f"{sample.PREFIX}{key}")
        self._run(path, f"{sample.PREFIX}{capsule}")
