"""Files of fixtures, one by one: written whole or not at all, told apart, in sentences.

Lives here: writing beside a place, digests, the system's errors as sentences. Not here:
what is done with them (workbench.fixture_store). Only fixture_store imports it.
"""

import contextlib
import errno
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from inspector.errors import ErrorKind, InspectorError
from inspector.workbench import fixture as fixtures
from inspector.workbench.fixture import ENDING


def files(folder: Path) -> list[Path]:
    """The files of a folder that may be fixtures, in a settled order."""
    found = (path for path in folder.iterdir() if path.suffix.lower() == ENDING)
    return sorted(path for path in found if not path.name.startswith("."))


@contextlib.contextmanager
def written(target: Path, content: bytes) -> Iterator[Path]:
    """A finished file beside its place; it is gone afterwards when nobody moved it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".new-", suffix=".tmp", dir=target.parent)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield path
    finally:
        path.unlink(missing_ok=True)


def create(target: Path, content: bytes) -> None:
    """Write a file that must not be there yet.

    Raises:
        InspectorError: USAGE when it is there, NOT_WRITABLE.
    """
    with told(target), written(target, content) as source:
        try:
            os.link(source, target)
        except FileExistsError as error:
            raise taken(target) from error
        except OSError:
            # No links on this file system: the name is taken first, then filled.
            _create_without_link(target, source)


def _create_without_link(target: Path, source: Path) -> None:
    try:
        target.open("xb").close()
    except FileExistsError as error:
        raise taken(target) from error
    source.replace(target)


def put(target: Path, content: bytes) -> None:
    """Write a file, in place of an earlier one in one step.

    Raises:
        InspectorError: NOT_WRITABLE.
    """
    with told(target), written(target, content) as source:
        source.replace(target)


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn the system's errors into sentences."""
    try:
        yield
    except FileNotFoundError as error:
        raise not_there(path) from error
    except OSError as error:
        full = " The disk is full." if error.errno == errno.ENOSPC else ""
        raise InspectorError(
            ErrorKind.NOT_WRITABLE,
            f"{path} cannot be written: {error.strerror}.{full}",
            hint="What is composed stays in the composer.",
        ) from error


def prune(folder: Path, kept: int) -> None:
    """Leave so many files in a folder, the newest."""
    aged = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for path in aged[:-kept]:
        path.unlink(missing_ok=True)


def same_place(first: Path, second: Path) -> bool:
    """Whether two paths are one file, on a disk that ignores case too."""
    try:
        return first.samefile(second)
    except OSError:
        return first == second


def digest(content: bytes) -> str:
    """What tells one content from another."""
    return hashlib.sha256(content).hexdigest()


def digest_of(path: Path) -> str:
    """The digest of a file as it is now.

    Raises:
        InspectorError: when it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return digest(file.read(fixtures.MAX_BYTES + 1))
    except FileNotFoundError as error:
        raise not_there(path) from error
    except OSError as error:
        message = f"{path.name} cannot be read: {error.strerror}."
        raise InspectorError(ErrorKind.NOT_WRITABLE, message) from error


def taken(path: Path) -> InspectorError:
    """An error for a file that is in the way, to be raised by the caller."""
    message = f"There is a file {path.name} already; it is left as it is."
    return InspectorError(ErrorKind.USAGE, message, hint="Choose another name.")


def changed(path: Path) -> InspectorError:
    """An error for a file that is not as it was shown, to be raised by the caller."""
    message = f"{path.name} was changed by another program; it is left as it is."
    return InspectorError(ErrorKind.USAGE, message, hint="Look at it again first.")


def not_there(path: Path) -> InspectorError:
    """An error for a file that is gone, to be raised by the caller."""
    return InspectorError(ErrorKind.USAGE, f"{path.name} is no longer there.")
