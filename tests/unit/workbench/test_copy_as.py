"""Firings as scenario steps, commands and JSON; the scenario reader takes them back."""

import json
import shlex

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.contract.contract import EVENTS
from inspector.contract.profile import PROFILES
from inspector.contract.value import to_json
from inspector.protocol import message as m
from inspector.workbench import command, copy_as, scenario
from inspector.workbench.reducer import name_of
from inspector.workbench.state import Firing, FiringStatus
from tests.helpers.sample_state import call, record
from tests.helpers.value_strategy import TEXT, values

CONTRACT = PROFILES["0.3"].contract


def firing(action: m.Action, step: int = 1) -> Firing:
    """A firing that was asked so."""
    event, phase = name_of(action)
    fields = getattr(action, "fields", None)
    return Firing(step, event, phase, FiringStatus.FINISHED, 1, action, fields)


def read_back(firings, **settings) -> scenario.Scenario:
    """What the reader makes of them."""
    text = copy_as.scenario_yaml(firings, "a name", "0.3", m.SessionSettings(**settings))
    return scenario.parse(text)


def observed() -> st.SearchStrategy[m.Action]:
    """Any event with any fields."""
    return st.one_of(
        [
            values(CONTRACT.record(event)).map(lambda v, e=event: m.Observe(e, to_json(v)))
            for event in EVENTS
        ]
    )


def decided() -> st.SearchStrategy[m.Action]:
    """Any call that is asked before it runs."""
    return st.one_of(
        [
            values(CONTRACT.record(event)).map(
                lambda v, e=event: m.Decide(e, to_json({**v, "outcome": None}))
            )
            for event in CONTRACT.rules.decide
        ]
    )


CONTROLS = st.one_of(
    st.builds(m.BeginTask, TEXT, st.none() | TEXT),
    st.builds(m.TaskOutput, TEXT),
    st.builds(m.Drain, st.none() | st.integers(0, 2**31 - 1)),
    st.builds(m.ResetHook, TEXT.filter(bool)),
    st.just(m.EndTask()),
    st.just(m.Pump()),
)


@settings(deadline=None)
@given(st.lists(observed() | decided() | CONTROLS, min_size=1, max_size=4))
def test_scenario_yaml__any_actions__are_read_back_the_same(actions):
    """Whatever was sent: 64 bits, any Unicode, control characters."""
    assert list(read_back(map(firing, actions)).actions()) == actions


@settings(deadline=None)
@given(st.lists(observed() | decided() | CONTROLS, min_size=1, max_size=3))
def test_steps__yaml_and_json__say_the_same(actions):
    """Each can be put below `steps:`."""
    firings = list(map(firing, actions))
    text = copy_as.steps_json(firings)
    whole = json.dumps({"scenario": 1, "steps": json.loads(text)}, ensure_ascii=False)
    assert list(scenario.parse(whole).actions()) == actions
    indented = "".join(f"  {line}\n" for line in copy_as.steps_yaml(firings).splitlines())
    assert list(scenario.parse(f"scenario: 1\nsteps:\n{indented}").actions()) == actions


@settings(deadline=None)
@given(TEXT)
def test_steps_yaml__other_readers__see_the_same_text(text):
    """Plain YAML, not only ours."""
    (step,) = yaml.safe_load(copy_as.steps_yaml([firing(m.TaskOutput(text))]))
    assert step == {"task-output": text}


def test_steps_yaml__usual_step__is_easy_to_read():
    """One field a line, no quotes where none are needed."""
    fields = {"turn": 1, "binary": "/bin/rm", "argv": ["-rf", "build"], "outcome": None}
    assert copy_as.steps_yaml([firing(m.Decide("on-shell", fields))]) == (
        "- decide:\n"
        "    on-shell:\n"
        "      turn: 1\n"
        '      binary: "/bin/rm"\n'
        '      argv: ["-rf", build]\n'
        "      outcome: null\n"
    )
    assert copy_as.steps_yaml([firing(m.Pump())]) == "- pump\n"


def test_steps_yaml__what_the_session_filled_in__is_written():
    """The fields that were sent, not those that were asked."""
    sent = {"turn": 3}
    row = Firing(
        1, "on-session-end", "observe", FiringStatus.FINISHED, 1, m.Observe("on-session-end"), sent
    )
    assert copy_as.steps_yaml([row]) == "- on-session-end:\n    turn: 3\n"


def test_scenario_yaml__settings__are_read_back():
    """The session is made the same way."""
    settings = {
        "session_id": "ses_1",
        "model": "a: model",
        "capabilities": ("network",),
        "env": {"case-id": "1"},
        "inference": {"reply": "hi\nthere"},
        "conversation": {"ctx": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]},
        "held": True,
    }
    found = read_back([firing(m.Pump())], **settings)
    assert found.settings == m.SessionSettings(**settings)
    assert (found.name, found.profile) == ("a name", "0.3")


def test_why_not__row_of_unknown_origin__says_so():
    """A control step of another program's recording."""
    unknown = Firing(4, "task-output", "task", FiringStatus.FINISHED, 1)
    assert copy_as.why_not([]) == "Choose a firing first."
    assert copy_as.why_not([firing(m.Pump())]) == ""
    assert copy_as.why_not([unknown]) == ("What #4 (task-output) was sent with is not known here.")


def test_command_text__odd_paths__are_quoted_for_the_shell():
    """Each word arrives as it was."""
    settings = m.SessionSettings(lenient_imports=True, workdir="/w d")
    text = copy_as.command_text("/my 'caps'", "/a b.yaml", settings, "linux")
    assert shlex.split(text) == [
        "capsule-inspector",
        "run",
        "/my 'caps'",
        "/a b.yaml",
        "--lenient-imports",
        "--workdir",
        "/w d",
    ]
    assert copy_as.command_text("c", r"C:\a b", m.SessionSettings(), "win32") == (
        r'capsule-inspector run c "C:\a b"'
    )


@pytest.mark.parametrize("has_record", [True, False])
def test_record_json__row__is_one_object(has_record):
    """As `run --format jsonl` has it."""
    done = record(3, "on-shell", call("a")) if has_record else None
    row = Firing(3, "on-shell", "observe", FiringStatus.FINISHED, 1, fields={"a": 1}, record=done)
    found = json.loads(copy_as.record_json(row))
    assert (found["step"], found["event"]) == (3, "on-shell")
    assert ("calls" in found) is has_record


def test_action_of__row_without_action__is_made_of_its_fields():
    """So rows of a recording can be copied, too."""
    row = Firing(1, "on-shell", "decide", FiringStatus.FINISHED, 1, fields={"turn": 1})
    assert command.action_of(row) == m.Decide("on-shell", {"turn": 1})
