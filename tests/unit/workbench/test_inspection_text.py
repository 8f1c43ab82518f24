"""Descriptions for people and as WIT."""

import pytest
from msgspec.structs import replace

from inspector.contract import wit
from inspector.contract.contract import EVENTS, load
from inspector.contract.type import signature
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.protocol.inspection import (
    CapsuleHead,
    EventView,
    ExportView,
    GrantsView,
    HonoredView,
    HookView,
    ImportView,
    Inspection,
    LimitsView,
    RuleView,
    SourceView,
)
from inspector.workbench.inspection_text import (
    diagnostic_lines,
    findings_lines,
    hook_lines,
    inspection_lines,
)
from inspector.workbench.terminal import Terminal
from inspector.workbench.wit_text import wit_lines

CONTRACT = load("0.8.0")


def export(event, **more):
    """A function as the contract has it."""
    required = event in CONTRACT.rules.required
    return replace(
        ExportView(event, required, True, True, signature(CONTRACT.function(event))), **more
    )


RULE = RuleView("https://a", "https", "a", 443)
HOOK = HookView(
    name="audit\x1btrail",
    version="1.0.0",
    source=SourceView("hooks-folder", "/c/hooks/a/a.wasm", "ab" * 32),
    binding="all",
    execution_mode="async",
    commit_policy="none",
    on_overflow="drop",
    lifecycle="murmur:hook/lifecycle@0.8.0",
    accepted=True,
    rejection=None,
    profiles={"0.1": False, "0.3": True},
    exports=tuple(export(event) for event in EVENTS),
    imports=(
        ImportView("wasi:io/streams@0.2.0", True, None, None),
        ImportView("murmur:task-io/read@0.1.0", True, "task_io", False, "It answers not-granted."),
        ImportView("murmur:runtime/tokens@0.2.0", False, None, None, "No such version."),
        ImportView("stray-function", False, None, None),
    ),
    grants=GrantsView(
        (RuleView("https://a", "https", "a", 443),), "out", "store", True, True, "{}"
    ),
    env=(("MURMUR_CASE_ID", "c1"),),
    events=(
        EventView("on-shell", True, ("observe", "decide"), HonoredView(None, "deny")),
        EventView("on-stage", False, (), HonoredView("write-manifests", None)),
    ),
    other_exports=("wasi:cli/run@0.2.0", "memory"),
)
FINDINGS = (
    Diagnostic(Severity.ERROR, "E-1", "bad", "Mend it.", "m.yaml", 3, 4, "audit"),
    Diagnostic(Severity.WARNING, "W-1", "two\nlines"),
    Diagnostic(Severity.WARNING, "W-2", "odd"),
    Diagnostic(Severity.INFO, "I-1", "so"),
)
INSPECTION = Inspection(
    1, CapsuleHead("demo", "1.0.0", "/c", "0.3"), LimitsView(1 << 29, 10, 1, 30), (HOOK,), FINDINGS
)


def lines_of(hook):
    """The hook as text."""
    return "\n".join(hook_lines(hook, Terminal()))


class TestText:
    """inspect and check."""

    def test_hook_is_described_wholly(self):
        """Source, binding, grants, environment, imports, events."""
        text = lines_of(HOOK)
        for words in (
            "● accepted",
            "hooks-folder /c/hooks/a/a.wasm",
            "every event, async, commit policy none",
            "0.1 no, 0.3 yes",
            "9 of 9 functions exported with the contract's type",
            "network https://a, folder out, state store store, task texts, conversation, config {}",
            "MURMUR_CASE_ID=c1",
            "task_io not granted",
            "✕  murmur:runtime/tokens@0.2.0",
            "on-shell  observe: nothing is honored, decide: deny is honored",
        ):
            assert words in text
        assert "on-stage" not in text
        assert "\x1b" not in text

    def test_differences_from_the_contract_have_their_own_lines(self):
        """And no heading when there are none."""
        assert "differs" not in lines_of(HOOK)
        lines = lines_of(replace(HOOK, differences=("It exports x\x1b.", "on-shell: y."))).split(
            "\n"
        )
        start = lines.index("    differs from the contract")
        assert lines[start + 1 : start + 3] == ["        It exports x␛.", "        on-shell: y."]

    def test_functions_that_differ_have_their_own_line(self):
        """Missing ones by need, wrong ones with what differs."""
        hook = replace(
            HOOK,
            exports=(
                export("on-shell", signature_matches=False, mismatch="type mismatch: 3 fields"),
                export("on-compaction", present=False, signature_matches=None),
                export("on-task-end", present=False, signature_matches=None),
            ),
        )
        text = lines_of(hook)
        assert "0 of 3 functions" in text
        assert "✕  on-shell       required  type mismatch: 3 fields" in text
        assert "✕  on-compaction  required  not exported" in text
        assert "·  on-task-end    optional  not exported" in text

    def test_rejected_hook_says_why_in_the_runtimes_words(self):
        """All its lines."""
        text = lines_of(replace(HOOK, accepted=False, rejection="first\nsecond"))
        assert "✕ rejected\n    first\n    second\n" in text

    def test_finding_says_what_where_and_what_to_do(self):
        """The code stands at the end of the first line."""
        first, second = FINDINGS[:2]
        assert diagnostic_lines(first, Terminal()) == [
            "✕ error  hook audit: bad  [E-1]",
            "    m.yaml:3:4",
            "    Mend it.",
        ]
        assert diagnostic_lines(second, Terminal()) == ["◆ warning  two  [W-1]", "    lines"]

    def test_findings_end_with_their_number(self):
        """By severity; or there are none."""
        assert list(findings_lines(FINDINGS, Terminal()))[-1] == "1 error, 2 warnings, 1 info"
        assert list(findings_lines((), Terminal())) == ["✓ no findings"]

    def test_refused_launch_stands_at_the_top(self):
        """Before any hook."""
        lines = list(inspection_lines(replace(INSPECTION, launch_refusal="no\nway"), Terminal()))
        assert lines[3] == "the runtime would refuse the launch: no␊way"


class TestWit:
    """inspect --format wit."""

    def test_types_and_functions_are_those_of_the_contract(self):
        """The interface in the text parses to the contract's own."""
        text = "\n".join(wit_lines(HOOK))
        inner = text.partition("package murmur:hook@0.8.0 {\n")[2].rpartition("}")[0]
        parsed = wit.parse(["package murmur:hook@0.8.0;\n" + inner])
        found = parsed.interfaces[CONTRACT.interface]
        wanted = CONTRACT.lifecycle
        assert list(found.types) == list(wanted.types)
        assert [signature(f) for f in found.functions.values()] == [
            signature(f) for f in wanted.functions.values()
        ]

    def test_world_parses(self):
        """Imports and exports, interfaces only."""
        text = "\n".join(wit_lines(replace(HOOK, exports=())))
        (world,) = wit.parse([text]).worlds.values()
        assert world.imports == tuple(found.interface for found in HOOK.imports[:3])
        assert world.exports == (CONTRACT.interface, "wasi:cli/run@0.2.0")
        assert "// import stray-function, which is no interface" in text

    def test_missing_and_different_functions_are_marked(self):
        """Nothing is shown that is not exported."""
        exports = (
            export("on-shell", signature="func()", signature_matches=False, mismatch="differs"),
            export("on-task-end", present=False, signature_matches=None),
        )
        text = "\n".join(wit_lines(replace(HOOK, exports=exports)))
        assert "        // differs\n        on-shell: func();" in text
        assert "// on-task-end is not exported (optional)" in text
        assert "on-task-end: func" not in text

    @pytest.mark.parametrize("lifecycle", [None, "murmur:hook/lifecycle@9.9.9"])
    def test_unknown_contract_has_no_types(self, lifecycle):
        """Only the world can be told."""
        text = "\n".join(wit_lines(replace(HOOK, lifecycle=lifecycle)))
        assert "interface lifecycle" not in text

    def test_rejection_cannot_leave_its_comment(self):
        """Every line of it is a comment."""
        hook = replace(HOOK, accepted=False, rejection="a\nb", exports=())
        assert list(wit_lines(hook))[1:3] == ["// a", "// b"]
