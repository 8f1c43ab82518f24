"""Tests of the runtime keep compiled code in a folder of their own."""

import os
from collections.abc import Iterator

import pytest

from inspector.paths import HOME_VARIABLE


@pytest.fixture(autouse=True, scope="session")
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Leave the user's cache alone; one folder for the session, so that it is used."""
    before = os.environ.get(HOME_VARIABLE)
    os.environ[HOME_VARIABLE] = str(tmp_path_factory.mktemp("home"))
    yield
    if before is None:
        del os.environ[HOME_VARIABLE]
    else:
        os.environ[HOME_VARIABLE] = before
