"""Brings a window into a state that a picture is to show, by words.

Lives here: the words and what each does. Not here: taking the picture (gui.app), which
pictures there are (docs/make-pictures). Only gui.app imports it.

| word | does |
| --- | --- |
| `hook:NAME` | shows the page of a hook |
| `firing:N` or `firing:N/HOOK` | shows the N-th firing, or one of its calls |
| `tab:TITLE` | brings a tab of the Detail pane to the front |
| `pane:NAME` | brings a pane to the front |
| `finding:N` | shows the N-th finding and its place in the manifest |
| `event:NAME` | chooses an event in the composer |
| `palette:LETTERS` | opens the palette |
| `action:ID` | does an action of the table |
| `lose-engine` | kills the engine |
"""

import os
import signal
from collections.abc import Callable

from PySide6.QtWidgets import QTabWidget

from inspector.errors import ErrorKind, InspectorError
from inspector.gui.focus import FiringTarget, HookTarget
from inspector.gui.main_window import MainWindow
from inspector.workbench.state import Firing

LOSE_ENGINE = "lose-engine"


def show(window: MainWindow, word: str) -> None:
    """Do what one word says.

    Args:
        window: A window whose capsule is open, or none.
        word: See the table above.

    Raises:
        InspectorError: USAGE for a word that says nothing, or about nothing that is there.
    """
    name, _, rest = word.partition(":")
    done = name in _WORDS and _WORDS[name](window, rest)
    if not done:
        raise InspectorError(ErrorKind.USAGE, f"there is nothing to show for {word!r}.")


def _hook(window: MainWindow, name: str) -> bool:
    if window.bridge.state.hook(name) is None:
        return False
    window.focus.show(HookTarget(name))
    return True


def _firing(window: MainWindow, text: str) -> bool:
    number, _, hook = text.partition("/")
    firings = [
        (index, item)
        for index, item in enumerate(window.bridge.state.history.items)
        if isinstance(item, Firing)
    ]
    if not number.isdigit() or not 0 < int(number) <= len(firings):
        return False
    index, firing = firings[int(number) - 1]
    calls = firing.record.calls if firing.record else ()
    call = next((at for at, found in enumerate(calls) if found.hook == hook), None)
    if hook and call is None:
        return False
    window.show_firing(index, firing)
    if hook:
        window.focus.show(FiringTarget(index, call))
    return True


def _tab(window: MainWindow, title: str) -> bool:
    for tabs in window.detail.findChildren(QTabWidget):
        for at in range(tabs.count()):
            if tabs.isVisible() and tabs.tabText(at).split(" (")[0] == title:
                tabs.setCurrentIndex(at)
                return True
    return False


def _pane(window: MainWindow, name: str) -> bool:
    window.places.show_pane(name)
    return name in window.places.docks


def _finding(window: MainWindow, number: str) -> bool:
    row = int(number) - 1 if number.isdigit() else -1
    if not 0 <= row < window.findings.table.model().rowCount():
        return False
    window.places.show_pane("findings")
    window.findings.table.selectRow(row)
    window.findings.jump()
    return True


def _event(window: MainWindow, name: str) -> bool:
    window.composer_link.choose_event(name)
    return True


def _palette(window: MainWindow, letters: str) -> bool:
    window.desk.palette.view.present(tuple(window.desk.palette.entries()), letters)
    return True


def _action(window: MainWindow, action_id: str) -> bool:
    window.actions_table[action_id].trigger()
    return True


def _lose_engine(window: MainWindow, _rest: str) -> bool:
    pid = window.bridge.state.engine.pid
    if pid:
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    return bool(pid)


_WORDS: dict[str, Callable[[MainWindow, str], bool]] = {
    "hook": _hook,
    "firing": _firing,
    "tab": _tab,
    "pane": _pane,
    "finding": _finding,
    "event": _event,
    "palette": _palette,
    "action": _action,
    LOSE_ENGINE: _lose_engine,
}
