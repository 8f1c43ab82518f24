"""Kinds of log lines, and entries of many lines."""

import pytest

from inspector.protocol.message import LogAppended
from inspector.workbench.log_entry import Level, entry_text, head_of, level_of
from inspector.workbench.reducer import reduce
from inspector.workbench.state import FAULTS_FILE, STDERR_FILE, STDOUT_FILE, LogLine, State

HOOK_LOG = "logs/hook-a.log"
UNSUPPORTED = (
    "hook 'a' returned unsupported hook-output arm 'deny' from 'on-shell'; this event does not "
    "honor that arm, so the value was discarded"
)
POLICY = (
    "policy hook 'a' returned hook-output arm 'artifact' from the 'on-shell' decision point; only "
    "'deny' or 'none' is answerable there, so the call was refused"
)
OVERFLOW = (
    "hook 'a' discarded 5 lifecycle event(s): its queue (1024 deep) was full and the capsule "
    "manifest declares 'on_overflow: drop' for this hook"
)
DRAIN = (
    "hook 'a' did not finish its queued lifecycle calls within the 15000ms session-end drain "
    "budget; the remaining calls were abandoned"
)


class TestLevel:
    """level_of."""

    @pytest.mark.parametrize("text", [UNSUPPORTED, POLICY, OVERFLOW, DRAIN])
    def test_sentences_of_faults(self, text):
        """The runtime writes them along with a fault."""
        assert level_of(LogLine(HOOK_LOG, text)) is Level.FAULT

    @pytest.mark.parametrize(
        "text",
        [
            "boom",
            "hook 'a' on-shell trapped: unreachable",
            "hook 'a' worker task failed: panic",
            "a hook 'a' discarded 5 lifecycle event(s)",
        ],
    )
    def test_anything_else_in_a_hooks_log_is_an_error(self, text):
        """The guest's own error text may be anything."""
        assert level_of(LogLine(HOOK_LOG, text)) is Level.ERROR

    def test_other_files(self):
        """Told by the file alone."""
        assert level_of(LogLine(STDOUT_FILE, UNSUPPORTED)) is Level.OUTPUT
        assert level_of(LogLine(STDERR_FILE, "panic")) is Level.OUTPUT
        assert level_of(LogLine(FAULTS_FILE, "a  on-shell  deny")) is Level.FAULT
        assert level_of(LogLine("logs/bootstrap.log", UNSUPPORTED)) is Level.NOTE


class TestEntry:
    """head_of, entry_text, and how the reducer splits an entry."""

    @pytest.fixture
    def lines(self):
        """A line, a backtrace of three, a line."""
        state = State()
        for text in ("before", "trap\r\n  1: a\n  2: b\n", "after"):
            state = reduce(state, LogAppended(HOOK_LOG, text, "a", 1))
        return state.logs.lines

    def test_entry_is_whole_from_each_of_its_lines(self, lines):
        """Line ends of any kind are taken off."""
        for index in (1, 2, 3):
            assert head_of(lines, index) == 1
            assert entry_text(lines, index) == "trap\n  1: a\n  2: b"

    def test_single_lines_are_entries(self, lines):
        """Before and after it."""
        assert entry_text(lines, 0) == "before"
        assert entry_text(lines, 4) == "after"

    def test_guest_output_is_line_by_line(self):
        """What was printed in one call belongs together no more than that."""
        lines = reduce(State(), LogAppended(STDOUT_FILE, "1\n2")).logs.lines
        assert [entry_text(lines, index) for index in (0, 1)] == ["1", "2"]

    def test_entry_whose_head_went_is_what_is_left(self, lines):
        """Bounds take whole chunks."""
        cut = type(lines)(2, (), tuple(lines.since(2)))
        assert head_of(cut, 3) == 2
        assert entry_text(cut, 3) == "  1: a\n  2: b"
