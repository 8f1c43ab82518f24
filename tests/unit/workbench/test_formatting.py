"""Numbers, times, values and long lines as text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.workbench import formatting

_TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
)


@pytest.mark.parametrize(
    ("duration_us", "text"),
    [
        (0, ""),
        (1, "1 µs"),
        (999, "999 µs"),
        (1_000, "1.00 ms"),
        (9_994, "9.99 ms"),
        (9_996, "10.0 ms"),
        (12_340, "12.3 ms"),
        (99_960, "100 ms"),
        (999_499, "999 ms"),
        (999_500, "1.00 s"),
        (30_000_000, "30.0 s"),
        (600_000_000, "600 s"),
        (12_345_000_000, "12,345 s"),
    ],
)
def test_duration_text__any_time__has_three_figures(duration_us, text):
    """Rounding never gives a fourth figure or the wrong unit."""
    assert formatting.duration_text(duration_us) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (1024 * 1024 - 1, "1 MiB"),
        (3_250_586, "3.1 MiB"),
        (512 * 1024 * 1024, "512 MiB"),
        (2**40, "1,024 GiB"),
    ],
)
def test_bytes_text__any_size__has_the_fitting_unit(size, text):
    """Units are powers of 1024 and say so."""
    assert formatting.bytes_text(size) == text


def test_count_text__one_and_many__agree_in_number():
    """Also for nouns with a plural of their own."""
    assert formatting.count_text(1, "hook") == "1 hook"
    assert formatting.count_text(1029, "hook") == "1,029 hooks"
    assert formatting.count_text(0, "entry", "entries") == "0 entries"


def test_visible__control_characters__become_pictures():
    """NUL, escape and the line ends that Qt would break at; tabs and line feeds stay."""
    assert formatting.visible("a\0\x1b[1m\t\n\u2028\x7f") == "a␀␛[1m\t\n␤␡"


@given(st.text(), st.integers(1, 300))
def test_one_line__any_text__stays_on_one_line_within_the_limit(text, limit):
    """Nothing breaks a cell."""
    line = formatting.one_line(text, limit)
    assert len(line) <= limit
    assert not set(line) & {"\n", "\r", "\t", "\0", "\u2028", "\u2029"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (True, "true"),
        (2**64 - 1, "18446744073709551615"),
        ("", '""'),
        ("a\nb", '"a␊b"'),
        ("x" * 200, '"' + "x" * 119 + '…"'),
        ([], "[]"),
        ([1], "[1 item]"),
        ({}, "{}"),
        ({"a": 1, "b": 2}, "{2 fields}"),
    ],
)
def test_summary__any_value__fits_a_cell(value, text):
    """64-bit numbers are exact."""
    assert formatting.summary(value) == text


@given(JSON_VALUES)
def test_pretty_lines__any_value__is_json_of_the_same_value(value):
    """Lines joined read back as the value; so do the pieces of the raw form."""
    assert json.loads("\n".join(formatting.pretty_lines(value))) == value
    assert json.loads("".join(formatting.compact_pieces(value))) == value
    assert json.loads(formatting.compact(value)) == value


def test_pretty_lines__huge_list__is_made_as_it_is_asked_for():
    """The first line does not wait for the last one."""
    lines = formatting.pretty_lines([{"a": [1, 2]}] * 1_000_000)
    assert [next(lines) for _ in range(4)] == ["[", "  {", '    "a": [', "      1,"]


@given(st.text(), st.integers(1, 50))
def test_broken_lines__any_text__loses_nothing(text, limit):
    """Pieces of a line join to it, and none is over the limit."""
    pieces = list(formatting.broken_lines(text, limit))
    assert all(len(piece) <= limit for piece in pieces)
    assert "".join(pieces) == text.replace("\r\n", "").replace("\n", "") or "\r" in text


def test_broken_lines__line_ends__are_those_of_files():
    """CR LF and LF end a line, an end at the end leaves an empty line."""
    assert list(formatting.broken_lines("a\r\nb\n\nc\n")) == ["a", "b", "", "c", ""]


class TestGated:
    """Gated."""

    def test_short_text_passes_whole(self):
        """And is not cut."""
        gate = formatting.Gated(["ab", "c"], 10)
        assert (list(gate), gate.is_cut) == (["ab", "c"], False)

    def test_long_text_is_cut_at_the_limit(self):
        """Within a line when need be; line ends count."""
        gate = formatting.Gated(["abc", "defgh", "i"], 6)
        assert (list(gate), gate.is_cut) == (["abc", "de"], True)

    def test_limit_at_a_line_end_is_told_by_what_follows(self):
        """Only something held back makes a cut."""
        gate = formatting.Gated(["abc"], 4)
        assert (list(gate), gate.is_cut) == (["abc"], False)
        gate = formatting.Gated(["abc", "d"], 4)
        assert (list(gate), gate.is_cut) == (["abc"], True)

    def test_no_limit_passes_everything(self):
        """Show all."""
        gate = formatting.Gated((str(i) for i in range(100_000)), None)
        assert len(list(gate)) == 100_000
        assert not gate.is_cut


@pytest.mark.parametrize("measure", [formatting.weight, formatting.rough_weight])
def test_weight__nested_value__counts_values_and_characters(measure):
    """Both agree on small values."""
    assert measure("x" * 1000) == 1008
    assert measure({"key": ["abc", None]}) == 8 + 3 + 8 + 11 + 8


def test_weight__enough__stops_counting():
    """The answer is then any number beyond it."""
    assert 5_000 < formatting.weight([["x"] * 10_000] * 1_000, enough=5_000) < 200_000


def test_rough_weight__long_lists__are_guessed_from_a_sample():
    """Close for lists of equals, the right order of magnitude for others."""
    long = formatting.rough_weight([["x"] * 10_000] * 1_000)
    assert long == pytest.approx(90_000_000, rel=0.01)
    mixed = formatting.rough_weight(["x" * 100, "x" * 900] * 5_000)
    assert mixed == pytest.approx(5_080_000, rel=0.9)
