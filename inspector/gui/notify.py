"""The one door for sentences that nobody asked for, and for errors nobody caught.

Lives here: `Notifier` and the hook for uncaught exceptions. Not here: where a sentence
shows (main_window). Everything in gui above it may import it.
"""

import sys
from types import TracebackType

from PySide6.QtCore import QObject, Signal

from inspector import logs


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
