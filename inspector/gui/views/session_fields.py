"""Parts of the settings form: a field that may be off, a folder, a caption with a problem.

Lives here: `OptionalText`, `FolderField`, `FieldNote`. Not here: the form (session_form).
Only session_form imports it.
"""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons, theme
from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.text_field import TextField
from inspector.gui.widgets.text_line import TextLine


class FieldNote(QLabel):
    """What is wrong with a field, below it; hidden while nothing is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMinimumWidth(40)
        self.setFont(theme.ui_font(small=True))
        look.set_property(self, "tone", "negative")
        self.hide()

    def say(self, sentence: str) -> None:
        """Show a problem, or nothing."""
        self.setText(sentence)
        self.setVisible(bool(sentence))


class OptionalText(QWidget):
    """A switch and a text; switched off, the text stays for another time.

    Signals:
        changed(): the user changed one of them.
    """

    changed = Signal()

    def __init__(self, name: str, off: str, parent: QWidget | None = None) -> None:
        """Make the field.

        Args:
            name: What it is.
            off: What counts while it is off.
            parent: The owner.
        """
        super().__init__(parent)
        self.box = QCheckBox(name, self)
        self.box.setToolTip(f"Off: {off}")
        self.field = TextField(name, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.box)
        layout.addWidget(self.field)
        self.box.toggled.connect(self._on_toggled)
        self.field.changed.connect(self.changed)
        self._show()

    def set_value(self, *, is_on: bool, text: str) -> None:
        """Show a value without telling."""
        self.blockSignals(True)
        self.box.setChecked(is_on)
        self.field.set_value(text)
        self.blockSignals(False)
        self._show()

    @property
    def is_on(self) -> bool:
        """Whether the text counts."""
        return self.box.isChecked()

    @property
    def text(self) -> str:
        """The text, also while it does not count."""
        return self.field.value()

    @property
    def problem(self) -> str:
        """Why the text that counts is none, or ""."""
        return self.field.problem() if self.is_on else ""

    def _show(self) -> None:
        self.field.setVisible(self.is_on)

    @Slot()
    def _on_toggled(self) -> None:
        self._show()
        self.changed.emit()


class FolderField(QWidget):
    """The path of a folder, typed or chosen.

    Signals:
        changed(): the user changed it.
    """

    changed = Signal()

    def __init__(self, name: str, empty: str, parent: QWidget | None = None) -> None:
        """Make the field.

        Args:
            name: What it is.
            empty: What counts while it is empty.
            parent: The owner.
        """
        super().__init__(parent)
        self._name = name
        caption = QLabel(name, self)
        self.line = TextLine(self)
        self.line.setAccessibleName(name)
        self.line.setPlaceholderText(empty)
        self.choose_button = QToolButton(self)
        self.choose_button.setIcon(icons.icon("open"))
        self.choose_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.choose_button.setToolTip("Choose a folder")
        self.choose_button.setAccessibleName(f"Choose the {name.lower()}")
        self.choose_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        row = QHBoxLayout()
        row.setSpacing(Spacing.XS)
        row.addWidget(self.line, 1)
        row.addWidget(self.choose_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(caption)
        layout.addLayout(row)
        self.line.textEdited.connect(self.changed)
        self.choose_button.clicked.connect(self._choose)

    @property
    def path(self) -> str:
        """What is typed."""
        return self.line.text()

    def set_path(self, path: str) -> None:
        """Show a path without telling."""
        if path != self.line.text():
            self.line.setText(path)

    @Slot()
    def _choose(self) -> None:
        dialog = QFileDialog(self, self._name, self.path)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self._take)
        dialog.open()

    @Slot(str)
    def _take(self, path: str) -> None:
        self.set_path(path)
        self.changed.emit()
