"""An engine that knows no hooks and answers frames from a table.

Lives here: a program for tests of the client and the command line. Not here: a real
engine (inspector.worker). Tests start it as `python frame_engine.py MODE`.

Modes: `plain` answers everything; the others go wrong at the first firing, or as their
name says.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inspector.contract.record import (
    Decision,
    Disposition,
    Failure,
    Fault,
    HookCall,
    LogEntry,
    Outcome,
    StepRecord,
)
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.protocol.frame import FrameDecoder, encode
from inspector.protocol.inspection import (
    CapsuleHead,
    GrantsView,
    HookView,
    Inspection,
    LimitsView,
)
from inspector.protocol.message import (
    Action,
    CapsuleOpened,
    Decide,
    Done,
    EngineReady,
    Event,
    EventFrame,
    Failed,
    Fire,
    Hello,
    Interrupt,
    Notice,
    Observe,
    OpenCapsule,
    Reply,
    ReplyFrame,
    RequestFrame,
    SessionStarted,
    Shutdown,
    StartSession,
    StepFinished,
)

OUT = os.dup(1)


class FrameEngine:
    """Answers one request after the other."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._seq = 0

    def serve(self) -> int:
        """Answer until stdin closes or a Shutdown arrives."""
        for frame in _frames():
            if isinstance(frame.body, Interrupt):
                self._reply(frame.id, Done())
                continue
            self._reply(frame.id, self._answer(frame.body))
            if isinstance(frame.body, Shutdown):
                if self._mode == "will-not-end":
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                    time.sleep(60)
                return 0
        return 0

    def _answer(self, body: object) -> Reply:
        if isinstance(body, Hello):
            self._event(EngineReady(os.getpid(), {"fake": "1.0"}))
        elif isinstance(body, OpenCapsule):
            if body.path.endswith("missing"):
                return Failed("unreadable-capsule", "there is nothing.", "Look.", body.path, 3, 4)
            self._event(CapsuleOpened(_inspection(body)))
        elif isinstance(body, StartSession):
            self._event(SessionStarted("ses_fake", "/w", "/a", "/h", {}, (), True))
        elif isinstance(body, Fire):
            return self._fire(body)
        return Done()

    def _fire(self, body: Fire) -> Reply:
        if self._mode != "die-at-shell":
            self._misbehave(self._mode)
        elif isinstance(body.action, Observe):
            self._misbehave("die")
        self._event(StepFinished(_record(body)))
        return Done()

    def _misbehave(self, mode: str) -> None:
        match mode:
            case "die":
                sys.stderr.write("the last words\n")
                sys.stderr.flush()
                os._exit(7)
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hang":
                sys.stderr.write("hanging\n")
                sys.stderr.flush()
                self._event(Notice("info", "hanging"))
                time.sleep(60)
            case "garbage":
                os.write(OUT, b"\xff\xff\xff\xff no frame")
                time.sleep(60)
            case "gap":
                self._seq += 1
                self._event(Notice("info", "one number is missing"))

    def _event(self, event: Event) -> None:
        self._seq += 1
        os.write(OUT, encode(EventFrame(self._seq, event)))

    @staticmethod
    def _reply(number: int, reply: Reply) -> None:
        os.write(OUT, encode(ReplyFrame(number, reply)))


def _frames() -> Iterator[RequestFrame]:
    decoder = FrameDecoder()
    while chunk := os.read(0, 1 << 16):
        for frame in decoder.feed(chunk):
            assert isinstance(frame, RequestFrame)
            yield frame


def _inspection(body: OpenCapsule) -> Inspection:
    hook = HookView(
        name="guard",
        version="1.0.0",
        source=None,
        binding="on-shell",
        execution_mode="blocking",
        commit_policy="deny",
        on_overflow="drop",
        lifecycle="murmur:hook/lifecycle@0.8.0",
        accepted=True,
        rejection=None,
        profiles={"0.1": False, "0.3": True, "0.4": False},
        exports=(),
        imports=(),
        grants=GrantsView((), None, None, False, False, None),
        env=(),
        events=(),
    )
    found = Diagnostic(Severity.ERROR, "E-CAP-001", "bad\nentry", "Mend it.", "m.yaml", 3, 4)
    return Inspection(
        format=1,
        capsule=CapsuleHead("fake", "1.2.3", body.path, body.profile),
        limits=LimitsView(1 << 20, 10, 5, 30),
        hooks=(hook,),
        diagnostics=(found,) if body.path.endswith("bad") else (),
    )


def _record(body: Fire) -> StepRecord:
    """A record by event: on-shell faults, on-tool-call traps, decisions deny."""
    action: Action = body.action
    if isinstance(action, Decide):
        denied = HookCall("guard", "blocking", "deny", Disposition.HONORED, "no", reason="no")
        outcome = Outcome(decision=Decision("denied", "guard", "no"))
        return StepRecord(body.step, action.event, "decide", calls=(denied,), outcome=outcome)
    if not isinstance(action, Observe):
        return StepRecord(body.step, str(action.__struct_config__.tag), "control")
    calls = {
        "on-shell": HookCall("guard", "blocking", "artifact", Disposition.FAULT, "x"),
        "on-tool-call": HookCall(
            "guard",
            "blocking",
            "error",
            Disposition.ERROR,
            error="it trapped",
            failure=Failure.TRAP,
            stdout="\x1b[31mred\0",
        ),
    }
    call = calls.get(action.event, HookCall("guard", "blocking", "none", Disposition.IGNORED))
    faults = (Fault("guard", "on-shell", "artifact"),) if action.event == "on-shell" else ()
    return StepRecord(
        body.step,
        action.event,
        "observe",
        calls=(call,),
        faults=faults,
        logs=(LogEntry("logs/hook-guard.log", "a line"),) if faults else (),
        fields=action.fields,
    )


if __name__ == "__main__":
    sys.exit(FrameEngine(sys.argv[1]).serve())
