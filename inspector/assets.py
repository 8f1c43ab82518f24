"""Where the files are that ship with the program: WIT text, samples, icons.

Lives here: look-up of resources, the same from a source tree, an installed wheel and
a frozen bundle. Not here: files of the user or of a run (paths). Everyone may import it.
"""

import sys
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def resource_root() -> Path:
    """The folder of the shipped resources.

    Returns:
        An existing folder.

    Raises:
        FileNotFoundError: when the installation is incomplete.
    """
    package = Path(__file__).resolve().parent
    bundle = Path(getattr(sys, "_MEIPASS", package))
    candidates = (package / "_resources", package.parent / "resources", bundle / "resources")
    for candidate in candidates:
        if (candidate / "wit").is_dir():
            return candidate
    raise FileNotFoundError(f"no resources folder beside {package}")


def resource(*parts: str) -> Path:
    """The path of one shipped file or folder below the resource root."""
    return resource_root().joinpath(*parts)


def sample_names() -> tuple[str, ...]:
    """Names of the sample capsules, sorted, as used after `sample:`."""
    return tuple(sorted(p.parent.name for p in resource("capsules").glob("*/murmur.yaml")))
