"""Numbers and strings as the runtime's libraries spell them."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.manifest.rust_format import json_number, quoted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (100.0, "100.0"),
        (1.5, "1.5"),
        (-2.25, "-2.25"),
        (0.1, "0.1"),
        (0.00001, "0.00001"),
        (0.000001, "1e-6"),
        (1.25e-7, "1.25e-7"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e16"),
        (123456789012345680.0, "1.2345678901234568e17"),
        (5e-324, "5e-324"),
        (math.inf, "null"),
        (math.nan, "null"),
    ],
)
def test_json_number__float__is_laid_out_as_ryu_does(value: float, text: str) -> None:
    """The layout switches to an exponent at 1e16 and below 1e-5."""
    assert json_number(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_json_number__any_float__reads_back_the_same(value: float) -> None:
    """The decimal is exact."""
    assert json.loads(json_number(value)) == value


def test_quoted__special_characters__are_escaped() -> None:
    """Quotes, backslashes and control characters are escaped, other text is not."""
    assert quoted('a"b\\c\n\r\t\0\x07é') == '"a\\"b\\\\c\\n\\r\\t\\0\\u{7}é"'
