"""What a path that the user gives is: a capsule, a scenario, a recording.

Lives here: the choice by name, and what is said of a path that is gone. Not here: reading
any of them (the engine, workbench.scenario, workbench.recording). Rooms above may import
it.
"""

import enum
from pathlib import Path, PurePath

from inspector.workbench.sample import PREFIX

MANIFEST_NAME = "murmur.yaml"


class PathKind(enum.StrEnum):
    """What a path is opened as."""

    CAPSULE = "capsule"
    SCENARIO = "scenario"
    RECORDING = "recording"
    UNKNOWN = "unknown"


def kind_of(path: str) -> PathKind:
    """What a path is, told from its name alone; no folder is looked into.

    Args:
        path: A path, or `sample:NAME`.

    Returns:
        CAPSULE for samples, manifests, packed hooks, components, and names without an
        ending, which are folders as a rule; UNKNOWN for endings of other files.
    """
    if path.startswith(PREFIX):
        return PathKind.CAPSULE
    name = PurePath(path).name.casefold()
    if name == MANIFEST_NAME or name.endswith((".mur.zip", ".wasm", ".wat")):
        return PathKind.CAPSULE
    if name.endswith((".yaml", ".yml", ".json")):
        return PathKind.SCENARIO
    if name.endswith(".jsonl"):
        return PathKind.RECORDING
    return PathKind.UNKNOWN


def kind_of_existing(path: str) -> PathKind:
    """As `kind_of`, but a folder is a capsule whatever its name."""
    if not path.startswith(PREFIX) and Path(path).is_dir():
        return PathKind.CAPSULE
    return kind_of(path)


def unknown_text(path: str) -> str:
    """What is said of a file that is none of them."""
    return (
        f"{PurePath(path).name} is nothing that can be opened. Drop a capsule folder, a "
        "murmur.yaml, a .mur.zip, a .wasm or .wat, a scenario (.yaml, .json) or a recording "
        "(.jsonl)."
    )


def missing_text(path: str) -> str:
    """Why a path that was opened before cannot be opened now, or "".

    Args:
        path: A path, or `sample:NAME`, which is always there.
    """
    if path.startswith(PREFIX):
        return ""
    try:
        is_there = Path(path).exists()
    except OSError as error:
        return f"cannot be reached: {error.strerror}"
    return "" if is_there else "no longer there"
