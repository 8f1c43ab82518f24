"""Linear memory as people read it: offsets, hexadecimal rows, a search in bytes.

Lives here: pure functions over a page that was read. Not here: reading it (the engine,
by ReadMemory), the table (gui.models.memory_model). Rooms above may import it.
"""

import re

import msgspec

from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.message import MAX_MEMORY_READ_BYTES

PAGE_BYTES = MAX_MEMORY_READ_BYTES
"""A page of the view is a page of WebAssembly."""

ROW_BYTES = 16
MOST_HITS = 10_000
"""Places of a searched text that are told at most."""

_HEX_OFFSET = re.compile(r"0[xX]([0-9a-fA-F_]+)|([0-9a-fA-F_]+)[hH]")
_HEX_BYTES = re.compile(r"(?:[0-9a-fA-F]{2}\s*)+")
_DOT = "·"


class Hits(msgspec.Struct, frozen=True):
    """Where a text stands in a page.

    Attributes:
        offsets: First bytes, from the start of the page.
        length: Bytes of the text.
        is_cut: Whether there are more than MOST_HITS.
    """

    offsets: tuple[int, ...] = ()
    length: int = 0
    is_cut: bool = False


def page_start(offset: int) -> int:
    """The first byte of the page that an offset lies in."""
    return offset - offset % PAGE_BYTES


def page_count(size_bytes: int) -> int:
    """Pages of a memory of this size."""
    return -(-size_bytes // PAGE_BYTES)


def parse_offset(text: str, size_bytes: int) -> int:
    """Read an offset: `4096`, `4_096`, `0x1000` or `1000h`.

    Args:
        text: As typed.
        size_bytes: Size of the memory.

    Raises:
        InspectorError: USAGE, when it is no number or lies outside the memory.
    """
    found = _HEX_OFFSET.fullmatch(text.strip())
    try:
        if found is not None:
            offset = int(found.group(1) or found.group(2), 16)
        else:
            offset = int(text.strip().replace(",", "_"), 10)
    except ValueError:
        raise InspectorError(
            ErrorKind.USAGE,
            f"{text.strip()[:40]!r} is no offset.",
            hint="Write it as 4096 or 0x1000.",
        ) from None
    if not 0 <= offset < size_bytes:
        last = f"0x{max(size_bytes - 1, 0):x}"
        raise InspectorError(ErrorKind.USAGE, f"The memory ends at {last}.")
    return offset


def parse_needle(text: str) -> bytes:
    """What to search for: a text, or bytes after `hex:`, e.g. `hex: de ad be ef`.

    Args:
        text: As typed.

    Raises:
        InspectorError: USAGE, for bytes that are not pairs of hexadecimal digits.
    """
    if not text.startswith("hex:"):
        return text.encode("utf-8", "surrogatepass")
    digits = text.removeprefix("hex:").strip()
    if digits and not _HEX_BYTES.fullmatch(digits):
        raise InspectorError(
            ErrorKind.USAGE,
            "After hex: there must be pairs of hexadecimal digits.",
            hint="E.g. hex: de ad be ef.",
        )
    return bytes.fromhex(digits)


def find(data: bytes, needle: bytes) -> Hits:
    """Every place of some bytes in a page; overlapping ones too.

    Args:
        data: The page.
        needle: What is searched for; b"" is nowhere.
    """
    offsets: list[int] = []
    at = data.find(needle) if needle else -1
    while at >= 0 and len(offsets) <= MOST_HITS:
        offsets.append(at)
        at = data.find(needle, at + 1)
    return Hits(tuple(offsets[:MOST_HITS]), len(needle), len(offsets) > MOST_HITS)


def offset_text(offset: int) -> str:
    """An offset as the view shows it, eight hexadecimal digits or more."""
    return f"{offset:08x}"


def hex_text(row: bytes, row_bytes: int = ROW_BYTES) -> str:
    """Bytes in groups of eight; a shorter row is filled with blanks.

    Args:
        row: At most `row_bytes` bytes.
        row_bytes: Bytes of a whole row, ROW_BYTES or half of it.
    """
    text = f"{row[:8].hex(' ')}  {row[8:].hex(' ')}".rstrip()
    return text.ljust(3 * row_bytes - (row_bytes <= 8))


def plain_text(row: bytes) -> str:
    """The bytes as ASCII, with a dot for what cannot be seen."""
    return "".join(chr(byte) if 32 <= byte < 127 else _DOT for byte in row)


def dump_text(data: bytes, offset: int) -> str:
    """A page as text, one row per line, for the clipboard.

    Args:
        data: The bytes.
        offset: Of the first of them.
    """
    rows = range(0, len(data), ROW_BYTES)
    parts = ((offset + at, data[at : at + ROW_BYTES]) for at in rows)
    return "\n".join(f"{offset_text(at)}  {hex_text(row)}  {plain_text(row)}" for at, row in parts)
