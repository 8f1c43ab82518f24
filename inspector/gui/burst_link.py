"""What ties firing many to the composer and the workbench: plans, timers, the bar.

Lives here: `BurstLink`. Not here: counting (workbench.burst), the bar (views.
composer_burst), sending (workbench_bridge). Only main_window imports it.
"""

from collections.abc import Iterator

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from inspector.gui.composer_link import ComposerLink
from inspector.gui.jobs import SlicedJob
from inspector.gui.models.form_composition import Composition
from inspector.gui.views.composer_view import ComposerView
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench import command
from inspector.workbench.burst import Burst, Plan, Shot

TICK_MS = 100
"""The bar's figures change so often; nobody reads faster."""

_SLOWEST_PUMP_MS = 50


class BurstLink(QObject):
    """Starts and stops bursts, one at a time.

    Signals:
        changed(): a burst began, ended, or was told to stop.
    """

    changed = Signal()

    def __init__(
        self,
        composer: ComposerView,
        composer_link: ComposerLink,
        bridge: WorkbenchBridge,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._composer = composer
        self._composer_link = composer_link
        self._bridge = bridge
        self._burst: Burst | None = None
        self._batch_title = ""
        self._batch = SlicedJob(self)
        self._batch.finished.connect(self._on_batch_made)
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        self._pump = QTimer(self)
        self._pump.setTimerType(Qt.TimerType.PreciseTimer)
        self._pump.timeout.connect(bridge.pump_burst)
        self.bar = composer.burst_bar
        self.bar.start_requested.connect(self._on_start_requested)
        self.bar.stop_requested.connect(self.stop)

    @property
    def burst(self) -> Burst | None:
        """The last burst, also when it is over."""
        return self._burst

    @property
    def is_giving(self) -> bool:
        """Whether a burst goes on firing."""
        return self._burst is not None and self._burst.is_giving

    # -- starting ------------------------------------------------------------------------

    @Slot()
    def open_bar(self) -> None:
        """Ask how many."""
        self.bar.open_bar()

    @Slot(object, object)
    def _on_start_requested(self, rounds: int | None, per_s: float | None) -> None:
        action = self._composer.current_action()
        if action is None:
            return
        title = f"{self._composer.event_name()} ({self._composer.phase().value})"
        if self.start(Plan((Shot(action),), rounds, per_s, title)):
            self._composer_link.set_last(action)

    @Slot()
    def fire_edge_cases(self) -> None:
        """Fire every edge case of the event in the composer, each under its name."""
        composition = self._composer.composition()
        if composition is None or command.can_fire(self._bridge.latest) or self.is_giving:
            return
        self._batch_title = f"Edge cases of {composition.event_name}"
        self._batch.start(_edge_shots(composition), steps=1)

    @Slot(int, object)
    def _on_batch_made(self, number: int, shots: list[Shot]) -> None:
        if number == self._batch.number:
            self.start(Plan(tuple(shots), title=self._batch_title))

    def start(self, plan: Plan) -> bool:
        """Begin a burst; one that goes on is stopped first.

        Returns:
            False when nothing can be fired; the reason is told.
        """
        burst = Burst(plan)
        reason = self._bridge.start_burst(burst)
        if reason:
            self._bridge.say("warning", reason)
            return False
        self._burst = burst
        if plan.per_s is not None:
            half_ms = round(500 / plan.per_s)
            self._pump.start(min(max(half_ms, 1), _SLOWEST_PUMP_MS))
        else:
            self._pump.stop()
        self._tick.start()
        self.bar.show()
        self._on_tick()
        self.changed.emit()
        return True

    # -- stopping ------------------------------------------------------------------------

    @Slot()
    def stop(self) -> bool:
        """Fire no more; the running call goes on.

        Returns:
            Whether there was anything to stop.
        """
        self._batch.cancel()
        if not self.is_giving:
            return False
        self._bridge.stop_burst()
        self._on_tick()
        self.changed.emit()
        return True

    # -- showing -------------------------------------------------------------------------

    @Slot()
    def _on_tick(self) -> None:
        burst = self._burst
        if burst is None:
            return
        self.bar.show_progress(burst.plan.title, burst.progress())
        if not burst.is_giving:
            self._pump.stop()
        if burst.is_over:
            self._tick.stop()
            self.changed.emit()


def _edge_shots(composition: Composition) -> Iterator[Shot]:
    contract, event, phase = composition.contract, composition.event_name, composition.phase
    for case in composition.edge_cases():
        yield Shot(command.compose(contract, event, phase, case.fields), case.name)
