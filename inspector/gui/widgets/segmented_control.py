"""A row of joined buttons of which exactly one is down.

Lives here: SegmentedControl. Not here: what the choice does. Only gui may import it.
"""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from inspector.gui.widgets import look

_KEY = "segmentKey"


class SegmentedControl(QWidget):
    """A choice between a few words; arrow keys move it, Tab takes it as one stop.

    Signals:
        chosen(str): the user took another segment; not sent by `set_current`.
    """

    chosen = Signal(str)

    def __init__(
        self, name: str, segments: Sequence[tuple[str, str]], parent: QWidget | None = None
    ) -> None:
        """Make the control.

        Args:
            name: What is chosen, for assistive tools, e.g. `Phase`.
            segments: Key and text of each segment; the first one is down.
            parent: The owner.
        """
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        # An exclusive group moves its choice with the arrow keys and is one Tab stop.
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for index, (key, text) in enumerate(segments):
            button = self._add(key, text)
            place = "first" if index == 0 else "last" if index == len(segments) - 1 else "middle"
            look.set_property(button, "segment", place)
            layout.addWidget(button)
        self._current = segments[0][0]
        self.set_current(self._current)
        self._group.buttonClicked.connect(self._on_clicked)

    def _add(self, key: str, text: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setCheckable(True)
        button.setAutoDefault(False)
        button.setProperty(_KEY, key)
        button.setAccessibleName(f"{self.accessibleName()}: {text}")
        self._group.addButton(button)
        self._buttons[key] = button
        return button

    def current(self) -> str:
        """The key of the segment that is down."""
        return self._current

    def set_current(self, key: str) -> None:
        """Put another segment down without telling.

        Raises:
            KeyError: for a key without a segment.
        """
        button = self._buttons[key]
        self._current = key
        button.setChecked(True)
        self.setFocusProxy(button)

    def button(self, key: str) -> QPushButton:
        """The button of a segment; KeyError for an unknown key."""
        return self._buttons[key]

    @Slot(QAbstractButton)
    def _on_clicked(self, button: QAbstractButton) -> None:
        key = str(button.property(_KEY))
        if key != self._current:
            self.set_current(key)
            self.chosen.emit(key)
