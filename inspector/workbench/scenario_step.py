"""The steps of a scenario: their values, and their check against a contract.

Lives here: `Step`, and the reader that makes steps from plain values. Not here: the
head of the file (workbench.scenario), patterns of `expect` (workbench.expectation).
Rooms above may import it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from inspector.contract.contract import EVENTS
from inspector.contract.profile import Profile
from inspector.contract.type import OptionOf, Record, ValueType
from inspector.contract.value import FieldError, Path, complete, default, spell_path, to_json
from inspector.errors import InspectorError
from inspector.protocol.message import (
    Action,
    BeginTask,
    Decide,
    Drain,
    EndTask,
    Observe,
    Pump,
    ResetHook,
    TaskOutput,
)
from inspector.workbench import expectation
from inspector.workbench.source import Place, Source

MAX_RUNS = 1_000_000
"""Steps that one scenario runs at most, every round of a `repeat` counted."""

BUDGET_LIMIT_MS = 2**31 - 1
"""The longest drain budget, about 25 days."""

CONTROL_STEPS = (
    "decide",
    "begin-task",
    "task-output",
    "end-task",
    "drain",
    "pump",
    "reset",
    "repeat",
    "expect",
)

_FILLED_BY_ENGINE = ("on-stage", "on-session-start", "on-session-end")
"""Events whose left out fields take values of the running session."""


class ActionStep(msgspec.Struct, frozen=True, tag="action"):
    """A step that does something.

    Attributes:
        number: Its number; every item counts in reading order, from 1.
        place: Where it is written.
        action: What it asks of the dispatcher.
    """

    number: int
    place: Place
    action: Action

    @property
    def label(self) -> str:
        """The step in words, e.g. `on-shell`, `decide on-shell`, `reset audit-trail`."""
        match self.action:
            case Observe(event=event):
                return event
            case Decide(event=event):
                return f"decide {event}"
            case ResetHook(hook=hook):
                return f"reset {hook}"
            case _:
                return str(self.action.__struct_config__.tag)


class ExpectStep(msgspec.Struct, frozen=True, tag="expect"):
    """A pattern for the record of the step before it."""

    number: int
    place: Place
    pattern: Any


class RepeatStep(msgspec.Struct, frozen=True, tag="repeat"):
    """Steps that run several rounds."""

    number: int
    place: Place
    times: int
    steps: tuple["Step", ...]


Step = ActionStep | ExpectStep | RepeatStep


def runs_of(steps: Iterable[Step], *, expects: bool = False) -> int:
    """How many actions run, every round counted; with `expects`, how many steps at all."""
    return sum(
        step.times * runs_of(step.steps, expects=expects)
        if isinstance(step, RepeatStep)
        else int(expects or isinstance(step, ActionStep))
        for step in steps
    )


def expanded(steps: Iterable[Step]) -> Iterator[ActionStep]:
    """The actions one after the other, every round of a `repeat`."""
    for step in steps:
        if isinstance(step, RepeatStep):
            for _ in range(step.times):
                yield from expanded(step.steps)
        elif isinstance(step, ActionStep):
            yield step


class StepReader:
    """Makes steps from plain values, for one source and one profile."""

    def __init__(self, source: Source, profile: Profile) -> None:
        self._source = source
        self._profile = profile
        self._contract = profile.contract
        self._number = 0
        self._readers: dict[str, Callable[[Path, Any], Action]] = {
            "decide": self._decide,
            "begin-task": self._begin_task,
            "task-output": self._task_output,
            "end-task": lambda path, value: self._bare(path, value, EndTask()),
            "drain": self._drain,
            "pump": lambda path, value: self._bare(path, value, Pump()),
            "reset": self._reset,
        }

    def read(self, path: Path) -> tuple[Step, ...]:
        """Read the list of steps at a path.

        Args:
            path: Of the list in the source.

        Raises:
            InspectorError: UNREADABLE_SCENARIO for the first step that does not fit, and
                when the steps would run too long.
        """
        items = self._source.data
        for key in path:
            items = items[key]
        steps = self._list(path, items)
        if (runs := runs_of(steps, expects=True)) > MAX_RUNS:
            message = f"the steps would run {runs:,} times, and {MAX_RUNS:,} is the limit."
            raise self._source.error(path, message, "Repeat less, or split the scenario.")
        return steps

    def _list(self, path: Path, items: Any) -> tuple[Step, ...]:
        if not isinstance(items, list):
            owner = f"step {self._number}, repeat." if self._number else ""
            raise self._source.error(path, f"{owner}steps: wants a list of steps.")
        steps: list[Step] = []
        for index, item in enumerate(items):
            step = self._step((*path, index), item)
            if isinstance(step, ExpectStep) and not steps:
                message = f"step {step.number}: expect has no step before it in this list."
                raise self._source.error((*path, index), message)
            steps.append(step)
        return tuple(steps)

    def _step(self, path: Path, item: Any) -> Step:
        self._number += 1
        number, place = self._number, self._source.place(path)
        name, value = self._name_and_value(path, item)
        path = (*path, name) if isinstance(item, Mapping) else path
        if name == "repeat":
            return self._repeat(number, place, path, value)
        if name == "expect":
            return ExpectStep(number, place, self._pattern(path, value))
        if name in self._readers:
            return ActionStep(number, place, self._readers[name](path, value))
        return ActionStep(number, place, self._observe(path, name, value))

    def _name_and_value(self, path: Path, item: Any) -> tuple[str, Any]:
        if isinstance(item, str):
            name, value = item, None
        elif isinstance(item, Mapping) and len(item) == 1:
            ((name, value),) = item.items()
        else:
            raise self._error(path, "wants one name, alone or with its fields.")
        if name not in (*EVENTS, *CONTROL_STEPS):
            known = ", ".join((*EVENTS, *CONTROL_STEPS))
            raise self._error(path, f"unknown step {name!r}.", f"Steps are {known}.")
        return name, value

    # -- events ---------------------------------------------------------------------

    def _observe(self, path: Path, event: str, value: Any) -> Action:
        record = self._contract.record(event)
        fields = self._completed(path, event, record, value)
        outcome = _outcome_type(record)
        if outcome is not None and "outcome" not in (value or {}):
            fields["outcome"] = default(outcome)
        if event in _FILLED_BY_ENGINE:
            fields = {name: fields[name] for name in value or {}}
        return Observe(event, to_json(fields))

    def _decide(self, path: Path, value: Any) -> Action:
        if not self._profile.has_decisions:
            message = f"profile {self._profile.name} has no decision points."
            raise self._error(path, f"decide: {message}")
        event, fields = value, None
        if isinstance(value, Mapping) and len(value) == 1:
            ((event, fields),) = value.items()
        allowed = tuple(self._contract.rules.decide)
        if event not in allowed:
            raise self._error(path, f"decide: wants one of {', '.join(allowed)}.")
        inner: Path = (*path, event) if isinstance(value, Mapping) else path
        record = self._contract.record(event)
        done = self._completed(inner, f"decide.{event}", record, fields)
        if done.get("outcome") is not None:
            message = f"decide.{event}.outcome: a call that has not run has no outcome."
            raise self._error((*inner, "outcome"), message, "Leave it out.")
        return Decide(event, to_json(done))

    def _completed(self, path: Path, label: str, record: Record, value: Any) -> dict[str, Any]:
        try:
            done: dict[str, Any] = complete(record, {} if value is None else value)
        except FieldError as error:
            raise self._field_error(path, label, error) from error
        return done

    def _field_error(self, path: Path, label: str, error: FieldError) -> InspectorError:
        place = ".".join(filter(None, (label, spell_path(error.path))))
        kind = "" if f"({error.wanted})" in error.message else f" (type {error.wanted})"
        return self._error((*path, *error.path), f"{place}: {error.message}{kind}.")

    # -- the others -----------------------------------------------------------------

    def _begin_task(self, path: Path, value: Any) -> Action:
        given = self._fields(path, value, "begin-task", ("original", "as-given"))
        for key, item in given.items():
            if not isinstance(item, str) and not (key == "as-given" and item is None):
                raise self._wrong((*path, key), f"begin-task.{key}", item, "text", "string")
        return BeginTask(given.get("original", ""), given.get("as-given"))

    def _task_output(self, path: Path, value: Any) -> Action:
        if value is not None and not isinstance(value, str):
            raise self._wrong(path, "task-output", value, "text", "string")
        return TaskOutput(value or "")

    def _drain(self, path: Path, value: Any) -> Action:
        given = self._fields(path, value, "drain", ("budget-ms",))
        budget = given.get("budget-ms")
        if budget is None:
            return Drain()
        is_number = isinstance(budget, int) and not isinstance(budget, bool)
        if not is_number or not 0 <= budget <= BUDGET_LIMIT_MS:
            wanted = f"0 to {BUDGET_LIMIT_MS} milliseconds"
            raise self._wrong((*path, "budget-ms"), "drain.budget-ms", budget, wanted, "u32")
        return Drain(budget)

    def _reset(self, path: Path, value: Any) -> Action:
        if not isinstance(value, str) or not value:
            raise self._wrong(path, "reset", value, "the name of a hook", "string")
        return ResetHook(value)

    def _bare(self, path: Path, value: Any, action: Action) -> Action:
        if value not in (None, {}):
            raise self._error(path, f"{path[-1]}: takes no fields.")
        return action

    def _repeat(self, number: int, place: Place, path: Path, value: Any) -> RepeatStep:
        given = self._fields(path, value, "repeat", ("times", "steps"))
        times = given.get("times")
        is_number = isinstance(times, int) and not isinstance(times, bool)
        if not is_number or not 1 <= given["times"] <= MAX_RUNS:
            wanted = f"1 to {MAX_RUNS} rounds"
            raise self._wrong((*path, "times"), "repeat.times", times, wanted, "u32")
        steps = self._list((*path, "steps"), given.get("steps"))
        if not steps:
            raise self._error(path, "repeat.steps: wants one step at least.")
        return RepeatStep(number, place, given["times"], steps)

    def _pattern(self, path: Path, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise self._error(path, "expect: wants fields of the record of the step before it.")
        try:
            expectation.check(value)
        except expectation.PatternError as error:
            place = spell_path(("expect", *error.path))
            raise self._error((*path, *error.path), f"{place}: {error.message}.") from error
        return value

    # -- small parts ----------------------------------------------------------------

    def _fields(
        self, path: Path, value: Any, label: str, names: tuple[str, ...]
    ) -> Mapping[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self._error(path, f"{label}: wants some of the fields {', '.join(names)}.")
        for key in value:
            if key not in names:
                message = f"{label}.{key}: unknown field; {label} has {', '.join(names)}."
                raise self._error((*path, key), message)
        return value

    def _wrong(self, path: Path, label: str, value: Any, wanted: str, kind: str) -> InspectorError:
        shown = "nothing" if value is None else repr(value)
        shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
        return self._error(path, f"{label}: wants {wanted}, got {shown} (type {kind}).")

    def _error(self, path: Path, message: str, hint: str = "") -> InspectorError:
        return self._source.error(path, f"step {self._number}, {message}", hint)


def _outcome_type(record: Record) -> ValueType | None:
    """The payload type of an event's optional `outcome`, or None when it has none."""
    found = next((field.type for field in record.fields if field.name == "outcome"), None)
    return found.payload if isinstance(found, OptionOf) else None
