"""The verbs on the sample capsules, with a real engine."""

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from inspector import assets, cli
from inspector.workbench.screenshot import SMALLEST

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    """Everything the engine writes goes below the test's folder."""
    monkeypatch.setenv("CAPSULE_INSPECTOR_HOME", str(tmp_path / "ours"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def run(capsys):
    """Run a line in this process; gives exit code, stdout, stderr."""

    def run_line(*line):
        code = cli.main([str(word) for word in line])
        out, err = capsys.readouterr()
        return code, out, err

    return run_line


def program(*line):
    """The command line of the whole program."""
    return [sys.executable, "-m", "inspector", *map(str, line)]


def capsule(folder, hooks, overflow="drop"):
    """A capsule with copies of sample hooks, given as SAMPLE/NAME."""
    entries = []
    for hook in hooks:
        sample, name = hook.split("/")
        shutil.copytree(assets.resource("capsules", sample, "hooks", name), folder / "hooks" / name)
        entries.append(
            f"  - {{name: {name}, version: 1.0.0, runtime: hook, on_overflow: {overflow}}}\n"
        )
    (folder / "murmur.yaml").write_text(
        f"name: copies\nversion: 0.1.0\nartifacts:\n{''.join(entries)}"
    )
    return folder


def scenario(folder, steps, head=""):
    """A scenario file."""
    path = folder / "s.yaml"
    path.write_text(f"scenario: 1\n{head}steps:\n{steps}\n")
    return path


def objects(text):
    """The lines of a JSON lines text."""
    return [json.loads(line) for line in text.splitlines()]


def normalized(document):
    """An inspection without what differs from machine to machine."""
    root = str(assets.resource_root())
    text = json.dumps(document).replace(json.dumps(root)[1:-1], "RESOURCES")
    document = json.loads(text)
    for hook in document["hooks"]:
        hook["compile_us"] = hook["instantiate_us"] = 0
        hook["component_bytes"] = 0
        if hook["source"]:
            hook["source"]["sha256"] = "DIGEST"
    return document


class TestSamples:
    """What ships works as it says."""

    def test_tour_has_no_findings(self, run):
        """check ends well."""
        code, out, err = run("check", "sample:tour", "--format", "json")
        assert (code, err) == (0, "")
        assert not [d for d in json.loads(out)["diagnostics"] if d["severity"] == "error"]

    def test_faults_has_its_three_errors(self, run):
        """Each with the hook it is about."""
        code, out, _ = run("check", "sample:faults", "--format", "json")
        found = json.loads(out)["diagnostics"]
        errors = [d["hook"] for d in found if d["severity"] == "error"]
        assert code == 1
        assert errors == ["retired", "incomplete", "unlinkable"]

    def test_tour_runs_as_expected(self, run):
        """Every expectation of its scenario holds."""
        code, out, err = run("run", "sample:tour", "sample:tour", "--format", "jsonl")
        summary = objects(out)[-1]["summary"]
        assert (code, err) == (0, "")
        assert summary["expectations_failed"] == 0
        assert summary["expectations"] > 5
        assert summary["denied"] == 1

    def test_faults_go_wrong_as_expected(self, run):
        """Its expectations hold; the refused hooks are the finding."""
        code, out, _ = run(
            "run", "sample:faults", "sample:faults", "--format", "jsonl", "--fail-on", "deadline"
        )
        summary = objects(out)[-1]["summary"]
        assert code == 1
        assert summary["expectations_failed"] == 0
        assert summary["reasons"] == ["error-diagnostic", "deadline"]

    def test_tour_as_junit(self, run):
        """No failure among its cases."""
        code, out, _ = run("run", "sample:tour", "sample:tour", "--format", "junit")
        suite = Xml.fromstring(out.encode()).find("testsuite")
        assert code == 0
        assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
        assert int(suite.get("tests")) > 20

    def test_selftest_passes(self, run):
        """Every check of an intact installation."""
        code, out, _ = run("selftest")
        assert code == 0
        assert {line[0] for line in out.splitlines()} == {"✓"}

    def test_inspection_of_a_hook(self, run, snapshot):
        """The public document, field by field and in order."""
        code, out, _ = run("inspect", "sample:tour", "--hook", "meter", "--format", "json")
        assert code == 0
        assert json.dumps(normalized(json.loads(out)), indent=2) == snapshot

    def test_text_and_wit_of_each_hook(self, run):
        """No layout breaks on a real description."""
        for name in assets.sample_names():
            text = run("inspect", f"sample:{name}")[1]
            wit = run("inspect", f"sample:{name}", "--format", "wit")[1]
            assert text.count("lifecycle murmur:hook/lifecycle@") == wit.count("world root {")


class TestAsync:
    """Queues under a scenario's control."""

    def test_held_worker_drops_what_its_queue_cannot_hold(self, run, tmp_path):
        """1029 events, 1024 places (spec/dispatch.md 11, test 74)."""
        steps = scenario(
            tmp_path,
            """
  - repeat: {times: 1029, steps: [on-tool-call]}
  - expect:
      times: 1029
      calls: [{result: queued, count: 1024}, {result: dropped, count: 5}]
      faults: {$length: 5}
  - pump
  - expect: {calls: {$length: 1024}}
""",
            "async-workers: held\n",
        )
        folder = capsule(tmp_path, ["tour/counter"])
        code, out, _ = run("run", folder, steps, "--format", "jsonl", "--fail-on", "queue-overflow")
        first, second, last = objects(out)
        assert code == 1
        assert first["expectation"] == {"ok": True}
        assert second["expectation"] == {"ok": True}
        assert last["summary"]["reasons"] == ["queue-overflow"]
        assert last["summary"]["calls"] == 1024

    def test_eager_worker_answers_within_the_step(self, run, tmp_path):
        """The record of the step holds the result."""
        folder = capsule(tmp_path, ["tour/counter"])
        code, out, _ = run("run", folder, scenario(tmp_path, "- on-tool-call"), "--format", "jsonl")
        (call,) = objects(out)[0]["calls"]
        assert code == 0
        assert (call["mode"], call["result"]) == ("async", "none")


class TestOptions:
    """What the command line adds to a scenario."""

    def test_lenient_imports_run_a_refused_hook(self, run, tmp_path):
        """Marked on its call; without them the refusal is a finding."""
        folder = capsule(tmp_path, ["faults/unlinkable"])
        steps = scenario(tmp_path, "- on-task-end")
        line = ("run", folder, steps, "--format", "jsonl", "--fail-on", "rejected")
        code, out, _ = run(*line)
        first, last = objects(out)
        assert (code, first["calls"]) == (1, [])
        assert last["summary"]["reasons"] == ["error-diagnostic", "rejected"]
        code, out, _ = run(*line, "--lenient-imports")
        (call,) = objects(out)[0]["calls"]
        assert code == 0
        assert "lenient-imports" in call["marks"]

    def test_home_and_workdir_are_the_named_ones(self, run, tmp_path):
        """Relative to the current folder; the recording tells where."""
        record, work = tmp_path / "r.jsonl", tmp_path / "work"
        work.mkdir()
        code, _, _ = run(
            "run", "sample:tour", "sample:tour", "--workdir", work, "--home", tmp_path / "home",
            "--record", record,
        )  # fmt: skip
        events = [json.loads(line) for line in record.read_text().splitlines()[1:]]
        (started,) = (e["body"] for e in events if e["body"]["type"] == "session-started")
        assert code == 0
        assert started["accessible_dir"] == str(work)
        assert started["home"] == str(tmp_path / "home")

    def test_profile_decides_which_hooks_are_taken(self, run):
        """No hook of the tour is built for the newest contract."""
        code, out, _ = run("check", "sample:tour", "--profile", "0.4", "--format", "json")
        assert code == 1
        assert {d["severity"] for d in json.loads(out)["diagnostics"]} >= {"error"}

    def test_trace_of_a_session_is_replayed(self, run, tmp_path):
        """Events reach real hooks; on-stage is not in a trace."""
        lines = [
            {"event_type": "session_start", "session_id": "ses_1"},
            {"event_type": "call_denied", "event": "on-shell", "target": "/bin/rm", "turn": 1},
            {"event_type": "session_end", "total_turns": 4, "exit_status": "ok"},
        ]
        path = tmp_path / "trace.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        code, out, _ = run("replay", "sample:tour", path, "--format", "jsonl")
        start, denied, end, _ = objects(out)
        assert code == 0
        assert start["fields"]["session-id"] == "ses_1"
        assert denied["outcome"]["decision"]["hook"] == "guard"
        assert end["fields"]["total-turns"] == 4


class TestStreams:
    """A pipe that closes, a disk that is full, a key that is pressed."""

    def test_ctrl_c_stops_the_running_call(self, tmp_path):
        """The call is told as interrupted, the rest does not run, exit code 130."""
        folder = capsule(tmp_path, ["faults/spins"])
        steps = scenario(tmp_path, "- on-shell\n- on-session-end\n- on-shell")
        with subprocess.Popen(
            program("run", folder, steps, "--format", "jsonl"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            process.stdout.readline()  # the first step is over, the second one spins
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        record, last = objects(out)
        assert process.returncode == 130
        assert record["calls"][0]["failure"] == "interrupted"
        assert last["summary"]["ended"] == "interrupted"
        assert last["summary"]["steps"] == 2
        assert json.loads(err)["error"] == "interrupted"

    def test_closed_stdout_ends_quietly(self, tmp_path):
        """As under `head -1`."""
        steps = scenario(tmp_path, "- repeat: {times: 90, steps: [drain, pump]}")
        with subprocess.Popen(
            program("run", "sample:tour", steps, "--format", "jsonl"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            process.stdout.readline()
            process.stdout.close()
            err = process.stderr.read()
            process.wait(20)
        assert process.returncode == 0
        assert err == b""

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    @pytest.mark.parametrize("line", [("--help",), ("check", "sample:tour")])
    def test_full_disk_is_one_sentence(self, line):
        """Exit code 3, no traceback."""
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                program(*line), stdout=full, stderr=subprocess.PIPE, check=False, timeout=60
            )
        assert done.returncode == 3
        assert done.stderr == (
            b"capsule-inspector: the output cannot be written: No space left on device.\n"
        )

    def test_output_is_utf_8_whatever_the_locale(self):
        """JSON is, by definition."""
        done = subprocess.run(
            program("check", "sample:tour"),
            stdout=subprocess.PIPE,
            check=True,
            timeout=60,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert done.stdout.decode("utf-8").endswith("\n")
        assert "✓" in done.stdout.decode("utf-8") or "·" in done.stdout.decode("utf-8")


class TestScreenshot:
    """screenshot."""

    def test_picture_has_the_size_asked_for(self, tmp_path):
        """The smallest that is taken; a PNG, exit code 0, nothing on stdout."""
        out = tmp_path / "tour.png"
        size = "x".join(map(str, SMALLEST))
        line = program("screenshot", "sample:tour", out, "--size", size, "--theme", "dark")
        done = subprocess.run(line, stdout=subprocess.PIPE, check=False, timeout=100)
        head = out.read_bytes()[:24]
        assert (done.returncode, done.stdout) == (0, b"")
        assert head[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", head[16:]) == SMALLEST

    def test_capsule_that_cannot_be_opened_leaves_no_picture(self, tmp_path):
        """Exit code 3 and the engine's sentence."""
        out = tmp_path / "none.png"
        line = program("screenshot", tmp_path / "none", out)
        done = subprocess.run(line, stderr=subprocess.PIPE, check=False, timeout=100)
        assert done.returncode == 3
        assert b"does not exist" in done.stderr
        assert not out.exists()


class TestRoles:
    """Each role imports its own half alone."""

    @pytest.mark.parametrize(
        ("module", "foreign"),
        [
            ("inspector.worker.main", "PySide6"),
            ("inspector.cli", "PySide6"),
            ("inspector.cli", "wasmtime"),
            ("inspector.__main__", "msgspec"),
            ("inspector.gui.app", "wasmtime"),
        ],
    )
    def test_import_keeps_away_from_the_other_half(self, module, foreign):
        """Looked up in sys.modules of a fresh process."""
        script = f"import sys, {module}; sys.exit({foreign!r} in sys.modules)"
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run([sys.executable, "-c", script], env=environment, check=False)
        assert done.returncode == 0
