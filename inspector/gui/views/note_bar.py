"""The line below the timeline in which a note about a row is written.

Lives here: `NoteBar`. Not here: which row (gui.timeline_link), keeping notes
(workbench.state). Only timeline_view imports it.
"""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing

LONGEST_NOTE = 10_000


class NoteBar(QWidget):
    """A note about one row; hidden at first.

    Signals:
        written(int, str): number of the row and the whole note, at each change.
        closed(): Enter or Escape; the note stays, it is hidden by then.
    """

    written = Signal(int, str)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._step = 0
        self._label = QLabel(self)
        look.set_property(self._label, "tone", "muted")
        self.field = QLineEdit(self)
        self.field.setMaxLength(LONGEST_NOTE)
        self.field.setPlaceholderText("What to remember about this row")
        self.field.setClearButtonEnabled(True)
        self.field.textEdited.connect(self._on_edited)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.XS, Spacing.S, Spacing.XS)
        layout.setSpacing(Spacing.S)
        layout.addWidget(self._label)
        layout.addWidget(self.field, 1)
        self.setFocusProxy(self.field)
        self.hide()

    def open_note(self, step: int, text: str) -> None:
        """Write the note of a row.

        Args:
            step: Number of the firing, as it is shown.
            text: The note so far.
        """
        self._step = step
        self._label.setText(f"Note on #{step:,}")
        self.field.setAccessibleName(f"Note on row {step}")
        self.field.setText(text)
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot(str)
    def _on_edited(self, text: str) -> None:
        self.written.emit(self._step, text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.hide()
            self.closed.emit()
            return
        super().keyPressEvent(event)
