"""The tabs of a firing that are tables, and which of them have something to show.

Lives here: numbers of all tabs, `FiringTables` and `table_contents`. Not here: the page
around them (firing_page), rows (models.firing_row). Only firing_page imports it, and
tests.
"""

from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui.file_job import FileJob
from inspector.gui.models.firing_row import (
    FILE_TITLES,
    FRAME_TITLES,
    INFERENCE_TITLES,
    REQUEST_TITLES,
    file_rows,
    frame_rows,
    inference_rows,
    request_rows,
)
from inspector.gui.views.message_page import MessagePage
from inspector.gui.views.table_page import TablePage
from inspector.workbench import backtrace, message_diff
from inspector.workbench.formatting import bytes_text, count_text
from inspector.workbench.state import Firing, HookCall

CALLS, TRAP, CONTEXT, FILES, ANSWER, ERROR, OUTPUT, LOG, REQUESTS, MODEL, SENT, OUTCOME = range(12)
TABLES = (TRAP, CONTEXT, FILES, REQUESTS, MODEL)


class FiringTables:
    """Makes the pages of the tables when they are first filled."""

    def __init__(self, work: FileJob) -> None:
        """Prepare.

        Args:
            work: Aligns messages and counts tokens in the other thread.
        """
        self._work = work
        self._holders: dict[int, QWidget] = {}
        self._pages: dict[int, TablePage] = {}

    def holder(self, tab: int, parent: QWidget) -> QWidget:
        """The widget of a tab, empty until the tab is filled."""
        holder = QWidget(parent)
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        self._holders[tab] = holder
        return holder

    def page(self, tab: int) -> TablePage:
        """The page of a tab."""
        found = self._pages.get(tab)
        if found is None:
            found = self._make(tab)
            self._pages[tab] = found
            layout = self._holders[tab].layout()
            assert layout is not None
            layout.addWidget(found)
            self._holders[tab].setFocusProxy(found)
        return found

    def _make(self, tab: int) -> TablePage:
        holder = self._holders[tab]
        if tab == CONTEXT:
            return MessagePage(self._work, holder)
        names = {
            TRAP: ("Frames", FRAME_TITLES, 2, (0,)),
            FILES: ("Manifests", FILE_TITLES, 0, (1,)),
            REQUESTS: ("Requests", REQUEST_TITLES, 1, (4,)),
            MODEL: ("Completions", INFERENCE_TITLES, 0, (1, 2, 4)),
        }
        name, titles, stretch, right = names[tab]
        return TablePage(name, titles, stretch, right, holder)

    def fill(self, tab: int, content: Any) -> None:
        """Show the content of a tab, as `table_contents` gave it."""
        page = self.page(tab)
        if isinstance(page, MessagePage):
            page.set_sides(content)
        else:
            rows, summary = content
            page.set_rows(rows, summary)


def table_contents(firing: Firing, call: HookCall | None) -> dict[int, Any]:
    """What the tables show of a firing or of one call; those without rows are left out.

    Args:
        firing: With a record.
        call: One of its calls, or None for all.
    """
    record = firing.record
    if record is None:
        return {}
    found = _requests_and_models(firing, call)
    telling = call or _telling_call(record.calls)
    if telling is None:
        return found
    trace = backtrace.parse(telling.detail or telling.error or "")
    if trace is not None:
        found[TRAP] = (frame_rows(trace), _cause_text(trace))
    sides = message_diff.sides_of(telling, firing.fields) if telling.event is None else None
    if sides is not None:
        found[CONTEXT] = sides
    if telling.result == "write-manifests":
        rows = file_rows(telling.payload, record.outcome.manifests)
        files = [row for row in rows if row.detail]
        size = bytes_text(sum(len(row.detail.encode()) for row in files))
        found[FILES] = (rows, f"{count_text(len(files), 'tool manifest')}, {size} in all.")
    return found


def _telling_call(calls: tuple[HookCall, ...]) -> HookCall | None:
    """The call whose answer was taken for a whole firing, if any."""
    arms = (*message_diff.ARMS, "write-manifests")
    return next((c for c in calls if c.result in arms and c.disposition == "honored"), None)


def _requests_and_models(firing: Firing, call: HookCall | None) -> dict[int, Any]:
    assert firing.record is not None
    found: dict[int, Any] = {}
    requests = [r for r in firing.record.requests if call is None or r.hook == call.hook]
    if requests:
        denied = sum(not request.allowed for request in requests)
        counted = count_text(len(requests), "request")
        text = f"{counted}, {denied} denied." if denied else f"{counted}, all allowed."
        found[REQUESTS] = (request_rows(requests), text)
    asked = [i for i in firing.record.inferences if call is None or i.hook == call.hook]
    if asked:
        tokens = f"{sum(i.input_tokens for i in asked):,} tokens in, "
        tokens += f"{sum(i.output_tokens for i in asked):,} out"
        found[MODEL] = (inference_rows(asked), f"{count_text(len(asked), 'completion')}, {tokens}.")
    return found


def _cause_text(trace: backtrace.Backtrace) -> str:
    root, *led_to = trace.causes or ("The cause is not told.",)
    return "\n".join((root, *(f"in: {cause}" for cause in led_to)))
