"""What may be done, why not, and the requests that do it."""

import pytest
from msgspec.structs import replace

from inspector.contract.contract import EVENTS, Phase
from inspector.contract.profile import PROFILES
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import (
    Decide,
    Drain,
    Fire,
    Observe,
    OpenCapsule,
    SessionSettings,
    StartSession,
)
from inspector.workbench import command
from inspector.workbench.state import (
    Engine,
    EngineStatus,
    Firing,
    FiringStatus,
    Session,
    State,
)
from tests.helpers.sample_state import inspection, session

READY = State(
    engine=Engine(EngineStatus.READY),
    path="/c",
    inspection=inspection(),
    session=Session(1, session()),
)
CONTRACT = PROFILES["0.3"].contract


class TestPermissions:
    """can_..."""

    def test_ready_state_allows_the_usual(self):
        """Open, fire, reload, hold, reset."""
        assert command.can_open(READY) == ""
        assert command.can_fire(READY) == ""
        assert command.can_reload(READY) == ""
        assert command.can_hold(READY) == ""
        assert command.can_reset(READY, "gatekeeper") == ""

    @pytest.mark.parametrize(
        ("state", "reason"),
        [
            (State(), "Open a capsule first."),
            (replace(READY, opening=True), "being opened"),
            (replace(READY, engine=Engine(EngineStatus.LOST)), "restart it first"),
            (replace(READY, session=None), "No session is running"),
        ],
    )
    def test_reasons_not_to_fire(self, state, reason):
        """Each in a sentence."""
        assert reason in command.can_fire(state)

    def test_running_call_allows_stop_alone(self):
        """Opening would end its session; firing queues."""
        running = replace(READY, running=(1,))
        assert command.can_open(running)
        assert command.can_reset(running, "gatekeeper")
        assert command.can_interrupt(running) == ""
        assert command.can_fire(running) == ""

    def test_stop_once(self):
        """A second press changes nothing."""
        assert command.can_interrupt(READY) == "Nothing is running."
        stopping = replace(READY, running=(1,), interrupting=True)
        assert command.can_interrupt(stopping) == "Stopping already."

    def test_restart_needs_an_ended_engine(self):
        """Lost or stopped."""
        assert command.can_restart(READY)
        for status in (EngineStatus.LOST, EngineStatus.STOPPED):
            assert command.can_restart(replace(READY, engine=Engine(status))) == ""

    def test_reset_needs_an_accepted_hook(self):
        """A rejected one has no instance."""
        assert command.can_reset(READY, None) == "Choose a hook first."
        assert command.can_reset(READY, "legacy") == "legacy has no instance."
        assert command.can_reset(READY, "nobody") == "nobody has no instance."

    def test_refire(self):
        """Control steps of a recording have no action."""
        drain = Firing(1, "drain", "control", FiringStatus.FINISHED, 1)
        assert command.can_refire(READY, None) == "Choose a firing first."
        assert command.can_refire(READY, drain) == "drain cannot be fired again."
        assert command.can_refire(READY, replace(drain, action=Drain())) == ""


class TestRequests:
    """What is sent."""

    def test_open(self):
        """With profile and home."""
        assert command.open_request("/c", "0.1", "/h") == OpenCapsule("/c", "0.1", "/h")

    def test_unknown_profile_is_refused(self):
        """With the known ones."""
        with pytest.raises(InspectorError, match=r"no runtime profile 0\.7") as caught:
            command.open_request("/c", "0.7")
        assert (caught.value.kind, "0.1, 0.3, 0.4" in caught.value.hint) == (
            ErrorKind.USAGE,
            True,
        )

    def test_path_that_is_no_text_is_refused(self):
        """No frame could carry it."""
        with pytest.raises(InspectorError, match="is no text"):
            command.open_request("/a/\udcff", "0.3")

    def test_start_takes_the_settings_as_they_are(self):
        """What the form shows is what is sent."""
        settings = SessionSettings(model="m", held=True)
        assert command.start_request(settings) == StartSession(settings)

    def test_lenient_imports_count_when_a_capsule_is_opened(self):
        """Hooks are linked on trial then."""
        assert command.open_request("/c", "0.3", lenient_imports=True).lenient_imports
        assert not command.open_request("/c", "0.3").lenient_imports

    def test_fresh_session_needs_an_idle_engine_and_a_capsule(self):
        """Each reason is a sentence."""
        assert command.can_start(State()) == "Open a capsule first."
        opened = replace(READY, inspection=inspection())
        assert command.can_start(opened) == ""
        assert command.can_start(replace(opened, running=(3,))).startswith("A call is running")
        assert command.can_start(replace(opened, recording="/r")) == command.IN_RECORDING

    def test_memory_needs_an_instance(self):
        """A rejected hook has none."""
        opened = replace(READY, inspection=inspection())
        assert command.can_read_memory(opened, "compactor") == ""
        assert command.can_read_memory(opened, "legacy") == "legacy has no instance."
        assert command.can_read_memory(opened, "nobody") == "nobody has no instance."

    def test_fire_counts_on(self):
        """Numbers are unique within a window."""
        state = replace(READY, last_step=41)
        assert command.fire_request(state, Observe("on-shell")) == Fire(42, Observe("on-shell"))

    def test_action_of_a_replayed_row(self):
        """Made again from event, phase and fields."""
        row = Firing(1, "on-shell", "decide", FiringStatus.FINISHED, 1, fields={"turn": 1})
        assert command.action_of(row) == Decide("on-shell", {"turn": 1})
        assert command.action_of(replace(row, phase="observe")) == Observe("on-shell", {"turn": 1})
        assert command.action_of(replace(row, fields=None)) is None


class TestCompose:
    """compose."""

    @pytest.mark.parametrize("event", EVENTS)
    def test_no_fields_are_completed(self, event):
        """Every event fires with its defaults."""
        action = command.compose(CONTRACT, event, Phase.OBSERVE, {})
        assert isinstance(action, Observe)
        assert list(action.fields) == [field.name for field in CONTRACT.record(event).fields]

    def test_largest_u64_is_exact(self):
        """No rounding."""
        action = command.compose(CONTRACT, "on-tool-call", Phase.DECIDE, {"input-bytes": 2**64 - 1})
        assert action.fields["input-bytes"] == 2**64 - 1

    @pytest.mark.parametrize(
        ("event", "phase", "fields", "sentence"),
        [
            ("on-fire", Phase.OBSERVE, {}, "There is no event on-fire."),
            ("on-stage", Phase.DECIDE, {}, "on-stage has no decision point under lifecycle@0.8.0"),
            ("on-shell", Phase.OBSERVE, {"turn": -1}, "on-shell: turn: wants 0 to 4294967295"),
            ("on-shell", Phase.OBSERVE, {"nope": 1}, "unknown field 'nope'"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, event, phase, fields, sentence):
        """With event and field."""
        with pytest.raises(InspectorError) as caught:
            command.compose(CONTRACT, event, phase, fields)
        assert sentence in caught.value.message
        assert caught.value.kind is ErrorKind.BAD_EVENT


class TestDefaults:
    """default_fields."""

    def test_session_gives_three_events_their_fields(self):
        """Context, binaries and turns; they fit the contract."""
        given = {event: command.default_fields(READY, event) for event in EVENTS}
        assert {event for event, fields in given.items() if fields} == {
            "on-stage",
            "on-session-start",
            "on-session-end",
        }
        assert given["on-stage"] == {"shell-allow": ["bash", "git"]}
        for event, fields in given.items():
            command.compose(CONTRACT, event, Phase.OBSERVE, fields)

    def test_no_session_gives_nothing(self):
        """Type defaults hold then."""
        assert command.default_fields(State(), "on-session-start") == {}


def test_phases__by_event__decide_where_an_arm_is_honored():
    """Two events under 0.8.0, none under 0.2.0."""
    deciding = [event for event in EVENTS if len(command.phases(CONTRACT, event)) == 2]
    assert deciding == ["on-tool-call", "on-shell"]
    old = PROFILES["0.1"].contract
    assert all(command.phases(old, event) == (Phase.OBSERVE,) for event in EVENTS)
