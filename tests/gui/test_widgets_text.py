"""Text fields: exact to the letter, nothing hidden, nothing cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QTextCursor
from PySide6.QtTest import QTest

from inspector.gui.widgets import text_field
from inspector.gui.widgets.text_field import TextField
from inspector.gui.widgets.text_line import ManyLinesEdit, TextLine
from inspector.gui.widgets.visible_text import EscapeError, escape, is_plain, unescape, whole

TEXT = st.text(st.characters(codec="utf-8"))
HIDDEN = "\0\x1b\x7f\x85\u00a0\u200d\u2028\u2029\u202e\ufeff\ufffc\U000e0001"


class TestVisibleText:
    """Escapes."""

    @given(TEXT)
    def test_every_text_comes_back(self, text):
        """Escaping and reading back loses nothing, in one line and in many."""
        assert unescape(escape(text)) == text
        assert unescape(escape(text, keep_lines=True)) == text

    @given(TEXT)
    def test_escaped_text_is_plain(self, text):
        """What is shown holds nothing that cannot be seen."""
        assert is_plain(escape(text))
        assert is_plain(escape(text, keep_lines=True), many_lines=True)

    @pytest.mark.parametrize("char", HIDDEN)
    def test_hidden_characters_are_not_plain(self, char):
        """Each of them asks for escapes."""
        assert not is_plain(f"a{char}b")
        assert not is_plain(f"a{char}b", many_lines=True)

    def test_line_ends_are_plain_only_in_many_lines(self):
        """A line shows no line end; a box of many does. CR is seen in neither."""
        assert is_plain("a\nb\tc", many_lines=True)
        assert not is_plain("a\nb")
        assert not is_plain("a\rb", many_lines=True)

    def test_letters_of_every_script_stay(self):
        """Only what cannot be seen is escaped."""
        assert escape("é שלום 漢字 😀") == "é שלום 漢字 😀"
        assert escape("a\\b\0\U000e0001") == "a\\\\b\\u0000\\udb40\\udc01"

    @pytest.mark.parametrize("text", ["\\q", "\\", "\\u12", "a\\ud800", "\\udc00\\ud800"])
    def test_wrong_escapes_are_told(self, text):
        """Each gives a sentence."""
        with pytest.raises(EscapeError, match=r"\.$"):
            unescape(text)

    def test_halves_are_put_together(self):
        """Two halves are one character, one half is none."""
        assert whole("\ud83d\ude00") == "😀"
        with pytest.raises(EscapeError):
            whole("a\ud83d")


@pytest.fixture
def field(qtbot):
    field = TextField("stdout")
    qtbot.addWidget(field)
    field.resize(300, 30)
    field.show()
    qtbot.waitExposed(field)
    return field


class TestTextField:
    """What is shown is what there is."""

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "plain",
            "two\nlines",
            HIDDEN,
            "\\n",
            "a\tb",
            "x" * 1000,
            "\r\n",
            "שלום\u202e",
            "😀" * 70,
        ],
    )
    def test_value_is_kept_to_the_letter(self, field, text):
        """Every text comes back, and what is shown stands for it."""
        field.set_value(text)
        assert field.value() == text
        shown = field.typed()
        assert (unescape(shown) if field.is_escaped() else shown) == text

    def test_typing_is_told_and_taken(self, field, qtbot):
        """Keys change the value."""
        field.setFocus()
        with qtbot.waitSignal(field.changed):
            QTest.keyClicks(field.line, "abc")
        assert field.value() == "abc"

    def test_long_text_opens_many_lines(self, field):
        """A long text has room, a short one a line."""
        field.set_value("word " * 50)
        assert field.is_many()
        assert field.many.isVisible()
        assert not field.line.isVisible()
        field.set_value("word")
        assert not field.is_many()

    def test_pasted_lines_open_many_lines(self, field, qtbot):
        """Line ends are kept, not turned into blanks."""
        QGuiApplication.clipboard().setText("one\r\ntwo")
        field.line.setFocus()
        QTest.keyClick(field.line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert field.value() == "one\ntwo"
        assert field.is_many()
        assert field.many.hasFocus()

    def test_pasted_control_characters_show_as_escapes(self, field):
        """A NUL from the clipboard is seen, and the cursor stands behind it."""
        QGuiApplication.clipboard().setText("a\0b")
        field.line.setFocus()
        field.line.paste()
        assert field.value() == "a\0b"
        assert field.line.text() == "a\\u0000b"
        assert field.is_escaped()
        QTest.keyClicks(field.line, "c")
        assert field.value() == "a\0bc"

    def test_escapes_can_be_typed(self, field):
        """With escapes on, a control character is typed as one."""
        field.escape_action.trigger()
        QTest.keyClicks(field.line, "a\\t\\\\b")
        assert field.value() == "a\t\\b"

    def test_half_an_escape_is_a_problem_and_the_value_waits(self, field):
        """While an escape is being typed there is a sentence, and no new value."""
        field.set_value("x\0")
        field.line.setFocus()
        field.line.end(False)
        QTest.keyClicks(field.line, "\\")
        assert "no escape" in field.problem()
        assert field.value() == "x\0"
        assert field.line.accessibleDescription() == field.problem()
        QTest.keyClicks(field.line, "n")
        assert field.problem() == ""
        assert field.value() == "x\0\n"

    def test_escapes_cannot_be_switched_off_when_they_are_needed(self, field):
        """A text with hidden characters has no other view."""
        field.set_value("a\0")
        assert not field.escape_action.isEnabled()
        field.set_value("a\\")
        assert field.escape_action.isEnabled()

    def test_shift_enter_is_a_line_end(self, field):
        """Qt's own key would insert U+2028."""
        field.set_value("a\n")
        QTest.keyClick(field.many, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert field.value() == "\na\n"

    def test_control_enter_is_left_to_the_window(self, field):
        """Firing never inserts a line end."""
        field.set_value("a\n")
        key = QKeyEvent(
            QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier, "\r"
        )
        field.many.keyPressEvent(key)
        assert not key.isAccepted()
        assert field.value() == "a\n"

    def test_no_break_space_is_not_changed(self, field):
        """Qt's toPlainText would give a blank."""
        field.set_value("a\n")
        field.many.insertPlainText("\u00a0")
        assert field.value() == "\u00a0a\n"
        assert field.is_escaped()

    def test_more_than_32767_characters_in_many_lines(self, field):
        """Qt's line edit cuts there without a word; ours does not."""
        text = "\n".join(["x" * 100] * 500)
        field.set_value(text)
        assert not field.is_held()
        assert field.value() == text
        assert field.typed() == text

    def test_big_text_is_held_whole(self, field):
        """A mebibyte is not laid out, but it is all there."""
        text = "x" * 1_048_576
        field.set_value(text)
        assert field.is_held()
        assert field.value() == text
        assert field.typed() == text
        assert "1,048,576 characters" in field._preview.text()
        field.copy_action.trigger()
        assert QGuiApplication.clipboard().text() == text

    def test_clear_empties_a_held_text(self, field, qtbot):
        """There is a way out of a text that cannot be edited."""
        field.set_value("x" * (text_field.LONGEST_LINE + 1))
        with qtbot.waitSignal(field.changed):
            field.clear_action.trigger()
        assert field.value() == ""
        assert not field.is_held()
        assert field.line.isVisible()

    def test_same_value_leaves_the_cursor(self, field):
        """Being told what it already has disturbs nobody's typing."""
        field.set_value("hello")
        field.line.setFocus()
        field.line.setCursorPosition(2)
        field.set_value("hello")
        assert field.line.cursorPosition() == 2

    def test_parts_have_accessible_names(self, field):
        """A screen reader names each."""
        field.set_value("a\n")
        names = [field.line, field.many, field.button, field._preview]
        assert all("stdout" in widget.accessibleName() for widget in names)

    def test_lone_half_of_a_character_is_a_problem(self, field, monkeypatch):
        """A surrogate that stands alone, from a foreign clipboard say, is no text."""
        field.set_value("before")
        monkeypatch.setattr(field, "typed", lambda: "a\ud83d")
        field.line.textEdited.emit("")
        assert "alone" in field.problem()
        assert field.value() == "before"

    @pytest.mark.parametrize("text", ["one", "two\nlines", "x" * 50_000])
    def test_alt_down_opens_the_menu(self, field, qtbot, text):
        """Everything the button offers is there for the keyboard."""
        field.set_value(text)
        editor = field.focusProxy()
        QTest.keyClick(editor, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        menu = field.button.menu()
        qtbot.waitUntil(menu.isVisible)
        assert menu.actions() == field.actions_of_field()
        menu.close()


class TestLines:
    """The editors by themselves."""

    def test_outer_undo_is_ignored_by_the_line(self, qtbot):
        """The key goes on to the form."""
        line = TextLine()
        qtbot.addWidget(line)
        line.local_undo = False
        QTest.keyClicks(line, "abc")
        key = QKeyEvent(
            QEvent.Type.KeyPress, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier, "z"
        )
        line.keyPressEvent(key)
        assert not key.isAccepted()
        assert line.text() == "abc"

    def test_own_undo_is_kept_otherwise(self, qtbot):
        """Without a form the line undoes by itself."""
        line = TextLine()
        qtbot.addWidget(line)
        QTest.keyClicks(line, "abc")
        QTest.keyClick(line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert line.text() == ""

    def test_height_follows_the_text_within_bounds(self, qtbot):
        """Few lines take little room, many scroll."""
        box = ManyLinesEdit()
        qtbot.addWidget(box)
        box.resize(300, 100)
        heights = []
        for count in (1, 4, 8, 100, 200):
            box.set_text("\n".join("x" * count))
            heights.append(box.height())
        assert heights[0] < heights[1] < heights[2] < heights[3] == heights[4]

    def test_paste_keeps_everything_but_cr_lf(self, qtbot):
        """Line ends of Windows become line ends, the rest stays."""
        box = ManyLinesEdit()
        qtbot.addWidget(box)
        data = QMimeData()
        data.setText("a\r\nb\tc\u200d")
        box.insertFromMimeData(data)
        assert box.text() == "a\nb\tc\u200d"

    def test_text_before_cursor_counts_characters(self, qtbot):
        """Emoji are one character, not Qt's two."""
        line = TextLine()
        qtbot.addWidget(line)
        line.setText("😀a😀b")
        line.put_cursor_after("😀a")
        assert line.cursorPosition() == 3
        assert line.text_before_cursor() == "😀a"
        box = ManyLinesEdit()
        qtbot.addWidget(box)
        box.set_text("😀\nab")
        box.moveCursor(QTextCursor.MoveOperation.End)
        assert box.text_before_cursor() == "😀\nab"
