"""Where the files of a session are, with buttons to copy and to open.

Lives here: `SessionFolders`. Not here: which folders there are (session_facts). Only
session_facts imports it.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QGridLayout,
    QLabel,
    QToolButton,
    QWidget,
)

from inspector.gui import icons
from inspector.gui.widgets import look
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing

_PATH = "folderPath"


class SessionFolders(QWidget):
    """A name, a path, and two buttons in each row.

    Signals:
        failed(str): a sentence, when a folder could not be opened.
    """

    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[QLabel, ElidedLabel, QToolButton, QToolButton]] = []
        self._shown: Sequence[tuple[str, str]] = ()
        # A group tells which of its buttons was pressed.
        self._copies = QButtonGroup(self)
        self._opens = QButtonGroup(self)
        self._copies.buttonClicked.connect(self._copy)
        self._opens.buttonClicked.connect(self._open)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(Spacing.XS)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)

    def set_folders(self, folders: Sequence[tuple[str, str]]) -> None:
        """Show these folders: what each is, and its path."""
        if folders == self._shown:
            return
        self._shown = folders
        while len(self._rows) < len(folders):
            self._rows.append(self._make_row(len(self._rows)))
        for row, widgets in enumerate(self._rows):
            for widget in widgets:
                widget.setVisible(row < len(folders))
        for (name, path), (key, value, copy, open_button) in zip(folders, self._rows, strict=False):
            key.setText(name)
            value.setText(path)
            value.setAccessibleName(f"{name}: {path}")
            copy.setAccessibleName(f"Copy the path of the {name}")
            open_button.setAccessibleName(f"Open the {name}")
            for button in (copy, open_button):
                button.setProperty(_PATH, path)

    def folders(self) -> list[tuple[str, str]]:
        """What is shown."""
        return list(self._shown)

    def buttons(self, row: int) -> tuple[QToolButton, QToolButton]:
        """The buttons of a row: copy, open."""
        return self._rows[row][2:]

    def _make_row(self, row: int) -> tuple[QLabel, ElidedLabel, QToolButton, QToolButton]:
        key = QLabel(self)
        key.setTextFormat(Qt.TextFormat.PlainText)
        look.set_property(key, "tone", "muted")
        value = ElidedLabel("", self)
        value.setFont(look.mono_font())
        copy = self._button("copy", "Copy the path")
        open_button = self._button("open", "Open the folder in the file manager")
        self._copies.addButton(copy)
        self._opens.addButton(open_button)
        for column, widget in enumerate((key, value, copy, open_button)):
            self._grid.addWidget(widget, row, column)
        return key, value, copy, open_button

    def _button(self, icon: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icons.icon(icon, "muted"))
        button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        button.setToolTip(tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    @Slot(QAbstractButton)
    def _copy(self, button: QAbstractButton) -> None:
        QGuiApplication.clipboard().setText(str(button.property(_PATH)))

    @Slot(QAbstractButton)
    def _open(self, button: QAbstractButton) -> None:
        path = str(button.property(_PATH))
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(path)):
            self.failed.emit(f"No file manager opened {path}.")
