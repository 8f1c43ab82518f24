"""murmur:runtime/tokens."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.runtime.host import tokens

_DATA = Path(__file__).parents[3] / "data"
_VECTORS = json.loads((_DATA / "token_counts.json").read_text("utf-8"))


def test_vectors__file__holds_thirty_texts():
    """A lost vector would be a lost test."""
    assert len(_VECTORS) == 30


@pytest.mark.parametrize("vector", _VECTORS, ids=range(len(_VECTORS)))
def test_count__text_with_known_count__agrees(vector):
    """Three other tokenizers agree on these numbers (spec/imports.md 3)."""
    assert tokens.count(vector["text"]) == vector["count"]


@pytest.mark.parametrize(
    ("text", "count"),
    [("\0", 1), ("\x01\x02", 2), ("<|endoftext|>" * 300, 300), ("<|endoftext|", 6)],
)
def test_count__controls_and_specials__never_fail(text, count):
    """NUL and lone controls are text; a special token counts as one, a cut one as text."""
    assert tokens.count(text) == count


def test_count__beyond_the_bounds_of_the_librarys_front__is_exact():
    """A million characters in a row and over 200,000 tokens are counted all the same."""
    assert tokens.count("a" * 1_000_000) == 125_000
    assert tokens.count("the cat " * 200_000) == 400_001


def test_library__front_encoding__still_has_the_bound_that_we_go_around():
    """When this fails, tokens.py may use the public Encoding again."""
    tokens.count("")  # imports it without its warning
    import bpe_openai

    with pytest.raises(ValueError, match="too long"):
        bpe_openai.get_encoding("cl100k_base").encode("a" * 1_000_000)


def test_implementations__count__is_the_counter():
    """A hook gets the host's own number."""
    assert tokens.implementations()["count"]("hello world") == 2


def test_import__of_the_module__does_not_load_the_tables():
    """Sessions that count nothing do not pay for the tables."""
    code = "import inspector.runtime.host.tokens, sys; assert 'bpe_openai' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[4])
