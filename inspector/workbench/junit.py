"""A run as JUnit XML, for CI systems.

Lives here: `JunitReport`. Not here: the other forms (workbench.report). Command line
and tests import it.

Each entry is a test case, and each expectation is one of its own. A step fails when it
holds something that `--fail-on` names; an expectation fails when it does not hold.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as Xml

from inspector.contract.profile import profile as profile_of
from inspector.manifest.diagnostic import Severity
from inspector.protocol.inspection import Inspection
from inspector.workbench.formatting import compact
from inspector.workbench.inspection_text import diagnostic_lines
from inspector.workbench.report import Write
from inspector.workbench.run_entry import Check, Entry
from inspector.workbench.scenario_run import ENDED_COMPLETE, Summary
from inspector.workbench.step_text import entry_lines
from inspector.workbench.terminal import Terminal

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OUTPUT_CHARACTERS = 100_000


def xml_text(text: str) -> str:
    r"""The text with what XML 1.0 cannot hold as escapes, e.g. `\u0000`.

    Args:
        text: Any text.
    """
    return _NOT_XML.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


class JunitReport:
    """Gathers test cases and writes one document at the end."""

    def __init__(self, write: Write, fail_on: Sequence[str] = ()) -> None:
        """Take the place to write to, and the words of `--fail-on`."""
        self._write = write
        self._fail_on = tuple(fail_on)
        self._suite = Xml.Element("testsuite")
        self._class_name = ""
        self._profile = profile_of("0.3")
        self._terminal = Terminal()

    def opened(self, inspection: Inspection, title: str) -> None:
        """Name the suite, and make a case of the capsule itself."""
        head = inspection.capsule
        self._profile = profile_of(head.profile)
        self._class_name = f"{head.name}.{title}"
        self._suite.set("name", xml_text(title))
        case = self._case("capsule", 0)
        for diagnostic in inspection.diagnostics:
            if diagnostic.severity is Severity.ERROR:
                text = "\n".join(diagnostic_lines(diagnostic, self._terminal))
                _trouble(case, "failure", diagnostic.code, diagnostic.message, text)
                break
        rejected = [hook.name for hook in inspection.hooks if not hook.accepted]
        if rejected and "rejected" in self._fail_on and not len(case):
            _trouble(case, "failure", "rejected", f"rejected: {', '.join(rejected)}", "")

    def entry(self, entry: Entry) -> None:
        """Add the step's case and those of its expectations."""
        record = entry.record
        name = f"step {record.step} {entry.step.label}"
        if record.times > 1:
            name += f" ×{record.times}"
        elif entry.round > 1:
            name += f" round {entry.round}"
        case = self._case(name, record.duration_us)
        text = "\n".join(entry_lines(entry, self._profile, self._terminal))
        hits = [word for word in self._fail_on if entry.found.get(word)]
        if hits:
            _trouble(case, "failure", hits[0], f"found {', '.join(hits)}", text)
        Xml.SubElement(case, "system-out").text = xml_text(text[:_OUTPUT_CHARACTERS])
        for check in entry.checks:
            self._check(name, check)

    def _check(self, step: str, check: Check) -> None:
        case = self._case(f"step {check.number} expect after {step}", 0)
        if (found := check.mismatch) is not None:
            message = f"{found.path or 'the record'}: {found.sentence}"
            text = f"wanted {compact(found.wanted)}\ngot    {compact(found.got)}"
            _trouble(case, "failure", "expectation", message, text)

    def broken(self, message: str) -> None:
        """Add a case for what ended the run early."""
        _trouble(self._case("run", 0), "error", "error", message, "")

    def finished(self, summary: Summary, extra: Mapping[str, Any]) -> None:
        """Write the document."""
        if summary.ended != ENDED_COMPLETE and not self._suite.findall("testcase/error"):
            self.broken(f"the run was not finished: {summary.ended}")
        seconds = f"{summary.duration_ms / 1000:.3f}"
        cases = self._suite.findall("testcase")
        counts = {
            "tests": str(len(cases)),
            "failures": str(len(self._suite.findall("testcase/failure"))),
            "errors": str(len(self._suite.findall("testcase/error"))),
            "skipped": "0",
            "time": seconds,
        }
        root = Xml.Element("testsuites", {"name": "capsule-inspector", **counts})
        for key, value in counts.items():
            self._suite.set(key, value)
        root.append(self._suite)
        Xml.indent(root)
        self._write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self._write(Xml.tostring(root, encoding="unicode") + "\n")

    def _case(self, name: str, duration_us: int) -> Xml.Element:
        return Xml.SubElement(
            self._suite,
            "testcase",
            {
                "classname": xml_text(self._class_name),
                "name": xml_text(name),
                "time": f"{duration_us / 1_000_000:.6f}",
            },
        )


def _trouble(case: Xml.Element, tag: str, kind: str, message: str, text: str) -> None:
    element = Xml.SubElement(case, tag, {"type": xml_text(kind), "message": xml_text(message)})
    element.text = xml_text(text)
