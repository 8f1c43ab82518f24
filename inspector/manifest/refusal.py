"""Errors with which a capsule manifest as a whole is refused.

Lives here: the runtime's wrappers around each class of complaint. Not here: the
complaints (capsule_manifest and the modules beside). Only inspector.manifest imports it.
"""

from typing import Protocol

from inspector.errors import ErrorKind, InspectorError

FILE_NAME = "murmur.yaml"


class Placed(Protocol):
    """Anything with a place in the file."""

    @property
    def line(self) -> int:
        """1-based."""

    @property
    def column(self) -> int:
        """1-based."""


class Refusals:
    """Builds errors about one file.

    Attributes:
        file: Its path as shown.
    """

    def __init__(self, file: str) -> None:
        self.file = file

    def _error(self, text: str, at: Placed | None, hint: str) -> InspectorError:
        return InspectorError(
            ErrorKind.UNREADABLE_CAPSULE,
            f"{FILE_NAME}: {text}",
            hint=hint,
            file=self.file,
            line=at.line if at else None,
            column=at.column if at else None,
        )

    def missing(self, field: str, at: Placed) -> InspectorError:
        """A required top-level key is absent or blank."""
        hint = f"Add `{field}:` with a value at the top level."
        return self._error(f"missing required field '{field}'", at, hint)

    def artifact(self, index: int, message: str, at: Placed, hint: str) -> InspectorError:
        """An entry of `artifacts` is refused."""
        return self._error(f"invalid artifact declaration at index {index}: {message}", at, hint)

    def capability(self, field: str, message: str, at: Placed, hint: str) -> InspectorError:
        """A capabilities block is refused."""
        return self._error(f"invalid capability config for '{field}': {message}", at, hint)

    def inference(self, field: str, message: str, at: Placed, hint: str) -> InspectorError:
        """The inference or the context block is refused."""
        return self._error(f"invalid inference config for '{field}': {message}", at, hint)
