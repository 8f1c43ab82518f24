"""The whole window over a real engine: open, fire, stop, kill, restart, close."""

import os
import signal
import subprocess
import sys

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from inspector.errors import ErrorKind, InspectorError
from inspector.gui import app as gui_app
from inspector.gui.engine_client import EngineClient
from inspector.gui.focus import FiringTarget
from inspector.gui.main_window import MainWindow
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Decide, Observe, Pump, SessionSettings
from inspector.workbench import sample, scenario, verdict
from inspector.workbench.screenshot import ScreenshotPlan
from inspector.workbench.state import EngineStatus, Firing

pytestmark = [pytest.mark.e2e, pytest.mark.qt_log_ignore("This plugin does not support")]

PATIENCE_MS = 30_000


@pytest.fixture
def window(qtbot, tmp_path):
    """A shown window with an engine of its own."""
    made = MainWindow(WorkbenchBridge(EngineClient()), tmp_path / "window.json")
    with qtbot.waitExposed(made):
        made.show()
    yield made
    with qtbot.waitSignal(made.closed, timeout=PATIENCE_MS):
        made.close()
    made.deleteLater()


def settle(qtbot, window):
    """Wait until nothing runs."""
    bridge = window.bridge
    qtbot.waitUntil(
        lambda: bridge.is_settled and bridge.state is bridge.latest, timeout=PATIENCE_MS
    )


def open_sample(qtbot, window, name, settings=None):
    """Open a sample capsule."""
    window.bridge.settings = settings or SessionSettings()
    window.open_capsule(f"sample:{name}")
    settle(qtbot, window)
    assert window.bridge.state.open_error is None


def firings(window):
    """The firings of the window, oldest first."""
    return [item for item in window.bridge.state.history.items if isinstance(item, Firing)]


def test_tour__every_step__ends_as_the_scenario_says(qtbot, window):
    """A whole session: one hook for each arm that an event honors."""
    steps = scenario.load(sample.scenario_path("sample:tour"))
    open_sample(qtbot, window, "tour", steps.settings)
    window.bridge.fire_all(steps.actions())
    settle(qtbot, window)
    state = window.bridge.state
    assert (state.counts.errors, state.counts.faults, state.counts.denied) == (0, 0, 1)
    assert {hook.state for hook in state.hooks.values()} == {"ready"}
    outcomes = {firing.event: firing.record.outcome for firing in firings(window)}
    assert outcomes["on-stage"].manifests
    assert outcomes["on-compaction"].replacement
    assert window.timeline.table.model().rowCount() > len(firings(window))


def test_faults__every_step__is_explained(qtbot, window):
    """Every way to go wrong shows in timeline, rail, logs and Detail."""
    steps = scenario.load(sample.scenario_path("sample:faults"))
    open_sample(qtbot, window, "faults", steps.settings)
    assert window.notices.refusal.isVisible()
    assert {hook.name for hook in window.bridge.state.inspection.hooks if not hook.accepted} == {
        "retired",
        "incomplete",
        "unlinkable",
    }
    window.bridge.fire_all(steps.actions())
    settle(qtbot, window)
    words = {verdict.of_call(call).word for f in firings(window) for call in f.record.calls}
    assert {"fault", "error", "refused"} <= words
    assert window.rail.station("on-inference").has_mark
    assert window.bridge.state.logs.counts["faults"]
    for index, item in enumerate(window.bridge.state.history.items):
        if isinstance(item, Firing):
            for call in range(len(item.record.calls)):
                window.focus.show(FiringTarget(index, call))
                window.detail.refresh()
                assert len(window.detail.firing_page.head.texts()) >= 4


def _blocking(window):
    hooks = window.bridge.state.inspection.hooks
    return [hook for hook in hooks if hook.execution_mode == "blocking"]


def test_composer__fire_by_action__shows_the_row(qtbot, window):
    """What a user does: choose an event, fire, read."""
    open_sample(qtbot, window, "tour")
    window.composer_link.choose_event("on-inference")
    window.actions_table["fire"].trigger()
    settle(qtbot, window)
    (firing,) = firings(window)
    assert firing.record.outcome.artifacts
    assert window.focus.target.index == window.bridge.state.history.items.end - 1


def test_stop__spinning_hook__is_interrupted_long_before_its_deadline(qtbot, window):
    """The engine stays; the row says who stopped it."""
    open_sample(qtbot, window, "faults")
    window.bridge.fire(Observe("on-session-end", {"exit-status": "ok"}))
    qtbot.waitUntil(
        lambda: (
            any(hook.state == "running" for hook in window.bridge.state.hooks.values())
            or not window.bridge.latest.running
        ),
        timeout=PATIENCE_MS,
    )
    window.bridge.interrupt()
    settle(qtbot, window)
    assert window.bridge.state.engine.status is EngineStatus.READY
    assert firings(window)[0].record is not None
    window.bridge.fire(Observe("on-stage"))
    settle(qtbot, window)
    assert firings(window)[1].record is not None


def test_engine__killed_by_hand__is_replaced_and_nothing_is_lost(qtbot, window):
    """A banner, a restart, a fresh session, marked in the timeline."""
    open_sample(qtbot, window, "tour")
    window.bridge.fire(Decide("on-shell", {"binary": "/bin/rm"}))
    settle(qtbot, window)
    pid = window.bridge.state.engine.pid
    os.kill(pid, signal.SIGKILL)
    qtbot.waitUntil(
        lambda: window.bridge.state.engine.status is EngineStatus.LOST, timeout=PATIENCE_MS
    )
    assert window.notices.engine.isVisible()
    window.notices.engine.action_button.click()
    settle(qtbot, window)
    state = window.bridge.state
    assert state.engine.pid not in (0, pid)
    assert state.session.number == 2
    assert not window.notices.engine.isVisible()
    assert len(firings(window)) == 1
    window.bridge.fire(Decide("on-shell", {"binary": "/bin/rm"}))
    settle(qtbot, window)
    assert [firing.record.outcome.decision.verdict for firing in firings(window)] == [
        "denied",
        "denied",
    ]


def test_open__nothing_there__is_one_sentence_in_the_window(qtbot, window, tmp_path):
    """And the next capsule opens."""
    window.open_capsule(str(tmp_path / "nothing"))
    settle(qtbot, window)
    assert window.notices.open_error.isVisible()
    assert "nothing" in window.notices.open_error.message()
    open_sample(qtbot, window, "tour")
    assert not window.notices.open_error.isVisible()


@pytest.mark.parametrize("profile", ["0.1", "0.4"])
def test_profile__another_one__judges_anew(qtbot, window, profile):
    """As the page of each blocking hook says under the first profile.

    Runtime 0.1.0 makes async hooks only when an event comes, so it refuses none at a
    launch (spec/contract.md 8).
    """
    open_sample(qtbot, window, "tour")
    promised = {hook.name: hook.profiles[profile] for hook in _blocking(window)}
    window.bridge.choose_profile(profile)
    settle(qtbot, window)
    state = window.bridge.state
    assert state.profile == profile
    assert {hook.name: hook.accepted for hook in _blocking(window)} == promised
    assert window.composer.action() is not None


def test_held_workers__queue_fills__until_they_are_let_go(qtbot, window):
    """The queue is in sight; what was held ends with the next step."""
    open_sample(qtbot, window, "tour")
    window.session.held_box.click()
    qtbot.waitUntil(lambda: window.bridge.state.session.held, timeout=PATIENCE_MS)
    window.bridge.fire_all([Observe("on-tool-call")] * 5)
    settle(qtbot, window)
    qtbot.waitUntil(
        lambda: window.bridge.state.hooks["counter"].queue_length == 5, timeout=PATIENCE_MS
    )
    window.session.held_box.click()
    window.bridge.fire(Pump())
    settle(qtbot, window)
    assert window.bridge.state.hooks["counter"].queue_length == 0
    assert not window.session.held_box.isChecked()


def plan(tmp_path, **changes):
    """A screenshot to take."""
    values = {
        "capsule": "sample:tour",
        "out": str(tmp_path / "out.png"),
        "size": (1000, 700),
        "theme": "dark",
    }
    return ScreenshotPlan(**{**values, **changes})


class TestScreenshot:
    """take_screenshot."""

    def test_picture_of_the_telling_row(self, qapp, tmp_path):
        """In the size and theme that were asked for, with something on it."""
        steps = tuple(scenario.load(sample.scenario_path("sample:tour")).actions())
        assert gui_app.take_screenshot(plan(tmp_path, actions=steps)) == 0
        picture = QImage(str(tmp_path / "out.png"))
        assert (picture.width(), picture.height()) == (1000, 700)
        colors = {picture.pixel(x, y) for x in range(0, 1000, 7) for y in range(0, 700, 7)}
        assert len(colors) > 20
        assert picture.pixelColor(3, 3).lightness() < 80

    def test_capsule_that_does_not_open(self, qapp, tmp_path):
        """The engine's own error; no picture."""
        with pytest.raises(InspectorError) as caught:
            gui_app.take_screenshot(plan(tmp_path, capsule=str(tmp_path / "none")))
        assert caught.value.kind is ErrorKind.UNREADABLE_CAPSULE
        assert not (tmp_path / "out.png").exists()

    def test_place_that_cannot_be_written(self, qapp, tmp_path):
        """Told after all."""
        with pytest.raises(InspectorError) as caught:
            gui_app.take_screenshot(plan(tmp_path, out=str(tmp_path / "no" / "out.png")))
        assert caught.value.kind is ErrorKind.NOT_WRITABLE


def test_import__app__brings_no_wasmtime():
    """The window never shares a process with a guest."""
    code = "import sys, inspector.gui.app; sys.exit('wasmtime' in sys.modules)"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
    )


class TestRun:
    """run."""

    @pytest.fixture(autouse=True)
    def own_process_settings(self, monkeypatch, tmp_path):
        """What a program may change and a test must not."""
        monkeypatch.setenv("CAPSULE_INSPECTOR_HOME", str(tmp_path))
        monkeypatch.setattr(sys, "excepthook", sys.excepthook)
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        monkeypatch.setattr(gui_app.logs, "configure", lambda _: None)

    def close_when(self, condition):
        """Close the program's window once a condition on its state holds."""
        timer = QTimer()

        def look():
            for window in QApplication.topLevelWidgets():
                if isinstance(window, MainWindow) and window.isVisible():
                    self.seen = window.bridge.state
                    if condition(window.bridge):
                        timer.stop()
                        window.close()

        timer.timeout.connect(look)
        timer.start(20)
        return timer

    def test_demo_plays_its_scenario(self, qapp):
        """Until the window is closed; then the engine is gone, too."""
        timer = self.close_when(lambda bridge: bridge.is_settled and bridge.state.counts.denied)
        assert gui_app.run(None, None, True) == 0
        assert not timer.isActive()
        assert self.seen.inspection.capsule.name == "tour"
        assert self.seen.counts.fired > 5

    def test_capsule_alone_is_opened(self, qapp):
        """Nothing is fired."""
        self.close_when(lambda bridge: bridge.state.session is not None)
        assert gui_app.run("sample:faults", None, False) == 0
        assert self.seen.counts.fired == 0

    def test_bad_scenario_opens_no_window(self, qapp, tmp_path):
        """The error is the scenario reader's."""
        path = tmp_path / "bad.yaml"
        path.write_text("scenario: 1\nsteps: [on-fire]\n")
        with pytest.raises(InspectorError) as caught:
            gui_app.run(None, str(path), False)
        assert caught.value.kind is ErrorKind.UNREADABLE_SCENARIO
