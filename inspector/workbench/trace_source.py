"""Makes a scenario from a runtime's trace.jsonl.

Lives here: which line is which event, and what cannot be given back. Not here: running
it (workbench.scenario_run). Only the command line imports it.

A trace holds numbers and names of what happened, not the texts: fields that a line has
under the record's own name are taken, everything else takes its default.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from inspector.contract.profile import Profile
from inspector.contract.type import OptionOf, Record
from inspector.contract.value import FieldError, complete, to_json
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import Action, Decide, Observe, SessionSettings
from inspector.workbench.scenario import Scenario
from inspector.workbench.scenario_step import MAX_RUNS, ActionStep
from inspector.workbench.source import Place

MAX_LINE_BYTES = 16 * 1024 * 1024

_EVENTS = {
    "session_start": "on-session-start",
    "task_start": "on-task-start",
    "inference": "on-inference",
    "tool_call": "on-tool-call",
    "shell": "on-shell",
    "compaction": "on-compaction",
    "task_end": "on-task-end",
    "session_end": "on-session-end",
}
"""Event of the trace to lifecycle function. Source: spec/artifact.md 7."""

_OTHER_NAMES = {
    ("on-task-start", "input-bytes"): ("message_parts_bytes",),
    ("on-compaction", "session-tokens"): ("tokens_before",),
}
"""Keys that hold a field of the record under another name."""

_TARGETS = {"on-shell": "binary", "on-tool-call": "tool-name"}


class Trace(msgspec.Struct, frozen=True):
    """A trace, ready to be run.

    Attributes:
        scenario: Its events as steps; a step's number is its line.
        lines: Lines that hold something.
        left_out: Lines that are no event of a hook, by type.
        faults: Dispatch faults that the runtime noted.
        denied: Calls that the runtime noted as denied.
    """

    scenario: Scenario
    lines: int
    left_out: dict[str, int]
    faults: int
    denied: int


def load(file: str, profile: Profile) -> Trace:
    """Read a trace.

    Args:
        file: Path of a trace.jsonl.
        profile: Whose contract the events have.

    Raises:
        InspectorError: UNREADABLE_TRACE, with the line.

    Source: spec/artifact.md 7.
    """
    reader = _Reader(file, profile)
    try:
        with Path(file).open("rb") as stream:
            for number, line in enumerate(_lines(stream.readline), 1):
                reader.line(number, line)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the trace cannot be read: {reason}."
        raise InspectorError(ErrorKind.UNREADABLE_TRACE, message, file=file) from error
    return reader.trace()


def _lines(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    while line := readline(MAX_LINE_BYTES):
        yield line


class _Reader:
    """Turns lines into steps."""

    def __init__(self, file: str, profile: Profile) -> None:
        self._file = file
        self._profile = profile
        self._steps: list[ActionStep] = []
        self._session: Mapping[str, Any] = {}
        self._lines = 0
        self._left_out: Counter[str] = Counter()
        self._noted: Counter[str] = Counter()

    def trace(self) -> Trace:
        if not self._lines:
            raise self._error(1, "the trace is empty.")
        settings = SessionSettings(
            session_id=self._word("session_id") or None, model=self._word("model") or None
        )
        scenario = Scenario(
            self._file, Path(self._file).name, self._profile.name, settings, tuple(self._steps)
        )
        return Trace(
            scenario,
            self._lines,
            dict(self._left_out),
            self._noted["hook_dispatch_error"],
            self._noted["call_denied"],
        )

    def _word(self, key: str) -> str:
        value = self._session.get(key)
        is_name = isinstance(value, str) and not set(value) & set("/\\\0")
        return str(value) if is_name and value not in (".", "..") else ""

    def line(self, number: int, content: bytes) -> None:
        if not content.strip():
            return
        if len(content) >= MAX_LINE_BYTES:
            raise self._error(number, "the line is too long.")
        try:
            data = msgspec.json.decode(content)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._error(number, f"this is not JSON: {error}.") from error
        if isinstance(data, dict) and "recording" in data:
            hint = "Open it in the window; replay takes the trace.jsonl of a session."
            raise self._error(number, "this is a recording of the inspector, no trace.", hint)
        kind = data.get("event_type") if isinstance(data, dict) else None
        if not isinstance(kind, str):
            raise self._error(number, "the line has no event_type.")
        self._lines += 1
        self._session = self._session or data
        self._noted[kind] += 1
        action = self._action(number, kind, data)
        if action is None:
            self._left_out[kind] += 1
            return
        if len(self._steps) >= MAX_RUNS:
            raise self._error(number, f"the trace holds more than {MAX_RUNS:,} events.")
        self._steps.append(ActionStep(number, Place(number, 1), action))

    def _action(self, number: int, kind: str, data: dict[str, Any]) -> Action | None:
        if kind == "call_denied":
            return self._denied(number, data)
        event = _EVENTS.get(kind)
        if event is None or str(data.get("origin", "")).startswith("hook:"):
            return None
        return Observe(event, self._fields(number, event, data))

    def _denied(self, number: int, data: dict[str, Any]) -> Action | None:
        event = data.get("event")
        if not isinstance(event, str) or event not in self._profile.contract.rules.decide:
            return None
        target = {_TARGETS[event].replace("-", "_"): data.get("target")}
        fields = self._fields(number, event, {**target, **data})
        fields.pop("outcome", None)
        return Decide(event, fields)

    def _fields(self, number: int, event: str, data: dict[str, Any]) -> dict[str, Any]:
        """The fields that the line has, checked one by one against the record."""
        found: dict[str, Any] = {}
        record = self._profile.contract.record(event)
        for name, value in _taken(event, record, data):
            field = next(field for field in record.fields if field.name == name)
            try:
                found[name] = to_json(complete(field.type, value, (name,)))
            except FieldError as error:
                raise self._error(number, f"{event}.{error}.") from error
        return found

    def _error(self, number: int, message: str, hint: str = "") -> InspectorError:
        return InspectorError(
            ErrorKind.UNREADABLE_TRACE, message, hint=hint, file=self._file, line=number
        )


def _taken(event: str, record: Record, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Fields of a record that a trace line has, under their name with underscores."""
    for field in record.fields:
        keys = (field.name.replace("-", "_"), *_OTHER_NAMES.get((event, field.name), ()))
        key = next((key for key in keys if key in data and data[key] is not None), None)
        if key is not None:
            yield field.name, data[key]
        elif field.name == "outcome" and isinstance(field.type, OptionOf):
            assert isinstance(field.type.payload, Record)
            yield "outcome", dict(_taken(event, field.type.payload, data))
