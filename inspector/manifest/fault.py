"""What would stop a launch of a manifest that parses.

Lives here: the value and the order in which the runtime meets such faults. Not here: who
finds them (network, scope, state_store, config_json, capsule). Rooms above may import it.
"""

import enum

import msgspec

from inspector.manifest.diagnostic import Diagnostic, Severity

NOT_FOUND = "E-REG-001"
BAD_DIGEST = "E-REG-002"
PIN_DIGEST = "E-REG-005"
PIN_MISSING = "E-RUN-003"
NOT_COMPILED = "E-RUN-001"
UNREADABLE = "unreadable-artifact"
HOOK_CONFIG = "hook-config"
"""Codes of faults of artifacts; the last two are words of ours."""


class Stage(enum.IntEnum):
    """When the runtime meets a fault; lower is earlier.

    Up to LOCK everything is decided before any artifact is touched; from FIND on the
    artifacts are taken one by one.

    Source: spec/artifact.md 4.
    """

    CAPSULE_POLICY = 0
    STATE_NAME = 1
    CONFIG = 2
    LOCK = 3
    FIND = 4
    DIGEST = 5
    HOOK_MANIFEST = 6
    PAYLOAD = 7
    COMPONENT = 8
    GRANT_NETWORK = 9
    GRANT_SCOPE = 10


FIRST_PER_ARTIFACT = Stage.FIND


class Fault(msgspec.Struct, frozen=True):
    """One reason to refuse.

    Attributes:
        stage: See Stage.
        code: The runtime's code, or a word of ours.
        message: The runtime's text where it has one.
        hint: What to do, in our words.
        line: 1-based line in the file it is about, or None.
        column: 1-based column, or None.
        file: The file when it is not the capsule manifest, else None.
    """

    stage: Stage
    code: str
    message: str
    hint: str = ""
    line: int | None = None
    column: int | None = None
    file: str | None = None

    def order(self, index: int) -> tuple[int, int, int]:
        """A sort key over all entries of a capsule.

        Args:
            index: Position of the entry in the manifest, 0-based.
        """
        if self.stage < FIRST_PER_ARTIFACT:
            return self.stage, index, self.line or 0
        return FIRST_PER_ARTIFACT, index, self.stage

    def diagnostic(self, file: str | None, hook: str | None) -> Diagnostic:
        """The fault as a finding."""
        return Diagnostic(
            Severity.ERROR,
            self.code,
            self.message,
            self.hint,
            self.file or file,
            self.line,
            self.column,
            hook,
        )
