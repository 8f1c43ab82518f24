"""Where the artifacts of a capsule are looked for, and in which order.

Lives here: project store, hooks folder, home store; the lock check. Not here: each of
these places (store, project, lock_file). Only inspector.capsule imports it.
"""

from pathlib import Path

import msgspec

from inspector.capsule import packed_hook, project, reading, store
from inspector.capsule.capsule import SourceKind
from inspector.capsule.found import Found
from inspector.capsule.lock_file import LockFile
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.fault import NOT_FOUND, Fault, Stage

HOOKS_FOLDER = "hooks"


class Places(msgspec.Struct, frozen=True):
    """The places of one capsule.

    Attributes:
        project: The manifest's folder.
        home: The home's store, or None.
        is_sample: Whether the hooks folder is one of ours.
        lock: The lock file, or None.
    """

    project: Path
    home: Path | None
    is_sample: bool = False
    lock: LockFile | None = None

    @property
    def hooks(self) -> Path:
        """The folder of hooks under development."""
        return self.project / HOOKS_FOLDER

    @property
    def store(self) -> Path:
        """The project store."""
        return store.project_store(self.project)


def find(places: Places, name: str, version: str) -> Found:
    """Find a hook or a driver.

    Args:
        places: Where to look.
        name: Artifact name.
        version: Exact version; a hooks folder has only one.

    Returns:
        What was found; a missing artifact is a fault of it.

    Source: spec/artifact.md 3 and 4.
    """
    label = f"{name}@{version}"
    stored = store.find(places.store, name, version)
    if stored is None and store.is_segment(name):
        folder = places.hooks / name
        if reading.kind_of(folder) == "folder":
            return _developed(places, folder, label)
    if stored is None and places.home is not None:
        stored = store.find(places.home, name, version)
    if stored is None:
        return Found(faults=(_missing(places, label),))
    faults = stored.faults
    if not faults and places.lock is not None:
        faults = places.lock.faults_of(name, version, stored.sha256)
    if not stored.data:
        return Found(faults=faults)
    return packed_hook.read(
        stored.path, stored.data, stored.sha256, SourceKind.STORE, label, faults
    )


def _developed(places: Places, folder: Path, label: str) -> Found:
    kind = SourceKind.SAMPLE if places.is_sample else SourceKind.HOOKS_FOLDER
    found = project.read(folder, kind, label)
    if places.is_sample:
        return found
    note = Diagnostic(
        Severity.INFO,
        "hooks-folder",
        f"{label} is read from {folder}, which only this inspector does; the runtime looks in "
        "its stores",
        "Build and install the hook before the capsule is launched.",
        str(folder),
        hook=label.rpartition("@")[0],
    )
    return msgspec.structs.replace(found, notes=(note, *found.notes))


def _missing(places: Places, label: str) -> Fault:
    name = label.rpartition("@")[0]
    home = str(places.home) if places.home is not None else "no home store (HOME is not set)"
    shown = places.hooks / name if store.is_segment(name) else places.hooks
    hint = (
        f"Looked in {places.store}, {shown} and {home}. Install it with `mur install`, or put "
        "the hook's folder there."
    )
    message = f"artifact {label} not found in registry"
    return Fault(Stage.FIND, NOT_FOUND, message, hint)


def is_stored(places: Places, name: str, version: str) -> bool:
    """Whether one of the two stores holds an artifact; the bytes are not looked at."""
    stores = [places.store] if places.home is None else [places.store, places.home]
    return any(store.holds(folder, name, version) for folder in stores)
