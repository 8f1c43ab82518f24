"""The form of the composer: an editor for every field of an event's record.

Lives here: which type gets which editor, the scrolling form, undo over all of it. Not
here: the editors. Only composer_view imports it.
"""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from inspector.contract.type import (
    FLOATS,
    INTEGER_RANGES,
    Enum,
    ListOf,
    OptionOf,
    Primitive,
    Record,
    ValueType,
)
from inspector.contract.value import Path
from inspector.gui.models.form_model import FormModel
from inspector.gui.views.composer_editor import (
    BoolEditor,
    Editor,
    EnumEditor,
    JsonEditor,
    NumberEditor,
    OptionEditor,
    TextEditor,
)
from inspector.gui.views.composer_list import ListEditor
from inspector.gui.views.composer_record import RecordEditor
from inspector.gui.widgets.look import Spacing


def make_editor(form: FormModel, path: Path, kind: ValueType, name: str, parent: QWidget) -> Editor:
    """The editor of a type.

    Args:
        form: The value.
        path: Where the part stands.
        kind: Its type.
        name: For assistive tools.
        parent: The owner.
    """
    match kind:
        case Primitive(name="bool"):
            return BoolEditor(form, path, kind, name, parent)
        case Primitive(name=primitive) if primitive in INTEGER_RANGES or primitive in FLOATS:
            return NumberEditor(form, path, kind, name, parent)
        case Primitive():
            return TextEditor(form, path, kind, name, parent)
        case Enum():
            return EnumEditor(form, path, kind, name, parent)
        case OptionOf():
            return OptionEditor(form, path, kind, name, parent, make_editor)
        case ListOf():
            return ListEditor(form, path, kind, name, parent, make_editor)
        case Record():
            return RecordEditor(form, path, kind, name, parent, make_editor)
    return JsonEditor(form, path, kind, name, parent)


class ComposerForm(QScrollArea):
    """Every field of one record, under one another."""

    def __init__(self, form: FormModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._form = form
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Fields of the event")
        content = QWidget(self)
        self.record = RecordEditor(form, (), form.record, "", content, make_editor)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        layout.addWidget(self.record)
        layout.addStretch(1)
        self.setWidget(content)
        self.setFocusProxy(next(iter(self.record.editors.values())))
        form.changed.connect(self._on_changed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # Fields decide where their names stand before they are laid out.
        self.record.set_room(event.size().width() - 2 * Spacing.S)
        super().resizeEvent(event)

    def editor(self, name: str) -> Editor:
        """The editor of a field; KeyError when the record does not have it."""
        return self.record.editors[name]

    def go_to(self, path: Path) -> None:
        """Put the focus on the field at a path."""
        self.record.go_to(path)

    def set_none(self, name: str, reason: str) -> None:
        """Show why a field has no value; "" shows its editor."""
        if name in self.record.editors:
            self.record.set_none(name, reason)

    @Slot(object)
    def _on_changed(self, path: Path) -> None:
        self.record.on_changed(path)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The fields let these keys through: one undo for the whole form.
        if event.matches(QKeySequence.StandardKey.Undo):
            self._form.undo()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self._form.redo()
        else:
            super().keyPressEvent(event)
