"""Stored messages and the hook's message record."""

import itertools
import json
import re

import pytest

from inspector.contract.contract import load
from inspector.runtime.host.stored_message import (
    has_unresolved_tool_call,
    lower,
    new_message_id,
    raise_list,
)

_MESSAGE = load("0.8.0").message
_BLOCKS = [{"type": "text", "text": "m1"}]


def _lower(stored, version="0.8.0"):
    return lower(stored, load(version).message)


def _hook_message(role="user", content="", message_id=None, source_id=None):
    return {"role": role, "content": content, "id": message_id, "source-id": source_id}


def _raise(*messages):
    ids = (f"msg_{n}" for n in itertools.count(1))
    return raise_list(messages, lambda: next(ids))


class TestLower:
    """From a stored message to the record."""

    def test_blocks__become_compact_json_with_sorted_keys(self):
        """A hook must decode JSON to get at the text."""
        assert _lower({"role": "user", "content": _BLOCKS, "id": "msg_a"}) == {
            "role": "user",
            "content": '[{"text":"m1","type":"text"}]',
            "id": "msg_a",
            "source-id": None,
        }

    @pytest.mark.parametrize(
        ("stored", "content"),
        [
            ({"role": "user"}, ""),
            ({"role": "user", "content": None}, "null"),
            ({"role": "user", "content": "plain é\n"}, '"plain é\\n"'),
            ({"role": "user", "content": {"b": 1.0, "a": 1e21}}, '{"a":1e+21,"b":1.0}'),
            ({"role": "user", "content": 2**64 - 1}, "18446744073709551615"),
        ],
    )
    def test_other_contents__have_the_runtimes_json_text(self, stored, content):
        """A missing content is the empty text, not JSON's null."""
        assert _lower(stored)["content"] == content

    def test_tool_message__is_folded_into_an_envelope(self):
        """The record has no room for the call id otherwise."""
        stored = {
            "role": "tool",
            "tool_call_id": "call_1",
            "is_error": False,
            "content": "out",
            "id": "msg_t",
            "source_id": "s",
        }
        assert _lower(stored) == {
            "role": "tool",
            "content": '{"__murmur_tool_msg__":true,"body":"out","is_error":false,'
            '"tool_call_id":"call_1"}',
            "id": "msg_t",
            "source-id": "s",
        }

    def test_bare_tool_message__has_null_parts(self):
        """What is missing is null."""
        assert _lower({"role": "tool"})["content"] == (
            '{"__murmur_tool_msg__":true,"body":null,"is_error":null,"tool_call_id":null}'
        )

    def test_ids_of_another_kind__are_none(self):
        """Only strings are ids."""
        lowered = _lower({"role": "user", "content": "", "id": 7, "source_id": ["x"]})
        assert (lowered["id"], lowered["source-id"]) == (None, None)

    @pytest.mark.parametrize("stored", [{}, {"role": None}, {"role": 3}])
    def test_object_without_a_role__is_no_message(self, stored):
        """There is no default that is not a guess."""
        assert _lower(stored) is None

    @pytest.mark.parametrize(
        ("version", "names"),
        [
            ("0.2.0", ["role", "content"]),
            ("0.8.0", ["role", "content", "id", "source-id"]),
            ("0.9.0", ["role", "content", "id", "source-id", "inserted-by"]),
        ],
    )
    def test_fields__are_those_of_the_contract(self, version, names):
        """Every version has its own record."""
        lowered = _lower({"role": "user", "content": _BLOCKS, "id": "msg_a"}, version)
        assert list(lowered) == names
        assert lowered.get("inserted-by") is None


class TestRaise:
    """From a hook's list to stored messages."""

    @pytest.mark.parametrize(
        ("content", "blocks"),
        [
            ('[{"text":"m1","type":"text"}]', _BLOCKS),
            ("[]", []),
            ('"a summary"', [{"type": "text", "text": "a summary"}]),
            ("not { json", [{"type": "text", "text": "not { json"}]),
            ("", [{"type": "text", "text": ""}]),
            ('{"b": 1, "a": 2.0}', [{"type": "text", "text": '{"a":2.0,"b":1}'}]),
            (" 12 ", [{"type": "text", "text": "12"}]),
            ("true", [{"type": "text", "text": "true"}]),
            ("null", [{"type": "text", "text": "null"}]),
        ],
    )
    def test_content__becomes_blocks(self, content, blocks):
        """Array kept, string one block, anything else one block of its text."""
        assert _raise(_hook_message(content=content)) == [
            {"role": "user", "content": blocks, "id": "msg_1"}
        ]

    def test_ids__are_fresh_and_source_ids_are_kept(self):
        """Identity belongs to whoever put the message in."""
        raised = _raise(
            _hook_message(content='"a"', message_id="msg_mine", source_id="not parsed {"),
            _hook_message(content='"b"', message_id="msg_mine", source_id=""),
        )
        assert [(m["id"], m.get("source_id")) for m in raised] == [
            ("msg_1", "not parsed {"),
            ("msg_2", ""),
        ]

    def test_list__keeps_its_order_and_any_role(self):
        """The order of roles is not checked."""
        roles = ["assistant", "assistant", "system", "user", ""]
        assert [m["role"] for m in _raise(*(_hook_message(r, "[]") for r in roles))] == roles

    def test_tool_message__verbatim__comes_back_as_it_was(self):
        """Lowering and raising a tool message are inverse but for the id."""
        stored = {
            "role": "tool",
            "tool_call_id": "call_1",
            "is_error": True,
            "content": [{"deep": [1, None]}],
            "source_id": "s",
        }
        assert _raise(_lower(stored)) == [{**stored, "id": "msg_1"}]

    def test_tool_message__missing_parts__are_null(self):
        """Body and is_error may be missing, the call id may not."""
        content = '{"__murmur_tool_msg__":true,"tool_call_id":"c"}'
        assert _raise(_hook_message("tool", content)) == [
            {
                "role": "tool",
                "tool_call_id": "c",
                "is_error": None,
                "content": None,
                "id": "msg_1",
            }
        ]

    @pytest.mark.parametrize(
        "content",
        [
            "plain output",
            '"text"',
            "[]",
            '{"tool_call_id":"c","body":"x"}',
            '{"__murmur_tool_msg__":1,"tool_call_id":"c"}',
            '{"__murmur_tool_msg__":"true","tool_call_id":"c"}',
            '{"__murmur_tool_msg__":true}',
            '{"__murmur_tool_msg__":true,"tool_call_id":""}',
            '{"__murmur_tool_msg__":true,"tool_call_id":4}',
        ],
    )
    def test_tool_message__without_an_intact_envelope__is_dropped_alone(self, content):
        """It would break the next request; its neighbours stay."""
        raised = _raise(_hook_message("tool", content), _hook_message("user", '"kept"'))
        assert [m["role"] for m in raised] == ["user"]

    def test_0_2_0_message__without_ids__is_raised_all_the_same(self):
        """The oldest record has two fields."""
        assert _raise({"role": "user", "content": '"x"'})[0]["id"] == "msg_1"


_CALL = {"role": "assistant", "content": [{"type": "tool_call", "id": "c1"}, "odd", {}]}
_ANSWER = {"role": "tool", "tool_call_id": "c1", "content": "x"}


class TestPairs:
    """Tool calls and their answers."""

    @pytest.mark.parametrize(
        ("messages", "unresolved"),
        [
            ([], False),
            ([_CALL, _ANSWER], False),
            ([_ANSWER, _CALL], False),
            ([_CALL], True),
            ([_ANSWER], True),
            ([{**_CALL, "role": "user"}], False),
            ([{"role": "assistant", "content": [{"type": "tool_call"}]}], False),
        ],
    )
    def test_unresolved__only_when_the_two_sets_of_ids_differ(self, messages, unresolved):
        """Either side may be the one that is missing."""
        assert has_unresolved_tool_call(messages) is unresolved


def test_new_message_id__many__are_distinct_time_ordered_and_well_formed():
    """`msg_` and 32 hex digits of a version 7 UUID."""
    ids = [new_message_id() for _ in range(200)]
    assert len(set(ids)) == 200
    assert all(re.fullmatch(r"msg_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}", i) for i in ids)
    assert [i[:16] for i in ids] == sorted(i[:16] for i in ids)


def test_lowered_content__is_read_by_any_json_reader():
    """The text is JSON, not a dialect."""
    stored = {"role": "user", "content": [{"type": "text", "text": 'q"\\\0\x1f\u2028'}]}
    assert json.loads(_lower(stored)["content"]) == stored["content"]
