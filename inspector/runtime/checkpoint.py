"""Signing and quarantine of checkpoint files, as the 0.1 runtime does it.

Lives here: keys, signatures, renames, and the two bootstrap notes. Not here: when they
happen (dispatcher). Only runtime imports it.
"""

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from inspector.manifest.rust_format import io_error
from inspector.runtime.hook_log import SessionLog

CHECKPOINT_FILES = ("summary.md", "plan.json", "decisions.json")
KEY_BYTES = 32


class Checkpoints:
    """The checkpoint files of one accessible folder.

    Source: spec/contract.md 8 ("Checkpoint signing").
    """

    def __init__(self, accessible_dir: Path, home: Path, log: SessionLog) -> None:
        """Look after a folder.

        Args:
            accessible_dir: Its `checkpoints` subfolder holds the files.
            home: The murmur home; keys live in `checkpoint-keys` below it.
            log: Sink of the bootstrap notes.
        """
        self._accessible = accessible_dir
        self._folder = accessible_dir / "checkpoints"
        self._keys = home / "checkpoint-keys"
        self._log = log

    def verify(self) -> None:
        """Rename every present file whose signature is missing or wrong."""
        key = self._usable_key("verification")
        if key is None:
            return
        rejected = [name for name in CHECKPOINT_FILES if self._rejects(name, key)]
        if rejected:
            names = ", ".join(rejected)
            self._log.bootstrap(
                f"[checkpoint] rejected unsigned/tampered checkpoint file(s): {names}"
            )

    def sign(self) -> None:
        """Sign every present file."""
        key = self._usable_key("signing")
        if key is None:
            return
        for name in CHECKPOINT_FILES:
            content = _read(self._folder / name)
            if content is not None:
                with contextlib.suppress(OSError):
                    _write(self._folder / f"{name}.sig", _digest(key, content).encode(), 0o644)

    def _rejects(self, name: str, key: bytes) -> bool:
        """Quarantine one file if need be; whether that was done."""
        content = _read(self._folder / name)
        if content is None:
            return False
        sidecar = self._folder / f"{name}.sig"
        signature = (_read(sidecar) or b"").decode("ascii", "replace").strip().lower()
        if hmac.compare_digest(signature.encode("utf-8"), _digest(key, content).encode()):
            return False
        try:
            (self._folder / name).replace(self._folder / f"{name}.rejected")
            sidecar.unlink(missing_ok=True)
        except OSError:
            return False
        return True

    def _usable_key(self, purpose: str) -> bytes | None:
        """The key, or None where there are no checkpoints or no key, which is noted."""
        if not self._folder.is_dir():
            return None
        try:
            return self._key()
        except OSError as error:
            self._log.bootstrap(
                f"[checkpoint] signing key unavailable, skipping checkpoint {purpose}: "
                f"{io_error(error)}"
            )
            return None

    def _key(self) -> bytes:
        """The folder's key, made at first use; OSError when that fails."""
        place = str(self._accessible.resolve(strict=True)).encode("utf-8", "replace")
        path = self._keys / f"{hashlib.sha256(place).hexdigest()}.key"
        key = _read(path)
        if key is not None and len(key) == KEY_BYTES:
            return key
        self._keys.mkdir(parents=True, exist_ok=True)
        key = secrets.token_bytes(KEY_BYTES)
        _write(path, key, 0o600)
        return key


def _digest(key: bytes, content: bytes) -> str:
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write a file whole: under another name first, with its final mode from the start."""
    temporary = path.with_name(f"{path.name}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
    temporary.replace(path)
