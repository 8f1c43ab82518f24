"""Whether memory stays where it is over a million calls.

Run it as `python -m tests.benchmarks.soak_call [CALLS]`. The hook answers with text,
messages, errors, output and a host call in turn; the resident size is printed after
10,000 calls and at the end.
"""

import sys
import time
from pathlib import Path

from inspector.contract import contract, value
from tests.helpers.hook_instance import running
from tests.helpers.wat import Answer, Error, Field, Print, hook, token_count

WARM_UP = 10_000

TOKENS = "murmur:runtime/tokens@0.3.0"

DOUBLE = hook(
    {
        "on-inference": Answer("artifact", Field("decision")),
        "on-compaction": Answer(
            "replace-context", [{"role": "user", "content": "kept", "id": "msg_1"}] * 20
        ),
        "on-shell": [Print("a line\n"), Error(Field("command"))],
        "on-tool-call": Error(token_count(Field("input"))),
    }
)


def resident_kib() -> int:
    """The resident size of this process in KiB, from Linux's own count."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def main() -> None:
    """Call, and print the two sizes."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    found = contract.load("0.8.0")
    message = {"role": "user", "content": "hello " * 20}
    events = {
        "on-inference": {"decision": "end_turn", "prompt": "p" * 200},
        "on-compaction": {"messages": [message] * 20},
        "on-shell": {"command": "ls", "argv": ["ls", "-l"]},
        "on-tool-call": {"input": "x" * 100},
    }
    fields = [(e, value.complete(found.record(e), given)) for e, given in events.items()]
    with running(DOUBLE, host={TOKENS: {"count": len}}) as instance:
        started = time.monotonic()
        for number in range(calls):
            event, record = fields[number % len(fields)]
            result = instance.call(event, record)
            assert result.text or result.answer, result
            if number + 1 == WARM_UP:
                print(f"after {WARM_UP} calls: {resident_kib()} KiB", flush=True)
        spent = time.monotonic() - started
        print(f"after {calls} calls: {resident_kib()} KiB; {spent / calls * 1e6:.1f} us a call")


if __name__ == "__main__":
    main()
