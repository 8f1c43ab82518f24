"""Every model under Qt's own tester: empty, after an append, after a reset."""

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from inspector.gui import theme
from inspector.gui.models.finding_model import FindingModel
from inspector.gui.models.hook_model import NOT_LOADED, HookModel
from inspector.gui.models.line_model import LineModel
from inspector.gui.models.log_model import LogModel
from inspector.gui.models.property_model import Property, PropertyModel
from inspector.gui.models.timeline_model import TimelineModel
from inspector.gui.models.value_model import ValueModel
from inspector.protocol.message import HookState, LogAppended, StepFinished
from tests.helpers import sample_state

ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.DecorationRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.ForegroundRole,
    Qt.ItemDataRole.FontRole,
    Qt.ItemDataRole.TextAlignmentRole,
    Qt.ItemDataRole.AccessibleTextRole,
)


def watched(model: QAbstractItemModel) -> QAbstractItemModel:
    """Watch a model for the rest of the test; Qt warns of whatever it does wrong."""
    watcher = QAbstractItemModelTester(
        model, QAbstractItemModelTester.FailureReportingMode.Warning, model
    )
    # It would fetch the next batch while it is being told of the last one.
    watcher.setUseFetchMore(False)
    return model


def read_all(model: QAbstractItemModel, parent: QModelIndex | None = None) -> int:
    """Ask for every role of every cell; gives the number of rows."""
    parent = parent or QModelIndex()
    rows = model.rowCount(parent)
    for row in range(rows):
        for column in range(model.columnCount(parent)):
            for role in ROLES:
                model.index(row, column, parent).data(role)
        rows += read_all(model, model.index(row, 0, parent))
    return rows


def texts(model: QAbstractItemModel, column: int = 0) -> list[str]:
    """The texts of a column."""
    return [model.index(row, column).data() for row in range(model.rowCount())]


class TestTimelineModel:
    """TimelineModel."""

    def test_grows_and_resets(self, bridge, engine):
        """Empty, appended in one batch, filtered."""
        model = watched(TimelineModel(bridge))
        assert read_all(model) == 0
        bridge.open_capsule("/c")
        engine.tell(*map(StepFinished, sample_state.demo_records()))
        bridge.flush()
        assert read_all(model) == 1 + 7 + 8  # a mark, the firings, calls of those with two
        model._refilter()
        assert read_all(model) == 16


class TestHookModel:
    """HookModel."""

    def test_follows_the_capsule_and_the_engine(self, bridge, engine):
        """Rows of the inspection; states of the engine; neither moves a row."""
        model = watched(HookModel(bridge))
        assert read_all(model) == 0
        bridge.open_capsule("/c")
        bridge.flush()
        assert texts(model)[:2] == ["gatekeeper", "audit-trail"]
        states = [model.index(row).data(model.Role.ROW).state for row in range(5)]
        assert states == ["ready", "ready", "ready", "ready", "rejected"]
        resets = []
        model.modelReset.connect(lambda: resets.append(1))
        engine.tell(HookState("audit-trail", "trapped", "why", queue_length=3, dropped=2))
        bridge.flush()
        row = model.index(1).data(model.Role.ROW)
        assert (row.state, row.queue, row.is_dropping) == ("trapped", "queue 3, 2 dropped", True)
        engine.die()
        bridge.flush()
        states = [model.index(row).data(model.Role.ROW).state for row in range(5)]
        assert states == [NOT_LOADED] * 4 + ["rejected"]
        assert not resets

    def test_rejected_hook_tells_the_runtimes_text(self, bridge):
        """As its tooltip."""
        model = HookModel(bridge)
        bridge.open_capsule("/c")
        bridge.flush()
        tip = model.index(4).data(Qt.ItemDataRole.ToolTipRole)
        assert sample_state.REJECTION in tip

    def test_only_a_policy_hook_gates(self, bridge):
        """And it shows a shield."""
        model = HookModel(bridge)
        bridge.open_capsule("/c")
        bridge.flush()
        gates = [model.index(row).data(model.Role.ROW).gates for row in range(5)]
        assert gates == [True, False, False, False, False]


class TestLogModel:
    """LogModel."""

    def test_grows_and_resets(self, bridge, engine):
        """Empty, appended, one file."""
        model = watched(LogModel(bridge))
        assert read_all(model) == 0
        engine.tell(LogAppended("stdout", "a\nb", "h", 1), LogAppended("logs/hook-h.log", "c"))
        bridge.flush()
        assert texts(model, 2) == ["a", "b", "c"]
        model.set_file("stdout")
        assert texts(model, 2) == ["a", "b"]
        engine.tell(LogAppended("stdout", "d"), LogAppended("stderr", "e"))
        bridge.flush()
        assert texts(model, 2) == ["a", "b", "d"]
        assert read_all(model) == 3


class TestFindingModel:
    """FindingModel."""

    def test_shows_the_diagnostics(self, bridge, engine):
        """In their order, with short places."""
        model = watched(FindingModel(bridge))
        assert read_all(model) == 0
        engine.inspection = sample_state.inspection(diagnostics=sample_state.demo_diagnostics())
        bridge.open_capsule("/c")
        bridge.flush()
        assert read_all(model) == 3
        assert texts(model, 0) == ["error, stops here", "warning", "info"]
        assert texts(model, 5) == ["murmur.yaml:23:5", "murmur.yaml:14:7", ""]


class TestLineModel:
    """LineModel."""

    def test_swaps_its_lines(self):
        """As a whole; control characters show as pictures, and are copied as they are."""
        model = watched(LineModel())
        model.set_lines(["a\0", "bcd"])
        assert (texts(model), model.longest, model.text(0)) == (["a␀", "bcd"], 3, "a\0")
        model.set_lines(())
        assert (read_all(model), model.longest) == (0, 0)


PROPERTIES = (
    Property("A", "1 of 2", children=(Property("a1", "x", icon="info"), Property("a2", "y"))),
    Property("B", "", children=(Property("b1", "z", children=(Property("deep", "w"),)),)),
)


class TestPropertyModel:
    """PropertyModel."""

    def test_shows_a_tree(self):
        """Sections, lines, lines below lines."""
        model = watched(PropertyModel())
        assert read_all(model) == 0
        model.set_properties(PROPERTIES)
        assert read_all(model) == 6
        deep = model.index(0, 0, model.index(0, 0, model.index(1, 0)))
        assert (deep.data(), deep.parent().data(), deep.parent().parent().data()) == (
            "deep",
            "b1",
            "B",
        )

    def test_other_values_in_the_same_shape_move_nothing(self):
        """A selection and what is open stay; views are told of the change."""
        model = watched(PropertyModel())
        model.set_properties(PROPERTIES)
        resets, changes = [], []
        model.modelReset.connect(lambda: resets.append(1))
        model.dataChanged.connect(lambda *cells: changes.append(cells))
        other = (PROPERTIES[0], Property("B", "new", children=PROPERTIES[1].children))
        model.set_properties(other)
        assert model.index(1, 1).data() == "new"
        assert changes
        assert not resets

    def test_theme_repaints(self, qapp):
        """Colours are asked for anew."""
        model = watched(PropertyModel())
        model.set_properties(PROPERTIES)
        changes = []
        model.dataChanged.connect(lambda *cells: changes.append(cells))
        theme.apply(qapp, "dark")
        assert changes


class TestValueModel:
    """ValueModel."""

    def test_parts_are_made_as_they_are_opened(self):
        """A long list comes in batches."""
        model = watched(ValueModel())
        model.set_value({"list": list(range(1_000)), "none": None, "text": "a\nb"})
        assert texts(model) == ["list", "none", "text"]
        assert texts(model, 1) == ["[1,000 items]", "none", '"a␊b"']
        parent = model.index(0, 0)
        assert (model.hasChildren(parent), model.rowCount(parent)) == (True, 0)
        model.fetchMore(parent)
        assert model.rowCount(parent) == 200
        while model.canFetchMore(parent):
            model.fetchMore(parent)
        assert model.rowCount(parent) == 1_000
        assert model.index(999, 1, parent).data() == "999"
        assert model.index(999, 0, parent).parent() == parent

    @pytest.mark.parametrize("value", [None, True, 2**64 - 1, "text", [], {}])
    def test_any_value_has_rows(self, value):
        """A scalar is a row of its own; an empty list has none."""
        model = watched(ValueModel())
        model.set_value(value)
        assert read_all(model) == (0 if value in ([], {}) else 1)

    def test_64_bit_number_is_exact(self):
        """Shown as text: Qt's own integers end at 2**63."""
        model = ValueModel()
        model.set_value([2**64 - 1])
        assert model.index(0, 1).data() == "18446744073709551615"
