"""The filter of the timeline: typing with completion, help, hiding or pointing out.

Lives here: `TimelineFilter`. Not here: what words mean (workbench.search), rows that fit
(models.timeline_model). Only timeline_view imports it.
"""

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QMenu, QToolButton, QWidget

from inspector.gui import icons
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.text_line import asks_for_shift_enter
from inspector.workbench import search
from inspector.workbench.search import Query
from inspector.workbench.search_help import EXAMPLES, completions, last_word

FILTER_MS = 150
"""Typing rests this long before the filter takes effect."""

_TIP = """Words must all stand in a row; a minus turns one round.
Down shows words to complete; the button with the question mark has examples."""


class TimelineFilter(QWidget):
    """One line to type a query into.

    Signals:
        query_changed(Query): another query, perhaps one with an error.
        highlight_changed(bool): rows are to be pointed out instead of hidden.
        next_requested(bool): the next row that fits is wanted; False for the one before.
        left(): Escape; the query is empty by then.
    """

    query_changed = Signal(object)
    highlight_changed = Signal(bool)
    next_requested = Signal(bool)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = _FilterField(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FILTER_MS)
        self._timer.timeout.connect(self.apply)
        self.field.textChanged.connect(self._timer.start)
        self.field.next_requested.connect(self._on_next)
        self.field.left.connect(self._on_left)
        self.highlight_button = self._button(
            "search", "Point out rows that fit instead of hiding the others"
        )
        self.highlight_button.setCheckable(True)
        self.highlight_button.toggled.connect(self.highlight_changed)
        self.help_button = self._button("help", "What can be typed into the filter")
        self.help_button.clicked.connect(self.open_help)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Spacing.XS)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.highlight_button)
        layout.addWidget(self.help_button)
        self.setFocusProxy(self.field)

    def _button(self, icon: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icons.icon(icon))
        button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        button.setToolTip(name)
        button.setAccessibleName(name)
        return button

    def set_hooks(self, names: tuple[str, ...]) -> None:
        """Offer these names of hooks."""
        self.field.set_words(completions(names))

    @Slot()
    def apply(self) -> None:
        """Let what is typed take effect now."""
        self._timer.stop()
        self.query_changed.emit(self.query())

    def query(self) -> Query:
        """What is typed, as a query."""
        return search.parse(self.field.text())

    @Slot(bool)
    def _on_next(self, forward: bool) -> None:
        if self._timer.isActive():
            self.apply()
        self.next_requested.emit(forward)

    @Slot()
    def _on_left(self) -> None:
        self.field.clear()
        self.apply()
        self.left.emit()

    @Slot()
    def open_help(self) -> None:
        """Show examples; the one that is chosen is added to what is typed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for word, meaning in EXAMPLES:
            action = QAction(f"{word}\t{meaning}".replace("&", "&&"), menu)
            action.setData(word)
            menu.addAction(action)
        menu.triggered.connect(self._add_example)
        menu.popup(self.help_button.mapToGlobal(self.help_button.rect().bottomLeft()))

    @Slot(QAction)
    def _add_example(self, action: QAction) -> None:
        text = self.field.text().rstrip()
        self.field.setText(f"{text} {action.data()}".lstrip())
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self.apply()


class _FilterField(QLineEdit):
    """The line itself; only the word at the end is completed.

    Signals:
        next_requested(bool): Enter, or Shift+Enter.
        left(): Escape.
    """

    next_requested = Signal(bool)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setPlaceholderText("Filter: text, hook:name, event:on-shell, is:bad")
        self.setToolTip(_TIP)
        self.setAccessibleName("Filter of the timeline")
        self.setClearButtonEnabled(True)
        self._words = QStringListModel(self)
        completer = _WordCompleter(self._words, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setMaxVisibleItems(12)
        self.setCompleter(completer)
        self.set_words(completions(()))

    def set_words(self, words: tuple[str, ...]) -> None:
        """Offer these words."""
        self._words.setStringList(list(words))

    def event(self, event: QEvent) -> bool:
        if asks_for_shift_enter(event):
            # Else the window would fire the last event again.
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.next_requested.emit(not shifted)
        elif key == Qt.Key.Key_Down:
            self.completer().setCompletionPrefix(last_word(self.text())[1])
            self.completer().complete()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        popup = self.completer().popup()
        if popup is not None and event.reason() is not Qt.FocusReason.PopupFocusReason:
            popup.hide()


class _WordCompleter(QCompleter):
    """Completes the word at the end and leaves what stands before it."""

    def splitPath(self, path: str) -> list[str]:
        word = last_word(path)[1]
        # Nothing typed offers nothing; the Down key asks for all.
        return [word] if word else ["\0"]

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        field = self.widget()
        kept = last_word(field.text())[0] if isinstance(field, QLineEdit) else ""
        return kept + str(super().pathFromIndex(index))
