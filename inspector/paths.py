"""Folders that the inspector itself reads and writes on the user's machine.

Lives here: cache, state and run folders, all ours (decision D10). Not here: shipped
files (assets), a capsule's own folders (capsule). Everyone may import it.
"""

import contextlib
import os
import shutil
import tempfile
import time
from pathlib import Path

import platformdirs

APP_NAME = "capsule-inspector"
HOME_VARIABLE = "CAPSULE_INSPECTOR_HOME"
"""When set, every folder of ours hangs under it (tests, portable use)."""

KEPT_RUNS = 50
"""So many run folders are kept, whatever their age."""

KEPT_RUN_AGE_S = 24 * 3600
"""Younger run folders are kept, however many there are."""

_RUN_PREFIX = "run-"


def _base(kind: str) -> Path:
    override = os.environ.get(HOME_VARIABLE)
    if override:
        return Path(override) / kind
    dirs = platformdirs.PlatformDirs(APP_NAME, appauthor=False)
    return Path({"cache": dirs.user_cache_dir, "state": dirs.user_state_dir}[kind])


def cache_dir() -> Path:
    """The folder for what can be made again (compiled components, runs)."""
    return _base("cache")


def state_dir() -> Path:
    """The folder for what the window remembers between starts."""
    return _base("state")


def private_home() -> Path:
    """The murmur home that guests get unless the user points at a real one."""
    return cache_dir() / "murmur-home"


def new_run_dir() -> Path:
    """Make a fresh, empty folder for one session; the oldest of KEPT_RUNS others go.

    Returns:
        The absolute path, readable by the user alone.

    Raises:
        OSError: when the cache folder cannot be written.
    """
    runs = cache_dir() / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    _prune(runs)
    return Path(tempfile.mkdtemp(prefix=_RUN_PREFIX, dir=runs))


def _prune(runs: Path) -> None:
    """Remove old run folders; one that cannot be removed stays."""
    aged = []
    for folder in runs.glob(f"{_RUN_PREFIX}*"):
        with contextlib.suppress(OSError):
            aged.append((folder.stat().st_mtime, folder))
    aged.sort(reverse=True)
    limit_s = time.time() - KEPT_RUN_AGE_S
    for age, folder in aged[KEPT_RUNS:]:
        # A young one may belong to a session of another window.
        if age < limit_s:
            shutil.rmtree(folder, ignore_errors=True)
