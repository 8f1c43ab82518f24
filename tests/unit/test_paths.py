"""Folders of our own."""

import os

import pytest

from inspector import paths


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Every folder of ours below a temporary one."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    return tmp_path


def test_new_run_dir__twice__gives_two_private_folders():
    """Each session has a folder of its own, readable by the owner alone."""
    first, second = paths.new_run_dir(), paths.new_run_dir()
    assert first != second
    assert first.stat().st_mode & 0o777 == 0o700


def test_new_run_dir__many_old_ones__keeps_the_newest(home):
    """Old folders beyond the limit go; young ones stay however many there are."""
    runs = home / "cache" / "runs"
    for number in range(paths.KEPT_RUNS + 5):
        folder = runs / f"run-{number:03}"
        folder.mkdir(parents=True)
        (folder / "file").write_text("x")
        aged = 1_000_000 + number
        os.utime(folder, (aged, aged))
    other = runs / "not-ours"
    other.mkdir()
    made = paths.new_run_dir()
    left = sorted(path.name for path in runs.glob("run-*") if path != made)
    assert left == [f"run-{n:03}" for n in range(5, paths.KEPT_RUNS + 5)]
    assert other.is_dir()


def test_new_run_dir__many_young_ones__removes_none(home):
    """A young folder may belong to another window."""
    runs = home / "cache" / "runs"
    for number in range(paths.KEPT_RUNS + 5):
        (runs / f"run-{number:03}").mkdir(parents=True)
    paths.new_run_dir()
    assert len(list(runs.glob("run-*"))) == paths.KEPT_RUNS + 6
