"""Numbers, times and values as text for people.

Lives here: pure formatting, the same for window and command line. Not here: sentences
about results (workbench.explanation), colours and fonts (gui.theme). Rooms above may
import it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from inspector.contract import value as contract_value

GATE_BYTES = 256 * 1024
"""A longer value is shown up to here at first."""

LINE_CHARACTERS = 4_000
"""A longer line is broken for display: Qt lays out a line as a whole."""

SAMPLE = 64
"""Items of a list that are looked at to guess its size."""

_CONTROL_PICTURES: dict[int, int] = {code: 0x2400 + code for code in range(32)}
_CONTROL_PICTURES |= {127: 0x2421, 0x2028: 0x2424, 0x2029: 0x2424}
_ONE_LINE = dict(_CONTROL_PICTURES)
for _kept in (9, 10):
    del _CONTROL_PICTURES[_kept]


def duration_text(duration_us: int) -> str:
    """A time with three figures in µs, ms or s.

    Args:
        duration_us: Microseconds, 0 and up.

    Returns:
        E.g. `41 µs`, `1.23 ms`, `12.3 s`; "" for 0, which stands for not entered.
    """
    if duration_us <= 0:
        return ""
    if duration_us < 1_000:
        return f"{duration_us} µs"
    if duration_us < 999_500:
        return f"{_three_figures(duration_us / 1_000)} ms"
    return f"{_three_figures(duration_us / 1_000_000)} s"


def _three_figures(number: float) -> str:
    for places, below in ((2, 9.995), (1, 99.95)):
        if number < below:
            return f"{number:.{places}f}"
    return f"{number:,.0f}"


def bytes_text(size_bytes: int) -> str:
    """A size, e.g. `0 B`, `640 B`, `3.1 MiB`, `512 MiB`."""
    if size_bytes < 1024:
        return f"{size_bytes} B"
    size = float(size_bytes)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1023.95 or unit == "GiB":
            text = f"{size:.1f}".removesuffix(".0") if size < 99.95 else f"{size:,.0f}"
            return f"{text} {unit}"
    raise AssertionError("the last unit takes every size")


def count_text(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, e.g. `1 hook`, `1,029 hooks`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def visible(text: str) -> str:
    """The text with control characters as pictures; line ends and tabs stay."""
    return text.translate(_CONTROL_PICTURES)


def one_line(text: str, limit: int = 200) -> str:
    """The beginning of a text on one line, with pictures for line ends.

    Args:
        text: Any text.
        limit: Longest result in characters, 1 and up.
    """
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return cut.translate(_ONE_LINE)


def summary(value: Any, limit: int = 120) -> str:
    """A short picture of a JSON value for a cell.

    Args:
        value: A value in JSON form.
        limit: Most characters shown of a text.
    """
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{one_line(value, limit)}"'
        case list() | tuple():
            return f"[{count_text(len(value), 'item')}]" if value else "[]"
        case dict():
            return f"{{{count_text(len(value), 'field')}}}" if value else "{}"
    return str(value)


def compact(value: Any) -> str:
    """The JSON text of a value on one line."""
    return msgspec.json.encode(contract_value.to_json(value)).decode()


def pretty_lines(value: Any, depth: int = 0, head: str = "") -> Iterator[str]:
    """The JSON text of a value line by line, made as it is asked for.

    Args:
        value: A value in JSON form, of any size.
        depth: Levels of indentation of the first line.
        head: What stands before the value, e.g. its key.

    Yields:
        Lines without their ends; together they are valid JSON when `head` is "".
    """
    pad = "  " * depth
    if isinstance(value, dict) and value:
        yield f"{pad}{head}{{"
        yield from _entries(
            ((f"{_scalar(str(key))}: ", item) for key, item in value.items()), len(value), depth
        )
        yield f"{pad}}}"
    elif isinstance(value, list | tuple) and value:
        yield f"{pad}{head}["
        yield from _entries((("", item) for item in value), len(value), depth)
        yield f"{pad}]"
    else:
        yield f"{pad}{head}{_scalar(value)}"


def _entries(pairs: Iterator[tuple[str, Any]], count: int, depth: int) -> Iterator[str]:
    for number, (head, item) in enumerate(pairs, 1):
        comma = "," if number < count else ""
        lines = pretty_lines(item, depth + 1, head)
        line = next(lines)
        for following in lines:
            yield line
            line = following
        yield line + comma


def _scalar(value: Any) -> str:
    if isinstance(value, tuple):
        value = list(value)
    return msgspec.json.encode(contract_value.to_json(value)).decode()


def compact_pieces(value: Any) -> Iterator[str]:
    """The JSON text of a value on one line, in pieces made as they are asked for."""
    return json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).iterencode(value)


class Gated(Iterator[str]):
    """Passes lines or pieces on until enough characters went by.

    Attributes:
        is_cut: Whether something was held back, once the end was reached.
    """

    def __init__(self, parts: Iterable[str], limit: int | None = GATE_BYTES) -> None:
        self._parts = iter(parts)
        self._left = limit
        self.is_cut = False

    def __next__(self) -> str:
        part = next(self._parts)
        if self._left is None:
            return part
        if self._left <= 0:
            self.is_cut = True
            raise StopIteration
        cut = part[: self._left]
        self.is_cut = len(cut) < len(part)
        self._left = 0 if self.is_cut else self._left - len(part) - 1
        return cut


def broken_lines(text: str, limit: int = LINE_CHARACTERS) -> Iterator[str]:
    """The lines of a text, those over the limit broken into pieces.

    Args:
        text: Any text; CR LF and LF end a line.
        limit: Characters of a piece, 1 and up.
    """
    start = 0
    while True:
        end = text.find("\n", start)
        line = text[start:] if end < 0 else text[start:end].removesuffix("\r")
        yield from _pieces(line, limit)
        if end < 0:
            return
        start = end + 1


def _pieces(line: str, limit: int) -> Iterator[str]:
    if len(line) <= limit:
        yield line
        return
    for at in range(0, len(line), limit):
        yield line[at : at + limit]


def weight(value: Any, enough: int = 1 << 40) -> int:
    """How many bytes a JSON value holds: 8 for each value, and the characters.

    Args:
        value: A value in JSON form.
        enough: Counting stops once this is passed.
    """
    total = 0
    stack = [value]
    while stack and total <= enough:
        item = stack.pop()
        total += 8
        if isinstance(item, str):
            total += len(item)
        elif isinstance(item, dict):
            total += sum(map(len, item))
            stack.extend(item.values())
        elif isinstance(item, list | tuple):
            stack.extend(item)
    return total


def rough_weight(value: Any) -> int:
    """Roughly the weight of a value, in little time however large it is.

    Args:
        value: A value in JSON form.

    Returns:
        Its weight when no list is longer than SAMPLE; items of longer ones count as if
        all were like those looked at.
    """
    if isinstance(value, str):
        return 8 + len(value)
    if isinstance(value, dict):
        return 8 + sum(map(len, value)) + _weight_of_all(list(value.values()))
    if isinstance(value, list | tuple):
        return 8 + _weight_of_all(value)
    return 8


def _weight_of_all(items: Sequence[Any]) -> int:
    if len(items) <= SAMPLE:
        return sum(map(rough_weight, items))
    step = len(items) // SAMPLE
    looked_at = items[::step]
    return sum(map(rough_weight, looked_at)) * len(items) // len(looked_at)
