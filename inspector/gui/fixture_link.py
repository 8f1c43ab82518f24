"""What ties fixtures to the composer: the dialogs, the files, what was loaded last.

Lives here: `FixtureLink`. Not here: files (workbench.fixture_store, in the thread of
gui.file_job), rows and dialogs. Only main_window imports it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QWidget

from inspector.contract.contract import Contract
from inspector.contract.profile import PROFILES
from inspector.errors import ErrorKind, InspectorError
from inspector.gui.composer_link import ComposerLink
from inspector.gui.dialogs.fixture_dialog import FixtureDialog
from inspector.gui.dialogs.fixture_name_dialog import FixtureNameDialog
from inspector.gui.file_job import FileJob, FileResult
from inspector.gui.models.fixture_model import FixtureModel, Pick
from inspector.gui.views.composer_view import ComposerView
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Decide, Observe
from inspector.workbench import command, fixture, fixture_store
from inspector.workbench.fixture import Fixture
from inspector.workbench.fixture_store import Entry, FixtureStore, Listing, Saved, Undo

LOOK_MS = 1_000
"""While the list shows, the folders are looked at so often for the work of others."""


class _Loaded(msgspec.Struct, frozen=True):
    """A fixture that was read, and whether it is to be fired."""

    entry: Entry
    fixture: Fixture
    wants_fire: bool


class FixtureLink(QObject):
    """Keeps composed events as files, and puts them back."""

    def __init__(
        self,
        composer: ComposerView,
        composer_link: ComposerLink,
        bridge: WorkbenchBridge,
        store: FixtureStore,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._window = parent
        self._composer = composer
        self._composer_link = composer_link
        self._bridge = bridge
        self._store = store
        self.model = FixtureModel(self)
        self.job = FileJob(self)
        self.job.finished.connect(self._on_finished)
        self._takers: dict[int, Callable[[Any], None]] = {}
        self._listing = Listing()
        self._scans: set[int] = set()
        self._wants_scan = False
        self._saving: Fixture | None = None
        self._renaming: Entry | None = None
        self._loaded: dict[str, Entry] = {}
        self._undo: Undo | None = None
        self.dialog: FixtureDialog | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.refresh)

    # -- the list --------------------------------------------------------------------------

    @Slot()
    def open_dialog(self) -> None:
        """Show everything that can be loaded."""
        if self.dialog is not None:
            return
        self.model.set_search("")
        self.model.set_composition(self._composer.composition())
        dialog = FixtureDialog(self.model, self._window)
        dialog.pick_chosen.connect(self._on_pick_chosen)
        dialog.rename_requested.connect(self._on_rename_requested)
        dialog.duplicate_requested.connect(self._on_duplicate_requested)
        dialog.star_requested.connect(self._on_star_requested)
        dialog.delete_requested.connect(self._on_delete_requested)
        dialog.undo_requested.connect(self.undo)
        dialog.finished.connect(self._on_dialog_closed)
        dialog.set_fire_reason(command.can_fire(self._bridge.latest))
        self.dialog = dialog
        if self._undo is not None:
            dialog.say("info", self._undo.sentence, can_undo=True)
        dialog.open()
        self._timer.start()
        self.refresh()

    @Slot()
    def _on_dialog_closed(self) -> None:
        self.dialog = None
        self._timer.stop()

    @Slot()
    def refresh(self) -> None:
        """Look at the folders, at once or after the look that is under way."""
        if self._scans:
            self._wants_scan = True
        else:
            self._scan(self._take_listing)

    def _scan(self, taker: Callable[[Listing], None]) -> None:
        contract, capsule = self._contract(), self._capsule()
        store = self._store
        number = self._do(
            lambda: store.scan(contract, fixture_store.capsule_folder(capsule)), taker
        )
        self._scans.add(number)

    def _take_listing(self, listing: Listing) -> None:
        if listing.notes and listing.notes != self._listing.notes:
            self._say("warning", " ".join(listing.notes))
        self._listing = listing
        self.model.set_listing(listing)

    def _contract(self) -> Contract:
        return PROFILES[self._bridge.state.profile].contract

    def _capsule(self) -> str | None:
        inspection = self._bridge.state.inspection
        return inspection.capsule.path if inspection else None

    # -- saving ----------------------------------------------------------------------------

    @Slot()
    def save(self) -> None:
        """Ask for a name for what stands in the composer."""
        composition = self._composer.composition()
        action = composition.action() if composition else None
        if composition is None or not isinstance(action, Observe | Decide):
            problems = composition.problems() if composition else []
            why = problems[0].sentence if problems else "Open a capsule first."
            self._bridge.say("warning", f"This cannot be kept as a fixture yet. {why}")
            return
        interface = composition.contract.interface
        phase = composition.phase.value
        self._saving = Fixture("", interface, action.event, phase, dict(action.fields))
        # What is there is looked at first, so that nothing is replaced unasked.
        self._scan(self._ask_name)

    def _ask_name(self, listing: Listing) -> None:
        self._take_listing(listing)
        saving = self._saving
        if saving is None:
            return
        before = self._loaded.get(saving.event)
        own = {fixture.name_key(e.name): e for e in listing.entries if e.is_own}
        now = {entry.path: entry.digest for entry in listing.entries}
        changed = {
            entry.path
            for entry in self._loaded.values()
            if now.get(entry.path, entry.digest) != entry.digest
        }
        dialog = FixtureNameDialog(
            self._window,
            title=f"Save {saving.event} as a fixture",
            name=before.name if before else saving.event,
            taken=own,
            changed=frozenset(changed),
        )
        dialog.named.connect(self._on_named)
        dialog.open()

    @Slot(str, object)
    def _on_named(self, name: str, replaced: Entry | None) -> None:
        saving, self._saving = self._saving, None
        if saving is not None:
            kept = msgspec.structs.replace(saving, name=name)
            store = self._store
            self._do(lambda: (kept, store.save(kept, replaced)), self._take_saved)

    def _take_saved(self, result: tuple[Fixture, Saved]) -> None:
        kept, saved = result
        if saved.undo is not None:
            self._undo = saved.undo
        sentence = saved.undo.sentence if saved.undo else f"“{kept.name}” was saved."
        self._bridge.say("info", sentence)
        self._note_loaded(saved.path)

    def _note_loaded(self, path: str) -> None:
        """Remember a file as what stands in the composer, once it is listed."""

        def take(listing: Listing) -> None:
            self._take_listing(listing)
            for entry in listing.entries:
                if entry.path == path:
                    self._loaded[entry.event] = entry

        self._scan(take)

    # -- loading ---------------------------------------------------------------------------

    @Slot(object, bool)
    def _on_pick_chosen(self, pick: Pick, wants_fire: bool) -> None:
        entry = pick.entry
        if entry is None:
            self._loaded.pop(pick.event, None)
            self._put(pick.event, pick.phase, pick.fields or {}, wants_fire=wants_fire)
            return
        store, contract = self._store, self._contract()

        def load() -> _Loaded:
            found = store.load(entry.path)
            fit = fixture.fit(found, contract)
            if not fit.is_usable:
                raise InspectorError(ErrorKind.BAD_EVENT, fit.note)
            return _Loaded(entry, found, wants_fire)

        self._do(load, self._take_loaded)

    def _take_loaded(self, loaded: _Loaded) -> None:
        found = loaded.fixture
        self._loaded[found.event] = loaded.entry
        self._put(found.event, found.phase, found.fields, wants_fire=loaded.wants_fire)

    def _put(self, event: str, phase: str, fields: dict[str, Any], *, wants_fire: bool) -> None:
        if self.dialog is not None:
            self.dialog.close()
        self._composer_link.load_fields(event, phase, fields)
        self._composer.setFocus()
        if wants_fire:
            self._composer_link.fire()

    # -- keeping order ---------------------------------------------------------------------

    @Slot(object)
    def _on_rename_requested(self, entry: Entry) -> None:
        taken = {fixture.name_key(e.name): e for e in self._listing.entries if e.is_own}
        dialog = FixtureNameDialog(
            self.dialog or self._window,
            title=f"Rename “{entry.name}”",
            name=entry.name,
            taken=taken,
            renames=entry,
        )
        self._renaming = entry
        dialog.named.connect(self._on_renamed)
        dialog.open()

    @Slot(str, object)
    def _on_renamed(self, name: str, _replaced: Entry | None) -> None:
        entry, self._renaming = self._renaming, None
        if entry is not None:
            store = self._store
            self._do(lambda: store.rename(entry, name), self._take_path)

    @Slot(object)
    def _on_duplicate_requested(self, entry: Entry) -> None:
        store = self._store
        self._do(lambda: store.duplicate(entry), self._take_path)

    @Slot(object, bool)
    def _on_star_requested(self, entry: Entry, is_star: bool) -> None:
        store = self._store

        def star() -> str:
            store.set_star(entry, is_star=is_star)
            return entry.path

        self._do(star, self._take_path)

    @Slot(object)
    def _on_delete_requested(self, entry: Entry) -> None:
        store = self._store
        self._do(lambda: store.delete(entry), self._take_undo)

    def _take_undo(self, undo: Undo) -> None:
        self._undo = undo
        self._say("info", undo.sentence, can_undo=True)
        self.refresh()

    @Slot()
    def undo(self) -> None:
        """Bring back what was deleted or replaced last."""
        undo, self._undo = self._undo, None
        if undo is not None:
            store = self._store
            self._do(lambda: store.undo(undo), self._take_path)

    def _take_path(self, path: str) -> None:
        if self.dialog is not None:
            self.dialog.show_path(path)
        self.refresh()

    # -- work in the other thread ------------------------------------------------------------

    def _do(self, work: Callable[[], Any], taker: Callable[[Any], None]) -> int:
        number = self.job.submit(work)
        self._takers[number] = taker
        return number

    @Slot(object)
    def _on_finished(self, result: FileResult) -> None:
        taker = self._takers.pop(result.number)
        was_scan = result.number in self._scans
        self._scans.discard(result.number)
        if result.error is None:
            taker(result.value)
        else:
            self._say("error", result.error.sentence())
        if self._wants_scan or (result.error is not None and not was_scan):
            self._wants_scan = False
            self.refresh()

    def _say(self, severity: str, sentence: str, *, can_undo: bool = False) -> None:
        if self.dialog is not None:
            self.dialog.say(severity, sentence, can_undo=can_undo)
        else:
            self._bridge.say(severity, sentence)

    def close(self) -> None:
        """Begin nothing more; what was begun is written whole."""
        self._timer.stop()
        self.job.close()


def default_store(state_path: Path) -> FixtureStore:
    """The user's own fixtures, beside the file of the window's state."""
    return FixtureStore(state_path.parent / fixture_store.FOLDER)
