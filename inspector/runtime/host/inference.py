"""murmur:runtime/inference: one completion for a hook, from a driver or from a script.

Lives here: the request, the reading of an answer, every text of a failure, and the
records. Not here: running a driver component (driver), token counts (tokens). Only
runtime and worker import it.

A scripted answer stands in for a driver: it goes through the same reading and counting
as a driver's own, so a hook sees nothing that a runtime could not give.
"""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, assert_never

import msgspec

from inspector.runtime.host import tokens
from inspector.runtime.host.json_text import JsonError, dumps, loads
from inspector.runtime.host.ledger import GrantKind, GrantLedger

MARK_SCRIPTED = "scripted-inference"
"""Mark of calls that a scripted answer has touched: help that no runtime gives."""

NOT_CONFIGURED = "inference driver is not configured; add inference.driver.artifact to murmur.yaml"
MAX_OUTPUT_TOKENS = 8192
"""`max_tokens` of every hook's request, whatever the manifest says."""

Answer = dict[str, Any]
"""A `result` in the spelling of contract.value."""


class DriverError(Exception):
    """A driver that could not be run to its end; the text is the runtime's own.

    Attributes:
        detail: The engine's whole text with causes, or None.
    """

    def __init__(self, text: str, detail: str | None = None) -> None:
        super().__init__(text)
        self.detail = detail


class Driver(Protocol):
    """Runs an inference driver (driver.ComponentDriver)."""

    @property
    def name(self) -> str:
        """The artifact's name."""

    def run(self, payload: str) -> Mapping[str, Any]:
        """Run the driver once.

        Args:
            payload: The request as JSON text, its `tool-input.data`.

        Returns:
            Its `tool-result` in the spelling of contract.value.

        Raises:
            DriverError: when it cannot be instantiated, traps, or takes too long.
        """

    def interrupt(self) -> None:
        """End the runs that are going on; any thread may ask."""


class NoDriver(msgspec.Struct, frozen=True):
    """The capsule has no driver: every call fails."""


class ScriptedReply(msgspec.Struct, frozen=True):
    """Every call is answered as by a driver that completes with a text."""

    text: str


class ScriptedError(msgspec.Struct, frozen=True):
    """Every call is answered as by a driver that reports an error with a text."""

    text: str


class RealDriver(msgspec.Struct, frozen=True):
    """The capsule's own driver runs."""

    driver: Driver


InferenceSettings = NoDriver | ScriptedReply | ScriptedError | RealDriver


class DriverUsage(msgspec.Struct, frozen=True):
    """Token numbers as the driver reports them; for the trace alone.

    Source: spec/imports.md 2.2 (usage).
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class InferenceRecord(msgspec.Struct, frozen=True):
    """One dispatched call, good or bad.

    Attributes:
        source: `hook:NAME`.
        model: As sent.
        input_tokens: The host's count of the request.
        output_tokens: The host's count of the answer; 0 for a failure.
        decision: `end_turn` or `error`.
        duration_us: Wall time of the driver.
        usage: What the driver reported, or None.
        scripted: Whether a script answered.
        error: What the hook got as err, or None.
        detail: The engine's whole text of a driver's trap, or None.

    Source: spec/imports.md 2.4.
    """

    source: str
    model: str
    input_tokens: int
    output_tokens: int
    decision: str
    duration_us: int
    usage: DriverUsage | None = None
    scripted: bool = False
    error: str | None = None
    detail: str | None = None


class _AnswerError(Exception):
    """An err of run-inference."""

    def __init__(self, text: str, detail: str | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.detail = detail


class Inference:
    """The inference of one session, shared by its hooks; any thread may call it."""

    def __init__(self, settings: InferenceSettings, model: str) -> None:
        """Make it ready.

        Args:
            settings: Who answers.
            model: The manifest's model, for requests that name none.
        """
        self._settings = settings
        self._model = model
        self._lock = threading.Lock()
        self._records: list[InferenceRecord] = []

    @property
    def has_driver(self) -> bool:
        """Whether calls are answered at all."""
        return not isinstance(self._settings, NoDriver)

    @property
    def is_scripted(self) -> bool:
        """Whether a script answers."""
        return isinstance(self._settings, ScriptedReply | ScriptedError)

    def interrupt(self) -> None:
        """End the drivers that are running now; any thread may ask."""
        if isinstance(self._settings, RealDriver):
            self._settings.driver.interrupt()

    def drain(self) -> tuple[InferenceRecord, ...]:
        """The records since the last time, in call order."""
        with self._lock:
            records, self._records = self._records, []
        return tuple(records)

    def run(self, hook: str, request: Mapping[str, Any]) -> Answer:
        """Run one completion.

        Args:
            hook: The calling hook's name.
            request: The `inference-request` in the spelling of contract.value.

        Returns:
            `result<inference-response, string>`.

        Source: spec/imports.md 2.
        """
        if isinstance(self._settings, NoDriver):
            return {"err": NOT_CONFIGURED}
        model = self._model if request["model"] is None else request["model"]
        payload = dumps(build_payload(request, model))
        record = InferenceRecord(
            source=f"hook:{hook}",
            model=model,
            input_tokens=tokens.count(payload),
            output_tokens=0,
            decision="error",
            duration_us=0,
            scripted=self.is_scripted,
        )
        started_ns = time.perf_counter_ns()
        try:
            raw = self._raw(payload)
            response = _read(raw)
        except _AnswerError as error:
            failed = msgspec.structs.replace(record, error=error.text, detail=error.detail)
            self._keep(failed, started_ns)
            return {"err": error.text}
        count = tokens.count(raw)
        record = msgspec.structs.replace(
            record, output_tokens=count, decision="end_turn", usage=_usage(response)
        )
        self._keep(record, started_ns)
        return {"ok": _response(response, record)}

    def _keep(self, record: InferenceRecord, started_ns: int) -> None:
        duration_us = (time.perf_counter_ns() - started_ns) // 1000
        with self._lock:
            self._records.append(msgspec.structs.replace(record, duration_us=duration_us))

    def _raw(self, payload: str) -> str:
        """What the driver answers, as text."""
        match self._settings:
            case ScriptedReply(text=text):
                content = [{"type": "text", "text": text}]
                return dumps({"stop_reason": "end_turn", "content": content})
            case ScriptedError(text=text):
                return dumps({"stop_reason": "error", "error": text})
            case RealDriver(driver=driver):
                return _driven(driver, payload)
            case NoDriver():
                raise _AnswerError(NOT_CONFIGURED)
        assert_never(self._settings)


def build_payload(request: Mapping[str, Any], model: str) -> dict[str, Any]:
    """The request to a driver.

    Args:
        request: The hook's `inference-request`.
        model: As resolved.

    Returns:
        The JSON object; its keys are written in alphabetical order.

    Source: spec/imports.md 2.1.
    """
    prompt = request["system-prompt"]
    return {
        "max_tokens": MAX_OUTPUT_TOKENS,
        "messages": [
            {
                "content": [{"text": message["content"], "type": "text"}],
                "role": message["role"],
            }
            for message in request["messages"]
        ],
        "model": model,
        "params": {},
        "system": "" if prompt is None else prompt,
        "tools": [],
    }


def _driven(driver: Driver, payload: str) -> str:
    try:
        result = driver.run(payload)
    except DriverError as error:
        text = f"inference driver '{driver.name}' failed: {error}"
        raise _AnswerError(text, error.detail) from error
    data: str | None = result["data"]
    raw = result["summary"] if data is None else data
    if raw is None:
        raise _AnswerError("inference driver returned no data")
    if result["status"] != "passed":
        raise _AnswerError(f"inference driver returned an error: {raw}")
    return str(raw)


def _read(raw: str) -> dict[str, Any]:
    """The answer's JSON object; empty for any other JSON, of which the runtime reads nothing."""
    try:
        response = loads(raw)
    except JsonError as error:
        raise _AnswerError(f"failed to parse inference driver response: {error}") from error
    if not isinstance(response, dict):
        return {}
    if response.get("stop_reason") == "error":
        text = response.get("error")
        told = text if isinstance(text, str) else "driver returned error"
        raise _AnswerError(f"inference driver returned an error: {told}")
    return response


def _text(response: Mapping[str, Any]) -> str:
    """All text blocks, joined with nothing between."""
    content = response.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _response(response: Mapping[str, Any], record: InferenceRecord) -> dict[str, Any]:
    """The `inference-response`: the text, and numbers that are all the host's own."""
    return {
        "text": _text(response),
        "model-used": record.model,
        "input-tokens": record.input_tokens,
        "output-tokens": record.output_tokens,
    }


def _usage(response: Mapping[str, Any]) -> DriverUsage | None:
    usage = response.get("usage")
    if not isinstance(usage, dict):
        return None
    return DriverUsage(**{name: _count(usage.get(name)) for name in DriverUsage.__struct_fields__})


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None


def implementations(
    inference: Inference, hook: str, ledger: GrantLedger, on_mark: Callable[[str], None]
) -> Mapping[str, Callable[..., Answer]]:
    """The functions of `murmur:runtime/inference` for one hook.

    Args:
        inference: The session's; one with NoDriver for on-stage.
        hook: The hook's name.
        ledger: Of this hook.
        on_mark: Told when help of ours has touched the running call.

    Returns:
        Function name to implementation, for host_function.define.
    """

    def run_inference(request: Mapping[str, Any]) -> Answer:
        if inference.has_driver:
            ledger.used(GrantKind.INFERENCE)
        else:
            ledger.refused(GrantKind.INFERENCE)
        if inference.is_scripted:
            on_mark(MARK_SCRIPTED)
        return inference.run(hook, request)

    return {"run-inference": run_inference}
