"""Keys that the runtime does not know: warnings with the nearest known key.

Lives here: the walk over a checked manifest and the wording. Not here: the table of
known keys (capsule_schema). Only inspector.manifest imports it.
"""

from collections.abc import Iterable, Iterator

from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.schema import BlockView, Kind
from inspector.manifest.yaml_source import Scalar

CODE = "W-SEC-019"
MAX_WARNINGS = 100
"""More unknown keys are counted, not named; such a file is no manifest."""


def warnings(root: BlockView, file: str) -> tuple[Diagnostic, ...]:
    """One warning per unknown key.

    Args:
        root: The checked manifest.
        file: Its path.

    Returns:
        Warnings in the order of the walk: a block's own keys before its inner blocks. The
        last one stands for all beyond MAX_WARNINGS.
    """
    found = list(_walk(root, ""))
    named = tuple(_warning(key, path, known, file) for key, path, known in found[:MAX_WARNINGS])
    if len(found) <= MAX_WARNINGS:
        return named
    key = found[MAX_WARNINGS][0]
    message = f"{len(found) - MAX_WARNINGS} more keys are not recognized"
    hint = "Check that this is a capsule's manifest."
    rest = Diagnostic(Severity.WARNING, CODE, message, hint, file, key.line, key.column)
    return (*named, rest)


def _walk(view: BlockView, path: str) -> Iterator[tuple[Scalar, str, Iterable[str]]]:
    for key in view.unknown_keys():
        yield key, path, view.block.fields
    for name, field in view.block.fields.items():
        below = f"{path}.{name}" if path else name
        if field.kind is Kind.BLOCK:
            inner = view.inner(name)
            if inner is not None:
                yield from _walk(inner, below)
        elif field.kind is Kind.BLOCKS:
            for index, item in enumerate(view.inners(name)):
                yield from _walk(item, f"{below}[{index}]")


def _warning(key: Scalar, path: str, known: Iterable[str], file: str) -> Diagnostic:
    where = f"in {path}" if path else "at the top level"
    nearest = nearest_key(key.text, known)
    if nearest is not None:
        rest = (
            f"did you mean '{nearest}'? The manifest has a spelling problem here: the key was "
            "parsed and ignored, so whatever it declared is not in effect. Correct it in "
            "murmur.yaml"
        )
        hint = f"Write `{nearest}`."
    else:
        rest = (
            "this build of mur does not recognize it and no key it does recognize there is "
            "close to it, so the key may come from a newer mur. It was parsed and ignored; "
            "nothing here says the manifest is misspelled"
        )
        hint = "Leave it out, or use a runtime that knows it."
    message = f"unrecognized key '{key.text}' {where} — {rest}"
    return Diagnostic(Severity.WARNING, CODE, message, hint, file, key.line, key.column)


def nearest_key(written: str, known: Iterable[str]) -> str | None:
    """The known key that a written one is probably meant to be, or None.

    At most a third of the longer one's characters may differ, and at least one may; a
    swap of two neighbours counts once. Ties go to the first in order.
    """
    scored = [
        (distance, position, key)
        for position, key in enumerate(known)
        if (distance := _distance(written, key)) <= max(max(len(written), len(key)) // 3, 1)
    ]
    return min(scored)[2] if scored else None


_LONGEST = 100
"""Longer keys are no misspelling of a known one; keeps the table small."""


def _distance(left: str, right: str) -> int:
    if len(left) > _LONGEST or not left or not right:
        return max(len(left), len(right))
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            best = min(before[j - 1] + (a != b), before[j] + 1, row[j - 1] + 1)
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                best = min(best, earlier[j - 2] + 1)
            row.append(best)
    return row[-1]
