"""Scenarios of the sample capsules, by name.

Lives here: from `sample:NAME` to a scenario's path. Not here: opening sample capsules
(capsule), reading scenarios (workbench.scenario). Command line and window import it.
"""

from inspector import assets
from inspector.errors import ErrorKind, InspectorError

PREFIX = "sample:"
_ENDING = ".scenario.yaml"


def scenario_path(text: str) -> str:
    """The path that SCENARIO stands for.

    Args:
        text: A path, which is given back, `sample:CAPSULE/NAME`, or `sample:CAPSULE` for
            the first scenario of that sample.

    Raises:
        InspectorError: UNREADABLE_SCENARIO for a sample scenario that is not there.
    """
    if not text.startswith(PREFIX):
        return text
    capsule, _, name = text.removeprefix(PREFIX).partition("/")
    known = scenario_names(capsule) if capsule in assets.sample_names() else ()
    wanted = name.removesuffix(_ENDING) or (known[0] if known else "")
    if wanted not in known:
        everything = [f"{s}/{n}" for s in assets.sample_names() for n in scenario_names(s)]
        raise InspectorError(
            ErrorKind.UNREADABLE_SCENARIO,
            f"there is no sample scenario {text!r}.",
            hint=f"There are {', '.join(PREFIX + one for one in everything) or 'none'}.",
        )
    return str(assets.resource("capsules", capsule, wanted + _ENDING))


def description(capsule: str) -> str:
    """The first sentence of a sample's README, or "" when it has none."""
    try:
        text = assets.resource("capsules", capsule, "README.md").read_text("utf-8")
    except OSError:
        return ""
    body = " ".join(line for line in text.splitlines() if not line.startswith("#"))
    return body.strip().partition(". ")[0].rstrip(".") + "." if body.strip() else ""


def scenario_names(capsule: str) -> tuple[str, ...]:
    """Names of a sample's scenarios, the one named like the sample first."""
    files = assets.resource("capsules", capsule).glob(f"*{_ENDING}")
    names = sorted(path.name.removesuffix(_ENDING) for path in files)
    return tuple(sorted(names, key=lambda name: name != capsule))
