"""How many tokens a text has, as the runtime counts them.

Lives here: `count`. Not here: the host function that hooks call (runtime.host.tokens),
running it beside the window (gui). Every room above may import it.

The tables take about a second to load and a count holds the interpreter, so the window
counts on a thread of its own, and long texts are counted in pieces.
"""

import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

ENCODING = "cl100k_base"

PIECE_CHARACTERS = 64 * 1024
"""A longer text is counted in pieces; one takes a few milliseconds."""

_SPECIAL = re.compile(r"<\|(?:endoftext|fim_prefix|fim_middle|fim_suffix|endofprompt)\|>")

_SEAM = re.compile(r"(?<=[A-Za-z]) (?=[A-Za-z])")
"""The encoding never makes one token across such a blank: it opens the next word."""


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    # WORKAROUND bpe-openai 0.1.4: its Encoding refuses 1,000,000 characters in a row and
    # 200,000 tokens in all; the native tokenizer below it has no bound. tests/unit/runtime/
    # host/test_tokens.py tells when this may go.
    with warnings.catch_warnings():
        # The library opens its tables in a way that Python 3.11 deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        from bpe_openai import _bindings
    return _bindings.tokenizer_for_encoding(ENCODING)


def count(text: str) -> int:
    """Count the tokens of a text; special tokens written in it count as one each.

    Args:
        text: Any Unicode text, of any length.

    Returns:
        0 or more; never fails.

    Source: spec/imports.md 3.
    """
    tokenizer = _tokenizer()
    parts = _SPECIAL.split(text)
    pieces = (piece for part in parts for piece in pieces_of(part))
    return len(parts) - 1 + sum(int(tokenizer.count(piece)) for piece in pieces)


def pieces_of(text: str) -> Iterator[str]:
    """Cut a text where no token can lie across; a text without such a place stays whole."""
    start = 0
    while len(text) - start > PIECE_CHARACTERS:
        seam = _SEAM.search(text, start + PIECE_CHARACTERS)
        if seam is None:
            break
        yield text[start : seam.start()]
        start = seam.start()
    yield text[start:]
