"""What the window shows without a capsule: how to open one, and what is where.

Lives here: `WelcomeView`. Not here: opening (gui.main_window). Only gui.main_window
imports it.
"""

from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFont, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import icons, theme
from inspector.gui.widgets import look
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.glyph import pixmap
from inspector.gui.widgets.look import Spacing
from inspector.workbench import opening, sample

_WIDEST = 620
_MOST_RECENT = 5
_PATH = "capsulePath"
_SCENARIO = "scenarioOf"
_FIRST_SAMPLE = "tour"
_NAME_WIDTH = 120

_WHAT = (
    "A capsule is a folder with a murmur.yaml and the hooks that it names. Open one, fire a "
    "lifecycle event at its hooks, and read what the runtime would make of each answer."
)
_PANES = (
    ("session", "Rail", "The nine events in the order of a session. Click one, or press 1 to 9."),
    ("form", "Composer", "The event as a form. Change what you like and press Ctrl+Enter."),
    ("event", "Timeline", "One row per firing, and below it each hook that was called."),
    ("info", "Detail", "Whatever you choose: what happened, why, and what is written where."),
    ("hook", "Hooks", "What is loaded, what reaches it, what it may do."),
    ("log", "Logs, Findings", "What hooks wrote; what is wrong with the capsule, and where."),
)
_OR_DROP = (
    "A packed hook (.mur.zip), a component (.wasm, .wat), a scenario or a recording can be "
    "dropped here, too. Ctrl+K finds every command."
)


class WelcomeView(QScrollArea):
    """What a capsule is, the buttons to open one, samples, recent ones, and the panes.

    Signals:
        capsule_chosen(str): a sample or a recent capsule is to be opened.
        scenario_chosen(str): a sample is to be opened and its scenario to be run.
    """

    capsule_chosen = Signal(str)
    scenario_chosen = Signal(str)

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        """Make the view.

        Args:
            actions: What opens a capsule, the first one as the main button.
            parent: The owner.
        """
        super().__init__(parent)
        self.setAccessibleName("Welcome")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._recent_paths: tuple[str, ...] = ()
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._group.buttonClicked.connect(self._on_clicked)
        self._pictures: list[tuple[QLabel, str]] = []
        content = QWidget(self)
        self._column = QVBoxLayout()
        self._column.setSpacing(Spacing.S)
        card = QWidget(content)
        card.setMaximumWidth(_WIDEST)
        card.setLayout(self._column)
        outer = QVBoxLayout(content)
        outer.addStretch(2)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(card, 100)
        middle.addStretch(1)
        outer.addLayout(middle)
        outer.addStretch(3)
        self._add_head(actions)
        self._samples = self._add_list("Begin with a sample")
        self._recent = self._add_list("Recent")
        self._add_panes()
        self.setWidget(content)
        look.look().changed.connect(self._draw)
        self._draw()

    # -- making ------------------------------------------------------------------------------

    def _add_head(self, actions: Sequence[QAction]) -> None:
        title = QLabel("Open a capsule", self)
        font = theme.ui_font(weight=QFont.Weight.DemiBold)
        font.setPointSizeF(font.pointSizeF() * 1.4)
        title.setFont(font)
        self._column.addWidget(title)
        self._column.addWidget(_paragraph(_WHAT, self))
        self._column.addSpacing(Spacing.XS)
        row = QHBoxLayout()
        row.setSpacing(Spacing.S)
        for number, action in enumerate(actions):
            is_main = number == 0
            icon = icons.icon("open", "on_accent" if is_main else "text")
            button = QPushButton(icon, action.text(), self)
            button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
            button.setToolTip(action.toolTip())
            look.set_property(button, "tone", "primary" if is_main else "")
            if is_main:
                self.setFocusProxy(button)
            button.clicked.connect(action.trigger)
            row.addWidget(button)
        row.addStretch(1)
        self._column.addLayout(row)
        self._column.addWidget(_paragraph(_OR_DROP, self, small=True))

    def _add_list(self, title: str) -> QWidget:
        holder = QWidget(self)
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, Spacing.M, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(_heading(title, holder))
        self._column.addWidget(holder)
        return holder

    def _add_panes(self) -> None:
        holder = self._add_list("What you will see")
        grid = QGridLayout()
        grid.setHorizontalSpacing(Spacing.S)
        grid.setVerticalSpacing(Spacing.XS)
        grid.setColumnStretch(2, 1)
        for line, (icon, name, sentence) in enumerate(_PANES):
            picture = QLabel(holder)
            picture.setFixedWidth(Spacing.ICON)
            self._pictures.append((picture, icon))
            word = QLabel(name, holder)
            word.setFont(theme.ui_font(weight=QFont.Weight.DemiBold))
            top = Qt.AlignmentFlag.AlignTop
            grid.addWidget(picture, line, 0, top)
            grid.addWidget(word, line, 1, top)
            grid.addWidget(_paragraph(sentence, holder), line, 2)
        layout = holder.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.addSpacing(Spacing.XS)
        layout.addLayout(grid)

    @Slot()
    def _draw(self) -> None:
        for picture, name in self._pictures:
            ratio = self.devicePixelRatioF()
            picture.setPixmap(pixmap(name, "accent", Spacing.ICON, ratio))

    # -- lists -------------------------------------------------------------------------------

    def set_samples(self, samples: Sequence[tuple[str, str]]) -> None:
        """Show the samples: what opens one, and its name."""
        self._clear(self._samples)
        # The tour first: it shows how things go when they go well.
        for path, name in sorted(samples, key=lambda item: item[1] != _FIRST_SAMPLE):
            detail = sample.description(path.removeprefix(sample.PREFIX))
            row = self._add_entry(self._samples, path, name, detail, "hook").parentWidget()
            run = QPushButton("Run its scenario", row)
            run.setFlat(True)
            run.setProperty(_SCENARIO, path)
            run.setAccessibleName(f"Open {name} and run its scenario")
            run.setToolTip("Open it, fire a whole session, and look at what is expected")
            self._group.addButton(run)
            layout = row.layout() if row else None
            if layout is not None:
                layout.addWidget(run)
        self._samples.setVisible(bool(samples))

    def set_recent(self, paths: Sequence[str]) -> None:
        """Show the capsules opened before, the last one first; missing ones say so."""
        self._recent_paths = tuple(paths[:_MOST_RECENT])
        self._clear(self._recent)
        for path in self._recent_paths:
            is_sample = path.startswith(sample.PREFIX)
            pure = PurePath(path)
            gone = opening.missing_text(path)
            detail = "sample" if is_sample else str(pure.parent)
            name = path.removeprefix(sample.PREFIX) if is_sample else pure.name
            button = self._add_entry(
                self._recent, path, name, f"{gone}: {detail}" if gone else detail, "open"
            )
            button.setEnabled(not gone)
        self._recent.setVisible(bool(self._recent_paths))

    def showEvent(self, event: QShowEvent) -> None:
        # Folders come and go while another capsule is open.
        self.set_recent(self._recent_paths)
        super().showEvent(event)

    def _clear(self, holder: QWidget) -> None:
        layout = holder.layout()
        assert isinstance(layout, QVBoxLayout)
        while layout.count() > 1:
            item = layout.takeAt(1)
            row = item.widget() if item else None
            if row is not None:
                for button in row.findChildren(QAbstractButton):
                    self._group.removeButton(button)
                    button.setProperty(_PATH, None)
                row.hide()
                row.deleteLater()

    def _add_entry(
        self, holder: QWidget, path: str, name: str, detail: str, icon: str
    ) -> QPushButton:
        row = QWidget(holder)
        button = QPushButton(icons.icon(icon, "accent"), name.replace("&", "&&"), row)
        button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        button.setFlat(True)
        look.set_property(button, "entry", "true")
        button.setProperty(_PATH, path)
        button.setToolTip(path)
        button.setAccessibleName(f"Open {name}")
        button.setAccessibleDescription(detail)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setMinimumWidth(look.zoomed(_NAME_WIDTH))
        label = ElidedLabel(detail, row, Qt.TextElideMode.ElideMiddle)
        look.set_property(label, "tone", "muted")
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(Spacing.S)
        line.addWidget(button)
        line.addWidget(label, 1)
        self._group.addButton(button)
        layout = holder.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.addWidget(row)
        return button

    def buttons(self) -> list[QPushButton]:
        """The buttons of samples and recent capsules."""
        return [button for button in self.findChildren(QPushButton) if button.property(_PATH)]

    @Slot(QAbstractButton)
    def _on_clicked(self, button: QAbstractButton) -> None:
        if button.property(_SCENARIO):
            self.scenario_chosen.emit(str(button.property(_SCENARIO)))
        else:
            self.capsule_chosen.emit(str(button.property(_PATH)))


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setFont(theme.ui_font(small=True, weight=QFont.Weight.DemiBold))
    look.set_property(label, "tone", "muted")
    return label


def _paragraph(text: str, parent: QWidget, *, small: bool = False) -> QLabel:
    label = QLabel(text, parent)
    label.setWordWrap(True)
    label.setFont(theme.ui_font(small=small))
    look.set_property(label, "tone", "muted")
    return label
