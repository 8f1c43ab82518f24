"""The findings about the capsule, one row each.

Lives here: `FindingModel`. Not here: who finds what (the engine), painting
(views.finding_view). Only views import it.
"""

import enum
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Slot,
)

from inspector.gui import icons, theme
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.formatting import one_line
from inspector.workbench.state import Diagnostic

TITLES = ("Severity", "Code", "Finding", "What to do", "Hook", "Place")
STOPS = "The runtime stops here first."

SIGNS = {
    "error": ("error", "negative"),
    "warning": ("warning", "caution"),
    "info": ("info", "accent"),
}
"""Picture and colour role of each severity."""


class Column(enum.IntEnum):
    """Columns of the findings."""

    SEVERITY = 0
    CODE = 1
    TEXT = 2
    HINT = 3
    HOOK = 4
    PLACE = 5


def place_of(finding: Diagnostic, *, short: bool = False) -> str:
    """Where a finding is, as FILE:LINE:COLUMN as far as known."""
    file = finding.file
    if file is not None and short:
        file = PurePath(file).name
    parts = [str(part) for part in (file, finding.line, finding.column) if part is not None]
    return ":".join(parts)


def finding_text(finding: Diagnostic) -> str:
    """A finding whole, as it is copied and told by tooltips."""
    head = f"{finding.severity.value} {finding.code}"
    if finding.hook:
        head += f" ({finding.hook})"
    stops = STOPS if finding.stops_launch else ""
    lines = (head, place_of(finding), finding.message, finding.hint, stops)
    return "\n".join(line for line in lines if line)


class FindingModel(QAbstractTableModel):
    """The diagnostics of the inspection, in its order."""

    def __init__(self, bridge: WorkbenchBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._findings: tuple[Diagnostic, ...] = ()
        bridge.capsule_changed.connect(self._update)
        theme.notifier().changed.connect(self._repaint)
        self._update()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What is shown."""
        return self._findings

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._findings)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        finding = self._findings[index.row()]
        column = Column(index.column())
        icon, color = SIGNS[finding.severity]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _cell(finding, column)
            case Qt.ItemDataRole.ToolTipRole:
                return finding_text(finding)
            case Qt.ItemDataRole.DecorationRole if column is Column.SEVERITY:
                return icons.icon(icon, color)
            case Qt.ItemDataRole.ForegroundRole if column is Column.SEVERITY:
                return theme.color(color)
            case Qt.ItemDataRole.ForegroundRole if column is not Column.TEXT:
                return theme.color("muted")
        return None

    @Slot()
    def _update(self) -> None:
        inspection = self._bridge.state.inspection
        findings = inspection.diagnostics if inspection else ()
        if findings != self._findings:
            self.beginResetModel()
            self._findings = findings
            self.endResetModel()

    @Slot()
    def _repaint(self) -> None:
        if self._findings:
            last = self.index(len(self._findings) - 1, len(Column) - 1)
            self.dataChanged.emit(self.index(0, 0), last)


def _cell(finding: Diagnostic, column: Column) -> str:
    match column:
        case Column.SEVERITY:
            word = finding.severity.value
            return f"{word}, stops here" if finding.stops_launch else word
        case Column.CODE:
            return finding.code
        case Column.HINT:
            return one_line(finding.hint, 400)
        case Column.TEXT:
            return one_line(finding.message, 400)
        case Column.HOOK:
            return finding.hook or ""
        case Column.PLACE:
            return place_of(finding, short=True)
