"""The table of actions: keys are unique, ids too, words are there."""

from collections import Counter

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence

from inspector.gui import icons
from inspector.gui.actions import ROWS, Actions


def test_rows__keys__are_unique_and_real():
    """No two actions share one, and Qt knows each."""
    keys = [QKeySequence(key).toString() for row in ROWS for key in row.keys]
    assert [key for key, count in Counter(keys).items() if count > 1] == []
    assert "" not in keys


def test_rows__ids_and_words__are_complete():
    """Ids are unique; each has a text and a sentence; its picture exists."""
    assert len({row.id for row in ROWS}) == len(ROWS)
    assert all(row.text and row.tip.endswith(".") for row in ROWS)
    assert {row.icon for row in ROWS if row.icon} <= icons.names()


def test_actions__refused__say_why(qapp):
    """In the tooltip, with the key."""
    owner = QObject()
    actions = Actions(owner)
    actions.allow("fire", "Open a capsule first.")
    assert not actions["fire"].isEnabled()
    assert actions["fire"].toolTip() == (
        "Fire the event in the composer (Ctrl+Return)\nOpen a capsule first."
    )
    actions.allow("fire", "")
    assert actions["fire"].isEnabled()
    assert "\n" not in actions["fire"].toolTip()


def test_actions__nine_events__have_the_number_keys(qapp):
    """In the order of a session."""
    owner = QObject()
    actions = Actions(owner)
    shown = [(action.text(), action.shortcut().toString()) for action in actions.group("Event")]
    assert shown[0] == ("on-stage", "1")
    assert shown[-1] == ("on-session-end", "9")
    assert len(shown) == 9
