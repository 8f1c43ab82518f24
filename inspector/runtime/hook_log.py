"""The logs that the runtime itself writes into a session folder.

Lives here: appending entries, with every I/O error ignored as the runtime does, and
telling an observer. Not here: the texts (judge, failure, staging) and our own log.
Only runtime and worker import it.
"""

from collections.abc import Callable
from pathlib import Path

from inspector.contract.record import LogEntry

BOOTSTRAP = "bootstrap"


def hook_log_name(hook: str) -> str:
    """The log of a hook below the session folder."""
    return f"logs/hook-{hook}.log"


class SessionLog:
    """Appends entries to the logs of one session.

    Safe to use from several threads: an entry is one write, and the observer decides
    itself what it may do on which thread.
    """

    def __init__(
        self, session_dir: Path, observe: Callable[[str | None, LogEntry], None] | None = None
    ) -> None:
        """Log below a folder.

        Args:
            session_dir: The session folder; `logs` in it is made on demand.
            observe: Called with the hook (None for bootstrap) and the entry.
        """
        self._session_dir = session_dir
        self._observe = observe

    def hook(self, hook: str, text: str) -> None:
        """Append an entry to the log of a hook (spec/dispatch.md 8)."""
        self._append(hook, LogEntry(hook_log_name(hook), text))

    def bootstrap(self, text: str) -> None:
        """Append an entry to logs/bootstrap.log."""
        self._append(None, LogEntry(f"logs/{BOOTSTRAP}.log", text))

    def _append(self, hook: str | None, entry: LogEntry) -> None:
        self._write(entry)
        if self._observe is not None:
            self._observe(hook, entry)

    def _write(self, entry: LogEntry) -> None:
        logs = self._session_dir / "logs"
        path = self._session_dir / entry.file
        if path.parent != logs:
            # A name with a separator: the runtime's open fails on the missing folder and
            # the error is ignored; never let it lead elsewhere.
            return
        try:
            logs.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as stream:
                stream.write(entry.text.encode("utf-8", "replace") + b"\n")
        except (OSError, ValueError):
            # Every I/O error is ignored there (spec/dispatch.md 8); ValueError is a NUL
            # in the name.
            return
