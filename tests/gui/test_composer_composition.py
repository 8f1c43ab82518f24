"""Form and text as two views of one value, and what would be fired."""

import math

import pytest

from inspector.contract.contract import EVENTS, Phase, load
from inspector.contract.value import complete
from inspector.gui.models.form_composition import Composition
from inspector.protocol.message import Decide, Observe
from inspector.workbench.draft import Draft
from inspector.workbench.value_text import to_text

CONTRACT = load("0.8.0")


@pytest.fixture
def make(qtbot):
    """Makes compositions and lets them go."""
    made = []

    def compose(event="on-shell", version="0.8.0", given=None):
        made.append(Composition(load(version), event, given or {}))
        return made[-1]

    yield compose
    for composition in made:
        composition.deleteLater()


class TestAction:
    """What would be fired."""

    @pytest.mark.parametrize("event", EVENTS)
    def test_untouched_form_fires_defaults(self, make, event):
        """Every field at its default, a call with an outcome."""
        action = make(event).action()
        assert isinstance(action, Observe)
        record = CONTRACT.record(event)
        wanted = complete(record, {})
        if "outcome" in wanted:
            assert action.fields["outcome"] is not None
            wanted["outcome"] = action.fields["outcome"]
        assert action.fields == wanted

    @pytest.mark.parametrize("event", ["on-shell", "on-tool-call"])
    def test_decision_has_no_outcome(self, make, event):
        """In both views."""
        composition = make(event)
        composition.set_phase(Phase.DECIDE)
        for mode in ("form", "text"):
            composition.set_mode(mode)
            action = composition.action()
            assert isinstance(action, Decide)
            assert action.fields["outcome"] is None

    def test_phase_that_an_event_does_not_have_is_not_taken(self, make):
        """Only two events are asked before the fact."""
        composition = make("on-stage")
        composition.set_phase(Phase.DECIDE)
        assert composition.phase is Phase.OBSERVE
        old = make("on-shell", "0.2.0")
        old.set_phase(Phase.DECIDE)
        assert old.phase is Phase.OBSERVE

    def test_outcome_is_back_after_a_decision(self, make):
        """Switching there and back loses nothing, in both views."""
        composition = make()
        composition.form.set(("outcome", "exit-code"), 7)
        for mode in ("form", "text"):
            composition.set_mode(mode)
            composition.set_phase(Phase.DECIDE)
            assert composition.action().fields["outcome"] is None
            composition.set_phase(Phase.OBSERVE)
            assert composition.action().fields["outcome"]["exit-code"] == 7

    def test_outcome_edited_in_text_survives_a_decision(self, make):
        """The text's own outcome comes back, not an older one."""
        composition = make()
        composition.set_mode("text")
        composition.set_text('{"outcome": {"exit-code": 3}}')
        composition.set_phase(Phase.DECIDE)
        composition.set_phase(Phase.OBSERVE)
        assert composition.action().fields["outcome"]["exit-code"] == 3

    def test_problem_in_the_form_fires_nothing(self, make):
        """No older value goes out in its place."""
        composition = make()
        composition.form.set(("turn",), 5)
        composition.form.set_typed(("turn",), "5x", "Wants digits.")
        assert composition.action() is None
        (problem,) = composition.problems()
        assert problem.sentence == "turn: wants digits."
        assert problem.path == ("turn",)

    def test_problem_in_the_outcome_does_not_stop_a_decision(self, make):
        """What is not sent cannot be wrong."""
        composition = make()
        composition.form.set_typed(("outcome", "exit-code"), "x", "Wants digits.")
        assert composition.action() is None
        composition.set_phase(Phase.DECIDE)
        assert composition.action().fields["outcome"] is None

    def test_invalid_text_fires_nothing(self, make):
        """Not the last valid text either."""
        composition = make()
        composition.set_mode("text")
        composition.set_text('{"turn": 1}')
        assert composition.action().fields["turn"] == 1
        composition.set_text('{"turn": 1')
        assert composition.action() is None
        assert composition.fields() is None
        (problem,) = composition.problems()
        assert (problem.line, problem.column) == (1, 11)
        assert problem.sentence.startswith("Line 1, column 11: ")

    def test_outcome_in_the_text_of_a_decision_is_told(self, make):
        """It is refused with its place, not dropped."""
        composition = make()
        composition.set_phase(Phase.DECIDE)
        composition.set_mode("text")
        composition.set_text('{"turn": 1,\n "outcome": {}}')
        assert composition.action() is None
        assert composition.problems()[0].line == 2
        assert "outcome" in composition.problems()[0].sentence


class TestTwoViews:
    """Form to text to form."""

    def test_text_shows_the_form(self, make):
        """Every field, exact."""
        composition = make("on-session-end")
        composition.form.set(("duration-ms",), 2**64 - 1)
        composition.set_mode("text")
        assert composition.text() == to_text(composition.form.value())
        assert str(2**64 - 1) in composition.text()

    def test_form_shows_the_text(self, make):
        """A valid text is in the form at once when that is shown."""
        composition = make()
        composition.set_mode("text")
        composition.set_text('{"argv": ["a"], "script": ""}')
        assert composition.set_mode("form")
        assert composition.form.get(("argv",)) == ["a"]
        assert composition.form.get(("script",)) == ""
        assert composition.form.get(("outcome",)) is None

    def test_form_cannot_show_a_broken_text(self, make):
        """The text stays, to the letter."""
        composition = make()
        composition.set_mode("text")
        composition.set_text("{ broken")
        assert not composition.set_mode("form")
        assert composition.mode == "text"
        assert composition.text() == "{ broken"

    def test_discarding_goes_back_to_the_last_valid_text(self, make):
        """What was right before the mistake is not lost."""
        composition = make()
        composition.set_mode("text")
        composition.set_text('{"turn": 42}')
        assert composition.problems() == []
        composition.set_text('{"turn": 42')
        assert composition.problems() != []
        composition.discard_text()
        assert composition.mode == "form"
        assert composition.form.get(("turn",)) == 42

    def test_wrong_number_in_the_form_stands_in_the_text(self, make):
        """What was typed is shown there too, with its error."""
        composition = make()
        composition.form.set_typed(("turn",), "99999999999", "Too large.")
        composition.set_mode("text")
        assert "99999999999" in composition.text()
        assert "turn" in composition.problems()[0].sentence

    def test_own_layout_of_the_text_stays(self, make):
        """Looking at the form and back does not reformat a text."""
        composition = make()
        typed = '{"turn":   3, "outcome": null}'
        composition.set_mode("text")
        composition.set_text(typed)
        composition.set_mode("form")
        composition.set_mode("text")
        assert composition.text() == typed
        composition.set_mode("form")
        composition.form.set(("turn",), 4)
        composition.set_mode("text")
        assert '"turn": 4' in composition.text()

    def test_yaml_is_taken(self, make):
        """The spelling of scenario files."""
        composition = make()
        composition.set_mode("text")
        composition.set_text("turn: 3\nargv: [-l]\n")
        assert composition.action().fields["argv"] == ["-l"]

    def test_nan_survives_both_views(self, make):
        """A number that equals nothing is kept."""
        composition = make("on-compaction")
        composition.form.set(("threshold",), math.nan)
        composition.set_mode("text")
        composition.set_mode("form")
        assert math.isnan(composition.fields()["threshold"])
        assert composition.action().fields["threshold"] == "NaN"


class TestBigValues:
    """Values that no editor is given."""

    @pytest.fixture
    def big(self, make):
        composition = make()
        fields = {case.name: case.fields for case in composition.edge_cases()}
        composition.load(fields["1 MiB of text"])
        composition.set_mode("text")
        return composition

    def test_text_is_a_picture_and_the_whole_is_fired(self, big):
        """What is cut on the screen is not cut in the call."""
        assert big.is_held()
        assert len(big.text()) < 10_000
        assert "1,048,576 characters in all" in big.text()
        assert len(big.action().fields["outcome"]["stdout"]) == 1_048_576

    def test_form_is_a_step_away(self, big):
        """There and back, held again."""
        assert big.set_mode("form")
        assert not big.is_held()
        assert len(big.action().fields["outcome"]["stdout"]) == 1_048_576
        big.set_mode("text")
        assert big.is_held()

    def test_undo_brings_back_what_can_be_edited(self, big):
        """A big value loaded by mistake is no trap."""
        big.undo()
        assert not big.is_held()
        assert big.text() == to_text(big.form.value())
        big.redo()
        assert big.is_held()

    def test_decision_drops_the_big_outcome(self, big):
        """The picture follows the phase."""
        big.set_phase(Phase.DECIDE)
        assert '"outcome": null' in big.text()
        assert big.action().fields["outcome"] is None


class TestLoading:
    """Ready-made values."""

    def test_loaded_fields_are_shown_and_can_be_taken_back(self, make):
        """In the form."""
        composition = make()
        before = composition.form.value()
        composition.load(composition.example())
        assert composition.form.get(("binary",)) == "/usr/bin/pytest"
        composition.undo()
        assert composition.form.value() == before

    def test_loaded_fields_are_written_as_text(self, make, qtbot):
        """In text mode, over whatever stood there."""
        composition = make()
        composition.set_mode("text")
        composition.set_text("{ broken")
        with qtbot.waitSignal(composition.text_replaced):
            composition.load(composition.example())
        assert composition.action().fields["binary"] == "/usr/bin/pytest"

    def test_loading_for_a_decision_keeps_the_outcome(self, make):
        """The outcome is not shown then, so it is not replaced."""
        composition = make()
        composition.form.set(("outcome", "exit-code"), 9)
        composition.set_phase(Phase.DECIDE)
        composition.load(composition.example())
        composition.set_phase(Phase.OBSERVE)
        assert composition.form.get(("outcome", "exit-code")) == 9


class TestSessionFields:
    """What the session gives."""

    def test_untouched_form_follows(self, make):
        """A new session's id is in the form."""
        composition = make("on-session-start", given={"session-id": "ses_1"})
        composition.set_given({"session-id": "ses_2"})
        assert composition.action().fields["session-id"] == "ses_2"

    def test_touched_form_stays(self, make):
        """What was typed is not replaced."""
        composition = make("on-session-start", given={"session-id": "ses_1"})
        composition.form.set(("session-id",), "mine")
        composition.set_given({"session-id": "ses_2"})
        assert composition.action().fields["session-id"] == "mine"
        assert composition.starting_fields()["session-id"] == "ses_2"

    def test_fields_that_do_not_fit_do_no_harm(self, make):
        """A session of another contract gives what it can."""
        composition = make("on-session-start", given={"session-id": 5})
        assert composition.action().fields["session-id"] == ""


class TestDrafts:
    """Everything typed goes out and comes back."""

    def _moved(self, make, composition):
        draft = composition.draft()
        other = make(draft.event)
        other.apply_draft(draft)
        return other

    def test_form_comes_back(self, make):
        """Values and wrong numbers alike."""
        composition = make()
        composition.form.set(("argv",), ["a\0b", ""])
        composition.form.set_typed(("turn",), "12x", "Wants digits.")
        other = self._moved(make, composition)
        assert other.form.get(("argv",)) == ["a\0b", ""]
        assert other.form.typed(("turn",)).text == "12x"
        assert other.draft() == composition.draft()

    def test_text_comes_back_to_the_letter(self, make):
        """Valid or not."""
        for text in ('{"turn": 1}', "{ broken", "", "turn: 3"):
            composition = make()
            composition.set_mode("text")
            composition.set_text(text)
            other = self._moved(make, composition)
            assert (other.mode, other.text()) == ("text", text)
            assert other.draft() == composition.draft()

    def test_decision_comes_back_with_an_outcome_for_the_observation(self, make):
        """A kept decision has none; the form behind it has one to go on with."""
        composition = make()
        composition.set_phase(Phase.DECIDE)
        draft = composition.draft()
        assert draft.fields["outcome"] is None
        other = self._moved(make, composition)
        assert other.phase is Phase.DECIDE
        other.set_phase(Phase.OBSERVE)
        assert other.action().fields["outcome"] is not None

    def test_big_value_comes_back_held(self, make):
        """The picture is not taken for the value."""
        composition = make()
        composition.form.set(("binary",), "x" * 200_000)
        composition.set_mode("text")
        other = self._moved(make, composition)
        assert other.is_held()
        assert len(other.action().fields["binary"]) == 200_000

    def test_floats_without_digits_come_back(self, make):
        """The draft is JSON."""
        composition = make("on-compaction")
        composition.form.set(("threshold",), math.inf)
        assert composition.draft().fields["threshold"] == "Infinity"
        assert self._moved(make, composition).form.get(("threshold",)) == math.inf

    def test_draft_of_another_contract_gives_what_fits(self, make):
        """Unknown fields go, an unknown phase becomes observe."""
        old = make("on-shell", "0.2.0")
        old.apply_draft(Draft("on-shell", "decide", "form", "", {"binary": "/x", "turn": 4}))
        assert old.phase is Phase.OBSERVE
        assert old.action().fields["turn"] == 4
        assert "binary" not in old.action().fields
