"""Which folders and variables an instance of a hook gets.

Lives here: from a grant, an environment and roots to WASI settings; making the folders.
Not here: deriving grants (manifest) and handing them to wasmtime (wasi). Only runtime
imports it.
"""

from pathlib import Path

from inspector.capsule.capsule import EnvSettings
from inspector.contract.profile import GrantPolicy, Profile
from inspector.manifest.grant import Grant
from inspector.manifest.rust_format import io_error
from inspector.runtime.instance import InstantiationError
from inspector.runtime.wasi import WasiSettings

STATE_PREOPEN = "state"
SCOPE_PREOPEN = "."
OWNER_ONLY = 0o700


def environment(profile: Profile, grant: Grant, env: EnvSettings) -> tuple[tuple[str, str], ...]:
    """The variables of a hook, in the runtime's order.

    Args:
        profile: Whether the config variable exists.
        grant: Its `config_json`.
        env: Everything else; None is not set at all.

    Source: spec/manifest.md 4.6.
    """
    pairs = (
        ("MURMUR_ARTIFACT_CONFIG", grant.config_json if profile.passes_config else None),
        ("MURMUR_OTEL_ENDPOINT", env.otel_endpoint),
        ("MURMUR_FORMATION_ID", env.formation_id),
        ("MURMUR_EVAL_CONFIG", env.eval_config),
        ("MURMUR_CASE_ID", env.case_id),
        ("MURMUR_DATASET_ID", env.dataset_id),
    )
    return tuple((name, value) for name, value in pairs if value is not None)


def staging_env(env: EnvSettings) -> EnvSettings:
    """What is left of the environment for on-stage (spec/dispatch.md 2)."""
    return EnvSettings(formation_id=env.formation_id)


def wasi_settings(
    profile: Profile, grant: Grant, env: EnvSettings, root: Path, home: Path
) -> WasiSettings:
    """Make the granted folders and describe what the instance sees.

    Args:
        profile: Whether folders and network come from the grant.
        grant: The hook's grant.
        env: Values of variables.
        root: The folder that a scope hangs under: the accessible folder for a session's
            instance, the session folder for on-stage.
        home: The murmur home; state stores live in `state` below it.

    Returns:
        Environment and preopens, `.` before `state`.

    Raises:
        InstantiationError: when a granted folder cannot be made; one that is not there is
            found when it is opened (wasi).

    Source: spec/imports.md 7, spec/manifest.md 4.3 and 4.4.
    """
    variables = environment(profile, grant, env)
    preopens: list[tuple[str, str]] = []
    if profile.grants is GrantPolicy.INHERITED:
        preopens.append((str(root), SCOPE_PREOPEN))
        return WasiSettings(env=variables, preopens=tuple(preopens), inherit_network=True)
    if grant.filesystem_scope is not None:
        preopens.append((make_scope(root, grant.filesystem_scope), SCOPE_PREOPEN))
    if grant.state_store is not None:
        preopens.append((str(home / "state" / grant.state_store), STATE_PREOPEN))
    return WasiSettings(env=variables, preopens=tuple(preopens), inherit_network=False)


def make_state_store(home: Path, store: str) -> Path:
    """Make a state store's folder, readable by the owner alone, as every launch does.

    Raises:
        OSError: when it cannot be made.
    """
    root = home / "state"
    folder = root / store
    folder.mkdir(parents=True, exist_ok=True)
    for path in (root, folder):
        path.chmod(OWNER_ONLY)
    return folder


def make_scope(root: Path, scope: str) -> str:
    """Make the folder of a scope; returns its path.

    Args:
        root: The folder that it hangs under.
        scope: As declared, and checked.

    Raises:
        InstantiationError: when it cannot be made.

    Source: spec/manifest.md 4.3.
    """
    # Joined as the runtime joins it, so that the path in its text is the same.
    path = f"{root}/{scope}"
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        cause = io_error(error)
        text = f"failed to create granted filesystem scope '{scope}': {cause}"
        message = f"failed to initialize WASI for {path}: {text}"
        raise InstantiationError(message, prefixed=False) from error
    return path
