"""murmur:conversation/read: the recorded conversation, paged from the newest end.

Lives here: `ConversationState`, one per session, and what a hook's calls answer. Not
here: the form of a message (stored_message), who writes the record (worker). Only
runtime and worker import it.
"""

import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspector.contract.type import Record
from inspector.manifest.network import trimmed
from inspector.manifest.rust_format import io_error
from inspector.manifest.state_store import segment_problem
from inspector.runtime.host import stored_message
from inspector.runtime.host.json_text import JsonError, loads
from inspector.runtime.host.ledger import GrantKind, GrantLedger

RECORD_FILE = "conversation.jsonl"
NOT_GRANTED = "not-granted"
INVALID_CURSOR = "invalid-cursor"
MAX_PAGE = 100
"""Most messages of one page, whatever a hook asks for."""

Answer = dict[str, Any]
"""A `result` in the spelling of contract.value."""

_CURSOR_PREFIX = "mc_"
_DECIMAL = re.compile(r"\+?0*([0-9]{1,20})")


class ConversationState:
    """The record in scope, shared by all granted hooks; any thread may call it.

    Source: spec/imports.md 5.
    """

    def __init__(self, root: Path | None, note: Callable[[str], None], message: Record) -> None:
        """Make a state without a context.

        Args:
            root: The record's folder, which holds one folder per context; None for a
                session without a record.
            note: Takes a text for `logs/bootstrap.log`.
            message: The record `message` of the contract in force.
        """
        self._root = root
        self._note = note
        self._message = message
        self._context_lock = threading.Lock()
        self._context: str | None = None
        # Held while a file is read, so that two hooks do not parse it twice; never
        # together with the other lock, so that a slow read cannot hold up a task.
        self._cache_lock = threading.Lock()
        self._cached: tuple[Path, int] | None = None
        self._messages: list[dict[str, Any]] = []
        self._reported = False

    def set_context(self, context_id: str | None) -> None:
        """Put a task's conversation in scope."""
        with self._context_lock:
            self._context = context_id

    def read_messages(self, cursor: str | None, limit: int) -> Answer:
        """One page, as `result<message-page, string>`.

        Args:
            cursor: `next-cursor` of the page before, or None for the newest page.
            limit: Wanted number of messages; clamped to 1..100.

        Returns:
            The newest messages first; cursors are positions counted from the oldest
            message, so they hold while lines are appended.
        """
        path = self._path()
        if path is None:
            return {"ok": _page([], None, 0)}
        try:
            messages = self._load(path)
        except (OSError, ValueError) as error:
            return {"err": f"unavailable: {io_error(error)}"}
        end = len(messages) if cursor is None else _position(cursor)
        if end is None or end > len(messages):
            return {"err": INVALID_CURSOR}
        start = max(0, end - min(max(limit, 1), MAX_PAGE))
        lowered = (stored_message.lower(m, self._message) for m in messages[start:end][::-1])
        following = f"{_CURSOR_PREFIX}{start}" if start else None
        return {"ok": _page([m for m in lowered if m is not None], following, len(messages))}

    def _path(self) -> Path | None:
        with self._context_lock:
            context = self._context
        if self._root is None or context is None or not is_segment(context):
            return None
        return self._root / context / RECORD_FILE

    def _load(self, path: Path) -> list[dict[str, Any]]:
        """The whole record, oldest first; parsed anew only when its length has changed."""
        with self._cache_lock:
            size = _size(path)
            if self._cached == (path, size):
                return self._messages
            self._cached = None
            self._messages = self._parse(path, _text(path))
            self._cached = (path, size)
            return self._messages

    def _parse(self, path: Path, text: str) -> list[dict[str, Any]]:
        messages = []
        # A trailing \r is white space to JSON, so splitting at \n covers \r\n as well.
        for number, line in enumerate(text.split("\n"), 1):
            if not trimmed(line):
                continue
            message = _message_of(line)
            if message is not None:
                messages.append(message)
            elif not self._reported:
                self._reported = True
                place = f"{path}: line {number}"
                self._note(f"[conversation] {place} is not a message and was skipped")
        return messages


def is_segment(name: str) -> bool:
    """Whether a context id is one usable path segment.

    Source: spec/manifest.md 4.4 (the runtime has one rule for stores and contexts).
    """
    # A NUL is no matter of segments; opening the file fails over it, with a text of its own.
    return segment_problem(name.replace("\0", "_")) is None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""


def _message_of(line: str) -> dict[str, Any] | None:
    try:
        value = loads(line)
    except JsonError:
        return None
    is_message = isinstance(value, dict) and isinstance(value.get("role"), str)
    return value if is_message else None


def _position(cursor: str) -> int | None:
    """The position of a cursor as Rust reads a number: a leading + and zeros are fine."""
    found = _DECIMAL.fullmatch(cursor.removeprefix(_CURSOR_PREFIX))
    if not cursor.startswith(_CURSOR_PREFIX) or found is None:
        return None
    return int(found.group(1))


def _page(messages: list[dict[str, Any]], following: str | None, total: int) -> dict[str, Any]:
    return {"messages": messages, "next-cursor": following, "total": total}


def implementations(
    state: ConversationState | None, ledger: GrantLedger
) -> Mapping[str, Callable[..., Answer]]:
    """The functions of `murmur:conversation/read` for one hook.

    Args:
        state: The session's state, or None for a hook without the grant, which gets
            `not-granted`.
        ledger: Of this hook.

    Returns:
        Function name to implementation, for host_function.define.
    """

    def refuse(_cursor: str | None, _limit: int) -> Answer:
        ledger.refused(GrantKind.CONVERSATION)
        return {"err": NOT_GRANTED}

    def read(cursor: str | None, limit: int) -> Answer:
        assert state is not None
        ledger.used(GrantKind.CONVERSATION)
        return state.read_messages(cursor, limit)

    return {"read-messages": refuse if state is None else read}
