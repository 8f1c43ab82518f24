"""The task that hooks see through task-io, as the firings of a session made it.

Lives here: `TaskScope` and how a finished firing changes it. Not here: the task's files
(runtime.host.task_io), buttons (gui.views.session_task). Rooms above may import it.
"""

import msgspec
from msgspec.structs import replace

from inspector.protocol.message import BeginTask, EndTask, TaskOutput
from inspector.workbench.state import Firing, FiringStatus, TimelineItem


class TaskScope(msgspec.Struct, frozen=True):
    """The current task attempt.

    Attributes:
        is_open: Whether a task is open; without one hooks read nothing.
        original: The task as the user gave it.
        as_given: The text of this attempt.
        output: The output that was recorded, or None.
        step: The firing that opened it, 0 without one.
        attempts: Times that a task was opened in this session.
    """

    is_open: bool = False
    original: str = ""
    as_given: str = ""
    output: str | None = None
    step: int = 0
    attempts: int = 0


class TaskDraft(msgspec.Struct, frozen=True):
    """What was typed for a task.

    Attributes:
        original: The task's text.
        has_given: Whether the attempt has a text of its own.
        as_given: That text.
        output: The output to record.
    """

    original: str = ""
    has_given: bool = False
    as_given: str = ""
    output: str = ""

    def begin(self) -> BeginTask:
        """The action that opens the task."""
        return BeginTask(self.original, self.as_given if self.has_given else None)


def after(scope: TaskScope, item: TimelineItem) -> TaskScope:
    """The scope after an item of the timeline.

    Args:
        scope: The scope before.
        item: A finished firing changes it; a mark means a fresh session or none.

    Source: spec/imports.md 4.
    """
    if not isinstance(item, Firing):
        return TaskScope()
    if item.status is not FiringStatus.FINISHED:
        return scope
    match item.action:
        case BeginTask(original=original, as_given=given):
            text = original if given is None else given
            return TaskScope(True, original, text, None, item.step, scope.attempts + 1)
        case TaskOutput(text=text) if scope.is_open:
            return replace(scope, output=text)
        case EndTask():
            return TaskScope(attempts=scope.attempts)
    return scope
