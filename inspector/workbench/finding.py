"""What `--fail-on` can name, and where a step's record holds it.

Lives here: the words and the look. Not here: exit codes (cli), expectations
(workbench.expectation). Rooms above may import it.
"""

from collections import Counter
from collections.abc import Iterable

from inspector.contract.record import (
    ARM_QUEUE_OVERFLOW,
    ARM_TIMEOUT,
    RESULT_ERROR,
    Failure,
    StepRecord,
)
from inspector.errors import ErrorKind, InspectorError

FAULT = "fault"
ERROR = "error"
DENIED = "denied"

KINDS = (
    FAULT,
    ERROR,
    DENIED,
    ARM_QUEUE_OVERFLOW,
    ARM_TIMEOUT,
    *(failure.value for failure in Failure),
)
"""Any dispatch fault, any call error, a denied call, two faults by name, each failure."""


def check_kinds(words: Iterable[str]) -> tuple[str, ...]:
    """Check words of the command line.

    Args:
        words: As typed after `--fail-on`.

    Raises:
        InspectorError: USAGE for a word that is none, with the list.
    """
    chosen = tuple(dict.fromkeys(words))
    for word in chosen:
        if word not in KINDS:
            message = f"--fail-on does not know {word!r}."
            raise InspectorError(
                ErrorKind.USAGE, message, hint=f"It takes one of {', '.join(KINDS)}."
            )
    return chosen


def kinds_of(record: StepRecord) -> Counter[str]:
    """How often a record holds what each word names.

    Args:
        record: Of one run of one step.
    """
    found: Counter[str] = Counter()
    for call in record.calls:
        if call.result == RESULT_ERROR:
            found[ERROR] += call.count
        if call.failure is not None:
            found[call.failure.value] += call.count
    for fault in record.faults:
        found[FAULT] += 1
        if fault.arm in (ARM_QUEUE_OVERFLOW, ARM_TIMEOUT):
            found[fault.arm] += 1
    decision = record.outcome.decision
    if decision is not None and decision.verdict == DENIED:
        found[DENIED] += 1
    return found
