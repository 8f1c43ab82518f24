"""What the user may do now, and the request that does it.

Lives here: pure functions: `can_...` give "" or the reason why not, the others make
requests. Not here: sending them (gui.workbench_bridge), menus and keys (gui.actions).
Rooms above may import it.
"""

from collections.abc import Mapping
from typing import Any

from inspector.contract import value
from inspector.contract.contract import EVENTS, Contract, Phase
from inspector.contract.profile import PROFILES, profile
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import (
    Action,
    Decide,
    Fire,
    Observe,
    OpenCapsule,
    SessionSettings,
    SetHeld,
    StartSession,
)
from inspector.workbench.state import EngineStatus, Firing, State

IN_RECORDING = "This is a recording; close it to go on with the capsule."
CONTROL_EVENTS = ("begin-task", "task-output", "end-task", "drain", "pump", "reset")


def can_open(state: State) -> str:
    """Why no capsule can be opened now, or ""."""
    if state.opening:
        return "A capsule is being opened."
    return _idle(state)


def can_fire(state: State) -> str:
    """Why nothing can be fired now, or ""; whether an event is valid is another question."""
    if state.recording is not None:
        return IN_RECORDING
    if state.path is None:
        return "Open a capsule first."
    if state.opening:
        return "The capsule is being opened."
    if state.engine.status is EngineStatus.LOST:
        return "The engine has ended; restart it first."
    if state.session is None:
        return "No session is running; reload the capsule first."
    return ""


def can_interrupt(state: State) -> str:
    """Why there is nothing to stop, or ""."""
    if state.interrupting:
        return "Stopping already."
    return "" if state.running or state.opening else "Nothing is running."


def can_reload(state: State) -> str:
    """Why the capsule cannot be read again now, or ""."""
    if state.recording is not None:
        return IN_RECORDING
    if state.path is None:
        return "Open a capsule first."
    return can_open(state)


def can_restart(state: State) -> str:
    """Why the engine cannot be started anew, or ""."""
    if state.recording is not None:
        return IN_RECORDING
    ended = (EngineStatus.LOST, EngineStatus.STOPPED)
    return "" if state.engine.status in ended else "The engine is running."


def can_hold(state: State) -> str:
    """Why the async workers cannot be held or let go, or ""."""
    return can_fire(state)


def can_start(state: State) -> str:
    """Why no fresh session can be started now, or ""."""
    if state.recording is not None:
        return IN_RECORDING
    if state.path is None or state.inspection is None:
        return "Open a capsule first."
    return can_open(state)


def can_read_memory(state: State, hook: str) -> str:
    """Why the linear memory of a hook cannot be looked into now, or ""."""
    view = state.hook(hook)
    if view is None or not view.accepted:
        return f"{hook} has no instance."
    return can_fire(state)


def can_reset(state: State, hook: str | None) -> str:
    """Why a hook cannot get a fresh instance, or ""."""
    if hook is None:
        return "Choose a hook first."
    view = state.hook(hook)
    if view is None or not view.accepted:
        return f"{hook} has no instance."
    return can_fire(state) or _idle(state)


def can_refire(state: State, firing: Firing | None) -> str:
    """Why a row cannot be fired again, or ""."""
    if firing is None:
        return "Choose a firing first."
    if action_of(firing) is None:
        return f"{firing.event} cannot be fired again."
    return can_fire(state)


def _idle(state: State) -> str:
    return "A call is running; stop it first." if state.running else ""


def open_request(
    path: str, profile_name: str, home: str | None = None, *, lenient_imports: bool = False
) -> OpenCapsule:
    """The request that opens a capsule.

    Args:
        path: Whatever the command line takes as CAPSULE.
        profile_name: One of PROFILES.
        home: The murmur home, or None for the private one.
        lenient_imports: Whether unknown imports become traps.

    Raises:
        InspectorError: for an unknown profile, or a path that no message can carry.
    """
    if any("\ud800" <= char <= "\udfff" for char in path):
        raise InspectorError(
            ErrorKind.USAGE,
            "The name of the capsule is no text in the file system's encoding.",
            hint="Rename the file or a folder above it.",
        )
    if profile_name not in PROFILES:
        known = ", ".join(PROFILES)
        raise InspectorError(
            ErrorKind.USAGE,
            f"There is no runtime profile {profile_name}.",
            hint=f"Known are {known}.",
        )
    return OpenCapsule(path, profile_name, home, lenient_imports)


def start_request(settings: SessionSettings) -> StartSession:
    """The request for a fresh session, made exactly with these settings."""
    return StartSession(settings)


def fire_request(state: State, action: Action) -> Fire:
    """The request that runs an action under the next number."""
    return Fire(state.last_step + 1, action)


def held_request(held: bool) -> SetHeld:
    """The request that holds the async workers, or lets them go."""
    return SetHeld(held)


def action_of(firing: Firing) -> Action | None:
    """The action that fires a row again, exactly as it was sent, or None."""
    if firing.action is not None:
        return firing.action
    if firing.event not in EVENTS or not isinstance(firing.fields, Mapping):
        return None
    kind = Decide if firing.phase == "decide" else Observe
    return kind(firing.event, dict(firing.fields))


def compose(contract: Contract, event: str, phase: Phase, fields: Mapping[str, Any]) -> Action:
    """The action of an event and its fields, checked and completed.

    Args:
        contract: The contract in force.
        event: A lifecycle function.
        phase: A decision is possible on events that honor an arm there.
        fields: The record in JSON form; missing fields take their default.

    Returns:
        An action with every field present, in JSON form.

    Raises:
        InspectorError: BAD_EVENT, for the first thing that does not fit.
    """
    if event not in EVENTS:
        known = ", ".join(EVENTS)
        raise InspectorError(
            ErrorKind.BAD_EVENT, f"There is no event {event}.", hint=f"Known are {known}."
        )
    if phase is Phase.DECIDE and contract.honored_arm(event, phase) is None:
        raise InspectorError(
            ErrorKind.BAD_EVENT,
            f"{event} has no decision point under lifecycle@{contract.version}.",
        )
    try:
        complete = value.complete(contract.record(event), fields)
    except value.FieldError as error:
        raise InspectorError(
            ErrorKind.BAD_EVENT, f"{event}: {error}.", hint=f"Its type is {error.wanted}."
        ) from error
    kind = Decide if phase is Phase.DECIDE else Observe
    # JSON has no NaN and no infinity; on the way to the engine they would become null.
    return kind(event, value.to_json(complete))


def default_fields(state: State, event: str) -> dict[str, Any]:
    """The fields that a session gives an event by itself, in JSON form.

    Args:
        state: The state, with a session or without.
        event: A lifecycle function.

    Returns:
        The session context for on-session-start, the allowed binaries for on-stage,
        the totals for on-session-end; {} for the others or without a session.

    Source: spec/dispatch.md 1, 2 and 4.
    """
    if state.session is None:
        return {}
    started = state.session.started
    if event == "on-session-start":
        return dict(started.context)
    if event == "on-stage":
        return {"shell-allow": list(started.shell_allow)}
    if event == "on-session-end":
        return {"total-turns": state.totals.turns, "exit-status": "ok"}
    return {}


def phases(contract: Contract, event: str) -> tuple[Phase, ...]:
    """The phases in which an event can be fired."""
    if contract.honored_arm(event, Phase.DECIDE) is None:
        return (Phase.OBSERVE,)
    return (Phase.OBSERVE, Phase.DECIDE)


def has_decisions(profile_name: str) -> bool:
    """Whether a profile puts calls to policy hooks."""
    return profile(profile_name).has_decisions
