"""Lints that compare a hook's declarations with its component."""

from typing import Any

import msgspec
import pytest

from inspector.contract.profile import profile
from inspector.manifest.grant import Grant, NetworkRule
from inspector.manifest.hook_config import ExecutionMode, HookConfig, OverflowPolicy
from inspector.manifest.lint import LintedHook, findings

CURRENT, OLD = profile("0.3"), profile("0.1")
REQUIRED = CURRENT.contract.rules.required
HTTP = "wasi:http/outgoing-handler@0.2.4"
TASK_IO = "murmur:task-io/read@0.1.0"
PLAIN = LintedHook("h", HookConfig("on-session-start"), Grant(), OverflowPolicy.DROP, REQUIRED, ())


def _codes(profile_: Any = CURRENT, **changes: Any) -> list[tuple[str, str]]:
    hook = msgspec.structs.replace(PLAIN, **changes)
    return [(str(f.severity), f.code) for f in findings(hook, profile_)]


def test_findings__hook_in_order__has_none() -> None:
    """A bound hook with its functions and no grants is clean."""
    assert _codes() == []


def test_findings__bound_function_missing__never_runs() -> None:
    """The binding names an optional function that is not there."""
    assert _codes(config=HookConfig("on-task-end")) == [("warning", "binding-not-exported")]
    assert _codes(config=HookConfig("on-task-end"), exports=("on-task-end",)) == []


def test_findings__gate_missing__refuses_every_call() -> None:
    """A policy hook that lacks its function denies."""
    gate = HookConfig("on-shell", ExecutionMode.BLOCKING, "deny")
    assert _codes(config=gate, exports=()) == [("warning", "gate-not-exported")]
    assert _codes(config=gate) == []


def test_findings__unbound_without_on_stage__logs_at_each_launch() -> None:
    """Hooks of every event are staged, async ones are not."""
    assert _codes(config=HookConfig()) == [("info", "stage-not-exported")]
    assert _codes(config=HookConfig(), exports=(*REQUIRED, "on-stage")) == []
    assert _codes(config=HookConfig(None, ExecutionMode.ASYNC)) == []


def test_findings__async_hook_of_a_committing_event__loses_its_output() -> None:
    """The output would count if the hook were blocking."""
    config = HookConfig("on-compaction", ExecutionMode.ASYNC)
    assert _codes(config=config) == [("info", "async-output")]
    assert _codes(config=HookConfig("on-session-end", ExecutionMode.ASYNC)) == []


def test_findings__overflow_of_a_blocking_hook__is_inert() -> None:
    """Only async hooks have a queue."""
    assert _codes(on_overflow=OverflowPolicy.BLOCK) == [("info", "inert-overflow")]
    config = HookConfig("on-session-start", ExecutionMode.ASYNC)
    assert _codes(config=config, on_overflow=OverflowPolicy.BLOCK) == []


@pytest.mark.parametrize(
    ("interface", "grant"),
    [
        (HTTP, Grant(network=(NetworkRule("a", None, "a", None),))),
        (TASK_IO, Grant(task_io=True)),
        ("murmur:conversation/read@0.1.0", Grant(conversation=True)),
    ],
)
def test_findings__import_and_grant__want_each_other(interface: str, grant: Grant) -> None:
    """Each alone is a note, both together are fine."""
    assert _codes(imports=(interface,)) == [("info", "ungranted-import")]
    assert _codes(grant=grant) == [("info", "unused-grant")]
    assert _codes(imports=(interface,), grant=grant) == []


def test_findings__folders__are_noted_only_when_granted_in_vain() -> None:
    """Language runtimes import folders whether they are used or not."""
    filesystem = "wasi:filesystem/preopens@0.2.0"
    assert _codes(imports=(filesystem,)) == []
    assert _codes(grant=Grant(filesystem_scope=".")) == [("info", "unused-grant")]
    assert _codes(grant=Grant(state_store="s"), imports=(filesystem,)) == []


def test_findings__unused_grant__points_at_its_line() -> None:
    """The place is the declaration in the capsule's manifest."""
    grant = Grant(state_store="s", lines={"state": 12})
    hook = msgspec.structs.replace(PLAIN, grant=grant, manifest_file="murmur.yaml")
    (found,) = findings(hook, CURRENT)
    assert (found.file, found.line, found.hook) == ("murmur.yaml", 12, "h")
    assert "is granted state" in found.message


def test_findings__inference_without_driver__always_fails() -> None:
    """The capsule has to bring a driver."""
    interface = "murmur:runtime/inference@0.3.0"
    assert _codes(imports=(interface,), has_driver=False) == [("info", "no-driver")]
    assert _codes(imports=(interface,)) == []


def test_findings__old_profile__knows_no_grants() -> None:
    """Where nothing is granted, nothing is compared; unknown imports are another's concern."""
    assert _codes(OLD, imports=(HTTP, TASK_IO), grant=Grant(task_io=True)) == []
    assert _codes(imports=("other:thing/x@1.0.0",)) == []
