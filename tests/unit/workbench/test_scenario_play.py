"""The run that does not wait gives expectations the records that the other one gives."""

import pytest
from msgspec.structs import replace

from inspector.contract.record import Disposition, Fault, HookCall, StepRecord
from inspector.protocol.message import EventFrame, Fire, StepFinished
from inspector.workbench import scenario
from inspector.workbench.scenario_play import ScenarioPlay
from inspector.workbench.scenario_run import ScenarioRun

HEAD = "scenario: 1\nsteps:\n"


def record(step, label, count):
    """What the made-up engine answers: its own running number is the turn."""
    calls = (HookCall("a", "blocking", f"r{count % 3}", Disposition.IGNORED),)
    faults = (Fault("a", label, "queue-overflow"),) if count % 4 == 0 else ()
    return StepRecord(step, label, "observe", calls=calls, faults=faults)


class FakeClient:
    """Answers each firing at once."""

    def __init__(self):
        self.count = 0

    def request(self, request):
        """One record per firing."""
        assert isinstance(request, Fire)
        self.count += 1
        done = record(request.step, request.action.event, self.count)
        return [EventFrame(self.count, StepFinished(done))]


def play(text):
    """Run both ways: expectations by line, fired, failed."""
    loaded = scenario.parse(HEAD + text)
    run = ScenarioRun(FakeClient(), loaded)
    list(run.entries())
    played = ScenarioPlay(loaded)
    steps, judged, count = played.steps(), [], 0
    try:
        step = next(steps)
        while True:
            count += 1
            step = steps.send(record(count, step.action.event, count))
            judged += played.take_judgements()
    except StopIteration:
        judged += played.take_judgements()
    return run.summary, played, judged


SHORT = """
- on-shell
- expect: {calls: [{result: r1}]}
- expect: {faults: []}
- repeat: {times: 3, steps: [on-shell, {expect: {calls: [{result: r2}]}}, on-task-end]}
- expect: {calls: [{result: r1}]}
"""
LONG = """
- repeat: {times: 101, steps: [on-shell, on-task-end, {expect: {faults: []}}]}
- expect: {times: 101, calls: {$length: 3}}
- expect: {faults: {$length: 50}}
"""
NESTED = """
- repeat:
    times: 2
    steps:
      - repeat: {times: 101, steps: [on-shell]}
      - expect: {times: 101}
- expect: {times: 101}
- repeat:
    times: 101
    steps:
      - repeat: {times: 102, steps: [on-shell]}
      - on-task-end
- expect: {times: 101}
"""


@pytest.mark.parametrize("text", [SHORT, LONG, NESTED])
def test_play__expectations__are_those_of_the_run_that_waits(text):
    """As many looked at, as many failed, as many fired."""
    summary, played, _ = play(text)
    assert (played.fired, played.checked, played.failed) == (
        summary.steps,
        summary.expectations,
        summary.expectations_failed,
    )
    assert played.checked


def test_play__failed_expectation__says_where_and_of_which_firing():
    """A second one about the same step does not hide the first."""
    _, played, judged = play("- on-shell\n- expect: {faults: [x]}\n- expect: {faults: []}\n")
    assert [(one.step, one.line, one.expectation.ok) for one in judged] == [
        (1, 4, False),
        (1, 5, False),
    ]
    assert judged[0].expectation.path == "faults"
    assert played.failed == 1


def test_play__record_with_a_verdict__is_judged_without_it():
    """What another expectation said is no part of what is matched."""
    loaded = scenario.parse(f"{HEAD}- on-shell\n- expect: {{expectation: null}}\n")
    played = ScenarioPlay(loaded)
    steps = played.steps()
    next(steps)
    with pytest.raises(StopIteration):
        steps.send(replace(record(1, "on-shell", 1), expectation=None))
    assert played.failed == 0
