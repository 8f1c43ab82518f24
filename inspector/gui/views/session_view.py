"""The Session pane: ids, folders, totals, and the switch that holds async workers.

Lives here: `SessionView`. Not here: what a session is (workbench.state). Only
gui.main_window imports it.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QScrollArea, QVBoxLayout, QWidget

from inspector.contract.profile import PROFILES
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.key_value_grid import KeyValueGrid
from inspector.gui.widgets.look import Spacing
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import command
from inspector.workbench.formatting import count_text
from inspector.workbench.state import State


class SessionView(QWidget):
    """Facts about the running session.

    Signals:
        held_chosen(bool): the user holds the async workers, or lets them go.
    """

    held_chosen = Signal(bool)

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.held_box = QCheckBox("Hold async workers", self)
        self.held_box.setToolTip(
            "Held workers take nothing from their queues until pump or drain, so that a queue "
            "can be watched as it fills."
        )
        self.held_box.clicked.connect(self._on_held_clicked)
        self.grid = KeyValueGrid(self)
        content = QWidget(self)
        inner = QVBoxLayout(content)
        inner.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        inner.setSpacing(Spacing.S)
        inner.addWidget(self.held_box)
        inner.addWidget(self.grid)
        inner.addStretch(1)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setWidget(content)
        self.empty = EmptyState("session", "No session", "A capsule that opens starts one.", self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        layout.addWidget(self.empty)
        bridge.session_changed.connect(self._update)
        bridge.capsule_changed.connect(self._update)
        bridge.busy_changed.connect(self._update)
        self._update()

    @Slot(bool)
    def _on_held_clicked(self, held: bool) -> None:
        # The switch shows what the engine does, which it has not heard of yet.
        self.held_box.setChecked(not held)
        self.held_chosen.emit(held)

    @Slot()
    def _update(self) -> None:
        state = self._bridge.state
        session = state.session
        self._area.setVisible(session is not None)
        self.empty.setVisible(session is None)
        if session is None:
            return
        self.held_box.setChecked(session.held)
        self.held_box.setEnabled(not command.can_hold(state))
        rows = session_rows(state)
        if rows != self.grid.rows():
            self.grid.set_rows(rows)


def session_rows(state: State) -> list[tuple[str, str]]:
    """Name and value of each fact; [] without a session."""
    if state.session is None:
        return []
    started, totals = state.session.started, state.totals
    profile = PROFILES[state.profile]
    return [
        ("session", started.session_id),
        ("profile", profile.name),
        ("runtime", profile.runtime),
        ("lifecycle", profile.contract_version),
        ("model", str(started.context.get("model") or "none")),
        ("capabilities", ", ".join(started.context.get("capabilities") or ()) or "none"),
        ("asks at decisions", "yes" if started.gates_calls else "no"),
        ("turns", f"{totals.turns:,}"),
        ("tokens", f"{totals.input_tokens:,} in, {totals.output_tokens:,} out"),
        ("calls", f"{count_text(totals.tool_calls, 'tool')}, {totals.shell_calls:,} shell"),
        ("session folder", started.workdir),
        ("accessible folder", started.accessible_dir),
        ("murmur home", started.home),
    ]
