"""Partial matching: what matches, and where it first does not."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.contract.record import Disposition, HookCall, Outcome, StepRecord
from inspector.workbench.expectation import PatternError, check, match

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


class TestMatch:
    """Mappings partly, lists wholly, scalars by equality."""

    @given(VALUES)
    def test_every_value_matches_itself(self, value):
        """Equality is the plainest pattern."""
        assert match(value, value) is None

    @given(st.dictionaries(st.text("abc", min_size=1, max_size=3), VALUES, min_size=1))
    def test_mapping_matches_with_keys_left_out(self, value):
        """A pattern with fewer keys still matches."""
        fewer = dict(list(value.items())[1:])
        assert match(fewer, value) is None

    @given(st.lists(VALUES, min_size=1, max_size=4))
    def test_shorter_list_does_not_match(self, value):
        """A list has to match in length too."""
        assert match(value[1:], value) is not None

    def test_lists_may_be_tuples(self):
        """Records hold tuples."""
        record = StepRecord(1, "on-shell", "observe")
        assert match({"faults": [], "calls": []}, msgspec.to_builtins(record)) is None

    @pytest.mark.parametrize(
        ("pattern", "value"),
        [
            (1, True),
            (True, 1),
            (0, False),
            (None, 0),
            ("", None),
            ([], None),
            ({}, None),
            ({}, []),
            ([], {}),
            ("1", 1),
            (2**64, 2.0**64 + 2**12),
            ({"a": None}, {}),
            ({"a": {"b": 1}}, {"a": {"b": 2}}),
        ],
    )
    def test_what_is_not_the_same_does_not_match(self, pattern, value):
        """No value is taken for another."""
        assert match(pattern, value) is not None

    def test_whole_number_equals_its_float(self):
        """JSON knows one kind of number."""
        assert match(1, 1.0) is None

    def test_floats_without_digits_match_their_words(self):
        """Records hold them as words."""
        assert match({"threshold": math.nan}, {"threshold": "NaN"}) is None

    def test_first_mismatch_is_told_with_its_path(self):
        """In the order of the pattern."""
        value = {"calls": [{"hook": "a", "result": "none"}], "step": 2}
        found = match({"calls": [{"result": "deny"}], "step": 3}, value)
        assert found.path == "calls[0].result"
        assert (found.wanted, found.got) == ("deny", "none")
        assert found.sentence

    def test_field_that_is_not_there_is_said_to_be_missing(self):
        """None is told from nothing."""
        found = match({"a": {"b": None}}, {"a": {}})
        assert (found.path, found.sentence) == ("a.b", "there is no such field")

    def test_length_of_a_list_is_told(self):
        """Elements first, then how many there are."""
        found = match({"a": [1]}, {"a": [1, 2, 3]})
        assert (found.path, found.sentence) == ("a", "it has 3 items, not 1")


class TestOperators:
    """A mapping of one key with a dollar sign."""

    @pytest.mark.parametrize(
        ("pattern", "value"),
        [
            ({"$contains": "ell"}, "hello"),
            ({"$contains": {"hook": "b"}}, [{"hook": "a"}, {"hook": "b", "x": 1}]),
            ({"$contains": {"$matches": "^b"}}, ["abc", "bc"]),
            ({"$contains": "a"}, {"a": 1}),
            ({"$contains": 2}, (1, 2)),
            ({"$matches": "^h.*o$"}, "hello"),
            ({"$matches": "ll"}, "hello"),
            ({"$any": True}, None),
            ({"$any": True}, {"a": 1}),
            ({"$length": 5}, "hello"),
            ({"$length": 0}, []),
            ({"$length": 2}, {"a": 1, "b": 2}),
            ({"a": {"$any": True}}, {"a": None, "b": 1}),
        ],
    )
    def test_operator_holds(self, pattern, value):
        """What each operator takes."""
        assert match(pattern, value) is None

    @pytest.mark.parametrize(
        ("pattern", "value"),
        [
            ({"$contains": "x"}, "hello"),
            ({"$contains": 1}, "1"),
            ({"$contains": 1}, None),
            ({"$contains": {"hook": "c"}}, [{"hook": "a"}]),
            ({"$contains": True}, [1]),
            ({"$matches": "^e"}, "hello"),
            ({"$matches": "1"}, 1),
            ({"$length": 1}, 1),
            ({"$length": 1}, "hello"),
            ({"a": {"$any": True}}, {}),
        ],
    )
    def test_operator_does_not_hold(self, pattern, value):
        """What each operator refuses; the operator itself is what was wanted."""
        found = match(pattern, value)
        assert found is not None
        assert found.sentence


class TestCheck:
    """Patterns are checked before anything runs."""

    @pytest.mark.parametrize(
        "pattern",
        [
            {"calls": [{"hook": "a", "payload": {"anything": [1]}}]},
            {"outcome": {"decision": {"verdict": "denied"}}},
            {"outcome": {"replacement": [{"role": "user"}], "seed": {"messages": [{"x": 1}]}}},
            {"faults": {"$contains": {"hook": "a"}}},
            {"calls": {"$length": 3}},
            {"step": {"$any": True}, "fields": {"outcome": None}},
            {"logs": [{"text": {"$matches": "x"}}]},
            {},
        ],
    )
    def test_pattern_of_known_fields_is_fine(self, pattern):
        """Fields of the record at any depth; payloads hold anything."""
        check(pattern)

    @pytest.mark.parametrize(
        ("pattern", "path"),
        [
            ({"call": []}, ("call",)),
            ({"calls": [{"hok": "a"}]}, ("calls", 0, "hok")),
            ({"outcome": {"decision": {"verdikt": "x"}}}, ("outcome", "decision", "verdikt")),
            ({"faults": {"$contains": {"hok": 1}}}, ("faults", "$contains", "hok")),
            ({"calls": {"$len": 1}}, ("calls", "$len")),
            ({"calls": {"$length": 1, "hook": "a"}}, ("calls", "$length")),
            ({"calls": {"$length": -1}}, ("calls", "$length")),
            ({"calls": {"$length": True}}, ("calls", "$length")),
            ({"event": {"$matches": "("}}, ("event", "$matches")),
            ({"event": {"$matches": 1}}, ("event", "$matches")),
            ({"event": {"$any": False}}, ("event", "$any")),
        ],
    )
    def test_pattern_that_can_never_match_is_refused(self, pattern, path):
        """With the place of what is wrong."""
        with pytest.raises(PatternError) as caught:
            check(pattern)
        assert caught.value.path == path

    def test_check_follows_the_record(self):
        """Each public field of a record can be expected."""
        call = HookCall("a", "blocking", "none", Disposition.IGNORED)
        record = StepRecord(1, "on-shell", "observe", calls=(call,), outcome=Outcome())
        document = msgspec.json.decode(msgspec.json.encode(record))
        check(document)
        assert match(document, document) is None
