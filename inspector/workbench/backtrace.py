"""The engine's text of a trap, taken apart: the root cause and the frames.

Lives here: `parse`, pure. Not here: when a call trapped (contract.record), sentences
about it (workbench.explanation), showing it (gui.views). Rooms above may import it.
"""

import re
from collections.abc import Iterator

import msgspec

_FRAME = re.compile(r"\s*(\d+):\s+(0x[0-9a-fA-F]+)\s+-\s+(.*)")
_PLACE = re.compile(r"\s+at\s+(.+)")
_CAUSE = re.compile(r"\s*(?:\d+:\s+)?(.*\S)")
_HEAD = "wasm backtrace:"
_CAUSES = "Caused by:"
_HASH = re.compile(r"17h[0-9a-f]{16}E?$")
_ESCAPES = {
    "$LT$": "<",
    "$GT$": ">",
    "$RF$": "&",
    "$BP$": "*",
    "$LP$": "(",
    "$RP$": ")",
    "$C$": ",",
    "$u20$": " ",
    "$u7b$": "{",
    "$u7d$": "}",
    "$u5b$": "[",
    "$u5d$": "]",
    "$u27$": "'",
    "..": "::",
}


class Frame(msgspec.Struct, frozen=True):
    """One frame of a backtrace.

    Attributes:
        number: 0 is where it trapped.
        offset: Offset in the module, as written, e.g. `0x1f2`.
        module: Name of the module, or "".
        function: Name of the function for people.
        symbol: The name as the module has it.
        places: Source places, when the component carries debug information.
    """

    number: int
    offset: str
    module: str
    function: str
    symbol: str
    places: tuple[str, ...] = ()


class Backtrace(msgspec.Struct, frozen=True):
    """A trap taken apart.

    Attributes:
        causes: The root cause first, then what it led to.
        frames: Innermost first.
    """

    causes: tuple[str, ...]
    frames: tuple[Frame, ...]


def parse(text: str) -> Backtrace | None:
    """Take the text of a trap apart.

    Args:
        text: As the engine gave it, e.g. HookCall.detail or HookCall.error.

    Returns:
        None when it holds no backtrace.
    """
    if _HEAD not in text:
        return None
    above, _, rest = text.partition(_HEAD)
    traced, _, below = rest.partition(_CAUSES)
    frames = tuple(_frames(traced))
    if not frames:
        return None
    causes = [found.group(1) for line in below.split("\n") if (found := _CAUSE.fullmatch(line))]
    first = above.replace("error while executing at", "").strip().rstrip(":").strip()
    return Backtrace((*reversed(causes), *((first,) if first else ())), frames)


def _frames(text: str) -> Iterator[Frame]:
    pending: Frame | None = None
    for line in text.split("\n"):
        found = _FRAME.fullmatch(line)
        if found is not None:
            if pending is not None:
                yield pending
            number, offset, name = found.groups()
            module, _, symbol = name.rpartition("!")
            pending = Frame(int(number), offset, module, readable(symbol), symbol)
        elif pending is not None and (place := _PLACE.fullmatch(line)) is not None:
            pending = msgspec.structs.replace(pending, places=(*pending.places, place.group(1)))
    if pending is not None:
        yield pending


def readable(symbol: str) -> str:
    """A function's name for people: names that Rust mangled the older way are read.

    Args:
        symbol: As in the module's name section, e.g. `_ZN4core9panicking5panic17h…E`.
    """
    if not (symbol.startswith("_ZN") and symbol.endswith("E")):
        return symbol
    body = _HASH.sub("", symbol[3:]).removesuffix("E")
    parts = []
    while body:
        digits = re.match(r"\d+", body)
        if digits is None:
            return symbol
        start = digits.end()
        end = start + int(digits.group())
        if end > len(body):
            return symbol
        parts.append(_unescaped(body[start:end]))
        body = body[end:]
    return "::".join(parts) or symbol


def _unescaped(part: str) -> str:
    if part.startswith("_$"):
        part = part[1:]
    for code, sign in _ESCAPES.items():
        part = part.replace(code, sign)
    return part
