"""The command line as typed values.

Lives here: verbs, options, help texts, usage errors. Not here: carrying verbs out
(cli). Only the command line imports it.
"""

import argparse
import difflib
import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from inspector import __version__
from inspector.contract.profile import DEFAULT_PROFILE, PROFILES
from inspector.errors import ErrorKind, InspectorError
from inspector.workbench.finding import KINDS, check_kinds

PROGRAM = "capsule-inspector"
SAMPLE_PREFIX = "sample:"
DEFAULT_SIZE = "1400x900"
THEMES = ("light", "dark")

OVERVIEW = f"""\
usage: {PROGRAM} [CAPSULE] [--scenario FILE] [--demo]
       {PROGRAM} VERB ...

Look into Murmur capsules and fire their lifecycle hooks. Without a verb a window opens.

verbs:
  check       what is wrong with a capsule
  inspect     everything about a capsule and its hooks
  run         run a scenario and report what each hook did
  replay      fire the events of a session's trace.jsonl again
  screenshot  a picture of the window, without showing it
  selftest    whether this installation works

CAPSULE is a folder with murmur.yaml, such a file, a hook project folder, a packed hook
(*.mur.zip), a bare component (*.wasm, *.wat), or sample:NAME. A folder that has the name
of a verb is written ./NAME.

options:
  --scenario FILE  a scenario to run in the window
  --demo           open sample:tour and run its scenario
  -h, --help       this text; after a verb, that verb's
  --version        the version

examples:
  {PROGRAM} my-capsule
  {PROGRAM} check my-capsule --format json
  {PROGRAM} run my-capsule deny-rm.scenario.yaml --fail-on trap --fail-on fault
  {PROGRAM} inspect target/hook.wasm --format wit

exit codes: 0 fine, 1 a finding, 2 wrong usage, 3 a file cannot be read or written,
4 the engine process died, 130 interrupted.
"""


class Window(msgspec.Struct, frozen=True):
    """Open the window; paths as typed."""

    capsule: str | None = None
    scenario: str | None = None
    demo: bool = False


class Check(msgspec.Struct, frozen=True):
    """Print the findings about a capsule."""

    capsule: str
    format: str = "text"
    profile: str = DEFAULT_PROFILE


class Inspect(msgspec.Struct, frozen=True):
    """Print the description of a capsule; `hook` None means all."""

    capsule: str
    hook: str | None = None
    format: str = "text"
    profile: str = DEFAULT_PROFILE


class Run(msgspec.Struct, frozen=True):
    """Run a scenario; `profile` None means the scenario's own."""

    capsule: str
    scenario: str
    format: str = "text"
    fail_on: tuple[str, ...] = ()
    profile: str | None = None
    record: str | None = None
    lenient_imports: bool = False
    workdir: str | None = None
    home: str | None = None


class Replay(msgspec.Struct, frozen=True):
    """Fire the events of a trace again."""

    capsule: str
    trace: str
    format: str = "text"
    profile: str = DEFAULT_PROFILE


class Screenshot(msgspec.Struct, frozen=True):
    """Write a picture of the window; `size` as typed."""

    capsule: str
    out: str
    scenario: str | None = None
    size: str = DEFAULT_SIZE
    theme: str = THEMES[0]


class SelfTest(msgspec.Struct, frozen=True):
    """Check the installation."""


class Help(msgspec.Struct, frozen=True):
    """Print a text and end well."""

    text: str


Command = Window | Check | Inspect | Run | Replay | Screenshot | SelfTest | Help


def capsule_path(text: str) -> str:
    """A CAPSULE as the engine takes it: absolute, or `sample:NAME` as it is.

    Args:
        text: As typed.
    """
    return text if text.startswith(SAMPLE_PREFIX) else absolute(text)


def absolute(text: str) -> str:
    """A path made absolute against the current folder; links stay as they are.

    Args:
        text: As typed.

    Raises:
        InspectorError: USAGE when the current folder was removed.
    """
    try:
        return os.path.abspath(text)  # noqa: PTH100 - Path.resolve would follow links
    except FileNotFoundError as error:
        raise _usage("the current folder is gone.", "Change to one that is there.") from error


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether errors are JSON objects; told also for a line that cannot be parsed."""
    words = list(arguments)
    asked = [word.partition("=")[2] for word in words if word.startswith("--format=")]
    asked += [after for word, after in itertools.pairwise(words) if word == "--format"]
    return any(word in ("json", "jsonl") for word in asked)


def parse(arguments: Sequence[str]) -> Command:
    """Read a command line.

    Args:
        arguments: Without the program's name.

    Raises:
        InspectorError: USAGE, with one sentence.
    """
    first = arguments[0] if arguments else ""
    if first in ("-h", "--help"):
        return Help(OVERVIEW)
    if first == "--version":
        return Help(f"{PROGRAM} {__version__}\n")
    parser, kind = _PARSERS[first]() if first in _PARSERS else _window_parser(first)
    found = parser.read(list(arguments[1:] if first in _PARSERS else arguments))
    if found.help:
        return Help(parser.format_help() if first in _PARSERS else OVERVIEW)
    return _command(kind, found)


def _command(kind: type[Any], found: argparse.Namespace) -> Command:
    values = {name: value for name, value in vars(found).items() if name != "help"}
    for name in ("capsule", "scenario", "trace", "out", "record", "workdir", "home", "hook"):
        if values.get(name) is not None:
            _check_text(name.upper(), values[name])
    if "fail_on" in values:
        values["fail_on"] = check_kinds(values["fail_on"])
    for name in ("workdir", "home"):
        if values.get(name):
            values[name] = absolute(values[name])
    made: Command = kind(**values)
    return made


def _check_text(name: str, text: str) -> None:
    """Refuse what no message to the engine can carry, or what names nothing."""
    if not text:
        raise _usage(f"{name} is empty.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"{name} is not UTF-8: {text!r}."
        raise _usage(message, "Rename it, or link to it under another name.") from error


def _usage(message: str, hint: str = "") -> InspectorError:
    return InspectorError(ErrorKind.USAGE, message, hint=hint)


class _Parser(argparse.ArgumentParser):
    """An argparse parser that raises our own error; `--help` wins over what is missing."""

    def __init__(self, verb: str, text: str, example: str, hint: str = "") -> None:
        super().__init__(
            prog=f"{PROGRAM} {verb}".strip(),
            description=text,
            epilog=f"example: {PROGRAM} {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
            allow_abbrev=False,
        )
        self._hint = hint or f"See {self.prog} --help."
        self._optional = self.add_argument_group("options")
        self._optional.add_argument("-h", "--help", action="store_true", help="this text")

    def read(self, words: list[str]) -> argparse.Namespace:
        """Parse; a line that asks for help needs nothing else."""
        if "-h" in words or "--help" in words:
            return argparse.Namespace(help=True)
        return self.parse_args(words)

    def error(self, message: str) -> NoReturn:
        """Raise the usage error."""
        raise _usage(f"{message.rstrip('.')}.", self._hint)

    def option(self, *names: str, **settings: Any) -> None:
        """Add an option."""
        self._optional.add_argument(*names, **settings)

    def with_capsule(self, *, optional: bool = False) -> None:
        """Add the argument CAPSULE."""
        self.add_argument(
            "capsule",
            metavar="CAPSULE",
            nargs="?" if optional else None,
            help="folder, murmur.yaml, *.mur.zip, *.wasm, *.wat or sample:NAME",
        )

    def with_format(self, *words: str) -> None:
        """Add --format; the first word is the default."""
        self.option("--format", choices=words, default=words[0], help=f"default {words[0]}")

    def with_profile(self, default: str | None = DEFAULT_PROFILE) -> None:
        """Add --profile."""
        text = f"default {default}" if default else "default: the scenario's"
        self.option(
            "--profile",
            choices=tuple(PROFILES),
            default=default,
            help=f"runtime profile that judges, {text}",
        )


_Parsed = tuple[_Parser, type[Any]]


def _window_parser(first: str) -> _Parsed:
    hint = f"See {PROGRAM} --help."
    near = difflib.get_close_matches(first, _PARSERS, n=1)
    if near and not Path(first).exists():
        hint = f"Did you mean the verb '{near[0]}'?"
    parser = _Parser("", "Open the window.", "my-capsule", hint)
    parser.with_capsule(optional=True)
    parser.option("--scenario", metavar="FILE", default=None)
    parser.option("--demo", action="store_true")
    return parser, Window


def _check_parser() -> _Parsed:
    text = "Print what is wrong with a capsule: first what would stop the launch."
    parser = _Parser("check", text, "check my-capsule --format json")
    parser.with_capsule()
    parser.with_format("text", "json")
    parser.with_profile()
    return parser, Check


def _inspect_parser() -> _Parsed:
    text = "Print everything about a capsule and its hooks."
    parser = _Parser("inspect", text, "inspect my-capsule --hook audit-trail --format wit")
    parser.with_capsule()
    parser.option("--hook", metavar="NAME", default=None, help="this hook alone")
    parser.with_format("text", "json", "wit")
    parser.with_profile()
    return parser, Inspect


def _run_parser() -> _Parsed:
    text = "Run a scenario and report what each hook did."
    parser = _Parser("run", text, "run my-capsule deny-rm.scenario.yaml --fail-on trap")
    parser.with_capsule()
    parser.add_argument("scenario", metavar="SCENARIO", help="YAML or JSON, or sample:NAME")
    parser.with_format("text", "jsonl", "junit")
    parser.option(
        "--fail-on",
        metavar="KIND",
        action="append",
        default=[],
        help=f"end with 1 when this is met; repeatable; one of {', '.join(KINDS)}",
    )
    parser.with_profile(None)
    parser.option("--record", metavar="FILE", default=None, help="write every event to FILE")
    parser.option(
        "--lenient-imports",
        action="store_true",
        help="imports that no runtime provides become traps instead of a refusal",
    )
    parser.option("--workdir", metavar="DIR", default=None, help="the accessible folder")
    parser.option("--home", metavar="DIR", default=None, help="a murmur home other than ours")
    return parser, Run


def _replay_parser() -> _Parsed:
    text = "Fire the events of a session's trace.jsonl again."
    parser = _Parser("replay", text, "replay my-capsule ses_1/trace.jsonl")
    parser.with_capsule()
    parser.add_argument("trace", metavar="TRACE.jsonl", help="a trace of the runtime")
    parser.with_format("text", "jsonl")
    parser.with_profile()
    return parser, Replay


def _screenshot_parser() -> _Parsed:
    text = "Write a picture of the window without showing it."
    parser = _Parser("screenshot", text, "screenshot sample:tour tour.png --theme dark")
    parser.with_capsule()
    parser.add_argument("out", metavar="OUT.png", help="the file to write")
    parser.option("--scenario", metavar="FILE", default=None, help="fire its steps before")
    parser.option(
        "--size", metavar="WxH", default=DEFAULT_SIZE, help=f"pixels, default {DEFAULT_SIZE}"
    )
    parser.option("--theme", choices=THEMES, default=THEMES[0], help=f"default {THEMES[0]}")
    return parser, Screenshot


def _selftest_parser() -> _Parsed:
    text = "Check that this installation works, one line per check."
    return _Parser("selftest", text, "selftest"), SelfTest


_PARSERS = {
    "check": _check_parser,
    "inspect": _inspect_parser,
    "run": _run_parser,
    "replay": _replay_parser,
    "screenshot": _screenshot_parser,
    "selftest": _selftest_parser,
}

VERBS = tuple(_PARSERS)
