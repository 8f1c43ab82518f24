"""The Session pane: what runs now, the task, and the settings of the next session.

Lives here: `SessionView`: the three pages, and what becomes of a change of settings. Not
here: the pages (session_facts, session_task, session_form). Only gui.main_window imports
it.
"""

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.gui.views.session_facts import SessionFacts
from inspector.gui.views.session_form import SessionForm
from inspector.gui.views.session_task import SessionTask
from inspector.gui.widgets import look
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.segmented_control import SegmentedControl
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import SessionSettings
from inspector.workbench import command
from inspector.workbench.formatting import count_text
from inspector.workbench.session_draft import (
    Difference,
    Problem,
    SessionDraft,
    check,
    differences,
    draft_of,
    label_of,
)
from inspector.workbench.task_scope import TaskDraft

NOW, TASK, SETTINGS = "now", "task", "settings"
CHECK_MS = 120
"""Typing rests this long before the settings are checked."""


class SessionView(QWidget):
    """Three pages under one choice.

    A change of settings counts at the next session's start, however that comes about;
    what it changes is said below the form.

    Signals:
        held_chosen(bool): the user holds the async workers, or lets them go.
        start_requested(): a fresh session is wanted.
        drafts_changed(): something typed is to be remembered.
    """

    held_chosen = Signal(bool)
    start_requested = Signal()
    drafts_changed = Signal()

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._remembered = draft_of(bridge.settings)
        self._valid: SessionSettings | None = bridge.settings
        self._problems: tuple[Problem, ...] = ()
        self.chooser = SegmentedControl(
            "Page of the session", [(NOW, "now"), (TASK, "task"), (SETTINGS, "settings")], self
        )
        self.facts = SessionFacts(bridge, self)
        self.held_box = self.facts.held_box
        self.task = SessionTask(bridge, self)
        self.form = SessionForm(self)
        self.empty = EmptyState("session", "No session", "A capsule that opens starts one.", self)
        self._pages = QStackedWidget(self)
        self._areas = {
            NOW: self._area(self.facts),
            TASK: self._area(self.task),
            SETTINGS: self._area(self.form),
        }
        self.changes_label = QLabel(self)
        self.start_button = QPushButton("Start session", self)
        self.discard_button = QPushButton("Discard", self)
        self._footer = QWidget(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CHECK_MS)
        self._timer.timeout.connect(self.check_form)
        self._lay_out()
        self._connect()
        self.form.show_draft(self._remembered)
        self._update()

    def _area(self, page: QWidget) -> QScrollArea:
        area = QScrollArea(self._pages)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        self._pages.addWidget(area)
        return area

    def _lay_out(self) -> None:
        self._pages.addWidget(self.empty)
        self.changes_label.setWordWrap(True)
        self.changes_label.setTextFormat(Qt.TextFormat.PlainText)
        self.changes_label.setMinimumWidth(40)
        look.set_property(self.start_button, "tone", "primary")
        self.discard_button.setToolTip("Go back to the settings of the running session")
        buttons = QHBoxLayout()
        buttons.setSpacing(Spacing.S)
        for button in (self.start_button, self.discard_button):
            button.setAutoDefault(False)
            button.setAccessibleName(button.text())
            buttons.addWidget(button)
        buttons.addStretch(1)
        below = QVBoxLayout(self._footer)
        below.setContentsMargins(Spacing.S, Spacing.XS, Spacing.S, Spacing.S)
        below.setSpacing(Spacing.XS)
        below.addWidget(self.changes_label)
        below.addLayout(buttons)
        head = QHBoxLayout()
        head.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.XS)
        head.addWidget(self.chooser)
        head.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self._footer)
        self.setFocusProxy(self.chooser)

    def _connect(self) -> None:
        bridge = self._bridge
        self.chooser.chosen.connect(self._on_page_chosen)
        self.facts.held_chosen.connect(self.held_chosen)
        self.task.drafted.connect(self.drafts_changed)
        self.form.edited.connect(self._on_edited)
        self.start_button.clicked.connect(self.start)
        self.discard_button.clicked.connect(self.discard)
        bridge.settings_changed.connect(self._on_settings_changed)
        bridge.session_changed.connect(self._update)
        bridge.capsule_changed.connect(self._update)
        bridge.busy_changed.connect(self._update)
        bridge.engine_changed.connect(self._update)

    # -- pages -------------------------------------------------------------------------------

    def show_page(self, name: str) -> None:
        """Show `now`, `task` or `settings`."""
        self.chooser.set_current(name)
        self._update()

    @Slot(str)
    def _on_page_chosen(self, name: str) -> None:
        self._update()

    @Slot()
    def _update(self) -> None:
        session = self._bridge.state.session
        page = self.chooser.current()
        if session is not None:
            self.facts.update_facts()
        shown = self.empty if page == NOW and session is None else self._areas[page]
        self._pages.setCurrentWidget(shown)
        self._update_footer()

    # -- settings ----------------------------------------------------------------------------

    @property
    def draft(self) -> SessionDraft:
        """What is remembered: the user's own draft, not that of a scenario."""
        return self._remembered

    def restore(self, draft: SessionDraft, task: TaskDraft) -> None:
        """Show what was typed in an earlier window; the next session is made with it."""
        self.form.show_draft(draft)
        self.task.restore(task)
        self._remembered = draft
        self.check_form()

    @Slot()
    def _on_edited(self) -> None:
        before, self._remembered = self._remembered, self.form.draft
        if before.contexts == self._remembered.contexts:
            self.check_form()
        else:
            # Messages take a while to read; typing them rests first.
            self._timer.start()
        self.drafts_changed.emit()

    @Slot()
    def check_form(self) -> None:
        """Let the next session be made with what is typed, when it is valid."""
        self._timer.stop()
        settings, problems = check(self.form.draft)
        self._problems = (*self.form.typing_problems(), *problems)
        self._valid = None if self._problems else settings
        self.form.show_problems(self._problems)
        if self._valid is not None:
            self._bridge.settings = self._valid
        self._update_footer()

    @Slot()
    def _on_settings_changed(self) -> None:
        """Take over settings that came from elsewhere: a scenario, the live switch."""
        settings = self._bridge.settings
        if settings == self._valid:
            return
        self._timer.stop()
        held, _ = check(self.form.draft)
        if held is None or _without_held(held) == _without_held(settings):
            self.form.set_held(held=settings.held)
            self._remembered = self.form.draft
        else:
            self.form.show_draft(draft_of(settings))
        self.check_form()

    @Slot()
    def start(self) -> None:
        """Ask for a fresh session made with what is typed; nothing when that is not valid."""
        self.check_form()
        if self._problems:
            self.show_page(SETTINGS)
            self._bridge.say("warning", problems_text(self._problems))
        else:
            self.start_requested.emit()

    @Slot()
    def discard(self) -> None:
        """Go back to the settings of the running session."""
        self.form.show_draft(draft_of(self._bridge.used_settings))
        self._remembered = self.form.draft
        self.check_form()
        self.drafts_changed.emit()

    # -- what would change -------------------------------------------------------------------

    @property
    def is_checked(self) -> bool:
        """Whether everything typed was looked at."""
        return not self._timer.isActive()

    def _update_footer(self) -> None:
        found = differences(self._bridge.used_settings, self._bridge.settings)
        page = self.chooser.current()
        self._footer.setVisible(page == SETTINGS or bool(found) or bool(self._problems))
        if self._problems:
            text, tone = problems_text(self._problems), "negative"
        else:
            text, tone = changes_text(found), "accent" if found else "muted"
        self.form.show_changes(tuple(map(change_text, found)))
        self.changes_label.setText(text)
        self.changes_label.setToolTip("\n".join(map(change_text, found)))
        look.set_property(self.changes_label, "tone", tone)
        reason = command.can_start(self._bridge.state)
        if self._problems:
            reason = "Mend what is marked first."
        self.start_button.setEnabled(not reason)
        self.start_button.setToolTip(f"End this session and start a fresh one\n{reason}".rstrip())
        self.discard_button.setEnabled(bool(found) or bool(self._problems))


def changes_text(found: tuple[Difference, ...]) -> str:
    """How much applies at the next session's start."""
    if not found:
        return "The next session is made as the running one."
    applies = "applies" if len(found) == 1 else "apply"
    return f"{count_text(len(found), 'change')} {applies} at the next session's start."


def change_text(one: Difference) -> str:
    """What a setting is, and what it would be."""
    return f"{one.name}: {one.before} → {one.after}"


def problems_text(problems: tuple[Problem, ...]) -> str:
    """Why the settings do not count yet: the first reason, and what counts meanwhile."""
    more = f" And {len(problems) - 1:,} more." if len(problems) > 1 else ""
    first = problems[0]
    return (
        f"{label_of(first.field)}: {first.sentence}{more} Until it is mended, a session starts "
        "with the settings before."
    )


def _without_held(settings: SessionSettings) -> SessionSettings:
    return replace(settings, held=False)
