"""From what a caller gives to the record that a hook receives.

Lives here: completion with defaults, the values that come from the session, the cut of
shell commands. Not here: sending it (instance). Only runtime imports it.
"""

from collections.abc import Mapping
from typing import Any

from inspector.contract.contract import Contract, Phase
from inspector.contract.record import Totals
from inspector.contract.type import OptionOf
from inspector.contract.value import FieldError, complete, default

SHELL_COMMAND_CHARACTERS = 200
"""A shell command is cut to so many Unicode scalar values (spec/dispatch.md 4)."""

_U64_MAX = 2**64 - 1


def event_record(
    contract: Contract,
    event: str,
    phase: Phase,
    given: Mapping[str, Any],
    session: Mapping[str, Any],
) -> dict[str, Any]:
    """Complete an event's record.

    Args:
        contract: The contract in force.
        event: A lifecycle function.
        phase: Observation or decision; decides the default of `outcome`.
        given: The fields that the caller gives.
        session: Defaults from the session for fields that the caller leaves out.

    Returns:
        Every field, checked; a shell command is cut.

    Raises:
        FieldError: for an unknown field or a value that does not fit.

    Source: spec/dispatch.md 4 and 5.
    """
    record = contract.record(event)
    names = {field.name for field in record.fields}
    merged = {name: value for name, value in session.items() if name in names} | dict(given)
    outcome = next((field for field in record.fields if field.name == "outcome"), None)
    if outcome is not None and "outcome" not in given and phase is Phase.OBSERVE:
        assert isinstance(outcome.type, OptionOf)
        merged["outcome"] = default(outcome.type.payload)
    if phase is Phase.DECIDE and merged.get("outcome") is not None:
        message = "is none at a decision point, where the call has not run"
        raise FieldError(("outcome",), message, "option")
    fields: dict[str, Any] = complete(record, merged)
    if event == "on-shell":
        fields["command"] = fields["command"][:SHELL_COMMAND_CHARACTERS]
    return fields


def session_end_defaults(totals: Totals, duration_ms: int) -> dict[str, Any]:
    """What on-session-end is told unless the caller says otherwise.

    Args:
        totals: The sums at the dispatch.
        duration_ms: Milliseconds since the session was made.
    """
    return {
        "total-turns": totals.turns,
        "total-input-tokens": totals.input_tokens,
        "total-output-tokens": totals.output_tokens,
        "total-tool-calls": totals.tool_calls,
        "total-shell-calls": totals.shell_calls,
        "duration-ms": min(duration_ms, _U64_MAX),
    }
