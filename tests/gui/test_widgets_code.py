"""The code editor and the search bar."""

import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import QKeyEvent, QTextDocument
from PySide6.QtTest import QTest

from inspector.gui import theme
from inspector.gui.widgets import code_edit
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.code_highlighter import LONGEST_LINE, CodeHighlighter
from inspector.gui.widgets.search_bar import SearchBar


@pytest.fixture
def editor(qtbot):
    editor = CodeEdit("payload")
    qtbot.addWidget(editor)
    editor.resize(400, 300)
    editor.show()
    qtbot.waitExposed(editor)
    return editor


def _colored(document: QTextDocument, line: int) -> list[tuple[str, str]]:
    """The coloured words of a line with the colour of each."""
    block = document.findBlockByNumber(line)
    units = block.text().encode("utf-16-le")
    return [
        (
            units[2 * part.start : 2 * (part.start + part.length)].decode("utf-16-le"),
            part.format.foreground().color().name(),
        )
        for part in block.layout().formats()
    ]


def _role(name: str) -> str:
    return theme.color(name).name()


class TestText:
    """The text is exact and undo takes changes back."""

    @pytest.mark.parametrize("text", ["", "a\nb", "a\u00a0b", "\n\n", "😀\n\tx", "a\u2028b"])
    def test_text_comes_back(self, editor, text):
        """What was set is what is read."""
        editor.set_text(text)
        assert editor.text() == text

    def test_replacing_can_be_undone(self, editor):
        """One step takes a replaced text back, and one puts it in again."""
        editor.set_text("first")
        editor.replace_text("second\nline")
        editor.undo()
        assert editor.text() == "first"
        editor.redo()
        assert editor.text() == "second\nline"

    def test_replacing_by_the_same_keeps_the_cursor(self, editor):
        """Nothing moves when nothing changes."""
        editor.set_text("abc")
        editor.go_to(1, 3)
        editor.replace_text("abc")
        assert editor.textCursor().position() == 2
        assert not editor.document().isUndoAvailable()

    def test_enter_keeps_the_indentation(self, editor):
        """A new line stands under the last, deeper after a bracket."""
        editor.set_text("")
        QTest.keyClicks(editor, "{")
        QTest.keyClick(editor, Qt.Key.Key_Return)
        QTest.keyClicks(editor, '"a": 1,')
        QTest.keyClick(editor, Qt.Key.Key_Return)
        assert editor.text() == '{\n  "a": 1,\n  '

    def test_shift_enter_inserts_no_line_separator(self, editor):
        """The text has line feeds only."""
        QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert editor.text() == "\n"

    def test_control_enter_is_left_to_the_window(self, editor):
        """Firing inserts nothing."""
        key = QKeyEvent(
            QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier, "\r"
        )
        editor.keyPressEvent(key)
        assert not key.isAccepted()
        assert editor.text() == ""

    def test_tab_leaves_the_editor(self, editor):
        """The keyboard is not locked in."""
        assert editor.tabChangesFocus()

    def test_huge_paste_is_refused_and_told(self, editor, qtbot):
        """Nothing is half pasted."""
        data = QMimeData()
        data.setText("x" * (code_edit.LONGEST_PASTE + 1))
        with qtbot.waitSignal(editor.paste_refused) as told:
            editor.insertFromMimeData(data)
        assert told.args == [code_edit.LONGEST_PASTE + 1]
        assert editor.text() == ""

    def test_paste_of_windows_lines_gives_lines(self, editor):
        """CR LF is one line end."""
        data = QMimeData()
        data.setText("a\r\nb\rc")
        editor.insertFromMimeData(data)
        assert editor.text() == "a\nb\nc"


class TestError:
    """The one marked error."""

    @pytest.mark.parametrize(
        ("place", "marked"),
        [((1, 2), '"a"'), ((1, 7), "tru"), ((2, 4), "y"), ((1, 99), "}"), ((1, 5), ":")],
    )
    def test_the_word_at_the_place_is_underlined(self, editor, place, marked):
        """A word, a sign, or the last thing of a line that ends too early."""
        editor.set_text('{"a": tru}\n😀 xy')
        editor.set_error(*place)
        (selection,) = editor.extraSelections()
        assert selection.cursor.selectedText() == marked
        assert selection.format.underlineColor() == theme.color("negative")

    def test_place_outside_the_text_marks_nothing(self, editor):
        """A line that is gone does no harm."""
        editor.set_text("a")
        editor.set_error(5, 1)
        assert editor.extraSelections() == []

    def test_clearing_takes_the_mark_away(self, editor):
        """No mark stays behind."""
        editor.set_text("abc")
        editor.set_error(1, 1)
        editor.clear_error()
        assert editor.extraSelections() == []
        assert editor.error() is None

    def test_go_to_counts_characters(self, editor):
        """The cursor lands behind an emoji, not inside."""
        editor.set_text("x\n😀ab")
        editor.go_to(2, 2)
        assert editor.textCursor().positionInBlock() == 2
        assert editor.hasFocus()


class TestSearch:
    """Finding text."""

    def test_every_match_is_counted_and_gone_to(self, editor):
        """Without regard to case, around the end."""
        editor.set_text("Role role\n😀 ROLE")
        assert editor.search("role") == 3
        found = []
        for index in (0, 1, 2, 3):
            editor.show_match(index)
            found.append((editor.current_match(), editor.textCursor().selectedText()))
        assert found == [(0, "Role"), (1, "role"), (2, "ROLE"), (0, "Role")]

    def test_empty_words_end_the_search(self, editor):
        """No mark stays."""
        editor.set_text("aaa")
        editor.search("a")
        assert editor.search("") == 0
        assert editor.extraSelections() == []

    def test_signs_stand_for_themselves(self, editor):
        """A search is no pattern."""
        editor.set_text("a.c abc [x]")
        assert editor.search("a.c") == 1
        assert editor.search("[x]") == 1

    def test_only_some_of_many_matches_are_painted(self, editor):
        """All are counted; painting has a bound."""
        editor.set_text("a" * 5_000)
        assert editor.search("a") == 5_000
        assert len(editor.extraSelections()) == code_edit.MOST_MARKED
        editor.show_match(4_999)
        assert editor.textCursor().selectionEnd() == 5_000


class TestHighlighter:
    """Colours of the languages."""

    def test_json_words_have_their_roles(self, editor):
        """Keys, texts, numbers and words differ, also behind an emoji."""
        editor.set_language("json")
        editor.set_text('{"😀": "b", "n": -1.5e3, "t": null}')
        assert _colored(editor.document(), 0) == [
            ('"😀"', _role("accent")),
            ('"b"', _role("positive")),
            ('"n"', _role("accent")),
            ("-1.5e3", _role("notice")),
            ('"t"', _role("accent")),
            ("null", _role("caution")),
        ]

    def test_yaml_words_have_their_roles(self, editor):
        """Keys, texts, numbers, words and remarks differ."""
        editor.set_language("yaml")
        editor.set_text("exit-code: 1 # why\nname: 'x'\nflag: true\nversion: 0.1.0\n")
        document = editor.document()
        assert _colored(document, 0) == [
            ("exit-code", _role("accent")),
            ("1", _role("notice")),
            ("# why", _role("muted")),
        ]
        assert _colored(document, 1) == [("name", _role("accent")), ("'x'", _role("positive"))]
        assert _colored(document, 2) == [("flag", _role("accent")), ("true", _role("caution"))]
        assert _colored(document, 3) == [("version", _role("accent"))]

    def test_long_line_is_left_plain(self, editor):
        """A line beyond the bound costs nothing."""
        editor.set_language("json")
        editor.set_text('"' + "x" * LONGEST_LINE + '"\n"short"')
        assert _colored(editor.document(), 0) == []
        assert _colored(editor.document(), 1) == [('"short"', _role("positive"))]

    def test_colours_follow_the_look(self, editor, qapp):
        """Another palette repaints the words."""
        editor.set_language("json")
        editor.set_text("1")
        theme.apply(qapp, "dark")
        dark = theme.roles("dark")["notice"].name()
        assert _colored(editor.document(), 0) == [("1", dark)]

    def test_no_language_has_no_colours(self, qtbot):
        """Plain text is plain."""
        document = QTextDocument('{"a": 1}')
        highlighter = CodeHighlighter(document)
        highlighter.rehighlight()
        assert _colored(document, 0) == []
        highlighter.setParent(None)


def test_gutter__numbers__stand_for_visible_lines(editor):
    """Each line in view has its number, and the gutter grows with the digits."""
    editor.set_text("\n".join("ab"))
    assert [number for number, _ in editor.visible_lines()] == [1, 2]
    narrow = editor.gutter_width()
    editor.set_text("\n" * 1_000)
    assert editor.gutter_width() > narrow
    editor.go_to(900, 1)
    numbers = [number for number, _ in editor.visible_lines()]
    assert 900 in numbers
    assert len(numbers) < 100


class TestSearchBar:
    """The field around a search."""

    @pytest.fixture
    def bar(self, qtbot):
        bar = SearchBar()
        qtbot.addWidget(bar)
        bar.open_search()
        qtbot.waitExposed(bar)
        return bar

    def test_it_is_hidden_until_opened(self, qtbot):
        """It takes no room before it is asked for."""
        bar = SearchBar()
        qtbot.addWidget(bar)
        assert bar.isHidden()

    def test_typing_searches(self, bar, qtbot):
        """Each change of the text is told."""
        with qtbot.waitSignal(bar.searched) as told:
            QTest.keyClick(bar.field, "x")
        assert told.args == ["x"]

    def test_enter_goes_on_and_shift_enter_back(self, bar, qtbot):
        """The keys of every search."""
        with qtbot.waitSignal(bar.next_requested):
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
        with qtbot.waitSignal(bar.previous_requested):
            QTest.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)

    def test_escape_closes_and_keeps_the_text(self, bar, qtbot):
        """The text is there the next time."""
        bar.field.setText("word")
        with qtbot.waitSignal(bar.closed):
            QTest.keyClick(bar.field, Qt.Key.Key_Escape)
        assert bar.isHidden()
        bar.open_search()
        assert bar.field.selectedText() == "word"

    def test_count_has_words(self, bar):
        """Nothing, none, some, and the one of many."""
        assert bar.count_text() == ""
        bar.field.setText("x")
        bar.set_count(0, 0)
        assert bar.count_text() == "no match"
        assert not bar.next_button.isEnabled()
        bar.set_count(0, 1_234)
        assert bar.count_text() == "1,234 found"
        bar.set_count(3, 1_234)
        assert bar.count_text() == "3 of 1,234"
        assert bar.next_button.isEnabled()

    def test_buttons_have_names(self, bar):
        """Icons alone say nothing to a screen reader."""
        buttons = (bar.previous_button, bar.next_button, bar.close_button, bar.field)
        assert all(button.accessibleName() for button in buttons)
