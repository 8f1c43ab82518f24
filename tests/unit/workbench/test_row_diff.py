"""Two firings compared."""

from msgspec.structs import replace

from inspector.contract.record import Disposition, LogEntry
from inspector.workbench import row_diff
from inspector.workbench.row_diff import DiffLine, compare
from inspector.workbench.state import Firing, FiringStatus
from tests.helpers.sample_state import call, record


def firing(step: int, *calls, fields, **changes) -> Firing:
    """A finished firing."""
    done = record(step, "on-shell", *calls, fields=fields, **changes)
    return Firing(step, "on-shell", "observe", FiringStatus.FINISHED, 1, fields=fields, record=done)


FIRST = firing(1, call("a"), fields={"turn": 1, "binary": "ls"})


def changed(marked: Firing, chosen: Firing) -> list[str]:
    """Headings and the lines that differ."""
    return [line.sign + line.text for line in compare(marked, chosen) if line.sign in "#+-"]


def test_compare__same_but_for_number_and_time__has_no_difference():
    """Neither is what a reader looks for."""
    again = firing(2, call("a", duration_us=9_999), fields={"turn": 1, "binary": "ls"})
    lines = list(compare(FIRST, again))
    assert {line for line in lines if line.sign != "#"} == {DiffLine(" ", "no difference")}
    assert [line.text for line in lines if line.sign == "#"] == ["Event", "Fields sent", "Results"]


def test_compare__fields_results_and_logs__each_show_what_differs():
    """Under a heading of their own."""
    log = LogEntry("logs/hook-a.log", "boom")
    other = firing(
        2,
        call("a", "artifact", Disposition.FAULT, payload={"n": 1}, stdout="hello\n"),
        fields={"turn": 1, "binary": "rm"},
        logs=(log,),
    )
    assert changed(FIRST, other) == [
        "#Event",
        "#Fields sent",
        '-  "binary": "ls"',
        '+  "binary": "rm"',
        "#Results",
        "-a: none · ignored",
        "+a: artifact · fault",
        "+  {",
        '+    "n": 1',
        "+  }",
        "#Logs",
        "+logs/hook-a.log: boom",
        "#Output",
        "+a stdout: hello",
    ]


def test_compare__firing_without_a_record__shows_its_word():
    """A lost one, say."""
    lost = replace(FIRST, status=FiringStatus.LOST, record=None)
    assert "+engine lost" in changed(FIRST, lost)


def test_compare__too_long_to_align__shows_the_rest_whole(monkeypatch):
    """From the first line that differs."""
    monkeypatch.setattr(row_diff, "MOST_LINES", 3)
    other = firing(2, call("a"), fields={"turn": 1, "binary": "rm"})
    found = changed(FIRST, other)
    assert found[1:4] == ["#Fields sent", '-  "binary": "ls"', "-}"]


def test_compare__two_places__are_apart_by_a_gap():
    """Lines far from a change are left out."""
    before = firing(1, fields={f"f{i:02}": 0 for i in range(30)})
    after = firing(2, fields={f"f{i:02}": int(i in (2, 25)) for i in range(30)})
    lines = list(compare(before, after))
    assert lines.count(DiffLine("@", "…")) == 1
    assert len(lines) < 30
