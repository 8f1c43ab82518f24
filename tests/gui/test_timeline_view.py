"""The timeline pane: following, choosing, filter, folding, firing again."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from inspector.gui.focus import FiringTarget, Focus
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.models.timeline_row import Column
from inspector.gui.views.timeline_view import TimelineView
from inspector.protocol.message import StepFinished
from tests.helpers import sample_state
from tests.helpers.sample_state import call, record


@pytest.fixture
def focus():
    """What the Detail pane shows."""
    return Focus()


@pytest.fixture
def view(qtbot, bridge, focus):
    """A shown timeline."""
    made = TimelineView(TimelineModel(bridge), focus)
    qtbot.addWidget(made)
    made.resize(700, 300)
    with qtbot.waitExposed(made):
        made.show()
    return made


def tell(engine, bridge, *records):
    """Finish steps and flush."""
    engine.tell(*map(StepFinished, records))
    bridge.flush()


def many(first, last):
    """Plain records."""
    return [record(step, "on-shell", call("a")) for step in range(first, last + 1)]


class TestFollow:
    """Staying at the newest row."""

    def test_newest_firing_is_chosen(self, view, engine, bridge, focus):
        """And shown in the Detail pane."""
        tell(engine, bridge, *many(1, 3))
        assert focus.target == FiringTarget(2, 0)
        tell(engine, bridge, *many(4, 4))
        assert focus.target == FiringTarget(3, 0)

    def test_end_stays_in_view(self, qtbot, view, engine, bridge):
        """While rows pour in."""
        tell(engine, bridge, *many(1, 200))
        qtbot.waitUntil(view.table.is_at_end)
        tell(engine, bridge, *many(201, 300))
        qtbot.waitUntil(view.table.is_at_end)

    def test_choosing_an_older_row_ends_it(self, view, engine, bridge, focus):
        """Nothing moves under the reader's eyes."""
        tell(engine, bridge, *many(1, 50))
        view.table.selectRow(3)
        assert not view.table.follows
        tell(engine, bridge, *many(51, 60))
        assert focus.target == FiringTarget(3, 0)
        assert view.current_firing().step == 4

    def test_button_brings_it_back(self, view, engine, bridge, focus):
        """At the newest row."""
        tell(engine, bridge, *many(1, 50))
        view.table.selectRow(3)
        view._follow_button.click()
        assert view.table.follows
        assert focus.target == FiringTarget(49, 0)

    def test_scrolling_up_ends_it_and_down_begins_it(self, qtbot, view, engine, bridge):
        """As in a log."""
        tell(engine, bridge, *many(1, 200))
        qtbot.waitUntil(view.table.is_at_end)
        bar = view.table.verticalScrollBar()
        bar.triggerAction(bar.SliderAction.SliderToMinimum)
        qtbot.waitUntil(lambda: not view.table.follows)
        bar.triggerAction(bar.SliderAction.SliderToMaximum)
        qtbot.waitUntil(lambda: view.table.follows)


class TestChoosing:
    """Rows and the Detail pane."""

    def test_focus_from_elsewhere_moves_the_row(self, view, engine, bridge, focus):
        """Without ending in a circle."""
        tell(engine, bridge, *sample_state.demo_records())
        view.set_follow(False)
        focus.show(FiringTarget(2, 1))
        assert view.table.model().target(view.table.current_row()) == FiringTarget(2, 1)

    def test_rows_are_copied_with_tabs(self, qtbot, view, engine, bridge):
        """One line each."""
        tell(engine, bridge, *many(1, 2))
        view.table.selectAll()
        qtbot.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == (
            "1\ton-shell\tobserve\ta\tnone\tignored\t53 µs\n"
            "2\ton-shell\tobserve\ta\tnone\tignored\t53 µs"
        )

    def test_keys_fold(self, qtbot, view, engine, bridge):
        """Left and Right; on a single call they do nothing."""
        tell(engine, bridge, record(1, "on-shell", call("a"), call("b")), *many(2, 2))
        view.table.selectRow(0)
        qtbot.keyClick(view.table, Qt.Key.Key_Left)
        assert view.table.model().rowCount() == 2
        qtbot.keyClick(view.table, Qt.Key.Key_Left)
        qtbot.keyClick(view.table, Qt.Key.Key_Right)
        assert view.table.model().rowCount() == 4

    def test_click_on_the_sign_folds(self, qtbot, view, engine, bridge):
        """In the first column."""
        tell(engine, bridge, record(1, "on-shell", call("a"), call("b")))
        place = view.table.visualRect(view.table.model().index(0, Column.STEP)).center()
        qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert view.table.model().rowCount() == 1


class TestFilter:
    """The filter field."""

    def test_typing_filters_after_a_rest(self, qtbot, view, engine, bridge):
        """With the number of rows."""
        tell(engine, bridge, *sample_state.demo_records())
        view.filter_field.setText("is:error")
        qtbot.waitUntil(lambda: view.table.model().rowCount() == 2)
        assert view._count.text() == "2 rows of 7 entries"

    def test_session_alone_is_an_empty_timeline(self, view, engine, bridge):
        """Says what to do; the line across comes with the first firing."""
        bridge.open_capsule("/c")
        bridge.flush()
        assert view.empty.isVisible()
        tell(engine, bridge, *many(1, 1))
        assert view.table.model().rowCount() == 2
        assert view.table.isVisible()

    def test_nothing_fits_says_so(self, qtbot, view, engine, bridge):
        """Not the same words as an empty timeline."""
        assert view.empty.title() == "Nothing fired yet"
        tell(engine, bridge, *many(1, 1))
        view.filter_field.setText("nowhere")
        qtbot.waitUntil(lambda: view.empty.title() == "No row fits the filter")
        assert view.empty.isVisible()

    def test_escape_clears_it(self, qtbot, view, engine, bridge):
        """And goes back to the rows."""
        tell(engine, bridge, *many(1, 2))
        view.focus_filter()
        view.filter_field.setText("step:1")
        qtbot.waitUntil(lambda: view.table.model().rowCount() == 1)
        qtbot.keyClick(view.filter_field, Qt.Key.Key_Escape)
        assert view.table.model().rowCount() == 2


class TestMenu:
    """What can be done with a row."""

    def entries(self, view):
        """The menu that is open, by text."""
        view._open_menu(QPoint(0, 0))
        menu = view.findChildren(QMenu)[-1]
        return {action.text(): action for action in menu.actions() if action.text()}

    def test_row_can_be_fired_and_loaded(self, qtbot, view, engine, bridge):
        """With the firing itself."""
        tell(engine, bridge, *many(1, 1))
        entries = self.entries(view)
        with qtbot.waitSignal(view.refire_requested) as told:
            entries["Fire again"].trigger()
        assert told.args[0].step == 1
        with qtbot.waitSignal(view.load_requested):
            entries["Put into the composer"].trigger()

    def test_line_across_cannot(self, view, engine, bridge):
        """It is no firing."""
        bridge.open_capsule("/c")
        tell(engine, bridge, *many(1, 1))
        view.table.selectRow(0)
        assert not self.entries(view)["Fire again"].isEnabled()


@pytest.mark.parametrize(
    ("width", "hidden"),
    [(700, []), (560, ["Phase"]), (450, ["Phase", "Time"]), (300, ["Phase", "Result", "Time"])],
)
def test_table__narrow__leaves_out_what_matters_least(qtbot, view, width, hidden):
    """Event, hook and outcome stay in sight."""
    table = view.table
    table.setParent(None)
    qtbot.addWidget(table)
    table.resize(width, 300)
    table.show()
    qtbot.waitUntil(lambda: table.viewport().width() <= width)
    titles = [
        table.model().headerData(column, Qt.Orientation.Horizontal)
        for column in range(table.model().columnCount())
        if table.isColumnHidden(column)
    ]
    assert titles == hidden


def test_paint__every_kind_of_row__shows(view, engine, bridge):
    """Marks, lines across, children, both palettes."""
    bridge.open_capsule("/c")
    tell(engine, bridge, *sample_state.demo_records())
    engine.die()
    bridge.flush()
    assert not view.grab().isNull()
