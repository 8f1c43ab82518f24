"""Feeds the readers of manifests and archives damaged and hostile input for a while.

Run `python tests/benchmarks/fuzz_readers.py [--seconds N] [--seed N]`. Each input must
give a value or one of the readers' own errors, quickly. The first one that does not is
written to a file and ends the run with exit code 1.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inspector.capsule import lock_file
from inspector.capsule.archive import ArchiveError, read_packed
from inspector.capsule.component_file import problem_of
from inspector.capsule.opening import open_capsule
from inspector.contract.profile import profile
from inspector.errors import InspectorError
from inspector.manifest import capsule_manifest, granting, hook_manifest, network
from inspector.manifest.hook_manifest import HookConfigError
from inspector.manifest.schema import Located
from tests.helpers.capsule_files import COMPONENT, HOOK_MANIFEST, packed

SLOW_S = 5.0
"""No input of this size may take longer."""
CURRENT = profile("0.3")
MANIFEST = """\
name: ledger-demo
version: 0.3.1
artifacts:
  - name: audit-trail
    version: 1.0.0
    runtime: hook
    on_overflow: block
    capabilities: &caps
      network: {allow: ["https://collect.test", "metrics.test:8443"]}
      filesystem: {scope: audit/out}
      state: {store: audit-shared}
    config: {level: 2, tags: [a, 1.5e3, ~, 0x10], nested: {1: x, true: [*caps]}}
capabilities: {limits: {deadline_seconds: 4}, shell: {allow: [git]}}
inference: {endpoint: "https://m", model: m, driver: {artifact: d, config: {a: 1}}}
context: {max_tokens: 1000, record: on, seed_budget: 0.1}
observability: {eval: {dataset_id: d, scorers: [{type: exit_ok}]}}
"""
TOKENS = (
    "-", ":", "?", "[", "]", "{", "}", ",", "&a", "*a", "!!int", "!t", "|", ">", "'", '"', "#",
    "~", "null", "true", "0x", ".nan", "<<", "---", "...", "%YAML 1.1", "\n", "\n  ", " ", "\t",
    "\0", "\x07", "\ufeff", "\u2028", "\U0001f600", "../", "/", "\\0", "://", "[::1", "9" * 30,
)  # fmt: skip


def damaged_text(rng: random.Random, text: str) -> str:
    """A text with a few tokens put in, characters taken out or parts moved."""
    for _ in range(rng.randint(1, 6)):
        at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        change = rng.randrange(4)
        if change == 0:
            text = text[:at] + rng.choice(TOKENS) * rng.choice((1, 1, 1, 200)) + text[at:]
        elif change == 1:
            text = text[:at] + text[min(end, at + 9) :]
        elif change == 2:
            text = text[:at] + text[at:end] * 2 + text[end:]
        else:
            text = text[:at] + chr(rng.randrange(0xD7FF)) + text[at:]
    return text[:200_000]


def damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    """Bytes with a few of them changed, taken out or repeated."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(out)) if out else 0
        change = rng.randrange(4)
        if change == 0 and out:
            out[at] = rng.randrange(256)
        elif change == 1:
            del out[at : at + rng.randrange(20)]
        elif change == 2:
            out[at:at] = out[at : at + rng.randrange(60)]
        elif out:
            out[at : at + 4] = rng.choice((b"\xff" * 4, b"\0" * 4, b"PK\x05\x06", b"PK\x06\x07"))
    return bytes(out)


def try_manifest(data: bytes) -> None:
    """A capsule manifest and the grants of its hooks."""
    try:
        manifest = capsule_manifest.read(data.decode("utf-8"), "f")
    except InspectorError:
        return
    granting.capsule_faults(manifest)
    for entry in manifest.entries:
        granting.derive(entry, manifest.name, CURRENT)


def try_hook_manifest(data: bytes) -> None:
    """A hook's own manifest."""
    text = data.decode("utf-8")
    hook_manifest.identity(text)
    try:
        hook_manifest.read(text, CURRENT)
    except HookConfigError:
        return


def try_entry(data: bytes) -> None:
    """A network entry."""
    network.rule(Located(data.decode("utf-8"), 1, 1))


def try_archive(data: bytes) -> None:
    """A packed hook."""
    try:
        problem_of(read_packed(data).component, "a.wasm")
    except ArchiveError:
        return


def opener(folder: Path) -> Callable[[bytes], None]:
    """Whole capsules on disk: the input is the manifest, the lock and an archive in turn."""
    targets = ("murmur.yaml", "murmur.lock", "hooks/h/murmur.yaml", "hooks/h/h.wasm", "x.mur.zip")
    for name in targets:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("name: h\nversion: 1\nartifacts: [{name: h, version: 1}]\n")
    turn = 0

    def try_opening(data: bytes) -> None:
        nonlocal turn
        turn += 1
        (folder / targets[turn % len(targets)]).write_bytes(data)
        lock_file.read(folder)
        for path in (folder, folder / "hooks" / "h", folder / "x.mur.zip"):
            try:
                open_capsule(str(path), profile=CURRENT, home=folder / "home")
            except InspectorError:
                continue

    return try_opening


def inputs(
    rng: random.Random, folder: Path
) -> list[tuple[Callable[[], bytes], Callable[..., None]]]:
    """Pairs of a maker of input and the reader that gets it."""
    archive = packed()
    lock = "lock_version: 1\nartifacts: [{name: h, resolved_version: 1, sha256: {wasm: a}}]\n"
    hook = HOOK_MANIFEST + "binding: on-shell\nexecution_mode: async\ncommit_policy: deny\n"
    opening = opener(folder)

    def text(source: str) -> Callable[[], bytes]:
        return lambda: damaged_text(rng, source).encode()

    return [
        (text(MANIFEST), try_manifest),
        (text(MANIFEST), opening),
        (text(lock), opening),
        (text(hook), try_hook_manifest),
        (text("https://user@api.test:8443/v1?q#f"), try_entry),
        (text("xn--fa-hia.de:443"), try_entry),
        (lambda: damaged_bytes(rng, archive), try_archive),
        (lambda: damaged_bytes(rng, archive), opening),
        (lambda: damaged_bytes(rng, COMPONENT * 3), opening),
    ]


def main() -> int:
    """Run for a while.

    Returns:
        0 when every input was read or refused in time, else 1.
    """
    parser = argparse.ArgumentParser(description="Fuzz the readers of capsules.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    rng = random.Random(seed)
    print(f"seed {seed}")
    count, slowest_s = 0, 0.0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        pairs = inputs(rng, Path(name))
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            make, reader = pairs[count % len(pairs)]
            data = make()
            took_s = _timed(reader, data)
            count, slowest_s = count + 1, max(slowest_s, took_s)
            if took_s > SLOW_S:
                return _report(data, f"took {took_s:.1f} s")
    print(f"{count} inputs, slowest {slowest_s * 1000:.0f} ms")
    return 0


def _timed(reader: Callable[[bytes], None], data: bytes) -> float:
    begin = time.perf_counter()
    try:
        reader(data)
    except BaseException:
        _report(data, "raised")
        raise
    return time.perf_counter() - begin


def _report(data: bytes, what: str) -> int:
    with tempfile.NamedTemporaryFile(prefix="fuzz-input-", delete=False) as file:
        file.write(data)
    print(f"an input {what}; it is kept in {file.name}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
