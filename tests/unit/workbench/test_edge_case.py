"""Ready-made fields: they fit every contract, and are at the edge they say."""

import math

import pytest

from inspector.contract.contract import EVENTS, Phase, load, versions
from inspector.contract.value import complete
from inspector.workbench import edge_case
from inspector.workbench.command import phases

EVERY = [
    (version, event, phase)
    for version in versions()
    for event in EVENTS
    for phase in phases(load(version), event)
]


def _case(version, event, name, phase=Phase.OBSERVE):
    cases = {c.name: c.fields for c in edge_case.edge_cases(load(version), event, phase)}
    return cases[name]


def _leaves(value):
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


@pytest.mark.parametrize(("version", "event", "phase"), EVERY)
class TestEveryEvent:
    """What holds for each event of each contract."""

    def test_example_is_a_whole_record(self, version, event, phase):
        """The example fits the type and leaves nothing out."""
        contract = load(version)
        fields = edge_case.example(contract, event, phase, {})
        assert complete(contract.record(event), fields) == fields
        assert any(fields.values())

    def test_cases_are_whole_records_that_differ(self, version, event, phase):
        """Each case fits the type, and no two are the same."""
        contract = load(version)
        cases = edge_case.edge_cases(contract, event, phase)
        for case in cases:
            assert repr(complete(contract.record(event), case.fields)) == repr(case.fields)
            assert case.description.endswith(".")
        assert len({repr(case.fields) for case in cases}) == len(cases) >= 8
        assert len({case.name for case in cases}) == len(cases)

    def test_decision_has_no_outcome(self, version, event, phase):
        """A call that is being decided has not run."""
        contract = load(version)
        cases = edge_case.edge_cases(contract, event, phase)
        fields = [edge_case.example(contract, event, phase, {}), *(c.fields for c in cases)]
        if phase is Phase.DECIDE:
            assert all(f["outcome"] is None for f in fields)


@pytest.mark.parametrize("version", versions())
def test_example__byte_counts__are_those_of_its_texts(version):
    """Counts in the examples are true."""
    contract = load(version)
    shell = edge_case.example(contract, "on-shell", Phase.OBSERVE, {})
    done = shell.get("outcome") or shell
    assert done["stdout-bytes"] == len(done["stdout"].encode())
    assert done["stderr-bytes"] == len(done["stderr"].encode())
    tool = edge_case.example(contract, "on-tool-call", Phase.OBSERVE, {})
    if "input" in tool:
        assert tool["input-bytes"] == len(tool["input"].encode())


def test_example__given_fields__win():
    """What the session says is not replaced."""
    given = {"model": "real-model"}
    fields = edge_case.example(load("0.8.0"), "on-session-start", Phase.OBSERVE, given)
    assert fields["model"] == "real-model"
    assert fields["capsule-name"]


class TestStartingFields:
    """What a form starts with."""

    def test_outcome_is_some_with_defaults(self):
        """A form begins with a call that has run."""
        fields = edge_case.starting_fields(load("0.8.0"), "on-tool-call", {})
        assert fields["outcome"] == {"output-bytes": 0, "duration-ms": 0, "status": ""}

    def test_given_outcome_stays(self):
        """None that is given is not made up for."""
        fields = edge_case.starting_fields(load("0.8.0"), "on-tool-call", {"outcome": None})
        assert fields["outcome"] is None

    def test_old_contract_has_no_outcome(self):
        """The first contract knows no decision."""
        assert "outcome" not in edge_case.starting_fields(load("0.2.0"), "on-shell", {})

    def test_unknown_fields_are_left_out(self):
        """Fields of another version do no harm, at any depth."""
        given = {"messages": [{"role": "user", "id": "m1"}], "model": "m"}
        fields = edge_case.starting_fields(load("0.2.0"), "on-compaction", given)
        assert fields["messages"] == [{"role": "user", "content": ""}]
        assert "model" not in fields


class TestCases:
    """That a case holds what its name says."""

    def test_none_and_empty_differ(self):
        """none is not some("")."""
        assert _case("0.8.0", "on-inference", "None")["prompt"] is None
        assert _case("0.8.0", "on-inference", "Empty")["prompt"] == ""

    def test_largest_numbers_are_the_limits(self):
        """u32 and u64 at their ends."""
        fields = _case("0.8.0", "on-session-end", "Largest numbers")
        assert fields["total-turns"] == 2**32 - 1
        assert fields["total-input-tokens"] == 2**64 - 1

    def test_negative_exit_code(self):
        """The one signed field goes below zero, the unsigned ones stay at zero."""
        fields = _case("0.8.0", "on-shell", "Negative numbers")
        assert fields["outcome"]["exit-code"] == -1
        assert fields["turn"] == 0
        assert _case("0.8.0", "on-shell", "Smallest numbers")["outcome"]["exit-code"] == -(2**31)

    def test_mebibyte_is_in_the_main_text(self):
        """The long text stands where long text comes in practice."""
        assert len(_case("0.8.0", "on-shell", "1 MiB of text")["outcome"]["stdout"]) == 2**20
        deciding = _case("0.8.0", "on-shell", "1 MiB of text", Phase.DECIDE)
        assert len(deciding["command"]) == 2**20
        messages = _case("0.8.0", "on-compaction", "1 MiB of text")["messages"]
        assert [len(m["content"]) for m in messages] == [2**20]

    @pytest.mark.parametrize(
        ("name", "inside"),
        [
            ("NUL character", "\0"),
            ("Lone control characters", "\x1b"),
            ("Right-to-left text", "\u202e"),
            ("Emoji and beyond", "\U0010ffff"),
            ("Line ends and tabs", "\r\n"),
        ],
    )
    def test_texts_hold_what_the_name_says(self, name, inside):
        """Every text of the record has it, in lists and options too."""
        fields = _case("0.8.0", "on-shell", name)
        texts = [leaf for leaf in _leaves(fields) if isinstance(leaf, str)]
        assert len(texts) == 7
        assert all(inside in text for text in texts)

    def test_nan_only_where_there_are_floats(self):
        """Cases that change nothing are left out."""
        assert math.isnan(_case("0.8.0", "on-compaction", "Not a number")["threshold"])
        names = [c.name for c in edge_case.edge_cases(load("0.8.0"), "on-shell", Phase.OBSERVE)]
        assert "Not a number" not in names
        assert "Infinity" not in names

    def test_many_items_are_a_thousand(self):
        """Lists that are long."""
        assert len(_case("0.8.0", "on-compaction", "Many items")["messages"]) == 1_000

    def test_last_case_of_an_enum_is_used(self):
        """The newest contract's mark is exercised."""
        message = _case("0.9.0", "on-compaction", "NUL character")["messages"][0]
        assert message["inserted-by"] == "seed-context"
