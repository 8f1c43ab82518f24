"""Typed reading: the runtime reader's complaints and read access."""

import pytest

from inspector.errors import InspectorError
from inspector.manifest.capsule_manifest import read
from inspector.manifest.schema import Block, Field, Kind, check
from inspector.manifest.yaml_source import YamlError, parse


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("[]", "invalid type: sequence, expected struct RawRuntimeManifest", 1, 1),
        ("hello", 'invalid type: string "hello", expected struct RawRuntimeManifest', 1, 1),
        ("5", "invalid type: integer `5`, expected struct RawRuntimeManifest", 1, 1),
        ("name: [a]", "name: invalid type: sequence, expected a string", 1, 7),
        ("name: {}", "name: invalid type: map, expected a string", 1, 7),
        ("artifacts: {}", "artifacts: invalid type: map, expected a sequence", 1, 12),
        ("artifacts: 3", "artifacts: invalid type: integer `3`, expected a sequence", 1, 12),
        (
            "artifacts:\n  - x",
            'artifacts[0]: invalid type: string "x", expected struct RawArtifact',
            2,
            5,
        ),
        (
            "artifacts:\n  - {local_source: yes}",
            'artifacts[0].local_source: invalid type: string "yes", expected a boolean',
            2,
            20,
        ),
        (
            "capabilities: {network: {unix_sockets: 'true'}}",
            'capabilities.network.unix_sockets: invalid type: string "true", expected a boolean',
            1,
            40,
        ),
        (
            "capabilities: {network: {unix_sockets: }}",
            "capabilities.network.unix_sockets: invalid type: unit value, expected a boolean",
            1,
            40,
        ),
        (
            "capabilities: {network: {allow: [{}]}}",
            "capabilities.network.allow[0]: invalid type: map, expected a string",
            1,
            34,
        ),
        (
            "capabilities: {limits: {deadline_seconds: 1_000}}",
            'capabilities.limits.deadline_seconds: invalid type: string "1_000", expected u64',
            1,
            43,
        ),
        (
            "capabilities: {limits: {memory_bytes: '5'}}",
            'capabilities.limits.memory_bytes: invalid type: string "5", expected usize',
            1,
            39,
        ),
        (
            "capabilities: {limits: {memory_bytes: -1}}",
            "capabilities.limits.memory_bytes: invalid value: integer `-1`, expected usize",
            1,
            39,
        ),
        (
            "context: {max_tokens: 4294967296}",
            "context.max_tokens: invalid value: integer `4294967296`, expected u32",
            1,
            23,
        ),
        (
            "context: {max_tokens: 1.5}",
            "context.max_tokens: invalid type: floating point `1.5`, expected u32",
            1,
            23,
        ),
        (
            "context: {seed_budget: true}",
            "context.seed_budget: invalid type: boolean `true`, expected f32",
            1,
            24,
        ),
        (
            "lifecycle: {after_task: stay}",
            "lifecycle.after_task: unknown variant `stay`, expected `exit` or `sleep`",
            1,
            25,
        ),
        (
            "lifecycle: {task_acceptance: many}",
            "lifecycle.task_acceptance: unknown variant `many`, expected one of `none`, "
            "`single`, `queue`",
            1,
            30,
        ),
        (
            "lifecycle: {task_acceptance: []}",
            "lifecycle.task_acceptance: invalid type: sequence, expected a variant",
            1,
            30,
        ),
        (
            "observability: {eval: {scorers: [{name: x}]}}",
            "observability.eval.scorers[0]: missing field `type`",
            1,
            34,
        ),
        ("? [a]\n: b", "invalid type: sequence, expected field identifier", 1, 3),
        (
            "config: {a: [18446744073709551616]}",
            "config.a[0]: invalid type: integer `18446744073709551616` as u128, expected any YAML "
            "value",
            1,
            14,
        ),
    ],
)
def test_read__wrong_shape__is_the_runtime_readers_error(
    text: str, message: str, line: int, column: int
) -> None:
    """Each message names path, found and wanted, and the place of the value."""
    with pytest.raises(InspectorError) as caught:
        read(text, "murmur.yaml")
    error = caught.value
    wanted = f"murmur.yaml: YAML syntax error at line {line}, column {column}: {message}"
    assert error.message == f"{wanted} at line {line} column {column}"
    assert (error.file, error.line, error.column) == ("murmur.yaml", line, column)


def test_read__key_twice__tells_the_block_and_points_at_the_key() -> None:
    """The runtime names the block's start; line and column are of the second key."""
    with pytest.raises(InspectorError) as caught:
        read("version: 1\nname: a\nname: b\n", "f")
    message = "murmur.yaml: YAML syntax error at line 1, column 1: duplicate field `name` at line 1"
    assert caught.value.message == f"{message} column 1"
    assert (caught.value.line, caught.value.column) == (3, 1)


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("a", 'with key "a"'),
        ("1", "with key 1"),
        ("1.5", "with key 1.5"),
        ("true", "with key `true`"),
        ("~", "with null key"),
        ("[x]", "in YAML map"),
        ("{x: [y]}", "in YAML map"),
    ],
)
def test_read__entry_twice_in_a_free_block__is_refused(key: str, named: str) -> None:
    """Inside values of any shape every key counts, compared by value."""
    with pytest.raises(InspectorError) as caught:
        read(f"name: a\nversion: 1\nruntime:\n  x: 1\n  {key}: 1\n  {key} : 2\n", "f")
    assert caught.value.message == (
        "murmur.yaml: YAML syntax error at line 4, column 3: runtime: duplicate entry "
        f"{named} at line 4 column 3"
    )
    assert (caught.value.line, caught.value.column) == (6, 3)
    text = "name: a\nversion: 1\nruntime: {1: a, '1': b, 1.0: c, true: d, 'true': e}\n"
    assert read(text, "f").name == "a"


def test_read__unknown_key_twice__is_fine() -> None:
    """Only keys that the schema knows may not stand twice."""
    manifest = read("name: a\nversion: 1\nnote: x\nnote: y\n", "f")
    assert [warning.line for warning in manifest.warnings] == [3]


@pytest.mark.parametrize(
    ("written", "name"),
    [("0.1", "0.1"), ("1.10", "1.10"), ("true", "true"), ("0x10", "0x10"), ("2024-01-01",) * 2],
)
def test_read__plain_scalar_for_a_string__keeps_its_text(written: str, name: str) -> None:
    """A string field takes any scalar by its written text."""
    assert read(f"name: {written}\nversion: {written}\n", "f").version == name


@pytest.mark.parametrize("nothing", ["", "~", "null"])
def test_read__null_for_blocks_and_lists__is_absence(nothing: str) -> None:
    """Lists and mappings with nothing after the colon are empty."""
    text = (
        f"name: a\nversion: 1\nartifacts: {nothing}\ncapabilities: {nothing}\n"
        f"context: {nothing}\ninference: {nothing}\nobservability: {nothing}\n"
    )
    manifest = read(text, "f")
    assert manifest.entries == ()
    assert manifest.capabilities is None
    assert manifest.inference is None


def test_read__merge_key__is_not_applied() -> None:
    """`<<` is an unknown key like any other."""
    text = "name: a\nversion: 1\ncapabilities: {<<: {limits: {instances: 5}}}\n"
    manifest = read(text, "f")
    assert manifest.capabilities is not None
    assert manifest.capabilities.limits.instances == 1000
    assert "'<<' in capabilities" in manifest.warnings[0].message


def test_check__choice_of_three__tells_absent_from_false() -> None:
    """A flag reads as True, False or None."""
    block = Block("Raw", {"a": Field(Kind.CHOICE), "b": Field(Kind.CHOICE)})
    view = check(parse("a: false\nb: ~\n"), block)
    assert view.flag("a") is False
    assert view.flag("b") is None


def test_check__required_null__is_not_absent() -> None:
    """A field that the reader insists on takes a null's text."""
    block = Block("Raw", {"a": Field(Kind.TEXT, required=True)})
    check(parse("a: ~\n"), block)
    with pytest.raises(YamlError, match="missing field `a`"):
        check(parse("b: 1\n"), block)
