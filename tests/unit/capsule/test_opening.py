"""From a path or a sample to a capsule: every kind of path."""

import os
from pathlib import Path

import pytest

from inspector import assets
from inspector.capsule.capsule import Capsule, SourceKind
from inspector.capsule.opening import open_capsule
from inspector.contract.profile import profile
from inspector.errors import ErrorKind, InspectorError
from inspector.manifest.grant import Grant
from tests.helpers.capsule_files import (
    COMPONENT,
    CORE_MODULE,
    HOOK_MANIFEST,
    capsule_at,
    hook_at,
    packed,
)

CURRENT = profile("0.3")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def _open(path: Path | str, home: Path, name: str = "0.3") -> Capsule:
    return open_capsule(str(path), profile=profile(name), home=home)


def _error(path: Path | str, home: Path) -> InspectorError:
    with pytest.raises(InspectorError) as caught:
        _open(path, home)
    assert caught.value.kind is ErrorKind.UNREADABLE_CAPSULE
    assert caught.value.hint
    assert caught.value.exit_code == 3
    return caught.value


def test_open_capsule__folder__and_its_manifest_are_the_same(tmp_path: Path, home: Path) -> None:
    """Either may be named."""
    folder = capsule_at(tmp_path / "c")
    hook_at(folder / "hooks" / "watcher")
    by_folder, by_file = _open(folder, home), _open(folder / "murmur.yaml", home)
    assert by_folder.path == folder
    assert by_file.path == folder / "murmur.yaml"
    for capsule in (by_folder, by_file):
        assert (capsule.name, capsule.version) == ("bare", "0.1.0")
        assert (capsule.project, capsule.manifest_path) == (folder, folder / "murmur.yaml")
        assert [hook.source and hook.source.kind for hook in capsule.hooks] == [
            SourceKind.HOOKS_FOLDER
        ]
        assert capsule.manifest_text == (folder / "murmur.yaml").read_text("utf-8")


def test_open_capsule__manifest_of_another_name__is_read(tmp_path: Path, home: Path) -> None:
    """Any YAML file can be named."""
    path = capsule_at(tmp_path / "c") / "other.yml"
    path.write_text("name: other\nversion: 1\n")
    assert _open(path, home).name == "other"


def test_open_capsule__relative_path__becomes_absolute(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was opened is an absolute path without dots."""
    capsule_at(tmp_path / "c")
    monkeypatch.chdir(tmp_path)
    assert _open("./c/../c", home).path == tmp_path / "c"
    monkeypatch.chdir(tmp_path / "c")
    assert _open(".", home).path == tmp_path / "c"


def test_open_capsule__project__is_a_capsule_of_one_hook(tmp_path: Path, home: Path) -> None:
    """Its own manifest gives name, version and binding; nothing is granted."""
    text = HOOK_MANIFEST + "binding: on-shell\ncapabilities: {network: {allow: [a]}}\n"
    folder = hook_at(tmp_path / "p", text)
    for path in (folder, folder / "murmur.yaml"):
        capsule = _open(path, home)
        (hook,) = capsule.hooks
        assert (capsule.name, capsule.version) == ("watcher", "0.0.9")
        assert (capsule.manifest_path, capsule.path) == (None, folder)
        assert (hook.config.binding, hook.grant, hook.refusal) == ("on-shell", Grant(), None)
        assert hook.source is not None
        assert hook.source.kind is SourceKind.PROJECT


def test_open_capsule__project_without_identity__is_named_after_its_folder(
    tmp_path: Path, home: Path
) -> None:
    """A hook that is still being written."""
    capsule = _open(hook_at(tmp_path / "my-hook", "runtime: hook\nversion: 0.1\n"), home)
    assert (capsule.name, capsule.version) == ("my-hook", "0.0.0")


@pytest.mark.parametrize("name", ["'../evil'", "a/b", '"x\\0"', "'..'", '"a\\nb"'])
def test_open_capsule__project_with_a_dangerous_name__gets_another(
    tmp_path: Path, home: Path, name: str
) -> None:
    """Names end up in file names of logs, so a hook cannot choose a path."""
    text = f"name: {name}\nversion: {name}\nruntime: hook\n"
    capsule = _open(hook_at(tmp_path / "p", text), home)
    assert (capsule.hooks[0].name, capsule.hooks[0].version) == ("p", "0.0.0")
    assert [d.code for d in capsule.diagnostics][:2] == ["identity", "identity"]


def test_open_capsule__bad_project__opens_with_refusals(tmp_path: Path, home: Path) -> None:
    """Everything that is wrong is in the diagnostics, the first one refuses the hook."""
    text = HOOK_MANIFEST + "binding: nowhere\n"
    capsule = _open(hook_at(tmp_path / "p", text, {"a.wasm": CORE_MODULE}), home)
    (hook,) = capsule.hooks
    assert hook.refusal is not None
    assert hook.refusal.startswith("hook watcher@0.0.9 invalid config: unknown binding 'nowhere'")
    errors = {d.code: d for d in capsule.diagnostics}
    assert errors["hook-config"].stops_launch
    assert errors["hook-config"].line == 5
    assert errors["hook-config"].file == str(tmp_path / "p" / "murmur.yaml")
    assert not errors["E-RUN-001"].stops_launch


@pytest.mark.parametrize("name", ["h.mur.zip", "H.MUR.ZIP", "h.zip", "h"])
def test_open_capsule__archive__is_a_capsule_of_one_hook(
    tmp_path: Path, home: Path, name: str
) -> None:
    """By its name or by its first bytes."""
    (tmp_path / name).write_bytes(packed())
    capsule = _open(tmp_path / name, home)
    (hook,) = capsule.hooks
    assert (hook.name, hook.version, hook.component) == ("watcher", "0.0.9", COMPONENT)
    assert hook.source is not None
    assert hook.source.kind is SourceKind.ARCHIVE
    assert hook.refusal is None


def test_open_capsule__archive_without_manifest__opens_with_a_refusal(
    tmp_path: Path, home: Path
) -> None:
    """Named after the file; the component can be looked at."""
    (tmp_path / "my-hook.mur.zip").write_bytes(packed({"a.wasm": COMPONENT}))
    (hook,) = _open(tmp_path / "my-hook.mur.zip", home).hooks
    assert (hook.name, hook.component) == ("my-hook", COMPONENT)
    assert hook.refusal == (
        "failed to read artifact archive for my-hook@0.0.0: missing or unreadable murmur.yaml in "
        "artifact archive: specified file not found in archive"
    )


def test_open_capsule__archive_with_a_module__opens_with_a_refusal(
    tmp_path: Path, home: Path
) -> None:
    """The hook is there, its component is not."""
    (tmp_path / "h.mur.zip").write_bytes(packed(**{"hook.wasm": CORE_MODULE}))
    (hook,) = _open(tmp_path / "h.mur.zip", home).hooks
    assert hook.component is None
    assert hook.refusal == (
        "failed to compile component for watcher@0.0.9: hook.wasm is a core WebAssembly module, "
        "not a component"
    )


def test_open_capsule__no_archive__is_an_error(tmp_path: Path, home: Path) -> None:
    """A file of this name that is something else."""
    (tmp_path / "h.mur.zip").write_bytes(b"hello")
    assert "h.mur.zip is not a packed artifact: " in _error(tmp_path / "h.mur.zip", home).message


@pytest.mark.parametrize(
    ("name", "data"), [("h.wasm", COMPONENT), ("h.wat", b"(component)"), ("h", COMPONENT)]
)
def test_open_capsule__component__is_a_capsule_of_one_hook(
    tmp_path: Path, home: Path, name: str, data: bytes
) -> None:
    """Bound to every event, since nothing says otherwise; bytes as they are in the file."""
    (tmp_path / name).write_bytes(data)
    capsule = _open(tmp_path / name, home)
    (hook,) = capsule.hooks
    assert (hook.name, hook.version, hook.component) == ("h", "0.0.0", data)
    assert (hook.config.binding_word, hook.grant) == ("all", Grant())
    assert capsule.diagnostics == ()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("h.wasm", b"", "is empty."),
        ("h.wasm", CORE_MODULE, "is a core WebAssembly module, not a component."),
        ("h.wat", b"(module)", "is the text of a core WebAssembly module, not of a component."),
        ("h.wasm", b"(component)", "is WebAssembly text in a file named .wasm."),
        ("h.wasm", b"\x7fELF", "is not a WebAssembly component."),
        ("h.txt", b"hello", "is not a capsule."),
        ("h", CORE_MODULE, "is a core WebAssembly module, not a component."),
    ],
)
def test_open_capsule__no_component__is_one_clear_sentence(
    tmp_path: Path, home: Path, name: str, data: bytes, words: str
) -> None:
    """What the file is, and in the hint what to do."""
    (tmp_path / name).write_bytes(data)
    assert _error(tmp_path / name, home).message == f"{tmp_path / name} {words}"


def test_open_capsule__nothing_there__says_what_can_be_named(tmp_path: Path, home: Path) -> None:
    """The hint lists the kinds."""
    error = _error(tmp_path / "gone", home)
    assert error.message == f"{tmp_path / 'gone'} does not exist."
    assert "sample:NAME" in error.hint
    for written in ("", "a\0b"):
        assert _error(written, home).message.endswith("does not exist.")


def test_open_capsule__folder_without_manifest__is_the_runtimes_error(
    tmp_path: Path, home: Path
) -> None:
    """And the retired name is recognised."""
    path = tmp_path / "murmur.yaml"
    assert _error(tmp_path, home).message == f"murmur.yaml not found at {path}"
    (tmp_path / "manifest.yaml").write_text("name: x\n")
    assert "Rename manifest.yaml to murmur.yaml" in _error(tmp_path, home).hint


def test_open_capsule__manifest_not_utf_8__is_the_runtimes_error(
    tmp_path: Path, home: Path
) -> None:
    """With the line of the bad byte in the hint."""
    path = capsule_at(tmp_path) / "murmur.yaml"
    path.write_bytes(b"name: \xff\n")
    error = _error(tmp_path, home)
    assert (
        error.message == f"failed to read murmur.yaml at {path}: stream did not contain valid UTF-8"
    )
    assert "line 1" in error.hint


def test_open_capsule__manifest_is_a_folder__is_an_error(tmp_path: Path, home: Path) -> None:
    """A folder in place of the file."""
    (tmp_path / "murmur.yaml").mkdir()
    path = tmp_path / "murmur.yaml"
    assert _error(tmp_path, home).message == (
        f"failed to read murmur.yaml at {path}: Is a directory (os error 21)"
    )


def test_open_capsule__bad_yaml__has_line_and_column(tmp_path: Path, home: Path) -> None:
    """The place is in the error, for an editor to jump to."""
    folder = capsule_at(tmp_path, "name: a\nversion: 1\nartifacts:\n - - x\n  b\n")
    error = _error(folder, home)
    assert error.message.startswith("murmur.yaml: YAML syntax error at line 5, column 3: ")
    assert (error.file, error.line, error.column) == (str(folder / "murmur.yaml"), 5, 3)


@pytest.mark.skipif(os.name == "nt", reason="the platform has no such files")
@pytest.mark.timeout(10)
def test_open_capsule__special_files__are_refused_at_once(tmp_path: Path, home: Path) -> None:
    """Pipes and devices, named directly or in place of a manifest."""
    for name in ("pipe.wasm", "pipe.mur.zip", "pipe.yaml", "pipe", "murmur.yaml"):
        os.mkfifo(tmp_path / name)
        assert "is a named pipe" in _error(tmp_path / name, home).message
    assert "is a named pipe" in _error(tmp_path, home).message
    assert "is a device" in _error("/dev/zero", home).message


def test_open_capsule__sparse_file__is_refused_by_its_length(tmp_path: Path, home: Path) -> None:
    """Nothing of it is read."""
    path = tmp_path / "h.wasm"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    assert "over the limit" in _error(path, home).message


def test_open_capsule__unknown_sample__lists_the_known_ones(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample is named exactly; a path is none."""
    monkeypatch.setattr(assets, "sample_names", lambda: ("first", "second"))
    error = _error("sample:../first", home)
    assert error.message == "there is no sample '../first'."
    assert error.hint == "Samples: first, second."


def test_open_capsule__sample__reads_our_own_hooks_folder(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hooks are marked as ours and need no note."""
    folder = capsule_at(tmp_path / "capsules" / "first")
    hook_at(folder / "hooks" / "watcher")
    monkeypatch.setattr(assets, "sample_names", lambda: ("first",))
    monkeypatch.setattr(assets, "resource", lambda *parts: tmp_path.joinpath(*parts))
    capsule = _open("sample:first", home)
    assert capsule.path == folder
    assert capsule.hooks[0].source is not None
    assert capsule.hooks[0].source.kind is SourceKind.SAMPLE
    assert capsule.diagnostics == ()


@pytest.mark.parametrize("name", assets.sample_names())
def test_open_capsule__shipped_sample__brings_its_hooks(home: Path, name: str) -> None:
    """Every hook of a sample that ships is found in the sample itself."""
    capsule = _open(f"sample:{name}", home)
    assert capsule.hooks
    kinds = {hook.source.kind for hook in capsule.hooks if hook.source is not None}
    assert kinds == {SourceKind.SAMPLE}


def test_open_capsule__old_profile__judges_by_its_own_rules(tmp_path: Path, home: Path) -> None:
    """The same hook manifest is fine for one runtime and refused by another."""
    folder = hook_at(tmp_path / "p", HOOK_MANIFEST + "binding: on-shell\ncommit_policy: deny\n")
    assert _open(folder, home).hooks[0].refusal is None
    refusal = _open(folder, home, "0.1").hooks[0].refusal
    assert refusal is not None
    assert "unknown commit_policy 'deny'" in refusal
