"""What is closed at exit, and in which order."""

import gc

import pytest

from inspector.runtime import lifetime


class Item:
    """Something that notes when it is closed."""

    def __init__(self, name: str, closed: list[str]) -> None:
        self._name = name
        self._closed = closed
        lifetime.register(self)

    def close(self) -> None:
        self._closed.append(self._name)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of closed items; the real list is set aside."""
    monkeypatch.setattr(lifetime, "_open", type(lifetime._open)())
    return []


def test_close_all__items_that_live__are_closed_newest_first(closed: list[str]) -> None:
    """An instance before its engine."""
    kept = [Item(name, closed) for name in ("engine", "hook", "instance")]
    lifetime.close_all()
    assert closed == ["instance", "hook", "engine"]
    assert kept


def test_register__an_item_that_nobody_holds__is_forgotten(closed: list[str]) -> None:
    """The list is weak."""
    Item("gone", closed)
    gc.collect()
    lifetime.close_all()
    assert closed == []
