"""Writes capsules, stores and archives for tests.

Lives here: builders of files. Not here: components that do something (wat). Any test may
import it.
"""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

COMPONENT = b"\0asm\x0d\0\x01\0"
"""The smallest binary component."""
CORE_MODULE = b"\0asm\x01\0\0\0"
"""The smallest core module."""
HOOK_MANIFEST = (
    "name: watcher\nversion: 0.0.9\nruntime: hook\nrequires_files: [hook.wasm, hook.wat]\n"
)
BARE = (
    "name: bare\nversion: 0.1.0\nartifacts:\n  - {name: watcher, version: 0.0.9, runtime: hook}\n"
)
"""A capsule that grants its one hook nothing."""


def capsule_at(folder: Path, manifest: str = BARE) -> Path:
    """Write a capsule manifest; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "murmur.yaml").write_text(manifest, "utf-8")
    return folder


def hook_at(
    folder: Path,
    manifest: str | None = HOOK_MANIFEST,
    files: Mapping[str, bytes] | None = None,
) -> Path:
    """Write a hook's folder: its own manifest and its files; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if manifest is not None:
        (folder / "murmur.yaml").write_text(manifest, "utf-8")
    for name, data in ({"hook.wasm": COMPONENT} if files is None else files).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def packed(entries: Mapping[str, bytes] | None = None, **more: bytes) -> bytes:
    """The bytes of an archive; by default a whole hook."""
    buffer = io.BytesIO()
    default = {"murmur.yaml": HOOK_MANIFEST.encode(), "hook.wasm": COMPONENT}
    chosen = {**(default if entries is None else entries), **more}
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in chosen.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def install(
    store: Path,
    data: bytes,
    name: str = "watcher",
    version: str = "0.0.9",
    *,
    digest: str | None = None,
    variant: str = "",
) -> Path:
    """Put an archive and its sidecar into a store.

    Args:
        store: The store's folder.
        data: Bytes of the archive.
        name: Artifact name.
        version: Artifact version.
        digest: Text of the sidecar; the right one by default.
        variant: A platform, for a platform's variant.

    Returns:
        The archive.
    """
    folder = store / name / version
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name}-{version}" + (f"-{variant}" if variant else "")
    archive = folder / f"{stem}.mur.zip"
    archive.write_bytes(data)
    text = hashlib.sha256(data).hexdigest() if digest is None else digest
    (folder / f"{stem}.sha256").write_text(f"{text}\n", "utf-8")
    return archive


def lock_at(folder: Path, sha256: str, name: str = "watcher", version: str = "0.0.9") -> Path:
    """Write a lock file with one pin."""
    path = folder / "murmur.lock"
    path.write_text(
        "lock_version: 1\nartifacts:\n"
        f"  - name: {name}\n    resolved_version: {version}\n    sha256: {{wasm: {sha256}}}\n",
        "utf-8",
    )
    return path
