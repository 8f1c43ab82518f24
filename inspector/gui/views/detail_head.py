"""The head of the Detail pane: mark, title, and the three sentences.

Lives here: `DetailHead`. Not here: what the sentences say (workbench.explanation). Only
pages of the Detail pane import it.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QPixmap
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets import glyph, look
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.look import Spacing
from inspector.gui.widgets.pill import PillLabel
from inspector.workbench.formatting import visible

_SENTENCE_CHARACTERS = 600
"""A longer sentence is cut here; the whole text stands in a tab."""

_MOST_WRITES = 4


class DetailHead(QWidget):
    """What happened, why, and what the runtime writes where."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sign = ("", "")
        self._picture = QLabel(self)
        self._title = ElidedLabel("", self)
        self._title.setFont(theme.ui_font(weight=QFont.Weight.DemiBold))
        self._word = PillLabel("", "muted", self)
        self._happened = _paragraph(self)
        self._why = _paragraph(self)
        self._writes: list[tuple[QLabel, QLabel]] = []
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(Spacing.XS)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)
        line = QHBoxLayout()
        line.setSpacing(Spacing.S)
        line.addWidget(self._picture)
        line.addWidget(self._title, 1)
        line.addWidget(self._word)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.S, Spacing.S, Spacing.S)
        layout.setSpacing(Spacing.XS)
        layout.addLayout(line)
        layout.addWidget(self._happened)
        layout.addWidget(self._why)
        layout.addLayout(self._grid)
        look.look().changed.connect(self._draw)

    def show_head(self, icon: str, role: str, title: str, word: str) -> None:
        """Show a mark, a title and a word.

        Args:
            icon: Name of the mark's picture, or "".
            role: Colour role of mark and word.
            title: One line.
            word: The verdict or state, or "".
        """
        self._sign = (icon, role)
        self._title.setText(title)
        self._word.set_pill(word, role or "muted")
        self._word.setVisible(bool(word))
        self._draw()

    def show_sentences(self, happened: str, why: str, written: tuple[str, ...]) -> None:
        """Show the three answers; "" and () hide one."""
        self._show(self._happened, happened)
        self._show(self._why, why)
        shown = list(written)
        if len(shown) > _MOST_WRITES:
            rest = len(shown) - _MOST_WRITES + 1
            shown[_MOST_WRITES - 1 :] = [f"And {rest:,} more, see the tab Log."]
        while len(self._writes) < len(shown):
            self._writes.append(self._make_line())
        for position, (picture, label) in enumerate(self._writes):
            used = position < len(shown)
            picture.setVisible(used)
            self._show(label, _first_line(shown[position]) if used else "")

    def texts(self) -> list[str]:
        """The title and the sentences that are shown."""
        labels = [self._title, self._happened, self._why, *(label for _, label in self._writes)]
        return [label.text() for label in labels if label.text()]

    def _show(self, label: QLabel, text: str) -> None:
        cut = text if len(text) <= _SENTENCE_CHARACTERS else text[:_SENTENCE_CHARACTERS] + "…"
        label.setText(visible(cut))
        label.setVisible(bool(text))

    def _make_line(self) -> tuple[QLabel, QLabel]:
        row = len(self._writes)
        picture = QLabel(self)
        picture.setPixmap(self._pixmap("save", "muted", 12))
        label = _paragraph(self)
        label.setFont(theme.ui_font(small=True))
        look.set_property(label, "tone", "muted")
        self._grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(label, row, 1)
        return picture, label

    def _draw(self) -> None:
        name, role = self._sign
        self._picture.setVisible(bool(name))
        if name:
            self._picture.setPixmap(self._pixmap(name, role, Spacing.ICON))
        for picture, _ in self._writes:
            picture.setPixmap(self._pixmap("save", "muted", 12))

    def _pixmap(self, name: str, role: str, side: int) -> QPixmap:
        return glyph.pixmap(name, role, side, self.devicePixelRatioF())


def _first_line(text: str) -> str:
    """The first line of what is written; the tab Log has all of it."""
    line, end, _ = text.partition("\n")
    return f"{line} …" if end else line


def _paragraph(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(40)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label
