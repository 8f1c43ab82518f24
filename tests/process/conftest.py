"""Tests of engine processes: the marker of those that build hooks."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    text = "toolchain: builds hooks with componentize-py and tools of npm"
    config.addinivalue_line("markers", text)
