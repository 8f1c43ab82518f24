"""One line of a run's report: a step's record and what was found in it.

Lives here: the values `Entry` and `Check`. Not here: who makes them
(workbench.scenario_run, workbench.round_sum), who shows them (workbench.report,
workbench.junit). Rooms above may import it.
"""

from collections.abc import Iterable

import msgspec

from inspector.contract.record import Expectation, StepRecord
from inspector.workbench.expectation import Mismatch
from inspector.workbench.scenario_step import ActionStep


class Check(msgspec.Struct, frozen=True):
    """An expectation that was looked at.

    Attributes:
        number: Of the `expect` step.
        line: Where it is written.
        mismatch: Why it did not hold the first time that it did not, or None.
        times: How often it was looked at.
    """

    number: int
    line: int
    mismatch: Mismatch | None
    times: int = 1


class Entry(msgspec.Struct, frozen=True):
    """A step's record, of one round or summed over many.

    Attributes:
        step: The step.
        record: What it came to.
        round: How often the step has run by then.
        checks: Its expectations.
        found: How often each `--fail-on` word was met.
        left_out: How many entries of `faults`, `logs`, `requests` or `findings` a sum left
            out.
    """

    step: ActionStep
    record: StepRecord
    round: int
    checks: tuple[Check, ...] = ()
    found: dict[str, int] = {}
    left_out: dict[str, int] = {}


def verdict_of(checks: Iterable[Check]) -> Expectation | None:
    """What a record says of its expectations: the first that failed; None without any."""
    checks = tuple(checks)
    first = next((check.mismatch for check in checks if check.mismatch), None)
    if first is not None:
        return Expectation(ok=False, path=first.path, wanted=first.wanted, got=first.got)
    return Expectation(ok=True) if checks else None
