"""What a scalar means where its type is not fixed beforehand.

Lives here: the runtime's rules for null, booleans, integers, floats and strings. Not
here: reading YAML (yaml_source). Only inspector.manifest and inspector.capsule import it.
"""

import math
import re

from inspector.manifest.yaml_source import Scalar

_NULLS = ("", "~", "null", "Null", "NULL")
_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_BASES = {"0x": (16, re.compile(r"[0-9a-fA-F]+")), "0o": (8, re.compile(r"[0-7]+"))}
_BASES["0b"] = (2, re.compile(r"[01]+"))
_DECIMAL = re.compile(r"[0-9]+")
_FLOAT = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = {".inf": math.inf, ".nan": math.nan}
_TAG = "tag:yaml.org,2002:"
_MAX_DIGITS = 4000
"""Longer digit strings are no numbers here; Python refuses to convert them."""

Resolved = None | bool | int | float | str


def is_null(scalar: Scalar) -> bool:
    """Whether a scalar is the absence of a value: plain and empty, `~` or `null`."""
    return resolve(scalar) is None


def resolve(scalar: Scalar) -> Resolved:
    """The value of a scalar where any type is welcome.

    Args:
        scalar: Plain or quoted; a core tag (`!!str`, `!!int`, ...) decides when it fits.

    Returns:
        None, a bool, an int of any size, a float, or the text.

    Source: spec/manifest.md 1 (YAML typing).
    """
    tag = scalar.tag or ""
    if tag in ("!", f"{_TAG}str"):
        return scalar.text
    if scalar.plain or tag.startswith(_TAG):
        return _untagged(scalar.text)
    return scalar.text


def _untagged(text: str) -> Resolved:
    if text in _NULLS:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    number = integer(text)
    return _float_or_text(text) if number is None else number


def integer(text: str) -> int | None:
    """The integer that a plain text spells, or None.

    Decimal, `0x`, `0o` and `0b`, with a sign; no underscores, no leading zeros.
    """
    if _LEADING_ZERO.fullmatch(text) or len(text) > _MAX_DIGITS:
        return None
    sign = -1 if text.startswith("-") else 1
    body = text[1:] if text[:1] in ("-", "+") else text
    base, pattern = _BASES.get(body[:2], (10, _DECIMAL))
    digits = body if base == 10 else body[2:]
    return sign * int(digits, base) if pattern.fullmatch(digits) and digits.isascii() else None


def _float_or_text(text: str) -> float | str:
    if _LEADING_ZERO.fullmatch(text):
        return text
    body = text[1:] if text.startswith("+") else text
    lowered = _special(body)
    if lowered is not None:
        return lowered
    if _FLOAT.fullmatch(body) and len(body) <= _MAX_DIGITS:
        value = float(body)
        if math.isfinite(value):
            return value
    return text


def _special(text: str) -> float | None:
    """`.inf`, `-.inf`, `.nan` in the three accepted spellings."""
    body = text.removeprefix("-")
    if body not in (".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"):
        return None
    value = _SPECIAL[body.lower()]
    if math.isnan(value):
        return value if body == text else None
    return -value if body != text else value
