"""What a screenshot is of, checked before any window is made.

Lives here: `ScreenshotPlan`. Not here: taking it (gui.app). Command line and window
import it.
"""

import os
import re
from pathlib import Path

import msgspec

from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import Action, SessionSettings
from inspector.workbench.scenario import Scenario

SMALLEST, LARGEST = (800, 700), (7680, 4320)
"""Width and height in pixels that the window can take."""

MAX_ACTIONS = 10_000
"""A picture shows the end of a run; longer ones are refused."""

_SIZE = re.compile(r"([0-9]{1,5})[x×]([0-9]{1,5})")


class ScreenshotPlan(msgspec.Struct, frozen=True):
    """A screenshot to take.

    Attributes:
        capsule: Absolute, `sample:NAME`, or "" for the window without a capsule.
        out: Absolute path of the PNG file.
        size: Width and height in pixels.
        theme: `light` or `dark`.
        actions: Fired one after the other before the picture is taken.
        settings: What the session is made with.
        profile: The scenario's profile, or None without a scenario.
        show: Words that bring the window into a state (gui.window_picture), in order.
    """

    capsule: str
    out: str
    size: tuple[int, int]
    theme: str
    actions: tuple[Action, ...] = ()
    settings: SessionSettings = SessionSettings()
    profile: str | None = None
    show: tuple[str, ...] = ()


def make_plan(
    capsule: str, out: str, size: str, theme: str, scenario: Scenario | None
) -> ScreenshotPlan:
    """Check what the command line gives.

    Args:
        capsule: Absolute, or `sample:NAME`.
        out: Absolute path.
        size: E.g. `1400x900`.
        theme: `light` or `dark`.
        scenario: Whose steps run before, or None.

    Raises:
        InspectorError: USAGE for a bad size or file name, NOT_WRITABLE when the file
            cannot be written, UNREADABLE_SCENARIO when the scenario runs too long.
    """
    width_height = parse_size(size)
    _check_out(out)
    if scenario is None:
        return ScreenshotPlan(capsule, out, width_height, theme)
    if scenario.runs > MAX_ACTIONS:
        raise InspectorError(
            ErrorKind.UNREADABLE_SCENARIO,
            f"the scenario runs {scenario.runs:,} steps, and a picture takes {MAX_ACTIONS:,}.",
            hint="Repeat less.",
            file=scenario.file,
        )
    return ScreenshotPlan(
        capsule,
        out,
        width_height,
        theme,
        actions=tuple(scenario.actions()),
        settings=scenario.settings,
        profile=scenario.profile,
    )


def parse_size(text: str) -> tuple[int, int]:
    """Width and height of a text such as `1400x900`.

    Raises:
        InspectorError: USAGE when it is none, or out of range.
    """
    match = _SIZE.fullmatch(text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    fits = all(low <= n <= high for low, n, high in zip(SMALLEST, size, LARGEST, strict=True))
    if not fits:
        low, high = ("x".join(map(str, bound)) for bound in (SMALLEST, LARGEST))
        raise InspectorError(
            ErrorKind.USAGE,
            f"--size wants WIDTHxHEIGHT from {low} to {high}, got {text!r}.",
            hint="Try --size 1400x900.",
        )
    return size


def _check_out(out: str) -> None:
    path = Path(out)
    if path.suffix.lower() != ".png":
        message = f"OUT.png wants a name that ends in .png, got {path.name!r}."
        raise InspectorError(ErrorKind.USAGE, message)
    reason = ""
    if "\0" in out:
        reason = "the name holds a NUL"
    elif path.is_dir():
        reason = "it is a folder"
    elif not path.parent.is_dir():
        reason = "its folder is not there"
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        reason = "there is no permission to write it"
    if reason:
        message = f"the picture cannot be written: {reason}."
        hint = "Name a file in a folder that you can write to."
        raise InspectorError(ErrorKind.NOT_WRITABLE, message, hint=hint, file=out)
