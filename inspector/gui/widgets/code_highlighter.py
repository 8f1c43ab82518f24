"""Colours for JSON and YAML text.

Lives here: the rules of both languages and the highlighter that follows the look. Not
here: the editor (code_edit). Only gui may import it.
"""

import re
from typing import Literal

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from inspector.gui.widgets import look

Language = Literal["json", "yaml", "none"]

LONGEST_LINE = 10_000
"""Characters in a line beyond which it is left plain; longer ones stall every editor."""

_STRING = r'"(?:[^"\\]|\\.)*"?'
_NUMBER = r"-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b"
_ROLES = {
    "key": "accent",
    "string": "positive",
    "number": "notice",
    "word": "caution",
    "comment": "muted",
}
_RULES: dict[Language, re.Pattern[str]] = {
    "json": re.compile(
        rf"(?P<key>{_STRING}(?=\s*:))|(?P<string>{_STRING})|(?P<number>{_NUMBER})"
        r"|(?P<word>\b(?:true|false|null)\b)"
    ),
    "yaml": re.compile(
        r"(?P<comment>(?:^|(?<=\s))\#.*$)"
        rf"|(?P<key>(?:{_STRING}|'[^']*'|[\w$./-]+)(?=\s*:(?:\s|$)))"
        rf"|(?P<string>{_STRING}|'(?:[^']|'')*'?)|(?P<number>(?<![\w.-]){_NUMBER}(?![\w.-]))"
        r"|(?P<word>\b(?:true|false|null|yes|no)\b|~)"
    ),
}


class CodeHighlighter(QSyntaxHighlighter):
    """Paints the words of a language in role colours."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._language: Language = "none"
        self._formats: dict[str, QTextCharFormat] = {}
        self._take_colors()
        look.look().changed.connect(self._on_look_changed)

    def set_language(self, language: Language) -> None:
        """Paint another language."""
        if language != self._language:
            self._language = language
            self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        rule = _RULES.get(self._language)
        if rule is None or len(text) > LONGEST_LINE:
            return
        # Qt counts UTF-16 units, Python characters.
        wide = not text.isascii() and any(ch > "\uffff" for ch in text)
        for found in rule.finditer(text):
            start, end = found.span()
            if wide:
                start, end = utf16_length(text[:start]), utf16_length(text[:end])
            self.setFormat(start, end - start, self._formats[str(found.lastgroup)])

    def _take_colors(self) -> None:
        for kind, role in _ROLES.items():
            char_format = QTextCharFormat()
            char_format.setForeground(look.color(role))
            self._formats[kind] = char_format

    def _on_look_changed(self) -> None:
        self._take_colors()
        self.rehighlight()


def utf16_length(text: str) -> int:
    """How many of Qt's characters a text has."""
    return len(text) + sum(ch > "\uffff" for ch in text)
