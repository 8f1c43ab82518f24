"""Findings about the hooks of a capsule together."""

import pytest

from inspector.contract.profile import profile
from inspector.manifest.capsule_lint import all_rejected, shared_stores
from inspector.manifest.grant import Grant

CURRENT, OLD = profile("0.3"), profile("0.1")


def _grant(store: str | None, line: int) -> Grant:
    return Grant(state_store=store, lines={"state": line})


def test_shared_stores__of_two_hooks__are_noted_at_both() -> None:
    """Each names the other, at its own declaration."""
    hooks = [("a", _grant("notes", 3)), ("b", _grant("own", 5)), ("c", _grant("notes", 7))]
    first, second = shared_stores(hooks, CURRENT, "murmur.yaml")
    assert first.message == "hook 'a' shares the state store 'notes' with hook 'c'"
    assert (first.severity, first.file, first.line, first.hook) == ("info", "murmur.yaml", 3, "a")
    assert second.message == "hook 'c' shares the state store 'notes' with hook 'a'"
    assert (second.line, second.hook) == (7, "c")


def test_shared_stores__of_three_hooks__name_both_others() -> None:
    """In manifest order; entries of one name are two hooks."""
    hooks = [(name, _grant("s", 1)) for name in ("a", "b", "a")]
    assert [found.message for found in shared_stores(hooks, CURRENT, None)] == [
        "hook 'a' shares the state store 's' with hooks 'b', 'a'",
        "hook 'b' shares the state store 's' with hooks 'a', 'a'",
        "hook 'a' shares the state store 's' with hooks 'a', 'b'",
    ]


def test_shared_stores__without_one__are_none() -> None:
    """Hooks without a store share nothing, and an old runtime has none."""
    assert shared_stores([("a", Grant()), ("b", Grant())], CURRENT, None) == ()
    hooks = [("a", _grant("s", 1)), ("b", _grant("s", 2))]
    assert shared_stores(hooks, OLD, None) == ()


@pytest.mark.parametrize(
    ("hooks", "rejected", "is_told"),
    [
        (["a", "b"], {"a", "b"}, True),
        (["a", "b"], {"a"}, False),
        (["a"], {"a"}, False),
        ([], set(), False),
    ],
)
def test_all_rejected__is_told_of_several_hooks(
    hooks: list[str], rejected: set[str], is_told: bool
) -> None:
    """One hook alone has its own finding."""
    found = all_rejected(hooks, rejected, "f")
    assert [(each.code, each.file, each.hook) for each in found] == (
        [("all-rejected", "f", None)] if is_told else []
    )
