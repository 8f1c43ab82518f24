"""Numbers and strings as the runtime's libraries spell them."""

import errno
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.manifest.rust_format import error_number, io_error, json_number, quoted


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


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FileExistsError(17, "File exists"), "File exists (os error 17)"),
        (PermissionError(13, "Permission denied", "/x"), "Permission denied (os error 13)"),
        (ValueError("embedded null byte"), "file name contained an unexpected NUL byte"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), "stream did not contain valid UTF-8"),
        (OSError("no number"), "no number"),
    ],
)
def test_io_error__is_worded_as_the_runtimes_library_does(
    error: OSError | ValueError, text: str
) -> None:
    """Text and number of the system; what has none keeps its own."""
    assert io_error(error) == text


def test_io_error__of_another_system__has_the_number_of_that_system() -> None:
    """Where there are two numbers, the library shows the system's own."""
    foreign = type("Foreign", (OSError,), {"winerror": 3})
    error = foreign(2, "The system cannot find the path specified.")
    assert io_error(error) == "The system cannot find the path specified. (os error 3)"


def test_error_number__is_the_text_of_that_error(tmp_path: Path) -> None:
    """As the system raises it."""
    with pytest.raises(OSError) as caught:
        (tmp_path / "gone").read_bytes()
    assert error_number(errno.ENOENT) == io_error(caught.value)
