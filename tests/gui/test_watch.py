"""Files of a capsule change: told once they are whole and stand still."""

import os

import pytest
from msgspec.structs import replace

from inspector.gui.watch import PATIENCE, CapsuleWatch
from inspector.protocol.inspection import CapsuleHead, SourceView
from inspector.workbench import watching
from tests.helpers import sample_state

MODULE = b"\0asm\1\0\0\0"


@pytest.fixture
def capsule(tmp_path):
    """A capsule folder with one hook."""
    (tmp_path / "hooks" / "guard").mkdir(parents=True)
    (tmp_path / "murmur.yaml").write_text("name: c\n")
    (tmp_path / "hooks" / "guard" / "murmur.yaml").write_text("runtime: hook\n")
    (tmp_path / "hooks" / "guard" / "hook.wasm").write_bytes(MODULE)
    return tmp_path


def inspect(root):
    """What the engine says of it."""
    source = SourceView("hooks-folder", str(root / "hooks" / "guard" / "hook.wasm"), "")
    hook = sample_state.hook("guard", source=source)
    head = CapsuleHead("c", "1.0.0", str(root), "0.3")
    return replace(sample_state.inspection((hook,)), capsule=head)


@pytest.fixture
def watch(qapp, capsule):
    """Switched on, with a baseline."""
    made = CapsuleWatch(qapp)
    made.set_on(is_on=True)
    made.set_inspection(inspect(capsule))
    finish(made)
    yield made
    made.set_on(is_on=False)
    made.deleteLater()


@pytest.fixture
def told(watch):
    """Names that were told."""
    names = []
    watch.changed.connect(names.append)
    return names


def finish(watch):
    """Run the job of the watch to its end."""
    while watch._job.is_running:
        watch._job._run_slice()


def settle(watch, looks=2):
    """As many looks as a change needs: one that sees it, one that sees it stand still."""
    for _ in range(looks):
        watch.look()
        finish(watch)


def write(file, content):
    """Write a file, and make its time another one, as a later build would."""
    file.write_bytes(content)
    status = file.stat()
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))


def test_watch__changed_component__is_told_once(watch, told, capsule):
    """With its name, after it stood still for one look."""
    write(capsule / "hooks/guard/hook.wasm", MODULE + b"\0\1x")
    watch.look()
    finish(watch)
    assert told == []
    settle(watch, 3)
    assert told == [("hook.wasm",)]


def test_watch__same_bytes_again__are_no_change(watch, told, capsule):
    """A build that changed nothing."""
    write(capsule / "hooks/guard/hook.wasm", MODULE)
    settle(watch, 3)
    assert told == []


def test_watch__half_written_component__is_waited_for(watch, told, capsule):
    """Until its sections are whole."""
    component = capsule / "hooks/guard/hook.wasm"
    write(component, MODULE + b"\0\x09x")
    settle(watch, 5)
    assert told == []
    write(component, MODULE + b"\0\x02xy")
    settle(watch, 3)
    assert told == [("hook.wasm",)]


def test_watch__file_that_never_gets_whole__is_taken_as_it_is(watch, told, capsule):
    """The engine will say what is wrong with it."""
    write(capsule / "hooks/guard/hook.wasm", MODULE + b"\0\x09x")
    settle(watch, PATIENCE + 3)
    assert told == [("hook.wasm",)]


def test_watch__atomic_replace__is_seen_again_and_again(qtbot, watch, told, capsule):
    """By the folder; a watcher of files alone goes silent after the first."""
    for round_ in range(3):
        fresh = capsule / "fresh"
        write(fresh, MODULE + bytes([0, 1, round_]))
        before = len(told)
        fresh.replace(capsule / "hooks/guard/hook.wasm")
        qtbot.waitUntil(lambda before=before: len(told) > before, timeout=15_000)
    assert told == [("hook.wasm",)] * 3


def test_watch__manifest_and_env__count(watch, told, capsule):
    """Also a file that was not there before."""
    write(capsule / "murmur.yaml", b"name: d\n")
    write(capsule / ".env", b"A=1\n")
    settle(watch, 3)
    assert told == [("murmur.yaml", ".env")]


def test_watch__removed_file__is_told_after_patience(watch, told, capsule):
    """It might have been in the middle of a replace."""
    (capsule / "murmur.yaml").unlink()
    settle(watch, 4)
    assert told == []
    settle(watch, PATIENCE)
    assert told == [("murmur.yaml",)]


def test_watch__change_while_it_is_opened__is_not_lost(watch, told, capsule):
    """What was read is older than what is there now."""
    watch.begin_opening()
    write(capsule / "hooks/guard/hook.wasm", MODULE + b"\0\1x")
    watch.set_inspection(inspect(capsule))
    settle(watch, 3)
    assert told == [("hook.wasm",)]


def test_watch__switched_off__looks_after_nothing(watch, told, capsule):
    """Neither watched nor polled."""
    watch.set_on(is_on=False)
    write(capsule / "murmur.yaml", b"name: d\n")
    settle(watch, 3)
    assert (told, watch.files) == ([], ())
    assert watch._watcher.files() == watch._watcher.directories() == []
    assert not watch._poll.isActive()


def test_watch__file_that_moves_while_it_is_read__is_read_again(watch, told, capsule, monkeypatch):
    """The digest of a moving file means nothing."""
    component = capsule / "hooks/guard/hook.wasm"
    write(component, MODULE + b"\0\1x")
    watch.look()
    watch.look()
    write(component, MODULE + b"\0\2xy")
    finish(watch)
    assert told == []
    settle(watch, 3)
    assert told == [("hook.wasm",)]
    assert watching.look([str(component)])[str(component)].size_bytes == 12


def test_watch__change_before_the_first_digest__is_told(qapp, capsule):
    """What the file held is not known, so it counts as changed."""
    watch, told = CapsuleWatch(qapp), []
    watch.changed.connect(told.append)
    watch.set_on(is_on=True)
    watch.set_inspection(inspect(capsule))
    write(capsule / "hooks/guard/hook.wasm", MODULE + b"\0\1x")
    watch._job.cancel()
    settle(watch, 3)
    watch.set_on(is_on=False)
    watch.deleteLater()
    assert told == [("hook.wasm",)]
