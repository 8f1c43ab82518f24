"""A scenario file as typed values, checked completely before anything runs.

Lives here: `Scenario`, its steps, the head of the file. Not here: one step's check
(workbench.scenario_step), reading text (workbench.scenario_source), running it
(workbench.scenario_run). Rooms above may import it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

import msgspec

from inspector.contract.profile import DEFAULT_PROFILE, PROFILES, Profile
from inspector.contract.profile import profile as profile_of
from inspector.contract.value import Path, to_json
from inspector.errors import InspectorError
from inspector.protocol.message import Action, SessionSettings
from inspector.workbench import scenario_source
from inspector.workbench.scenario_step import Step, StepReader, expanded, runs_of
from inspector.workbench.source import Source

FORMAT = 1
"""The newest format of a scenario file that is understood."""

HEAD_KEYS = (
    "scenario",
    "name",
    "profile",
    "session",
    "env",
    "inference",
    "conversation",
    "async-workers",
    "steps",
)
SESSION_KEYS = ("session-id", "model", "capabilities")
ENV_KEYS = ("otel-endpoint", "formation-id", "eval-config", "case-id", "dataset-id")
INFERENCE_KEYS = ("reply", "error", "driver", "none")
WORKER_WORDS = ("eager", "held")


class Scenario(msgspec.Struct, frozen=True):
    """What a scenario file says.

    Attributes:
        file: Its path as given.
        name: What it shows, or the file's name.
        profile: Name of the runtime profile in force.
        settings: What the session is made with.
        steps: As written; `repeat` is not expanded.
    """

    file: str
    name: str
    profile: str
    settings: SessionSettings
    steps: tuple[Step, ...]

    @property
    def runs(self) -> int:
        """How many steps run, every round counted."""
        return runs_of(self.steps)

    def actions(self) -> Iterator[Action]:
        """The actions one after the other, with every round of a `repeat`."""
        return (step.action for step in expanded(self.steps))


def load(file: str, profile: str | None = None) -> Scenario:
    """Read and check a scenario file.

    Args:
        file: Its path.
        profile: A profile that takes precedence over the file's own, or None.

    Raises:
        InspectorError: UNREADABLE_SCENARIO with file, line and column.

    Source: docs/scenario.md.
    """
    return check(scenario_source.read(file), profile)


def parse(text: str, file: str = "scenario", profile: str | None = None) -> Scenario:
    """Check the text of a scenario; else as `load`."""
    return check(scenario_source.parse(text, file), profile)


def check(source: Source, profile: str | None = None) -> Scenario:
    """Check what was read.

    Args:
        source: The content with places.
        profile: A profile that takes precedence over the file's own, or None.

    Raises:
        InspectorError: UNREADABLE_SCENARIO for the first thing that does not fit.
    """
    return _Head(source, profile).scenario()


class _Head:
    """Reads everything but the steps."""

    def __init__(self, source: Source, profile: str | None) -> None:
        self._source = source
        self._override = profile

    def scenario(self) -> Scenario:
        data = self._source.data
        if not isinstance(data, Mapping) or "scenario" not in data:
            hint = "A scenario is a mapping that begins with `scenario: 1`."
            raise self._source.error(
                (), "this is no scenario: the key 'scenario' is missing.", hint
            )
        self._check_format(data["scenario"])
        self._check_keys((), data, HEAD_KEYS, "a scenario")
        if "steps" not in data:
            raise self._source.error((), "the key 'steps' is missing.")
        profile = self._profile(data)
        return Scenario(
            file=self._source.file,
            name=self._text(("name",), data.get("name")) or FilePath(self._source.file).name,
            profile=profile.name,
            settings=self._settings(data),
            steps=StepReader(self._source, profile).read(("steps",)),
        )

    def _check_format(self, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self._source.error(("scenario",), "scenario: wants the format, which is 1.")
        if value > FORMAT:
            message = f"the scenario has the format {value}, and this program knows up to {FORMAT}."
            raise self._source.error(("scenario",), message, "Use a newer version of it.")

    def _profile(self, data: Mapping[str, Any]) -> Profile:
        # `profile: 0.3` is a number to YAML and means the same.
        given = self._source.texts.get(("profile",), data.get("profile"))
        if given is not None and (not isinstance(given, str) or given not in PROFILES):
            known = ", ".join(f'"{name}"' for name in PROFILES)
            message = f"profile: there is no runtime profile {given!r}; there are {known}."
            raise self._source.error(("profile",), message)
        return profile_of(self._override or given or DEFAULT_PROFILE)

    def _settings(self, data: Mapping[str, Any]) -> SessionSettings:
        session = self._mapping(("session",), data, SESSION_KEYS, "session")
        capabilities = session.get("capabilities")
        return SessionSettings(
            session_id=self._folder(
                ("session", "session-id"),
                self._text(("session", "session-id"), session.get("session-id")),
            ),
            model=self._text(("session", "model"), session.get("model")),
            capabilities=None if capabilities is None else self._texts(capabilities),
            env=self._env(data),
            inference=self._inference(data),
            conversation=self._conversation(data),
            held=self._held(data),
        )

    def _texts(self, value: Any) -> tuple[str, ...]:
        path: Path = ("session", "capabilities")
        if not isinstance(value, list):
            raise self._wrong(path, value, "a list of texts", "list<string>")
        for index, item in enumerate(value):
            if not isinstance(item, str):
                raise self._wrong((*path, index), item, "text", "string")
        return tuple(value)

    def _env(self, data: Mapping[str, Any]) -> dict[str, str]:
        given = self._mapping(("env",), data, ENV_KEYS, "env")
        found = {key: self._text(("env", key), value) for key, value in given.items()}
        return {key: value for key, value in found.items() if value is not None}

    def _inference(self, data: Mapping[str, Any]) -> dict[str, Any] | None:
        path: Path = ("inference",)
        given = self._mapping(path, data, INFERENCE_KEYS, "inference")
        if not given:
            return None
        if len(given) > 1:
            message = f"inference: only one of {', '.join(INFERENCE_KEYS)} can hold."
            raise self._source.error(path, message)
        ((key, value),) = given.items()
        if key in ("reply", "error"):
            if not isinstance(value, str):
                raise self._wrong((*path, key), value, "text", "string")
            return {key: value}
        if value is not True:
            raise self._wrong((*path, key), value, "true", "bool")
        return {key: value} if key == "driver" else None

    def _conversation(self, data: Mapping[str, Any]) -> dict[str, list[Any]]:
        given = data.get("conversation")
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise self._wrong(("conversation",), given, "context ids with their messages", "")
        return {
            self._folder(("conversation", key), key) or "": self._messages(key, messages)
            for key, messages in given.items()
        }

    def _messages(self, key: str, messages: Any) -> list[Any]:
        path: Path = ("conversation", key)
        if not isinstance(messages, list):
            raise self._wrong(path, messages, "a list of messages", "")
        for index, message in enumerate(messages):
            if not isinstance(message, Mapping):
                raise self._wrong((*path, index), message, "a message", "")
        stored: list[Any] = to_json(messages)
        if (bad := too_large(stored, path)) is not None:
            message = f"{'.'.join(map(str, bad))}: a whole number exceeds 64 bits."
            raise self._source.error(bad, message)
        return stored

    def _held(self, data: Mapping[str, Any]) -> bool:
        word = data.get("async-workers", "eager")
        if not isinstance(word, str) or word not in WORKER_WORDS:
            wanted = f"one of {', '.join(WORKER_WORDS)}"
            raise self._wrong(("async-workers",), word, wanted, "")
        return word == "held"

    # -- small parts ----------------------------------------------------------------

    def _mapping(
        self, path: Path, data: Mapping[str, Any], keys: tuple[str, ...], noun: str
    ) -> Mapping[str, Any]:
        value = data.get(str(path[-1]))
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self._wrong(path, value, f"some of {', '.join(keys)}", "")
        self._check_keys(path, value, keys, noun)
        return value

    def _check_keys(
        self, path: Path, value: Mapping[str, Any], keys: tuple[str, ...], noun: str
    ) -> None:
        for key in value:
            if key not in keys:
                message = f"unknown key {key!r}; {noun} has {', '.join(keys)}."
                raise self._source.error((*path, key), message)

    def _text(self, path: Path, value: Any) -> str | None:
        if value is None or isinstance(value, str):
            return value
        raise self._wrong(path, value, "text", "string")

    def _folder(self, path: Path, value: str | None) -> str | None:
        """Refuse a text that becomes the name of a folder and is none."""
        if value is not None and (value in ("", ".", "..") or set(value) & set("/\\\0")):
            message = f"{'.'.join(map(str, path))}: {value!r} cannot be the name of a folder."
            raise self._source.error(path, message)
        return value

    def _wrong(self, path: Path, value: Any, wanted: str, kind: str) -> InspectorError:
        shown = repr(value) if value is not None else "nothing"
        shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
        place = ".".join(map(str, path))
        word = f" ({kind})" if kind else ""
        return self._source.error(path, f"{place}: wants {wanted}{word}, got {shown}.")


def too_large(value: Any, path: Path) -> Path | None:
    """Where a value holds a whole number that no protocol message can carry."""
    items: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(value, Mapping):
        items = iter(value.items())
    elif isinstance(value, list):
        items = iter(enumerate(value))
    elif isinstance(value, int) and not -(2**63) <= value < 2**64:
        return path
    found = (too_large(item, (*path, key)) for key, item in items)
    return next((place for place in found if place is not None), None)
