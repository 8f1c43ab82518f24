"""Cycles are looked for between events."""

import gc
import weakref

import pytest

from inspector.gui import garbage
from inspector.gui.garbage import GarbageTimer


class _Cycle:
    """An object that only a collection can free."""

    def __init__(self):
        self.me = self


@pytest.fixture
def collector(qapp):
    """A running collector."""
    made = GarbageTimer(qapp)
    yield made
    made.stop()
    made.deleteLater()
    gc.disable()  # as the fixture for stalls left it


def test_garbage__while_it_runs__python_does_not_collect_by_itself(collector):
    """And does again afterwards."""
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()


def test_look__many_new_objects__frees_young_cycles(qtbot, collector, monkeypatch):
    """By its timer."""
    monkeypatch.setattr(garbage, "YOUNG_OBJECTS", 100)
    gone = weakref.ref(_Cycle())
    assert gone() is not None
    kept = []

    def is_gone():
        # Objects of earlier tests that go meanwhile lower the count of new ones.
        kept.extend([number] for number in range(200))
        return gone() is None

    qtbot.waitUntil(is_gone)


def test_look__nothing_happens__frees_old_cycles_once(collector, monkeypatch):
    """A slow one makes what is there exempt from the next."""
    monkeypatch.setattr(garbage, "QUIET_TICKS", -1)
    monkeypatch.setattr(garbage, "SLOW_S", -1.0)
    cycle = _Cycle()
    gc.collect()
    gone = weakref.ref(cycle)
    del cycle
    collector._is_due = True
    frozen = gc.get_freeze_count()
    monkeypatch.setattr(garbage, "YOUNG_OBJECTS", 10**9)
    collector.look()
    assert gone() is None
    assert gc.get_freeze_count() > frozen
    assert not collector._is_due
