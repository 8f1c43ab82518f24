"""Sentences across the window: engine lost, capsule not opened, launch refused.

Lives here: `NoticeView`. Not here: what they say in full (Detail), passing remarks
(status_view). Only gui.main_window imports it.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.errors import with_hint
from inspector.gui.widgets.banner import Banner
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.formatting import one_line
from inspector.workbench.state import EngineStatus, State


class NoticeView(QWidget):
    """At most one banner of each kind; each goes when its cause goes.

    Signals:
        restart_requested(): the engine is to be started anew.
        reload_requested(): the capsule is to be read again.
    """

    restart_requested = Signal()
    reload_requested = Signal()

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.engine = Banner(self)
        self.engine.close_button.hide()
        self.engine.action_triggered.connect(self.restart_requested)
        self.open_error = Banner(self)
        self.open_error.action_triggered.connect(self.reload_requested)
        self.refusal = Banner(self)
        self.remark = Banner(self)
        self._told: tuple[object, object] = (None, None)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for banner in (self.engine, self.open_error, self.refusal, self.remark):
            layout.addWidget(banner)
        bridge.engine_changed.connect(self._update_engine)
        bridge.capsule_changed.connect(self._update_capsule)

    @Slot()
    def _update_engine(self) -> None:
        engine = self._bridge.state.engine
        if engine.status is EngineStatus.LOST:
            kept = "The timeline and everything you typed are kept."
            self.engine.show_message("error", f"{engine.sentence} {kept}", "Restart engine")
            self.engine.setToolTip(engine.detail)
        else:
            self.engine.hide()

    @Slot()
    def _update_capsule(self) -> None:
        state = self._bridge.state
        causes = (state.open_error, state.inspection)
        if causes == self._told:
            return
        self._told = causes
        self._show(self.open_error, "error", open_error_text(state), "Try again")
        self._show(self.refusal, "warning", refusal_text(state), "")

    def _show(self, banner: Banner, severity: str, sentence: str, action: str) -> None:
        if sentence:
            banner.show_message(severity, sentence, action)
        else:
            banner.hide()

    def say(self, severity: str, sentence: str) -> None:
        """Show a sentence until it is closed or another one comes."""
        self.remark.show_message(severity, sentence)


def open_error_text(state: State) -> str:
    """Why the capsule could not be opened: place, sentence, hint; "" when it could."""
    failed = state.open_error
    if failed is None:
        return ""
    parts = [str(part) for part in (failed.file, failed.line, failed.column) if part is not None]
    place = f"{':'.join(parts)}: " if parts else ""
    return with_hint(f"{place}{failed.message}", failed.hint)


def refusal_text(state: State) -> str:
    """What the runtime itself would say at a launch, or ""."""
    refusal = state.inspection.launch_refusal if state.inspection else None
    if refusal is None:
        return ""
    return f"The runtime would not launch this capsule: {one_line(refusal, 400)}"
