"""The careful JSON reader: every error is the one that the runtime's library gives.

Lives here: `Reader` and `JsonError`. Not here: the way in (json_text). Only json_text
imports it.
"""

import math
import re
from typing import Any

MAX_DEPTH = 128
"""So many levels of nesting are one too many."""

_U64_MAX = 2**64 - 1
_I64_MIN = -(2**63)
_EXPONENT_MAX = 2**31 - 1
_SPACE = re.compile(r"[ \n\t\r]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(r"[0-9]*")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_ESCAPES = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_CONTROL_CHARACTER = "control character (\\u0000-\\u001F) found while parsing a string"
_WORDS = {"n": ("null", None), "t": ("true", True), "f": ("false", False)}


class JsonError(ValueError):
    """A text that is not JSON; the message is the runtime's, with line and column."""


class Reader:
    """A reader with the library's own order of checks, so that its errors are the same."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = MAX_DEPTH

    # -- errors ---------------------------------------------------------------------

    def _error(self, what: str, ahead_bytes: int = 0) -> JsonError:
        """An error at the byte that was read last, or so many bytes further."""
        read = self._text[: self._at].encode("utf-8", "surrogatepass")
        ahead = self._text[self._at : self._at + ahead_bytes].encode("utf-8", "surrogatepass")
        read += ahead[:ahead_bytes]
        column = len(read) - (read.rfind(b"\n") + 1)
        return JsonError(f"{what} at line {read.count(10) + 1} column {column}")

    def _error_ahead(self, what: str) -> JsonError:
        """An error at the byte that comes next."""
        return self._error(what, 1)

    # -- characters -----------------------------------------------------------------

    def _peek(self) -> str:
        """The next character, or "" at the end."""
        return self._text[self._at : self._at + 1]

    def _skip_space(self) -> str:
        """Skip white space; the character after it, or ""."""
        found = _SPACE.match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        return self._peek()

    # -- values -----------------------------------------------------------------------

    def end(self) -> None:
        """Refuse anything but white space after the value."""
        if self._skip_space():
            raise self._error_ahead("trailing characters")

    def value(self) -> Any:
        """Read one value."""
        head = self._skip_space()
        if head == '"':
            self._at += 1
            return self._string()
        if head in ("{", "["):
            return self._nested(head)
        if head == "-" or "0" <= head <= "9":
            return self.number()
        if head in _WORDS:
            return self._word(head)
        raise self._error_ahead("expected value" if head else "EOF while parsing a value")

    def _word(self, head: str) -> bool | None:
        word, value = _WORDS[head]
        for wanted in word:
            found = self._peek()
            if found != wanted:
                raise self._error_ahead("expected ident" if found else "EOF while parsing a value")
            self._at += 1
        return value

    def _nested(self, head: str) -> Any:
        self._depth -= 1
        if self._depth == 0:
            raise self._error_ahead("recursion limit exceeded")
        self._at += 1
        value = self._object() if head == "{" else self._array()
        self._depth += 1
        return value

    def _array(self) -> list[Any]:
        items: list[Any] = []
        while self._has_item(bool(items)):
            items.append(self.value())
        self._at += 1
        return items

    def _has_item(self, is_later: bool) -> bool:
        head = self._skip_space()
        if head == "]":
            return False
        if not head:
            raise self._error_ahead("EOF while parsing a list")
        if not is_later:
            return True
        if head != ",":
            raise self._error_ahead("expected `,` or `]`")
        self._at += 1
        head = self._skip_space()
        if head == "]":
            raise self._error_ahead("trailing comma")
        if not head:
            raise self._error_ahead("EOF while parsing a value")
        return True

    def _object(self) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        is_later = False
        while self._has_key(is_later):
            is_later = True
            self._at += 1
            key = self._string()
            self._colon()
            entries[key] = self.value()
        self._at += 1
        return entries

    def _has_key(self, is_later: bool) -> bool:
        head = self._skip_space()
        if head == "}":
            return False
        if not head:
            raise self._error_ahead("EOF while parsing an object")
        if is_later:
            if head != ",":
                raise self._error_ahead("expected `,` or `}`")
            self._at += 1
            head = self._skip_space()
            if head == "}":
                raise self._error_ahead("trailing comma")
            if not head:
                raise self._error_ahead("EOF while parsing a value")
        if head != '"':
            raise self._error_ahead("key must be a string")
        return True

    def _colon(self) -> None:
        head = self._skip_space()
        if head != ":":
            raise self._error_ahead("expected `:`" if head else "EOF while parsing an object")
        self._at += 1

    # -- strings ----------------------------------------------------------------------

    def _string(self) -> str:
        parts: list[str] = []
        while True:
            plain = _PLAIN.match(self._text, self._at)
            assert plain is not None
            parts.append(plain.group())
            self._at = plain.end()
            head = self._peek()
            if not head:
                raise self._error("EOF while parsing a string")
            if head not in ('"', "\\"):
                raise self._error_ahead(_CONTROL_CHARACTER)
            self._at += 1
            if head == '"':
                return "".join(parts)
            parts.append(self._escape())

    def _escape(self) -> str:
        head = self._peek()
        if head == "u":
            self._at += 1
            return self._unicode_escape()
        if head not in _ESCAPES:
            raise self._error_ahead("invalid escape" if head else "EOF while parsing a string")
        self._at += 1
        return _ESCAPES[head]

    def _unicode_escape(self) -> str:
        first = self._four_hex()
        if 0xDC00 <= first <= 0xDFFF:
            raise self._error("lone leading surrogate in hex escape")
        if not 0xD800 <= first <= 0xDBFF:
            return chr(first)
        for wanted in "\\u":
            found = self._peek()
            if found != wanted:
                what = "unexpected end of hex escape" if found else "EOF while parsing a string"
                raise self._error_ahead(what)
            self._at += 1
        second = self._four_hex()
        if not 0xDC00 <= second <= 0xDFFF:
            raise self._error("lone leading surrogate in hex escape")
        return chr(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))

    def _four_hex(self) -> int:
        rest = self._text[self._at : self._at + 4]
        if len(rest.encode("utf-8", "surrogatepass")) < 4:
            self._at = len(self._text)
            raise self._error("EOF while parsing a string")
        if not _HEX.fullmatch(rest):
            raise self._error("invalid escape", 4)
        self._at += 4
        return int(rest, 16)

    # -- numbers ----------------------------------------------------------------------

    def number(self) -> int | float:
        """Read one number."""
        is_negative = self._peek() == "-"
        self._at += is_negative
        head = self._peek()
        if not "0" <= head <= "9":
            raise self._error_ahead("invalid number" if head else "EOF while parsing a value")
        if head == "0":
            self._at += 1
            if "0" <= self._peek() <= "9":
                raise self._error_ahead("invalid number")
            significand, exponent = 0, 0
        else:
            significand, exponent = self._significand(0)
        if self._peek() and self._peek() in ".eE":
            return self._fraction(is_negative, significand, exponent)
        if exponent:
            return self._assemble(is_negative, significand, exponent)
        if not is_negative:
            return significand
        return -significand if 0 < significand <= -_I64_MIN else -float(significand)

    def _significand(self, significand: int) -> tuple[int, int]:
        """Read digits into 64 bits; what does not fit counts in the exponent."""
        digits = _DIGITS.match(self._text, self._at)
        assert digits is not None
        self._at = digits.end()
        text = digits.group()
        kept = 0
        for digit in text:
            larger = significand * 10 + int(digit)
            if larger > _U64_MAX:
                break
            significand = larger
            kept += 1
        return significand, len(text) - kept

    def _fraction(self, is_negative: bool, significand: int, exponent: int) -> float:
        if self._peek() == ".":
            self._at += 1
            start = self._at
            significand, ignored = self._significand(significand)
            if self._at == start:
                raise self._error_ahead(
                    "invalid number" if self._peek() else "EOF while parsing a value"
                )
            exponent -= self._at - start - ignored
        if self._peek() and self._peek() in "eE":
            self._at += 1
            sign, written = self._exponent()
            if written > _EXPONENT_MAX:
                return self._huge_exponent(is_negative, significand, sign)
            exponent += sign * written
        return self._assemble(is_negative, significand, exponent)

    def _exponent(self) -> tuple[int, int]:
        """Sign and size of an exponent, read no further than to the digit that is too much."""
        sign = -1 if self._peek() == "-" else 1
        if self._peek() and self._peek() in "+-":
            self._at += 1
        if not "0" <= self._peek() <= "9":
            what = "invalid number" if self._peek() else "EOF while parsing a value"
            raise self._error_ahead(what)
        written = 0
        while "0" <= self._peek() <= "9" and written <= _EXPONENT_MAX:
            written = written * 10 + int(self._peek())
            self._at += 1
        return sign, written

    def _huge_exponent(self, is_negative: bool, significand: int, sign: int) -> float:
        if significand and sign > 0:
            raise self._error("number out of range")
        rest = _DIGITS.match(self._text, self._at)
        assert rest is not None
        self._at = rest.end()
        return -0.0 if is_negative else 0.0

    def _assemble(self, is_negative: bool, significand: int, exponent: int) -> float:
        """Scale as the library does, which may miss the nearest float by one step."""
        number = float(significand)
        while exponent < -308 and number:
            number /= 1e308
            exponent += 308
        if number and exponent > 308:
            raise self._error("number out of range")
        if number:
            power = float(f"1e{abs(exponent)}")
            number = number * power if exponent >= 0 else number / power
        if math.isinf(number):
            raise self._error("number out of range")
        return -number if is_negative else number
