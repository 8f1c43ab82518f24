"""The timeline pane: filter, rows, following, notes.

Lives here: `TimelineView`. Not here: which rows there are (models.timeline_model), the
table (timeline_table), what is done with a row (gui.timeline_link). Only
gui.main_window and gui.timeline_link import it.
"""

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons, theme
from inspector.gui.focus import DiffTarget, FiringTarget, Focus, HookTarget, Target
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.views.note_bar import NoteBar
from inspector.gui.views.timeline_filter import TimelineFilter
from inspector.gui.views.timeline_table import TimelineTable
from inspector.gui.widgets import look
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.workbench.formatting import count_text
from inspector.workbench.search import Query
from inspector.workbench.state import Firing


class TimelineView(QWidget):
    """Firings in order, the newest at the bottom.

    Signals:
        row_shown(): another row is the current one.
    """

    row_shown = Signal()

    def __init__(self, model: TimelineModel, focus: Focus, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._focus = focus
        self._menu_actions: tuple[QAction | None, ...] = ()
        self.table = TimelineTable(model, self)
        self.table.row_chosen.connect(self._on_row_chosen)
        self.table.follow_changed.connect(self._on_follow_changed)
        self.table.menu_requested.connect(self._open_menu)
        self.filter = TimelineFilter(self)
        self.filter_field = self.filter.field
        self.filter.query_changed.connect(self._on_query_changed)
        self.filter.highlight_changed.connect(self._on_highlight_changed)
        self.filter.next_requested.connect(self._on_next_requested)
        self.filter.left.connect(self._on_filter_left)
        self._fault = QLabel(self)
        self._fault.setTextFormat(Qt.TextFormat.PlainText)
        self._fault.setWordWrap(True)
        self._fault.setContentsMargins(Spacing.S, 0, Spacing.S, Spacing.XS)
        look.set_property(self._fault, "tone", "negative")
        self._fault.hide()
        self.note_bar = NoteBar(self)
        self.note_bar.closed.connect(self._on_filter_left)
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
        model.hits_changed.connect(self._show_count)
        model.filtered.connect(self._restore_row)
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
        bar.addWidget(self.filter, 3)
        bar.addWidget(self._follow_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._fault)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.note_bar)

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
            if not self._stays_at_hook(row):
                self._focus.show(self._model.target(row))
            self._tell_row()

    def _stays_at_hook(self, row: int) -> bool:
        """Whether a hook's page stays: a reset, pump or drain is told by the page itself."""
        firing = self._model.firing(row)
        is_control = firing is not None and firing.phase == "control"
        return is_control and isinstance(self._focus.target, HookTarget)

    @Slot(int)
    def _on_row_chosen(self, row: int) -> None:
        if row >= 0:
            target = self._model.target(row)
            if target is not None:
                self._focus.show(target)
        self._tell_row()

    def _tell_row(self) -> None:
        self.row_shown.emit()

    @Slot(object)
    def _on_focus_changed(self, target: Target | None) -> None:
        if not isinstance(target, FiringTarget):
            return
        row = self._model.row_of(target)
        if row is not None and row != self.table.current_row():
            self.table.show_row(row)
        self._tell_row()

    @Slot()
    def _restore_row(self) -> None:
        """Choose the row again that was chosen before the filter changed."""
        target = self._focus.target
        if isinstance(target, DiffTarget):
            target = FiringTarget(target.chosen)
        if not self.table.follows and isinstance(target, FiringTarget):
            row = self._model.row_of(target)
            if row is not None:
                self.table.show_row(row)
        self._tell_row()

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

    def selected_firings(self) -> tuple[Firing, ...]:
        """The firings of the selected rows, each once, in order."""
        found = map(self._model.firing, self.table.selected_rows())
        by_step = {firing.step: firing for firing in found if firing is not None}
        return tuple(by_step.values())

    def go_to_row(self, row: int | None) -> bool:
        """Choose a row and show it in the Detail pane; False for None."""
        if row is None:
            return False
        self.set_follow(False)
        self.table.show_row(row)
        self._on_row_chosen(row)
        return True

    @Slot(bool)
    def go_to_bad(self, forward: bool) -> bool:
        """Go to the next firing that ended badly, or the one before; False without one."""
        return self.go_to_row(self._model.next_bad(self.table.current_row(), forward=forward))

    @Slot(bool)
    def go_to_marked(self, forward: bool) -> bool:
        """Go to the next marked firing, or the one before; False without one."""
        return self.go_to_row(self._model.next_marked(self.table.current_row(), forward=forward))

    # -- rows and filter -----------------------------------------------------------------

    @Slot()
    def _on_rows_changed(self) -> None:
        shown = self._model.rowCount() > 0
        if self._is_hiding():
            self.empty.set_content("search", "No row fits the filter", "Clear it to see all rows.")
        else:
            shown = self._model.last_firing_row() is not None
            text = "Choose an event above and fire it."
            self.empty.set_content("event", "Nothing fired yet", text)
        self._show_count()
        self._stack.setCurrentWidget(self.table if shown else self.empty)
        self.setFocusProxy(self.table if shown else self.filter_field)
        if self.table.follows:
            self._show_newest()

    def _is_hiding(self) -> bool:
        return bool(self._model.query) and not self._model.is_highlighting

    @Slot()
    def _show_count(self) -> None:
        total = count_text(self._model.total, "entry", "entries")
        if self._is_hiding():
            self._count.setText(f"{self._model.rowCount():,} rows of {total}")
        elif self._model.query:
            self._count.setText(f"{count_text(self._model.hit_count, 'firing')} of {total}")
        else:
            self._count.setText(dropped_text(self._model.dropped))

    def set_hooks(self, names: tuple[str, ...]) -> None:
        """Offer these names of hooks in the filter."""
        self.filter.set_hooks(names)

    def set_has_notes(self, has_notes: bool) -> None:
        """Show the column of notes while there is one."""
        self.table.set_has_notes(has_notes)

    @Slot(object)
    def _on_query_changed(self, query: Query) -> None:
        self._fault.setText(query.error)
        self._fault.setVisible(bool(query.error))
        self.filter_field.setAccessibleDescription(query.error)
        if not query.error:
            self._model.set_query(query)

    @property
    def fault(self) -> str:
        """What is wrong with the filter, or ""."""
        return self._fault.text()

    @Slot(bool)
    def _on_highlight_changed(self, highlight: bool) -> None:
        self._model.set_highlighting(highlight)
        self._on_rows_changed()

    @Slot(bool)
    def _on_next_requested(self, forward: bool) -> None:
        self.go_to_row(self._model.next_hit(self.table.current_row(), forward=forward))

    @Slot()
    def _on_filter_left(self) -> None:
        shown = self.table if self._stack.currentWidget() is self.table else self.filter_field
        shown.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def focus_filter(self) -> None:
        """Put the cursor into the filter."""
        self.filter_field.selectAll()
        self.filter_field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # -- the menu of a row -----------------------------------------------------------------

    def set_menu_actions(self, actions: tuple[QAction | None, ...]) -> None:
        """What the menu of a row offers; None stands for a line between."""
        self._menu_actions = actions

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action in self._menu_actions:
            if action is None:
                menu.addSeparator()
            else:
                menu.addAction(action)
        menu.addAction(icons.icon("copy"), "Copy rows", self.table.copy_rows)
        menu.setToolTipsVisible(True)
        menu.popup(place)


def dropped_text(count: int) -> str:
    """How many of the oldest entries went to keep memory within bounds, or ""."""
    return f"without the oldest {count:,}" if count else ""
