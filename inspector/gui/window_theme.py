"""Which palette the user chose, the platform's or one of ours, and how large all text is.

Lives here: `LookChoice` and its actions. Not here: colours (theme), scaling (window_zoom).
Only gui.window_desk imports it.
"""

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication
from PySide6.QtWidgets import QApplication

from inspector.gui import theme, window_zoom
from inspector.gui.actions import Actions
from inspector.gui.theme import ThemeName

SYSTEM = ""
"""The choice that follows the platform."""

_ACTIONS = {"theme-system": SYSTEM, "theme-light": "light", "theme-dark": "dark"}
_STEPS = {"zoom-in": 1, "zoom-out": -1}


def system_theme() -> ThemeName:
    """The palette that is nearest to the platform's."""
    scheme = QGuiApplication.styleHints().colorScheme()
    return "dark" if scheme is Qt.ColorScheme.Dark else "light"


class LookChoice(QObject):
    """Colours and text size.

    Attributes:
        theme_choice: `light`, `dark` or SYSTEM.

    Signals:
        changed(): the user chose; it is worth remembering.
    """

    changed = Signal()

    def __init__(self, actions: Actions, theme_choice: str, parent: QObject) -> None:
        """Connect the actions.

        Args:
            actions: The table.
            theme_choice: As remembered.
            parent: The owner.
        """
        super().__init__(parent)
        self._actions = actions
        self.theme_choice = theme_choice if theme_choice in theme.THEME_NAMES else SYSTEM
        group = QActionGroup(self)
        for action_id, choice in _ACTIONS.items():
            actions[action_id].setData(choice)
            group.addAction(actions[action_id])
        group.triggered.connect(self._on_chosen)
        self._zooms = QActionGroup(self)
        self._zooms.setExclusionPolicy(QActionGroup.ExclusionPolicy.None_)
        for action_id in (*_STEPS, "zoom-reset"):
            self._zooms.addAction(actions[action_id])
        self._zooms.triggered.connect(self._on_zoom)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_changed)
        self._check()

    @Slot(QAction)
    def _on_chosen(self, action: QAction) -> None:
        self.choose_theme(str(action.data()))

    def choose_theme(self, choice: str) -> None:
        """Put a palette on, or follow the platform."""
        self.theme_choice = choice
        self._apply_theme()
        self._check()
        self.changed.emit()

    def switch_theme(self) -> None:
        """Put the other palette on."""
        self.choose_theme("light" if theme.current_name() == "dark" else "dark")

    @Slot()
    def _on_system_changed(self) -> None:
        if self.theme_choice == SYSTEM:
            # Qt is still telling its own widgets.
            QTimer.singleShot(0, self, self._apply_theme)

    @Slot()
    def _apply_theme(self) -> None:
        name: ThemeName = system_theme()
        if self.theme_choice != SYSTEM:
            name = "dark" if self.theme_choice == "dark" else "light"
        if name != theme.current_name():
            theme.apply(_app(), name)

    @Slot(QAction)
    def _on_zoom(self, action: QAction) -> None:
        by = _STEPS.get(action.objectName())
        self.set_zoom(window_zoom.NORMAL if by is None else window_zoom.step(by))

    def set_zoom(self, percent: int) -> None:
        """Make all text so large."""
        window_zoom.apply(_app(), window_zoom.usable(percent))
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        for action_id, choice in _ACTIONS.items():
            self._actions[action_id].setChecked(choice == self.theme_choice)
        now = window_zoom.current_percent()
        smallest, largest = window_zoom.STEPS[0], window_zoom.STEPS[-1]
        self._actions.allow("zoom-in", "It is as large as it gets." if now >= largest else "")
        self._actions.allow("zoom-out", "It is as small as it gets." if now <= smallest else "")
        is_normal = now == window_zoom.NORMAL
        self._actions.allow("zoom-reset", "It is as large as at first." if is_normal else "")


def _app() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app
