"""SHA-256 digests as the stores write them.

Lives here: one function. Not here: comparing with sidecars and lock file. Only
inspector.capsule imports it.
"""

import hashlib


def sha256_of(data: bytes) -> str:
    """The lower-case hex digest of some bytes."""
    return hashlib.sha256(data).hexdigest()
