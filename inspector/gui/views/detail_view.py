"""The Detail pane: it shows whatever the focus is on.

Lives here: `DetailView` and the small pages of log lines and findings. Not here: the
pages of hooks and firings (hook_page, firing_page). Only gui.main_window imports it.
"""

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.gui.file_job import FileJob
from inspector.gui.focus import (
    DiffTarget,
    FindingTarget,
    FiringTarget,
    Focus,
    HookTarget,
    LogTarget,
    Target,
)
from inspector.gui.models.finding_model import SIGNS, place_of
from inspector.gui.models.timeline_row import has_rows_below
from inspector.gui.views.detail_head import DetailHead
from inspector.gui.views.diff_page import DiffPage
from inspector.gui.views.firing_page import FiringPage
from inspector.gui.views.hook_page import HookPage
from inspector.gui.views.text_view import TextView
from inspector.gui.views.value_saver import ValueSaver
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.formatting import broken_lines
from inspector.workbench.history import Change
from inspector.workbench.log_entry import entry_text
from inspector.workbench.state import Firing, State

REFRESH_MS = 60
FLOOD_MS = 300
"""The pane is filled at most this often: usually, and while many actions wait."""


class DetailView(QWidget):
    """One page at a time, chosen by the focus.

    Signals:
        target_chosen(Target): something in a page was activated.
        step_chosen(int): a firing is wanted by its number.
    """

    target_chosen = Signal(object)
    step_chosen = Signal(int)

    def __init__(
        self, bridge: WorkbenchBridge, focus: Focus, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._focus = focus
        self._shown: tuple[object, ...] = ()
        self.work = FileJob(self)
        self._stack = QStackedWidget(self)
        self.hook_page = HookPage(bridge, self._stack)
        self.hook_page.target_chosen.connect(self.target_chosen)
        self.hook_page.step_chosen.connect(self.step_chosen)
        self.firing_page = FiringPage(self.work, self._stack)
        self.firing_page.target_chosen.connect(self.target_chosen)
        saver = ValueSaver(self.work, self)
        saver.told.connect(bridge.say)
        for view in (self.firing_page.answer, self.firing_page.sent):
            view.set_saver(saver)
        self.diff_page = DiffPage(self.work, self._stack)
        self.text_page = _TextPage(self._stack)
        sentence = "Choose a hook, a row of the timeline or a log line."
        self.empty = EmptyState("info", "Nothing chosen", sentence, self._stack)
        for page in (self.empty, self.hook_page, self.firing_page, self.diff_page, self.text_page):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        focus.changed.connect(self._on_focus_changed)
        bridge.history_changed.connect(self._on_history_changed)
        bridge.hooks_changed.connect(self._on_hooks_changed)
        bridge.capsule_changed.connect(self._on_hooks_changed)
        bridge.engine_changed.connect(self._on_hooks_changed)

    @Slot(object)
    def _on_focus_changed(self, target: Target | None) -> None:
        # The first choice shows at once, a flood of them at a steady pace.
        if not self._timer.isActive():
            self.refresh()
            self._timer.start(FLOOD_MS if self._bridge.waiting else REFRESH_MS)

    @Slot(object)
    def _on_history_changed(self, change: Change) -> None:
        target = self._focus.target
        if isinstance(target, FiringTarget) and target.index in change.touched:
            self._timer.start()

    @Slot()
    def _on_hooks_changed(self) -> None:
        if isinstance(self._focus.target, HookTarget | FindingTarget):
            self._timer.start()

    @Slot()
    def refresh(self) -> None:
        """Fill the page of the current target."""
        target = self._focus.target
        page: QWidget | None
        match target:
            case None:
                page = None
            case HookTarget(name=name):
                page = self.hook_page if self.hook_page.show_hook(self._state, name) else None
            case FiringTarget():
                page = self._show_firing(target)
            case DiffTarget():
                page = self._show_diff(target)
            case LogTarget(index=index):
                page = self._show_log_line(index)
            case FindingTarget(index=index):
                page = self._show_finding(index)
        self._stack.setCurrentWidget(page or self.empty)

    @property
    def _state(self) -> State:
        return self._bridge.state

    @property
    def page(self) -> QWidget:
        """The page that is shown."""
        return self._stack.currentWidget() or self.empty

    def _show_firing(self, target: FiringTarget) -> QWidget | None:
        firing = self._state.item(target.index)
        if not isinstance(firing, Firing):
            return None
        calls = firing.record.calls if firing.record else ()
        if target.call is not None and target.call >= len(calls):
            target = FiringTarget(target.index)
        elif target.call is None and calls and not has_rows_below(firing):
            target = FiringTarget(target.index, 0)
        shown = (firing, target, self._state.profile)
        if shown != self._shown or self._stack.currentWidget() is not self.firing_page:
            self._shown = shown
            self.firing_page.show_firing(firing, target, self._state.profile)
        return self.firing_page

    def _show_diff(self, target: DiffTarget) -> QWidget | None:
        marked, chosen = self._state.item(target.marked), self._state.item(target.chosen)
        if not isinstance(marked, Firing) or not isinstance(chosen, Firing):
            return None
        self.diff_page.show_firings(marked, chosen)
        return self.diff_page

    def _show_log_line(self, index: int) -> QWidget | None:
        lines = self._state.logs.lines
        if not lines.first <= index < lines.end:
            return None
        line = lines[index]
        whose = f"Written by {line.hook}. " if line.hook else ""
        when = f"Caused by firing #{line.step:,}." if line.step is not None else ""
        self.text_page.head.show_head("log", "muted", line.file, "")
        self.text_page.head.show_sentences(f"{whose}{when}".strip(), "", ())
        self.text_page.text.set_lines(list(broken_lines(entry_text(lines, index))))
        return self.text_page

    def _show_finding(self, index: int) -> QWidget | None:
        inspection = self._state.inspection
        if inspection is None or index >= len(inspection.diagnostics):
            return None
        finding = inspection.diagnostics[index]
        icon, role = SIGNS[finding.severity]
        title = f"{finding.hook} · {finding.code}" if finding.hook else finding.code
        self.text_page.head.show_head(icon, role, title, finding.severity.value)
        place = place_of(finding)
        stops = "The runtime would stop at this." if finding.stops_launch else ""
        self.text_page.head.show_sentences(finding.hint, stops, (place,) if place else ())
        self.text_page.text.set_lines(list(broken_lines(finding.message)))
        return self.text_page

    @Slot()
    def open_search(self) -> None:
        """Search in the page that is shown."""
        page = self._stack.currentWidget()
        if page is self.firing_page:
            self.firing_page.open_search()
        elif page is self.hook_page:
            self.hook_page.open_search()
        elif page is self.diff_page:
            self.diff_page.open_search()
        elif page is self.text_page:
            self.text_page.text.open_search()


class _TextPage(QWidget):
    """A head and a text."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.head = DetailHead(self)
        self.text = TextView("Text", self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.text, 1)
