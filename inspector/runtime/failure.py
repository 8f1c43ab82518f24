"""Why a call gave no answer: the engine's texts and the runtime's words for them.

Lives here: the outermost text of an error, its root cause, and `classify`. Not here:
who logs it (the dispatcher). Only runtime imports it.

The C side gives the long form of an error: its own text, then "Caused by:" and every
cause. The mirrored runtime writes the short form, the outermost text alone.
"""

import re

from wasmtime import WasmtimeError

from inspector.contract.record import Failure
from inspector.runtime.memory import MemoryAccount

_CAUSES = "\n\nCaused by:\n"
_NUMBERED = re.compile(r"^ *\d+: ")
_INTERRUPT = "wasm trap: interrupt"
_DISCRIMINANT = re.compile(r"discriminant (\d+) out of range \[0\.\.(\d+)\)")
_POISONED = "wasm trap: cannot enter component instance"


def full_text(error: WasmtimeError) -> str:
    """Everything the engine says, with causes."""
    return str(error).rstrip("\n")


def display_text(error: WasmtimeError) -> str:
    """The outermost text, which is all that the mirrored runtime shows."""
    head, separator, tail = str(error).rpartition(_CAUSES)
    return head if separator else tail


def runtime_text(error: WasmtimeError) -> str:
    """The outermost text as the mirrored runtime words it.

    The runtime reads answers with types known at its own compile time, and says other
    words than the C side for a discriminant that is none. Two cases are taken for the
    result around every answer.
    """
    text = display_text(error)
    found = _DISCRIMINANT.fullmatch(text)
    if found is None:
        return text
    if found[2] == "2":
        return "invalid expected discriminant"
    return f"unexpected discriminant: {found[1]}"


def root_cause(error: WasmtimeError) -> str:
    """The innermost cause, or the whole text when there is only one.

    The last "Caused by:" is the engine's: a guest can write one into a function's name,
    which stands in the backtrace before it.
    """
    _, separator, causes = full_text(error).rpartition(_CAUSES)
    if not separator:
        return causes
    lines = causes.split("\n")
    start = max((i for i, line in enumerate(lines) if _NUMBERED.match(line)), default=0)
    cause = "\n".join(line.strip() for line in lines[start:])
    return _NUMBERED.sub("", cause)


def is_interrupt(error: WasmtimeError) -> bool:
    """Whether the epoch ended the call."""
    return root_cause(error) == _INTERRUPT


def is_poisoned(error: WasmtimeError) -> bool:
    """Whether the instance had trapped before and cannot be entered."""
    return root_cause(error) == _POISONED


def classify(
    error: WasmtimeError,
    account: MemoryAccount,
    *,
    interrupted: bool,
    subject: str,
    deadline_s: int,
) -> tuple[Failure, str]:
    """Sort an error of a call.

    Args:
        error: What the engine gave.
        account: The memories of the store; a denial of theirs explains every later
            failure.
        interrupted: Whether the user interrupted this call.
        subject: `hook 'NAME' FN`.
        deadline_s: The configured deadline, for the text.

    Returns:
        The class and the runtime's text; ours when the user interrupted.

    Source: spec/dispatch.md 7.
    """
    if account.denial is not None:
        return limit_failure(account.denial, subject)
    if interrupted and is_interrupt(error):
        return Failure.INTERRUPTED, f"{subject} was interrupted by the user"
    if is_interrupt(error):
        return (
            Failure.DEADLINE,
            f"{subject} exceeded its {deadline_s}s execution deadline "
            "(capabilities.limits.deadline_seconds) and was interrupted",
        )
    failure = Failure.POISONED if is_poisoned(error) else Failure.TRAP
    return failure, f"{subject} trapped: {runtime_text(error)}"


def limit_failure(denial: str, subject: str) -> tuple[Failure, str]:
    """The failure of a store whose limiter denied a growth.

    Args:
        denial: The text of the denial.
        subject: `hook 'NAME' FN`.
    """
    text = f"{subject} exceeded its configured resource limits: {denial}"
    return Failure.RESOURCE_LIMIT, text
