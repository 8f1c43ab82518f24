"""JSON text as the runtime's library reads and writes it."""

import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.runtime.host import json_reader
from inspector.runtime.host.json_text import JsonError, dumps, loads


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "EOF while parsing a value at line 1 column 0"),
        (" \n", "EOF while parsing a value at line 2 column 0"),
        ("not json", "expected ident at line 1 column 2"),
        ("nul", "EOF while parsing a value at line 1 column 3"),
        ("nullx", "trailing characters at line 1 column 5"),
        ("x", "expected value at line 1 column 1"),
        ("é", "expected value at line 1 column 1"),
        ("+1", "expected value at line 1 column 1"),
        ("-", "EOF while parsing a value at line 1 column 1"),
        ("-x", "invalid number at line 1 column 2"),
        ("00", "invalid number at line 1 column 2"),
        ("1.", "EOF while parsing a value at line 1 column 2"),
        ("1.e1", "invalid number at line 1 column 3"),
        ("1e", "EOF while parsing a value at line 1 column 2"),
        ("1e+x", "invalid number at line 1 column 4"),
        ("1e400", "number out of range at line 1 column 5"),
        ("1e309", "number out of range at line 1 column 5"),
        ("100e777777777777777777777777777", "number out of range at line 1 column 14"),
        ("NaN", "expected value at line 1 column 1"),
        ("Infinity", "expected value at line 1 column 1"),
        ('"abc', "EOF while parsing a string at line 1 column 4"),
        ('"a\\', "EOF while parsing a string at line 1 column 3"),
        ('"\\x"', "invalid escape at line 1 column 3"),
        ('"\\u12"', "EOF while parsing a string at line 1 column 6"),
        ('"\\u12zz"', "invalid escape at line 1 column 7"),
        ('"\\ud800"', "unexpected end of hex escape at line 1 column 8"),
        ('"\\udc00"', "lone leading surrogate in hex escape at line 1 column 7"),
        ('"\\ud83c\\uffff"', "lone leading surrogate in hex escape at line 1 column 13"),
        (
            '"a\nb"',
            "control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0",
        ),
        (
            '"é\x1f"',
            "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 4",
        ),
        ("[", "EOF while parsing a list at line 1 column 1"),
        ("[1,", "EOF while parsing a value at line 1 column 3"),
        ("[1,]", "trailing comma at line 1 column 4"),
        ("[1 2]", "expected `,` or `]` at line 1 column 4"),
        ("[,1]", "expected value at line 1 column 2"),
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("{1", "key must be a string at line 1 column 2"),
        ('{"a"', "EOF while parsing an object at line 1 column 4"),
        ('{"a"1', "expected `:` at line 1 column 5"),
        ('{"a":1 1', "expected `,` or `}` at line 1 column 8"),
        ('{"a":1,', "EOF while parsing a value at line 1 column 7"),
        ('{"a":1,}', "trailing comma at line 1 column 8"),
        ('{"a":1,2', "key must be a string at line 1 column 8"),
        ('{\n"a":\nx}', "expected value at line 3 column 1"),
        ("{}é", "trailing characters at line 1 column 3"),
        ("\ufeff{}", "expected value at line 1 column 1"),
    ],
)
def test_loads__no_json__fails_with_the_librarys_text_and_place(text, message):
    """Message, line and byte column are those of the runtime."""
    with pytest.raises(JsonError) as caught:
        loads(text)
    assert str(caught.value) == message


def test_loads__nesting__127_levels_are_read_and_128_are_not():
    """The library's own limit holds, not Python's."""
    assert dumps(loads("[" * 127 + "]" * 127)) == "[" * 127 + "]" * 127
    with pytest.raises(JsonError, match="recursion limit exceeded at line 1 column 128"):
        loads("[" * 128 + "]" * 128)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18446744073709551615", 2**64 - 1),
        ("-9223372036854775808", -(2**63)),
        ("18446744073709551616", 18446744073709551616.0),
        ("-9223372036854775809", -9223372036854775808.0),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("-0", -0.0),
        ("1.0", 1.0),
        ("1E2", 100.0),
        ("5e-324", 5e-324),
        ("1e-400", 0.0),
        ("0e999999999999", 0.0),
        ("1e-999999999999", 0.0),
        ("0.1", 0.1),
        ("0.00001", 1e-5),
    ],
)
def test_loads__number__is_an_integer_within_64_bits_or_else_a_float(text, value):
    """Kind, value and sign are those of the library."""
    got = loads(text)
    assert type(got) is type(value)
    assert got == value
    assert math.copysign(1, got) == math.copysign(1, value)


def test_loads__very_long_digits__neither_fail_nor_take_a_digit_limit():
    """Python refuses to read integers of more than 4300 digits; the library does not care."""
    assert loads("0." + "3" * 6000) == pytest.approx(1 / 3, abs=1e-16)
    with pytest.raises(JsonError, match="number out of range"):
        loads("9" * 6000)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e-5, "0.00001"),
        (-1.25e-5, "-0.0000125"),
        (1e-6, "1e-6"),
        (5e-324, "5e-324"),
        (3.439070283483335e35, "3.439070283483335e+35"),
        (2**64 - 1, "18446744073709551615"),
        (True, "true"),
        (None, "null"),
        ("é日\u2028\x7f", '"é日\u2028\x7f"'),
        ('"\\/\b\f\n\r\t\x00\x1f', '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f"'),
        ({"b": 1, "a": [], "Z": {}, "ä": "", "": 0}, '{"":0,"Z":{},"a":[],"b":1,"ä":""}'),
    ],
)
def test_dumps__value__has_the_runtimes_spelling(value, text):
    """Compact, sorted keys, nothing beyond ASCII escaped, floats as Rust prints them."""
    assert dumps(value) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, b"x", {1, 2}])
def test_dumps__no_json_value__is_refused(value):
    """What JSON cannot say never becomes a text."""
    with pytest.raises(TypeError, match="has no JSON form"):
        dumps(value)


_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.integers(-(2**40), 2**40).map(lambda n: n / 8)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(_VALUES)
def test_loads__what_dumps_wrote__gives_the_value_back(value):
    """Writing and reading are inverse for values within the exact range."""
    assert loads(dumps(value)) == value


@given(_VALUES)
def test_loads__text_of_another_writer__agrees_with_pythons_reader(value):
    """White space and escapes of any JSON writer are read like everybody reads them."""
    text = json.dumps(value, indent=1)
    assert loads(text) == json.loads(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_loads__any_float__is_missed_by_a_few_steps_at_most(number):
    """The library scales by powers of ten and may round twice."""
    got = loads(dumps(number))
    assert math.copysign(1, got) == math.copysign(1, number)
    assert abs(_order(got) - _order(number)) <= 4


def _order(number: float) -> int:
    bits = struct.unpack("<q", struct.pack("<d", abs(number)))[0]
    return int(bits)


def _outcome(read, text):
    """Value or error of a reader, in a form that tells 1 from 1.0 and 0.0 from -0.0."""
    try:
        return repr(read(text))
    except JsonError as error:
        return str(error)


def _careful(text):
    """The reader that is not Python's."""
    reader = json_reader.Reader(text)
    value = reader.value()
    reader.end()
    return value


_TOKENS = st.sampled_from(
    [*'[]{},:" \n\\', "true", "null", "1", "-0", "0.5", "1e400", "NaN", '"a"', "\\u", "d800", "é"]
)


@given(st.lists(_TOKENS, max_size=12).map("".join) | st.text(max_size=20))
def test_loads__any_text__agrees_with_the_careful_reader(text):
    """The fast way is taken only where both agree, errors included."""
    assert _outcome(loads, text) == _outcome(_careful, text)


@given(_VALUES, st.booleans())
def test_loads__any_json__agrees_with_the_careful_reader(value, is_ascii):
    """Escaped or not."""
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert _outcome(loads, text) == _outcome(_careful, text)


@pytest.mark.parametrize(
    "text",
    [
        "999999999999999999",
        "-999999999999999999",
        "9223372036854775807",
        "18446744073709551616",
        "-9223372036854775809",
        '["\\ud83d\\ude00"]',
        '["\\ud83d"]',
        "[1,]",
        '{"a":-Infinity}',
        "0." + "1" * 5000,
    ],
)
def test_loads__edges_of_the_fast_way__agree_with_the_careful_reader(text):
    """Long numbers, surrogates, constants."""
    assert _outcome(loads, text) == _outcome(_careful, text)
