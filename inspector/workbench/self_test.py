"""Checks of an installation against a real engine.

Lives here: the checks of `selftest`. Not here: printing them (cli). Only the command
line and the bundle's own test import it.
"""

from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from inspector import assets
from inspector.contract.contract import EVENTS, load, versions
from inspector.contract.profile import DEFAULT_PROFILE
from inspector.contract.record import StepRecord
from inspector.errors import InspectorError
from inspector.protocol.inspection import Inspection
from inspector.protocol.message import (
    Action,
    CapsuleOpened,
    Decide,
    Drain,
    Fire,
    Observe,
    OpenCapsule,
    SessionStarted,
    StartSession,
    StepFinished,
)
from inspector.workbench.client import EngineClient, last_event
from inspector.workbench.formatting import count_text, duration_text

SAMPLE = "tour"


class CheckResult(msgspec.Struct, frozen=True):
    """One check: its name, whether it passed, and what was seen."""

    name: str
    passed: bool
    detail: str


class SelfTest:
    """Runs checks one after the other; each needs the ones before."""

    def __init__(self, client: EngineClient) -> None:
        self._client = client
        self._inspection: Inspection | None = None
        self._step = 0

    def results(self) -> Iterator[CheckResult]:
        """Run the checks; stops after the first one that breaks off."""
        for name, check in self._checks():
            try:
                detail = check()
            except (InspectorError, _FailedCheck, OSError, KeyError) as error:
                text = error.sentence() if isinstance(error, InspectorError) else str(error)
                yield CheckResult(name, False, text)
                if not isinstance(error, _FailedCheck):
                    return
            else:
                yield CheckResult(name, True, detail)

    def _checks(self) -> Iterator[tuple[str, Callable[[], str]]]:
        yield "contracts", _contracts
        yield "samples", _samples
        yield "engine", self._engine
        yield "capsule", self._open
        yield "session", self._session
        for event in EVENTS:
            yield event, partial(self._observe, event)
        for event in load(versions()[-1]).rules.decide:
            yield f"decide {event}", partial(self._decide, event)
        yield "drain", self._drain
        yield "end", self._end

    def _engine(self) -> str:
        self._client.start()
        ready = self._client.ready
        _require(ready is not None, "the engine said nothing of itself")
        assert ready is not None
        return ", ".join(f"{name} {version}" for name, version in ready.versions.items())

    def _open(self) -> str:
        events = self._client.request(OpenCapsule(f"sample:{SAMPLE}", DEFAULT_PROFILE))
        self._inspection = last_event(events, CapsuleOpened).inspection
        hooks = self._inspection.hooks
        _require(bool(hooks), "the sample has no hooks")
        rejected = [hook.name for hook in hooks if not hook.accepted]
        _require(not rejected, f"rejected: {', '.join(rejected)}")
        return f"{self._inspection.capsule.name}, {count_text(len(hooks), 'hook')}"

    def _session(self) -> str:
        started = last_event(self._client.request(StartSession()), SessionStarted)
        return started.session_id

    def _observe(self, event: str) -> str:
        assert self._inspection is not None
        record = self._fire(Observe(event))
        wanted = {
            hook.name
            for hook in self._inspection.hooks
            if any(view.event == event and view.reached for view in hook.events)
        }
        got = {call.hook for call in record.calls}
        _require(wanted == got, f"reached {sorted(got)} instead of {sorted(wanted)}")
        return _healthy(record)

    def _decide(self, event: str) -> str:
        record = self._fire(Decide(event))
        decision = record.outcome.decision
        _require(decision is not None, "there is no decision")
        assert decision is not None
        return f"{decision.verdict}, {_healthy(record)}"

    def _drain(self) -> str:
        return _healthy(self._fire(Drain()))

    def _end(self) -> str:
        self._client.close()
        return "the engine has ended"

    def _fire(self, action: Action) -> StepRecord:
        self._step += 1
        return last_event(self._client.request(Fire(self._step, action)), StepFinished).record


class _FailedCheck(Exception):  # noqa: N818 - it never leaves this module
    """What was wrong, in one sentence."""


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise _FailedCheck(sentence)


def _healthy(record: StepRecord) -> str:
    failed = [f"{c.hook} {c.failure}: {c.error}" for c in record.calls if c.failure is not None]
    _require(not failed, "; ".join(failed))
    spent = duration_text(record.duration_us) or "0 µs"
    return f"{count_text(len(record.calls), 'call')}, {spent}"


def _contracts() -> str:
    return ", ".join(f"lifecycle@{load(version).version}" for version in versions())


def _samples() -> str:
    names = assets.sample_names()
    _require(SAMPLE in names, f"there is no sample {SAMPLE}")
    return ", ".join(names)
