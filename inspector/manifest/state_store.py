"""Names of folders below the murmur home: state stores and conversation records.

Lives here: the rule of one path segment and its messages. Not here: the folders
themselves (runtime). Rooms above may import it.
"""

import os

from inspector.manifest.fault import Fault, Stage
from inspector.manifest.schema import Located

STATE_CODE = "E-CAP-009"
STATE_HINT = (
    "Name one folder below ~/.murmur/state: no '/', no leading dot; leave `store` out to "
    "use the capsule's name."
)
RECORD_CODE = "E-CAP-011"
RECORD_HINT = (
    "Name one folder below ~/.murmur/conversations: no '/', no leading dot; leave "
    "`record_store` out to use the capsule's name."
)


def segment_problem(name: str, *, windows: bool = os.name == "nt") -> str | None:
    """Why a name is no state store, or None.

    Args:
        name: Trimmed.
        windows: Whether backslashes and drive letters have a meaning.

    Source: spec/manifest.md 4.4.
    """
    if not name:
        return "a store name must not be empty"
    if "/" in name:
        return "a store name is a single path segment and must not contain '/'"
    if name.startswith("."):
        return "a store name must not begin with '.'"
    if windows and ("\\" in name or ":" in name):
        return "a store name is a single path segment and must not contain '.' or '..'"
    # The runtime fails later, when it makes the folder; here no such name reaches a disk.
    return "a store name must not contain a NUL character" if "\0" in name else None


def state_fault(name: Located) -> Fault | None:
    """The fault of a state-store name, or None."""
    problem = segment_problem(name.text)
    if problem is None:
        return None
    message = f"invalid state store name '{name.text}': {problem}"
    return Fault(Stage.STATE_NAME, STATE_CODE, message, STATE_HINT, name.line, name.column)


def record_fault(name: Located) -> Fault | None:
    """The fault of `context.record_store`, or None."""
    if segment_problem(name.text) is None:
        return None
    message = (
        f"invalid context.record_store '{name.text}': must be a single path segment: no '/', "
        "no '.' or '..', not absolute, and not starting with a dot"
    )
    return Fault(Stage.CAPSULE_POLICY, RECORD_CODE, message, RECORD_HINT, name.line, name.column)
