"""Typed reading of a manifest's nodes: which shapes are wanted, and what else is said.

Lives here: kinds of fields, the check of a document against a table of them with the
runtime reader's own words, and read access afterwards. Not here: the tables
(capsule_schema), what the values mean. Only inspector.manifest imports it.
"""

import enum
from collections.abc import Iterator
from collections.abc import Mapping as MappingOf

import msgspec

from inspector.manifest.untyped import check_value, duplicate, unexpected
from inspector.manifest.yaml_scalar import integer, is_null, resolve
from inspector.manifest.yaml_source import Mapping, Node, Scalar, Sequence, YamlError, fault


class Kind(enum.Enum):
    """Shape of a field. A plain null is absence, except where said."""

    TEXT = "a string"
    FLAG = "a boolean, null refused"
    CHOICE = "true, false or absent"
    WORD = "one of a few words"
    COUNT = "an unsigned integer"
    FRACTION = "a number"
    TEXTS = "a list of strings, null is the empty list"
    BLOCK = "a mapping"
    BLOCKS = "a list of mappings, null is the empty list"
    VALUE = "any well-formed value, null is present"
    ANY = "not looked into"


class Field(msgspec.Struct, frozen=True):
    """One key of a block.

    Attributes:
        kind: See Kind.
        block: What is inside, for BLOCK and BLOCKS.
        bits: Width of a COUNT; 0 means the machine's word.
        words: Accepted words of a WORD.
        required: Whether the reader itself insists on it.
    """

    kind: Kind
    block: "Block | None" = None
    bits: int = 64
    words: tuple[str, ...] = ()
    required: bool = False


class Block(msgspec.Struct, frozen=True):
    """A mapping with known keys.

    Attributes:
        struct: The runtime's name of it, which stands in its messages.
        fields: Known keys in declared order.
    """

    struct: str
    fields: MappingOf[str, Field]


class Located(msgspec.Struct, frozen=True):
    """A text and its place; 1-based."""

    text: str
    line: int
    column: int


class _MismatchError(Exception):
    """A value of the wrong shape, before its path is known."""

    def __init__(self, problem: str, node: Node) -> None:
        super().__init__(problem)
        self.problem = problem
        self.node = node


def check(root: Node | None, block: Block) -> "BlockView":
    """Check a document against a block.

    Args:
        root: The root node; None stands for an empty mapping.
        block: The table of the root.

    Returns:
        Read access to it.

    Raises:
        YamlError: for the first value of a wrong shape in document order.

    Source: spec/manifest.md 1 (YAML typing).
    """
    node = root if root is not None else Mapping((), 1, 1)
    _check_block(node, block, "")
    return BlockView(node if isinstance(node, Mapping) else Mapping((), 1, 1), block)


def _at(path: str, problem: str, node: Node) -> YamlError:
    return fault(f"{path}: {problem}" if path else problem, node.line, node.column)


def _check_block(node: Node, block: Block, path: str) -> None:
    if isinstance(node, Scalar) and is_null(node):
        return
    if not isinstance(node, Mapping):
        raise _at(path, f"invalid type: {unexpected(node)}, expected struct {block.struct}", node)
    seen: set[str] = set()
    for key, value in node.entries:
        if not isinstance(key, Scalar):
            raise _at(path, f"invalid type: {unexpected(key)}, expected field identifier", key)
        field = block.fields.get(key.text)
        if field is None:
            continue
        if key.text in seen:
            raise duplicate(f"duplicate field `{key.text}`", path, key, node)
        seen.add(key.text)
        _check_field(value, field, f"{path}.{key.text}" if path else key.text)
    for name, field in block.fields.items():
        if field.required and name not in seen:
            raise _at(path, f"missing field `{name}`", node)


def _check_field(node: Node, field: Field, path: str) -> None:
    if field.kind is Kind.VALUE:
        check_value(node, path)
    if field.kind is Kind.BLOCK and field.block is not None:
        _check_block(node, field.block, path)
    if field.kind not in _CHECKS:
        return
    null = isinstance(node, Scalar) and is_null(node)
    if null and field.kind is not Kind.FLAG and not field.required:
        return
    try:
        _CHECKS[field.kind](node, field, path)
    except _MismatchError as error:
        raise _at(path, error.problem, error.node) from error


def _text(node: Node, field: Field, path: str) -> None:
    if not isinstance(node, Scalar):
        raise _MismatchError(f"invalid type: {unexpected(node)}, expected a string", node)


def _flag(node: Node, field: Field, path: str) -> None:
    if not isinstance(node, Scalar) or not isinstance(resolve(node), bool):
        raise _MismatchError(f"invalid type: {unexpected(node)}, expected a boolean", node)


def _word(node: Node, field: Field, path: str) -> None:
    if not isinstance(node, Scalar):
        raise _MismatchError(f"invalid type: {unexpected(node)}, expected a variant", node)
    if node.text not in field.words:
        named = [f"`{word}`" for word in field.words]
        joined = " or ".join(named) if len(named) == 2 else "one of " + ", ".join(named)
        raise _MismatchError(f"unknown variant `{node.text}`, expected {joined}", node)


def _count(node: Node, field: Field, path: str) -> None:
    wanted = f"u{field.bits}" if field.bits else "usize"
    number = integer(node.text) if isinstance(node, Scalar) and _bare(node) else None
    if number is None:
        raise _MismatchError(f"invalid type: {unexpected(node)}, expected {wanted}", node)
    if not 0 <= number < 1 << (field.bits or 64):
        raise _MismatchError(f"invalid value: integer `{number}`, expected {wanted}", node)


def _fraction(node: Node, field: Field, path: str) -> None:
    value = resolve(node) if isinstance(node, Scalar) and _bare(node) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _MismatchError(f"invalid type: {unexpected(node)}, expected f32", node)


def _bare(node: Scalar) -> bool:
    return node.plain or node.tag not in (None, "!")


def _texts(node: Node, field: Field, path: str) -> None:
    for index, item in enumerate(_items(node)):
        if not isinstance(item, Scalar):
            told = f"invalid type: {unexpected(item)}, expected a string"
            raise _at(f"{path}[{index}]", told, item)


def _blocks(node: Node, field: Field, path: str) -> None:
    assert field.block is not None
    for index, item in enumerate(_items(node)):
        _check_block(item, field.block, f"{path}[{index}]")


def _items(node: Node) -> tuple[Node, ...]:
    if not isinstance(node, Sequence):
        raise _MismatchError(f"invalid type: {unexpected(node)}, expected a sequence", node)
    return node.items


_CHECKS = {
    Kind.TEXT: _text,
    Kind.FLAG: _flag,
    Kind.CHOICE: _flag,
    Kind.WORD: _word,
    Kind.COUNT: _count,
    Kind.FRACTION: _fraction,
    Kind.TEXTS: _texts,
    Kind.BLOCKS: _blocks,
}


class BlockView:
    """Read access to a checked mapping; absent and null read alike.

    Attributes:
        node: The mapping.
        block: Its table.
    """

    def __init__(self, node: Mapping, block: Block) -> None:
        self.node = node
        self.block = block
        self._values: dict[str, tuple[Scalar, Node]] = {}
        for key, value in node.entries:
            if isinstance(key, Scalar):
                self._values.setdefault(key.text, (key, value))

    def raw(self, key: str) -> Node | None:
        """The node of a key, a null included; None when the key is absent."""
        return self._values[key][1] if key in self._values else None

    def place(self, key: str) -> tuple[int, int]:
        """Line and column of a key, or of the block when the key is absent."""
        node = self._values[key][0] if key in self._values else self.node
        return node.line, node.column

    def _present(self, key: str) -> Node | None:
        node = self.raw(key)
        return None if isinstance(node, Scalar) and is_null(node) else node

    def text(self, key: str) -> Located | None:
        """A string field."""
        node = self._present(key)
        return _located(node) if isinstance(node, Scalar) else None

    def texts(self, key: str) -> tuple[Located, ...]:
        """A list of strings; absent is empty."""
        node = self._present(key)
        items = node.items if isinstance(node, Sequence) else ()
        return tuple(_located(item) for item in items if isinstance(item, Scalar))

    def flag(self, key: str) -> bool | None:
        """A boolean field."""
        node = self._present(key)
        value = resolve(node) if isinstance(node, Scalar) else None
        return value if isinstance(value, bool) else None

    def count(self, key: str) -> int | None:
        """An integer field."""
        node = self._present(key)
        return integer(node.text) if isinstance(node, Scalar) else None

    def fraction(self, key: str) -> float | None:
        """A number field."""
        node = self._present(key)
        value = resolve(node) if isinstance(node, Scalar) else None
        return float(value) if isinstance(value, int | float) else None

    def inner(self, key: str) -> "BlockView | None":
        """A block inside; None when absent or null."""
        node, field = self._present(key), self.block.fields[key]
        assert field.block is not None
        return BlockView(node, field.block) if isinstance(node, Mapping) else None

    def inners(self, key: str) -> "tuple[BlockView, ...]":
        """The blocks of a list; a null among them reads as an empty block."""
        node, field = self._present(key), self.block.fields[key]
        assert field.block is not None
        items = node.items if isinstance(node, Sequence) else ()
        return tuple(BlockView(_as_mapping(item), field.block) for item in items)

    def unknown_keys(self) -> Iterator[Scalar]:
        """Keys that the table does not have, in written order, each once."""
        return (key for name, (key, _) in self._values.items() if name not in self.block.fields)


def _as_mapping(node: Node) -> Mapping:
    return node if isinstance(node, Mapping) else Mapping((), node.line, node.column)


def _located(node: Scalar) -> Located:
    return Located(node.text, node.line, node.column)
