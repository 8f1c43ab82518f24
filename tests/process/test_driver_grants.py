"""What the capsule's driver may touch, in a real engine process."""

import http.server
import threading
from pathlib import Path

import pytest

from inspector.protocol.message import (
    CapsuleOpened,
    Fire,
    Observe,
    OpenCapsule,
    SessionSettings,
    StartSession,
    StepFinished,
)
from inspector.workbench.client import EngineClient, engine_environment
from tests.helpers.capsule_files import capsule_at, hook_at
from tests.helpers.wat import (
    Answer,
    AppendFile,
    Environment,
    HttpGet,
    Joined,
    JsonText,
    Preopens,
    Return,
    driver,
    hook,
    inference,
)

pytestmark = pytest.mark.process

_CALLS = [{"role": "user", "content": "hi"}]


@pytest.fixture
def port():
    """Where a loopback server answers 204."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running.server_port
        running.shutdown()
        thread.join()


def saying(text, *first):
    """A driver whose completion is a text of its own."""
    head = '{"stop_reason":"end_turn","content":[{"type":"text","text":"'
    data = Joined(head, JsonText(text), '"}]}')
    return driver([*first, Return({"status": "passed", "data": data})])


class Asked:
    """One completion for a hook.

    Attributes:
        said: The completion's text, followed by what the hook itself has to say.
        record: Of the step.
        diagnostics: Of the capsule.
        workdir: The accessible folder.
    """

    def __init__(self, folder: Path, double, *, wide="{}", own="{}", hooks="{}", also="", env=None):
        self.workdir = folder / "work"
        capsule = capsule_at(
            folder / "capsule",
            "name: lab\nversion: 0.1.0\nartifacts:\n"
            f"  - {{name: probe, version: 0.1.0, runtime: hook, capabilities: {hooks}}}\n"
            f"  - {{name: drive, version: 0.1.0, runtime: driver, capabilities: {own}}}\n"
            f"capabilities: {wide}\n"
            "inference: {endpoint: 'http://127.0.0.1:1/', model: m, driver: {artifact: drive}}\n",
        )
        probe = hook({"on-inference": Answer("artifact", Joined(inference(_CALLS), also))})
        for name, role, made in (("probe", "hook", probe), ("drive", "driver", double)):
            own = f"name: {name}\nversion: 0.1.0\nruntime: {role}\n"
            hook_at(capsule / "hooks" / name, own, {"hook.wasm": made.component()})
        with EngineClient(environment={**engine_environment(), **(env or {})}) as client:
            frames = client.request(OpenCapsule(str(capsule), "0.3"))
            opened = [f.body for f in frames if isinstance(f.body, CapsuleOpened)][-1]
            settings = SessionSettings(workdir=str(self.workdir), inference={"driver": True})
            client.request(StartSession(settings))
            frames = client.request(Fire(1, Observe("on-inference")))
            (done,) = [f.body for f in frames if isinstance(f.body, StepFinished)]
        self.record = done.record
        self.diagnostics = opened.inspection.diagnostics
        (artifact,) = done.record.outcome.artifacts
        self.said = artifact.payload

    def warned(self, code):
        return [d.message for d in self.diagnostics if d.code == code]


class TestNetwork:
    """The capsule's ceiling, narrowed by the driver's entry."""

    @staticmethod
    def _asking(port):
        """A driver that asks the same server by two names."""
        urls = (f"http://127.0.0.1:{port}/", f"http://localhost:{port}/")
        return saying(Joined(HttpGet(urls[0]), "|", HttpGet(urls[1])))

    def test_ceiling__allows_what_it_names_and_refuses_the_rest(self, port, tmp_path):
        """An entry without a block of its own has the whole ceiling."""
        wide = f'{{network: {{allow: ["127.0.0.1:{port}"]}}}}'
        asked = Asked(tmp_path, self._asking(port), wide=wide)
        assert asked.said == "204|!15"
        assert [(r.hook, r.allowed, r.rule) for r in asked.record.requests] == [
            ("driver drive", True, f"127.0.0.1:{port}"),
            ("driver drive", False, None),
        ]
        assert asked.warned("W-SEC-007") == []

    def test_own_block__narrows_the_ceiling_and_never_widens_it(self, port, tmp_path):
        """A rule that no rule of the ceiling covers is dropped with a warning."""
        names = f'"127.0.0.1:{port}"'
        wide = f'{{network: {{allow: ["http://127.0.0.1:{port}", "http://localhost:{port}"]}}}}'
        own = f'{{network: {{allow: ["http://127.0.0.1:{port}", {names}, "other.test"]}}}}'
        asked = Asked(tmp_path, self._asking(port), wide=wide, own=own)
        assert asked.said == "204|!15"
        assert [r.rule for r in asked.record.requests] == [f"http://127.0.0.1:{port}", None]
        first, second = asked.warned("W-SEC-007")
        assert first.startswith(f"driver 'drive' declares the network target '127.0.0.1:{port}',")
        assert "'other.test'" in second

    def test_empty_block__leaves_nothing(self, port, tmp_path):
        """A block that allows nothing is a narrowing too."""
        wide = f'{{network: {{allow: ["127.0.0.1:{port}"]}}}}'
        asked = Asked(tmp_path, self._asking(port), wide=wide, own="{network: {allow: []}}")
        assert asked.said == "!15|!15"

    def test_hooks_rules__neither_open_nor_close_anything_for_the_driver(self, port, tmp_path):
        """A hook reaches a model that it could not reach itself, and the other way round."""
        url, granted = f"http://127.0.0.1:{port}/", f'{{network: {{allow: ["127.0.0.1:{port}"]}}}}'
        also = Joined("|", HttpGet(url))
        double = saying(HttpGet(url))
        without = Asked(tmp_path / "a", double, wide=granted, also=also)
        assert without.said == "204|!15"
        within = Asked(tmp_path / "b", double, hooks=granted, also=also)
        assert within.said == "!15|204"


class TestFolderAndEnvironment:
    """What else a driver sees."""

    def test_scope__is_a_folder_below_the_accessible_one(self, tmp_path):
        """Made for the run, as `.`, and the only folder."""
        double = saying(Preopens(), AppendFile("note", "n"))
        asked = Asked(tmp_path, double, own="{filesystem: {scope: notes/driver}}")
        assert asked.said == ".,"
        assert (asked.workdir / "notes" / "driver" / "note").read_text() == "n"

    def test_no_scope__is_the_whole_accessible_folder(self, tmp_path):
        """The capsule-wide scope and the hook's do not matter."""
        double = saying(Preopens(), AppendFile("note", "n"))
        blocks = {"wide": "{filesystem: {scope: w}}", "hooks": "{filesystem: {scope: h}}"}
        asked = Asked(tmp_path, double, **blocks)
        assert asked.said == ".,"
        assert (asked.workdir / "note").read_text() == "n"

    def test_scope_that_cannot_be_made__fails_the_completion(self, tmp_path):
        """In the words of a hook's scope, behind those of a driver that cannot be run."""
        (tmp_path / "work").mkdir()
        (tmp_path / "work" / "notes").write_text("a file")
        asked = Asked(tmp_path, saying("never"), own="{filesystem: {scope: notes/driver}}")
        path = f"{tmp_path}/work/notes/driver"
        assert asked.said.startswith(
            "!inference driver 'drive' failed: failed to build WASI context for tool 'drive': "
            f"failed to initialize WASI for {path}: failed to create granted filesystem scope "
            "'notes/driver': "
        )

    def test_environment__has_the_allowed_names_that_are_set(self, tmp_path):
        """First, in the manifest's order; nothing else of the host."""
        asked = Asked(
            tmp_path,
            saying(Environment()),
            wide="{env: {allow: [LAB_SECOND, LAB_UNSET, LAB_FIRST]}}",
            own="{env: {allow: [LAB_OTHER]}}",
            env={"LAB_FIRST": "1é", "LAB_SECOND": "a=b", "LAB_OTHER": "x"},
        )
        lines = asked.said.splitlines()
        assert lines[:3] == ["LAB_SECOND=a=b", "LAB_FIRST=1é", "MURMUR_INFERENCE_TRANSPORT=http"]
        assert [line for line in lines if "LAB_OTHER" in line or "LAB_UNSET" in line] == []
