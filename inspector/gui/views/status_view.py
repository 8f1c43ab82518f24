"""The status bar: engine, sums, memory, and the last remark.

Lives here: `StatusView`. Not here: banners (notice_view). Only gui.main_window imports
it.
"""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton, QWidget

from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.pill import StatusPill
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.formatting import bytes_text
from inspector.workbench.state import EngineStatus, State

REMARK_MS = 8_000

_SIGNS = {
    EngineStatus.ABSENT: ("mark-discarded", "muted", "no engine"),
    EngineStatus.STARTING: ("state-compiling", "accent", "engine starting"),
    EngineStatus.READY: ("state-ready", "positive", "engine ready"),
    EngineStatus.LOST: ("mark-error", "negative", "engine lost"),
    EngineStatus.STOPPED: ("mark-discarded", "muted", "engine ended"),
}


class StatusView(QStatusBar):
    """Facts that are always in sight."""

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._sign = ("", "", "")
        self.setSizeGripEnabled(False)
        self.engine = StatusPill(self)
        self.progress = QProgressBar(self)
        self.progress.setMaximumWidth(120)
        self.progress.setMaximumHeight(12)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Progress")
        self._task: tuple[str, float | None] = ("", None)
        self.task = ElidedLabel("", self)
        self.stop_button = QToolButton(self)
        self.stop_button.setAutoRaise(True)
        self.stop_button.setIconSize(QSize(12, 12))
        self.stop_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.notices = QToolButton(self)
        self.notices.setAutoRaise(True)
        self.notices.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.notices.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.notices.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.sums = QLabel(self)
        self.memory = QLabel(self)
        self.addWidget(self.engine)
        self.addWidget(self.task)
        self.addWidget(self.progress)
        self.addWidget(self.stop_button)
        self.addPermanentWidget(self.sums)
        self.addPermanentWidget(self.memory)
        self.addPermanentWidget(self.notices)
        bridge.changed.connect(self._update)
        self._update()

    @Slot()
    def _update(self) -> None:
        state = self._bridge.state
        sign = engine_sign(state)
        if sign != self._sign:
            self._sign = sign
            self.engine.set_status(*sign)
        self.engine.setToolTip(engine_tip(state))
        self._show_progress(state)
        for label, text in ((self.sums, sums_text(state)), (self.memory, memory_text(state))):
            if text != label.text():
                label.setText(text)

    def set_actions(self, stop: QAction, notices: QAction) -> None:
        """Take over what stops a long job and what lists the notices."""
        self.stop_button.setDefaultAction(stop)
        self.stop_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.stop_button.setAccessibleName("Stop")
        self.notices.setDefaultAction(notices)
        self.notices.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.notices.setAccessibleName("Notices")

    def set_task(self, text: str, fraction: float | None) -> None:
        """Show a long job of the window beside the engine's state.

        Args:
            text: What it is and how far, or "" for none.
            fraction: 0.0 to 1.0, or None while that is unknown.
        """
        self._task = (text, fraction)
        self.task.setText(text)
        self._show_progress(self._bridge.state)

    def _show_progress(self, state: State) -> None:
        text, fraction = self._task
        is_busy = state.opening or bool(text)
        self.task.setVisible(bool(text))
        self.progress.setVisible(is_busy)
        self.stop_button.setVisible(is_busy)
        if state.opening:
            fraction = state.progress.fraction if state.progress else None
        if fraction is None:
            self.progress.setRange(0, 0)
        else:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(fraction * 1000))


def engine_sign(state: State) -> tuple[str, str, str]:
    """Picture, colour role and words of what the engine is doing."""
    if state.engine.status is EngineStatus.READY:
        if state.interrupting:
            return "state-running", "caution", "stopping"
        if state.opening:
            text = state.progress.text if state.progress else "opening the capsule"
            return "state-compiling", "accent", text
        if state.running:
            return "state-running", "accent", f"running #{state.running[0]:,}"
    return _SIGNS[state.engine.status]


def engine_tip(state: State) -> str:
    """Process id and versions, or how the engine ended."""
    engine = state.engine
    lines = [f"process {engine.pid}"] if engine.pid else []
    lines += [f"{name} {version}" for name, version in engine.versions.items()]
    return "\n".join([*lines, engine.sentence]).strip()


def sums_text(state: State) -> str:
    """How much was fired, and how it went."""
    counts = state.counts
    parts = [f"{counts.fired:,} fired"]
    for count, one, many in (
        (counts.errors, "error", "errors"),
        (counts.faults, "fault", "faults"),
        (counts.denied, "denied", "denied"),
    ):
        if count:
            parts.append(f"{count:,} {one if count == 1 else many}")
    return "  ·  ".join(parts)


def memory_text(state: State) -> str:
    """The largest memory of a hook against the limit of one, or ""."""
    if state.inspection is None or not state.hooks:
        return ""
    used = sum(hook.memory_bytes for hook in state.hooks.values())
    limit = state.inspection.limits.memory_bytes
    return f"memory {bytes_text(used)}, at most {bytes_text(limit)} each"
