"""Spells values the way the runtime's libraries do, for texts that match to the letter.

Lives here: quoted strings, numbers in messages, numbers in compact JSON, errors of the
system. Not here: the messages themselves. Rooms above may import it.
"""

import math
import os
import re

NOT_UTF8 = "stream did not contain valid UTF-8"
_NUL_IN_NAME = "file name contained an unexpected NUL byte"

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_REPR = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$")


def quoted(text: str) -> str:
    """A string in double quotes, control characters escaped."""
    return '"' + "".join(_ESCAPES.get(c) or _printable(c) for c in text) + '"'


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return f"\\u{{{ord(character):x}}}"


def io_error(error: OSError | ValueError) -> str:
    """An error of the system, e.g. `File exists (os error 17)`.

    Args:
        error: Of opening, reading or making a file; a ValueError is text that is no
            UTF-8, or a NUL in a name.
    """
    if isinstance(error, UnicodeDecodeError):
        return NOT_UTF8
    if isinstance(error, ValueError):
        return _NUL_IN_NAME
    number = getattr(error, "winerror", None) or error.errno
    return str(error) if number is None else f"{error.strerror} (os error {number})"


def error_number(number: int) -> str:
    """The text of `io_error` for a number of errno."""
    return io_error(OSError(number, os.strerror(number)))


def json_number(value: float) -> str:
    """The shortest exact decimal of a finite float, as compact JSON carries it.

    Args:
        value: Any float.

    Returns:
        E.g. `1.0`, `0.00001`, `1e16`; `null` for infinities and NaN.

    Source: spec/manifest.md 4.5 (scalar types kept); digits as the ryu algorithm lays
    them out.
    """
    if not math.isfinite(value):
        return "null"
    match = _REPR.match(repr(value))
    assert match is not None
    sign, whole, fraction, exponent = match.groups()
    digits = (whole + (fraction or "")).lstrip("0")
    power = int(exponent or 0) - len(fraction or "")
    stripped = digits.rstrip("0")
    if not stripped:
        return f"{sign}0.0"
    power += len(digits) - len(stripped)
    return sign + _layout(stripped, power)


def _layout(digits: str, power: int) -> str:
    """Digits times ten to the power, in the layout of ryu's pretty printer."""
    point = len(digits) + power
    if power >= 0 and point <= 16:
        return digits + "0" * power + ".0"
    if 0 < point <= 16:
        return f"{digits[:point]}.{digits[point:]}"
    if -5 < point <= 0:
        return "0." + "0" * -point + digits
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{point - 1}"
