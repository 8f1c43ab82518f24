"""Messages as values."""

import pytest

from inspector.errors import ErrorKind
from inspector.protocol.message import Failed


@pytest.mark.parametrize("kind", ErrorKind)
def test_failed__of_a_known_kind__is_that_error(kind: ErrorKind) -> None:
    """Every field is the error's."""
    error = Failed(kind.value, "no", "do it", "f.yaml", 3, 4).as_error()
    assert error.kind is kind
    assert error.sentence() == "f.yaml:3:4: no. do it"


def test_failed__of_an_unknown_kind__is_internal() -> None:
    """An engine may know more than we do."""
    error = Failed("later", "no").as_error()
    assert (error.kind, error.message, error.hint, error.file) == (
        ErrorKind.INTERNAL,
        "no",
        "",
        None,
    )
