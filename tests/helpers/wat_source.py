"""Texts that a double computes: from its event, its state, the host's answers.

Lives here: the sources that tests write down, and filling them into payloads. Not
here: sources that call WASI (wat_wasi), what is done with a text (wat_step). Tests
import these names from tests.helpers.wat.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.contract.type import ListOf, ResultOf
from tests.helpers import wat_layout
from tests.helpers.wat_layout import Computed
from tests.helpers.wat_scope import Place, Scope, Stored, flags, member, pair, payload, put

ABSENT = "<<absent>>"
"""The text of an option that is none, or of a list item that is not there."""


class Source(Computed):
    """A text that the guest computes; may stand wherever a payload has a string."""

    def put(self, scope: Scope) -> str:
        """Code that adds the text to the text buffer."""
        raise NotImplementedError


Text = Source | str


def put_text(scope: Scope, text: Text) -> str:
    """Code that adds a text to the buffer."""
    return f"(call $put {scope.text(text)})" if isinstance(text, str) else text.put(scope)


def make_text(scope: Scope, text: Text) -> str:
    """Code that leaves a text in an empty buffer."""
    return f"(call $begin)\n{put_text(scope, text)}"


def put_found(scope: Scope, place: Place, path: str) -> str:
    """Code that adds the text of a part of a value, or ABSENT."""
    done, absent = scope.label("done"), scope.label("absent")
    checks, found = scope.locate(place, path, absent)
    return (
        f"(block {done} (block {absent}\n{checks}{put(found)}\n"
        f"(br {done}))\n(call $put {scope.text(ABSENT)}))"
    )


@dataclass(frozen=True)
class Field(Source):
    """A field of the event by its path, e.g. `outcome.exit-code`, `messages[0].content`.

    Integers come in decimal, lists as their length, floats as the decimal of their
    bits, what is not there as ABSENT.
    """

    path: str

    def put(self, scope: Scope) -> str:
        return put_found(scope, scope.event, self.path)


@dataclass(frozen=True)
class Joined(Source):
    """Several texts, one after the other."""

    parts: tuple[Text, ...]

    def __init__(self, *parts: Text) -> None:
        object.__setattr__(self, "parts", parts)

    def put(self, scope: Scope) -> str:
        return "\n".join(put_text(scope, part) for part in self.parts)


@dataclass(frozen=True)
class JsonText(Source):
    """A text as the inside of a JSON string, without the quotes around it."""

    text: Text

    def put(self, scope: Scope) -> str:
        start = scope.local()
        return (
            f"(local.set {start} (call $length))\n{put_text(scope, self.text)}\n"
            f"(call $escape (local.get {start}))"
        )


@dataclass(frozen=True)
class History(Source):
    """Everything that Mark steps of this instance have left."""

    def put(self, scope: Scope) -> str:
        address = scope.module.history_address()
        return f"(call $put (i32.const {address}) (global.get $history))"


@dataclass(frozen=True)
class Calls(Source):
    """The number of calls that this instance has had, this one included."""

    def put(self, scope: Scope) -> str:
        return "(call $decimal (i64.extend_i32_u (global.get $calls)))"


@dataclass(frozen=True)
class HostValue(Source):
    """What a function of the runtime answers.

    `path` picks a part of an ok answer; an err answer gives `!` and its text (an enum:
    its case number).
    """

    interface: str
    function: str
    arguments: tuple[Any, ...] = ()
    path: str = ""

    def put(self, scope: Scope) -> str:
        addresses = scope.place_arguments(self.interface, self.function, list(self.arguments))
        code = fill_holes_aside(scope)
        call, result = scope.call(self.interface, self.function, addresses)
        if not isinstance(result.type, ResultOf):
            return f"{code}\n{call}\n{put_found(scope, result, self.path)}"
        return f"{code}\n{call}\n{put_result(scope, result, result.type, self.path)}"


def put_result(scope: Scope, place: Place, result: ResultOf, path: str) -> str:
    """Code that adds a part of an ok answer, or `!` and the text of an err answer."""
    assert result.ok is not None
    assert result.error is not None
    good = put_found(scope, payload(place, result.ok), path)
    bad = put_found(scope, payload(place, result.error), "")
    mark = f"(call $put {scope.text('!')})"
    return f"(if {flags(place)} (then {mark}\n{bad}) (else {good}))"


def token_count(text: Text) -> HostValue:
    """The host's token count of a text."""
    return HostValue("murmur:runtime/tokens", "count", (text,))


def inference(
    messages: Sequence[Any] = (),
    system_prompt: Text | None = None,
    model: Text | None = None,
    path: str = "text",
) -> HostValue:
    """One field of a completion by the capsule's driver."""
    request = {"messages": list(messages), "system-prompt": system_prompt, "model": model}
    return HostValue("murmur:runtime/inference", "run-inference", (request,), path)


def input_length(form: str = "as-given") -> HostValue:
    """The length of the task's input; `as-given` or `original`."""
    return HostValue("murmur:task-io/read", "input-len", (form,))


def output_length() -> HostValue:
    """The length of the task's output."""
    return HostValue("murmur:task-io/read", "output-len")


def task_input(form: str = "as-given", offset: int = 0, max_bytes: int = 2**32) -> HostValue:
    """A window on the task's input."""
    return HostValue("murmur:task-io/read", "read-input", (form, offset, max_bytes))


def task_output(offset: int = 0, max_bytes: int = 2**32) -> HostValue:
    """A window on the task's output."""
    return HostValue("murmur:task-io/read", "read-output", (offset, max_bytes))


@dataclass(frozen=True)
class ConversationPages(Source):
    """Pages of the recorded conversation, joined with `|`.

    A page reads `T=TOTAL;ID=ROLE;...;N=CURSOR` (`-` for no cursor), with the content
    `ID=ROLE:CONTENT` when wanted; an error reads `!TEXT`. Each page goes on from the
    cursor of the one before.
    """

    limit: int
    pages: int = 1
    cursor: str | None = None
    contents: bool = False

    def put(self, scope: Scope) -> str:
        name = ("murmur:conversation/read", "read-messages")
        code, previous = [], None
        for _ in range(self.pages):
            arguments = scope.place_arguments(*name, [self.cursor, self.limit])
            if previous is not None:
                code += [f"(call $put {scope.text('|')})", _copy(previous, arguments[0])]
            call, result = scope.call(*name, arguments)
            assert isinstance(result, Stored)
            assert isinstance(result.type, ResultOf)
            assert result.type.ok is not None
            assert result.type.error is not None
            page = payload(result, result.type.ok)
            error = put_found(scope, payload(result, result.type.error), "")
            code.append(
                f"{call}\n(if {flags(result)} (then (call $put {scope.text('!')})\n{error})"
                f"(else {self._put_page(scope, page)}))"
            )
            previous = member(page, "next-cursor")
        return "\n".join(code)

    def _put_page(self, scope: Scope, page: Place) -> str:
        messages = member(page, "messages")
        assert isinstance(messages.type, ListOf)
        address, end = scope.local(), scope.local()
        first, count = pair(messages)
        step = wat_layout.size(messages.type.element)
        message = Stored(messages.type.element, f"(local.get {address})")
        content = f"(call $put {scope.text(':')})\n{put_found(scope, message, 'content')}"
        loop, done = scope.label("page"), scope.label("done")
        separator = f"(call $put {scope.text(';')})"
        return f"""
            (call $put {scope.text("T=")}) {put_found(scope, page, "total")}
            (local.set {address} {first})
            (local.set {end} (i32.add {first} (i32.mul {count} (i32.const {step}))))
            (block {done} (loop {loop}
              (br_if {done} (i32.eq (local.get {address}) (local.get {end})))
              {separator} {put_found(scope, message, "id")}
              (call $put {scope.text("=")}) {put_found(scope, message, "role")}
              {content if self.contents else ""}
              (local.set {address} (i32.add (local.get {address}) (i32.const {step})))
              (br {loop})))
            {separator} (call $put {scope.text("N=")})
            (if {flags(member(page, "next-cursor"))}
              (then {put_found(scope, page, "next-cursor")})
              (else (call $put {scope.text("-")})))"""


def _copy(place: Place, address: int) -> str:
    """Code that copies a stored option<string> to an address."""
    assert isinstance(place, Stored)
    return "\n".join(
        f"(i32.store offset={at} (i32.const {address}) {place.load('i32.load', at)})"
        for at in (0, 4, 8)
    )


@dataclass(frozen=True)
class Same(Computed):
    """A list of the event by its path, given back as it came."""

    path: str


def fill_holes(scope: Scope) -> str:
    """Code that computes what the static memory could not hold."""
    code = []
    for address, _, content in scope.module.image.take_holes():
        if isinstance(content, Same):
            absent, done = scope.label("absent"), scope.label("done")
            checks, found = scope.locate(scope.event, content.path, absent)
            first, second = pair(found)
            code.append(
                f"(block {done} (block {absent}\n{checks}"
                f"(i32.store (i32.const {address}) {first})\n"
                f"(i32.store (i32.const {address + 4}) {second})\n"
                f"(br {done})) unreachable)"
            )
        else:
            assert isinstance(content, Source)
            code.append(
                f"{make_text(scope, content)}\n(i32.store (i32.const {address}) (call $text))\n"
                f"(i32.store (i32.const {address + 4}) (call $length))"
            )
    return "\n".join(code)


def fill_holes_aside(scope: Scope) -> str:
    """The same in the middle of a text, which is kept."""
    text, length = scope.local(), scope.local()
    filled = fill_holes(scope)
    if not filled:
        return ""
    return (
        f"(local.set {text} (call $text)) (local.set {length} (call $length))\n{filled}\n"
        f"(call $resume (local.get {text}) (local.get {length}))"
    )
