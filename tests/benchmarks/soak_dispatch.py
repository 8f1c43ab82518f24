"""Dispatch many events to one hook and watch the memory of the process.

Usage: python tests/benchmarks/soak_dispatch.py [DISPATCHES]

Makes a session in this process, as the engine process does, with one blocking and one
async hook, and dispatches on-tool-call with all its fields. Prints the resident set after
the first 10,000 dispatches and at the end, and the time of a dispatch; exits 1 when the
memory has grown by more than 4 MiB in between.
"""

import gc
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.helpers.launch import Staged, launch
from tests.helpers.wat import Answer, answering_hook

WARM_UP = 10_000
ALLOWED_BYTES = 4 * 1024 * 1024
FIELDS = {
    "turn": 1,
    "tool-name": "bash",
    "input-bytes": 2**40,
    "input": '{"command": "ls"}',
    "outcome": {"output-bytes": 12, "duration-ms": 3, "status": "ok"},
}


def resident_bytes() -> int:
    """The resident set of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def main() -> int:
    """Run the soak; the exit code."""
    dispatches = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    double = answering_hook({"on-tool-call": Answer()})
    hooks = (Staged(double, name="blocking"), Staged(double, name="async", is_async=True))
    with tempfile.TemporaryDirectory() as folder, launch(Path(folder), *hooks) as run:
        for _ in range(WARM_UP):
            run.emit("on-tool-call", FIELDS)
        first = resident_bytes()
        begun = time.perf_counter()
        for _ in range(dispatches - WARM_UP):
            run.emit("on-tool-call", FIELDS)
        spent = time.perf_counter() - begun
        last = resident_bytes()
    grown = last - first
    print(f"resident after {WARM_UP:,}: {first / 2**20:.1f} MiB")
    print(f"resident after {dispatches:,}: {last / 2**20:.1f} MiB ({grown / 2**10:+.0f} KiB)")
    print(f"one dispatch to two hooks: {spent / (dispatches - WARM_UP) * 1e6:.1f} µs")
    return 1 if grown > ALLOWED_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
