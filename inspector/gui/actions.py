"""Everything the user can do, in one table: words, keys, pictures.

Lives here: the table `ROWS` and `Actions`, which makes QActions of it and enables them.
Not here: what they do (main_window connects them), when they may be done
(workbench.command). main_window, views and dialogs may import it.
"""

from collections.abc import Iterator

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from inspector.gui import icons
from inspector.workbench.state import EVENTS


class ActionRow(msgspec.Struct, frozen=True):
    """One thing to do.

    Attributes:
        id: Stable name.
        group: Heading in menus and in the list of keys.
        text: As in a menu.
        tip: One sentence.
        keys: Key sequences in Qt's spelling, the one to show first.
        icon: Name of its picture, or "".
        is_checkable: Whether it is a switch.
    """

    id: str
    group: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    is_checkable: bool = False


CAPSULE, RUN, EVENT, GO, WINDOW = "Capsule", "Run", "Event", "Go to", "Window"
ROW = "Row"

ROWS: tuple[ActionRow, ...] = (
    ActionRow(
        "open-folder",
        CAPSULE,
        "Open folder…",
        "Open a capsule folder or a hook project.",
        ("Ctrl+O",),
        "open",
    ),
    ActionRow(
        "open-file",
        CAPSULE,
        "Open file…",
        "Open a manifest, a packed hook or a component.",
        ("Ctrl+Shift+O",),
        "open",
    ),
    ActionRow(
        "reload",
        CAPSULE,
        "Reload",
        "Read the capsule again and start a fresh session.",
        ("F5",),
        "reload",
    ),
    ActionRow(
        "watch",
        CAPSULE,
        "Watch",
        "Reload when a file of the capsule changes.",
        ("Ctrl+Shift+W",),
        "watch",
        is_checkable=True,
    ),
    ActionRow(
        "run-scenario",
        CAPSULE,
        "Run scenario…",
        "Run a scenario file on the open capsule, in a fresh session.",
        ("Ctrl+Shift+R",),
        "fire",
    ),
    ActionRow(
        "open-recording",
        CAPSULE,
        "Open recording…",
        "Show a recorded session; nothing can be fired in it.",
        (),
        "open",
    ),
    ActionRow(
        "save-recording",
        CAPSULE,
        "Save recording…",
        "Save rows, logs, marks and notes of this window.",
        ("Ctrl+Shift+S",),
        "save",
    ),
    ActionRow(
        "close-recording",
        CAPSULE,
        "Close recording",
        "Go back to the capsule that is open.",
        (),
        "close",
    ),
    ActionRow("quit", CAPSULE, "Quit", "Close the window and end the engine.", ("Ctrl+Q",)),
    ActionRow(
        "fire",
        RUN,
        "Fire",
        "Fire the event in the composer.",
        ("Ctrl+Return", "Ctrl+Enter"),
        "fire",
    ),
    ActionRow(
        "fire-last",
        RUN,
        "Fire the last again",
        "Fire the last event again, exactly as it was sent.",
        ("Shift+Return", "Shift+Enter"),
        "fire",
    ),
    ActionRow(
        "fixtures",
        RUN,
        "Fixtures and values…",
        "Find a fixture, an example or an edge case by a few words.",
        ("Ctrl+E",),
        "search",
    ),
    ActionRow(
        "save-fixture",
        RUN,
        "Save as a fixture…",
        "Keep what the composer shows under a name.",
        ("Ctrl+S",),
        "save",
    ),
    ActionRow(
        "fire-many",
        RUN,
        "Fire many…",
        "Fire what the composer shows so many times, at a rate, or until stopped.",
        ("Ctrl+Shift+Return", "Ctrl+Shift+Enter"),
        "fire",
    ),
    ActionRow(
        "fire-edge-cases",
        RUN,
        "Fire all edge cases",
        "Fire every edge case of the event in the composer, each under its name.",
        ("Ctrl+Alt+Return", "Ctrl+Alt+Enter"),
        "fire",
    ),
    ActionRow(
        "load-last",
        RUN,
        "Load the last fired",
        "Put what was fired last into the composer; Ctrl+Z gives back what was there.",
        ("Alt+Up",),
        "event",
    ),
    ActionRow(
        "stop", RUN, "Stop", "Interrupt the running call and forget what waits.", ("Esc",), "stop"
    ),
    ActionRow(
        "reset-hook",
        RUN,
        "Reset the hook",
        "Give the chosen hook a fresh instance.",
        ("R",),
        "reset",
    ),
    ActionRow(
        "start-session",
        RUN,
        "Start session",
        "End this session and start a fresh one with the settings of the Session pane.",
        ("Ctrl+F5",),
        "session",
    ),
    ActionRow(
        "pump",
        RUN,
        "Pump the queues",
        "Let the async workers run until every queue is empty.",
    ),
    ActionRow(
        "drain",
        RUN,
        "Drain the queues",
        "Close the queues as a runtime does at the session's end; needs a fresh session after it.",
    ),
    ActionRow(
        "restart-engine",
        RUN,
        "Restart engine",
        "Start a fresh engine and open the capsule again.",
        (),
        "reload",
    ),
    *(
        ActionRow(
            f"event-{number}", EVENT, event, f"Choose {event} in the composer.", (f"{number}",)
        )
        for number, event in enumerate(EVENTS, 1)
    ),
    ActionRow(
        "refire", ROW, "Fire again", "Fire the row again, exactly as it was sent.", ("A",), "fire"
    ),
    ActionRow(
        "edit-row",
        ROW,
        "Edit and fire…",
        "Put what the row was sent with into the composer.",
        ("E",),
        "edit",
    ),
    ActionRow("mark", ROW, "Mark", "Mark the row, or take its mark away.", ("M",), "pin"),
    ActionRow("note", ROW, "Note…", "Write a note about the row.", ("N",), "text"),
    ActionRow(
        "diff",
        ROW,
        "Compare with the marked row",
        "Show how the row differs from the one that was marked last.",
        ("D",),
        "diff",
    ),
    ActionRow(
        "copy-step",
        ROW,
        "Copy as scenario step",
        "Copy the chosen rows as steps of a scenario.",
        ("Ctrl+Shift+C",),
        "copy",
    ),
    ActionRow(
        "copy-command",
        ROW,
        "Copy as command line",
        "Copy a command that runs the chosen rows without a window.",
        (),
        "copy",
    ),
    ActionRow(
        "copy-json", ROW, "Copy as JSON", "Copy the chosen rows as steps in JSON.", (), "copy"
    ),
    ActionRow("copy-record", ROW, "Copy result", "Copy what the row came to as JSON.", (), "copy"),
    ActionRow(
        "save-scenario",
        ROW,
        "Save as scenario…",
        "Save the chosen rows as a scenario file.",
        (),
        "save",
    ),
    ActionRow("next-bad", ROW, "Next bad row", "Go to the next row that ended badly.", ("F8",)),
    ActionRow(
        "previous-bad",
        ROW,
        "Previous bad row",
        "Go to the row before that ended badly.",
        ("Shift+F8",),
    ),
    ActionRow("next-mark", ROW, "Next marked row", "Go to the next marked row.", ("F7",)),
    ActionRow(
        "previous-mark", ROW, "Previous marked row", "Go to the marked row before.", ("Shift+F7",)
    ),
    ActionRow("go-hooks", GO, "Hooks", "Go to the list of hooks.", ("Ctrl+1",)),
    ActionRow("go-composer", GO, "Composer", "Go to the composer.", ("Ctrl+2",)),
    ActionRow("go-timeline", GO, "Timeline", "Go to the timeline.", ("Ctrl+3",)),
    ActionRow("go-detail", GO, "Detail", "Go to the details.", ("Ctrl+4",)),
    ActionRow("go-logs", GO, "Logs", "Go to the logs.", ("Ctrl+5",)),
    ActionRow("go-findings", GO, "Findings", "Go to the findings.", ("Ctrl+6",)),
    ActionRow("go-manifest", GO, "Manifest", "Go to the manifest.", ("Ctrl+7",)),
    ActionRow(
        "jump",
        GO,
        "Show in the manifest",
        "Show where the chosen finding is.",
        ("F4",),
        "text",
    ),
    ActionRow(
        "palette",
        GO,
        "Find a command…",
        "Find an action, a hook, an event or a capsule by a few letters.",
        ("Ctrl+K",),
        "search",
    ),
    ActionRow(
        "search", GO, "Search", "Search in the pane that has the focus.", ("Ctrl+F",), "search"
    ),
    ActionRow("filter", GO, "Filter the timeline", "Go to the filter.", ("Ctrl+L",)),
    ActionRow("follow", GO, "Follow", "Stay at the newest row.", ("Ctrl+End",), "follow"),
    ActionRow("theme", WINDOW, "Light or dark", "Switch the colours.", (), "theme"),
    ActionRow(
        "theme-light", WINDOW, "Light colours", "Always use light colours.", is_checkable=True
    ),
    ActionRow("theme-dark", WINDOW, "Dark colours", "Always use dark colours.", is_checkable=True),
    ActionRow(
        "theme-system",
        WINDOW,
        "Colours of the system",
        "Use light or dark colours as the platform does.",
        is_checkable=True,
    ),
    ActionRow("zoom-in", WINDOW, "Larger text", "Make all text larger.", ("Ctrl+=", "Ctrl++")),
    ActionRow("zoom-out", WINDOW, "Smaller text", "Make all text smaller.", ("Ctrl+-",)),
    ActionRow(
        "zoom-reset", WINDOW, "Normal text", "Make all text as large as at first.", ("Ctrl+0",)
    ),
    ActionRow("notices", WINDOW, "Notices", "Show the last notices.", ("Ctrl+Shift+N",), "info"),
    ActionRow(
        "reset-layout", WINDOW, "Reset layout", "Put every pane back to where it was at first."
    ),
    ActionRow("about", WINDOW, "About", "Show versions, for a bug report.", (), "info"),
    ActionRow("keys", WINDOW, "Keys", "Show every key.", ("F1",), "help"),
)
"""Every action; ids are stable, keys are unique (a test proves it)."""


class Actions(QObject):
    """The QActions of the table, by id."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows = {row.id: row for row in ROWS}
        self._actions = {row.id: self._make(row) for row in ROWS}
        self._reasons: dict[str, str] = {}

    def _make(self, row: ActionRow) -> QAction:
        action = QAction(row.text, self)
        action.setObjectName(row.id)
        action.setCheckable(row.is_checkable)
        action.setShortcuts([QKeySequence(keys) for keys in row.keys])
        if row.icon:
            action.setIcon(icons.icon(row.icon))
        action.setToolTip(tool_tip(row, ""))
        action.setStatusTip("")
        return action

    def __getitem__(self, action_id: str) -> QAction:
        """The action of an id; KeyError for an unknown one."""
        return self._actions[action_id]

    def __iter__(self) -> Iterator[QAction]:
        return iter(self._actions.values())

    def group(self, group: str) -> list[QAction]:
        """The actions of a group, in the order of the table."""
        return [self._actions[row.id] for row in ROWS if row.group == group]

    def ids(self) -> tuple[str, ...]:
        """Every id, in the order of the table."""
        return tuple(self._rows)

    def reason(self, action_id: str) -> str:
        """Why an action cannot be done now, as `allow` was told last, or ""."""
        return self._reasons.get(action_id, "")

    def allow(self, action_id: str, reason: str) -> None:
        """Enable an action, or disable it with the reason why.

        Args:
            action_id: An id of the table.
            reason: "" when it may be done, else a sentence.
        """
        action = self._actions[action_id]
        action.setEnabled(not reason)
        action.setToolTip(tool_tip(self._rows[action_id], reason))
        self._reasons[action_id] = reason


def tool_tip(row: ActionRow, reason: str) -> str:
    """The tooltip of an action: what it does, its key, and why it cannot be done now."""
    keys = f" ({row.keys[0]})" if row.keys else ""
    return f"{row.tip.rstrip('.')}{keys}" + (f"\n{reason}" if reason else "")
