"""A label that shortens a long text in the middle and keeps the whole as its tooltip.

Lives here: ElidedLabel. Not here: text of several lines. Only gui may import it.
"""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QWidget

_SHORTEST = 5
"""Characters that stay visible however narrow it gets."""


class ElidedLabel(QLabel):
    """One line of plain text, cut in the middle to the width there is."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
    ) -> None:
        super().__init__(parent)
        self._mode = mode
        self._hint = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show another text."""
        super().setText(text)
        self.setAccessibleName(text)
        self._update_tooltip()

    def set_hint(self, hint: str) -> None:
        """Say more in the tooltip than the text."""
        self._hint = hint
        self._update_tooltip()

    def is_elided(self) -> bool:
        """Whether a part of the text is hidden now."""
        return self.shown_text() != self.text()

    def shown_text(self) -> str:
        """The text as far as it is visible."""
        width = self.contentsRect().width() - self.indent_width()
        return self.fontMetrics().elidedText(self.text(), self._mode, width)

    def indent_width(self) -> int:
        """Pixels that are not text, left and right together."""
        return 2 * max(self.margin(), 0)

    def minimumSizeHint(self) -> QSize:
        """The size below which nothing useful is left."""
        shortest = self.fontMetrics().horizontalAdvance(self.text()[:_SHORTEST] + "…")
        whole = self.sizeHint()
        return QSize(min(whole.width(), shortest + self.indent_width()), whole.height())

    def _update_tooltip(self) -> None:
        lines = [self.text() if self.is_elided() else "", self._hint]
        self.setToolTip("\n".join(line for line in lines if line))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tooltip()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        margin = max(self.margin(), 0)
        box = QRect(self.contentsRect()).adjusted(margin, 0, -margin, 0)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(box, int(self.alignment()), self.shown_text())
        painter.end()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy", self.copy)
        menu.popup(event.globalPos())

    def copy(self) -> None:
        """Put the whole text on the clipboard."""
        QGuiApplication.clipboard().setText(self.text())
