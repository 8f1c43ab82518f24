"""The page of a hook and the outcome of a step, as properties."""

import pytest

from inspector.contract.record import (
    Artifact,
    Decision,
    Expectation,
    Fault,
    HttpRequest,
    ManifestFile,
    Outcome,
    Reopen,
    Seed,
    Totals,
)
from inspector.gui.models.hook_property import hook_properties
from inspector.gui.models.outcome_property import outcome_properties
from inspector.protocol.inspection import ExportView, ImportView
from inspector.protocol.message import HookState
from tests.helpers import sample_state
from tests.helpers.sample_state import call, record

LIMITS = sample_state.inspection().limits


def sections(hook, live=None):
    """Sections by name."""
    return {section.name: section for section in hook_properties(hook, live, LIMITS)}


def values(section):
    """Values of the lines of a section by name."""
    return {line.name: line.value for line in section.children}


class TestHookPage:
    """hook_properties."""

    def test_sections_in_the_order_of_questions(self):
        """Nothing is left out."""
        hook = sample_state.hook("a")
        names = [section.name for section in hook_properties(hook, None, LIMITS)]
        assert names == [
            "Events",
            "Exports",
            "Imports",
            "Grants",
            "Environment",
            "Profiles",
            "Instance",
            "Source",
        ]

    def test_events_with_the_arm_of_each_phase(self):
        """A policy hook decides and observes its event."""
        events = sections(sample_state.hook("g", binding="on-shell", policy="deny"))["Events"]
        assert events.value == "1 of 9 reach it"
        assert values(events)["on-shell"] == "observe  ·  decide: deny"
        assert values(events)["on-stage"] == "not reached"
        shell = next(line for line in events.children if line.name == "on-shell")
        assert (shell.icon, shell.role) == ("shield", "notice")
        assert "decide: honors deny besides none" in shell.tip

    def test_rejected_hook_is_reached_by_nothing(self):
        """What would be is said as what would be."""
        events = sections(sample_state.hook("l", rejection="no"))["Events"]
        assert events.value == "9 of 9 would, were it accepted"
        assert {line.role for line in events.children} == {"muted"}

    def test_exports(self):
        """Required or optional, there or not, of the right type or not."""
        exports = (
            ExportView("on-inference", True, True, True, "func() -> x"),
            ExportView("on-shell", True, True, False, "func() -> y", "has no record"),
            ExportView("on-compaction", True, False, None, "func()"),
            ExportView("on-task-end", False, False, None, "func()"),
        )
        found = sections(sample_state.hook("a", exports=exports, other_exports=("x:y/z",)))
        section = found["Exports"]
        assert section.value == "2 of 4, 1 required missing, 1 of another type"
        assert values(section) == {
            "interface": "murmur:hook/lifecycle@0.8.0",
            "on-inference": "required, present",
            "on-shell": "required, another type: has no record",
            "on-compaction": "required, absent",
            "on-task-end": "optional, absent",
            "also exports": "x:y/z",
        }

    def test_imports(self):
        """Provided or not; what a gate does."""
        imports = (
            ImportView("wasi:cli/environment@0.2.3", True, None, None),
            ImportView("wasi:http/outgoing-handler@0.2.3", True, "network", True),
            ImportView("murmur:task-io/read@0.1.0", True, "task_io", False),
            ImportView("murmur:task/task@0.1.0", False, None, None, "No runtime provides it."),
        )
        section = sections(sample_state.hook("a", imports=imports))["Imports"]
        assert section.value == "4 interfaces, 1 not provided"
        assert list(values(section).values()) == [
            "provided, needs no grant",
            "provided, network granted",
            "provided, task_io not granted",
            "not provided. No runtime provides it.",
        ]

    def test_grants(self):
        """Each in words, also when nothing is granted."""
        granted = values(sections(sample_state.demo_hooks()[1])["Grants"])
        assert granted["network"] == "1 rule"
        assert granted["filesystem scope"] == "audit/out"
        assert granted["task texts"] == "granted"
        assert granted["conversation"] == "not granted"
        bare = sections(sample_state.hook("a"))["Grants"]
        assert bare.value == "0 of 5 granted"
        assert values(bare)["network"] == "every request is denied"

    def test_profiles(self):
        """Which would take it."""
        section = sections(sample_state.hook("a"))["Profiles"]
        assert section.value == "runs under 0.3"
        assert values(section)["0.1"].startswith("refuses it")

    @pytest.mark.parametrize("mode", ["blocking", "async"])
    def test_instance(self, mode):
        """Memory against its limit; a queue for async hooks alone."""
        live = HookState("a", "ready", "", 65_536, 3, 2, 1)
        section = sections(sample_state.hook("a", mode=mode), live)["Instance"]
        assert section.value == "ready"
        lines = values(section)
        assert (lines["memory"], lines["memory limit"]) == ("64 KiB", "512 MiB")
        assert ("queue" in lines) is (mode == "async")

    def test_hook_that_was_not_found(self):
        """Says so, and has no instance."""
        found = sections(sample_state.hook("a", source=None, rejection="not found"))
        assert (found["Source"].value, found["Instance"].value) == ("not found", "none")


def outcome(**changes):
    """Sections of an outcome by name."""
    done = record(1, "on-shell", call(), **changes)
    return {section.name: section for section in outcome_properties(done)}


class TestOutcome:
    """outcome_properties."""

    def test_nothing_happened(self):
        """Only the totals."""
        assert list(outcome(totals=Totals(2, 1_200, 3, 4, 5))) == ["Totals after it"]

    def test_every_section(self):
        """Each with its lines."""
        found = outcome(
            outcome=Outcome(
                artifacts=(Artifact("a", "{}"), Artifact("b", "{}")),
                replacement=({"role": "user"},),
                compaction_error="a: boom",
                seed=Seed("s", ({}, {})),
                reopen=Reopen("r", "again"),
                decision=Decision("denied", "g", "no"),
                manifests=(ManifestFile("ls", "tools/ls/murmur.yaml"),),
            ),
            faults=(Fault("a", "on-shell", "deny"),),
            requests=(
                HttpRequest("a", "GET", "https://x.test/", True, "https://x.test", 200, 1_500),
                HttpRequest("a", "GET", "https://y.test/", False, None, None),
                HttpRequest("a", "GET", "https://z.test/", True, "z.test", None),
            ),
            expectation=Expectation(False, "calls[0].result", "none", "trap"),
        )
        assert found["Decision"].value == "denied"
        assert values(found["Decision"]) == {"hook": "g", "reason": "no"}
        assert found["Artifacts"].value == "2 artifacts"
        commits = values(found["Commits"])
        assert commits["replaced context"].startswith("1 message, about")
        assert commits["compaction fails"] == "a: boom"
        assert commits["seed"] == "2 messages of s"
        assert commits["reopen"] == "r: again"
        assert values(found["Tool manifests"]) == {"ls": "tools/ls/murmur.yaml"}
        assert values(found["Faults"]) == {"a": "on-shell, deny"}
        assert found["Requests"].value == "3 requests, 1 denied"
        assert [line.value for line in found["Requests"].children] == [
            "https://x.test/  ·  status 200  1.50 ms",
            "https://y.test/  ·  denied",
            "https://z.test/  ·  no answer",
        ]
        assert values(found["Expectation"]) == {
            "at": "calls[0].result",
            "wanted": '"none"',
            "got": '"trap"',
        }

    def test_proceed_and_an_expectation_that_holds(self):
        """Good news is short."""
        found = outcome(
            outcome=Outcome(decision=Decision("proceed")), expectation=Expectation(True)
        )
        assert (found["Decision"].value, found["Expectation"].value) == ("proceed", "holds")
        assert not found["Decision"].children
