"""What each way to fail means, in words.

Lives here: two tables by `Failure`. Not here: the sentences around them
(workbench.explanation). Only workbench.explanation imports it.

Source: spec/dispatch.md 7.
"""

from inspector.contract.record import Failure

FAILURE_WHAT = {
    Failure.GUEST_ERROR: "{hook} answered {event} with an error: {error}",
    Failure.TYPE_MISMATCH: "{hook} was not called: its {event} has another type than the "
    "contract's.",
    Failure.TRAP: "{hook} trapped in {event}.",
    Failure.DEADLINE: "{hook} was still in {event} at its deadline and was interrupted.",
    Failure.RESOURCE_LIMIT: "{hook} ran into a limit in {event}.",
    Failure.POISONED: "{hook} could not be entered for {event}: an earlier call of it trapped.",
    Failure.ABSENT: "{hook} does not export {event}.",
    Failure.REJECTED: "{hook} could not be instantiated for {event}.",
    Failure.INTERRUPTED: "You stopped {hook} in {event}.",
    Failure.ENGINE_LOST: "The engine ended while {hook} was in {event}.",
}
"""What happened; `{hook}`, `{event}` and `{error}` are filled in."""

FAILURE_WHY = {
    Failure.GUEST_ERROR: "An err is an ordinary error: the instance stays usable.",
    Failure.TYPE_MISMATCH: "The names of the functions are checked at the start, their types "
    "at each call; the instance stays usable.",
    Failure.TRAP: "The runtime keeps an instance that trapped, and every later call to it "
    "fails; a reset gives the hook a fresh one.",
    Failure.DEADLINE: "Time in host calls counts, and an interrupted instance cannot be "
    "entered again; a reset gives the hook a fresh one.",
    Failure.RESOURCE_LIMIT: "A growth beyond the limit is refused, and the refusal sticks: "
    "every later failure of this instance is reported as the limit.",
    Failure.POISONED: "The runtime never makes an instance anew by itself; a reset gives the "
    "hook a fresh one.",
    Failure.ABSENT: "A function that is not exported cannot be called.",
    Failure.REJECTED: "Staging makes a throwaway instance for each hook; the error is noted, "
    "and the next hook follows.",
    Failure.INTERRUPTED: "The inspector interrupts a call as a deadline would; the runtime "
    "itself would have let it run on until then.",
    Failure.ENGINE_LOST: "The engine is the inspector's own process; the runtime would not "
    "have ended here.",
}
"""Why, and what comes of it."""
