"""What is read: texts, values, logs, and the Detail pane."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from inspector.gui.focus import FindingTarget, FiringTarget, Focus, HookTarget, LogTarget
from inspector.gui.models.log_model import LogModel
from inspector.gui.views import firing_page, firing_tables
from inspector.gui.views.detail_view import DetailView
from inspector.gui.views.log_view import LogView
from inspector.gui.views.property_view import PropertyView
from inspector.gui.views.text_view import EDITOR_CHARACTERS, TextView
from inspector.gui.views.value_view import RAW, TEXT, TREE, ValueView
from inspector.protocol.message import BeginTask, LogAppended, Observe, StepFinished
from inspector.workbench.formatting import GATE_BYTES
from tests.gui.test_models import PROPERTIES
from tests.helpers import sample_state


class TestTextView:
    """TextView."""

    @pytest.fixture
    def view(self, qtbot):
        """A shown view."""
        made = TextView("text")
        qtbot.addWidget(made)
        with qtbot.waitExposed(made):
            made.show()
        return made

    def test_short_text_is_an_editor_long_text_rows(self, view):
        """Long ones would hold up the window."""
        view.set_lines(["a", "b"])
        assert not view.is_long
        view.set_lines(["x" * 100] * (EDITOR_CHARACTERS // 100 + 1))
        assert view.is_long
        view.set_lines([])
        assert not view.is_long

    @pytest.mark.parametrize("filler", [0, 100_000])
    def test_search_counts_and_walks(self, qtbot, view, filler):
        """The same in both forms."""
        view.set_lines(["one match", "none", "another match"] + ["x"] * filler)
        view.open_search()
        view.search_bar.field.setText("match")
        qtbot.waitUntil(lambda: view.search_bar.count_text() == "2 found")
        for wanted in ("1 of 2", "2 of 2", "1 of 2"):
            view.search_bar.next_requested.emit()
            assert view.search_bar.count_text() == wanted
        view.search_bar.previous_requested.emit()
        assert view.search_bar.count_text() == "2 of 2"

    def test_long_text_is_copied_as_it_is(self, qtbot, view):
        """Also characters that show as pictures."""
        view.set_lines(["a\0b"] * 20_000)
        view._table.selectRow(0)
        qtbot.keyClick(view._table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == "a\0b"


class TestValueView:
    """ValueView."""

    @pytest.fixture
    def view(self, qtbot):
        """A shown view."""
        made = ValueView("value")
        qtbot.addWidget(made)
        with qtbot.waitExposed(made):
            made.show()
        return made

    def test_three_forms_of_one_value(self, view):
        """Tree, lines of JSON, one line of JSON."""
        view.set_value({"a": [1, 2**63]})
        assert view.form == TREE
        view.show_form(TEXT)
        assert json.loads("\n".join(view.shown_lines)) == {"a": [1, 2**63]}
        view.show_form(RAW)
        assert view.shown_lines == ['{"a":[1,9223372036854775808]}']

    def test_text_has_no_tree_unless_it_is_json(self, view):
        """The wanted form comes back with the next value that has it."""
        view.set_value("plain")
        assert (view.form, view.shown_lines) == (TEXT, ["plain"])
        view.set_value('{"a": 1}')
        assert view.form == TREE
        assert view._model.index(0, 0).data() == "a"
        view.set_value("[not json")
        assert view.form == TEXT

    def test_large_value_is_gated(self, qtbot, view):
        """Its beginning first, all of it when asked for."""
        value = [{"number": i, "text": "x" * 80} for i in range(10_000)]
        view.show_form(TEXT)
        view.set_value(value)
        qtbot.waitUntil(lambda: view.is_cut)
        shown = sum(len(line) + 1 for line in view.shown_lines)
        assert GATE_BYTES - 100 <= shown <= GATE_BYTES + 1
        view._all_button.click()
        qtbot.waitUntil(lambda: not view.is_cut)
        assert json.loads("\n".join(view.shown_lines)) == value

    def test_long_line_is_broken(self, qtbot, view):
        """In every form; the copy is whole."""
        text = "y" * 100_000
        view.set_value(text)
        qtbot.waitUntil(lambda: "".join(view.shown_lines) == text)
        assert max(map(len, view.shown_lines)) <= 4_000
        view.copy()
        assert QGuiApplication.clipboard().text() == text

    def test_newer_value_makes_the_older_void(self, qtbot, view):
        """A slow text never lands on the wrong value."""
        view.show_form(TEXT)
        view.set_value([["x" * 50] * 10] * 5_000)
        view.set_value("short")
        qtbot.waitUntil(lambda: view.shown_lines == ["short"])
        assert not view.is_cut

    def test_search_leaves_the_tree(self, view):
        """There is nothing to search in a tree that is not open."""
        view.set_value({"a": 1})
        view.open_search()
        assert view.form == TEXT


class TestPropertyView:
    """PropertyView."""

    def test_closed_sections_stay_closed(self, qtbot):
        """Also when another thing is shown."""
        view = PropertyView("facts")
        qtbot.addWidget(view)
        view.set_properties(PROPERTIES)
        model = view.model()
        assert view.isExpanded(model.index(0, 0))
        view.collapse(model.index(0, 0))
        view.set_properties(())
        view.set_properties(PROPERTIES)
        assert not view.isExpanded(model.index(0, 0))
        assert view.isExpanded(model.index(1, 0))

    def test_value_is_copied(self, qtbot):
        """Whole, however it is elided."""
        view = PropertyView("facts")
        qtbot.addWidget(view)
        view.set_properties(PROPERTIES)
        view.setCurrentIndex(view.model().index(1, 0, view.model().index(0, 0)))
        qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == "y"


class TestLogView:
    """LogView."""

    @pytest.fixture
    def focus(self):
        """What the Detail pane shows."""
        return Focus()

    @pytest.fixture
    def view(self, qtbot, bridge, focus):
        """A shown view."""
        made = LogView(bridge, LogModel(bridge), focus)
        qtbot.addWidget(made)
        made.resize(600, 200)
        with qtbot.waitExposed(made):
            made.show()
        return made

    def test_tabs_appear_with_their_files(self, view, engine, bridge):
        """Fixed ones first; each with its count."""
        assert view.files() == ["", "stdout", "stderr", "faults"]
        engine.tell(LogAppended("logs/hook-a&b.log", "1\n2"), LogAppended("stdout", "3"))
        bridge.flush()
        assert view.files() == ["", "stdout", "stderr", "faults", "logs/hook-a&b.log"]
        texts = [view._tabs.tabText(tab) for tab in range(5)]
        assert texts == ["all (3)", "stdout (1)", "stderr", "faults", "a&&b (2)"]

    def test_tab_shows_its_file(self, view, engine, bridge):
        """An empty one says so."""
        engine.tell(LogAppended("stdout", "x"), LogAppended("stderr", "y"))
        bridge.flush()
        view.show_file("stderr")
        assert view.table.row_text(0) == "y"
        view.show_file("faults")
        assert view.empty.title() == "No faults"
        assert view.empty.isVisible()

    def test_follows_its_end(self, qtbot, view, engine, bridge):
        """Until the reader scrolls up."""
        engine.tell(*(LogAppended("stdout", f"line {i}") for i in range(500)))
        bridge.flush()
        qtbot.waitUntil(view.table.is_at_end)
        view.table.selectRow(3)
        engine.tell(LogAppended("stdout", "more"))
        bridge.flush()
        assert not view.table.follows
        assert not view.table.is_at_end()

    def test_search_walks_the_matches(self, qtbot, view, engine, bridge):
        """And shows which of how many."""
        engine.tell(LogAppended("stdout", "an error"), LogAppended("stdout", "error two"))
        bridge.flush()
        view.open_search()
        view.search_bar.field.setText("error")
        qtbot.waitUntil(lambda: view.search_bar.count_text() == "2 found")
        view.search_bar.next_requested.emit()
        assert (view.search_bar.count_text(), view.table.current_row()) == ("1 of 2", 0)
        view.search_bar.next_requested.emit()
        assert (view.search_bar.count_text(), view.table.current_row()) == ("2 of 2", 1)
        assert not view.grab().isNull()
        view.search_bar.close_search()
        assert view._model.match_count == 0

    def test_line_leads_to_detail_and_to_its_firing(self, qtbot, view, engine, bridge, focus):
        """A click, and a double click."""
        engine.tell(LogAppended("stdout", "x", "a", 12))
        bridge.flush()
        view.table.selectRow(0)
        assert focus.target == LogTarget(0)
        with qtbot.waitSignal(view.step_chosen) as told:
            view.table.doubleClicked.emit(view._model.index(0, 2))
        assert told.args == [12]


class TestDetailView:
    """DetailView."""

    @pytest.fixture
    def focus(self):
        """What is shown."""
        return Focus()

    @pytest.fixture
    def view(self, qtbot, bridge, engine, focus):
        """The pane beside an opened capsule with a short session."""
        engine.inspection = sample_state.inspection(diagnostics=sample_state.demo_diagnostics())
        made = DetailView(bridge, focus)
        qtbot.addWidget(made)
        bridge.open_capsule("/c")
        engine.tell(*map(StepFinished, sample_state.demo_records()))
        bridge.flush()
        return made

    def show(self, view, focus, target):
        """Put the focus somewhere and fill the pane."""
        focus.show(target)
        view.refresh()

    def tabs(self, view):
        """Titles of the visible tabs, and of the current one."""
        tabs = view.firing_page.tabs
        shown = [tabs.tabText(tab) for tab in range(tabs.count()) if tabs.isTabVisible(tab)]
        return shown, tabs.tabText(tabs.currentIndex())

    def test_nothing_chosen(self, view):
        """Says what to do."""
        assert view.page is view.empty

    def test_fault(self, view, focus):
        """What happened, why, what is written, and the answer."""
        self.show(view, focus, FiringTarget(3, 1))
        title, happened, why, log, trace = view.firing_page.head.texts()
        assert title == "#3 · audit-trail · on-shell · 41 µs"
        assert (
            happened == "audit-trail returned artifact from on-shell, and the value was discarded."
        )
        assert why == "on-shell honors nothing but none; artifact is honored at on-inference."
        assert log.startswith("logs/hook-audit-trail.log: hook 'audit-trail' returned unsupported")
        assert trace.startswith("trace.jsonl gets hook_dispatch_error")
        shown, current = self.tabs(view)
        assert (shown, current) == (["Answer", "Output", "Log", "Sent", "Outcome"], "Answer")
        assert view.firing_page.answer._model.index(0, 0).data() == "seen"

    def test_trap(self, view, focus):
        """The engine's text once, in a tab of its own."""
        self.show(view, focus, FiringTarget(4, 1))
        shown, current = self.tabs(view)
        tabs = ["Backtrace", "Error", "Log", "Sent", "Outcome"]
        assert (shown, current) == (tabs, "Backtrace")
        frames = view.firing_page.tables.page(firing_tables.TRAP)
        assert frames.summary.text() == "wasm trap: wasm `unreachable` instruction executed"
        assert [row.texts[:3] for row in frames.model.rows] == [
            ("0", "0x1f2", "on-tool-call"),
            ("1", "0x2a7", "murmur:hook/lifecycle@0.8.0#on-tool-call"),
        ]
        view.firing_page.show_tab(firing_tables.ERROR)
        text = "\n".join(view.firing_page.error.lines)
        assert text.count("wasm backtrace") == 1
        assert "wasm `unreachable` instruction executed" in text

    def test_firing_with_several_calls(self, view, focus, qtbot):
        """Lists them; a line leads to its call."""
        self.show(view, focus, FiringTarget(4))
        shown, current = self.tabs(view)
        assert (shown, current) == (["Calls", "Log", "Sent", "Outcome"], "Calls")
        (section,) = view.firing_page.calls.properties
        assert [line.value for line in section.children] == [
            "none  ·  ignored  ·  41 µs",
            "trap  ·  error  ·  1.83 ms",
        ]
        tree = view.firing_page.calls
        with qtbot.waitSignal(view.target_chosen) as told:
            tree.activated.emit(tree.model().index(1, 0, tree.model().index(0, 0)))
        assert told.args == [FiringTarget(4, 1)]

    def test_chosen_tab_stays_for_the_next_row(self, view, focus):
        """As far as the row has it."""
        self.show(view, focus, FiringTarget(4, 1))
        view.firing_page.show_tab(firing_page.SENT)
        self.show(view, focus, FiringTarget(3, 1))
        assert self.tabs(view)[1] == "Sent"
        view.firing_page.show_tab(firing_page.OUTPUT)
        self.show(view, focus, FiringTarget(2, 0))
        assert self.tabs(view)[1] == "Answer"
        self.show(view, focus, FiringTarget(3, 1))
        assert self.tabs(view)[1] == "Output"

    def test_sent_fields_are_exact(self, view, focus):
        """2**63 is not rounded."""
        self.show(view, focus, FiringTarget(4, 0))
        view.firing_page.show_tab(firing_page.SENT)
        view.firing_page.sent.show_form(RAW)
        assert "9223372036854775808" in view.firing_page.sent.shown_lines[0]

    def test_running_firing_is_filled_when_it_ends(self, qtbot, view, focus, engine, bridge):
        """Without a click."""
        engine.is_patient = True
        bridge.fire(Observe("on-shell"))
        bridge.flush()
        index = bridge.state.history.items.end - 1
        self.show(view, focus, FiringTarget(index))
        assert "on-shell is running." in view.firing_page.head.texts()
        engine.finish()
        bridge.flush()
        qtbot.waitUntil(lambda: "audit-trail answered none." in view.firing_page.head.texts())

    def test_lost_firing(self, view, focus, engine, bridge):
        """With the end of the engine."""
        engine.is_patient = True
        bridge.fire(Observe("on-shell"))
        engine.die("The engine was killed.")
        bridge.flush()
        index = bridge.state.history.items.end - 2
        self.show(view, focus, FiringTarget(index))
        assert "The engine was killed." in view.firing_page.head.texts()

    def test_help_is_told(self, view, focus, engine, bridge):
        """In the why, by its words."""
        done = sample_state.record(9, "on-shell", sample_state.call("a", marks=("scripted-reply",)))
        engine.tell(StepFinished(done))
        bridge.flush()
        self.show(view, focus, FiringTarget(bridge.state.history.items.end - 1))
        assert (
            "help that the runtime does not give: scripted-reply."
            in (view.firing_page.head.texts()[2])
        )

    def test_control_step_shows_what_it_said(self, view, focus, engine, bridge):
        """It has no record of an event."""
        bridge.fire(BeginTask("do it"))
        bridge.flush()
        self.show(view, focus, FiringTarget(bridge.state.history.items.end - 1))
        view.firing_page.show_tab(firing_page.SENT)
        view.firing_page.sent.show_form(RAW)
        assert '"original":"do it"' in view.firing_page.sent.shown_lines[0]

    def test_hook(self, view, focus, engine, bridge):
        """Live: its memory moves with the engine."""
        self.show(view, focus, HookTarget("audit-trail"))
        assert view.page is view.hook_page
        assert view.hook_page.head.texts()[:2] == [
            "audit-trail 0.1.0",
            "all · async · policy none",
        ]
        instance = next(p for p in view.hook_page.properties.properties if p.name == "Instance")
        assert instance.children[0].value == "1.1 MiB"

    def test_rejected_hook_shows_the_runtimes_text(self, view, focus):
        """On top."""
        self.show(view, focus, HookTarget("legacy"))
        assert view.hook_page._rejection.message() == sample_state.REJECTION
        self.show(view, focus, HookTarget("audit-trail"))
        assert not view.hook_page._rejection.isVisibleTo(view)

    def test_finding(self, view, focus):
        """Hint, place, and the whole text."""
        self.show(view, focus, FindingTarget(0))
        assert view.text_page.text.lines == [sample_state.REJECTION]
        texts = view.text_page.head.texts()
        assert "Rebuild legacy for lifecycle@0.8.0" in texts[1]
        assert texts[-1] == "/capsules/demo/murmur.yaml:23:5"

    def test_log_line(self, view, focus, engine, bridge):
        """Whose it is and what caused it."""
        engine.tell(LogAppended("stdout", "hello", "audit-trail", 3))
        bridge.flush()
        self.show(view, focus, LogTarget(bridge.state.logs.lines.end - 1))
        assert view.text_page.text.lines == ["hello"]
        assert view.text_page.head.texts()[1] == ("Written by audit-trail. Caused by firing #3.")

    @pytest.mark.parametrize(
        "target", [FiringTarget(999), LogTarget(999), FindingTarget(999), HookTarget("nobody")]
    )
    def test_what_went_shows_nothing(self, view, focus, target):
        """Bounds may have taken it."""
        self.show(view, focus, target)
        assert view.page is view.empty
