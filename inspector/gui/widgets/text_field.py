"""A field for any text: one line or many, with escapes for what cannot be seen.

Lives here: TextField. Not here: the two editors in it (text_line), the escapes
(visible_text). Only gui may import it.

The value is exact. A text that the editors cannot show to the letter is edited as
escapes; a text that they cannot show in good time is held, with its beginning shown.
"""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui.widgets import glyph, look
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.pill import PillLabel
from inspector.gui.widgets.text_line import ManyLinesEdit, TextLine
from inspector.gui.widgets.visible_text import EscapeError, escape, is_plain, unescape, whole

LONGEST_LINE = 20_000
"""Characters in one line that can be edited; a longer line is laid out too slowly."""

LONGEST_TEXT = 300_000
"""Characters that can be edited at all."""

LONG = 120
"""Characters from which a text is shown in many lines."""

SIDE_WIDTH = 26
"""Width of the menu button, for fields that align with this one."""

_BUTTON_HEIGHT = 22
_PREVIEW = 200


def is_too_big(text: str) -> bool:
    """Whether a text is held instead of edited."""
    if len(text) <= LONGEST_LINE:
        return False
    return len(text) > LONGEST_TEXT or max(map(len, text.split("\n"))) > LONGEST_LINE


class TextField(QWidget):
    """Edits one text to the letter.

    Signals:
        changed(): the user changed the text.
    """

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Make the field, empty; `name` is for assistive tools."""
        super().__init__(parent)
        self._name = name
        self._value = ""
        self._problem = ""
        self._many = False
        self._escaped = False
        self._held = False
        self.line = TextLine(self)
        self.line.setAccessibleName(name)
        self.line.setPlaceholderText("empty")
        self.many: ManyLinesEdit | None = None
        self._preview = TextLine(self)
        self._preview.setReadOnly(True)
        self._preview.setAccessibleName(f"{name}, beginning")
        self._pill = PillLabel("\\u", "accent", self)
        self._pill.setAccessibleName("Shown with escapes")
        self._pill.setToolTip(r"Shown with escapes: \n, \t, \u0000, and \\ for a backslash")
        self._reason = QLabel(self)
        self._reason.setWordWrap(True)
        self._reason.setFont(look.ui_font(small=True))
        look.set_property(self._reason, "tone", "negative")
        self._make_menu()
        self._lay_out()
        self.setFocusProxy(self.line)
        self.line.textEdited.connect(self._on_edited)
        self.line.menu_requested.connect(self.open_menu)
        self._preview.menu_requested.connect(self.open_menu)
        self._show()

    def _make_menu(self) -> None:
        self.many_action = self._check("Many lines", "expand")
        self.escape_action = self._check("Show escapes", "text")
        self.many_action.toggled.connect(self._on_many_toggled)
        self.escape_action.toggled.connect(self._on_escape_toggled)
        self.copy_action = QAction(glyph.icon("copy"), "Copy the whole text", self)
        self.copy_action.triggered.connect(self._on_copy)
        self.clear_action = QAction(glyph.icon("close"), "Clear", self)
        self.clear_action.triggered.connect(self._on_clear)
        self.button = QToolButton(self)
        self.button.setIcon(glyph.icon("more", "muted"))
        self.button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.button.setFixedSize(SIDE_WIDTH, _BUTTON_HEIGHT)
        self.button.setProperty("plainMenu", "true")
        self.button.setToolTip("Many lines, escapes, copy, clear (Alt+Down)")
        # Alt+Down in the field opens it; a second stop at every field would be a nuisance.
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.setAccessibleName(f"{self._name}, more")
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.button)
        menu.addActions(self.actions_of_field())
        self.button.setMenu(menu)

    def _check(self, text: str, icon: str) -> QAction:
        action = QAction(glyph.icon(icon), text, self)
        action.setCheckable(True)
        return action

    def actions_of_field(self) -> list[QAction]:
        """What the menu of the field offers."""
        return [self.many_action, self.escape_action, self.copy_action, self.clear_action]

    def _lay_out(self) -> None:
        self._column = QVBoxLayout()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        for widget in (self.line, self._preview, self._reason):
            self._column.addWidget(widget)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Spacing.XS)
        layout.addLayout(self._column, 1)
        for side in (self._pill, self.button):
            column = QVBoxLayout()
            column.setContentsMargins(0, 4 if side is self._pill else 1, 0, 0)
            column.addWidget(side)
            column.addStretch(1)
            layout.addLayout(column)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    # -- the value ----------------------------------------------------------------

    def value(self) -> str:
        """The text, exact; while there is a problem, the last one without."""
        return self._value

    def problem(self) -> str:
        """Why what was typed is no text, or ""."""
        return self._problem

    def typed(self) -> str:
        """What stands in the editor, escapes and all."""
        if self._held:
            return self._value
        return self.many.text() if self._many and self.many else self.line.text()

    def set_value(self, text: str) -> None:
        """Show a text without telling; the same text leaves the editor as it is."""
        if text == self._value and not self._problem:
            return
        self._value = text
        self._problem = ""
        self._held = is_too_big(text)
        self._many = not self._held and ("\n" in text or len(text) > LONG)
        self._escaped = not is_plain(text, many_lines=self._many)
        self._show()

    def set_typed(self, text: str, problem: str) -> None:
        """Show escapes that stand for no text, as they were typed, without telling."""
        if text == self.typed() and problem == self._problem:
            return
        self._held = False
        self._many = "\n" in text
        self._escaped = True
        self._problem = problem
        self._show(text)

    def is_many(self) -> bool:
        """Whether the editor with many lines is in use."""
        return self._many

    def is_escaped(self) -> bool:
        """Whether the editor shows escapes."""
        return self._escaped

    def is_held(self) -> bool:
        """Whether the text is too big to be edited."""
        return self._held

    def use_outer_undo(self) -> None:
        """Leave undo to a parent: the keys pass through."""
        self.line.local_undo = False

    # -- what the user does -------------------------------------------------------

    @Slot()
    def _on_edited(self) -> None:
        typed = self.typed()
        try:
            self._value = unescape(typed) if self._escaped else whole(typed)
        except EscapeError as error:
            self._problem = str(error)
            self._show_problem()
        else:
            self._problem = ""
            self._show_problem()
            self._follow_text()
        self.changed.emit()

    def _follow_text(self) -> None:
        """Take another way of showing when the text asks for it."""
        held = is_too_big(self._value)
        many = self._many or (not self._escaped and "\n" in self._value)
        escaped = self._escaped or not is_plain(self._value, many_lines=many)
        if (held, many, escaped) != (self._held, self._many, self._escaped):
            before = self._value_before_cursor()
            self._held, self._many, self._escaped = held, many and not held, escaped
            self._show()
            self._put_cursor_after(before)
        elif self.many is not None and self._many:
            self.many.fit_height()

    def _editor(self) -> TextLine | ManyLinesEdit:
        return self.many if self._many and self.many is not None else self.line

    def _value_before_cursor(self) -> str:
        before = self._editor().text_before_cursor()
        if not self._escaped:
            return before
        try:
            return unescape(before)
        except EscapeError:
            return self._value

    def _put_cursor_after(self, before: str) -> None:
        if self._held:
            return
        shown = escape(before, keep_lines=self._many) if self._escaped else before
        self._editor().put_cursor_after(shown)
        self._editor().setFocus()

    @Slot(bool)
    def _on_many_toggled(self, checked: bool) -> None:
        self._many = checked
        self._escaped = self._escaped or not is_plain(self._value, many_lines=checked)
        self._show()
        self._editor().setFocus()

    @Slot(bool)
    def _on_escape_toggled(self, checked: bool) -> None:
        self._escaped = checked or not is_plain(self._value, many_lines=self._many)
        self._problem = ""
        self._show()
        self._editor().setFocus()

    @Slot()
    def open_menu(self) -> None:
        """Open what the field offers besides typing."""
        self.button.menu().popup(self.button.mapToGlobal(self.button.rect().bottomLeft()))

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._value)

    @Slot()
    def _on_clear(self) -> None:
        self.set_value("")
        self.changed.emit()

    # -- showing ------------------------------------------------------------------

    def _show(self, typed: str | None = None) -> None:
        """Make every part show the value in the way that is in force.

        Args:
            typed: What stands in the editor instead of the value, if anything does.
        """
        if self._many and self.many is None:
            self._make_many()
        if self._held:
            self._preview.setText(self._preview_text())
            self._preview.setCursorPosition(0)
        elif self._many and self.many is not None:
            text = escape(self._value, keep_lines=True) if self._escaped else self._value
            self.many.set_text(text if typed is None else typed)
        else:
            text = escape(self._value) if self._escaped else self._value
            self.line.setText(text if typed is None else typed)
            if not self.line.hasFocus():
                self.line.setCursorPosition(0)  # the beginning says more than the end
        self._show_parts()
        self._show_problem()

    def _show_parts(self) -> None:
        self.line.setVisible(not self._many and not self._held)
        self._preview.setVisible(self._held)
        self._pill.setVisible(self._escaped and not self._held)
        if self.many is not None:
            self.many.setVisible(self._many)
        self.setFocusProxy(self._preview if self._held else self._editor())
        plain = is_plain(self._value, many_lines=self._many)
        for action, checked, enabled in (
            (self.many_action, self._many, not self._held),
            (self.escape_action, self._escaped and not self._held, plain and not self._held),
        ):
            action.blockSignals(True)
            action.setChecked(checked)
            action.setEnabled(enabled)
            action.blockSignals(False)

    def _show_problem(self) -> None:
        self._reason.setText(self._problem)
        self._reason.setVisible(bool(self._problem))
        editor = self._editor()
        editor.setAccessibleDescription(self._problem)
        look.set_property(editor, "invalid", "true" if self._problem else "false")

    def _preview_text(self) -> str:
        beginning = escape(self._value[:_PREVIEW])
        return f"{len(self._value):,} characters: {beginning}…"

    def _make_many(self) -> None:
        self.many = ManyLinesEdit(self)
        self.many.setAccessibleName(self._name)
        self.many.setPlaceholderText("empty")
        self.many.textChanged.connect(self._on_many_changed)
        self.many.menu_requested.connect(self.open_menu)
        self.many.local_undo = self.line.local_undo
        self._column.insertWidget(1, self.many)
        QWidget.setTabOrder(self.line, self.many)

    @Slot()
    def _on_many_changed(self) -> None:
        if self.many is not None and not self.many.is_setting:
            self._on_edited()
