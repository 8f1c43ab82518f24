"""Names and values in two columns.

Lives here: KeyValueGrid. Not here: how values are worded. Only gui may import it.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from inspector.gui.widgets import look
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing


class KeyValueGrid(QWidget):
    """Facts about one thing; a long value is cut in the middle and copied whole."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(Spacing.M)
        self._grid.setVerticalSpacing(Spacing.XS)
        self._grid.setColumnStretch(1, 1)
        self._pairs: list[tuple[QLabel, ElidedLabel]] = []
        self._shown = 0

    def set_rows(self, rows: Sequence[tuple[str, str]]) -> None:
        """Show these facts in place of the earlier ones.

        Args:
            rows: Name and value; labels are reused, so this may be called often.
        """
        while len(self._pairs) < len(rows):
            self._pairs.append(self._make_pair(len(self._pairs)))
        for index, (key_label, value_label) in enumerate(self._pairs):
            used = index < len(rows)
            key_label.setVisible(used)
            value_label.setVisible(used)
            if used:
                key, value = rows[index]
                key_label.setText(key)
                value_label.setText(value)
                value_label.setAccessibleName(f"{key}: {value}")
        self._shown = len(rows)

    def rows(self) -> list[tuple[str, str]]:
        """What is shown."""
        return [(key.text(), value.text()) for key, value in self._pairs[: self._shown]]

    def _make_pair(self, row: int) -> tuple[QLabel, ElidedLabel]:
        key = QLabel(self)
        key.setTextFormat(Qt.TextFormat.PlainText)
        look.set_property(key, "tone", "muted")
        value = ElidedLabel("", self)
        value.setFont(look.mono_font())
        self._grid.addWidget(key, row, 0, Qt.AlignmentFlag.AlignLeft)
        self._grid.addWidget(value, row, 1)
        return key, value
