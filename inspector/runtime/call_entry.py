"""Builds the public entry of one hook's part in a dispatch.

Lives here: contract.record.HookCall from an answer and a verdict. Not here: judging
(judge) and order (dispatcher). Only runtime imports it.
"""

from typing import Any

import msgspec

from inspector.contract.record import RESULT_ABSENT, RESULT_ERROR, Disposition, Failure, HookCall
from inspector.contract.value import to_json
from inspector.runtime.hook import CallAnswer, LiveHook
from inspector.runtime.judge import Verdict

BLOCKING = "blocking"
ASYNC = "async"


def answered(
    hook: LiveHook, answer: CallAnswer, verdict: Verdict, disposition: Disposition
) -> HookCall:
    """An entry for a call that gave an arm."""
    payload = None if verdict.payload is None else to_json(verdict.payload)
    return _entry(hook, answer, verdict.arm, disposition, payload=payload)


def absent(hook: LiveHook, answer: CallAnswer, disposition: Disposition) -> HookCall:
    """An entry for a function that the hook does not have."""
    return _entry(hook, answer, RESULT_ABSENT, disposition, failure=Failure.ABSENT)


def failed(hook: LiveHook, answer: CallAnswer, disposition: Disposition) -> HookCall:
    """An entry for a call that failed."""
    return _entry(
        hook, answer, RESULT_ERROR, disposition, error=answer.text, failure=answer.failure
    )


def refused(call: HookCall, reason: str) -> HookCall:
    """The same entry, refusing the call for a reason."""
    return msgspec.structs.replace(call, disposition=Disposition.REFUSED, reason=reason)


def waiting(hook: LiveHook, result: str, disposition: Disposition) -> HookCall:
    """An entry for an async hook that has not answered."""
    return HookCall(hook.name, ASYNC, result, disposition, marks=hook.marks)


def _entry(
    hook: LiveHook,
    answer: CallAnswer,
    result: str,
    disposition: Disposition,
    *,
    payload: Any = None,
    error: str | None = None,
    failure: Failure | None = None,
) -> HookCall:
    return HookCall(
        hook=hook.name,
        mode=BLOCKING if hook.is_blocking else ASYNC,
        result=result,
        disposition=disposition,
        payload=payload,
        error=error,
        failure=failure,
        duration_us=answer.duration_us,
        stdout=answer.stdout,
        stderr=answer.stderr,
        detail=answer.detail,
        cut_bytes=answer.cut_bytes,
        host_us=answer.host_us,
        marks=(*hook.marks, *hook.take_marks()),
    )
