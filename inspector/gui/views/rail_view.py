"""The lifecycle rail: nine stations, the map and the choice of an event in one.

Lives here: `RailView` and its stations. Not here: what an event reaches (the
inspection). Only gui.main_window imports it.
"""

from PySide6.QtCore import QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QSizePolicy, QWidget

from inspector.gui import icons, theme
from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.formatting import count_text
from inspector.workbench.state import EVENTS, State

_HEIGHT = 52
_BAD_SIGNS = {"negative": "mark-error", "caution": "mark-fault", "notice": "mark-refused"}


class RailView(QWidget):
    """The events in the order in which a session meets them.

    Signals:
        event_chosen(str): the user chose an event for the composer.
    """

    event_chosen = Signal(str)

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.setAccessibleName("Lifecycle")
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Spacing.XS, 0, Spacing.XS, 0)
        layout.setSpacing(0)
        self._stations: dict[str, RailStation] = {}
        for number, event in enumerate(EVENTS, 1):
            station = RailStation(event, number, self)
            self._stations[event] = station
            self._group.addButton(station)
            layout.addWidget(station, 1)
        self._group.buttonClicked.connect(self._on_clicked)
        bridge.capsule_changed.connect(self._update)
        bridge.session_changed.connect(self._update)
        look.look().changed.connect(self.update)
        self._update()

    def set_event(self, event: str) -> None:
        """Mark an event as the chosen one without telling."""
        if event in self._stations:
            self._stations[event].setChecked(True)

    def station(self, event: str) -> "RailStation":
        """The station of an event; KeyError for an unknown one."""
        return self._stations[event]

    @Slot(QAbstractButton)
    def _on_clicked(self, button: QAbstractButton) -> None:
        if isinstance(button, RailStation):
            self.event_chosen.emit(button.event_name)

    @Slot()
    def _update(self) -> None:
        state = self._bridge.state
        for event, station in self._stations.items():
            hooks, gates = reach(state, event)
            station.show_facts(hooks, gates, state.endings.get(event, ""))


def reach(state: State, event: str) -> tuple[int, int]:
    """How many accepted hooks an event reaches, and how many of them gate it."""
    if state.inspection is None:
        return 0, 0
    views = [
        found
        for hook in state.inspection.hooks
        if hook.accepted
        for found in hook.events
        if found.event == event
    ]
    return sum(view.reached for view in views), sum("decide" in view.phases for view in views)


class RailStation(QAbstractButton):
    """One event: its short name, how many hooks it reaches, shield and mark."""

    def __init__(self, event: str, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.event_name = event
        self._number = number
        self._hooks = -1
        self._gates = 0
        self._ending = ""
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_facts(0, 0, "")

    def show_facts(self, hooks: int, gates: int, ending: str) -> None:
        """Show how many hooks are reached, how many gate, and how the last firing ended."""
        facts = (hooks, gates, ending)
        if facts == (self._hooks, self._gates, self._ending):
            return
        self._hooks, self._gates, self._ending = facts
        parts = [f"{self.event_name}: reaches {count_text(hooks, 'hook')}"]
        if gates:
            parts.append(f"{count_text(gates, 'policy hook')} gate the call")
        if ending in _BAD_SIGNS:
            parts.append("the last firing ended badly")
        self.setAccessibleName(", ".join(parts))
        self.setToolTip("\n".join([*parts, f"Key {self._number} chooses it."]))
        self.update()

    @property
    def has_mark(self) -> bool:
        """Whether the last firing of the event ended badly."""
        return self._ending in _BAD_SIGNS

    @property
    def has_shield(self) -> bool:
        """Whether a policy hook gates the event."""
        return self._gates > 0

    @property
    def hook_count(self) -> int:
        """How many hooks the event reaches."""
        return self._hooks

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        name = self.event_name.removeprefix("on-")
        return QSize(metrics.horizontalAdvance(name) + 2 * Spacing.M, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(56, _HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)

    # -- painting ------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self.rect()
        if self.isChecked() or self.underMouse():
            ground = "accent_tint" if self.isChecked() else "hover"
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(ground))
            painter.drawRoundedRect(box.adjusted(2, 2, -2, -2), 4, 4)
        self._paint_line(painter, box)
        self._paint_texts(painter, box)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.drawRoundedRect(box.adjusted(2, 2, -2, -2), 4, 4)
        painter.end()

    def _paint_line(self, painter: QPainter, box: QRect) -> None:
        """The line of the rail with this station's dot on it."""
        y, middle = box.top() + 10, box.center().x()
        painter.setPen(QPen(theme.color("border"), 2))
        left = middle if self._number == 1 else box.left()
        right = middle if self._number == len(EVENTS) else box.right() + 1
        painter.drawLine(left, y, right, y)
        role = "accent" if self.isChecked() else "muted" if self._hooks else "border"
        painter.setPen(QPen(theme.color(role), 2))
        painter.setBrush(theme.color(role if self._hooks else "surface"))
        painter.drawEllipse(middle - 4, y - 4, 8, 8)
        if self.has_mark:
            sign = icons.Sign(_BAD_SIGNS[self._ending], "", self._ending)
            picture = icons.sign_pixmap(sign, 12, self.devicePixelRatioF())
            painter.drawPixmap(middle + 8, y - 6, picture)

    def _paint_texts(self, painter: QPainter, box: QRect) -> None:
        weight = QFont.Weight.DemiBold if self.isChecked() else QFont.Weight.Normal
        painter.setFont(theme.ui_font(weight=weight))
        painter.setPen(theme.color("text" if self._hooks or self.isChecked() else "muted"))
        name = painter.fontMetrics().elidedText(
            self.event_name.removeprefix("on-"), Qt.TextElideMode.ElideMiddle, box.width() - 6
        )
        middle = int(Qt.AlignmentFlag.AlignCenter)
        painter.drawText(QRect(box.left(), box.top() + 17, box.width(), 16), middle, name)
        painter.setFont(theme.ui_font(small=True))
        painter.setPen(theme.color("muted"))
        text = count_text(self._hooks, "hook") if self._hooks else "no hook"
        shift = Spacing.M if self.has_shield else 0
        place = QRect(box.left(), box.top() + 33, box.width() - shift, 15)
        painter.drawText(place, middle, text)
        if self.has_shield:
            width = painter.fontMetrics().horizontalAdvance(text)
            x = place.center().x() + width // 2 + Spacing.XS
            shield = icons.Sign("shield", "⛨", "notice")
            picture = icons.sign_pixmap(shield, 12, self.devicePixelRatioF())
            painter.drawPixmap(x, box.top() + 34, picture)
