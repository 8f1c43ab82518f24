"""Bounded reads of files that somebody else made.

Lives here: reading a regular file without ever blocking, and what is refused. Not here:
what the bytes mean. Only inspector.capsule imports it.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from inspector.errors import ErrorKind, InspectorError
from inspector.manifest.rust_format import error_number, io_error

MAX_FILE_BYTES = 500 * 1024 * 1024
"""Ceiling of one component or archive; the runtime's own default for an unpacked entry."""
MAX_TEXT_BYTES = 1024 * 1024
"""Ceiling of a manifest, a lock file, a digest or a .env file."""
_CHUNK_BYTES = 1024 * 1024
_HEAD_BYTES = 4096

_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a named pipe"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
    (stat.S_ISSOCK, "is a socket"),
)


class ReadError(Exception):
    """A file that is not read.

    Attributes:
        path: Which.
        reason: The rest of the sentence after the path, e.g. `is a named pipe`.
        hint: What to do, or "".
        missing: Whether there is no such file.
        told: What the runtime says where it meets the same, else the reason.
    """

    def __init__(
        self, path: Path, reason: str, hint: str = "", *, missing: bool = False, told: str = ""
    ) -> None:
        super().__init__(f"{path} {reason}")
        self.path = path
        self.reason = reason
        self.hint = hint
        self.missing = missing
        self.told = told or reason

    def as_error(self) -> InspectorError:
        """The same as an error for the user."""
        message = f"{self.path} {self.reason}."
        return InspectorError(ErrorKind.UNREADABLE_CAPSULE, message, hint=self.hint)


def read_bytes(
    path: Path,
    max_bytes: int = MAX_FILE_BYTES,
    *,
    accept_head: Callable[[bytes], bool] | None = None,
) -> bytes:
    """Read a whole regular file.

    Args:
        path: Symbolic links are followed.
        max_bytes: A longer file is refused before it is read.
        accept_head: Given the first 4096 bytes at most; when it says no, only these are
            returned and the rest stays unread.

    Returns:
        The bytes.

    Raises:
        ReadError: when there is no such file, it is no regular file, it may not be read,
            it is too long, or it changes while it is read.
    """
    with _opened(path) as (descriptor, size_bytes):
        if size_bytes > max_bytes:
            hint = "Open a smaller file; real ones have at most a few megabytes."
            raise ReadError(
                path, f"has {size_bytes} bytes, over the limit of {max_bytes} bytes", hint
            )
        head = _read_up_to(descriptor, min(_HEAD_BYTES, size_bytes + 1))
        if accept_head is not None and not accept_head(head):
            return head
        rest = _read_up_to(descriptor, size_bytes + 1 - len(head))
        after = os.fstat(descriptor).st_size
    if len(head) + len(rest) != size_bytes or after != size_bytes:
        raise ReadError(path, "changed while it was read", "Open it again when it is finished.")
    return head + rest


def read_text(path: Path, max_bytes: int = MAX_TEXT_BYTES) -> str:
    """Read a whole UTF-8 file.

    Raises:
        ReadError: as `read_bytes`, or when it is not UTF-8.
    """
    data = read_bytes(path, max_bytes)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = f"Save it as UTF-8; the first bad byte is in line {line}."
        raise ReadError(path, "is not valid UTF-8", hint, told=io_error(error)) from error


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[int, int]]:
    """A descriptor of a regular file and its length.

    The kind is looked at before opening, since opening a device can act on it, and again
    after, since the name may stand for something else by then.
    """
    try:
        _refuse_special(path, path.stat())
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
        flags |= getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise _os_problem(path, error) from error
    try:
        status = os.fstat(descriptor)
        _refuse_special(path, status)
        yield descriptor, status.st_size
    except OSError as error:
        raise _os_problem(path, error) from error
    finally:
        os.close(descriptor)


def _refuse_special(path: Path, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    what = next((words for test, words in _KINDS if test(status.st_mode)), "is no regular file")
    is_folder = stat.S_ISDIR(status.st_mode)
    told = error_number(errno.EISDIR) if is_folder else ""
    reason = f"{what}, not a file that can be opened"
    raise ReadError(path, reason, "Name a regular file.", told=told)


def _os_problem(path: Path, error: OSError | ValueError) -> ReadError:
    """One sentence for what the system says; a ValueError is a NUL in the path."""
    number = getattr(error, "errno", None)
    strerror = getattr(error, "strerror", None) or str(error)
    told = io_error(error) if number else ""
    if isinstance(error, ValueError) or number in (errno.ENOENT, errno.ENOTDIR):
        hint = "Check the spelling of the path."
        return ReadError(path, "does not exist", hint, missing=True, told=told)
    if number in (errno.EACCES, errno.EPERM):
        reason = "may not be read: permission denied"
        return ReadError(path, reason, "Change its permissions.", told=told)
    if number == errno.ELOOP:
        reason = "is a symbolic link that leads back to itself"
        return ReadError(path, reason, "Mend the link.", told=told)
    if number == errno.ENAMETOOLONG:
        return ReadError(path, "has too long a name", "Check the path.", missing=True)
    return ReadError(path, f"cannot be read: {strerror}", told=told)


def _read_up_to(descriptor: int, wanted: int) -> bytes:
    chunks = []
    while wanted > 0:
        chunk = os.read(descriptor, min(wanted, _CHUNK_BYTES))
        if not chunk:
            break
        chunks.append(chunk)
        wanted -= len(chunk)
    return b"".join(chunks)


def kind_of(path: Path) -> str:
    """`file`, `folder`, `other` or `missing`; never raises.

    A path that may not be looked at counts as `other`, so that reading it tells why.
    """
    try:
        mode = path.stat().st_mode
    except ValueError:
        return "missing"
    except OSError as error:
        absent = error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
        return "missing" if absent else "other"
    if stat.S_ISREG(mode):
        return "file"
    return "folder" if stat.S_ISDIR(mode) else "other"


MAX_FOLDER_ENTRIES = 10_000
"""A folder with more entries is not searched."""


def names_in(folder: Path) -> list[str]:
    """Names of the entries of a folder, sorted.

    Raises:
        ReadError: when it cannot be listed or has too many entries.
    """
    names: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                names.append(entry.name)
                if len(names) > MAX_FOLDER_ENTRIES:
                    reason = f"has more than {MAX_FOLDER_ENTRIES} entries"
                    raise ReadError(folder, reason, "Open a folder of its own for the hook.")
    except (OSError, ValueError) as error:
        raise _os_problem(folder, error) from error
    return sorted(names)
