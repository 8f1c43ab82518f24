"""Stores of packed artifacts: look-up, digest, platform variants.

Lives here: the paths below a store, reading what lies there, the places of both stores.
Not here: what is inside an archive (archive), the lock file (lock_file). Only
inspector.capsule imports it.
"""

import os
import platform
from collections.abc import Mapping
from pathlib import Path

import msgspec

from inspector.capsule import reading
from inspector.capsule.archive import ENDING
from inspector.capsule.digest import sha256_of
from inspector.capsule.reading import ReadError
from inspector.manifest.fault import BAD_DIGEST, UNREADABLE, Fault, Stage

_PLATFORMS = {
    ("Linux", "x86_64"): "linux-x86_64",
    ("Linux", "aarch64"): "linux-aarch64",
    ("Darwin", "x86_64"): "darwin-x86_64",
    ("Darwin", "arm64"): "darwin-aarch64",
}
MURMUR_FOLDER = ".murmur"
_INSTALL = "Install it again with `mur install`."


class Stored(msgspec.Struct, frozen=True):
    """An archive of a store, with what is wrong with it.

    Attributes:
        path: The archive.
        data: Its bytes; empty when it could not be read.
        sha256: Digest of the bytes.
        faults: First met first.
    """

    path: Path
    data: bytes
    sha256: str
    faults: tuple[Fault, ...] = ()


def platform_word() -> str:
    """The platform in names of variants, or `unknown`."""
    return _PLATFORMS.get((platform.system(), platform.machine()), "unknown")


def project_store(project: Path) -> Path:
    """The store beside a capsule's manifest."""
    return project / MURMUR_FOLDER / "artifacts"


def home_store(home: Path | None, environment: Mapping[str, str] | None = None) -> Path | None:
    """The store of a home.

    Args:
        home: A murmur home (what `~/.murmur` is), or a folder that holds one, or None
            for the user's own.
        environment: Where HOME is looked up; None for the process's own.

    Returns:
        The folder, existing or not; None when no home is known.

    Source: spec/artifact.md 3.
    """
    if home is None:
        values = os.environ if environment is None else environment
        written = values.get("HOME") or values.get("USERPROFILE")
        if not written:
            return None
        return Path.cwd() / written / MURMUR_FOLDER / "artifacts"
    own, nested = home / "artifacts", home / MURMUR_FOLDER / "artifacts"
    is_holder = reading.kind_of(own) != "folder" and reading.kind_of(nested) == "folder"
    return nested if is_holder else own


_FORBIDDEN = "/\\\0" + (':<>"|?*' if os.name == "nt" else "")


def is_segment(name: str) -> bool:
    """Whether a name or version can stand as one folder name; others are never found."""
    return bool(name) and name not in (".", "..") and not any(c in name for c in _FORBIDDEN)


def find(store: Path, name: str, version: str) -> Stored | None:
    """Look an artifact up in one store.

    Args:
        store: The store's folder.
        name: Artifact name.
        version: An exact version.

    Returns:
        The archive, or None when the store does not have it (both files are needed).

    Source: spec/artifact.md 3.
    """
    files = _files(store, name, version)
    return _read(*files, f"{name}@{version}") if files is not None else None


def holds(store: Path, name: str, version: str) -> bool:
    """Whether a store has an artifact, by its files alone."""
    return _files(store, name, version) is not None


def _files(store: Path, name: str, version: str) -> tuple[Path, Path] | None:
    """Archive and sidecar, the platform's variant before the plain one."""
    if not is_segment(name) or not is_segment(version):
        return None
    folder = store / name / version
    for stem in (f"{name}-{version}-{platform_word()}", f"{name}-{version}"):
        archive, sidecar = folder / f"{stem}{ENDING}", folder / f"{stem}.sha256"
        if _exists(archive) and _exists(sidecar):
            return archive, sidecar
    return None


def _exists(path: Path) -> bool:
    return reading.kind_of(path) != "missing"


def _read(archive: Path, sidecar: Path, label: str) -> Stored:
    try:
        wanted = reading.read_text(sidecar).strip()
        data = reading.read_bytes(archive)
    except ReadError as error:
        fault = Fault(Stage.FIND, UNREADABLE, str(error), error.hint, file=str(error.path))
        return Stored(archive, b"", "", (fault,))
    digest = sha256_of(data)
    if not wanted:
        message = f"artifact {label} has an empty sha256 sidecar"
    elif wanted != digest:
        message = f"artifact integrity check failed for {label}"
    else:
        return Stored(archive, data, digest)
    hint = f"{sidecar.name} does not fit the archive. {_INSTALL}"
    fault = Fault(Stage.DIGEST, BAD_DIGEST, message, hint, file=str(sidecar))
    return Stored(archive, data, digest, (fault,))
