"""A JSON value as tree, text or raw, with a gate for large ones.

Lives here: `ValueView`. Not here: making text of values (workbench.formatting), rows of
the tree (value_model). Only views import it.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons, theme
from inspector.gui.jobs import SlicedJob
from inspector.gui.models.value_model import Column, ValueModel
from inspector.gui.views.row_delegate import RowDelegate
from inspector.gui.views.text_view import TextView
from inspector.gui.views.value_saver import ValueSaver
from inspector.gui.widgets import look
from inspector.gui.widgets.code_highlighter import Language
from inspector.gui.widgets.segmented_control import SegmentedControl
from inspector.workbench.formatting import (
    GATE_BYTES,
    Gated,
    broken_lines,
    bytes_text,
    compact_pieces,
    pretty_lines,
    rough_weight,
    weight,
)

TREE, TEXT, RAW = "tree", "text", "raw"
_PARSED_CHARACTERS = 1024 * 1024
"""A text that may be JSON is parsed for the tree up to here."""


class ValueView(QWidget):
    """One value in three forms; a long text shows its beginning until all is asked for."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Make the view; `name` is for assistive tools."""
        super().__init__(parent)
        self._value: Any = None
        self._tree_value: Any = None
        self._wanted = TREE
        self._gate: Gated | None = None
        self._saver: ValueSaver | None = None
        self._is_stale = {TREE: True, TEXT: True, RAW: True}
        self._job = SlicedJob(self)
        self._job.finished.connect(self._take_lines)
        self._forms = SegmentedControl(
            f"Form of {name}", ((TREE, "Tree"), (TEXT, "Text"), (RAW, "Raw")), self
        )
        self._forms.chosen.connect(self.show_form)
        self._size = QLabel(self)
        look.set_property(self._size, "tone", "muted")
        self._all_button = QPushButton("Show all", self)
        self._all_button.clicked.connect(self._show_all)
        self._copy_button = QToolButton(self)
        self._copy_button.setIcon(icons.icon("copy"))
        self._copy_button.setIconSize(QSize(theme.spacing.ICON, theme.spacing.ICON))
        self._copy_button.setToolTip("Copy the whole value")
        self._copy_button.setAccessibleName("Copy the whole value")
        self._copy_button.clicked.connect(self.copy)
        self._save_button = QToolButton(self)
        self._save_button.setIcon(icons.icon("save"))
        self._save_button.setIconSize(QSize(theme.spacing.ICON, theme.spacing.ICON))
        self._save_button.setToolTip("Save the whole value to a file…")
        self._save_button.setAccessibleName("Save the whole value to a file")
        self._save_button.clicked.connect(self._ask_save)
        self._save_button.hide()
        self._stack = QStackedWidget(self)
        self._tree = _make_tree(name, self._stack)
        self._model = ValueModel(self)
        self._tree.setModel(self._model)
        _set_up_columns(self._tree)
        self._texts = {form: TextView(f"{name}, {form}", self._stack) for form in (TEXT, RAW)}
        for widget in (self._tree, *self._texts.values()):
            self._stack.addWidget(widget)
        self._lay_out()

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(theme.spacing.S, theme.spacing.XS, theme.spacing.XS, 0)
        bar.setSpacing(theme.spacing.S)
        bar.addWidget(self._forms)
        bar.addStretch(1)
        bar.addWidget(self._size)
        bar.addWidget(self._all_button)
        bar.addWidget(self._copy_button)
        bar.addWidget(self._save_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.spacing.XS)
        layout.addLayout(bar)
        layout.addWidget(self._stack, 1)

    # -- the value -----------------------------------------------------------------------

    def set_value(self, value: Any) -> None:
        """Show another value in JSON form; it must not change afterwards."""
        self._value = value
        self._tree_value = _parsed(value)
        self._is_stale = dict.fromkeys(self._is_stale, True)
        self._size.setText(f"about {bytes_text(rough_weight(value))}")
        has_parts = isinstance(self._tree_value, dict | list | tuple)
        self._forms.button(TREE).setEnabled(has_parts)
        form = TEXT if self._wanted == TREE and not has_parts else self._wanted
        self._forms.set_current(form)
        self._show_form(form)

    @property
    def form(self) -> str:
        """The form that is shown."""
        return self._forms.current()

    @Slot(str)
    def show_form(self, form: str) -> None:
        """Show this value, and those to come, as `tree`, `text` or `raw`."""
        self._wanted = form
        self._forms.set_current(form)
        self._show_form(form)

    @property
    def shown_lines(self) -> list[str]:
        """The lines of the form that is shown; [] for the tree."""
        view = self._texts.get(self.form)
        return view.lines if view else []

    @property
    def is_cut(self) -> bool:
        """Whether only the beginning of the text is shown."""
        return self._all_button.isVisibleTo(self)

    @Slot()
    def open_search(self) -> None:
        """Search in the whole text, also beyond the gate; the tree gives way to it."""
        if self.form == TREE:
            self.show_form(TEXT)
        self._texts[self.form].open_search()
        if self._is_gated():
            self._start(None)

    def _is_gated(self) -> bool:
        """Whether a part of the text is held back, or would be."""
        is_long = weight(self._value, enough=GATE_BYTES) > GATE_BYTES
        return self.is_cut or (is_long and self._job.is_running)

    @Slot()
    def copy(self) -> None:
        """Put the exact text, or the JSON of another value, on the clipboard."""
        value = self._value
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        QGuiApplication.clipboard().setText(text)

    def set_saver(self, saver: ValueSaver) -> None:
        """Offer to save the value to a file."""
        self._saver = saver
        self._save_button.show()

    @Slot()
    def _ask_save(self) -> None:
        if self._saver is not None:
            self._saver.ask(self._value)

    # -- the forms -----------------------------------------------------------------------

    def _show_form(self, form: str) -> None:
        self._stack.setCurrentWidget(self._tree if form == TREE else self._texts[form])
        self._all_button.hide()
        self._job.cancel()
        if form == TREE:
            if self._is_stale[TREE]:
                self._is_stale[TREE] = False
                self._model.set_value(self._tree_value)
                self._open_small_tree()
            return
        # A search goes through the whole of each value that is shown while it is open.
        self._start(None if self._texts[form].is_searching else GATE_BYTES)

    def _open_small_tree(self) -> None:
        if self._model.rowCount() <= 8:
            self._tree.expandToDepth(0)

    @Slot()
    def _show_all(self) -> None:
        self._start(None)

    def _start(self, limit: int | None) -> None:
        form = self.form
        if not self._is_stale[form] and limit is not None:
            self._all_button.setVisible(bool(self._gate and self._gate.is_cut))
            return
        self._gate = Gated(_parts(self._value, form), limit)
        work: Iterator[str] = self._gate
        if limit is not None and weight(self._value, enough=2_000) <= 2_000:
            self._job.cancel()
            self._show_lines(list(work))
        else:
            self._job.start(work)

    @Slot(int, object)
    def _take_lines(self, number: int, parts: list[str]) -> None:
        if number == self._job.number:
            self._show_lines(parts)

    def _show_lines(self, parts: list[str]) -> None:
        form = self.form
        if form == RAW:
            parts = list(broken_lines("".join(parts)))
        language: Language = "json" if not isinstance(self._value, str) else "none"
        self._texts[form].set_lines(parts, language)
        self._all_button.setVisible(bool(self._gate and self._gate.is_cut))


def _parts(value: Any, form: str) -> Iterator[str]:
    """What is joined to the text of a form: lines, or pieces of one line for raw."""
    if isinstance(value, str):
        return iter((value,)) if form == RAW else broken_lines(value)
    if form == RAW:
        return compact_pieces(value)
    return (piece for line in pretty_lines(value) for piece in broken_lines(line))


def _parsed(value: Any) -> Any:
    """A text that is JSON as its value, for the tree."""
    if not isinstance(value, str) or not 2 <= len(value) <= _PARSED_CHARACTERS:
        return value
    if value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return value


def _make_tree(name: str, parent: QWidget) -> QTreeView:
    tree = QTreeView(parent)
    tree.setAccessibleName(f"{name}, tree")
    tree.setUniformRowHeights(True)
    tree.setIndentation(theme.spacing.M)
    tree.setFrameShape(QTreeView.Shape.NoFrame)
    tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    tree.setTextElideMode(Qt.TextElideMode.ElideRight)
    tree.setHeaderHidden(True)
    tree.setItemDelegate(RowDelegate(tree))
    return tree


def _set_up_columns(tree: QTreeView) -> None:
    header = tree.header()
    header.setSectionResizeMode(Column.KEY, QHeaderView.ResizeMode.Interactive)
    header.setSectionResizeMode(Column.VALUE, QHeaderView.ResizeMode.Stretch)
    tree.setColumnWidth(Column.KEY, 180)
