"""A capsule's murmur.yaml: parsed, checked, as values.

Lives here: the whole file in the runtime's order of checks. Not here: single blocks
(artifact_entry, capability, inference_block), launch faults (granting). Rooms above may
import it.
"""

import msgspec

from inspector.errors import ErrorKind, InspectorError
from inspector.manifest import artifact_entry, capability, inference_block, unknown_key
from inspector.manifest.artifact_entry import ArtifactEntry
from inspector.manifest.capability import Capabilities, Place
from inspector.manifest.capsule_schema import CAPSULE
from inspector.manifest.diagnostic import Diagnostic
from inspector.manifest.eval_block import EvalBlock
from inspector.manifest.eval_block import read as read_eval
from inspector.manifest.inference_block import InferenceBlock
from inspector.manifest.refusal import FILE_NAME, Refusals
from inspector.manifest.schema import BlockView, Located, check
from inspector.manifest.yaml_source import YamlError, parse

_RECORD_WORDS = {"on": True, "off": False}
_TASK_IO = (
    "is recognized only on 'runtime: hook' artifact entries, not in the capsule-wide "
    "capabilities block — the grant is per-hook"
)
_CONFIG = (
    "is declared per artifact, on the 'runtime: hook', 'runtime: tool' or 'runtime: driver' "
    "entry that reads it — there is no capsule-wide config block"
)


class ContextBlock(msgspec.Struct, frozen=True):
    """The `context` block.

    Attributes:
        max_tokens: The window, or 0 when not declared.
        record: Whether the conversation is recorded.
        record_store: Folder of the record, trimmed, or None for the capsule's name.
        seed_budget: Fraction of the window.
    """

    max_tokens: int = 0
    record: bool = True
    record_store: Located | None = None
    seed_budget: float = 0.10


class CapsuleManifest(msgspec.Struct, frozen=True):
    """A manifest that the runtime accepts at parse.

    Attributes:
        name: As written.
        version: As written.
        entries: All artifacts, in order.
        capabilities: The capsule-wide block, or None.
        inference: None for a capsule without an agent.
        context: Defaults when absent.
        otel_endpoint: Of the observability block, or None.
        eval: Of the observability block, or None.
        name_place: Where the name stands.
        warnings: Unknown keys, in file order.
    """

    name: str
    version: str
    entries: tuple[ArtifactEntry, ...]
    capabilities: Capabilities | None
    inference: InferenceBlock | None
    context: ContextBlock
    otel_endpoint: str | None
    eval: EvalBlock | None
    name_place: Place
    warnings: tuple[Diagnostic, ...]


def syntax_error(error: YamlError, file: str) -> InspectorError:
    """The runtime's error for text that is no YAML document of the wanted shape.

    Source: spec/manifest.md 1 (error wrappers).
    """
    where = " at line {}, column {}".format(*error.told) if error.told else ""
    return InspectorError(
        ErrorKind.UNREADABLE_CAPSULE,
        f"{FILE_NAME}: YAML syntax error{where}: {error.text}",
        hint="Mend the file at this place." if error.line else "",
        file=file,
        line=error.line,
        column=error.column,
    )


def read(text: str, file: str) -> CapsuleManifest:
    """Parse and check a capsule manifest.

    Args:
        text: The whole file.
        file: Its path, for messages.

    Raises:
        InspectorError: for the first thing that the runtime refuses at parse.

    Source: spec/manifest.md 1.
    """
    try:
        view = check(parse(text), CAPSULE)
    except YamlError as error:
        raise syntax_error(error, file) from error
    refusals = Refusals(file)
    name = _required(view, "name", refusals)
    version = _required(view, "version", refusals)
    entries = tuple(
        artifact_entry.read(index, entry, refusals)
        for index, entry in enumerate(view.inners("artifacts"))
    )
    _refuse_misplaced(view, refusals)
    capabilities = capability.read(view.inner("capabilities"), refusals)
    inference = inference_block.read(view.inner("inference"), refusals)
    _check_prompt_artifact(inference, entries, refusals)
    context = _context(view.inner("context"), refusals)
    observability = view.inner("observability")
    return CapsuleManifest(
        name=name,
        version=version,
        entries=entries,
        capabilities=capabilities,
        inference=inference,
        context=context,
        otel_endpoint=_otel_endpoint(observability),
        eval=read_eval(observability.inner("eval")) if observability else None,
        name_place=Place(*view.place("name")),
        warnings=unknown_key.warnings(view, file),
    )


def _otel_endpoint(view: BlockView | None) -> str | None:
    value = view.text("otel_endpoint") if view is not None else None
    return (value.text.strip() or None) if value is not None else None


def _required(view: BlockView, key: str, refusals: Refusals) -> str:
    value = view.text(key)
    if value is None or not value.text.strip():
        raise refusals.missing(key, Place(*view.place(key)))
    return value.text


def _refuse_misplaced(view: BlockView, refusals: Refusals) -> None:
    block = view.inner("capabilities")
    if block is not None and block.inner("task_io") is not None:
        raise refusals.capability(
            "capabilities.task_io",
            _TASK_IO,
            Place(*block.place("task_io")),
            "Move `task_io` to the hook's entry.",
        )
    if view.raw("config") is not None:
        hint = "Move `config` to the entry of the artifact that reads it."
        raise refusals.capability("config", _CONFIG, Place(*view.place("config")), hint)


def _check_prompt_artifact(
    inference: InferenceBlock | None, entries: tuple[ArtifactEntry, ...], refusals: Refusals
) -> None:
    wanted = inference.system_prompt_artifact if inference else None
    if wanted is None:
        return
    field = "inference.system_prompt_artifact"
    entry = next((e for e in entries if e.name == wanted.text), None)
    if entry is None:
        message = f"artifact '{wanted.text}' is not declared in artifacts:"
        raise refusals.inference(field, message, wanted, "")
    if not entry.prompt_payload:
        message = (
            f"artifact '{wanted.text}' (runtime: {entry.role}) does not declare "
            "'prompt_payload: true', which system_prompt_artifact requires"
        )
        raise refusals.inference(field, message, wanted, "")


def _context(view: BlockView | None, refusals: Refusals) -> ContextBlock:
    if view is None:
        return ContextBlock()

    def refuse(key: str, message: str, hint: str = "") -> InspectorError:
        return refusals.inference(f"context.{key}", message, Place(*view.place(key)), hint)

    if view.count("max_tokens") == 0:
        raise refuse("max_tokens", "must be greater than 0")
    record = view.text("record")
    word = record.text.strip() if record else "on"
    if word not in _RECORD_WORDS:
        raise refuse("record", f"unknown value '{word}'; expected: on, off")
    for key in ("seed_budget", "seed_overflow_margin"):
        value = view.fraction(key)
        if value is not None and not 0.0 <= value <= 1.0:
            raise refuse(key, "must be between 0.0 and 1.0")
    store = view.text("record_store")
    budget = view.fraction("seed_budget")
    return ContextBlock(
        view.count("max_tokens") or 0,
        _RECORD_WORDS[word],
        Located(store.text.strip(), store.line, store.column) if store else None,
        0.10 if budget is None else budget,
    )
