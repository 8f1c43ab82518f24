"""The first page of the Session pane: what the running session is.

Lives here: `SessionFacts` and its rows. Not here: settings (session_form), the task
(session_task). Only session_view imports it.
"""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from inspector.contract.profile import PROFILES
from inspector.gui.models.ledger_property import shared_stores
from inspector.gui.views.session_folders import SessionFolders
from inspector.gui.widgets import look
from inspector.gui.widgets.key_value_grid import KeyValueGrid
from inspector.gui.widgets.look import Spacing
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import SessionSettings
from inspector.workbench import command
from inspector.workbench.formatting import count_text
from inspector.workbench.session_draft import differences
from inspector.workbench.state import State

_HELD = (
    "Held workers take nothing from their queues until pump or drain, so that a queue can be "
    "watched as it fills."
)


class SessionFacts(QWidget):
    """Ids, totals, folders, stores that are shared, and the switch that holds workers.

    Signals:
        held_chosen(bool): the user holds the async workers, or lets them go.
    """

    held_chosen = Signal(bool)

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.held_box = QCheckBox("Hold async workers", self)
        self.held_box.setToolTip(_HELD)
        self.held_box.clicked.connect(self._on_held_clicked)
        self.grid = KeyValueGrid(self)
        self.folders = SessionFolders(self)
        self.folders.failed.connect(self._on_open_failed)
        self.stores = _paragraph(self, "caution")
        self.made_with = _paragraph(self, "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        layout.setSpacing(Spacing.S)
        for widget in (self.held_box, self.grid, self.folders, self.stores, self.made_with):
            layout.addWidget(widget)
        layout.addStretch(1)

    def update_facts(self) -> None:
        """Show the session that runs now; there has to be one."""
        state = self._bridge.state
        assert state.session is not None
        self.held_box.setChecked(state.session.held)
        self.held_box.setEnabled(not command.can_hold(state))
        rows = session_rows(state)
        if rows != self.grid.rows():
            self.grid.set_rows(rows)
        self.folders.set_folders(session_folders(state))
        self._say(self.stores, stores_text(state))
        self._say(self.made_with, made_with_text(self._bridge.used_settings))

    def _say(self, label: QLabel, text: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))

    @Slot(bool)
    def _on_held_clicked(self, held: bool) -> None:
        # The switch shows what the engine does, which it has not heard of yet.
        self.held_box.setChecked(not held)
        self.held_chosen.emit(held)

    @Slot(str)
    def _on_open_failed(self, sentence: str) -> None:
        self._bridge.say("warning", sentence)


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
    ]


def session_folders(state: State) -> list[tuple[str, str]]:
    """Name and path of each folder of the session; [] without one."""
    if state.session is None:
        return []
    started = state.session.started
    return [
        ("session folder", started.workdir),
        ("accessible folder", started.accessible_dir),
        ("murmur home", started.home),
    ]


def stores_text(state: State) -> str:
    """Which hooks share a state store, in sentences, or ""."""
    if state.inspection is None:
        return ""
    return "\n".join(
        f"{' and '.join(names)} share the state store {store}: each sees what the others write."
        for store, names in shared_stores(state.inspection).items()
    )


def made_with_text(settings: SessionSettings) -> str:
    """What of a session was set by the user, or ""."""
    found = differences(SessionSettings(), settings)
    if not found:
        return ""
    return "Set by you: " + "; ".join(f"{one.name}: {one.after}" for one in found) + "."


def _paragraph(parent: QWidget, tone: str) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(40)
    look.set_property(label, "tone", tone)
    return label
