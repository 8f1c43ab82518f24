"""A text as a file that is either whole or as it was before.

Lives here: `write_text`, `write_parts`. Not here: what is written. Rooms above may
import it.
"""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from inspector.errors import ErrorKind, InspectorError


def write_text(path: Path, text: str) -> None:
    """Write a text beside the file, then put it in its place.

    Args:
        path: The file; its folder is made when it is missing.
        text: Any Unicode text; written as UTF-8, line ends as they are.

    Raises:
        InspectorError: NOT_WRITABLE.
    """
    write_parts(path, (text,))


def write_parts(path: Path, parts: Iterable[str]) -> None:
    """The same for a text in parts, made as they are asked for.

    Raises:
        InspectorError: NOT_WRITABLE.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.writelines(part.encode() for part in parts)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InspectorError(
            ErrorKind.NOT_WRITABLE,
            f"the file cannot be written: {reason}.",
            hint="Name a file in a folder that you can write to.",
            file=str(path),
        ) from error
