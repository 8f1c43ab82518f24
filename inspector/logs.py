"""Named loggers, one per room, and the set-up of our own log.

Lives here: logger names and `configure`. Not here: logs of hooks, which are output
of guests and never mixed into ours (runtime.hook_log). Everyone may import it.
"""

import logging
import os
import sys

CONTRACT = logging.getLogger("inspector.contract")
MANIFEST = logging.getLogger("inspector.manifest")
CAPSULE = logging.getLogger("inspector.capsule")
RUNTIME = logging.getLogger("inspector.runtime")
PROTOCOL = logging.getLogger("inspector.protocol")
WORKER = logging.getLogger("inspector.worker")
WORKBENCH = logging.getLogger("inspector.workbench")
GUI = logging.getLogger("inspector.gui")

LEVEL_VARIABLE = "CAPSULE_INSPECTOR_LOG"


def configure(role: str) -> None:
    """Send our log to stderr at the level of the environment variable, WARNING by default.

    Args:
        role: `window`, `cli` or `engine`; stands in each line.
    """
    level = os.environ.get(LEVEL_VARIABLE, "WARNING").upper()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(f"{role} %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("inspector")
    root.handlers[:] = [handler]
    root.setLevel(level if level in logging.getLevelNamesMapping() else "WARNING")
