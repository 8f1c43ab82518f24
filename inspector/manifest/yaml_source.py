"""YAML text as nodes that keep their written text and their place.

Lives here: reading one document under bounds; the only module that imports yaml for
manifests. Not here: what a scalar means (yaml_scalar), which keys exist (schema). Only
inspector.manifest and inspector.capsule import it.
"""

from collections.abc import Iterator

import msgspec
import yaml

MAX_BYTES = 1024 * 1024
"""A longer manifest is refused; real ones have a few kilobytes."""
MAX_DEPTH = 128
"""Nested blocks; the bound of the runtime's own reader."""
MAX_NODES = 200_000
"""Nodes of a document, every use of an alias counted in full."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Scalar(msgspec.Struct, frozen=True):
    """A scalar as written.

    Attributes:
        text: Its text; escapes of quoted scalars resolved.
        plain: Whether it stands without quotes and block markers.
        tag: Its explicit tag, or None.
        line: 1-based.
        column: 1-based.
    """

    text: str
    plain: bool
    tag: str | None
    line: int
    column: int


class Sequence(msgspec.Struct, frozen=True):
    """A list; `line` and `column` are of its first character."""

    items: "tuple[Node, ...]"
    line: int
    column: int
    tag: str | None = None


class Mapping(msgspec.Struct, frozen=True):
    """A mapping in written order, duplicates kept."""

    entries: "tuple[tuple[Node, Node], ...]"
    line: int
    column: int
    tag: str | None = None


Node = Scalar | Sequence | Mapping


class YamlError(ValueError):
    """Text that is no acceptable YAML document.

    Attributes:
        text: What the runtime's reader says, its own position included.
        line: 1-based, or None.
        column: 1-based, or None.
        told: The position that the runtime gives, which can be the start of a whole
            block; None when it gives none.
    """

    def __init__(
        self,
        text: str,
        line: int | None,
        column: int | None,
        told: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(text)
        self.text = text
        self.line = line
        self.column = column
        self.told = told


def fault(problem: str, line: int, column: int) -> YamlError:
    """An error at a place, with the place in its text."""
    text = f"{problem} at line {line} column {column}"
    return YamlError(text, line, column, (line, column))


def parse(text: str) -> Node | None:
    """Read the one document of a text.

    Args:
        text: The whole file.

    Returns:
        The root node, or None for an empty document.

    Raises:
        YamlError: for bad syntax, an unknown anchor, several documents, or a document
            beyond the bounds of this module.

    Source: spec/manifest.md 1 (YAML typing).
    """
    try:
        size_bytes = len(text.encode())
    except UnicodeEncodeError as error:
        raise _misplaced(text, error.start, "surrogates are not allowed") from error
    if size_bytes > MAX_BYTES:
        raise YamlError(f"the file is longer than the {MAX_BYTES} bytes read here", None, None)
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        raise _marked(error) from error
    except yaml.reader.ReaderError as error:
        raise _unreadable(text, error) from error
    return builder.root


def _marked(error: yaml.MarkedYAMLError) -> YamlError:
    problem = error.problem or error.context or "not a YAML document"
    mark, context = error.problem_mark, error.context_mark
    line = mark.line + 1 if mark else None
    column = mark.column + 1 if mark else None
    parts = [problem]
    if mark:
        parts.append(f" at line {line} column {column}")
    if error.context and error.problem:
        parts.append(f", {error.context}")
        if context and (context.line, context.column) != (mark and mark.line, mark and mark.column):
            parts.append(f" at line {context.line + 1} column {context.column + 1}")
    told = (mark.line + 1, mark.column + 1) if mark else None
    return YamlError("".join(parts), line, column, told)


def _unreadable(text: str, error: yaml.reader.ReaderError) -> YamlError:
    index = next((i for i, c in enumerate(text) if not _allowed(c)), None)
    reason = str(error.reason)
    return YamlError(reason, None, None) if index is None else _misplaced(text, index, reason)


def _misplaced(text: str, index: int, reason: str) -> YamlError:
    """An error about the character at an index."""
    line = text.count("\n", 0, index) + 1
    column = index - (text.rfind("\n", 0, index) + 1) + 1
    return fault(reason, line, column)


def _allowed(character: str) -> bool:
    """Whether YAML allows a character to stand in a file."""
    code = ord(character)
    if code < 0x20:
        return character in "\t\n\r"
    return code != 0x7F and not 0x80 <= code <= 0x84 and not 0x86 <= code <= 0x9F


class _Open:
    """A block that is still being read."""

    def __init__(self, event: yaml.CollectionStartEvent) -> None:
        self.anchor: str | None = event.anchor
        self.tag: str | None = event.tag
        self.is_mapping = isinstance(event, yaml.MappingStartEvent)
        self.line, self.column = _place(event)
        self.nodes: list[Node] = []
        self.weight = 1

    def close(self) -> Node:
        if not self.is_mapping:
            return Sequence(tuple(self.nodes), self.line, self.column, self.tag)
        pairs = iter(self.nodes)
        entries = tuple(zip(pairs, pairs, strict=True))
        return Mapping(entries, self.line, self.column, self.tag)


class _Builder:
    """Turns parser events into nodes without recursion."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Node, int] | None] = {}
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self._start_document(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.ScalarEvent):
            line, column = _place(event)
            plain = event.style in (None, "")
            node = Scalar(event.value, plain, event.tag, line, column)
            self._add(node, 1, event.anchor, line, column)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self._stack.pop()
            self._add(done.close(), done.weight, done.anchor, done.line, done.column)

    def _start_document(self, event: yaml.DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            line, column = _place(event)
            text = "deserializing from YAML containing more than one document is not supported"
            raise YamlError(text, line, column)

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        opened = _Open(event)
        if len(self._stack) >= MAX_DEPTH:
            raise fault("recursion limit exceeded", opened.line, opened.column)
        if opened.anchor:
            self._anchors[opened.anchor] = None
        self._stack.append(opened)

    def _alias(self, event: yaml.AliasEvent) -> None:
        line, column = _place(event)
        if event.anchor not in self._anchors:
            raise fault("unknown anchor", line, column)
        target = self._anchors[event.anchor]
        if target is None:
            raise fault("recursion limit exceeded", line, column)
        self._add(target[0], target[1], None, line, column)

    def _add(self, node: Node, weight: int, anchor: str | None, line: int, column: int) -> None:
        if anchor:
            self._anchors[anchor] = (node, weight)
        if weight > MAX_NODES or (self._stack and self._stack[-1].weight + weight > MAX_NODES):
            raise fault("repetition limit exceeded", line, column)
        if self._stack:
            self._stack[-1].nodes.append(node)
            self._stack[-1].weight += weight
        else:
            self.root = node


def _place(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    assert mark is not None
    return mark.line + 1, mark.column + 1


def keys_of(mapping: Mapping) -> Iterator[tuple[Scalar, Node]]:
    """The entries whose key is a scalar, in written order."""
    return ((key, value) for key, value in mapping.entries if isinstance(key, Scalar))
