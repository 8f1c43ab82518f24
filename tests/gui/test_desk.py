"""Desktop habits of the whole window over an engine without a process."""

import json
import subprocess
import sys

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QTabBar, QWidget

from inspector.gui import theme, window_state, window_zoom
from inspector.gui.dialogs.about_dialog import AboutDialog
from inspector.gui.dialogs.notice_dialog import NoticeDialog
from inspector.gui.dialogs.open_dialog import ScenarioDialog
from inspector.gui.focus import FindingTarget, HookTarget, Place
from inspector.gui.main_window import MainWindow
from inspector.gui.widgets import look
from inspector.gui.window_state import WindowState
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import CapsuleOpened, Fire, OpenCapsule, StartSession
from inspector.workbench.state import Firing
from tests.helpers import sample_state
from tests.helpers.fake_port import FakePort

ENTRY = "  - {name: audit-trail, runtime: hook}"
MANIFEST = "\n".join(["name: ledger-demo", *["#"] * 12, ENTRY, *["#"] * 8, "    name: legacy"])


@pytest.fixture
def state_path(tmp_path):
    """The file of what is remembered."""
    return tmp_path / "window.json"


@pytest.fixture
def make(qtbot, qapp, state_path):
    """Make a window and show it; text is as large as at first afterwards."""
    windows = []

    def build(engine: FakePort | None = None) -> MainWindow:
        window = MainWindow(WorkbenchBridge(engine or FakePort()), state_path)
        windows.append(window)
        with qtbot.waitExposed(window):
            window.show()
        return window

    yield build
    for window in windows:
        window.close()
        window.deleteLater()
    window_zoom.apply(qapp, window_zoom.NORMAL)
    theme.apply(qapp, "light")


@pytest.fixture
def engine():
    """Its engine."""
    made = FakePort()
    made.inspection = sample_state.inspection(diagnostics=sample_state.demo_diagnostics())
    return made


@pytest.fixture
def window(make, engine):
    """A window with an open capsule and its manifest."""
    made = make(engine)
    made.open_capsule("/c")
    engine.tell(CapsuleOpened(engine.inspection, MANIFEST))
    made.bridge.flush()
    return made


def drop(window, *paths):
    """Drop files on the window."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    button, key = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(1, 1), Qt.DropAction.CopyAction, data, button, key)
    enter.ignore()
    window.dragEnterEvent(enter)
    event = QDropEvent(QPointF(1, 1), Qt.DropAction.CopyAction, data, button, key)
    window.dropEvent(event)
    window.bridge.flush()
    return enter.isAccepted()


def opened(engine):
    """Paths that were asked for."""
    return [found.path for found in engine.requests if isinstance(found, OpenCapsule)]


def remarks(window):
    """Sentences of the quiet place."""
    window.bridge.flush()
    return [remark.message for remark in window.bridge.state.remarks]


class TestPalette:
    """Ctrl+K."""

    def open(self, qtbot, window):
        """By its key, with the focus in it."""
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        view = window.desk.palette.view
        qtbot.waitUntil(view.field.hasFocus)
        return view

    def test_keys_alone_find_and_do(self, qtbot, window):
        """The focus goes back to where it was."""
        window.activateWindow()
        window.hooks.setFocus()
        qtbot.waitUntil(lambda: window.hooks.isAncestorOf(QApplication.focusWidget()))
        view = self.open(qtbot, window)
        qtbot.keyClicks(view.field, "event task end")
        qtbot.keyClick(view.field, Qt.Key.Key_Return)
        assert not view.isVisible()
        assert window.composer.event_name() == "on-task-end"
        qtbot.waitUntil(lambda: window.hooks.isAncestorOf(QApplication.focusWidget()))

    def test_letters_and_digits_are_no_shortcuts_in_it(self, qtbot, window, engine):
        """Neither R nor 8 nor Esc reach the window."""
        before = window.composer.event_name()
        view = self.open(qtbot, window)
        sent = len(engine.requests)
        qtbot.keyClicks(view.field, "r8")
        assert view.field.text() == "r8"
        qtbot.keyClick(view.field, Qt.Key.Key_Escape)
        assert not view.isVisible()
        assert window.composer.event_name() == before
        assert (engine.interrupts, len(engine.requests)) == (0, sent)

    def test_arrows_go_round_and_pages_stop(self, qtbot, window):
        """Tab is an arrow, too."""
        view = self.open(qtbot, window)
        rows = view.model.rowCount()
        qtbot.keyClick(view.field, Qt.Key.Key_Up)
        assert view.list.currentIndex().row() == rows - 1
        qtbot.keyClick(view.field, Qt.Key.Key_Down)
        assert view.list.currentIndex().row() == 0
        qtbot.keyClick(view.field, Qt.Key.Key_Tab)
        qtbot.keyClick(view.field, Qt.Key.Key_PageUp)
        assert view.list.currentIndex().row() == 0
        qtbot.keyClick(view.field, Qt.Key.Key_PageDown)
        assert view.list.currentIndex().row() == 10

    def test_entry_that_cannot_be_done_stays_and_says_why(self, qtbot, window):
        """Enter does nothing."""
        view = self.open(qtbot, window)
        qtbot.keyClicks(view.field, "restart engine")
        assert view.current().id == "action:restart-engine"
        assert view.foot.text() == "The engine is running."
        qtbot.keyClick(view.field, Qt.Key.Key_Return)
        assert view.isVisible()

    def test_offers_everything_by_its_kind(self, window, tmp_path):
        """Actions with keys, hooks, events, recent ones, samples, scenarios."""
        window.memory.recent = (str(tmp_path), "/gone/away")
        entries = {entry.id: entry for entry in window.desk.palette.entries()}
        assert set(window.actions_table.ids()) - {"palette"} <= {
            found.removeprefix("action:") for found in entries
        }
        assert entries["action:fire"].keys == "Ctrl+Return"
        assert entries["hook:legacy"].detail.startswith("rejected")
        assert entries[f"capsule:{tmp_path}"].reason == ""
        assert entries["capsule:/gone/away"].reason == "No longer there: /gone/away"
        assert entries["capsule:sample:tour"].kind == "Sample"
        assert entries["scenario:tour/tour"].title == "Run tour"

    def test_hook_is_shown(self, qtbot, window):
        """Its page."""
        view = self.open(qtbot, window)
        qtbot.keyClicks(view.field, "hook compactor")
        qtbot.keyClick(view.field, Qt.Key.Key_Return)
        assert window.focus.target == HookTarget("compactor")

    def test_click_elsewhere_closes_it(self, qtbot, window):
        """Whoever took the focus keeps it."""
        view = self.open(qtbot, window)
        window.hooks.setFocus()
        qtbot.waitUntil(lambda: not view.isVisible())
        assert window.hooks.isAncestorOf(QApplication.focusWidget())

    def test_nothing_found_says_so(self, qtbot, window):
        """And Enter does nothing."""
        view = self.open(qtbot, window)
        qtbot.keyClicks(view.field, "zzzzqqq")
        assert view.foot.text().startswith("Nothing is called so.")
        qtbot.keyClick(view.field, Qt.Key.Key_Return)
        assert view.isVisible()

    def test_stays_inside_a_narrow_window(self, qtbot, window):
        """Also when that gets narrower while it is open."""
        view = self.open(qtbot, window)
        window.resize(800, 700)
        qtbot.waitUntil(lambda: view.geometry().right() < window.width())
        assert window.rect().contains(view.geometry())


class TestDrop:
    """Files that are dropped."""

    @pytest.mark.parametrize("name", ["murmur.yaml", "h-1.0.0.mur.zip", "h.wasm", "h.wat"])
    def test_capsule_file_is_opened(self, make, engine, tmp_path, name):
        """Whatever the engine takes."""
        window = make(engine)
        assert drop(window, tmp_path / name)
        assert opened(engine) == [str(tmp_path / name)]

    def test_folder_is_opened_whatever_its_name(self, make, engine, tmp_path):
        """Also one that is called like a scenario."""
        folder = tmp_path / "my.yaml"
        folder.mkdir()
        assert drop(make(engine), folder)
        assert opened(engine) == [str(folder)]

    def test_first_of_several_is_opened(self, make, engine, tmp_path):
        """The rest is told of."""
        window = make(engine)
        drop(window, tmp_path / "a.wasm", tmp_path / "b.wasm")
        assert opened(engine) == [str(tmp_path / "a.wasm")]
        assert remarks(window) == ["Only a.wasm is opened; one at a time."]

    def test_other_file_is_refused(self, make, engine, tmp_path):
        """While it is dragged; if it comes all the same, in a sentence."""
        window = make(engine)
        assert not drop(window, tmp_path / "x.png")
        assert opened(engine) == []
        assert remarks(window)[0].startswith("x.png is nothing that can be opened.")

    def test_scenario_runs_on_the_open_capsule(self, qtbot, window, engine, tmp_path):
        """In a fresh session."""
        file = tmp_path / "s.yaml"
        file.write_text("scenario: 1\nname: two\nsteps: [on-shell, on-task-end]\n")
        assert drop(window, file)
        qtbot.waitUntil(lambda: any("two: 2 steps run" in said for said in remarks(window)))
        fired = [found.action.event for found in engine.requests if isinstance(found, Fire)]
        assert fired == ["on-shell", "on-task-end"]
        assert sum(isinstance(found, StartSession) for found in engine.requests) == 2

    def test_scenario_without_a_capsule_says_what_to_do(self, make, engine, tmp_path):
        """Nothing is started."""
        window = make(engine)
        drop(window, tmp_path / "s.yaml")
        assert remarks(window) == ["Open a capsule first, then run a scenario on it."]


class TestScenario:
    """Scenario files in the window."""

    def run(self, qtbot, window, tmp_path, text):
        """Run one to its end."""
        file = tmp_path / "s.scenario.yaml"
        file.write_text(f"scenario: 1\nname: demo\n{text}")
        player = window.desk.player
        with qtbot.waitSignal(player.ended):
            window.desk.run_scenario(str(file))
        window.bridge.flush()

    def test_expectations_show_in_timeline_and_sum(self, qtbot, window, tmp_path):
        """A failed one marks its row."""
        self.run(
            qtbot,
            window,
            tmp_path,
            "steps: [on-shell, {expect: {faults: []}}, on-task-end, {expect: {times: 7}}]",
        )
        assert remarks(window)[-1] == "demo: 2 steps run, 1 of 2 expectations held."
        firings = [item for item in window.bridge.state.history.items if isinstance(item, Firing)]
        verdicts = [firing.record.expectation for firing in firings]
        assert [found.ok for found in verdicts] == [True, False]
        assert (verdicts[1].path, verdicts[1].wanted, verdicts[1].got) == ("times", 7, 1)
        assert window.bridge.state.remarks[-1].severity == "warning"

    def test_bad_file_is_told_with_its_place(self, qtbot, window, tmp_path):
        """Nothing has run."""
        file = tmp_path / "s.yaml"
        file.write_text("scenario: 1\nsteps:\n- on-shell: {turn: -1}\n")
        window.desk.run_scenario(str(file))
        qtbot.waitUntil(lambda: bool(remarks(window)))
        assert "s.yaml:3:" in remarks(window)[0]
        assert "wants 0 to 4294967295" in remarks(window)[0]
        assert not window.desk.player.is_busy

    def test_stop_ends_it_and_says_how_far_it_came(self, qtbot, window, engine, tmp_path):
        """Progress and the button to stop are in the status bar while it runs."""
        engine.is_patient = True
        file = tmp_path / "s.yaml"
        file.write_text("scenario: 1\nname: long\nsteps: [{repeat: {times: 9, steps: [on-shell]}}]")
        window.desk.run_scenario(str(file))
        qtbot.waitUntil(lambda: bool(window.bridge.latest.running))
        engine.finish()
        window.bridge.flush()
        assert window.status.task.text() == "long: 1 of 9"
        assert window.status.stop_button.isVisible()
        window.status.stop_button.click()
        assert engine.interrupts == 1
        engine.finish()
        assert remarks(window)[-1] == "Stopped. long: 1 step run, 0 of 0 expectations held."
        assert not window.status.stop_button.isVisible()
        assert sum(isinstance(found, Fire) for found in engine.requests) == 2

    def test_lost_engine_ends_it(self, qtbot, window, engine, tmp_path):
        """The banner says the rest; it can be run again."""
        engine.is_patient = True
        file = tmp_path / "s.yaml"
        file.write_text("scenario: 1\nsteps: [on-shell, on-shell]\n")
        window.desk.run_scenario(str(file))
        qtbot.waitUntil(lambda: bool(window.bridge.latest.running))
        engine.die()
        window.bridge.flush()
        assert not window.desk.player.is_busy
        assert window.status.task.text() == ""

    def test_firing_in_between_is_not_taken_for_a_step(self, qtbot, window, engine, tmp_path):
        """The user may go on working."""
        engine.is_patient = True
        file = tmp_path / "s.yaml"
        file.write_text("scenario: 1\nname: n\nsteps: [on-shell, {expect: {event: on-shell}}]\n")
        window.desk.run_scenario(str(file))
        qtbot.waitUntil(lambda: bool(window.bridge.latest.running))
        window.composer_link.choose_event("on-stage")
        window.actions_table["fire"].trigger()
        engine.finish()
        engine.finish()
        assert remarks(window)[-1] == "n: 1 step run, 1 of 1 expectation held."

    def test_action_asks_for_a_file(self, window):
        """Only with a capsule."""
        window.actions_table["run-scenario"].trigger()
        (dialog,) = window.findChildren(ScenarioDialog)
        dialog.close()

    def test_sample_scenario_opens_its_sample(self, qtbot, window, engine):
        """From the welcome page."""
        engine.is_patient = True
        window.welcome.scenario_chosen.emit("sample:tour")
        qtbot.waitUntil(lambda: bool(window.bridge.latest.running))
        while window.desk.player.is_busy:
            engine.finish()
        assert opened(engine) == ["/c", "sample:tour"]
        assert sum(isinstance(found, Fire) for found in engine.requests) == 18


class TestFindings:
    """Findings and the manifest."""

    def test_enter_shows_the_place(self, qtbot, window):
        """Manifest in front, underlined, with what is said about it."""
        window.places.show_pane("findings")
        window.findings.table.selectRow(0)
        assert window.focus.target == FindingTarget(0)
        qtbot.keyClick(window.findings.table, Qt.Key.Key_Return)
        assert window.manifest.text.place() == (23, 5)
        assert window.manifest.note.message().startswith("hook legacy@0.1.0 does not export")
        qtbot.waitUntil(lambda: not window.manifest.visibleRegion().isEmpty())

    def test_chosen_row_moves_a_manifest_that_shows(self, window):
        """The keyboard stays where it is."""
        window.places.show_pane("manifest")
        window.places.show_pane("findings")
        window.findings.table.selectRow(1)
        assert window.manifest.text.place() == (14, 7)

    def test_finding_without_a_place_says_so(self, window):
        """The action is off, with the reason."""
        window.findings.table.selectRow(2)
        window.bridge.say("info", "x")
        window.bridge.flush()
        assert not window.actions_table["jump"].isEnabled()
        assert window.actions_table["jump"].toolTip().endswith("This finding is about no file.")

    def test_finding_about_a_component_goes_to_its_entry(self, window):
        """A component is nothing to read."""
        window.focus.show(Place(None, name="audit-trail"))
        assert window.manifest.text.place() == (14, 12)

    def test_copy_takes_findings_whole(self, window):
        """All of them when none is chosen."""
        window.findings.copy()
        text = QGuiApplication.clipboard().text()
        assert text.startswith("error rejected (legacy)\n/capsules/demo/murmur.yaml:23:5\n")
        assert "The runtime stops here first." in text
        assert text.count("\n\n") == 2
        window.findings.table.selectRow(1)
        window.findings.table.copy_rows()
        assert QGuiApplication.clipboard().text().startswith("warning W-SEC-006 (audit-trail)")

    def test_place_in_another_file_is_read(self, window, tmp_path):
        """Or told, when that cannot be."""
        other = tmp_path / "murmur.yaml"
        other.write_text("a: 1\nbinding: wrong\n")
        window.focus.show(Place(2, 10, str(other), "no such binding", "error"))
        assert window.manifest.text.lines[1] == "binding: wrong"
        assert window.manifest.title.toolTip().endswith(str(other))
        window.focus.show(Place(1, 1, str(tmp_path / "none.yaml")))
        assert "cannot be read" in remarks(window)[-1]

    def test_capsule_without_a_manifest_says_so(self, make):
        """A component alone."""
        window = make()
        window.open_capsule("/x.wasm")
        window.bridge.flush()
        window.places.show_pane("manifest")
        assert window.manifest.empty.isVisible()

    def test_line_ends_are_those_of_yaml(self, window, engine):
        """So that numbers fit."""
        engine.tell(CapsuleOpened(replace(engine.inspection), "a\r\nb\u2028c\rd\x0be\n"))
        window.bridge.flush()
        assert window.manifest.text.lines == ["a", "b", "c", "d\x0be", ""]


class TestLook:
    """Colours and text size."""

    def test_zoom_takes_every_font_and_comes_back(self, qtbot, window, qapp, state_path):
        """Steps, ends, normal; rows grow along."""
        widgets = window.findChildren(QWidget)
        before = {found: found.font().pointSizeF() for found in widgets}
        row = window.timeline.table.verticalHeader().defaultSectionSize()
        for _ in range(4):
            window.actions_table["zoom-in"].trigger()
        assert window_zoom.current_percent() == 175
        assert window.timeline.table.verticalHeader().defaultSectionSize() == pytest.approx(
            row * 1.75, abs=3
        )
        small = [
            (type(found).__name__, found.objectName(), found.parent().__class__.__name__)
            for found in widgets
            if found.isVisible()
            and not found.objectName().startswith("qt_")  # Qt's own parts hold no text
            and found.font().pointSizeF() / before[found] < 1.7
        ]
        assert small == []
        window.memory.save()
        assert window_state.load(state_path).state.zoom == 175
        window.actions_table["zoom-in"].trigger()
        assert not window.actions_table["zoom-in"].isEnabled()
        window.actions_table["zoom-reset"].trigger()
        after = window.composer.font().pointSizeF()
        assert after == pytest.approx(before[window.composer])
        assert window.timeline.table.verticalHeader().defaultSectionSize() == pytest.approx(
            row, abs=2
        )

    def test_remembered_zoom_is_put_on(self, make, state_path, qapp):
        """One that is no step is left out."""
        window_state.save(state_path, WindowState(zoom=150))
        make().close()
        assert look.look().zoom == 1.5
        window_zoom.apply(qapp, window_zoom.NORMAL)
        window_state.save(state_path, WindowState(zoom=7))
        make()
        assert look.look().zoom == 1.0

    def test_theme_choice_is_remembered(self, make, state_path):
        """System, light or dark; the button takes the other one."""
        window = make()
        assert window.actions_table["theme-system"].isChecked()
        window.actions_table["theme-dark"].trigger()
        assert theme.current_name() == "dark"
        window.close()
        assert window_state.load(state_path).state.theme == "dark"
        again = make()
        assert again.actions_table["theme-dark"].isChecked()
        again.actions_table["theme-system"].trigger()
        assert theme.current_name() == "light"
        again.close()
        assert window_state.load(state_path).state.theme == ""


class TestWatch:
    """Reloading by itself."""

    def test_changed_file_reloads_and_keeps_what_was_typed(self, window, engine):
        """History too."""
        window.actions_table["watch"].trigger()
        window.composer_link.choose_event("on-shell")
        window.actions_table["fire"].trigger()
        window.bridge.flush()
        rows = len(window.bridge.state.history.items)
        window.desk.watch.changed.emit(("hook.wasm",))
        assert opened(engine) == ["/c", "/c"]
        assert remarks(window)[-1] == "Read again, since hook.wasm changed."
        assert window.composer.event_name() == "on-shell"
        assert len(window.bridge.state.history.items) == rows + 1

    def test_running_call_is_waited_for(self, qtbot, window, engine):
        """Then it is read again once."""
        engine.is_patient = True
        window.actions_table["fire"].trigger()
        window.desk.watch.changed.emit(("a",))
        window.desk.watch.changed.emit(("b",))
        assert opened(engine) == ["/c"]
        engine.finish()
        window.bridge.flush()
        assert opened(engine) == ["/c", "/c"]
        assert "a, b changed" in remarks(window)[-1]

    def test_switch_is_remembered(self, make, state_path):
        """And put on at the next start."""
        window = make()
        window.actions_table["watch"].trigger()
        assert window.desk.watch.is_on
        window.close()
        again = make()
        assert again.desk.watch.is_on
        assert again.actions_table["watch"].isChecked()


class TestNotices:
    """What was said."""

    def test_list_keeps_the_last_and_goes_on(self, window):
        """The newest first; a copy takes all."""
        window.bridge.say("info", "one")
        window.bridge.say("error", "two")
        window.bridge.flush()
        window.status.notices.click()
        (dialog,) = window.findChildren(NoticeDialog)
        assert [dialog.list.item(row).text() for row in range(2)] == ["two", "one"]
        window.bridge.say("warning", "three")
        window.bridge.flush()
        dialog.copy_button.click()
        assert QGuiApplication.clipboard().text() == "warning: three\nerror: two\ninfo: one"
        dialog.close()

    def test_empty_list_says_so(self, window):
        """Nothing to copy."""
        window.actions_table["notices"].trigger()
        (dialog,) = window.findChildren(NoticeDialog)
        assert not dialog.copy_button.isEnabled()
        dialog.close()

    def test_about_has_every_version(self, window):
        """To copy into a report."""
        window.actions_table["about"].trigger()
        (dialog,) = window.findChildren(AboutDialog)
        dialog.copy_button.click()
        lines = dict(
            line.split(None, 1) for line in QGuiApplication.clipboard().text().splitlines()
        )
        assert lines["wasmtime"] == "50.0.1"
        assert {"capsule-inspector", "Python", "PySide6", "Qt", "platform"} <= set(lines)
        dialog.close()


class TestFailedStart:
    """A start that never came to its end."""

    def fail(self, state_path):
        """Leave the marker of a process that is gone."""
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        state_path.with_name("window.json.starting").write_text(str(gone.pid))

    def test_opens_without_the_last_session_and_keeps_a_copy(self, make, state_path):
        """Drafts and layout are left out; recent ones stay."""
        old = WindowState(event="on-shell", recent=("/a",), layout="AAAA", zoom=200)
        window_state.save(state_path, old)
        self.fail(state_path)
        window = make()
        assert window.composer.event_name() == "on-session-start"
        assert window.memory.recent == ("/a",)
        assert "did not come to its end" in remarks(window)[0]
        copy = state_path.with_name("window.json.last")
        assert json.loads(copy.read_text())["event"] == "on-shell"

    def test_marker_goes_when_the_window_stands(self, make, state_path):
        """And another window that starts meanwhile is no failed start."""
        marker = state_path.with_name("window.json.starting")
        first = make()
        assert marker.exists()
        second = make()
        assert remarks(second) == []
        second.memory.finish_start()
        first.close()
        assert not marker.exists()

    @pytest.mark.parametrize("content", [b"", b"\xff", b"9" * 30, b"-1", b"0"])
    def test_strange_marker_never_keeps_it_from_opening(self, make, state_path, content):
        """Whatever is in it."""
        state_path.with_name("window.json.starting").write_bytes(content)
        assert make().isVisible()

    def test_folder_that_cannot_be_written_is_no_obstacle(self, qtbot, make, tmp_path, state_path):
        """The window opens; saving says why it cannot."""
        blocked = tmp_path / "file"
        blocked.write_text("x")
        window = MainWindow(WorkbenchBridge(FakePort()), blocked / "sub" / "window.json")
        qtbot.addWidget(window)
        window.show()
        window.memory.save()
        assert "could not be saved" in remarks(window)[-1]

    @pytest.mark.parametrize(
        "content",
        [
            '{"version": 1, "geometry": "AAAA", "layout": "/w==", "splitter": "%%%"}',
            '{"version": 1, "recent": ["' + "x" * 5000 + '", "\\u0000", ""], "zoom": -5}',
            '{"version": 1, "event": "../../x", "theme": "pink", "drafts": [{"event": "nope", '
            '"phase": "x"}]}',
            '{"version": 1, "zoom": 1e400}',
            '{"version": 0}',
        ],
    )
    def test_hostile_state_opens_all_the_same(self, make, state_path, content):
        """Each opaque part is checked where it is used."""
        state_path.write_text(content)
        window = make()
        window.open_capsule("/c")
        window.bridge.flush()
        assert window.isVisible()
        assert window.places.is_open


class TestLayout:
    """Where the window is."""

    def test_each_row_of_tabs_is_there_once(self, qtbot, window):
        """Also after the layout was put back."""

        def shown():
            direct = Qt.FindChildOption.FindDirectChildrenOnly
            bars = window.findChildren(QTabBar, options=direct)
            return sorted(bar.tabText(0) for bar in bars if bar.isVisible())

        qtbot.waitUntil(lambda: shown() == ["Detail", "Logs"])
        window.actions_table["reset-layout"].trigger()
        qtbot.waitUntil(lambda: shown() == ["Detail", "Logs"])

    def test_window_on_a_lost_screen_comes_back(self, make, state_path):
        """As far as its title can be grabbed."""
        first = make()
        first.move(20_000, 20_000)
        first.close()
        again = make()
        screens = QGuiApplication.screens()
        assert any(screen.geometry().intersects(again.frameGeometry()) for screen in screens)

    def test_recent_that_is_gone_says_so(self, make, state_path, tmp_path):
        """On the welcome page and in the menu; it cannot be chosen."""
        window_state.save(state_path, WindowState(recent=(str(tmp_path), "/gone/away")))
        window = make()
        enabled = {
            button.property("capsulePath"): button.isEnabled()
            for button in window.welcome.buttons()
        }
        assert (enabled[str(tmp_path)], enabled["/gone/away"]) == (True, False)
        window.tools._recent.aboutToShow.emit()
        texts = {action.data(): action.text() for action in window.tools._recent.actions()}
        assert texts["/gone/away"] == "/gone/away  —  no longer there"
        assert QApplication.focusWidget() is not window.status.notices
