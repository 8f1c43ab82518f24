"""A packed artifact, NAME-VERSION.mur.zip: its manifest and its component.

Lives here: the payload rule and the guard against hostile archives. Only the manifest and
one root entry are ever taken out, into memory, so no entry's path can lead anywhere. Not
here: where archives lie (store). Only inspector.capsule imports it.
"""

import io
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import IO

import msgspec

from inspector.capsule import component_file
from inspector.capsule.project import NONE_TEXT, PREFERRED, several_text
from inspector.capsule.reading import MAX_FILE_BYTES, MAX_TEXT_BYTES
from inspector.manifest.refusal import FILE_NAME

ENDING = ".mur.zip"
CEILING_VARIABLE = "MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES"
MAX_DIRECTORY_BYTES = 16 * 1024 * 1024
"""Ceiling of the list of entries, some 200,000 of them; a bound of ours."""
_U64 = 1 << 64
_CHUNK_BYTES = 1024 * 1024
_END = struct.Struct("<4s4H2LH")
_END_MAGIC = b"PK\x05\x06"
_LOCATOR_MAGIC = b"PK\x06\x07"
_END64_MAGIC = b"PK\x06\x06"
_END64_BYTES = 56
_LOCATOR_BYTES = 20
_MAX_COMMENT_BYTES = 65535
_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    IndexError,
    OverflowError,
)
"""What zipfile raises for archives that are broken, encrypted or of unknown method."""


class ArchiveError(Exception):
    """An archive that the runtime refuses.

    Attributes:
        message: The runtime's text, without its wrapper.
        hint: What to do.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or "Pack the hook again with `mur build`."


class Packed(msgspec.Struct, frozen=True):
    """What was taken out of an archive.

    Attributes:
        manifest_text: The packed murmur.yaml.
        wasm_name: Name of the component's entry.
        component: Its bytes; only the beginning when that is no component.
    """

    manifest_text: str
    wasm_name: str
    component: bytes


def ceiling_bytes() -> int:
    """The ceiling of one unpacked entry.

    Source: spec/artifact.md 1 (zip guard).
    """
    text = os.environ.get(CEILING_VARIABLE, "")
    body = text.removeprefix("+")
    if body.isascii() and body.isdigit() and len(body) <= 20 and int(body) < _U64:
        return int(body)
    return MAX_FILE_BYTES


class Archive:
    """An opened archive; use `open_archive`."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file

    def names(self) -> list[str]:
        """Names of all entries, in archive order."""
        return self._file.namelist()

    def manifest_text(self) -> str:
        """The packed manifest.

        Raises:
            ArchiveError: when it is absent, unreadable or not UTF-8.
        """
        prefix = f"missing or unreadable {FILE_NAME} in artifact archive: "
        if FILE_NAME not in self._file.NameToInfo:
            raise ArchiveError(prefix + "specified file not found in archive")
        try:
            data = self._read(FILE_NAME, min(ceiling_bytes(), MAX_TEXT_BYTES), None)
        except ArchiveError as error:
            raise ArchiveError(prefix + error.message, error.hint) from error
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            text = f"{prefix}zip entry '{FILE_NAME}' is not valid UTF-8"
            raise ArchiveError(text) from error

    def wasm_name(self) -> str:
        """The entry that holds the component.

        Raises:
            ArchiveError: when there is none, or more than one.

        Source: spec/artifact.md 1 (choosing the wasm).
        """
        fitting = [name for name in self._file.NameToInfo if _is_candidate(name)]
        if PREFERRED in fitting:
            return PREFERRED
        if not fitting:
            raise ArchiveError(NONE_TEXT)
        if len(fitting) > 1:
            raise ArchiveError(several_text(fitting))
        return fitting[0]

    def component(self, name: str) -> bytes:
        """The bytes of the component's entry, or their beginning when it is none.

        Raises:
            ArchiveError: when it cannot be unpacked or is over the ceiling.
        """
        return self._read(name, ceiling_bytes(), component_file.may_be_component)

    def _read(
        self, name: str, limit_bytes: int, accept_head: Callable[[bytes], bool] | None
    ) -> bytes:
        try:
            with self._file.open(name) as stream:
                return _bounded(stream, name, limit_bytes, accept_head)
        except _BROKEN as error:
            raise ArchiveError(f"zip archive error: {_told(error)}") from error


def _bounded(
    stream: IO[bytes],
    name: str,
    limit_bytes: int,
    accept_head: Callable[[bytes], bool] | None,
) -> bytes:
    """Unpack one entry, counting what comes out, never trusting the size field."""
    parts: list[bytes] = []
    total = 0
    while True:
        chunk = stream.read(4096 if not parts else _CHUNK_BYTES)
        if not chunk:
            return b"".join(parts)
        parts.append(chunk)
        total += len(chunk)
        if total > limit_bytes:
            text = f"zip entry '{name}' exceeds the {limit_bytes}-byte decompression ceiling"
            raise ArchiveError(text, "Pack the hook again without what is not its component.")
        if len(parts) == 1 and accept_head is not None and not accept_head(chunk):
            return chunk


def _is_candidate(name: str) -> bool:
    return name.endswith(".wasm") and "/" not in name and "\\" not in name and ".." not in name


def _told(error: BaseException) -> str:
    return str(error) or type(error).__name__


def open_archive(data: bytes) -> Archive:
    """Open an archive.

    Args:
        data: The whole file.

    Raises:
        ArchiveError: when it is no zip archive, or its list of entries is beyond bounds.
    """
    size_bytes = _directory_bytes(data)
    if size_bytes is not None and size_bytes > MAX_DIRECTORY_BYTES:
        raise ArchiveError(
            f"zip archive error: the list of entries has {size_bytes} bytes, over the limit of "
            f"{MAX_DIRECTORY_BYTES} bytes"
        )
    try:
        return Archive(zipfile.ZipFile(io.BytesIO(data)))
    except _BROKEN as error:
        raise ArchiveError(f"zip archive error: {_told(error)}") from error


def _directory_bytes(data: bytes) -> int | None:
    """Length of the list of entries, found the way zipfile finds it, before it reads it."""
    start = len(data) - _END.size
    exact = start >= 0 and data[start : start + 4] == _END_MAGIC and data[-2:] == b"\0\0"
    if not exact:
        start = data.rfind(_END_MAGIC, max(0, len(data) - _END.size - _MAX_COMMENT_BYTES - 1))
    if start < 0 or start + _END.size > len(data):
        return None
    fields = _END.unpack_from(data, start)
    locator = start - _LOCATOR_BYTES
    record = locator - _END64_BYTES
    located = record >= 0 and data[locator : locator + 4] == _LOCATOR_MAGIC
    if located and data[record : record + 4] == _END64_MAGIC:
        (wide,) = struct.unpack_from("<Q", data, record + 40)
        return int(wide)
    return int(fields[5])


def read_packed(data: bytes) -> Packed:
    """Take the manifest and the component out of an archive.

    Args:
        data: The whole file.

    Raises:
        ArchiveError: for the first thing that the runtime refuses.
    """
    archive = open_archive(data)
    text = archive.manifest_text()
    name = archive.wasm_name()
    return Packed(text, name, archive.component(name))
