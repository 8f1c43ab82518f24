"""Few letters, the right entry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.workbench.palette import Entry, match, ranked

ENTRIES = (
    Entry("action:fire", "Run", "Fire", "Fire the event in the composer."),
    Entry("action:fire-last", "Run", "Fire the last again"),
    Entry("action:reload", "Capsule", "Reload", reason="Open a capsule first."),
    Entry("hook:guard", "Hook", "guard", "on-shell · blocking"),
    Entry("hook:audit", "Hook", "audit-trail", "all · async"),
    Entry("event:on-shell", "Event", "on-shell"),
    Entry("recent:/x", "Recent", "ledger-demo", "/home/me/ledger-demo"),
)


def ids(query):
    """What is found, in order."""
    return [found.entry.id for found in ranked(ENTRIES, query)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("fire", "action:fire"),
        ("fla", "action:fire-last"),
        ("FLA", "action:fire-last"),
        ("hook gua", "hook:guard"),
        ("at", "hook:audit"),
        ("shell", "event:on-shell"),
        ("rld", "action:reload"),
        ("recent led", "recent:/x"),
        ("me/ledger", "recent:/x"),
    ],
)
def test_ranked__few_letters__find_the_entry_first(query, first):
    """Beginnings of words, runs, initials, letters in order."""
    assert ids(query)[0] == first


def test_ranked__no_letters__give_everything_in_order():
    """Blanks are no letters."""
    assert ids("") == ids("  ") == [entry.id for entry in ENTRIES]


def test_ranked__letters_that_are_nowhere__give_nothing():
    """Every word has to be found."""
    assert ids("fire zzz") == []
    assert ids("qqq") == []


def test_ranked__entry_that_cannot_be_chosen__comes_after_its_like():
    """It still is found, since the reason is worth reading."""
    twins = (Entry("a", "Run", "Stop", reason="Nothing is running."), Entry("b", "Run", "Stop"))
    assert [found.entry.id for found in ranked(twins, "stop")] == ["b", "a"]


def test_match__places__are_those_of_the_letters():
    """Also behind a letter that folds to two."""
    found = match("last", "Fire the last")
    assert found is not None
    assert found.places == (9, 10, 11, 12)
    found = match("weg", "ßß weg")
    assert found is not None
    assert found.places == (3, 4, 5)


def test_match__whole_word__beats_a_longer_one():
    """`Fire` before `Fire the last again`."""
    assert match("fire", "Fire").score > match("fire", "Fire the last again").score


@given(st.text(max_size=30), st.text(max_size=400))
def test_match__any_text__places_hold_the_letters(query, text):
    """Places are in order, inside the text, and as many as letters."""
    found = match(query, text)
    if found is not None:
        assert len(found.places) == len(query.casefold())
        assert list(found.places) == sorted(set(found.places))
        assert all(0 <= place < len(text) for place in found.places)


@given(st.text(min_size=1, max_size=20))
def test_match__the_text_itself__is_found(text):
    """Whatever it is made of, unless folding makes it longer."""
    if len(text.casefold()) == len(text):
        assert match(text, text) is not None
