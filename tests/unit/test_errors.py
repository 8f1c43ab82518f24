"""Errors as one text for a person."""

import pytest

from inspector.errors import ErrorKind, InspectorError, with_hint


@pytest.mark.parametrize(
    ("message", "hint", "wanted"),
    [
        ("no such file", "Name another.", "no such file. Name another."),
        ("It is gone.", "Name another.", "It is gone. Name another."),
        ("Really?", "Yes.", "Really? Yes."),
        ("no such file", "", "no such file"),
    ],
)
def test_with_hint__any__reads_as_sentences(message, hint, wanted):
    """The runtime's texts have no stop at their end."""
    assert with_hint(message, hint) == wanted


def test_sentence__with_a_place__begins_with_it():
    """File, line and column as far as they are known."""
    error = InspectorError(ErrorKind.USAGE, "bad value", hint="Mend it.", file="a.yaml", line=3)
    assert error.sentence() == "a.yaml:3: bad value. Mend it."
    assert error.exit_code == 2
