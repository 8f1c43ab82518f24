"""The tab Queue of an async hook's page: how full it is, and what moves it.

Lives here: `HookQueue`. Not here: the queue itself (the engine), when what may be done
(workbench.command). Only hook_page imports it.
"""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from inspector.gui.views.memory_gauge import LimitBar
from inspector.gui.widgets import look
from inspector.gui.widgets.key_value_grid import KeyValueGrid
from inspector.gui.widgets.look import Spacing
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Drain, Pump
from inspector.workbench import command
from inspector.workbench.explanation import QUEUE_DEPTH
from inspector.workbench.state import HookState, HookView

_PUMP = "Let the workers run until every queue is empty; held ones are held again after it."
_DRAIN = (
    "What a runtime does at the session's end: close the queues, wait 15 s in all, give up the "
    "rest. Async hooks get nothing more after it, until a fresh session."
)
_HELD = "Held workers take nothing from any queue, so that a queue can be watched as it fills."
_DROPS = "A full queue drops events; each one is the fault queue-overflow."
_BLOCKS = "A full queue makes the dispatcher wait until there is room."


class HookQueue(QWidget):
    """Length, dropped events and the switch that holds; pump and drain act on all queues."""

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.length = QLabel(self)
        self.bar = LimitBar(self)
        self.facts = KeyValueGrid(self)
        self.overflow = _paragraph(self)
        self.held_box = QCheckBox("Hold the workers of all async hooks", self)
        self.held_box.setToolTip(_HELD)
        self.held_box.clicked.connect(self._on_held_clicked)
        self.pump_button = self._button("Pump", _PUMP)
        self.drain_button = self._button("Drain", _DRAIN)
        self.pump_button.clicked.connect(self._pump)
        self.drain_button.clicked.connect(self._drain)
        self.meaning = _paragraph(self)
        self.meaning.setText(f"Pump: {_PUMP}\n\nDrain: {_DRAIN}")
        self._lay_out()
        bridge.busy_changed.connect(self._update_buttons)
        bridge.session_changed.connect(self._update_buttons)
        bridge.engine_changed.connect(self._update_buttons)
        self._update_buttons()

    def _button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.setToolTip(tip)
        button.setAccessibleName(f"{text} the queues")
        return button

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        layout.setSpacing(Spacing.S)
        for widget in (self.length, self.bar, self.facts, self.overflow, self.held_box):
            layout.addWidget(widget)
        buttons = QHBoxLayout()
        buttons.addWidget(self.pump_button)
        buttons.addWidget(self.drain_button)
        buttons.addStretch(1)
        layout.addLayout(buttons)
        layout.addWidget(self.meaning)
        layout.addStretch(1)
        self.setFocusProxy(self.held_box)

    def show_queue(self, hook: HookView, live: HookState | None) -> None:
        """Show the queue of an async hook; `live` is None without an engine."""
        waiting = live.queue_length if live else 0
        dropped = live.dropped if live else 0
        text = f"{waiting:,} of {QUEUE_DEPTH:,} events wait"
        self.length.setText(text)
        self.bar.set_part(waiting / QUEUE_DEPTH, text)
        rows = [
            ("dropped", f"{dropped:,}"),
            ("on_overflow", hook.on_overflow),
            ("worker", "held" if live and live.state == "held" else "takes events as they come"),
        ]
        if rows != self.facts.rows():
            self.facts.set_rows(rows)
        self.overflow.setText(_DROPS if hook.on_overflow == "drop" else _BLOCKS)

    @Slot()
    def _update_buttons(self) -> None:
        state = self._bridge.state
        fire, hold = command.can_fire(state), command.can_hold(state)
        self.held_box.setEnabled(not hold)
        self.held_box.setChecked(state.session is not None and state.session.held)
        for button, tip in ((self.pump_button, _PUMP), (self.drain_button, _DRAIN)):
            button.setEnabled(not fire)
            button.setToolTip(f"{tip}\n{fire}".rstrip())

    @Slot(bool)
    def _on_held_clicked(self, held: bool) -> None:
        # The switch shows what the engine does, which it has not heard of yet.
        self.held_box.setChecked(not held)
        self._bridge.set_held(held)

    @Slot()
    def _pump(self) -> None:
        self._bridge.fire(Pump())

    @Slot()
    def _drain(self) -> None:
        self._bridge.fire(Drain())


def _paragraph(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(40)
    look.set_property(label, "tone", "muted")
    return label
