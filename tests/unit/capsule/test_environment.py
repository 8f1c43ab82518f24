"""Variables of the process and of the .env file."""

import os
from pathlib import Path

import pytest

from inspector.capsule.environment import Environment, parse


def test_parse__lines__give_assignments() -> None:
    """Comments and other lines are passed over; quotes keep what is inside."""
    text = (
        "A=1\n# B=2\nexport C = three # note\nD='x # y'\nE=\"q\"\nno assignment\n=x\nF=\nA=2\n"
        "G=a#b\n"
    )
    assert parse(text) == {"A": "2", "C": "three", "D": "x # y", "E": "q", "F": "", "G": "a#b"}


def test_get__process__wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file does not override what is set."""
    (tmp_path / ".env").write_text("INSPECTOR_A=file\nINSPECTOR_B=file\n")
    monkeypatch.setenv("INSPECTOR_A", "process")
    monkeypatch.delenv("INSPECTOR_B", raising=False)
    environment = Environment(tmp_path)
    assert environment.get("INSPECTOR_A") == "process"
    assert environment.get("INSPECTOR_B") == "file"
    assert environment.get("INSPECTOR_C") is None
    assert "INSPECTOR_B" not in os.environ


def test_environment__unreadable_file__is_remembered(tmp_path: Path) -> None:
    """A bad .env file does not stop anything."""
    (tmp_path / ".env").write_bytes(b"A=\xff")
    environment = Environment(tmp_path)
    assert environment.problem is not None
    assert environment.get("INSPECTOR_C") is None
    assert Environment(None).problem is None


@pytest.mark.skipif(os.name == "nt", reason="variables are Unicode there")
def test_get__value_that_is_no_unicode__is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guest's environment holds Unicode only."""
    monkeypatch.setenv("INSPECTOR_A", os.fsdecode(b"\xff"))
    assert Environment(None).get("INSPECTOR_A") is None
