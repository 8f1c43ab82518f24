"""Logs: entries that open, filters, the firing that caused a line, saving."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester

from inspector.gui.focus import FiringTarget, Focus, LogTarget
from inspector.gui.models import log_model
from inspector.gui.models.log_filter import LogFilter
from inspector.gui.models.log_model import Column, LogModel
from inspector.gui.views.log_saver import LogSaveDialog
from inspector.gui.views.log_view import LogView
from inspector.protocol.message import LogAppended, StepFinished
from inspector.workbench import reducer
from inspector.workbench.history import CHUNK
from inspector.workbench.log_entry import Level
from inspector.workbench.state import LogLine
from tests.helpers import sample_state

HOOK_LOG = "logs/hook-a.log"
TRACE = "hook 'a' on-shell trapped\n  1: deep\n  2: deeper"


@pytest.fixture
def model(bridge):
    """A model that Qt's tester watches."""
    made = LogModel(bridge)
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Warning, made)
    return made


def tell(engine, bridge, *texts, file=HOOK_LOG, hook="a", step=None):
    """Append entries and flush."""
    engine.tell(*(LogAppended(file, text, hook, step) for text in texts))
    bridge.flush()


def texts(model):
    """The text column."""
    return [model.index(row, Column.TEXT).data() for row in range(model.rowCount())]


class TestEntries:
    """toggle and what depends on it."""

    def test_entry_is_one_row_until_it_is_opened(self, model, engine, bridge):
        """It says how much is below."""
        tell(engine, bridge, "boom", TRACE, "bang")
        closed = ["boom", "hook 'a' on-shell trapped  … 2 lines more", "bang"]
        assert texts(model) == closed
        model.toggle(1)
        assert texts(model) == [
            "boom",
            "hook 'a' on-shell trapped",
            "      1: deep",
            "      2: deeper",
            "bang",
        ]
        assert model.index(2, Column.FILE).data() == ""
        model.toggle(2)
        model.toggle(0)
        assert model.rowCount() == 5
        model.toggle(1)
        assert texts(model) == closed

    def test_closed_entry_is_copied_whole(self, model, engine, bridge):
        """An open one line by line."""
        tell(engine, bridge, TRACE)
        assert model.text_of(0) == TRACE
        model.toggle(0)
        assert [model.text_of(row) for row in range(3)] == TRACE.split("\n")

    def test_closed_entry_is_searched_whole(self, qtbot, model, engine, bridge):
        """The match is its one row; opened, the line itself."""
        tell(engine, bridge, "boom", TRACE)
        with qtbot.waitSignal(model.matches_changed):
            model.find("deeper")
        assert [model.is_match(row) for row in range(2)] == [False, True]
        with qtbot.waitSignals([model.matches_changed] * 2):
            model.toggle(1)
        assert [model.is_match(row) for row in range(4)] == [False, False, False, True]
        tell(engine, bridge, "x\nstill deeper")
        assert model.match_count == 2

    def test_first_entry_of_many_among_plain_lines(self, model, engine, bridge):
        """The rows were a range until then."""
        tell(engine, bridge, "1", "2", file="stdout")
        tell(engine, bridge, TRACE)
        tell(engine, bridge, "3", file="stdout")
        assert texts(model) == ["1", "2", "hook 'a' on-shell trapped  … 2 lines more", "3"]

    def test_entries_stay_open_over_a_filter(self, model, engine, bridge):
        """There and back."""
        tell(engine, bridge, TRACE, "boom")
        model.toggle(0)
        model.set_filter(LogFilter(levels=frozenset({Level.NOTE})))
        assert model.rowCount() == 0
        model.set_filter(LogFilter())
        assert model.rowCount() == 4

    def test_bounds_take_the_oldest_entries(self, model, engine, bridge, monkeypatch):
        """Indexes of what stays are right."""
        monkeypatch.setattr(reducer, "LOG_LINES", CHUNK)
        tell(engine, bridge, TRACE, *(f"line {i}" for i in range(CHUNK - 3)))
        assert model.rowCount() == CHUNK - 2
        model.toggle(0)
        tell(engine, bridge, "a", "b\nc")
        assert texts(model)[-2:] == ["a", "b  … 1 line more"]
        assert model.rowCount() == 2

    def test_kind_is_told_by_picture_and_word(self, model, engine, bridge):
        """Never by colour alone."""
        tell(engine, bridge, TRACE)
        spoken = model.index(0, Column.TEXT).data(Qt.ItemDataRole.AccessibleTextRole)
        assert spoken.startswith("error: hook 'a'")
        icon = model.index(0, Column.FILE).data(Qt.ItemDataRole.DecorationRole)
        assert not icon.isNull()
        model.toggle(0)
        assert model.index(1, Column.FILE).data(Qt.ItemDataRole.DecorationRole) is None
        below = model.index(2, Column.TEXT)
        color = model.index(0, Column.TEXT).data(Qt.ItemDataRole.ForegroundRole)
        assert below.data(Qt.ItemDataRole.ForegroundRole) == color


class TestFilters:
    """set_filter."""

    def test_by_hook_and_kind(self, model, engine, bridge):
        """Both have to hold; later lines are filtered, too."""
        tell(engine, bridge, "boom", TRACE)
        tell(engine, bridge, "out a", file="stdout")
        tell(engine, bridge, "out b", file="stdout", hook="b")
        model.set_filter(LogFilter(hook="a", levels=frozenset({Level.OUTPUT})))
        assert texts(model) == ["out a"]
        tell(engine, bridge, "later a", file="stdout")
        tell(engine, bridge, "later b", file="stdout", hook="b")
        assert texts(model) == ["out a", "later a"]
        model.set_filter(LogFilter(levels=frozenset({Level.ERROR})))
        assert len(texts(model)) == 2

    def test_long_log_is_filtered_in_slices(self, qtbot, engine, bridge, monkeypatch):
        """Lines that come meanwhile are there in the end."""
        model = LogModel(bridge)  # Qt's tester would look at every row at once
        monkeypatch.setattr(log_model, "_AT_ONCE", 10)
        tell(engine, bridge, *map(str, range(3_000)), file="stdout", hook="b")
        tell(engine, bridge, TRACE)
        with qtbot.waitSignal(model.modelReset):
            model.set_filter(LogFilter(hook="a"))
            tell(engine, bridge, "late")
        assert [model.line(row).text for row in range(model.rowCount())] == [
            "hook 'a' on-shell trapped",
            "late",
        ]


class TestView:
    """LogView."""

    @pytest.fixture
    def focus(self):
        """What the Detail pane shows."""
        return Focus()

    @pytest.fixture
    def view(self, qtbot, bridge, focus):
        """A shown view with a session's firings."""
        bridge.open_capsule("/c")
        bridge.flush()
        made = LogView(bridge, LogModel(bridge), focus)
        qtbot.addWidget(made)
        made.resize(800, 200)
        with qtbot.waitExposed(made):
            made.show()
        return made

    def test_line_marks_its_firing_and_the_lines_of_it(self, qtbot, view, engine, bridge, focus):
        """And only those."""
        tell(engine, bridge, "one", step=1)
        tell(engine, bridge, "two", "three", step=2)
        with qtbot.waitSignal(view.cause_shown) as told:
            view.table.selectRow(2)
        assert told.args == [2]
        assert focus.target == LogTarget(2)
        caused = [view._model.index(row, 0).data(LogModel.Role.CAUSED) for row in range(3)]
        assert caused == [False, True, True]
        plain = view.grab().toImage()
        view._model.set_step(None)
        assert view.grab().toImage() != plain

    def test_older_firing_brings_its_lines_into_view(self, qtbot, view, engine, bridge, focus):
        """The newest one leaves the end in view."""
        for step in range(1, 101):
            engine.tell(StepFinished(sample_state.record(step)))
            tell(engine, bridge, f"line {step}", step=step)
        qtbot.waitUntil(view.table.is_at_end)
        items = bridge.state.history.items
        newest = items.end - 1
        focus.show(FiringTarget(newest))
        assert view.table.follows
        assert view._model.step == 100
        focus.show(FiringTarget(items.end - 98))
        assert not view.table.follows
        assert view._model.step == 3
        row = view._model.row_of_step(3)
        assert view.table.visualRect(view._model.index(row, 0)).top() >= 0
        assert view._model.row_of_step(999) is None

    def test_pause_counts_what_came_and_goes_back(self, qtbot, view, engine, bridge):
        """One button pauses and follows."""
        tell(engine, bridge, *map(str, range(100)), file="stdout")
        assert not view.news.isVisible()
        view.follow_button.click()
        assert not view.table.follows
        tell(engine, bridge, "x", "y", file="stdout")
        assert view.news.text() == "2 new"
        view.news.click()
        assert view.table.follows
        assert not view.news.isVisible()
        qtbot.waitUntil(view.table.is_at_end)

    def test_filters_by_buttons_and_list(self, view, engine, bridge):
        """An empty result says what to do."""
        tell(engine, bridge, "boom", hook="gatekeeper")
        tell(engine, bridge, "out", file="stdout", hook="compactor")
        names = [view.filter_bar.hooks.itemText(i) for i in range(view.filter_bar.hooks.count())]
        assert names[:3] == ["all hooks", "gatekeeper", "audit-trail"]
        view.filter_bar.buttons[Level.ERROR].click()
        assert texts(view._model) == ["out"]
        view.filter_bar.hooks.setCurrentIndex(names.index("gatekeeper"))
        assert view.empty.isVisible()
        assert view.empty.title() == "No such lines"
        view.filter_bar.clear()
        assert texts(view._model) == ["boom", "out"]

    def test_chosen_hook_stays_when_another_capsule_lacks_it(self, view, engine, bridge):
        """A filter does not change behind one's back."""
        bar = view.filter_bar
        bar.hooks.setCurrentIndex(bar.hooks.findData("compactor"))
        engine.inspection = sample_state.inspection((sample_state.hook("other"),))
        bridge.open_capsule("/d")
        bridge.flush()
        assert bar.hook == "compactor"
        assert bar.hooks.findData("other") > 0
        assert bar.hooks.findData("gatekeeper") == -1

    def test_keys_and_fold_sign_open_and_close(self, qtbot, view, engine, bridge):
        """Right, Left, Space, and a click."""
        tell(engine, bridge, TRACE, "boom")
        view.table.setFocus()
        view.table.selectRow(0)
        for key, rows in ((Qt.Key.Key_Right, 4), (Qt.Key.Key_Right, 4), (Qt.Key.Key_Left, 2)):
            qtbot.keyClick(view.table, key)
            assert view._model.rowCount() == rows
        qtbot.keyClick(view.table, Qt.Key.Key_Space)
        assert view._model.rowCount() == 4
        box = view.table.visualRect(view._model.index(0, Column.STEP))
        place = QPoint(box.left() + 6, box.center().y())
        qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert view._model.rowCount() == 2
        assert not view.grab().isNull()

    def test_menu_of_a_line_copies_and_shows_its_firing(self, qtbot, view, engine, bridge):
        """The same as Ctrl+C and a double click."""
        tell(engine, bridge, "boom", step=7)
        view.firing_action.trigger()
        view.table.selectRow(0)
        view.copy_action.trigger()
        assert QGuiApplication.clipboard().text() == "boom"
        with qtbot.waitSignal(view.step_chosen) as told:
            view.firing_action.trigger()
        assert told.args == [7]

    def test_match_is_written_in_plain_text(self, qtbot, view, engine, bridge):
        """Red on the ground of a match would be hard to read."""
        tell(engine, bridge, "boom")
        index = view._model.index(0, Column.TEXT)
        assert index.data(Qt.ItemDataRole.ForegroundRole) is not None
        with qtbot.waitSignal(view._model.matches_changed):
            view._model.find("boom")
        assert index.data(Qt.ItemDataRole.ForegroundRole) is None

    def test_saves_what_is_shown(self, qtbot, view, engine, bridge, tmp_path):
        """Closed entries whole; each line says its file while there are several."""
        tell(engine, bridge, TRACE)
        tell(engine, bridge, "out\ud83d\ude00", file="stdout")
        path = tmp_path / "all.log"
        with qtbot.waitSignal(view._saver.saved) as told:
            view.save(str(path))
        assert told.args == [f"2 lines saved in {path}."]
        assert path.read_text("utf-8", "surrogatepass").startswith(f"{HOOK_LOG}\t{TRACE}\nstdout\t")
        view.show_file(HOOK_LOG)
        with qtbot.waitSignal(view._saver.saved):
            view.save(str(path))
        assert path.read_text("utf-8") == f"{TRACE}\n"
        assert [found.name for found in tmp_path.iterdir()] == ["all.log"]

    def test_failure_to_save_is_a_sentence(self, qtbot, view, engine, bridge, tmp_path):
        """In the quiet place."""
        tell(engine, bridge, "x")
        with qtbot.waitSignal(bridge.remark_made) as told:
            view.save(str(tmp_path / "absent" / "x.log"))
        assert told.args[0].severity == "error"
        assert told.args[0].message.endswith("No such file or directory).")

    def test_dialog_offers_a_name(self, qtbot, view, engine, bridge):
        """After the file that is shown; the window does not wait."""
        tell(engine, bridge, "x")
        view.show_file(HOOK_LOG)
        view.save_button.click()
        (dialog,) = view.findChildren(LogSaveDialog)
        assert [name.rpartition("/")[2] for name in dialog.selectedFiles()] == ["a.log"]
        dialog.close()


def test_million_lines__no_stall(qtbot, engine, bridge):
    """They come in, are filtered and searched; the fixture watches every event."""
    model = LogModel(bridge)
    for start in range(0, 1_000_000, 10_000):
        lines = (
            LogLine("stdout", f"line {i}", "b" if i % 1_000 else "a", i // 100)
            for i in range(start, start + 10_000)
        )
        state = bridge.latest
        bridge._state = replace(state, logs=reducer._log(state.logs, lines))
        QTimer.singleShot(0, bridge, bridge.flush)
        qtbot.waitUntil(lambda end=start + 10_000: model.rowCount() == end)
    with qtbot.waitSignal(model.modelReset, timeout=60_000):
        model.set_filter(LogFilter(hook="a"))
    assert model.rowCount() == 1_000
    with qtbot.waitSignal(model.matches_changed, timeout=60_000):
        model.find("line 99")
    assert model.match_count == 11
