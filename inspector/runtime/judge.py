"""Judges one answer of a hook by the rules of its contract and profile.

Lives here: arm names, dispositions, the texts of faults and refusals. Not here: the
order of calls (dispatcher) and failures of a call (failure). Only runtime imports it.
"""

from typing import Any

import msgspec

from inspector.contract.contract import Phase
from inspector.contract.profile import Profile, UnhonoredPolicy
from inspector.contract.record import Disposition

ARM_NONE = "none"


class Verdict(msgspec.Struct, frozen=True):
    """How an answer counts.

    Attributes:
        arm: The arm's name, `none` included.
        payload: The arm's payload, or None.
        disposition: IGNORED, HONORED or FAULT.
    """

    arm: str
    payload: Any
    disposition: Disposition


def judge(profile: Profile, event: str, phase: Phase, answer: Any) -> Verdict:
    """Judge a `hook-output` value.

    Args:
        profile: The profile in force.
        event: A lifecycle function.
        phase: Observation or decision.
        answer: The value, in the spelling of contract.value.

    Returns:
        The verdict; where the profile drops unhonored arms in silence, they are ignored.

    Source: spec/contract.md 5 and 8, spec/dispatch.md 4 to 6.
    """
    arm, payload = split_arm(answer)
    if arm == ARM_NONE:
        return Verdict(arm, None, Disposition.IGNORED)
    if profile.contract.honored_arm(event, phase) == arm:
        return Verdict(arm, payload, Disposition.HONORED)
    silent = profile.unhonored is UnhonoredPolicy.SILENT
    return Verdict(arm, payload, Disposition.IGNORED if silent else Disposition.FAULT)


def split_arm(answer: Any) -> tuple[str, Any]:
    """The arm's name and payload of a `hook-output` value."""
    if isinstance(answer, str):
        return answer, None
    ((arm, payload),) = answer.items()
    return arm, payload


def unsupported_arm_text(hook: str, event: str, arm: str) -> str:
    """The log line for an arm that the event does not honor (spec/dispatch.md 6)."""
    return (
        f"hook '{hook}' returned unsupported hook-output arm '{arm}' from '{event}'; "
        "this event does not honor that arm, so the value was discarded"
    )


def empty_reason_text(hook: str, event: str) -> str:
    """The reason when a deny carries a blank one (spec/dispatch.md 5)."""
    return f"policy hook '{hook}' refused this call from '{event}' but returned an empty reason"


def wrong_arm_text(hook: str, event: str, arm: str) -> str:
    """The reason when a policy hook answers neither deny nor none (spec/dispatch.md 5)."""
    return (
        f"policy hook '{hook}' returned hook-output arm '{arm}' from the '{event}' decision "
        "point; only 'deny' or 'none' is answerable there, so the call was refused"
    )


def absent_text(hook: str, event: str) -> str:
    """The reason when a policy hook lacks the function it gates (spec/dispatch.md 5)."""
    return (
        f"policy hook '{hook}' does not export '{event}'; a policy hook must export the "
        "function it gates, so the call was refused"
    )


def failed_text(hook: str, event: str, error: str) -> str:
    """The reason when a policy hook's call failed (spec/dispatch.md 5)."""
    return f"policy hook '{hook}' failed at the '{event}' decision point: {error}"
