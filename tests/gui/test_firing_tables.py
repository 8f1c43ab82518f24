"""Tables of a firing's page: context, manifests, requests, completions, frames."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from inspector.contract.record import (
    Disposition,
    HttpRequest,
    InferenceCall,
    ManifestFile,
    Outcome,
)
from inspector.gui.file_job import FileJob
from inspector.gui.focus import FiringTarget
from inspector.gui.models.cell_model import CellModel, CellRow
from inspector.gui.models.firing_row import file_rows
from inspector.gui.views import firing_tables
from inspector.gui.views.firing_page import FiringPage
from inspector.gui.views.firing_tables import CONTEXT, FILES, MODEL, REQUESTS
from inspector.gui.views.value_view import RAW, TEXT, ValueView
from inspector.workbench.formatting import GATE_BYTES, LINE_CHARACTERS
from inspector.workbench.state import Firing, FiringStatus
from tests.helpers.sample_state import call, record

MANY = "a long text that is said over and over, "


@pytest.fixture
def page(qtbot):
    """A shown page."""
    made = FiringPage(FileJob(None))
    qtbot.addWidget(made)
    made.resize(420, 600)
    with qtbot.waitExposed(made):
        made.show()
    return made


def show(page, done, call_index=None, fields=None):
    """Show a firing with a record."""
    firing = Firing(1, done.event, done.phase, FiringStatus.FINISHED, 1, fields=fields, record=done)
    page.show_firing(firing, FiringTarget(0, call_index), "0.3")


def texts(page, tab):
    """Cells of a table."""
    page.show_tab(tab)
    return [row.texts for row in page.tables.page(tab).model.rows]


def say(role, content):
    """A message."""
    return {"role": role, "content": content, "id": None, "source-id": None}


class TestContext:
    """Messages before and after."""

    BEFORE = (say("user", "Tidy the folder."), say("assistant", "I will."), say("user", "Go on."))

    def test_replacement_is_a_diff_with_tokens(self, qtbot, page):
        """Counted elsewhere; the rows are there before."""
        after = [say("user", "Earlier messages left out: 2"), self.BEFORE[2]]
        answer = call("c", "replace-context", Disposition.HONORED, payload=after)
        show(page, record(1, "on-compaction", answer), 0, {"messages": list(self.BEFORE)})
        table = page.tables.page(CONTEXT)
        assert page.tabs.currentIndex() == CONTEXT
        qtbot.waitUntil(lambda: "tokens." in table.summary.text(), timeout=20_000)
        assert table.summary.text() == (
            "3 → 2 messages (1 removed, 1 changed, 1 kept), 62 → 44 tokens."
        )
        assert texts(page, CONTEXT) == [
            ("~", "user", "22 → 24", "Earlier messages left out: 2"),
            ("−", "assistant", "20", "I will."),
            ("", "user", "20", "Go on."),
        ]
        assert table.text.lines == ["- Tidy the folder.", "+ Earlier messages left out: 2"]

    @pytest.mark.parametrize(
        ("budget", "verdict"),
        [
            (800, "A runtime keeps every message (seeded)."),
            (20, "A runtime keeps the newest messages that fit and trims or compacts the front."),
            (0, "A runtime rejects the seed (no_budget): the budget is 0."),
            (
                10,
                "A runtime rejects the seed (message_over_budget): one message alone is too long.",
            ),
        ],
    )
    def test_seed_is_held_against_its_budget(self, qtbot, page, budget, verdict):
        """With what a runtime would make of it."""
        seed = [say("user", "hi"), say("user", "ho")]
        answer = call("s", "seed-context", Disposition.HONORED, payload=seed)
        show(page, record(1, "on-task-start", answer), 0, {"budget-tokens": budget})
        table = page.tables.page(CONTEXT)
        qtbot.waitUntil(lambda: "budget" in table.summary.text(), timeout=20_000)
        assert table.summary.text() == (
            f"2 messages (2 added), 36 tokens of a budget of {budget:,}. {verdict}"
        )


class TestFiles:
    """Manifests as a tree."""

    def test_files_hang_in_their_folders(self, page):
        """With the content of the chosen one."""
        payload = [
            {"binary-name": "ls", "content": "name: ls\n"},
            {"binary-name": "cat", "content": "name: cat\nversion: 1\n"},
        ]
        files = tuple(ManifestFile(name, f"tools/{name}/murmur.yaml") for name in ("cat", "ls"))
        answer = call("d", "write-manifests", Disposition.HONORED, payload=payload)
        done = record(1, "on-stage", answer, phase="stage", outcome=Outcome(manifests=files))
        show(page, done)
        assert texts(page, FILES) == [
            ("tools/", ""),
            ("cat/", ""),
            ("murmur.yaml", "21 B"),
            ("ls/", ""),
            ("murmur.yaml", "9 B"),
        ]
        table = page.tables.page(FILES)
        assert [row.depth for row in table.model.rows] == [0, 1, 2, 1, 2]
        assert table.text.lines[:2] == ["name: cat", "version: 1"]
        assert table.summary.text() == "2 tool manifests, 30 B in all."
        table.table.selectRow(4)
        assert table.text.lines[0] == "name: ls"

    def test_file_that_was_not_written_says_so(self):
        """A discarded answer, say."""
        rows = file_rows([{"binary-name": "x", "content": "y"}], ())
        assert [row.texts for row in rows] == [("not written: x", "1 B")]


class TestRequests:
    """Outgoing requests and completions."""

    REQUESTS = (
        HttpRequest("a", "GET", "https://ok.test/", True, "ok.test", 200, 1_500),
        HttpRequest("a", "POST", "http://no.test/", False, "ok.test", None, 3, "Not allowed."),
        HttpRequest("b", "GET", "http://x/", False, None, None, 0, "No rule."),
    )

    def test_requests_have_rule_and_time(self, page):
        """The nearest rule when none allows it."""
        show(page, record(1, "on-shell", call("a"), call("b"), requests=self.REQUESTS))
        assert texts(page, REQUESTS) == [
            ("GET", "https://ok.test/", "yes", "ok.test", "1.50 ms"),
            ("POST", "http://no.test/", "no", "nearest: ok.test", "3 µs"),
            ("GET", "http://x/", "no", "no rule names the host", ""),
        ]
        assert page.tables.page(REQUESTS).summary.text() == "3 requests, 2 denied."

    def test_call_shows_its_own(self, page):
        """Not those of other hooks."""
        show(page, record(1, "on-shell", call("a"), call("b"), requests=self.REQUESTS), 1)
        assert [row[1] for row in texts(page, REQUESTS)] == ["http://x/"]
        assert page.tables.page(REQUESTS).text.lines[1] == "No rule."

    def test_completions_have_tokens(self, page):
        """A scripted one is marked."""
        asked = (
            InferenceCall("a", "m1", 1_200, 42, "end_turn", 2_000_000, scripted=True),
            InferenceCall("a", "m1", 10, 0, "error", 5, error="too long"),
        )
        show(page, record(1, "on-shell", call("a"), inferences=asked))
        assert texts(page, MODEL) == [
            ("m1", "1,200", "42", "end_turn *", "2.00 s"),
            ("m1", "10", "0", "error", "5 µs"),
        ]
        assert page.tables.page(MODEL).summary.text() == ("2 completions, 1,210 tokens in, 42 out.")


def test_table_contents__plain_call__has_no_table():
    """Tabs without content stay hidden."""
    done = record(1, "on-shell", call("a"))
    firing = Firing(1, "on-shell", "observe", FiringStatus.FINISHED, 1, record=done)
    assert firing_tables.table_contents(firing, done.calls[0]) == {}


def test_cell_model__empty_filled_swapped__holds_for_qts_tester(qtbot):
    """Same number of rows repaints, another number resets."""
    model = CellModel(("A", "B"), (1,))
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning, model)
    model.set_rows([CellRow(("1", "x\ny"), "open", "muted")])
    assert model.index(0, 1).data() == "x␊y"
    right = model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
    assert right & Qt.AlignmentFlag.AlignRight
    with qtbot.waitSignal(model.dataChanged):
        model.set_rows([CellRow(("2", ""))])
    model.set_rows(())
    assert model.rowCount() == 0


class TestWholeValue:
    """Search and saving go beyond the gate."""

    @pytest.fixture
    def view(self, qtbot):
        """A shown value."""
        made = ValueView("Answer")
        qtbot.addWidget(made)
        made.resize(400, 300)
        with qtbot.waitExposed(made):
            made.show()
        return made

    def test_search_counts_every_match(self, qtbot, view):
        """Also those that were held back."""
        view.set_value([f"line {n} needle" if n % 100 == 0 else MANY for n in range(20_000)])
        view.show_form(TEXT)
        qtbot.waitUntil(lambda: view.is_cut)
        view.open_search()
        bar = view._texts[TEXT].search_bar
        bar.field.setText("needle")
        qtbot.waitUntil(lambda: bar.count_text() == "200 found", timeout=20_000)
        assert not view.is_cut

    def test_next_value_is_searched_whole_too(self, qtbot, view):
        """While the search is open."""
        view.show_form(TEXT)
        view.set_value("x")
        view.open_search()
        bar = view._texts[TEXT].search_bar
        bar.field.setText("needle")
        view.set_value(f"{MANY}\n" * (GATE_BYTES // 20) + "needle")
        qtbot.waitUntil(lambda: bar.count_text() == "1 found", timeout=20_000)

    def test_match_across_a_broken_line_is_found(self, qtbot, view):
        """A very long line is shown in pieces."""
        filler = "x" * (LINE_CHARACTERS - 3)
        view.set_value(f"{filler}needle" + "y" * GATE_BYTES)
        view.show_form(RAW)
        view.open_search()
        bar = view._texts[RAW].search_bar
        bar.field.setText("needle")
        qtbot.waitUntil(lambda: bar.count_text() == "1 found", timeout=20_000)


def test_page__taken_apart__is_not_told_of_its_tabs(page):
    """Qt goes on telling tabs that go when the page's own attributes are gone already."""
    vars(page).clear()
    page._on_tab_changed(0)
