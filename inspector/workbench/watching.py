"""Whether the files of an open capsule have changed, and whether they are whole.

Lives here: which files count, their fingerprints and digests, the look for a file that is
still being written. Not here: who is told when (gui.watch). Rooms above may import it.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from inspector.protocol.inspection import Inspection
from inspector.workbench.opening import MANIFEST_NAME

BESIDE_MANIFEST = (MANIFEST_NAME, "murmur.lock", ".env")
"""Files of a capsule folder that decide about it."""

HOOK_FOLDERS = ("hooks", ".murmur/artifacts")
"""Where a capsule's hooks are looked for; a hook that is missing may appear there."""

CHUNK_BYTES = 1024 * 1024
_ZIP_END = b"PK\x05\x06"
_ZIP_TAIL_BYTES = 22 + 65_535
_WASM_MAGIC = b"\0asm"
_LEB_BYTES = 5


class Fingerprint(msgspec.Struct, frozen=True):
    """What tells a file's content apart without reading it."""

    size_bytes: int
    time_ns: int


Fingerprints = Mapping[str, Fingerprint | None]
"""Path to fingerprint; None for a file that is not there."""


def watched_files(inspection: Inspection) -> tuple[str, ...]:
    """The files that an opened capsule was read from.

    Args:
        inspection: Of the open capsule.

    Returns:
        The manifest and what counts beside it, each hook's component, and the `murmur.yaml`
        of a hook's own folder, whether they are there or not.
    """
    root = Path(inspection.capsule.path)
    if root.name == MANIFEST_NAME:
        root = root.parent
    found = [root / name for name in BESIDE_MANIFEST] if root.is_dir() else [root]
    for hook in inspection.hooks:
        if hook.source is not None:
            source = Path(hook.source.path)
            found += [source, source.parent / MANIFEST_NAME]
    return tuple(dict.fromkeys(map(str, found)))


def watched_folders(files: Iterable[str], inspection: Inspection) -> tuple[str, ...]:
    """The folders in which those files, or hooks that are missing, may appear.

    Args:
        files: What `watched_files` gave.
        inspection: Of the open capsule.
    """
    root = Path(inspection.capsule.path)
    folders = [Path(file).parent for file in files]
    if any(hook.source is None for hook in inspection.hooks):
        folders += [root / name for name in HOOK_FOLDERS]
        folders += [root / "hooks" / hook.name for hook in inspection.hooks if not hook.source]
    return tuple(dict.fromkeys(str(folder) for folder in folders if folder.is_dir()))


def fingerprint(file: str) -> Fingerprint | None:
    """Size and time of a file, or None when there is none."""
    try:
        status = Path(file).stat()
    except OSError:
        return None
    return Fingerprint(status.st_size, status.st_mtime_ns)


def look(files: Iterable[str]) -> dict[str, Fingerprint | None]:
    """The fingerprints of files."""
    return {file: fingerprint(file) for file in files}


def digest_pieces(file: str) -> Iterator[str]:
    """Read a file piece by piece.

    Args:
        file: Any path.

    Yields:
        "" after each piece, and the SHA-256 at last; `absent` for a file that cannot be
        read.
    """
    digest = hashlib.sha256()
    try:
        with Path(file).open("rb") as stream:
            while piece := stream.read(CHUNK_BYTES):
                digest.update(piece)
                yield ""
    except OSError:
        yield "absent"
        return
    yield digest.hexdigest()


def digests(files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Path and digest of each file, in pieces.

    Yields:
        ("", "") after each piece of work, (path, digest) after each file.
    """
    for file in files:
        found = ""
        for piece in digest_pieces(file):
            found = piece
            yield "", ""
        yield file, found


def is_whole(file: str) -> bool:
    """Whether a file looks complete; True where a format does not tell.

    A component's sections end with the file, an archive ends with its directory; a text
    can be anything. A file that is not there is not whole.
    """
    path = Path(file)
    try:
        with path.open("rb") as stream:
            size = path.stat().st_size
            if path.name.endswith(".zip"):
                stream.seek(max(size - _ZIP_TAIL_BYTES, 0))
                return _ZIP_END in stream.read(_ZIP_TAIL_BYTES)
            if path.suffix == ".wasm":
                return _has_whole_sections(stream, size)
    except OSError:
        return False
    return True


def _has_whole_sections(stream: BinaryIO, size: int) -> bool:
    if stream.read(8)[:4] != _WASM_MAGIC:
        # Something else under this name: the engine will say what.
        return size > 0
    at = 8
    while at < size:
        head = stream.read(1 + _LEB_BYTES)
        length, used = _leb(head[1:])
        if not used:
            return False
        at += 1 + used + length
        stream.seek(at)
    return at == size


def _leb(data: bytes) -> tuple[int, int]:
    """An unsigned number and the bytes it took; 0 bytes when it is cut off."""
    number = 0
    for position, byte in enumerate(data):
        number |= (byte & 0x7F) << (7 * position)
        if not byte & 0x80:
            return number, position + 1
    return 0, 0
