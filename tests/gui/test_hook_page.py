"""The page of a hook: ledger, memory, queue, times, instance."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester

from inspector.gui import theme
from inspector.gui.focus import Place
from inspector.gui.models.hook_meter import HookMeter
from inspector.gui.models.hook_time_model import Column as TimeColumn
from inspector.gui.models.hook_time_model import HookTimeModel
from inspector.gui.models.ledger_property import (
    ledger_properties,
    shared_stores,
    store_sharers,
    time_text,
)
from inspector.gui.models.memory_model import Column, MemoryModel
from inspector.gui.views import hook_page
from inspector.gui.views.hook_instance import age_text
from inspector.gui.views.hook_page import HookPage
from inspector.gui.views.memory_gauge import LimitBar, MemoryGauge
from inspector.protocol.inspection import GrantsView
from inspector.protocol.message import (
    CapsuleOpened,
    Drain,
    Fire,
    GrantUse,
    HookState,
    LedgerChanged,
    MemoryRead,
    Pump,
    ReadMemory,
    ResetHook,
    SetHeld,
    StepFinished,
)
from inspector.workbench.headroom import CallTime, MemoryCurve
from inspector.workbench.memory_view import PAGE_BYTES
from inspector.workbench.reducer import reduce
from inspector.workbench.state import State
from tests.helpers import sample_state
from tests.helpers.sample_state import call, record

LEDGER = LedgerChanged(
    "audit-trail",
    (
        GrantUse("network", "https://a.test", True, True, 3, 0, 1_700_000_000_000, 12),
        GrantUse("network", "", False, True, 0, 2, suggestion="capabilities:\n  network: …"),
        GrantUse("filesystem", "audit/out", True, False, line=13),
        GrantUse("state", "", False, False),
        GrantUse("task_io", "", True, True, line=15),
        GrantUse("conversation", "", False, True),
    ),
)


def watched(model):
    """A model that Qt's tester watches."""
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning, model)
    return model


class TestLedger:
    """ledger_properties and what is read from an inspection."""

    def test_each_grant_stands_under_what_became_of_it(self):
        """Refused first."""
        sections = {
            section.name: [line.name for line in section.children]
            for section in ledger_properties(LEDGER)
        }
        assert sections == {
            "Refused": ["network"],
            "Used": ["network https://a.test"],
            "Never used": ["task texts"],
            "Not seen": ["filesystem scope audit/out"],
            "Not granted": ["state store", "conversation"],
        }

    def test_line_tells_how_often_when_and_where(self):
        """A double click goes to the manifest."""
        refused, used, idle, *_ = (section.children[0] for section in ledger_properties(LEDGER))
        moment = time_text(1_700_000_000_000)
        assert used.value == f"used 3 ×, {moment}  ·  line 12"
        assert used.target == Place(
            12, note=f"This grants network https://a.test: used 3 ×, {moment}."
        )
        assert refused.value == "refused 2 ×"
        assert refused.target is None
        assert idle.value == "granted  ·  line 15"
        assert "could be taken out" in idle.tip

    def test_moment_without_one(self):
        """Nothing to show."""
        assert time_text(None) == ""
        assert len(time_text(0)) == len("00:00:00")

    def test_shared_stores(self):
        """Two hooks of one name for a store."""
        shared = GrantsView((), None, "notes", False, False, None)
        other = GrantsView((), None, "own", False, False, None)
        hooks = (
            sample_state.hook("a", grants=shared),
            sample_state.hook("b", grants=shared),
            sample_state.hook("c", grants=other),
            sample_state.hook("d"),
        )
        inspection = sample_state.inspection(hooks)
        assert shared_stores(inspection) == {"notes": ("a", "b")}
        assert [store_sharers(inspection, hook) for hook in hooks] == [("b",), ("a",), (), ()]


class TestMeter:
    """HookMeter."""

    @pytest.fixture
    def meter(self, bridge):
        """A meter with a clock that stands."""
        return HookMeter(bridge, clock_ms=lambda: 5_000)

    def test_follows_states_and_firings(self, qtbot, meter, bridge, engine):
        """Each finished firing once."""
        bridge.open_capsule("/c")
        bridge.flush()
        done = record(1, "on-shell", call("compactor", duration_us=70))
        with qtbot.waitSignal(meter.changed):
            engine.tell(StepFinished(done), HookState("compactor", "ready", memory_bytes=9))
            bridge.flush()
        assert [one.memory_bytes for one in meter.curve("compactor").samples] == [1_114_112, 9]
        assert meter.curve("compactor").samples[-1].step == 1
        assert meter.curve("compactor").since_ms == 5_000
        assert meter.times("compactor") == (CallTime("on-shell", 1, 70, 1, 70),)
        bridge.flush()
        assert meter.times("compactor")[0].calls == 1

    def test_rejected_hook_has_no_curve(self, meter, bridge):
        """It has no memory."""
        bridge.open_capsule("/c")
        bridge.flush()
        assert meter.curve("legacy") == MemoryCurve()

    def test_fresh_session_begins_anew(self, meter, bridge, engine):
        """Rows of the earlier one stay in the timeline."""
        bridge.open_capsule("/c")
        bridge.flush()
        engine.tell(StepFinished(record(1, "on-shell", call("compactor"))))
        engine.tell(HookState("compactor", "ready", memory_bytes=9))
        bridge.flush()
        bridge.reload()
        bridge.flush()
        assert meter.times("compactor") == ()
        assert len(meter.curve("compactor").samples) == 1

    def test_recording_is_measured_by_itself(self, meter, bridge, engine):
        """Closing it brings the times of the session back."""
        bridge.open_capsule("/c")
        bridge.flush()
        engine.tell(StepFinished(record(9, "on-shell", call("compactor", duration_us=70))))
        bridge.flush()
        live = meter.curve("compactor")
        assert live.samples
        recorded = State()
        for event in (
            CapsuleOpened(sample_state.inspection()),
            sample_state.session("ses_recorded"),
            StepFinished(record(1, "on-stage", call("compactor", duration_us=7))),
        ):
            recorded = reduce(recorded, event)
        bridge.show_recording(replace(recorded, recording="/r"))
        bridge.flush()
        assert meter.times("compactor") == (CallTime("on-stage", 1, 7, 1, 7),)
        assert meter.curve("compactor") == MemoryCurve()
        bridge.close_recording()
        bridge.flush()
        assert meter.curve("compactor") == live
        assert meter.times("compactor") == (CallTime("on-shell", 1, 70, 9, 70),)

    def test_firings_before_any_session_do_not_count(self, meter, bridge, engine):
        """A recording may begin with them."""
        engine.tell(StepFinished(record(1, "on-shell", call("compactor"))))
        bridge.flush()
        assert meter.times("compactor") == ()


class TestMemoryModel:
    """MemoryModel."""

    def test_rows_of_sixteen_and_of_eight(self):
        """The last one may be short."""
        model = watched(MemoryModel())
        model.set_page(b"Hello, world! ab" + b"x\0", 0x10000)
        assert model.rowCount() == 2
        assert model.cell(0, Column.OFFSET) == "00010000"
        assert model.cell(1, Column.TEXT) == "x·"
        model.set_row_length(8)
        assert model.rowCount() == 3
        assert model.cell(1, Column.OFFSET) == "00010008"
        assert model.cell(1, Column.TEXT) == "orld! ab"

    def test_search_marks_every_row_that_a_hit_touches(self):
        """Hits go over row ends."""
        model = watched(MemoryModel())
        model.set_page(bytes(15) + b"abcd" + bytes(30), 0)
        model.set_needle(b"abcd")
        assert model.hits.offsets == (15,)
        marks = [model.index(row, 0).data(MemoryModel.Role.MATCH) for row in range(4)]
        assert marks == [True, True, False, False]
        model.set_page(bytes(49), 0)
        assert model.hits.offsets == ()
        model.set_page(b"", 0)
        assert model.rowCount() == 0


class TestTimes:
    """HookTimeModel."""

    def test_part_of_the_deadline(self):
        """In words; the bar takes the number."""
        model = watched(HookTimeModel())
        model.set_times((CallTime("on-shell", 2, 750_000, 7, 800_000),), 1)
        row = [model.index(0, column).data() for column in TimeColumn]
        assert row == ["on-shell", "750 ms", "75 %", "2", "#7"]
        assert model.index(0, 0).data(HookTimeModel.Role.PART) == 0.75
        color = model.index(0, TimeColumn.PART).data(Qt.ItemDataRole.ForegroundRole)
        assert color == theme.color("caution")
        assert "400 ms on average" in model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
        model.set_times((CallTime("on-shell", 3, 950_000, 8, 900_000),), 1)
        assert model.index(0, TimeColumn.PART).data() == "95 %"
        model.set_times((), 1)
        assert model.rowCount() == 0


class TestGauge:
    """MemoryGauge, LimitBar."""

    def curve(self, *states):
        """A curve after (step, generation, bytes)."""
        curve = MemoryCurve()
        for step, generation, size in states:
            live = HookState("a", "ready", memory_bytes=size, generation=generation)
            curve = curve.after(live, step, 1)
        return curve

    @pytest.mark.parametrize(
        ("states", "words"),
        [
            ((), "Nothing was measured yet."),
            (((0, 0, 1024),), "It has not changed since firing #0."),
            (((1, 0, 1024), (5, 0, 2048)), "Memory is 2 KiB, at most it was 2 KiB. After firing"),
            (((1, 0, 9216), (5, 1, 1024)), "2 instances are shown."),
        ],
    )
    def test_says_what_it_shows(self, qtbot, states, words):
        """For those who do not see it."""
        gauge = MemoryGauge()
        qtbot.addWidget(gauge)
        gauge.set_curve(self.curve(*states), 9, 1 << 20)
        assert words in gauge.sentence()
        assert gauge.accessibleDescription() == gauge.sentence()
        gauge.resize(300, 96)
        assert not gauge.grab().isNull()

    def test_paints_limit_instances_and_the_curve(self, qtbot):
        """Each makes another picture; the tooltip tells a place."""
        gauge = MemoryGauge()
        qtbot.addWidget(gauge)
        gauge.resize(300, 96)
        pictures = []
        for states, limit in (
            (((1, 0, 1000), (5, 0, 2000)), 1 << 30),
            (((1, 0, 1000), (5, 0, 2000)), 2100),
            (((1, 0, 1000), (5, 1, 2000)), 2100),
        ):
            gauge.set_curve(self.curve(*states), 9, limit)
            pictures.append(gauge.grab().toImage())
        assert pictures[0] != pictures[1] != pictures[2]
        assert gauge.tip_at(299) == "after firing #5: 2 KiB, 95 %, instance 1"
        assert gauge.tip_at(2).startswith("after firing #1: 1000 B")

    def test_bar_is_spoken(self, qtbot):
        """And never without a line for something."""
        bar = LimitBar()
        qtbot.addWidget(bar)
        bar.resize(200, 10)
        bar.set_part(0.0, "nothing")
        empty = bar.grab().toImage()
        bar.set_part(0.000001, "64 KiB of 512 MiB")
        assert bar.grab().toImage() != empty
        assert bar.accessibleName() == "64 KiB of 512 MiB"


class TestPage:
    """HookPage."""

    @pytest.fixture
    def page(self, qtbot, bridge):
        """A shown page beside an opened capsule."""
        bridge.open_capsule("/c")
        bridge.flush()
        made = HookPage(bridge)
        qtbot.addWidget(made)
        made.resize(420, 700)
        with qtbot.waitExposed(made):
            made.show()
        return made

    def show(self, page, bridge, name, tab=None):
        """Show a hook, and one of its tabs or the one that is open."""
        bridge.flush()
        assert page.show_hook(bridge.state, name)
        if tab is not None:
            page.show_tab(tab)

    def test_taken_apart__is_not_told_of_its_tabs(self, page):
        """Qt goes on telling tabs that go when the page's own attributes are gone already."""
        vars(page).clear()
        page._on_tab_changed(0)

    def titles(self, page):
        """The visible tabs."""
        tabs = page.tabs
        return [tabs.tabText(n) for n in range(tabs.count()) if tabs.isTabVisible(n)]

    def test_tabs_are_those_that_the_hook_has(self, page, bridge):
        """No queue for a blocking hook, no memory for a rejected one."""
        self.show(page, bridge, "audit-trail")
        assert self.titles(page) == ["Facts", "Grants", "Memory", "Queue", "Time"]
        self.show(page, bridge, "compactor")
        assert self.titles(page) == ["Facts", "Grants", "Memory", "Time"]
        self.show(page, bridge, "legacy")
        assert self.titles(page) == ["Facts", "Grants"]
        assert not page.instance.isVisible()

    def test_chosen_tab_stays_over_hooks_that_lack_it(self, page, bridge):
        """Back at a hook that has it, it shows again."""
        self.show(page, bridge, "audit-trail", hook_page.QUEUE)
        self.show(page, bridge, "compactor")
        assert page.tabs.currentIndex() == hook_page.FACTS
        self.show(page, bridge, "audit-trail")
        assert page.tabs.currentIndex() == hook_page.QUEUE

    def test_ledger_is_live_and_gives_lines_to_copy(self, page, bridge, engine):
        """The first refused grant shows its lines at once."""
        self.show(page, bridge, "audit-trail", hook_page.GRANTS)
        assert page.grants.empty.isVisible()
        engine.tell(LEDGER)
        bridge.flush()
        assert not page.grants.empty.isVisible()
        assert page.grants.suggestion == "capabilities:\n  network: …"
        page.grants.copy_button.click()
        assert QGuiApplication.clipboard().text() == "capabilities:\n  network: …"
        view = page.grants.ledger
        used = view.model().index(0, 0, view.model().index(1, 0, QModelIndex()))
        view.setCurrentIndex(used)
        assert page.grants.suggestion == ""

    def test_manifest_line_is_asked_for(self, qtbot, page, bridge, engine):
        """Enter and a double click do it."""
        engine.tell(LEDGER)
        self.show(page, bridge, "audit-trail", hook_page.GRANTS)
        view = page.grants.ledger
        used = view.model().index(0, 0, view.model().index(1, 0, QModelIndex()))
        with qtbot.waitSignal(page.target_chosen) as told:
            view.activated.emit(used)
        assert told.args[0].line == 12

    def test_queue_buttons_act_on_the_engine(self, page, bridge, engine):
        """Pump, drain, hold; the switch is never ahead of the engine."""
        self.show(page, bridge, "audit-trail", hook_page.QUEUE)
        engine.tell(HookState("audit-trail", "held", queue_length=512, dropped=3))
        self.show(page, bridge, "audit-trail")
        assert page.queue.length.text() == "512 of 1,024 events wait"
        assert dict(page.queue.facts.rows())["dropped"] == "3"
        assert dict(page.queue.facts.rows())["worker"] == "held"
        page.queue.pump_button.click()
        page.queue.drain_button.click()
        actions = [request.action for request in engine.requests if isinstance(request, Fire)]
        assert actions == [Pump(), Drain()]
        page.queue.held_box.click()
        assert engine.requests[-1] == SetHeld(True)
        bridge.flush()
        assert page.queue.held_box.isChecked()

    def test_reset_fires_and_says_what_it_means(self, page, bridge, engine):
        """Not without a session."""
        self.show(page, bridge, "compactor")
        page.instance.reset_button.click()
        assert engine.requests[-1].action == ResetHook("compactor")
        assert "Its queue, folders and state store stay" in page.instance.reset_button.toolTip()
        engine.die()
        bridge.flush()
        assert not page.instance.reset_button.isEnabled()

    def test_age(self):
        """Generation, moment, firing."""
        assert age_text(None, MemoryCurve()) == "no instance"
        live = HookState("a", "ready", generation=2)
        curve = MemoryCurve().after(live, 7, 0)
        assert age_text(live, curve) == "made anew 2 ×"
        curve = MemoryCurve().after(live, 7, 1_000)
        assert age_text(live, curve) == f"made anew 2 ×, since {time_text(1_000)}, firing #7"

    def test_times_lead_to_the_firing(self, qtbot, page, bridge, engine):
        """The longest call first."""
        self.show(page, bridge, "compactor", hook_page.TIME)
        assert page.time.empty.isVisible()
        engine.tell(StepFinished(record(4, "on-shell", call("compactor", duration_us=70))))
        bridge.flush()
        assert not page.time.empty.isVisible()
        with qtbot.waitSignal(page.step_chosen) as told:
            page.time.table.activated.emit(page.time.model.index(0, 0))
        assert told.args == [4]
        assert not page.grab().isNull()

    def test_differences_take_the_whole_width(self, qtbot, page, bridge, engine):
        """A sentence is no pair of name and value."""
        sentence = "It exports on-shell with another record."
        odd = sample_state.hook("odd", differences=(sentence,))
        engine.inspection = sample_state.inspection((odd,))
        bridge.open_capsule("/d")
        self.show(page, bridge, "odd")
        rows = [item.name for item in page.properties.properties]
        assert rows[:3] == ["Events", "Exports", "Differences"]
        model = page.properties.model()
        parent = model.index(2, 0, QModelIndex())
        assert model.index(0, 0, parent).data() == sentence
        assert page.properties.isFirstColumnSpanned(0, parent)
        assert not page.properties.isFirstColumnSpanned(0, model.index(1, 0, QModelIndex()))
        page.properties.setCurrentIndex(model.index(0, 0, parent))
        qtbot.keyClick(page.properties, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == sentence

    def test_shared_store_is_said(self, page, bridge, engine):
        """With the names of the others."""
        shared = GrantsView((), None, "notes", False, False, None)
        hooks = tuple(sample_state.hook(name, grants=shared) for name in ("a", "b"))
        engine.inspection = sample_state.inspection(hooks)
        bridge.open_capsule("/d")
        self.show(page, bridge, "a")
        grants = next(item for item in page.properties.properties if item.name == "Grants")
        store = next(line for line in grants.children if line.name == "state store")
        assert store.value == "notes, shared with b"


class TestMemoryPage:
    """MemoryPage, through the hook's page."""

    @pytest.fixture
    def page(self, qtbot, bridge, engine):
        """The tab Memory of a hook, shown."""
        bridge.open_capsule("/c")
        bridge.flush()
        made = HookPage(bridge)
        qtbot.addWidget(made)
        made.resize(420, 700)
        with qtbot.waitExposed(made):
            made.show()
        made.show_hook(bridge.state, "compactor")
        made.show_tab(hook_page.MEMORY)
        return made

    def answer(self, engine, bridge, data, offset=0, sizes=(3 * PAGE_BYTES,), memory=0):
        """What the engine reads."""
        engine.tell(MemoryRead("compactor", memory, offset, sizes, data))
        bridge.flush()

    def reads(self, engine):
        """What was asked for."""
        return [request for request in engine.requests if isinstance(request, ReadMemory)]

    def test_reads_when_it_shows_and_not_before(self, page, engine):
        """The first page."""
        assert self.reads(engine) == [ReadMemory("compactor", 0, 0, PAGE_BYTES)]

    def test_shows_the_page_and_goes_about(self, page, engine, bridge):
        """Next, previous, an offset."""
        self.answer(engine, bridge, bytes(PAGE_BYTES))
        assert page.memory.model.rowCount() > 0
        assert page.memory.note.text().startswith("Page 1 of 3")
        assert not page.memory.previous_button.isEnabled()
        page.memory.next_button.click()
        assert self.reads(engine)[-1].offset == PAGE_BYTES
        page.memory.offset.setText("0x20010")
        page.memory.offset.returnPressed.emit()
        assert self.reads(engine)[-1].offset == 2 * PAGE_BYTES
        self.answer(engine, bridge, bytes(PAGE_BYTES), 2 * PAGE_BYTES)
        assert page.memory.table.current_row() == 16 // page.memory.model.row_length
        assert not page.memory.next_button.isEnabled()
        page.memory.previous_button.click()
        assert self.reads(engine)[-1].offset == PAGE_BYTES

    def test_bad_offset_is_a_sentence(self, page, engine, bridge):
        """And nothing is asked for."""
        self.answer(engine, bridge, bytes(PAGE_BYTES))
        before = len(self.reads(engine))
        for text, words in (("nonsense", "no offset"), ("0xffffffff", "ends at 0x2ffff")):
            page.memory.offset.setText(text)
            page.memory.offset.returnPressed.emit()
            assert words in page.memory.note.text()
        assert len(self.reads(engine)) == before

    def test_several_memories_can_be_chosen(self, page, engine, bridge):
        """One alone shows no choice."""
        self.answer(engine, bridge, bytes(16))
        assert not page.memory.memories.isVisible()
        self.answer(engine, bridge, bytes(16), sizes=(PAGE_BYTES, 2 * PAGE_BYTES))
        assert page.memory.memories.isVisible()
        page.memory.memories.setCurrentIndex(1)
        page.memory.memories.activated.emit(1)
        assert self.reads(engine)[-1] == ReadMemory("compactor", 1, 0, PAGE_BYTES)
        self.answer(engine, bridge, b"zz", sizes=(PAGE_BYTES, 2 * PAGE_BYTES), memory=1)
        assert page.memory.model.page == b"zz"

    def test_search_walks_the_page(self, page, engine, bridge):
        """Bytes and text; bad bytes are a sentence."""
        self.answer(engine, bridge, bytes(100) + b"needle" + bytes(100) + b"needle")
        page.open_search()
        field = page.memory.search_bar.field
        field.setText("needle")
        assert page.memory.search_bar.count_text() == "2 found"
        page.memory.search_bar.next_requested.emit()
        page.memory.search_bar.next_requested.emit()
        assert page.memory.search_bar.count_text() == "2 of 2"
        assert page.memory.table.current_row() == 206 // page.memory.model.row_length
        page.memory.search_bar.previous_requested.emit()
        assert page.memory.search_bar.count_text() == "1 of 2"
        assert not page.grab().isNull()
        field.setText("hex: 6e 6")
        assert "pairs of hexadecimal digits" in page.memory.note.text()
        field.setText("hex: 6e 65")
        assert page.memory.search_bar.count_text() == "2 found"
        page.memory.search_bar.close_search()
        assert page.memory.model.hits.offsets == ()

    def test_page_is_copied_as_text(self, page, engine, bridge):
        """With offsets."""
        self.answer(engine, bridge, b"abc", 0)
        page.memory.copy_button.click()
        assert QGuiApplication.clipboard().text().startswith("00000000  61 62 63 ")

    def test_fresh_instance_is_read_again(self, page, engine, bridge):
        """What is shown is not of the one before."""
        self.answer(engine, bridge, b"abc")
        before = len(self.reads(engine))
        engine.tell(HookState("compactor", "ready", memory_bytes=5, generation=1))
        bridge.flush()
        assert len(self.reads(engine)) == before + 1
        assert page.memory.now.text().startswith("5 B of 512 MiB each memory, under 0.1 %")

    def test_no_session_says_why(self, page, engine, bridge):
        """Nothing can be read."""
        engine.die()
        bridge.flush()
        before = len(self.reads(engine))
        page.memory.read()
        assert page.memory.note.text() == "The engine has ended; restart it first."
        assert len(self.reads(engine)) == before

    def test_wide_page_shows_sixteen_bytes(self, qtbot, page, engine, bridge):
        """A narrow one eight."""
        self.answer(engine, bridge, bytes(64))
        assert page.memory.model.row_length == 8
        page.resize(900, 700)
        qtbot.waitUntil(lambda: page.memory.model.row_length == 16)
