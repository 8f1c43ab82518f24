"""The tab that shows what a hook made of a context, message by message.

Lives here: `MessagePage`. Not here: aligning (workbench.message_diff), counting
(contract.token_count). Only firing_page imports it.
"""

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from inspector.contract import token_count
from inspector.gui.file_job import FileJob, FileResult
from inspector.gui.models.firing_row import MESSAGE_TITLES, message_rows
from inspector.gui.views.table_page import TablePage
from inspector.workbench import message_diff
from inspector.workbench.formatting import count_text
from inspector.workbench.message_diff import Entry, Kind, Sides


class _Counted(msgspec.Struct, frozen=True):
    """Aligned messages, with their tokens once they are counted."""

    entries: tuple[Entry, ...]
    tokens: tuple[tuple[int, int], ...] | None = None


class MessagePage(TablePage):
    """Messages before and after; tokens follow, since counting begins with a second's load."""

    def __init__(self, work: FileJob, parent: QWidget | None = None) -> None:
        """Make it.

        Args:
            work: Aligns and counts in the other thread.
            parent: The owner.
        """
        super().__init__("Messages before and after", MESSAGE_TITLES, 3, (2,), parent)
        self._work = work
        self._numbers: tuple[int, ...] = ()
        self._sides: Sides | None = None
        work.finished.connect(self._take)

    def set_sides(self, sides: Sides) -> None:
        """Show other messages; the same ones again keep what was counted."""
        if sides is self._sides:
            return
        self._sides = sides
        self.set_rows((), "Comparing the messages…")
        self._numbers = (self._work.submit(_Aligning(sides)), self._work.submit(_Counting(sides)))

    @Slot(object)
    def _take(self, result: FileResult) -> None:
        found = result.value
        if result.number not in self._numbers or not isinstance(found, _Counted):
            return
        assert self._sides is not None
        summary = summary_text(self._sides, found.entries, found.tokens)
        self.set_rows(message_rows(found.entries, found.tokens), summary)


class _Aligning:
    """Messages to be aligned in the other thread."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides

    def __call__(self) -> _Counted:
        """Align them."""
        return _Counted(message_diff.diff(self._sides.before, self._sides.after))


class _Counting:
    """Messages whose tokens are to be counted in the other thread."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides

    def __call__(self) -> _Counted:
        """Align and count them."""
        entries = message_diff.diff(self._sides.before, self._sides.after)
        return _Counted(entries, tuple(map(_tokens_of, entries)))


def _tokens_of(entry: Entry) -> tuple[int, int]:
    after = token_count.count(message_diff.weighed_text(entry.after))
    if entry.kind is Kind.SAME:
        return after, after
    return token_count.count(message_diff.weighed_text(entry.before)), after


def summary_text(
    sides: Sides, entries: Sequence[Entry], tokens: Sequence[tuple[int, int]] | None
) -> str:
    """How many messages and tokens there were and are, and what a runtime makes of a seed."""
    words = (
        (Kind.REMOVED, "removed"),
        (Kind.CHANGED, "changed"),
        (Kind.ADDED, "added"),
        (Kind.SAME, "kept"),
    )
    counts = [(sum(entry.kind is kind for entry in entries), word) for kind, word in words]
    told = ", ".join(f"{count:,} {word}" for count, word in counts if count)
    is_seed = sides.budget_tokens is not None
    before = "" if is_seed else f"{len(sides.before):,} → "
    text = f"{before}{count_text(len(sides.after), 'message')}" + (f" ({told})" if told else "")
    if tokens is None:
        return f"{text}. Counting tokens…"
    now = [after for entry, (_, after) in zip(entries, tokens, strict=True) if entry.after]
    then = sum(old for entry, (old, _) in zip(entries, tokens, strict=True) if entry.before)
    counted = f"{sum(now):,} tokens" if is_seed else f"{then:,} → {sum(now):,} tokens"
    if sides.budget_tokens is None:
        return f"{text}, {counted}."
    verdict = message_diff.seed_sentence(now, sides.budget_tokens)
    return f"{text}, {counted} of a budget of {sides.budget_tokens:,}. {verdict}"
