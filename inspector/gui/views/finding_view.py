"""The Findings pane: what is wrong with the capsule, and where.

Lives here: `FindingView`. Not here: rows (models.finding_model), the manifest
(manifest_view). Only gui.main_window imports it.
"""

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import with_hint
from inspector.gui import icons
from inspector.gui.focus import FindingTarget, Focus, Place
from inspector.gui.models.finding_model import Column, FindingModel, finding_text
from inspector.gui.views.row_table import RowTable
from inspector.gui.widgets import look
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.workbench.formatting import count_text, one_line
from inspector.workbench.state import Diagnostic

_WIDTHS = {
    Column.SEVERITY: 150,
    Column.CODE: 110,
    Column.HOOK: 110,
    Column.PLACE: 130,
}

_LONGEST_NOTE = 240
"""Characters shown beside the place; Detail has the whole."""


class FindingView(QWidget):
    """One row per finding; choosing one shows it whole in the Detail pane.

    Signals:
        jump_requested(Place): a finding's place is to be shown; the keyboard goes along.
        place_chosen(Place): the same, when a row is merely chosen.
    """

    jump_requested = Signal(object)
    place_chosen = Signal(object)

    def __init__(self, model: FindingModel, focus: Focus, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._focus = focus
        self.table = _FindingTable("Findings", self)
        self.table.setModel(model)
        self.table.setFrameShape(RowTable.Shape.NoFrame)
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.table.row_chosen.connect(self._on_row_chosen)
        self.table.jumped.connect(self.jump)
        self.table.doubleClicked.connect(self._on_double_clicked)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._on_menu_requested)
        header = self.table.horizontalHeader()
        for column, width in _WIDTHS.items():
            header.resizeSection(column, width)
        header.setSectionResizeMode(Column.TEXT, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(Column.HINT, QHeaderView.ResizeMode.Stretch)
        self.sums = QLabel(self)
        look.set_property(self.sums, "tone", "muted")
        self.jump_button = self._button("text", "Show in the manifest", self.jump)
        self.copy_button = self._button("copy", "Copy findings", self.copy)
        self.empty = EmptyState(
            "success", "No findings", "The manifest and the hooks are as the runtime wants.", self
        )
        page = QWidget(self)
        bar = QHBoxLayout()
        bar.setContentsMargins(Spacing.S, 2, Spacing.XS, 2)
        bar.addWidget(self.sums, 1)
        bar.addWidget(self.jump_button)
        bar.addWidget(self.copy_button)
        rows = QVBoxLayout(page)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(bar)
        rows.addWidget(self.table, 1)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(page)
        self._stack.addWidget(self.empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self.setFocusProxy(self.table)
        focus.changed.connect(self._update_jump)
        model.modelReset.connect(self._on_reset)
        self._on_reset()

    def _button(self, icon: str, words: str, slot: object) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icons.icon(icon))
        button.setAccessibleName(words)
        button.setToolTip(words)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        button.clicked.connect(slot)
        return button

    @Slot()
    def _on_reset(self) -> None:
        self._stack.setCurrentIndex(0 if self._model.rowCount() else 1)
        self.sums.setText(sums_text(self._model.findings))
        self._update_jump()

    # -- choosing ----------------------------------------------------------------------------

    @Slot(int)
    def _on_row_chosen(self, row: int) -> None:
        if row >= 0:
            self._focus.show(FindingTarget(row))
            if (place := self.place(row)) is not None:
                self.place_chosen.emit(place)

    def current(self) -> int:
        """The row that Copy and the jump take: the current one, or what Detail shows."""
        row = self.table.current_row()
        if row < 0 and isinstance(self._focus.target, FindingTarget):
            row = self._focus.target.index
        return row if row < self._model.rowCount() else -1

    def place(self, row: int) -> Place | None:
        """The place of a finding, or None when it has none."""
        findings = self._model.findings
        if not 0 <= row < len(findings):
            return None
        finding = findings[row]
        if finding.file is None and finding.line is None and finding.hook is None:
            return None
        note = one_line(with_hint(finding.message, finding.hint), _LONGEST_NOTE)
        severity = finding.severity.value
        if finding.line is None and finding.hook is not None:
            # About a component: its entry in the manifest is the place to go to.
            return Place(None, note=note, severity=severity, name=finding.hook)
        return Place(finding.line, finding.column, finding.file, note, severity)

    def jump_reason(self) -> str:
        """Why there is nowhere to jump to, or ""."""
        if self.current() < 0:
            return "Choose a finding first."
        return "" if self.place(self.current()) else "This finding is about no file."

    @Slot()
    def _update_jump(self) -> None:
        self.jump_button.setEnabled(not self.jump_reason())

    @Slot()
    def jump(self) -> None:
        """Show where the chosen finding is."""
        place = self.place(self.current())
        if place is not None:
            self.jump_requested.emit(place)

    @Slot(QModelIndex)
    def _on_double_clicked(self, _index: QModelIndex) -> None:
        self.jump()

    # -- copying -----------------------------------------------------------------------------

    @Slot()
    def copy(self) -> None:
        """Copy the chosen findings whole, all of them when none is chosen."""
        rows = self.table.selected_rows() or range(self._model.rowCount())
        text = "\n\n".join(finding_text(self._model.findings[row]) for row in rows)
        QGuiApplication.clipboard().setText(text)

    @Slot(QPoint)
    def _on_menu_requested(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        jump = menu.addAction(icons.icon("text"), "Show in the manifest", self.jump)
        jump.setEnabled(not self.jump_reason())
        menu.addAction(icons.icon("copy"), "Copy", self.copy)
        menu.popup(self.table.viewport().mapToGlobal(place))

    def menu_actions(self) -> list[QAction]:
        """What the menu of a row holds while it is open."""
        return [action for menu in self.findChildren(QMenu) for action in menu.actions()]


class _FindingTable(RowTable):
    """Enter jumps; a copy takes whole findings.

    Signals:
        jumped(): Enter was pressed.
    """

    jumped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.jumped.emit()
            return
        super().keyPressEvent(event)

    def row_text(self, row: int) -> str:
        model = self.model()
        assert isinstance(model, FindingModel)
        return finding_text(model.findings[row])


def sums_text(findings: tuple[Diagnostic, ...]) -> str:
    """How many findings of each severity, the worst first."""
    parts = []
    for severity, noun in (("error", "error"), ("warning", "warning"), ("info", "note")):
        count = sum(finding.severity.value == severity for finding in findings)
        if count:
            parts.append(count_text(count, noun))
    return ", ".join(parts)
