"""A small file that is there while the window starts: found at a start, the last one failed.

Lives here: `StartMarker`. Not here: what is left out after a failed start
(window_memory). Only window_memory imports it.
"""

import contextlib
import os
import sys
from pathlib import Path

from inspector import logs


class StartMarker:
    """The file beside the one that is remembered."""

    def __init__(self, state_path: Path) -> None:
        """Name the file.

        Args:
            state_path: The file of what is remembered.
        """
        self._path = state_path.with_name(f"{state_path.name}.starting")
        self._is_ours = False

    def begin(self) -> bool:
        """Note that a start is under way.

        Returns:
            Whether an earlier one never came to its end. A folder that cannot be written
            is no failed start.
        """
        failed = self._has_failed()
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(str(os.getpid()), "ascii")
            self._is_ours = True
        return failed

    def finish(self) -> None:
        """Note that the window stands."""
        if self._is_ours:
            self._is_ours = False
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)

    def _has_failed(self) -> bool:
        try:
            text = self._path.read_bytes()[:20]
        except OSError:
            return False
        # Another window may be starting at this very moment.
        if text.isdigit() and _is_alive(int(text)):
            return False
        logs.GUI.warning("the last start of the window did not come to its end")
        return True


def _is_alive(pid: int) -> bool:
    if pid == os.getpid():
        return True
    if sys.platform == "win32":
        return False  # a signal would end the process there
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
