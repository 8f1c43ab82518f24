"""The third page of the Session pane: the settings of the next session.

Lives here: `SessionForm`. Not here: what a draft stands for (workbench.session_draft),
its parts (session_fields, session_conversation). Only session_view imports it.
"""

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from inspector.gui.views.session_conversation import SessionConversation
from inspector.gui.views.session_fields import FieldNote, FolderField, OptionalText
from inspector.gui.widgets import look
from inspector.gui.widgets.collapsible_section import CollapsibleSection
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.segmented_control import SegmentedControl
from inspector.gui.widgets.text_field import TextField
from inspector.gui.widgets.text_line import TextLine
from inspector.workbench.session_draft import (
    ENV_KEYS,
    INFERENCE_KINDS,
    InferenceKind,
    Problem,
    SessionDraft,
)

_ANSWERS: dict[str, str] = {
    "none": "run-inference answers an error, as without a driver.",
    "reply": "run-inference answers this text; calls that it touched are marked.",
    "error": "run-inference answers this error; calls that it touched are marked.",
    "driver": "The capsule's own driver is run; it may reach the network.",
}
_LENIENT = (
    "Off: a hook that imports what no runtime has is rejected. On: such an import is a trap when "
    "it is called, and calls are marked."
)
_REAL = "Guests read and write in these folders. Left empty, they get folders of the inspector's."


class SessionForm(QWidget):
    """Every setting of a session, in groups that open and close.

    Signals:
        edited(): the user changed something; `draft` has it.
    """

    edited = Signal()

    # Qt tells of tabs that go while the page is taken apart, when its attributes are gone:
    # nothing is chosen by that.
    _is_filling = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_filling = False
        self.session_id = TextLine(self)
        self.session_id.setAccessibleName("Session id")
        self.session_id.setPlaceholderText("a fresh one")
        self.model = OptionalText("Model", "the capsule's own model", self)
        self.capabilities = OptionalText("Capabilities", "the capsule's own", self)
        self.env = {name: OptionalText(name, "the capsule's own value", self) for name in ENV_KEYS}
        self.inference = SegmentedControl(
            "Answer of the model", [(kind, kind) for kind in INFERENCE_KINDS], self
        )
        self.answer_label = _paragraph(self)
        self.reply = TextField("Scripted reply", self)
        self.error = TextField("Scripted error", self)
        self.conversation = SessionConversation(self)
        self.held_box = QCheckBox("Begin with held async workers", self)
        self.lenient_box = QCheckBox("Let unknown imports pass", self)
        self.lenient_box.setToolTip(_LENIENT)
        self.workdir = FolderField("Accessible folder", "a fresh one", self)
        self.home = FolderField("Murmur home", "the private one", self)
        self.notes: dict[str, FieldNote] = {}
        self.changes = _paragraph(self)
        self.changes.setTextFormat(Qt.TextFormat.PlainText)
        look.set_property(self.changes, "tone", "accent")
        self.changes.hide()
        self._lay_out()
        self._connect()
        self._show_answer()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        layout.setSpacing(Spacing.S)
        layout.addWidget(self.changes)
        caption = QLabel("Session id", self)
        env = [part for name in ENV_KEYS for part in (self.env[name], self._note(f"env.{name}"))]
        lenient, folders = _paragraph(self), _paragraph(self)
        lenient.setText(_LENIENT)
        folders.setText(_REAL)
        groups: dict[str, list[QWidget]] = {
            "Session context": [
                caption,
                self.session_id,
                self._note("session_id"),
                self.model,
                self._note("model"),
                self.capabilities,
                self._note("capabilities"),
            ],
            "Environment": list(env),
            "Answer of the model": [
                self.inference,
                self.answer_label,
                self.reply,
                self._note("reply"),
                self.error,
                self._note("error"),
            ],
            "Conversations": [self.conversation, self._note("contexts")],
            "Workers and imports": [self.held_box, self.lenient_box, lenient],
            "Folders": [
                folders,
                self.workdir,
                self._note("workdir"),
                self.home,
                self._note("home"),
            ],
        }
        for title, widgets in groups.items():
            layout.addWidget(self._group(title, widgets))
        layout.addStretch(1)

    def _note(self, field: str) -> FieldNote:
        self.notes[field] = FieldNote(self)
        return self.notes[field]

    def _group(self, title: str, widgets: list[QWidget]) -> CollapsibleSection:
        section = CollapsibleSection(title, self)
        content = QWidget(section)
        rows = QVBoxLayout(content)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(Spacing.XS)
        for widget in widgets:
            rows.addWidget(widget)
        section.set_content(content)
        return section

    def _connect(self) -> None:
        self.session_id.textEdited.connect(self._on_edited)
        for optional in (self.model, self.capabilities, *self.env.values()):
            optional.changed.connect(self._on_edited)
        self.inference.chosen.connect(self._on_edited)
        for field in (self.reply, self.error):
            field.changed.connect(self._on_edited)
        self.conversation.changed.connect(self._on_edited)
        for box in (self.held_box, self.lenient_box):
            box.toggled.connect(self._on_edited)
        for folder in (self.workdir, self.home):
            folder.changed.connect(self._on_edited)

    # -- the draft ---------------------------------------------------------------------------

    @property
    def draft(self) -> SessionDraft:
        """What is typed."""
        return SessionDraft(
            session_id=self.session_id.text(),
            has_model=self.model.is_on,
            model=self.model.text,
            has_capabilities=self.capabilities.is_on,
            capabilities=self.capabilities.text,
            env={name: field.text for name, field in self.env.items() if field.text},
            env_used=tuple(name for name, field in self.env.items() if field.is_on),
            inference=_kind(self.inference.current()),
            reply=self.reply.value(),
            error=self.error.value(),
            contexts=self.conversation.contexts,
            held=self.held_box.isChecked(),
            lenient_imports=self.lenient_box.isChecked(),
            workdir=self.workdir.path,
            home=self.home.path,
        )

    def show_draft(self, draft: SessionDraft) -> None:
        """Show another draft without telling; equal parts stay as they are."""
        self._is_filling = True
        if draft.session_id != self.session_id.text():
            self.session_id.setText(draft.session_id)
        self.model.set_value(is_on=draft.has_model, text=draft.model)
        self.capabilities.set_value(is_on=draft.has_capabilities, text=draft.capabilities)
        for name, field in self.env.items():
            field.set_value(is_on=name in draft.env_used, text=draft.env.get(name, ""))
        self.inference.set_current(draft.inference)
        self.reply.set_value(draft.reply)
        self.error.set_value(draft.error)
        self.conversation.set_contexts(draft.contexts)
        self.held_box.setChecked(draft.held)
        self.lenient_box.setChecked(draft.lenient_imports)
        self.workdir.set_path(draft.workdir)
        self.home.set_path(draft.home)
        self._is_filling = False
        self._show_answer()

    def set_held(self, *, held: bool) -> None:
        """Take over whether async workers begin held, without telling."""
        self.show_draft(replace(self.draft, held=held))

    def typing_problems(self) -> tuple[Problem, ...]:
        """Fields whose escapes stand for no text."""
        kind = self.inference.current()
        found = {
            "model": self.model.problem,
            "capabilities": self.capabilities.problem,
            "reply": self.reply.problem() if kind == "reply" else "",
            "error": self.error.problem() if kind == "error" else "",
            **{f"env.{name}": field.problem for name, field in self.env.items()},
        }
        return tuple(Problem(field, sentence) for field, sentence in found.items() if sentence)

    def show_problems(self, problems: tuple[Problem, ...]) -> None:
        """Say below each field what is wrong with it."""
        typing = {problem.field for problem in self.typing_problems()}
        first = {problem.field: problem for problem in reversed(problems)}
        for field, note in self.notes.items():
            # A field of texts says itself what is wrong with its escapes.
            found = first.get(field) if field not in typing else None
            note.say(found.sentence if found else "")
        self.conversation.show_problem(first.get("contexts"))

    def show_changes(self, lines: tuple[str, ...]) -> None:
        """Say on top what the next session would have otherwise; () hides it."""
        self.changes.setText("\n".join(lines))
        self.changes.setVisible(bool(lines))

    def _show_answer(self) -> None:
        kind = self.inference.current()
        self.answer_label.setText(_ANSWERS[kind])
        self.reply.setVisible(kind == "reply")
        self.error.setVisible(kind == "error")

    @Slot()
    def _on_edited(self) -> None:
        if not self._is_filling:
            self._show_answer()
            self.edited.emit()


def _kind(word: str) -> InferenceKind:
    return next(kind for kind in INFERENCE_KINDS if kind == word)


def _paragraph(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setWordWrap(True)
    label.setMinimumWidth(40)
    look.set_property(label, "tone", "muted")
    return label
