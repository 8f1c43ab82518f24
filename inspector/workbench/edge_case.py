"""Ready-made fields for every event: an example, and cases at the edge of the types.

Lives here: `example` and `edge_cases`, made from the contract's types so that they fit
every version. Not here: defaults of types (contract.value), of a session
(workbench.command). Rooms above may import it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from inspector.contract import value
from inspector.contract.contract import Contract, Phase
from inspector.contract.type import (
    FLOATS,
    INTEGER_RANGES,
    Enum,
    ListOf,
    OptionOf,
    Primitive,
    Record,
    ValueType,
)

MEBIBYTE = 1_048_576
MANY_ITEMS = 1_000

OUTCOME = "outcome"
"""The optional field that tells a call that has run from one that has not."""

_MAIN_TEXTS = ("content", "stdout", "input", "output", "prompt", "command", "binary")
"""Fields that carry long text in practice, the likeliest first."""

_TEXTS = {
    "NUL character": ("before\0after", "U+0000 stands inside every text."),
    "Lone control characters": (
        "\x01 \x07 \x08 \x1b[31m \x7f \x85 \u2028",
        "Control characters, an escape sequence and a line separator are in every text.",
    ),
    "Line ends and tabs": (
        "one\ntwo\r\nthree\rfour\tfive\n",
        "LF, CR LF, CR and tab are in every text.",
    ),
    "Right-to-left text": (
        "שלום עולם \u202etxt.exe\u202c مرحبا",
        "Hebrew, Arabic and an override that turns the order around.",
    ),
    "Emoji and beyond": (
        "👩🏽‍💻 🇨🇭 e\u0301 𝒳 \U0010ffff",
        "Joined emoji, a flag, a combining accent and the last code point.",
    ),
    "Quotes and backslashes": (
        """{"a": [1, null]} \\ \\n ' " ` $(id) ; -- </x>""",
        "What breaks out of JSON, shell and markup when it is not quoted.",
    ),
}


class EdgeCase(msgspec.Struct, frozen=True):
    """Fields that sit at the edge of their types.

    Attributes:
        name: A few words for a menu.
        description: One sentence on what is in it.
        fields: The whole record in JSON form.
    """

    name: str
    description: str
    fields: dict[str, Any]


_EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "on-stage": {"shell-allow": ["bash", "git", "pytest"]},
    "on-session-start": {
        "capsule-name": "ledger-demo",
        "capsule-version": "0.3.1",
        "session-id": "ses_demo",
        "model": "test-model",
        "capabilities": ["network", "filesystem", "shell"],
    },
    "on-task-start": {
        "task-id": "task-1",
        "context-id": "ctx_1",
        "source": "task_md",
        "input-bytes": 42,
        "budget-tokens": 64_000,
        "context-window": 128_000,
        "prior-tokens": 0,
    },
    "on-inference": {
        "turn": 1,
        "input-tokens": 1_234,
        "output-tokens": 56,
        "decision": "tool_call",
        "tool-name": "read_file",
        "prompt": '[{"role": "user", "content": "Balance the ledger."}]',
        "output": '[{"type": "tool_use", "name": "read_file", "input": {"path": "ledger.csv"}}]',
        "tools": '[{"name": "read_file"}]',
    },
    "on-tool-call": {
        "turn": 1,
        "tool-name": "read_file",
        "input-bytes": 22,
        "input": '{"path": "ledger.csv"}',
        "output-bytes": 512,
        "duration-ms": 8,
        "status": "ok",
        OUTCOME: {"output-bytes": 512, "duration-ms": 8, "status": "ok"},
    },
    "on-shell": {
        "turn": 2,
        "binary": "/usr/bin/pytest",
        "command": "-q tests",
        "argv": ["-q", "tests"],
        "exit-code": 1,
        "stdout": "1 failed, 41 passed in 0.52s\n",
        "stderr": "",
        "stdout-bytes": 29,
        "stderr-bytes": 0,
        "duration-ms": 731,
        OUTCOME: {
            "exit-code": 1,
            "stdout": "1 failed, 41 passed in 0.52s\n",
            "stderr": "",
            "stdout-bytes": 29,
            "stderr-bytes": 0,
            "duration-ms": 731,
        },
    },
    "on-compaction": {
        "messages": [
            {"role": "user", "content": "Balance the ledger.", "id": "msg_1"},
            {"role": "assistant", "content": "I read ledger.csv: 412 entries.", "id": "msg_2"},
            {"role": "user", "content": "Which one is off?", "id": "msg_3"},
        ],
        "session-tokens": 126_000,
        "threshold": 0.98,
        "model": "test-model",
        "system-prompt": "You keep the books.",
    },
    "on-task-end": {"task-id": "task-1", "exit-status": "ok"},
    "on-session-end": {
        "total-turns": 3,
        "total-input-tokens": 4_321,
        "total-output-tokens": 321,
        "total-tool-calls": 2,
        "total-shell-calls": 1,
        "duration-ms": 12_345,
        "exit-status": "ok",
    },
}
"""Fields by event, those of every contract version together.

Source: spec/contract.md 3.
"""


def starting_fields(contract: Contract, event: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a form starts with: defaults, and an outcome for a call that has run.

    Args:
        contract: The contract in force.
        event: A lifecycle function.
        given: Fields that the session gives; those the record does not have are left out.

    Returns:
        The whole record in JSON form.

    Raises:
        FieldError: when a given field does not fit its type.
    """
    record = contract.record(event)
    fields = dict(_known(record, given))
    outcome = next((f.type for f in record.fields if f.name == OUTCOME), None)
    if isinstance(outcome, OptionOf):
        fields.setdefault(OUTCOME, value.default(outcome.payload))
    return dict(value.complete(record, fields))


def example(
    contract: Contract, event: str, phase: Phase, given: Mapping[str, Any]
) -> dict[str, Any]:
    """A likely event, with counts that fit its texts.

    Args:
        contract: The contract in force.
        event: A lifecycle function.
        phase: At a decision the outcome is none.
        given: Fields that the session gives; they win over the example's.

    Returns:
        The whole record in JSON form.
    """
    fields = starting_fields(contract, event, {**_EXAMPLES[event], **given})
    return _for_phase(fields, phase)


def edge_cases(contract: Contract, event: str, phase: Phase) -> tuple[EdgeCase, ...]:
    """The cases that differ from one another for an event, made when this is called.

    Args:
        contract: The contract in force.
        event: A lifecycle function.
        phase: At a decision the outcome is none.

    Returns:
        At least the empty case; each one's fields fit the record.
    """
    whole = record = contract.record(event)
    if phase is Phase.DECIDE:
        # An outcome would be dropped, and with it what makes the case.
        kept = tuple(field for field in record.fields if field.name != OUTCOME)
        record = Record(record.name, kept)
    found: list[EdgeCase] = []
    pictures: set[str] = set()
    for name, description, change in _CHANGES:
        fields = _whole(whole, _mapped(record, change))
        # Compared as text: NaN equals itself there, and 0 differs from 0.0.
        picture = repr(fields)
        if picture not in pictures:
            pictures.add(picture)
            found.append(EdgeCase(name, description, fields))
    return (*found, *_big_cases(whole, record))


def _known(value_type: ValueType, given: Any) -> Any:
    """A value without the fields that its records do not have in this version."""
    match value_type:
        case Record(fields=fields) if isinstance(given, Mapping):
            return {f.name: _known(f.type, given[f.name]) for f in fields if f.name in given}
        case OptionOf(payload=payload):
            return _known(payload, given)
        case ListOf(element=element) if isinstance(given, list | tuple):
            return [_known(element, item) for item in given]
    return given


def _for_phase(fields: dict[str, Any], phase: Phase) -> dict[str, Any]:
    if phase is Phase.DECIDE and OUTCOME in fields:
        return {**fields, OUTCOME: None}
    return fields


class _Change(msgspec.Struct, frozen=True):
    """How the leaves of a record are filled; None leaves a leaf at its default.

    Attributes:
        text: For every text.
        integer: From the range of its type.
        number: For every float.
        is_some: Whether options hold something.
        items: Items of every list.
    """

    text: str = ""
    integer: Callable[[int, int], int] = lambda low, high: 0
    number: float = 0.0
    is_some: bool = True
    items: int = 1


_CHANGES = (
    ("Empty", "Texts and lists are empty, options hold something empty.", _Change(items=0)),
    (
        "None",
        "Options are none, the rest is at its default.",
        _Change(is_some=False, items=0),
    ),
    (
        "Largest numbers",
        "Every number is the largest of its type.",
        _Change(items=0, integer=lambda low, high: high, number=1.7976931348623157e308),
    ),
    (
        "Smallest numbers",
        "Every number is the smallest of its type.",
        _Change(items=0, integer=lambda low, high: low, number=5e-324),
    ),
    (
        "Negative numbers",
        "Every number that can be is -1, an exit code for example.",
        _Change(items=0, integer=lambda low, high: max(low, -1), number=-1.0),
    ),
    ("Not a number", "Floating-point numbers are NaN.", _Change(items=0, number=float("nan"))),
    ("Infinity", "Floating-point numbers are infinite.", _Change(items=0, number=float("inf"))),
    *((name, description, _Change(text=text)) for name, (text, description) in _TEXTS.items()),
)


def _big_cases(whole: Record, record: Record) -> Iterator[EdgeCase]:
    if _has_list(record):
        change = _Change(text="item", items=MANY_ITEMS)
        fields = _whole(whole, _mapped(record, change))
        yield EdgeCase("Many items", f"Every list has {MANY_ITEMS:,} items.", fields)
    main = next((name for name in _MAIN_TEXTS if _has_text(record, name)), None)
    main = main or next((f.name for f in record.fields if _is_text(f.type)), None)
    if main is not None:
        fields = _whole(whole, _mapped(record, _OneText(main)))
        yield EdgeCase("1 MiB of text", f"`{main}` holds {MEBIBYTE:,} characters.", fields)


def _whole(record: Record, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields in declared order, with none for an outcome that was left out."""
    return {field.name: fields.get(field.name) for field in record.fields}


class _OneText(msgspec.Struct, frozen=True):
    """One field is filled with a long text."""

    field: str


def _has_text(value_type: ValueType, name: str) -> bool:
    match value_type:
        case Record(fields=fields):
            return any(
                (f.name == name and _is_text(f.type)) or _has_text(f.type, name) for f in fields
            )
        case OptionOf(payload=inner) | ListOf(element=inner):
            return _has_text(inner, name)
    return False


def _has_list(value_type: ValueType) -> bool:
    match value_type:
        case ListOf():
            return True
        case Record(fields=fields):
            return any(_has_list(f.type) for f in fields)
        case OptionOf(payload=payload):
            return _has_list(payload)
    return False


def _is_text(value_type: ValueType) -> bool:
    inner = value_type.payload if isinstance(value_type, OptionOf) else value_type
    return inner == Primitive("string")


def _mapped(value_type: ValueType, change: "_Change | _OneText", name: str = "") -> Any:
    """A value of a type with its leaves filled; `name` is the field it stands in."""
    if isinstance(change, _OneText):
        return _mapped_one(value_type, change, name)
    match value_type:
        case Record(fields=fields):
            return {f.name: _mapped(f.type, change, f.name) for f in fields}
        case OptionOf(payload=payload):
            return _mapped(payload, change, name) if change.is_some else None
        case ListOf(element=element):
            return [_mapped(element, change, name) for _ in range(change.items)]
        case Enum(cases=cases):
            return cases[-1]
        case Primitive(name=kind):
            return _leaf(kind, change)
    return value.default(value_type)


def _leaf(kind: str, change: _Change) -> Any:
    if kind == "string":
        return change.text
    if kind in INTEGER_RANGES:
        return change.integer(*INTEGER_RANGES[kind])
    if kind in FLOATS:
        return change.number
    return value.default(Primitive(kind))


def _mapped_one(value_type: ValueType, change: _OneText, name: str) -> Any:
    if name == change.field and _is_text(value_type):
        return "x" * MEBIBYTE
    match value_type:
        case Record(fields=fields):
            return {f.name: _mapped_one(f.type, change, f.name) for f in fields}
        case OptionOf(payload=payload) if _has_text(payload, change.field):
            return _mapped_one(payload, change, name)
        case ListOf(element=element) if _has_text(element, change.field):
            return [_mapped_one(element, change, name)]
    return value.default(value_type)
