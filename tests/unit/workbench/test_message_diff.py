"""Messages before and after a hook, aligned."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.contract.record import Disposition
from inspector.workbench import message_diff
from inspector.workbench.message_diff import Kind, Sides, diff, entry_lines, sides_of
from tests.helpers.sample_state import call


def say(role: str, content: str, **more) -> dict[str, object]:
    """A message."""
    return {"role": role, "content": content, **more}


def kinds(before, after) -> list[tuple[str, int | None, int | None]]:
    """What became of each message."""
    return [(e.kind.value, e.before_index, e.after_index) for e in diff(before, after)]


A, B, C = say("user", "a"), say("assistant", "b"), say("user", "c")


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([], [], []),
        ([A, B], [A, B], [("same", 0, 0), ("same", 1, 1)]),
        ([A, B, C], [A, C], [("same", 0, 0), ("removed", 1, None), ("same", 2, 1)]),
        ([A], [B, A], [("added", None, 0), ("same", 0, 1)]),
        ([A, B], [say("user", "x"), B], [("changed", 0, 0), ("same", 1, 1)]),
        ([A, B], [say("assistant", "x")], [("removed", 0, None), ("changed", 1, 0)]),
        ([A], [say("system", "x")], [("added", None, 0), ("removed", 0, None)]),
        ([], [A, B], [("added", None, 0), ("added", None, 1)]),
    ],
)
def test_diff__two_lists__tells_what_became_of_each(before, after, found):
    """Messages of one role in one gap are one that changed."""
    assert kinds(before, after) == found


_MESSAGES = st.lists(
    st.builds(say, st.sampled_from(["user", "assistant"]), st.sampled_from("abc")), max_size=8
)


@pytest.mark.parametrize("most", [0, 2_000])
@settings(deadline=None)
@given(before=_MESSAGES, after=_MESSAGES)
def test_diff__any_lists__holds_every_message_once_in_order(most, before, after):
    """Aligned with care or only at the ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_diff, "MOST_ALIGNED", most)
        entries = diff(before, after)
    assert [e.before_index for e in entries if e.before is not None] == list(range(len(before)))
    assert [e.after_index for e in entries if e.after is not None] == list(range(len(after)))
    for entry in entries:
        assert (entry.before == entry.after) is (entry.kind is Kind.SAME)


def test_diff__long_lists_of_other_roles__takes_no_square_of_time():
    """Ten thousand that nothing pairs."""
    entries = diff([say("user", str(i)) for i in range(10_000)], [B] * 10_000)
    assert {entry.kind for entry in entries} == {Kind.ADDED, Kind.REMOVED}
    assert len(entries) == 20_000


def test_sides_of__replacement__stands_against_the_events_messages():
    """What the event came with is before."""
    found = sides_of(
        call("c", "replace-context", Disposition.HONORED, payload=[A]), {"messages": [A, B]}
    )
    assert found == Sides((A, B), (A,))


def test_sides_of__seed__begins_from_nothing_with_a_budget():
    """The task has no context yet."""
    seed = call("s", "seed-context", Disposition.HONORED, payload=[A])
    assert sides_of(seed, {"budget-tokens": 800}) == Sides((), (A,), 800)


@pytest.mark.parametrize(
    ("result", "payload"), [("artifact", [A]), ("replace-context", "x"), ("seed-context", [1])]
)
def test_sides_of__no_messages__is_none(result, payload):
    """Then there is nothing to compare."""
    assert sides_of(call("c", result, payload=payload), {}) is None


def test_entry_lines__changed_message__has_signs():
    """Also for fields beside the content."""
    (entry,) = diff([say("user", "one\ntwo", id=None)], [say("user", "one\n2", id="m1")])
    assert list(entry_lines(entry)) == ['+ id: "m1"', "  one", "- two", "+ 2"]


def test_entry_lines__whole_messages__have_one_sign():
    """Came, went, stayed."""
    for before, after, sign in (([], [A], "+ "), ([A], [], "- "), ([A], [A], "  ")):
        (entry,) = diff(before, after)
        assert list(entry_lines(entry)) == [f"{sign}a"]


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        ("plain", '[{"type":"text","text":"plain"}]'),
        ('[{"type":"text","text":"ü"}]', '[{"type":"text","text":"ü"}]'),
        ('"quoted"', '[{"type":"text","text":"quoted"}]'),
        ('{"a": 1}', '[{"type":"text","text":"{\\"a\\":1}"}]'),
        ("12", '[{"type":"text","text":"12"}]'),
    ],
)
def test_weighed_text__content__is_read_as_a_runtime_does(content, blocks):
    """A list of blocks stays; ids do not count (spec/dispatch.md, "Seed commit")."""
    message = say("user", content, id="m1")
    assert message_diff.weighed_text(message) == f'[{{"role":"user","content":{blocks}}}]'
    assert message_diff.weighed_text(None) == ""


@pytest.mark.parametrize(
    ("tokens", "budget", "word"),
    [
        ([], 0, "no_budget"),
        ([5], 4, "message_over_budget"),
        ([4] * 5, 4, "overflow_over_limit"),
        ([4] * 4, 4, "trims or compacts"),
        ([3] * 6, 4, "overflow_over_limit"),
        ([2, 2], 4, "seeded"),
        ([], 4, "seeded"),
    ],
)
def test_seed_sentence__tokens_and_budget__decide(tokens, budget, word):
    """In the order of spec/dispatch.md, "Seed commit"."""
    assert word in message_diff.seed_sentence(tokens, budget)
