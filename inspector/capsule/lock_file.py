"""murmur.lock: versions and digests that a capsule is pinned to.

Lives here: reading it and checking artifacts against it. Not here: writing it, which the
inspector never does. Only inspector.capsule imports it.
"""

from pathlib import Path

import msgspec

from inspector.capsule import reading
from inspector.capsule.reading import ReadError
from inspector.manifest.fault import PIN_DIGEST, PIN_MISSING, Fault, Stage
from inspector.manifest.schema import Block, BlockView, Field, Kind, check
from inspector.manifest.yaml_source import YamlError, parse

FILE_NAME = "murmur.lock"
SUPPORTED_VERSION = 1
_REMOVE = f"Remove {FILE_NAME}; the next launch writes it anew."

_TEXT = Field(Kind.TEXT, required=True)
_ENTRY = Block(
    "LockedArtifact",
    {
        "name": _TEXT,
        "resolved_version": _TEXT,
        "sha256": Field(Kind.BLOCK, Block("LockedDigests", {"wasm": _TEXT}), required=True),
    },
)
_LOCK = Block(
    "Lockfile",
    {
        "lock_version": Field(Kind.COUNT, bits=32, required=True),
        "artifacts": Field(Kind.BLOCKS, _ENTRY),
    },
)


class Pin(msgspec.Struct, frozen=True):
    """One pinned artifact."""

    version: str
    sha256: str


class LockFile(msgspec.Struct, frozen=True):
    """A lock file that could be read.

    Attributes:
        path: The file.
        pins: By artifact name; the first entry of a name counts.
    """

    path: Path
    pins: dict[str, Pin]

    def faults_of(self, name: str, version: str, sha256: str) -> tuple[Fault, ...]:
        """What the pin of an artifact is at odds with.

        Args:
            name: Artifact name.
            version: Of the manifest.
            sha256: Of the archive that was found.

        Source: spec/artifact.md 3 (lock file).
        """
        pin = self.pins.get(name)
        if pin is None:
            return (self._fault(PIN_MISSING, f"lockfile missing artifact entry for '{name}'"),)
        if pin.version != version:
            text = (
                f"lockfile version mismatch for '{name}': manifest requested {version}, lock "
                f"pinned {pin.version}"
            )
            return (self._fault(PIN_MISSING, text),)
        if pin.sha256 != sha256:
            text = f"artifact integrity check failed for {name}@{version}"
            return (self._fault(PIN_DIGEST, text),)
        return ()

    def _fault(self, code: str, message: str) -> Fault:
        return Fault(Stage.DIGEST, code, message, _REMOVE, file=str(self.path))


def read(project: Path) -> LockFile | Fault | None:
    """Read the lock file of a project.

    Args:
        project: The manifest's folder.

    Returns:
        The lock, why it is refused, or None when there is none.
    """
    path = project / FILE_NAME
    if reading.kind_of(path) == "missing":
        return None
    try:
        return _parsed(path, reading.read_text(path))
    except ReadError as error:
        return _refused(path, f"{error}", error.hint, None)
    except YamlError as error:
        message = f"invalid {FILE_NAME}: YAML parse error: {error.text}"
        return _refused(path, message, _REMOVE, error)


def _refused(path: Path, message: str, hint: str, at: YamlError | None) -> Fault:
    line, column = (at.line, at.column) if at else (None, None)
    return Fault(Stage.LOCK, PIN_MISSING, message, hint, line, column, str(path))


def _parsed(path: Path, text: str) -> LockFile | Fault:
    view = check(parse(text), _LOCK)
    version = view.count("lock_version")
    problem = None
    if version != SUPPORTED_VERSION:
        problem = f"unsupported lock_version {version} (expected {SUPPORTED_VERSION})"
    pins: dict[str, Pin] = {}
    for entry in view.inners("artifacts"):
        problem = problem or _entry_problem(entry)
        pins.setdefault(_word(entry, "name"), Pin(_word(entry, "resolved_version"), _wasm(entry)))
    if problem is not None:
        return _refused(path, f"invalid {FILE_NAME}: {problem}", _REMOVE, None)
    return LockFile(path, pins)


def _entry_problem(entry: BlockView) -> str | None:
    name = _word(entry, "name")
    if not name.strip():
        return "artifact entry has empty name"
    if not _word(entry, "resolved_version").strip():
        return f"artifact '{name}' has empty resolved_version"
    if not _wasm(entry).strip():
        return f"artifact '{name}' has empty sha256.wasm"
    return None


def _wasm(entry: BlockView) -> str:
    inner = entry.inner("sha256")
    return _word(inner, "wasm") if inner is not None else ""


def _word(view: BlockView, key: str) -> str:
    value = view.text(key)
    return value.text if value is not None else ""
