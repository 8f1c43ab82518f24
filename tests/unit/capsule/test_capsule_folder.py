"""A capsule with a manifest: places, order of faults, facts for the session."""

import hashlib
import os
from pathlib import Path

import pytest

from inspector.capsule.capsule import Capsule, EnvSettings, SourceKind
from inspector.capsule.opening import open_capsule
from inspector.contract.profile import profile
from inspector.manifest.diagnostic import Diagnostic
from inspector.manifest.grant import DriverGrant, NetworkRule
from inspector.manifest.hook_config import OverflowPolicy
from tests.helpers.capsule_files import (
    BARE,
    COMPONENT,
    CORE_MODULE,
    HOOK_MANIFEST,
    capsule_at,
    hook_at,
    install,
    lock_at,
    packed,
)

HEAD = "name: demo\nversion: 0.1.0\n"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MURMUR_FORMATION_ID", "INSPECTOR_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return capsule_at(tmp_path / "capsule")


def _open(folder: Path, name: str = "0.3") -> Capsule:
    return open_capsule(str(folder), profile=profile(name), home=folder.parent / "home")


def _with(folder: Path, manifest: str) -> Capsule:
    return _open(capsule_at(folder, manifest))


def _found(capsule: Capsule, code: str) -> list[Diagnostic]:
    return [d for d in capsule.diagnostics if d.code == code]


def _stop(capsule: Capsule) -> str:
    (stop,) = [d for d in capsule.diagnostics if d.stops_launch]
    return stop.code


# -- where hooks are found ---------------------------------------------------------


def test_open__three_places__project_store_then_hooks_folder_then_home(folder: Path) -> None:
    """Each place is used only when the ones before it do not have the hook."""
    install(folder.parent / "home" / "artifacts", packed(note=b"home"))
    (hook,) = _open(folder).hooks
    assert hook.source is not None
    assert (hook.source.kind, hook.source.path) == (
        SourceKind.STORE,
        str(folder.parent / "home/artifacts/watcher/0.0.9/watcher-0.0.9.mur.zip"),
    )
    hook_at(folder / "hooks" / "watcher")
    (hook,) = _open(folder).hooks
    assert hook.source is not None
    assert hook.source.kind is SourceKind.HOOKS_FOLDER
    archive = install(folder / ".murmur" / "artifacts", packed(note=b"project"))
    (hook,) = _open(folder).hooks
    assert hook.source is not None
    assert (hook.source.kind, hook.source.path) == (SourceKind.STORE, str(archive))
    assert hook.source.sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert (hook.component, hook.refusal) == (COMPONENT, None)


def test_open__hooks_folder__is_marked_as_our_own(folder: Path) -> None:
    """The runtime does not look there."""
    hook_at(folder / "hooks" / "watcher")
    capsule = _open(folder)
    (note,) = capsule.diagnostics
    assert (note.severity, note.code, note.hook) == ("info", "hooks-folder", "watcher")
    assert capsule.hooks[0].refusal is None


def test_open__broken_project_store__ends_the_search(folder: Path) -> None:
    """Any trouble but `not found` is final."""
    install(folder / ".murmur" / "artifacts", packed(), digest="0" * 64)
    install(folder.parent / "home" / "artifacts", packed())
    (hook,) = _open(folder).hooks
    assert hook.refusal == "artifact integrity check failed for watcher@0.0.9"
    assert hook.component == COMPONENT


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK no archive", "zip archive error: File is not a zip file"),
        (
            packed({"murmur.yaml": HOOK_MANIFEST.encode()}),
            "missing root .wasm file (expected capsule.wasm or one root *.wasm)",
        ),
    ],
)
def test_open__broken_archive__is_refused_with_the_runtimes_wrapper(
    folder: Path, data: bytes, message: str
) -> None:
    """Its digest fits, its content does not."""
    install(folder / ".murmur" / "artifacts", data)
    (hook,) = _open(folder).hooks
    assert hook.refusal == f"failed to read artifact archive for watcher@0.0.9: {message}"
    assert hook.component is None


def test_open__archive_that_cannot_be_read__is_refused(folder: Path) -> None:
    """A folder in its place ends the search as well."""
    archive = install(folder / ".murmur" / "artifacts", packed())
    install(folder.parent / "home" / "artifacts", packed())
    archive.unlink()
    archive.mkdir()
    (hook,) = _open(folder).hooks
    assert hook.refusal is not None
    assert "is a folder" in hook.refusal
    assert (hook.source, hook.component) == (None, None)


def test_open__missing_hook__names_the_three_places(folder: Path) -> None:
    """The runtime's text, and where was looked."""
    capsule = _open(folder)
    (hook,) = capsule.hooks
    assert (hook.source, hook.component) == (None, None)
    assert hook.refusal == "artifact watcher@0.0.9 not found in registry"
    (missing,) = capsule.diagnostics
    assert (missing.severity, missing.code, missing.line) == ("error", "E-REG-001", 4)
    assert missing.stops_launch
    for place in (folder / ".murmur/artifacts", folder / "hooks/watcher", "home/artifacts"):
        assert str(place) in missing.hint


def test_open__no_home__is_said_in_the_hint(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without HOME has two places."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("USERPROFILE", raising=False)
    capsule = open_capsule(str(folder), profile=profile("0.3"), home=None)
    assert "no home store (HOME is not set)" in capsule.diagnostics[0].hint


@pytest.mark.parametrize("name", ["../watcher", "/etc", "'a/b'", "'..'", '"w\\0"'])
def test_open__name_that_leads_elsewhere__is_not_found(folder: Path, name: str) -> None:
    """No name of a manifest reaches outside the places."""
    hook_at(folder / "watcher")
    hook_at(folder / "hooks")
    text = f"{HEAD}artifacts:\n  - {{name: {name}, version: 1, runtime: hook}}\n"
    (hook,) = _with(folder, text).hooks
    assert hook.component is None
    assert hook.refusal is not None
    assert hook.refusal.endswith("not found in registry")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_open__hooks_folder_as_a_link__is_followed(folder: Path) -> None:
    """A hook's project elsewhere can be linked in while it is developed."""
    hook_at(folder.parent / "elsewhere")
    (folder / "hooks").mkdir()
    (folder / "hooks" / "watcher").symlink_to(folder.parent / "elsewhere")
    assert _open(folder).hooks[0].component == COMPONENT


def test_open__source_of_a_hook__gives_no_hook(folder: Path) -> None:
    """A source is read as a skill, whatever the role says."""
    entry = "{name: h, runtime: hook, local_source: true, source: "
    text = f"{HEAD}artifacts:\n  - {entry}gone}}\n  - {entry}hooks}}\n  - {entry}skill}}\n"
    hook_at(folder / "hooks" / "h")
    hook_at(folder / "skill", None, {"SKILL.md": b"x"})
    capsule = _with(folder, text)
    assert [hook.refusal for hook in capsule.hooks] == [
        f"skill source path not found: {folder / 'gone'}",
        f"skill source directory '{folder / 'hooks'}' contains no skill.md",
        "'source:' of 'h' is read as a skill, so the entry gives no hook",
    ]
    assert [hook.component for hook in capsule.hooks] == [None, None, None]


# -- lock file ---------------------------------------------------------------------


def test_open__lock_file__is_checked_against_stores(folder: Path) -> None:
    """A pin that fits says nothing; one that does not refuses the hook."""
    archive = install(folder / ".murmur" / "artifacts", packed())
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    lock_at(folder, digest)
    assert _open(folder).diagnostics == ()
    lock_at(folder, "0" * 64)
    capsule = _open(folder)
    assert capsule.hooks[0].refusal == "artifact integrity check failed for watcher@0.0.9"
    assert _stop(capsule) == "E-REG-005"
    lock_at(folder, digest, "other")
    assert _open(folder).hooks[0].refusal == "lockfile missing artifact entry for 'watcher'"


def test_open__bad_lock_file__stops_the_launch_but_opens(folder: Path) -> None:
    """Hooks are shown all the same."""
    install(folder / ".murmur" / "artifacts", packed())
    (folder / "murmur.lock").write_text("lock_version: 7\n")
    capsule = _open(folder)
    assert capsule.hooks[0].refusal is None
    assert _stop(capsule) == "E-RUN-003"


def test_open__hooks_folder__is_not_pinned(folder: Path) -> None:
    """A lock says nothing about hooks under development."""
    lock_at(folder, "0" * 64)
    hook_at(folder / "hooks" / "watcher")
    assert _open(folder).hooks[0].refusal is None


# -- what refuses, and what comes first --------------------------------------------


@pytest.mark.parametrize(
    ("entry", "files", "manifest", "refusal"),
    [
        ("", {"h.wasm": b""}, HOOK_MANIFEST, "h.wasm is empty"),
        ("", {"h.wasm": CORE_MODULE}, HOOK_MANIFEST, "is a core WebAssembly module, not a"),
        ("", {"h.wasm": b"(component)"}, HOOK_MANIFEST, "is WebAssembly text in a file named"),
        ("", {"h.wasm": b"junk"}, HOOK_MANIFEST, "is not a WebAssembly component"),
        ("", {}, HOOK_MANIFEST, "missing root .wasm file"),
        ("", None, "binding: x", "hook watcher@0.0.9 invalid config: unknown binding 'x'"),
        ("", None, "a: [", "hook watcher@0.0.9 invalid config: YAML parse error: "),
        (", config: 5", None, "binding: x", "invalid config for artifact 'watcher'"),
        (
            ", capabilities: {network: {allow: ['']}}",
            {"h.wasm": b""},
            HOOK_MANIFEST,
            "failed to compile component for watcher@0.0.9: ",
        ),
        (
            ", capabilities: {network: {allow: ['']}, filesystem: {scope: /}}",
            None,
            HOOK_MANIFEST,
            "invalid network capability allow entry ''",
        ),
    ],
)
def test_open__bad_hook__is_refused_and_the_rest_opens(
    folder: Path,
    entry: str,
    files: dict[str, bytes] | None,
    manifest: str,
    refusal: str,
) -> None:
    """The refusal is what the runtime meets first; the other hook is untouched."""
    text = (
        f"{HEAD}artifacts:\n  - {{name: watcher, version: 0.0.9, runtime: hook{entry}}}\n"
        "  - {name: fine, version: 1, runtime: hook}\n"
    )
    hook_at(folder / "hooks" / "watcher", manifest, files)
    hook_at(folder / "hooks" / "fine", "runtime: hook\n")
    bad, fine = _with(folder, text).hooks
    assert bad.refusal is not None
    assert refusal in bad.refusal
    assert (fine.refusal, fine.component) == (None, COMPONENT)


def test_open__many_faults__the_launch_stops_at_the_first_one_met(folder: Path) -> None:
    """Each mended fault uncovers the next one of the runtime's order."""
    steps = [
        ("", "E-CAP-001", "capabilities: {network: {allow: [a/b]}}\n"),
        ("capabilities: {state: {store: a/b}}, config: 1, ", "E-CAP-009", ""),
        ("capabilities: {network: {allow: [a/b]}}, config: 1, ", "E-CAP-010", ""),
        ("capabilities: {network: {allow: [a/b]}}, ", "E-REG-001", ""),
    ]
    for entry, code, top in steps:
        text = (
            f"{HEAD}{top}artifacts:\n  - {{name: gone, version: 1, runtime: hook}}\n"
            f"  - {{{entry}name: watcher, version: 1, runtime: hook}}\n"
        )
        assert _stop(_with(folder, text)) == code
    hook_at(folder / "hooks" / "gone")
    assert _stop(_open(folder)) == "E-REG-001"
    hook_at(folder / "hooks" / "watcher")
    assert _stop(_open(folder)) == "E-CAP-001"


def test_open__two_hooks_with_faults__manifest_order_decides(folder: Path) -> None:
    """An early fault of a later hook comes after a late fault of an earlier hook."""
    text = (
        f"{HEAD}artifacts:\n"
        "  - {name: watcher, version: 1, runtime: hook, "
        "capabilities: {filesystem: {scope: /}}}\n"
        "  - {name: gone, version: 1, runtime: hook}\n"
    )
    hook_at(folder / "hooks" / "watcher")
    assert _stop(_with(folder, text)) == "E-CAP-002"


def test_open__example_h__tells_both_faults_and_marks_the_first(folder: Path) -> None:
    """The null config first, the network entry once that is mended."""
    text = (
        f"{HEAD}artifacts:\n  - name: watcher\n    version: 0.0.9\n    runtime: hook\n"
        '    capabilities: {network: {allow: ["https://api.test/v1"]}}\n    config:\n'
    )
    hook_at(folder / "hooks" / "watcher")
    capsule = _with(folder, text)
    errors = [(d.code, d.line, d.stops_launch) for d in capsule.diagnostics if d.line]
    assert errors == [("E-CAP-001", 7, False), ("E-CAP-010", 8, True)]
    assert _stop(_with(folder, text.replace("    config:\n", ""))) == "E-CAP-001"


def test_open__diagnostics__are_in_file_order(folder: Path) -> None:
    """The capsule's manifest first, by line; then other files."""
    hook_at(folder / "hooks" / "watcher", HOOK_MANIFEST + "binding: x\n")
    text = (
        f"{HEAD}zzz: 1\nartifacts:\n  - {{name: gone, version: 1, runtime: hook}}\n"
        "  - {name: watcher, version: 0.0.9, runtime: hook, config: 1}\n"
    )
    found = _with(folder, text).diagnostics
    assert [(d.code, d.line) for d in found] == [
        ("W-SEC-019", 3),
        ("E-REG-001", 5),
        ("E-CAP-010", 6),
        ("hooks-folder", None),
        ("hook-config", 5),
    ]


# -- facts for the session ----------------------------------------------------------


def test_open__hook__has_entry_and_own_manifest_joined(folder: Path) -> None:
    """Overflow and grant of the entry, binding of the hook's own file."""
    text = (
        f"{HEAD}artifacts:\n  - name: watcher\n    version: 0.0.9\n    runtime: hook\n"
        "    on_overflow: block\n    capabilities: {filesystem: {scope: out}}\n"
    )
    own = HOOK_MANIFEST + "execution_mode: async\nbinding: on-shell\non_overflow: drop\n"
    hook_at(folder / "hooks" / "watcher", own)
    (hook,) = _with(folder, text).hooks
    assert hook.on_overflow is OverflowPolicy.BLOCK
    assert hook.grant.filesystem_scope == "out"
    assert (hook.config.binding, hook.config.execution_mode) == ("on-shell", "async")


def test_open__own_manifest_differs__is_noted(folder: Path) -> None:
    """The entry decides."""
    hook_at(folder / "hooks" / "watcher", "name: other\nversion: 1.0.0\nruntime: tool\n")
    capsule = _open(folder)
    notes = _found(capsule, "identity")
    assert [str(note.severity) for note in notes] == ["info", "info", "warning"]
    assert "name 'other' where the entry says 'watcher'" in notes[0].message
    assert (capsule.hooks[0].name, capsule.hooks[0].version) == ("watcher", "0.0.9")


def test_open__bare_capsule__has_defaults(folder: Path) -> None:
    """Nothing granted, nothing declared."""
    capsule = _open(folder)
    assert (capsule.capabilities, capsule.shell_allow, capsule.model) == ((), (), "")
    assert (capsule.context_window, capsule.seed_budget) == (0, 0.10)
    assert (capsule.record_name, capsule.env) == ("bare", EnvSettings())
    assert (capsule.driver, capsule.inference, capsule.system_prompt) == (None, None, None)


def test_open__full_capsule__has_its_facts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Categories, shell, window, record, environment."""
    monkeypatch.setenv("MURMUR_FORMATION_ID", "f1")
    capsule = _with(
        folder,
        HEAD + "capabilities:\n  shell: {allow: [git, ls]}\n  network: {allow: [a.test]}\n"
        "  filesystem: {scope: .}\n  limits: {deadline_seconds: 4}\n"
        "context: {max_tokens: 1000, record_store: notes, seed_budget: 0.5}\n"
        "observability: {otel_endpoint: 'http://o', eval: {dataset_id: d}}\n"
        "inference: {transport: http, endpoint: 'https://m', model: big, "
        "driver: {artifact: drive}, compaction: {system_prompt: short}}\n",
    )
    assert capsule.capabilities == ("network", "filesystem", "shell")
    assert capsule.shell_allow == ("git", "ls")
    assert (capsule.context_window, capsule.seed_budget) == (1000, 0.5)
    assert (capsule.record_name, capsule.model) == ("notes", "big")
    assert capsule.system_prompt == "short"
    assert capsule.limits.declared_deadline_s == 4
    assert capsule.env == EnvSettings(
        otel_endpoint="http://o",
        formation_id="f1",
        eval_config='{"dataset_id":"d","scorers":[]}',
        dataset_id="d",
    )


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        (HEAD + "context: {record: off}\n", None),
        (HEAD + "inference: {transport: process, command: x}\n", None),
        (HEAD + "context: {record_store: r}\n", "r"),
        (HEAD + "context: {record_store: ../r}\n", None),
        (HEAD.replace("demo", "a/b"), None),
        (HEAD, "demo"),
    ],
)
def test_open__record_name__is_a_safe_segment_or_none(
    folder: Path, manifest: str, name: str | None
) -> None:
    """No manifest makes the record leave its folder."""
    assert _with(folder, manifest).record_name == name


DRIVEN = (
    HEAD + "artifacts:\n  - {name: drive, version: 2.0.0, runtime: driver}\n"
    "inference:\n  endpoint: https://m\n  model: big\n  api_key: ${INSPECTOR_KEY}\n"
    "  driver: {artifact: drive, config: {b: 1, a: 2}}\n"
)


def test_open__driver__is_found_as_hooks_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its configuration is JSON with sorted keys."""
    monkeypatch.setenv("INSPECTOR_KEY", "secret")
    install(folder / ".murmur" / "artifacts", packed(), "drive", "2.0.0")
    capsule = _with(folder, DRIVEN)
    assert capsule.driver is not None
    assert (capsule.driver.name, capsule.driver.version) == ("drive", "2.0.0")
    assert (capsule.driver.component, capsule.driver.config) == (COMPONENT, '{"a":2,"b":1}')
    assert capsule.inference is not None
    assert capsule.inference["api_key"] == "secret"
    assert capsule.diagnostics == ()


def test_open__driver__has_what_the_ceiling_and_its_entry_leave(folder: Path) -> None:
    """Rules, folder and variables; hooks' own blocks play no part."""
    install(folder / ".murmur" / "artifacts", packed(), "drive", "2.0.0")
    own = "capabilities: {network: {allow: [a.test, b.test]}, filesystem: {scope: out}}"
    text = DRIVEN.replace("runtime: driver", f"runtime: driver, {own}") + (
        "capabilities: {network: {allow: [b.test, c.test]}, env: {allow: [LANG]}}\n"
    )
    capsule = _with(folder, text)
    assert capsule.driver is not None
    assert capsule.driver.grant == DriverGrant(
        (NetworkRule("b.test", None, "b.test", None, 4),), "out", ("LANG",)
    )
    (dropped,) = _found(capsule, "W-SEC-007")
    assert "'a.test'" in dropped.message


@pytest.mark.parametrize(
    ("own", "code", "message"),
    [
        (
            "network: {allow: ['https://a.test/x']}",
            "E-CAP-001",
            "invalid network capability allow entry 'https://a.test/x': URL allow entries must not "
            "include path, query, or fragment",
        ),
        (
            "filesystem: {scope: ../x}",
            "E-CAP-002",
            "invalid filesystem capability scope '../x': scope cannot escape the workdir via '..'",
        ),
    ],
)
def test_open__driver_with_a_bad_entry__is_not_run(
    folder: Path, own: str, code: str, message: str
) -> None:
    """In the runtime's words, at the place; hooks can be inspected all the same."""
    install(folder / ".murmur" / "artifacts", packed(), "drive", "2.0.0")
    text = DRIVEN.replace("runtime: driver", f"runtime: driver, capabilities: {{{own}}}")
    capsule = _with(folder, text)
    assert capsule.driver is not None
    assert capsule.driver.component is None
    (found,) = _found(capsule, code)
    assert (found.severity, found.message, found.line) == ("warning", message, 4)
    assert found.hint.startswith("Until then hooks get no answer from the driver. ")


def test_open__tool_beyond_the_ceiling__is_warned_about(folder: Path) -> None:
    """Tools are bounded as drivers are, hooks are not."""
    block = "capabilities: {network: {allow: [a.test]}}"
    text = HEAD + (
        f"artifacts:\n  - {{name: t, version: 1, {block}}}\n"
        f"  - {{name: watcher, version: 0.0.9, runtime: hook, {block}}}\n"
    )
    (found,) = _found(_with(folder, text), "W-SEC-007")
    assert (found.severity, found.line, found.hook) == ("warning", 4, None)
    assert found.message.startswith("tool 't' declares the network target 'a.test', which no ")


def test_open__key_and_driver_missing__are_warnings(folder: Path) -> None:
    """Hooks can be inspected without either."""
    capsule = _with(folder, DRIVEN)
    assert capsule.driver is not None
    assert capsule.driver.component is None
    assert capsule.inference is not None
    assert "api_key" not in capsule.inference
    (driver,) = _found(capsule, "E-RUN-006")
    assert (driver.severity, driver.line) == ("warning", 4)
    assert driver.message == "artifact drive@2.0.0 not found in registry"
    (key,) = _found(capsule, "E-MAN-003")
    assert (key.severity, key.line) == ("warning", 8)
    assert key.message == (
        "murmur.yaml: inference.api_key references ${INSPECTOR_KEY} but the environment variable "
        "is not set"
    )


def test_open__env_file__gives_the_key(folder: Path) -> None:
    """The .env file beside the manifest is read, and an unreadable one is told."""
    (folder / ".env").write_text("INSPECTOR_KEY=from-file\n")
    capsule = _with(folder, DRIVEN)
    assert capsule.inference is not None
    assert capsule.inference["api_key"] == "from-file"
    (folder / ".env").write_bytes(b"\xff")
    assert [str(d.severity) for d in _found(_open(folder), "env-file")] == ["warning"]


def test_open__driver_not_declared__is_a_warning(folder: Path) -> None:
    """The name leads to no entry."""
    text = HEAD + "inference: {endpoint: 'https://m', model: m, driver: {artifact: gone}}\n"
    (found,) = _with(folder, text).diagnostics
    assert (found.code, found.line) == ("E-RUN-006", 3)
    assert "'gone' is not declared" in found.message


def test_open__other_artifacts__are_warned_about_when_missing(folder: Path) -> None:
    """A tool that is not installed stops the launch, not the inspection."""
    text = (
        HEAD + "artifacts:\n  - {name: t, version: 1}\n  - {name: s, runtime: skill, source: x}\n"
    )
    (found,) = _with(folder, text).diagnostics
    assert (found.severity, found.code, found.hook) == ("warning", "E-REG-001", None)
    assert found.message == "artifact t@1 not found in registry"
    install(folder / ".murmur" / "artifacts", packed(), "t", "1")
    assert _open(folder).diagnostics == ()


def test_open__version_beside_source__is_warned_about(folder: Path) -> None:
    """The runtime ignores it."""
    text = HEAD + "artifacts: [{name: s, version: 3, runtime: skill, source: x}]\n"
    (found,) = _with(folder, text).diagnostics
    assert found.message.startswith("artifact 's' declares both 'source:' and 'version: 3'")


def test_open__two_entries_of_one_name__are_warned_about(folder: Path) -> None:
    """Both are hooks of the capsule."""
    entry = "  - {name: watcher, version: 0.0.9, runtime: hook}\n"
    hook_at(folder / "hooks" / "watcher")
    capsule = _with(folder, BARE + entry)
    assert len(capsule.hooks) == 2
    assert [d.line for d in _found(capsule, "same-name")] == [5]


PROMPTED = HEAD + (
    "inference: {transport: process, command: x, compaction: {system_prompt_file: FILE}}\n"
)


def test_open__compaction_prompt_file__is_read_below_the_capsule(folder: Path) -> None:
    """A file elsewhere is never shown to a hook."""
    (folder / "prompt.txt").write_text("sum up")
    assert _with(folder, PROMPTED.replace("FILE", "prompt.txt")).system_prompt == "sum up"
    (folder.parent / "secret.txt").write_text("secret")
    outside = ["../secret.txt", str(folder.parent / "secret.txt"), "gone.txt", '"a\\0b"']
    if os.name != "nt":
        (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
        outside.append("link.txt")
    for written in outside:
        capsule = _with(folder, PROMPTED.replace("FILE", written))
        assert capsule.system_prompt is None
        assert [str(d.severity) for d in _found(capsule, "E-RUN-009")] == ["warning"]


def test_open__hooks_of_an_old_runtime__get_no_grants(folder: Path) -> None:
    """A runtime that does not read grants does not refuse them either."""
    text = BARE.replace("runtime: hook", "runtime: hook, capabilities: {filesystem: {scope: /}}")
    hook_at(folder / "hooks" / "watcher")
    capsule = _open(capsule_at(folder, text), "0.1")
    assert capsule.hooks[0].refusal is None
    assert [d.code for d in capsule.diagnostics if d.line] == ["ignored-by-profile"]
