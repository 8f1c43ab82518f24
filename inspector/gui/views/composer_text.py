"""The text side of the composer: an editor, or a picture of a value too big for one.

Lives here: ComposerText. Not here: reading the text (models.form_composition). Only
composer_view imports it.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui.models.form_composition import Composition, Problem
from inspector.gui.widgets.banner import Banner
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.search_bar import SearchBar

_PLACEHOLDER = "The event as JSON, or as YAML like a step of a scenario"


class ComposerText(QWidget):
    """Shows and takes the text of a composition.

    Signals:
        edited(): the user changed the text; `text` has it.
        undo_requested(): the last change of a value that is too big to edit is to go.
    """

    edited = Signal()
    undo_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.banner = Banner(self)
        self.editor = CodeEdit("The event as text", self)
        self.editor.setPlaceholderText(_PLACEHOLDER)
        self.editor.set_language("json")
        self.search_bar = SearchBar(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        layout.setSpacing(Spacing.XS)
        layout.addWidget(self.banner)
        layout.addWidget(self.editor, 1)
        layout.addWidget(self.search_bar)
        self.setFocusProxy(self.editor)
        self._is_setting = False
        self.editor.textChanged.connect(self._on_text_changed)
        self.editor.paste_refused.connect(self._on_paste_refused)
        self.banner.action_triggered.connect(self.undo_requested)
        self.search_bar.searched.connect(self._on_searched)
        self.search_bar.next_requested.connect(self._on_next)
        self.search_bar.previous_requested.connect(self._on_previous)
        self.search_bar.closed.connect(self._on_search_closed)

    def text(self) -> str:
        """What stands in the editor."""
        return self.editor.text()

    def show_text(self, composition: Composition, *, is_new: bool) -> None:
        """Show the text of a composition.

        Args:
            composition: Whose text.
            is_new: Whether another composition was shown before: then nothing is left
                to undo.
        """
        self._is_setting = True
        held = composition.is_held()
        was_held = self.editor.isReadOnly()
        self.editor.setReadOnly(held)
        if held or is_new or was_held:
            self.editor.set_text(composition.text())
        else:
            self.editor.replace_text(composition.text())
        self._is_setting = False
        if held:
            self.banner.show_message(
                "info",
                "This value is too big to edit as text. Long parts are cut here; "
                "the whole value is fired.",
                "Undo" if composition.form.can_undo() else "",
            )
        else:
            self.banner.hide()
        self.search_bar.set_count(0, self.editor.search(""))

    def show_problem(self, problem: Problem | None) -> None:
        """Underline what is wrong, or nothing."""
        if problem is None or problem.path is not None:
            self.editor.clear_error()
        else:
            self.editor.set_error(problem.line, problem.column)

    def open_search(self) -> None:
        """Search in the text."""
        self.search_bar.open_search()
        self._on_searched(self.search_bar.text())

    @Slot()
    def _on_text_changed(self) -> None:
        # Qt tells of changed colours in the same way; the owner compares the text.
        if not self._is_setting:
            self.edited.emit()

    @Slot(int)
    def _on_paste_refused(self, length: int) -> None:
        self.banner.show_message(
            "warning", f"{length:,} characters are too many to paste; nothing was changed."
        )

    @Slot(str)
    def _on_searched(self, words: str) -> None:
        self.search_bar.set_count(0, self.editor.search(words))

    @Slot()
    def _on_next(self) -> None:
        self._go(self.editor.current_match() + 1)

    @Slot()
    def _on_previous(self) -> None:
        self._go(self.editor.current_match() - 1 if self.editor.current_match() >= 0 else -1)

    def _go(self, index: int) -> None:
        total = self.editor.search(self.search_bar.text())
        self.editor.show_match(index)
        self.search_bar.set_count(self.editor.current_match() + 1, total)

    @Slot()
    def _on_search_closed(self) -> None:
        self.editor.search("")
        self.editor.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Find):
            self.open_search()
        elif event.matches(QKeySequence.StandardKey.Undo) and self.editor.isReadOnly():
            self.undo_requested.emit()
        else:
            super().keyPressEvent(event)
