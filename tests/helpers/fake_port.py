"""An engine without a process, for tests of the window.

Lives here: `FakePort`, which answers like a real one, from given values. Not here: the
values (sample_state).
"""

from collections.abc import Callable

from msgspec.structs import replace

from inspector.gui.engine_port import Answer, EngineEnd, EnginePort
from inspector.protocol.inspection import Inspection
from inspector.protocol.message import (
    CapsuleOpened,
    Done,
    EngineReady,
    Event,
    Failed,
    Fire,
    OpenCapsule,
    Reply,
    Request,
    StartSession,
    StepFinished,
    StepStarted,
)
from inspector.workbench.reducer import name_of
from tests.helpers import sample_state


class FakePort(EnginePort):
    """Keeps requests; answers the usual ones at once unless told to wait.

    Attributes:
        requests: Everything that was sent.
        inspection: What an opened capsule looks like.
        open_failure: What an open request is answered with instead, or None.
        is_patient: Whether firings stay open until `finish`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Request] = []
        self.inspection: Inspection = sample_state.inspection()
        self.open_failure: Failed | None = None
        self.is_patient = False
        self.interrupts = 0
        self._is_running = False
        self._open: list[tuple[int, Fire]] = []
        self.on_fire: Callable[[Fire], tuple[Event, ...]] = _plain_record

    @property
    def is_running(self) -> bool:
        return self._is_running

    def start(self) -> None:
        self._is_running = True
        self.tell(EngineReady(4711, {"wasmtime": "50.0.1"}))

    def send(self, request: Request) -> int:
        self.requests.append(request)
        number = len(self.requests)
        reply: Reply = Done()
        match request:
            case OpenCapsule() if self.open_failure is not None:
                reply = self.open_failure
            case OpenCapsule():
                self.tell(CapsuleOpened(self.inspection))
            case StartSession():
                states = sample_state.hook_states(self.inspection.hooks)
                self.tell(sample_state.session(f"ses_{number:02}"), *states)
            case Fire():
                self._open.append((number, request))
                if not self.is_patient:
                    self.finish()
                return number
        self._emit_answer(Answer(number, request, reply))
        return number

    def finish(self, reply: Reply | None = None) -> None:
        """Answer the oldest open firing."""
        number, request = self._open.pop(0)
        if reply is None:
            self.tell(*self.on_fire(request))
        self._emit_answer(Answer(number, request, reply or Done()))

    def interrupt(self) -> None:
        self.interrupts += 1

    def stop(self) -> None:
        self.die("The engine has ended.", wanted=True)

    def die(
        self, sentence: str = "The engine was killed (signal 9).", *, wanted: bool = False
    ) -> None:
        """End as a process does."""
        self._is_running = False
        self._open.clear()
        self._emit_ended(EngineEnd(wanted, sentence, "last words on stderr"))

    def tell(self, *events: Event) -> None:
        """Tell events."""
        self._emit_events(events)


def _plain_record(request: Fire) -> tuple[Event, ...]:
    event, phase = name_of(request.action)
    fields = getattr(request.action, "fields", None)
    calls = (sample_state.call("audit-trail"),) if phase in ("observe", "stage", "decide") else ()
    done = sample_state.record(request.step, event, *calls, phase=phase)
    done = replace(done, fields=fields)
    return StepStarted(request.step, event, phase, fields), StepFinished(done)
