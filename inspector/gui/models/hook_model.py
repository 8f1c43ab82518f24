"""The hooks of the capsule, one row each.

Lives here: `HookModel` and what a row tells. Not here: painting rows (views.hook_view),
the page of one hook (hook_property). Only views import it.
"""

import enum
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.formatting import count_text
from inspector.workbench.state import EngineStatus, HookState, HookView, State

NOT_LOADED = "not loaded"
"""The state of an accepted hook without an engine."""


class HookRow(msgspec.Struct, frozen=True):
    """What a row tells.

    Attributes:
        name: The hook's name.
        version: Its version.
        state: A state word of icons.STATES, or NOT_LOADED.
        facts: Binding, mode and policy, shortest form.
        queue: Queue and dropped events of an async hook, or "".
        is_dropping: Whether it has dropped events.
        gates: Whether it is asked at a decision point.
        tip: Everything in full; the runtime's text of a rejected hook.
    """

    name: str
    version: str
    state: str
    facts: str
    queue: str
    is_dropping: bool
    gates: bool
    tip: str


def rows_of(state: State) -> tuple[HookRow, ...]:
    """The rows of a state, in the order of the manifest."""
    if state.inspection is None:
        return ()
    loaded = state.engine.status is EngineStatus.READY
    return tuple(_row(hook, state.hooks.get(hook.name), loaded) for hook in state.inspection.hooks)


def _row(hook: HookView, live: HookState | None, loaded: bool) -> HookRow:
    word = _state_word(hook, live, loaded)
    is_async = hook.execution_mode == "async"
    queue = ""
    if is_async and live is not None:
        queue = f"queue {live.queue_length:,}"
        queue += f", {live.dropped:,} dropped" if live.dropped else ""
    facts = f"{hook.binding} · {hook.execution_mode}"
    if hook.commit_policy != "none":
        facts += f" · {hook.commit_policy}"
    gates = hook.accepted and any("decide" in event.phases for event in hook.events)
    return HookRow(
        hook.name,
        hook.version,
        word,
        facts,
        queue,
        bool(live and live.dropped),
        gates,
        _tip(hook, live, word),
    )


def _state_word(hook: HookView, live: HookState | None, loaded: bool) -> str:
    if not hook.accepted:
        return "rejected"
    if not loaded or live is None:
        return NOT_LOADED
    return live.state


def _tip(hook: HookView, live: HookState | None, word: str) -> str:
    lines = [f"{hook.name} {hook.version}, {word}"]
    if hook.rejection:
        lines.append(hook.rejection)
    if live is not None and live.detail:
        lines.append(live.detail)
    lines.append(f"binding {hook.binding}, {hook.execution_mode}, policy {hook.commit_policy}")
    if hook.execution_mode == "async":
        lines.append(f"on_overflow {hook.on_overflow}")
        if live is not None:
            lines.append(
                f"{count_text(live.queue_length, 'event')} waiting, {live.dropped:,} dropped"
            )
    return "\n".join(lines)


class HookModel(QAbstractListModel):
    """Rows of hooks; `Role.ROW` gives a HookRow."""

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        ROW = Qt.ItemDataRole.UserRole + 1

    def __init__(self, bridge: WorkbenchBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._rows: tuple[HookRow, ...] = ()
        bridge.capsule_changed.connect(self._update)
        bridge.hooks_changed.connect(self._update)
        bridge.engine_changed.connect(self._update)
        self._update()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.ToolTipRole:
                return row.tip
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.name} {row.version}, {row.state}, {row.facts}"
            case self.Role.ROW:
                return row
        return None

    def row_of(self, name: str) -> int | None:
        """The row of a hook by name."""
        return next((i for i, row in enumerate(self._rows) if row.name == name), None)

    @Slot()
    def _update(self) -> None:
        rows = rows_of(self._bridge.state)
        if rows == self._rows:
            return
        same = [row.name for row in rows] == [row.name for row in self._rows]
        if same and rows:
            self._rows = rows
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()
