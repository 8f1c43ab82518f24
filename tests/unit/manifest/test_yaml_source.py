"""Reading one YAML document as nodes, under bounds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.manifest import yaml_source
from inspector.manifest.yaml_source import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_NODES,
    Mapping,
    Scalar,
    Sequence,
    YamlError,
    parse,
)


def test_parse__block__keeps_text_and_places() -> None:
    """Scalars keep how they are written, and where."""
    root = parse("version: 1.10\nitems:\n  - 'x'\n")
    assert isinstance(root, Mapping)
    (key, value), (_, items) = root.entries
    assert key == Scalar("version", True, None, 1, 1)
    assert value == Scalar("1.10", True, None, 1, 10)
    assert isinstance(items, Sequence)
    assert items.items == (Scalar("x", False, None, 3, 5),)


@pytest.mark.parametrize("text", ["", "# nothing\n", "\n\n"])
def test_parse__no_document__is_none(text: str) -> None:
    """An empty file has no root."""
    assert parse(text) is None


def test_parse__alias__repeats_the_anchor() -> None:
    """Aliases stand for their anchor's node; merge keys are keys like any other."""
    root = parse("a: &x {k: v}\nb: *x\nc: {<<: *x}\n")
    assert isinstance(root, Mapping)
    values = [value for _, value in root.entries]
    assert values[1] is values[0]
    assert isinstance(values[2], Mapping)
    assert values[2].entries[0][0] == Scalar("<<", True, None, 3, 5)


def test_parse__anchor_used_twice__latest_wins() -> None:
    """A redefined anchor stands for the latest node before the alias."""
    root = parse("a: &x 1\nb: &x 2\nc: *x\n")
    assert isinstance(root, Mapping)
    assert root.entries[2][1] == Scalar("2", True, None, 2, 4)


@pytest.mark.parametrize(
    ("text", "message", "line", "column", "told"),
    [
        (
            "name: [\n",
            "did not find expected node content at line 2 column 1, while parsing a flow node",
            2,
            1,
            (2, 1),
        ),
        (
            "a: b: c\n",
            "mapping values are not allowed in this context at line 1 column 5",
            1,
            5,
            (1, 5),
        ),
        ("a: *gone\n", "unknown anchor at line 1 column 4", 1, 4, (1, 4)),
        ("a: &x [*x]\n", "recursion limit exceeded at line 1 column 8", 1, 8, (1, 8)),
        (
            "a: 1\n---\nb: 2\n",
            "deserializing from YAML containing more than one document is not supported",
            2,
            1,
            None,
        ),
    ],
)
def test_parse__bad_text__says_what_and_where(
    text: str, message: str, line: int, column: int, told: tuple[int, int] | None
) -> None:
    """Errors carry the runtime reader's words, its place, and ours."""
    with pytest.raises(YamlError) as caught:
        parse(text)
    assert (caught.value.text, caught.value.line, caught.value.column) == (message, line, column)
    assert caught.value.told == told


@pytest.mark.parametrize("bad", ["\0", "\x07", "\x7f", "\x80"])
def test_parse__control_character__is_an_error_at_its_place(bad: str) -> None:
    """Control characters are not allowed in a file."""
    with pytest.raises(YamlError, match=r"at line 2 column 4") as caught:
        parse(f"a: 1\nb: {bad}\n")
    assert (caught.value.line, caught.value.column) == (2, 4)


def test_parse__lone_surrogate__is_an_error_not_a_crash() -> None:
    """Text that is no Unicode cannot come from a file, and is refused all the same."""
    with pytest.raises(YamlError):
        parse("a: \ud800\n")


def test_parse__escaped_nul__is_text() -> None:
    """A quoted scalar can hold any character by escape."""
    root = parse('a: "\\0\\x07\\U0001F600"\n')
    assert isinstance(root, Mapping)
    value = root.entries[0][1]
    assert isinstance(value, Scalar)
    assert value.text == "\0\x07\U0001f600"


def test_parse__nesting__is_bounded() -> None:
    """Blocks nest to the bound and not deeper, without recursion of our own."""
    assert parse("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    with pytest.raises(YamlError, match="recursion limit exceeded"):
        parse("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))
    with pytest.raises(YamlError):
        parse("[" * 100_000)


def test_parse__alias_bomb__is_refused() -> None:
    """Ten aliases of ten aliases are counted in full, and never built."""
    lines = ["a0: &a0 [x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    with pytest.raises(YamlError, match="repetition limit exceeded"):
        parse("\n".join(lines))


def test_parse__many_nodes__are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound holds for nodes that are really written, too."""
    monkeypatch.setattr(yaml_source, "MAX_NODES", 10)
    assert parse("[1, 2, 3]") is not None
    with pytest.raises(YamlError, match="repetition limit exceeded"):
        parse("[" + ", ".join("1" * 12) + "]")
    assert MAX_NODES > 10


def test_parse__long_text__is_refused() -> None:
    """A text over the bound is refused before it is read."""
    with pytest.raises(YamlError, match=str(MAX_BYTES)):
        parse("a" * (MAX_BYTES + 1))


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab:-[]{}&*!|>?%@`'\"#, \n\t~<.0\0é\x85\u2028"), max_size=60))
def test_parse__any_text__gives_a_node_or_an_error(text: str) -> None:
    """No text makes the reader fail in any other way."""
    try:
        root = parse(text)
    except YamlError:
        return
    assert root is None or root.line >= 1
