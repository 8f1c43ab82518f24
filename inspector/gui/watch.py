"""Tells when a file of the open capsule has changed and is whole again.

Lives here: `CapsuleWatch`. Not here: which files count and what whole means
(workbench.watching), reloading (gui.window_desk). Only gui.window_desk imports it.

QFileSystemWatcher goes silent after an atomic replace, and tells nothing on some network
drives. So folders are watched too, sizes and times are compared now and then anyway, and
a digest decides in the end: a build that wrote the same bytes changes nothing.
"""

from pathlib import PurePath

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

from inspector.gui.jobs import SlicedJob
from inspector.protocol.inspection import Inspection
from inspector.workbench import watching
from inspector.workbench.watching import Fingerprint

QUIET_MS = 300
"""Nothing may have moved for so long before files are read."""

POLL_MS = 2_000
"""Files are looked at so often even when no one tells of a change."""

PATIENCE = 20
"""Looks (6 s) that a file may stay missing or cut off; then it is taken as it is."""


class CapsuleWatch(QObject):
    """Watches while it is switched on and knows a capsule.

    Signals:
        changed(tuple[str, ...]): names of files whose content is another one.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._is_on = False
        self._inspection: Inspection | None = None
        self._files: tuple[str, ...] = ()
        self._before: dict[str, Fingerprint | None] = {}
        self._last: dict[str, Fingerprint | None] = {}
        self._digests: dict[str, str] = {}
        self._baseline = 0
        self._waited = 0
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_moved)
        self._watcher.directoryChanged.connect(self._on_moved)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(QUIET_MS)
        self._quiet.timeout.connect(self.look)
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._on_poll)
        self._job = SlicedJob(self)
        self._job.finished.connect(self._take_digests)

    @property
    def is_on(self) -> bool:
        """Whether it is switched on."""
        return self._is_on

    @property
    def files(self) -> tuple[str, ...]:
        """What is watched."""
        return self._files

    def set_on(self, *, is_on: bool) -> None:
        """Switch it on or off."""
        if is_on != self._is_on:
            self._is_on = is_on
            self._restart(self._before if is_on else {})

    def begin_opening(self) -> None:
        """Remember how files are now: what changes from here on is not in what is read."""
        self._job.cancel()
        self._quiet.stop()
        self._before = watching.look(self._files) if self._is_on else {}

    def set_inspection(self, inspection: Inspection | None) -> None:
        """Watch another capsule, or the same one after it was read again."""
        if inspection is self._inspection:
            return
        self._inspection = inspection
        self._restart(self._before)

    def _restart(self, before: dict[str, Fingerprint | None]) -> None:
        self._job.cancel()
        self._quiet.stop()
        self._poll.stop()
        self._waited = 0
        self._files = ()
        if watched := [*self._watcher.files(), *self._watcher.directories()]:
            self._watcher.removePaths(watched)
        if not self._is_on or self._inspection is None:
            return
        self._files = watching.watched_files(self._inspection)
        now = watching.look(self._files)
        self._before = {file: before.get(file, mark) for file, mark in now.items()}
        self._last = now
        self._watch_paths()
        self._poll.start()
        if self._before != now:
            self._quiet.start()
        else:
            # What the files hold now, to tell a touch from a change.
            self._digests = {}
            self._baseline = self._job.start(watching.digests(self._files), steps=1)

    def _watch_paths(self) -> None:
        """Watch again what an atomic replace has taken out of the watcher."""
        if self._inspection is None:
            return
        folders = watching.watched_folders(self._files, self._inspection)
        wanted = [file for file in self._files if self._last.get(file) is not None]
        known = {*self._watcher.files(), *self._watcher.directories()}
        if missing := [path for path in (*wanted, *folders) if path not in known]:
            self._watcher.addPaths(missing)

    # -- something moved ---------------------------------------------------------------------

    @Slot(str)
    def _on_moved(self, _path: str) -> None:
        self._quiet.start()

    @Slot()
    def _on_poll(self) -> None:
        if not self._quiet.isActive() and watching.look(self._files) != self._last:
            self._quiet.start()

    @Slot()
    def look(self) -> None:
        """Compare sizes and times; read what differs once nothing moves any more."""
        now = watching.look(self._files)
        is_still = now == self._last
        self._last = now
        self._watch_paths()
        differing = [file for file in self._files if now[file] != self._before.get(file)]
        if not differing:
            self._waited = 0
            return
        if is_still and (self._waited >= PATIENCE or all(map(self._is_settled, differing))):
            self._job.start(watching.digests(differing), steps=1)
            return
        self._waited += is_still
        self._quiet.start()

    def _is_settled(self, file: str) -> bool:
        """Whether a file is whole, or was not there before either."""
        if self._last[file] is None:
            return not self._before.get(file)
        return watching.is_whole(file)

    @Slot(int, object)
    def _take_digests(self, number: int, found: list[tuple[str, str]]) -> None:
        if number != self._job.number:
            return
        digests = {file: digest for file, digest in found if file}
        if number == self._baseline:
            self._digests = digests
            return
        if watching.look(digests) != {file: self._last[file] for file in digests}:
            self._quiet.start()  # it moved while it was read
            return
        self._waited = 0
        self._before = {**self._before, **{file: self._last[file] for file in digests}}
        changed = [file for file, digest in digests.items() if digest != self._digests.get(file)]
        self._digests = {**self._digests, **digests}
        if changed:
            self._tell(tuple(PurePath(file).name for file in changed))

    def _tell(self, names: tuple[str, ...]) -> None:
        self.changed.emit(names)
