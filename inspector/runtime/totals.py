"""The running sums of a session.

Lives here: how each event moves them, with the runtime's saturation. Not here: who
asks. Only runtime imports it.
"""

from typing import Any

from inspector.contract.record import Totals

_U32_MAX = 2**32 - 1
_U64_MAX = 2**64 - 1


def advance(totals: Totals, event: str, fields: dict[str, Any]) -> Totals:
    """The sums after an observation of an event.

    Args:
        totals: The sums before it.
        event: A lifecycle function.
        fields: The event's whole record.

    Returns:
        New sums: inference adds tokens and a turn, a tool call and a shell command one
        each; every sum stops at the largest value of its type. Nothing else moves them.

    Source: spec/dispatch.md 4.
    """
    if event == "on-inference":
        return Totals(
            turns=min(totals.turns + 1, _U32_MAX),
            input_tokens=min(totals.input_tokens + fields["input-tokens"], _U64_MAX),
            output_tokens=min(totals.output_tokens + fields["output-tokens"], _U64_MAX),
            tool_calls=totals.tool_calls,
            shell_calls=totals.shell_calls,
        )
    return Totals(
        turns=totals.turns,
        input_tokens=totals.input_tokens,
        output_tokens=totals.output_tokens,
        tool_calls=min(totals.tool_calls + (event == "on-tool-call"), _U32_MAX),
        shell_calls=min(totals.shell_calls + (event == "on-shell"), _U32_MAX),
    )
