"""What every test runs under: no screen, folders of its own, Hypothesis without a clock."""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Before anything imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

HOME_VARIABLE = "CAPSULE_INSPECTOR_HOME"

settings.register_profile("inspector", deadline=None, print_blob=True)
settings.load_profile("inspector")

_HOME = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Put every folder of ours under one that goes with the run."""
    config.stash[_HOME] = tempfile.mkdtemp(prefix="inspector-test-home-")
    os.environ[HOME_VARIABLE] = config.stash[_HOME]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take it away again."""
    shutil.rmtree(config.stash[_HOME], ignore_errors=True)


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """Give our log back as it was; a command line sets it up anew."""
    log = logging.getLogger("inspector")
    handlers, level = log.handlers[:], log.level
    yield
    log.handlers[:] = handlers
    log.setLevel(level)
