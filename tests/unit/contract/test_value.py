"""Values of contract types: defaults, completion, checks, JSON form."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.contract.contract import EVENTS, load
from inspector.contract.type import (
    BOOL,
    INTEGER_RANGES,
    STRING,
    Case,
    Enum,
    Field,
    ListOf,
    OptionOf,
    Primitive,
    Record,
    ResultOf,
    TupleOf,
    Variant,
)
from inspector.contract.value import FieldError, complete, default, spell_path, to_json

POINT = Record("point", (Field("x", Primitive("u32")), Field("label", OptionOf(STRING))))
SHAPE = Variant("shape", (Case("dot", None), Case("at", POINT)))
COLOUR = Enum("colour", ("red", "green"))


class TestDefault:
    """What is left out."""

    @pytest.mark.parametrize(
        ("kind", "wanted"),
        [
            (Primitive("u64"), 0),
            (Primitive("f64"), 0.0),
            (STRING, ""),
            (BOOL, False),
            (OptionOf(STRING), None),
            (ListOf(STRING), []),
            (POINT, {"x": 0, "label": None}),
            (COLOUR, "red"),
            (SHAPE, "dot"),
            (TupleOf((STRING, BOOL)), ["", False]),
            (ResultOf(STRING, BOOL), {"ok": ""}),
        ],
    )
    def test_default__any_type__is_its_zero(self, kind, wanted):
        """0, false, "", none, [], the first case."""
        assert default(kind) == wanted

    @pytest.mark.parametrize("version", ["0.2.0", "0.8.0", "0.9.0"])
    @pytest.mark.parametrize("event", EVENTS)
    def test_default__any_record__completes_to_itself(self, version, event):
        """A default is a whole value."""
        record = load(version).record(event)
        assert complete(record, {}) == default(record) == complete(record, default(record))


class TestComplete:
    """What fits."""

    def test_record__fields_left_out__take_their_defaults_in_order(self):
        """Declared order, whatever the order given."""
        done = complete(POINT, {"label": "a"})
        assert list(done.items()) == [("x", 0), ("label", "a")]

    def test_variant__with_and_without_payload__keeps_the_spelling(self):
        """A bare name, or one entry."""
        assert complete(SHAPE, "dot") == "dot"
        assert complete(SHAPE, {"at": {"x": 3}}) == {"at": {"x": 3, "label": None}}

    @pytest.mark.parametrize("name", INTEGER_RANGES)
    def test_integer__bounds__are_inclusive_and_exact(self, name):
        """No 64-bit number loses a digit."""
        low, high = INTEGER_RANGES[name]
        for number in (low, high):
            assert complete(Primitive(name), number) == number
        for number in (low - 1, high + 1):
            with pytest.raises(FieldError, match=f"wants {low} to {high}"):
                complete(Primitive(name), number)

    @pytest.mark.parametrize("text", ["", "\0", "\x1b[31m", "\u202e", "\U0001f600", "a" * 10_000])
    def test_text__any_unicode__is_kept(self, text):
        """NUL and controls included."""
        assert complete(STRING, text) == text

    @given(st.floats(allow_nan=False))
    def test_float__any__is_kept(self, number):
        """Infinities too."""
        assert complete(Primitive("f64"), number) == number

    def test_float__words_of_json__are_read(self):
        """What JSON has no number for."""
        assert math.isnan(complete(Primitive("f64"), "NaN"))
        assert complete(Primitive("f64"), "-Infinity") == -math.inf


class TestRefusals:
    """What does not fit says where and what is wanted."""

    @pytest.mark.parametrize(
        ("kind", "value", "path", "words"),
        [
            (POINT, {"y": 1}, "y", "unknown field 'y'; point has x, label"),
            (POINT, {"x": True}, "x", "whole number"),
            (POINT, {"x": 1.5}, "x", "whole number"),
            (POINT, {"x": "1"}, "x", "whole number"),
            (POINT, [], "", "wants the fields of point"),
            (POINT, {"label": 5}, "label", "wants text, got 5"),
            (ListOf(POINT), [{}, {"x": -1}], "[1].x", "wants 0 to 4294967295"),
            (ListOf(STRING), "abc", "", "wants a list"),
            (COLOUR, "blue", "", "one of red, green"),
            (SHAPE, {"at": {}, "dot": None}, "", "one of dot, at"),
            (SHAPE, "nope", "", "one of dot, at"),
            (SHAPE, {"at": {"x": -1}}, "at.x", "wants 0"),
            (TupleOf((STRING, BOOL)), ["a"], "", "wants 2 items, got 1"),
            (ResultOf(STRING, BOOL), {"maybe": 1}, "", "wants ok or err"),
            (BOOL, 1, "", "true or false"),
            (STRING, "\ud800", "", "lone surrogate"),
            (STRING, None, "", "wants text, got nothing"),
            (Primitive("f64"), "fast", "", "wants a number"),
            (Primitive("f64"), 10**400, "", "too large"),
            (Primitive("char"), "ab", "", "exactly one character"),
        ],
    )
    def test_complete__does_not_fit__names_place_and_type(self, kind, value, path, words):
        """The path leads from the outermost value."""
        with pytest.raises(FieldError) as caught:
            complete(kind, value)
        assert spell_path(caught.value.path) == path
        assert words in caught.value.message

    def test_picture__of_a_long_value__is_cut(self):
        """An error stays one line."""
        with pytest.raises(FieldError) as caught:
            complete(BOOL, "x" * 1000)
        assert len(caught.value.message) < 100


class TestJson:
    """The JSON form."""

    def test_to_json__floats_without_a_number__become_words(self):
        """And come back."""
        found = to_json({"a": [math.inf, -math.inf, math.nan, 1.5]})
        assert found == {"a": ["Infinity", "-Infinity", "NaN", 1.5]}

    def test_to_json__tuples__become_lists(self):
        """As JSON has them."""
        assert to_json((1, ("a",))) == [1, ["a"]]
