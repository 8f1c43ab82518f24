"""Which files count, and when they are whole."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.protocol.inspection import CapsuleHead, SourceView
from inspector.workbench import watching
from tests.helpers import sample_state

MODULE = b"\0asm\1\0\0\0"


def inspection_of(root, *hooks):
    """A capsule in a folder, with hooks by file."""
    made = tuple(
        sample_state.hook(name, source=SourceView("hooks-folder", str(file), "") if file else None)
        for name, file in hooks
    )
    head = CapsuleHead("c", "1.0.0", str(root), "0.3")
    return replace(sample_state.inspection(made), capsule=head)


def section(number, content):
    """A section of a component."""
    return bytes([number, len(content)]) + content


def test_watched_files__capsule_folder__are_manifest_lock_env_and_hooks(tmp_path):
    """Also those that are not there yet."""
    component = tmp_path / "hooks" / "guard" / "hook.wasm"
    files = watching.watched_files(inspection_of(tmp_path, ("guard", component)))
    assert files == tuple(
        str(tmp_path / name)
        for name in (
            "murmur.yaml",
            "murmur.lock",
            ".env",
            "hooks/guard/hook.wasm",
            "hooks/guard/murmur.yaml",
        )
    )


def test_watched_files__single_component__is_the_file(tmp_path):
    """Opened by its own name."""
    file = tmp_path / "hook.wasm"
    file.write_bytes(MODULE)
    found = watching.watched_files(inspection_of(file, ("hook", file)))
    assert found[0] == str(file)


def test_watched_folders__missing_hook__may_appear_in_its_folder(tmp_path):
    """The folders that are there."""
    (tmp_path / "hooks" / "late").mkdir(parents=True)
    inspection = inspection_of(tmp_path, ("late", None))
    folders = watching.watched_folders(watching.watched_files(inspection), inspection)
    assert folders == (str(tmp_path), str(tmp_path / "hooks"), str(tmp_path / "hooks" / "late"))


def test_look__changed_size_or_time__is_another_fingerprint(tmp_path):
    """A file that is gone has none."""
    file = tmp_path / "x"
    file.write_text("a")
    before = watching.look([str(file)])
    file.write_text("ab")
    assert watching.look([str(file)]) != before
    file.unlink()
    assert watching.look([str(file)]) == {str(file): None}


def test_digests__file_of_several_pieces__is_its_sha256(tmp_path):
    """In pieces, so that no slice is long."""
    file = tmp_path / "x"
    content = b"ab" * watching.CHUNK_BYTES
    file.write_bytes(content)
    pieces = list(watching.digests([str(file), str(tmp_path / "none")]))
    assert len(pieces) > 3
    assert [piece for piece in pieces if piece[0]] == [
        (str(file), hashlib.sha256(content).hexdigest()),
        (str(tmp_path / "none"), "absent"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "whole"),
    [
        ("a.wasm", MODULE, True),
        ("a.wasm", MODULE + section(1, b"abc"), True),
        ("a.wasm", MODULE + section(1, b"abc")[:-1], False),
        ("a.wasm", MODULE + b"\1", False),
        ("a.wasm", MODULE + b"\1\x80\x80", False),
        ("a.wasm", b"", False),
        ("a.wasm", b"something else", True),
        ("a.mur.zip", b"PK\3\4 half", False),
        ("a.mur.zip", b"PK\3\4 all PK\5\6" + bytes(18), True),
        ("a.wat", b"(comp", True),
    ],
)
def test_is_whole__by_format(tmp_path, name, content, whole):
    """What the format tells; a text tells nothing."""
    file = tmp_path / name
    file.write_bytes(content)
    assert watching.is_whole(str(file)) is whole


def test_is_whole__missing_file__is_not(tmp_path):
    """It is being replaced."""
    assert not watching.is_whole(str(tmp_path / "none.wat"))


@given(st.binary(max_size=200))
def test_is_whole__any_bytes__never_raise(tmp_path_factory, content):
    """Hostile files too."""
    file = tmp_path_factory.mktemp("w") / "x.wasm"
    file.write_bytes(MODULE + content)
    assert watching.is_whole(str(file)) in (True, False)
