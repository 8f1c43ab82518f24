"""A hook that does nothing, against WIT text in which interfaces share `message`.

componentize-py then imports the lifecycle functions themselves, and no runtime has them.
"""

from wit_world import exports
from wit_world.imports import lifecycle
from wit_world.imports.lifecycle import HookOutput


class Lifecycle(exports.Lifecycle):
    """The nine functions, all of one body."""

    def on_session_start(self, _event: object) -> HookOutput:
        return lifecycle.HookOutput_None_()

    on_stage = on_task_start = on_inference = on_tool_call = on_session_start
    on_shell = on_compaction = on_task_end = on_session_end = on_session_start
