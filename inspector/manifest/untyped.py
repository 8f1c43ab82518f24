"""Nodes whose shape is free: what makes them ill-formed, and their compact JSON.

Lives here: the checks of the runtime's untyped reader, JSON text. Not
here: fields with a fixed shape (schema). Only inspector.manifest and inspector.capsule
import it.
"""

import json
from typing import Any

from inspector.manifest.rust_format import json_number, quoted
from inspector.manifest.yaml_scalar import resolve
from inspector.manifest.yaml_source import Mapping, Node, Scalar, Sequence, YamlError, fault

_KEY_PROBLEM = "key must be a string"


class JsonError(ValueError):
    """A value that JSON cannot hold; the text is the runtime's."""


def unexpected(node: Node) -> str:
    """What a wrong value is called in a message of the runtime's reader."""
    if isinstance(node, Sequence):
        return "sequence"
    if isinstance(node, Mapping):
        return "map"
    value = resolve(node)
    if value is None:
        return "unit value"
    if isinstance(value, bool):
        return f"boolean `{_word(value)}`"
    if isinstance(value, int):
        return f"integer `{value}`"
    if isinstance(value, float):
        return f"floating point `{json_number(value)}`"
    return f"string {quoted(value)}"


def check_value(node: Node, path: str = "") -> None:
    """Refuse what the runtime's untyped reader refuses.

    Args:
        node: Any node.
        path: Where it stands, for the message.

    Raises:
        YamlError: for a key that stands twice in a mapping, or an integer beyond 64 bits.
    """
    pending = [(node, path)]
    while pending:
        current, where = pending.pop()
        if isinstance(current, Scalar):
            _check_scalar(current, where)
        elif isinstance(current, Sequence):
            items = [(item, f"{where}[{i}]") for i, item in enumerate(current.items)]
            pending.extend(reversed(items))
        else:
            _check_keys(current, where)
            values = [(v, _child(where, k)) for k, v in current.entries]
            keys = [(k, where) for k, _ in current.entries]
            pending.extend(reversed(keys + values))


def _child(where: str, key: Node) -> str:
    name = key.text if isinstance(key, Scalar) else "?"
    return f"{where}.{name}" if where else name


def _check_scalar(node: Scalar, where: str) -> None:
    value = resolve(node)
    if isinstance(value, bool) or not isinstance(value, int):
        return
    if not -(1 << 63) <= value < 1 << 64:
        width = "u128" if value > 0 else "i128"
        problem = f"invalid type: integer `{value}` as {width}, expected any YAML value"
        raise fault(f"{where}: {problem}" if where else problem, node.line, node.column)


def _check_keys(node: Mapping, where: str) -> None:
    seen: set[Any] = set()
    for key, _ in node.entries:
        identity = _identity(key)
        if identity in seen:
            raise duplicate(f"duplicate entry {_named_key(key)}", where, key, node)
        seen.add(identity)


def duplicate(problem: str, path: str, key: Node, block: Mapping) -> YamlError:
    """A key that stands twice: the runtime names the block's start, we point at the key.

    Args:
        problem: The complaint.
        path: Of the block.
        key: The second key.
        block: The block.
    """
    told = fault(f"{path}: {problem}" if path else problem, block.line, block.column)
    return YamlError(told.text, key.line, key.column, told.told)


def _identity(node: Node) -> Any:
    """A hashable stand-in: equal for equal values of equal type."""
    if isinstance(node, Scalar):
        value = resolve(node)
        return type(value).__name__, repr(value)
    if isinstance(node, Sequence):
        return "sequence", tuple(_identity(item) for item in node.items)
    return "map", frozenset((_identity(k), _identity(v)) for k, v in node.entries)


def _named_key(key: Node) -> str:
    value = resolve(key) if isinstance(key, Scalar) else ()
    if value is None:
        return "with null key"
    if isinstance(value, bool):
        return f"with key `{_word(value)}`"
    if isinstance(value, int):
        return f"with key {value}"
    if isinstance(value, float):
        return f"with key {json_number(value)}"
    return f"with key {quoted(value)}" if isinstance(value, str) else "in YAML map"


def compact_json(node: Node, *, sort_keys: bool = False) -> str:
    """A node as compact JSON.

    Args:
        node: Any node that `check_value` accepts.
        sort_keys: Whether keys are sorted; else they keep the written order.

    Returns:
        Text without blanks, non-ASCII unescaped.

    Raises:
        JsonError: for a key that JSON cannot hold.

    Source: spec/manifest.md 4.5.
    """
    if isinstance(node, Scalar):
        return json_text(resolve(node))
    if isinstance(node, Sequence):
        body = ",".join(_member(item, sort_keys=sort_keys) for item in node.items)
        return f"[{body}]"
    pairs = [(_key(k), _member(v, sort_keys=sort_keys)) for k, v in node.entries]
    if sort_keys:
        pairs.sort(key=lambda pair: pair[0].encode("utf-8", "surrogatepass"))
    return "{" + ",".join(f"{json_text(key)}:{value}" for key, value in pairs) + "}"


def _member(node: Node, *, sort_keys: bool) -> str:
    """A value inside; a local tag becomes a mapping of one entry around it."""
    text = compact_json(node, sort_keys=sort_keys)
    tag = node.tag or ""
    return f"{{{json_text(tag)}:{text}}}" if tag.startswith("!") and tag != "!" else text


def json_text(value: Any) -> str:
    """A scalar as JSON."""
    if isinstance(value, bool):
        return _word(value)
    if isinstance(value, float):
        return json_number(value)
    return json.dumps(value, ensure_ascii=False)


def _key(node: Node) -> str:
    value = resolve(node) if isinstance(node, Scalar) else None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return _word(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and json_number(value) != "null":
        return json_number(value)
    raise JsonError("float key must be finite (got NaN or +/-inf)" if value else _KEY_PROBLEM)


def _word(value: bool) -> str:
    return "true" if value else "false"
