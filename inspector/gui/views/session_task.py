"""The second page of the Session pane: the task that hooks read through task-io.

Lives here: `SessionTask`. Not here: how firings change the scope
(workbench.task_scope). Only session_view imports it.
"""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from inspector.gui.widgets import look
from inspector.gui.widgets.key_value_grid import KeyValueGrid
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.text_field import TextField
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import EndTask, TaskOutput
from inspector.workbench import command
from inspector.workbench.formatting import one_line
from inspector.workbench.history import Change
from inspector.workbench.state import State
from inspector.workbench.task_scope import TaskDraft, TaskScope, after

_LONGEST = 200
_CLOSED = "No task is open: a hook that reads the task's texts gets no-task."


class SessionTask(QWidget):
    """The scope as it is, and the three actions that change it.

    Signals:
        drafted(): the user changed what is typed.
    """

    drafted = Signal()

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.scope = TaskScope()
        self.state_label = QLabel(self)
        self.facts = KeyValueGrid(self)
        self.readers = QLabel(self)
        for label in (self.state_label, self.readers):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setMinimumWidth(40)
        look.set_property(self.readers, "tone", "muted")
        self.original = TextField("Task, original text", self)
        self.given_box = QCheckBox("This attempt's text differs", self)
        self.given = TextField("Task, text as given", self)
        self.output = TextField("Task output", self)
        self.begin_button = self._button("Begin task", "Open the task, or its next attempt.")
        self.output_button = self._button("Record output", "Set the output of the open task.")
        self.end_button = self._button("End task", "Close the task: hooks get no-task after it.")
        self._lay_out()
        self.begin_button.clicked.connect(self._begin)
        self.output_button.clicked.connect(self._record)
        self.end_button.clicked.connect(self._end)
        self.given_box.toggled.connect(self._on_edited)
        for field in (self.original, self.given, self.output):
            field.changed.connect(self._on_edited)
        bridge.history_changed.connect(self._take_change)
        bridge.busy_changed.connect(self.update_task)
        bridge.session_changed.connect(self.update_task)
        bridge.capsule_changed.connect(self.update_task)
        self._catch_up()
        self._show_given()

    def _button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.setToolTip(tip)
        button.setAccessibleName(text)
        button.setAccessibleDescription(tip)
        return button

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        layout.setSpacing(Spacing.S)
        shown: tuple[QWidget, ...] = (self.state_label, self.facts, self.readers)
        typed: tuple[QWidget, ...] = (self.original, self.given_box, self.given)
        for widget in (*shown, _caption("Text", self), *typed):
            layout.addWidget(widget)
        layout.addLayout(_row(self.begin_button))
        layout.addWidget(_caption("Output", self))
        layout.addWidget(self.output)
        layout.addLayout(_row(self.output_button, self.end_button))
        layout.addStretch(1)

    # -- what is typed -----------------------------------------------------------------------

    @property
    def draft(self) -> TaskDraft:
        """What is typed."""
        return TaskDraft(
            self.original.value(),
            self.given_box.isChecked(),
            self.given.value(),
            self.output.value(),
        )

    def restore(self, draft: TaskDraft) -> None:
        """Show what was typed before; nobody is told."""
        self.blockSignals(True)
        self.original.set_value(draft.original)
        self.given.set_value(draft.as_given)
        self.output.set_value(draft.output)
        self.given_box.setChecked(draft.has_given)
        self.blockSignals(False)
        self._show_given()

    @Slot()
    def _on_edited(self) -> None:
        self._show_given()
        self.update_task()
        self.drafted.emit()

    def _show_given(self) -> None:
        self.given.setVisible(self.given_box.isChecked())

    # -- the scope ---------------------------------------------------------------------------

    def _catch_up(self) -> None:
        for item in self._bridge.state.history.items:
            self.scope = after(self.scope, item)
        self.update_task()

    @Slot(object)
    def _take_change(self, change: Change) -> None:
        if change.restarted:
            self.scope = TaskScope()
            self._catch_up()
            return
        items = self._bridge.state.history.items
        for index in change.touched:
            if index >= items.first:
                self.scope = after(self.scope, items[index])
        for item in items.since(change.appended):
            self.scope = after(self.scope, item)
        self.update_task()

    @Slot()
    def update_task(self) -> None:
        """Show the scope, and what may be done."""
        state, scope = self._bridge.state, self.scope
        self.state_label.setText(scope_text(scope))
        rows = scope_rows(scope)
        self.facts.setVisible(bool(rows))
        if rows != self.facts.rows():
            self.facts.set_rows(rows)
        self.readers.setText(readers_text(state))
        reason = command.can_fire(state)
        begin = reason or _problem(self.original, *([self.given] if self._has_given else []))
        closed = "" if scope.is_open else "No task is open; begin one first."
        for button, why in (
            (self.begin_button, begin),
            (self.output_button, reason or closed or _problem(self.output)),
            (self.end_button, reason or closed),
        ):
            button.setEnabled(not why)
            button.setToolTip(f"{button.accessibleDescription()}\n{why}".rstrip())

    @property
    def _has_given(self) -> bool:
        return self.given_box.isChecked()

    @Slot()
    def _begin(self) -> None:
        self._bridge.fire(self.draft.begin())

    @Slot()
    def _record(self) -> None:
        self._bridge.fire(TaskOutput(self.output.value()))

    @Slot()
    def _end(self) -> None:
        self._bridge.fire(EndTask())


def scope_text(scope: TaskScope) -> str:
    """Whether a task is open, in a sentence."""
    if not scope.is_open:
        return _CLOSED
    again = f" It is attempt {scope.attempts:,} of this session." if scope.attempts > 1 else ""
    return f"A task is open since firing #{scope.step:,}.{again}"


def scope_rows(scope: TaskScope) -> list[tuple[str, str]]:
    """The texts that hooks read now; [] without a task."""
    if not scope.is_open:
        return []
    output = "none yet" if scope.output is None else _shown(scope.output)
    given = "the original" if scope.as_given == scope.original else _shown(scope.as_given)
    return [("original", _shown(scope.original)), ("as given", given), ("output", output)]


def readers_text(state: State) -> str:
    """Which hooks may read the texts, in a sentence; "" without a capsule."""
    if state.inspection is None:
        return ""
    names = [hook.name for hook in state.inspection.hooks if hook.grants.task_io]
    return f"Read by {', '.join(names)}." if names else "No hook is granted the task's texts."


def _shown(text: str) -> str:
    return one_line(text, _LONGEST) if text else "empty"


def _problem(*fields: TextField) -> str:
    return next((field.problem() for field in fields if field.problem()), "")


def _caption(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    look.set_property(label, "tone", "muted")
    return label


def _row(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(Spacing.S)
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    return row
