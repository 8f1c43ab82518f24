"""Runs a scenario file in the window: open, fire, look at expectations, stop.

Lives here: `ScenarioPlayer`. Not here: the thread that reads (file_job), the order of
steps and their verdicts (workbench.scenario_play), firing (workbench_bridge). Only
gui.app and gui.window_desk import it.
"""

from pathlib import PurePath

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal, Slot

from inspector.gui.file_job import FileJob, FileResult
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.protocol.message import Action
from inspector.workbench import command, scenario
from inspector.workbench.formatting import count_text
from inspector.workbench.scenario import Scenario
from inspector.workbench.scenario_play import ScenarioPlay, Steps
from inspector.workbench.scenario_step import ActionStep
from inspector.workbench.state import Firing


class ScenarioPlayer(QObject):
    """One scenario at a time, in a fresh session.

    Attributes:
        play: The scenario on its way, or None.

    Signals:
        changed(): it began, went on or ended.
        ended(): the last step is over, or it was stopped.
    """

    changed = Signal()
    ended = Signal()

    def __init__(self, bridge: WorkbenchBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.play: ScenarioPlay | None = None
        self._capsule: str | None = None
        self._steps: Steps | None = None
        self._step: ActionStep | None = None
        self._action: Action | None = None
        self._session = 0
        self._files = FileJob(self)
        self._files.finished.connect(self._on_read)
        self._later: Scenario | None = None
        bridge.settled.connect(self._on_settled)
        bridge.step_answered.connect(self._on_step_answered)
        bridge.interrupted.connect(self.stop)
        bridge.engine_changed.connect(self._on_engine_changed)

    # -- beginning ---------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether a file is being read or a scenario runs."""
        return not self._files.is_idle or self.play is not None

    def run_file(self, file: str, capsule: str | None = None) -> None:
        """Read a scenario file and run it.

        Args:
            file: Its path.
            capsule: What to open for it, or None for the capsule that is open.
        """
        if self.is_busy:
            self._bridge.say("warning", "A scenario is running; stop it first.")
            return
        if capsule is None and self._bridge.latest.path is None:
            self._bridge.say("warning", "Open a capsule first, then run a scenario on it.")
            return
        self._capsule = capsule
        self._files.submit(_Reading(file))
        self._tell()

    @Slot(object)
    def _on_read(self, result: FileResult) -> None:
        if isinstance(result.value, Scenario):
            self.run(result.value, self._capsule)
        elif result.error is not None:
            self._bridge.say("error", result.error.sentence())
        self._tell()

    def run(self, loaded: Scenario, capsule: str | None = None) -> None:
        """Run a scenario that was read, in a fresh session of its own settings.

        Args:
            loaded: What to run.
            capsule: What to open for it, or None for the capsule that is open.
        """
        bridge = self._bridge
        path = capsule or bridge.latest.path
        if path is None or self.play is not None:
            return
        if reason := command.can_open(bridge.latest):
            bridge.say("warning", reason)
            return
        session = bridge.latest.session
        self._session = session.number if session else 0
        self.play = ScenarioPlay(loaded)
        self._steps = None
        bridge.settings = loaded.settings
        bridge.open_capsule(path, loaded.profile)
        self._tell()

    def run_later(self, loaded: Scenario) -> None:
        """Run a scenario on the first capsule that is opened from now on."""
        self._later = loaded
        self._bridge.choose_profile(loaded.profile)

    @Slot()
    def _on_settled(self) -> None:
        if self._later is not None and self._bridge.latest.session is not None:
            later, self._later = self._later, None
            self.run(later)
            return
        if self.play is None or self._steps is not None:
            return
        state = self._bridge.latest
        session = state.session
        if session is None or session.number == self._session:
            self._end("")  # why it could not be opened is told elsewhere
            return
        self._steps = self.play.steps()
        try:
            self._fire(next(self._steps))
        except StopIteration:
            self._end(self._sum())

    # -- going on ----------------------------------------------------------------------------

    def _fire(self, step: ActionStep) -> None:
        self._step = step
        # A copy of its own, so that its row can be told from any other.
        self._action = replace(step.action)
        self._bridge.fire(self._action)

    @Slot(object)
    def _on_step_answered(self, number: int) -> None:
        if self.play is None or self._steps is None or self._step is None:
            return
        firing = self._firing(number)
        if firing is None or firing.action is not self._action:
            return  # the user fired something in between
        if firing.record is None:
            name = PurePath(self.play.scenario.file).name
            line = self._step.place.line
            self._end(f"{name}:{line}: {self._step.label} did not run, so the scenario stopped.")
            return
        try:
            step = self._steps.send(firing.record)
        except StopIteration:
            self._judge()
            self._end(self._sum())
            return
        self._judge()
        self._fire(step)
        self._tell()

    def _firing(self, number: int) -> Firing | None:
        for _, item in self._bridge.latest.history.items.newest_first():
            if isinstance(item, Firing) and item.step == number:
                return item
        return None

    def _judge(self) -> None:
        assert self.play is not None
        for judgement in self.play.take_judgements():
            self._bridge.judge(judgement.step, judgement.expectation)

    # -- ending ------------------------------------------------------------------------------

    @Slot()
    def stop(self) -> None:
        """Fire no further step; what runs is stopped by whoever asked."""
        if self.play is not None:
            self._end(f"Stopped. {self._sum()}")

    @Slot()
    def _on_engine_changed(self) -> None:
        if self.play is not None and not self._bridge.has_engine:
            self._end("")

    def _sum(self) -> str:
        assert self.play is not None
        play = self.play
        held = play.checked - play.failed
        return (
            f"{play.scenario.name}: {count_text(play.fired, 'step')} run, "
            f"{held:,} of {count_text(play.checked, 'expectation')} held."
        )

    def _end(self, sentence: str) -> None:
        play, self.play = self.play, None
        if self._steps is not None:
            self._steps.close()
        self._steps = self._step = self._action = None
        if sentence and play is not None:
            self._bridge.say("warning" if play.failed else "info", sentence)
        self._tell()
        self.ended.emit()

    def close(self) -> None:
        """Take nothing more from the reader; the window closes."""
        self._files.close()

    # -- telling -----------------------------------------------------------------------------

    def status(self) -> tuple[str, float | None]:
        """What runs and how far it is, 0.0 to 1.0, None while that is unknown."""
        if self.play is None:
            return ("", None) if self._files.is_idle else ("reading the scenario", None)
        scenario_, done = self.play.scenario, self.play.fired
        total = max(scenario_.runs, 1)
        if self._steps is None:
            return f"{scenario_.name}: opening", None
        return f"{scenario_.name}: {done:,} of {total:,}", done / total

    def _tell(self) -> None:
        self.changed.emit()


class _Reading:
    """Reads one scenario file; YAML of some megabytes takes seconds."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __call__(self) -> Scenario:
        return scenario.load(self._file)
