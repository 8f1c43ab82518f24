"""Log lines: files, search, bounds."""

import pytest
from PySide6.QtTest import QAbstractItemModelTester

from inspector.gui.models import log_model
from inspector.gui.models.log_model import ALL_FILES, LogModel
from inspector.protocol.message import LogAppended
from inspector.workbench import reducer
from inspector.workbench.history import CHUNK


@pytest.fixture
def model(bridge):
    """A model that Qt's tester watches."""
    made = LogModel(bridge)
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Warning, made)
    return made


def tell(engine, bridge, *lines, file="stdout"):
    """Append lines and flush."""
    engine.tell(*(LogAppended(file, line) for line in lines))
    bridge.flush()


def find(qtbot, model, needle):
    """Search and wait for the matches."""
    with qtbot.waitSignal(model.matches_changed):
        model.find(needle)


class TestSearch:
    """find and next_match."""

    def test_counts_and_walks_the_matches(self, qtbot, model, engine, bridge):
        """Both ways, around the ends."""
        tell(engine, bridge, "an error", "fine", "Error again", "fine")
        find(qtbot, model, "error")
        assert model.match_count == 2
        assert [model.is_match(row) for row in range(4)] == [True, False, True, False]
        assert model.next_match(-1, forward=True) == (0, 1)
        assert model.next_match(0, forward=True) == (2, 2)
        assert model.next_match(2, forward=True) == (0, 1)
        assert model.next_match(2, forward=False) == (0, 1)
        assert model.next_match(0, forward=False) == (2, 2)

    def test_lines_that_come_later_are_searched(self, qtbot, model, engine, bridge):
        """While the search is open."""
        tell(engine, bridge, "error")
        find(qtbot, model, "error")
        tell(engine, bridge, "fine", "error 2")
        assert model.match_count == 2
        model.find("")
        assert model.match_count == 0
        assert model.next_match(0, forward=True) is None

    def test_only_the_chosen_file_is_searched(self, qtbot, model, engine, bridge):
        """What is not shown is not counted."""
        tell(engine, bridge, "error")
        tell(engine, bridge, "error", "error", file="stderr")
        find(qtbot, model, "error")
        assert model.match_count == 3
        with qtbot.waitSignals([model.matches_changed] * 2):
            model.set_file("stderr")
        assert model.match_count == 2


class TestFiles:
    """set_file."""

    def test_long_log_is_filtered_in_slices(self, qtbot, engine, bridge, monkeypatch):
        """Lines that come meanwhile are there in the end."""
        model = LogModel(bridge)  # Qt's tester would look at every row at once
        monkeypatch.setattr(log_model, "_AT_ONCE", 10)
        tell(engine, bridge, *map(str, range(3_000)))
        tell(engine, bridge, "x", file="stderr")
        with qtbot.waitSignal(model.modelReset):
            model.set_file("stderr")
            tell(engine, bridge, "y", file="stderr")
        assert [model.line(row).text for row in range(model.rowCount())] == ["x", "y"]
        model.set_file(ALL_FILES)
        assert model.rowCount() == 3_002

    def test_longest_line_is_known(self, model, engine, bridge):
        """Of those shown."""
        tell(engine, bridge, "abc")
        tell(engine, bridge, "abcdef", file="stderr")
        assert model.longest == 6
        model.set_file("stdout")
        assert model.longest == 3


def test_bounds__oldest_lines_go__rows_and_matches_follow(
    qtbot, model, engine, bridge, monkeypatch
):
    """Indexes of what stays are right."""
    monkeypatch.setattr(reducer, "LOG_LINES", CHUNK)
    tell(engine, bridge, *(f"line {i}" for i in range(CHUNK)))
    find(qtbot, model, "line 25")
    assert model.match_count == 7
    tell(engine, bridge, "line 257", "other")
    assert model.rowCount() == 2
    assert model.match_count == 1
    assert model.next_match(-1, forward=True) == (0, 1)
