"""Reading files that somebody else made, without blocking."""

import os
import socket
import threading
from pathlib import Path

import pytest

from inspector.capsule import reading
from inspector.capsule.reading import ReadError, kind_of, names_in, read_bytes, read_text

needs_posix = pytest.mark.skipif(os.name == "nt", reason="the platform has no such files")
needs_permissions = pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="the superuser may read everything"
)


def _reason(path: Path, max_bytes: int = 1000) -> str:
    with pytest.raises(ReadError) as caught:
        read_bytes(path, max_bytes)
    return caught.value.reason


def test_read_bytes__file__gives_all_of_it(tmp_path: Path) -> None:
    """Files of any length up to the bound."""
    path = tmp_path / "f"
    for size in (0, 1, 4095, 4096, 4097, 3_000_000):
        data = os.urandom(size)
        path.write_bytes(data)
        assert read_bytes(path, size) == data


def test_read_bytes__refused_head__leaves_the_rest_unread(tmp_path: Path) -> None:
    """A file of the wrong kind is not read to its end."""
    path = tmp_path / "f"
    path.write_bytes(b"x" * 10_000)
    assert len(read_bytes(path, accept_head=lambda head: False)) == 4096
    assert len(read_bytes(path, accept_head=lambda head: head == b"x" * 4096)) == 10_000


def test_read_bytes__long_file__is_refused_before_it_is_read(tmp_path: Path) -> None:
    """A sparse file of a terabyte costs nothing."""
    path = tmp_path / "f"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    assert _reason(path) == f"has {1 << 40} bytes, over the limit of 1000 bytes"


def test_read_bytes__nothing_there__is_told_as_missing(tmp_path: Path) -> None:
    """Missing files, missing folders, files used as folders."""
    (tmp_path / "f").write_bytes(b"")
    for path in (tmp_path / "g", tmp_path / "g" / "h", tmp_path / "f" / "g", tmp_path / "\0"):
        with pytest.raises(ReadError, match="does not exist") as caught:
            read_bytes(path)
        assert caught.value.missing
        assert kind_of(path) == "missing"


def test_read_bytes__name_too_long__is_told_as_missing(tmp_path: Path) -> None:
    """A name that no file can have."""
    path = tmp_path / ("x" * 5000)
    assert _reason(path) == "has too long a name"
    assert kind_of(path) == "missing"


@needs_posix
@pytest.mark.timeout(10)
def test_read_bytes__named_pipe__is_refused_at_once(tmp_path: Path) -> None:
    """A pipe without a writer would block for ever."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert _reason(path) == "is a named pipe, not a file that can be opened"
    assert kind_of(path) == "other"


@needs_posix
@pytest.mark.timeout(10)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_read_bytes__device__is_refused_at_once(device: str) -> None:
    """A device may never end."""
    if not Path(device).exists():
        pytest.skip(f"no {device} here")
    assert _reason(Path(device)) == "is a device, not a file that can be opened"


@needs_posix
def test_read_bytes__socket__is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket is no file."""
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
        assert _reason(Path("s")) == "is a socket, not a file that can be opened"


def test_read_bytes__folder__is_refused(tmp_path: Path) -> None:
    """A folder is no file."""
    assert _reason(tmp_path) == "is a folder, not a file that can be opened"


@needs_permissions
def test_read_bytes__no_permission__says_so(tmp_path: Path) -> None:
    """The system's refusal in words."""
    path = tmp_path / "f"
    path.write_bytes(b"x")
    path.chmod(0)
    assert _reason(path) == "may not be read: permission denied"
    tmp_path.chmod(0)
    try:
        assert kind_of(path) == "other"
        with pytest.raises(ReadError, match="permission denied"):
            names_in(tmp_path)
    finally:
        tmp_path.chmod(0o700)


@needs_posix
def test_read_bytes__denied_by_the_system__says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same words when the system denies the opening itself."""
    path = tmp_path / "f"
    path.write_bytes(b"x")

    def deny(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(reading.os, "open", deny)
    assert _reason(path) == "may not be read: permission denied"


def test_read_bytes__broken_disk__is_told_in_the_systems_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any other trouble, while reading or while opening."""
    path = tmp_path / "f"
    path.write_bytes(b"x")

    def fail(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(reading.os, "read", fail)
    with pytest.raises(ReadError, match="cannot be read: Input/output error") as caught:
        read_bytes(path)
    assert caught.value.told == "Input/output error (os error 5)"


@needs_posix
def test_read_bytes__link__is_followed_and_a_loop_is_told(tmp_path: Path) -> None:
    """Links to files are files; a loop is an error, not a hang."""
    (tmp_path / "f").write_bytes(b"data")
    (tmp_path / "link").symlink_to("f")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nowhere")
    assert read_bytes(tmp_path / "link") == b"data"
    assert _reason(tmp_path / "loop") == "is a symbolic link that leads back to itself"
    assert _reason(tmp_path / "gone") == "does not exist"


@pytest.mark.parametrize("change", [b"", b"x" * 5000, b"x" * 20_000])
def test_read_bytes__file_that_changes__is_refused(tmp_path: Path, change: bytes) -> None:
    """A file that shrinks or grows while it is read is not taken."""
    path = tmp_path / "f"
    path.write_bytes(b"x" * 10_000)

    def change_it(head: bytes) -> bool:
        path.write_bytes(change)
        return True

    with pytest.raises(ReadError, match="changed while it was read"):
        read_bytes(path, accept_head=change_it)


@needs_posix
@pytest.mark.timeout(10)
def test_read_bytes__name_swapped_for_a_pipe__does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kind is looked at again after opening."""
    path = tmp_path / "f"
    path.write_bytes(b"x")
    real_open = os.open

    def swap_then_open(name: Path, flags: int) -> int:
        path.unlink()
        os.mkfifo(path)
        return real_open(name, flags)

    monkeypatch.setattr(reading.os, "open", swap_then_open)
    assert _reason(path) == "is a named pipe, not a file that can be opened"


def test_read_bytes__any_outcome__leaves_no_descriptor(tmp_path: Path) -> None:
    """Descriptors are closed after success and after refusal."""
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("the platform does not list descriptors")
    path = tmp_path / "f"
    path.write_bytes(b"x" * 100)
    before = len(list(descriptors.iterdir()))
    assert threading.active_count() >= 1
    for _ in range(50):
        read_bytes(path)
        _reason(path, 10)
        _reason(tmp_path)
    assert len(list(descriptors.iterdir())) == before


def test_read_text__not_utf_8__names_the_line(tmp_path: Path) -> None:
    """The hint tells where the first bad byte is."""
    path = tmp_path / "f"
    path.write_bytes(b"a: 1\nb: \xff\n")
    with pytest.raises(ReadError, match="is not valid UTF-8") as caught:
        read_text(path)
    assert "line 2" in caught.value.hint


def test_read_text__over_the_bound__is_refused(tmp_path: Path) -> None:
    """Texts have a bound of their own."""
    path = tmp_path / "f"
    path.write_bytes(b"x" * (reading.MAX_TEXT_BYTES + 1))
    with pytest.raises(ReadError, match="over the limit"):
        read_text(path)


def test_names_in__folder__is_sorted_and_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with too many entries is not searched."""
    for name in ("b", "a", "c"):
        (tmp_path / name).write_bytes(b"")
    assert names_in(tmp_path) == ["a", "b", "c"]
    monkeypatch.setattr(reading, "MAX_FOLDER_ENTRIES", 2)
    with pytest.raises(ReadError, match="more than 2 entries"):
        names_in(tmp_path)
    with pytest.raises(ReadError, match="does not exist"):
        names_in(tmp_path / "gone")


def test_as_error__read_error__is_a_whole_sentence(tmp_path: Path) -> None:
    """The path stands in the message."""
    with pytest.raises(ReadError) as caught:
        read_bytes(tmp_path / "gone")
    error = caught.value.as_error()
    assert error.message == f"{tmp_path / 'gone'} does not exist."
    assert error.exit_code == 3
