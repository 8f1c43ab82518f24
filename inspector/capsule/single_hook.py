"""A capsule of one hook with no grants: a project folder, an archive, a component.

Lives here: making it. Not here: capsules with a manifest (capsule_folder). Only
inspector.capsule imports it.
"""

from pathlib import Path

import msgspec

from inspector.capsule import component_file, hook_building, packed_hook, project, reading, store
from inspector.capsule.archive import ENDING, ArchiveError, open_archive
from inspector.capsule.capsule import Capsule, EnvSettings, HookSource, SourceKind
from inspector.capsule.digest import sha256_of
from inspector.capsule.environment import FORMATION_VARIABLE, Environment
from inspector.capsule.findings import Findings
from inspector.capsule.found import Found
from inspector.capsule.reading import ReadError
from inspector.contract.profile import Profile
from inspector.errors import ErrorKind, InspectorError
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.hook_manifest import HookIdentity, identity

UNKNOWN_VERSION = "0.0.0"
"""Stands for the version of a hook that declares none."""


def open_project(folder: Path, manifest: Path, text: str, profile: Profile) -> Capsule:
    """Open a hook project folder.

    Args:
        folder: The folder, absolute.
        manifest: The hook's own manifest in it.
        text: The text of that file.
        profile: Judges the hook.
    """
    name, version, notes = _identity(identity(text), folder.name, str(manifest))
    found = project.read(folder, SourceKind.PROJECT, f"{name}@{version}", manifest)
    return _capsule(folder, folder, name, version, found, profile, notes)


def open_archive_file(path: Path, profile: Profile) -> Capsule:
    """Open a packed hook.

    Args:
        path: The archive, absolute.
        profile: Judges the hook.

    Raises:
        InspectorError: when it cannot be read or is no archive.

    Source: spec/artifact.md 1.
    """
    try:
        data = reading.read_bytes(path)
        archive = open_archive(data)
    except ReadError as error:
        raise error.as_error() from error
    except ArchiveError as error:
        message = f"{path} is not a packed artifact: {error.message}."
        raise InspectorError(ErrorKind.UNREADABLE_CAPSULE, message, hint=error.hint) from error
    stem = path.name.removesuffix(ENDING).removesuffix(".zip")
    try:
        about = identity(archive.manifest_text())
    except ArchiveError:
        about = HookIdentity()
    name, version, notes = _identity(about, stem, str(path))
    label = f"{name}@{version}"
    found = packed_hook.read(path, data, sha256_of(data), SourceKind.ARCHIVE, label)
    return _capsule(path, path.parent, name, version, found, profile, notes)


def open_component(path: Path, profile: Profile) -> Capsule:
    """Open a bare component.

    Args:
        path: The file, absolute.
        profile: Judges the hook; without a manifest it is bound to every event.

    Raises:
        InspectorError: when it cannot be read or is no component.
    """
    try:
        data = reading.read_bytes(path, accept_head=component_file.may_be_component)
    except ReadError as error:
        raise error.as_error() from error
    problem = component_file.problem_of(data, path.name)
    if problem is not None:
        raise InspectorError(
            ErrorKind.UNREADABLE_CAPSULE,
            f"{path} {problem.reason}.",
            hint=problem.hint,
        )
    found = Found(HookSource(SourceKind.COMPONENT, str(path), sha256_of(data)), component=data)
    name, version, notes = _identity(HookIdentity(), path.stem, str(path))
    return _capsule(path, path.parent, name, version, found, profile, notes)


def _identity(
    about: HookIdentity, fallback: str, file: str
) -> tuple[str, str, tuple[Diagnostic, ...]]:
    """Name and version of a hook alone; both end up in file names, so both are checked."""
    written = ((about.name or "").strip(), (about.version or "").strip())
    usable = [text if store.is_segment(text) and text.isprintable() else "" for text in written]
    bad = [text for text, kept in zip(written, usable, strict=True) if text and not kept]
    notes = tuple(
        Diagnostic(
            Severity.WARNING,
            "identity",
            f"the hook's own manifest says {text!r}, which cannot stand in a file name",
            "Use lower-case letters, digits and hyphens.",
            file,
        )
        for text in bad
    )
    name = usable[0] or (fallback if store.is_segment(fallback) else "hook")
    return name, usable[1] or UNKNOWN_VERSION, notes


def _capsule(
    shown: Path,
    folder: Path,
    name: str,
    version: str,
    found: Found,
    profile: Profile,
    notes: tuple[Diagnostic, ...],
) -> Capsule:
    built = hook_building.build(name, version, found, profile)
    findings = Findings(None)
    findings.add(notes)
    findings.add(msgspec.structs.replace(note, hook=name) for note in built.notes)
    findings.refuse(built.faults, hook=name)
    formation = Environment(None).get(FORMATION_VARIABLE)
    return Capsule(
        name=name,
        version=version,
        path=shown,
        project=folder,
        manifest_path=None,
        hooks=(built.hook,),
        env=EnvSettings(formation_id=formation),
        diagnostics=findings.result(),
    )
