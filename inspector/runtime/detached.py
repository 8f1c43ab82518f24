"""One event on an instance of its own, as the 0.1 runtime calls async hooks.

Lives here: the call and the error texts of that path, which name no version. Not here:
queued async hooks (async_queue). Only runtime imports it.
"""

import time
from collections.abc import Callable
from typing import Any

from inspector.contract.record import Failure
from inspector.runtime.hook import CallAnswer, LiveHook
from inspector.runtime.instance import CallResult, InstantiationError

Call = Callable[[LiveHook, str, dict[str, Any]], CallAnswer]


def call_detached(hook: LiveHook, event: str, fields: dict[str, Any], call: Call) -> CallAnswer:
    """Make an instance, call it once and close it.

    Args:
        hook: The hook; it must be able to make instances.
        event: A lifecycle function.
        fields: The whole record.
        call: Calls the hook's present instance.

    Returns:
        The call's answer, or a REJECTED failure with the runtime's text.

    Source: spec/contract.md 8 ("async hooks").
    """
    begun = time.perf_counter_ns()
    try:
        hook.renew()
    except InstantiationError as error:
        spent_us = (time.perf_counter_ns() - begun) // 1000
        text = detached_text(hook, error.text)
        return CallResult(None, Failure.REJECTED, text, error.detail, spent_us)
    try:
        return call(hook, event, fields)
    finally:
        hook.close()


def detached_text(hook: LiveHook, text: str) -> str:
    """The text of the detached path for one of the session path.

    The detached path names the hook without its version, says `missing` where the other
    says `missing function`, and gives an instantiation's cause without a prefix.
    """
    subject = f"hook {hook.name}@{hook.version}"
    prefix = f"failed to instantiate {subject}: "
    if text.startswith(prefix):
        return text.removeprefix(prefix)
    return text.replace(f"{subject} missing function ", f"hook {hook.name} missing ").replace(
        subject, f"hook {hook.name}"
    )
