"""The value behind the form: parts, typed texts, undo, rows."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from inspector.contract.contract import EVENTS, load
from inspector.contract.type import ListOf, Primitive
from inspector.contract.value import complete, default
from inspector.gui.models import form_model
from inspector.gui.models.form_fill import Typed, fill
from inspector.gui.models.form_list_model import FormListModel, Role
from inspector.gui.models.form_model import FormModel, overlaps
from tests.helpers.value_strategy import values

CONTRACT = load("0.8.0")
SHELL = CONTRACT.record("on-shell")
COMPACTION = CONTRACT.record("on-compaction")


def _messages(*roles):
    return [{"role": role, "content": "", "id": None, "source-id": None} for role in roles]


class TestFill:
    """A kept value in the form of a type."""

    @given(st.data())
    def test_fitting_value_is_unchanged(self, data):
        """What fits stays as it is."""
        record = CONTRACT.record(data.draw(st.sampled_from(EVENTS)))
        value = data.draw(values(record))
        assert fill(record, value) == (complete(record, value), {})

    def test_unknown_fields_are_left_out_and_missing_ones_filled(self):
        """A value of another contract version gives what it can."""
        filled, typed = fill(SHELL, {"turn": 3, "exit-code": 1})
        assert filled == complete(SHELL, {"turn": 3})
        assert typed == {}

    def test_wrong_numbers_are_kept_as_typed(self):
        """A number out of range and a text for a number come back to be mended."""
        filled, typed = fill(SHELL, {"turn": 2**40, "outcome": {"exit-code": "12x"}})
        assert filled["turn"] == 0
        assert typed["turn",].text == str(2**40)
        assert typed["outcome", "exit-code"].text == "12x"
        assert typed["turn",].problem.startswith("Wants 0 to 4294967295")

    @pytest.mark.parametrize("given_value", [None, 5, "x", [], [1], True])
    def test_anything_gives_a_whole_record(self, given_value):
        """No damage in a kept draft reaches the form."""
        filled, typed = fill(SHELL, given_value)
        assert filled == default(SHELL)
        assert typed == {}

    def test_items_that_do_not_fit_take_defaults(self):
        """A list keeps its length."""
        filled, _ = fill(SHELL, {"argv": ["a", 5, None]})
        assert filled["argv"] == ["a", "", ""]


@pytest.fixture
def form(qtbot):
    form = FormModel(SHELL, {"turn": 1, "argv": ["a", "b", "c"], "outcome": {"exit-code": 1}})
    yield form
    form.deleteLater()


class TestParts:
    """Setting and getting parts."""

    def test_a_part_is_set_and_told(self, form, qtbot):
        """The signal names the part."""
        with qtbot.waitSignal(form.changed) as told:
            form.set(("outcome", "exit-code"), -1)
        assert told.args == [("outcome", "exit-code")]
        assert form.get(("outcome", "exit-code")) == -1

    def test_same_value_is_not_told(self, form, qtbot):
        """Nothing changes, nothing is said, nothing can be undone."""
        with qtbot.assertNotEmitted(form.changed):
            form.set(("turn",), 1)
        assert not form.can_undo()

    def test_equal_numbers_of_other_kinds_are_changes(self, qtbot):
        """0.0, -0.0 and NaN are told apart, and NaN from NaN is not."""
        form = FormModel(COMPACTION, {"threshold": 0.0})
        form.set(("threshold",), -0.0)
        assert math.copysign(1, form.get(("threshold",))) == -1
        form.set(("threshold",), math.nan)
        with qtbot.assertNotEmitted(form.changed):
            form.set(("threshold",), math.nan)
        form.deleteLater()

    def test_earlier_values_are_never_changed_in_place(self, form):
        """A value that was handed out stays what it was."""
        before = form.value()
        form.set(("outcome", "exit-code"), 7)
        form.insert(("argv",), 0, "new")
        assert before["outcome"]["exit-code"] == 1
        assert before["argv"] == ["a", "b", "c"]

    def test_sixty_four_bits_pass(self, qtbot):
        """No part of the way is narrower."""
        form = FormModel(CONTRACT.record("on-session-end"), {})
        form.set(("duration-ms",), 2**64 - 1)
        assert form.value()["duration-ms"] == 2**64 - 1
        form.deleteLater()


class TestTyped:
    """Texts that are no values."""

    def test_typed_text_is_a_problem_until_a_value_comes(self, form):
        """The value waits at the last one that was right."""
        form.set_typed(("turn",), "12x", "Wants digits.")
        assert form.problems() == [(("turn",), Typed("12x", "Wants digits."))]
        assert form.value()["turn"] == 1
        form.set(("turn",), 12)
        assert form.problems() == []

    def test_problems_come_in_the_order_of_the_form(self, form):
        """From top to bottom, into options and records."""
        form.set_typed(("outcome", "duration-ms"), "x", "C.")
        form.set_typed(("outcome", "exit-code"), "x", "B.")
        form.set_typed(("turn",), "x", "A.")
        assert [typed.problem for _, typed in form.problems()] == ["A.", "B.", "C."]

    def test_a_value_above_takes_the_problem_away(self, form):
        """What is no more has no problem."""
        form.set_typed(("outcome", "exit-code"), "x", "B.")
        form.set(("outcome",), None)
        assert form.problems() == []

    def test_raw_has_the_typed_texts_in_place(self, form):
        """A draft and the text view show what was typed; whole numbers as numbers."""
        form.set_typed(("turn",), "99999999999", "Too large.")
        form.set_typed(("outcome", "exit-code"), "1x", "No digits.")
        raw = form.raw()
        assert raw["turn"] == 99_999_999_999
        assert raw["outcome"]["exit-code"] == "1x"
        again, typed = fill(SHELL, raw)
        assert {path: t.text for path, t in typed.items()} == {
            ("turn",): "99999999999",
            ("outcome", "exit-code"): "1x",
        }
        assert again["argv"] == ["a", "b", "c"]


class TestLists:
    """Items that come, go and move."""

    @pytest.fixture
    def numbers(self, qtbot):
        """A form whose list holds records with numbers, which no event has yet."""
        form = FormModel(COMPACTION, {"messages": _messages("a", "b", "c")})
        form.set_typed(("messages", 1, "role"), "bad", "No.")
        yield form
        form.deleteLater()

    def _places(self, form):
        return [path for path, _ in form.problems()]

    def test_problems_move_with_their_items(self, numbers):
        """A problem stays with its item when others come and go."""
        numbers.insert(("messages",), 0, _messages("new")[0])
        assert self._places(numbers) == [("messages", 2, "role")]
        numbers.move(("messages",), 2, 0)
        assert self._places(numbers) == [("messages", 0, "role")]
        numbers.remove(("messages",), 3)
        assert self._places(numbers) == [("messages", 0, "role")]
        numbers.remove(("messages",), 0)
        assert self._places(numbers) == []

    @pytest.mark.parametrize(
        ("source", "target", "wanted"), [(0, 2, "bca"), (2, 0, "cab"), (0, 1, "bac"), (1, 1, "abc")]
    )
    def test_moving(self, form, source, target, wanted):
        """The item stands where it was said."""
        form.move(("argv",), source, target)
        assert form.get(("argv",)) == list(wanted)


class TestUndo:
    """The way back."""

    def test_every_change_can_be_taken_back_and_made_again(self, form):
        """Undo to the start, redo to the end."""
        steps = [form.value()]
        form.set(("turn",), 5)
        steps.append(form.value())
        form.insert(("argv",), 1, "x")
        steps.append(form.value())
        form.set(("outcome",), None)
        steps.append(form.value())
        form.load({"turn": 9})
        steps.append(form.value())
        for wanted in reversed(steps[:-1]):
            form.undo()
            assert form.value() == wanted
        assert not form.can_undo()
        for wanted in steps[1:]:
            form.redo()
            assert form.value() == wanted
        assert not form.can_redo()

    def test_typing_a_word_is_one_change(self, form):
        """A word goes at once, the word before it stays."""
        typed = ""
        for char in "make all":
            typed += char
            form.set(("binary",), typed)
        form.undo()
        assert form.get(("binary",)) == "make "
        form.undo()
        assert form.get(("binary",)) == ""

    def test_typing_and_deleting_are_two_changes(self, form):
        """Taking back a deletion brings the text back."""
        for text in ("a", "ab", "abc", "ab", "a"):
            form.set(("binary",), text)
        form.undo()
        assert form.get(("binary",)) == "abc"

    def test_typing_in_two_fields_is_two_changes(self, form):
        """Each field for itself."""
        form.set(("binary",), "a")
        form.set(("command",), "b")
        form.undo()
        assert (form.get(("binary",)), form.get(("command",))) == ("a", "")

    def test_typed_texts_come_back(self, form):
        """What was typed and is no value is undone and redone too."""
        form.set_typed(("turn",), "1x", "No digits.")
        form.set(("turn",), 7)
        form.undo()
        assert form.typed(("turn",)) == Typed("1x", "No digits.")
        form.undo()
        assert form.typed(("turn",)) is None
        assert form.get(("turn",)) == 1

    def test_a_new_change_ends_redo(self, form):
        """There is one future."""
        form.set(("turn",), 5)
        form.undo()
        form.set(("turn",), 6)
        assert not form.can_redo()

    def test_undo_is_bounded(self, form):
        """Memory does not grow without end."""
        for number in range(form_model.MOST_UNDO + 50):
            form.set(("turn",), number * 1000)
        count = 0
        while form.can_undo():
            form.undo()
            count += 1
        assert count == form_model.MOST_UNDO

    def test_reset_forgets(self, form):
        """Another start has no past."""
        form.set(("turn",), 5)
        form.reset({"turn": 2})
        assert not form.can_undo()
        assert form.get(("turn",)) == 2


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ((), ("a",), True),
        (("a",), ("a", 1), True),
        (("a", 1), ("a", 2), False),
        (("a",), ("b",), False),
    ],
)
def test_overlaps__paths__when_one_is_in_the_other(first, second, wanted):
    """A change of a part touches what is in it and what it is in."""
    assert overlaps(first, second) is wanted
    assert overlaps(second, first) is wanted


@pytest.fixture
def rows(qtbot):
    """A list of messages under the model tester, with its form."""
    form = FormModel(COMPACTION, {"messages": _messages("a", "b", "c")})
    kind = next(f.type for f in COMPACTION.fields if f.name == "messages")
    model = FormListModel(form, ("messages",), kind)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    yield form, model
    tester.deleteLater()
    model.deleteLater()
    form.deleteLater()


def _roles(model):
    return [model.index(row, 0).data(Role.VALUE) for row in range(model.rowCount())]


class TestRows:
    """The list as a table; every test runs under the model tester."""

    def test_columns_are_the_fields(self, rows):
        """A record has a column for each field, an item a row."""
        _, model = rows
        names = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]
        assert names == ["role", "content", "id", "source-id"]
        assert model.rowCount() == 3
        assert model.headerData(2, Qt.Orientation.Vertical) == "2"

    def test_texts_none_and_empty_look_different(self, rows):
        """none, "" and "none" are three things in a cell."""
        form, model = rows
        form.set(("messages", 0, "content"), "none")
        shown = [model.index(0, column).data() for column in range(4)]
        assert shown == ['"a"', '"none"', "none", "none"]
        assert model.index(1, 1).data() == '""'

    def test_control_characters_show_as_escapes(self, rows):
        """Nothing is hidden in a cell."""
        form, model = rows
        form.set(("messages", 0, "content"), "a\0\n\u202e")
        assert model.index(0, 1).data() == '"a\\u0000\\n\\u202e"'

    def test_long_text_is_cut_in_a_cell(self, rows):
        """A cell never lays out a mebibyte."""
        form, model = rows
        form.set(("messages", 0, "content"), "x" * 1_048_576)
        assert len(model.index(0, 1).data()) < 300
        assert len(model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)) < 3_000

    def test_add_remove_and_move(self, rows, qtbot):
        """Rows come, go and move, and the form with them."""
        form, model = rows
        with qtbot.waitSignal(model.rowsInserted):
            model.add(1)
        assert _roles(model) == ["a", "", "b", "c"]
        with qtbot.waitSignal(model.rowsRemoved):
            model.remove(1)
        with qtbot.waitSignal(model.rowsMoved):
            model.move(0, 2)
        assert _roles(model) == ["b", "c", "a"]
        with qtbot.waitSignal(model.rowsMoved):
            model.move(2, 0)
        assert _roles(model) == ["a", "b", "c"]
        assert form.get(("messages",)) == _messages("a", "b", "c")

    def test_changes_of_the_form_reach_the_rows(self, rows, qtbot):
        """An edited item is one changed row, another list is a reset."""
        form, model = rows
        with qtbot.waitSignal(model.dataChanged) as told:
            form.set(("messages", 1, "role"), "x")
        assert told.args[0].row() == told.args[1].row() == 1
        with qtbot.waitSignal(model.modelReset):
            form.load({"messages": _messages("only")})
        assert _roles(model) == ["only"]
        with qtbot.waitSignal(model.modelReset):
            form.undo()
        assert _roles(model) == ["a", "x", "c"]

    def test_other_parts_do_not_touch_the_rows(self, rows, qtbot):
        """A change elsewhere is none of theirs."""
        form, model = rows
        with qtbot.assertNotEmitted(model.modelReset), qtbot.assertNotEmitted(model.dataChanged):
            form.set(("session-tokens",), 5)

    def test_empty_list_has_no_rows(self, rows):
        """Also after the last item went."""
        form, model = rows
        for _ in range(3):
            model.remove(0)
        assert model.rowCount() == 0
        assert form.get(("messages",)) == []
        model.add(0)
        assert model.rowCount() == 1

    @settings(max_examples=30)
    @given(st.lists(st.tuples(st.sampled_from("armuve"), st.integers(0, 9), st.integers(0, 9))))
    def test_any_sequence_keeps_rows_and_form_equal(self, qapp, steps):
        """Whatever is done in whatever order, both hold the same list."""
        form = FormModel(SHELL, {"argv": ["a", "b"]})
        model = FormListModel(form, ("argv",), ListOf(Primitive("string")))
        tester = QAbstractItemModelTester(
            model, QAbstractItemModelTester.FailureReportingMode.Warning
        )
        for what, first, second in steps:
            count = model.rowCount()
            if what == "a":
                model.add(first % (count + 1))
            elif what == "u":
                form.undo()
            elif what == "v":
                form.redo()
            elif count == 0:
                continue
            elif what == "r":
                model.remove(first % count)
            elif what == "m":
                model.move(first % count, second % count)
            else:
                form.set(("argv", first % count), str(second))
            assert _roles(model) == form.get(("argv",))
        for thing in (tester, model, form):
            thing.deleteLater()
