"""JSON as the runtime's library reads and writes it, to the letter.

Lives here: `loads` and `dumps`. Not here: the library's errors (json_reader), JSON of
our own interfaces (msgspec does that). Only runtime.host imports it.

The library differs from Python's in ways that a hook sees: object keys come out
sorted; an integer beyond 64 bits becomes a float; a float is spelled `1.0`, `1e-7`,
`1e+21`; a lone surrogate, `NaN` and 128 levels of nesting are errors.
"""

import json
import math
import re
from json.encoder import encode_basestring as _quote
from typing import Any

from inspector.runtime.host.json_reader import MAX_DEPTH, JsonError, Reader

__all__ = ["JsonError", "dumps", "loads"]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str) -> Any:
    """Read a JSON text.

    Args:
        text: The whole text.

    Returns:
        None, bool, int within 64 bits, float, str, list or dict.

    Raises:
        JsonError: when it is not JSON by the rules above.

    Source: spec/imports.md 5 and 2.2 (the runtime reads records and driver answers so).
    """
    if _is_plain(text):
        try:
            return _FAST.decode(text)
        except ValueError:
            pass  # the reader below says why, in the library's words
    reader = Reader(text)
    value = reader.value()
    reader.end()
    return value


def _is_plain(text: str) -> bool:
    """Whether Python's own reader, ten times as fast, agrees about a text that it accepts.

    It would accept lone surrogates and deeper nesting.
    """
    return text.count("[") + text.count("{") < MAX_DEPTH and not _SURROGATE.search(text)


def _number_of(text: str) -> int | float:
    # Up to 18 digits are within 64 bits, and only -0 is no integer.
    if len(text) < 19 and text != "-0" and text.lstrip("-").isdigit():
        return int(text)
    return Reader(text).number()


def _refuse_constant(text: str) -> float:
    raise ValueError(text)


def dumps(value: Any) -> str:
    """Write a value compactly: keys sorted, nothing beyond ASCII escaped.

    Args:
        value: As `loads` returns it.

    Returns:
        The text.

    Raises:
        TypeError: for any other kind of value, a float without a number included.

    Source: spec/imports.md 5.1.
    """
    if isinstance(value, str):
        return str(_quote(value))
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return _float_text(value)
    if isinstance(value, list | tuple):
        return f"[{','.join([dumps(item) for item in value])}]"
    if isinstance(value, dict):
        entries = [f"{_quote(key)}:{dumps(value[key])}" for key in sorted(value)]
        return f"{{{','.join(entries)}}}"
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _float_text(value: float) -> str:
    """The shortest text that reads back the same, plain for exponents from -5 to 15."""
    text = repr(value)
    mantissa, _, exponent = text.partition("e")
    if not exponent or exponent.startswith("+"):
        return text
    if exponent == "-05":
        sign = "-" if mantissa.startswith("-") else ""
        return f"{sign}0.0000{mantissa.removeprefix('-').replace('.', '')}"
    return f"{mantissa}e{int(exponent)}"


_FAST = json.JSONDecoder(
    parse_float=_number_of, parse_int=_number_of, parse_constant=_refuse_constant
)
