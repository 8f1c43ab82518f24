"""A hook instance for a test, made and closed in one `with`.

Lives here: `running`, and the imports that a test may give. Not here: the components
(wat, echo_guest). Any test may import it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from wasmtime import Store
from wasmtime.component import Linker

from inspector.contract import contract, value
from inspector.contract.profile import PROFILES, Profile
from inspector.manifest.grant import Limits
from inspector.runtime import host_function
from inspector.runtime.component import compile_hook
from inspector.runtime.engine import HookEngine
from inspector.runtime.instance import CallResult, HookInstance, instantiate
from inspector.runtime.wasi import WasiSettings
from tests.helpers.wat import Double

HostFunctions = Mapping[str, Mapping[str, Callable[..., Any]]]
"""By full interface name and function name."""

PROFILE_OF = {profile.contract_version: profile for profile in PROFILES.values()}
"""The profile that accepts a contract version."""


@contextmanager
def running(
    double: Double | bytes,
    *,
    profile: Profile | None = None,
    limits: Limits = Limits(),  # noqa: B008 -- frozen
    ticks: int = 600,
    wasi: WasiSettings = WasiSettings(),  # noqa: B008 -- frozen
    host: HostFunctions | None = None,
    lookup: Literal["session", "stage"] = "session",
    deadline_s: int = 30,
    name: str = "h",
) -> Iterator[HookInstance]:
    """Compile and instantiate a hook, and close everything afterwards.

    Args:
        double: A double, or the bytes of a component.
        profile: The one that accepts the double's contract by default.
        limits: Of memory, tables and instances.
        ticks: Ticks of 100 ms until the deadline.
        wasi: What the hook sees of the host.
        host: Host functions beside WASI.
        lookup: Which functions are resolved.
        deadline_s: The number in the texts.
        name: Of the hook; the version is 1.0.0.
    """
    data = double if isinstance(double, bytes) else double.component()
    version = "0.8.0" if isinstance(double, bytes) else double.version
    judge = profile or PROFILE_OF[version]

    def define(linker: Linker, store: Store) -> None:
        for interface, functions in (host or {}).items():
            host_function.define(linker, judge.contract.interfaces[interface], functions)

    engine = HookEngine(limits, ticks)
    compiled = compile_hook(engine, data)
    try:
        instance = instantiate(
            compiled,
            judge.contract,
            judge,
            name,
            "1.0.0",
            limits,
            deadline_s,
            wasi,
            define,
            lookup,
        )
        try:
            yield instance
        finally:
            instance.close()
    finally:
        compiled.close()
        engine.close()


def fire(
    instance: HookInstance, event: str, version: str = "0.8.0", /, **fields: Any
) -> CallResult:
    """Call an event with some fields given (`_` for `-`), the others at their default."""
    record = contract.load(version).record(event)
    given = {name.replace("_", "-"): content for name, content in fields.items()}
    return instance.call(event, value.complete(record, given))
