"""What the window remembers between starts.

Lives here: `WindowState`, reading and writing it. Not here: where windows and panes are
put (main_window), what is not about the window (workbench). Everything in gui above it
may import it.

A bad file never keeps the window from opening: it is told in a sentence and the window
starts as new. A file of a newer version is left alone.
"""

import os
import tempfile
from pathlib import Path

import msgspec

from inspector import paths
from inspector.contract.profile import DEFAULT_PROFILE, PROFILES
from inspector.workbench.draft import Draft
from inspector.workbench.session_draft import SessionDraft
from inspector.workbench.task_scope import TaskDraft

VERSION = 1
LAYOUT_VERSION = 2
"""Raised whenever docks or toolbars are added, renamed or dropped."""

MOST_RECENT = 10
LONGEST_DRAFT = 256 * 1024
"""Characters of a draft's text that are kept."""


class WindowState(msgspec.Struct, frozen=True):
    """Everything remembered; opaque parts are base64 text of Qt.

    Attributes:
        version: Of this file.
        geometry: Of the window (opaque).
        layout: Of docks and toolbars (opaque).
        splitter: Of the middle (opaque).
        theme: `light`, `dark`, or "" for the platform's.
        profile: Name of the runtime profile.
        recent: Capsules opened before, the last one first.
        event: The event in the composer.
        drafts: What was typed, at most one per event.
        session: Settings of the next session, as typed.
        task: Texts of the task, as typed.
        zoom: Size of all text, in percent.
        watch: Whether the capsule is read again when its files change.
    """

    version: int = VERSION
    geometry: str = ""
    layout: str = ""
    splitter: str = ""
    theme: str = ""
    profile: str = DEFAULT_PROFILE
    recent: tuple[str, ...] = ()
    event: str = ""
    drafts: tuple[Draft, ...] = ()
    session: SessionDraft = SessionDraft()
    task: TaskDraft = TaskDraft()
    zoom: int = 100
    watch: bool = False


class Loaded(msgspec.Struct, frozen=True):
    """What reading gave.

    Attributes:
        state: The remembered state, or a new one.
        note: Why it is a new one, in a sentence, or "".
        may_save: Whether the file may be written over.
    """

    state: WindowState
    note: str = ""
    may_save: bool = True


class _Head(msgspec.Struct):
    version: int


def default_path() -> Path:
    """The file."""
    return paths.state_dir() / "window.json"


def load(path: Path) -> Loaded:
    """Read the remembered state.

    Args:
        path: The file; it need not exist.

    Returns:
        Always a usable state.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Loaded(WindowState())
    except OSError as error:
        return Loaded(
            WindowState(), f"The window's state cannot be read ({path}: {error.strerror})."
        )
    return _decode(content, path)


def _decode(content: bytes, path: Path) -> Loaded:
    try:
        version = msgspec.json.decode(content, type=_Head).version
        if version > VERSION:
            note = (
                f"{path} was written by a newer inspector (version {version}); it is left as "
                "it is, and this window starts as new."
            )
            return Loaded(WindowState(), note, may_save=False)
        state = msgspec.json.decode(content, type=WindowState)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        note = f"The window's state in {path} is damaged ({error}); the window starts as new."
        return Loaded(WindowState(), note)
    if state.profile not in PROFILES:
        state = msgspec.structs.replace(state, profile=DEFAULT_PROFILE)
    return Loaded(state)


def save(path: Path, state: WindowState) -> str:
    """Write the state beside the file, then put it in its place.

    Args:
        path: The file; its folder is made when it is missing.
        state: What to remember.

    Returns:
        "" when it went well, else why not, in a sentence.
    """
    content = msgspec.json.format(msgspec.json.encode(state), indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        return f"The window's state could not be saved ({path}: {error.strerror})."
    return ""


def with_recent(recent: tuple[str, ...], path: str) -> tuple[str, ...]:
    """The list of recent capsules with one put first."""
    return (path, *(other for other in recent if other != path))[:MOST_RECENT]


def kept_session(draft: SessionDraft) -> SessionDraft:
    """The settings that are worth keeping: without texts that are too long to load."""
    if len(msgspec.json.encode(draft)) <= LONGEST_DRAFT:
        return draft
    short = tuple(context for context in draft.contexts if len(context.text) <= LONGEST_DRAFT // 8)
    kept = msgspec.structs.replace(draft, contexts=short[:4])
    return kept if len(msgspec.json.encode(kept)) <= LONGEST_DRAFT else SessionDraft()


def kept_task(draft: TaskDraft) -> TaskDraft:
    """The task's texts, unless they are too long to load at a start."""
    return draft if len(msgspec.json.encode(draft)) <= LONGEST_DRAFT else TaskDraft()


def kept_drafts(drafts: tuple[Draft, ...]) -> tuple[Draft, ...]:
    """The drafts that are worth keeping: those that are not too long to load at a start."""
    return tuple(
        draft
        for draft in drafts
        if len(draft.text) <= LONGEST_DRAFT
        and len(msgspec.json.encode(draft.fields)) <= LONGEST_DRAFT
    )
