r"""Text with nothing hidden in it: control characters as escapes, and back.

Lives here: when a text can be edited as it is, `escape` and `unescape`. Not here: the
field that uses them (text_field). Only gui may import it.

The escapes are those of JSON: `\n`, `\t`, `\\`, `\u202e`, a pair for what lies beyond.
Quotes stand for themselves.
"""

import re

_SHORT = {"\b": r"\b", "\t": r"\t", "\n": r"\n", "\f": r"\f", "\r": r"\r", "\\": r"\\"}
_BACK = {value[1]: key for key, value in _SHORT.items()} | {'"': '"', "/": "/"}
_MAYBE_HIDDEN = re.compile(r"[^ -\[\]-~]")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)
_OBJECT = "\ufffc"
"""Qt's text documents keep this character for pictures; fields show it as a blank."""


class EscapeError(ValueError):
    """A text whose escapes cannot be read; its message is a sentence."""


def is_plain(text: str, *, many_lines: bool = False) -> bool:
    """Whether every character of a text can be seen and edited as it is.

    Args:
        text: Any text.
        many_lines: Whether line breaks and tabs can be shown.

    Returns:
        False when the text needs escapes to be seen whole.
    """
    if many_lines:
        text = text.replace("\n", "").replace("\t", "")
    return text.isprintable() and _OBJECT not in text


def escape(text: str, *, keep_lines: bool = False) -> str:
    """A text with every character that cannot be seen, and the backslash, as escapes.

    Args:
        text: Any text.
        keep_lines: Whether line breaks stand for themselves.
    """
    if keep_lines:
        return "\n".join(escape(line) for line in text.split("\n"))
    return _MAYBE_HIDDEN.sub(_escape_one, text)


def _escape_one(found: re.Match[str]) -> str:
    char = found.group()
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable() and char != _OBJECT:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def unescape(text: str) -> str:
    """The text that escapes stand for.

    Raises:
        EscapeError: for an escape there is none of, or half a pair.
    """
    return whole(_ESCAPE.sub(_unescape_one, text))


def whole(text: str) -> str:
    """A text with the halves of each character put together.

    Raises:
        EscapeError: when a half stands alone (a lone surrogate).
    """
    if text.isascii():
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise EscapeError("Half a character (\\ud800 to \\udfff) stands alone.") from None


def _unescape_one(found: re.Match[str]) -> str:
    code = found.group(1)
    if code[:1] == "u" and len(code) == 5:
        return chr(int(code[1:], 16))
    if code in _BACK:
        return _BACK[code]
    raise EscapeError(f"\\{code} is no escape; write \\\\ for a backslash.")
