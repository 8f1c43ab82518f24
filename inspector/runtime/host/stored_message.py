"""Stored messages and the `message` record of a hook, in both directions.

Lives here: `lower`, `raise_list`, fresh message ids. Not here: the file they are
stored in (conversation). Only runtime and worker import it.

A stored message is one JSON object; `content` is a list of blocks as a rule. A hook
gets that content as JSON text, and gives JSON text back.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inspector.contract.type import Record
from inspector.runtime.host.json_text import JsonError, dumps, loads
from inspector.runtime.identifier import new_identifier

TOOL_MARKER = "__murmur_tool_msg__"
"""Key that tells the envelope of a tool message from JSON that a hook wrote."""

_TOOL = "tool"


def new_message_id() -> str:
    """A fresh id of a message."""
    return new_identifier("msg_")


def lower(stored: Mapping[str, Any], message: Record) -> dict[str, Any] | None:
    """Turn a stored message into the record that a hook gets.

    Args:
        stored: The JSON object of one line.
        message: The record `message` of the contract in force; fields that it lacks are
            left out.

    Returns:
        The record, or None for an object whose role is not a string.

    Source: spec/imports.md 5.1.
    """
    role = stored.get("role")
    if not isinstance(role, str):
        return None
    fields = {
        "role": role,
        "content": _lowered_content(stored, role),
        "id": _text_or_none(stored.get("id")),
        "source-id": _text_or_none(stored.get("source_id")),
    }
    # Other fields (inserted-by of 0.9.0) have no known form in a stored message.
    return {field.name: fields.get(field.name) for field in message.fields}


def _lowered_content(stored: Mapping[str, Any], role: str) -> str:
    if role == _TOOL:
        envelope = {
            TOOL_MARKER: True,
            "tool_call_id": stored.get("tool_call_id"),
            "is_error": stored.get("is_error"),
            "body": stored.get("content"),
        }
        return dumps(envelope)
    return dumps(stored["content"]) if "content" in stored else ""


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def raise_list(
    messages: Iterable[Mapping[str, Any]], new_id: Callable[[], str] = new_message_id
) -> list[dict[str, Any]]:
    """Turn a list that a hook returned into messages as the runtime keeps them.

    Args:
        messages: Records of a `replace-context` or `seed-context` answer.
        new_id: Makes the id of each kept message; the hook's own id is thrown away.

    Returns:
        Stored messages in the same order; tool messages without an intact envelope are
        left out.

    Source: spec/imports.md 5.2, spec/dispatch.md 10 ("Compaction commit").
    """
    raised = []
    for message in messages:
        stored = _raised_tool(message) if message["role"] == _TOOL else _raised(message)
        if stored is None:
            continue
        stored["id"] = new_id()
        if message.get("source-id") is not None:
            stored["source_id"] = message["source-id"]
        raised.append(stored)
    return raised


def _raised(message: Mapping[str, Any]) -> dict[str, Any]:
    content: str = message["content"]
    try:
        parsed = loads(content)
    except JsonError:
        parsed = content
    if not isinstance(parsed, list):
        text = parsed if isinstance(parsed, str) else dumps(parsed)
        parsed = [{"type": "text", "text": text}]
    return {"role": message["role"], "content": parsed}


def _raised_tool(message: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        envelope = loads(message["content"])
    except JsonError:
        return None
    if not isinstance(envelope, dict) or envelope.get(TOOL_MARKER) is not True:
        return None
    call_id = envelope.get("tool_call_id")
    if not isinstance(call_id, str) or not call_id:
        return None
    return {
        "role": _TOOL,
        "tool_call_id": call_id,
        "is_error": envelope.get("is_error"),
        "content": envelope.get("body"),
    }


def has_unresolved_tool_call(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Whether tool calls and tool answers of a raised list do not pair up.

    The runtime then drops the whole replacement.

    Source: spec/dispatch.md 10 ("Compaction commit").
    """
    issued: set[str] = set()
    answered: set[str] = set()
    for message in messages:
        if message["role"] == "assistant" and isinstance(message["content"], list):
            blocks = [block for block in message["content"] if isinstance(block, dict)]
            ids = [block.get("id") for block in blocks if block.get("type") == "tool_call"]
            issued.update(call_id for call_id in ids if isinstance(call_id, str))
        elif message["role"] == _TOOL and isinstance(message.get("tool_call_id"), str):
            answered.add(message["tool_call_id"])
    return issued != answered
