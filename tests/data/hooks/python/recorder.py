"""A hook that prints every event and uses everything that it may be granted.

Built with componentize-py against the world `complete` (worlds.wit).
"""

import dataclasses
import json
import os
from pathlib import Path

import probe
from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import lifecycle
from wit_world.exports.lifecycle import HookOutput
from wit_world.imports import inference, murmur_conversation_read, murmur_task_io_read, tokens
from wit_world.imports.murmur_task_io_read import TaskInputForm

PAGE = 2
"""Messages a page; small, so that a short conversation has several."""

NONE = lifecycle.HookOutput_None_()


def say(word: str, value: object) -> None:
    """Print a word and a value as JSON, on one line."""
    print(word, json.dumps(value, ensure_ascii=False))  # noqa: T201 -- that is the point


def seen(name: str, event: object) -> None:
    """Print an event, and note it in the scope and in the state store where they are."""
    say(name, dataclasses.asdict(event))
    if Path().is_dir():
        with Path("events.log").open("a", encoding="utf-8") as log:
            log.write(f"{name}\n")
    if Path("state").is_dir():
        count = Path("state/count")
        before = int(count.read_text()) if count.exists() else 0
        count.write_text(str(before + 1))


def answer(call: object, *arguments: object) -> object:
    """The result of a host function, or its error."""
    try:
        return call(*arguments)
    except Err as error:
        value = error.value
        return {"err": value if isinstance(value, str) else value.name}


def pages() -> list[object]:
    """The conversation in pages, newest first, or one error."""
    found: list[object] = []
    cursor = None
    while True:
        page = answer(murmur_conversation_read.read_messages, cursor, PAGE)
        if isinstance(page, dict):
            return [*found, page]
        found.append(
            {
                "messages": [[m.role, m.content, m.id, m.source_id] for m in page.messages],
                "next": page.next_cursor,
                "total": page.total,
            }
        )
        cursor = page.next_cursor
        if cursor is None:
            return found


def task_texts() -> dict[str, object]:
    """Lengths and texts of the task in scope, or why there is none."""
    read = murmur_task_io_read
    return {
        "input-len": answer(read.input_len, TaskInputForm.ORIGINAL),
        "as-given": answer(read.read_input, TaskInputForm.AS_GIVEN, 0, 2**64 - 1),
        "original": answer(read.read_input, TaskInputForm.ORIGINAL, 0, 8),
        "output-len": answer(read.output_len),
        "output": answer(read.read_output, 0, 100),
    }


class Lifecycle(exports.Lifecycle):
    """The nine functions."""

    def on_stage(self, event: lifecycle.StageEvent) -> HookOutput:
        seen("on-stage", event)
        made = [lifecycle.ToolManifest(name, f"name: {name}\n") for name in event.shell_allow]
        return lifecycle.HookOutput_WriteManifests(made)

    def on_session_start(self, ctx: lifecycle.SessionContext) -> HookOutput:
        seen("on-session-start", ctx)
        say("environment", dict(os.environ))
        return NONE

    def on_task_start(self, event: lifecycle.TaskStartEvent) -> HookOutput:
        seen("on-task-start", event)
        say("pages", pages())
        seed = lifecycle.Message("user", f"task {event.task_id}", None, None)
        return lifecycle.HookOutput_SeedContext([seed])

    def on_inference(self, event: lifecycle.InferenceEvent) -> HookOutput:
        seen("on-inference", event)
        say("task", task_texts())
        count = tokens.count(event.output or "")
        return lifecycle.HookOutput_Artifact(json.dumps({"tokens": count}))

    def on_tool_call(self, event: lifecycle.ToolEvent) -> HookOutput:
        seen("on-tool-call", event)
        raise Err(f"no tool is named {event.tool_name}")

    def on_shell(self, event: lifecycle.ShellEvent) -> HookOutput:
        if event.binary == "probe":
            say("probe", probe.run(event.command, event.argv))
            return NONE
        seen("on-shell", event)
        return NONE

    def on_compaction(self, event: lifecycle.CompactionEvent) -> HookOutput:
        seen("on-compaction", event)
        asked = [inference.Message(m.role, m.content, m.id, m.source_id) for m in event.messages]
        request = inference.InferenceRequest(asked, "Sum up.", event.model)
        said = answer(inference.run_inference, request)
        if isinstance(said, dict):
            raise Err(said["err"])
        say("said", dataclasses.asdict(said))
        return lifecycle.HookOutput_ReplaceContext(
            [lifecycle.Message("user", said.text, None, None), *event.messages[-1:]]
        )

    def on_task_end(self, event: lifecycle.TaskEndEvent) -> HookOutput:
        seen("on-task-end", event)
        say("task", task_texts())
        return lifecycle.HookOutput_ReopenTask("once more")

    def on_session_end(self, event: lifecycle.SessionEndEvent) -> HookOutput:
        seen("on-session-end", event)
        raise RuntimeError("the recorder is done")
