"""What scalars mean where any type is welcome."""

import math

import pytest

from inspector.manifest.yaml_scalar import integer, is_null, resolve
from inspector.manifest.yaml_source import Mapping, Scalar, parse


def _scalar(written: str) -> Scalar:
    root = parse(f"k: {written}\n")
    assert isinstance(root, Mapping)
    value = root.entries[0][1]
    assert isinstance(value, Scalar)
    return value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("NULL", None),
        ("nULL", "nULL"),
        ("''", ""),
        ("true", True),
        ("True", True),
        ("TRUE", True),
        ("false", False),
        ("yes", "yes"),
        ("on", "on"),
        ("'true'", "true"),
        ("0", 0),
        ("42", 42),
        ("+42", 42),
        ("-42", -42),
        ("0x1F", 31),
        ("0o17", 15),
        ("0b101", 5),
        ("-0x10", -16),
        ("0127", "0127"),
        ("-01", "-01"),
        ("00", "00"),
        ("1_000", "1_000"),
        ("18446744073709551616", 18446744073709551616),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("+.5", 0.5),
        ("1e3", 1000.0),
        ("1e400", "1e400"),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("inf", "inf"),
        ("nan", "nan"),
        ("1.2.3", "1.2.3"),
        ("2024-01-01", "2024-01-01"),
        ("0x", "0x"),
        ("+", "+"),
        (".", "."),
        ("!!str 5", "5"),
        ("! 5", "5"),
        ("!!int '5'", 5),
        ("!own 5", 5),
        ("|\n  text", "text\n"),
        ("'5'", "5"),
        ("٣", "٣"),
    ],
)
def test_resolve__scalar__follows_the_runtime_reader(written: str, value: object) -> None:
    """One table for null, booleans, integers, floats and strings."""
    resolved = resolve(_scalar(written))
    assert resolved == value
    assert type(resolved) is type(value)


def test_resolve__nan__is_a_float() -> None:
    """`.nan` is the only spelling that is not equal to itself."""
    value = resolve(_scalar(".NaN"))
    assert isinstance(value, float)
    assert math.isnan(value)
    assert resolve(_scalar("-.nan")) == "-.nan"


def test_integer__absurd_length__is_no_number() -> None:
    """Digit strings that Python refuses to convert are no numbers."""
    assert integer("9" * 5000) is None
    assert resolve(_scalar("9" * 5000)) == "9" * 5000


def test_is_null__quoted_empty__is_a_value() -> None:
    """Only a plain empty scalar is absent."""
    assert is_null(_scalar(""))
    assert not is_null(_scalar("''"))
