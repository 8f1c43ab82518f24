"""The append-only series: old versions stay, changes are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.workbench.history import CHUNK, Change, Series, changes

OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("extend"), st.integers(0, 3 * CHUNK)),
        st.tuples(st.just("replace"), st.integers(0, 10_000)),
        st.tuples(st.just("drop"), st.just(0)),
    ),
    max_size=12,
)


class _Item:
    """Told apart by identity, as items of a history are."""


def _apply(series: Series, mirror: list, operation: tuple[str, int]) -> Series:
    """One operation on a series and on a plain list of (index, item)."""
    kind, number = operation
    if kind == "extend":
        fresh = [_Item() for _ in range(number)]
        mirror.extend(enumerate(fresh, series.end))
        return series.extend(fresh)
    if kind == "replace" and mirror:
        place = number % len(mirror)
        index, item = mirror[place][0], _Item()
        mirror[place] = (index, item)
        return series.replace(index, item)
    if kind == "drop":
        shorter, gone = series.without_oldest()
        assert list(gone) == [item for _, item in mirror[: len(gone)]]
        del mirror[: len(gone)]
        return shorter
    return series


@given(OPERATIONS)
def test_series__any_operations__agrees_with_a_list(operations):
    """Length, look-up and both directions of reading."""
    series, mirror = Series(), []
    for operation in operations:
        series = _apply(series, mirror, operation)
    assert len(series) == len(mirror)
    assert list(series) == [item for _, item in mirror]
    assert list(series.newest_first()) == mirror[::-1]
    assert all(series[index] is item for index, item in mirror)


@given(OPERATIONS, OPERATIONS)
def test_changes__any_two_versions__lead_from_one_to_the_other(before, after):
    """Dropping the front, swapping the touched and adding the rest gives the newer one."""
    series, mirror = Series(), []
    for operation in before:
        series = _apply(series, mirror, operation)
    old, shown = series, dict(mirror)
    for operation in after:
        series = _apply(series, mirror, operation)
    change = changes(old, series)
    assert not change.restarted
    shown = {index: item for index, item in shown.items() if index >= change.first}
    for index in change.touched:
        assert shown[index] is not series[index]
        shown[index] = series[index]
    shown |= dict(enumerate(series.since(change.appended), change.appended))
    assert sorted(shown.items()) == mirror
    assert change.end == series.end


def test_series__append__leaves_the_older_version_as_it_was():
    """A version is a value."""
    old = Series().extend(range(CHUNK + 3))
    new = old.append("x").replace(0, "y")
    assert list(old) == list(range(CHUNK + 3))
    assert (new[0], new[CHUNK + 3]) == ("y", "x")


def test_since__index_that_went__begins_with_the_oldest():
    """A reader that was too slow gets what there is."""
    series, _ = Series().extend(range(2 * CHUNK)).without_oldest()
    assert list(series.since(3)) == list(range(CHUNK, 2 * CHUNK))
    assert list(series.since(2 * CHUNK)) == []


@pytest.mark.parametrize("index", [-1, 5, CHUNK])
def test_look_up__index_out_of_range__raises(index):
    """No wrap-around: indexes are absolute."""
    with pytest.raises(IndexError):
        Series().extend(range(5))[index]


def test_changes__nothing_happened__is_false():
    """A change that changes nothing needs no signal."""
    series = Series().extend(range(10))
    assert not changes(series, series)


def test_changes__shorter_version__is_a_restart():
    """An emptied history is shown anew as a whole."""
    assert changes(Series().extend(range(10)), Series()) == Change(0, (), 0, 0, restarted=True)
