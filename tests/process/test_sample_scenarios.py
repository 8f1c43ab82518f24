"""The shipped samples in a real engine: every expectation of their scenarios holds."""

import json
import os
import subprocess
import sys

import pytest

from inspector import assets

pytestmark = pytest.mark.process


def inspector(home, *arguments):
    """Run the command line; returns the finished process."""
    return subprocess.run(
        [sys.executable, "-m", "inspector", *arguments],
        env={**os.environ, "CAPSULE_INSPECTOR_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize(("name", "exit_code"), [("tour", 0), ("faults", 1)])
def test_run__sample_with_its_scenario__all_expectations_hold(tmp_path, name, exit_code):
    """The scenario beside each sample shows what it says; faults has error diagnostics."""
    file = assets.resource("capsules", name, f"{name}.scenario.yaml")
    done = inspector(tmp_path, "run", f"sample:{name}", str(file), "--format", "jsonl")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    held = [record["expectation"] for record in records[:-1] if record["expectation"]]
    assert held
    assert [verdict for verdict in held if not verdict["ok"]] == []
    assert records[-1]["summary"]["expectations_failed"] == 0
    assert done.returncode == exit_code, done.stderr


def test_inspect__sample_tour__nothing_to_find(tmp_path):
    """Every hook of the tour is accepted, and every function has the contract's type."""
    done = inspector(tmp_path, "inspect", "sample:tour", "--format", "json")
    document = json.loads(done.stdout)
    assert document["diagnostics"] == []
    for hook in document["hooks"]:
        assert hook["accepted"]
        assert all(export["signature_matches"] for export in hook["exports"])
        assert all(item["granted"] is not False for item in hook["imports"])


def test_inspect__sample_faults__three_hooks_are_turned_down(tmp_path):
    """Rejected hooks say why; one has a function of another type."""
    done = inspector(tmp_path, "inspect", "sample:faults", "--format", "json")
    hooks = {hook["name"]: hook for hook in json.loads(done.stdout)["hooks"]}
    refused = {name: hook["rejection"] for name, hook in hooks.items() if not hook["accepted"]}
    assert set(refused) == {"retired", "incomplete", "unlinkable"}
    assert "does not export murmur:hook/lifecycle@0.8.0" in refused["retired"]
    assert "missing function" in refused["incomplete"]
    assert "murmur:runtime/tokens@0.2.0" in refused["unlinkable"]
    wrong = [e for e in hooks["mismatch"]["exports"] if not e["signature_matches"]]
    assert [(e["function"], "recipe" in e["mismatch"]) for e in wrong] == [("on-shell", True)]
