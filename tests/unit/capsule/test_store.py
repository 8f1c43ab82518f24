"""Stores: look-up, digests, platform variants, places."""

import os
import platform
from pathlib import Path

import pytest

from inspector.capsule.store import (
    find,
    holds,
    home_store,
    is_segment,
    platform_word,
    project_store,
)
from tests.helpers.capsule_files import install, packed


def test_find__installed__gives_bytes_and_digest(tmp_path: Path) -> None:
    """Archive and sidecar fit each other."""
    path = install(tmp_path, packed())
    found = find(tmp_path, "watcher", "0.0.9")
    assert found is not None
    assert (found.path, found.data, found.faults) == (path, packed(), ())
    assert len(found.sha256) == 64
    assert holds(tmp_path, "watcher", "0.0.9")


@pytest.mark.parametrize("ending", [".mur.zip", ".sha256"])
def test_find__one_file_of_two__is_not_there(tmp_path: Path, ending: str) -> None:
    """An artifact needs both."""
    install(tmp_path, packed())
    (tmp_path / "watcher" / "0.0.9" / f"watcher-0.0.9{ending}").unlink()
    assert find(tmp_path, "watcher", "0.0.9") is None
    assert not holds(tmp_path, "watcher", "0.0.9")


def test_find__other_version__is_not_there(tmp_path: Path) -> None:
    """Versions are exact."""
    install(tmp_path, packed())
    assert find(tmp_path, "watcher", "0.0") is None
    assert find(tmp_path, "watcher", "^0.0.9") is None
    assert find(tmp_path / "nowhere", "watcher", "0.0.9") is None


@pytest.mark.parametrize(
    ("digest", "message"),
    [
        ("0" * 64, "artifact integrity check failed for watcher@0.0.9"),
        (" \n", "artifact watcher@0.0.9 has an empty sha256 sidecar"),
    ],
)
def test_find__sidecar_does_not_fit__is_a_fault(tmp_path: Path, digest: str, message: str) -> None:
    """The bytes are there all the same."""
    install(tmp_path, packed(), digest=digest)
    found = find(tmp_path, "watcher", "0.0.9")
    assert found is not None
    assert [fault.message for fault in found.faults] == [message]
    assert found.faults[0].code == "E-REG-002"
    assert found.data == packed()


def test_find__sidecar_with_blanks__is_trimmed(tmp_path: Path) -> None:
    """The digest is trimmed when it is read."""
    path = install(tmp_path, packed())
    sidecar = path.with_name("watcher-0.0.9.sha256")
    sidecar.write_text(f"\n  {sidecar.read_text('utf-8').strip()} \n", "utf-8")
    found = find(tmp_path, "watcher", "0.0.9")
    assert found is not None
    assert found.faults == ()


def test_find__unreadable_archive__is_a_fault(tmp_path: Path) -> None:
    """A folder in place of the archive."""
    path = install(tmp_path, packed())
    path.unlink()
    path.mkdir()
    found = find(tmp_path, "watcher", "0.0.9")
    assert found is not None
    assert found.data == b""
    assert "is a folder" in found.faults[0].message


def test_find__variant_of_this_platform__is_preferred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When both of its files exist; another platform's variant is not looked at."""
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    install(tmp_path, packed(note=b"plain"))
    install(tmp_path, packed(note=b"darwin"), variant="darwin-aarch64")
    found = find(tmp_path, "watcher", "0.0.9")
    assert found is not None
    assert found.path.name == "watcher-0.0.9.mur.zip"
    variant = install(tmp_path, packed(note=b"linux"), variant="linux-x86_64")
    found = find(tmp_path, "watcher", "0.0.9")
    assert found is not None
    assert found.path == variant
    variant.with_name("watcher-0.0.9-linux-x86_64.sha256").unlink()
    found = find(tmp_path, "watcher", "0.0.9")
    assert found is not None
    assert found.path.name == "watcher-0.0.9.mur.zip"


@pytest.mark.parametrize(
    ("system", "machine", "word"),
    [
        ("Linux", "x86_64", "linux-x86_64"),
        ("Linux", "aarch64", "linux-aarch64"),
        ("Darwin", "x86_64", "darwin-x86_64"),
        ("Darwin", "arm64", "darwin-aarch64"),
        ("Windows", "AMD64", "unknown"),
    ],
)
def test_platform_word__host__is_one_of_five(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, word: str
) -> None:
    """Four platforms, else `unknown`."""
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert platform_word() == word


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../watcher", "a/b", "/etc", "a\\b", "\0", "watcher\0"]
)
def test_find__name_that_is_no_segment__is_never_looked_up(tmp_path: Path, name: str) -> None:
    """A manifest cannot lead the look-up out of the store."""
    install(tmp_path / "store", packed())
    outside = install(tmp_path, packed())
    assert outside.exists()
    assert not is_segment(name)
    assert find(tmp_path / "store", name, "0.0.9") is None
    assert find(tmp_path / "store", "watcher", name) is None


def test_home_store__without_a_home__follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HOME, else USERPROFILE, a relative one from the current folder, else none."""
    monkeypatch.chdir(tmp_path)
    below = Path(".murmur") / "artifacts"
    both = {"HOME": str(tmp_path / "h"), "USERPROFILE": "u"}
    assert home_store(None, both) == tmp_path / "h" / below
    assert home_store(None, {"HOME": "", "USERPROFILE": "u"}) == tmp_path / "u" / below
    assert home_store(None, {}) is None
    monkeypatch.setenv("HOME", "rel")
    assert home_store(None) == tmp_path / "rel" / below


def test_home_store__given_home__is_a_murmur_home_or_holds_one(tmp_path: Path) -> None:
    """The folder itself counts unless only its `.murmur` has a store."""
    assert home_store(tmp_path) == tmp_path / "artifacts"
    nested = tmp_path / ".murmur" / "artifacts"
    nested.mkdir(parents=True)
    assert home_store(tmp_path) == nested
    (tmp_path / "artifacts").mkdir()
    assert home_store(tmp_path) == tmp_path / "artifacts"


def test_project_store__capsule__hangs_beside_its_manifest(tmp_path: Path) -> None:
    """The project's own store."""
    assert project_store(tmp_path) == tmp_path / ".murmur" / "artifacts"


@pytest.mark.skipif(os.name != "nt", reason="only there have these characters a meaning")
def test_is_segment__windows__refuses_streams_and_drives() -> None:
    """A colon opens a stream or names a drive."""
    assert not is_segment("a:b")
