"""Reading YAML and JSON: values exact, places kept, bounds held."""

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import ErrorKind, InspectorError
from inspector.workbench import scenario_source, source
from inspector.workbench.scenario_source import parse, read

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner, max_size=4)
    ),
    max_leaves=12,
)


def refusal(text, file="s.yaml"):
    """The error of a text that cannot be read."""
    with pytest.raises(InspectorError) as caught:
        parse(text, file)
    assert caught.value.kind is ErrorKind.UNREADABLE_SCENARIO
    assert caught.value.file == file
    return caught.value


class TestYaml:
    """YAML of the core schema."""

    @pytest.mark.parametrize(
        ("written", "value"),
        [
            ("18446744073709551615", 2**64 - 1),
            ("-9223372036854775808", -(2**63)),
            ("0x1F", 31),
            ("0o17", 15),
            ("+7", 7),
            ("0.98", 0.98),
            ("1e3", 1000.0),
            (".inf", math.inf),
            ("-.inf", -math.inf),
            ("true", True),
            ("False", False),
            ("~", None),
            ("", None),
            ("null", None),
            ("'true'", "true"),
            ('"5"', "5"),
            ("!!str 5", "5"),
            ("! 5", "5"),
            ("!!int 5", 5),
            ("!!float 5", 5),
        ],
    )
    def test_scalars_have_their_type(self, written, value):
        """A plain scalar is resolved, a quoted one is text."""
        found = parse(f"a: {written}\n").data["a"]
        assert found == value
        assert type(found) is type(value)

    @pytest.mark.parametrize("word", ["yes", "on", "12:30", "2024-01-01", "1_000", "0b1", "nan"])
    def test_words_of_older_schemas_are_text(self, word):
        """What YAML 1.1 would turn into something else stays text."""
        assert parse(f"a: {word}").data == {"a": word}

    def test_not_a_number_is_a_float(self):
        """`.nan` is the float."""
        assert math.isnan(parse("a: .nan").data["a"])

    def test_keys_are_text(self):
        """A key that looks like a number is its text."""
        assert parse("1: a\ntrue: b\n").data == {"1": "a", "true": "b"}

    def test_places_are_those_of_keys_and_items(self):
        """Lines and columns count from 1."""
        found = parse("a:\n  - x\n  - b: [1,\n      2]\n")
        assert found.place(("a",)) == source.Place(1, 1)
        assert found.place(("a", 0)) == source.Place(2, 5)
        assert found.place(("a", 1, "b")) == source.Place(3, 5)
        assert found.place(("a", 1, "b", 1)) == source.Place(4, 7)

    def test_place_of_an_unknown_part_is_that_of_the_part_around_it(self):
        """An error about something left out still has a line."""
        assert parse("a:\n  b: 1\n").place(("a", "b", "c", 5)) == source.Place(2, 3)

    def test_alias_stands_for_its_anchor(self):
        """Anchors and aliases work."""
        assert parse("a: &x {b: 1}\nc: *x\n").data == {"a": {"b": 1}, "c": {"b": 1}}

    def test_escaped_surrogate_pair_is_one_character(self):
        """JSON's way of writing a character is fine in YAML too."""
        assert parse(r'a: "\ud83d\ude00"').data == {"a": "😀"}

    def test_control_characters_come_as_escapes(self):
        """A text may hold NUL and other control characters."""
        assert parse(r'a: "\0\x07\x1b"').data == {"a": "\0\x07\x1b"}

    def test_empty_text_is_nothing(self):
        """An empty file holds no value."""
        assert parse("# only a comment\n").data is None

    @pytest.mark.parametrize(
        ("text", "line", "column", "words"),
        [
            ("a: 1\nb: 2\na: 3\n", 3, 1, "twice, first in line 1"),
            ("{a: 1, a: 2}", 1, 8, "twice"),
            ("a: [1\n", 2, 1, "not YAML"),
            ("a: *nobody", 1, 4, "no anchor"),
            ("a: &x [*x]", 1, 8, "inside what it stands for"),
            ("a\n---\nb\n", 2, 1, "second YAML document"),
            ("? [a]\n: b\n", 1, 3, "a key must be text"),
            ("a: !!python/object/apply:os.system [ls]", 1, 4, "tag"),
            ("a: !mine x", 1, 4, "tag !mine is unknown"),
            ("a: !!int x", 1, 4, "not of the type !!int"),
            ("a: !!seq {b: 1}", 1, 4, "tag"),
            ("a: x\x07y", 1, 5, "U+0007"),
            ('a: "\\ud800"', 1, 4, "lone surrogate"),
            ('a:\n - "b\\UFFFFFFFF"', 2, 6, "no Unicode character"),
            ('a: "\\U00110000"', 1, 5, "no Unicode character"),
            ("a: " + "9" * 5000, 1, 4, "digits"),
            ("a: " + "9." + "9" * 5000, 1, 4, "digits"),
        ],
    )
    def test_refusal_names_place_and_reason(self, text, line, column, words):
        """Each thing that cannot be read is told in one sentence with its place."""
        error = refusal(text)
        assert (error.line, error.column) == (line, column)
        assert words in error.message

    def test_merge_key_is_a_key_like_any_other(self):
        """`<<` is not applied."""
        assert parse("a: &x {b: 1}\nc: {<<: *x}\n").data["c"] == {"<<": {"b": 1}}


class TestJson:
    """JSON, told by its content."""

    @given(st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), JSON_VALUES))
    def test_json_comes_back_equal(self, value):
        """Whatever the standard library writes is read to the same value."""
        assert parse(json.dumps(value, indent=1)).data == value
        assert parse(json.dumps(value, ensure_ascii=False)).data == value

    def test_numbers_keep_their_type(self):
        """5 is whole, 5.0 is not."""
        found = parse('{"a": 5, "b": 5.0, "c": 1e2}').data
        assert [type(item) for item in found.values()] == [int, float, float]

    def test_places_are_those_of_keys(self):
        """The place of an entry is that of its key."""
        found = parse('{"a": [1,\n  {"b": 2}]}')
        assert found.place(("a", 1, "b")) == source.Place(2, 4)

    def test_key_twice_is_refused(self):
        """Also where the standard library would keep the last."""
        error = refusal('{"a": 1,\n "b": {"c": 1, "c": 2}}')
        assert (error.line, error.column) == (2, 16)

    def test_yaml_in_braces_is_yaml(self):
        """What is no JSON may be YAML in flow style."""
        assert parse("{a: 1, b: [x, y], }").data == {"a": 1, "b": ["x", "y"]}

    def test_broken_json_file_is_told_as_json(self):
        """The name decides which grammar the sentence is about."""
        error = refusal('{"a": 1,\n "b" 2}', "s.json")
        assert "not JSON" in error.message
        assert (error.line, error.column) == (2, 6)

    def test_lone_surrogate_is_refused(self):
        """No UTF-8 carries it."""
        assert "surrogate" in refusal(r'{"a": "\udc00"}').message

    def test_long_number_is_refused(self):
        """A number of thousands of digits is no value of any contract."""
        assert "digits" in refusal('{"a": ' + "7" * 5000 + "}").message


class TestBounds:
    """A hostile file costs bounded time and memory."""

    @pytest.mark.parametrize("text", ["[" * 90 + "]" * 90, "a: " + "[" * 9000, '{"a":' * 90])
    def test_deep_nesting_is_refused(self, text):
        """Deeper than any scenario needs, and no recursion error."""
        assert "deeper than" in refusal(text).message

    def test_laughing_aliases_are_refused(self):
        """What aliases stand for counts each time."""
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        for n in range(1, 9):
            aliases = ", ".join([f"*a{n - 1}"] * 10)
            lines.append(f"a{n}: &a{n} [{aliases}]")
        assert "values" in refusal("\n".join(lines)).message

    def test_long_file_is_refused(self, tmp_path, monkeypatch):
        """The size is bounded before anything is read as YAML."""
        monkeypatch.setattr(scenario_source, "MAX_BYTES", 10)
        path = tmp_path / "s.yaml"
        path.write_text("a: 1234567")
        assert read(str(path)).data == {"a": 1234567}
        path.write_text("a: 12345678")
        with pytest.raises(InspectorError, match="longer than"):
            read(str(path))


class TestAnyText:
    """Whatever the text, it is read or refused in one sentence."""

    @given(st.text("ab:-?[]{},&*!|>%@'\"\\\\#\n \t0xU.~<\0\x85\u2028é😀", max_size=30) | st.text())
    def test_text_is_read_or_refused(self, text):
        """No other exception leaves the reader."""
        for written in (text, f"a: {text}", f'{{"a": {text}}}'):
            with contextlib.suppress(InspectorError):
                parse(written)


class TestFile:
    """Opening and decoding."""

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    def test_encodings_with_a_mark_are_read(self, tmp_path, encoding):
        """UTF-8 with or without its mark, UTF-16 with it."""
        path = tmp_path / "s.yaml"
        path.write_bytes("a: é😀\n".encode(encoding))
        assert read(str(path)).data == {"a": "é😀"}

    def test_bytes_that_are_no_text_are_named(self, tmp_path):
        """The place of the first bad byte is told."""
        path = tmp_path / "s.yaml"
        path.write_bytes(b"a: 1\nb: \xff\n")
        with pytest.raises(InspectorError) as caught:
            read(str(path))
        assert (caught.value.line, caught.value.column) == (2, 4)
        assert "0xff is not UTF-8" in caught.value.message

    @pytest.mark.parametrize("name", ["missing.yaml", ".", "a\0b"])
    def test_what_cannot_be_opened_is_one_sentence(self, tmp_path, name):
        """No file, a folder, no path at all."""
        with pytest.raises(InspectorError) as caught:
            read(str(tmp_path / name))
        assert caught.value.kind is ErrorKind.UNREADABLE_SCENARIO
        assert caught.value.exit_code == 3
