"""Fields for numbers: whole ones exact to 64 bits, and floating-point ones.

Lives here: NumberEdit's two kinds with their reasons. Not here: which range a type has.
Only gui may import it.

Spin boxes stop at 32 bits, so these are line edits. What was typed is kept as typed; a
text that is no number of the kind has a problem, in a sentence under the field.
"""

import math
import re

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QValidator
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from inspector.gui.widgets import look
from inspector.gui.widgets.text_line import is_undo

_INTEGER = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_FLOAT_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_LONGEST = 400
"""Digits beyond which a text is no number of ours; Python refuses 4,300."""


class _NumberValidator(QValidator):
    """Lets everything be typed, and knows what is acceptable."""

    def __init__(self, owner: "_NumberEdit") -> None:
        super().__init__(owner)
        self._owner = owner

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        problem = self._owner.problem_of(text)
        state = QValidator.State.Intermediate if problem else QValidator.State.Acceptable
        return state, text, position


class _NumberLine(QLineEdit):
    """The line itself; Up and Down go to the owner as steps.

    Attributes:
        local_undo: Whether undo is the line's own; else the key goes to the parents.
    """

    stepped = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.local_undo = True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_undo(event) and not self.local_undo:
            event.ignore()
            return
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.stepped.emit(step)
        else:
            super().keyPressEvent(event)


class _NumberEdit(QWidget):
    """A line, and under it why the text is no number.

    Signals:
        changed(): the user changed the text.
    """

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = _NumberLine(self)
        self.line.setFont(look.mono_font())
        self.line.setAccessibleName(name)
        self.line.setValidator(_NumberValidator(self))
        self.reason = QLabel(self)
        self.reason.setTextFormat(Qt.TextFormat.PlainText)
        self.reason.setWordWrap(True)
        self.reason.setFont(look.ui_font(small=True))
        look.set_property(self.reason, "tone", "negative")
        self.reason.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.line)
        layout.addWidget(self.reason)
        self.setFocusProxy(self.line)
        self.line.textEdited.connect(self._on_edited)
        self.line.stepped.connect(self._on_stepped)
        self.line.editingFinished.connect(self._on_finished)

    def use_outer_undo(self) -> None:
        """Leave undo to a parent: the keys pass through."""
        self.line.local_undo = False

    def problem_of(self, text: str) -> str:
        """Why a text cannot be taken, or ""."""
        raise NotImplementedError

    def canonical(self, text: str) -> str:
        """The one spelling of a text that can be taken."""
        raise NotImplementedError

    def step(self, text: str, by: int) -> str:
        """The text one step up or down."""
        raise NotImplementedError

    def typed(self) -> str:
        """The text as it stands in the line."""
        return self.line.text()

    def problem(self) -> str:
        """Why the text cannot be taken, or ""."""
        return self.problem_of(self.line.text())

    def set_typed(self, text: str) -> None:
        """Put any text into the line without telling."""
        if text != self.line.text():
            self.line.setText(text)
        self._show_problem()

    def _show_problem(self) -> None:
        problem = self.problem()
        self.reason.setText(problem)
        self.reason.setVisible(bool(problem))
        self.line.setAccessibleDescription(problem)
        look.set_property(self.line, "invalid", "true" if problem else "false")

    @Slot()
    def _on_edited(self) -> None:
        self._show_problem()
        self.changed.emit()

    @Slot(int)
    def _on_stepped(self, by: int) -> None:
        if self.problem() or self.line.isReadOnly():
            return
        stepped = self.step(self.line.text(), by)
        if not self.problem_of(stepped):
            self.line.setText(stepped)
            self._on_edited()

    @Slot()
    def _on_finished(self) -> None:
        if not self.problem():
            self.line.setText(self.canonical(self.line.text()))


class IntegerEdit(_NumberEdit):
    """A whole number of any size within a range."""

    def __init__(
        self, name: str, low: int, high: int, kind: str, parent: QWidget | None = None
    ) -> None:
        """Make the field.

        Args:
            name: For assistive tools.
            low: The least number.
            high: The greatest number.
            kind: How the type is called, e.g. `u64`.
            parent: The owner.
        """
        self._low = low
        self._high = high
        self._kind = kind
        super().__init__(name, parent)
        self.line.setPlaceholderText(kind)
        self.line.setToolTip(f"{kind}: {low:,} to {high:,}")
        self.set_value(0 if low <= 0 <= high else low)

    def problem_of(self, text: str) -> str:
        """Why a text is no whole number of the range, or ""."""
        text = text.strip()
        if not text:
            return f"Wants a whole number ({self._kind})."
        if len(text) > _LONGEST or not _INTEGER.fullmatch(text):
            return f"Wants a whole number in digits ({self._kind})."
        if not self._low <= int(text) <= self._high:
            return f"Wants {self._low:,} to {self._high:,} ({self._kind})."
        return ""

    def canonical(self, text: str) -> str:
        """The number in digits, without plus sign or leading noughts."""
        return str(int(text))

    def step(self, text: str, by: int) -> str:
        """The next or previous number."""
        return str(int(text) + by)

    def value(self) -> int | None:
        """The number, or None while there is a problem."""
        return None if self.problem() else int(self.line.text())

    def set_value(self, value: int) -> None:
        """Show a number; an equal one leaves the text as typed."""
        if self.value() != value:
            self.set_typed(str(value))


class FloatEdit(_NumberEdit):
    """A floating-point number, with the words NaN, Infinity and -Infinity."""

    def __init__(self, name: str, kind: str, parent: QWidget | None = None) -> None:
        """Make the field; `kind` is how the type is called, e.g. `f64`."""
        self._kind = kind
        super().__init__(name, parent)
        self.line.setPlaceholderText(kind)
        self.line.setToolTip(f"{kind}: a number, or NaN, Infinity, -Infinity")
        self.set_value(0.0)

    def problem_of(self, text: str) -> str:
        """Why a text is no floating-point number, or ""."""
        text = text.strip()
        if text in _FLOAT_WORDS:
            return ""
        if len(text) > _LONGEST or not _FLOAT.fullmatch(text):
            return f"Wants a number, or NaN, Infinity, -Infinity ({self._kind})."
        if math.isinf(float(text)):
            return f"Is too large for {self._kind}; write Infinity if that is meant."
        return ""

    def canonical(self, text: str) -> str:
        """The shortest digits that give the same number."""
        return _float_text(_to_float(text))

    def step(self, text: str, by: int) -> str:
        """The number one greater or smaller."""
        return _float_text(_to_float(text) + by)

    def value(self) -> float | None:
        """The number, or None while there is a problem."""
        return None if self.problem() else _to_float(self.line.text())

    def set_value(self, value: float) -> None:
        """Show a number; the same one leaves the text as typed."""
        now = self.value()
        if now is None or _float_text(now) != _float_text(value):
            self.set_typed(_float_text(value))


def _to_float(text: str) -> float:
    text = text.strip()
    return _FLOAT_WORDS[text] if text in _FLOAT_WORDS else float(text)


def _float_text(value: float) -> str:
    """The text of a number; -0.0 and 0.0 differ."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value)
