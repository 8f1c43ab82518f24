"""Work on files in a thread of its own."""

import threading

import pytest
from PySide6.QtCore import QObject, QThread, Slot

from inspector.errors import ErrorKind, InspectorError
from inspector.gui.file_job import FileJob


class Taker(QObject):
    """Gathers results, and whether they came in the window's thread."""

    def __init__(self):
        super().__init__()
        self.results = []
        self.threads = []

    @Slot(object)
    def take(self, result):
        """Keep a result."""
        self.results.append(result)
        self.threads.append(QThread.currentThread() is self.thread())


@pytest.fixture
def job(qtbot):
    """A job that is closed at the end."""
    owner = QObject()
    made = FileJob(owner)
    yield made
    made.close()
    owner.deleteLater()


@pytest.fixture
def taker(job):
    """What takes its results."""
    made = Taker()
    job.finished.connect(made.take)
    return made


class TestFileJob:
    """Order, threads, errors, the end."""

    def test_work_runs_elsewhere_and_its_result_comes_here(self, qtbot, job, taker):
        """A closure may be work; the taker is a bound method."""
        number = job.submit(threading.get_ident)
        qtbot.waitUntil(lambda: bool(taker.results))
        assert taker.results[0].number == number
        assert taker.results[0].value != threading.get_ident()
        assert taker.threads == [True]
        assert job.is_idle

    def test_results_come_in_the_order_of_the_work(self, qtbot, job, taker):
        """One thread, one after the other."""
        numbers = [job.submit(lambda i=i: i * i) for i in range(50)]
        qtbot.waitUntil(lambda: len(taker.results) == 50)
        assert [result.number for result in taker.results] == numbers
        assert [result.value for result in taker.results] == [i * i for i in range(50)]

    def test_window_goes_on_while_work_waits(self, qtbot, job, taker):
        """It is let go from here."""
        gate = threading.Event()
        job.submit(gate.wait)
        qtbot.waitUntil(lambda: not job.is_idle)
        assert taker.results == []
        gate.set()
        qtbot.waitUntil(lambda: bool(taker.results))

    def test_refusal_comes_as_an_error(self, qtbot, job, taker):
        """With its sentence."""

        def work():
            raise InspectorError(ErrorKind.USAGE, "No.")

        job.submit(work)
        qtbot.waitUntil(lambda: bool(taker.results))
        assert taker.results[0].error.message == "No."

    def test_anything_else_is_logged_and_told(self, qtbot, job, taker, caplog):
        """And the thread goes on."""
        job.submit(lambda: 1 // 0)
        job.submit(lambda: 7)
        qtbot.waitUntil(lambda: len(taker.results) == 2)
        assert "ZeroDivisionError" in taker.results[0].error.message
        assert taker.results[1].value == 7
        assert "work on a file failed" in caplog.text

    def test_closed_job_finishes_what_was_begun_and_tells_nothing(
        self, qtbot, job, taker, tmp_path
    ):
        """A file is written whole, also when the window goes."""
        gate = threading.Event()
        path = tmp_path / "x"

        def work():
            gate.wait()
            path.write_text("whole")

        job.submit(work)
        job.close()
        assert job.submit(lambda: 1) == 0
        gate.set()
        qtbot.waitUntil(path.exists)
        job._thread.shutdown(wait=True)
        assert path.read_text() == "whole"
        assert taker.results == []
