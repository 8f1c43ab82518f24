"""A process that ends with open instances ends quietly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]

HEAD = """
import sys, threading
from tests.helpers.hook_instance import fire, running
from tests.helpers.wat import Error, Print, Spin, hook, token_count
TOKENS = "murmur:runtime/tokens@0.3.0"
def start(*steps):
    context = running(hook({"on-shell": list(steps)}), host={TOKENS: {"count": len}})
    instance = context.__enter__()
    KEPT.append((context, instance))
    return instance
KEPT = []
"""

ENDINGS = {
    "open instance": 'fire(start(Print("x"), Error(token_count("abc"))), "on-shell")',
    "open instance in a global cycle": """
instance = start(Print("x"))
instance.me = instance
fire(instance, "on-shell")
""",
    "exception": 'start(Print("x")); raise SystemExit(0)',
    "guest that spins on a daemon thread": """
instance = start(Spin())
thread = threading.Thread(target=fire, args=(instance, "on-shell"), daemon=True)
thread.start()
while instance._engine._remaining is None:
    pass
""",
    "guest that prints on a daemon thread": """
instance = start(*[Print("x" * 60_000)] * 100, Spin())
threading.Thread(target=fire, args=(instance, "on-shell"), daemon=True).start()
while not instance._parts.capture._streams["stdout"]._kept:
    pass
""",
    "host function that never returns": """
called = threading.Event()
def wait(text):
    called.set()
    threading.Event().wait()
context = running(hook({"on-shell": Error(token_count("a"))}), host={TOKENS: {"count": wait}})
instance = context.__enter__()
KEPT.append(context)
threading.Thread(target=fire, args=(instance, "on-shell"), daemon=True).start()
called.wait()
""",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_exit__with_open_instances__is_clean(ending: str, tmp_path: Path) -> None:
    """No abort and exit code 0; the only message is about a hook that cannot be closed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", HEAD + ENDINGS[ending] + "\nprint('end')"],
        cwd=ROOT,
        env={**os.environ, "CAPSULE_INSPECTOR_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if ending == "host function that never returns":
        assert done.stderr == "hook h is stuck in a host call; it is left open\n"
    else:
        assert done.stderr == ""
