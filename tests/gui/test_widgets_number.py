"""Fields for numbers: exact, with a reason when there is none."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.gui.widgets.number_edit import FloatEdit, IntegerEdit

U64 = 2**64 - 1


@pytest.fixture
def u64(qtbot):
    edit = IntegerEdit("tokens", 0, U64, "u64")
    qtbot.addWidget(edit)
    edit.show()
    qtbot.waitExposed(edit)
    return edit


@pytest.fixture
def f64(qtbot):
    edit = FloatEdit("threshold", "f64")
    qtbot.addWidget(edit)
    edit.show()
    qtbot.waitExposed(edit)
    return edit


class TestIntegerEdit:
    """Whole numbers."""

    @pytest.mark.parametrize("number", [0, 1, 2**31, 2**53 + 1, 2**63, U64])
    def test_number_is_exact(self, u64, number):
        """No size is rounded or wrapped."""
        u64.set_value(number)
        assert u64.value() == number
        assert u64.typed() == str(number)

    @given(number=st.integers())
    def test_every_number_is_taken_or_refused(self, qapp, number):
        """A number in range comes back; any other has a reason and no value."""
        edit = IntegerEdit("exit-code", -(2**31), 2**31 - 1, "s32")
        edit.set_typed(str(number))
        inside = -(2**31) <= number < 2**31
        assert edit.value() == (number if inside else None)
        assert bool(edit.problem()) is not inside
        edit.deleteLater()

    @pytest.mark.parametrize(
        "text", ["", " ", "-", "1.0", "1e3", "0x10", "1,000", "1_000", "٣", "²", "one", "1 2"]
    )
    def test_anything_but_digits_is_refused(self, u64, text):
        """Only digits are a whole number."""
        u64.set_typed(text)
        assert u64.value() is None
        assert "u64" in u64.problem()

    def test_too_many_digits_are_refused(self, u64):
        """Python's own limit is never met."""
        u64.set_typed("9" * 5000)
        assert u64.value() is None

    def test_range_is_named_under_the_field(self, u64):
        """The reason is there to be read and spoken."""
        u64.set_typed(str(U64 + 1))
        assert u64.reason.isVisible()
        assert "18,446,744,073,709,551,615" in u64.reason.text()
        assert u64.line.accessibleDescription() == u64.reason.text()
        u64.set_typed("1")
        assert not u64.reason.isVisible()

    def test_typed_text_is_kept_until_left(self, u64, qtbot):
        """Noughts and signs stay while typing, and go when the field is left."""
        u64.line.selectAll()
        with qtbot.waitSignal(u64.changed):
            QTest.keyClicks(u64.line, "+007")
        assert (u64.typed(), u64.value()) == ("+007", 7)
        u64.line.editingFinished.emit()
        assert u64.typed() == "7"

    def test_wrong_text_stays_when_left(self, u64):
        """What was typed is not thrown away."""
        u64.line.selectAll()
        QTest.keyClicks(u64.line, "12x")
        u64.line.editingFinished.emit()
        assert u64.typed() == "12x"

    def test_arrows_step_within_the_range(self, u64):
        """Up and Down count, and stop at the ends."""
        QTest.keyClick(u64.line, Qt.Key.Key_Down)
        assert u64.value() == 0
        QTest.keyClick(u64.line, Qt.Key.Key_Up)
        assert u64.value() == 1
        u64.set_value(U64)
        QTest.keyClick(u64.line, Qt.Key.Key_Up)
        assert u64.value() == U64

    def test_equal_value_leaves_the_text(self, u64):
        """Being told the same number does not move the cursor."""
        u64.set_typed("007")
        u64.set_value(7)
        assert u64.typed() == "007"

    def test_range_without_nought_starts_inside(self, qtbot):
        """A fresh field always holds a number of its type."""
        edit = IntegerEdit("n", 5, 9, "five")
        qtbot.addWidget(edit)
        assert edit.value() == 5


class TestFloatEdit:
    """Floating-point numbers."""

    @given(number=st.floats())
    def test_every_number_comes_back_the_same(self, qapp, number):
        """Digits and words give the same bits, NaN and -0.0 too."""
        edit = FloatEdit("threshold", "f64")
        edit.set_value(number)
        assert repr(edit.value()) == repr(number)
        edit.deleteLater()

    @pytest.mark.parametrize(
        ("text", "number"),
        [("0.98", 0.98), (".5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("-Infinity", -math.inf)],
    )
    def test_spellings_that_are_taken(self, f64, text, number):
        """The usual ways to write a number."""
        f64.set_typed(text)
        assert f64.value() == number

    @pytest.mark.parametrize("text", ["", "nan", "inf", "1,5", "0x1", "1_0", "e3", "--1", "٣.٥"])
    def test_spellings_that_are_refused(self, f64, text):
        """Python would take some of these."""
        f64.set_typed(text)
        assert f64.value() is None
        assert "f64" in f64.problem()

    def test_overflow_is_refused(self, f64):
        """A number is never silently infinite."""
        f64.set_typed("1e999")
        assert f64.value() is None
        assert "too large" in f64.problem()

    def test_leaving_shows_the_number_that_is_sent(self, f64):
        """Digits that a float cannot hold are gone from view."""
        f64.line.selectAll()
        QTest.keyClicks(f64.line, "0.12345678901234567890")
        f64.line.editingFinished.emit()
        assert f64.typed() == "0.12345678901234568"
        assert float(f64.typed()) == f64.value()
