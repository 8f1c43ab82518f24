"""The last notices, to read what went by.

Lives here: `NoticeDialog`. Not here: keeping them (workbench.reducer), showing one as it
comes (views.notice_view, views.status_view). Only gui.window_desk imports it.
"""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons
from inspector.gui.widgets import look
from inspector.gui.widgets.banner import SEVERITIES
from inspector.gui.widgets.look import Spacing
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.formatting import visible

_NONE = "Nothing was said yet. Notices that go by in the status bar are kept here."


class NoticeDialog(QDialog):
    """The newest first; stays open beside the window and goes on filling."""

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.setWindowTitle("Notices")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = QListWidget(self)
        self.list.setAccessibleName("The last notices, the newest first")
        self.list.setWordWrap(True)
        self.list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self.list.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.list.setSpacing(2)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy_button = QPushButton(icons.icon("copy"), "Copy", self)
        self.copy_button.setToolTip("Copy the chosen notices, or all of them")
        self.copy_button.clicked.connect(self.copy)
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.addWidget(self.list, 1)
        layout.addWidget(buttons)
        self.resize(look.zoomed(620), look.zoomed(360))
        bridge.remark_made.connect(self._fill)
        self._fill()

    @Slot()
    def _fill(self) -> None:
        self.list.clear()
        remarks = self._bridge.state.remarks
        for remark in reversed(remarks):
            name, role = SEVERITIES.get(remark.severity, SEVERITIES["info"])
            item = QListWidgetItem(icons.icon(name, role), visible(remark.message), self.list)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{remark.severity}: {remark.message}")
        self.copy_button.setEnabled(bool(remarks))
        if not remarks:
            item = QListWidgetItem(_NONE, self.list)
            item.setFlags(Qt.ItemFlag.NoItemFlags)

    @Slot()
    def copy(self) -> None:
        """Put the chosen notices on the clipboard, all of them when none is chosen."""
        rows = sorted(index.row() for index in self.list.selectedIndexes())
        rows = rows or list(range(self.list.count()))
        texts = (self.list.item(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in rows)
        QGuiApplication.clipboard().setText("\n".join(str(text) for text in texts if text))
