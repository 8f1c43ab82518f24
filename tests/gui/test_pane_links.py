"""Between panes: a line marks its firing, a hook's page stays in view."""

import pytest

from inspector.gui.focus import FiringTarget, Focus, HookTarget, LogTarget
from inspector.gui.main_window import MainWindow
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.views.session_view import SETTINGS
from inspector.gui.views.timeline_view import TimelineView
from inspector.protocol.message import Drain, Fire, LogAppended, Pump, StartSession, StepFinished
from tests.helpers.sample_state import call, record


class TestTimeline:
    """What the timeline does to the focus."""

    @pytest.fixture
    def focus(self):
        """What the Detail pane shows."""
        return Focus()

    @pytest.fixture
    def view(self, qtbot, bridge, focus):
        """A timeline that follows."""
        made = TimelineView(TimelineModel(bridge), focus)
        qtbot.addWidget(made)
        return made

    def tell(self, engine, bridge, *records):
        """Finish steps and flush."""
        engine.tell(*map(StepFinished, records))
        bridge.flush()

    def test_reset_of_a_hook_that_is_shown_leaves_it_in_view(self, view, engine, bridge, focus):
        """The next event is shown again."""
        focus.show(HookTarget("a"))
        self.tell(engine, bridge, record(1, "reset", phase="control"))
        assert focus.target == HookTarget("a")
        assert view.current_firing().step == 1
        self.tell(engine, bridge, record(2, "on-shell", call("a")))
        assert focus.target == FiringTarget(1, 0)
        self.tell(engine, bridge, record(3, "pump", phase="control"))
        assert focus.target == FiringTarget(2)

    def test_firing_is_marked_without_being_shown(self, view, engine, bridge, focus):
        """The Detail pane keeps the line."""
        self.tell(engine, bridge, *(record(step, "on-shell", call("a")) for step in (1, 2, 3)))
        focus.show(LogTarget(0))
        view.mark_firing(0)
        assert view.current_firing().step == 1
        assert focus.target == LogTarget(0)
        assert not view.table.follows


class TestWindow:
    """MainWindow."""

    @pytest.fixture
    def window(self, qtbot, bridge, tmp_path):
        """A window with a capsule."""
        made = MainWindow(bridge, tmp_path / "window.json")
        qtbot.addWidget(made)
        bridge.open_capsule("/c")
        bridge.flush()
        return made

    def test_line_chooses_the_row_of_its_firing(self, window, bridge, engine):
        """And the other way round: the lines of a firing are marked."""
        for step in (1, 2):
            engine.tell(StepFinished(record(step, "on-shell", call("a"))))
            engine.tell(LogAppended("stdout", f"line {step}", "a", step))
        bridge.flush()
        window.logs.table.selectRow(0)
        assert window.timeline.current_firing().step == 1
        assert window.logs._model.step == 1
        window.focus.show(FiringTarget(bridge.state.history.items.end - 1))
        assert window.logs._model.step == 2

    def test_longest_call_leads_to_its_firing(self, window, bridge, engine):
        """From the hook's page."""
        engine.tell(StepFinished(record(5, "on-shell", call("compactor"))))
        bridge.flush()
        window.detail.hook_page.step_chosen.emit(5)
        assert isinstance(window.focus.target, FiringTarget)

    def test_actions_start_pump_and_drain(self, window, bridge, engine):
        """They are off without a session."""
        table = window.actions_table
        for action_id in ("pump", "drain"):
            table[action_id].trigger()
        actions = [request.action for request in engine.requests if isinstance(request, Fire)]
        assert actions == [Pump(), Drain()]
        bridge.flush()
        table["start-session"].trigger()
        assert sum(isinstance(request, StartSession) for request in engine.requests) == 2
        engine.die()
        bridge.flush()
        assert not table["pump"].isEnabled()

    def test_start_with_settings_that_are_not_valid_says_why(self, window, bridge, engine):
        """The page with the field comes up."""
        form = window.session.form
        form.home.line.setText("half")
        form.home.line.textEdited.emit("half")
        window.actions_table["start-session"].trigger()
        bridge.flush()
        assert sum(isinstance(request, StartSession) for request in engine.requests) == 1
        assert window.session.chooser.current() == SETTINGS
        assert window.notices.remark.message().startswith("Murmur home: Give the whole path")

    def test_what_is_typed_is_remembered(self, qtbot, window, bridge, tmp_path):
        """Settings and task."""
        window.session.form.model.box.click()
        window.session.form.model.field.set_value("m")
        window.session.form.model.field.changed.emit()
        window.session.task.original.set_value("t")
        state = window.current_state()
        assert (state.session.model, state.task.original) == ("m", "t")
