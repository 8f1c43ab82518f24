"""A process that can open no more files."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.runtime import stdio_pipe

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not stdio_pipe.AVAILABLE, reason="no named pipes on this system"),
]

SCRIPT = """
import json, os, resource, sys
from inspector.manifest.grant import Limits
from inspector.runtime.component import compile_hook
from inspector.runtime.engine import HookEngine
from inspector.runtime.instance import InstantiationError, instantiate
from inspector.runtime.wasi import WasiSettings
from tests.helpers.hook_instance import PROFILE_OF, fire
from tests.helpers.wat import Print, hook

double = hook({"on-shell": Print("x" * 100_000)})
judge = PROFILE_OF[double.version]
engine = HookEngine(Limits(), 600)
compiled = compile_hook(engine, double.component())

def make():
    return instantiate(
        compiled, judge.contract, judge, "h", "1.0.0", Limits(), 30, WasiSettings(),
        lambda linker, store: None, "session",
    )

limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
held, texts, refused, made = [], [], 0, []
while True:
    try:
        held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        break
while not made:
    # Once with 0 free descriptors, then with 1, 2, ... until one instance can be made.
    try:
        made.append(make())
    except InstantiationError as error:
        texts.append(error.text)
        os.close(held.pop())
# Now as many as there can be, before the first call of any.
while True:
    try:
        made.append(make())
    except InstantiationError as error:
        texts.append(error.text)
        if not held:
            break
        os.close(held.pop())
outputs = [len(fire(each, "on-shell").stdout) for each in made]
for each in made:
    each.close()
made = [make()]
outputs.append(len(fire(made[0], "on-shell").stdout))
made[0].close()
compiled.close()
engine.close()
print(json.dumps({"texts": sorted(set(texts)), "outputs": outputs}))
"""


@pytest.mark.parametrize("limit", [100, 101, 102, 103])
def test_instantiate__no_more_files__is_one_sentence_and_later_it_works(
    limit: int, tmp_path: Path
) -> None:
    """With any number of free descriptors; wasmtime opens its own at the first call."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, str(limit)],
        cwd=ROOT,
        env={**os.environ, "CAPSULE_INSPECTOR_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    found = json.loads(done.stdout)
    assert found["texts"] == [
        "failed to initialize WASI for stdout and stderr: Too many open files (os error 24); "
        "close other sessions, or allow more open files (ulimit -n)"
    ]
    assert len(found["outputs"]) > 10
    assert set(found["outputs"]) == {100_000}
