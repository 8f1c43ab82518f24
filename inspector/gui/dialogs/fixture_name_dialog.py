"""Asks for the name of a fixture, to save it or to rename it.

Lives here: `FixtureNameDialog`. Not here: saving (gui.fixture_link), rules of names
(workbench.fixture). gui.fixture_link and dialogs.fixture_dialog import it.
"""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing
from inspector.workbench import fixture
from inspector.workbench.fixture_store import Entry

_WIDTH = 420


class FixtureNameDialog(QDialog):
    """One field, and under it what the name will do; closes itself for good.

    Signals:
        named(str, Entry | None): the name, and the fixture that is to be replaced.
    """

    named = Signal(str, object)

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        name: str,
        taken: Mapping[str, Entry],
        renames: Entry | None = None,
        changed: frozenset[str] = frozenset(),
    ) -> None:
        """Ask for a name.

        Args:
            parent: The owner.
            title: What is asked, e.g. `Save on-shell as a fixture`.
            name: What stands in the field at first.
            taken: The user's own files by the key of their name.
            renames: The fixture that gets the name, or None when a new one is saved.
            changed: Paths that another program changed since they were loaded.
        """
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._taken = dict(taken)
        self._renames = renames
        self._changed = changed
        self.field = QLineEdit(name, self)
        self.field.setAccessibleName("Name of the fixture")
        self.field.setPlaceholderText("Name of the fixture")
        self.field.setMaxLength(fixture.MAX_NAME)
        self.field.selectAll()
        self.note = QLabel(self)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setWordWrap(True)
        # Two lines always, so that nothing moves under the pointer.
        self.note.setMinimumHeight(2 * self.note.fontMetrics().lineSpacing())
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.accept_button = self.buttons.addButton("Save", QDialogButtonBox.ButtonRole.AcceptRole)
        self.accept_button.setDefault(True)
        look.set_property(self.accept_button, "tone", "primary")
        layout = QVBoxLayout(self)
        layout.setSpacing(Spacing.S)
        layout.addWidget(self.field)
        layout.addWidget(self.note)
        layout.addStretch(1)
        layout.addWidget(self.buttons)
        self.resize(_WIDTH, self.sizeHint().height())
        self.field.textChanged.connect(self._update)
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.close)
        self._update()

    def name(self) -> str:
        """The name as it would be kept."""
        return fixture.clean_name(self.field.text())

    def replaced(self) -> Entry | None:
        """The fixture of that name, or None."""
        found = self._taken.get(fixture.name_key(self.name()))
        if found is not None and self._renames is not None and found.path == self._renames.path:
            return None
        return found

    @Slot()
    def _update(self) -> None:
        name, found = self.name(), self.replaced()
        problem = self._problem(name, found)
        self.accept_button.setEnabled(not problem)
        verb = "Save" if self._renames is None else "Rename"
        self.accept_button.setText("Replace" if found and not problem else verb)
        self.accept_button.setAccessibleName(self.accept_button.text())
        note = problem or self._warning(found) or f"Kept as {fixture.file_stem(name)}.json."
        self.note.setText(note)
        self.note.setAccessibleName(note)
        role = "negative" if problem and name else "caution" if found else "muted"
        look.set_property(self.note, "tone", role)

    def _problem(self, name: str, found: Entry | None) -> str:
        if not name:
            return "A fixture needs a name."
        if found is None:
            return ""
        if not found.is_fixture:
            return f"{found.note} It is left as it is; choose another name."
        if self._renames is not None:
            return "There is a fixture of this name; choose another one."
        return ""

    def _warning(self, found: Entry | None) -> str:
        if found is None:
            return ""
        if found.path in self._changed:
            return "The fixture of this name was changed by another program since it was loaded."
        return "There is a fixture of this name; it will be replaced. Undo brings it back."

    @Slot()
    def _on_accepted(self) -> None:
        if self.accept_button.isEnabled():
            self.named.emit(self.name(), self.replaced())
            self.close()
