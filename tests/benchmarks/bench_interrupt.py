"""How soon the user's interrupt ends a guest that spins.

Usage: python tests/benchmarks/bench_interrupt.py [ROUNDS]

Starts an engine process with a hook that loops forever and a deadline of ten minutes, and
interrupts each call after 0.3 s. Prints the time from the interrupt to the step's record:
median and longest.
"""

import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inspector.protocol.message import (
    Fire,
    Observe,
    OpenCapsule,
    ResetHook,
    StartSession,
)
from inspector.workbench.client import EngineClient
from tests.helpers.wat import spinning_hook

HEAD = "name: lab\nversion: 0.1.0\ncapabilities: {limits: {deadline_seconds: 600}}\n"
WAIT_S = 0.3


def main() -> int:
    """Run the rounds; the exit code."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    spent_ms = []
    with tempfile.TemporaryDirectory() as folder, EngineClient() as client:
        capsule = Path(folder)
        (capsule / "murmur.yaml").write_text(
            HEAD + "artifacts: [{name: spins, version: 0.1.0, runtime: hook}]\n"
        )
        place = capsule / "hooks" / "spins"
        place.mkdir(parents=True)
        (place / "murmur.yaml").write_text("name: spins\nversion: 0.1.0\nruntime: hook\n")
        (place / "hook.wasm").write_bytes(spinning_hook("on-shell", others="none").component())
        client.request(OpenCapsule(str(capsule), "0.3"))
        client.request(StartSession())
        for number in range(rounds):
            spent_ms.append(_round(client, number))
            client.request(Fire(number, ResetHook("spins")))
    print(f"{rounds} interrupts: median {statistics.median(spent_ms):.1f} ms, ", end="")
    print(f"longest {max(spent_ms):.1f} ms")
    return 0


def _round(client: EngineClient, number: int) -> float:
    """Interrupt one call; milliseconds from the interrupt to the record."""
    asked = [0.0]

    def stop() -> None:
        time.sleep(WAIT_S)
        asked[0] = time.perf_counter()
        client.interrupt()

    thread = threading.Thread(target=stop)
    thread.start()
    client.request(Fire(number, Observe("on-shell")))
    spent = (time.perf_counter() - asked[0]) * 1000
    thread.join()
    return spent


if __name__ == "__main__":
    sys.exit(main())
