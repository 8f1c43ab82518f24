"""Scopes and store names where the platform gives characters a meaning."""

import pytest

from inspector.manifest.scope import scope_problem
from inspector.manifest.state_store import segment_problem


@pytest.mark.parametrize(
    ("scope", "problem"),
    [
        ("a/b", None),
        ("a\\b", None),
        ("a\\..\\b", None),
        ("a\\..\\..", "scope cannot escape the workdir via '..'"),
        ("C:\\x", "scope must be relative to the workdir"),
        ("\\\\host\\share\\x", "scope must be relative to the workdir"),
        ("C:x", "scope must not contain absolute or prefixed components"),
        ("\\x", "scope must not contain absolute or prefixed components"),
        ("/x", "scope must not contain absolute or prefixed components"),
    ],
)
def test_scope_problem__windows__knows_drives_and_backslashes(
    scope: str, problem: str | None
) -> None:
    """Drive letters and backslashes climb out there, and nowhere else."""
    assert scope_problem(scope, windows=True) == problem


def test_segment_problem__windows__refuses_drives_and_backslashes() -> None:
    """A store is one segment on every platform."""
    assert segment_problem("a\\b", windows=True) is not None
    assert segment_problem("c:", windows=True) is not None
    assert segment_problem("a\\b", windows=False) is None
    assert segment_problem("ledger", windows=True) is None
