"""The composer, driven as a user drives it."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QLineEdit,
    QMenu,
    QWidget,
)

from inspector.contract.contract import EVENTS, Phase, load
from inspector.contract.value import complete, to_json
from inspector.gui import theme
from inspector.gui.models.form_composition import Composition
from inspector.gui.views.composer_form import ComposerForm
from inspector.gui.views.composer_head import honors
from inspector.gui.views.composer_view import NARROWEST, ComposerView
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.protocol.message import Decide, Observe
from inspector.workbench.draft import Draft

CONTRACT = load("0.8.0")
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def composer(qtbot):
    """A composer of the default contract, shown."""
    view = ComposerView()
    qtbot.addWidget(view)
    view.resize(440, 640)
    view.set_contract(CONTRACT)
    view.set_event("on-shell")
    view.show()
    qtbot.waitExposed(view)
    return view


@pytest.fixture
def fired(composer):
    """What the composer asked to fire."""
    actions = []
    composer.fire_requested.connect(actions.append)
    return actions


@pytest.fixture
def drafts(composer):
    """What the composer gave out to be kept."""
    given = []
    composer.draft_changed.connect(given.append)
    return given


def _click(button):
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def _retype(line, text):
    line.setFocus()
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClicks(line, text)


def _choose(composer, name):
    """Take an entry of the values menu."""
    menu = composer.head.values_menu
    menu.fill()
    (action,) = [a for a in menu.actions() if a.text() == name]
    action.trigger()


def _fire(composer):
    _click(composer.head.fire_button)


class TestFire:
    """Fire sends what is shown."""

    def test_defaults_are_fired_at_once(self, composer, fired):
        """A fresh form is ready."""
        _fire(composer)
        (action,) = fired
        assert action == composer.action()
        assert isinstance(action, Observe)
        assert action.event == "on-shell"
        assert list(action.fields) == [f.name for f in CONTRACT.record("on-shell").fields]

    def test_typed_fields_are_fired(self, composer, fired):
        """Text, number, nested number."""
        form = composer.form()
        _retype(form.editor("binary").field.line, "/bin/ls")
        _retype(form.editor("turn").edit.line, "3")
        _retype(form.editor("outcome").payload.editors["exit-code"].edit.line, "-1")
        _fire(composer)
        fields = fired[0].fields
        assert (fields["binary"], fields["turn"]) == ("/bin/ls", 3)
        assert fields["outcome"]["exit-code"] == -1

    def test_sixty_four_bits_go_through_the_signal(self, composer, fired):
        """The largest u64 arrives as it is."""
        composer.set_event("on-session-end")
        _choose(composer, "Largest numbers")
        _fire(composer)
        assert fired[0].fields["duration-ms"] == 2**64 - 1
        assert composer.form().editor("duration-ms").edit.typed() == str(2**64 - 1)

    def test_wrong_number_stops_fire_and_says_why(self, composer, fired):
        """Under the field, under the form, and on the button."""
        line = composer.form().editor("turn").edit.line
        _retype(line, "4294967296")
        assert not composer.head.fire_button.isEnabled()
        assert "turn" in composer.head.fire_button.toolTip()
        assert "turn" in composer.foot.label.text()
        assert composer.action() is None
        composer.fire()
        assert fired == []
        _retype(line, "4294967295")
        _fire(composer)
        assert fired[0].fields["turn"] == 2**32 - 1

    def test_going_there_takes_the_focus_to_the_field(self, composer, qtbot):
        """The reason is one click from its field, however deep."""
        exit_code = composer.form().editor("outcome").payload.editors["exit-code"].edit.line
        _retype(exit_code, "x")
        composer.form().editor("binary").field.line.setFocus()
        _click(composer.foot.button)
        assert exit_code.hasFocus()

    def test_reason_of_the_window_stops_fire(self, composer, fired):
        """No engine, no firing, and the sentence is there."""
        composer.set_enabled_reason("Open a capsule first.")
        assert not composer.head.fire_button.isEnabled()
        assert composer.foot.label.text() == "Open a capsule first."
        composer.fire()
        assert fired == []
        composer.set_enabled_reason("")
        assert composer.foot.isHidden()
        _fire(composer)
        assert len(fired) == 1

    def test_without_contract_there_is_nothing_to_fire(self, qtbot):
        """An empty composer says what to do."""
        view = ComposerView()
        qtbot.addWidget(view)
        assert view.action() is None
        assert view.stack.currentWidget() is view.empty
        assert view.draft() == Draft("on-stage", "observe")
        view.set_contract(CONTRACT)
        assert view.stack.currentWidget() is not view.empty


class TestPhases:
    """Observe and decide."""

    def test_switch_is_there_only_where_there_is_a_decision(self, composer):
        """Two events of nine, none in the oldest contract."""
        shown = []
        for event in EVENTS:
            composer.set_event(event)
            if composer.head.phase_switch.isVisible():
                shown.append(event)
        assert shown == ["on-tool-call", "on-shell"]
        composer.set_contract(load("0.2.0"))
        composer.set_event("on-shell")
        assert not composer.head.phase_switch.isVisible()

    def test_decision_shows_why_there_is_no_outcome(self, composer, fired):
        """Not a field that cannot be used, but a sentence."""
        _click(composer.head.phase_switch.button("decide"))
        assert not composer.form().editor("outcome").isVisible()
        assert "not run" in composer.form().record.none_reason("outcome")
        _fire(composer)
        assert isinstance(fired[0], Decide)
        assert fired[0].fields["outcome"] is None
        _click(composer.head.phase_switch.button("observe"))
        assert composer.form().editor("outcome").isVisible()
        _fire(composer)
        assert isinstance(fired[1], Observe)
        assert fired[1].fields["outcome"] is not None

    def test_phase_can_be_asked_for(self, composer):
        """By name or value; one that is not there is observe."""
        composer.set_event("on-tool-call", "decide")
        assert composer.phase() is Phase.DECIDE
        composer.set_event("on-stage", Phase.DECIDE)
        assert composer.phase() is Phase.OBSERVE

    @pytest.mark.parametrize(
        ("event", "phase", "words"),
        [
            ("on-stage", Phase.OBSERVE, "Honored here: write-manifests."),
            ("on-session-start", Phase.OBSERVE, "Honored here: only none."),
            ("on-shell", Phase.OBSERVE, "After the call. Honored here: only none."),
            ("on-shell", Phase.DECIDE, "Before the call: none lets it run, deny refuses it."),
        ],
    )
    def test_hint_says_which_answer_counts(self, event, phase, words):
        """From the rule table."""
        assert honors(CONTRACT, event, phase) == words


class TestOptions:
    """none, empty and absent are three things."""

    def test_none_some_and_empty(self, composer, fired):
        """The switch makes some(""), typing fills it, none takes it away."""
        script = composer.form().editor("script")
        assert composer.action().fields["script"] is None
        _click(script.switch.button("some"))
        assert composer.action().fields["script"] == ""
        QTest.keyClicks(script.payload.field.line, "echo")
        assert composer.action().fields["script"] == "echo"
        _click(script.switch.button("none"))
        assert composer.action().fields["script"] is None
        assert not script.payload.isVisible()

    def test_value_is_back_after_none(self, composer):
        """Trying none costs nothing."""
        script = composer.form().editor("script")
        _click(script.switch.button("some"))
        QTest.keyClicks(script.payload.field.line, "echo")
        _click(script.switch.button("none"))
        _click(script.switch.button("some"))
        assert composer.action().fields["script"] == "echo"

    def test_nested_record_follows(self, composer):
        """outcome none hides its fields, some shows them with what they had."""
        outcome = composer.form().editor("outcome")
        _retype(outcome.payload.editors["stdout"].field.line, "text")
        _click(outcome.switch.button("none"))
        assert composer.action().fields["outcome"] is None
        _click(outcome.switch.button("some"))
        assert composer.action().fields["outcome"]["stdout"] == "text"
        assert outcome.payload.editors["stdout"].isVisible()

    def test_switch_is_worked_by_keys(self, composer, qtbot):
        """Arrow keys choose."""
        script = composer.form().editor("script")
        script.setFocus()
        qtbot.waitUntil(script.switch.button("none").hasFocus)
        QTest.keyClick(script.switch.button("none"), Qt.Key.Key_Right)
        assert composer.action().fields["script"] == ""

    def test_enum_is_chosen_from_a_list(self, composer):
        """The newest contract's mark on a message."""
        composer.set_contract(load("0.9.0"))
        composer.set_event("on-compaction")
        messages = composer.form().editor("messages")
        messages.add()
        mark = messages.item.editors["inserted-by"]
        _click(mark.switch.button("some"))
        box = mark.payload.box
        assert [box.itemText(i) for i in range(box.count())] == ["replace-context", "seed-context"]
        box.setFocus()
        QTest.keyClick(box, Qt.Key.Key_Down)
        assert composer.action().fields["messages"][0]["inserted-by"] == "seed-context"


class TestLists:
    """Items."""

    def test_typing_one_item_after_another(self, composer):
        """Add, type, Enter, type: a command line without the mouse."""
        argv = composer.form().editor("argv")
        _click(argv.add_button)
        assert argv.item.field.line.hasFocus()
        QTest.keyClicks(argv.item.field.line, "-q")
        QTest.keyClick(argv.item.field.line, Qt.Key.Key_Return)
        QTest.keyClicks(argv.item.field.line, "tests")
        assert composer.action().fields["argv"] == ["-q", "tests"]
        assert argv.row() == 1

    def test_control_enter_adds_no_item(self, composer):
        """Firing from an item's field is not Enter."""
        argv = composer.form().editor("argv")
        _click(argv.add_button)
        QTest.keyClick(argv.item.field.line, Qt.Key.Key_Return, CONTROL)
        assert composer.action().fields["argv"] == [""]

    def test_items_move_and_go_by_keys(self, composer):
        """Alt with arrows moves, Delete removes, Insert adds."""
        composer.composition().load({"argv": ["a", "b", "c"]})
        argv = composer.form().editor("argv")
        argv.table.setFocus()
        argv.table.selectRow(0)
        QTest.keyClick(argv.table, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        assert composer.action().fields["argv"] == ["b", "a", "c"]
        assert argv.row() == 1
        QTest.keyClick(argv.table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
        assert composer.action().fields["argv"] == ["a", "b", "c"]
        QTest.keyClick(argv.table, Qt.Key.Key_Delete)
        assert composer.action().fields["argv"] == ["b", "c"]
        QTest.keyClick(argv.table, Qt.Key.Key_Insert)
        assert composer.action().fields["argv"] == ["b", "", "c"]

    def test_buttons_are_enabled_when_they_can_do_something(self, composer):
        """Ends cannot move further; nothing cannot be removed."""
        argv = composer.form().editor("argv")
        states = []
        for items, row in (([], None), (["a", "b"], 0), (["a", "b"], 1)):
            composer.composition().load({"argv": items})
            if row is not None:
                argv.table.selectRow(row)
            buttons = (argv.remove_button, argv.up_button, argv.down_button)
            states.append([button.isEnabled() for button in buttons])
        assert states == [[False, False, False], [True, False, True], [True, True, False]]

    def test_editing_follows_the_chosen_row(self, composer):
        """The field under the table is the row's."""
        composer.composition().load({"argv": ["a", "b"]})
        argv = composer.form().editor("argv")
        argv.table.selectRow(1)
        assert argv.item.field.value() == "b"
        QTest.keyClicks(argv.item.field.line, "x")
        argv.table.selectRow(0)
        assert argv.item.field.value() == "a"
        assert composer.action().fields["argv"] == ["a", "xb"]

    def test_messages_are_edited_field_by_field(self, composer):
        """A record in a list, with an option in it."""
        composer.set_event("on-compaction")
        messages = composer.form().editor("messages")
        _click(messages.add_button)
        item = messages.item.editors
        _retype(item["role"].field.line, "user")
        _retype(item["content"].field.line, "hello")
        _click(item["id"].switch.button("some"))
        QTest.keyClicks(item["id"].payload.field.line, "m1")
        _click(messages.add_button)
        assert composer.action().fields["messages"] == [
            {"role": "user", "content": "hello", "id": "m1", "source-id": None},
            {"role": "", "content": "", "id": None, "source-id": None},
        ]
        messages.table.selectRow(0)
        assert item["id"].payload.field.value() == "m1"
        messages.table.selectRow(1)
        assert item["id"].switch.current() == "none"

    def test_last_item_can_go(self, composer):
        """An empty list hides the table and the item."""
        composer.composition().load({"argv": ["a"]})
        argv = composer.form().editor("argv")
        _click(argv.remove_button)
        assert composer.action().fields["argv"] == []
        assert argv.table.isHidden()
        assert not argv.item.isVisible()

    def test_keys_that_mean_nothing_go_on(self, composer):
        """Arrows move the choice as in every table."""
        composer.composition().load({"argv": ["a", "b"]})
        argv = composer.form().editor("argv")
        argv.table.selectRow(0)
        QTest.keyClick(argv.table, Qt.Key.Key_Down)
        assert argv.row() == 1


class TestUndo:
    """One undo for the whole form."""

    def test_fields_options_and_lists_in_the_order_they_were_changed(self, composer):
        """Ctrl+Z in any field takes back the last change anywhere."""
        form = composer.form()
        binary = form.editor("binary").field.line
        _retype(binary, "ls")
        _click(form.editor("script").switch.button("some"))
        _click(form.editor("argv").add_button)
        line = form.editor("argv").item.field.line
        assert line.hasFocus()
        QTest.keyClick(line, Qt.Key.Key_Z, CONTROL)
        assert composer.action().fields["argv"] == []
        QTest.keyClick(binary, Qt.Key.Key_Z, CONTROL)
        assert composer.action().fields["script"] is None
        QTest.keyClick(form.editor("turn").edit.line, Qt.Key.Key_Z, CONTROL)
        assert composer.action().fields["binary"] == ""
        assert binary.text() == ""
        QTest.keyClick(binary, Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        assert binary.text() == "ls"

    def test_a_loaded_case_can_be_taken_back(self, composer):
        """Choosing the wrong entry of the menu loses nothing."""
        _retype(composer.form().editor("binary").field.line, "mine")
        _choose(composer, "Empty")
        assert composer.action().fields["binary"] == ""
        _choose(composer, "Undo")
        assert composer.action().fields["binary"] == "mine"
        _choose(composer, "Redo")
        assert composer.action().fields["binary"] == ""

    def test_text_has_its_own_undo(self, composer):
        """Keys in the editor, and what a menu wrote over them."""
        _click(composer.head.mode_switch.button("text"))
        before = composer.text_pane.text()
        _choose(composer, "Example")
        assert composer.text_pane.text() != before
        QTest.keyClick(composer.text_pane.editor, Qt.Key.Key_Z, CONTROL)
        assert composer.text_pane.text() == before
        assert composer.action().fields["binary"] == ""


class TestText:
    """The text view."""

    @pytest.fixture
    def editor(self, composer):
        _click(composer.head.mode_switch.button("text"))
        return composer.text_pane.editor

    def _type(self, editor, text):
        editor.selectAll()
        editor.insertPlainText(text)

    def test_text_shows_the_form_and_the_form_the_text(self, composer, editor):
        """Both ways, and what is fired is the same."""
        before = composer.action()
        self._type(editor, editor.text().replace('"turn": 0', '"turn": 7'))
        assert composer.action().fields == {**before.fields, "turn": 7}
        _click(composer.head.mode_switch.button("form"))
        assert composer.form().editor("turn").edit.typed() == "7"
        assert composer.action().fields == {**before.fields, "turn": 7}

    def test_error_is_underlined_told_and_stops_fire(self, composer, editor, fired):
        """With line and column, and the text as typed."""
        self._type(editor, '{"turn": 1,\n "binary": 5}')
        assert "Line 2, column 2" in composer.foot.label.text()
        assert editor.error() == (2, 2)
        assert not composer.head.fire_button.isEnabled()
        composer.fire()
        assert fired == []
        _click(composer.foot.button)
        assert editor.hasFocus()
        assert editor.textCursor().blockNumber() == 1
        self._type(editor, '{"turn": 1}')
        assert composer.foot.isHidden()
        assert editor.error() is None
        _fire(composer)
        assert fired[0].fields["turn"] == 1

    def test_broken_text_stays_and_can_be_discarded(self, composer, editor):
        """The form says why it cannot show it, and offers the way back."""
        self._type(editor, '{"turn": 42}')
        self._type(editor, '{"turn": ')
        _click(composer.head.mode_switch.button("form"))
        assert composer.head.mode_switch.current() == "text"
        assert composer.text_pane.text() == '{"turn": '
        assert "cannot show" in composer.foot.label.text()
        _click(composer.foot.button)
        assert composer.head.mode_switch.current() == "form"
        assert composer.action().fields["turn"] == 42

    def test_long_text_is_never_fired_stale(self, composer, editor, fired):
        """Text that is read later is read before it is fired."""
        long = "x" * 15_000
        self._type(editor, f'{{"binary": "{long}"}}')
        _fire(composer)
        assert fired[0].fields["binary"] == long
        self._type(editor, f'{{"binary": "{long}"')
        composer.fire()
        assert len(fired) == 1
        assert not composer.head.fire_button.isEnabled()

    def test_long_text_is_told_a_little_later(self, composer, editor, drafts, qtbot):
        """Errors and drafts follow without a key."""
        self._type(editor, f'{{"binary": "{"x" * 15_000}"')
        qtbot.waitUntil(lambda: not composer.head.fire_button.isEnabled())
        assert drafts[-1].text == composer.text_pane.text()

    def test_big_value_is_a_picture_with_the_way_back(self, composer, fired):
        """Too big to edit, fired whole, undone by the button."""
        _choose(composer, "1 MiB of text")
        _click(composer.head.mode_switch.button("text"))
        editor = composer.text_pane.editor
        assert editor.isReadOnly()
        assert composer.text_pane.banner.isVisible()
        assert len(editor.text()) < 10_000
        _fire(composer)
        assert len(fired[0].fields["outcome"]["stdout"]) == 1_048_576
        _click(composer.text_pane.banner.action_button)
        assert not editor.isReadOnly()
        assert composer.text_pane.banner.isHidden()

    def test_search_finds_in_the_text(self, composer, editor):
        """Ctrl+F, Enter, Escape."""
        editor.setFocus()
        QTest.keyClick(editor, Qt.Key.Key_F, CONTROL)
        bar = composer.text_pane.search_bar
        assert bar.isVisible()
        QTest.keyClicks(bar.field, "std")
        assert bar.count_text() == "4 found"
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
        assert bar.count_text() == "1 of 4"
        QTest.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert bar.count_text() == "4 of 4"
        QTest.keyClick(bar.field, Qt.Key.Key_Escape)
        assert bar.isHidden()
        assert editor.hasFocus()

    def test_huge_paste_is_refused_with_a_sentence(self, composer, editor):
        """Nothing changes, and it is said."""
        before = editor.text()
        QGuiApplication.clipboard().setText("x" * 1_000_001)
        editor.paste()
        assert editor.text() == before
        assert "1,000,001 characters" in composer.text_pane.banner.message()


class TestValues:
    """Ready-made values."""

    def test_menu_has_defaults_example_and_cases(self, composer):
        """Each with a sentence."""
        menu = composer.head.values_menu
        menu.fill()
        texts = [a.text() for a in menu.actions() if a.text()]
        assert texts[:3] == ["Defaults", "Example", "Edge cases"]
        assert {"Empty", "None", "NUL character", "Negative numbers"} <= set(texts)
        assert all(a.toolTip().endswith(".") for a in menu.actions() if a.data() is not None)

    @pytest.mark.parametrize("event", EVENTS)
    def test_every_case_of_every_event_is_shown_and_fired_to_the_letter(
        self, composer, event, qtbot
    ):
        """Through the form, and through the text and back where it can be edited."""
        composer.set_event(event)
        composition = composer.composition()
        for case in composition.edge_cases():
            wanted = repr(to_json(complete(CONTRACT.record(event), case.fields)))
            composition.load(case.fields)
            assert repr(composer.action().fields) == wanted, case.name
            composition.set_mode("text")
            assert repr(composer.action().fields) == wanted, case.name
            composition.set_mode("form")
            assert repr(composer.action().fields) == wanted, case.name

    def test_defaults_are_those_of_the_session(self, composer):
        """What the session gives is the default."""
        composer.set_defaults("on-session-start", {"session-id": "ses_1", "model": "m"})
        composer.set_event("on-session-start")
        assert composer.action().fields["session-id"] == "ses_1"
        _retype(composer.form().editor("session-id").field.line, "other")
        composer.set_defaults("on-session-start", {"session-id": "ses_2", "model": "m"})
        assert composer.action().fields["session-id"] == "other"
        _choose(composer, "Defaults")
        assert composer.action().fields["session-id"] == "ses_2"

    def test_new_defaults_are_shown_in_an_untouched_form(self, composer, drafts):
        """Without being taken for something typed."""
        composer.set_event("on-session-start")
        composer.set_defaults("on-session-start", {"session-id": "ses_1"})
        assert composer.form().editor("session-id").field.value() == "ses_1"
        assert drafts == []


class TestEvents:
    """Nine events, each remembered."""

    def test_events_keep_what_was_typed(self, composer):
        """Going away and coming back loses nothing, undo included."""
        _retype(composer.form().editor("binary").field.line, "ls")
        composer.set_event("on-stage")
        composer.set_event("on-shell")
        assert composer.form().editor("binary").field.value() == "ls"
        assert composer.composition().form.can_undo()

    def test_event_is_chosen_from_the_head(self, composer, qtbot, drafts):
        """The menu has all nine, and tells."""
        actions = composer.head.event_button.menu().actions()
        assert [a.text() for a in actions] == list(EVENTS)
        with qtbot.waitSignal(composer.event_changed) as told:
            actions[0].trigger()
        assert told.args == ["on-stage"]
        assert composer.event_name() == "on-stage"
        assert composer.head.event_button.text() == "on-stage"
        assert [a.isChecked() for a in actions] == [True] + [False] * 8

    def test_same_event_is_not_told(self, composer, qtbot):
        """No echo."""
        with qtbot.assertNotEmitted(composer.event_changed):
            composer.set_event("on-shell")

    def test_signature_is_in_the_tooltip(self, composer):
        """As the hook's author wrote it."""
        tip = composer.head.event_button.toolTip()
        assert "func(event: shell-event) -> result<hook-output, string>" in tip
        assert "murmur:hook/lifecycle@0.8.0" in tip

    def test_typed_values_cross_a_change_of_contract(self, composer):
        """Another profile keeps what its contract has."""
        _retype(composer.form().editor("turn").edit.line, "12")
        composer.set_contract(load("0.2.0"))
        assert composer.action().fields["turn"] == 12
        assert "argv" not in composer.action().fields
        composer.set_contract(CONTRACT)
        assert composer.action().fields["turn"] == 12

    def test_no_contract_empties_the_composer(self, composer):
        """A closed capsule leaves nothing to fire."""
        composer.set_contract(None)
        assert composer.action() is None
        assert not composer.head.isVisible()


class TestDrafts:
    """What is given out to be kept, and taken back."""

    def test_each_change_gives_a_draft(self, composer, drafts):
        """Form, phase, mode and text."""
        _retype(composer.form().editor("binary").field.line, "x")
        assert drafts[-1].fields["binary"] == "x"
        _click(composer.head.phase_switch.button("decide"))
        assert drafts[-1].phase == "decide"
        _click(composer.head.mode_switch.button("text"))
        assert drafts[-1].mode == "text"
        assert drafts[-1].text == composer.text_pane.text()
        composer.text_pane.editor.insertPlainText("!")
        assert drafts[-1].text.startswith("!")

    def test_draft_is_put_back_without_echo(self, composer, drafts, qtbot):
        """Restoring is not typing."""
        draft = Draft("on-tool-call", "decide", "text", '{"turn": 1', {"turn": 3})
        with qtbot.waitSignal(composer.event_changed):
            composer.set_draft(draft)
        assert drafts == []
        assert composer.event_name() == "on-tool-call"
        assert composer.phase() is Phase.DECIDE
        assert composer.text_pane.text() == '{"turn": 1'
        assert composer.action() is None
        assert "Line 1" in composer.foot.label.text()
        assert composer.draft().text == draft.text

    def test_draft_before_a_contract_is_only_an_event(self, qtbot):
        """Nothing is lost that could be shown."""
        view = ComposerView()
        qtbot.addWidget(view)
        view.set_draft(Draft("on-shell", "observe", "form", "", {"turn": 5}))
        assert view.event_name() == "on-shell"
        view.set_contract(CONTRACT)
        assert view.event_name() == "on-shell"
        assert view.action().fields["turn"] == 5


def _focusable(view):
    kinds = (QAbstractButton, QLineEdit, QComboBox, QAbstractScrollArea)
    for widget in view.findChildren(QWidget):
        inside = widget.parent() is not None and isinstance(widget.parent(), QAbstractScrollArea)
        scroll_bar = widget.objectName().startswith("qt_scrollarea")
        if isinstance(widget, kinds) and not scroll_bar and not inside and not _of_qt(widget):
            yield widget


def _of_qt(widget):
    """Parts that Qt makes for itself: corner buttons, headers, menus' own."""
    part = widget.metaObject().className()
    return part in ("QTableCornerButton", "QHeaderView") or isinstance(widget, QMenu)


class TestAccess:
    """Keyboard and screen reader."""

    @pytest.mark.parametrize("version", ["0.2.0", "0.8.0", "0.9.0"])
    @pytest.mark.parametrize("event", EVENTS)
    def test_every_control_has_a_name(self, composer, version, event):
        """In each form, with every option and list filled, and in the text."""
        composer.set_contract(load(version))
        composer.set_event(event)
        fields = {case.name: case.fields for case in composer.composition().edge_cases()}
        composer.composition().load(fields["NUL character"])
        for mode in ("form", "text"):
            composer.composition().set_mode(mode)
            found = [w for w in _focusable(composer) if w.isVisible()]
            assert len(found) > 5
            assert [w for w in found if not w.accessibleName()] == []

    @pytest.mark.parametrize("width", [NARROWEST, 800])
    def test_tab_goes_from_top_to_bottom(self, composer, qtbot, width):
        """The order of the keyboard is the order of the eye, and ends at no trap."""
        composer.set_event("on-tool-call")
        composer.resize(width, 640)
        composer.head.event_button.setFocus()
        qtbot.waitUntil(composer.head.event_button.hasFocus)
        names = []
        for _ in range(13):
            widget = QGuiApplication.focusObject()
            names.append(widget.accessibleName())
            QTest.keyClick(widget, Qt.Key.Key_Tab)
        assert names == [
            "Event: on-tool-call",
            "Phase: observe",
            "View: form",
            "Ready-made values",
            "Fire the event",
            "turn",
            "tool-name",
            "input-bytes",
            "input",
            "outcome: some",
            "outcome output-bytes",
            "outcome duration-ms",
            "outcome status",
        ]

    def test_wheel_over_a_field_scrolls_the_form(self, composer):
        """Nothing in a form changes under the wheel."""
        composer.set_contract(load("0.9.0"))
        boxes = composer.findChildren(QComboBox)
        assert all(box.focusPolicy() == Qt.FocusPolicy.StrongFocus for box in boxes)


class TestRoom:
    """Narrow and wide."""

    @pytest.mark.parametrize("event", EVENTS)
    @pytest.mark.parametrize("width", [NARROWEST, 440, 900])
    def test_nothing_is_cut_off_at_the_right(self, composer, event, width, qtbot):
        """Every field ends inside the view."""
        composer.set_event(event)
        composer.composition().load(composer.composition().example())
        composer.resize(width, 700)
        form = composer.form()
        qtbot.waitUntil(lambda: form.viewport().width() >= form.widget().width())
        for widget in form.widget().findChildren(QWidget):
            if widget.isVisible() and not isinstance(widget.parent(), QAbstractScrollArea):
                right = widget.mapTo(form.widget(), QPoint(widget.width(), 0)).x()
                assert right <= form.viewport().width(), widget

    def test_head_fits_the_narrowest_width(self, composer):
        """Phase, view and values stand side by side there."""
        assert composer.head.minimumSizeHint().width() <= NARROWEST

    def test_head_is_one_row_when_it_is_wide(self, composer, qtbot):
        """And leaves the height to the form."""
        composer.resize(NARROWEST, 700)
        qtbot.waitUntil(lambda: composer.head.height() > 80)
        composer.resize(800, 700)
        qtbot.waitUntil(lambda: composer.head.height() < 50)
        head = composer.head
        parts = [head.event_button, head.phase_switch, head.mode_switch, head.hint]
        parts += [head.values_button, head.fire_button]
        lefts = [part.mapTo(head, QPoint(0, 0)).x() for part in parts]
        assert lefts == sorted(lefts)
        assert all(part.isVisible() for part in parts)

    def test_names_stand_above_their_fields_when_it_is_narrow(self, composer, qtbot):
        """And beside them when there is room."""
        composer.set_event("on-session-end")
        form = composer.form()
        line = form.editor("total-output-tokens").edit.line
        label = next(w for w in form.findChildren(ElidedLabel) if w.text() == "total-output-tokens")

        def tops():
            return [w.mapTo(form, QPoint(0, 0)).y() for w in (label, line)]

        composer.resize(NARROWEST, 700)
        qtbot.waitUntil(lambda: tops()[0] < tops()[1] - 10)
        composer.resize(600, 700)
        qtbot.waitUntil(lambda: abs(tops()[0] - tops()[1]) < 5)


@pytest.mark.parametrize("name", theme.THEME_NAMES)
def test_composer__both_palettes__looks_different_and_complete(composer, qapp, name):
    """A grab has the ground of its palette and the accent of Fire."""
    theme.apply(qapp, name)
    image = composer.grab().toImage()
    colors = {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 3)
        for y in range(0, image.height(), 3)
    }
    roles = theme.roles(name)
    assert roles["accent"].name() in colors
    assert roles["raised"].name() in colors
    assert roles["outline"].name() in colors


def test_composer__other_contracts__let_the_old_forms_go(composer, qtbot):
    """Changing the profile back and forth piles nothing up."""
    for event in EVENTS:
        composer.set_event(event)
    assert len(composer.findChildren(ComposerForm)) == len(EVENTS)
    for version in ("0.9.0", "0.2.0", "0.8.0"):
        composer.set_contract(load(version))
    qtbot.waitUntil(lambda: len(composer.findChildren(ComposerForm)) == 1)
    assert len(composer.findChildren(Composition)) == 1
