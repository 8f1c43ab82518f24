"""What is composed for one event: form and text as two views of one value.

Lives here: Composition: mode, phase, the text as typed, what would be fired, the draft.
Not here: widgets (gui.views.composer_view), the form itself (form_model). Only gui may
import it.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from PySide6.QtCore import QObject, Signal

from inspector.contract import value as contract_value
from inspector.contract.contract import Contract, Phase
from inspector.contract.value import Path
from inspector.errors import InspectorError
from inspector.gui.models.form_model import FormModel
from inspector.protocol.message import Action
from inspector.workbench import command, edge_case, value_text
from inspector.workbench.draft import Draft

__all__ = ["Action", "Composition", "Mode", "Problem"]

Mode = Literal["form", "text"]


class Problem(msgspec.Struct, frozen=True):
    """Why nothing can be fired.

    Attributes:
        sentence: What is wrong, with its place.
        path: The field of the form, or None in text mode.
        line: In text mode, from 1.
        column: In text mode, from 1.
    """

    sentence: str
    path: Path | None = None
    line: int = 1
    column: int = 1


class Composition(QObject):
    """One event being composed.

    Attributes:
        contract: The contract in force.
        event_name: A lifecycle function; `event` is Qt's.
        form: The form; in text mode at the last value that the text had.

    Signals:
        changed(): the value, the text, the mode or the phase is another.
        text_replaced(): the text was written anew and was not typed.
    """

    changed = Signal()
    text_replaced = Signal()

    def __init__(
        self,
        contract: Contract,
        event: str,
        given: Mapping[str, Any],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.contract = contract
        self.event_name = event
        self._given = dict(given)
        self.form = FormModel(contract.record(event), self.starting_fields(), self)
        self._phase = Phase.OBSERVE
        self._mode: Mode = "form"
        self._text = ""
        self._read: dict[str, Any] | Problem | None = None
        self._last_read: dict[str, Any] | None = None
        self._is_held = False
        self._is_touched = False
        self._broken_text: str | None = None
        self.form.changed.connect(self._on_form_changed)

    # -- what it starts with --------------------------------------------------------

    def starting_fields(self) -> dict[str, Any]:
        """The record that the form starts with."""
        try:
            return edge_case.starting_fields(self.contract, self.event_name, self._given)
        except contract_value.FieldError:
            # A session of another profile may give what this contract does not take.
            return edge_case.starting_fields(self.contract, self.event_name, {})

    def set_given(self, given: Mapping[str, Any]) -> None:
        """Take other fields from the session; a form that was not touched follows."""
        if dict(given) == self._given:
            return
        self._given = dict(given)
        if not self._is_touched:
            self.form.reset(self.starting_fields())
            self._is_touched = False
            self._follow_form()

    @property
    def is_touched(self) -> bool:
        """Whether anything was typed or chosen."""
        return self._is_touched

    def example(self) -> dict[str, Any]:
        """A likely event."""
        return edge_case.example(self.contract, self.event_name, self._phase, self._given)

    def edge_cases(self) -> tuple[edge_case.EdgeCase, ...]:
        """Cases at the edge of the types."""
        return edge_case.edge_cases(self.contract, self.event_name, self._phase)

    # -- phase and mode -------------------------------------------------------------

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in which the event can be fired."""
        return command.phases(self.contract, self.event_name)

    @property
    def phase(self) -> Phase:
        """The phase that would be fired."""
        return self._phase

    def set_phase(self, phase: Phase) -> None:
        """Fire in another phase; the outcome is kept for the way back."""
        if phase is self._phase or phase not in self.phases:
            return
        value = self._text_value()
        if value is not None:
            self._take(value)
        self._phase = phase
        self._read = None
        if value is not None:
            self._write(self._in_phase(self.form.value()))
        elif self._is_held:
            self.text_replaced.emit()
        self.changed.emit()

    @property
    def mode(self) -> Mode:
        """Which of the two views shows."""
        return self._mode

    def set_mode(self, mode: Mode) -> bool:
        """Show the other view.

        Returns:
            False when the text has an error, so that no form can show it.
        """
        if mode == self._mode:
            return True
        if mode == "form":
            if not self._is_held:
                value = self._text_value()
                if value is None:
                    return False
                self._take(value)
            self._mode = mode
            self._last_read = None
            self._is_held = False
        else:
            self._mode = mode
            self._write(self._in_phase(self.form.raw()), keep_equal=True)
        self.changed.emit()
        return True

    def discard_text(self) -> None:
        """Go back to the form with the last value that the text had."""
        if self._last_read is not None:
            self._take(self._last_read)
        self._mode = "form"
        self._last_read = None
        self._is_held = False
        self.changed.emit()

    def is_held(self) -> bool:
        """Whether the value is too big for the text editor and only its picture shows."""
        return self._is_held

    # -- the value ------------------------------------------------------------------

    def text(self) -> str:
        """The text as typed; of a held value, a picture of it."""
        if self._is_held:
            return value_text.preview_text(self._in_phase(self.form.raw()))
        return self._text

    def set_text(self, text: str) -> None:
        """Take over what was typed."""
        if text != self._text:
            self._text = text
            self._read = None
            self._broken_text = None
            self._is_touched = True
            self.changed.emit()

    def load(self, fields: Mapping[str, Any]) -> None:
        """Put other fields in, in both views; undo takes it back."""
        is_broken = self._mode == "text" and not self._is_held and self._text_value() is None
        self._broken_text = self._text if is_broken else None
        kept = {}
        if self._phase is Phase.DECIDE and edge_case.OUTCOME in self.form.value():
            kept = {edge_case.OUTCOME: self.form.get((edge_case.OUTCOME,))}
        self.form.load({**fields, **kept})
        self._is_touched = True
        if self._mode == "text":
            self._write(self._in_phase(self.form.value()))
            self.changed.emit()

    def undo(self) -> None:
        """Take the last change of the form back; a text that was no value, too."""
        broken, self._broken_text = self._broken_text, None
        self.form.undo()
        if broken is None or self._mode != "text":
            self._follow_form()
            return
        self._text, self._read, self._is_held = broken, None, False
        self.text_replaced.emit()
        self.changed.emit()

    def redo(self) -> None:
        """Make the change of the form again that was taken back last."""
        self.form.redo()
        self._follow_form()

    def _follow_form(self) -> None:
        if self._mode == "text":
            self._write(self._in_phase(self.form.raw()))
            self.changed.emit()

    def problems(self) -> list[Problem]:
        """Why nothing can be fired, the first thing first; [] when something can."""
        if self._mode == "text" and not self._is_held:
            read = self._read_text()
            return [read] if isinstance(read, Problem) else []
        return [
            Problem(f"{contract_value.spell_path(path)}: {_lowered(typed.problem)}", path)
            for path, typed in self.form.problems()
            if not (self._phase is Phase.DECIDE and path[0] == edge_case.OUTCOME)
        ]

    def fields(self) -> dict[str, Any] | None:
        """The record as it would be fired, or None while there is a problem."""
        if self.problems():
            return None
        if self._mode == "text" and not self._is_held:
            return self._text_value()
        return self._in_phase(self.form.value())

    def action(self) -> Action | None:
        """What would be fired, checked once more, or None while there is a problem."""
        fields = self.fields()
        if fields is None:
            return None
        try:
            return command.compose(self.contract, self.event_name, self._phase, fields)
        except InspectorError:
            return None

    def _in_phase(self, value: Mapping[str, Any]) -> dict[str, Any]:
        if self._phase is Phase.DECIDE:
            return {**value, edge_case.OUTCOME: None}
        return dict(value)

    def _text_value(self) -> dict[str, Any] | None:
        if self._mode != "text" or self._is_held:
            return None
        read = self._read_text()
        return None if isinstance(read, Problem) else read

    def _read_text(self) -> dict[str, Any] | Problem:
        if self._read is None:
            none_field = edge_case.OUTCOME if self._phase is Phase.DECIDE else ""
            try:
                value = value_text.parse(self.form.record, self._text, none_field)
            except InspectorError as error:
                line, column = error.line or 1, error.column or 1
                sentence = f"Line {line}, column {column}: {error.message}"
                self._read = Problem(sentence, None, line, column)
            else:
                self._read = self._last_read = dict(value)
        return self._read

    def _write(self, value: dict[str, Any], *, keep_equal: bool = False) -> None:
        """Write the text of a value; a text that has this value already may stay."""
        self._is_held = value_text.is_too_big(value)
        self._last_read = None
        if self._is_held:
            self._text = ""
        elif not (keep_equal and self._text and _equal(self._text_value(), value)):
            self._text = value_text.to_text(value)
        self._read = None
        self.text_replaced.emit()

    def _take(self, value: dict[str, Any]) -> None:
        """Put a value into the form; at a decision the form's outcome stays."""
        if self._phase is Phase.DECIDE:
            value = {**value, edge_case.OUTCOME: self.form.get((edge_case.OUTCOME,))}
        self.form.load(value)

    def _on_form_changed(self) -> None:
        self._is_touched = True
        if self._mode == "form":
            self.changed.emit()

    # -- the draft ------------------------------------------------------------------

    def draft(self) -> Draft:
        """Everything that was typed, to be kept."""
        value = self._text_value() or self._last_read or self.form.raw()
        fields = contract_value.to_json(self._in_phase(value))
        text = self._text if self._mode == "text" else ""
        return Draft(self.event_name, self._phase.value, self._mode, text, fields)

    def apply_draft(self, draft: Draft) -> None:
        """Put everything back as it was; what does not fit is left out."""
        decides = draft.phase == Phase.DECIDE and Phase.DECIDE in self.phases
        self._phase = Phase.DECIDE if decides else Phase.OBSERVE
        kept = dict(draft.fields)
        if draft.phase == Phase.DECIDE:
            kept.pop(edge_case.OUTCOME, None)
        self._mode = draft.mode
        self._text = draft.text if draft.mode == "text" else ""
        self._read = self._last_read = None
        self.form.reset({**self.starting_fields(), **kept})
        too_big = value_text.is_too_big(self.form.raw())
        self._is_held = draft.mode == "text" and not draft.text and too_big
        self._is_touched = True
        self.text_replaced.emit()
        self.changed.emit()


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _equal(first: Any, second: Any) -> bool:
    """Equality of values of one type that holds NaN equal to itself."""
    return bool(first == second) or repr(first) == repr(second)
