"""Exceptions that a slot let through."""

import sys

import pytest

from inspector.gui.notify import Notifier


@pytest.fixture
def told(monkeypatch):
    """A notifier behind Python's hook, and what it said."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    notifier = Notifier()
    said = []
    notifier.said.connect(lambda severity, sentence: said.append((severity, sentence)))
    notifier.install_hook()
    return notifier, said


def test_hook__uncaught_exception__is_logged_and_said(told, caplog):
    """One sentence for the user, the traceback for the log."""
    try:
        raise KeyError("lost")
    except KeyError as error:
        sys.excepthook(KeyError, error, error.__traceback__)
    ((severity, sentence),) = told[1]
    assert severity == "error"
    assert "KeyError: 'lost'" in sentence
    assert "Traceback" in caplog.text


def test_hook__interrupt_by_key__is_left_to_python(told, capsys):
    """Ctrl+C is no error of ours."""
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert told[1] == []
    assert "KeyboardInterrupt" in capsys.readouterr().err
