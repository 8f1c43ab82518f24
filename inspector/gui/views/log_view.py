"""The Logs pane: tabs by file, filters, live rows, a search with its count.

Lives here: `LogView`. Not here: which lines there are (models.log_model), the rows
(log_table). Only gui.main_window imports it.
"""

from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons
from inspector.gui.focus import FiringTarget, Focus, LogTarget, Target
from inspector.gui.models.log_filter import LogFilter
from inspector.gui.models.log_model import ALL_FILES, LogModel
from inspector.gui.views.log_filter_bar import LogFilterBar
from inspector.gui.views.log_saver import LogSaveDialog, LogSaver
from inspector.gui.views.log_table import LogTable
from inspector.gui.widgets import look
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.search_bar import SearchBar
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.formatting import LINE_CHARACTERS
from inspector.workbench.history import Change
from inspector.workbench.state import FAULTS_FILE, STDERR_FILE, STDOUT_FILE, Firing

_FIXED_FILES = (STDOUT_FILE, STDERR_FILE, FAULTS_FILE)
"""Tabs that are always there, before those of the files."""

_LEAST_HEIGHT = 84
_FOLLOWS = "Pause: stay at these lines (it follows the newest one now)"
_PAUSED = "Follow: go to the newest line and stay there"


class LogView(QWidget):
    """Every line that hooks and the runtime wrote in this window.

    Signals:
        step_chosen(int): a line was activated; its firing is wanted in Detail.
        cause_shown(int): a line was chosen; its firing is to be marked in the timeline.
    """

    step_chosen = Signal(int)
    cause_shown = Signal(int)

    def __init__(
        self, bridge: WorkbenchBridge, model: LogModel, focus: Focus, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._model = model
        self._focus = focus
        self._paused_at = 0
        self._tabs = QTabBar(self)
        self._tabs.setExpanding(False)
        self._tabs.setUsesScrollButtons(True)
        self._tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self._tabs.setAccessibleName("Log file")
        self._dropped = QLabel(self)
        look.set_property(self._dropped, "tone", "muted")
        self.news = QPushButton(self)
        self.news.setAccessibleName("Go to the newest line")
        self.filter_bar = LogFilterBar(self)
        self.follow_button = QToolButton(self)
        self.search_button = QToolButton(self)
        self.save_button = QToolButton(self)
        self.search_bar = SearchBar(self)
        self.table = LogTable(model, self)
        self.copy_action = QAction(icons.icon("copy"), "Copy the lines", self)
        self.firing_action = QAction(icons.icon("event"), "Show the firing", self)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.addActions([self.copy_action, self.firing_action])
        self.empty = EmptyState("log", "", "", self)
        self._saver = LogSaver(self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        # A low window gives its height to composer and timeline first.
        self._stack.setMinimumHeight(_LEAST_HEIGHT)
        self._lay_out()
        self._connect()
        self._update_tabs()
        self._update_hooks()
        self._on_rows_changed()
        self.table.set_follow(True)

    def _lay_out(self) -> None:
        for button, icon, name in (
            (self.search_button, "search", "Search in the logs (Ctrl+F)"),
            (self.save_button, "save", "Save the lines shown in a file"),
            (self.follow_button, "pause", "Follow the newest line"),
        ):
            button.setIcon(icons.icon(icon))
            button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
            button.setToolTip(name)
            button.setAccessibleName(name.partition(" (")[0])
        self.follow_button.setCheckable(True)
        bar = QHBoxLayout()
        bar.setContentsMargins(0, 0, Spacing.XS, 0)
        bar.setSpacing(Spacing.XS)
        bar.addWidget(self._tabs, 1)
        for widget in (self._dropped, self.news, self.filter_bar):
            bar.addWidget(widget)
        for button in (self.search_button, self.save_button, self.follow_button):
            bar.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self.search_bar)
        layout.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self._tabs.currentChanged.connect(self._on_tab_changed)
        self.filter_bar.changed.connect(self._on_filter_changed)
        self.follow_button.clicked.connect(self._on_follow_clicked)
        self.news.clicked.connect(self._go_to_newest)
        self.search_button.clicked.connect(self.open_search)
        self.save_button.clicked.connect(self.ask_file)
        self.table.follow_changed.connect(self._on_follow_changed)
        self.table.row_chosen.connect(self._on_row_chosen)
        self.table.doubleClicked.connect(self._on_double_clicked)
        self.copy_action.triggered.connect(self.table.copy_rows)
        self.firing_action.triggered.connect(self._show_firing)
        self.search_bar.searched.connect(self._model.find)
        self.search_bar.next_requested.connect(self._go_next)
        self.search_bar.previous_requested.connect(self._go_previous)
        self.search_bar.closed.connect(self._end_search)
        self._model.matches_changed.connect(self._on_matches_changed)
        self._model.modelReset.connect(self._on_rows_changed)
        self._model.rowsInserted.connect(self._on_rows_changed)
        self._model.rowsRemoved.connect(self._on_rows_changed)
        self._bridge.logs_changed.connect(self._on_logs_changed)
        self._bridge.capsule_changed.connect(self._update_hooks)
        self._focus.changed.connect(self._on_focus_changed)
        self._saver.saved.connect(self._on_saved)
        self._saver.failed.connect(self._on_save_failed)

    # -- tabs and filters ------------------------------------------------------------------

    @Slot(object)
    def _on_logs_changed(self, change: Change) -> None:
        self._update_tabs()
        dropped = self._bridge.state.logs.dropped
        self._dropped.setText(f"without the oldest {dropped:,}" if dropped else "")

    @Slot()
    def _update_hooks(self) -> None:
        inspection = self._bridge.state.inspection
        self.filter_bar.set_hooks([hook.name for hook in inspection.hooks] if inspection else [])

    def files(self) -> list[str]:
        """The files of the tabs, in their order."""
        return [str(self._tabs.tabData(tab)) for tab in range(self._tabs.count())]

    def show_file(self, file: str) -> None:
        """Show the tab of a file, when there is one."""
        if file in self.files():
            self._tabs.setCurrentIndex(self.files().index(file))

    def _update_tabs(self) -> None:
        counts = self._bridge.state.logs.counts
        files = [file for file in counts if file not in _FIXED_FILES]
        wanted = [ALL_FILES, *_FIXED_FILES, *files]
        shown = self.files()
        for place, file in enumerate(wanted):
            if place >= len(shown) or shown[place] != file:
                self._tabs.insertTab(place, "")
                self._tabs.setTabData(place, file)
                self._tabs.setTabToolTip(place, file)
                shown.insert(place, file)
            count = sum(counts.values()) if file == ALL_FILES else counts.get(file, 0)
            text = _tab_text(file, count)
            if text != self._tabs.tabText(place):
                self._tabs.setTabText(place, text.replace("&", "&&"))

    @Slot(int)
    def _on_tab_changed(self, tab: int) -> None:
        self._on_filter_changed()

    @Slot()
    def _on_filter_changed(self) -> None:
        file = str(self._tabs.tabData(self._tabs.currentIndex()) or ALL_FILES)
        self._model.set_filter(LogFilter(file, self.filter_bar.hook, self.filter_bar.levels))
        self.table.set_follow(True)

    # -- rows ----------------------------------------------------------------------------

    @Slot()
    def _on_rows_changed(self) -> None:
        self.table.fit(min(self._model.longest, LINE_CHARACTERS))
        self.setFocusProxy(self.table if self._model.rowCount() else self._tabs)
        self.save_button.setEnabled(self._model.rowCount() > 0)
        self._update_news()
        if self._model.rowCount():
            self._stack.setCurrentWidget(self.table)
            return
        title, sentence = self._why_empty()
        self.empty.set_content("log", title, sentence)
        self._stack.setCurrentWidget(self.empty)

    def _why_empty(self) -> tuple[str, str]:
        wanted = self._model.filter
        if wanted.hook or len(wanted.levels) < len(self.filter_bar.buttons):
            return "No such lines", "Choose all hooks, or switch on more kinds of lines."
        if self._model.file == FAULTS_FILE:
            return "No faults", "Every answer so far was honored or ignored as the contract says."
        if not self._model.file:
            return "No lines yet", "What hooks and the runtime write shows here as it comes."
        sentence = f"Hooks and the runtime have not written to {self._model.file} in this window."
        return "No lines yet", sentence

    @Slot(int)
    def _on_row_chosen(self, row: int) -> None:
        if row < 0:
            return
        self._focus.show(LogTarget(self._model.index_of(row)))
        step = self._model.line(row).step
        if step is not None:
            self.cause_shown.emit(step)

    @Slot(QModelIndex)
    def _on_double_clicked(self, index: QModelIndex) -> None:
        self._show_firing_of(index.row())

    @Slot()
    def _show_firing(self) -> None:
        self._show_firing_of(self.table.current_row())

    def _show_firing_of(self, row: int) -> None:
        step = self._model.line(row).step if row >= 0 else None
        if step is not None:
            self.step_chosen.emit(step)

    @Slot(object)
    def _on_focus_changed(self, target: Target | None) -> None:
        """Mark the lines of the firing that is shown, and go to them when it is an older one."""
        state = self._bridge.state
        if isinstance(target, LogTarget):
            lines = state.logs.lines
            held = lines.first <= target.index < lines.end
            self._model.set_step(lines[target.index].step if held else None)
            return
        item = state.item(target.index) if isinstance(target, FiringTarget) else None
        self._model.set_step(item.step if isinstance(item, Firing) else None)
        if isinstance(item, Firing) and item.step < state.last_step:
            row = self._model.row_of_step(item.step)
            if row is not None:
                self.table.set_follow(False)
                self.table.scrollTo(self._model.index(row, 0))

    # -- following -------------------------------------------------------------------------

    @Slot(bool)
    def _on_follow_clicked(self, follow: bool) -> None:
        self.table.set_follow(follow)

    @Slot()
    def _go_to_newest(self) -> None:
        self.table.set_follow(True)

    @Slot(bool)
    def _on_follow_changed(self, follow: bool) -> None:
        self.follow_button.setChecked(follow)
        self.follow_button.setIcon(icons.icon("pause" if follow else "follow"))
        self.follow_button.setToolTip(_FOLLOWS if follow else _PAUSED)
        self._paused_at = self._bridge.state.logs.lines.end
        self._update_news()

    def _update_news(self) -> None:
        """How many lines came since the table was paused."""
        count = 0 if self.table.follows else self._bridge.state.logs.lines.end - self._paused_at
        self.news.setVisible(count > 0)
        self.news.setText(f"{count:,} new")

    # -- saving ----------------------------------------------------------------------------

    @Slot()
    def ask_file(self) -> None:
        """Ask where to save the lines shown."""
        name = short_name(self._model.file) if self._model.file else "logs"
        dialog = LogSaveDialog(self, f"{name}.log")
        dialog.fileSelected.connect(self.save)
        dialog.open()

    @Slot(str)
    def save(self, path: str) -> None:
        """Save the lines shown in a file."""
        self._saver.save(path, self._texts())

    def _texts(self) -> Iterator[str]:
        state = self._bridge.state
        for index in self._model.indexes():
            if index >= state.logs.lines.first:
                yield self._model.saved_line(index)

    @Slot(str)
    def _on_saved(self, sentence: str) -> None:
        self._bridge.say("info", sentence)

    @Slot(str)
    def _on_save_failed(self, sentence: str) -> None:
        self._bridge.say("error", sentence)

    # -- the search ----------------------------------------------------------------------

    @Slot()
    def open_search(self) -> None:
        """Show the field to search in."""
        self.search_bar.open_search()
        self._model.find(self.search_bar.text())

    @Slot()
    def _on_matches_changed(self) -> None:
        self.search_bar.set_count(0, self._model.match_count)
        self.table.viewport().update()

    @Slot()
    def _go_next(self) -> None:
        self._go(forward=True)

    @Slot()
    def _go_previous(self) -> None:
        self._go(forward=False)

    def _go(self, *, forward: bool) -> None:
        found = self._model.next_match(self.table.current_row(), forward=forward)
        if found is not None:
            row, ordinal = found
            self.table.set_follow(False)
            self.table.show_row(row)
            self.search_bar.set_count(ordinal, self._model.match_count)

    @Slot()
    def _end_search(self) -> None:
        self._model.find("")
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)


def _tab_text(file: str, count: int) -> str:
    name = "all" if file == ALL_FILES else short_name(file)
    return f"{name} ({count:,})" if count else name


def short_name(file: str) -> str:
    """A log's name in a tab: a hook's log by the hook alone."""
    name = file.removeprefix("logs/")
    return name.removeprefix("hook-").removesuffix(".log") if name.startswith("hook-") else name
