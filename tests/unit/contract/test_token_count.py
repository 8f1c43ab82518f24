"""Tokens of a text as the runtime counts them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.contract import token_count
from inspector.contract.token_count import count, pieces_of

_ROOT = Path(__file__).parents[3]
_VECTORS = json.loads((_ROOT / "tests/data/token_counts.json").read_text("utf-8"))


@pytest.mark.parametrize("vector", _VECTORS, ids=range(len(_VECTORS)))
def test_count__text_with_known_count__agrees(vector):
    """Three other tokenizers agree on these numbers (spec/imports.md 3)."""
    assert count(vector["text"]) == vector["count"]


@settings(deadline=None)
@given(
    st.text(
        st.sampled_from("ab Zé9\n\t.'s日") | st.characters(codec="utf-8"), min_size=20, max_size=400
    )
)
def test_count__in_pieces__is_the_count_of_the_whole(text):
    """A cut never lies inside a token."""
    whole = count(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_count, "PIECE_CHARACTERS", 3)
        assert count(text) == whole
        assert "".join(pieces_of(text)) == text


def test_pieces_of__long_prose__are_short():
    """So that no piece holds up the window."""
    pieces = list(pieces_of("the cat sat " * 50_000))
    assert len(pieces) > 5
    assert max(map(len, pieces)) < token_count.PIECE_CHARACTERS + 20


def test_count__beyond_the_bounds_of_the_librarys_front__is_exact():
    """A million characters in a row and over 200,000 tokens are counted all the same."""
    assert count("a" * 1_000_000) == 125_000
    assert count("the cat " * 200_000) == 400_001


def test_import__of_the_module__does_not_load_the_tables():
    """A window that counts nothing does not pay for them."""
    code = "import inspector.contract.token_count, sys; assert 'bpe_openai' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=_ROOT)
