"""The timeline pane: filter, rows, following.

Lives here: `TimelineView` and the painting of its rows. Not here: which rows there are
(models.timeline_model). Only gui.main_window imports it.
"""

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons, theme
from inspector.gui.focus import FiringTarget, Focus, Target
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.models.timeline_row import Column
from inspector.gui.views.row_table import RowTable
from inspector.gui.views.timeline_delegate import TimelineDelegate
from inspector.gui.widgets import look
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.workbench import search
from inspector.workbench.formatting import count_text
from inspector.workbench.state import Firing

FILTER_MS = 150
"""Typing rests this long before the filter takes effect."""

_WIDTHS = {
    Column.STEP: "▸ 00,000",
    Column.EVENT: "on-session-start",
    Column.PHASE: "observe",
    Column.RESULT: "replace-context, no",
    Column.OUTCOME: "superseded    ",
    Column.DURATION: "00.0 ms",
}
"""Texts that each column has room for; the column of hooks takes the rest."""

_NEEDED_WIDTHS = {Column.PHASE: 600, Column.DURATION: 520, Column.RESULT: 400}
"""A narrower table leaves the column out, so that hook and outcome stay in sight."""


class TimelineView(QWidget):
    """Firings in order, the newest at the bottom.

    Signals:
        refire_requested(Firing): a row is to be fired again.
        load_requested(Firing): a row is to be put into the composer.
    """

    refire_requested = Signal(object)
    load_requested = Signal(object)

    def __init__(self, model: TimelineModel, focus: Focus, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._focus = focus
        self.table = TimelineTable(model, self)
        self.table.row_chosen.connect(self._on_row_chosen)
        self.table.follow_changed.connect(self._on_follow_changed)
        self.table.menu_requested.connect(self._open_menu)
        self.filter_field = QLineEdit(self)
        self.filter_field.setPlaceholderText("Filter: text, hook:name, event:on-shell, is:bad")
        self.filter_field.setToolTip(_FILTER_HELP)
        self.filter_field.setAccessibleName("Filter of the timeline")
        self.filter_field.setClearButtonEnabled(True)
        self._filter_timer = QTimer(self)
        self._filter_timer.setSingleShot(True)
        self._filter_timer.setInterval(FILTER_MS)
        self._filter_timer.timeout.connect(self._apply_filter)
        self.filter_field.textChanged.connect(self._filter_timer.start)
        self._count = QLabel(self)
        look.set_property(self._count, "tone", "muted")
        self._follow_button = QToolButton(self)
        self._follow_button.setCheckable(True)
        self._follow_button.setIcon(icons.icon("follow"))
        self._follow_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self._follow_button.setToolTip("Follow: stay at the newest row and show it")
        self._follow_button.setAccessibleName("Follow the newest row")
        self._follow_button.clicked.connect(self.set_follow)
        self.empty = EmptyState(
            "event", "Nothing fired yet", "Choose an event above and fire it.", self
        )
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        model.rowsInserted.connect(self._on_rows_changed)
        model.rowsRemoved.connect(self._on_rows_changed)
        model.modelReset.connect(self._on_rows_changed)
        focus.changed.connect(self._on_focus_changed)
        self._lay_out()
        self.set_follow(True)
        self._on_rows_changed()

    def _lay_out(self) -> None:
        title = QLabel("Timeline", self)
        title.setFont(theme.ui_font(weight=theme.ui_font().Weight.DemiBold))
        bar = QHBoxLayout()
        bar.setContentsMargins(Spacing.S, Spacing.XS, Spacing.XS, Spacing.XS)
        bar.setSpacing(Spacing.S)
        bar.addWidget(title)
        bar.addWidget(self._count)
        bar.addStretch(1)
        bar.addWidget(self.filter_field, 2)
        bar.addWidget(self._follow_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._stack, 1)

    # -- following and choosing ------------------------------------------------------------

    @Slot(bool)
    def set_follow(self, follow: bool) -> None:
        """Stay at the newest row and show it in the Detail pane, or not."""
        self.table.set_follow(follow)
        self._follow_button.setChecked(follow)
        if follow:
            self._show_newest()

    @Slot(bool)
    def _on_follow_changed(self, follow: bool) -> None:
        self._follow_button.setChecked(follow)

    def _show_newest(self) -> None:
        row = self._model.last_firing_row()
        if row is not None:
            self.table.choose_row(row)
            self._focus.show(self._model.target(row))

    @Slot(int)
    def _on_row_chosen(self, row: int) -> None:
        if row >= 0:
            target = self._model.target(row)
            if target is not None:
                self._focus.show(target)

    @Slot(object)
    def _on_focus_changed(self, target: Target | None) -> None:
        if not isinstance(target, FiringTarget):
            return
        row = self._model.row_of(target)
        if row is not None and row != self.table.current_row():
            self.table.show_row(row)

    def mark_firing(self, index: int) -> None:
        """Choose the row of a firing without showing it elsewhere; ceases to follow.

        Args:
            index: Its index in the history.
        """
        self.set_follow(False)
        row = self._model.row_of(FiringTarget(index))
        if row is not None:
            self.table.show_row(row)

    def current_firing(self) -> Firing | None:
        """The firing of the current row."""
        row = self.table.current_row()
        return self._model.firing(row) if row >= 0 else None

    # -- rows and filter -----------------------------------------------------------------

    @Slot()
    def _on_rows_changed(self) -> None:
        shown, total = self._model.rowCount() > 0, self._model.total
        if self._model.query:
            rows = self._model.rowCount()
            self.empty.set_content("search", "No row fits the filter", "Clear it to see all rows.")
            self._count.setText(f"{rows:,} rows of {count_text(total, 'entry', 'entries')}")
        else:
            shown = self._model.last_firing_row() is not None
            text = "Choose an event above and fire it."
            self.empty.set_content("event", "Nothing fired yet", text)
            self._count.setText(dropped_text(self._model.dropped))
        self._stack.setCurrentWidget(self.table if shown else self.empty)
        self.setFocusProxy(self.table if shown else self.filter_field)
        if self.table.follows:
            self._show_newest()

    @Slot()
    def _apply_filter(self) -> None:
        self._filter_timer.stop()
        self._model.set_query(search.parse(self.filter_field.text()))

    @Slot()
    def focus_filter(self) -> None:
        """Put the cursor into the filter."""
        self.filter_field.selectAll()
        self.filter_field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.filter_field.hasFocus():
            self.filter_field.clear()
            self._apply_filter()
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        super().keyPressEvent(event)

    # -- the menu of a row -----------------------------------------------------------------

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        firing = self.current_firing()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        again = QAction(icons.icon("fire"), "Fire again", menu)
        again.triggered.connect(self._refire)
        load = QAction(icons.icon("edit"), "Put into the composer", menu)
        load.triggered.connect(self._load)
        for action in (again, load):
            action.setEnabled(firing is not None)
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction(icons.icon("copy"), "Copy rows", self.table.copy_rows)
        menu.popup(place)

    @Slot()
    def _refire(self) -> None:
        firing = self.current_firing()
        if firing is not None:
            self.refire_requested.emit(firing)

    @Slot()
    def _load(self) -> None:
        firing = self.current_firing()
        if firing is not None:
            self.load_requested.emit(firing)


def dropped_text(count: int) -> str:
    """How many of the oldest entries went to keep memory within bounds, or ""."""
    return f"without the oldest {count:,}" if count else ""


_FILTER_HELP = """Words must all stand in a row; -word must not.
hook:name  event:on-shell  phase:decide  result:trap
is:fault  is:error  is:denied  is:bad  step:12  session:2"""


class TimelineTable(RowTable):
    """The rows; a click on the fold sign, Left and Right fold the calls of a firing.

    Signals:
        menu_requested(QPoint): where a menu for the current row is wanted.
    """

    menu_requested = Signal(QPoint)

    def __init__(self, model: TimelineModel, parent: QWidget) -> None:
        super().__init__("Timeline", parent)
        self._timeline = model
        self.setModel(model)
        self.setFrameShape(RowTable.Shape.NoFrame)
        self.setItemDelegate(TimelineDelegate(self, Column.EVENT))
        header = self.horizontalHeader()
        metrics = self.fontMetrics()
        for column, text in _WIDTHS.items():
            header.resizeSection(column, metrics.horizontalAdvance(text) + 20)
        header.setSectionResizeMode(Column.HOOK, QHeaderView.ResizeMode.Stretch)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = event.size().width()
        for column, least in _NEEDED_WIDTHS.items():
            self.setColumnHidden(column, width < least)
        self.setColumnWidth(Column.RESULT, min(max(width // 5, 110), 320))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        super().mousePressEvent(event)
        if index.column() == Column.STEP and event.button() is Qt.MouseButton.LeftButton:
            self._timeline.toggle(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        folds = {Qt.Key.Key_Left: True, Qt.Key.Key_Right: False}
        wanted = folds.get(Qt.Key(event.key()))
        if wanted is not None and self.current_row() >= 0:
            index = self.model().index(self.current_row(), 0)
            if index.data(TimelineModel.Role.EXPANDED) is wanted:
                self._timeline.toggle(index.row())
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(event.globalPos())
