"""The tab Memory of a hook's page: gauge, curve, and the bytes themselves.

Lives here: `MemoryPage`. Not here: rows of bytes (models.memory_model), painting
(memory_gauge). Only hook_page imports it.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError, with_hint
from inspector.gui import icons, theme
from inspector.gui.models.memory_model import Column, MemoryModel
from inspector.gui.views.memory_gauge import LimitBar, MemoryGauge
from inspector.gui.views.row_table import RowTable
from inspector.gui.widgets import look
from inspector.gui.widgets.combo_box import ComboBox
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.search_bar import SearchBar
from inspector.gui.widgets.text_line import TextLine
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import command, memory_view
from inspector.workbench.formatting import bytes_text
from inspector.workbench.headroom import MemoryCurve, part_text
from inspector.workbench.memory_view import PAGE_BYTES, ROW_BYTES


class MemoryPage(QWidget):
    """What a hook has in memory, read only; bytes are copied when they are asked for."""

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._hook = ""
        self._wanted = 0
        self._sizes: tuple[int, ...] = ()
        self._hit = -1
        self._generation = -1
        self.now = QLabel(self)
        self.now.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = LimitBar(self)
        self.gauge = MemoryGauge(self)
        self.memories = ComboBox("Memory of the instance", self)
        self.offset = TextLine(self)
        self.refresh_button = self._button("reload", "Read the page again")
        self.previous_button = self._button("left", "Previous page, 64 KiB before")
        self.next_button = self._button("right", "Next page, 64 KiB after")
        self.search_button = self._button("search", "Search in this page (Ctrl+F)")
        self.copy_button = self._button("copy", "Copy this page as text")
        self.note = QLabel(self)
        self.search_bar = SearchBar(self)
        self.model = MemoryModel(self)
        self.table = _ByteTable(self.model, self)
        self._lay_out()
        self._connect()
        self._show_note("")

    def _button(self, icon: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icons.icon(icon))
        button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        button.setToolTip(name)
        button.setAccessibleName(name.partition(" (")[0])
        return button

    def _lay_out(self) -> None:
        self.offset.setPlaceholderText("offset, e.g. 0x1000")
        self.offset.setAccessibleName("Go to offset")
        self.offset.setToolTip("Enter goes there: 4096, 0x1000 or 1000h")
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setFont(theme.ui_font(small=True))
        self.search_bar.field.setPlaceholderText("text, or hex: de ad be ef")
        head = QVBoxLayout()
        head.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, 0)
        head.setSpacing(Spacing.XS)
        for widget in (self.now, self.bar, self.gauge):
            head.addWidget(widget)
        row = QHBoxLayout()
        row.setSpacing(Spacing.XS)
        row.addWidget(self.memories)
        row.addWidget(self.offset, 1)
        for button in (
            self.previous_button,
            self.next_button,
            self.refresh_button,
            self.search_button,
            self.copy_button,
        ):
            row.addWidget(button)
        head.addLayout(row)
        head.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Spacing.XS)
        layout.addLayout(head)
        layout.addWidget(self.search_bar)
        layout.addWidget(self.table, 1)

    def _connect(self) -> None:
        self.memories.activated.connect(self._on_memory_chosen)
        self.offset.returnPressed.connect(self._on_offset_entered)
        self.refresh_button.clicked.connect(self.read)
        self.previous_button.clicked.connect(self._go_back)
        self.next_button.clicked.connect(self._go_on)
        self.search_button.clicked.connect(self.open_search)
        self.copy_button.clicked.connect(self._copy_page)
        self.search_bar.searched.connect(self._find)
        self.search_bar.next_requested.connect(self._go_next)
        self.search_bar.previous_requested.connect(self._go_previous)
        self.search_bar.closed.connect(self._end_search)
        self._bridge.memory_changed.connect(self._take_memory)

    # -- gauge -----------------------------------------------------------------------------

    def show_hook(self, name: str, curve: MemoryCurve, limit_bytes: int) -> None:
        """Show the memory of a hook.

        Args:
            name: The hook.
            curve: What was measured.
            limit_bytes: What each of its memories may have at most.
        """
        state = self._bridge.state
        live = state.hooks.get(name)
        size = live.memory_bytes if live else 0
        part = size / max(limit_bytes, 1)
        limit = bytes_text(limit_bytes)
        text = f"{bytes_text(size)} of {limit} each memory, {part_text(part)}"
        if curve.peak_bytes > size:
            text += f"  ·  at most {bytes_text(curve.peak_bytes)}"
        self.now.setText(text)
        self.bar.set_part(part, text)
        self.gauge.set_curve(curve, state.last_step, limit_bytes)
        is_other = name != self._hook
        is_fresh = live is not None and live.generation != self._generation
        self._hook = name
        self._generation = live.generation if live else -1
        if is_other:
            self._forget()
        if (is_other or is_fresh) and self.isVisible():
            self.read()
        self._update_buttons()

    def _forget(self) -> None:
        self._wanted, self._sizes, self._hit = 0, (), -1
        self.memories.clear()
        self.model.set_page(b"", 0)
        self._show_note("")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._hook and not self.model.page:
            self.read()

    # -- reading ---------------------------------------------------------------------------

    @property
    def memory(self) -> int:
        """Index of the memory that is shown."""
        return max(self.memories.currentIndex(), 0)

    @Slot()
    def read(self) -> None:
        """Ask for the page that is wanted."""
        reason = command.can_read_memory(self._bridge.latest, self._hook)
        if reason:
            self._show_note(reason)
            return
        start = memory_view.page_start(self._wanted)
        self._bridge.read_memory(self._hook, self.memory, start, PAGE_BYTES)

    @Slot()
    def _take_memory(self) -> None:
        found = self._bridge.state.memory
        if found is None or found.hook != self._hook:
            return
        self._sizes = found.sizes_bytes
        self._show_memories()
        if found.memory != self.memory:
            return
        self.model.set_page(found.data, found.offset)
        self._show_note(self._place_text())
        if self._wanted > found.offset:
            self.table.show_row((self._wanted - found.offset) // self.model.row_length)
        self._update_buttons()
        self._on_hits_changed()

    def _show_memories(self) -> None:
        texts = [f"memory {n}, {bytes_text(size)}" for n, size in enumerate(self._sizes)]
        shown = [self.memories.itemText(row) for row in range(self.memories.count())]
        if texts != shown:
            chosen = self.memory
            self.memories.clear()
            self.memories.addItems(texts)
            self.memories.setCurrentIndex(min(chosen, len(texts) - 1))
        self.memories.setVisible(len(texts) > 1)

    @property
    def _size(self) -> int:
        return self._sizes[self.memory] if self.memory < len(self._sizes) else 0

    def _place_text(self) -> str:
        if not self._sizes:
            return "The instance has no linear memory."
        if self.model.hits.is_cut:
            return f"More than {memory_view.MOST_HITS:,} places in this page; search for more."
        page = memory_view.page_start(self._wanted) // PAGE_BYTES
        pages = memory_view.page_count(self._size)
        return (
            f"Page {page + 1:,} of {pages:,}, as it was when it was read. "
            "A running call changes it; read it again to see."
        )

    def _show_note(self, sentence: str, role: str = "muted") -> None:
        self.note.setText(sentence)
        self.note.setVisible(bool(sentence))
        look.set_property(self.note, "tone", role)

    def _update_buttons(self) -> None:
        reason = command.can_read_memory(self._bridge.latest, self._hook)
        start = memory_view.page_start(self._wanted)
        self.refresh_button.setEnabled(not reason)
        self.offset.setEnabled(not reason and self._size > 0)
        self.previous_button.setEnabled(not reason and start > 0)
        self.next_button.setEnabled(not reason and start + PAGE_BYTES < self._size)
        for button in (self.search_button, self.copy_button):
            button.setEnabled(bool(self.model.page))

    # -- going about -----------------------------------------------------------------------

    @Slot(int)
    def _on_memory_chosen(self, memory: int) -> None:
        self._go_to(0)

    @Slot()
    def _on_offset_entered(self) -> None:
        try:
            self._go_to(memory_view.parse_offset(self.offset.text(), self._size))
        except InspectorError as error:
            self._show_note(with_hint(error.message, error.hint), "negative")

    @Slot()
    def _go_back(self) -> None:
        self._go_to(max(memory_view.page_start(self._wanted) - PAGE_BYTES, 0))

    @Slot()
    def _go_on(self) -> None:
        self._go_to(memory_view.page_start(self._wanted) + PAGE_BYTES)

    def _go_to(self, offset: int) -> None:
        self._wanted = offset
        self._hit = -1
        self.read()

    @Slot()
    def _copy_page(self) -> None:
        text = memory_view.dump_text(self.model.page, self.model.offset)
        QGuiApplication.clipboard().setText(text)

    # -- the search ------------------------------------------------------------------------

    @Slot()
    def open_search(self) -> None:
        """Show the field to search in."""
        self.search_bar.open_search()
        self._find(self.search_bar.text())

    @Slot(str)
    def _find(self, text: str) -> None:
        try:
            needle = memory_view.parse_needle(text)
        except InspectorError as error:
            self.model.set_needle(b"")
            self._show_note(with_hint(error.message, error.hint), "negative")
        else:
            self.model.set_needle(needle)
            self._show_note(self._place_text() if self.model.page else "")
        self._hit = -1
        self._on_hits_changed()

    def _on_hits_changed(self) -> None:
        self.search_bar.set_count(self._hit + 1, len(self.model.hits.offsets))

    @Slot()
    def _go_next(self) -> None:
        self._go(1)

    @Slot()
    def _go_previous(self) -> None:
        self._go(-1 if self._hit >= 0 else 0)

    def _go(self, by: int) -> None:
        offsets = self.model.hits.offsets
        if offsets:
            self._hit = (self._hit + by) % len(offsets)
            self.table.show_row(offsets[self._hit] // self.model.row_length)
            self._on_hits_changed()

    @Slot()
    def _end_search(self) -> None:
        self.model.set_needle(b"")
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)


class _ByteTable(RowTable):
    """Rows of sixteen bytes in the fixed font."""

    def __init__(self, model: MemoryModel, parent: QWidget) -> None:
        super().__init__("Bytes of the page", parent)
        self._bytes = model
        self.setModel(model)
        self.setFont(theme.mono_font(small=True))
        self.setFrameShape(RowTable.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setItemDelegate(_HitDelegate(self))
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.hide()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        whole = self.viewport().width() >= _characters(ROW_BYTES) * self._width
        wanted = ROW_BYTES if whole else ROW_BYTES // 2
        if wanted != self._bytes.row_length:
            self._bytes.set_row_length(wanted)
            self._fit()

    @property
    def _width(self) -> int:
        return self.fontMetrics().averageCharWidth()

    def _fit(self) -> None:
        count = self._bytes.row_length
        for column, characters in zip(Column, (10, 3 * count + 1, count + 2), strict=True):
            self.setColumnWidth(column, characters * self._width + Spacing.XS)

    def row_text(self, row: int) -> str:
        return "  ".join(self._bytes.cell(row, column) for column in Column)


def _characters(row_bytes: int) -> int:
    """Characters that a row of so many bytes takes."""
    return 10 + 4 * row_bytes + 5


class _HitDelegate(QStyledItemDelegate):
    """Puts a ground under rows that hold the searched bytes."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        if index.data(MemoryModel.Role.MATCH):
            painter.fillRect(option.rect, theme.color("match"))
        super().paint(painter, option, index)
