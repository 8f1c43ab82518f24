"""Values as text and back: exact, with the place of what is wrong."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.contract.contract import EVENTS, load
from inspector.contract.value import complete
from inspector.errors import ErrorKind, InspectorError
from inspector.workbench import value_text
from tests.helpers.value_strategy import values

CONTRACT = load("0.8.0")
SHELL = CONTRACT.record("on-shell")


class TestRoundTrip:
    """Text and value are two views of one thing."""

    @given(st.data())
    def test_every_value_comes_back_equal(self, data):
        """Writing and reading loses nothing, whatever the texts hold."""
        record = CONTRACT.record(data.draw(st.sampled_from(EVENTS)))
        value = data.draw(values(record))
        assert value_text.parse(record, value_text.to_text(value)) == value

    @pytest.mark.parametrize("number", [0, 2**53 + 1, 2**64 - 1])
    def test_sixty_four_bits_are_exact(self, number):
        """No number is rounded."""
        record = CONTRACT.record("on-session-end")
        text = value_text.to_text(complete(record, {"total-input-tokens": number}))
        assert f'"total-input-tokens": {number}' in text
        assert value_text.parse(record, text)["total-input-tokens"] == number

    @pytest.mark.parametrize(
        ("number", "written"), [(math.nan, '"NaN"'), (math.inf, '"Infinity"'), (-math.inf, '"-Inf')]
    )
    def test_floats_without_digits_are_words(self, number, written):
        """NaN and the infinities survive."""
        record = CONTRACT.record("on-compaction")
        text = value_text.to_text(complete(record, {"threshold": number}))
        assert written in text
        assert repr(value_text.parse(record, text)["threshold"]) == repr(number)

    def test_nothing_is_hidden(self):
        """Every character of the text can be seen, except line ends and blanks."""
        hidden = "\0\x1b\x7f\x85\u00a0\u200d\u2028\u202e\ufeff\U000e0001"
        text = value_text.to_text({"binary": f"é😀{hidden}"})
        assert text.replace("\n", "").isprintable()
        assert "é😀" in text
        assert value_text.parse(SHELL, text)["binary"] == f"é😀{hidden}"

    def test_fields_stand_in_declared_order(self):
        """The text of a value is always the same."""
        first = value_text.to_text(complete(SHELL, {"turn": 1, "binary": "x"}))
        second = value_text.to_text(complete(SHELL, {"binary": "x", "turn": 1}))
        assert first == second
        assert first.index('"turn"') < first.index('"binary"') < first.index('"outcome"')


class TestReading:
    """What may be typed."""

    def test_left_out_fields_take_defaults(self):
        """An empty object is the default record."""
        assert value_text.parse(SHELL, "{}") == complete(SHELL, {})

    def test_yaml_is_read_too(self):
        """The text of a scenario step can be pasted."""
        text = "turn: 3\nbinary: /bin/ls\nargv: [-l, '007']\noutcome: {exit-code: 1}\n"
        value = value_text.parse(SHELL, text)
        assert (value["turn"], value["binary"], value["argv"]) == (3, "/bin/ls", ["-l", "007"])
        assert value["outcome"]["exit-code"] == 1

    def test_null_and_empty_differ(self):
        """none, "" and a field left out are three things."""
        assert value_text.parse(SHELL, '{"script": ""}')["script"] == ""
        assert value_text.parse(SHELL, '{"script": null}')["script"] is None


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "Wants the fields of shell-event"),
        ("{", 1, 2, "key in double quotes"),
        ('{"turn" 1}', 1, 9, "':' is missing"),
        ('{\n  "turn": tru\n}', 2, 11, "Here must be a value"),
        ('{"turn": NaN}', 1, 10, "double quotes"),
        ('{"binary": "NaN", "turn": -Infinity}', 1, 27, "double quotes"),
        ('{"turn": 99999999999}', 1, 2, "turn: wants 0 to 4294967295 (u32)"),
        ('{"turn": 1.0}', 1, 2, "turn: wants a whole number"),
        ('{"outcome":\n {"exit-code": -2147483649}}', 2, 3, "outcome.exit-code: wants"),
        ('{"argv": ["a", 5]}', 1, 16, "argv[1]: wants text"),
        ('{"trun": 1}', 1, 2, "unknown field 'trun'"),
        ('{"turn": 1,\n "turn": 2}', 2, 2, "twice"),
        ('{"binary": "a\nb"}', 1, 14, "line break"),
        ('{"binary": "\\q"}', 1, 13, "no escape"),
        ('{"binary": "a}', 1, 12, "no closing quote"),
        ('{"binary": "\\ud800"}', 1, 12, "lone surrogate"),
        ('{"turn": 1} x', 1, 13, "follows the value"),
        ('{"turn": 1e999}', 1, 2, "too large"),
        (f'{{"turn": {"9" * 5000}}}', 1, 10, "more than 400 digits"),
        ("[" * 100, 1, 66, "deeper than 64"),
        ("[1]", 1, 1, "got [1]"),
        ("turn: [", 1, 8, "not YAML"),
        ("turn: 1\nturn: 2", 2, 1, "twice"),
        ('{"binary": "😀", "turn": x}', 1, 25, "Here must be a value"),
    ],
)
def test_parse__wrong_text__names_the_place(text, line, column, words):
    """An error has one sentence, and the line and column it is about."""
    with pytest.raises(InspectorError) as caught:
        value_text.parse(SHELL, text)
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert words in error.message
    assert error.message.endswith(".")
    assert error.kind is ErrorKind.BAD_EVENT
    assert error.file is None


def test_parse__float_overflow_in_f64__is_refused():
    """A number is never read as infinity."""
    record = CONTRACT.record("on-compaction")
    with pytest.raises(InspectorError, match="too large for f64"):
        value_text.parse(record, '{"threshold": 1e400}')
    assert value_text.parse(record, '{"threshold": 1e308}')["threshold"] == 1e308


def test_parse__long_yaml__must_be_json():
    """YAML is read too slowly to be read while someone types."""
    text = "binary: " + "x" * value_text.MAX_YAML
    with pytest.raises(InspectorError, match="must be JSON"):
        value_text.parse(SHELL, text)


@given(st.text(alphabet='{}[]":,\\0123456789truefalsn eE+-.\n', max_size=40))
def test_parse__any_text__is_read_or_refused_with_a_place(text):
    """No text brings the reader down."""
    try:
        value = value_text.parse(SHELL, text)
    except InspectorError as refused:
        error = refused
    else:
        assert complete(SHELL, value) == value
        return
    assert 1 <= error.line <= text.count("\n") + 2
    assert error.column >= 1


class TestBigValues:
    """What an editor is spared."""

    def test_long_text_is_too_big(self):
        """One long line is enough."""
        assert value_text.is_too_big({"binary": "x" * (value_text.MAX_LINE + 1)})
        assert not value_text.is_too_big({"binary": "x" * value_text.MAX_LINE})

    def test_many_items_are_too_big(self):
        """So are many short texts."""
        assert value_text.is_too_big({"argv": ["word"] * 50_000})

    def test_preview_is_bounded_and_says_what_is_cut(self):
        """The preview is short whatever the value holds, and names the sizes."""
        value = {"binary": "x" * 1_000_000, "argv": ["y"] * 5_000}
        text = value_text.preview_text(value)
        assert len(text) < 10_000
        assert "1,000,000 characters in all" in text
        assert "5,000 items in all" in text

    def test_preview_of_a_small_value_is_its_text(self):
        """Nothing is cut without need."""
        value = complete(SHELL, {"argv": ["a"]})
        assert value_text.preview_text(value) == value_text.to_text(value)
