"""Firings as text to take elsewhere: a scenario's steps, a whole scenario, a command.

Lives here: pure writing; what it writes, workbench.scenario reads back to the same
actions. Not here: the clipboard and saving (gui.timeline_link). Rooms above may import
it.
"""

import json
import re
import shlex
import subprocess  # only for its rules of quoting
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, assert_never

import msgspec

from inspector.contract.value import to_json
from inspector.protocol.message import (
    Action,
    BeginTask,
    Decide,
    Drain,
    EndTask,
    Observe,
    Pump,
    ResetHook,
    SessionSettings,
    TaskOutput,
)
from inspector.workbench import command
from inspector.workbench.state import Firing

_PLAIN = re.compile(r"[a-z][a-z0-9_]*(?:-[a-z0-9_]+)*")
_NOT_PLAIN = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def why_not(firings: Iterable[Firing]) -> str:
    """Why rows cannot be written as steps, or ""."""
    found = list(firings)
    if not found:
        return "Choose a firing first."
    lacking = next((firing for firing in found if command.action_of(firing) is None), None)
    if lacking is not None:
        return f"What #{lacking.step} ({lacking.event}) was sent with is not known here."
    return ""


def steps_yaml(firings: Iterable[Firing]) -> str:
    """Rows as items of `steps:` in a scenario.

    Args:
        firings: Those of which `why_not` says nothing.

    Returns:
        YAML, a list of steps, each with every field that was sent.
    """
    return "".join(f"{line}\n" for step in _steps(firings) for line in _item_lines(step))


def steps_json(firings: Iterable[Firing]) -> str:
    """The same as one JSON list."""
    return json.dumps(list(_steps(firings)), indent=2, ensure_ascii=False)


def record_json(firing: Firing) -> str:
    """What a row came to, as one object of `run --format jsonl`, set out in lines."""
    if firing.record is not None:
        encoded = msgspec.json.encode(firing.record)
    else:
        fields = {"step": firing.step, "event": firing.event, "phase": firing.phase}
        encoded = msgspec.json.encode({**fields, "fields": firing.fields, "note": firing.note})
    return msgspec.json.format(encoded, indent=2).decode()


def scenario_yaml(
    firings: Iterable[Firing], name: str, profile: str, settings: SessionSettings
) -> str:
    """Rows as a whole scenario file.

    Args:
        firings: Those of which `why_not` says nothing.
        name: What it shows.
        profile: Name of the runtime profile.
        settings: What the session was made with.
    """
    head = {"scenario": 1, "name": name, "profile": profile, **_head_of(settings)}
    lines = list(_mapping_lines(head, 0))
    steps = [line for step in _steps(firings) for line in _item_lines(step)]
    return "\n".join([*lines, "steps:", *(f"  {line}" for line in steps)]) + "\n"


def command_text(
    capsule: str, scenario: str, settings: SessionSettings, platform: str = sys.platform
) -> str:
    """The command that runs a scenario file on a capsule.

    Args:
        capsule: As it was opened.
        scenario: Path of the file, which names its own profile.
        settings: What the session was made with.
        platform: As sys.platform; decides how words are quoted.
    """
    words = ["capsule-inspector", "run", capsule, scenario]
    if settings.lenient_imports:
        words.append("--lenient-imports")
    for option, value in (("--workdir", settings.workdir), ("--home", settings.home)):
        if value is not None:
            words += [option, value]
    return subprocess.list2cmdline(words) if platform == "win32" else shlex.join(words)


# -- steps ---------------------------------------------------------------------------


def _steps(firings: Iterable[Firing]) -> Iterator[Any]:
    for firing in firings:
        action = command.action_of(firing)
        assert action is not None
        # What was sent stands in the fields: the session may have filled some in.
        if isinstance(action, Observe | Decide) and isinstance(firing.fields, Mapping):
            action = msgspec.structs.replace(action, fields=dict(firing.fields))
        yield to_json(step_of(action))


def step_of(action: Action) -> Any:
    """An action as a scenario spells it: a name, or a mapping with that name alone."""
    match action:
        case Observe(event=event, fields=fields):
            return {event: fields} if fields else event
        case Decide(event=event, fields=fields):
            return {"decide": {event: fields}}
        case BeginTask(original=original, as_given=as_given):
            texts = {"original": original}
            return {"begin-task": texts if as_given is None else {**texts, "as-given": as_given}}
        case TaskOutput(text=text):
            return {"task-output": text}
        case Drain(budget_ms=budget_ms):
            return "drain" if budget_ms is None else {"drain": {"budget-ms": budget_ms}}
        case ResetHook(hook=hook):
            return {"reset": hook}
        case EndTask() | Pump():
            return str(action.__struct_config__.tag)
    assert_never(action)


def _head_of(settings: SessionSettings) -> dict[str, Any]:
    session = {
        "session-id": settings.session_id,
        "model": settings.model,
        "capabilities": None if settings.capabilities is None else list(settings.capabilities),
    }
    head: dict[str, Any] = {
        "session": {key: value for key, value in session.items() if value is not None},
        "env": settings.env,
        "inference": settings.inference or {},
        "conversation": settings.conversation,
        "async-workers": "held" if settings.held else "",
    }
    return {key: value for key, value in head.items() if value}


# -- YAML ----------------------------------------------------------------------------


def _item_lines(value: Any) -> Iterator[str]:
    """An item of a list; its first line begins with a dash."""
    lines = _lines(value, 0)
    yield f"- {next(lines)}"
    yield from (f"  {line}" for line in lines)


def _lines(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        yield from _mapping_lines(value, depth)
    elif isinstance(value, list | tuple) and any(_has_parts(item) for item in value):
        for item in value:
            yield from ("  " * depth + line for line in _item_lines(item))
    else:
        yield "  " * depth + _flow(value)


def _mapping_lines(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    pad = "  " * depth
    for key, item in value.items():
        if _has_parts(item):
            yield f"{pad}{_key(key)}:"
            yield from _lines(item, depth + 1)
        else:
            yield f"{pad}{_key(key)}: {_flow(item)}"


def _has_parts(value: Any) -> bool:
    """Whether a value takes lines of its own."""
    if isinstance(value, Mapping):
        return bool(value)
    return isinstance(value, list | tuple) and any(_has_parts(item) for item in value)


def _flow(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case list() | tuple():
            return f"[{', '.join(map(_flow, value))}]"
        case Mapping():
            return "{}"
    return repr(value)


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) and key not in _NOT_PLAIN else _text(key)


def _text(text: str) -> str:
    """A text in double quotes; what does not print is escaped, exactly."""
    if _PLAIN.fullmatch(text) and text not in _NOT_PLAIN:
        return text
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
