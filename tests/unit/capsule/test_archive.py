"""Packed artifacts: the payload rule and the guard."""

import io
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.capsule import archive
from inspector.capsule.archive import (
    CEILING_VARIABLE,
    ArchiveError,
    ceiling_bytes,
    open_archive,
    read_packed,
)
from tests.helpers.capsule_files import COMPONENT, HOOK_MANIFEST, packed

MANIFEST = {"murmur.yaml": HOOK_MANIFEST.encode()}
NONE = "missing root .wasm file (expected capsule.wasm or one root *.wasm)"


def _message(data: bytes) -> str:
    with pytest.raises(ArchiveError) as caught:
        read_packed(data)
    assert caught.value.hint
    return caught.value.message


def test_read_packed__hook__gives_manifest_and_component() -> None:
    """An ordinary archive."""
    found = read_packed(packed())
    assert found.manifest_text == HOOK_MANIFEST
    assert (found.wasm_name, found.component) == ("hook.wasm", COMPONENT)


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (("a.wasm",), "a.wasm"),
        (("capsule.wasm", "a.wasm", "b.wasm"), "capsule.wasm"),
        (("sub/x.wasm", "a.wasm"), "a.wasm"),
        (("/x.wasm", "a.wasm"), "a.wasm"),
        (("../x.wasm", "a.wasm"), "a.wasm"),
        (("x.wasm/", "a.wasm"), "a.wasm"),
        (("a..b.wasm", "a.wasm"), "a.wasm"),
        (("a.WASM", "a.wasm"), "a.wasm"),
    ],
)
def test_wasm_name__candidates__follow_the_payload_rule(
    names: tuple[str, ...], chosen: str
) -> None:
    """`capsule.wasm` wins, else exactly one at the top."""
    assert open_archive(packed(dict.fromkeys(names, COMPONENT))).wasm_name() == chosen


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), NONE),
        (("sub/x.wasm", "x.wat"), NONE),
        (("b.wasm", "a.wasm"), "multiple root .wasm files found: a.wasm, b.wasm"),
    ],
)
def test_read_packed__no_single_wasm__is_the_runtimes_error(
    names: tuple[str, ...], message: str
) -> None:
    """None, or several in sorted order."""
    assert _message(packed(MANIFEST | dict.fromkeys(names, COMPONENT))) == message


def test_read_packed__no_manifest__comes_first() -> None:
    """The retired name is not looked at."""
    message = "missing or unreadable murmur.yaml in artifact archive: specified file not found in"
    assert _message(packed({"manifest.yaml": b""})) == f"{message} archive"


def test_read_packed__manifest_not_utf_8__is_told() -> None:
    """The manifest is a text."""
    assert _message(packed({"murmur.yaml": b"\xff"})) == (
        "missing or unreadable murmur.yaml in artifact archive: zip entry 'murmur.yaml' is not "
        "valid UTF-8"
    )


def test_read_packed__entry_over_the_ceiling__is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly the ceiling passes; what comes out counts, not the size field."""
    monkeypatch.setenv(CEILING_VARIABLE, "100000")
    fits = COMPONENT + bytes(100_000 - len(COMPONENT))
    assert len(read_packed(packed(MANIFEST | {"a.wasm": fits})).component) == 100_000
    assert _message(packed(MANIFEST | {"a.wasm": fits + b"x"})) == (
        "zip entry 'a.wasm' exceeds the 100000-byte decompression ceiling"
    )


@pytest.mark.parametrize(
    ("claimed", "message"), [(40_000, "Bad CRC-32"), (4_000_000, "exceeds the 50000-byte")]
)
def test_read_packed__size_field_lies__the_entry_is_refused(
    monkeypatch: pytest.MonkeyPatch, claimed: int, message: str
) -> None:
    """An entry that claims another size is refused by its checksum or by what came out."""
    monkeypatch.setenv(CEILING_VARIABLE, "50000")
    data = bytearray(packed(MANIFEST | {"a.wasm": COMPONENT + bytes(200_000)}))
    size = struct.pack("<L", 200_000 + len(COMPONENT))
    assert data.count(size) == 2
    lying = bytes(data).replace(size, struct.pack("<L", claimed))
    assert message in _message(lying)


def test_read_packed__bomb_of_zeros__is_left_after_its_first_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What does not begin like a component is not unpacked to its end."""
    taken = []
    real = zipfile.ZipExtFile.read

    def counting(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        data = real(self, n)
        taken.append(len(data))
        return data

    data = packed(MANIFEST | {"a.wasm": bytes(20_000_000)})
    monkeypatch.setattr(zipfile.ZipExtFile, "read", counting)
    found = read_packed(data)
    assert found.component == bytes(4096)
    assert sum(taken) < 10_000


def test_read_packed__bomb_in_the_manifest__is_refused() -> None:
    """A manifest of many megabytes is none."""
    message = _message(packed({"murmur.yaml": b"#" * 5_000_000, "a.wasm": COMPONENT}))
    assert message.endswith(
        "zip entry 'murmur.yaml' exceeds the 1048576-byte decompression ceiling"
    )


@pytest.mark.parametrize(
    ("value", "ceiling"),
    [
        (None, 524288000),
        ("", 524288000),
        ("12", 12),
        ("+12", 12),
        ("0", 0),
        (str((1 << 64) - 1), (1 << 64) - 1),
        (str(1 << 64), 524288000),
        ("-1", 524288000),
        ("1e3", 524288000),
        (" 12", 524288000),
        ("٣", 524288000),
        ("9" * 5000, 524288000),
    ],
)
def test_ceiling_bytes__variable__counts_when_it_is_a_number(
    monkeypatch: pytest.MonkeyPatch, value: str | None, ceiling: int
) -> None:
    """Anything else is the default."""
    monkeypatch.delenv(CEILING_VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(CEILING_VARIABLE, value)
    assert ceiling_bytes() == ceiling


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x03\x04", b"hello", packed()[:50]])
def test_open_archive__no_archive__is_an_error(data: bytes) -> None:
    """Whatever is no zip archive."""
    assert _message(data).startswith("zip archive error: ")


def test_read_packed__unknown_method__is_an_error() -> None:
    """A compression method that nobody knows."""
    data = bytearray(packed())
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 10] = 99
        at = data.find(b"PK\x01\x02", at + 1)
    assert "zip archive error: " in _message(bytes(data))


def test_read_packed__encrypted_entry__is_an_error() -> None:
    """No password is ever asked for."""
    data = bytearray(packed())
    for magic, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = data.find(magic)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(magic, at + 1)
    assert "zip archive error: " in _message(bytes(data))


def test_read_packed__broken_data__is_an_error() -> None:
    """A bad checksum and a cut stream."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as plain:
        plain.writestr("murmur.yaml", HOOK_MANIFEST)
        plain.writestr("a.wasm", COMPONENT + b"payload")
    broken = buffer.getvalue().replace(b"payload", b"PAYLOAD", 1)
    assert _message(broken).startswith("zip archive error: ")


def test_read_packed__name_twice__the_last_one_counts() -> None:
    """As the list of entries says."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as plain:
        plain.writestr("murmur.yaml", HOOK_MANIFEST)
        plain.writestr("a.wasm", b"first")
        with pytest.warns(UserWarning, match="Duplicate name"):
            plain.writestr("a.wasm", COMPONENT)
    assert read_packed(buffer.getvalue()).component == COMPONENT


def test_open_archive__huge_list_of_entries__is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list is bounded before it is read, in the short and in the long form."""
    monkeypatch.setattr(archive, "MAX_DIRECTORY_BYTES", 50)
    many = {f"f{i}": b"" for i in range(20)}
    assert "over the limit of 50 bytes" in _message(packed(MANIFEST | many))
    assert "over the limit of 50 bytes" in _message(packed(MANIFEST | many) + b"trailing")


def test_open_archive__long_form_of_the_end__is_bounded_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An archive whose end record is of 64 bits."""
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    data = packed(MANIFEST | {"a.wasm": COMPONENT, "b": b"", "c": b""})
    assert b"PK\x06\x06" in data
    assert read_packed(data).component == COMPONENT
    monkeypatch.setattr(archive, "MAX_DIRECTORY_BYTES", 50)
    assert "over the limit of 50 bytes" in _message(data)


@pytest.mark.parametrize("name", ["../murmur.yaml", "/murmur.yaml", "a/murmur.yaml"])
def test_read_packed__manifest_elsewhere__is_not_taken(name: str) -> None:
    """Only the root entry counts; nothing is ever written to disk."""
    data = packed({name: HOOK_MANIFEST.encode(), "a.wasm": COMPONENT})
    assert "specified file not found" in _message(data)


def test_names__archive__lists_entries() -> None:
    """In archive order."""
    assert open_archive(packed()).names() == ["murmur.yaml", "hook.wasm"]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=8),
    st.integers(0, 60),
)
def test_read_packed__damaged_archive__is_read_or_refused(
    changes: list[tuple[int, int]], cut: int
) -> None:
    """No damage makes the reader fail in any other way."""
    data = bytearray(packed())
    for position, value in changes:
        if position < len(data):
            data[position] = value
    try:
        found = read_packed(bytes(data[: len(data) - cut]))
    except ArchiveError:
        return
    assert isinstance(found.manifest_text, str)
