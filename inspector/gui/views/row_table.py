"""A table of rows that may grow for ever: look, copying, following its end.

Lives here: `RowTable`, which the timeline, the logs, findings and long texts share. Not
here: rows (gui.models). Only views import it.
"""

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from inspector.gui import theme
from inspector.gui.widgets import look

MOST_COPIED = 100_000
"""Rows that one copy takes."""


class RowTable(QTableView):
    """Whole rows of fixed height, no grid, nothing measured over all rows.

    Signals:
        follow_changed(bool): the table began or ceased to follow its end.
        row_chosen(int): the current row is another one by the user's doing; -1 for none.
    """

    follow_changed = Signal(bool)
    row_chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Make the table; `name` is for assistive tools."""
        super().__init__(parent)
        self._follow = False
        self._is_quiet = False
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(1)
        rows.setDefaultSectionSize(look.zoomed(theme.spacing.ROW_COMPACT))
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setSectionsMovable(False)
        columns.setMinimumSectionSize(24)
        self._end_timer = QTimer(self)
        self._end_timer.setSingleShot(True)
        self._end_timer.setInterval(0)
        self._end_timer.timeout.connect(self._go_to_end)
        self.verticalScrollBar().actionTriggered.connect(self._on_scrolled)
        self.verticalScrollBar().sliderMoved.connect(self._on_scrolled)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            model.rowsInserted.connect(self._on_grown)
            model.modelReset.connect(self._on_grown)

    # -- following -----------------------------------------------------------------------

    @property
    def follows(self) -> bool:
        """Whether the table stays at its end while rows arrive."""
        return self._follow

    @Slot(bool)
    def set_follow(self, follow: bool) -> None:
        """Begin or cease to follow the end."""
        if follow != self._follow:
            self._follow = follow
            self.follow_changed.emit(follow)
        if follow:
            self._end_timer.start()
        else:
            self._end_timer.stop()

    def is_at_end(self) -> bool:
        """Whether the last row is in view."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum()

    @Slot()
    def _on_grown(self) -> None:
        if self._follow:
            self._end_timer.start()

    @Slot()
    def _go_to_end(self) -> None:
        self.scrollToBottom()

    @Slot()
    def _on_scrolled(self) -> None:
        # The value moves only after the action was told.
        QTimer.singleShot(0, self, self._note_place)

    @Slot()
    def _note_place(self) -> None:
        self.set_follow(self.is_at_end())

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        self._note_place()

    # -- choosing ------------------------------------------------------------------------

    def current_row(self) -> int:
        """The current row, or -1."""
        return self.currentIndex().row()

    def choose_row(self, row: int) -> None:
        """Make a row the current one without telling; -1 for none."""
        self._is_quiet = True
        if row < 0:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        else:
            self.selectRow(row)
        self._is_quiet = False

    def show_row(self, row: int) -> None:
        """Make a row the current one and bring it into view."""
        self.choose_row(row)
        if row >= 0:
            index = self.model().index(row, 0)
            self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def currentChanged(
        self,
        current: QModelIndex | QPersistentModelIndex,
        previous: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().currentChanged(current, previous)
        if not self._is_quiet and current.row() != previous.row():
            self._tell_chosen(current.row())

    def focusInEvent(self, event: QFocusEvent) -> None:
        # Qt makes the first row the current one; that is no choice of the user.
        self._is_quiet = True
        super().focusInEvent(event)
        self._is_quiet = False

    def _tell_chosen(self, row: int) -> None:
        self.set_follow(row >= 0 and row == self.model().rowCount() - 1 and self._follow)
        self.row_chosen.emit(row)

    # -- copying -------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
            return
        if event.key() in (Qt.Key.Key_End, Qt.Key.Key_Home):
            super().keyPressEvent(event)
            self.set_follow(event.key() == Qt.Key.Key_End)
            return
        super().keyPressEvent(event)

    @Slot()
    def copy_rows(self) -> None:
        """Put the selected rows on the clipboard, one line each."""
        lines = [self.row_text(row) for row in self.selected_rows()[:MOST_COPIED]]
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))

    def selected_rows(self) -> list[int]:
        """Numbers of the selected rows, in order."""
        parts = self.selectionModel().selection().toList()
        spans = ((part.top(), part.bottom()) for part in parts)
        return sorted({row for top, bottom in spans for row in range(top, bottom + 1)})

    def row_text(self, row: int) -> str:
        """A row as it is copied: its cells with tabs between."""
        model = self.model()
        cells = (model.index(row, column).data() for column in range(model.columnCount()))
        return "\t".join(str(cell or "") for cell in cells).rstrip("\t")
