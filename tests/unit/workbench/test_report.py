"""Reports: the public JSON to the letter, text that is safe, XML that parses."""

import json
from xml.etree import ElementTree as Xml

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.contract.profile import profile
from inspector.contract.record import (
    Decision,
    Disposition,
    Expectation,
    Failure,
    Fault,
    HookCall,
    HttpRequest,
    LogEntry,
    Outcome,
    StepRecord,
)
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.protocol.inspection import CapsuleHead, Inspection, LimitsView
from inspector.protocol.message import Decide, Observe
from inspector.workbench.expectation import Mismatch
from inspector.workbench.junit import JunitReport, xml_text
from inspector.workbench.report import (
    JsonlReport,
    TextReport,
    entry_json,
    summary_json,
    summary_lines,
)
from inspector.workbench.run_entry import Check, Entry
from inspector.workbench.scenario_run import Summary
from inspector.workbench.scenario_step import ActionStep
from inspector.workbench.source import Place
from inspector.workbench.step_text import entry_lines
from inspector.workbench.terminal import Terminal

INSPECTION = Inspection(
    format=1,
    capsule=CapsuleHead("demo", "1.0.0", "/c", "0.3"),
    limits=LimitsView(1, 1, 1, 1),
    hooks=(),
    diagnostics=(Diagnostic(Severity.ERROR, "E-CAP-001", "bad entry", "Mend it.", "m.yaml", 3),),
)
NASTY = "\0\x1b[31m\ud7ff\ufffe\uffff\r\n\t<&]]>\U0001f600"


def entry(record=None, action=None, **more):
    """An entry of a step."""
    record = record or StepRecord(6, "on-shell", "observe")
    return Entry(ActionStep(6, Place(9, 3), action or Observe("on-shell")), record, 1, **more)


def faulty():
    """A record with a bit of everything."""
    calls = (
        HookCall("guard", "blocking", "artifact", Disposition.FAULT, NASTY, duration_us=41),
        HookCall(
            "trappy",
            "async",
            "error",
            Disposition.ERROR,
            error="it trapped",
            failure=Failure.TRAP,
            stdout=NASTY,
        ),
    )
    return StepRecord(
        6,
        "on-shell",
        "observe",
        calls=calls,
        faults=(Fault("guard", "on-shell", "artifact"),),
        logs=(LogEntry("logs/hook-guard.log", "a line"),),
        requests=(
            HttpRequest("guard", "GET", "http://x/", False, None, None, 5, "no rule names x"),
            HttpRequest("guard", "PUT", "http://y/", True, "http://y", 204),
        ),
    )


class TestJson:
    """Fields in their order, nothing left out."""

    def test_fields_of_a_record_are_those_of_the_format(self):
        """The fields of format 1, then what was added since."""
        document = entry_json(entry(faulty()))
        assert list(document)[:11] == [
            "step",
            "event",
            "phase",
            "times",
            "calls",
            "outcome",
            "faults",
            "logs",
            "requests",
            "totals",
            "expectation",
        ]
        assert list(document["calls"][0])[:10] == [
            "hook",
            "mode",
            "result",
            "disposition",
            "payload",
            "error",
            "failure",
            "duration_us",
            "stdout",
            "stderr",
        ]
        assert list(document["outcome"]) == [
            "artifacts",
            "replacement",
            "compaction_error",
            "seed",
            "reopen",
            "decision",
            "manifests",
        ]
        assert list(document["requests"][0])[:6] == [
            "hook",
            "method",
            "url",
            "allowed",
            "rule",
            "status",
        ]
        assert list(document["totals"]) == [
            "turns",
            "input_tokens",
            "output_tokens",
            "tool_calls",
            "shell_calls",
        ]
        assert document["round"] == 1

    def test_fields_of_the_summary_are_those_of_the_format(self):
        """The last line."""
        document = summary_json(Summary(steps=1), {"reasons": []})
        assert list(document) == ["summary"]
        assert list(document["summary"])[:7] == [
            "steps",
            "calls",
            "faults",
            "errors",
            "denied",
            "expectations_failed",
            "duration_ms",
        ]

    @pytest.mark.parametrize(
        ("expectation", "document"),
        [
            (None, None),
            (Expectation(ok=True), {"ok": True}),
            (
                Expectation(ok=False, path="a", wanted=None, got=None),
                {"ok": False, "path": "a", "wanted": None, "got": None},
            ),
        ],
    )
    def test_expectation_is_null_or_ok_or_the_whole_difference(self, expectation, document):
        """Also when null was wanted."""
        record = StepRecord(1, "on-shell", "observe", expectation=expectation)
        assert entry_json(entry(record))["expectation"] == document

    def test_lines_are_json_with_exact_numbers(self):
        """One object per line, 64 bits exact, any text."""
        written = []
        report = JsonlReport(written.append)
        report.opened(INSPECTION, "title")
        call = HookCall("a", "blocking", "none", Disposition.IGNORED, {"n": 2**64 - 1, "t": NASTY})
        report.entry(entry(StepRecord(1, "on-shell", "observe", calls=(call,))))
        report.finished(Summary(), {})
        lines = "".join(written).splitlines()
        assert len(lines) == 2
        assert json.loads(lines[0])["calls"][0]["payload"] == {"n": 2**64 - 1, "t": NASTY}
        assert "summary" in json.loads(lines[1])

    def test_what_a_sum_left_out_is_told(self):
        """Only when something was left out."""
        assert entry_json(entry(left_out={"faults": 2}))["left_out"] == {"faults": 2}
        assert "left_out" not in entry_json(entry())


class TestText:
    """Lines for people."""

    def lines(self, one):
        """The lines of an entry, as one text."""
        return "\n".join(entry_lines(one, profile("0.3"), Terminal()))

    def test_first_line_says_what_happened(self):
        """Number, step and the verdict to see first."""
        first = self.lines(entry(faulty())).splitlines()[0]
        assert first.split() == ["6", "on-shell", "✕", "error"]

    def test_fault_is_explained_with_the_event_that_would_honor_it(self):
        """What, why, and what is written where."""
        text = self.lines(entry(faulty()))
        assert "◆ guard" in text
        assert "artifact is honored at on-inference" in text
        assert "logs/hook-guard.log" in text

    def test_guest_text_cannot_steer_the_terminal(self):
        """Control characters are pictures."""
        text = self.lines(entry(faulty()))
        assert "\x1b" not in text
        assert "\0" not in text
        assert "\r" not in text
        assert "␛[31m" in text

    def test_denied_call_is_told_with_its_reason(self):
        """The shield, the hook and its words."""
        call = HookCall("guard", "blocking", "deny", Disposition.HONORED, "no rm", reason="no rm")
        outcome = Outcome(decision=Decision("denied", "guard", "no rm"))
        record = StepRecord(6, "on-shell", "decide", calls=(call,), outcome=outcome)
        text = self.lines(entry(record, Decide("on-shell")))
        assert "decide on-shell" in text
        assert "⛨ denied" in text
        assert "guard denied the call: no rm" in text

    def test_failed_expectation_shows_path_wanted_and_got(self):
        """With the line in the scenario."""
        checks = (Check(7, 12, Mismatch("calls[0].result", "deny", "none", "it differs")),)
        text = self.lines(entry(checks=checks))
        assert "expectation of step 7 (line 12) fails" in text
        assert "calls[0].result: it differs" in text
        assert 'wanted "deny"' in text
        assert 'got    "none"' in text

    def test_requests_are_told_with_what_became_of_them(self):
        """Who asked for what, and the rule or the reason."""
        text = self.lines(entry(faulty()))
        assert "guard: GET http://x/  refused: no rule names x" in text
        assert "guard: PUT http://y/  sent  204, rule http://y" in text

    def test_same_calls_in_a_row_are_one_line(self):
        """A thousand results of a pump are one line with a count."""
        call = HookCall("a", "async", "none", Disposition.IGNORED, event="on-shell", duration_us=2)
        record = StepRecord(6, "pump", "control", calls=(call,) * 1000)
        lines = self.lines(entry(record)).splitlines()
        assert len(lines) == 2
        assert "×1,000" in lines[1]

    def test_colours_are_written_only_when_wanted(self):
        """Never by default."""
        painted = "\n".join(entry_lines(entry(faulty()), profile("0.3"), Terminal(colour=True)))
        assert "\x1b[31m✕ error\x1b[0m" in painted
        assert "\x1b" not in self.lines(entry(faulty()))

    def test_report_tells_capsule_findings_and_sums(self):
        """From the head to the last line."""
        written = []
        report = TextReport(written.append, Terminal())
        report.opened(INSPECTION, "what it shows")
        report.entry(entry())
        report.finished(Summary(steps=1, faults=2, denied=1), {"reasons": ["fault"]})
        text = "".join(written)
        assert text.startswith("demo 1.0.0 · profile 0.3")
        assert "✕ error  bad entry  [E-CAP-001]" in text
        assert "m.yaml:3" in text
        assert "what it shows" in text
        assert "1 step · 0 calls · 2 faults · 0 errors · 1 denied" in text
        assert text.endswith("reasons: fault\n")

    def test_run_that_was_not_finished_says_so(self):
        """On a line of its own."""
        (_, last) = summary_lines(Summary(ended="interrupted"), Terminal())
        assert last == "the run was not finished: interrupted"


class TestJunit:
    """XML for CI."""

    def document(self, *entries, fail_on=(), summary=None):
        """The document of a run."""
        written = []
        report = JunitReport(written.append, fail_on)
        report.opened(msgspec.structs.replace(INSPECTION, diagnostics=()), f"title {NASTY}")
        for one in entries:
            report.entry(one)
        report.finished(summary or Summary(duration_ms=1500), {})
        return Xml.fromstring("".join(written).encode())

    def test_each_step_and_expectation_is_a_case(self):
        """And the capsule itself is the first."""
        checks = (
            Check(7, 12, None),
            Check(8, 13, Mismatch("a", 1, NASTY, "it differs")),
        )
        root = self.document(entry(faulty(), checks=checks))
        names = [case.get("name") for case in root.iter("testcase")]
        assert names == [
            "capsule",
            "step 6 on-shell",
            "step 7 expect after step 6 on-shell",
            "step 8 expect after step 6 on-shell",
        ]
        (failure,) = root.iter("failure")
        assert failure.get("message") == "a: it differs"
        suite = root.find("testsuite")
        assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "0")
        assert suite.get("time") == "1.500"

    def test_step_fails_only_for_what_was_asked(self):
        """A fault is no failure unless it is named."""
        one = entry(faulty(), found={"fault": 1, "trap": 1})
        assert not list(self.document(one).iter("failure"))
        (failure,) = self.document(one, fail_on=("trap", "denied")).iter("failure")
        assert (failure.get("type"), failure.get("message")) == ("trap", "found trap")

    def test_error_of_the_capsule_fails_its_case(self):
        """A launch that the runtime would refuse is a finding."""
        written = []
        report = JunitReport(written.append)
        report.opened(INSPECTION, "title")
        report.finished(Summary(), {})
        root = Xml.fromstring("".join(written))
        assert root.find("testsuite/testcase/failure").get("message") == "bad entry"

    def test_run_that_was_not_finished_is_an_error(self):
        """Exactly one."""
        root = self.document(summary=Summary(ended="failed"))
        (error,) = root.iter("error")
        assert "not finished" in error.get("message")

    @given(st.text())
    def test_any_text_becomes_xml(self, text):
        """No character breaks the document."""
        element = Xml.Element("a", {"b": xml_text(text)})
        element.text = xml_text(text)
        assert Xml.fromstring(Xml.tostring(element, "utf-8")) is not None

    def test_unsafe_characters_are_escapes(self):
        """They can still be read."""
        assert xml_text("a\0b\x1b\ufffe") == "a\\u0000b\\u001b\\ufffe"
