"""What a hook made of a context: the messages before and after, side by side.

Lives here: `diff`, pure, and the messages that an event and an answer hold. Not here:
counting tokens (contract.token_count), showing it (gui.views). Rooms above may import
it.
"""

import bisect
import difflib
import enum
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from inspector.contract.record import HookCall

MOST_ALIGNED = 2_000
"""Messages on both sides together that are aligned with care; beyond it only equal ends
are found, since aligning takes the square of their number."""

ARMS = ("replace-context", "seed-context")


class Kind(enum.StrEnum):
    """What became of a message."""

    SAME = "same"
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


class Entry(msgspec.Struct, frozen=True):
    """One message of either side.

    Attributes:
        kind: See Kind.
        before: The message as it was, or None for one that was added.
        after: The message as it is, or None for one that was removed.
        before_index: Place among those before, or None.
        after_index: Place among those after, or None.
    """

    kind: Kind
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    before_index: int | None = None
    after_index: int | None = None

    @property
    def message(self) -> Mapping[str, Any]:
        """The message after, or the removed one."""
        found = self.after if self.after is not None else self.before
        assert found is not None
        return found


class Sides(msgspec.Struct, frozen=True):
    """The two lists that a call stands between.

    Attributes:
        before: Messages the event came with; () where a seed begins from nothing.
        after: Messages of the answer.
        budget_tokens: What the event leaves room for, or None.
    """

    before: tuple[Mapping[str, Any], ...]
    after: tuple[Mapping[str, Any], ...]
    budget_tokens: int | None = None


def sides_of(call: HookCall, fields: Any) -> Sides | None:
    """The messages before and after a call, or None when it answered no messages.

    Args:
        call: Any call.
        fields: What its event was sent with.
    """
    if call.result not in ARMS:
        return None
    after = _messages(call.payload)
    if after is None:
        return None
    sent = fields if isinstance(fields, Mapping) else {}
    before = _messages(sent.get("messages", ())) or ()
    budget = sent.get("budget-tokens")
    return Sides(before, after, budget if isinstance(budget, int) else None)


def _messages(value: Any) -> tuple[Mapping[str, Any], ...] | None:
    if not isinstance(value, list | tuple):
        return None
    if not all(isinstance(item, Mapping) for item in value):
        return None
    return tuple(value)


def diff(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> tuple[Entry, ...]:
    """Align two lists of messages.

    Args:
        before: Messages in JSON form.
        after: The same.

    Returns:
        Every message of both lists once, in order; a removed and an added one of the
        same role in the same gap are one that changed.
    """
    return tuple(_entries(before, after))


def _entries(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> Iterator[Entry]:
    for tag, i, i_end, j, j_end in _blocks(list(map(_key, before)), list(map(_key, after))):
        if tag == "equal":
            for offset in range(i_end - i):
                yield Entry(
                    Kind.SAME, before[i + offset], after[j + offset], i + offset, j + offset
                )
        else:
            yield from _gap(before, after, range(i, i_end), range(j, j_end))


def _blocks(a: list[str], b: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Runs of equal and of other messages, as difflib has them."""
    if len(a) + len(b) <= MOST_ALIGNED:
        yield from difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        return
    shorter = min(len(a), len(b))
    head = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if a[-1 - i] != b[-1 - i]), rest)
    yield "equal", 0, head, 0, head
    yield "replace", head, len(a) - tail, head, len(b) - tail
    yield "equal", len(a) - tail, len(a), len(b) - tail, len(b)


def _gap(
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    gone: range,
    come: range,
) -> Iterator[Entry]:
    """Pair messages of one role in the order they have; the others went or came."""
    places: dict[Any, list[int]] = {}
    for k in gone:
        places.setdefault(before[k].get("role"), []).append(k)
    i = gone.start
    for j in come:
        same_role = places.get(after[j].get("role"), [])
        at = bisect.bisect_left(same_role, i)
        if at == len(same_role):
            yield Entry(Kind.ADDED, None, after[j], None, j)
            continue
        partner = same_role[at]
        for k in range(i, partner):
            yield Entry(Kind.REMOVED, before[k], None, k, None)
        kind = Kind.SAME if before[partner] == after[j] else Kind.CHANGED
        yield Entry(kind, before[partner], after[j], partner, j)
        i = partner + 1
    for k in range(i, gone.stop):
        yield Entry(Kind.REMOVED, before[k], None, k, None)


def _key(message: Mapping[str, Any]) -> str:
    return json.dumps(message, sort_keys=True, ensure_ascii=False)


def text_of(message: Mapping[str, Any] | None) -> str:
    """What a message says: its content; "" for None."""
    if message is None:
        return ""
    content = message.get("content", "")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def entry_lines(entry: Entry) -> Iterator[str]:
    """A message as lines with signs: what went, what came, what stayed.

    Args:
        entry: Of a diff.

    Yields:
        `- `, `+ ` or two blanks, then the line; other fields than role and content first.
    """
    if entry.kind is Kind.CHANGED:
        old, new = _message_lines(entry.before), _message_lines(entry.after)
        if len(old) + len(new) > MOST_ALIGNED:
            yield from (f"- {line}" for line in old)
            yield from (f"+ {line}" for line in new)
        else:
            yield from (line for line in difflib.ndiff(old, new, None, None) if line[0] != "?")
        return
    sign = {Kind.SAME: "  ", Kind.ADDED: "+ ", Kind.REMOVED: "- "}[entry.kind]
    yield from (sign + line for line in _message_lines(entry.message))


def _message_lines(message: Mapping[str, Any] | None) -> list[str]:
    assert message is not None
    extra = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in message.items()
        if name not in ("role", "content") and value is not None
    ]
    return [*extra, *text_of(message).split("\n")]


def weighed_text(message: Mapping[str, Any] | None) -> str:
    """The text whose tokens a runtime counts for a message; "" for None.

    Args:
        message: As a hook gets or gives it: its content is text, perhaps JSON.

    Returns:
        The JSON of a list with this message alone, without id and source-id.

    Source: spec/dispatch.md, "Seed commit".
    """
    if message is None:
        return ""
    return json.dumps(
        [{"role": message.get("role", ""), "content": _blocks_of(text_of(message))}],
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _blocks_of(content: str) -> list[Any]:
    """A content as the runtime reads it: a list stays, everything else is one text block."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = content
    if isinstance(value, list):
        return value
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return [{"type": "text", "text": text}]


def seed_sentence(tokens: Sequence[int], budget: int) -> str:
    """What a runtime would make of a seed, in one sentence.

    Args:
        tokens: Of each message that is proposed.
        budget: The event's budget-tokens.

    Source: spec/dispatch.md, "Seed commit".
    """
    proposed = sum(tokens)
    if budget == 0:
        return "A runtime rejects the seed (no_budget): the budget is 0."
    if tokens and max(tokens) > budget:
        return "A runtime rejects the seed (message_over_budget): one message alone is too long."
    overflow = proposed - budget
    if overflow > 3 * budget:
        return "A runtime rejects the seed (overflow_over_limit): it is over four times the budget."
    if overflow <= 0:
        return "A runtime keeps every message (seeded)."
    return "A runtime keeps the newest messages that fit and trims or compacts the front."
