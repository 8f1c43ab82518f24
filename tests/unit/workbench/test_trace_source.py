"""Traces: which lines become events, and what is told about the others."""

import json

import pytest

from inspector.contract.profile import profile
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import Decide, Observe
from inspector.workbench.trace_source import load

LINES = [
    {"event_type": "session_start", "session_id": "ses_1", "model": "m", "timestamp": 1},
    {"event_type": "task_start", "task_id": "t1", "context_id": "c1", "message_parts_bytes": 9},
    {"event_type": "inference", "turn": 1, "input_tokens": 2**64 - 1, "tool_name": None},
    {"event_type": "inference", "origin": "hook:compactor", "model": "m"},
    {"event_type": "call_denied", "turn": 1, "event": "on-shell", "hook_name": "g", "target": "rm"},
    {"event_type": "call_denied", "turn": 1, "event": "on-tool-call", "target": "write"},
    {"event_type": "tool_call", "turn": 1, "tool_name": "shell", "status": "ok", "duration_ms": 4},
    {"event_type": "shell", "turn": 1, "binary": "/bin/ls", "exit_code": -1, "duration_ms": 3},
    {"event_type": "compaction", "turn": 1, "tokens_before": 900, "tokens_after": 10},
    {"event_type": "task_end", "task_id": "t1", "exit_status": "ok"},
    {"event_type": "hook_dispatch_error", "hook_name": "g", "event": "on-shell", "arm": "deny"},
    {"event_type": "session_end", "total_turns": 1, "exit_status": "ok"},
]


def trace(tmp_path, lines, name="0.3"):
    """Load a trace of these lines."""
    path = tmp_path / "trace.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n")
    return load(str(path), profile(name))


def refusal(tmp_path, lines):
    """The error of a trace that cannot be read."""
    with pytest.raises(InspectorError) as caught:
        trace(tmp_path, lines)
    assert caught.value.kind is ErrorKind.UNREADABLE_TRACE
    return caught.value


def test_load__whole_session__events_in_order_with_the_fields_they_hold(tmp_path):
    """Names with underscores become the record's fields."""
    found = trace(tmp_path, LINES)
    assert [(step.number, step.action) for step in found.scenario.steps] == [
        (1, Observe("on-session-start", {"session-id": "ses_1", "model": "m"})),
        (2, Observe("on-task-start", {"task-id": "t1", "context-id": "c1", "input-bytes": 9})),
        (3, Observe("on-inference", {"turn": 1, "input-tokens": 2**64 - 1})),
        (5, Decide("on-shell", {"turn": 1, "binary": "rm"})),
        (6, Decide("on-tool-call", {"turn": 1, "tool-name": "write"})),
        (
            7,
            Observe(
                "on-tool-call",
                {
                    "turn": 1,
                    "tool-name": "shell",
                    "outcome": {"output-bytes": 0, "duration-ms": 4, "status": "ok"},
                },
            ),
        ),
        (
            8,
            Observe(
                "on-shell",
                {
                    "turn": 1,
                    "binary": "/bin/ls",
                    "outcome": {
                        "exit-code": -1,
                        "stdout": "",
                        "stderr": "",
                        "stdout-bytes": 0,
                        "stderr-bytes": 0,
                        "duration-ms": 3,
                    },
                },
            ),
        ),
        (9, Observe("on-compaction", {"session-tokens": 900})),
        (10, Observe("on-task-end", {"task-id": "t1", "exit-status": "ok"})),
        (12, Observe("on-session-end", {"total-turns": 1, "exit-status": "ok"})),
    ]
    assert found.scenario.settings.session_id == "ses_1"
    assert (found.lines, found.faults, found.denied) == (12, 1, 2)
    assert found.left_out == {"inference": 1, "hook_dispatch_error": 1}


def test_load__old_profile__flat_events_and_no_decisions(tmp_path):
    """The profile's contract says which fields there are."""
    found = trace(tmp_path, LINES, "0.1")
    by_line = {step.number: step.action for step in found.scenario.steps}
    assert by_line[7].fields == {"turn": 1, "tool-name": "shell", "duration-ms": 4, "status": "ok"}
    assert 5 not in by_line
    assert found.left_out["call_denied"] == 2


def test_load__blank_lines__are_passed_over(tmp_path):
    """They keep the numbering of lines."""
    found = trace(tmp_path, ["", json.dumps(LINES[0]), "  "])
    assert [step.number for step in found.scenario.steps] == [2]


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        (["{"], 1, "not JSON"),
        ([LINES[0], "nope"], 2, "not JSON"),
        (["[" * 100_000], 1, "not JSON"),
        (["5"], 1, "no event_type"),
        ([{"type": "x"}], 1, "no event_type"),
        ([{"event_type": 5}], 1, "no event_type"),
        ([{"event_type": "inference", "turn": -1}], 1, "on-inference.turn: wants 0 to"),
        ([LINES[0], {"event_type": "shell", "exit_code": "x"}], 2, "on-shell.outcome.exit-code"),
        (['{"recording":1,"program":"0.1.0"}'], 1, "recording of the inspector"),
        ([""], 1, "empty"),
    ],
)
def test_load__line_that_does_not_fit__names_it(tmp_path, lines, line, words):
    """One sentence with the line."""
    error = refusal(tmp_path, lines)
    assert error.line == line
    assert words in error.message


def test_load__no_file__is_one_sentence(tmp_path):
    """A path without a file."""
    with pytest.raises(InspectorError) as caught:
        load(str(tmp_path / "none.jsonl"), profile("0.3"))
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("word", ["..", "a/b", "a\\b"])
def test_load__session_id_that_is_no_name__is_not_used(tmp_path, word):
    """A trace cannot choose a folder outside the run's own."""
    found = trace(tmp_path, [{"event_type": "session_start", "session_id": word}])
    assert found.scenario.settings.session_id is None
