"""Ids of the runtime's shape: a prefix and a UUIDv7 without dashes.

Lives here: making one. Not here: ids that users give. Only runtime and worker import it.
"""

import secrets
import time


def new_identifier(prefix: str) -> str:
    """A fresh id.

    Args:
        prefix: `ses_`, `msg_`, ...

    Returns:
        The prefix and 32 hex digits that sort by time.

    Source: spec/artifact.md 4.
    """
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (2**48 - 1)) << 80 | secrets.randbits(80)
    version_and_variant = 0xF << 76 | 0x3 << 62
    value = value & ~version_and_variant | 0x7 << 76 | 0x2 << 62
    return f"{prefix}{value:032x}"
