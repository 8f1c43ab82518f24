"""What ties the composer to the workbench: contract, defaults, drafts, firing.

Lives here: `ComposerLink`. Not here: the form itself (views.composer_view), sending
(workbench_bridge). Only main_window imports it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from inspector.contract.contract import EVENTS, Phase
from inspector.contract.profile import PROFILES
from inspector.gui.views.composer_view import ComposerView
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Action, Decide, Observe
from inspector.workbench import command
from inspector.workbench.draft import Draft
from inspector.workbench.state import Firing

DEFAULT_EVENT = "on-session-start"
SESSION_EVENTS = ("on-stage", "on-session-start", "on-session-end")
"""Events whose fields a session fills in."""


class ComposerLink(QObject):
    """Keeps one draft per event; fires exactly what is shown.

    Signals:
        event_shown(str): another event stands in the composer.
        drafts_changed(): something was typed.
    """

    event_shown = Signal(str)
    drafts_changed = Signal()

    def __init__(self, composer: ComposerView, bridge: WorkbenchBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._composer = composer
        self._bridge = bridge
        self._drafts: dict[str, Draft] = {}
        self._given: dict[str, dict[str, Any]] = {}
        self._reason = ""
        self._is_loading = False
        self._last: Action | None = None
        composer.fire_requested.connect(self._on_fire_requested)
        composer.draft_changed.connect(self._on_draft_changed)
        composer.event_changed.connect(self._on_event_changed)
        bridge.capsule_changed.connect(self._update_contract)
        bridge.session_changed.connect(self._update_defaults)
        bridge.changed.connect(self._update_reason)
        self._update_contract()
        self._reason = command.can_fire(bridge.state)
        composer.set_enabled_reason(self._reason)

    # -- drafts --------------------------------------------------------------------------

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """What was typed, at most one per event."""
        return tuple(self._drafts.values())

    def restore(self, drafts: Iterable[Draft], event: str) -> None:
        """Take over what was typed before, and show an event."""
        self._is_loading = True
        for draft in drafts:
            if draft.event in EVENTS and draft.phase in tuple(Phase):
                self._drafts[draft.event] = draft
                self._composer.set_draft(draft)
        self._is_loading = False
        self.choose_event(event if event in EVENTS else DEFAULT_EVENT)

    @Slot(object)
    def _on_draft_changed(self, draft: Draft) -> None:
        if not self._is_loading:
            self._drafts[draft.event] = draft
            self.drafts_changed.emit()

    # -- events --------------------------------------------------------------------------

    @Slot(str)
    def choose_event(self, event: str) -> None:
        """Show an event in the composer, in the phase that was chosen for it last."""
        draft = self._drafts.get(event)
        phase = Phase(draft.phase) if draft else Phase.OBSERVE
        self._is_loading = True
        self._composer.set_event(event, phase)
        self._is_loading = False
        self._tell_event(event)

    @Slot(str)
    def _on_event_changed(self, event: str) -> None:
        if not self._is_loading:
            self._tell_event(event)

    def _tell_event(self, event: str) -> None:
        self.event_shown.emit(event)

    def load(self, firing: Firing) -> None:
        """Put a row of the timeline into the composer; undo gives back what was there."""
        if firing.event in EVENTS and isinstance(firing.fields, dict):
            phase = Phase.DECIDE if firing.phase == "decide" else Phase.OBSERVE
            self.load_fields(firing.event, phase.value, firing.fields)

    def load_fields(self, event: str, phase: str, fields: Mapping[str, Any]) -> None:
        """Put other fields into the composer; undo gives back what was there."""
        self._composer.load_fields(event, phase, fields)
        self._drafts[event] = self._composer.draft()
        self._tell_event(event)
        self.drafts_changed.emit()

    @Slot()
    def load_last(self) -> None:
        """Put what was fired last into the composer."""
        last = self._last
        if isinstance(last, Observe | Decide):
            phase = Phase.DECIDE if isinstance(last, Decide) else Phase.OBSERVE
            self.load_fields(last.event, phase.value, last.fields)

    # -- firing --------------------------------------------------------------------------

    @Slot()
    def fire(self) -> None:
        """Fire what stands in the composer, when it is valid."""
        self._composer.fire()

    @Slot()
    def fire_last(self) -> None:
        """Fire the last action again, exactly as it was sent."""
        if self._last is not None:
            self._fire(self._last)

    def refire(self, firing: Firing) -> None:
        """Fire a row of the timeline again."""
        action = command.action_of(firing)
        if action is not None:
            self._fire(action)

    @property
    def last(self) -> Action | None:
        """What was fired last from here."""
        return self._last

    @Slot(object)
    def _on_fire_requested(self, action: Action) -> None:
        self._fire(action)

    def set_last(self, action: Action) -> None:
        """Remember what was fired in another way."""
        self._last = action

    def _fire(self, action: Action) -> None:
        self._last = action
        self._bridge.fire(action)

    # -- what the workbench says ---------------------------------------------------------

    @Slot()
    def _update_contract(self) -> None:
        contract = PROFILES[self._bridge.state.profile].contract
        self._is_loading = True
        self._composer.set_contract(contract)
        self._is_loading = False

    @Slot()
    def _update_defaults(self) -> None:
        state = self._bridge.state
        if state.session is None:
            return  # what the last session gave stays until there is another one
        for event in SESSION_EVENTS:
            given = command.default_fields(state, event)
            if given != self._given.get(event):
                self._given[event] = given
                self._composer.set_defaults(event, given)

    @Slot()
    def _update_reason(self) -> None:
        reason = command.can_fire(self._bridge.state)
        if reason != self._reason:
            self._reason = reason
            self._composer.set_enabled_reason(reason)
