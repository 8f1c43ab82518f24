"""Lints that compare a hook's declarations with its component."""

from typing import Any

import msgspec
import pytest

from inspector.contract.profile import profile
from inspector.manifest.grant import Grant, NetworkRule
from inspector.manifest.hook_config import ExecutionMode, HookConfig, OverflowPolicy
from inspector.manifest.lint import MIB, Build, LintedHook, findings

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


def test_findings__policy_of_a_function_that_is_not_there__never_acts() -> None:
    """An unbound hook has every event, as far as it exports its function."""
    reopening = HookConfig(None, ExecutionMode.BLOCKING, "reopen-task")
    staged = (*REQUIRED, "on-stage")
    assert _codes(config=reopening, exports=staged) == [("warning", "policy-never-acts")]
    assert _codes(config=reopening, exports=(*staged, "on-task-end")) == []
    compacting = HookConfig(None, ExecutionMode.BLOCKING, "replace-context")
    assert _codes(config=compacting, exports=staged) == []


def test_findings__policy_beside_its_binding__never_acts_where_that_is_accepted() -> None:
    """The first runtime does not compare them; the others refuse the hook for it."""
    config = HookConfig("on-shell", ExecutionMode.BLOCKING, "replace-context")
    (found,) = findings(msgspec.structs.replace(PLAIN, config=config), OLD)
    assert (str(found.severity), found.code) == ("warning", "policy-never-acts")
    assert found.hint == "Export and bind on-compaction, or leave the policy out."
    fitting = HookConfig("on-compaction", ExecutionMode.BLOCKING, "replace-context")
    assert _codes(OLD, config=fitting) == []


def test_findings__policy_of_a_binding_that_is_missing__is_told_once() -> None:
    """The missing function is the finding."""
    config = HookConfig("on-task-end", ExecutionMode.BLOCKING, "reopen-task")
    assert _codes(config=config) == [("warning", "binding-not-exported")]


@pytest.mark.parametrize("profile_", [OLD, CURRENT, profile("0.4")])
def test_findings__every_policy_with_its_own_event__acts(profile_: Any) -> None:
    """No honored pair of binding and policy is complained about."""
    contract = profile_.contract
    for policy in contract.rules.commit_policies:
        for event, _ in contract.honoring_events(policy):
            config = HookConfig(event, ExecutionMode.BLOCKING, policy)
            assert _codes(profile_, config=config, exports=(*REQUIRED, event)) == []


def test_findings__functions_of_another_type__fail_when_they_are_called() -> None:
    """Those of other events are never called."""
    hook = msgspec.structs.replace(PLAIN, mismatched=("on-session-start", "on-shell"))
    (found,) = findings(hook, CURRENT)
    assert (str(found.severity), found.code) == ("warning", "wrong-type")
    assert found.message == (
        "hook 'h' exports on-session-start with another type than the contract's, so every such "
        "call fails"
    )
    assert _codes(mismatched=("on-shell",)) == []
    unbound = HookConfig(None, ExecutionMode.ASYNC)
    (found,) = findings(msgspec.structs.replace(hook, config=unbound), CURRENT)
    assert "exports on-session-start, on-shell with" in found.message


@pytest.mark.parametrize(
    ("toolchain", "mib"), [("Rust", 4), ("C", 4), ("Go", 8), ("JavaScript", 20), ("Python", 40)]
)
def test_findings__component_larger_than_its_kind__is_noted(toolchain: str, mib: int) -> None:
    """Up to the threshold it is as they are."""
    assert _codes(build=Build(mib * MIB, toolchain)) == []
    hook = msgspec.structs.replace(PLAIN, build=Build(mib * MIB + 1, toolchain))
    (found,) = findings(hook, CURRENT)
    assert (str(found.severity), found.code) == ("info", "large-component")
    assert f"hooks built from {toolchain} stay below {mib} MiB" in found.message


def test_findings__component_of_an_unknown_kind__is_never_too_large() -> None:
    """There is nothing to compare with."""
    assert _codes(build=Build(1 << 40)) == []
    assert _codes(build=Build(1 << 40, "Zig")) == []


def test_findings__debug_build__is_noted_and_not_called_large_for_it() -> None:
    """What stripping would take away does not count."""
    build = Build(9 * MIB, "Rust", debug_bytes=4 * MIB, name_bytes=2 * MIB)
    hook = msgspec.structs.replace(PLAIN, build=build, component_file="h.wasm")
    (found,) = findings(hook, CURRENT)
    assert (found.code, found.file) == ("debug-build", "h.wasm")
    assert found.message == (
        "hook 'h' carries 4 MiB of debug information and 2 MiB of function names, so it is a "
        "debug build or was not stripped"
    )
    assert _codes(build=msgspec.structs.replace(build, component_bytes=11 * MIB)) == [
        ("info", "debug-build"),
        ("info", "large-component"),
    ]


def test_findings__names_of_usual_length__are_fine() -> None:
    """A release build keeps some, an interpreter many."""
    assert _codes(build=Build(MIB, "Rust", name_bytes=MIB)) == []
    assert _codes(build=Build(MIB, "", name_bytes=MIB + 1)) == [("info", "debug-build")]
    assert _codes(build=Build(MIB, "", debug_bytes=1)) == [("info", "debug-build")]
