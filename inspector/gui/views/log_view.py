"""The Logs pane: tabs by file, live rows, a search with its count.

Lives here: `LogView`. Not here: which lines there are (models.log_model). Only
gui.main_window imports it.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons, theme
from inspector.gui.focus import Focus, LogTarget
from inspector.gui.models.log_model import ALL_FILES, Column, LogModel
from inspector.gui.views.row_table import RowTable
from inspector.gui.widgets import look
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.search_bar import SearchBar
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.formatting import LINE_CHARACTERS
from inspector.workbench.history import Change
from inspector.workbench.state import FAULTS_FILE, STDERR_FILE, STDOUT_FILE

_FIXED_FILES = (STDOUT_FILE, STDERR_FILE, FAULTS_FILE)
"""Tabs that are always there, before those of the files."""


class LogView(QWidget):
    """Every line that hooks and the runtime wrote in this window.

    Signals:
        step_chosen(int): a line was activated; its firing is wanted.
    """

    step_chosen = Signal(int)

    def __init__(
        self, bridge: WorkbenchBridge, model: LogModel, focus: Focus, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._model = model
        self._focus = focus
        self._tabs = QTabBar(self)
        self._tabs.setExpanding(False)
        self._tabs.setUsesScrollButtons(True)
        self._tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self._tabs.setAccessibleName("Log file")
        self._dropped = QLabel(self)
        look.set_property(self._dropped, "tone", "muted")
        self._follow_button = QToolButton(self)
        self._search_button = QToolButton(self)
        self.search_bar = SearchBar(self)
        self.table = _LogTable(model, self)
        self.empty = EmptyState("log", "", "", self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        self._lay_out()
        self._connect()
        self._update_tabs()
        self._on_rows_changed()
        self.table.set_follow(True)

    def _lay_out(self) -> None:
        for button, icon, name in (
            (self._search_button, "search", "Search in the logs"),
            (self._follow_button, "follow", "Follow: stay at the newest line"),
        ):
            button.setIcon(icons.icon(icon))
            button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
            button.setToolTip(name)
            button.setAccessibleName(name)
        self._follow_button.setCheckable(True)
        bar = QHBoxLayout()
        bar.setContentsMargins(0, 0, Spacing.XS, 0)
        bar.setSpacing(Spacing.XS)
        bar.addWidget(self._tabs, 1)
        bar.addWidget(self._dropped)
        bar.addWidget(self._search_button)
        bar.addWidget(self._follow_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self.search_bar)
        layout.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self._tabs.currentChanged.connect(self._on_tab_changed)
        self._follow_button.clicked.connect(self.table.set_follow)
        self._search_button.clicked.connect(self.open_search)
        self.table.follow_changed.connect(self._follow_button.setChecked)
        self.table.row_chosen.connect(self._on_row_chosen)
        self.table.doubleClicked.connect(self._on_double_clicked)
        self.search_bar.searched.connect(self._model.find)
        self.search_bar.next_requested.connect(self._go_next)
        self.search_bar.previous_requested.connect(self._go_previous)
        self.search_bar.closed.connect(self._end_search)
        self._model.matches_changed.connect(self._on_matches_changed)
        self._model.modelReset.connect(self._on_rows_changed)
        self._model.rowsInserted.connect(self._on_rows_changed)
        self._bridge.logs_changed.connect(self._on_logs_changed)

    # -- tabs ----------------------------------------------------------------------------

    @Slot(object)
    def _on_logs_changed(self, change: Change) -> None:
        self._update_tabs()
        dropped = self._bridge.state.logs.dropped
        self._dropped.setText(f"without the oldest {dropped:,}" if dropped else "")

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
        self._model.set_file(str(self._tabs.tabData(tab) or ALL_FILES))
        self.table.set_follow(True)

    # -- rows ----------------------------------------------------------------------------

    @Slot()
    def _on_rows_changed(self) -> None:
        self.table.fit(min(self._model.longest, LINE_CHARACTERS))
        self.setFocusProxy(self.table if self._model.rowCount() else self._tabs)
        if self._model.rowCount():
            self._stack.setCurrentWidget(self.table)
            return
        what = self._model.file or "anything"
        title = "No faults" if self._model.file == FAULTS_FILE else "No lines yet"
        sentence = f"Hooks and the runtime have not written to {what} in this window."
        if self._model.file == FAULTS_FILE:
            sentence = "Every answer so far was honored or ignored as the contract says."
        elif not self._model.file:
            sentence = "What hooks and the runtime write shows here as it comes."
        self.empty.set_content("log", title, sentence)
        self._stack.setCurrentWidget(self.empty)

    @Slot(int)
    def _on_row_chosen(self, row: int) -> None:
        if row >= 0:
            self._focus.show(LogTarget(self._model.index_of(row)))

    @Slot(QModelIndex)
    def _on_double_clicked(self, index: QModelIndex) -> None:
        step = self._model.line(index.row()).step
        if step is not None:
            self.step_chosen.emit(step)

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


class _LogTable(RowTable):
    """Lines in the fixed font; the last column is as wide as the longest line."""

    def __init__(self, model: LogModel, parent: QWidget) -> None:
        super().__init__("Log lines", parent)
        self._logs = model
        self.setModel(model)
        self.setFont(theme.mono_font(small=True))
        self.setFrameShape(RowTable.Shape.NoFrame)
        self.setItemDelegate(_MatchDelegate(self))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 4)
        header = self.horizontalHeader()
        header.hide()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        width = self.fontMetrics().averageCharWidth()
        header.resizeSection(Column.STEP, 9 * width)
        header.resizeSection(Column.FILE, 24 * width)
        header.setStretchLastSection(True)

    def fit(self, characters: int) -> None:
        """Make room for so many characters of text."""
        width = (characters + 2) * self.fontMetrics().averageCharWidth()
        self.horizontalHeader().setMinimumSectionSize(24)
        left = sum(self.columnWidth(column) for column in (Column.STEP, Column.FILE))
        self.setColumnWidth(Column.TEXT, max(width, self.viewport().width() - left))

    def row_text(self, row: int) -> str:
        return self._logs.line(row).text


class _MatchDelegate(QStyledItemDelegate):
    """Puts a ground under lines that hold the searched text."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        if index.column() == Column.TEXT and index.data(LogModel.Role.MATCH):
            painter.fillRect(option.rect, theme.color("match"))
        super().paint(painter, option, index)
