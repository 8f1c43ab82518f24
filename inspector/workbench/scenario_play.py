"""Runs the steps of a scenario one by one, for whoever cannot wait for an engine.

Lives here: `ScenarioPlay`, a generator that asks for a record per step, and the verdicts
of the expectations. Not here: the run that waits (workbench.scenario_run), firing
(gui.scenario_player). Rooms above may import it.

Both runs give an `expect` the same record: that of the step before it, and after a
`repeat` of many rounds the sum over them.
"""

from collections.abc import Generator, Sequence

import msgspec
from msgspec.structs import replace

from inspector.contract.record import Expectation, StepRecord
from inspector.workbench import expectation
from inspector.workbench.round_sum import RoundSum
from inspector.workbench.run_entry import Check, Entry, verdict_of
from inspector.workbench.scenario import Scenario
from inspector.workbench.scenario_run import SUM_ROUNDS_OVER
from inspector.workbench.scenario_step import ActionStep, ExpectStep, RepeatStep, Step


class Judgement(msgspec.Struct, frozen=True):
    """What the expectations after a step came to.

    Attributes:
        step: Number of the firing that was looked at.
        line: Where the last expectation is written.
        expectation: What its record is to say.
    """

    step: int
    line: int
    expectation: Expectation


Steps = Generator[ActionStep, StepRecord, Entry | None]


class ScenarioPlay:
    """One scenario on its way.

    Attributes:
        scenario: What runs.
        fired: Records that came back.
        checked: Expectations that were looked at.
        failed: Expectations that did not hold.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.fired = 0
        self.checked = 0
        self.failed = 0
        self._judgements: list[Judgement] = []
        self._sums: list[dict[int, RoundSum]] = []

    def steps(self) -> Steps:
        """The steps to fire; each wants its record sent back before the next comes."""
        return self._play(self.scenario.steps)

    def take_judgements(self) -> tuple[Judgement, ...]:
        """The verdicts that came up since the last time."""
        taken = tuple(self._judgements)
        self._judgements.clear()
        return taken

    def _play(self, steps: Sequence[Step]) -> Steps:
        held: Entry | None = None
        for step in steps:
            if isinstance(step, ExpectStep):
                held = self._checked(held, step)
            elif isinstance(step, RepeatStep):
                held = yield from self._repeat(step)
            else:
                record = yield step
                self.fired += 1
                held = Entry(step, record, 1)
                if self._sums:
                    self._add(self._sums[-1], held)
        return held

    def _repeat(self, step: RepeatStep) -> Steps:
        held: Entry | None = None
        if step.times <= SUM_ROUNDS_OVER:
            for _ in range(step.times):
                held = yield from self._play(step.steps)
            return held
        sums: dict[int, RoundSum] = {}
        self._sums.append(sums)
        try:
            for _ in range(step.times):
                yield from self._play(step.steps)
        finally:
            self._sums.pop()
        entries = [sums[number].entry() for number in sorted(sums)]
        for entry in entries if self._sums else ():
            self._add(self._sums[-1], entry)
        return entries[-1]

    @staticmethod
    def _add(sums: dict[int, RoundSum], entry: Entry) -> None:
        sums.setdefault(entry.step.number, RoundSum()).add(entry)

    def _checked(self, entry: Entry | None, step: ExpectStep) -> Entry | None:
        if entry is None:  # the reader refuses an expect without a step before it
            return None
        record = replace(entry.record, expectation=None)
        mismatch = expectation.match(step.pattern, msgspec.to_builtins(record))
        self.checked += 1
        self.failed += mismatch is not None
        checks = (*entry.checks, Check(step.number, step.place.line, mismatch))
        verdict = verdict_of(checks)
        assert verdict is not None
        self._judgements.append(Judgement(entry.record.step, step.place.line, verdict))
        return replace(entry, checks=checks)
