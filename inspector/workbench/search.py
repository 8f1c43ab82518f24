"""The filter of the timeline, and finding text in lines.

Lives here: `Query`, `parse`, and generators that search in slices. Not here: running
them without blocking (gui.jobs), showing hits (gui.models). Rooms above may import it.

A query is words apart by blanks; all must hold. `word` stands anywhere in the row,
`"two words"` too, `-word` must not stand there. `event:x`, `hook:x`, `phase:x`,
`result:x` and `is:x` look at one thing alone; `is:` knows the words of the result
column and `bad` for everything that is neither honored nor ignored. `step:12` and
`session:2` are numbers.
"""

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from inspector.contract.record import HookCall
from inspector.workbench import verdict
from inspector.workbench.state import Firing, LogLine

_TERM = re.compile(r'(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))')


class Term(msgspec.Struct, frozen=True):
    """One word of a query; `key` is "" for anywhere."""

    key: str
    text: str
    negated: bool


class Query(msgspec.Struct, frozen=True):
    """A parsed query; an empty one matches everything."""

    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)


def parse(text: str) -> Query:
    """Read a query; every text is one.

    Args:
        text: As typed; an unknown `key:` is searched for as plain text.
    """
    return Query(tuple(_term(found) for found in _TERM.finditer(text)))


def _term(found: re.Match[str]) -> Term:
    minus, key, quoted, plain = found.groups()
    text = quoted if quoted is not None else plain
    if key is not None and key not in _LOOKUPS:
        key, text = None, f"{key}:{text}"
    return Term(key or "", text.casefold(), minus == "-")


def visible_calls(query: Query, firing: Firing) -> tuple[int, ...] | None:
    """Which calls of a firing a query lets through.

    Args:
        query: The query.
        firing: A firing in any status.

    Returns:
        Indexes of the calls to show; None when the whole firing is hidden.
    """
    calls = firing.record.calls if firing.record else ()
    if not query:
        return tuple(range(len(calls)))
    if not calls:
        return () if _matches(query, firing, None) else None
    found = tuple(i for i, call in enumerate(calls) if _matches(query, firing, call))
    return found or None


def _matches(query: Query, firing: Firing, call: HookCall | None) -> bool:
    return all(_holds(term, firing, call) is not term.negated for term in query.terms)


def _holds(term: Term, firing: Firing, call: HookCall | None) -> bool:
    if term.key:
        return _LOOKUPS[term.key](term.text, firing, call)
    texts: list[str | None] = [firing.event, firing.phase, verdict.of_firing(firing).word]
    if call is not None:
        texts += [call.hook, verdict.result_word(call), verdict.of_call(call).word]
        texts += [call.error, call.reason]
    else:
        texts.append(firing.note)
    return any(term.text in text.casefold() for text in texts if text)


def _holds_is(text: str, firing: Firing, call: HookCall | None) -> bool:
    shown = verdict.of_firing(firing) if call is None else verdict.of_call(call)
    return shown.is_bad if text == "bad" else shown.word == text


_LOOKUPS: dict[str, Callable[[str, Firing, HookCall | None], bool]] = {
    "event": lambda text, firing, _: text in firing.event,
    "phase": lambda text, firing, _: text == firing.phase,
    "hook": lambda text, _, call: call is not None and text in call.hook.casefold(),
    "result": lambda text, _, call: call is not None and text in verdict.result_word(call),
    "is": _holds_is,
    "step": lambda text, firing, _: text == str(firing.step),
    "session": lambda text, firing, _: text == str(firing.session),
}


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
