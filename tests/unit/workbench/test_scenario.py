"""Scenarios: what they may say, and what is told when they say something else."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.contract.contract import EVENTS
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import (
    BeginTask,
    Decide,
    Drain,
    EndTask,
    Observe,
    Pump,
    ResetHook,
    SessionSettings,
    TaskOutput,
)
from inspector.workbench import scenario
from inspector.workbench.scenario_step import CONTROL_STEPS, MAX_RUNS, ExpectStep, RepeatStep
from inspector.workbench.source import Source

HEAD = "scenario: 1\n"


def actions(steps, profile=None):
    """The actions of a text that holds the steps alone."""
    return list(scenario.parse(f"{HEAD}steps:\n{steps}", profile=profile).actions())


def refusal(text, profile=None):
    """The error of a text that is no scenario."""
    with pytest.raises(InspectorError) as caught:
        scenario.parse(text, "s.yaml", profile)
    assert caught.value.kind is ErrorKind.UNREADABLE_SCENARIO
    assert caught.value.file == "s.yaml"
    return caught.value


def step_refusal(steps, profile=None):
    """The error of steps that do not fit."""
    return refusal(f"{HEAD}steps:\n{steps}", profile)


class TestHead:
    """Everything but the steps."""

    def test_every_setting_reaches_the_session(self):
        """Each key of the head has its place in the session's settings."""
        found = scenario.parse(
            """
scenario: 1
name: what it shows
profile: "0.4"
session: {session-id: ses_demo, model: test-model, capabilities: [network]}
env: {otel-endpoint: "http://x", formation-id: f, eval-config: "{}", case-id: c, dataset-id: d}
inference: {reply: text}
conversation: {ctx_1: [{role: user, content: [{type: text, text: hello}], id: msg_1}]}
async-workers: held
steps: []
"""
        )
        message = {"role": "user", "content": [{"type": "text", "text": "hello"}], "id": "msg_1"}
        assert found.name == "what it shows"
        assert found.profile == "0.4"
        assert found.settings == SessionSettings(
            session_id="ses_demo",
            model="test-model",
            capabilities=("network",),
            env={
                "otel-endpoint": "http://x",
                "formation-id": "f",
                "eval-config": "{}",
                "case-id": "c",
                "dataset-id": "d",
            },
            inference={"reply": "text"},
            conversation={"ctx_1": [message]},
            held=True,
        )

    def test_what_is_left_out_is_the_capsules_own(self):
        """A scenario of its steps alone changes nothing about the session."""
        found = scenario.parse(f"{HEAD}steps: [on-session-start]", "folder/demo.yaml")
        assert found.settings == SessionSettings()
        assert found.profile == "0.3"
        assert found.name == "demo.yaml"

    @pytest.mark.parametrize(
        ("written", "settings"),
        [
            ("{error: text}", {"error": "text"}),
            ("{driver: true}", {"driver": True}),
            ("{none: true}", None),
            ("{}", None),
            ("~", None),
        ],
    )
    def test_inference_is_one_of_four(self, written, settings):
        """A scripted answer, the capsule's driver, or none."""
        found = scenario.parse(f"{HEAD}inference: {written}\nsteps: []")
        assert found.settings.inference == settings

    @pytest.mark.parametrize("written", ['"0.1"', "0.1"])
    def test_profile_may_be_written_as_a_number(self, written):
        """Quotes around 0.1 change nothing."""
        assert scenario.parse(f"{HEAD}profile: {written}\nsteps: []").profile == "0.1"

    def test_profile_of_the_caller_wins(self):
        """The command line takes precedence over the file."""
        text = f'{HEAD}profile: "0.3"\nsteps: []'
        assert scenario.parse(text, profile="0.4").profile == "0.4"

    @pytest.mark.parametrize(
        ("text", "line", "words"),
        [
            ("steps: []", 1, "'scenario' is missing"),
            ("- a\n- b", 1, "'scenario' is missing"),
            ("", 1, "'scenario' is missing"),
            ("scenario: 2\nsteps: []", 1, "format 2"),
            ("scenario: true\nsteps: []", 1, "scenario: wants"),
            ("scenario: '1'\nsteps: []", 1, "scenario: wants"),
            ("scenario: 1", 1, "'steps' is missing"),
            ("scenario: 1\nsteps: {}", 2, "steps: wants a list"),
            ("scenario: 1\nstep: []", 2, "unknown key 'step'"),
            ("scenario: 1\nname: 5\nsteps: []", 2, "name: wants text (string), got 5"),
            ("scenario: 1\nprofile: '0.9'\nsteps: []", 2, "no runtime profile '0.9'"),
            ("scenario: 1\nsession: {modell: x}\nsteps: []", 2, "unknown key 'modell'"),
            ("scenario: 1\nsession: [x]\nsteps: []", 2, "session: wants some of"),
            ("scenario: 1\nsession: {session-id: ../x}\nsteps: []", 2, "name of a folder"),
            ("scenario: 1\nsession: {capabilities: net}\nsteps: []", 2, "list<string>"),
            ("scenario: 1\nsession: {capabilities: [1]}\nsteps: []", 2, "wants text (string)"),
            ("scenario: 1\nenv: {case-id: 5}\nsteps: []", 2, "env.case-id: wants text"),
            ("scenario: 1\ninference: {reply: 5}\nsteps: []", 2, "inference.reply: wants text"),
            ("scenario: 1\ninference: {driver: no}\nsteps: []", 2, "inference.driver: wants true"),
            ("scenario: 1\ninference: {reply: a, error: b}\nsteps: []", 2, "only one of"),
            ("scenario: 1\nconversation: {a/b: []}\nsteps: []", 2, "name of a folder"),
            ("scenario: 1\nconversation: {a: {}}\nsteps: []", 2, "a list of messages"),
            ("scenario: 1\nconversation: {a: [x]}\nsteps: []", 2, "a message"),
            ("scenario: 1\nconversation: {a: [{x: 99999999999999999999}]}\nsteps: []", 2, "64"),
            ("scenario: 1\nasync-workers: lazy\nsteps: []", 2, "one of eager, held"),
        ],
    )
    def test_refusal_names_place_and_reason(self, text, line, words):
        """Each thing that does not fit is told in one sentence with its line."""
        error = refusal(text)
        assert error.line == line
        assert words in error.message


class TestEvents:
    """Events and their defaults."""

    @pytest.mark.parametrize(
        "written", ["- on-task-start", "- on-task-start: {}", "- on-task-start:"]
    )
    def test_fields_left_out_take_the_default_of_their_type(self, written):
        """A bare name is the whole record at its defaults."""
        (found,) = actions(written)
        assert found == Observe(
            "on-task-start",
            {
                "task-id": "",
                "context-id": "",
                "source": "",
                "input-bytes": 0,
                "budget-tokens": 0,
                "context-window": 0,
                "prior-tokens": 0,
            },
        )

    @pytest.mark.parametrize("event", ["on-tool-call", "on-shell"])
    def test_outcome_is_some_in_an_observation(self, event):
        """A call that was observed has an outcome, of defaults when left out."""
        (found,) = actions(f"- {event}: {{turn: 3}}")
        assert found.fields["turn"] == 3
        assert found.fields["outcome"]["duration-ms"] == 0

    def test_outcome_that_is_given_is_completed(self):
        """What is left out inside it takes its default too."""
        (found,) = actions("- on-shell: {outcome: {exit-code: -1}}")
        assert found.fields["outcome"]["exit-code"] == -1
        assert found.fields["outcome"]["stdout"] == ""

    def test_outcome_can_be_none_on_purpose(self):
        """Somebody who writes none gets none."""
        (found,) = actions("- on-shell: {outcome: ~}")
        assert found.fields["outcome"] is None

    @pytest.mark.parametrize("event", ["on-shell", "on-tool-call"])
    def test_decide_has_no_outcome(self, event):
        """A call that is asked about has not run."""
        (found,) = actions(f"- decide: {event}")
        assert isinstance(found, Decide)
        assert found.event == event
        assert found.fields["outcome"] is None
        assert found.fields["turn"] == 0

    @pytest.mark.parametrize(
        ("written", "fields"),
        [
            ("on-stage", {}),
            ("on-session-start", {}),
            ("on-session-end", {}),
            ("on-session-end: {exit-status: ok}", {"exit-status": "ok"}),
            ("on-session-end: {total-turns: 7}", {"total-turns": 7}),
            ("on-stage: {shell-allow: []}", {"shell-allow": []}),
            ("on-session-start: {model: x}", {"model": "x"}),
        ],
    )
    def test_what_the_session_knows_is_left_to_the_engine(self, written, fields):
        """These three events have defaults of the running session."""
        (found,) = actions(f"- {written}")
        assert found.fields == fields

    def test_sixty_four_bits_are_exact(self):
        """The largest number of the type passes unchanged."""
        (found,) = actions("- on-inference: {input-tokens: 18446744073709551615}")
        assert found.fields["input-tokens"] == 2**64 - 1

    @pytest.mark.parametrize(("written", "word"), [(".nan", "NaN"), ("-.inf", "-Infinity")])
    def test_floats_without_digits_travel_as_words(self, written, word):
        """JSON has no number for them."""
        (found,) = actions(f"- on-compaction: {{threshold: {written}}}")
        assert found.fields["threshold"] == word

    def test_fields_are_those_of_the_profile(self):
        """The old contract's event is flat."""
        (found,) = actions("- on-tool-call: {status: ok}", "0.1")
        assert found.fields["status"] == "ok"
        assert "outcome" not in found.fields

    @pytest.mark.parametrize(
        ("steps", "line", "column", "words"),
        [
            ("- on-shel", 3, 3, "step 1, unknown step 'on-shel'"),
            ("- on-shell\n- on-shell: {turns: 1}", 4, 14, "step 2, on-shell.turns: unknown field"),
            ("- on-shell: {turn: -1}", 3, 14, "on-shell.turn: wants 0 to 4294967295 (u32), got -1"),
            ("- on-shell: {turn: 1.0}", 3, 14, "wants a whole number (u32), got 1.0"),
            ("- on-shell: {turn: true}", 3, 14, "wants a whole number (u32)"),
            ("- on-shell: {binary: 5}", 3, 14, "on-shell.binary: wants text, got 5 (type string)"),
            ("- on-shell: {argv: x}", 3, 14, "on-shell.argv: wants a list"),
            (
                "- on-shell:\n    argv:\n      - a\n      - 5",
                6,
                9,
                "step 1, on-shell.argv[1]: wants text, got 5 (type string)",
            ),
            (
                "- on-compaction: {messages: [{role: user, contents: x}]}",
                3,
                43,
                "on-compaction.messages[0].contents: unknown field",
            ),
            ("- on-shell: {outcome: {exit-code: 2147483648}}", 3, 24, "(s32)"),
            ("- on-shell: 5", 3, 3, "wants the fields of shell-event, got 5"),
            ("- [on-shell]", 3, 3, "wants one name"),
            ("- {on-shell: {}, on-stage: {}}", 3, 3, "wants one name"),
            ("- decide: on-stage", 3, 3, "decide: wants one of"),
            ("- decide: {on-shell: {}, on-tool-call: {}}", 3, 3, "decide: wants one of"),
            ("- decide: {on-shell: {outcome: {}}}", 3, 23, "decide.on-shell.outcome: a call that"),
            ("- decide: {on-shell: {turns: 1}}", 3, 23, "decide.on-shell.turns: unknown field"),
        ],
    )
    def test_refusal_names_step_field_place_and_type(self, steps, line, column, words):
        """Nothing runs before every field has been checked."""
        error = step_refusal(steps)
        assert words in error.message
        assert (error.line, error.column) == (line, column)

    def test_profile_without_decisions_refuses_decide(self):
        """Nobody is asked in the oldest runtime."""
        assert "no decision points" in step_refusal("- decide: on-shell", "0.1").message


class TestControl:
    """Steps that are no events."""

    def test_each_has_its_action(self):
        """Every control step, alone and with its fields."""
        found = actions(
            """
- begin-task: {original: a, as-given: b}
- begin-task: {original: a}
- begin-task
- task-output: "the result"
- task-output
- end-task
- drain
- drain: {budget-ms: 50}
- pump
- reset: audit-trail
"""
        )
        assert found == [
            BeginTask("a", "b"),
            BeginTask("a"),
            BeginTask(""),
            TaskOutput("the result"),
            TaskOutput(""),
            EndTask(),
            Drain(),
            Drain(50),
            Pump(),
            ResetHook("audit-trail"),
        ]

    @pytest.mark.parametrize(
        ("steps", "words"),
        [
            ("- begin-task: {orignal: a}", "begin-task.orignal: unknown field"),
            ("- begin-task: text", "begin-task: wants some of the fields"),
            ("- begin-task: {original: 5}", "begin-task.original: wants text"),
            ("- begin-task: {original: ~}", "begin-task.original: wants text"),
            ("- task-output: 5", "task-output: wants text"),
            ("- end-task: {task-id: x}", "end-task: takes no fields"),
            ("- pump: 1", "pump: takes no fields"),
            ("- drain: {budget-ms: -1}", "drain.budget-ms: wants 0 to"),
            ("- drain: {budget-ms: 1.5}", "drain.budget-ms: wants 0 to"),
            ("- drain: 5", "drain: wants some of the fields budget-ms"),
            ("- reset", "reset: wants the name of a hook, got nothing"),
            ("- repeat: {times: 0, steps: [pump]}", "repeat.times: wants 1 to 1000000"),
            ("- repeat: {steps: [pump]}", "repeat.times: wants 1 to 1000000 rounds, got nothing"),
            ("- repeat: {times: 2, steps: []}", "repeat.steps: wants one step at least"),
            ("- repeat: {times: 2}", "step 1, repeat.steps: wants a list"),
            ("- repeat: {times: 2, step: [pump]}", "repeat.step: unknown field"),
            ("- expect: {times: 1}", "step 1: expect has no step before it"),
            ("- pump\n- repeat: {times: 2, steps: [expect: {times: 1}]}", "step 3: expect has no"),
            ("- pump\n- expect: [1]", "step 2, expect: wants fields of the record"),
            ("- pump\n- expect: {call: []}", "step 2, expect.call: unknown field 'call'"),
            ("- pump\n- expect: {calls: [{resul: x}]}", "expect.calls[0].resul: unknown field"),
            ("- pump\n- expect: {calls: {$matches: '('}}", "expect.calls.$matches: $matches wants"),
        ],
    )
    def test_refusal_names_step_and_field(self, steps, words):
        """Control steps are checked as strictly as events."""
        assert words in step_refusal(steps).message


class TestRepeat:
    """Rounds, nesting, numbering, bounds."""

    def test_rounds_expand_in_order(self):
        """Inner steps run one after the other, round by round."""
        found = actions("- repeat: {times: 2, steps: [pump, {repeat: {times: 2, steps: [drain]}}]}")
        assert found == [Pump(), Drain(), Drain(), Pump(), Drain(), Drain()]

    def test_steps_are_numbered_in_reading_order(self):
        """Every item counts, `repeat` and `expect` too."""
        inner = "{repeat: {times: 2, steps: [drain, expect: {times: 1}]}}"
        found = scenario.parse(f"{HEAD}steps: [pump, {inner}, pump]")
        first, repeat, last = found.steps
        assert isinstance(repeat, RepeatStep)
        inner, expect = repeat.steps
        assert isinstance(expect, ExpectStep)
        numbers = [step.number for step in (first, repeat, inner, expect, last)]
        assert numbers == [1, 2, 3, 4, 5]

    def test_runs_count_every_round(self):
        """Expectations are no runs."""
        text = "- repeat: {times: 3, steps: [pump, {repeat: {times: 4, steps: [drain]}}]}\n- pump"
        assert scenario.parse(f"{HEAD}steps:\n{text}").runs == 3 * (1 + 4) + 1

    def test_the_limit_itself_is_fine(self):
        """One million runs, and not one more."""
        text = "- repeat: {times: 1000, steps: [{repeat: {times: 1000, steps: [pump]}}]}"
        assert scenario.parse(f"{HEAD}steps:\n{text}").runs == MAX_RUNS
        error = step_refusal(f"{text}\n- pump")
        assert "1,000,001 times, and 1,000,000 is the limit" in error.message

    def test_labels_say_what_a_step_does(self):
        """For reports."""
        text = "[on-shell, decide: on-shell, begin-task, reset: a]"
        found = scenario.parse(f"{HEAD}steps: {text}")
        labels = [step.label for step in found.steps]
        assert labels == ["on-shell", "decide on-shell", "begin-task", "reset a"]


WORDS = st.sampled_from([*EVENTS, *scenario.HEAD_KEYS, *CONTROL_STEPS, "times", "turn", "$any"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=20,
)


@given(st.lists(st.dictionaries(WORDS, ANYTHING, min_size=1, max_size=1) | WORDS), ANYTHING)
def test_check__any_value__is_a_scenario_or_refused(steps, session):
    """No other exception leaves the check, whatever the shape."""
    for data in (session, {"scenario": 1, "session": session, "env": session, "steps": steps}):
        with contextlib.suppress(InspectorError):
            scenario.check(Source("s.yaml", data, {}, {}))


def test_load__json_file__same_as_yaml(tmp_path):
    """JSON and YAML say the same thing in the same way."""
    as_json, as_yaml = tmp_path / "s.json", tmp_path / "s.yaml"
    as_json.write_text(
        '{"scenario": 1, "steps": ["on-shell", {"decide": {"on-shell": {"turn": 2}}}]}'
    )
    as_yaml.write_text(f"{HEAD}steps:\n- on-shell\n- decide: {{on-shell: {{turn: 2}}}}\n")
    found = [list(scenario.load(str(path)).actions()) for path in (as_json, as_yaml)]
    assert found[0] == found[1]
    assert len(found[0]) == 2
