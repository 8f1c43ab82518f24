"""The verbs against an engine that answers from a table."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from inspector import cli
from inspector.workbench import self_test

pytestmark = pytest.mark.process

ENGINE = Path(__file__).parents[1] / "helpers" / "frame_engine.py"


@pytest.fixture
def run(capsys, tmp_path):
    """Run a line; gives exit code, stdout, stderr."""

    def run_line(*line, mode="plain", steps=None):
        if steps is not None:
            path = tmp_path / "s.yaml"
            path.write_text(f"scenario: 1\nname: demo\nsteps:\n{steps}\n")
            line = (line[0], line[1], str(path), *line[2:])
        code = cli.main(line, engine_command=[sys.executable, str(ENGINE), mode])
        out, err = capsys.readouterr()
        return code, out, err

    return run_line


def objects(text):
    """The lines of a JSON lines text."""
    return [json.loads(line) for line in text.splitlines()]


class TestCheck:
    """check."""

    def test_no_findings(self, run):
        """Said in words, exit code 0."""
        assert run("check", "/c") == (0, "✓ no findings\n", "")

    def test_error_is_a_finding(self, run):
        """Exit code 1."""
        code, out, err = run("check", "/bad")
        assert code == 1
        assert out.splitlines() == [
            "✕ error  bad  [E-CAP-001]",
            "    entry",
            "    m.yaml:3:4",
            "    Mend it.",
            "1 error",
        ]
        assert not err

    def test_json_has_format_and_diagnostics(self, run):
        """The diagnostics of inspect, alone."""
        code, out, _ = run("check", "/bad", "--format", "json")
        assert code == 1
        document = json.loads(out)
        assert list(document) == ["format", "diagnostics"]
        (found,) = document["diagnostics"]
        assert list(found)[:8] == [
            "severity",
            "code",
            "message",
            "hint",
            "file",
            "line",
            "column",
            "hook",
        ]

    def test_capsule_that_cannot_be_read(self, run):
        """The engine's own sentence with its place."""
        code, out, err = run("check", "/missing")
        assert (code, out) == (3, "")
        assert err == "capsule-inspector: /missing:3:4: there is nothing. Look.\n"


class TestInspect:
    """inspect."""

    def test_one_hook_by_name(self, run):
        """Without the diagnostics of the others."""
        code, out, _ = run("inspect", "/bad", "--hook", "guard", "--format", "json")
        document = json.loads(out)
        assert code == 0
        assert [hook["name"] for hook in document["hooks"]] == ["guard"]
        assert document["diagnostics"] == []

    def test_hook_that_is_not_there(self, run):
        """Wrong usage, with the names there are."""
        code, _, err = run("inspect", "/c", "--hook", "nobody")
        assert code == 2
        assert "no hook 'nobody'" in err
        assert "guard" in err

    def test_profile_is_handed_on(self, run):
        """The engine judges by it."""
        _, out, _ = run("inspect", "/c", "--profile", "0.4", "--format", "json")
        assert json.loads(out)["capsule"]["profile"] == "0.4"

    def test_wit_and_text(self, run):
        """Both are about the same hook."""
        assert "export murmur:hook/lifecycle@0.8.0;" in run("inspect", "/c", "--format", "wit")[1]
        assert "guard 1.0.0  ● accepted" in run("inspect", "/c")[1]


class TestRun:
    """run."""

    def test_jsonl_is_a_line_per_step_and_the_summary(self, run):
        """Nothing else on stdout."""
        code, out, err = run(
            "run", "/c", "--format", "jsonl", steps="- on-shell\n- decide: on-shell\n- drain"
        )
        *records, last = objects(out)
        assert [(r["step"], r["event"], r["phase"]) for r in records] == [
            (1, "on-shell", "observe"),
            (2, "on-shell", "decide"),
            (3, "drain", "control"),
        ]
        summary = last["summary"]
        assert (summary["steps"], summary["calls"], summary["faults"]) == (3, 2, 1)
        assert (summary["denied"], summary["ended"]) == (1, "complete")
        assert (code, err) == (0, "")

    @pytest.mark.parametrize(
        ("words", "code"),
        [
            ((), 0),
            (("denied",), 1),
            (("fault",), 1),
            (("deadline",), 0),
            (("deadline", "trap"), 1),
            (("error",), 1),
        ],
    )
    def test_fail_on_decides_the_exit_code(self, run, words, code):
        """Each word by itself."""
        flags = [part for word in words for part in ("--fail-on", word)]
        steps = "- on-shell\n- decide: on-shell\n- on-tool-call"
        found, out, _ = run("run", "/c", "--format", "jsonl", *flags, steps=steps)
        assert found == code
        reasons = objects(out)[-1]["summary"]["reasons"]
        assert reasons == [word for word in words if word != "deadline"]

    def test_error_of_the_capsule_is_a_finding(self, run):
        """The runtime would refuse the launch."""
        code, out, _ = run("run", "/bad", "--format", "jsonl", steps="- drain")
        assert code == 1
        assert objects(out)[-1]["summary"]["reasons"] == ["error-diagnostic"]

    def test_expectation_belongs_to_the_step_before(self, run):
        """Its record has the verdict; the first that fails is shown."""
        code, out, _ = run(
            "run",
            "/c",
            "--format",
            "jsonl",
            steps=(
                "- on-shell\n"
                "- expect: {calls: [{result: artifact}]}\n"
                "- expect: {calls: [{result: none}]}\n"
                "- expect: {faults: []}\n"
                "- drain\n"
                "- expect: {calls: []}"
            ),
        )
        first, second, last = objects(out)
        assert code == 1
        assert first["expectation"] == {
            "ok": False,
            "path": "calls[0].result",
            "wanted": "none",
            "got": "artifact",
        }
        assert second["expectation"] == {"ok": True}
        assert last["summary"]["expectations_failed"] == 2
        assert last["summary"]["reasons"] == ["expectation"]

    def test_hundred_rounds_are_a_hundred_records(self, run):
        """Each with its number."""
        _, out, _ = run(
            "run",
            "/c",
            "--format",
            "jsonl",
            steps="- repeat: {times: 100, steps: [drain, pump]}\n- expect: {event: pump}",
        )
        *records, last = objects(out)
        assert len(records) == 200
        assert [record["round"] for record in records[:4]] == [1, 1, 2, 2]
        assert {record["times"] for record in records} == {1}
        assert records[-1]["expectation"] == {"ok": True}
        assert records[-3]["expectation"] is None
        assert last["summary"]["steps"] == 200

    def test_more_rounds_are_one_record_per_step(self, run):
        """Counts are summed; the summary counts every round."""
        _, out, _ = run(
            "run",
            "/c",
            "--format",
            "jsonl",
            steps=(
                "- repeat:\n"
                "    times: 101\n"
                "    steps:\n"
                "      - on-shell\n"
                "      - expect: {times: 1, calls: [{count: 1}]}\n"
                "      - repeat: {times: 2, steps: [drain]}\n"
                "- expect: {event: drain, times: 202}\n"
            ),
        )
        first, second, last = objects(out)
        assert (first["step"], first["times"], first["calls"][0]["count"]) == (2, 101, 101)
        assert len(first["faults"]) == 101
        assert first["expectation"] == {"ok": True}
        assert (second["step"], second["times"], second["expectation"]) == (5, 202, {"ok": True})
        summary = last["summary"]
        assert (summary["steps"], summary["faults"], summary["calls"]) == (303, 101, 101)
        assert (summary["expectations"], summary["expectations_failed"]) == (102, 0)

    def test_reset_of_an_unknown_hook_runs_nothing(self, run):
        """Told before the session starts, with its place."""
        code, out, err = run("run", "/c", "--format", "jsonl", steps="- drain\n- reset: nobody")
        assert (code, out) == (3, "")
        found = json.loads(err)
        assert (found["line"], found["column"]) == (5, 3)
        assert "'nobody'" in found["message"]
        assert found["hint"] == "Its hooks are guard."

    def test_junit_is_one_document(self, run):
        """Steps and expectations are cases."""
        code, out, _ = run(
            "run",
            "/c",
            "--format",
            "junit",
            "--fail-on",
            "trap",
            steps="- on-tool-call\n- expect: {calls: []}\n- drain",
        )
        root = Xml.fromstring(out.encode())
        assert code == 1
        assert [case.get("name") for case in root.iter("testcase")] == [
            "capsule",
            "step 1 on-tool-call",
            "step 2 expect after step 1 on-tool-call",
            "step 3 drain",
        ]
        assert [failure.get("type") for failure in root.iter("failure")] == ["trap", "expectation"]

    def test_text_ends_with_the_sums(self, run):
        """For people."""
        code, out, _ = run("run", "/c", steps="- on-shell\n- expect: {faults: []}")
        assert code == 1
        assert out.startswith("fake 1.2.3 · profile 0.3")
        assert "\n    1  on-shell" in out
        assert "✕ expectation of step 2 (line 5) fails" in out
        assert "1 step · 1 call · 1 fault · 0 errors · 0 denied · 1 of 1 expectation failed" in out

    def test_recording_is_written(self, run, tmp_path):
        """Beside the report."""
        path = tmp_path / "r.jsonl"
        assert run("run", "/c", "--record", str(path), steps="- drain")[0] == 0
        header, *events = path.read_text().splitlines()
        assert json.loads(header)["recording"] == 1
        assert [json.loads(line)["seq"] for line in events] == [1, 2, 3, 4]

    @pytest.mark.parametrize("rounds", [1, 200])
    def test_lost_engine_keeps_what_ran_before(self, run, rounds):
        """Records, the summary, then the error; exit code 4."""
        steps = f"- repeat: {{times: {rounds}, steps: [drain, on-shell]}}"
        code, out, err = run("run", "/c", "--format", "jsonl", mode="die-at-shell", steps=steps)
        first, last = objects(out)
        assert code == 4
        assert (first["event"], first["times"]) == ("drain", 1)
        assert last["summary"]["ended"] == "failed"
        found = json.loads(err)
        assert found["error"] == "engine-lost"
        assert found["message"].startswith("step 3, on-shell: the engine process ended with exit")
        assert last["summary"]["message"] == found["message"]

    def test_lost_engine_is_an_error_in_junit(self, run):
        """The document is still whole."""
        code, out, err = run("run", "/c", "--format", "junit", mode="die", steps="- on-shell")
        (error,) = Xml.fromstring(out.encode()).iter("error")
        assert code == 4
        assert "not finished" in error.get("message")
        assert "exit code 7" in err


class TestReplay:
    """replay."""

    def test_events_of_a_trace_are_fired_again(self, run, tmp_path):
        """And the sums of both are told."""
        path = tmp_path / "trace.jsonl"
        lines = [
            {"event_type": "session_start", "session_id": "ses_1"},
            {"event_type": "call_denied", "event": "on-shell", "target": "rm"},
            {"event_type": "hook_dispatch_error", "hook_name": "a", "event": "b", "arm": "c"},
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        code, out, _ = run("replay", "/c", str(path), "--format", "jsonl")
        first, second, last = objects(out)
        assert code == 0
        assert (first["step"], first["event"]) == (1, "on-session-start")
        assert (second["step"], second["phase"]) == (2, "decide")
        assert last["summary"]["trace"] == {
            "lines": 3,
            "replayed": 2,
            "left_out": {"hook_dispatch_error": 1},
            "faults": 1,
            "denied": 1,
        }


class TestSelfTest:
    """selftest."""

    def test_engine_that_answers_wrongly_fails(self, run):
        """One line per check; exit code 1."""
        code, out, _ = run("selftest")
        lines = out.splitlines()
        assert code == 1
        assert lines[0].startswith("✓ contracts")
        assert any(line.startswith("✕ on-stage") for line in lines)
        assert lines[-1].startswith("✓ end")

    def test_engine_that_is_lost_stops_the_checks(self, run):
        """Nothing after it can be told."""
        code, out, _ = run("selftest", mode="die")
        assert code == 1
        assert out.splitlines()[-1].startswith("✕ on-stage")
        assert "exit code 7" in out.splitlines()[-1]

    def test_sample_that_is_missing_fails(self, run, monkeypatch):
        """An incomplete installation."""
        monkeypatch.setattr(self_test.assets, "sample_names", tuple)
        assert "✕ samples" in run("selftest")[1]
