"""An entry's `config` block as the text of MURMUR_ARTIFACT_CONFIG.

Lives here: the rules of the lowering and their messages. Not here: the JSON itself
(untyped). Only inspector.manifest imports it.
"""

from inspector.manifest.fault import Fault, Stage
from inspector.manifest.untyped import JsonError, compact_json
from inspector.manifest.yaml_scalar import resolve
from inspector.manifest.yaml_source import Mapping, Node, Scalar, Sequence

MAX_CONFIG_BYTES = 65536
"""Exactly this many bytes of JSON pass."""
CODE = "E-CAP-010"
HINT = (
    "Write a mapping with string keys below `config:`, or leave the key out to set no "
    "MURMUR_ARTIFACT_CONFIG."
)


def lower(name: str, node: Node) -> str | Fault:
    """The JSON text of a config block.

    Args:
        name: The entry's name.
        node: The value of `config`, a null included.

    Returns:
        Compact JSON, or what the runtime refuses it for.

    Source: spec/manifest.md 4.5.
    """
    problem, place = _shape_problem(node)
    if problem is None:
        try:
            text = compact_json(node)
        except JsonError as error:
            problem = f"'config:' does not serialize to JSON: {error}"
        else:
            size_bytes = len(text.encode())
            if size_bytes <= MAX_CONFIG_BYTES:
                return text
            problem = (
                f"'config:' serializes to {size_bytes} bytes of JSON, over the "
                f"{MAX_CONFIG_BYTES}-byte limit for MURMUR_ARTIFACT_CONFIG"
            )
    message = f"invalid config for artifact '{name}': {problem}"
    return Fault(Stage.CONFIG, CODE, message, HINT, place.line, place.column)


def _shape_problem(node: Node) -> tuple[str | None, Node]:
    if not isinstance(node, Mapping):
        shape = _shape(node)
        return (
            "'config:' must be a mapping of keys to values, but this entry declares " + shape,
            node,
        )
    for key, _ in node.entries:
        if not (isinstance(key, Scalar) and isinstance(resolve(key), str)):
            return (
                "every key in 'config:' must be a string, but this entry declares "
                f"{_shape(key)} key {_spelled(key)}",
                key,
            )
    return None, node


def _shape(node: Node) -> str:
    if isinstance(node, Sequence):
        return "a sequence"
    if isinstance(node, Mapping):
        return "a mapping"
    value = resolve(node)
    if value is None:
        return "an empty block"
    if isinstance(value, bool):
        return "a boolean"
    return "a string" if isinstance(value, str) else "a number"


def _spelled(node: Node) -> str:
    if isinstance(node, Scalar):
        value = resolve(node)
        return "null" if value is None else compact_json(node)
    try:
        return compact_json(node)
    except JsonError:
        return "<unprintable>"
