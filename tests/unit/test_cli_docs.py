"""docs/cli.md and docs/scenario.md say what the program does."""

import re
import textwrap
from pathlib import Path

import msgspec
import pytest

from inspector.contract.contract import EVENTS
from inspector.contract.record import HookCall, HttpRequest, Outcome, StepRecord, Totals
from inspector.errors import EXIT_CODES, ErrorKind
from inspector.protocol import inspection
from inspector.workbench import arguments, expectation, scenario, scenario_step
from inspector.workbench.finding import KINDS
from inspector.workbench.scenario_run import Summary

DOCS = Path(__file__).resolve().parents[2] / "docs"
CLI = (DOCS / "cli.md").read_text("utf-8")
SCENARIO = (DOCS / "scenario.md").read_text("utf-8")


def test_cli__every_verb_and_option__is_written_down():
    """From the parsers' own help."""
    for verb in arguments.VERBS:
        assert f"\n## {verb}\n" in CLI
        options = re.findall(r"--[a-z-]+", arguments.parse([verb, "--help"]).text)
        assert all(option in CLI for option in options)


@pytest.mark.parametrize("word", [*KINDS, *(kind.value for kind in ErrorKind)])
def test_cli__every_word__is_written_down(word):
    """Words of --fail-on and of error objects."""
    assert f"`{word}`" in CLI


def test_cli__every_exit_code__is_written_down():
    """And no other."""
    written = {int(code) for code in re.findall(r"^\| (\d+) \|", CLI, re.MULTILINE)}
    assert written == {0, 1, *EXIT_CODES.values()}


@pytest.mark.parametrize(
    "struct",
    [
        StepRecord,
        HookCall,
        HttpRequest,
        Outcome,
        Totals,
        Summary,
        inspection.Inspection,
        inspection.HookView,
        inspection.ExportView,
        inspection.ImportView,
        inspection.GrantsView,
        inspection.EventView,
        inspection.LimitsView,
        inspection.Diagnostic,
    ],
)
def test_cli__every_public_field__is_written_down(struct):
    """A field that is added shows up in the documentation."""
    for field in msgspec.structs.fields(struct):
        assert f'"{field.encode_name}"' in CLI


def test_scenario__example__is_a_scenario():
    """It parses, and shows what it says."""
    block = SCENARIO.partition("    scenario: 1")[2].partition("\n\n")[0]
    found = scenario.parse(textwrap.dedent(f"    scenario: 1{block}"))
    assert found.name == "rm is denied"
    assert found.runs == 11


def test_scenario__every_key_step_and_operator__is_written_down():
    """Nothing has to be guessed."""
    words = (
        *scenario.HEAD_KEYS,
        *scenario.SESSION_KEYS,
        *scenario.ENV_KEYS,
        *scenario_step.CONTROL_STEPS,
        EVENTS[0],
        EVENTS[-1],
    )
    assert all(f"`{word}`" in SCENARIO for word in words)
    assert all(f"{{{word}:" in SCENARIO for word in expectation.OPERATORS)
