"""The task in scope, by the firings of a session."""

from inspector.protocol.message import BeginTask, EndTask, Observe, TaskOutput
from inspector.workbench.state import Firing, FiringStatus, Mark
from inspector.workbench.task_scope import TaskDraft, TaskScope, after


def scope_after(*actions):
    """The scope after some actions that went well."""
    scope = TaskScope()
    for step, action in enumerate(actions, 1):
        firing = Firing(step, "x", "task", FiringStatus.FINISHED, 1, action)
        scope = after(scope, firing)
    return scope


def test_begin__with_and_without_a_text_of_its_own():
    """The original stands in for it."""
    assert scope_after(BeginTask("a")) == TaskScope(True, "a", "a", None, 1, 1)
    assert scope_after(BeginTask("a", "")).as_given == ""


def test_output__with_a_task__is_kept_until_the_next_attempt():
    """Another attempt begins without one."""
    assert scope_after(BeginTask("a"), TaskOutput("x")).output == "x"
    again = scope_after(BeginTask("a"), TaskOutput("x"), BeginTask("a", "b"))
    assert (again.output, again.as_given, again.attempts, again.step) == (None, "b", 2, 3)


def test_output__without_a_task__has_no_effect():
    """As in the runtime."""
    assert scope_after(TaskOutput("x")) == TaskScope()


def test_end__closes__other_actions_do_not():
    """Attempts are counted on."""
    assert scope_after(BeginTask("a"), EndTask()) == TaskScope(attempts=1)
    assert scope_after(BeginTask("a"), Observe("on-task-end")).is_open


def test_mark__fresh_session_or_lost_engine__ends_the_scope():
    """And the count."""
    assert after(scope_after(BeginTask("a")), Mark("Session", 2)) == TaskScope()


def test_firing_that_did_not_run__changes_nothing():
    """Refused, lost, or still under way."""
    scope = scope_after(BeginTask("a"))
    for status in (FiringStatus.REFUSED, FiringStatus.LOST, FiringStatus.RUNNING):
        assert after(scope, Firing(2, "x", "task", status, 1, EndTask())) is scope


def test_draft__begins_what_is_typed():
    """A text as given counts only when it is switched on."""
    assert TaskDraft("a", False, "b").begin() == BeginTask("a")
    assert TaskDraft("a", True, "").begin() == BeginTask("a", "")
