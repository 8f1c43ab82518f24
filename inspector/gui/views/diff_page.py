"""The page that shows how a firing differs from the marked one.

Lives here: `DiffPage`. Not here: comparing (workbench.row_diff), which two are compared
(gui.timeline_link). Only detail_view imports it.
"""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.file_job import FileJob, FileResult
from inspector.gui.models.firing_row import DIFF_TITLES, diff_rows
from inspector.gui.views.detail_head import DetailHead
from inspector.gui.views.table_page import TablePage
from inspector.workbench.formatting import count_text
from inspector.workbench.row_diff import DiffLine, compare
from inspector.workbench.state import Firing


class DiffPage(QWidget):
    """Fields, results, logs and output of two firings, line by line."""

    def __init__(self, work: FileJob, parent: QWidget | None = None) -> None:
        """Make it.

        Args:
            work: Compares in the other thread.
            parent: The owner.
        """
        super().__init__(parent)
        self._work = work
        self._number = 0
        work.finished.connect(self._take)
        self.head = DetailHead(self)
        self.lines = TablePage("Differences", DIFF_TITLES, 1, parent=self)
        self.lines.table.setFont(theme.mono_font())
        self.lines.table.horizontalHeader().hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.lines, 1)
        self.setFocusProxy(self.lines)

    def show_firings(self, marked: Firing, chosen: Firing) -> None:
        """Compare two firings; the lines follow a moment later.

        Args:
            marked: Stands for −.
            chosen: Stands for +.
        """
        title = f"#{marked.step:,} {marked.event} → #{chosen.step:,} {chosen.event}"
        self.head.show_head("diff", "accent", title, "")
        about = f"− is the marked row #{marked.step:,}, + is the chosen row #{chosen.step:,}."
        self.head.show_sentences(
            about, "Times and numbers are left out. D shows the row again.", ()
        )
        self.lines.set_rows((), "Comparing…")
        self._number = self._work.submit(_Comparison(marked, chosen))

    @Slot(object)
    def _take(self, result: FileResult) -> None:
        if result.number != self._number:
            return
        lines: tuple[DiffLine, ...] = result.value or ()
        differing = sum(line.sign in "+-" for line in lines)
        summary = count_text(differing, "line differs", "lines differ")
        self.lines.set_rows(diff_rows(lines), summary)

    @Slot()
    def open_search(self) -> None:
        """The lines are few; the table itself finds what is typed."""
        self.lines.table.setFocus()


class _Comparison:
    """Two firings to be compared in the other thread."""

    def __init__(self, marked: Firing, chosen: Firing) -> None:
        self._marked = marked
        self._chosen = chosen

    def __call__(self) -> tuple[DiffLine, ...]:
        """Compare them."""
        return tuple(compare(self._marked, self._chosen))
