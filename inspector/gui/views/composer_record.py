"""The editor of a record: its fields under one another, names on the left or on top.

Lives here: RecordEditor. Not here: the fields' own editors (composer_editor). Only the
composer's views import it.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QVBoxLayout, QWidget

from inspector.contract.type import INTEGER_RANGES, Primitive, Record, ValueType, spell
from inspector.contract.value import Path
from inspector.gui.models.form_model import FormModel, overlaps
from inspector.gui.views.composer_editor import Editor, Factory
from inspector.gui.widgets import look
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing

NARROWEST_FIELD = 224
"""When names on the left leave less than this, in pixels, they stand above the fields."""

_LABEL_ABOVE = 20


def _hint(kind: ValueType) -> str:
    text = spell(kind)
    if isinstance(kind, Primitive) and kind.name in INTEGER_RANGES:
        low, high = INTEGER_RANGES[kind.name]
        text += f": {low:,} to {high:,}"
    return text


class RecordEditor(Editor):
    """Edits every field of a record."""

    def __init__(
        self,
        form: FormModel,
        path: Path,
        kind: Record,
        name: str,
        parent: QWidget,
        factory: Factory,
    ) -> None:
        super().__init__(form, path, name, parent)
        self._fields = QFormLayout(self)
        self._fields.setContentsMargins(0, 0, 0, 0)
        self._fields.setHorizontalSpacing(Spacing.S)
        self._fields.setVerticalSpacing(Spacing.XS + 2)
        self._fields.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.editors: dict[str, Editor] = {}
        self._labels: list[ElidedLabel] = []
        self._none_labels: dict[str, QLabel] = {}
        for field in kind.fields:
            spoken = f"{name} {field.name}".strip()
            editor = factory(form, (*path, field.name), field.type, spoken, self)
            self.editors[field.name] = editor
            self._fields.addRow(self._label(field.name, field.type), self._cell(field.name, editor))

    def _label(self, name: str, kind: ValueType) -> ElidedLabel:
        label = ElidedLabel(name, self)
        label.set_hint(_hint(kind))
        label.setFixedHeight(look.zoomed(Spacing.ROW_COMPACT))
        self._labels.append(label)
        return label

    def _cell(self, name: str, editor: Editor) -> QWidget:
        """The editor, and in its place why there is none, when `set_none` says so."""
        cell = QWidget(self)
        none_label = QLabel(cell)
        none_label.setWordWrap(True)
        none_label.setMinimumHeight(Spacing.ROW_COMPACT)
        none_label.hide()
        look.set_property(none_label, "tone", "muted")
        self._none_labels[name] = none_label
        layout = QVBoxLayout(cell)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(editor)
        layout.addWidget(none_label)
        return cell

    def set_none(self, name: str, reason: str) -> None:
        """Show why a field has no value and cannot get one; "" shows its editor again.

        Raises:
            KeyError: for a field that the record does not have.
        """
        label = self._none_labels[name]
        label.setText(reason)
        label.setVisible(bool(reason))
        self.editors[name].setVisible(not reason)

    def none_reason(self, name: str) -> str:
        """Why a field has no value, or ""."""
        return self._none_labels[name].text()

    def bind(self, path: Path) -> None:
        self.path = path
        for name, editor in self.editors.items():
            editor.bind((*path, name))

    def refresh(self) -> None:
        for editor in self.editors.values():
            editor.refresh()

    def on_changed(self, path: Path) -> None:
        for editor in self.editors.values():
            if overlaps(path, editor.path):
                editor.on_changed(path)

    def go_to(self, path: Path) -> None:
        editor = self.editors.get(str(path[len(self.path)])) if len(path) > len(self.path) else None
        if editor is None:
            next(iter(self.editors.values())).setFocus()
        else:
            editor.go_to(path)

    def set_room(self, width: int) -> None:
        names = max((label.sizeHint().width() for label in self._labels), default=0)
        beside = width - names - Spacing.S
        is_narrow = beside < NARROWEST_FIELD
        policy = QFormLayout.RowWrapPolicy
        self._fields.setRowWrapPolicy(policy.WrapAllRows if is_narrow else policy.DontWrapRows)
        self._fields.setVerticalSpacing(2 if is_narrow else Spacing.XS + 2)
        for label in self._labels:
            label.setFixedHeight(look.zoomed(_LABEL_ABOVE if is_narrow else Spacing.ROW_COMPACT))
            across = Qt.AlignmentFlag.AlignBottom if is_narrow else Qt.AlignmentFlag.AlignVCenter
            label.setAlignment(Qt.AlignmentFlag.AlignLeft | across)
        for editor in self.editors.values():
            editor.set_room(width if is_narrow else beside)
