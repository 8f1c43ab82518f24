"""The conversations of the next session: one list of messages per context.

Lives here: `SessionConversation`. Not here: reading the messages
(workbench.session_draft). Only session_form imports it.
"""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from inspector.gui import icons
from inspector.gui.widgets import look
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.combo_box import ComboBox
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.text_line import TextLine
from inspector.workbench.session_draft import ContextDraft, Problem

_HEIGHT = 130
_FIRST = '- {role: user, content: [{type: text, text: "hello"}]}\n'
_NONE = "None: hooks read the record that the murmur home has for the capsule."


class SessionConversation(QWidget):
    """Chooses a context, edits its name and its messages.

    Signals:
        changed(): the user changed something.
    """

    changed = Signal()

    # Qt tells of tabs that go while the page is taken apart, when its attributes are gone:
    # nothing is chosen by that.
    _is_filling = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._contexts: list[ContextDraft] = []
        self._current = 0
        self._is_filling = False
        self.chooser = ComboBox("Conversation", self)
        self.add_button = self._button("add", "Add a conversation")
        self.remove_button = self._button("remove", "Remove this conversation")
        self.name_line = TextLine(self)
        self.name_line.setAccessibleName("Context id of the conversation")
        self.name_line.setPlaceholderText("context id")
        self.editor = CodeEdit("Messages, as JSON or YAML", self)
        self.editor.setFixedHeight(_HEIGHT)
        self.editor.set_language("yaml")
        self.none_label = QLabel(_NONE, self)
        self.none_label.setWordWrap(True)
        look.set_property(self.none_label, "tone", "muted")
        self._lay_out()
        self.chooser.activated.connect(self._on_chosen)
        self.add_button.clicked.connect(self._add)
        self.remove_button.clicked.connect(self._remove)
        self.name_line.textEdited.connect(self._on_edited)
        self.editor.textChanged.connect(self._on_edited)
        self._show()

    def _button(self, icon: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icons.icon(icon))
        button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        button.setToolTip(name)
        button.setAccessibleName(name)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(Spacing.XS)
        row.addWidget(self.chooser, 1)
        row.addWidget(self.add_button)
        row.addWidget(self.remove_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Spacing.XS)
        layout.addLayout(row)
        for widget in (self.none_label, self.name_line, self.editor):
            layout.addWidget(widget)

    @property
    def contexts(self) -> tuple[ContextDraft, ...]:
        """Every conversation, as typed."""
        return tuple(self._contexts)

    def set_contexts(self, contexts: tuple[ContextDraft, ...]) -> None:
        """Show other conversations without telling; the same ones stay as they are."""
        if contexts != self.contexts:
            self._contexts = list(contexts)
            self._current = min(self._current, max(len(contexts) - 1, 0))
            self._show()

    def show_problem(self, problem: Problem | None) -> None:
        """Underline what is wrong, when it is in the conversation that is shown."""
        if problem is not None and problem.context == self._current:
            self.editor.set_error(problem.line, problem.column)
        else:
            self.editor.clear_error()

    def _show(self) -> None:
        self._is_filling = True
        self._show_names()
        some = bool(self._contexts)
        shown = self._contexts[self._current] if some else ContextDraft("")
        if self.name_line.text() != shown.context_id:
            self.name_line.setText(shown.context_id)
        if self.editor.text() != shown.text:
            self.editor.set_text(shown.text)
        for widget in (self.chooser, self.name_line, self.editor):
            widget.setVisible(some)
        self.none_label.setVisible(not some)
        self.remove_button.setEnabled(some)
        self._is_filling = False

    def _show_names(self) -> None:
        names = [context.context_id or "(no name)" for context in self._contexts]
        if names != [self.chooser.itemText(row) for row in range(self.chooser.count())]:
            self.chooser.clear()
            self.chooser.addItems(names)
        self.chooser.setCurrentIndex(self._current if names else -1)

    @Slot(int)
    def _on_chosen(self, row: int) -> None:
        self._current = row
        self._show()
        self.changed.emit()

    @Slot()
    def _add(self) -> None:
        taken = {context.context_id for context in self._contexts}
        numbers = range(1, len(taken) + 2)
        name = next(f"ctx-{number}" for number in numbers if f"ctx-{number}" not in taken)
        self._contexts.append(ContextDraft(name, _FIRST))
        self._current = len(self._contexts) - 1
        self._show()
        self.name_line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name_line.selectAll()
        self.changed.emit()

    @Slot()
    def _remove(self) -> None:
        del self._contexts[self._current]
        self._current = max(self._current - 1, 0)
        self._show()
        self.changed.emit()

    @Slot()
    def _on_edited(self) -> None:
        if self._is_filling or not self._contexts:
            return
        self._contexts[self._current] = ContextDraft(self.name_line.text(), self.editor.text())
        self._show_names()
        self.changed.emit()
