"""Values for tests of workbench and window: an inspection, records, sessions.

Lives here: builders. Not here: engines (fake_port), real capsules (tests/process).
"""

from collections.abc import Mapping
from typing import Any

from inspector.contract.contract import EVENTS, Phase
from inspector.contract.profile import PROFILES, Profile
from inspector.contract.record import (
    Artifact,
    Decision,
    Disposition,
    Failure,
    Fault,
    HookCall,
    LogEntry,
    Outcome,
    StepRecord,
    Totals,
)
from inspector.contract.type import signature
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.protocol.inspection import (
    FORMAT,
    CapsuleHead,
    EventView,
    ExportView,
    GrantsView,
    HonoredView,
    HookView,
    ImportView,
    Inspection,
    LimitsView,
    RuleView,
    SourceView,
)
from inspector.protocol.message import HookState, SessionStarted

NO_GRANTS = GrantsView((), None, None, False, False, None)
REJECTION = (
    "hook legacy@0.1.0 does not export murmur:hook/lifecycle@0.8.0; rebuild the hook against "
    "the current WIT (run `mur install` for a default artifact, or rebuild from source otherwise)"
)


def exports(profile: Profile, absent: tuple[str, ...] = ()) -> tuple[ExportView, ...]:
    """The nine exports of a hook that has all but some."""
    contract = profile.contract
    return tuple(
        ExportView(
            event,
            contract.requirement(event) == "required",
            event not in absent,
            None if event in absent else True,
            signature(contract.function(event)),
        )
        for event in EVENTS
    )


def events(
    profile: Profile, binding: str, mode: str = "blocking", policy: str = "none"
) -> tuple[EventView, ...]:
    """What reaches a hook, by the rules of the contract."""
    contract = profile.contract
    views = []
    for event in EVENTS:
        reached = binding in ("all", event)
        gates = mode == "blocking" and policy == "deny" and binding == event
        phases = (("observe",) if reached else ()) + (("decide",) if gates else ())
        honored = HonoredView(
            contract.honored_arm(event, Phase.OBSERVE), contract.honored_arm(event, Phase.DECIDE)
        )
        views.append(EventView(event, reached, phases, honored))
    return tuple(views)


def hook(
    name: str,
    *,
    binding: str = "all",
    mode: str = "blocking",
    policy: str = "none",
    rejection: str | None = None,
    grants: GrantsView = NO_GRANTS,
    profile_name: str = "0.3",
    **changes: Any,
) -> HookView:
    """One hook of an inspection."""
    profile = PROFILES[profile_name]
    values: dict[str, Any] = {
        "name": name,
        "version": "0.1.0",
        "source": SourceView("hooks-folder", f"/capsules/demo/hooks/{name}/{name}.wasm", "ab" * 32),
        "binding": binding,
        "execution_mode": mode,
        "commit_policy": policy,
        "on_overflow": "drop",
        "lifecycle": profile.contract.interface,
        "accepted": rejection is None,
        "rejection": rejection,
        "profiles": {"0.1": False, "0.3": rejection is None, "0.4": False},
        "exports": exports(profile),
        "imports": (),
        "grants": grants,
        "env": (),
        "events": events(profile, binding, mode, policy),
        "component_bytes": 23_456,
        "compile_us": 3_210,
        "instantiate_us": 400,
    }
    return HookView(**{**values, **changes})


def demo_hooks() -> tuple[HookView, ...]:
    """Hooks of every kind that the list tells apart."""
    granted = GrantsView(
        (RuleView("https://collect.test", "https", "collect.test", 443),),
        "audit/out",
        "audit-shared",
        True,
        False,
        '{"level":2,"tags":["a","b"]}',
    )
    imports = (
        ImportView("wasi:cli/environment@0.2.3", True, None, None, functions=("get-environment",)),
        ImportView(
            "wasi:http/outgoing-handler@0.2.3", True, "network", True, functions=("handle",)
        ),
        ImportView("murmur:conversation/read@0.1.0", True, "conversation", False),
    )
    return (
        hook("gatekeeper", binding="on-shell", policy="deny"),
        hook(
            "audit-trail",
            mode="async",
            grants=granted,
            imports=imports,
            env=(("MURMUR_ARTIFACT_CONFIG", '{"level":2,"tags":["a","b"]}'),),
        ),
        hook("compactor", binding="on-compaction", policy="replace-context"),
        hook("crashing-observer-with-a-very-long-name-of-its-own"),
        hook("legacy", rejection=REJECTION, lifecycle="murmur:hook/lifecycle@0.5.0"),
    )


def inspection(
    hooks: tuple[HookView, ...] | None = None,
    *,
    diagnostics: tuple[Diagnostic, ...] = (),
    launch_refusal: str | None = None,
    profile_name: str = "0.3",
) -> Inspection:
    """The description of a capsule."""
    return Inspection(
        FORMAT,
        CapsuleHead("ledger-demo", "0.3.1", "/capsules/demo", profile_name),
        LimitsView(536870912, 100000, 1000, 30),
        demo_hooks() if hooks is None else hooks,
        diagnostics,
        launch_refusal,
    )


def demo_diagnostics() -> tuple[Diagnostic, ...]:
    """One finding of each severity."""
    manifest = "/capsules/demo/murmur.yaml"
    return (
        Diagnostic(
            Severity.ERROR,
            "rejected",
            REJECTION,
            "Rebuild legacy for lifecycle@0.8.0, or choose a profile that takes it.",
            manifest,
            23,
            5,
            "legacy",
            stops_launch=True,
        ),
        Diagnostic(
            Severity.WARNING,
            "W-SEC-006",
            "hook 'audit-trail' declares capabilities.shell which the runtime does not apply "
            "per-hook",
            "Take the block out; it has no effect here.",
            manifest,
            14,
            7,
            "audit-trail",
        ),
        Diagnostic(Severity.INFO, "hooks-folder", "gatekeeper was found in hooks/gatekeeper"),
    )


def session(session_id: str = "ses_01demo") -> SessionStarted:
    """A session that has just begun."""
    context = {
        "capsule-name": "ledger-demo",
        "capsule-version": "0.3.1",
        "session-id": session_id,
        "model": "test-model",
        "capabilities": ["network", "shell"],
    }
    home = "/home/user/.cache/capsule-inspector"
    run = f"{home}/runs/run-x7k2"
    return SessionStarted(
        session_id, run, f"{run}/project", f"{home}/murmur-home", context, ("bash", "git"), True
    )


def hook_states(hooks: tuple[HookView, ...]) -> tuple[HookState, ...]:
    """Live states: ready, or rejected."""
    return tuple(
        HookState(
            found.name,
            "ready" if found.accepted else "rejected",
            memory_bytes=1_114_112 if found.accepted else 0,
        )
        for found in hooks
    )


def call(
    hook_name: str = "audit-trail",
    result: str = "none",
    disposition: Disposition = Disposition.IGNORED,
    **changes: Any,
) -> HookCall:
    """One hook's part in a step."""
    values = {"mode": "blocking", "duration_us": 41, **changes}
    return HookCall(hook=hook_name, result=result, disposition=disposition, **values)


def record(
    step: int,
    event: str = "on-tool-call",
    *calls: HookCall,
    phase: str = "observe",
    fields: Mapping[str, Any] | None = None,
    **changes: Any,
) -> StepRecord:
    """What a step came to."""
    values: dict[str, Any] = {
        "duration_us": sum(item.duration_us for item in calls) + 12,
        "fields": dict(fields) if fields is not None else {"turn": step},
        **changes,
    }
    return StepRecord(step, event, phase, calls=tuple(calls), **values)


TRAP_DETAIL = """error while executing at wasm backtrace:
    0:    0x1f2 - crashing_observer.wasm!on-tool-call
    1:    0x2a7 - crashing_observer.wasm!murmur:hook/lifecycle@0.8.0#on-tool-call

Caused by:
    wasm trap: wasm `unreachable` instruction executed"""


def demo_records() -> tuple[StepRecord, ...]:
    """A short session in which most dispositions occur."""
    long_name = "crashing-observer-with-a-very-long-name-of-its-own"
    shell = {
        "turn": 1,
        "binary": "/bin/rm",
        "command": "-rf /",
        "argv": ["-rf", "/"],
        "script": None,
        "recipe": None,
        "outcome": None,
    }
    reason = "removing the root folder is not allowed here"
    fault_line = (
        "hook 'audit-trail' returned unsupported hook-output arm 'artifact' from 'on-shell'; "
        "this event does not honor that arm, so the value was discarded"
    )
    error = f"hook '{long_name}' on-tool-call trapped: {TRAP_DETAIL}"
    messages = [{"role": "user", "content": "hello", "id": None, "source-id": None}]
    return (
        record(
            1,
            "on-session-start",
            call(),
            call(long_name),
            fields=session().context,
            phase="observe",
        ),
        record(
            2,
            "on-shell",
            call("gatekeeper", "deny", Disposition.HONORED, payload=reason, reason=reason),
            phase="decide",
            fields=shell,
            outcome=Outcome(decision=Decision("denied", "gatekeeper", reason)),
        ),
        record(
            3,
            "on-shell",
            call("gatekeeper"),
            call(
                "audit-trail",
                "artifact",
                Disposition.FAULT,
                payload='{"seen": 1, "binary": "/bin/ls"}',
                stdout="seen /bin/ls\n",
            ),
            fields={**shell, "binary": "/bin/ls"},
            faults=(Fault("audit-trail", "on-shell", "artifact"),),
            logs=(LogEntry("logs/hook-audit-trail.log", fault_line),),
        ),
        record(
            4,
            "on-tool-call",
            call(),
            call(
                long_name,
                "error",
                Disposition.ERROR,
                failure=Failure.TRAP,
                error=error,
                detail=TRAP_DETAIL,
                duration_us=1_834,
            ),
            fields={"turn": 1, "tool-name": "grep", "input-bytes": 2**63, "input": "{}"},
            logs=(LogEntry(f"logs/hook-{long_name}.log", error),),
        ),
        record(
            5,
            "on-inference",
            call("audit-trail", "artifact", Disposition.HONORED, payload='{"tokens": 42}'),
            outcome=Outcome(artifacts=(Artifact("audit-trail", '{"tokens": 42}'),)),
            totals=Totals(1, 1200, 42, 1, 1),
        ),
        record(
            6,
            "on-compaction",
            call("compactor", "replace-context", Disposition.HONORED, payload=messages),
            call("audit-trail", "queued", mode="async", duration_us=0),
            outcome=Outcome(replacement=tuple(messages)),
            totals=Totals(1, 1200, 42, 1, 1),
        ),
        record(7, "on-task-start", totals=Totals(1, 1200, 42, 1, 1)),
    )
