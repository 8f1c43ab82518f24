"""The rows of what can be loaded."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from inspector.contract.profile import PROFILES
from inspector.gui.models.fixture_model import Column, FixtureModel
from inspector.gui.models.form_composition import Composition
from inspector.workbench.fixture_store import Entry, Listing

CONTRACT = PROFILES["0.3"].contract


def entry(name, event="on-shell", *, phase="observe", own=True, star=False, usable=True, note=""):
    """A file in a list."""
    return Entry(f"/f/{name}.json", name, event, phase, own, star, usable, note, "00")


LISTING = Listing(
    (
        entry("favourite", "on-stage", star=True),
        entry("guard", phase="decide"),
        entry("plan", "on-inference"),
        entry("shared", own=False),
        entry("broken", "", phase="", usable=False, note="broken.json is empty."),
    )
)


@pytest.fixture
def model(qtbot):
    """A model under the tester, with files and a composition of on-shell."""
    made = FixtureModel()
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Warning)
    made.set_composition(Composition(CONTRACT, "on-shell", {}))
    made.set_listing(LISTING)
    return made


def names(model):
    """What is shown, from the top."""
    return [model.index(row, Column.NAME).data() for row in range(model.rowCount())]


class TestRows:
    """Order and cells."""

    def test_favourites_then_the_event_then_ready_made_then_the_rest(self, model):
        """What is wanted most often stands on top."""
        shown = names(model)
        assert shown[:5] == ["favourite", "guard", "shared", "Defaults", "Example"]
        assert shown[5] == "Empty"
        assert shown[-2:] == ["plan", "broken"]
        assert model.total == len(shown)

    def test_cells_tell_event_phase_and_kind(self, model):
        """In words, not by pictures alone."""
        cells = [[model.index(r, c).data() for c in Column] for r in (1, 2, 4)]
        assert cells == [
            ["guard", "on-shell · decide", "fixture"],
            ["shared", "on-shell", "capsule's"],
            ["Example", "on-shell", "ready-made"],
        ]
        star = model.index(0, Column.NAME).data(Qt.ItemDataRole.AccessibleTextRole)
        assert star == "favourite, favourite, on-stage fixture"
        assert model.headerData(0, Qt.Orientation.Horizontal) == "Name"

    def test_what_is_no_fixture_says_why(self, model):
        """And cannot be loaded."""
        pick = model.pick(model.rowCount() - 1)
        assert (pick.kind, pick.note) == ("no fixture", "broken.json is empty.")
        assert not pick.is_usable
        assert not pick.is_own

    def test_without_a_contract_only_files_are_there(self, model):
        """And without files nothing."""
        model.set_composition(None)
        assert names(model) == ["favourite", "guard", "plan", "shared", "broken"]
        model.set_listing(Listing())
        assert model.rowCount() == 0
        assert model.pick(0) is None

    def test_same_files_change_nothing(self, model, qtbot):
        """A look every second must not disturb."""
        with qtbot.assertNotEmitted(model.modelReset):
            model.set_listing(Listing(LISTING.entries))

    def test_file_is_found_by_its_path(self, model):
        """Or not."""
        assert model.row_of("/f/guard.json") == 1
        assert model.row_of("/f/none.json") == -1


class TestSearch:
    """Every word has to be there."""

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("GUARD", ["guard"]),
            ("decide on-shell fixture", ["guard"]),
            ("largest", ["Largest numbers"]),
            ("edge nul", ["NUL character"]),
            ("favourite", ["favourite"]),
            ("is empty", ["broken"]),
            ("capsule's", ["shared"]),
            ("nothing-has-this", []),
        ],
    )
    def test_words_in_any_column_find(self, model, text, found):
        """Whatever their case and order."""
        model.set_search(text)
        assert [name for name in names(model) if name in found] == found
        if text != "is empty":
            assert len(names(model)) == len(found)

    def test_search_stays_when_files_change(self, model):
        """The other program's new file is not pushed in."""
        model.set_search("plan")
        model.set_listing(Listing((*LISTING.entries, entry("new"))))
        assert names(model) == ["plan"]
