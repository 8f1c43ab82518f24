"""The composer: an event as a form or as text, and the button that fires it.

Lives here: ComposerView, and the line under it that says why nothing can be fired. Not
here: the value (models.form_composition), head, form and text (composer_head, _form,
_text). Only gui.main_window imports it.

What is fired is always what is shown: the action is made at the moment it is asked for,
from the text or the form as they stand, and there is none while anything is wrong.
"""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from inspector.contract.contract import EVENTS, Contract, Phase
from inspector.gui import icons
from inspector.gui.models.form_composition import Action, Composition, Problem
from inspector.gui.views.composer_burst import BurstBar
from inspector.gui.views.composer_form import ComposerForm
from inspector.gui.views.composer_head import ComposerHead
from inspector.gui.views.composer_text import ComposerText
from inspector.gui.widgets import look
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.workbench.draft import Draft
from inspector.workbench.edge_case import OUTCOME

NARROWEST = 316
_READ_AT_ONCE = 10_000
"""Characters of text up to which it is read at every key; longer text waits a little."""
_READ_DELAY_MS = 150
_NO_OUTCOME = "none: the call has not run yet."


class _Foot(QWidget):
    """One sentence, and a button that goes to what it is about."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.icon = QLabel(self)
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.button = QPushButton(self)
        self.button.setAutoDefault(False)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.XS, Spacing.S, Spacing.S)
        layout.setSpacing(Spacing.S)
        layout.addWidget(self.icon)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.button)
        self._sign = ("info", "muted")
        look.look().changed.connect(self._draw)

    def say(self, sentence: str, icon: str, role: str, button: str) -> None:
        """Show a sentence; "" hides all of it."""
        self.setVisible(bool(sentence))
        self.label.setText(sentence)
        self.setAccessibleName(sentence)
        look.set_property(self.label, "tone", role)
        self.button.setText(button)
        self.button.setAccessibleName(button)
        self.button.setVisible(bool(button))
        self._sign = (icon, role)
        self._draw()

    def _draw(self) -> None:
        ratio = self.devicePixelRatioF()
        self.icon.setPixmap(icons.pixmap(*self._sign, Spacing.ICON, ratio))


class ComposerView(QWidget):
    """Composes one event at a time and remembers the others.

    Signals:
        fire_requested(Observe | Decide): fire this, field for field.
        draft_changed(Draft): the user typed or chose something.
        event_changed(str): another event is composed.
    """

    fire_requested = Signal(object)
    draft_changed = Signal(object)
    event_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Composer")
        self.setMinimumWidth(NARROWEST)
        self._contract: Contract | None = None
        self._compositions: dict[str, Composition] = {}
        self._forms: dict[str, ComposerForm] = {}
        self._given: dict[str, dict[str, Any]] = {}
        self._drafts: dict[str, Draft] = {}
        self._event = EVENTS[0]
        self._phase = Phase.OBSERVE
        self._reason = ""
        self._is_quiet = False
        self.head = ComposerHead(self)
        self.text_pane = ComposerText(self)
        self.empty = EmptyState(
            "event", "No contract yet", "Open a capsule to compose its events.", self
        )
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.text_pane)
        self.burst_bar = BurstBar(self)
        self.foot = _Foot(self)
        self._read_timer = QTimer(self)
        self._read_timer.setSingleShot(True)
        self._read_timer.setInterval(_READ_DELAY_MS)
        self._lay_out()
        self._connect()
        self._show_all()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.stack, 1)
        layout.addWidget(self.burst_bar)
        layout.addWidget(self.foot)

    def _connect(self) -> None:
        self.head.event_chosen.connect(self._on_event_chosen)
        self.head.phase_chosen.connect(self._on_phase_chosen)
        self.head.mode_chosen.connect(self._on_mode_chosen)
        self.head.fields_chosen.connect(self._on_fields_chosen)
        self.head.fire_clicked.connect(self.fire)
        self.text_pane.edited.connect(self._on_text_edited)
        self.text_pane.undo_requested.connect(self._on_undo_requested)
        self.foot.button.clicked.connect(self._on_foot_clicked)
        self._read_timer.timeout.connect(self._on_read_timeout)

    # -- what the window says -------------------------------------------------------

    def set_contract(self, contract: Contract | None) -> None:
        """Compose the events of a contract; what was typed is carried over."""
        if contract is self._contract:
            return
        for event, composition in self._compositions.items():
            if composition.is_touched:
                self._drafts[event] = composition.draft()
        self._forget_compositions()
        self._contract = contract
        self.set_event(self._event, self._phase)

    def set_event(self, event: str, phase: Phase | str = Phase.OBSERVE) -> None:
        """Compose another event; a phase that it does not have counts as observe."""
        changed = event != self._event
        self._event = event
        self._phase = Phase(phase)
        composition = self.composition()
        if composition is not None:
            self._is_quiet = True
            composition.set_phase(
                self._phase if self._phase in composition.phases else Phase.OBSERVE
            )
            self._is_quiet = False
        self._show_all()
        if changed:
            self.event_changed.emit(event)

    def set_draft(self, draft: Draft) -> None:
        """Put a draft back and show its event."""
        changed = draft.event != self._event
        self._event = draft.event
        self._phase = Phase(draft.phase)
        self._drafts[draft.event] = draft
        if draft.event in self._compositions:
            self._apply_draft(self._compositions[draft.event])
        self._show_all()
        if changed:
            self.event_changed.emit(draft.event)

    def load_fields(self, event: str, phase: Phase | str, fields: Mapping[str, Any]) -> None:
        """Show an event with other fields; undo gives back what was typed before."""
        if event != self._event:
            self.set_event(event, phase)
        composition = self.composition()
        if composition is None:
            self.set_draft(Draft(event, Phase(phase).value, fields=dict(fields)))
            return
        self._is_quiet = True
        composition.set_phase(Phase(phase))
        composition.load(fields)
        self._is_quiet = False
        if composition.mode == "text":
            self.text_pane.show_text(composition, is_new=False)
        self._show_state()
        self.draft_changed.emit(self.draft())

    def set_defaults(self, event: str, fields: Mapping[str, Any]) -> None:
        """Say what the session gives an event; a form that nobody touched follows."""
        self._given[event] = dict(fields)
        if event in self._compositions:
            self._is_quiet = True
            self._compositions[event].set_given(fields)
            self._is_quiet = False
            self._show_all()

    def set_enabled_reason(self, reason: str) -> None:
        """Say why nothing can be fired now; "" when something can."""
        self._reason = reason
        self._show_state()

    # -- what the window asks -------------------------------------------------------

    def event_name(self) -> str:
        """The event that is composed; `event` is Qt's own."""
        return self._event

    def phase(self) -> Phase:
        """The phase that would be fired."""
        composition = self.composition()
        return composition.phase if composition else self._phase

    def draft(self) -> Draft:
        """What stands in the composer, to be kept."""
        composition = self.composition()
        if composition is None:
            kept = self._drafts.get(self._event)
            return kept or Draft(self._event, self._phase.value)
        return composition.draft()

    def action(self) -> Action | None:
        """What would be fired now, or None while anything is wrong."""
        composition = self.composition()
        return composition.action() if composition else None

    def composition(self) -> Composition | None:
        """What is composed, or None without a contract."""
        return self._composition(self._event) if self._contract else None

    def form(self) -> ComposerForm:
        """The form of the event; there is one while there is a contract."""
        return self._forms[self._event]

    def open_search(self) -> None:
        """Search in the text; a form has too little text to search in."""
        composition = self.composition()
        if composition is not None and composition.mode == "text":
            self.text_pane.open_search()

    @Slot()
    def fire(self) -> None:
        """Ask for what is shown to be fired, when it can be."""
        action = self.current_action()
        if action is not None:
            self.fire_requested.emit(action)

    def current_action(self) -> Action | None:
        """What is shown, to the last key, or None when it cannot be fired now."""
        self._read_timer.stop()
        self._show_state()
        return None if self._reason else self.action()

    # -- compositions ---------------------------------------------------------------

    def _composition(self, event: str) -> Composition:
        found = self._compositions.get(event)
        if found is not None:
            return found
        assert self._contract is not None
        made = Composition(self._contract, event, self._given.get(event, {}), self)
        made.changed.connect(self._on_composition_changed)
        made.text_replaced.connect(self._on_text_replaced)
        form = ComposerForm(made.form, self)
        self._compositions[event] = made
        self._forms[event] = form
        self.stack.addWidget(form)
        self._apply_draft(made)
        return made

    def _apply_draft(self, composition: Composition) -> None:
        """Put back what was kept for an event while it had no composition."""
        draft = self._drafts.pop(composition.event_name, None)
        if draft is not None:
            was_quiet, self._is_quiet = self._is_quiet, True
            composition.apply_draft(draft)
            self._is_quiet = was_quiet

    def _forget_compositions(self) -> None:
        for form in self._forms.values():
            self.stack.removeWidget(form)
            form.deleteLater()
        for composition in self._compositions.values():
            composition.changed.disconnect(self._on_composition_changed)
            composition.text_replaced.disconnect(self._on_text_replaced)
            composition.deleteLater()
        self._forms.clear()
        self._compositions.clear()

    # -- showing --------------------------------------------------------------------

    def _show_all(self) -> None:
        composition = self.composition()
        self.head.setVisible(composition is not None)
        if composition is not None:
            self.text_pane.show_text(composition, is_new=True)
        self._show_state()

    def _show_state(self) -> None:
        """Show everything but the text itself."""
        composition = self.composition()
        if composition is None:
            self.stack.setCurrentWidget(self.empty)
            self.burst_bar.set_reason(self._reason or "Open a capsule first.")
            self.foot.say("", "info", "muted", "")
            return
        self.head.show_composition(composition)
        in_text = composition.mode == "text"
        self.stack.setCurrentWidget(self.text_pane if in_text else self.form())
        self.setFocusProxy(self.text_pane if in_text else self.form())
        decides = composition.phase is Phase.DECIDE
        self.form().set_none(OUTCOME, _NO_OUTCOME if decides else "")
        problems = composition.problems()
        self.text_pane.show_problem(problems[0] if in_text and problems else None)
        self._show_foot(composition, problems)

    def _show_foot(self, composition: Composition, problems: list[Problem]) -> None:
        reason = self._reason or (problems[0].sentence if problems else "")
        self.head.set_fire_reason(reason)
        self.burst_bar.set_reason(reason)
        if problems:
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            self.foot.say(problems[0].sentence + more, "error", "negative", "Go there")
        else:
            self.foot.say(self._reason, "info", "muted", "")

    # -- what the user does ---------------------------------------------------------

    @Slot()
    def _on_composition_changed(self) -> None:
        if self._is_quiet:
            return
        self._show_state()
        self.draft_changed.emit(self.draft())

    @Slot()
    def _on_text_replaced(self) -> None:
        composition = self.composition()
        if composition is not None and not self._is_quiet:
            self.text_pane.show_text(composition, is_new=False)

    @Slot()
    def _on_text_edited(self) -> None:
        composition = self.composition()
        if composition is None or composition.mode != "text" or composition.is_held():
            return
        text = self.text_pane.text()
        is_long = len(text) > _READ_AT_ONCE
        self._is_quiet = is_long
        composition.set_text(text)
        self._is_quiet = False
        if is_long:
            self._read_timer.start()

    @Slot()
    def _on_read_timeout(self) -> None:
        self._show_state()
        self.draft_changed.emit(self.draft())

    @Slot(str)
    def _on_event_chosen(self, event: str) -> None:
        self.set_event(event, Phase.OBSERVE)
        self.draft_changed.emit(self.draft())

    @Slot(str)
    def _on_phase_chosen(self, phase: str) -> None:
        composition = self.composition()
        if composition is not None:
            self._phase = Phase(phase)
            composition.set_phase(self._phase)

    @Slot(str)
    def _on_mode_chosen(self, mode: str) -> None:
        composition = self.composition()
        if composition is None:
            return
        if not composition.set_mode("text" if mode == "text" else "form"):
            self._show_state()
            self.foot.say(
                "The form cannot show this text until its error is mended. "
                + composition.problems()[0].sentence,
                "error",
                "negative",
                "Discard the text",
            )

    @Slot(object)
    def _on_fields_chosen(self, fields: dict[str, Any]) -> None:
        composition = self.composition()
        if composition is not None:
            composition.load(fields)

    @Slot()
    def _on_undo_requested(self) -> None:
        composition = self.composition()
        if composition is not None:
            composition.undo()

    @Slot()
    def _on_foot_clicked(self) -> None:
        composition = self.composition()
        if composition is None:
            return
        if self.foot.button.text() == "Discard the text":
            composition.discard_text()
            return
        problem = next(iter(composition.problems()), None)
        if problem is not None and problem.path is not None:
            self.form().go_to(problem.path)
        elif problem is not None:
            self.text_pane.editor.go_to(problem.line, problem.column)
