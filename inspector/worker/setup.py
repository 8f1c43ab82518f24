"""From a capsule and settings to what a session is made with.

Lives here: folders, ids, environment, conversation files, the host's state. Not here:
making it (runtime.session). Only worker imports it.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from inspector import paths
from inspector.capsule.capsule import Capsule, EnvSettings
from inspector.contract.profile import Profile
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import SessionSettings
from inspector.runtime.host_state import HostPlan, HostState
from inspector.runtime.identifier import new_identifier
from inspector.runtime.session import PreparedHook, Session, SessionPlan

FORMATION_VARIABLE = "MURMUR_FORMATION_ID"
ENV_SETTINGS = {
    "otel-endpoint": "otel_endpoint",
    "formation-id": "formation_id",
    "eval-config": "eval_config",
    "case-id": "case_id",
    "dataset-id": "dataset_id",
}
"""Names in a scenario's `env` and the setting that each stands for."""

_SEGMENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,100}")


class SessionSetup(msgspec.Struct, frozen=True):
    """A session's plan, its id, the host's state, and sentences for the user."""

    plan: SessionPlan
    session_id: str
    host: HostState
    notices: tuple[str, ...] = ()


class Probe(msgspec.Struct, frozen=True):
    """What a launch in throwaway folders came to.

    Attributes:
        rejections: The runtime's text by hook, for those that cannot be instantiated.
        refusal: The runtime's text instead of a launch, or None.
        instantiate_us: Wall time of the instantiation by hook, for the others.
    """

    rejections: Mapping[str, str]
    refusal: str | None
    instantiate_us: Mapping[str, int]


def session_setup(capsule: Capsule, profile: Profile, settings: SessionSettings) -> SessionSetup:
    """Prepare a session; makes its folders.

    Args:
        capsule: The open capsule.
        profile: Contract and behaviour.
        settings: What the user wants otherwise than the capsule.

    Returns:
        Everything that Session needs.

    Raises:
        InspectorError: when a folder cannot be made or a setting is unknown.
    """
    session_id = settings.session_id or new_identifier("ses_")
    try:
        session_dir, accessible = _folders(settings, session_id)
        session_dir.mkdir(parents=True, exist_ok=True)
        root, notices = _conversation_root(capsule, settings, session_dir)
    except OSError as error:
        raise InspectorError(
            ErrorKind.NOT_WRITABLE,
            f"the session folder cannot be made: {error}",
            hint="Choose another --workdir, or free the place.",
        ) from error
    home = Path(settings.home).absolute() if settings.home else paths.private_home()
    plan = SessionPlan(
        profile=profile,
        limits=capsule.limits,
        context=_context(capsule, settings, session_id),
        shell_allow=capsule.shell_allow,
        env=_environment(capsule, settings.env),
        session_dir=session_dir,
        accessible_dir=accessible,
        home=home,
        held=settings.held,
        lenient_imports=settings.lenient_imports,
    )
    if root is None and capsule.record_name is not None and not settings.conversation:
        root = home / "conversations" / capsule.record_name
    host_plan = HostPlan(session_id, settings.inference, root, accessible, settings.lenient_imports)
    host = HostState(profile, capsule, host_plan)
    return SessionSetup(plan, session_id, host, notices)


def probe_session(
    capsule: Capsule,
    profile: Profile,
    hooks: Sequence[PreparedHook],
    folder: Path,
    *,
    lenient: bool,
) -> Probe:
    """Instantiate every hook in throwaway folders, as a launch would.

    Args:
        capsule: The open capsule.
        profile: Contract and behaviour.
        hooks: Its hooks, compiled or refused.
        folder: An empty folder that the caller removes.
        lenient: Whether unknown imports become traps.

    Returns:
        What the launch came to.
    """
    settings = SessionSettings(
        workdir=str(folder), home=str(folder / "home"), lenient_imports=lenient
    )
    setup = session_setup(capsule, profile, settings)
    session = Session(setup.plan, hooks, setup.host, lambda _hook, _entry, _step: None)
    session.close()
    spent = {hook.name: hook.instantiate_us for hook in session.dispatcher.hooks}
    return Probe(session.rejections, session.launch_refusal, spent)


def _folders(settings: SessionSettings, session_id: str) -> tuple[Path, Path]:
    """Session folder and accessible folder (spec/artifact.md 5)."""
    name = session_id if _SEGMENT.fullmatch(session_id) else new_identifier("ses_")
    if settings.workdir is not None:
        accessible = Path(settings.workdir).absolute()
        return accessible / ".murmur" / name, accessible
    folder = paths.new_run_dir() / name
    return folder, folder


def _context(capsule: Capsule, settings: SessionSettings, session_id: str) -> dict[str, Any]:
    capabilities = settings.capabilities
    return {
        "capsule-name": capsule.name,
        "capsule-version": capsule.version,
        "session-id": session_id,
        "model": capsule.model if settings.model is None else settings.model,
        "capabilities": list(capsule.capabilities if capabilities is None else capabilities),
    }


def _environment(capsule: Capsule, given: Mapping[str, str]) -> EnvSettings:
    unknown = next((name for name in given if name not in ENV_SETTINGS), None)
    if unknown is not None:
        known = ", ".join(ENV_SETTINGS)
        raise InspectorError(
            ErrorKind.BAD_EVENT, f"env: unknown setting {unknown!r}; there are {known}"
        )
    base = capsule.env
    if base.formation_id is None:
        # The runtime passes on its own process's variable.
        base = msgspec.structs.replace(base, formation_id=os.environ.get(FORMATION_VARIABLE))
    changed = {ENV_SETTINGS[name]: value for name, value in given.items()}
    return msgspec.structs.replace(base, **changed)


def _conversation_root(
    capsule: Capsule, settings: SessionSettings, session_dir: Path
) -> tuple[Path | None, tuple[str, ...]]:
    """A record of the session's own when messages are given, so that no real one changes."""
    if not settings.conversation:
        return None, ()
    if capsule.record_name is None:
        return None, (
            "The capsule keeps no conversation record, so the messages given are not read.",
        )
    root = session_dir / "conversations"
    for context, messages in settings.conversation.items():
        if not _SEGMENT.fullmatch(context):
            raise InspectorError(
                ErrorKind.BAD_EVENT,
                f"conversation: {context!r} is no context id that can name a folder",
            )
        folder = root / context
        folder.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(message, ensure_ascii=False) + "\n" for message in messages)
        (folder / "conversation.jsonl").write_text("".join(lines), "utf-8")
    return root, ()
