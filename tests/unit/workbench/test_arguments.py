"""The command line as values, and its usage errors."""

from pathlib import Path

import pytest

from inspector import __version__
from inspector.errors import ErrorKind, InspectorError
from inspector.workbench import arguments
from inspector.workbench.arguments import parse


def refusal(*line):
    """The usage error of a line."""
    with pytest.raises(InspectorError) as caught:
        parse(line)
    assert caught.value.kind is ErrorKind.USAGE
    assert caught.value.exit_code == 2
    return caught.value


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("", arguments.Window()),
        ("--demo", arguments.Window(demo=True)),
        ("c", arguments.Window("c")),
        ("c --scenario s.yaml", arguments.Window("c", "s.yaml")),
        ("check c", arguments.Check("c", "text", "0.3")),
        ("check --format=json --profile 0.4 c", arguments.Check("c", "json", "0.4")),
        ("inspect c", arguments.Inspect("c")),
        ("inspect c --hook h --format wit", arguments.Inspect("c", "h", "wit")),
        ("run c s", arguments.Run("c", "s")),
        (
            "run c s --format junit --fail-on trap --fail-on fault --profile 0.1 --record r "
            "--lenient-imports --workdir /w --home /h",
            arguments.Run("c", "s", "junit", ("trap", "fault"), "0.1", "r", True, "/w", "/h"),
        ),
        ("replay c t --format jsonl", arguments.Replay("c", "t", "jsonl")),
        ("screenshot c o.png", arguments.Screenshot("c", "o.png")),
        (
            "screenshot c o.png --scenario s --size 800x600 --theme dark",
            arguments.Screenshot("c", "o.png", "s", "800x600", "dark"),
        ),
        ("selftest", arguments.SelfTest()),
        ("./check", arguments.Window("./check")),
    ],
)
def test_parse__each_verb__its_command(line, command):
    """Every option of every verb."""
    assert parse(line.split()) == command


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("check", "CAPSULE"),
        ("check a b", "unrecognized arguments: b"),
        ("check a --format xml", "invalid choice: 'xml'"),
        ("check a --format jsonl", "invalid choice: 'jsonl'"),
        ("run a", "SCENARIO"),
        ("run a s --format json", "invalid choice: 'json'"),
        ("run a s --profile 0.9", "invalid choice: '0.9'"),
        ("run a s --fail-on crash", "'crash'"),
        ("run a s --recor x", "--recor"),
        ("replay a", "TRACE.jsonl"),
        ("screenshot a", "OUT.png"),
        ("screenshot a o --theme blue", "invalid choice: 'blue'"),
        ("selftest now", "unrecognized arguments: now"),
        ("a b", "unrecognized arguments: b"),
        ("--engin", "--engin"),
    ],
)
def test_parse__wrong_usage__one_sentence(line, words):
    """What is wrong, and where the help is."""
    error = refusal(*line.split())
    assert words in error.message
    assert "\n" not in error.message
    assert error.hint


@pytest.mark.parametrize(
    "line", [("check", ""), ("run", "a", ""), ("run", "a", "s", "--record", "")]
)
def test_parse__empty_text__is_refused(line):
    """An unset variable in a script is told as such."""
    assert "is empty" in refusal(*line).message


def test_parse__verb_misspelt__the_near_one_is_named():
    """The most likely reason for two capsules."""
    assert refusal("chekc", "a").hint == "Did you mean the verb 'check'?"


@pytest.mark.parametrize("line", [["-h"], ["--help"]])
def test_parse__help__lists_every_verb(line):
    """The overview has an example and the exit codes."""
    text = parse(line).text
    assert all(verb in text for verb in arguments.VERBS)
    assert "examples:" in text
    assert "130 interrupted" in text


@pytest.mark.parametrize("verb", arguments.VERBS)
def test_parse__help_after_a_verb__needs_no_arguments(verb):
    """Each verb explains itself."""
    text = parse([verb, "--help"]).text
    assert text.startswith(f"usage: capsule-inspector {verb}")
    assert "example:" in text


def test_parse__version__is_the_programs():
    """The one of the package."""
    assert parse(["--version"]).text == f"capsule-inspector {__version__}\n"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("check c --format json", True),
        ("check c --format=json", True),
        ("run --format jsonl", True),
        ("run c s --format text", False),
        ("check json", False),
        ("check c --format", False),
    ],
)
def test_wants_json__told_from_the_line_alone(line, answer):
    """Also for a line that cannot be parsed."""
    assert arguments.wants_json(line.split()) is answer


def test_capsule_path__relative__is_made_absolute(monkeypatch, tmp_path):
    """Against the current folder; samples are names, links stay."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("/")
    assert arguments.capsule_path("a/../b") == str(Path.cwd() / "b")
    assert arguments.capsule_path("link") == str(Path.cwd() / "link")
    assert arguments.capsule_path("sample:tour") == "sample:tour"


def test_parse__folders_of_a_run__are_made_absolute(monkeypatch, tmp_path):
    """The engine runs elsewhere."""
    monkeypatch.chdir(tmp_path)
    command = parse(["run", "a", "s", "--workdir", "w", "--home", "h"])
    assert command.workdir == str(Path.cwd() / "w")
    assert command.home == str(Path.cwd() / "h")


def test_parse__path_that_is_no_text__is_refused():
    """A name of arbitrary bytes cannot travel in a message."""
    assert "is not UTF-8" in refusal("check", "caps\udcff").message


def test_capsule_path__folder_is_gone__is_one_sentence(monkeypatch, tmp_path):
    """The shell stands in a folder that somebody removed."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(InspectorError, match="current folder is gone"):
        arguments.capsule_path("x")
    monkeypatch.chdir(tmp_path)
