"""Firing many against a real engine: exact counts, stop, and an engine that dies."""

import os
import signal
from collections import Counter

import pytest

from inspector.gui.engine_client import EngineClient
from inspector.gui.main_window import MainWindow
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Decide, Observe
from inspector.workbench.burst import Ending, Plan, Shot
from inspector.workbench.state import EngineStatus, Firing

pytestmark = [pytest.mark.e2e, pytest.mark.qt_log_ignore("This plugin does not support")]

PATIENCE_MS = 60_000


@pytest.fixture
def window(qtbot, tmp_path):
    """A shown window with the tour open in an engine of its own."""
    made = MainWindow(WorkbenchBridge(EngineClient()), tmp_path / "window.json")
    with qtbot.waitExposed(made):
        made.show()
    made.open_capsule("sample:tour")
    settle(qtbot, made)
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


def rows(window):
    """The firings of the window, oldest first."""
    return [item for item in window.bridge.state.history.items if isinstance(item, Firing)]


def test_burst__two_actions_many_rounds__counts_what_the_engine_did(qtbot, window):
    """Every one has its record, in order, and the sums agree."""
    shots = (
        Shot(Decide("on-shell", {"binary": "/bin/rm"}), "rm"),
        Shot(Decide("on-shell", {"binary": "/bin/ls"}), "ls"),
    )
    window.bursts.start(Plan(shots, 250, title="rm and ls"))
    settle(qtbot, window)
    progress = window.bursts.burst.progress()
    assert (progress.sent, progress.finished, progress.ending) == (500, 500, Ending.DONE)
    found = rows(window)
    assert [row.label for row in found] == ["rm", "ls"] * 250
    verdicts = Counter((row.label, row.record.outcome.decision.verdict) for row in found)
    assert verdicts == {("rm", "denied"): 250, ("ls", "proceed"): 250}
    assert window.bridge.state.counts.denied == 250


def test_burst__stopped__leaves_the_hooks_as_they_are(qtbot, window):
    """No call is interrupted, so nothing is poisoned."""
    window.bursts.start(Plan((Shot(Observe("on-shell")),), None))
    qtbot.waitUntil(lambda: window.bursts.burst.progress().finished > 20, timeout=PATIENCE_MS)
    window.actions_table["stop"].trigger()
    settle(qtbot, window)
    progress = window.bursts.burst.progress()
    assert progress.ending is Ending.STOPPED
    assert progress.sent == progress.finished == len(rows(window))
    assert all(hook.state == "ready" for hook in window.bridge.state.hooks.values())


def test_burst__engine_killed__ends_by_itself_with_exact_counts(qtbot, window):
    """Nothing is sent to the next engine."""
    window.bursts.start(Plan((Shot(Observe("on-shell")),), None, title="until it ends"))
    qtbot.waitUntil(lambda: window.bursts.burst.progress().finished > 20, timeout=PATIENCE_MS)
    os.kill(window.bridge.latest.engine.pid, signal.SIGKILL)
    qtbot.waitUntil(
        lambda: window.bridge.state.engine.status is EngineStatus.LOST, timeout=PATIENCE_MS
    )
    settle(qtbot, window)
    progress = window.bursts.burst.progress()
    assert progress.ending is Ending.LOST
    assert progress.sent == progress.finished + progress.lost == len(rows(window))
    window.bridge.restart_engine()
    settle(qtbot, window)
    assert len(rows(window)) == progress.sent


def test_burst__edge_cases_of_each_event__all_come_to_something(qtbot, window):
    """The whole pack through a real engine."""
    for event in ("on-stage", "on-tool-call", "on-compaction"):
        before = window.bursts.burst
        window.composer_link.choose_event(event)
        window.actions_table["fire-edge-cases"].trigger()
        qtbot.waitUntil(lambda b=before: window.bursts.burst is not b, timeout=PATIENCE_MS)
        settle(qtbot, window)
        progress = window.bursts.burst.progress()
        assert progress.finished == progress.total
