"""The head of the composer: which event, in which phase and view, and Fire.

Lives here: ComposerHead and its menu of values. Not here: the value (models.
form_composition). Only composer_view imports it.
"""

from itertools import pairwise
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QFont, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.contract.contract import EVENTS, Contract, Phase
from inspector.contract.type import signature
from inspector.gui import icons
from inspector.gui.models.form_composition import Composition
from inspector.gui.widgets import look
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.segmented_control import SegmentedControl

WIDE = 600
"""Width in pixels from which everything stands in one row."""

FIRE_HINT = "Fire the event (Ctrl+Enter)"


def honors(contract: Contract, event: str, phase: Phase) -> str:
    """One sentence on what an answer does in a phase."""
    arm = contract.honored_arm(event, phase)
    if phase is Phase.DECIDE:
        return f"Before the call: none lets it run, {arm} refuses it."
    before = "After the call. " if contract.honored_arm(event, Phase.DECIDE) else ""
    return f"{before}Honored here: {arm}." if arm else f"{before}Honored here: only none."


class ValuesMenu(QMenu):
    """Ready-made values for the event; made anew each time it opens.

    Attributes:
        more: Actions of the window that stand at the end.

    Signals:
        chosen(dict): fields to load.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Values", parent)
        self.setToolTipsVisible(True)
        self.composition: Composition | None = None
        self.more: tuple[QAction, ...] = ()
        self._fields: list[dict[str, Any]] = []
        self.aboutToShow.connect(self.fill)
        self.triggered.connect(self._on_triggered)

    @Slot()
    def fill(self) -> None:
        """Make the entries for the composition."""
        self.clear()
        self._fields.clear()
        if self.composition is None:
            return
        self._entry("Defaults", "What the form starts with.", self.composition.starting_fields())
        self._entry("Example", "A likely event.", self.composition.example())
        self.addSeparator()
        # A section's text is not drawn by every style.
        self.addAction("Edge cases").setEnabled(False)
        for case in self.composition.edge_cases():
            self._entry(case.name, case.description, case.fields)
        self.addSeparator()
        form = self.composition.form
        undo = self.addAction(icons.icon("reset"), "Undo", self.composition.undo)
        undo.setEnabled(form.can_undo())
        redo = self.addAction(icons.icon("reload"), "Redo", self.composition.redo)
        redo.setEnabled(form.can_redo())
        self.addSeparator()
        self.addActions(list(self.more))

    def _entry(self, text: str, tip: str, fields: dict[str, Any]) -> None:
        action = self.addAction(text)
        action.setToolTip(tip)
        # Only the index: Qt would turn the fields into its own types and lose u64.
        action.setData(len(self._fields))
        self._fields.append(fields)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        index = action.data()
        if index is not None:
            self.chosen.emit(self._fields[index])


class ComposerHead(QWidget):
    """Everything above the form.

    Signals:
        event_chosen(str): another event.
        phase_chosen(str): `observe` or `decide`.
        mode_chosen(str): `form` or `text`.
        fields_chosen(dict): ready-made fields.
        fire_clicked(): Fire.
    """

    event_chosen = Signal(str)
    phase_chosen = Signal(str)
    mode_chosen = Signal(str)
    fields_chosen = Signal(object)
    fire_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.event_button = self._make_event_button()
        self.fire_button = QPushButton(icons.icon("fire", "on_accent"), "Fire", self)
        self.fire_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.fire_button.setAccessibleName("Fire the event")
        look.set_property(self.fire_button, "tone", "primary")
        self.hint = ElidedLabel("", self, Qt.TextElideMode.ElideRight)
        self.hint.setFont(look.ui_font(small=True))
        look.set_property(self.hint, "tone", "muted")
        self.phase_switch = SegmentedControl(
            "Phase", [(phase.value, phase.value) for phase in Phase], self
        )
        self.mode_switch = SegmentedControl("View", [("form", "form"), ("text", "text")], self)
        self.values_button = QPushButton("Values", self)
        self.values_button.setAccessibleName("Ready-made values")
        self.values_button.setToolTip("Defaults, an example, and edge cases of the types")
        look.set_property(self.values_button, "withMenu", "true")
        self.values_menu = ValuesMenu(self.values_button)
        self.values_button.setMenu(self.values_menu)
        self._lay_out()
        self.phase_switch.chosen.connect(self.phase_chosen)
        self.mode_switch.chosen.connect(self.mode_chosen)
        self.values_menu.chosen.connect(self.fields_chosen)
        self.fire_button.clicked.connect(self.fire_clicked)

    def _make_event_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setFont(look.ui_font(weight=QFont.Weight.DemiBold))
        look.set_property(button, "withMenu", "true")
        menu = QMenu(button)
        self._event_group = QActionGroup(self)
        for event in EVENTS:
            action = menu.addAction(event)
            action.setCheckable(True)
            action.setData(event)
            self._event_group.addAction(action)
        self._event_group.triggered.connect(self._on_event_triggered)
        button.setMenu(menu)
        return button

    def _lay_out(self) -> None:
        self._is_wide: bool | None = None
        self._top = QHBoxLayout()
        self._top.setSpacing(Spacing.S)
        self._below = QHBoxLayout()
        self._below.setSpacing(Spacing.XS)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.XS)
        self._layout.setSpacing(Spacing.XS + 2)
        self._layout.addLayout(self._top)
        self._layout.addLayout(self._below)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._arrange(is_wide=False)
        order = (
            self.event_button,
            self.phase_switch.button(Phase.OBSERVE.value),
            self.phase_switch.button(Phase.DECIDE.value),
            self.mode_switch.button("form"),
            self.mode_switch.button("text"),
            self.values_button,
            self.fire_button,
        )
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _arrange(self, *, is_wide: bool) -> None:
        """Put everything into one row, or into two with the hint under them."""
        if is_wide == self._is_wide:
            return
        self._is_wide = is_wide
        for row in (self._top, self._below):
            while row.count():
                row.takeAt(0)
        self._layout.removeWidget(self.hint)
        switches = (self.phase_switch, self.mode_switch)
        self._top.addWidget(self.event_button)
        if is_wide:
            for switch in switches:
                self._top.addWidget(switch)
            self._top.addWidget(self.hint, 1)
            self._top.addWidget(self.values_button)
        else:
            self._top.addStretch(1)
            for switch in switches:
                self._below.addWidget(switch)
            self._below.addStretch(1)
            self._below.addWidget(self.values_button)
            self._layout.addWidget(self.hint)
        self._top.addWidget(self.fire_button)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(is_wide=event.size().width() >= WIDE)

    def show_composition(self, composition: Composition) -> None:
        """Show what is composed."""
        event, phase, contract = composition.event_name, composition.phase, composition.contract
        self.values_menu.composition = composition
        self.event_button.setText(event)
        self.event_button.setAccessibleName(f"Event: {event}")
        self.event_button.setToolTip(
            f"{event}: {signature(contract.function(event))}\n{contract.interface}"
        )
        for action in self._event_group.actions():
            action.setChecked(action.data() == event)
        self.phase_switch.setVisible(len(composition.phases) > 1)
        self.phase_switch.set_current(phase.value)
        self.mode_switch.set_current(composition.mode)
        self.hint.setText(honors(contract, event, phase))

    def set_fire_reason(self, reason: str) -> None:
        """Say why nothing can be fired, or "" to allow it."""
        self.fire_button.setEnabled(not reason)
        self.fire_button.setToolTip(reason or FIRE_HINT)
        self.fire_button.setAccessibleDescription(reason)

    @Slot(QAction)
    def _on_event_triggered(self, action: QAction) -> None:
        self.event_chosen.emit(str(action.data()))
