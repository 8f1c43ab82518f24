"""The mark, the word and the colour role of a result: one vocabulary everywhere.

Lives here: `Verdict` of a call and of a firing. Not here: sentences about them
(workbench.explanation), colours and pictures (gui.theme, gui.icons). Rooms above may
import it.
"""

import msgspec

from inspector.contract.record import (
    RESULT_ABANDONED,
    RESULT_DROPPED,
    RESULT_ERROR,
    RESULT_QUEUED,
    Disposition,
    HookCall,
    StepRecord,
)
from inspector.workbench.state import Firing, FiringStatus


class Verdict(msgspec.Struct, frozen=True):
    """How a result shows.

    Attributes:
        mark: One sign.
        word: One word, the same in window, JSON and docs.
        role: Name of a colour role.
        icon: Name of the mark's picture.
        rank: The higher, the more a reader should see it first.
    """

    mark: str
    word: str
    role: str
    icon: str
    rank: int

    @property
    def is_bad(self) -> bool:
        """Whether the rail marks an event that ended so."""
        return self.role in ("caution", "negative", "notice")


def _waiting(word: str, rank: int) -> Verdict:
    return Verdict("⌛", word, "caution", "mark-waiting", rank)


IGNORED = Verdict("·", "ignored", "muted", "mark-ignored", 0)
DISCARDED = Verdict("○", "discarded", "muted", "mark-discarded", 1)
SUPERSEDED = Verdict("○", "superseded", "muted", "mark-discarded", 2)
QUEUED = _waiting("queued", 3)
HONORED = Verdict("✓", "honored", "positive", "mark-honored", 4)
DROPPED = _waiting("dropped", 5)
ABANDONED = _waiting("abandoned", 6)
FAULT = Verdict("◆", "fault", "caution", "mark-fault", 7)
DENIED = Verdict("⛨", "denied", "notice", "mark-refused", 8)
REFUSED = Verdict("⛨", "refused", "notice", "mark-refused", 9)
ERROR = Verdict("✕", "error", "negative", "mark-error", 10)
PROCEED = Verdict("✓", "proceed", "positive", "mark-honored", 4)
DONE = Verdict("✓", "done", "muted", "mark-honored", 0)
NO_HOOK = Verdict("·", "no hook", "muted", "mark-ignored", 0)
RUNNING = Verdict("…", "running", "accent", "state-running", 3)
LOST = Verdict("✕", "engine lost", "negative", "mark-error", 11)
NOT_RUN = Verdict("✕", "not run", "negative", "mark-error", 11)
UNEXPECTED = Verdict("✕", "unexpected", "negative", "mark-error", 12)

_BY_RESULT = {RESULT_QUEUED: QUEUED, RESULT_DROPPED: DROPPED, RESULT_ABANDONED: ABANDONED}
_BY_DISPOSITION = {
    Disposition.IGNORED: IGNORED,
    Disposition.HONORED: HONORED,
    Disposition.FAULT: FAULT,
    Disposition.ERROR: ERROR,
    Disposition.DISCARDED: DISCARDED,
    Disposition.SUPERSEDED: SUPERSEDED,
    Disposition.REFUSED: REFUSED,
}
_BY_STATUS = {
    FiringStatus.RUNNING: RUNNING,
    FiringStatus.LOST: LOST,
    FiringStatus.REFUSED: NOT_RUN,
}


def of_call(call: HookCall) -> Verdict:
    """The verdict of one hook's part in a step."""
    if call.result in _BY_RESULT:
        return _BY_RESULT[call.result]
    if call.result == "deny" and call.disposition is Disposition.HONORED:
        return DENIED
    return _BY_DISPOSITION[call.disposition]


def of_record(record: StepRecord) -> Verdict:
    """The verdict of a finished step: its decision, else the one to see first."""
    if record.expectation is not None and not record.expectation.ok:
        return UNEXPECTED
    verdicts = [of_call(call) for call in record.calls]
    decision = record.outcome.decision
    if decision is not None:
        worst = max(verdicts, key=_rank, default=DENIED)
        return PROCEED if decision.verdict == "proceed" else worst
    if not verdicts:
        return DONE if record.phase in ("task", "control") else NO_HOOK
    return max(verdicts, key=_rank)


def of_firing(firing: Firing) -> Verdict:
    """The verdict of a firing in any status."""
    if firing.record is None:
        return _BY_STATUS[firing.status]
    return of_record(firing.record)


def result_word(call: HookCall) -> str:
    """The result as shown: the arm, or for an error the class of the failure."""
    if call.result == RESULT_ERROR and call.failure is not None:
        return call.failure.value
    return call.result


def _rank(verdict: Verdict) -> int:
    return verdict.rank
