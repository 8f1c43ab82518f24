"""How much linear memory a hook has, painted: now against the limit, and over time.

Lives here: `LimitBar` and `MemoryGauge`. Not here: the samples (workbench.headroom).
Only pages of the Detail pane import it.
"""

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from inspector.gui import theme
from inspector.gui.widgets.look import Spacing
from inspector.workbench.formatting import bytes_text
from inspector.workbench.headroom import MemoryCurve, MemorySample, level, part_text

_BAR_HEIGHT = 10
_CURVE_HEIGHT = 96


class LimitBar(QWidget):
    """A part of a limit as a bar, with its words for assistive tools and as a tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._part = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_BAR_HEIGHT)

    def set_part(self, part: float, spoken: str) -> None:
        """Show another part; 1 is the whole."""
        self._part = part
        self.setAccessibleName(spoken)
        self.setToolTip(spoken)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, _BAR_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_bar(painter, QRectF(self.rect()), self._part)


def paint_bar(painter: QPainter, box: QRectF, part: float) -> None:
    """Paint a part of a limit; what is more than nothing is at least a line.

    Args:
        painter: As wanted before; its pen and brush change.
        box: Where.
        part: 0 and up; 1 is the whole.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("hover"))
    painter.drawRoundedRect(box, 3, 3)
    if part > 0:
        width = min(max(box.width() * part, 3.0), box.width())
        painter.setBrush(theme.color(level(part)))
        painter.drawRoundedRect(QRectF(box.left(), box.top(), width, box.height()), 3, 3)


class MemoryGauge(QWidget):
    """The memory of one hook after each firing; a line where the instance was made anew."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curve = MemoryCurve()
        self._limit_bytes = 1
        self._last_step = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_CURVE_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def set_curve(self, curve: MemoryCurve, last_step: int, limit_bytes: int) -> None:
        """Show another curve.

        Args:
            curve: What was measured.
            last_step: Number of the newest firing, where the curve ends.
            limit_bytes: What the hook may have at most.
        """
        self._curve, self._last_step, self._limit_bytes = curve, last_step, limit_bytes
        self.setAccessibleName("Memory over the firings")
        self.setAccessibleDescription(self.sentence())
        self.update()

    def sentence(self) -> str:
        """What the curve shows, in words."""
        samples = self._curve.samples
        if not samples:
            return "Nothing was measured yet."
        first, last = samples[0], samples[-1]
        peak = bytes_text(self._curve.peak_bytes)
        text = f"Memory is {bytes_text(last.memory_bytes)}, at most it was {peak}."
        if len(samples) == 1:
            return f"{text} It has not changed since firing #{first.step:,}."
        text += f" After firing #{first.step:,} it was {bytes_text(first.memory_bytes)}."
        if self._curve.generations > 1:
            text += f" {self._curve.generations:,} instances are shown."
        return text

    def sizeHint(self) -> QSize:
        return QSize(240, _CURVE_HEIGHT)

    # -- painting ------------------------------------------------------------------------

    @property
    def _ground(self) -> QRectF:
        line = QFontMetrics(theme.ui_font(small=True)).height()
        return QRectF(self.rect()).adjusted(1, line + 2, -1, -(line + 2))

    @property
    def _first_step(self) -> int:
        return self._curve.samples[0].step if self._curve.samples else 0

    def _x(self, step: int) -> float:
        ground = self._ground
        span = max(self._last_step - self._first_step, 1)
        return ground.left() + ground.width() * (step - self._first_step) / span

    def _y(self, size_bytes: int) -> float:
        ground = self._ground
        return ground.bottom() - ground.height() * size_bytes / self._top_bytes

    @property
    def _top_bytes(self) -> int:
        """The top of the picture: the limit, unless the curve is far below it."""
        roomy = max(self._curve.peak_bytes * 5 // 4, 1)
        return min(roomy, max(self._limit_bytes, self._curve.peak_bytes, 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._ground
        painter.setPen(theme.color("border"))
        painter.setBrush(theme.color("raised"))
        painter.drawRect(ground)
        if self._curve.samples:
            self._paint_curve(painter, ground)
            self._paint_words(painter, ground)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(theme.color("accent"))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_curve(self, painter: QPainter, ground: QRectF) -> None:
        line = self._points()
        area = QPolygonF([*line, ground.bottomRight(), QPointF(line[0].x(), ground.bottom())])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("accent_tint"))
        painter.drawPolygon(area)
        painter.setPen(QPen(theme.color("accent"), 1.5))
        painter.drawPolyline(QPolygonF(line))
        painter.setPen(QPen(theme.color("notice"), 1, Qt.PenStyle.DashLine))
        for before, sample in zip(self._curve.samples, self._curve.samples[1:], strict=False):
            if before.generation != sample.generation:
                x = self._x(sample.step)
                painter.drawLine(QLineF(x, ground.top(), x, ground.bottom()))
        if self._limit_bytes <= self._top_bytes:
            painter.setPen(QPen(theme.color("negative"), 1, Qt.PenStyle.DashLine))
            y = self._y(self._limit_bytes) + 1
            painter.drawLine(QLineF(ground.left(), y, ground.right(), y))

    def _points(self) -> list[QPointF]:
        """The curve as steps: memory stays until the firing that changes it."""
        points: list[QPointF] = []
        for sample in self._curve.samples:
            x, y = self._x(sample.step), self._y(sample.memory_bytes)
            if points:
                points.append(QPointF(x, points[-1].y()))
            points.append(QPointF(x, y))
        points.append(QPointF(self._ground.right(), points[-1].y()))
        return points

    def _paint_words(self, painter: QPainter, ground: QRectF) -> None:
        painter.setFont(theme.ui_font(small=True))
        painter.setPen(theme.color("muted"))
        above = QRectF(0, 0, self.width(), ground.top() - 1)
        below = QRectF(0, ground.bottom() + 1, self.width(), self.height() - ground.bottom() - 1)
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        painter.drawText(above, left, bytes_text(self._top_bytes))
        if self._limit_bytes <= self._top_bytes:
            painter.drawText(above, right, f"limit {bytes_text(self._limit_bytes)}")
        painter.drawText(below, left, f"#{self._first_step:,}")
        painter.drawText(below, right, f"#{self._last_step:,}")

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().x()), self)
            return True
        return super().event(event)

    def tip_at(self, x: float) -> str:
        """What the curve says at a place, for the tooltip."""
        sample = self._sample_at(x)
        if sample is None:
            return self.sentence()
        part = part_text(sample.memory_bytes / max(self._limit_bytes, 1))
        made = f", instance {sample.generation:,}" if self._curve.generations > 1 else ""
        return f"after firing #{sample.step:,}: {bytes_text(sample.memory_bytes)}, {part}{made}"

    def _sample_at(self, x: float) -> MemorySample | None:
        left = [sample for sample in self._curve.samples if self._x(sample.step) <= x + Spacing.XS]
        return left[-1] if left else None
