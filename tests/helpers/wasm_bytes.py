"""Writes the binary format of modules and components for tests: sections, nothing that runs.

Lives here: builders of bytes. Not here: components that do something (wat). Any test may
import it.
"""

from collections.abc import Iterable, Mapping, Sequence

from inspector.capsule.component_file import COMPONENT_HEADER, MODULE_HEADER

CUSTOM, CORE_MODULE, NESTED_COMPONENT, OTHER = 0, 1, 4, 10


def leb(value: int, width: int = 1) -> bytes:
    """An unsigned LEB128 of at least some bytes."""
    out = bytearray()
    while value >= 0x80 or len(out) + 1 < width:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def sized(content: bytes) -> bytes:
    """Content behind its length."""
    return leb(len(content)) + content


def section(kind: int, content: bytes) -> bytes:
    """A section."""
    return bytes((kind,)) + sized(content)


def custom(name: str | bytes, content: bytes = b"") -> bytes:
    """A custom section."""
    text = name.encode() if isinstance(name, str) else name
    return section(CUSTOM, sized(text) + content)


def producers(fields: Mapping[str, Sequence[tuple[str, str]]]) -> bytes:
    """A producers section: names and versions by field."""
    out = [leb(len(fields))]
    for field, values in fields.items():
        out += [sized(field.encode()), leb(len(values))]
        for value in values:
            out += [sized(text.encode()) for text in value]
    return custom("producers", b"".join(out))


def module(*sections: bytes) -> bytes:
    """A core module."""
    return MODULE_HEADER + b"".join(sections)


def component(*sections: bytes) -> bytes:
    """A component."""
    return COMPONENT_HEADER + b"".join(sections)


def nested(inner: bytes) -> bytes:
    """The section that holds a module or a component."""
    kind = CORE_MODULE if inner.startswith(MODULE_HEADER) else NESTED_COMPONENT
    return section(kind, inner)


def wrapped(modules: Iterable[bytes]) -> bytes:
    """A component of some modules."""
    return component(*map(nested, modules))
