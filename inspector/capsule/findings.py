"""Collects findings about a capsule and tells which one stops the launch.

Lives here: the order of faults over all artifacts, the order of the final list. Not
here: the faults themselves (manifest, the modules beside). Only inspector.capsule
imports it.
"""

from collections.abc import Iterable

import msgspec

from inspector.manifest.diagnostic import Diagnostic
from inspector.manifest.fault import Fault


class Findings:
    """A growing list of findings about one capsule.

    Attributes:
        file: Path of the capsule manifest, or None for a capsule of one hook.
    """

    def __init__(self, file: str | None) -> None:
        self.file = file
        self._notes: list[Diagnostic] = []
        self._faults: list[tuple[tuple[int, int, int], Diagnostic]] = []

    def add(self, notes: Iterable[Diagnostic]) -> None:
        """Add findings that stop nothing."""
        self._notes.extend(notes)

    def refuse(
        self, faults: Iterable[Fault], index: int = 0, hook: str | None = None, line: int = 0
    ) -> None:
        """Add faults.

        Args:
            faults: Of one entry, or of the whole capsule.
            index: Position of the entry.
            hook: Its name, or None.
            line: Line of the entry, for faults without a place of their own; 0 for none.
        """
        for fault in faults:
            found = fault.diagnostic(self.file, hook)
            if found.line is None and fault.file is None and line:
                found = msgspec.structs.replace(found, line=line, column=None)
            self._faults.append((fault.order(index), found))

    def result(self) -> tuple[Diagnostic, ...]:
        """All findings in file order; the fault that the runtime meets first is marked."""
        faults = list(self._faults)
        if faults:
            first = min(range(len(faults)), key=lambda i: (faults[i][0], i))
            order, found = faults[first]
            faults[first] = (order, msgspec.structs.replace(found, stops_launch=True))
        everything = [found for _, found in faults] + self._notes
        return tuple(sorted(everything, key=self._place))

    def _place(self, found: Diagnostic) -> tuple[bool, str, int, int]:
        elsewhere = found.file != self.file
        return elsewhere, found.file or "", found.line or 0, found.column or 0
