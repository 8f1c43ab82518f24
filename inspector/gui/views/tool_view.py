"""The toolbar: what is open, the profile, fire, stop, reload, looks.

Lives here: `ToolView`. Not here: what the buttons do (gui.actions, main_window). Only
gui.main_window imports it.
"""

from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from inspector.contract.profile import PROFILES
from inspector.gui import icons, theme
from inspector.gui.actions import Actions
from inspector.gui.widgets import look
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import command, opening


class ToolView(QToolBar):
    """One row of tools.

    Signals:
        capsule_chosen(str): a sample or a recent capsule is to be opened.
        profile_chosen(str): another runtime profile is to judge.
    """

    capsule_chosen = Signal(str)
    profile_chosen = Signal(str)

    def __init__(
        self, bridge: WorkbenchBridge, actions: Actions, parent: QWidget | None = None
    ) -> None:
        super().__init__("Tools", parent)
        self._bridge = bridge
        self.setObjectName("tools")
        self.setMovable(False)
        self.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._menu = QMenu(self)
        self._samples = QMenu("Samples", self._menu)
        self._samples.setIcon(icons.icon("hook"))
        self._panes = QMenu("Panes", self)
        self._recent = QMenu("Recent", self._menu)
        self._recent.setIcon(icons.icon("open"))
        self._recent.aboutToShow.connect(self._mark_missing)
        self._title = ElidedLabel("", self)
        self._title.setFont(theme.ui_font(weight=QFont.Weight.DemiBold))
        self._title.setMinimumWidth(60)
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._version = QLabel(self)
        look.set_property(self._version, "tone", "muted")
        self.profile_box = QComboBox(self)
        self.profile_box.setAccessibleName("Runtime profile")
        for name, profile in PROFILES.items():
            self.profile_box.addItem(f"profile {name}", name)
            tip = f"runtime {profile.runtime}, lifecycle@{profile.contract_version}"
            self.profile_box.setItemData(
                self.profile_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole
            )
        self.profile_box.activated.connect(self._on_profile_activated)
        self._fill(actions)
        bridge.capsule_changed.connect(self._update)
        bridge.busy_changed.connect(self._update)
        self._update()

    def _fill(self, actions: Actions) -> None:
        for action in (actions["open-folder"], actions["open-file"]):
            self._menu.addAction(action)
        self._menu.addSeparator()
        self._menu.addMenu(self._recent)
        self._menu.addMenu(self._samples)
        self._menu.addSeparator()
        self._menu.addAction(actions["run-scenario"])
        button = QToolButton(self)
        button.setIcon(icons.icon("open"))
        button.setText("Open")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setMenu(self._menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setAccessibleName("Open a capsule")
        self.addWidget(button)
        self.addSeparator()
        self.addWidget(_padded(self._title, self))
        self.addWidget(self._version)
        self.addWidget(_gap(self))
        self.addWidget(self.profile_box)
        self.addSeparator()
        for name in ("fire", "stop", "reload", "watch"):
            self.addAction(actions[name])
        spacer = QWidget(self)
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spacer)
        for name in ("palette", "theme", "keys"):
            self.addAction(actions[name])
            tool = self.widgetForAction(actions[name])
            if isinstance(tool, QToolButton):
                tool.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.addWidget(self._more_button(actions))

    def _more_button(self, actions: Actions) -> QToolButton:
        menu = QMenu(self)
        for name in ("fire-last", "reset-hook", "restart-engine"):
            menu.addAction(actions[name])
        menu.addSeparator()
        for name in ("search", "filter", "follow"):
            menu.addAction(actions[name])
        menu.addSeparator()
        menu.addMenu(self._panes)
        menu.addMenu(
            self._submenu("Colours", actions, ("theme-system", "theme-light", "theme-dark"))
        )
        menu.addMenu(self._submenu("Text size", actions, ("zoom-in", "zoom-out", "zoom-reset")))
        menu.addAction(actions["reset-layout"])
        menu.addSeparator()
        for name in ("palette", "notices", "keys", "about"):
            menu.addAction(actions[name])
        menu.addSeparator()
        menu.addAction(actions["quit"])
        button = QToolButton(self)
        button.setIcon(icons.icon("more"))
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolTip("More")
        button.setAccessibleName("More actions")
        look.set_property(button, "plainMenu", "true")
        return button

    def _submenu(self, title: str, actions: Actions, names: Sequence[str]) -> QMenu:
        menu = QMenu(title, self)
        for name in names:
            menu.addAction(actions[name])
        return menu

    def set_panes(self, toggles: Sequence[QAction]) -> None:
        """Show the switches of the panes."""
        self._panes.clear()
        self._panes.addActions(list(toggles))

    def set_samples(self, samples: Sequence[tuple[str, str]]) -> None:
        """Show the samples: what opens one, and its name."""
        self._fill_menu(self._samples, samples)

    def set_recent(self, recent: Sequence[str]) -> None:
        """Show the capsules opened before; missing ones say so when the menu opens."""
        self._fill_menu(self._recent, [(path, path) for path in recent])

    @Slot()
    def _mark_missing(self) -> None:
        for action in self._recent.actions():
            path = str(action.data())
            gone = opening.missing_text(path)
            text = path.replace("&", "&&")
            action.setText(f"{text}  —  {gone}" if gone else text)
            action.setEnabled(not gone)

    def _fill_menu(self, menu: QMenu, entries: Sequence[tuple[str, str]]) -> None:
        menu.clear()
        for path, text in entries:
            action = menu.addAction(text.replace("&", "&&"))
            action.setData(path)
        menu.setEnabled(bool(entries))
        menu.triggered.connect(self._on_menu_triggered, Qt.ConnectionType.UniqueConnection)

    @Slot(QAction)
    def _on_menu_triggered(self, action: QAction) -> None:
        self.capsule_chosen.emit(str(action.data()))

    @Slot(int)
    def _on_profile_activated(self, index: int) -> None:
        name = str(self.profile_box.itemData(index))
        if name != self._bridge.state.profile:
            self.profile_chosen.emit(name)

    @Slot()
    def _update(self) -> None:
        state = self._bridge.state
        head = state.inspection.capsule if state.inspection else None
        if head is not None:
            self._title.setText(head.name)
            self._version.setText(head.version)
            self._title.setToolTip(head.path)
        else:
            self._title.setText(PurePath(state.path).name if state.path else "No capsule")
            self._version.setText("")
        self.profile_box.setCurrentIndex(self.profile_box.findData(state.profile))
        self.profile_box.setEnabled(not command.can_open(state))
        profile = PROFILES[state.profile]
        self.profile_box.setToolTip(
            f"Judged as runtime {profile.runtime} with lifecycle@{profile.contract_version}"
        )


def _gap(parent: QWidget) -> QWidget:
    gap = QWidget(parent)
    gap.setFixedWidth(Spacing.S)
    return gap


def _padded(label: QLabel, parent: QWidget) -> QWidget:
    label.setParent(parent)
    label.setContentsMargins(Spacing.XS, 0, Spacing.XS, 0)
    return label
