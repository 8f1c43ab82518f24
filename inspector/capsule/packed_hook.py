"""A hook or driver out of a packed artifact.

Lives here: an archive's bytes to a look-up result. Not here: the archive format
(archive), where it lies (store). Only inspector.capsule imports it.
"""

from pathlib import Path

import msgspec

from inspector.capsule import component_file
from inspector.capsule.archive import ArchiveError, open_archive
from inspector.capsule.capsule import HookSource, SourceKind
from inspector.capsule.found import Found
from inspector.manifest.fault import NOT_COMPILED, UNREADABLE, Fault, Stage
from inspector.manifest.refusal import FILE_NAME


def read(
    path: Path,
    data: bytes,
    sha256: str,
    kind: SourceKind,
    label: str,
    earlier: tuple[Fault, ...] = (),
) -> Found:
    """Read a packed artifact.

    Args:
        path: The archive, for messages.
        data: Its bytes.
        sha256: Their digest.
        kind: How the source is called.
        label: NAME@VERSION for messages.
        earlier: Faults that were met before.

    Returns:
        What was found; trouble is in its faults.

    Source: spec/artifact.md 1 and 4.
    """
    source = HookSource(kind, str(path), sha256)
    found = Found(source, manifest_file=f"{path}:{FILE_NAME}", faults=earlier)
    wrapper = f"failed to read artifact archive for {label}: "
    try:
        archive = open_archive(data)
    except ArchiveError as error:
        return _refused(found, path, Stage.HOOK_MANIFEST, wrapper + error.message, error.hint)
    try:
        found = msgspec.structs.replace(found, manifest_text=archive.manifest_text())
    except ArchiveError as error:
        found = _refused(found, path, Stage.HOOK_MANIFEST, wrapper + error.message, error.hint)
    try:
        name = archive.wasm_name()
        component = archive.component(name)
    except ArchiveError as error:
        return _refused(found, path, Stage.PAYLOAD, wrapper + error.message, error.hint)
    problem = component_file.problem_of(component, name)
    if problem is not None:
        message = f"failed to compile component for {label}: {name} {problem.reason}"
        return _refused(found, path, Stage.COMPONENT, message, problem.hint)
    return msgspec.structs.replace(found, component=component)


def _refused(found: Found, path: Path, stage: Stage, message: str, hint: str) -> Found:
    code = NOT_COMPILED if stage is Stage.COMPONENT else UNREADABLE
    fault = Fault(stage, code, message, hint, file=str(path))
    return msgspec.structs.replace(found, faults=(*found.faults, fault))
