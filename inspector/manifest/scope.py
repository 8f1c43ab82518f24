"""A filesystem scope: a folder below the workdir, judged by its text alone.

Lives here: the check and its messages. Not here: making the folder (runtime). Rooms
above may import it.
"""

import ntpath
import os

from inspector.manifest.fault import Fault, Stage
from inspector.manifest.schema import Located

CODE = "E-CAP-002"
READ_ONLY_CODE = "E-CAP-012"
HINT = "Name a folder below the workdir, such as `audit/out`, or `.` for all of it."


def scope_problem(scope: str, *, windows: bool = os.name == "nt") -> str | None:
    """Why a scope is refused, or None.

    Args:
        scope: Trimmed and not blank.
        windows: Whether backslashes and drive letters have a meaning.

    Source: spec/manifest.md 4.3.
    """
    if windows and _windows_rooted(scope):
        drive, rest = ntpath.splitdrive(scope)
        absolute = bool(drive) and rest[:1] in ("/", "\\")
        return _WINDOWS_PROBLEMS[absolute]
    if scope.startswith("/"):
        return "scope must be relative to the workdir"
    depth = 0
    for part in scope.replace("\\", "/").split("/") if windows else scope.split("/"):
        if part == "..":
            depth -= 1
        elif part not in ("", "."):
            depth += 1
        if depth < 0:
            return "scope cannot escape the workdir via '..'"
    return None


_WINDOWS_PROBLEMS = {
    True: "scope must be relative to the workdir",
    False: "scope must not contain absolute or prefixed components",
}


def _windows_rooted(scope: str) -> bool:
    return bool(ntpath.splitdrive(scope)[0]) or scope[:1] in ("/", "\\")


def scope_fault(scope: Located) -> Fault | None:
    """The fault of a scope with its place, or None."""
    problem = scope_problem(scope.text)
    if problem is None:
        return None
    message = f"invalid filesystem capability scope '{scope.text}': {problem}"
    return Fault(Stage.GRANT_SCOPE, CODE, message, HINT, scope.line, scope.column)


def read_only_fault(entry: Located) -> Fault | None:
    """The fault of an entry of the capsule-wide `filesystem.read_only`, or None."""
    problem = scope_problem(entry.text)
    if problem is None:
        return None
    message = f"invalid read-only path '{entry.text}': {problem.replace('scope', 'read-only path')}"
    return Fault(Stage.CAPSULE_POLICY, READ_ONLY_CODE, message, HINT, entry.line, entry.column)
