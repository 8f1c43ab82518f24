"""The editors of the composer's form, one for each kind of type.

Lives here: Editor and those for single values and options. Not here: records
(composer_record), lists (composer_list), which type gets which (composer_form). Only
the composer's views import it.
"""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from inspector.contract import value
from inspector.contract.type import (
    INTEGER_RANGES,
    Enum,
    OptionOf,
    Primitive,
    ValueType,
    spell,
)
from inspector.contract.value import Path
from inspector.errors import InspectorError
from inspector.gui.models.form_model import FormModel, overlaps
from inspector.gui.widgets import look
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.combo_box import ComboBox
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.number_edit import FloatEdit, IntegerEdit
from inspector.gui.widgets.segmented_control import SegmentedControl
from inspector.gui.widgets.text_field import SIDE_WIDTH, TextField
from inspector.workbench import value_text

_UNREADABLE = object()


class Editor(QWidget):
    """Edits the part of a form at a path.

    Attributes:
        form: The whole value.
        path: Where the part stands.
        name: What it is called, for assistive tools.
    """

    def __init__(self, form: FormModel, path: Path, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.form = form
        self.path = path
        self.name = name
        self.setAccessibleName(name)

    def bind(self, path: Path) -> None:
        """Edit another part of the same type."""
        self.path = path
        self.refresh()

    def set_room(self, width: int) -> None:
        """Take note of the width there is, before it is laid out."""

    def refresh(self) -> None:
        """Show what the form holds."""
        raise NotImplementedError

    def on_changed(self, path: Path) -> None:
        """Show what the form holds when the change touches this part."""
        if overlaps(path, self.path):
            self.refresh()

    def go_to(self, path: Path) -> None:
        """Put the focus on the field at a path in this part."""
        self.setFocus()


Factory = Callable[[FormModel, Path, ValueType, str, QWidget], Editor]
"""Makes the editor of a type; composite editors get it so that modules stay apart."""


def type_label(kind: ValueType, parent: QWidget) -> ElidedLabel:
    """The spelling of a type beside its editor."""
    label = ElidedLabel(spell(kind), parent)
    label.setFont(look.mono_font(small=True))
    look.set_property(label, "tone", "muted")
    return label


class NumberEditor(Editor):
    """A whole or floating-point number."""

    def __init__(
        self, form: FormModel, path: Path, kind: Primitive, name: str, parent: QWidget
    ) -> None:
        super().__init__(form, path, name, parent)
        self.edit: IntegerEdit | FloatEdit
        if kind.name in INTEGER_RANGES:
            low, high = INTEGER_RANGES[kind.name]
            self.edit = IntegerEdit(name, low, high, kind.name, self)
        else:
            self.edit = FloatEdit(name, kind.name, self)
        self.edit.use_outer_undo()
        side = type_label(kind, self)
        side.setFixedWidth(SIDE_WIDTH)
        side.setFixedHeight(look.zoomed(Spacing.ROW_COMPACT))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Spacing.XS)
        layout.addWidget(self.edit, 1)
        layout.addWidget(side)
        layout.setAlignment(side, Qt.AlignmentFlag.AlignTop)
        self.setFocusProxy(self.edit)
        self.edit.changed.connect(self._on_edited)
        self.refresh()

    def refresh(self) -> None:
        typed = self.form.typed(self.path)
        if typed is not None:
            self.edit.set_typed(typed.text)
        else:
            self.edit.set_value(self.form.get(self.path))

    @Slot()
    def _on_edited(self) -> None:
        number = self.edit.value()
        if number is None:
            self.form.set_typed(self.path, self.edit.typed(), self.edit.problem())
        else:
            self.form.set(self.path, number)


class TextEditor(Editor):
    """A text, exact to the letter."""

    def __init__(
        self, form: FormModel, path: Path, kind: Primitive, name: str, parent: QWidget
    ) -> None:
        super().__init__(form, path, name, parent)
        self._is_char = kind.name == "char"
        self.field = TextField(name, self)
        self.field.use_outer_undo()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.field)
        self.setFocusProxy(self.field)
        self.field.changed.connect(self._on_edited)
        self.refresh()

    def refresh(self) -> None:
        typed = self.form.typed(self.path)
        if typed is not None:
            self.field.set_typed(typed.text, typed.problem)
        else:
            self.field.set_value(self.form.get(self.path))

    @Slot()
    def _on_edited(self) -> None:
        problem = self.field.problem()
        if not problem and self._is_char and len(self.field.value()) != 1:
            problem = "Wants exactly one character."
        if problem:
            self.form.set_typed(self.path, self.field.typed(), problem)
        else:
            self.form.set(self.path, self.field.value())


class BoolEditor(Editor):
    """True or false."""

    def __init__(
        self, form: FormModel, path: Path, kind: Primitive, name: str, parent: QWidget
    ) -> None:
        super().__init__(form, path, name, parent)
        self.box = QCheckBox(self)
        self.box.setAccessibleName(name)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.box)
        layout.addStretch(1)
        self.setFocusProxy(self.box)
        self.box.clicked.connect(self._on_clicked)
        self.refresh()

    def refresh(self) -> None:
        checked = bool(self.form.get(self.path))
        self.box.setChecked(checked)
        self.box.setText("true" if checked else "false")

    @Slot(bool)
    def _on_clicked(self, checked: bool) -> None:
        self.form.set(self.path, checked)


class EnumEditor(Editor):
    """One of the cases of an enum."""

    def __init__(self, form: FormModel, path: Path, kind: Enum, name: str, parent: QWidget) -> None:
        super().__init__(form, path, name, parent)
        self.box = ComboBox(name, self)
        self.box.addItems(list(kind.cases))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.box, 1)
        self.setFocusProxy(self.box)
        self.box.activated.connect(self._on_activated)
        self.refresh()

    def refresh(self) -> None:
        self.box.setCurrentText(self.form.get(self.path))

    @Slot(int)
    def _on_activated(self, index: int) -> None:
        self.form.set(self.path, self.box.itemText(index))


class OptionEditor(Editor):
    """none, or some with a value of the payload's type.

    The value is kept for the way back from none.
    """

    def __init__(
        self,
        form: FormModel,
        path: Path,
        kind: OptionOf,
        name: str,
        parent: QWidget,
        factory: Factory,
    ) -> None:
        super().__init__(form, path, name, parent)
        self._kind = kind
        self._factory = factory
        self._last: Any = None
        self._room = 0
        self.payload: Editor | None = None
        self._holder: QWidget | None = None
        self.switch = SegmentedControl(name, [("none", "none"), ("some", "some")], self)
        self._is_inline = isinstance(kind.payload, Primitive | Enum)
        self._row = QHBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(Spacing.S)
        self._row.addWidget(self.switch)
        self._row.setAlignment(self.switch, Qt.AlignmentFlag.AlignTop)
        self._type = type_label(kind, self)
        self._row.addWidget(self._type, 1)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Spacing.XS)
        self._layout.addLayout(self._row)
        self.setFocusProxy(self.switch)
        self.switch.chosen.connect(self._on_chosen)
        self.refresh()

    def bind(self, path: Path) -> None:
        self._last = None
        super().bind(path)

    def refresh(self) -> None:
        is_some = self.form.get(self.path) is not None
        self.switch.set_current("some" if is_some else "none")
        if is_some:
            self._show_payload()
        if self._holder is not None:
            self._holder.setVisible(is_some)
        self._type.setVisible(not (is_some and self._is_inline))

    def _show_payload(self) -> None:
        if self.payload is None:
            kind = self._kind.payload
            self.payload = self._factory(self.form, self.path, kind, self.name, self)
            self._hold(self.payload)
        elif self.payload.path != self.path:
            self.payload.bind(self.path)
        else:
            self.payload.refresh()

    def _hold(self, payload: Editor) -> None:
        if self._is_inline:
            self._holder = payload
            self._row.insertWidget(1, payload, 1)
        else:
            payload.set_room(self._room - NESTED)
            self._holder = nested(payload, self)
            self._layout.addWidget(self._holder)

    def set_room(self, width: int) -> None:
        self._room = width
        if self.payload is not None and not self._is_inline:
            self.payload.set_room(width - NESTED)

    def on_changed(self, path: Path) -> None:
        if not overlaps(path, self.path):
            return
        if len(path) > len(self.path) and self.payload is not None:
            self.payload.on_changed(path)
        else:
            self.refresh()

    def go_to(self, path: Path) -> None:
        if self.payload is not None and self.form.get(self.path) is not None:
            self.payload.go_to(path)
        else:
            self.setFocus()

    @Slot(str)
    def _on_chosen(self, key: str) -> None:
        if key == "none":
            self._last = self.form.get(self.path)
            self.form.set(self.path, None)
            return
        given = self._last
        self.form.set(self.path, value.default(self._kind.payload) if given is None else given)
        if self.payload is not None:
            self.payload.setFocus()


NESTED = Spacing.S + 2
"""Pixels that `nested` sets a widget in."""


def nested(content: QWidget, parent: QWidget) -> QFrame:
    """A widget set in, with a line on its left."""
    frame = QFrame(parent)
    look.set_property(frame, "nested", "true")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(Spacing.S, 0, 0, 0)
    layout.addWidget(content)
    return frame


class JsonEditor(Editor):
    """Any other type, as JSON text."""

    def __init__(
        self, form: FormModel, path: Path, kind: ValueType, name: str, parent: QWidget
    ) -> None:
        super().__init__(form, path, name, parent)
        self._kind = kind
        self.edit = CodeEdit(name, self)
        self.edit.set_language("json")
        self.edit.setFixedHeight(look.zoomed(4 * Spacing.ROW_COMPACT))
        self.reason = QLabel(self)
        self.reason.setWordWrap(True)
        look.set_property(self.reason, "tone", "negative")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.edit)
        layout.addWidget(self.reason)
        self.setFocusProxy(self.edit)
        self._is_setting = False
        self.edit.textChanged.connect(self._on_edited)
        self.refresh()

    def refresh(self) -> None:
        typed = self.form.typed(self.path)
        now = value_text.to_text(self.form.get(self.path))
        text = typed.text if typed else now
        if typed is None and self._read(self.edit.text()) == self.form.get(self.path):
            text = self.edit.text()
        self._is_setting = True
        self.edit.replace_text(text)
        self._is_setting = False
        self.reason.setText(typed.problem if typed else "")
        self.reason.setVisible(typed is not None)

    def _read(self, text: str) -> Any:
        try:
            return value_text.parse(self._kind, text)
        except InspectorError:
            return _UNREADABLE

    @Slot()
    def _on_edited(self) -> None:
        if self._is_setting:
            return
        text = self.edit.text()
        try:
            read = value_text.parse(self._kind, text)
        except InspectorError as error:
            self.form.set_typed(self.path, text, error.message)
        else:
            self.form.set(self.path, read)
