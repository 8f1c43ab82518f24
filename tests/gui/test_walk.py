"""A walk over every action and every control of the whole window."""

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QToolBar,
    QWidget,
)

from inspector.gui.actions import ROWS
from inspector.gui.main_window import MainWindow
from inspector.gui.widgets.text_field import TextField
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import CapsuleOpened
from tests.helpers import sample_state
from tests.helpers.fake_port import FakePort

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
)
MOST_STOPS = 300
"""Tab comes round long before."""


@pytest.fixture
def window(qtbot, tmp_path):
    """A large window with an open capsule, findings and a firing."""
    engine = FakePort()
    engine.inspection = sample_state.inspection(diagnostics=sample_state.demo_diagnostics())
    made = MainWindow(WorkbenchBridge(engine), tmp_path / "window.json")
    made.resize(1400, 900)
    with qtbot.waitExposed(made):
        made.show()
    made.open_capsule("/c")
    engine.tell(CapsuleOpened(engine.inspection, "name: ledger-demo\n"))
    made.bridge.flush()
    made.actions_table["fire"].trigger()
    made.bridge.flush()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    made.close()
    made.deleteLater()


def is_part(widget: QWidget) -> bool:
    """Whether a control is Qt's own part of another one, which has the name and the focus."""
    parent = widget.parentWidget()
    is_qt = widget.objectName().startswith("qt_") and not isinstance(widget, QTabBar)
    inside = isinstance(parent, QComboBox | QAbstractSpinBox | QLineEdit)
    # The headers and the corner of a table are reached by its own keys.
    in_table = isinstance(parent, QAbstractItemView)
    return is_qt or inside or in_table


def controls(window: QWidget) -> list[QWidget]:
    """Every control that shows now."""
    return [
        widget
        for widget in window.findChildren(QWidget)
        if isinstance(widget, CONTROLS) and widget.isVisible() and not is_part(widget)
    ]


def name_of(widget: QWidget) -> str:
    """What assistive tools read."""
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or text


def where(widget: QWidget) -> str:
    """A control as it is told in a failure."""
    chain = [type(widget).__name__]
    parent = widget.parentWidget()
    while parent is not None and len(chain) < 4:
        chain.append(type(parent).__name__)
        parent = parent.parentWidget()
    return f"{' < '.join(chain)} {name_of(widget)!r}"


def test_actions__every_one__has_a_unique_key_and_words(window):
    """Shortcuts that two actions share do nothing at all in Qt."""
    keys = Counter(
        key.toString() for action in window.findChildren(QWidget) for key in own_keys(action)
    )
    for row in ROWS:
        action = window.actions_table[row.id]
        keys.update(key.toString() for key in action.shortcuts())
        assert action.text()
        assert action.toolTip()
        assert action in window.actions()
    assert [key for key, count in keys.items() if count > 1] == []
    assert QKeySequence("Ctrl+K").toString() in keys


def own_keys(widget: QWidget) -> list[QKeySequence]:
    """The key of a button that has one beside the table."""
    if isinstance(widget, QAbstractButton) and not widget.shortcut().isEmpty():
        return [widget.shortcut()]
    return []


def test_actions__disabled_ones__say_why(window):
    """In the tooltip, so that nobody has to guess."""
    silent = [
        action.objectName()
        for action in window.actions_table
        if not action.isEnabled() and "\n" not in action.toolTip()
    ]
    assert silent == []


@pytest.mark.parametrize("pane", ["logs", "findings", "detail", "manifest"])
def test_controls__every_one__has_a_name(window, pane):
    """For those who do not see its picture."""
    window.places.show_pane(pane)
    QApplication.sendPostedEvents()
    nameless = [where(widget) for widget in controls(window) if not name_of(widget).strip()]
    assert nameless == []


def test_controls__welcome_page__has_names_too(qtbot, tmp_path):
    """And its main button has the focus."""
    made = MainWindow(WorkbenchBridge(FakePort()), tmp_path / "window.json")
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    assert [where(widget) for widget in controls(made) if not name_of(widget).strip()] == []


def tab_round(window: MainWindow) -> list[QWidget]:
    """Every stop of the Tab key, by pressing it until it comes round."""
    seen: list[QWidget] = []
    window.tools.profile_box.setFocus()
    while len(seen) < MOST_STOPS:
        window.focusNextPrevChild(True)
        focused = window.focusWidget()
        if focused is None or focused in seen:
            break
        seen.append(focused)
    return seen


@pytest.mark.parametrize("pane", ["logs", "findings", "detail", "manifest"])
def test_controls__every_enabled_one__can_be_reached_by_keyboard(window, pane):
    """By Tab, or since an action of the table does the same."""
    window.places.show_pane(pane)
    QApplication.sendPostedEvents()
    reachable = set(tab_round(window))
    texts = {action.text() for action in window.actions_table}
    unreachable = [
        where(widget)
        for widget in controls(window)
        if widget.isEnabled()
        and widget not in reachable
        and not (isinstance(widget, QAbstractButton) and is_action(widget, texts))
        and not in_group(widget, reachable)
        and not is_field_menu(widget)
        and not isinstance(widget.parentWidget(), QDockWidget | QScrollBar)
        and widget.window() is window
    ]
    assert unreachable == []


def is_action(button: QAbstractButton, texts: set[str]) -> bool:
    """Whether an action with a key, or in a menu with one, does the same."""
    in_bar = isinstance(button.parentWidget(), QToolBar)
    return button.text() in texts or in_bar or button.toolTip().split(" (")[0] in texts


def is_field_menu(widget: QWidget) -> bool:
    """Whether it is the menu of a field, which Alt+Down opens from the field itself."""
    return isinstance(widget.parentWidget(), TextField)


def in_group(widget: QWidget, reachable: set[QWidget]) -> bool:
    """Whether arrows go there from a neighbour that Tab reaches."""
    if not isinstance(widget, QAbstractButton) or widget.group() is None:
        return False
    return any(button in reachable for button in widget.group().buttons())


def test_focus__order__goes_from_pane_to_pane(window):
    """Tab leaves a pane once and does not come back in the middle of another."""
    panes = {
        "tools": window.tools,
        "rail": window.rail,
        "composer": window.composer,
        "timeline": window.timeline,
        "hooks": window.hooks,
        "session": window.session,
        "detail": window.detail,
        "logs": window.logs,
    }
    order = []
    for widget in tab_round(window):
        pane = next((name for name, view in panes.items() if view.isAncestorOf(widget)), "")
        pane = next((name for name, view in panes.items() if view is widget), pane)
        if pane and (not order or order[-1] != pane):
            order.append(pane)
    # The walk begins and ends in the middle of the tools.
    assert order[0] in ("tools", "rail")
    again = [pane for pane, count in Counter(order).items() if count > 1 and pane != "tools"]
    assert again == []
    assert set(order) >= {"rail", "hooks", "composer", "timeline", "detail"}


def test_focus__back_tab__is_the_way_back(window):
    """As many steps back lead to where they began."""
    window.timeline.table.setFocus()
    begin = window.focusWidget()
    for _ in range(5):
        window.focusNextPrevChild(True)
    assert window.focusWidget() is not begin
    for _ in range(5):
        window.focusNextPrevChild(False)
    assert window.focusWidget() is begin
