"""The small parts: banner, empty state, labels, pills, sections, switches."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from inspector.gui import icons, theme
from inspector.gui.widgets.banner import SEVERITIES, Banner
from inspector.gui.widgets.collapsible_section import CollapsibleSection
from inspector.gui.widgets.combo_box import ComboBox
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.key_value_grid import KeyValueGrid
from inspector.gui.widgets.pill import PillLabel, StatusPill
from inspector.gui.widgets.segmented_control import SegmentedControl

LONG = "https://example.org/a/very/long/path/that/does/not/fit/into/the/label/at/all.json"


@pytest.fixture
def shown(qtbot):
    """Shows a widget and waits for it."""

    def show(widget, width=240, height=60):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        qtbot.waitExposed(widget)
        return widget

    return show


class TestElidedLabel:
    """Long text in a narrow place."""

    def test_long_text_is_cut_in_the_middle(self, shown):
        """Both ends stay, and the whole is the tooltip and the accessible name."""
        label = shown(ElidedLabel(LONG), 120)
        assert label.shown_text().startswith("http")
        assert label.shown_text().endswith("json")
        assert "…" in label.shown_text()
        assert label.toolTip() == LONG
        assert label.accessibleName() == LONG

    def test_text_that_fits_has_no_tooltip(self, shown):
        """A tooltip says more, or is not there."""
        label = shown(ElidedLabel("short"))
        assert not label.is_elided()
        assert label.toolTip() == ""

    def test_widening_shows_more(self, shown):
        """The cut follows the width."""
        label = shown(ElidedLabel(LONG), 120)
        before = len(label.shown_text())
        label.resize(200, 30)
        assert len(label.shown_text()) > before

    def test_hint_is_in_the_tooltip(self, shown):
        """A hint is there, cut or not."""
        label = shown(ElidedLabel("turn"))
        label.set_hint("u32")
        assert label.toolTip() == "u32"
        label.setText(LONG)
        assert label.toolTip() == f"{LONG}\nu32"

    def test_label_can_be_narrower_than_its_text(self, shown):
        """It never widens a pane."""
        label = ElidedLabel(LONG)
        assert label.minimumSizeHint().width() < 80
        shown(label)

    def test_copy_takes_the_whole_text(self, shown):
        """Not the cut one."""
        shown(ElidedLabel(LONG), 100).copy()
        assert QGuiApplication.clipboard().text() == LONG

    def test_text_is_painted_in_the_look(self, shown):
        """The label is not empty to the eye."""
        label = shown(ElidedLabel("WWWW"))
        image = label.grab().toImage()
        colors = {image.pixelColor(x, y).name() for x in range(60) for y in range(image.height())}
        assert theme.color("text").name() in colors


class TestSegmentedControl:
    """One of several."""

    @pytest.fixture
    def control(self, shown):
        return shown(SegmentedControl("View", [("a", "one"), ("b", "two"), ("c", "three")]))

    def test_first_is_down(self, control):
        """There is always a choice."""
        assert control.current() == "a"
        assert control.button("a").isChecked()

    def test_click_chooses_and_tells_once(self, control, qtbot):
        """Choosing what is chosen says nothing."""
        told = []
        control.chosen.connect(told.append)
        QTest.mouseClick(control.button("b"), Qt.MouseButton.LeftButton)
        QTest.mouseClick(control.button("b"), Qt.MouseButton.LeftButton)
        assert told == ["b"]
        assert [control.button(key).isChecked() for key in "abc"] == [False, True, False]

    def test_arrow_keys_choose(self, control, qtbot):
        """The keyboard moves the choice."""
        control.setFocus()
        qtbot.waitUntil(control.button("a").hasFocus)
        told = []
        control.chosen.connect(told.append)
        QTest.keyClick(control.button("a"), Qt.Key.Key_Right)
        QTest.keyClick(control.button("b"), Qt.Key.Key_Right)
        QTest.keyClick(control.button("c"), Qt.Key.Key_Left)
        assert told == ["b", "c", "b"]

    def test_tab_passes_it_in_one_step(self, shown, qtbot):
        """The control is one stop on the way."""
        host = QWidget()
        layout = QVBoxLayout(host)
        first, control, last = (
            QLineEdit(),
            SegmentedControl("View", [("a", "one"), ("b", "two"), ("c", "three")]),
            QLineEdit(),
        )
        for widget in (first, control, last):
            layout.addWidget(widget)
        shown(host)
        control.set_current("b")
        first.setFocus()
        qtbot.waitUntil(first.hasFocus)
        QTest.keyClick(first, Qt.Key.Key_Tab)
        assert control.button("b").hasFocus()
        QTest.keyClick(control.button("b"), Qt.Key.Key_Tab)
        assert last.hasFocus()

    def test_setting_tells_nothing(self, control):
        """The program's own choice is not the user's."""
        told = []
        control.chosen.connect(told.append)
        control.set_current("c")
        assert told == []
        assert control.current() == "c"
        with pytest.raises(KeyError):
            control.set_current("z")

    def test_each_segment_has_a_name(self, control):
        """What is chosen, and which."""
        assert control.accessibleName() == "View"
        assert control.button("b").accessibleName() == "View: two"


class TestBanner:
    """A notice on top."""

    @pytest.mark.parametrize("severity", SEVERITIES)
    def test_sentence_and_severity_are_told(self, shown, severity):
        """By words, not by colour alone."""
        banner = shown(Banner())
        banner.show_message(severity, "The capsule was rebuilt.")
        assert banner.isVisible()
        assert banner.message() == "The capsule was rebuilt."
        assert banner.accessibleName() == f"{severity}: The capsule was rebuilt."
        assert not banner._icon.pixmap().isNull()

    def test_severities_have_shapes_of_their_own(self):
        """Four icons for four severities."""
        assert len({name for name, _ in SEVERITIES.values()}) == 4
        assert {name for name, _ in SEVERITIES.values()} <= icons.names()

    def test_action_is_there_when_there_is_one(self, shown, qtbot):
        """One button, and only then."""
        banner = shown(Banner())
        banner.show_message("info", "New build.", "Reload")
        assert banner.action_button.text() == "Reload"
        with qtbot.waitSignal(banner.action_triggered):
            QTest.mouseClick(banner.action_button, Qt.MouseButton.LeftButton)
        banner.show_message("info", "Done.")
        assert banner.action_button.isHidden()

    def test_closing_hides_and_tells(self, shown, qtbot):
        """It goes when it is told to."""
        banner = shown(Banner())
        banner.show_message("warning", "Old build.")
        with qtbot.waitSignal(banner.closed):
            QTest.mouseClick(banner.close_button, Qt.MouseButton.LeftButton)
        assert banner.isHidden()

    def test_it_is_hidden_at_first(self, qtbot):
        """Nothing to say, nothing shown."""
        banner = Banner()
        qtbot.addWidget(banner)
        assert banner.isHidden()

    def test_markup_in_a_sentence_is_plain_text(self, shown):
        """A name with brackets is shown as it is."""
        banner = shown(Banner())
        banner.show_message("info", "<b>x</b>")
        assert banner._label.textFormat() == Qt.TextFormat.PlainText


class TestEmptyState:
    """Nothing yet, and what to do."""

    def test_button_does_its_action(self, shown, qtbot):
        """The next step is one click away."""
        action = QAction("Open…")
        state = shown(EmptyState("open", "No capsule", "Open one."), 400, 300)
        button = state.add_action(action, primary=True)
        with qtbot.waitSignal(action.triggered):
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert button.text() == "Open…"

    def test_button_follows_its_action(self, shown):
        """What cannot be done cannot be pressed."""
        action = QAction("Open")
        state = shown(EmptyState("open", "No capsule", "Open one."), 400, 300)
        button = state.add_action(action)
        action.setEnabled(False)
        action.setText("Later")
        assert not button.isEnabled()
        assert button.text() == "Later"

    def test_words_can_change(self, shown):
        """One widget for several kinds of nothing."""
        state = shown(EmptyState("open", "No capsule", "Open one."), 400, 300)
        state.set_content("hook", "No hooks", "Build one.")
        assert (state.title(), state.sentence()) == ("No hooks", "Build one.")
        assert state.accessibleName() == "No hooks"
        assert state.accessibleDescription() == "Build one."


class TestPills:
    """Words on a ground."""

    def test_pill_has_the_ground_of_its_role(self, shown):
        """The look comes from the sheet."""
        pill = shown(PillLabel("denied", "notice"), 80, 20)
        image = pill.grab().toImage()
        middle = image.pixelColor(image.width() // 2, 2)
        assert middle == theme.color("notice_tint")
        assert pill.accessibleName() == "denied"

    def test_pill_changes_its_ground(self, shown):
        """Another role is shown at once."""
        pill = shown(PillLabel("denied", "notice"), 80, 20)
        pill.set_pill("honored", "positive")
        image = pill.grab().toImage()
        assert image.pixelColor(image.width() // 2, 2) == theme.color("positive_tint")

    def test_status_is_told_by_shape_and_word(self, shown):
        """Icon and word, the word in the plain text colour."""
        pill = shown(StatusPill())
        pill.set_status("state-trapped", "negative", "trapped")
        first = pill._icon.pixmap().toImage()
        pill.set_status("state-ready", "negative", "ready")
        assert pill._icon.pixmap().toImage() != first
        assert pill.text() == "ready"
        assert pill.accessibleName() == "ready"


class TestKeyValueGrid:
    """Facts in two columns."""

    def test_rows_are_shown_and_replaced(self, shown):
        """Fewer rows leave none behind."""
        grid = shown(KeyValueGrid())
        grid.set_rows([("model", "test"), ("task", "t1"), ("turn", "3")])
        grid.set_rows([("model", "other")])
        assert grid.rows() == [("model", "other")]
        visible = [w.text() for w in grid.findChildren(QLabel) if w.isVisible()]
        assert visible == ["model", "other"]

    def test_labels_are_reused(self, shown):
        """Updating often makes nothing new."""
        grid = shown(KeyValueGrid())
        grid.set_rows([("a", "1"), ("b", "2")])
        before = len(grid.findChildren(QLabel))
        for turn in range(20):
            grid.set_rows([("a", str(turn)), ("b", "2")])
        assert len(grid.findChildren(QLabel)) == before

    def test_value_is_spoken_with_its_name(self, shown):
        """A value alone says nothing."""
        grid = shown(KeyValueGrid())
        grid.set_rows([("model", "test")])
        names = [label.accessibleName() for label in grid.findChildren(ElidedLabel)]
        assert names == ["model: test"]


class TestCollapsibleSection:
    """A heading that opens."""

    def test_space_opens_and_closes(self, shown, qtbot):
        """The keyboard does what the mouse does."""
        section = shown(CollapsibleSection("Grants"), 240, 120)
        content = QLabel("body")
        section.set_content(content)
        assert content.isVisible()
        section.header.setFocus()
        with qtbot.waitSignal(section.toggled):
            QTest.keyClick(section.header, Qt.Key.Key_Space)
        assert not content.isVisible()
        assert not section.is_open()
        assert section.header.accessibleDescription() == "closed"

    def test_new_content_replaces_the_old(self, shown):
        """One body at a time."""
        section = shown(CollapsibleSection("Grants", is_open=False), 240, 120)
        section.set_content(QLabel("old"))
        new = QLabel("new")
        section.set_content(new)
        assert section.content() is new
        assert not new.isVisible()
        section.set_open(True)
        assert new.isVisible()


def test_combo_box__wheel_without_focus__changes_nothing(shown):
    """Scrolling a form does not edit it."""
    box = shown(ComboBox("Insertion"))
    box.addItems(["a", "b", "c"])
    box.clearFocus()
    wheel = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    box.wheelEvent(wheel)
    assert box.currentText() == "a"
    assert not wheel.isAccepted()
