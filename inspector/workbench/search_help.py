"""What can be typed into the timeline's filter: words to complete, examples to learn from.

Lives here: completions of the word at the end, and the examples of the help. Not here:
what words mean (workbench.search), the popup (gui.views). Rooms above may import it.
"""

from collections.abc import Iterable

from inspector.workbench import search

EXAMPLES = (
    ("is:bad", "faults, errors, denials: all that is neither honored nor ignored"),
    ("is:denied", "calls that a policy hook did not let run"),
    ("is:marked", "rows that you marked"),
    ("hook:guard", "calls of the hooks whose name holds this"),
    ("event:on-shell", "one event"),
    ("phase:decide", "calls that were asked before they ran"),
    ("arm:artifact", "what the hook answered"),
    ("failure:trap", "calls that gave no answer, by the reason"),
    ("result:deny", "a word of the result column"),
    ("#12-20", "rows by their number"),
    ("session:2", "rows of one session"),
    ('"no rm here"', "words that stand together, in errors and reasons, too"),
    ("-hook:observer", "a minus turns any of these round"),
)
"""Words of the filter, each with what it lets through."""


def completions(hooks: Iterable[str]) -> tuple[str, ...]:
    """Words that can stand in the filter.

    Args:
        hooks: Names of the capsule's hooks.

    Returns:
        Keys alone, then keys with each value that they take; with quotes where needed.
    """
    words = [f"{key}:" for key in search.KEYS if key != "step"]
    for key in search.KEYS:
        values = tuple(hooks) if key == "hook" else search.known_values(key)
        words += [f"{key}:{_quoted(value)}" for value in values]
    return tuple(words)


def last_word(text: str) -> tuple[str, str]:
    """A text in two parts: what stays, and the word at its end that is being typed.

    Args:
        text: As typed, up to the cursor.

    Returns:
        Both parts together are the text; a minus belongs to the first.
    """
    start = 0
    in_quotes = False
    for place, char in enumerate(text):
        if char == '"':
            in_quotes = not in_quotes
        elif char.isspace() and not in_quotes:
            start = place + 1
    if text[start : start + 1] == "-":
        start += 1
    return text[:start], text[start:]


def _quoted(value: str) -> str:
    return f'"{value}"' if any(char.isspace() for char in value) else value
