"""The filter of the timeline, and finding text in lines.

Lives here: `Query`, `parse`, and generators that search in slices. Not here: help and
completion (workbench.search_help), running searches without blocking (gui.jobs),
showing hits (gui.models). Rooms above may import it.

A query is words apart by blanks; all must hold. `word` stands anywhere in the row,
`"two words"` too, and what follows a minus must not hold. `hook:`, `event:`, `arm:`,
`result:`, `failure:`, `phase:`, `is:` and `note:` look at one thing alone; `#12` and
`#12-20` are rows, `session:2` is a session. Values that nothing can have are an error,
told in one sentence.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

import msgspec

from inspector.contract.contract import EVENTS
from inspector.contract.profile import PROFILES
from inspector.contract.record import (
    RESULT_ABANDONED,
    RESULT_ABSENT,
    RESULT_DROPPED,
    RESULT_ERROR,
    RESULT_QUEUED,
    Failure,
    HookCall,
)
from inspector.workbench import verdict
from inspector.workbench.command import CONTROL_EVENTS
from inspector.workbench.state import Firing, LogLine, RowNote

_TERM = re.compile(r'(?=\S)(-?)(?:([a-z]+):(?!//))?(?:"([^"]*)("?)|(\S*))')
_SPAN = re.compile(r"([0-9]{1,15})(?:-([0-9]{0,15}))?")

PHASES = ("observe", "decide", "stage", "task", "control")
FAILURES = tuple(failure.value for failure in Failure)
ARMS = tuple(dict.fromkeys(arm for profile in PROFILES.values() for arm in profile.contract.arms))
RESULTS = tuple(
    dict.fromkeys(
        (
            *ARMS,
            RESULT_ERROR,
            *FAILURES,
            RESULT_ABSENT,
            RESULT_QUEUED,
            RESULT_DROPPED,
            RESULT_ABANDONED,
        )
    )
)
_MOST_LISTED = 9
"""Words that an error names; completion knows them all."""

BAD, MARKED, NOTED = "bad", "marked", "noted"
STANDINGS = (
    BAD,
    "denied",
    "fault",
    "error",
    "refused",
    "honored",
    "ignored",
    "discarded",
    "superseded",
    "queued",
    "dropped",
    "abandoned",
    "proceed",
    "done",
    "no hook",
    "running",
    "engine lost",
    "not run",
    "unexpected",
    MARKED,
    NOTED,
)
"""Words after `is:`: those of the outcome column, and three of our own."""

Notes = Mapping[int, RowNote]


class Term(msgspec.Struct, frozen=True):
    """One word of a query; `key` is "" for anywhere."""

    key: str
    text: str
    negated: bool


class Query(msgspec.Struct, frozen=True):
    """A parsed query; an empty one matches everything.

    Attributes:
        terms: All must hold.
        error: What is wrong with the text, in one sentence, or "".
    """

    terms: tuple[Term, ...] = ()
    error: str = ""

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def asks_notes(self) -> bool:
        """Whether a mark or a note decides about a row; the plain words look there too."""
        return any(term.key in ("", "note") or term.text in (MARKED, NOTED) for term in self.terms)


def parse(text: str) -> Query:
    """Read a query.

    Args:
        text: As typed.

    Returns:
        A query; with `error` set when some word of it means nothing, and then without
        terms.
    """
    terms = []
    for found in _TERM.finditer(text):
        term, error = _term(found)
        if error:
            return Query(error=error)
        terms.append(term)
    return Query(tuple(terms))


def _term(found: re.Match[str]) -> tuple[Term, str]:
    minus, key, quoted, end, plain = found.groups()
    text = (quoted if quoted is not None else plain).casefold()
    if key is None and quoted is None and text.startswith("#"):
        key, text = "step", text[1:]
    term = Term(key or "", text, minus == "-")
    return term, _fault(term, is_open=quoted is not None and not end)


def _fault(term: Term, *, is_open: bool) -> str:
    """What is wrong with a word, or ""."""
    key, text = term.key, term.text
    if is_open:
        return "The quote is not closed."
    if key and key not in _LOOKUPS:
        keys = ", ".join(f"{name}:" for name in KEYS)
        return f'There is no {key}: here, only {keys}; quote it to find the text "{key}:{text}".'
    if not text:
        return f"{_spelled(key)} wants {_WANTED.get(key, 'a word')} after it."
    if key in ("step", "session") and not _SPAN.fullmatch(text):
        return f'{_spelled(key)} wants a number like 12 or 12-20, and "{text}" is none.'
    known = _KNOWN.get(key, ())
    fits = text in known if key in ("is", "phase") else any(text in word for word in known)
    if known and not fits:
        return f'{key}: knows no "{text}"; it takes {_listed(known)}.'
    return ""


def _listed(words: tuple[str, ...]) -> str:
    """The first of many words, and how many more there are."""
    if len(words) <= _MOST_LISTED:
        return ", ".join(words)
    return f"{', '.join(words[:_MOST_LISTED])} or one of {len(words) - _MOST_LISTED} more words"


def _spelled(key: str) -> str:
    return {"": "A minus", "step": "#"}.get(key, f"{key}:")


def visible_calls(
    query: Query, firing: Firing, notes: Notes | None = None
) -> tuple[int, ...] | None:
    """Which calls of a firing a query lets through.

    Args:
        query: The query.
        firing: A firing in any status.
        notes: What the user keeps about firings.

    Returns:
        Indexes of the calls to show; None when the whole firing is hidden.
    """
    calls = firing.record.calls if firing.record else ()
    if not query:
        return tuple(range(len(calls)))
    note = notes.get(firing.step) if notes else None
    if not calls:
        return () if _matches(query, firing, None, note) else None
    found = tuple(i for i, call in enumerate(calls) if _matches(query, firing, call, note))
    return found or None


def _matches(query: Query, firing: Firing, call: HookCall | None, note: RowNote | None) -> bool:
    return all(_holds(term, firing, call, note) is not term.negated for term in query.terms)


def _holds(term: Term, firing: Firing, call: HookCall | None, note: RowNote | None) -> bool:
    if term.key == "note":
        return note is not None and term.text in note.text.casefold()
    if term.key == "is" and term.text in (MARKED, NOTED):
        return note is not None and (note.is_marked if term.text == MARKED else bool(note.text))
    if term.key:
        return _LOOKUPS[term.key](term.text, firing, call)
    word = verdict.of_firing(firing).word
    texts: list[str | None] = [firing.event, firing.label, firing.phase, word]
    if call is not None:
        texts += [call.hook, verdict.result_word(call), verdict.of_call(call).word]
        texts += [call.error, call.reason]
    else:
        texts.append(firing.note)
    if note is not None:
        texts.append(note.text)
    return any(term.text in text.casefold() for text in texts if text)


def _holds_is(text: str, firing: Firing, call: HookCall | None) -> bool:
    shown = verdict.of_firing(firing) if call is None else verdict.of_call(call)
    if text == BAD:
        return shown.is_bad
    # A policy hook that fails closed denies the call, too.
    return shown.word == text or (text == "denied" and shown.word == "refused")


def _holds_event(text: str, firing: Firing, call: HookCall | None) -> bool:
    own = call.event if call is not None and call.event else firing.event
    return text in own


def _holds_arm(text: str, _: Firing, call: HookCall | None) -> bool:
    return call is not None and call.result in ARMS and text in call.result


def _holds_failure(text: str, _: Firing, call: HookCall | None) -> bool:
    return call is not None and call.failure is not None and text in call.failure.value


@lru_cache(maxsize=64)
def _span(text: str) -> tuple[int, int]:
    """First and last number of `12`, `12-20` or `12-`."""
    found = _SPAN.fullmatch(text)
    assert found is not None
    first, last = found.groups()
    if last is None:
        return int(first), int(first)
    return int(first), int(last) if last else 1 << 62


def _within(text: str, number: int) -> bool:
    first, last = _span(text)
    return first <= number <= last


_LOOKUPS: dict[str, Callable[[str, Firing, HookCall | None], bool]] = {
    "hook": lambda text, _, call: call is not None and text in call.hook.casefold(),
    "event": _holds_event,
    "arm": _holds_arm,
    "result": lambda text, _, call: call is not None and text in verdict.result_word(call),
    "failure": _holds_failure,
    "phase": lambda text, firing, _: text == firing.phase,
    "is": _holds_is,
    "note": lambda text, firing, call: False,  # decided before, by the note itself
    "step": lambda text, firing, _: _within(text, firing.step),
    "session": lambda text, firing, _: _within(text, firing.session),
}
KEYS = tuple(_LOOKUPS)
_KNOWN = {
    "event": (*EVENTS, *CONTROL_EVENTS),
    "arm": ARMS,
    "result": RESULTS,
    "failure": FAILURES,
    "phase": PHASES,
    "is": STANDINGS,
}
_WANTED = {
    "hook": "a part of a hook's name",
    "event": "a part of an event's name",
    "arm": f"one of {', '.join(ARMS)}",
    "result": "a word of the result column",
    "failure": f"one of {', '.join(FAILURES)}",
    "phase": f"one of {', '.join(PHASES)}",
    "is": "bad, denied, fault, marked or another word of the outcome column",
    "note": "a part of the note's text",
    "step": "the number of a row",
    "session": "the number of a session",
}


def known_values(key: str) -> tuple[str, ...]:
    """What can stand after a key, () when that depends on the rows."""
    return _KNOWN.get(key, ())


def line_matcher(needle: str) -> Callable[[str], bool]:
    """Whether a line holds a text; case counts only when the text has capitals.

    Args:
        needle: What is searched for; "" is in every line.
    """
    if needle != needle.casefold():
        return lambda line: needle in line
    return lambda line: needle in line.casefold()


def find(lines: Iterable[str], needle: str, first: int = 0) -> Iterator[int]:
    """Numbers of the lines that hold a text; nothing for an empty text.

    Args:
        lines: Any lines.
        needle: What is searched for.
        first: The number of the first line.
    """
    if not needle:
        return
    matches = line_matcher(needle)
    yield from (number for number, line in enumerate(lines, first) if matches(line))


def log_lines(lines: Iterable[LogLine], file: str, first: int = 0) -> Iterator[int]:
    """Indexes of the lines of a file; "" is every file.

    Args:
        lines: Log lines in order.
        file: As in `LogLine.file`, or "".
        first: The index of the first line.
    """
    return (i for i, line in enumerate(lines, first) if not file or line.file == file)
