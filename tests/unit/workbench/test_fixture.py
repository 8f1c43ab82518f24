"""What stands in a fixture's file, and what the file is called."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.contract import value
from inspector.contract.contract import EVENTS, Phase
from inspector.contract.profile import PROFILES
from inspector.errors import InspectorError
from inspector.workbench import command, edge_case, fixture
from inspector.workbench.fixture import Fixture, clean_name, copy_name, file_stem, fit, name_key

CONTRACT = PROFILES["0.3"].contract
SHELL = Fixture(
    "rm of the root", CONTRACT.interface, "on-shell", "decide", {"binary": "/bin/rm", "turn": 2**32}
)


def made(event="on-shell", phase="observe", profile="0.3", **fields):
    """A fixture of a contract with every field."""
    contract = PROFILES[profile].contract
    whole = value.complete(contract.record(event), fields)
    return Fixture("x", contract.interface, event, phase, whole)


class TestNames:
    """Any text becomes a name, any name a file."""

    @pytest.mark.parametrize(
        ("name", "stem"),
        [
            ("rm of the root", "rm of the root"),
            ("größte Zahl 最大", "größte Zahl 最大"),
            (".hidden", "%2Ehidden"),
            ("..", "%2E%2E"),
            ("ends.", "ends%2E"),
            ("v1.2", "v1.2"),
            ("a/b\\c:d", "a%2Fb%5Cc%3Ad"),
            ("100%", "100%25"),
            ("CON", "%43ON"),
            ("nul.txt", "%6Eul.txt"),
            ("com¹", "%63om¹"),
            ("console", "console"),
            ("txt\u202egpj", "txt%E2%80%AEgpj"),
        ],
    )
    def test_stem_is_safe_on_every_platform(self, name, stem):
        """Letters stay, what some platform refuses or hides is spelled."""
        assert file_stem(name) == stem

    @given(st.text(max_size=300))
    def test_any_text_gives_a_name_that_stays_and_a_file_that_can_be_made(self, text):
        """Cleaning twice is cleaning once; the stem keeps the rules of all platforms."""
        name = clean_name(text)
        assert clean_name(name) == name
        if name:
            stem = file_stem(name)
            assert 0 < len((stem + ".json").encode()) <= 150
            assert not set(stem) & set('<>:"/\\|?*\0\n')
            assert stem[0] != "."
            assert stem[-1] not in ". "

    @given(st.text(max_size=200), st.text(max_size=200))
    def test_different_names_have_different_files(self, first, second):
        """Also long ones, which are cut."""
        first, second = clean_name(first), clean_name(second)
        if name_key(first) != name_key(second) and first and second:
            assert file_stem(first) != file_stem(second)

    def test_long_name_is_cut_with_a_sign_of_the_whole(self):
        """Two that begin alike stay apart."""
        first, second = file_stem("界" * 119 + "a"), file_stem("界" * 119 + "b")
        assert first != second
        assert len(first.encode()) <= 140

    def test_names_that_a_file_system_may_confuse_have_one_key(self):
        """Upper case, and an accent that is composed or not."""
        assert name_key("ÉTUDE") == name_key("e\u0301tude")

    def test_lines_surrogates_and_blanks_are_taken_out(self):
        """A name is one line."""
        assert clean_name("  a\r\n\tb\0c\ud800 ") == "a b c\ufffd"
        assert clean_name(" \n ") == ""

    def test_copies_count_on(self):
        """From a free one."""
        taken = {name_key("rm copy"), name_key("RM COPY 2")}
        assert copy_name("rm", taken) == "rm copy 3"
        assert copy_name("rm", set()) == "rm copy"


class TestFile:
    """To bytes and back."""

    @pytest.mark.parametrize("event", EVENTS)
    def test_every_edge_case_comes_back_to_the_letter(self, event):
        """64 bits, NUL, NaN, a mebibyte."""
        for case in edge_case.edge_cases(CONTRACT, event, Phase.OBSERVE):
            kept = Fixture(case.name, CONTRACT.interface, event, "observe", case.fields)
            back = fixture.decode(fixture.encode(kept), "x.json")
            record = CONTRACT.record(event)
            assert repr(value.complete(record, back.fields)) == repr(
                value.complete(record, case.fields)
            )
            assert fit(back, CONTRACT) == fixture.Fit(True)

    def test_content_is_plain_json_that_people_can_edit(self):
        """With the names of the contract."""
        data = json.loads(fixture.encode(SHELL))
        assert data == {
            "fixture": 1,
            "name": "rm of the root",
            "contract": "murmur:hook/lifecycle@0.8.0",
            "event": "on-shell",
            "phase": "decide",
            "fields": {"binary": "/bin/rm", "turn": 2**32},
        }

    def test_keys_of_others_are_kept(self):
        """Someone may have noted something."""
        data = json.loads(fixture.encode(SHELL)) | {"why": "issue 12"}
        back = fixture.decode(json.dumps(data).encode(), "x.json")
        assert back.extras == {"why": "issue 12"}
        assert json.loads(fixture.encode(back))["why"] == "issue 12"

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            (
                b"{ half",
                "x.json is not JSON (line 1, column 3: a key in double quotes is missing).",
            ),
            (b"\xff\xfe", "x.json is not UTF-8 text (byte 1)."),
            (b"", "x.json is empty."),
            (b"[1, 2]", "x.json is no fixture of an event."),
            (b'{"name": "package"}', "x.json is no fixture of an event."),
            (b'{"fixture": true}', "x.json is no fixture of an event."),
            (b'{"fixture": 2}', "x.json was written by a newer inspector (format 2)."),
            (b'{"fixture": 1}', "x.json is broken: `name` must be a text."),
            (
                b'{"fixture": 1, "fixture": 1}',
                "x.json cannot be read (line 1, column 16: "
                "the key 'fixture' is here twice, first in line 1).",
            ),
        ],
    )
    def test_what_is_none_is_told_in_one_sentence(self, content, sentence):
        """With the place where it is broken."""
        with pytest.raises(InspectorError) as caught:
            fixture.decode(content, "x.json")
        assert caught.value.message == sentence

    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            ({"event": "on-lunch"}, "x.json is broken: there is no event 'on-lunch'."),
            ({"phase": "later"}, "x.json is broken: `phase` must be observe or decide."),
            ({"fields": []}, "x.json is broken: `fields` must hold the event's fields."),
            ({"contract": 8}, "x.json is broken: `contract` must be a text."),
        ],
    )
    def test_wrong_part_is_named(self, change, sentence):
        """Each of them."""
        data = json.loads(fixture.encode(SHELL)) | change
        with pytest.raises(InspectorError, match=r"x\.json is broken") as caught:
            fixture.decode(json.dumps(data).encode(), "x.json")
        assert caught.value.message == sentence

    @given(st.binary(max_size=400))
    def test_any_bytes_end_in_a_sentence(self, content):
        """Nothing else is raised."""
        with pytest.raises(InspectorError) as caught:
            fixture.decode(content, "x.json")
        assert caught.value.message.startswith("x.json")
        assert caught.value.message.endswith(".")


class TestFit:
    """Fixtures of other contracts."""

    def test_same_contract_needs_no_words(self):
        """It is usable."""
        assert fit(made(), CONTRACT) == fixture.Fit(True, "")

    def test_other_contract_that_fits_is_usable_and_says_so(self):
        """on-shell is the same in both."""
        found = fit(made(profile="0.4"), CONTRACT)
        assert found == fixture.Fit(
            True, "Made for lifecycle@0.9.0; it fits lifecycle@0.8.0 as well."
        )

    def test_other_contract_that_does_not_fit_says_why_and_what_takes_it(self):
        """0.8.0 has fields that 0.2.0 does not know."""
        found = fit(made(), PROFILES["0.1"].contract)
        assert not found.is_usable
        assert found.note.startswith("Made for lifecycle@0.8.0, and lifecycle@0.2.0 is in force: ")
        assert found.note.endswith(" Profile 0.3 takes it.")

    def test_decision_needs_a_contract_with_decisions(self):
        """0.2.0 has none."""
        kept = Fixture("x", CONTRACT.interface, "on-shell", "decide", {})
        assert "on-shell has no decision point" in fit(kept, PROFILES["0.1"].contract).note

    def test_field_out_of_range_is_named(self):
        """Someone edited the file."""
        kept = Fixture("x", CONTRACT.interface, "on-shell", "observe", {"turn": -1})
        assert fit(kept, CONTRACT).note == (
            "It does not fit lifecycle@0.8.0: turn: wants 0 to 4294967295 (u32), got -1."
        )

    def test_made_up_contract_is_quoted(self):
        """And cut, whatever stands there."""
        kept = Fixture("x", "lunch@1", "on-shell", "observe", {"menu": 1})
        assert fit(kept, CONTRACT).note.startswith("Made for 'lunch@1', and ")

    @pytest.mark.parametrize("profile", PROFILES)
    @pytest.mark.parametrize("event", EVENTS)
    def test_usable_means_that_it_composes(self, profile, event):
        """What fit says is what firing does."""
        contract = PROFILES[profile].contract
        for other in PROFILES:
            kept = made(event, profile=other)
            try:
                command.compose(contract, event, Phase.OBSERVE, kept.fields)
            except InspectorError:
                assert not fit(kept, contract).is_usable
            else:
                assert fit(kept, contract).is_usable
