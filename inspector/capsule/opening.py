"""From what the user names to a capsule.

Lives here: telling the kinds of paths apart. Not here: what each kind takes
(capsule_folder, single_hook). Rooms above import `open_capsule` from here.
"""

import os
from pathlib import Path

from inspector import assets
from inspector.capsule import capsule_folder, component_file, reading, single_hook
from inspector.capsule.archive import ENDING
from inspector.capsule.capsule import Capsule
from inspector.capsule.reading import ReadError
from inspector.contract.profile import Profile
from inspector.errors import ErrorKind, InspectorError
from inspector.manifest.hook_manifest import identity
from inspector.manifest.refusal import FILE_NAME

SAMPLE_PREFIX = "sample:"
_RETIRED_NAME = "manifest.yaml"
_WANTED = (
    f"Name a folder with {FILE_NAME}, that file, a hook's project folder, a packed hook "
    f"(*{ENDING}), a component (*.wasm, *.wat) or {SAMPLE_PREFIX}NAME."
)
_ZIP_MAGIC = b"PK"


def open_capsule(path_or_sample: str, *, profile: Profile, home: Path | None) -> Capsule:
    """Open a capsule.

    Args:
        path_or_sample: A folder with murmur.yaml, such a file, a hook's project folder, a
            packed hook, a bare component, or `sample:NAME`.
        profile: The runtime that judges it.
        home: Where installed artifacts are found besides the project: a murmur home (what
            `~/.murmur` is), a folder that holds one, or None for the user's own. Only read.

    Returns:
        The capsule; what the runtime would refuse at launch is in its diagnostics and in
        the refusals of its hooks.

    Raises:
        InspectorError: when there is nothing to open, or the runtime refuses the manifest
            at parse.

    Source: design: CAPSULE of docs/cli.md; spec/artifact.md 3 and 4.
    """
    if path_or_sample.startswith(SAMPLE_PREFIX):
        return _open_sample(path_or_sample.removeprefix(SAMPLE_PREFIX), profile, home)
    shown = _absolute(path_or_sample)
    kind = reading.kind_of(shown)
    if kind == "missing":
        raise _error(f"{path_or_sample or '(nothing)'} does not exist.", _WANTED)
    if kind == "folder":
        return _open_manifest(shown, shown / FILE_NAME, profile, home)
    return _open_file(shown, profile, home)


def _absolute(written: str) -> Path:
    """An absolute path without resolving links, so that messages show what was named."""
    if not written or "\0" in written:
        raise _error(f"{written!r} does not exist.", _WANTED)
    return Path(os.path.normpath(Path.cwd() / written))


def _error(message: str, hint: str) -> InspectorError:
    """An error about the path as a whole, which stands in the message."""
    return InspectorError(ErrorKind.UNREADABLE_CAPSULE, message, hint=hint)


def _open_sample(name: str, profile: Profile, home: Path | None) -> Capsule:
    if name not in assets.sample_names():
        known = ", ".join(assets.sample_names())
        raise _error(f"there is no sample '{name}'.", f"Samples: {known}.")
    folder = assets.resource("capsules", name)
    manifest = folder / FILE_NAME
    return _open_manifest(folder, manifest, profile, home, is_sample=True)


def _open_file(shown: Path, profile: Profile, home: Path | None) -> Capsule:
    name = shown.name.lower()
    if name.endswith((".yaml", ".yml")):
        return _open_manifest(shown, shown, profile, home)
    if name.endswith((".wasm", ".wat")):
        return single_hook.open_component(shown, profile)
    if name.endswith(ENDING):
        return single_hook.open_archive_file(shown, profile)
    try:
        head = reading.read_bytes(shown, accept_head=lambda _: False)
    except ReadError as error:
        raise error.as_error() from error
    if head.startswith(_ZIP_MAGIC):
        return single_hook.open_archive_file(shown, profile)
    if head.startswith(component_file.MAGIC):
        return single_hook.open_component(shown, profile)
    raise _error(f"{shown} is not a capsule.", _WANTED)


def _open_manifest(
    shown: Path, manifest: Path, profile: Profile, home: Path | None, *, is_sample: bool = False
) -> Capsule:
    text = _manifest_text(manifest)
    about = identity(text)
    if about.runtime == "hook" and not about.is_capsule:
        return single_hook.open_project(manifest.parent, manifest, text, profile)
    return capsule_folder.open_folder(
        shown, manifest, text, profile=profile, home=home, is_sample=is_sample
    )


def _manifest_text(manifest: Path) -> str:
    """The text of a manifest, or the runtime's own words why there is none.

    Source: spec/manifest.md 1 (error wrappers).
    """
    try:
        return reading.read_text(manifest)
    except ReadError as error:
        if error.missing:
            hint = _WANTED
            if reading.kind_of(manifest.parent / _RETIRED_NAME) == "file":
                hint = f"Rename {_RETIRED_NAME} to {FILE_NAME}; the old name is not looked at."
            raise _error(f"{FILE_NAME} not found at {manifest}", hint) from error
        message = f"failed to read {FILE_NAME} at {manifest}: {error.told}"
        raise _error(message, error.hint) from error
