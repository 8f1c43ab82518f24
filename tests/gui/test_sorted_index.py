"""Sorted numbers: what comes next."""

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.gui.models.sorted_index import SortedIndexes


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.booleans())), st.integers(0, 31))
def test_sorted_indexes__any_order_of_puts__is_a_sorted_set(puts, here):
    """In, out, again; the neighbours of any place."""
    indexes, wanted = SortedIndexes(), set()
    for index, belongs in puts:
        indexes.put(index, belongs=belongs)
        (wanted.add if belongs else wanted.discard)(index)
    assert list(indexes.after(-1)) == sorted(wanted)
    assert list(indexes.after(here)) == sorted(i for i in wanted if i > here)
    assert list(indexes.before(here)) == sorted((i for i in wanted if i < here), reverse=True)
    assert len(indexes) == len(wanted)
    assert (here in indexes) is (here in wanted)
    indexes.drop_below(here)
    assert list(indexes.after(-1)) == sorted(i for i in wanted if i >= here)
