"""A hook in a folder: its own murmur.yaml and a component beside it or freshly built.

Lives here: choosing the component file, and reading both. Not here: packed artifacts
(archive), stores (store). Only inspector.capsule imports it.
"""

from pathlib import Path

import msgspec

from inspector.capsule import component_file, reading
from inspector.capsule.capsule import HookSource, SourceKind
from inspector.capsule.digest import sha256_of
from inspector.capsule.found import Found
from inspector.capsule.reading import ReadError
from inspector.manifest import build_check
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.fault import NOT_COMPILED, UNREADABLE, Fault, Stage
from inspector.manifest.hook_manifest import HookIdentity, identity
from inspector.manifest.refusal import FILE_NAME

BUILD_FOLDERS = (
    "target/wasm32-wasip2/release",
    "target/wasm32-wasip2/debug",
    "target/wasm32-wasip1/release",
    "target/wasm32-wasip1/debug",
    "dist",
    "build",
    "out",
)
"""Where cargo, cargo-component, jco and componentize-py leave components."""
PREFERRED = "capsule.wasm"
_ENDINGS = (".wasm", ".wat")
NONE_TEXT = "missing root .wasm file (expected capsule.wasm or one root *.wasm)"


class Choice(msgspec.Struct, frozen=True):
    """The component file of a folder: a path, or why there is none.

    Attributes:
        path: The file.
        built: Whether it was taken from a build folder.
        problem: The runtime's text, or None.
        hint: What to do.
    """

    path: Path | None
    built: bool = False
    problem: str | None = None
    hint: str = ""


def several_text(names: list[str]) -> str:
    """The runtime's text for more than one candidate (spec/artifact.md 1)."""
    return f"multiple root .wasm files found: {', '.join(sorted(names))}"


def choose(folder: Path, about: HookIdentity) -> Choice:
    """Choose the component file of a hook's folder.

    Args:
        folder: With or without components at its top.
        about: What the hook's manifest says; `requires_files` decides between several.

    Returns:
        The choice. Components at the top win over build folders; there the newest wins.

    Raises:
        ReadError: when the folder cannot be listed.

    Source: spec/artifact.md 1 (choosing the wasm).
    """
    names = _candidates(folder)
    if PREFERRED in names:
        return Choice(folder / PREFERRED)
    if len(names) > 1:
        names = [name for name in names if name in about.requires_files] or names
    if len(names) == 1:
        return Choice(folder / names[0])
    if names:
        hint = f"Keep one of them, or name one in `requires_files` of {folder / FILE_NAME}."
        return Choice(None, problem=several_text(names), hint=hint)
    newest = _newest_build(folder)
    if newest is not None:
        return Choice(newest, built=True)
    hint = f"Build the hook, or put its component (*.wasm or *.wat) into {folder}."
    return Choice(None, problem=NONE_TEXT, hint=hint)


def _candidates(folder: Path) -> list[str]:
    names = reading.names_in(folder)
    fitting = [name for name in names if name.lower().endswith(_ENDINGS)]
    return [name for name in fitting if reading.kind_of(folder / name) != "folder"]


def _newest_build(folder: Path) -> Path | None:
    """The newest component in the build folders; the earlier folder at equal times."""
    found: list[tuple[int, int, Path]] = []
    for position, below in enumerate(BUILD_FOLDERS):
        place = folder / below
        if reading.kind_of(place) != "folder":
            continue
        for name in _listed(place):
            path = place / name
            if reading.kind_of(path) == "file":
                found.append((-path.stat().st_mtime_ns, position, path))
    return min(found)[2] if found else None


def _listed(place: Path) -> list[str]:
    try:
        return _candidates(place)
    except ReadError:
        return []


def read(folder: Path, kind: SourceKind, label: str, manifest: Path | None = None) -> Found:
    """Read a hook from a folder.

    Args:
        folder: Holds the component.
        kind: How the source is called.
        label: NAME@VERSION for messages.
        manifest: The hook's own manifest when it is not `murmur.yaml` in the folder.

    Returns:
        What was found; trouble is in its faults.
    """
    manifest = manifest or folder / FILE_NAME
    text, faults = _manifest_text(manifest, label)
    found = Found(manifest_text=text, manifest_file=str(manifest), faults=faults)
    try:
        choice = choose(folder, identity(text) if text is not None else HookIdentity())
    except ReadError as error:
        return _with_fault(found, f"failed to read hook folder: {error}", error.hint)
    if choice.path is None:
        return _with_fault(found, choice.problem or "", choice.hint)
    notes: tuple[Diagnostic, ...] = ()
    if choice.built:
        notes = (_built_note(choice.path, label),)
    if text is not None and kind is not SourceKind.SAMPLE:
        beside = None if choice.built else choice.path.name
        hook = label.rpartition("@")[0]
        unfit = build_check.findings(text, str(manifest), beside)
        notes += tuple(msgspec.structs.replace(each, hook=hook) for each in unfit)
    found = msgspec.structs.replace(found, notes=notes)
    return with_component(found, choice.path, kind, label)


def _manifest_text(path: Path, label: str) -> tuple[str | None, tuple[Fault, ...]]:
    try:
        return reading.read_text(path), ()
    except ReadError as error:
        message = (
            f"failed to read artifact archive for {label}: missing or unreadable {FILE_NAME} "
            f"in artifact archive: {path} {error.reason}"
        )
        hint = f"Write {path} with `name`, `version` and `runtime: hook`."
        return None, (Fault(Stage.HOOK_MANIFEST, UNREADABLE, message, hint, file=str(path)),)


def _with_fault(found: Found, problem: str, hint: str) -> Found:
    fault = Fault(Stage.PAYLOAD, UNREADABLE, problem, hint)
    return msgspec.structs.replace(found, faults=(*found.faults, fault))


def with_component(found: Found, path: Path, kind: SourceKind, label: str) -> Found:
    """Add the component of a file.

    Args:
        found: What is known so far.
        path: The file.
        kind: How the source is called.
        label: NAME@VERSION for messages.
    """
    try:
        data = reading.read_bytes(path, accept_head=component_file.may_be_component)
    except ReadError as error:
        return _with_fault(found, f"failed to compile component for {label}: {error}", error.hint)
    problem = component_file.problem_of(data, path.name)
    # A file of the wrong kind was not read to its end, so it has no digest.
    source = HookSource(kind, str(path), "" if problem else sha256_of(data))
    if problem is not None:
        message = f"failed to compile component for {label}: {path} {problem.reason}"
        fault = Fault(Stage.COMPONENT, NOT_COMPILED, message, problem.hint, file=str(path))
        return msgspec.structs.replace(found, source=source, faults=(*found.faults, fault))
    return msgspec.structs.replace(found, source=source, component=data)


def _built_note(path: Path, label: str) -> Diagnostic:
    return Diagnostic(
        Severity.INFO,
        "built-component",
        f"the component of {label} is the newest build, {path}",
        "Put a component beside the hook's murmur.yaml to choose another one.",
        str(path),
        hook=label.rpartition("@")[0],
    )
