"""The lock file: reading it, and artifacts against it."""

from pathlib import Path

import pytest

from inspector.capsule.lock_file import LockFile, Pin, read
from inspector.manifest.fault import Fault, Stage
from tests.helpers.capsule_files import lock_at


def test_read__lock__gives_pins(tmp_path: Path) -> None:
    """Version and digest by name; the first entry of a name counts."""
    path = lock_at(tmp_path, "ab")
    with path.open("a") as file:
        file.write("  - {name: watcher, resolved_version: 9, sha256: {wasm: cd}}\n")
    assert read(tmp_path) == LockFile(path, {"watcher": Pin("0.0.9", "ab")})


def test_read__no_lock__is_none(tmp_path: Path) -> None:
    """A capsule without a lock is not pinned."""
    assert read(tmp_path) is None


def test_read__empty_list__pins_nothing(tmp_path: Path) -> None:
    """Every artifact is missing from it then."""
    (tmp_path / "murmur.lock").write_text("lock_version: 1\nartifacts: []\n")
    lock = read(tmp_path)
    assert isinstance(lock, LockFile)
    assert [fault.message for fault in lock.faults_of("a", "1", "x")] == [
        "lockfile missing artifact entry for 'a'"
    ]


_ENTRY = "lock_version: 1\nartifacts:\n  - "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a: [",
            "YAML parse error: did not find expected node content at line 2 column 1, while "
            "parsing a flow node",
        ),
        ("artifacts: []", "YAML parse error: missing field `lock_version` at line 1 column 1"),
        (
            "lock_version: x",
            'YAML parse error: lock_version: invalid type: string "x", expected '
            "u32 at line 1 column 15",
        ),
        ("lock_version: 2", "unsupported lock_version 2 (expected 1)"),
        (
            _ENTRY + "{name: ' ', resolved_version: 1, sha256: {wasm: a}}",
            "artifact entry has empty name",
        ),
        (
            _ENTRY + "{name: a, resolved_version: '', sha256: {wasm: a}}",
            "artifact 'a' has empty resolved_version",
        ),
        (
            _ENTRY + "{name: a, resolved_version: 1, sha256: {wasm: ' '}}",
            "artifact 'a' has empty sha256.wasm",
        ),
        (
            _ENTRY + "{name: a, resolved_version: 1}",
            "YAML parse error: artifacts[0]: missing field `sha256` at line 3 column 5",
        ),
    ],
)
def test_read__bad_lock__is_refused_with_its_text(tmp_path: Path, text: str, message: str) -> None:
    """Every message of a lock that cannot be used."""
    (tmp_path / "murmur.lock").write_text(text)
    fault = read(tmp_path)
    assert isinstance(fault, Fault)
    assert fault.message == f"invalid murmur.lock: {message}"
    assert (fault.stage, fault.file) == (Stage.LOCK, str(tmp_path / "murmur.lock"))


def test_read__unreadable_lock__is_refused(tmp_path: Path) -> None:
    """A folder in its place."""
    (tmp_path / "murmur.lock").mkdir()
    fault = read(tmp_path)
    assert isinstance(fault, Fault)
    assert "is a folder" in fault.message


@pytest.mark.parametrize(
    ("name", "version", "sha256", "code", "message"),
    [
        ("gone", "1", "ab", "E-RUN-003", "lockfile missing artifact entry for 'gone'"),
        (
            "watcher",
            "1",
            "ab",
            "E-RUN-003",
            "lockfile version mismatch for 'watcher': manifest requested 1, lock pinned 0.0.9",
        ),
        (
            "watcher",
            "0.0.9",
            "cd",
            "E-REG-005",
            "artifact integrity check failed for watcher@0.0.9",
        ),
    ],
)
def test_faults_of__artifact_at_odds__is_told(
    tmp_path: Path, name: str, version: str, sha256: str, code: str, message: str
) -> None:
    """Entry, version, digest, in this order."""
    lock_at(tmp_path, "ab")
    lock = read(tmp_path)
    assert isinstance(lock, LockFile)
    (fault,) = lock.faults_of(name, version, sha256)
    assert (fault.code, fault.message, fault.stage) == (code, message, Stage.DIGEST)
    assert lock.faults_of("watcher", "0.0.9", "ab") == ()
