"""A hook or driver out of a packed artifact.

Lives here: an archive's bytes to a look-up result. Not here: the archive format
(archive), where it lies (store). Only inspector.capsule imports it.
"""

from pathlib import Path

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
    manifest_file = f"{path}:{FILE_NAME}"
    text: str | None = None
    component: bytes | None = None
    faults = list(earlier)

    def add(stage: Stage, message: str, hint: str) -> None:
        code = NOT_COMPILED if stage is Stage.COMPONENT else UNREADABLE
        faults.append(Fault(stage, code, message, hint, file=str(path)))

    wrapper = f"failed to read artifact archive for {label}: "
    try:
        archive = open_archive(data)
    except ArchiveError as error:
        add(Stage.HOOK_MANIFEST, wrapper + error.message, error.hint)
        return Found(source, None, manifest_file, None, tuple(faults))
    try:
        text = archive.manifest_text()
    except ArchiveError as error:
        add(Stage.HOOK_MANIFEST, wrapper + error.message, error.hint)
    try:
        name = archive.wasm_name()
        bytes_ = archive.component(name)
    except ArchiveError as error:
        add(Stage.PAYLOAD, wrapper + error.message, error.hint)
        return Found(source, text, manifest_file, None, tuple(faults))
    problem = component_file.problem_of(bytes_, name)
    if problem is None:
        component = bytes_
    else:
        message = f"failed to compile component for {label}: {name} {problem.reason}"
        add(Stage.COMPONENT, message, problem.hint)
    return Found(source, text, manifest_file, component, tuple(faults))
