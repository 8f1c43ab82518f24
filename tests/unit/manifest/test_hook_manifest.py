"""A hook's own manifest: the eight checks, and who it says it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.contract.contract import EVENTS
from inspector.contract.profile import profile
from inspector.manifest.hook_config import ExecutionMode, HookConfig
from inspector.manifest.hook_manifest import (
    HookConfigError,
    HookIdentity,
    honored_policy,
    identity,
    read,
)

CURRENT, OLD = profile("0.3"), profile("0.1")
BINDINGS = (
    "on-stage, on-session-start, on-task-start, on-inference, on-tool-call, on-shell, "
    "on-compaction, on-task-end, on-session-end"
)


def _not_valid(policy: str, binding: str, honored: str, note: str = "") -> str:
    return (
        f"commit_policy '{policy}' is not valid for binding '{binding}'; binding '{binding}' "
        f"honors commit_policy '{honored}'{note}"
    )


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (
            "binding: [",
            "YAML parse error: did not find expected node content at line 2 column 1, while "
            "parsing a flow node",
            2,
        ),
        (
            "binding: on-shell\nbinding: on-shell",
            'YAML parse error: duplicate entry with key "binding" at line 1 column 1',
            2,
        ),
        ("name: x\nbinding: all", f"unknown binding 'all'; expected: {BINDINGS}", 2),
        ("binding: on_shell", f"unknown binding 'on_shell'; expected: {BINDINGS}", 1),
        ("binding: ''", f"unknown binding ''; expected: {BINDINGS}", 1),
        (
            "execution_mode: Async",
            "unknown execution_mode 'Async'; expected: blocking, async",
            1,
        ),
        (
            "commit_policy: artifact",
            "unknown commit_policy 'artifact'; expected: none, replace-context, "
            "write-manifests, reopen-task, seed-context, deny",
            1,
        ),
        (
            "execution_mode: async\ncommit_policy: deny",
            "async-with-commit not supported: execution_mode 'async' requires commit_policy "
            "'none' (got 'deny')",
            2,
        ),
        (
            "binding: on-stage\nexecution_mode: async",
            "on-stage hooks must be blocking; execution_mode 'async' is not valid for binding "
            "'on-stage'",
            2,
        ),
        (
            "commit_policy: deny",
            "commit_policy 'deny' requires an explicit binding: 'on-shell' or 'on-tool-call'; a "
            "hook with no binding: is dispatched at every event, including decision points it "
            "was not written to decide",
            1,
        ),
        (
            "binding: on-task-end\ncommit_policy: deny",
            _not_valid("deny", "on-task-end", "reopen-task"),
            2,
        ),
        (
            "binding: on-inference\ncommit_policy: deny",
            _not_valid(
                "deny",
                "on-inference",
                "none",
                " (on-inference commits an 'artifact' output, which has no commit_policy spelling)",
            ),
            2,
        ),
        (
            "binding: on-session-end\ncommit_policy: reopen-task",
            _not_valid("reopen-task", "on-session-end", "none"),
            2,
        ),
    ],
)
def test_read__refused__in_the_runtimes_words(text: str, message: str, line: int) -> None:
    """Each of the eight checks has its own message and place."""
    with pytest.raises(HookConfigError) as caught:
        read(text, CURRENT)
    assert caught.value.message == message
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("binding: x\nexecution_mode: y\ncommit_policy: z", "unknown binding"),
        ("execution_mode: y\ncommit_policy: z", "unknown execution_mode"),
        ("binding: on-stage\nexecution_mode: async\ncommit_policy: deny", "async-with-commit"),
        ("commit_policy: z\nbinding: x", "unknown binding"),
    ],
)
def test_read__several_faults__first_check_wins(text: str, first: str) -> None:
    """The order is that of the checks, not of the file."""
    with pytest.raises(HookConfigError, match=first):
        read(text, CURRENT)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "hello", "binding: 5", "binding: [on-shell]", "binding: ~", "binding:", "5: on-x"],
)
def test_read__not_a_string__is_absent(text: str) -> None:
    """Whatever is not a string is the same as absent."""
    assert read(text, CURRENT) == HookConfig()


def test_read__all_three_keys__count() -> None:
    """A whole configuration; other keys do not matter."""
    config = read("binding: on-shell\ncommit_policy: deny\nversion: 0.1\ncapabilities: 7", CURRENT)
    assert config == HookConfig("on-shell", ExecutionMode.BLOCKING, "deny")
    assert read("execution_mode: async", CURRENT).execution_mode is ExecutionMode.ASYNC


@pytest.mark.parametrize(
    ("binding", "honored"),
    [
        ("on-stage", "write-manifests"),
        ("on-task-start", "seed-context"),
        ("on-compaction", "replace-context"),
        ("on-task-end", "reopen-task"),
        ("on-shell", "deny"),
        ("on-tool-call", "deny"),
        ("on-session-start", "none"),
        ("on-inference", "none"),
        ("on-session-end", "none"),
    ],
)
def test_read__policy_of_a_binding__is_the_honored_one_or_none(binding: str, honored: str) -> None:
    """Each event honors one policy besides `none`, and refuses every other."""
    assert honored_policy(binding, CURRENT.contract) == honored
    for policy in CURRENT.contract.rules.commit_policies:
        text = f"binding: {binding}\ncommit_policy: {policy}\n"
        if policy in ("none", honored):
            assert read(text, CURRENT).commit_policy == policy
        else:
            with pytest.raises(HookConfigError, match="is not valid for binding"):
                read(text, CURRENT)


def test_read__no_binding__takes_any_policy_but_deny() -> None:
    """A hook of every event may have any policy that is not asked before a call."""
    for policy in CURRENT.contract.rules.commit_policies:
        if policy != "deny":
            assert read(f"commit_policy: {policy}", CURRENT).commit_policy == policy


def test_read__old_profile__has_its_own_policies_and_no_binding_check() -> None:
    """The oldest runtime knows three policies and never compares them with the binding."""
    config = read("binding: on-shell\ncommit_policy: replace-context", OLD)
    assert config.commit_policy == "replace-context"
    with pytest.raises(HookConfigError) as caught:
        read("commit_policy: deny", OLD)
    assert caught.value.message == (
        "unknown commit_policy 'deny'; expected: none, replace-context, write-manifests"
    )


def test_identity__manifest__says_who_it_is() -> None:
    """Only strings count; `artifacts` marks the operator's file."""
    about = identity("name: a\nversion: 0.1\nruntime: hook\nrequires_files: [x.wasm, 5]\n")
    assert about == HookIdentity("a", None, "hook", ("x.wasm",))
    assert identity("artifacts: []").is_capsule
    for text in ("", "[]", "a: [", "hello"):
        assert identity(text) == HookIdentity()


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["binding", "execution_mode", "commit_policy", "name"]),
        st.sampled_from([*EVENTS, "async", "blocking", "deny", "none", "reopen-task", "~", "[]"]),
    )
)
def test_read__any_values__give_a_configuration_or_an_error(values: dict[str, str]) -> None:
    """An accepted configuration never gates an event that its policy does not fit."""
    text = "\n".join(f"{key}: {value}" for key, value in values.items())
    try:
        config = read(text, CURRENT)
    except HookConfigError:
        return
    if config.commit_policy == "deny":
        assert config.binding in ("on-shell", "on-tool-call")
    assert identity(text).runtime is None
