"""Finds a fixture, an example or an edge case by a few words, and keeps fixtures in order.

Lives here: `FixtureDialog`. Not here: rows (models.fixture_model), files and loading
(gui.fixture_link). Only gui.fixture_link imports it.
"""

from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons
from inspector.gui.models.fixture_model import Column, FixtureModel, Pick
from inspector.gui.views.row_table import RowTable
from inspector.gui.widgets import look
from inspector.gui.widgets.banner import Banner
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.workbench.fixture_store import Entry

_SIZE = QSize(760, 520)
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_NO_FIXTURES = "Compose an event and press Ctrl+S: it is kept here under a name."


class FixtureDialog(QDialog):
    """A search, a list, and what can be done with the chosen row; closes itself for good.

    Signals:
        pick_chosen(Pick, bool): load it; whether it is to be fired, too.
        rename_requested(Entry): ask for another name.
        duplicate_requested(Entry): copy it.
        star_requested(Entry, bool): make it a favourite, or no longer.
        delete_requested(Entry): take it away; it was confirmed.
        undo_requested(): take the last change of a file back.
    """

    pick_chosen = Signal(object, bool)
    rename_requested = Signal(object)
    duplicate_requested = Signal(object)
    star_requested = Signal(object, bool)
    delete_requested = Signal(object)
    undo_requested = Signal()

    def __init__(self, model: FixtureModel, parent: QWidget) -> None:
        """Make it over a model that others fill."""
        super().__init__(parent)
        self.setWindowTitle("Fixtures and values")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._model = model
        self._current = ""
        self._to_delete: Entry | None = None
        self._fire_reason = ""
        self.banner = Banner(self)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Search fixtures, examples and edge cases")
        self.search.setAccessibleName("Search fixtures, examples and edge cases")
        self.search.setClearButtonEnabled(True)
        self.search.installEventFilter(self)
        self.table = self._make_table()
        self.empty = EmptyState("search", "", "", self)
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        self.note = QLabel(self)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setWordWrap(True)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        # Two lines always, so that the list stays where it is.
        self.note.setMinimumHeight(2 * self.note.fontMetrics().lineSpacing())
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._make_buttons()
        self._lay_out()
        self._connect()
        self.resize(_SIZE.boundedTo(parent.size()))
        self._on_reset()
        self.search.setFocus()

    def _make_table(self) -> RowTable:
        table = RowTable("Fixtures and values", self)
        table.setModel(self._model)
        table.setSelectionMode(RowTable.SelectionMode.SingleSelection)
        table.installEventFilter(self)
        header = table.horizontalHeader()
        header.resizeSection(Column.EVENT, 190)
        header.resizeSection(Column.KIND, 110)
        header.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Stretch)
        return table

    def _make_buttons(self) -> None:
        self.load_button = self._button("event", "Load", "Put it into the composer (Enter)")
        look.set_property(self.load_button, "tone", "primary")
        self.load_button.setIcon(icons.icon("event", "on_accent"))
        self.fire_button = self._button("fire", "Load and fire", "(Ctrl+Enter)")
        self.star_button = self._button("star", "Star", "Favourites come first (Ctrl+B)")
        self.rename_button = self._button("edit", "Rename", "Give it another name (F2)")
        self.copy_button = self._button("copy", "Duplicate", "Copy it (Ctrl+D)")
        self.delete_button = self._button("trash", "Delete", "Take it away (Del in the list)")

    def _button(self, icon: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(icons.icon(icon), text, self)
        button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        button.setToolTip(tip)
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        return button

    def _lay_out(self) -> None:
        left = (self.star_button, self.rename_button, self.copy_button, self.delete_button)
        right = (self.fire_button, self.load_button)
        row = QHBoxLayout()
        row.setSpacing(Spacing.S)
        for button in left:
            row.addWidget(button)
        row.addStretch(1)
        for button in right:
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        layout.setSpacing(Spacing.S)
        for widget in (self.banner, self.search):
            layout.addWidget(widget)
        layout.addWidget(self.stack, 1)
        layout.addWidget(self.note)
        layout.addLayout(row)
        for first, second in pairwise((self.search, self.table, *left, *right)):
            QWidget.setTabOrder(first, second)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_searched)
        self.table.selectionModel().currentRowChanged.connect(self._update)
        self.table.row_chosen.connect(self._on_row_chosen)
        self.table.doubleClicked.connect(self.load)
        self._model.modelReset.connect(self._on_reset)
        self.banner.action_triggered.connect(self._on_banner_action)
        self.banner.closed.connect(self._on_banner_closed)
        self.load_button.clicked.connect(self.load)
        self.fire_button.clicked.connect(self.load_and_fire)
        self.star_button.clicked.connect(self.star)
        self.rename_button.clicked.connect(self.rename)
        self.copy_button.clicked.connect(self.duplicate)
        self.delete_button.clicked.connect(self.ask_delete)

    # -- what the owner says ---------------------------------------------------------------

    def set_fire_reason(self, reason: str) -> None:
        """Say why nothing can be fired, or ""."""
        self._fire_reason = reason
        self._update()

    def say(self, severity: str, sentence: str, *, can_undo: bool = False) -> None:
        """Tell what became of something, perhaps with the way back."""
        self._to_delete = None
        self.banner.show_message(severity, sentence, "Undo" if can_undo else "")

    def show_path(self, path: str) -> None:
        """Choose the row of a file, now or when it is listed."""
        self._current = f"path:{path}"
        self._on_reset()

    def pick(self) -> Pick | None:
        """What is chosen."""
        return self._model.pick(self.table.current_row())

    # -- rows -------------------------------------------------------------------------------

    @Slot(str)
    def _on_searched(self, text: str) -> None:
        self._current = ""
        self._model.set_search(text)

    @Slot()
    def _on_reset(self) -> None:
        rows = self._model.rowCount()
        wanted = self._row_of(self._current)
        self.table.show_row(min(max(wanted, 0), rows - 1))
        if rows == 0:
            searched = bool(self.search.text())
            title = "Nothing has these words" if searched else "No fixtures yet"
            sentence = "Use fewer of them." if searched else _NO_FIXTURES
            self.empty.set_content("search" if searched else "save", title, sentence)
        self.stack.setCurrentWidget(self.table if rows else self.empty)
        self._update()

    def _row_of(self, key: str) -> int:
        for row in range(self._model.rowCount()):
            found = self._model.pick(row)
            if found is not None and _key(found) == key:
                return row
        return 0

    @Slot(int)
    def _on_row_chosen(self, row: int) -> None:
        found = self._model.pick(row)
        if found is not None:
            self._current = _key(found)

    @Slot()
    def _update(self) -> None:
        pick = self.pick()
        usable, own = pick is not None and pick.is_usable, pick is not None and pick.is_own
        self.load_button.setEnabled(usable)
        self.fire_button.setEnabled(usable and not self._fire_reason)
        self.fire_button.setToolTip(self._fire_reason or "Load it and fire (Ctrl+Enter)")
        is_file = pick is not None and pick.entry is not None and pick.entry.is_fixture
        self.star_button.setEnabled(is_file)
        self.star_button.setText("No star" if pick is not None and pick.is_star else "Star")
        self.copy_button.setEnabled(is_file)
        for button in (self.rename_button, self.delete_button):
            button.setEnabled(own)
        self.note.setText("" if pick is None else pick.note)
        bad = pick is not None and not pick.is_usable
        look.set_property(self.note, "tone", "caution" if bad else "muted")

    # -- what the user does -------------------------------------------------------------------

    @Slot()
    def load(self) -> None:
        """Put what is chosen into the composer and close."""
        self._choose(wants_fire=False)

    @Slot()
    def load_and_fire(self) -> None:
        """Put what is chosen into the composer, fire it, and close."""
        if not self._fire_reason:
            self._choose(wants_fire=True)

    def _choose(self, *, wants_fire: bool) -> None:
        pick = self.pick()
        if pick is not None and pick.is_usable:
            self.pick_chosen.emit(pick, wants_fire)

    def _entry(self, *, must_be_own: bool) -> Entry | None:
        pick = self.pick()
        if pick is None or pick.entry is None or not pick.entry.is_fixture:
            return None
        return pick.entry if pick.is_own or not must_be_own else None

    @Slot()
    def star(self) -> None:
        """Make what is chosen a favourite, or no longer."""
        entry = self._entry(must_be_own=False)
        if entry is not None:
            self.star_requested.emit(entry, not entry.is_star)

    @Slot()
    def rename(self) -> None:
        """Ask for another name."""
        entry = self._entry(must_be_own=True)
        if entry is not None:
            self.rename_requested.emit(entry)

    @Slot()
    def duplicate(self) -> None:
        """Copy what is chosen."""
        entry = self._entry(must_be_own=False)
        if entry is not None:
            self.duplicate_requested.emit(entry)

    @Slot()
    def ask_delete(self) -> None:
        """Ask whether what is chosen shall go."""
        entry = self._entry(must_be_own=True)
        if entry is not None:
            self.banner.show_message("warning", f"Delete “{entry.name}”?", "Delete")
            self._to_delete = entry
            self.banner.action_button.setFocus()

    @Slot()
    def _on_banner_action(self) -> None:
        entry, self._to_delete = self._to_delete, None
        self._on_banner_closed()
        self.banner.hide()
        if entry is not None:
            self.delete_requested.emit(entry)
        else:
            self.undo_requested.emit()

    @Slot()
    def _on_banner_closed(self) -> None:
        self._to_delete = None
        self.table.setFocus()

    # -- keys ---------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            in_list = watched is self.table
            if in_list and event.key() == Qt.Key.Key_Delete:
                self.ask_delete()
                return True
            if in_list and event.text().isprintable() and event.text().strip():
                # Typing in the list goes on searching.
                plain = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
                if not plain & ~Qt.KeyboardModifier.KeypadModifier:
                    self.search.setFocus()
                    self.search.setText(self.search.text() + event.text())
                    return True
            if not in_list and event.key() in _MOVES and self._model.rowCount():
                self.table.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        keys = {
            (Qt.Key.Key_Return, False): self.load,
            (Qt.Key.Key_Enter, False): self.load,
            (Qt.Key.Key_Return, True): self.load_and_fire,
            (Qt.Key.Key_Enter, True): self.load_and_fire,
            (Qt.Key.Key_F2, False): self.rename,
            (Qt.Key.Key_D, True): self.duplicate,
            (Qt.Key.Key_B, True): self.star,
        }
        does = keys.get((Qt.Key(event.key()), control))
        if does is not None:
            does()
        elif event.matches(QKeySequence.StandardKey.Undo) and self.banner.isVisible():
            if self._to_delete is None and self.banner.action_button.isVisible():
                self._on_banner_action()
        elif event.key() == Qt.Key.Key_Escape and self._to_delete is not None:
            self.banner.hide()
            self._on_banner_closed()
        else:
            super().keyPressEvent(event)


def _key(pick: Pick) -> str:
    """What tells a row from others when the rows are made anew."""
    return f"path:{pick.entry.path}" if pick.entry else f"made:{pick.kind}:{pick.name}"
