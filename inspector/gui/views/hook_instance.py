"""The line about a hook's instance: its age, and a fresh one.

Lives here: `HookInstance`. Not here: resets (the engine). Only hook_page imports it.
"""

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from inspector.gui import icons
from inspector.gui.models.ledger_property import time_text
from inspector.gui.widgets import look
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import ResetHook
from inspector.workbench import command
from inspector.workbench.headroom import MemoryCurve
from inspector.workbench.state import HookState

MEANING = (
    "A fresh instance: whatever the hook kept in memory is gone, a trap too. Its queue, folders "
    "and state store stay. No runtime does this, so its calls are marked re-instantiated from "
    "then on."
)


class HookInstance(QWidget):
    """Which instance it is and since when; one button makes it anew."""

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._hook = ""
        self.age = ElidedLabel("", self)
        look.set_property(self.age, "tone", "muted")
        self.reset_button = QPushButton("Reset", self)
        self.reset_button.setAutoDefault(False)
        self.reset_button.setIcon(icons.icon("reset"))
        self.reset_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.reset_button.setAccessibleName("Reset the hook")
        self.reset_button.clicked.connect(self._reset)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Spacing.S, 0, Spacing.S, Spacing.XS)
        layout.setSpacing(Spacing.S)
        layout.addWidget(self.age, 1)
        layout.addWidget(self.reset_button)
        bridge.busy_changed.connect(self._update_button)
        bridge.session_changed.connect(self._update_button)

    def show_instance(self, name: str, live: HookState | None, curve: MemoryCurve) -> None:
        """Show the instance of a hook; `live` is None without one."""
        self._hook = name
        self.age.setText(age_text(live, curve))
        self.age.set_hint(MEANING)
        self._update_button()

    @Slot()
    def _update_button(self) -> None:
        reason = command.can_reset(self._bridge.state, self._hook)
        self.reset_button.setEnabled(not reason)
        self.reset_button.setToolTip(f"{MEANING} (R)\n{reason}".rstrip())

    @Slot()
    def _reset(self) -> None:
        if not command.can_reset(self._bridge.latest, self._hook):
            self._bridge.fire(ResetHook(self._hook))


def age_text(live: HookState | None, curve: MemoryCurve) -> str:
    """Which instance a hook has, and since when.

    Args:
        live: Its live state, or None without an instance.
        curve: What was measured of it in this session.
    """
    if live is None or live.state == "rejected":
        return "no instance"
    made = "first instance" if not live.generation else f"made anew {live.generation:,} ×"
    if not curve.since_ms:
        return made
    after = f", firing #{curve.since_step:,}" if curve.since_step else ""
    return f"{made}, since {time_text(curve.since_ms)}{after}"
