"""What is done with rows of the timeline: fire again, mark, note, compare, copy.

Lives here: `TimelineLink`. Not here: the pane (views.timeline_view), the text of copies
(workbench.copy_as), recordings (recording_link). Only main_window imports it.
"""

import hashlib
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from inspector import paths
from inspector.contract.contract import EVENTS
from inspector.gui.actions import Actions
from inspector.gui.composer_link import ComposerLink
from inspector.gui.file_job import FileJob, FileResult
from inspector.gui.focus import DiffTarget, FiringTarget, Focus
from inspector.gui.views.timeline_view import TimelineView
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import command, copy_as
from inspector.workbench.formatting import count_text
from inspector.workbench.state import Firing, RowNote
from inspector.workbench.text_file import write_text

_MENU = (
    "refire",
    "edit-row",
    "",
    "mark",
    "note",
    "diff",
    "",
    "copy-step",
    "copy-command",
    "copy-json",
    "copy-record",
    "save-scenario",
    "",
)
"""The menu of a row; "" is a line between."""

MOST_COPIED = 1_000
"""Rows that are written as steps at once."""

_CHOOSE = "Choose a firing first."
_NO_MARK = "Mark a row first, then choose another one."


class TimelineLink(QObject):
    """Connects the actions about rows with timeline, composer and clipboard.

    Signals:
        composer_requested(): the composer holds a row to be edited.
    """

    composer_requested = Signal()

    def __init__(
        self,
        timeline: TimelineView,
        bridge: WorkbenchBridge,
        focus: Focus,
        composer_link: ComposerLink,
        actions: Actions,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._timeline = timeline
        self._bridge = bridge
        self._focus = focus
        self._composer_link = composer_link
        self._actions = actions
        self._files = FileJob(self)
        self._files.finished.connect(self._on_saved)
        self._saving: dict[int, str] = {}
        timeline.set_menu_actions(tuple(actions[name] if name else None for name in _MENU))
        timeline.row_shown.connect(self.update_actions)
        timeline.note_bar.written.connect(self._on_note_written)
        bridge.changed.connect(self.update_actions)
        bridge.notes_changed.connect(self._on_notes_changed)
        bridge.recording_changed.connect(self._on_notes_changed)
        bridge.capsule_changed.connect(self._on_capsule_changed)
        self._connect()
        self.update_actions()

    def _connect(self) -> None:
        slots = {
            "refire": self.refire,
            "edit-row": self.edit,
            "mark": self.mark,
            "note": self.open_note,
            "diff": self.compare,
            "next-mark": self._next_mark,
            "previous-mark": self._previous_mark,
            "next-bad": self._next_bad,
            "previous-bad": self._previous_bad,
            "copy-step": self.copy_step,
            "copy-command": self.copy_command,
            "copy-json": self.copy_json,
            "copy-record": self.copy_record,
            "save-scenario": self.save_scenario,
        }
        for name, slot in slots.items():
            self._actions[name].triggered.connect(slot)

    @Slot()
    def update_actions(self) -> None:
        """Enable what can be done with the current row."""
        state, firing = self._bridge.latest, self._timeline.current_firing()
        chosen = (firing,) if firing else ()
        allow = self._actions.allow
        allow("refire", command.can_refire(state, firing))
        allow("edit-row", _why_no_edit(firing))
        for name in ("mark", "note", "copy-record"):
            allow(name, "" if firing else _CHOOSE)
        allow("diff", "" if firing and self._marked(firing) else _NO_MARK)
        for name in ("copy-step", "copy-json", "save-scenario"):
            allow(name, copy_as.why_not(chosen))
        allow("copy-command", copy_as.why_not(chosen) or self._why_no_command())
        has_marks = any(note.is_marked for note in state.notes.values())
        for name in ("next-mark", "previous-mark"):
            allow(name, "" if has_marks else "No row is marked.")

    @Slot()
    def _on_capsule_changed(self) -> None:
        inspection = self._bridge.state.inspection
        hooks = inspection.hooks if inspection else ()
        self._timeline.set_hooks(tuple(hook.name for hook in hooks))

    # -- again -----------------------------------------------------------------------------

    @Slot()
    def refire(self) -> None:
        """Fire the current row again, exactly as it was sent, as a new row."""
        firing = self._timeline.current_firing()
        if firing is not None and not command.can_refire(self._bridge.latest, firing):
            self._timeline.set_follow(True)
            self._composer_link.refire(firing)

    @Slot()
    def edit(self) -> None:
        """Put what the current row was sent with into the composer."""
        firing = self._timeline.current_firing()
        if firing is not None and not _why_no_edit(firing):
            self._composer_link.load(firing)
            self.composer_requested.emit()

    # -- marks and notes -------------------------------------------------------------------

    def _note(self, firing: Firing) -> RowNote:
        return self._bridge.latest.notes.get(firing.step, RowNote(firing.step))

    @Slot()
    def mark(self) -> None:
        """Mark the current row, or take its mark away."""
        firing = self._timeline.current_firing()
        if firing is not None:
            note = self._note(firing)
            self._bridge.take_note(replace(note, is_marked=not note.is_marked))
            self._bridge.flush()

    @Slot()
    def open_note(self) -> None:
        """Write a note about the current row."""
        firing = self._timeline.current_firing()
        if firing is not None:
            self._timeline.set_follow(False)
            self._timeline.note_bar.open_note(firing.step, self._note(firing).text)

    @Slot(int, str)
    def _on_note_written(self, step: int, text: str) -> None:
        note = self._bridge.latest.notes.get(step, RowNote(step))
        self._bridge.take_note(replace(note, text=text))

    @Slot()
    def _on_notes_changed(self) -> None:
        notes = self._bridge.state.notes.values()
        self._timeline.set_has_notes(any(note.text for note in notes))

    @Slot()
    def _next_mark(self) -> None:
        self._timeline.go_to_marked(True)

    @Slot()
    def _previous_mark(self) -> None:
        self._timeline.go_to_marked(False)

    @Slot()
    def _next_bad(self) -> None:
        self._tell_none(self._timeline.go_to_bad(True))

    @Slot()
    def _previous_bad(self) -> None:
        self._tell_none(self._timeline.go_to_bad(False))

    def _tell_none(self, found: bool) -> None:
        if not found:
            self._bridge.say("info", "No row that is shown ended badly.")

    # -- comparing -------------------------------------------------------------------------

    def _marked(self, firing: Firing) -> RowNote | None:
        """The row that was marked last, other than this one."""
        notes = reversed(list(self._bridge.latest.notes.values()))
        return next((n for n in notes if n.is_marked and n.step != firing.step), None)

    @Slot()
    def compare(self) -> None:
        """Show how the current row differs from the marked one, or the row again."""
        firing = self._timeline.current_firing()
        if firing is None:
            return
        if isinstance(self._focus.target, DiffTarget):
            chosen = self._index_of(firing.step)
            if chosen is not None:
                self._focus.show(FiringTarget(chosen))
            return
        marked = self._marked(firing)
        places = (self._index_of(marked.step) if marked else None, self._index_of(firing.step))
        if places[0] is not None and places[1] is not None:
            self._focus.show(DiffTarget(places[0], places[1]))
        else:
            self._bridge.say("info", "The marked row is not there any more; mark another one.")

    def _index_of(self, step: int) -> int | None:
        items = self._bridge.state.history.items
        found = (i for i, item in items.newest_first() if _is_step(item, step))
        return next(found, None)

    # -- copying ---------------------------------------------------------------------------

    def _chosen(self) -> tuple[Firing, ...]:
        """The chosen firings, () when they cannot be written as steps; says why."""
        firings = self._timeline.selected_firings()
        reason = copy_as.why_not(firings)
        if len(firings) > MOST_COPIED:
            reason = f"At most {MOST_COPIED:,} rows are copied at once; choose fewer."
        if reason:
            self._bridge.say("warning", reason)
            return ()
        return firings

    @Slot()
    def copy_step(self) -> None:
        """Copy the chosen rows as steps of a scenario."""
        firings = self._chosen()
        if firings:
            steps = count_text(len(firings), "scenario step")
            self._copy(copy_as.steps_yaml(firings), steps)

    @Slot()
    def copy_json(self) -> None:
        """Copy the chosen rows as steps in JSON."""
        firings = self._chosen()
        if firings:
            self._copy(copy_as.steps_json(firings), f"{count_text(len(firings), 'step')} in JSON")

    @Slot()
    def copy_record(self) -> None:
        """Copy what the current row came to."""
        firing = self._timeline.current_firing()
        if firing is not None:
            self._copy(copy_as.record_json(firing), "the result in JSON")

    def _copy(self, text: str, what: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._bridge.say("info", f"Copied {what}.")

    def _why_no_command(self) -> str:
        return "" if self._capsule() else "The capsule of this recording is not known here."

    def _capsule(self) -> str | None:
        """How the command line names the capsule."""
        state = self._bridge.state
        if state.recording is None:
            return state.path
        return state.inspection.capsule.path if state.inspection else None

    def _scenario(self) -> str:
        """The chosen rows as a scenario, "" when they cannot be written as one."""
        state = self._bridge.state
        firings = self._chosen()
        if not firings:
            return ""
        steps = ", ".join(f"#{firing.step} {firing.event}" for firing in firings[:3])
        rest = f" and {len(firings) - 3} more" if len(firings) > 3 else ""
        settings = self._bridge.used_settings
        return copy_as.scenario_yaml(firings, f"{steps}{rest}", state.profile, settings)

    @Slot()
    def copy_command(self) -> None:
        """Save the chosen rows as a scenario of ours and copy the command that runs it."""
        capsule = self._capsule()
        text = self._scenario() if capsule is not None else ""
        if capsule is None or not text:
            return
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        path = paths.state_dir() / "scenarios" / f"{digest}.scenario.yaml"
        words = copy_as.command_text(capsule, str(path), self._bridge.used_settings)
        self._save(path, text, f"Copied the command; it runs {path}.", words)

    @Slot()
    def save_scenario(self) -> None:
        """Save the chosen rows as a scenario where the user says."""
        text = self._scenario()
        if not text:
            return
        dialog = QFileDialog(self._timeline.window(), "Save rows as a scenario")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter("Scenarios (*.scenario.yaml)")
        dialog.setDefaultSuffix("scenario.yaml")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setProperty("scenarioText", text)
        dialog.fileSelected.connect(self._on_scenario_named)
        dialog.open()

    @Slot(str)
    def _on_scenario_named(self, path: str) -> None:
        dialog = self.sender()
        if isinstance(dialog, QFileDialog):
            text = str(dialog.property("scenarioText"))
            self._save(Path(path), text, f"Saved the scenario {path}.", "")

    def _save(self, path: Path, text: str, sentence: str, copied: str) -> None:
        number = self._files.submit(_Writing(path, text))
        self._saving[number] = sentence
        if copied:
            QGuiApplication.clipboard().setText(copied)

    @Slot(object)
    def _on_saved(self, result: FileResult) -> None:
        sentence = self._saving.pop(result.number, "")
        if result.error is not None:
            self._bridge.say("error", result.error.sentence())
        elif sentence:
            self._bridge.say("info", sentence)

    def close(self) -> None:
        """Tell nothing more; what was begun is still finished."""
        self._files.close()


class _Writing:
    """A file to be written in the other thread."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text

    def __call__(self) -> None:
        """Write it."""
        write_text(self._path, self._text)


def _is_step(item: object, step: int) -> bool:
    return isinstance(item, Firing) and item.step == step


def _why_no_edit(firing: Firing | None) -> str:
    if firing is None:
        return _CHOOSE
    if firing.event not in EVENTS or not isinstance(firing.fields, dict):
        return f"{firing.event} has no fields to edit; fire it again instead."
    return ""
