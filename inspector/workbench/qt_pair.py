"""What a window needs, told before any is made: versions that work, and a screen.

Lives here: the checks. Not here: Qt itself (gui). Command line
and window import it.

PySide6 6.12 on CPython 3.10 and 3.11 loses a reference to None in every void call and
aborts after some thousands; 6.11.0 and 6.11.1 resize docks wrongly.
"""

import importlib.metadata
import os
import re
import sys
from collections.abc import Mapping

from inspector.errors import ErrorKind, InspectorError

_DISTRIBUTIONS = ("PySide6-Essentials", "PySide6")


def pair_trouble(python: tuple[int, int], qt: tuple[int, ...]) -> str:
    """Why a pair of versions cannot be used, or "".

    Args:
        python: Major and minor.
        qt: Of PySide6, three numbers.
    """
    shown = ".".join(map(str, qt))
    if qt < (6, 10, 3):
        return f"PySide6 {shown} is too old."
    if qt in ((6, 11, 0), (6, 11, 1)):
        return f"PySide6 {shown} resizes docks wrongly."
    if python < (3, 12) and qt >= (6, 12):
        return f"PySide6 {shown} aborts on Python {python[0]}.{python[1]}."
    return ""


def installed_qt() -> tuple[int, ...] | None:
    """The version of the installed PySide6; None when no package says."""
    for name in _DISTRIBUTIONS:
        try:
            text = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        return tuple(int(part) for part in re.findall(r"\d+", text)[:3])
    return None


def require_usable_pair() -> None:
    """Refuse versions that would end in a crash.

    Raises:
        InspectorError: USAGE, with what to install.
    """
    qt = installed_qt()
    if qt is None:  # a frozen bundle; it was built with a pair that works
        return
    trouble = pair_trouble(sys.version_info[:2], qt)
    if trouble:
        wanted = "6.11.3" if sys.version_info < (3, 12) else "6.12.0 or newer"
        hint = f"Install PySide6-Essentials {wanted}."
        raise InspectorError(ErrorKind.USAGE, f"the window cannot be opened: {trouble}", hint=hint)


def require_screen(variables: Mapping[str, str] | None = None, platform: str = "") -> None:
    """Refuse to open a window where there is nowhere to show it; Qt would abort.

    Args:
        variables: Environment, or None for the process's own.
        platform: As sys.platform, or "" for the process's own.

    Raises:
        InspectorError: USAGE, with what to do.
    """
    found = os.environ if variables is None else variables
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if (platform or sys.platform) != "linux" or any(found.get(name) for name in names):
        return
    raise InspectorError(
        ErrorKind.USAGE,
        "the window cannot be opened: there is no screen (DISPLAY and WAYLAND_DISPLAY are unset).",
        hint="The verbs check, inspect, run, replay and screenshot need none; see --help.",
    )
