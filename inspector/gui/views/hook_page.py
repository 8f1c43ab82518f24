"""The page of one hook in the Detail pane.

Lives here: `HookPage`. Not here: its lines (models.hook_property). Only detail_view
imports it.
"""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui import icons
from inspector.gui.models.hook_model import NOT_LOADED
from inspector.gui.models.hook_property import hook_properties
from inspector.gui.views.detail_head import DetailHead
from inspector.gui.views.property_view import PropertyView
from inspector.gui.widgets.banner import Banner
from inspector.workbench.state import EngineStatus, State


class HookPage(QWidget):
    """Everything about one hook."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ""
        self.head = DetailHead(self)
        self._rejection = Banner(self)
        self._rejection.close_button.hide()
        self.properties = PropertyView("Facts about the hook", self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self._rejection)
        layout.addWidget(self.properties, 1)
        self.setFocusProxy(self.properties)

    def show_hook(self, state: State, name: str) -> bool:
        """Show a hook; False when there is none of the name."""
        hook = state.hook(name)
        if hook is None or state.inspection is None:
            return False
        live = state.hooks.get(name)
        word = "rejected" if not hook.accepted else live.state if live else NOT_LOADED
        if state.engine.status is not EngineStatus.READY and hook.accepted:
            word, live = NOT_LOADED, None
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
        self.properties.set_properties(hook_properties(hook, live, state.inspection.limits))
        return True
