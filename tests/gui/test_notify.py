"""Exceptions that a slot let through, and what Qt has to say."""

import logging
import sys

import pytest
from PySide6.QtCore import qDebug, qInstallMessageHandler, qWarning
from PySide6.QtWidgets import QWidget

from inspector.gui.notify import Notifier, install_message_handler


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


class TestQtMessages:
    """Qt's own words go into our log."""

    @pytest.fixture
    def handler(self):
        """Ours in place of the test runner's; put back afterwards."""
        before = qInstallMessageHandler(None)
        install_message_handler()
        yield
        qInstallMessageHandler(before)

    def test_messages_reach_the_log_by_their_kind(self, handler, caplog):
        """With Qt's category."""
        caplog.set_level(logging.DEBUG, "inspector.gui")
        qWarning("something odd")
        qDebug("something small")
        found = [(record.levelname, record.getMessage()) for record in caplog.records]
        assert found == [
            ("WARNING", "Qt (default): something odd"),
            ("DEBUG", "Qt (default): something small"),
        ]

    def test_only_the_known_line_is_dropped(self, handler, caplog, capfd):
        """To the letter."""
        qWarning("This plugin does not support propagateSizeHints()")
        qWarning("This plugin does not support raise()")
        assert [record.getMessage() for record in caplog.records] == [
            "Qt (default): This plugin does not support raise()"
        ]
        assert capfd.readouterr().err == ""

    def test_qt_still_says_it(self, qtbot, qtlog):
        """When this fails, the line need not be dropped any more."""
        widget = QWidget()
        qtbot.addWidget(widget)
        with qtbot.waitExposed(widget):
            widget.show()
        widget.setMinimumSize(200, 200)
        said = [record.message for record in qtlog.records]
        assert "This plugin does not support propagateSizeHints()" in said
