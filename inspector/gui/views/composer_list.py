"""The editor of a list: its items in a table, the chosen one under it.

Lives here: ListEditor. Not here: the rows (models.form_list_model), the item's own
editor (composer_editor). Only the composer's views import it.
"""

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.contract.type import ListOf, Record
from inspector.contract.value import Path
from inspector.gui import icons
from inspector.gui.models.form_list_model import FormListModel
from inspector.gui.models.form_model import FormModel, overlaps
from inspector.gui.views.composer_editor import (
    NESTED,
    Editor,
    Factory,
    TextEditor,
    nested,
    type_label,
)
from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing
from inspector.workbench import formatting

MOST_ROWS = 6
"""Rows that show before the table scrolls."""

_ALL_COLUMNS = 420
"""Room in pixels from which every column of a record shows."""

_STRETCHED = ("content",)
"""The column that gets the room; the first one when there is none of this name."""


class _ItemTable(QTableView):
    """The items; keys that change the list go to the owner.

    Signals:
        key_pressed(str): `remove`, `up`, `down`, `add` or `edit`.
    """

    key_pressed = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        plain = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        )
        keys = {
            (Qt.Key.Key_Delete, False): "remove",
            (Qt.Key.Key_Insert, False): "add",
            (Qt.Key.Key_F2, False): "edit",
            (Qt.Key.Key_Return, False): "edit",
            (Qt.Key.Key_Enter, False): "edit",
            (Qt.Key.Key_Up, True): "up",
            (Qt.Key.Key_Down, True): "down",
        }
        name = keys.get((Qt.Key(event.key()), alt)) if alt or plain else None
        if name is None:
            super().keyPressEvent(event)
        else:
            self.key_pressed.emit(name)


class ListEditor(Editor):
    """Edits a list of any type: add, remove, move, and edit the chosen item."""

    def __init__(
        self,
        form: FormModel,
        path: Path,
        kind: ListOf,
        name: str,
        parent: QWidget,
        factory: Factory,
    ) -> None:
        super().__init__(form, path, name, parent)
        self._kind = kind
        self._factory = factory
        self._room = 0
        self.model = FormListModel(form, path, kind, self)
        self.item: Editor | None = None
        self._holder: QWidget | None = None
        self._count = QLabel(self)
        self.add_button = self._button("add", "Add an item", "Insert")
        self.remove_button = self._button("remove", "Remove the item", "Delete")
        self.up_button = self._button("up", "Move the item up", "Alt+Up")
        self.down_button = self._button("down", "Move the item down", "Alt+Down")
        self.table = self._make_table()
        self._lay_out()
        self.add_button.clicked.connect(self.add)
        self.remove_button.clicked.connect(self.remove)
        self.up_button.clicked.connect(self._move_up)
        self.down_button.clicked.connect(self._move_down)
        self.table.key_pressed.connect(self._on_key)
        self.table.doubleClicked.connect(self._edit_item)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        for signal in (self.model.modelReset, self.model.rowsInserted, self.model.rowsRemoved):
            signal.connect(self._on_rows)
        self.setFocusProxy(self.add_button)
        self._on_rows()

    def _button(self, icon: str, text: str, key: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icons.icon(icon))
        button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        button.setToolTip(f"{text} ({key})")
        button.setAccessibleName(f"{self.name}: {text}")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _make_table(self) -> _ItemTable:
        table = _ItemTable(self)
        table.setAccessibleName(f"{self.name} items")
        table.setModel(self.model)
        table.setFont(look.mono_font())
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        numbers = table.verticalHeader()
        numbers.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        numbers.setDefaultSectionSize(look.zoomed(Spacing.ROW_COMPACT))
        numbers.setMinimumSectionSize(Spacing.ROW_COMPACT)
        self._set_columns(table)
        return table

    def _set_columns(self, table: QTableView) -> None:
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        element = self._kind.element
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names = [f.name for f in element.fields] if isinstance(element, Record) else [""]
        header.setVisible(isinstance(element, Record))
        stretched = next((n for n in names if n in _STRETCHED), names[0])
        self._stretched = names.index(stretched)
        for column, name in enumerate(names):
            if name == stretched:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
            else:
                width = header.fontMetrics().horizontalAdvance(name) + 2 * Spacing.S
                header.resizeSection(column, max(width, 3 * Spacing.L))

    def set_room(self, width: int) -> None:
        # The first column and the long one tell items apart; the rest is for wide windows.
        for column in range(self.model.columnCount()):
            is_extra = column not in (0, self._stretched)
            self.table.setColumnHidden(column, is_extra and width < _ALL_COLUMNS)
        self._room = width
        if self.item is not None:
            self.item.set_room(width - NESTED)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(0, 0, 0, 0)
        bar.setSpacing(2)
        bar.addWidget(self._count)
        bar.addSpacing(Spacing.S)
        bar.addWidget(type_label(self._kind, self), 1)
        for button in (self.add_button, self.remove_button, self.up_button, self.down_button):
            bar.addWidget(button)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Spacing.XS)
        self._layout.addLayout(bar)
        self._layout.addWidget(self.table)

    # -- Editor -------------------------------------------------------------------

    def bind(self, path: Path) -> None:
        self.path = path
        self.model.bind(path)

    def refresh(self) -> None:
        self._show_item()

    def on_changed(self, path: Path) -> None:
        # The rows follow by themselves.
        if self.item is not None and overlaps(path, self.item.path) and self._has_item():
            self.item.on_changed(path)

    def go_to(self, path: Path) -> None:
        if len(path) > len(self.path):
            self.table.selectRow(int(path[len(self.path)]))
            if self.item is not None:
                self.item.go_to(path)
        else:
            self.setFocus()

    # -- the chosen item ------------------------------------------------------------

    def row(self) -> int:
        """The number of the chosen item, or -1."""
        return self.table.currentIndex().row()

    def _has_item(self) -> bool:
        return 0 <= self.row() < self.model.rowCount()

    @Slot()
    def _on_rows(self) -> None:
        count = self.model.rowCount()
        self._count.setText(formatting.count_text(count, "item"))
        self.table.setVisible(count > 0)
        self._fit_height()
        if count and not self._has_item():
            self.table.setCurrentIndex(self.model.index(0, 0))
        self._show_item()

    def _fit_height(self) -> None:
        header = self.table.horizontalHeader()
        top = header.sizeHint().height() if not header.isHidden() else 0
        rows = min(max(self.model.rowCount(), 1), MOST_ROWS)
        self.table.setFixedHeight(
            top + rows * look.zoomed(Spacing.ROW_COMPACT) + 2 * self.table.frameWidth()
        )

    @Slot(QModelIndex, QModelIndex)
    def _on_row_changed(self, current: QModelIndex, previous: QModelIndex) -> None:
        self._show_item()

    def _show_item(self) -> None:
        has_item = self._has_item()
        row = self.row()
        self.remove_button.setEnabled(has_item)
        self.up_button.setEnabled(has_item and row > 0)
        self.down_button.setEnabled(has_item and row < self.model.rowCount() - 1)
        if has_item:
            self._show_editor((*self.path, row))
        if self._holder is not None:
            self._holder.setVisible(has_item)

    def _show_editor(self, path: Path) -> None:
        if self.item is None:
            element = self._kind.element
            self.item = self._factory(self.form, path, element, f"{self.name} item", self)
            self.item.set_room(self._room - NESTED)
            self._holder = nested(self.item, self)
            self._layout.addWidget(self._holder)
            if isinstance(self.item, TextEditor):
                self.item.field.line.returnPressed.connect(self.add)
        elif self.item.path != path:
            self.item.bind(path)
        else:
            self.item.refresh()

    # -- what the user does -------------------------------------------------------

    @Slot()
    def add(self) -> None:
        """Put a default item under the chosen one, choose it and edit it."""
        row = self.row() + 1 if self._has_item() else self.model.rowCount()
        self.model.add(row)
        self.table.setCurrentIndex(self.model.index(row, 0))
        self._edit_item()

    @Slot()
    def remove(self) -> None:
        """Take the chosen item out."""
        if self._has_item():
            self.model.remove(self.row())
            (self.table if self.model.rowCount() else self.add_button).setFocus()

    @Slot()
    def _move_up(self) -> None:
        self._move(-1)

    @Slot()
    def _move_down(self) -> None:
        self._move(1)

    def _move(self, by: int) -> None:
        row, target = self.row(), self.row() + by
        if self._has_item() and 0 <= target < self.model.rowCount():
            self.model.move(row, target)
            self._show_item()

    @Slot()
    def _edit_item(self) -> None:
        if self.item is not None and self._has_item():
            self.item.go_to(self.item.path)

    @Slot(str)
    def _on_key(self, name: str) -> None:
        {
            "add": self.add,
            "remove": self.remove,
            "up": self._move_up,
            "down": self._move_down,
            "edit": self._edit_item,
        }[name]()
