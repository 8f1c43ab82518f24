"""The `inference` block of a capsule manifest.

Lives here: its values and checks. Not here: calling a driver (runtime), reading the
environment (capsule). Rooms above may import it.
"""

import ipaddress
import re
from typing import Any

import ada_url
import msgspec

from inspector.errors import InspectorError
from inspector.manifest.capability import Place
from inspector.manifest.network import url_problem
from inspector.manifest.refusal import Refusals
from inspector.manifest.rust_format import json_number
from inspector.manifest.schema import BlockView, Located
from inspector.manifest.untyped import JsonError, compact_json
from inspector.manifest.yaml_scalar import is_null
from inspector.manifest.yaml_source import Mapping, Scalar

_REFERENCE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")
_PROMPTS = ("system_prompt", "system_prompt_file", "system_prompt_artifact")
_PROCESS = "is not valid with transport: process"
_MISSING = "missing required field"
_POSITIVE = "must be greater than 0"


class InferenceBlock(msgspec.Struct, frozen=True):
    """An accepted block.

    Attributes:
        transport: `http` or `process`.
        model: "" when a process chooses its own.
        endpoint: URL of the model, http only.
        api_key: Trimmed literal or `${NAME}`, or None.
        driver: Name of the driver's artifact, http only.
        driver_config: Its configuration as JSON text, or None.
        command: Process only.
        compaction_prompt: System prompt of the compaction block, or None.
        compaction_prompt_file: Path of it, or None.
        compaction_threshold: Fraction of the window, or None.
        system_prompt_artifact: Name and place of the skill that is the prompt, or None.
        driver_place: Where the driver's name stands.
        api_key_place: Where the key stands, or None.
    """

    transport: str
    model: str
    endpoint: str | None = None
    api_key: str | None = None
    driver: str | None = None
    driver_config: str | None = None
    command: str | None = None
    compaction_prompt: str | None = None
    compaction_prompt_file: str | None = None
    compaction_threshold: float | None = None
    system_prompt_artifact: Located | None = None
    driver_place: Place | None = None
    api_key_place: Place | None = None

    @property
    def api_key_variable(self) -> str | None:
        """The environment variable that holds the key, or None for a literal or no key."""
        match = _REFERENCE.fullmatch(self.api_key or "")
        return match.group(1) if match else None

    def plain(self) -> dict[str, Any]:
        """The block as plain values, as written; what is absent is left out."""
        values = {
            "transport": self.transport,
            "model": self.model,
            "endpoint": self.endpoint,
            "api_key": self.api_key,
            "driver": self.driver,
            "driver_config": self.driver_config,
            "command": self.command,
        }
        return {key: value for key, value in values.items() if value is not None}


def read(view: BlockView | None, refusals: Refusals) -> InferenceBlock | None:
    """Read the block and check it in the runtime's order.

    Raises:
        InspectorError: for the first thing that the runtime refuses.

    Source: spec/manifest.md 6.
    """
    return None if view is None else _Reader(view, refusals).read()


class _Reader:
    def __init__(self, view: BlockView, refusals: Refusals) -> None:
        self.view = view
        self.refusals = refusals

    def refuse(self, key: str, message: str, hint: str = "") -> InspectorError:
        place = Place(*self.view.place(key.split(".", maxsplit=1)[0]))
        return self.refusals.inference(f"inference.{key}", message, place, hint)

    def trimmed(self, key: str) -> Located | None:
        value = self.view.text(key)
        if value is None or not value.text.strip():
            return None
        return Located(value.text.strip(), value.line, value.column)

    def word(self, key: str) -> str | None:
        value = self.trimmed(key)
        return value.text if value else None

    def required(self, key: str) -> str:
        value = self.word(key)
        if value is None:
            raise self.refuse(key, _MISSING, f"Add `{key}:` below `inference:`.")
        return value

    def read(self) -> InferenceBlock:
        transport = self.word("transport") or "http"
        threshold = self._compaction()
        if sum(self.trimmed(key) is not None for key in _PROMPTS) > 1:
            text = "at most one of " + ", ".join(_PROMPTS) + " may be set"
            raise self.refuse("system_prompt", text)
        if self.view.count("max_turns") == 0:
            raise self.refuse("max_turns", _POSITIVE)
        if self.view.count("max_task_reopens") is not None:
            raise self.refuse(
                "max_task_reopens",
                "is not a valid inference field; set lifecycle.max_task_reopens instead",
            )
        if transport == "http":
            block = self._http()
        elif transport == "process":
            block = self._process()
        else:
            raise self.refuse("transport", f"unknown value '{transport}'")
        compaction = self.view.inner("compaction")
        return msgspec.structs.replace(
            block,
            compaction_prompt=_text(compaction, "system_prompt"),
            compaction_prompt_file=(_text(compaction, "system_prompt_file") or "").strip() or None,
            compaction_threshold=threshold,
            system_prompt_artifact=self.trimmed("system_prompt_artifact"),
        )

    def _compaction(self) -> float | None:
        block = self.view.inner("compaction")
        if block is None:
            return None
        threshold = block.fraction("threshold")
        # Written so that NaN passes, as it does in the runtime.
        if threshold is not None and (threshold <= 0 or threshold > 1):
            shown = json_number(threshold).removesuffix(".0")
            raise self.refuse("compaction.threshold", f"must be in (0.0, 1.0] but got {shown}")
        if block.text("system_prompt") and block.text("system_prompt_file"):
            names = "inference.compaction.system_prompt, inference.compaction.system_prompt_file"
            raise self.refuse("compaction.system_prompt", f"at most one of {names} may be set")
        return threshold

    def _http(self) -> InferenceBlock:
        endpoint = self.required("endpoint")
        self._check_endpoint(endpoint)
        model = self.required("model")
        key = "driver" if self.view.inner("driver") is not None else "provider"
        driver = self.view.inner(key)
        if driver is None:
            hint = "Add `driver: {artifact: NAME}` below `inference:`."
            raise self.refuse("driver", _MISSING, hint)
        artifact = (_text(driver, "artifact") or "").strip()
        if not artifact:
            raise self.refuse("driver.artifact", _MISSING)
        config = self._driver_config(driver)
        if self.view.count("max_tokens") == 0:
            raise self.refuse("max_tokens", _POSITIVE)
        api_key = self.trimmed("api_key")
        return InferenceBlock(
            "http",
            model,
            endpoint=endpoint,
            api_key=api_key.text if api_key else None,
            driver=artifact,
            driver_config=config,
            driver_place=Place(*driver.place("artifact")),
            api_key_place=Place(api_key.line, api_key.column) if api_key else None,
        )

    def _process(self) -> InferenceBlock:
        if self.view.inner("driver") is not None or self.view.inner("provider") is not None:
            raise self.refuse("driver.artifact", _PROCESS)
        for key in ("endpoint", "api_key"):
            if self.trimmed(key) is not None:
                raise self.refuse(key, _PROCESS)
        if self.view.count("max_tokens") is not None:
            raise self.refuse("max_tokens", _PROCESS)
        command = self.required("command")
        return InferenceBlock("process", self.word("model") or "", command=command)

    def _driver_config(self, driver: BlockView) -> str | None:
        node = driver.raw("config")
        if node is None or (isinstance(node, Scalar) and is_null(node)):
            return None
        if not isinstance(node, Mapping):
            raise self.refuse("driver.config", "expected mapping/object")
        try:
            return compact_json(node, sort_keys=True)
        except JsonError as error:
            raise self.refuse("driver.config", f"failed to convert to JSON: {error}") from error

    def _check_endpoint(self, endpoint: str) -> None:
        try:
            url = ada_url.URL(endpoint)
        except ValueError:
            problem = f"failed to parse '{endpoint}' as a URL: {url_problem(endpoint)}"
            raise self.refuse("endpoint", problem) from None
        scheme = url.protocol.removesuffix(":")
        if scheme not in ("http", "https"):
            problem = f"unsupported scheme '{scheme}' in '{endpoint}' — expected http or https"
            raise self.refuse("endpoint", problem)
        if scheme == "http" and not _is_loopback(url.hostname):
            raise self.refuse(
                "endpoint",
                f"'{endpoint}' uses plain http:// with non-loopback host '{url.hostname}' — use "
                "https:// for remote endpoints, or http://localhost or a loopback IP literal for "
                "local inference",
            )


def _text(view: BlockView | None, key: str) -> str | None:
    value = view.text(key) if view is not None else None
    return value.text if value is not None else None


def _is_loopback(host: str) -> bool:
    """IPv6 literals keep their brackets here and so are never an address, as in the runtime."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
