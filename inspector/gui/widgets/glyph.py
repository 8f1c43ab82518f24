"""Icons drawn from the shipped SVG files in the colour of a role.

Lives here: the icon engine and its cache. Not here: what an icon stands for
(gui.icons), which colour a role has (gui.theme). Everything in gui may import it.

An icon keeps only names. It is drawn anew when the look has changed, so nobody has to
set icons again.
"""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from inspector import assets
from inspector.gui.widgets import look

_MODE_ROLES = {
    QIcon.Mode.Disabled: "disabled",
    QIcon.Mode.Selected: "selection_text",
}
"""Modes in which the state of the control decides the colour, not the icon's role."""


@lru_cache(maxsize=1)
def names() -> frozenset[str]:
    """Every icon there is a file for."""
    return frozenset(path.stem for path in assets.resource("icons").glob("*.svg"))


@lru_cache(maxsize=256)
def _svg(name: str) -> QByteArray:
    return QByteArray(assets.resource("icons", f"{name}.svg").read_bytes())


@lru_cache(maxsize=1024)
def _draw(name: str, rgba: int, width: int, height: int) -> QPixmap:
    """One picture in device pixels; cached by everything that it depends on."""
    pixmap = QPixmap(width, height)
    pixmap.fill(Qt.GlobalColor.transparent)
    side = min(width, height)
    painter = QPainter(pixmap)
    box = QRectF((width - side) / 2, (height - side) / 2, side, side)
    QSvgRenderer(_svg(name)).render(painter, box)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(pixmap.rect(), rgba)
    painter.end()
    return pixmap


def pixmap(name: str, role: str, side: int, ratio: float = 1.0) -> QPixmap:
    """An icon as a picture.

    Args:
        name: One of `names()`.
        role: A colour role of the look.
        side: Width and height in device-independent pixels.
        ratio: Device pixels per device-independent pixel.

    Returns:
        A picture that knows its ratio.

    Raises:
        KeyError: for an unknown name or role.
    """
    if name not in names():
        raise KeyError(name)
    device = round(side * ratio)
    found = QPixmap(_draw(name, look.color(role).rgba(), device, device))
    found.setDevicePixelRatio(ratio)
    return found


class _GlyphEngine(QIconEngine):
    """Draws one icon in the look that is in force when it is asked."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name = name
        self._role = role

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        role = _MODE_ROLES.get(mode, self._role)
        return _draw(self._name, look.color(role).rgba(), size.width(), size.height())

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        picture = QPixmap(self.pixmap(rect.size() * ratio, mode, state))
        picture.setDevicePixelRatio(ratio)
        painter.drawPixmap(rect.topLeft(), picture)

    def clone(self) -> QIconEngine:
        return _GlyphEngine(self._name, self._role)

    def key(self) -> str:
        return "inspector-glyph"


@lru_cache(maxsize=512)
def icon(name: str, role: str = "text") -> QIcon:
    """An icon that follows the look.

    Args:
        name: One of `names()`.
        role: A colour role of the look.

    Returns:
        The same icon for the same arguments.

    Raises:
        KeyError: for an unknown name.
    """
    if name not in names():
        raise KeyError(name)
    return QIcon(_GlyphEngine(name, role))
