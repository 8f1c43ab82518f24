"""The page of one hook in the Detail pane.

Lives here: `HookPage`: head, instance, and the tabs. Not here: facts
(models.hook_property), grants (hook_grants), bytes (memory_page), queue (hook_queue),
times (hook_time). Only detail_view imports it.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QScrollArea, QTabWidget, QVBoxLayout, QWidget

from inspector.gui import icons
from inspector.gui.models.hook_meter import HookMeter
from inspector.gui.models.hook_model import NOT_LOADED
from inspector.gui.models.hook_property import hook_properties
from inspector.gui.models.ledger_property import store_sharers
from inspector.gui.views.detail_head import DetailHead
from inspector.gui.views.hook_grants import HookGrants
from inspector.gui.views.hook_instance import HookInstance
from inspector.gui.views.hook_queue import HookQueue
from inspector.gui.views.hook_time import HookTime
from inspector.gui.views.memory_page import MemoryPage
from inspector.gui.views.property_view import PropertyView
from inspector.gui.widgets.banner import Banner
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.state import EngineStatus, HookState, HookView, State

FACTS, GRANTS, MEMORY, QUEUE, TIME = range(5)
_TITLES = ("Facts", "Grants", "Memory", "Queue", "Time")


class HookPage(QWidget):
    """Everything about one hook, kept up to date while it is shown.

    Signals:
        target_chosen(Target | Place): something in a tab was activated.
        step_chosen(int): a firing is wanted.
    """

    target_chosen = Signal(object)
    step_chosen = Signal(int)

    # Qt tells of tabs that go while the page is taken apart, when its attributes are gone:
    # nothing is chosen by that.
    _is_filling = True

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._name = ""
        self._wanted = FACTS
        self._is_filling = False
        self.meter = HookMeter(bridge, self)
        self.head = DetailHead(self)
        self._rejection = Banner(self)
        self._rejection.close_button.hide()
        self.instance = HookInstance(bridge, self)
        self.properties = PropertyView("Facts about the hook", self)
        self.grants = HookGrants(self)
        self.memory = MemoryPage(bridge, self)
        self.queue = HookQueue(bridge, self)
        self.time = HookTime(self)
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.properties, _TITLES[FACTS])
        others = (self.grants, self.memory, self.queue, self.time)
        for page, title in zip(others, _TITLES[GRANTS:], strict=True):
            self.tabs.addTab(_scrolled(page, self), title)
        self._lay_out()
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.properties.target_chosen.connect(self.target_chosen)
        self.grants.target_chosen.connect(self.target_chosen)
        self.time.step_chosen.connect(self.step_chosen)
        self.meter.changed.connect(self._refresh)
        bridge.ledgers_changed.connect(self._refresh)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self.head, self._rejection, self.instance):
            layout.addWidget(widget)
        layout.addWidget(self.tabs, 1)
        self.setFocusProxy(self.tabs)

    def show_hook(self, state: State, name: str) -> bool:
        """Show a hook; False when there is none of the name."""
        hook = state.hook(name)
        if hook is None or state.inspection is None:
            return False
        self._name = name
        live = self._live(hook)
        self._show_head(hook, live, state)
        self.instance.show_instance(name, live, self.meter.curve(name))
        self._show_tabs(hook)
        return True

    def _live(self, hook: HookView) -> HookState | None:
        state = self._bridge.state
        is_loaded = state.engine.status is EngineStatus.READY or not hook.accepted
        return state.hooks.get(hook.name) if is_loaded else None

    def _show_head(self, hook: HookView, live: HookState | None, state: State) -> None:
        word = "rejected" if not hook.accepted else live.state if live else NOT_LOADED
        known = word in icons.STATES
        sign = icons.state(word) if known else icons.Sign("mark-discarded", "○", "muted")
        self.head.show_head(sign.name, sign.role, f"{hook.name} {hook.version}", word)
        mode = f"{hook.binding} · {hook.execution_mode} · policy {hook.commit_policy}"
        detail = live.detail if live and live.detail != hook.rejection else ""
        self.head.show_sentences(mode, detail, ())
        if hook.rejection:
            self._rejection.show_message("error", hook.rejection)
        else:
            self._rejection.hide()

    # -- tabs ----------------------------------------------------------------------------

    def _show_tabs(self, hook: HookView) -> None:
        shown = {FACTS, GRANTS}
        if hook.accepted:
            shown |= {MEMORY, TIME}
            if hook.execution_mode == "async":
                shown.add(QUEUE)
        self._is_filling = True
        for tab in range(self.tabs.count()):
            self.tabs.setTabVisible(tab, tab in shown)
        self.tabs.setCurrentIndex(self._wanted if self._wanted in shown else FACTS)
        self._is_filling = False
        self.instance.setVisible(hook.accepted)
        self._fill()

    @Slot(int)
    def _on_tab_changed(self, tab: int) -> None:
        if not self._is_filling:
            self._wanted = tab
            self._fill()

    @Slot()
    def _refresh(self) -> None:
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        """Fill the tab that is shown."""
        state = self._bridge.state
        hook = state.hook(self._name)
        if hook is None or state.inspection is None:
            return
        live, limits = self._live(hook), state.inspection.limits
        curve = self.meter.curve(hook.name)
        match self.tabs.currentIndex():
            case tab if tab == FACTS:
                sharers = store_sharers(state.inspection, hook)
                self.properties.set_properties(hook_properties(hook, live, limits, sharers))
            case tab if tab == GRANTS:
                self.grants.show_ledger(state.ledgers.get(hook.name))
            case tab if tab == MEMORY:
                self.memory.show_hook(hook.name, curve, limits.memory_bytes)
            case tab if tab == QUEUE:
                self.queue.show_queue(hook, live)
            case _:
                self.time.show_times(self.meter.times(hook.name), limits.deadline_s)

    def show_tab(self, tab: int) -> None:
        """Show a tab by its number, when the hook has it."""
        if self.tabs.isTabVisible(tab):
            self.tabs.setCurrentIndex(tab)

    @Slot()
    def open_search(self) -> None:
        """Search in the bytes, when they are shown."""
        if self.tabs.currentIndex() == MEMORY:
            self.memory.open_search()


def _scrolled(page: QWidget, parent: QWidget) -> QScrollArea:
    """A page in an area of its own, so that a low window need not be as high as the page."""
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setWidget(page)
    return area
