"""Editors of types that a contract may come to use, and of each kind on its own."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.contract.type import (
    BOOL,
    STRING,
    Case,
    Enum,
    Field,
    ListOf,
    OptionOf,
    Primitive,
    Record,
    TupleOf,
    Variant,
)
from inspector.gui.models.form_model import FormModel
from inspector.gui.views.composer_editor import JsonEditor
from inspector.gui.views.composer_form import ComposerForm

CONTROL = Qt.KeyboardModifier.ControlModifier
VARIANT = Variant("answer", (Case("none", None), Case("deny", STRING)))
INNER = Record("inner", (Field("level", Primitive("u8")), Field("label", STRING)))
RECORD = Record(
    "everything",
    (
        Field("flag", BOOL),
        Field("letter", Primitive("char")),
        Field("small", Primitive("s8")),
        Field("ratio", Primitive("f32")),
        Field("kind", Enum("kind", ("first", "second"))),
        Field("answer", VARIANT),
        Field("pair", TupleOf((STRING, Primitive("u8")))),
        Field("inner", INNER),
        Field("levels", ListOf(INNER)),
        Field("grid", ListOf(ListOf(Primitive("u8")))),
        Field("maybe", OptionOf(OptionOf(STRING))),
        Field("choice", OptionOf(Primitive("u64"))),
    ),
)


@pytest.fixture
def form(qtbot):
    model = FormModel(RECORD, {"letter": "x"})
    view = ComposerForm(model, None)
    qtbot.addWidget(view)
    view.resize(500, 900)
    view.show()
    qtbot.waitExposed(view)
    yield view
    model.deleteLater()


def _value(form):
    return form._form.value()


def _click(button):
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def _retype(line, text):
    line.setFocus()
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClicks(line, text)


def test_bool__space__turns_it_around(form):
    """A box with its value as a word."""
    box = form.editor("flag").box
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert _value(form)["flag"] is True
    assert box.text() == "true"
    form._form.undo()
    assert box.text() == "false"
    assert not box.isChecked()


def test_char__other_than_one_character__is_a_problem(form):
    """One character, no more and no less, also beyond Qt's own unit."""
    field = form.editor("letter").field
    _retype(field.line, "ab")
    (problem,) = form._form.problems()
    assert "exactly one" in problem[1].problem
    form.editor("letter").field.set_value("")
    form._form.set(("letter",), "😀")
    assert form._form.problems() == []
    assert field.value() == "😀"


@pytest.mark.parametrize(("text", "number"), [("-128", -128), ("127", 127), ("128", None)])
def test_small_integer__range__is_its_types(form, text, number):
    """Every width has its own range."""
    _retype(form.editor("small").edit.line, text)
    assert form.editor("small").edit.value() == number
    assert bool(form._form.problems()) is (number is None)


def test_enum__key__takes_the_next_case(form):
    """Worked by the keyboard."""
    box = form.editor("kind").box
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert _value(form)["kind"] == "second"


class TestJson:
    """Types without an editor of their own."""

    def test_variant_and_tuple_are_json(self, form):
        """The text is the value's."""
        assert isinstance(form.editor("answer"), JsonEditor)
        assert form.editor("answer").edit.text() == '"none"'
        assert isinstance(form.editor("pair"), JsonEditor)
        assert form.editor("pair").edit.text() == '[\n  "",\n  0\n]'

    def test_typed_json_is_the_value(self, form):
        """As soon as it is one, and as it was typed."""
        edit = form.editor("answer").edit
        edit.selectAll()
        edit.insertPlainText('{"deny":   "no"}')
        assert _value(form)["answer"] == {"deny": "no"}
        assert edit.text() == '{"deny":   "no"}'

    def test_wrong_json_is_a_problem_with_a_sentence(self, form):
        """Under the editor, until it is mended or taken back."""
        editor = form.editor("pair")
        editor.edit.selectAll()
        editor.edit.insertPlainText('["a", 256]')
        assert editor.reason.isVisible()
        assert "0 to 255" in editor.reason.text()
        assert _value(form)["pair"] == ["", 0]
        form._form.undo()
        assert form._form.problems() == []
        assert not editor.reason.isVisible()


class TestNested:
    """Records in records, lists in lists, options in options."""

    def test_record_in_a_record(self, form):
        """Its fields are at hand."""
        _retype(form.editor("inner").editors["level"].edit.line, "255")
        assert _value(form)["inner"]["level"] == 255

    def test_list_of_lists(self, form):
        """The chosen list is edited under the outer one."""
        outer = form.editor("grid")
        _click(outer.add_button)
        _click(outer.item.add_button)
        _retype(outer.item.item.edit.line, "7")
        _click(outer.add_button)
        assert _value(form)["grid"] == [[7], []]
        outer.table.selectRow(0)
        assert outer.item.item.edit.value() == 7
        assert outer.item.model.rowCount() == 1

    def test_wrong_number_follows_its_item(self, form):
        """A problem in a list is shown where its item went."""
        levels = form.editor("levels")
        _click(levels.add_button)
        _retype(levels.item.editors["level"].edit.line, "256")
        _click(levels.add_button)
        assert levels.item.editors["level"].edit.problem() == ""
        levels.table.setFocus()
        QTest.keyClick(levels.table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
        levels.table.selectRow(1)
        assert levels.item.editors["level"].edit.typed() == "256"
        assert [path for path, _ in form._form.problems()] == [("levels", 1, "level")]
        form.go_to(("levels", 1, "level"))
        assert levels.item.editors["level"].edit.line.hasFocus()

    def test_wrong_number_in_an_option_goes_with_it(self, form):
        """none has no problem."""
        choice = form.editor("choice")
        _click(choice.switch.button("some"))
        _retype(choice.payload.edit.line, "x")
        assert len(form._form.problems()) == 1
        _click(choice.switch.button("none"))
        assert form._form.problems() == []
        assert _value(form)["choice"] is None

    def test_going_to_a_wrong_number_in_an_option(self, form):
        """The focus is in the field, not on the switch."""
        choice = form.editor("choice")
        _click(choice.switch.button("some"))
        _retype(choice.payload.edit.line, "x")
        form.editor("flag").box.setFocus()
        form.go_to(("choice",))
        assert choice.payload.edit.line.hasFocus()


def test_undo__in_a_box_of_many_lines__is_the_forms(form):
    """The key reaches the form from every editor."""
    inner = form.editor("inner").editors["label"]
    form._form.set(("inner", "label"), "one\ntwo")
    inner.field.many.setFocus()
    QTest.keyClicks(inner.field.many, "x")
    assert _value(form)["inner"]["label"] == "xone\ntwo"
    QTest.keyClick(inner.field.many, Qt.Key.Key_Z, CONTROL)
    QTest.keyClick(inner.field.many, Qt.Key.Key_Z, CONTROL)
    assert _value(form)["inner"]["label"] == ""
    assert inner.field.line.isVisible()


def test_control_enter__in_any_editor__changes_nothing(form):
    """It belongs to the window."""
    form._form.set(("grid",), [[1]])
    _click(form.editor("levels").add_button)
    before = _value(form)
    for widget in (
        form.editor("levels").item.editors["label"].field.line,
        form.editor("inner").editors["label"].field.line,
        form.editor("small").edit.line,
        form.editor("answer").edit,
    ):
        widget.setFocus()
        QTest.keyClick(widget, Qt.Key.Key_Return, CONTROL)
    assert _value(form) == before
