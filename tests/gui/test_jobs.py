"""Long work in slices."""

import pytest
from PySide6.QtCore import QObject

from inspector.gui.jobs import SlicedJob


@pytest.fixture
def job(qtbot):
    """A job without work."""
    owner = QObject()
    yield SlicedJob(owner)
    owner.deleteLater()


def test_job__generator_ends__gives_everything_in_order(qtbot, job):
    """With the number of the run."""
    with qtbot.waitSignal(job.finished) as told:
        number = job.start(iter(range(10_000)))
    assert told.args == [number, list(range(10_000))]
    assert not job.is_running


def test_job__newer_run__makes_the_older_void(qtbot, job):
    """Its result is never told."""
    results = []
    job.finished.connect(lambda number, result: results.append((number, result)))
    job.start(iter(range(100_000)))
    with qtbot.waitSignal(job.finished):
        second = job.start(iter("ab"))
    assert results == [(second, ["a", "b"])]


def test_job__cancelled__tells_nothing(qtbot, job):
    """Also not later."""
    results = []
    job.finished.connect(lambda *result: results.append(result))
    job.start(iter(range(10)))
    job.cancel()
    with qtbot.waitSignal(job.finished):
        job.start(iter("x"))
    assert len(results) == 1


def test_job__work_fails__is_logged_and_over(qtbot, job, caplog):
    """The window goes on."""

    def broken():
        yield 1
        raise ValueError("broken work")

    job.start(broken())
    qtbot.waitUntil(lambda: not job.is_running)
    assert "broken work" in caplog.text


def test_job__long_work__leaves_room_for_other_events(qtbot, job):
    """A timer fires in between."""
    ticks = []
    owner = QObject()
    other = SlicedJob(owner)
    other.finished.connect(lambda *_: ticks.append(job.is_running))
    with qtbot.waitSignal(job.finished):
        job.start(iter(range(3_000_000)))
        other.start(iter("x"))
    assert ticks == [True]
    owner.deleteLater()
