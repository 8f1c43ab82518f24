"""Staging: on-stage on throwaway instances, and the manifests it writes.

Lives here: which hooks are staged, what each answer comes to, the files. Not here:
the session's own instances (session) and other events (dispatcher). Only runtime and
worker import it.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from inspector.contract.contract import Phase
from inspector.contract.profile import Profile
from inspector.contract.record import Disposition, Failure, HookCall, ManifestFile, Outcome
from inspector.manifest.rust_format import io_error
from inspector.runtime import call_entry, judge
from inspector.runtime.dispatcher import Dispatch
from inspector.runtime.event_record import event_record
from inspector.runtime.hook import CallAnswer, LiveHook
from inspector.runtime.hook_log import SessionLog
from inspector.runtime.instance import CallResult, InstantiationError

ON_STAGE = "on-stage"
MANIFEST_NAME = "murmur.yaml"


class StageResult(msgspec.Struct, frozen=True):
    """What staging came to.

    Attributes:
        dispatch: Calls and outcome, as of any event.
        findings: What was not written although the runtime would, in sentences.
    """

    dispatch: Dispatch
    findings: tuple[str, ...]


class Staging:
    """Dispatches on-stage to the hooks that it reaches.

    Source: spec/dispatch.md 2.
    """

    def __init__(
        self,
        hooks: Sequence[LiveHook],
        profile: Profile,
        log: SessionLog,
        session_dir: Path,
        call: Callable[[LiveHook, Mapping[str, Any]], CallAnswer] | None = None,
    ) -> None:
        """Prepare staging.

        Args:
            hooks: Every staged hook, in order; each makes instances for on-stage.
            profile: Contract and behaviour in force.
            log: Sink of the session's logs.
            session_dir: The session folder; `tools` below it is written.
            call: Calls a renewed hook; given when the caller wants to interrupt it.
        """
        self._hooks = [h for h in hooks if h.is_blocking and h.config.reaches(ON_STAGE)]
        self._profile = profile
        self._log = log
        self._session_dir = session_dir
        self._call = call or (lambda hook, fields: hook.instance.call(ON_STAGE, fields))

    def run(self, given: Mapping[str, Any]) -> StageResult:
        """Stage every hook, one after the other.

        Args:
            given: Fields of the stage-event; what is left out takes its default.

        Returns:
            Calls, written manifests and findings; a hook that fails stops no other.

        Raises:
            FieldError: when a field does not fit; nothing was dispatched then.
        """
        fields = event_record(self._profile.contract, ON_STAGE, Phase.OBSERVE, given, {})
        calls: list[HookCall] = []
        files: list[ManifestFile] = []
        findings: list[str] = []
        for hook in self._hooks:
            calls.append(self._stage(hook, fields, files, findings))
        outcome = Outcome(manifests=tuple(files))
        dispatch = Dispatch(ON_STAGE, Phase.OBSERVE, fields, tuple(calls), outcome)
        return StageResult(dispatch, tuple(findings))

    def _stage(
        self,
        hook: LiveHook,
        fields: dict[str, Any],
        files: list[ManifestFile],
        findings: list[str],
    ) -> HookCall:
        answer = self._answer(hook, fields)
        if answer.failure is not None:
            self._log.hook(hook.name, answer.text or "")
            return call_entry.failed(hook, answer, Disposition.ERROR)
        verdict = judge.judge(self._profile, ON_STAGE, Phase.OBSERVE, answer.answer)
        if verdict.disposition is Disposition.FAULT:
            # Logged only: no fault is buffered before the session exists.
            self._log.hook(hook.name, judge.unsupported_arm_text(hook.name, ON_STAGE, verdict.arm))
        elif verdict.disposition is Disposition.HONORED:
            for manifest in verdict.payload:
                self._write(hook.name, manifest, files, findings)
        return call_entry.answered(hook, answer, verdict, verdict.disposition)

    def _answer(self, hook: LiveHook, fields: dict[str, Any]) -> CallAnswer:
        try:
            hook.renew()
        except InstantiationError as error:
            is_absent = error.text == f"hook {hook.name}@{hook.version} missing {ON_STAGE}"
            failure = Failure.ABSENT if is_absent else Failure.REJECTED
            return CallResult(failure=failure, text=error.text, detail=error.detail)
        try:
            return self._call(hook, fields)
        finally:
            hook.close()

    def _write(
        self,
        hook: str,
        manifest: dict[str, str],
        files: list[ManifestFile],
        findings: list[str],
    ) -> None:
        binary = manifest["binary-name"]
        tools = self._session_dir / "tools"
        if _leaves(tools, binary):
            findings.append(_leaving_text(hook, binary))
            return
        folder = tools / binary
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            self._log.hook(hook, f"failed to create tool dir for {binary}: {io_error(error)}")
            return
        if not _inside(tools, folder / MANIFEST_NAME):
            findings.append(_leaving_text(hook, binary))
            return
        try:
            (folder / MANIFEST_NAME).write_bytes(manifest["content"].encode())
        except (OSError, ValueError) as error:
            self._log.hook(hook, f"failed to write manifest for {binary}: {io_error(error)}")
            return
        relative = os.path.relpath(folder / MANIFEST_NAME, self._session_dir)
        files.append(ManifestFile(binary, Path(relative).as_posix()))


def _leaves(tools: Path, binary: str) -> bool:
    """Whether joining the name, as the runtime does, leads out of the tools folder."""
    joined = os.path.normpath(tools / binary) if "\0" not in binary else str(tools)
    return not Path(joined).is_relative_to(os.path.normpath(tools))


def _inside(tools: Path, path: Path) -> bool:
    """Whether a path stays inside once symlinks, which a hook may have made, are followed."""
    return path.resolve().is_relative_to(tools.resolve())


def _leaving_text(hook: str, binary: str) -> str:
    return (
        f"hook '{hook}' wants a manifest for the binary {binary!r}, which leads out of the tools "
        "folder: the runtime would create that folder and write murmur.yaml there; the inspector "
        "wrote nothing."
    )
