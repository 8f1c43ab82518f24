"""The command line's door: exit codes and error forms, without any engine."""

import json
import sys

import pytest

from inspector import __main__ as entry
from inspector import cli
from inspector.errors import EXIT_CODES, ErrorKind, InspectorError

NO_ENGINE = ["/nowhere/engine"]


def run(*line):
    """Run a line with an engine that cannot start."""
    return cli.main(line, engine_command=NO_ENGINE)


def test_main__help__is_text_and_fine(capsys):
    """To stdout, exit code 0."""
    assert run("--help") == 0
    out, err = capsys.readouterr()
    assert "usage: capsule-inspector" in out
    assert not err


def test_main__version__is_one_line(capsys):
    """To stdout, exit code 0."""
    assert run("--version") == 0
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (("check",), 2, "CAPSULE"),
        (("run", "c", "s.yaml", "--fail-on", "crash"), 2, "--fail-on does not know 'crash'"),
        (("run", "c", "/none/s.yaml"), 3, "/none/s.yaml: the scenario cannot be read"),
        (("run", "c", "sample:none"), 3, "no sample scenario"),
        (("replay", "c", "/none/trace.jsonl"), 3, "the trace cannot be read"),
        (("screenshot", "c", "/none/o.png"), 3, "the picture cannot be written"),
        (("screenshot", "c", "/tmp/o.png", "--size", "1x1"), 2, "--size wants"),
        (("run", "c", "sample:tour", "--record", "/none/r"), 3, "recording cannot be written"),
        (("check", "c"), 4, "the engine process cannot be started"),
        (("inspect", "c"), 4, "the engine process cannot be started"),
        (("run", "c", "sample:tour"), 4, "the engine process cannot be started"),
    ],
)
def test_main__trouble__one_sentence_and_its_exit_code(capsys, line, code, words):
    """On stderr, behind the program's name; stdout stays empty."""
    assert run(*line) == code
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("capsule-inspector: ")
    assert err.count("\n") == 1
    assert words in err


def test_main__json__error_is_one_object(capsys):
    """With the place, in the same shape for every error."""
    assert run("check", "c", "--format", "json") == 4
    assert run("check", "--format=json") == 2
    out, err = capsys.readouterr()
    assert not out
    first, second = (json.loads(line) for line in err.splitlines())
    assert list(first) == ["error", "message", "hint", "file", "line", "column"]
    assert (first["error"], second["error"]) == ("engine-lost", "usage")


def test_main__json__scenario_error_has_file_line_and_column(capsys, tmp_path):
    """Editors can jump there."""
    path = tmp_path / "s.yaml"
    path.write_text("scenario: 1\nsteps:\n  - on-shell: {turn: -1}\n")
    assert run("run", "c", str(path), "--format", "jsonl") == 3
    found = json.loads(capsys.readouterr().err)
    assert (found["file"], found["line"], found["column"]) == (str(path), 3, 16)
    assert found["message"].startswith("step 1, on-shell.turn: wants 0 to 4294967295 (u32)")


def break_with(monkeypatch, error):
    """Let the verbs raise something."""

    def carry_out(*_):
        raise error

    monkeypatch.setattr(cli._Verbs, "carry_out", carry_out)


def test_main__bug__is_logged_with_its_traceback(capsys, monkeypatch):
    """Nothing is swallowed; the sentence comes last."""
    break_with(monkeypatch, ZeroDivisionError("a bug"))
    assert run("check", "c") == 4
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert err.splitlines()[-1].startswith("capsule-inspector: internal error: ZeroDivisionError")


def test_main__bug_with_json__is_one_object(capsys, monkeypatch):
    """The traceback is a field."""
    break_with(monkeypatch, ZeroDivisionError("a bug"))
    assert run("check", "c", "--format", "json") == 4
    found = json.loads(capsys.readouterr().err)
    assert found["error"] == "internal"
    assert "Traceback" in found["traceback"]


def test_main__second_ctrl_c__is_interrupted(capsys, monkeypatch):
    """Also outside of any run."""
    break_with(monkeypatch, KeyboardInterrupt())
    assert run("check", "c") == 130
    assert capsys.readouterr().err == "capsule-inspector: interrupted.\n"


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_main__each_kind_of_error__has_its_exit_code(capsys, monkeypatch, kind):
    """The table of docs/cli.md."""
    break_with(monkeypatch, InspectorError(kind, "no."))
    assert run("check", "c", "--format", "json") == EXIT_CODES[kind]
    assert json.loads(capsys.readouterr().err)["error"] == kind.value


def test_main__no_screen__is_told_before_qt_aborts(capsys, monkeypatch):
    """Only the window needs one."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert run("c") == 2
    assert "there is no screen" in capsys.readouterr().err


def test_main__qt_that_cannot_be_loaded__is_one_sentence(capsys, monkeypatch):
    """A system library is missing."""
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.delitem(sys.modules, "inspector.gui.app", raising=False)
    monkeypatch.delattr("inspector.gui.app", raising=False)
    monkeypatch.setitem(sys.modules, "PySide6.QtCore", None)
    assert run("c") == 2
    assert "PySide6 cannot be loaded" in capsys.readouterr().err


def test_main__bad_qt_pair__refused_for_the_window_alone(capsys, monkeypatch, tmp_path):
    """The other verbs need no Qt."""
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr("inspector.workbench.qt_pair.installed_qt", lambda: (6, 11, 0))
    assert run() == 2
    assert run("screenshot", "c", str(tmp_path / "o.png")) == 2
    assert capsys.readouterr().err.count("resizes docks wrongly") == 2
    assert run("check", "c") == 4
    assert "resizes docks" not in capsys.readouterr().err


def test_entry__engine_flag__runs_the_engine_alone(monkeypatch):
    """The role is known before the command line is read."""
    monkeypatch.setattr("inspector.worker.main.main", lambda: 42)
    monkeypatch.setattr(sys, "argv", ["capsule-inspector", "--engine"])
    assert entry.main() == 42


def test_entry__anything_else__is_the_command_line(monkeypatch, capsys):
    """With the arguments as they are."""
    monkeypatch.setattr(sys, "argv", ["capsule-inspector", "--version"])
    assert entry.main() == 0
    assert capsys.readouterr().out.startswith("capsule-inspector ")


@pytest.mark.parametrize("line", [("--version",), ("check",)])
def test_main__without_a_console__ends_with_its_code(monkeypatch, line):
    """A windowed bundle has neither stdout nor stderr."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert run(*line) == (0 if line == ("--version",) else 2)
