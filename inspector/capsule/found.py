"""What a look-up of a hook's or driver's bytes came to.

Lives here: the value. Not here: the look-ups (store, project, archive). Only
inspector.capsule imports it.
"""

import msgspec

from inspector.capsule.capsule import HookSource
from inspector.manifest.diagnostic import Diagnostic
from inspector.manifest.fault import Fault


class Found(msgspec.Struct, frozen=True):
    """An artifact that was found, be it usable or not.

    Attributes:
        source: The file that holds the component; None when there is none.
        manifest_text: The artifact's own murmur.yaml, or None when it could not be read.
        manifest_file: Where that text came from, for messages.
        component: Bytes of the component as they are in the file, or None.
        faults: What the runtime would refuse it for, first met first.
        notes: Findings about the look-up itself.
    """

    source: HookSource | None = None
    manifest_text: str | None = None
    manifest_file: str | None = None
    component: bytes | None = None
    faults: tuple[Fault, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
