"""The Session pane: facts and folders, the task, the settings of the next session."""

import pytest
from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog

from inspector.gui import window_state
from inspector.gui.views.session_facts import made_with_text, stores_text
from inspector.gui.views.session_view import NOW, SETTINGS, TASK, SessionView
from inspector.protocol.inspection import GrantsView
from inspector.protocol.message import (
    BeginTask,
    EndTask,
    Fire,
    OpenCapsule,
    SessionSettings,
    StartSession,
    TaskOutput,
)
from inspector.workbench.session_draft import ContextDraft, SessionDraft
from inspector.workbench.task_scope import TaskDraft
from tests.helpers import sample_state


class Desktop(QObject):
    """Stands in for the file manager."""

    opened = Signal(QUrl)

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        """Keep what was asked for."""
        self.urls.append(url.toLocalFile())


@pytest.fixture
def desktop():
    """A file manager that only listens."""
    made = Desktop()
    QDesktopServices.setUrlHandler("file", made, "open")
    yield made
    QDesktopServices.unsetUrlHandler("file")


@pytest.fixture
def view(qtbot, bridge):
    """A shown pane beside an opened capsule."""
    bridge.open_capsule("/c")
    bridge.flush()
    made = SessionView(bridge)
    made.start_requested.connect(bridge.start_session)
    qtbot.addWidget(made)
    made.resize(280, 500)
    with qtbot.waitExposed(made):
        made.show()
    return made


def sent(engine, kind):
    """Requests of a kind."""
    return [request for request in engine.requests if isinstance(request, kind)]


def fired(engine):
    """Actions that were fired."""
    return [request.action for request in sent(engine, Fire)]


def set_text(field, text):
    """Type a text into a field."""
    field.set_value(text)
    field.changed.emit()


class TestFacts:
    """SessionFacts."""

    def test_paths_are_copied_and_opened(self, view, desktop):
        """A button each, with a name of its own."""
        copy, open_button = view.facts.folders.buttons(2)
        copy.click()
        path = dict(view.facts.folders.folders())["murmur home"]
        assert QGuiApplication.clipboard().text() == path
        open_button.click()
        assert desktop.urls == [path]
        assert open_button.accessibleName() == "Open the murmur home"

    def test_stores_that_hooks_share_are_said(self, view, engine, bridge):
        """In a sentence."""
        shared = GrantsView((), None, "notes", False, False, None)
        hooks = tuple(sample_state.hook(name, grants=shared) for name in ("a", "b"))
        engine.inspection = sample_state.inspection(hooks)
        assert stores_text(bridge.state) == ""
        bridge.open_capsule("/d")
        bridge.flush()
        assert view.facts.stores.text().startswith("a and b share the state store notes:")
        assert view.facts.stores.isVisibleTo(view)

    def test_what_the_user_set_is_said(self):
        """Nothing otherwise."""
        assert made_with_text(SessionSettings()) == ""
        text = made_with_text(SessionSettings(model="m", held=True))
        assert text == 'Set by you: model: "m"; async workers: held.'


class TestTask:
    """SessionTask."""

    def test_begin_output_end(self, view, engine, bridge):
        """Each is fired with what is typed; the scope follows."""
        view.show_page(TASK)
        task = view.task
        assert "no-task" in task.state_label.text()
        assert not task.output_button.isEnabled()
        assert not task.end_button.isEnabled()
        set_text(task.original, "Fix\nit")
        task.begin_button.click()
        bridge.flush()
        assert fired(engine) == [BeginTask("Fix\nit")]
        rows = dict(task.facts.rows())
        assert rows == {"original": "Fix␊it", "as given": "the original", "output": "none yet"}
        set_text(task.output, "done")
        task.output_button.click()
        bridge.flush()
        assert fired(engine)[-1] == TaskOutput("done")
        assert dict(task.facts.rows())["output"] == "done"
        task.end_button.click()
        bridge.flush()
        assert fired(engine)[-1] == EndTask()
        assert task.facts.isHidden()

    def test_text_as_given_counts_when_it_is_switched_on(self, view, engine, bridge):
        """Also when it is empty."""
        task = view.task
        assert task.given.isHidden()
        set_text(task.original, "a")
        task.given_box.click()
        assert not task.given.isHidden()
        task.begin_button.click()
        bridge.flush()
        assert fired(engine) == [BeginTask("a", "")]
        assert dict(task.facts.rows())["as given"] == "empty"

    def test_fresh_session_has_no_task(self, view, engine, bridge):
        """What is typed stays."""
        set_text(view.task.original, "a")
        view.task.begin_button.click()
        bridge.flush()
        assert view.task.scope.is_open
        bridge.reload()
        bridge.flush()
        assert not view.task.scope.is_open
        assert view.task.draft == TaskDraft("a")

    def test_pane_made_later_knows_the_task(self, qtbot, bridge):
        """From the firings there are."""
        bridge.open_capsule("/c")
        bridge.fire(BeginTask("a"))
        bridge.flush()
        later = SessionView(bridge)
        qtbot.addWidget(later)
        assert later.task.scope.original == "a"

    def test_readers_are_named(self, view, engine, bridge):
        """Those that were granted the texts."""
        assert view.task.readers.text() == "Read by audit-trail."
        engine.inspection = sample_state.inspection((sample_state.hook("a"),))
        bridge.open_capsule("/d")
        bridge.flush()
        assert view.task.readers.text() == "No hook is granted the task's texts."


class TestSettings:
    """SessionForm and what becomes of a change."""

    def test_change_is_said_and_applies_at_the_next_start(self, view, engine, bridge):
        """Whatever starts it."""
        view.show_page(SETTINGS)
        assert view.changes_label.text() == "The next session is made as the running one."
        assert not view.discard_button.isEnabled()
        view.form.model.box.click()
        set_text(view.form.model.field, "gpt")
        assert view.changes_label.text() == "1 change applies at the next session's start."
        assert view.form.changes.text() == 'model: the capsule\'s own → "gpt"'
        assert len(sent(engine, StartSession)) == 1
        bridge.reload()
        bridge.flush()
        assert sent(engine, StartSession)[-1].settings == SessionSettings(model="gpt")
        assert view.changes_label.text() == "The next session is made as the running one."
        assert view.facts.made_with.text() == 'Set by you: model: "gpt".'

    def test_start_button_starts_a_session_without_reading_anew(self, view, engine, bridge):
        """The capsule is not opened again for it."""
        form = view.form
        form.inference.button("reply").click()
        set_text(form.reply, "yes")
        form.held_box.click()
        view.start_button.click()
        bridge.flush()
        assert len(sent(engine, OpenCapsule)) == 1
        settings = sent(engine, StartSession)[-1].settings
        assert settings == SessionSettings(inference={"reply": "yes"}, held=True)
        assert bridge.state.session.held
        assert bridge.used_settings == settings

    def test_home_and_lenient_imports_read_the_hooks_anew(self, view, engine, bridge):
        """They are looked for and linked then."""
        view.form.lenient_box.click()
        view.form.home.line.setText("/h")
        view.form.home.line.textEdited.emit("/h")
        view.start_button.click()
        bridge.flush()
        opened = sent(engine, OpenCapsule)[-1]
        assert (opened.home, opened.lenient_imports) == ("/h", True)
        assert sent(engine, StartSession)[-1].settings == bridge.settings

    def test_every_field_counts(self, view, engine, bridge):
        """What is shown is what is sent."""
        form = view.form
        form.session_id.setText("ses_me")
        form.session_id.textEdited.emit("ses_me")
        form.capabilities.box.click()
        set_text(form.capabilities.field, "a, b")
        form.env["case-id"].box.click()
        set_text(form.env["case-id"].field, "7")
        form.inference.button("driver").click()
        form.conversation.add_button.click()
        form.conversation.editor.set_text('[{"role": "user"}]')
        form.workdir.line.setText("/w")
        form.workdir.line.textEdited.emit("/w")
        view.start_button.click()
        bridge.flush()
        assert sent(engine, StartSession)[-1].settings == SessionSettings(
            session_id="ses_me",
            capabilities=("a", "b"),
            env={"case-id": "7"},
            inference={"driver": True},
            conversation={"ctx-1": [{"role": "user"}]},
            workdir="/w",
        )

    def test_what_is_not_valid_does_not_count_and_says_so(self, view, engine, bridge):
        """No session is made with half of it, and none in silence with the old."""
        view.show_page(SETTINGS)
        view.form.model.box.click()
        set_text(view.form.model.field, "m")
        view.form.workdir.line.setText("relative")
        view.form.workdir.line.textEdited.emit("relative")
        assert bridge.settings == SessionSettings(model="m")
        assert view.changes_label.text().startswith("Accessible folder: Give the whole path")
        assert "with the settings before" in view.changes_label.text()
        assert view.form.notes["workdir"].text() == "Give the whole path, from the root on."
        assert not view.start_button.isEnabled()
        view.start()
        assert len(sent(engine, StartSession)) == 1
        view.form.workdir.line.setText("/absolute")
        view.form.workdir.line.textEdited.emit("/absolute")
        assert bridge.settings.workdir == "/absolute"
        assert not view.form.notes["workdir"].isVisibleTo(view.form)

    def test_messages_that_do_not_parse_are_underlined(self, qtbot, view, bridge):
        """At their place, once typing rests."""
        conversation = view.form.conversation
        conversation.add_button.click()
        conversation.editor.set_text("- {role: user}\n- 7\n")
        assert not view.is_checked
        qtbot.waitUntil(lambda: view.is_checked)
        assert conversation.editor.error() == (2, 3)
        assert view.form.notes["contexts"].text() == "A message is a mapping with role and content."
        conversation.add_button.click()
        assert conversation.name_line.text() == "ctx-2"
        qtbot.waitUntil(lambda: view.is_checked)
        assert conversation.editor.error() is None
        conversation.chooser.setCurrentIndex(0)
        conversation.chooser.activated.emit(0)
        qtbot.waitUntil(lambda: conversation.editor.error() == (2, 3))
        conversation.remove_button.click()
        qtbot.waitUntil(lambda: view.is_checked)
        assert list(bridge.settings.conversation) == ["ctx-2"]

    def test_start_takes_what_was_typed_a_moment_ago(self, view, engine, bridge):
        """No wait for the check."""
        view.form.conversation.add_button.click()
        view.form.conversation.editor.set_text("[]")
        assert not view.is_checked
        view.start()
        assert sent(engine, StartSession)[-1].settings.conversation == {"ctx-1": []}

    def test_switch_there_and_back_loses_nothing(self, view, bridge):
        """Scripted texts, a model that is off."""
        form = view.form
        form.inference.button("reply").click()
        set_text(form.reply, "yes")
        form.inference.button("none").click()
        assert bridge.settings.inference is None
        assert form.reply.isHidden()
        form.inference.button("reply").click()
        assert bridge.settings.inference == {"reply": "yes"}

    def test_live_switch_is_taken_over(self, view, bridge):
        """A reload does not let go of what is held."""
        bridge.set_held(True)
        bridge.flush()
        assert view.form.held_box.isChecked()
        assert bridge.settings.held
        assert view.draft.held

    def test_live_switch_leaves_half_typed_text_alone(self, view, bridge):
        """It changes the one box."""
        view.form.workdir.line.setText("relative")
        view.form.workdir.line.textEdited.emit("relative")
        bridge.set_held(True)
        bridge.flush()
        assert view.form.held_box.isChecked()
        assert view.form.workdir.path == "relative"

    def test_scenario_shows_and_does_not_replace_what_is_remembered(self, view, bridge):
        """The user's own settings come back with the next window."""
        view.form.model.box.click()
        set_text(view.form.model.field, "mine")
        mine = view.draft
        bridge.settings = SessionSettings(model="scenario", inference={"error": "down"})
        assert view.form.draft.model == "scenario"
        assert view.form.draft.error == "down"
        assert view.draft == mine
        assert bridge.settings.model == "scenario"

    def test_discard_goes_back_to_the_running_session(self, view, bridge):
        """The button is off when there is nothing to discard."""
        view.form.model.box.click()
        set_text(view.form.model.field, "m")
        view.discard_button.click()
        assert bridge.settings == SessionSettings()
        assert not view.form.model.is_on
        assert not view.discard_button.isEnabled()

    def test_lost_engine_keeps_what_is_typed(self, view, engine, bridge):
        """The session that starts after it is made with it."""
        view.form.model.box.click()
        set_text(view.form.model.field, "m")
        engine.die()
        bridge.flush()
        view.show_page(SETTINGS)
        assert view.form.model.text == "m"
        bridge.restart_engine()
        bridge.flush()
        assert sent(engine, StartSession)[-1].settings.model == "m"

    def test_folder_is_chosen_in_a_dialog(self, view, bridge, tmp_path):
        """The window does not wait for it."""
        view.form.workdir.choose_button.click()
        (dialog,) = view.form.workdir.findChildren(QFileDialog)
        dialog.fileSelected.emit(str(tmp_path))
        assert bridge.settings.workdir == str(tmp_path)
        dialog.close()

    def test_every_page_is_drawn_narrow(self, view):
        """Nothing is as wide as its longest text."""
        for page in (NOW, TASK, SETTINGS):
            view.show_page(page)
            assert not view.grab().isNull()
            assert view._areas[page].widget().minimumSizeHint().width() <= 280


class TestMemory:
    """restore, and what the window's file keeps."""

    def test_restored_settings_make_the_next_session(self, view, engine, bridge):
        """And the task's texts are there."""
        draft = SessionDraft(has_model=True, model="m", workdir="half")
        view.restore(draft, TaskDraft("a", True, "b", "c"))
        assert view.form.draft == draft
        assert view.draft == draft
        assert bridge.settings == SessionSettings()
        view.restore(SessionDraft(has_model=True, model="m"), TaskDraft())
        assert bridge.settings == SessionSettings(model="m")

    def test_file_keeps_drafts(self, tmp_path):
        """There and back."""
        draft = SessionDraft(contexts=(ContextDraft("c", "half ["),), reply="x\0y")
        state = window_state.WindowState(session=draft, task=TaskDraft("a"))
        assert window_state.save(tmp_path / "w.json", state) == ""
        found = window_state.load(tmp_path / "w.json").state
        assert (found.session, found.task) == (draft, TaskDraft("a"))

    def test_too_long_texts_are_left_out(self):
        """A file that loads slowly would hold up every start."""
        long = "x" * window_state.LONGEST_DRAFT
        draft = SessionDraft(model="m", contexts=(ContextDraft("c", long), ContextDraft("d", "[]")))
        kept = window_state.kept_session(draft)
        assert (kept.model, kept.contexts) == ("m", (ContextDraft("d", "[]"),))
        assert window_state.kept_session(SessionDraft(reply=long)) == SessionDraft()
        assert window_state.kept_task(TaskDraft(long)) == TaskDraft()
        assert window_state.kept_task(TaskDraft("a")) == TaskDraft("a")
