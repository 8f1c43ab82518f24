"""The page of a firing or of one of its calls in the Detail pane.

Lives here: `FiringPage`: sentences on top, and tabs for what there is. Not here: the
sentences (workbench.explanation), the forms of a value (value_view). Only detail_view
imports it.
"""

from typing import Any

import msgspec
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from inspector.contract.profile import PROFILES
from inspector.gui.file_job import FileJob
from inspector.gui.focus import FiringTarget
from inspector.gui.models.outcome_property import outcome_properties
from inspector.gui.models.property_model import Property
from inspector.gui.models.timeline_row import result_text
from inspector.gui.views.detail_head import DetailHead
from inspector.gui.views.firing_tables import (
    ANSWER,
    CALLS,
    CONTEXT,
    ERROR,
    FILES,
    LOG,
    OUTCOME,
    OUTPUT,
    SENT,
    TABLES,
    TRAP,
    FiringTables,
    table_contents,
)
from inspector.gui.views.property_view import PropertyView
from inspector.gui.views.text_view import TextView
from inspector.gui.views.value_view import ValueView
from inspector.workbench import verdict
from inspector.workbench.explanation import Explanation, explain_call
from inspector.workbench.formatting import broken_lines, bytes_text, duration_text
from inspector.workbench.state import Firing, HookCall
from inspector.workbench.step_explanation import explain_open_firing, explain_step

HELP = "This result had help that the runtime does not give"
_TITLES = (
    "Calls",
    "Backtrace",
    "Context",
    "Manifests",
    "Answer",
    "Error",
    "Output",
    "Log",
    "Requests",
    "Model",
    "Sent",
    "Outcome",
)
_TELLING = (TRAP, ERROR, CONTEXT, FILES, ANSWER, CALLS, OUTPUT, SENT, OUTCOME)
"""Which tab shows first when the one that was open is not there."""


class FiringPage(QWidget):
    """Everything about one firing; tabs without content are hidden.

    Signals:
        target_chosen(Target): a call in the list was activated.
    """

    target_chosen = Signal(object)

    # Qt tells of tabs that go while the page is taken apart, when its attributes are gone:
    # nothing is chosen by that.
    _is_filling = True

    def __init__(self, work: FileJob, parent: QWidget | None = None) -> None:
        """Make it.

        Args:
            work: Aligns messages and counts tokens in the other thread.
            parent: The owner.
        """
        super().__init__(parent)
        self.tables = FiringTables(work)
        self._contents: dict[int, Any] = {}
        self._wanted = -1
        self._is_filling = False
        self.head = DetailHead(self)
        self.calls = PropertyView("Calls of the firing", self)
        self.calls.target_chosen.connect(self.target_chosen)
        self.answer = ValueView("Answer", self)
        self.error = TextView("Error", self)
        self.output = TextView("Output of the guest", self)
        self.log = TextView("Log lines", self)
        self.sent = ValueView("What was sent", self)
        self.outcome = PropertyView("Outcome", self)
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        pages = {
            CALLS: self.calls,
            ANSWER: self.answer,
            ERROR: self.error,
            OUTPUT: self.output,
            LOG: self.log,
            SENT: self.sent,
            OUTCOME: self.outcome,
        }
        for tab, title in enumerate(_TITLES):
            # The tables are made when they are first wanted.
            self.tabs.addTab(pages.get(tab) or self.tables.holder(tab, self), title)
        self.tabs.currentChanged.connect(self._on_tab_changed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.tabs, 1)
        self.setFocusProxy(self.tabs)

    def show_firing(self, firing: Firing, target: FiringTarget, profile_name: str) -> None:
        """Show a firing, or the call of it that the target names.

        Args:
            firing: In any status.
            target: Its index, and a call or None.
            profile_name: The profile in force.
        """
        calls = firing.record.calls if firing.record else ()
        call = calls[target.call] if target.call is not None else None
        self._show_head(firing, call)
        happened, why, written = _sentences(firing, call, profile_name)
        if call is not None and call.marks:
            why += f" {HELP}: {', '.join(call.marks)}."
        self.head.show_sentences(happened, why, written)
        self._contents = _contents(firing, call, target.index)
        self._show_tabs()

    def _show_head(self, firing: Firing, call: HookCall | None) -> None:
        shown = verdict.of_firing(firing) if call is None else verdict.of_call(call)
        who = f"{call.hook} · " if call is not None else ""
        event = firing.event if call is None else call.event or firing.event
        duration_us = firing.record.duration_us if firing.record else 0
        time = duration_text(duration_us if call is None else call.duration_us)
        phase = f" · {firing.phase}" if firing.phase == "decide" else ""
        title = f"#{firing.step:,} · {who}{event}{phase}" + (f" · {time}" if time else "")
        self.head.show_head(shown.icon, shown.role, title, shown.word)

    # -- tabs ----------------------------------------------------------------------------

    def _show_tabs(self) -> None:
        self._is_filling = True
        for tab in range(self.tabs.count()):
            self.tabs.setTabVisible(tab, tab in self._contents)
        visible = [tab for tab in _TELLING if tab in self._contents]
        current = self._wanted if self._wanted in self._contents else visible[0]
        self.tabs.setCurrentIndex(current)
        self._is_filling = False
        self._fill(current)

    @Slot(int)
    def _on_tab_changed(self, tab: int) -> None:
        if not self._is_filling:
            self._wanted = tab
            self._fill(tab)

    def _fill(self, tab: int) -> None:
        if tab not in self._contents:
            return
        content = self._contents[tab]
        match tab:
            case tab if tab in (CALLS, OUTCOME):
                view = self.calls if tab == CALLS else self.outcome
                view.set_properties(content)
            case tab if tab in TABLES:
                self.tables.fill(tab, content)
            case tab if tab in (ANSWER, SENT):
                (self.answer if tab == ANSWER else self.sent).set_value(content)
            case _:
                texts = {ERROR: self.error, OUTPUT: self.output, LOG: self.log}
                texts[tab].set_lines(list(broken_lines(content)))

    def show_tab(self, tab: int) -> None:
        """Show a tab by its number, when it has content."""
        if tab in self._contents:
            self.tabs.setCurrentIndex(tab)

    @Slot()
    def open_search(self) -> None:
        """Search in what the current tab shows."""
        page = self.tabs.currentWidget()
        if isinstance(page, ValueView | TextView):
            page.open_search()
        elif self.tabs.currentIndex() in TABLES:
            self.tables.page(self.tabs.currentIndex()).open_search()


def _sentences(
    firing: Firing, call: HookCall | None, profile_name: str
) -> tuple[str, str, tuple[str, ...]]:
    found: Explanation
    if firing.record is None:
        found = explain_open_firing(firing)
    elif call is not None:
        found = explain_call(PROFILES[profile_name], firing.record, call)
    else:
        found = explain_step(PROFILES[profile_name], firing.record)
    return found.happened, found.why, found.written


def _contents(firing: Firing, call: HookCall | None, index: int) -> dict[int, Any]:
    """What each tab that has something shows."""
    contents: dict[int, Any] = {SENT: _sent(firing)}
    record = firing.record
    if record is None:
        return contents
    contents[OUTCOME] = outcome_properties(record)
    contents |= table_contents(firing, call)
    if call is None and record.calls:
        contents[CALLS] = _call_lines(record.calls, index)
    if call is not None:
        contents |= _call_contents(call)
    logs = [
        entry for entry in record.logs if call is None or entry.file == f"logs/hook-{call.hook}.log"
    ]
    if logs:
        contents[LOG] = "\n".join(f"{entry.file}: {entry.text}" for entry in logs)
    return contents


def _sent(firing: Firing) -> Any:
    """The event's record, or what a control action says."""
    if firing.fields is not None:
        return firing.fields
    return {} if firing.action is None else msgspec.to_builtins(firing.action)


def _call_contents(call: HookCall) -> dict[int, Any]:
    contents: dict[int, Any] = {}
    if call.payload is not None:
        contents[ANSWER] = call.payload
    errors = [text for text in (call.error, call.detail) if text]
    if call.reason and call.payload is None and call.reason not in errors:
        errors.insert(0, call.reason)
    if errors:
        # The runtime's text of a trap holds the engine's whole text already.
        shown = [text for text in errors if not any(text in o and text != o for o in errors)]
        contents[ERROR] = "\n\n".join(dict.fromkeys(shown))
    parts = []
    for name, text in (("stdout", call.stdout), ("stderr", call.stderr)):
        if text:
            parts.append(f"-- {name} --\n{text}")
    if call.cut_bytes:
        parts.append(f"-- {bytes_text(call.cut_bytes)} were not kept --")
    if parts:
        contents[OUTPUT] = "\n".join(parts)
    return contents


def _call_lines(calls: tuple[HookCall, ...], index: int) -> tuple[Property, ...]:
    lines = []
    for number, call in enumerate(calls):
        shown = verdict.of_call(call)
        result = result_text(call)
        text = f"{result}  ·  {shown.word}" if result != shown.word else shown.word
        time = duration_text(call.duration_us)
        text += f"  ·  {time}" if time else ""
        target = FiringTarget(index, number)
        tip = "Double-click shows the call."
        lines.append(
            Property(call.hook, text, icon=shown.icon, role=shown.role, tip=tip, target=target)
        )
    return (Property("Calls", f"{len(calls):,}", children=tuple(lines)),)
