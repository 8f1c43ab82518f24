"""The one door for sentences that nobody asked for, and for errors nobody caught.

Lives here: `Notifier`, the hook for uncaught exceptions, the way of Qt's own messages into
our log. Not here: where a sentence
shows (main_window). Everything in gui above it may import it.
"""

import logging
import sys
from types import TracebackType

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)

from inspector import logs

_KNOWN_NOISE = "This plugin does not support propagateSizeHints()"
"""WORKAROUND Qt 6.11: the platform `offscreen` says it for every window that has a smallest
size. It is no trouble of ours; a test tells when Qt has ceased to say it."""

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def install_message_handler() -> None:
    """Send Qt's messages to our log from now on, all but the known noise."""
    qInstallMessageHandler(_on_qt_message)


def _on_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    if message == _KNOWN_NOISE:
        return
    category = context.category
    logs.GUI.log(_LEVELS.get(kind, logging.WARNING), "Qt (%s): %s", category, message)


class Notifier(QObject):
    """Tells sentences to whoever shows them.

    Signals:
        said(str, str): severity (info, warning, error) and sentence.
    """

    said = Signal(str, str)

    def say(self, severity: str, sentence: str) -> None:
        """Tell a sentence."""
        self.said.emit(severity, sentence)

    def install_hook(self) -> None:
        """Log exceptions that a slot let through, and tell of them in one sentence.

        Qt cannot carry an exception out of a slot; without this it would end on stderr
        and the window would look as if nothing had happened.
        """
        sys.excepthook = self._on_uncaught

    def _on_uncaught(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        logs.GUI.error("uncaught", exc_info=(kind, error, trace))
        self.say(
            "error",
            f"Something went wrong inside the inspector ({kind.__name__}: {error}). "
            "The window goes on; the log has the details.",
        )
