"""What the palette shows, one row per entry that was found.

Lives here: `PaletteModel`. Not here: finding (workbench.palette), painting
(views.palette_view). Only views import it.
"""

import enum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui import icons
from inspector.workbench.palette import Entry, Found

Index = QModelIndex | QPersistentModelIndex


class PaletteModel(QAbstractListModel):
    """A snapshot of what was found."""

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        FOUND = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: tuple[Found, ...] = ()

    def set_found(self, found: tuple[Found, ...]) -> None:
        """Show other entries."""
        self.beginResetModel()
        self._found = found
        self.endResetModel()

    def entry(self, row: int) -> Entry | None:
        """The entry of a row, or None."""
        return self._found[row].entry if 0 <= row < len(self._found) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._found)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        found = self._found[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return found.entry.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return spoken(found.entry)
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(filter(None, (found.entry.detail, found.entry.reason)))
            case Qt.ItemDataRole.DecorationRole if found.entry.icon:
                return icons.icon(found.entry.icon, "disabled" if found.entry.reason else "muted")
            case self.Role.FOUND:
                return found
        return None


def spoken(entry: Entry) -> str:
    """An entry as assistive tools read it."""
    parts = (entry.kind, entry.title, entry.keys, entry.reason or entry.detail)
    return ", ".join(filter(None, parts))
