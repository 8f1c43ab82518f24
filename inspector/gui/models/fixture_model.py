"""What can be put into the composer: fixtures, defaults, an example, edge cases.

Lives here: `Pick` and `FixtureModel`, with the search over them. Not here: files
(workbench.fixture_store), showing (dialogs.fixture_dialog). Dialogs and gui.fixture_link
import it.
"""

import enum
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.contract.contract import Phase
from inspector.gui import icons, theme
from inspector.gui.models.form_composition import Composition
from inspector.workbench.fixture_store import Entry, Listing
from inspector.workbench.formatting import one_line

TITLES = ("Name", "Event", "Kind")


class Column(enum.IntEnum):
    """Columns of the list."""

    NAME = 0
    EVENT = 1
    KIND = 2


class Pick(msgspec.Struct, frozen=True):
    """One thing to load.

    Attributes:
        name: A few words.
        event: The event that it is of, "" for a file that is no fixture.
        phase: `observe` or `decide`, "" for whichever is chosen.
        kind: `fixture`, `capsule's`, `no fixture`, `ready-made` or `edge case`.
        note: What is in it, or why it cannot be loaded, in one sentence.
        entry: The file, or None for what is made from the contract.
        fields: The record, or None for what is in a file.
    """

    name: str
    event: str
    phase: str
    kind: str
    note: str
    entry: Entry | None = None
    fields: dict[str, Any] | None = None

    @property
    def is_usable(self) -> bool:
        """Whether it can be loaded."""
        return self.entry is None or self.entry.is_usable

    @property
    def is_star(self) -> bool:
        """Whether it is a favourite."""
        return self.entry is not None and self.entry.is_star

    @property
    def is_own(self) -> bool:
        """Whether it is a fixture that can be changed."""
        return self.entry is not None and self.entry.is_own and self.entry.is_fixture


def pick_of(entry: Entry) -> Pick:
    """A file as something to load."""
    kind = "fixture" if entry.is_own else "capsule's"
    if not entry.is_fixture:
        kind = "no fixture"
    return Pick(entry.name, entry.event, entry.phase, kind, entry.note or entry.path, entry)


def ready_made(composition: Composition) -> list[Pick]:
    """What the contract and the session give for the event in the composer."""
    event, phase = composition.event_name, composition.phase.value
    made = [
        ("Defaults", "What the form starts with.", composition.starting_fields()),
        ("Example", "A likely event.", composition.example()),
    ]
    picks = [Pick(n, event, phase, "ready-made", t, None, fields) for n, t, fields in made]
    for case in composition.edge_cases():
        text = case.description
        picks.append(Pick(case.name, event, phase, "edge case", text, None, case.fields))
    return picks


class FixtureModel(QAbstractTableModel):
    """Favourites, then what is of the composer's event, then the rest."""

    class Role(enum.IntEnum):
        """Roles beside Qt's own."""

        PICK = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._event = ""
        self._files: list[Pick] = []
        self._made: list[Pick] = []
        self._words: list[str] = []
        self._shown: list[Pick] = []
        theme.notifier().changed.connect(self._swap)

    # -- the table -------------------------------------------------------------------

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        pick, column = self._shown[index.row()], Column(index.column())
        if role == self.Role.PICK:
            return pick
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell(pick, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return one_line(pick.note, 500)
        if role == Qt.ItemDataRole.AccessibleTextRole and column == Column.NAME:
            star = "favourite, " if pick.is_star else ""
            return f"{pick.name}, {star}{pick.event} {pick.kind}"
        if role == Qt.ItemDataRole.DecorationRole and column == Column.NAME:
            return _sign(pick)
        if role == Qt.ItemDataRole.ForegroundRole and (column != Column.NAME or not pick.is_usable):
            return theme.color("muted")
        return None

    # -- look-ups ----------------------------------------------------------------------

    def pick(self, row: int) -> Pick | None:
        """What stands in a row, or None."""
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def row_of(self, path: str) -> int:
        """The row of a file, or -1 when it is not shown."""
        found = (
            row for row, pick in enumerate(self._shown) if pick.entry and pick.entry.path == path
        )
        return next(found, -1)

    @property
    def total(self) -> int:
        """All that there is, shown or not."""
        return len(self._files) + len(self._made)

    # -- content -----------------------------------------------------------------------

    def set_composition(self, composition: Composition | None) -> None:
        """Offer what the contract gives for an event."""
        self._event = composition.event_name if composition else ""
        self._made = ready_made(composition) if composition else []
        self._swap()

    def set_listing(self, listing: Listing) -> None:
        """Show other files."""
        files = [pick_of(entry) for entry in listing.entries]
        if files != self._files:
            self._files = files
            self._swap()

    def set_search(self, text: str) -> None:
        """Show what has every word in its name, event, phase, kind or note."""
        self._words = text.casefold().split()
        self._swap()

    def _swap(self) -> None:
        self.beginResetModel()
        stars = [pick for pick in self._files if pick.is_star]
        others = [pick for pick in self._files if not pick.is_star]
        ours = [pick for pick in others if pick.event and pick.event == self._event]
        rest = [pick for pick in others if not pick.event or pick.event != self._event]
        everything = [*stars, *ours, *self._made, *rest]
        self._shown = [pick for pick in everything if self._matches(pick)]
        self.endResetModel()

    def _matches(self, pick: Pick) -> bool:
        star = "favourite" if pick.is_star else ""
        texts = (pick.name, pick.event, pick.phase, pick.kind, star, pick.note)
        whole = "\n".join(texts).casefold()
        return all(word in whole for word in self._words)


def _cell(pick: Pick, column: Column) -> str:
    if column == Column.NAME:
        return one_line(pick.name)
    if column == Column.KIND:
        return pick.kind
    return f"{pick.event} · decide" if pick.phase == Phase.DECIDE else pick.event


def _sign(pick: Pick) -> Any:
    if pick.is_star:
        return icons.icon("star", "accent")
    if not pick.is_usable:
        return icons.icon("warning", "caution")
    return icons.icon("event" if pick.entry is None else "save", "muted")
