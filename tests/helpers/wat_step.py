"""What a double does when it is called.

Lives here: the steps that tests write down. Not here: the texts they work with
(wat_source), steps that call WASI (wat_wasi), the frame around them (wat). Tests
import these names from tests.helpers.wat.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.contract.type import ResultOf, Variant
from tests.helpers import wat_layout
from tests.helpers.wat_scope import HISTORY_BYTES, Scope
from tests.helpers.wat_source import Text, fill_holes, make_text


class Step:
    """One thing that a function does; falls through to the next unless it says so."""

    def code(self, scope: Scope) -> str:
        """The core instructions."""
        raise NotImplementedError


Steps = Step | Sequence[Step]


def steps_code(scope: Scope, steps: Steps) -> str:
    """The code of one or more steps."""
    return "\n".join(step.code(scope) for step in ([steps] if isinstance(steps, Step) else steps))


@dataclass(frozen=True)
class Return(Step):
    """Return a value of the function's result type, in the spelling of contract.value."""

    value: Any

    def code(self, scope: Scope) -> str:
        result = scope.function.result
        assert result is not None
        address = scope.module.image.value(result, self.value)
        return f"{fill_holes(scope)}\n(return (i32.const {address}))"


@dataclass(frozen=True)
class Answer(Step):
    """Return ok with an arm; strings inside the payload may be sources."""

    arm: str = "none"
    payload: Any = None

    def code(self, scope: Scope) -> str:
        output = self.arm if self.payload is None else {self.arm: self.payload}
        return Return({"ok": output}).code(scope)


@dataclass(frozen=True)
class Error(Step):
    """Return err with a text."""

    text: Text

    def code(self, scope: Scope) -> str:
        return Return({"err": self.text}).code(scope)


@dataclass(frozen=True)
class Trap(Step):
    """Trap with `unreachable`."""

    def code(self, scope: Scope) -> str:
        return "unreachable"


@dataclass(frozen=True)
class Spin(Step):
    """Loop forever."""

    def code(self, scope: Scope) -> str:
        label = scope.label("spin")
        return f"(loop {label} (br {label})) unreachable"


@dataclass(frozen=True)
class GrowMemory(Step):
    """Grow the memory until it is denied, some pages at a time; then go on."""

    pages: int = 16

    def code(self, scope: Scope) -> str:
        label = scope.label("grow")
        grown = f"(memory.grow (i32.const {self.pages}))"
        return f"(loop {label} (br_if {label} (i32.ne {grown} (i32.const -1))))"


@dataclass(frozen=True)
class GrowTable(Step):
    """Grow a table once, whatever comes of it."""

    elements: int

    def code(self, scope: Scope) -> str:
        return f"(drop (table.grow $table (ref.null func) (i32.const {self.elements})))"


@dataclass(frozen=True)
class Check(Step):
    """Trap unless a text is the expected one."""

    text: Text
    expected: str

    def code(self, scope: Scope) -> str:
        return When(self.text, self.expected, (), otherwise=Trap()).code(scope)


@dataclass(frozen=True)
class When(Step):
    """Do steps only when a text is the expected one."""

    text: Text
    expected: str
    then: Steps
    otherwise: Steps = ()

    def code(self, scope: Scope) -> str:
        return (
            f"{make_text(scope, self.text)}\n(if (call $equal {scope.text(self.expected)})"
            f"\n(then {steps_code(scope, self.then)})"
            f"\n(else {steps_code(scope, self.otherwise)}))"
        )


@dataclass(frozen=True)
class OnCall(Step):
    """Do steps only at the n-th call of this instance, counted over all functions."""

    number: int
    then: Steps

    def code(self, scope: Scope) -> str:
        test = f"(i32.eq (global.get $calls) (i32.const {self.number}))"
        return f"(if {test} (then {steps_code(scope, self.then)}))"


@dataclass(frozen=True)
class Mark(Step):
    """Add a text to the history that this instance keeps; traps when it is full."""

    text: Text

    def code(self, scope: Scope) -> str:
        address = scope.module.history_address()
        end = "(i32.add (global.get $history) (call $length))"
        return f"""{make_text(scope, self.text)}
            (if (i32.gt_u {end} (i32.const {HISTORY_BYTES})) (then unreachable))
            (memory.copy (i32.add (i32.const {address}) (global.get $history))
              (call $text) (call $length))
            (global.set $history {end})"""


class Nonsense(enum.StrEnum):
    """Answers that no well-built hook gives."""

    BAD_RESULT = "bad-result"
    """A result that is neither ok nor err."""
    BAD_ARM = "bad-arm"
    """An arm that does not exist."""
    FAR_TEXT = "far-text"
    """An err text beyond the end of the memory."""
    NOT_UTF8 = "not-utf8"
    """An err text that is not UTF-8."""
    HUGE_LIST = "huge-list"
    """A list of 2^31 messages."""
    ODD_POINTER = "odd-pointer"
    """A result area that is not aligned."""
    FAR_POINTER = "far-pointer"
    """A result area beyond the end of the memory."""


@dataclass(frozen=True)
class Nonsensical(Step):
    """Return an answer that breaks the canonical ABI."""

    kind: Nonsense

    def code(self, scope: Scope) -> str:
        result = scope.function.result
        assert isinstance(result, ResultOf)
        assert isinstance(result.ok, Variant)
        inner = wat_layout.payload_offset(result)
        at = scope.module.image.reserve(wat_layout.size(result))
        broken, length = scope.module.image.text(b"\xff\xfe\xfd")
        stores = {
            Nonsense.BAD_RESULT: [(0, 7)],
            Nonsense.BAD_ARM: [(inner, 200)],
            Nonsense.FAR_TEXT: [(0, 1), (inner, 0xFFFF0000), (inner + 4, 100)],
            Nonsense.NOT_UTF8: [(0, 1), (inner, broken), (inner + 4, length)],
            Nonsense.HUGE_LIST: [
                (inner, 1),
                (inner + wat_layout.payload_offset(result.ok), 0),
                (inner + wat_layout.payload_offset(result.ok) + 4, 2**31),
            ],
        }
        address = {Nonsense.ODD_POINTER: at + 1, Nonsense.FAR_POINTER: 0xFFFFFF00}
        lines = [
            f"(i32.store (i32.const {at + offset}) (i32.const {content}))"
            for offset, content in stores.get(self.kind, [])
        ]
        return "\n".join([*lines, f"(return (i32.const {address.get(self.kind, at)}))"])
