"""The bar under the composer that fires many: how often, how fast, and how far it is.

Lives here: BurstBar. Not here: counting (workbench.burst), timers (gui.burst_link).
composer_view and gui.burst_link import it.
"""

import re
from itertools import pairwise

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons
from inspector.gui.widgets import look
from inspector.gui.widgets.look import Spacing
from inspector.workbench.burst import MOST_PER_S, MOST_TIMES, Ending, Progress
from inspector.workbench.formatting import duration_text

WIDE = 560
"""Width in pixels from which number and rate stand in one row."""

_GAPS = re.compile(r"[\s,'_]")
_RATE = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?")

_BAR = 1_000
"""Steps of the progress bar; the burst may have more than Qt's 32 bits of anything."""


def progress_text(title: str, progress: Progress) -> str:
    """How far a burst is, in one line of figures."""
    ended = progress.finished + progress.refused + progress.lost
    of_all = "" if progress.total is None else f" of {progress.total:,}"
    parts = [f"{title}: {ended:,}{of_all}"]
    parts += [f"{count:,} {word}" for word, count in sorted(progress.words.items())]
    if progress.refused:
        parts.append(f"{progress.refused:,} not run")
    if progress.lost:
        parts.append(f"{progress.lost:,} lost")
    if ended > 1 and progress.per_s:
        parts.append(f"{progress.per_s:,.1f} per second")
    if progress.median_us is not None and progress.longest_us is not None:
        middle, longest = duration_text(progress.median_us), duration_text(progress.longest_us)
        parts.append(f"median {middle}, longest {longest}")
    return " · ".join(parts)


def rounds_of(text: str) -> int | None:
    """How often, from a text with or without marks between thousands; None for none."""
    digits = _GAPS.sub("", text)
    if not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(MOST_TIMES)):
        return None
    return int(digits) if 1 <= int(digits) <= MOST_TIMES else None


def rate_of(text: str) -> float | None:
    """How many per second, e.g. `2.5`; None for what is no such number."""
    digits = _GAPS.sub("", text)
    if not _RATE.fullmatch(digits):
        return None
    return float(digits) if 0 < float(digits) <= MOST_PER_S else None


class BurstBar(QWidget):
    """Asks for a number and a rate, then shows the progress; hidden at first.

    Signals:
        start_requested(int | None, float | None): rounds, None without an end; actions
            per second, None for as fast as they go.
        stop_requested(): fire no more.
        closed(): the user closed the bar; it is hidden by then.
    """

    start_requested = Signal(object, object)
    stop_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Fire many")
        self._reason = ""
        self._is_running = False
        self._is_problem_shown = False
        self.start_button = QPushButton(icons.icon("fire"), "Start", self)
        self.start_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.start_button.setAccessibleName("Start firing many")
        self.start_button.setAutoDefault(False)
        self._make_fields()
        self.close_button = QToolButton(self)
        self.close_button.setIcon(icons.icon("close", "muted"))
        self.close_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.close_button.setAccessibleName("Close this bar")
        self.close_button.setToolTip("Close this bar (Esc)")
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName("Progress of firing many")
        self.bar.setTextVisible(False)
        self.bar.setMaximumHeight(12)
        self.stop_button = QPushButton(icons.icon("stop"), "Stop", self)
        self.stop_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.stop_button.setAccessibleName("Stop firing many")
        self.stop_button.setToolTip("Fire no more; the running call goes on (Esc)")
        self.stop_button.setAutoDefault(False)
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setFont(look.ui_font(small=True))
        self._lay_out()
        self.forever.toggled.connect(self.times.setDisabled)
        self.forever.toggled.connect(self._check)
        self.start_button.clicked.connect(self._on_start)
        self.stop_button.clicked.connect(self.stop_requested)
        self.close_button.clicked.connect(self.close_bar)
        self._show_running(is_running=False)
        self._say("", "muted")
        self.hide()

    def _make_fields(self) -> None:
        self.times = self._field("100", "How many times", 76)
        self.times.setToolTip(f"1 to {MOST_TIMES:,}")
        self.forever = QCheckBox("until stopped", self)
        self.rate = self._field("", "How many per second at most", 128)
        self.rate.setPlaceholderText("as fast as it goes")
        self.rate.setToolTip(
            f"At most so many per second, up to {MOST_PER_S:,}; empty for no bound"
        )
        self._unit = QLabel("times", self)
        self._per_second = QLabel("per second", self)
        for label in (self._unit, self._per_second):
            look.set_property(label, "tone", "muted")

    def _field(self, text: str, name: str, width: int) -> QLineEdit:
        field = QLineEdit(text, self)
        field.setAccessibleName(name)
        field.setFixedWidth(width)
        field.textChanged.connect(self._check)
        return field

    def _lay_out(self) -> None:
        self._setup = QWidget(self)
        self._rows = (QHBoxLayout(), QHBoxLayout())
        setup = QVBoxLayout(self._setup)
        setup.setContentsMargins(0, 0, 0, 0)
        setup.setSpacing(Spacing.XS)
        for row in self._rows:
            row.setSpacing(Spacing.S)
            setup.addLayout(row)
        self._is_wide: bool | None = None
        self._arrange(is_wide=False)
        self._run = QWidget(self)
        run = QHBoxLayout(self._run)
        run.setContentsMargins(0, 0, 0, 0)
        run.setSpacing(Spacing.S)
        run.addWidget(self.bar, 1)
        run.addWidget(self.stop_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Spacing.S, Spacing.XS, Spacing.S, Spacing.XS)
        layout.setSpacing(Spacing.XS)
        layout.addWidget(self._setup)
        layout.addWidget(self._run)
        layout.addWidget(self.label)
        order = (self.times, self.forever, self.rate, self.start_button, self.close_button)
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _arrange(self, *, is_wide: bool) -> None:
        if is_wide == self._is_wide:
            return
        self._is_wide = is_wide
        for row in self._rows:
            while row.count():
                row.takeAt(0)
        top, below = self._rows
        top.addWidget(self.times)
        top.addWidget(self._unit)
        top.addWidget(self.forever)
        for widget in (self.rate, self._per_second):
            (top if is_wide else below).addWidget(widget)
        top.addStretch(1)
        if not is_wide:
            below.addStretch(1)
        (top if is_wide else below).addWidget(self.start_button)
        top.addWidget(self.close_button)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(is_wide=event.size().width() >= WIDE)

    # -- what the owner says --------------------------------------------------------------

    def open_bar(self) -> None:
        """Show the bar and go to the number, or to Stop while a burst runs."""
        self.show()
        field = self.stop_button if self._is_running else self.times
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not self._is_running:
            self.times.selectAll()

    @Slot()
    def close_bar(self) -> None:
        """Hide the bar; a burst goes on and is told in the status."""
        self.hide()
        self.closed.emit()

    def set_reason(self, reason: str) -> None:
        """Say why nothing can be fired now, or "" to allow it."""
        self._reason = reason
        self._allow()

    def _allow(self) -> None:
        reason = self._reason or self._numbers()[2]
        self.start_button.setEnabled(not reason)
        self.start_button.setToolTip(reason or "Fire what the composer shows now (Enter)")
        self.start_button.setAccessibleDescription(reason)

    def show_progress(self, title: str, progress: Progress) -> None:
        """Show how far a burst is, or what it came to.

        Args:
            title: What is fired.
            progress: Its figures.
        """
        is_running = progress.ending is None
        if is_running != self._is_running:
            self._show_running(is_running=is_running)
        ended = progress.finished + progress.refused + progress.lost
        if progress.total is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, _BAR)
            self.bar.setValue(_BAR * ended // progress.total)
        text = progress_text(title, progress)
        role = "muted"
        if progress.ending in (Ending.STOPPED, Ending.LOST):
            role = "negative" if progress.ending is Ending.LOST else "caution"
            because = f" {progress.reason}" if progress.reason else ""
            text = f"{text}\nEnded early: {progress.ending}.{because}"
        # A number that is wrong is the next thing to mend.
        if is_running or not self._is_problem_shown:
            self._say(text, role)

    def _show_running(self, *, is_running: bool) -> None:
        focused: QWidget | None = QApplication.focusWidget()
        had_focus = focused is not None and self.isAncestorOf(focused)
        self._is_running = is_running
        self._setup.setVisible(not is_running)
        self._run.setVisible(is_running)
        if had_focus and self.isVisible():
            (self.stop_button if is_running else self.start_button).setFocus()

    def _say(self, text: str, role: str) -> None:
        self.label.setVisible(bool(text))
        self.label.setText(text)
        self.label.setAccessibleName(text.replace("\n", " "))
        look.set_property(self.label, "tone", role)

    # -- what the user does ---------------------------------------------------------------

    @Slot()
    def _on_start(self) -> None:
        if self._reason or self._is_running:
            return
        rounds, per_s, problem = self._numbers()
        if problem:
            self._check()
        else:
            self.start_requested.emit(rounds, per_s)

    def _numbers(self) -> tuple[int | None, float | None, str]:
        """Rounds, rate, and what is wrong with them, or ""."""
        rounds = per_s = None
        if not self.forever.isChecked():
            rounds = rounds_of(self.times.text())
            if rounds is None:
                return None, None, f"How many times: wants a number from 1 to {MOST_TIMES:,}."
        if self.rate.text().strip():
            per_s = rate_of(self.rate.text())
            if per_s is None:
                most = f"{MOST_PER_S:,}"
                return None, None, f"Per second: wants a number up to {most}, or nothing."
        return rounds, per_s, ""

    @Slot()
    def _check(self) -> None:
        """Mark what is no number, and say so."""
        problem = self._numbers()[2]
        for field, word in ((self.times, "How"), (self.rate, "Per")):
            look.set_property(field, "invalid", "true" if problem.startswith(word) else "")
        if problem or self._is_problem_shown:
            self._say(problem, "negative")
        self._is_problem_shown = bool(problem)
        self._allow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_start()
        elif plain and event.key() == Qt.Key.Key_Escape:
            (self.stop_requested.emit if self._is_running else self.close_bar)()
        else:
            super().keyPressEvent(event)
