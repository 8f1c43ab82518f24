"""Session pane, hook page and logs of the whole window over a real engine."""

import pytest

from inspector.gui.engine_client import EngineClient
from inspector.gui.focus import FiringTarget, HookTarget
from inspector.gui.main_window import MainWindow
from inspector.gui.models.log_model import LogModel
from inspector.gui.views import hook_page
from inspector.gui.views.session_view import SETTINGS, TASK
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Observe
from inspector.workbench.memory_view import PAGE_BYTES
from inspector.workbench.state import Firing

pytestmark = [pytest.mark.e2e, pytest.mark.qt_log_ignore("This plugin does not support")]

PATIENCE_MS = 30_000


def make(qtbot, state_path):
    """A shown window with an engine of its own."""
    made = MainWindow(WorkbenchBridge(EngineClient()), state_path)
    with qtbot.waitExposed(made):
        made.show()
    return made


def close(qtbot, window):
    """Close it and wait for its engine."""
    with qtbot.waitSignal(window.closed, timeout=PATIENCE_MS):
        window.close()
    window.deleteLater()


@pytest.fixture
def window(qtbot, tmp_path):
    """A shown window."""
    made = make(qtbot, tmp_path / "window.json")
    yield made
    close(qtbot, made)


def settle(qtbot, window):
    """Wait until nothing runs."""
    bridge = window.bridge
    qtbot.waitUntil(
        lambda: bridge.is_settled and bridge.state is bridge.latest, timeout=PATIENCE_MS
    )


def open_sample(qtbot, window, name):
    """Open a sample capsule."""
    window.open_capsule(f"sample:{name}")
    settle(qtbot, window)
    assert window.bridge.state.open_error is None


def fire(qtbot, window, event, **fields):
    """Fire one event."""
    before = window.bridge.state.counts.fired
    window.bridge.fire(Observe(event, fields))
    qtbot.waitUntil(lambda: window.bridge.state.counts.fired > before, timeout=PATIENCE_MS)
    settle(qtbot, window)


def test_task__begun_in_the_pane__is_read_by_the_hook_and_counted(qtbot, window):
    """The granted hook prints the tokens of the output; its ledger counts the use."""
    open_sample(qtbot, window, "tour")
    window.session.show_page(TASK)
    task = window.session.task
    task.original.set_value("Write a letter")
    task.original.changed.emit()
    task.begin_button.click()
    settle(qtbot, window)
    task.output.set_value("Dear all")
    task.output.changed.emit()
    task.output_button.click()
    settle(qtbot, window)
    fire(qtbot, window, "on-task-end")
    lines = [line.text for line in window.bridge.state.logs.lines if line.hook == "meter"]
    assert lines == ["2 tokens"]
    ledger = window.bridge.state.ledgers["meter"]
    used = next(use for use in ledger.uses if use.kind == "task_io")
    assert used.uses > 0
    assert used.line is not None
    window.focus.show(HookTarget("meter"))
    page = window.detail.hook_page
    page.show_tab(hook_page.GRANTS)
    qtbot.waitUntil(lambda: page.grants.ledger.properties[0].name == "Used")


def test_memory__of_a_growing_hook__is_measured_and_read(qtbot, window):
    """A reset makes it small again; the curve has both instances."""
    open_sample(qtbot, window, "faults")
    fire(qtbot, window, "on-compaction")
    window.focus.show(HookTarget("grows"))
    page = window.detail.hook_page
    page.show_tab(hook_page.MEMORY)
    large = window.bridge.state.hooks["grows"].memory_bytes
    # The pane may still show the hook before.
    note = f"Page 1 of {large // PAGE_BYTES}"
    qtbot.waitUntil(lambda: page.memory.note.text().startswith(note), timeout=PATIENCE_MS)
    assert len(page.memory.model.page) == PAGE_BYTES
    page.memory.offset.setText(str(large - 1))
    page.memory.offset.returnPressed.emit()
    qtbot.waitUntil(lambda: page.memory.model.offset == large - PAGE_BYTES, timeout=PATIENCE_MS)
    page.instance.reset_button.click()
    settle(qtbot, window)
    curve = page.meter.curve("grows")
    assert curve.generations == 2
    assert curve.samples[-1].memory_bytes < curve.peak_bytes == large
    qtbot.waitUntil(lambda: page.instance.age.text().startswith("made anew 1 ×"))


def test_settings__lenient_imports__let_a_rejected_hook_run(qtbot, window):
    """The capsule is read anew for it."""
    open_sample(qtbot, window, "faults")
    assert not window.bridge.state.hook("unlinkable").accepted
    window.session.show_page(SETTINGS)
    window.session.form.lenient_box.click()
    window.actions_table["start-session"].trigger()
    settle(qtbot, window)
    assert window.bridge.state.hook("unlinkable").accepted
    assert window.bridge.used_settings.lenient_imports


def test_settings__typed_in_one_window__make_the_session_of_the_next(qtbot, tmp_path):
    """Also what is not valid yet comes back."""
    state_path = tmp_path / "window.json"
    first = make(qtbot, state_path)
    form = first.session.form
    form.model.box.click()
    form.model.field.set_value("mine")
    form.model.field.changed.emit()
    first.session.task.original.set_value("half a task")
    close(qtbot, first)
    second = make(qtbot, state_path)
    open_sample(qtbot, second, "tour")
    assert second.bridge.state.session.started.context["model"] == "mine"
    assert second.session.task.draft.original == "half a task"
    close(qtbot, second)


def test_logs__trap_with_backtrace__leads_to_its_firing_and_back(qtbot, window):
    """One row for the entry; its lines are marked for the firing."""
    open_sample(qtbot, window, "faults")
    for event in ("on-task-start", "on-inference", "on-tool-call"):
        fire(qtbot, window, event)
    model = window.logs._model
    rows = range(model.rowCount())
    row = next(r for r in rows if model.index(r, 0).data(LogModel.Role.EXPANDED) is False)
    line = model.line(row)
    assert "trapped" in line.text
    assert "wasm backtrace" in model.text_of(row)
    window.logs.table.selectRow(row)
    assert window.timeline.current_firing().step == line.step
    window.logs.table.doubleClicked.emit(model.index(row, 0))
    assert isinstance(window.focus.target, FiringTarget)
    assert model.step == line.step
    firings = [item for item in window.bridge.state.history.items if isinstance(item, Firing)]
    assert firings[-1].step != line.step
