"""A hook in a folder: which component is taken."""

import os
from pathlib import Path

import pytest

from inspector.capsule import project, reading
from inspector.capsule.capsule import SourceKind
from inspector.capsule.found import Found
from inspector.manifest.fault import Stage
from tests.helpers.capsule_files import COMPONENT, CORE_MODULE, HOOK_MANIFEST, hook_at


def _read(folder: Path) -> Found:
    return project.read(folder, SourceKind.PROJECT, "watcher@0.0.9")


def _taken(folder: Path) -> str:
    found = _read(folder)
    assert found.source is not None, found.faults
    return Path(found.source.path).relative_to(folder).as_posix()


def test_read__one_component__is_taken(tmp_path: Path) -> None:
    """Binary or text, with the hook's manifest."""
    found = _read(hook_at(tmp_path, files={"hook.wat": b"(component)", "b.txt": b""}))
    assert found.component == b"(component)"
    assert found.manifest_text == HOOK_MANIFEST
    assert found.faults == ()
    assert [(note.code, note.hook) for note in found.notes] == [("not-packed", "watcher")]
    assert found.source is not None
    assert found.source.path == str(tmp_path / "hook.wat")
    assert len(found.source.sha256) == 64


def test_read__capsule_wasm__wins(tmp_path: Path) -> None:
    """The name that the payload rule prefers."""
    files = dict.fromkeys(("a.wasm", "capsule.wasm", "z.wat"), COMPONENT)
    assert _taken(hook_at(tmp_path, files=files)) == "capsule.wasm"


def test_read__several__are_told_apart_by_the_packing_list(tmp_path: Path) -> None:
    """`requires_files` names the one that is packed."""
    files = dict.fromkeys(("a.wasm", "b.wasm"), COMPONENT)
    manifest = HOOK_MANIFEST + "requires_files: [b.wasm]\n"
    assert _taken(hook_at(tmp_path, manifest, files)) == "b.wasm"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "missing root .wasm file (expected capsule.wasm or one root *.wasm)"),
        (
            {"b.wasm": COMPONENT, "a.wat": b"(component)"},
            "multiple root .wasm files found: a.wat, b.wasm",
        ),
    ],
)
def test_read__no_single_component__is_a_fault(
    tmp_path: Path, files: dict[str, bytes], message: str
) -> None:
    """The runtime's text, and a hint of ours."""
    (fault,) = _read(hook_at(tmp_path, files=files)).faults
    assert (fault.message, fault.stage) == (message, Stage.PAYLOAD)
    assert str(tmp_path) in fault.hint


def _build(folder: Path, name: str, time: int) -> None:
    hook_at(folder, None, {name: COMPONENT})
    os.utime(folder / name, (time, time))


def test_read__no_component_at_the_top__takes_the_newest_build(tmp_path: Path) -> None:
    """Release or debug, whichever is newer, and it is said."""
    hook_at(tmp_path, files={})
    _build(tmp_path, "target/wasm32-wasip2/debug/my_hook.wasm", 100)
    assert _taken(tmp_path) == "target/wasm32-wasip2/debug/my_hook.wasm"
    _build(tmp_path, "target/wasm32-wasip2/release/my_hook.wasm", 200)
    assert _taken(tmp_path) == "target/wasm32-wasip2/release/my_hook.wasm"
    _build(tmp_path, "dist/hook.wasm", 300)
    assert _taken(tmp_path) == "dist/hook.wasm"
    (note,) = _read(tmp_path).notes
    assert (note.severity, note.code, note.hook) == ("info", "built-component", "watcher")
    assert str(tmp_path / "dist" / "hook.wasm") in note.message


def test_read__builds_of_the_same_time__release_wins(tmp_path: Path) -> None:
    """Equal times are decided by the order of the places."""
    hook_at(tmp_path, files={})
    for kind in ("debug", "release"):
        _build(tmp_path, f"target/wasm32-wasip2/{kind}/my_hook.wasm", 100)
    assert _taken(tmp_path) == "target/wasm32-wasip2/release/my_hook.wasm"


def test_read__component_at_the_top__wins_over_builds(tmp_path: Path) -> None:
    """What lies beside the manifest is meant."""
    hook_at(tmp_path)
    _build(tmp_path, "target/wasm32-wasip2/release/my_hook.wasm", 100)
    assert _taken(tmp_path) == "hook.wasm"


def test_read__no_component_in_the_file__is_a_fault_of_the_hook(tmp_path: Path) -> None:
    """A core module is named as one."""
    found = _read(hook_at(tmp_path, files={"hook.wasm": CORE_MODULE}))
    (fault,) = found.faults
    assert fault.message == (
        f"failed to compile component for watcher@0.0.9: {tmp_path / 'hook.wasm'} is a core "
        "WebAssembly module, not a component"
    )
    assert (fault.stage, fault.code) == (Stage.COMPONENT, "E-RUN-001")
    assert found.component is None
    assert found.source is not None
    assert found.source.sha256 == ""


def test_read__no_manifest__is_a_fault_with_the_component_kept(tmp_path: Path) -> None:
    """The hook cannot run, its component can be looked at."""
    found = _read(hook_at(tmp_path, None))
    (fault,) = found.faults
    assert fault.stage is Stage.HOOK_MANIFEST
    assert "missing or unreadable murmur.yaml" in fault.message
    assert found.component == COMPONENT


@pytest.mark.skipif(os.name == "nt", reason="the platform has no such files")
@pytest.mark.timeout(10)
def test_read__hostile_files__never_block(tmp_path: Path) -> None:
    """Pipes and loops in place of the manifest and the component."""
    os.mkfifo(tmp_path / "murmur.yaml")
    (tmp_path / "hook.wasm").symlink_to("hook.wasm")
    (tmp_path / "target").symlink_to("target")
    found = _read(tmp_path)
    assert [fault.stage for fault in found.faults] == [Stage.HOOK_MANIFEST, Stage.PAYLOAD]
    assert "named pipe" in found.faults[0].message
    assert "leads back to itself" in found.faults[1].message


def test_read__folder_with_too_many_files__is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the folder nor a build folder is searched without end."""
    hook_at(tmp_path, files={})
    build = hook_at(tmp_path / "dist", None, {f"{i}.wasm": COMPONENT for i in range(3)})
    monkeypatch.setattr(reading, "MAX_FOLDER_ENTRIES", 2)
    (fault,) = _read(tmp_path).faults
    assert fault.message == ("missing root .wasm file (expected capsule.wasm or one root *.wasm)")
    monkeypatch.setattr(reading, "MAX_FOLDER_ENTRIES", 0)
    (fault,) = _read(tmp_path).faults
    assert fault.message.endswith("has more than 0 entries")
    assert build.is_dir()
