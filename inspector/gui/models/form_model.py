"""The value of an event while it is edited in a form.

Lives here: FormModel: the value, what was typed and is none, undo. Not here: editors
(gui.views), text mode and phases (form_composition). Only gui may import it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from inspector.contract.type import ListOf, OptionOf, Record, ValueType
from inspector.contract.value import Path
from inspector.gui.models.form_fill import Typed, fill

MOST_UNDO = 200
"""Changes that can be taken back; parts that did not change are shared between them."""


class _FormState(msgspec.Struct, frozen=True):
    """One state of the form; nothing in it is ever changed in place."""

    value: dict[str, Any]
    typed: Mapping[Path, Typed]


class FormModel(QObject):
    """A record, its parts by path, and the way back.

    Signals:
        changed(Path): the part at a path, or something in it, has another value.
    """

    changed = Signal(object)

    def __init__(
        self, record: Record, given: Mapping[str, Any], parent: QObject | None = None
    ) -> None:
        """Make the form of a record; what does not fit in `given` is left out."""
        super().__init__(parent)
        self.record = record
        value, typed = fill(record, given)
        self._state = _FormState(value, typed)
        self._undo: list[_FormState] = []
        self._redo: list[_FormState] = []
        self._typing: tuple[Path, int] | None = None

    # -- looking ------------------------------------------------------------------

    def value(self) -> dict[str, Any]:
        """The whole record; fields with a problem are at their last value without."""
        return self._state.value

    def get(self, path: Path) -> Any:
        """The part at a path."""
        part: Any = self._state.value
        for step in path:
            part = part[step]
        return part

    def typed(self, path: Path) -> Typed | None:
        """What stands in the field at a path and is no value, or None."""
        return self._state.typed.get(path)

    def problems(self) -> list[tuple[Path, Typed]]:
        """Every field with a problem, from top to bottom."""
        return sorted(self._state.typed.items(), key=self._order)

    def _order(self, item: tuple[Path, Typed]) -> tuple[int, ...]:
        order = []
        part: ValueType = self.record
        for step in item[0]:
            while isinstance(part, OptionOf):
                part = part.payload
            if isinstance(part, Record):
                names = [field.name for field in part.fields]
                order.append(names.index(str(step)))
                part = part.fields[order[-1]].type
            elif isinstance(part, ListOf):
                order.append(int(step))
                part = part.element
        return tuple(order)

    def raw(self) -> dict[str, Any]:
        """The record as it stands in the form, with typed texts where they are."""
        value = self._state.value
        for path, typed in self._state.typed.items():
            value = _put(value, path, _number_or_text(typed.text))
        return value

    # -- changing -----------------------------------------------------------------

    def set(self, path: Path, part: Any) -> None:
        """Put a value at a path; a problem there or below is gone."""
        typed = {at: text for at, text in self._state.typed.items() if at[: len(path)] != path}
        if len(typed) == len(self._state.typed) and _same(self.get(path), part):
            return
        before = self._shown_length(path)
        value = _put(self._state.value, path, part)
        self._push(_FormState(value, typed), path, before)

    def set_typed(self, path: Path, text: str, problem: str) -> None:
        """Keep a text that is no value of the field at a path."""
        typed = {**self._state.typed, path: Typed(text, problem)}
        if typed != self._state.typed:
            before = self._shown_length(path)
            self._push(_FormState(self._state.value, typed), path, before)

    def insert(self, path: Path, index: int, part: Any) -> None:
        """Put an item into the list at a path."""
        self._change_list(
            path,
            lambda items: [*items[:index], part, *items[index:]],
            lambda at: at + 1 if at >= index else at,
        )

    def remove(self, path: Path, index: int) -> None:
        """Take an item out of the list at a path."""
        self._change_list(
            path,
            lambda items: [*items[:index], *items[index + 1 :]],
            lambda at: None if at == index else at - 1 if at > index else at,
        )

    def move(self, path: Path, source: int, target: int) -> None:
        """Move an item of the list at a path so that it stands at `target`."""

        def moved(items: list[Any]) -> list[Any]:
            rest = [*items[:source], *items[source + 1 :]]
            return [*rest[:target], items[source], *rest[target:]]

        length = len(self.get(path))
        places = {old: new for new, old in enumerate(moved(list(range(length))))}
        self._change_list(path, moved, places.get)

    def _change_list(
        self,
        path: Path,
        change: Callable[[list[Any]], list[Any]],
        place: Callable[[int], int | None],
    ) -> None:
        depth = len(path)
        typed: dict[Path, Typed] = {}
        for at, text in self._state.typed.items():
            if at[:depth] != path:
                typed[at] = text
                continue
            index = place(int(at[depth]))
            if index is not None:
                typed[(*path, index, *at[depth + 1 :])] = text
        self._push(_FormState(_with(self._state.value, path, change), typed), path, None)

    def load(self, given: Mapping[str, Any]) -> None:
        """Put another record in; undo takes it back."""
        value, typed = fill(self.record, given)
        if not _same(value, self._state.value) or typed != self._state.typed:
            self._push(_FormState(value, typed), (), None)

    def reset(self, given: Mapping[str, Any]) -> None:
        """Put another record in and forget what was before."""
        value, typed = fill(self.record, given)
        self._undo.clear()
        self._redo.clear()
        self._typing = None
        self._state = _FormState(value, typed)
        self.changed.emit(())

    # -- undo ---------------------------------------------------------------------

    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._undo)

    def can_redo(self) -> bool:
        """Whether there is a change to make again."""
        return bool(self._redo)

    def undo(self) -> None:
        """Take the last change back."""
        self._travel(self._undo, self._redo)

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        self._travel(self._redo, self._undo)

    def _travel(self, source: list[_FormState], target: list[_FormState]) -> None:
        if source:
            target.append(self._state)
            self._state = source.pop()
            self._typing = None
            self.changed.emit(())

    def _push(self, state: _FormState, path: Path, before: int | None) -> None:
        """Take a state over; typing on in one field is one change.

        Args:
            state: The new state.
            path: What is different.
            before: Length of the field's text before, None when no text was typed.
        """
        old, self._state = self._state, state
        step = None if before is None else self._shown_length(path) - before
        typing = (path, step) if step in (1, -1) else None
        if typing is None or typing != self._typing:
            self._undo.append(old)
            del self._undo[:-MOST_UNDO]
        self._typing = None if typing is None or self._ends_in_blank(path) else typing
        self._redo.clear()
        self.changed.emit(path)

    def _shown(self, path: Path) -> str:
        typed = self._state.typed.get(path)
        return typed.text if typed else str(self.get(path))

    def _shown_length(self, path: Path) -> int:
        return len(self._shown(path))

    def _ends_in_blank(self, path: Path) -> bool:
        return self._shown(path)[-1:].isspace()


def overlaps(first: Path, second: Path) -> bool:
    """Whether one of two parts is in the other, or they are the same."""
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]


def _with(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """A value with one part changed; what is not on the way to it is shared."""
    if not path:
        return change(value)
    step, rest = path[0], path[1:]
    copy: Any = dict(value) if isinstance(value, Mapping) else list(value)
    copy[step] = _with(value[step], rest, change)
    return copy


def _put(value: Any, path: Path, part: Any) -> Any:
    return _with(value, path, lambda _: part)


def _same(first: Any, second: Any) -> bool:
    """Equality that tells 0, 0.0, -0.0 and False apart and holds NaN equal to itself."""
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    if isinstance(first, float):
        return repr(first) == repr(second)
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_same(first[k], second[k]) for k in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(_same, first, second))
    return bool(first == second)


def _number_or_text(text: str) -> Any:
    """A typed text as JSON has it: a whole number as one, anything else as text."""
    digits = text.strip().removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 400 else text
