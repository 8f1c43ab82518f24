"""What the command palette offers, and how few letters find it.

Lives here: `Entry`, the match of typed letters with a text, the order of what was found.
Not here: which entries there are (gui.window_palette), the list on the screen
(gui.views.palette_view). Rooms above may import it.
"""

from collections.abc import Iterable

import msgspec

MOST_LETTERS = 200
"""Typed letters that count; the rest is left out."""

LONGEST_TEXT = 300
"""Characters of a text that are searched."""

_WORD_START, _INSIDE, _SCATTERED = 100, 60, 20
_ELSEWHERE = 0.5
"""A hit outside the title counts for so much of one inside."""

_REFUSED = 5
"""What an entry that cannot be chosen now loses against its like."""


class Entry(msgspec.Struct, frozen=True):
    """One thing that the palette offers.

    Attributes:
        id: Tells whoever offered it what it is.
        kind: A word for the group: `Run`, `Hook`, `Recent`.
        title: Its name.
        detail: More about it, in one line, or "".
        keys: Its shortcut, or "".
        icon: Name of its picture, or "".
        reason: Why it cannot be chosen now, or "".
    """

    id: str
    kind: str
    title: str
    detail: str = ""
    keys: str = ""
    icon: str = ""
    reason: str = ""


class Match(msgspec.Struct, frozen=True):
    """How well letters match.

    Attributes:
        score: The higher, the better.
        places: Characters of the title that were hit, in order.
    """

    score: float
    places: tuple[int, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """An entry that matches, with the characters of its title that were hit."""

    entry: Entry
    places: tuple[int, ...] = ()


def match(query: str, text: str) -> Match | None:
    """Match one word with a text, without regard to case.

    Args:
        query: Letters without spaces; they need not stand next to each other.
        text: What they are looked for in.

    Returns:
        None when some letter is missing, else the score: a word's beginning counts most,
        then a run inside a word, then scattered letters, beginnings of words first.
    """
    letters, text = query[:MOST_LETTERS].casefold(), _folded(text)
    if not letters:
        return Match(0)
    starts = _word_starts(text)
    run = next((at for at in starts if text.startswith(letters, at)), -1)
    if run >= 0:
        whole = 20 if len(letters) == len(text) else 0
        return Match(_WORD_START - run / 10 + whole, tuple(range(run, run + len(letters))))
    inside = text.find(letters)
    if inside >= 0:
        return Match(_INSIDE - inside / 10, tuple(range(inside, inside + len(letters))))
    places = _initials(letters, text, starts) or _scattered(letters, text)
    if places is None:
        return None
    spread = places[-1] - places[0] - len(places) + 1
    return Match(_SCATTERED - spread / 10 + 2 * len(set(places) & set(starts)), places)


def ranked(entries: Iterable[Entry], query: str) -> tuple[Found, ...]:
    """The entries that match, the best first; all in their order for no letters.

    Args:
        entries: What is offered.
        query: Words with spaces between; each has to be found in title, kind or detail.
    """
    words = query[:MOST_LETTERS].split()
    if not words:
        return tuple(Found(entry) for entry in entries)
    scored = []
    for entry in entries:
        found = _entry_match(entry, words)
        if found is not None:
            scored.append((found.score - _REFUSED * bool(entry.reason), entry, found.places))
    scored.sort(key=lambda item: -item[0])
    return tuple(Found(entry, places) for _, entry, places in scored)


def _entry_match(entry: Entry, words: list[str]) -> Match | None:
    score, places = 0.0, set[int]()
    for word in words:
        in_title = match(word, entry.title)
        around = match(word, f"{entry.kind} {entry.detail}")
        elsewhere = around.score * _ELSEWHERE if around and around.score >= _INSIDE / 2 else 0
        if in_title is not None and in_title.score >= elsewhere:
            score += in_title.score
            places.update(in_title.places)
        elif elsewhere:
            score += elsewhere
        else:
            return None
    return Match(score, tuple(sorted(places)))


def _folded(text: str) -> str:
    # Places have to be those of the title, so that letters which fold to two stay.
    return "".join(
        folded if len(folded := ch.casefold()) == 1 else ch for ch in text[:LONGEST_TEXT]
    )


def _word_starts(text: str) -> list[int]:
    return [
        at for at, ch in enumerate(text) if ch.isalnum() and (at == 0 or not text[at - 1].isalnum())
    ]


def _initials(letters: str, text: str, starts: list[int]) -> tuple[int, ...] | None:
    """Letters that begin words, in order, or None."""
    places, rest = [], iter(starts)
    for letter in letters:
        at = next((at for at in rest if text[at] == letter), None)
        if at is None:
            return None
        places.append(at)
    return tuple(places)


def _scattered(letters: str, text: str) -> tuple[int, ...] | None:
    """Letters in order, wherever they stand, or None."""
    places, after = [], 0
    for letter in letters:
        at = text.find(letter, after)
        if at < 0:
            return None
        places.append(at)
        after = at + 1
    return tuple(places)
