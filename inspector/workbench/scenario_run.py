"""Runs a scenario on an engine and gives one entry per line of the report.

Lives here: `ScenarioRun`, entries, the summary. Not here: summing rounds
(workbench.round_sum), printing (workbench.report), signals and exit codes (cli). Rooms
above may import it.
"""

import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from inspector.contract.record import (
    RESULT_ABANDONED,
    RESULT_ABSENT,
    RESULT_DROPPED,
    RESULT_QUEUED,
    StepRecord,
)
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.inspection import Inspection
from inspector.protocol.message import (
    CapsuleOpened,
    Fire,
    OpenCapsule,
    ResetHook,
    SessionStarted,
    StartSession,
    StepFinished,
)
from inspector.workbench import expectation, finding
from inspector.workbench.client import EngineClient, last_event
from inspector.workbench.round_sum import RoundSum
from inspector.workbench.run_entry import Check, Entry, verdict_of
from inspector.workbench.scenario import Scenario
from inspector.workbench.scenario_step import (
    ActionStep,
    ExpectStep,
    RepeatStep,
    Step,
)

SUM_ROUNDS_OVER = 100
"""A `repeat` of more rounds is reported as one entry per inner step."""

_NOT_CALLED = (RESULT_ABSENT, RESULT_QUEUED, RESULT_DROPPED, RESULT_ABANDONED)

ENDED_COMPLETE = "complete"
ENDED_INTERRUPTED = "interrupted"
ENDED_FAILED = "failed"
"""Words in `Summary.ended`; the last when the engine refused a step or was lost."""


class RunOptions(msgspec.Struct, frozen=True):
    """What the command line adds to a scenario.

    Attributes:
        lenient_imports: Whether unknown imports become traps.
        workdir: The accessible folder, absolute, or None.
        home: The murmur home, absolute, or None.
    """

    lenient_imports: bool = False
    workdir: str | None = None
    home: str | None = None


class Summary(msgspec.Struct, frozen=True):
    """Sums over a run; the last line of `run --format jsonl`.

    Attributes:
        steps: Steps that ran, every round counted, expectations not.
        calls: Times that a hook answered or failed to.
        faults: Dispatch faults.
        errors: Calls that came to an error.
        denied: Calls that a policy hook denied.
        expectations_failed: Expectations that did not hold.
        duration_ms: From opening the capsule to the end.
        expectations: Expectations that were looked at.
        ended: `complete`, `interrupted` or `failed`.
    """

    steps: int = 0
    calls: int = 0
    faults: int = 0
    errors: int = 0
    denied: int = 0
    expectations_failed: int = 0
    duration_ms: int = 0
    expectations: int = 0
    ended: str = ENDED_COMPLETE


class ScenarioRun:
    """One scenario on one engine, from opening the capsule to the summary.

    Attributes:
        found: How often each `--fail-on` word was met.
    """

    def __init__(
        self, client: EngineClient, scenario: Scenario, options: RunOptions | None = None
    ) -> None:
        self._client = client
        self._scenario = scenario
        self._options = options or RunOptions()
        self._rounds: Counter[int] = Counter()
        self._sums = Summary(ended=ENDED_FAILED)
        self._started_s = time.monotonic()
        self._stopped = False
        self.found: Counter[str] = Counter()

    def stop(self) -> None:
        """Run no further step; safe in a signal handler."""
        self._stopped = True

    @property
    def title(self) -> str:
        """The scenario's name."""
        return self._scenario.name

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped

    @property
    def summary(self) -> Summary:
        """The sums so far."""
        ended = ENDED_INTERRUPTED if self._stopped else self._sums.ended
        duration_ms = int((time.monotonic() - self._started_s) * 1000)
        return replace(self._sums, duration_ms=duration_ms, ended=ended)

    def open(self, capsule: str) -> Inspection:
        """Open the capsule.

        Args:
            capsule: As the engine takes it: absolute, or `sample:NAME`.

        Returns:
            Its description.

        Raises:
            InspectorError: when it cannot be opened, or the scenario names a hook that it
                does not have.
        """
        request = OpenCapsule(
            capsule,
            self._scenario.profile,
            home=self._options.home,
            lenient_imports=self._options.lenient_imports,
        )
        events = self._client.request(request)
        inspection = last_event(events, CapsuleOpened).inspection
        self._check_hooks([hook.name for hook in inspection.hooks])
        rejected = sum(not hook.accepted for hook in inspection.hooks)
        self.found.update({"rejected": rejected} if rejected else {})
        return inspection

    def _check_hooks(self, names: Sequence[str]) -> None:
        for step in _written(self._scenario.steps):
            if isinstance(step.action, ResetHook) and step.action.hook not in names:
                raise InspectorError(
                    ErrorKind.UNREADABLE_SCENARIO,
                    f"step {step.number}, reset: the capsule has no hook {step.action.hook!r}.",
                    hint=f"Its hooks are {', '.join(names)}." if names else "It has no hooks.",
                    file=self._scenario.file,
                    line=step.place.line,
                    column=step.place.column,
                )

    def start(self) -> SessionStarted:
        """Start the scenario's session.

        Raises:
            InspectorError: when the engine refuses it.
        """
        settings = replace(
            self._scenario.settings,
            lenient_imports=self._options.lenient_imports,
            workdir=self._options.workdir,
            home=self._options.home,
        )
        return last_event(self._client.request(StartSession(settings)), SessionStarted)

    def entries(self) -> Iterator[Entry]:
        """Run the steps.

        Yields:
            An entry per step and round, or per step of a long `repeat`.

        Raises:
            InspectorError: when the engine refuses a step or is lost; what ran before was
                yielded.
        """
        yield from self._play(self._scenario.steps)
        self._sums = replace(self._sums, ended=ENDED_COMPLETE)

    def _play(self, steps: Sequence[Step]) -> Iterator[Entry]:
        """Entries of a list of steps; each is held back until its expectations are known."""
        held: Entry | None = None
        for step in steps:
            if isinstance(step, ExpectStep):
                held = self._checked(held, step)
                continue
            if held is not None:
                yield held
            held = None
            if self._stopped:
                return
            if isinstance(step, RepeatStep):
                held = yield from _all_but_last(self._repeat(step))
            else:
                held = self._fire(step)
        if held is not None:
            yield held

    def _repeat(self, step: RepeatStep) -> Iterator[Entry]:
        if step.times <= SUM_ROUNDS_OVER:
            for _ in range(step.times):
                yield from self._play(step.steps)
            return
        sums: dict[int, RoundSum] = {}
        try:
            for _ in range(step.times):
                if self._stopped:
                    break
                for entry in self._play(step.steps):
                    sums.setdefault(entry.step.number, RoundSum()).add(entry)
        except InspectorError:
            yield from (sums[number].entry() for number in sorted(sums))
            raise
        yield from (sums[number].entry() for number in sorted(sums))

    def _fire(self, step: ActionStep) -> Entry:
        try:
            events = self._client.request(Fire(step.number, step.action))
            record = last_event(events, StepFinished).record
        except InspectorError as error:
            error.message = f"step {step.number}, {step.label}: {error.message}"
            raise
        kinds = finding.kinds_of(record)
        self.found.update(kinds)
        self._count(record, kinds)
        self._rounds[step.number] += 1
        return Entry(step, record, self._rounds[step.number], found=dict(kinds))

    def _count(self, record: StepRecord, kinds: Counter[str]) -> None:
        sums = self._sums
        calls = sum(call.count for call in record.calls if call.result not in _NOT_CALLED)
        self._sums = replace(
            sums,
            steps=sums.steps + 1,
            calls=sums.calls + calls,
            faults=sums.faults + len(record.faults),
            errors=sums.errors + kinds[finding.ERROR],
            denied=sums.denied + kinds[finding.DENIED],
        )

    def _checked(self, entry: Entry | None, step: ExpectStep) -> Entry | None:
        """The entry with one more expectation; as it is when the run was stopped."""
        if entry is None or self._stopped:
            return entry
        record = replace(entry.record, expectation=None)
        mismatch = expectation.match(step.pattern, msgspec.to_builtins(record))
        self._sums = replace(
            self._sums,
            expectations=self._sums.expectations + 1,
            expectations_failed=self._sums.expectations_failed + (mismatch is not None),
        )
        checks = (*entry.checks, Check(step.number, step.place.line, mismatch))
        return replace(entry, record=replace(record, expectation=verdict_of(checks)), checks=checks)


def _all_but_last(entries: Iterator[Entry]) -> Generator[Entry, None, Entry | None]:
    """Yield entries and give the last one back; yield it too when the engine fails."""
    held: Entry | None = None
    try:
        for entry in entries:
            if held is not None:
                yield held
            held = entry
    except InspectorError:
        if held is not None:
            yield held
        raise
    return held


def _written(steps: Sequence[Step]) -> Iterator[ActionStep]:
    """Every action step once, however often it runs."""
    for step in steps:
        if isinstance(step, RepeatStep):
            yield from _written(step.steps)
        elif isinstance(step, ActionStep):
            yield step
