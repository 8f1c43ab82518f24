"""murmur:runtime/tokens: the host's token count of a text.

Lives here: `count`, also used for the numbers of run-inference. Not here: where
counts are shown. Only runtime and worker import it.
"""

import re
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

ENCODING = "cl100k_base"

_SPECIAL = re.compile(
    "|".join(
        re.escape(token)
        for token in (
            "<|endoftext|>",
            "<|fim_prefix|>",
            "<|fim_middle|>",
            "<|fim_suffix|>",
            "<|endofprompt|>",
        )
    )
)


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    # Importing the tables takes half a second, so only a session that counts pays.
    # WORKAROUND bpe-openai 0.1.4: its Encoding refuses 1,000,000 characters in a row and
    # 200,000 tokens in all, while a count must never fail; the native tokenizer below it has
    # no bound. tests/unit/runtime/host/test_tokens.py tells when this may go.
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
    pieces = _SPECIAL.split(text)
    return len(pieces) - 1 + sum(int(tokenizer.count(piece)) for piece in pieces)


def implementations() -> Mapping[str, Callable[..., int]]:
    """The functions of `murmur:runtime/tokens`, the same for every hook.

    Returns:
        Function name to implementation, for host_function.define.
    """
    return {"count": count}
