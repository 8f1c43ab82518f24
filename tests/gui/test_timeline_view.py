"""The timeline pane: following, choosing, filter, folding, firing again."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from inspector.gui.focus import FiringTarget, Focus
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.models.timeline_row import Column
from inspector.gui.views.timeline_view import TimelineView
from inspector.protocol.message import StepFinished
from inspector.workbench import search
from inspector.workbench.state import RowNote
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

    def test_chosen_row_stays_chosen(self, view, engine, bridge, focus):
        """While the filter lets it through, and again afterwards."""
        tell(engine, bridge, *many(1, 50))
        view.table.selectRow(9)
        for text in ("#5-20", "#1", ""):
            view.filter_field.setText(text)
            view.filter.apply()
            if text != "#1":
                assert view.current_firing().step == 10
        assert focus.target == FiringTarget(9, 0)

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

    def test_actions_stand_in_the_menu(self, view, engine, bridge):
        """In the order given, with lines between; copying always."""
        first, second = QAction("Fire again", view), QAction("Mark", view)
        view.set_menu_actions((first, None, second))
        tell(engine, bridge, *many(1, 1))
        view._open_menu(QPoint(0, 0))
        menu = view.findChildren(QMenu)[-1]
        texts = [action.text() or "-" for action in menu.actions()]
        assert texts == ["Fire again", "-", "Mark", "Copy rows"]
        menu.close()


class TestFilterField:
    """Errors, completion, help, pointing out."""

    def test_error_is_told_in_a_sentence(self, qtbot, view, engine, bridge):
        """And the rows stay as they were."""
        tell(engine, bridge, *sample_state.demo_records())
        view.filter_field.setText("is:error")
        view.filter.apply()
        count = view.table.model().rowCount()
        view.filter_field.setText("is:error phase:x")
        view.filter.apply()
        assert view.fault.startswith('phase: knows no "x"')
        assert view.filter_field.accessibleDescription() == view.fault
        assert view.table.model().rowCount() == count
        view.filter_field.setText("")
        view.filter.apply()
        assert view.fault == ""

    def test_word_at_the_end_is_completed(self, qtbot, view):
        """What stands before it is kept."""
        view.set_hooks(("gatekeeper", "a b"))
        qtbot.keyClicks(view.filter_field, "is:bad -hook:g")
        completer = view.filter_field.completer()
        qtbot.waitUntil(lambda: completer.completionCount() == 1)
        assert completer.currentCompletion() == "is:bad -hook:gatekeeper"
        completer.popup().hide()

    def test_down_offers_all_that_begins_so(self, qtbot, view):
        """Also when the popup was closed."""
        view.filter_field.setText("phase:")
        qtbot.keyClick(view.filter_field, Qt.Key.Key_Down)
        assert view.filter_field.completer().completionCount() == 6
        assert view.filter_field.completer().popup().isVisible()
        view.filter_field.completer().popup().hide()

    def test_help_adds_an_example(self, view):
        """To what is typed already."""
        view.filter_field.setText("hook:a ")
        view.filter.open_help()
        menu = view.filter.findChildren(QMenu)[-1]
        menu.actions()[0].trigger()
        assert view.filter_field.text() == "hook:a is:bad"
        assert view.table.model().query == search.parse("hook:a is:bad")
        menu.close()

    def test_pointing_out_keeps_all_rows(self, qtbot, view, engine, bridge):
        """Enter goes from one to the next, Shift+Enter back."""
        tell(engine, bridge, *many(1, 30))
        view.filter.highlight_button.click()
        view.filter_field.setText("#5-7")
        view.filter.apply()
        assert view.table.model().rowCount() == 30
        assert view._count.text() == "3 firings of 30 entries"
        view.set_follow(False)
        view.table.choose_row(-1)
        for step in (5, 6, 7, 5):
            qtbot.keyClick(view.filter_field, Qt.Key.Key_Return)
            assert view.current_firing().step == step
        qtbot.keyClick(
            view.filter_field, Qt.Key.Key_Return, modifier=Qt.KeyboardModifier.ShiftModifier
        )
        assert view.current_firing().step == 7

    def test_pointed_out_rows_look_other(self, view, engine, bridge):
        """By an edge and a ground."""
        tell(engine, bridge, *many(1, 3))
        view.set_follow(False)
        view.table.choose_row(-1)
        view.filter.highlight_button.click()
        before = view.table.grab().toImage()
        view.filter_field.setText("#2")
        view.filter.apply()
        after = view.table.grab().toImage()
        rect = view.table.visualRect(view.table.model().index(1, Column.STEP))
        corner = view.table.viewport().mapTo(view.table, rect.topLeft()) + QPoint(1, 8)
        assert before.pixelColor(corner) != after.pixelColor(corner)
        other = corner - QPoint(0, rect.height())
        assert before.pixelColor(other) == after.pixelColor(other)


class TestNotesAndMarks:
    """The line below the rows, the column, the pin."""

    def test_note_is_told_at_each_change_and_stays_at_escape(self, qtbot, view, engine, bridge):
        """Nothing typed is lost."""
        tell(engine, bridge, *many(1, 1))
        written = []
        view.note_bar.written.connect(lambda step, text: written.append((step, text)))
        view.note_bar.open_note(1, "old")
        view.note_bar.field.selectAll()
        qtbot.keyClicks(view.note_bar.field, "ab")
        qtbot.keyClick(view.note_bar.field, Qt.Key.Key_Escape)
        assert written == [(1, "a"), (1, "ab")]
        assert not view.note_bar.isVisible()

    def test_column_of_notes_shows_with_the_first_note(self, qtbot, view, engine, bridge):
        """In a table that is wide enough."""
        tell(engine, bridge, *many(1, 1))
        view.resize(1000, 300)
        qtbot.waitUntil(lambda: view.table.viewport().width() > 900)
        assert view.table.isColumnHidden(Column.NOTE)
        view.set_has_notes(True)
        assert not view.table.isColumnHidden(Column.NOTE)

    def test_ways_say_whether_there_was_one(self, view, engine, bridge):
        """Nothing moves without one."""
        tell(engine, bridge, *sample_state.demo_records())
        assert not view.go_to_marked(True)
        bridge.take_note(RowNote(5, True))
        bridge.flush()
        assert view.go_to_marked(True)
        assert view.current_firing().step == 5
        assert view.go_to_bad(False)
        assert view.current_firing().step == 4
        assert not view.table.follows

    def test_selected_firings_are_each_once(self, view, engine, bridge):
        """Also when several of its rows are chosen."""
        tell(engine, bridge, record(1, "on-shell", call("a"), call("b")), *many(2, 3))
        view.table.selectAll()
        assert [firing.step for firing in view.selected_firings()] == [1, 2, 3]


@pytest.mark.parametrize(
    ("width", "hidden"),
    [
        (1000, []),
        (650, ["Note"]),
        (560, ["Phase", "Note"]),
        (450, ["Phase", "Time", "Note"]),
        (300, ["Phase", "Result", "Time", "Note"]),
    ],
)
def test_table__narrow__leaves_out_what_matters_least(qtbot, view, width, hidden):
    """Event, hook and outcome stay in sight."""
    table = view.table
    table.setParent(None)
    table.set_has_notes(True)
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
