"""Which custom sections a component has, its nested modules and components included.

Lives here: the walk over the binary format, names and sizes, the producers section. Not
here: anything that a section means to the engine (runtime); what it says about a build
(build_trace). Rooms above may import it.

The bytes are hostile until proven otherwise: nothing is read beyond them, no number is
trusted, depth and counts are bounded, and nothing is copied but short names.

Source: the binary format of WebAssembly and of the component model.
"""

import msgspec

from inspector.capsule.component_file import COMPONENT_HEADER, HEADER_BYTES, MODULE_HEADER

MAX_DEPTH = 32
"""Components may nest; deeper ones are not looked into."""

MAX_SECTIONS = 50_000
"""So many sections are walked, over all depths."""

MAX_NAME_BYTES = 200
"""Longer names are cut; the sections that matter have short ones."""

MAX_PRODUCERS = 2_000
"""So many fields and values of all producers sections are read."""

_CUSTOM = 0
_NESTED_MODULE = 1
_NESTED_COMPONENT = 4
_LEB_BYTES = 5
_PRODUCERS = "producers"


class CustomSection(msgspec.Struct, frozen=True):
    """One custom section.

    Attributes:
        name: As written; bytes that are no UTF-8 are shown as U+FFFD, long names are cut.
        size_bytes: Of its content, without the name.
        depth: 0 in the outermost component or module, one more in each nested one.
    """

    name: str
    size_bytes: int
    depth: int


class Producer(msgspec.Struct, frozen=True):
    """One value of a producers section.

    Attributes:
        field: `language`, `processed-by` or `sdk`.
        name: E.g. `Rust`.
        version: E.g. `1.88.0`, or "".
    """

    field: str
    name: str
    version: str


class Sections(msgspec.Struct, frozen=True):
    """What a walk over a component found.

    Attributes:
        custom: Every custom section, in file order.
        producers: Values of all producers sections, in file order, each once.
        module_bytes: Size of each core module, in file order; the file's own when it is
            one.
        is_whole: Whether everything was read: False for bytes that are cut off or wrong,
            and where a bound was met.
    """

    custom: tuple[CustomSection, ...] = ()
    producers: tuple[Producer, ...] = ()
    module_bytes: tuple[int, ...] = ()
    is_whole: bool = True


def read(data: bytes) -> Sections:
    """Walk over a component or a core module.

    Args:
        data: Any bytes; text and other files have no sections and are not whole.

    Returns:
        Everything up to the first thing that is wrong.
    """
    walk = _Walk(data)
    walk.run()
    return Sections(
        tuple(walk.custom), tuple(dict.fromkeys(walk.producers)), tuple(walk.modules), walk.is_whole
    )


class _MalformedError(Exception):
    """The bytes are not what the format wants."""


class _Cursor:
    """A place in a part of the bytes.

    Attributes:
        at: Where the next byte is read.
        end: First place behind the part.
    """

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self._data = data
        self.at = at
        self.end = end

    def byte(self) -> int:
        if self.at >= self.end:
            raise _MalformedError
        self.at += 1
        return self._data[self.at - 1]

    def u32(self) -> int:
        """An unsigned LEB128 of at most 32 bits."""
        value = 0
        for index in range(_LEB_BYTES):
            byte = self.byte()
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                if value >= 1 << 32:
                    raise _MalformedError
                return value
        raise _MalformedError

    def part(self) -> "_Cursor":
        """What follows a length; this cursor goes behind it."""
        size = self.u32()
        if size > self.end - self.at:
            raise _MalformedError
        self.at += size
        return _Cursor(self._data, self.at - size, self.at)

    def name(self) -> str:
        part = self.part()
        kept = self._data[part.at : min(part.end, part.at + MAX_NAME_BYTES)]
        return kept.decode("utf-8", "replace")

    @property
    def left(self) -> int:
        return self.end - self.at


class _Walk:
    """One walk; what it found grows until the end or the first wrong thing."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._open: list[tuple[_Cursor, bool]] = []
        self._left = MAX_SECTIONS
        self._producers_left = MAX_PRODUCERS
        self.custom: list[CustomSection] = []
        self.producers: list[Producer] = []
        self.modules: list[int] = []
        self.is_whole = True

    def run(self) -> None:
        """Walk over everything in file order; parts that are open stand on a list of ours."""
        self._enter(_Cursor(self._data, 0, len(self._data)))
        while self._open:
            cursor, is_component = self._open[-1]
            if not cursor.left:
                self._open.pop()
            elif not self._left:
                self.is_whole = False
                return
            else:
                self._left -= 1
                self._try_section(cursor, is_component)

    def _try_section(self, cursor: _Cursor, is_component: bool) -> None:
        try:
            self._section(cursor, is_component)
        except _MalformedError:
            # The part's own length was right, so that what stands around it can be read.
            self.is_whole = False
            self._open.pop()

    def _enter(self, cursor: _Cursor) -> None:
        """Open a module or component; nothing happens for anything else."""
        header = self._data[cursor.at : min(cursor.end, cursor.at + HEADER_BYTES)]
        if header not in (MODULE_HEADER, COMPONENT_HEADER) or len(self._open) >= MAX_DEPTH:
            self.is_whole = False
            return
        if header == MODULE_HEADER:
            self.modules.append(cursor.left)
        cursor.at += HEADER_BYTES
        self._open.append((cursor, header == COMPONENT_HEADER))

    def _section(self, cursor: _Cursor, is_component: bool) -> None:
        kind = cursor.byte()
        part = cursor.part()
        if kind == _CUSTOM:
            self._custom(part)
        elif is_component and kind in (_NESTED_MODULE, _NESTED_COMPONENT):
            self._enter(part)

    def _custom(self, part: _Cursor) -> None:
        name = part.name()
        self.custom.append(CustomSection(name, part.left, len(self._open) - 1))
        if name == _PRODUCERS:
            try:
                self._read_producers(part)
            except _MalformedError:
                # An engine does not look at it either.
                return

    def _read_producers(self, part: _Cursor) -> None:
        for _ in range(part.u32()):
            field, count = part.name(), part.u32()
            # A field without values costs time as well.
            self._producers_left -= 1
            for _ in range(min(count, self._producers_left)):
                self._producers_left -= 1
                self.producers.append(Producer(field, part.name(), part.name()))
            if self._producers_left <= 0:
                return
