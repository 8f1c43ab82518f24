"""The pipes that output comes through: what a guest meets, and what is left of them."""

import contextlib
import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import wasmtime

from inspector.contract.record import Failure
from inspector.manifest.grant import Limits
from inspector.runtime import capi, stdio_pipe
from inspector.runtime.component import compile_hook
from inspector.runtime.engine import HookEngine
from inspector.runtime.instance import HookInstance, InstantiationError, instantiate
from inspector.runtime.wasi import KEPT_BYTES, Captured, StdioCapture, WasiSettings, wasi_config
from tests.helpers.hook_instance import PROFILE_OF, fire, running
from tests.helpers.stream_guest import StreamGuest
from tests.helpers.wat import Double, Field, Print, Spin, hook

pytestmark = pytest.mark.skipif(not stdio_pipe.AVAILABLE, reason="no named pipes on this system")

LINUX_DESCRIPTORS = Path("/proc/self/fd")
on_linux = pytest.mark.skipif(not LINUX_DESCRIPTORS.is_dir(), reason="/proc is Linux's")

RUNTIME_PERMIT = 65536
"""Bytes of one write that wasmtime permits on an inherited stdout."""

CALLBACK_PERMIT = 8192


@contextlib.contextmanager
def streams() -> Iterator[tuple[StreamGuest, StdioCapture]]:
    """A guest with a capture of ours."""
    capture = StdioCapture()
    guest = StreamGuest(wasi_config(WasiSettings(), capture))
    try:
        yield guest, capture
    finally:
        capture.close()
        guest.store.close()


@contextlib.contextmanager
def instances(double: Double) -> Iterator[Callable[[], HookInstance]]:
    """Makes instances of a hook that is compiled once; the caller closes them."""
    judge = PROFILE_OF[double.version]
    engine = HookEngine(Limits(), 600)
    compiled = compile_hook(engine, double.component())

    def make() -> HookInstance:
        return instantiate(
            compiled,
            judge.contract,
            judge,
            "h",
            "1.0.0",
            Limits(),
            30,
            WasiSettings(),
            lambda _linker, _store: None,
            "session",
        )

    try:
        yield make
    finally:
        compiled.close()
        engine.close()


def open_descriptors() -> dict[int, str]:
    """What is open now, by number."""
    found = {}
    for link in LINUX_DESCRIPTORS.iterdir():
        # The one that lists the folder is gone already.
        with contextlib.suppress(OSError):
            found[int(link.name)] = str(link.readlink())
    return found


def open_pipes() -> list[str]:
    """Ends of pipes of ours that are open now."""
    return [each for each in open_descriptors().values() if "capsule-inspector-" in each]


def drain_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "stdio"]


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for the thread of the pipes; the test's own timeout ends a wait in vain."""
    while not condition():
        time.sleep(0.001)


@pytest.fixture(autouse=True)
def pipe_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pipes are made in these tests, and nothing else is."""
    folder = tmp_path / "pipes"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_pipes_before() -> None:
    """Stores that other tests dropped are gone."""
    gc.collect()
    wait_until(lambda: len(stdio_pipe._DRAINER) == 0)


class TestStream:
    """The stream that a guest meets is the one of a runtime."""

    @pytest.mark.parametrize("is_error", [False, True])
    def test_permit__of_one_write__is_that_of_an_inherited_stream(self, is_error: bool) -> None:
        """What wasmtime says to a guest of a runtime, it says here."""
        config = wasmtime.WasiConfig()
        config.inherit_stdout()
        config.inherit_stderr()
        inherited = StreamGuest(config)
        with streams() as (guest, _):
            assert inherited.permit(is_error=is_error) == RUNTIME_PERMIT
            assert guest.permit(is_error=is_error) == RUNTIME_PERMIT
        inherited.store.close()

    def test_permit__of_a_callback__is_smaller(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """When this fails, the pipes and the note on Windows may go."""
        monkeypatch.setattr(stdio_pipe, "AVAILABLE", False)
        with streams() as (guest, _):
            assert guest.permit() == CALLBACK_PERMIT

    def test_write__beyond_the_permit__traps_in_a_runtime_and_passes_here(self) -> None:
        """The one difference that a file leaves; docs/decisions.md says so."""
        config = wasmtime.WasiConfig()
        config.inherit_stdout()
        inherited = StreamGuest(config)
        with pytest.raises(wasmtime.WasmtimeError, match="write exceeded budget"):
            inherited.write(RUNTIME_PERMIT + 1)
        inherited.store.close()
        with streams() as (guest, capture):
            assert guest.write(RUNTIME_PERMIT + 1) is True
            assert len(capture.take().stdout) == RUNTIME_PERMIT + 1

    @pytest.mark.parametrize("size", [1, 60_000, RUNTIME_PERMIT])
    def test_write__in_one_go__has_arrived_when_it_returns(self, size: int) -> None:
        """Both streams, many times: no byte comes later than its call."""
        with streams() as (guest, capture):
            for number in range(100):
                is_error = number % 2 == 1
                assert guest.write(size, is_error=is_error) is True
                text = "\0" * size
                assert capture.take() == (Captured(stderr=text) if is_error else Captured(text))

    def test_read_end__closed_under_a_running_guest__is_the_guests_error(self) -> None:
        """The write fails; nothing ends the process."""
        with streams() as (guest, capture):
            assert guest.write(10) is True
            assert capture.take() == Captured("\0" * 10)
            capture.close()
            assert guest.write(10) is False
            assert capture.take() == Captured()


class TestAttribution:
    @pytest.mark.parametrize("chunk_bytes", [1000, RUNTIME_PERMIT])
    def test_output__of_every_size__belongs_to_its_call(
        self, chunk_bytes: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Below, at and above what a pipe holds, read in one go or in many."""
        monkeypatch.setattr(stdio_pipe, "_CHUNK_BYTES", chunk_bytes)
        sizes = [0, 1, 4095, 4096, 65535, 65536, 65537, 200_000]
        with running(hook({"on-shell": Print(Field("command"))})) as instance:
            for number in range(160):
                text = chr(ord("a") + number % 26) * sizes[number % len(sizes)]
                result = fire(instance, "on-shell", command=text)
                assert (result.stdout, result.stderr, result.cut_bytes) == (text, "", 0)

    def test_output__of_hooks_on_four_threads__stays_apart(self) -> None:
        """One thread empties the pipes of all."""
        results: dict[str, set[str]] = {}

        def run(letter: str, instance: HookInstance) -> None:
            text = letter * 150_000
            calls = [fire(instance, "on-shell", command=text) for _ in range(30)]
            results[letter] = {call.stdout for call in calls}

        with contextlib.ExitStack() as stack:
            double = hook({"on-shell": Print(Field("command"))})
            threads = [
                threading.Thread(target=run, args=(letter, stack.enter_context(running(double))))
                for letter in "abcd"
            ]
            before = drain_threads()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert drain_threads() == before
            assert before
        assert results == {letter: {letter * 150_000} for letter in "abcd"}

    def test_output__before_a_trap__is_kept(self) -> None:
        """A call that was interrupted shows what it printed."""
        double = hook({"on-shell": [Print("y" * 100_000), Spin()]})
        with running(double, ticks=1) as instance:
            result = fire(instance, "on-shell")
        assert result.failure is Failure.DEADLINE
        assert result.stdout == "y" * 100_000


class TestLeftovers:
    @on_linux
    def test_500_instances__closed__leave_nothing(self, pipe_folder: Path) -> None:
        """No descriptor, no folder, no thread."""
        with instances(hook({"on-shell": Print("x")})) as make:

            def run() -> None:
                instance = make()
                assert fire(instance, "on-shell").stdout == "x"
                instance.close()

            # wasmtime opens descriptors of its own at the first call.
            run()
            before, threads = len(open_descriptors()), drain_threads()
            for _ in range(500):
                run()
            assert len(open_descriptors()) == before
        assert not any(pipe_folder.iterdir())
        assert len(stdio_pipe._DRAINER) == 0
        assert drain_threads() == threads

    @on_linux
    def test_instances__open__have_four_descriptors_and_no_names(self, pipe_folder: Path) -> None:
        """Two pipes with two ends."""
        with instances(hook({"on-shell": Print("x")})) as make:
            opened = [make() for _ in range(5)]
            assert len(open_pipes()) == 20
            assert all(each.endswith(" (deleted)") for each in open_pipes())
            assert not any(pipe_folder.iterdir())
            for instance in opened:
                instance.close()
        assert open_pipes() == []

    @on_linux
    def test_store__dropped_without_a_close__takes_its_read_ends_along(self) -> None:
        """The thread sees the end of the pipe; until then nothing breaks for the guest."""
        capture = StdioCapture()
        guest = StreamGuest(wasi_config(WasiSettings(), capture))
        del capture
        gc.collect()
        for _ in range(30):
            assert guest.write(RUNTIME_PERMIT) is True
        guest.store.close()
        wait_until(lambda: len(stdio_pipe._DRAINER) == 0)
        wait_until(lambda: open_pipes() == [])

    @on_linux
    def test_configuration__without_a_store__leaves_nothing(self) -> None:
        """A folder that cannot be opened is found after the pipes were made."""
        settings = WasiSettings(preopens=(("/no/such/folder", "."),))
        capture = StdioCapture()
        with pytest.raises(Exception, match="No such file"):
            wasi_config(settings, capture)
        gc.collect()
        capture.close()
        assert open_pipes() == []

    @on_linux
    def test_process__started_while_a_hook_is_open__inherits_no_end(self) -> None:
        """A child would keep a pipe from ending."""
        script = "import os\nfor d in os.listdir('/proc/self/fd'):\n"
        script += "    try: print(os.readlink(f'/proc/self/fd/{d}'))\n    except OSError: pass"

        def inherited() -> bytes:
            return subprocess.run(
                [sys.executable, "-c", script], close_fds=False, capture_output=True, check=True
            ).stdout

        with running(hook({"on-shell": Print("x")})) as instance:
            fire(instance, "on-shell")
            assert len(open_pipes()) == 4
            listed = inherited()
            pipes = instance._parts.capture._pipes
            assert pipes is not None
            os.set_inheritable(min(pipes._writers), True)
            assert inherited().count(b"capsule-inspector-") == 1
        assert b"capsule-inspector-" not in listed
        assert b"eventpoll" not in listed

    @on_linux
    def test_thread__while_nothing_is_printed__sleeps(self) -> None:
        """It is not woken once, neither by calls nor by a clock."""
        double = hook({"on-tool-call": Print("x")}, others="none")
        with running(double) as instance:
            fire(instance, "on-tool-call")
            tasks = [Path(f"/proc/self/task/{each.native_id}") for each in drain_threads()]
            assert tasks

            def switches() -> list[str]:
                lines = [
                    line for each in tasks for line in (each / "status").read_text().splitlines()
                ]
                return [line for line in lines if "ctxt" in line]

            def settled() -> bool:
                before = switches()
                time.sleep(0.1)
                return switches() == before

            wait_until(settled)
            before = switches()
            for _ in range(100):
                fire(instance, "on-shell")
            time.sleep(0.3)
            assert switches() == before


class TestClosing:
    def test_close__while_the_guest_prints__ends_the_call(self) -> None:
        """The caller gets a result, and the read ends are closed once."""
        double = hook({"on-shell": [*[Print(Field("command"))] * 300, Spin()]})
        results = []
        with running(double) as instance:
            text = "z" * 60_000
            thread = threading.Thread(
                target=lambda: results.append(fire(instance, "on-shell", command=text))
            )
            thread.start()
            streams = instance._parts.capture._streams
            wait_until(lambda: bool(streams["stdout"]._kept))
            instance.close()
            thread.join()
            instance.close()
        assert results[0].failure is Failure.INTERRUPTED
        assert results[0].stdout
        assert set(results[0].stdout) == {"z"}

    def test_close__with_output_left_in_the_pipe__is_quiet(self) -> None:
        """What nobody took is lost with the store."""
        with streams() as (guest, capture):
            guest.write(1000)
            capture.close()
            capture.close()

    def test_two_busy_guests__and_a_third__all_get_on(self) -> None:
        """Each pipe is read a little in turn."""
        done = {}
        loud = hook({"on-shell": [Print(Field("command"))] * 200})

        def run(name: str, instance: HookInstance, text: str) -> None:
            done[name] = fire(instance, "on-shell", command=text)

        with running(loud) as one, running(loud) as two, running(loud) as three:
            threads = [
                threading.Thread(target=run, args=("one", one, "1" * 60_000)),
                threading.Thread(target=run, args=("two", two, "2" * 60_000)),
                threading.Thread(target=run, args=("three", three, "3")),
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert done["three"].stdout == "3" * 200
        for name in ("one", "two"):
            assert len(done[name].stdout) == KEPT_BYTES
            assert done[name].cut_bytes == 200 * 60_000 - KEPT_BYTES


class TestFailures:
    """What cannot be had is one sentence, and leaves nothing."""

    @pytest.fixture
    def make(self) -> Iterator[Callable[[], HookInstance]]:
        with instances(hook({"on-shell": Print("x")})) as make:
            # The thread and its selector are there.
            make().close()
            yield make

    def refusal(self, make: Callable[[], HookInstance]) -> str:
        """The text of a refused instance; nothing of it is left open."""
        before = open_pipes() if LINUX_DESCRIPTORS.is_dir() else []
        with pytest.raises(InstantiationError) as caught:
            make()
        text = caught.value.text
        assert not caught.value.prefixed
        del caught
        gc.collect()
        assert (open_pipes() if LINUX_DESCRIPTORS.is_dir() else []) == before
        return text

    def test_folder__cannot_be_made__is_told(
        self, make: Callable[[], HookInstance], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """Neither in the session's folder for pipes nor in the temporary one."""
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nothing"))
        assert self.refusal(make) == (
            "failed to initialize WASI for stdout and stderr: "
            "No such file or directory (os error 2)"
        )

    @pytest.mark.parametrize("value", [None, "", "missing"])
    def test_folder__for_pipes_is_no_folder__the_temporary_one_is_taken(
        self,
        value: str | None,
        make: Callable[[], HookInstance],
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        """XDG_RUNTIME_DIR is often unset, and after `su` it is somebody else's."""
        seen = []
        real = os.mkfifo

        def watched(path: Path, mode: int) -> None:
            seen.append(path)
            real(path, mode)

        monkeypatch.setattr(os, "mkfifo", watched)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        if value is None:
            monkeypatch.delenv("XDG_RUNTIME_DIR")
        else:
            monkeypatch.setenv("XDG_RUNTIME_DIR", value and str(tmp_path / value))
        make().close()
        assert [path.parent.parent for path in seen] == [tmp_path] * 2
        assert [path.name for path in seen] == ["stdout", "stderr"]

    def test_folder__without_named_pipes__is_told_and_removed(
        self,
        make: Callable[[], HookInstance],
        monkeypatch: pytest.MonkeyPatch,
        pipe_folder: Path,
    ) -> None:
        """Some file systems have none."""

        def refuse(path: Path, mode: int) -> None:
            raise PermissionError(1, "Operation not permitted", path)

        monkeypatch.setattr(os, "mkfifo", refuse)
        assert self.refusal(make).endswith("Operation not permitted (os error 1)")
        assert not any(pipe_folder.iterdir())

    @pytest.mark.parametrize("stream", ["stdout", "stderr"])
    def test_pipe__not_opened_by_wasmtime__is_told_and_removed(
        self,
        stream: str,
        make: Callable[[], HookInstance],
        monkeypatch: pytest.MonkeyPatch,
        pipe_folder: Path,
    ) -> None:
        """It gives no reason; where we find none either, the path is named."""
        real = capi.set_output_file

        def refuse(config: wasmtime.WasiConfig, name: str, path: str) -> bool:
            return name != stream and real(config, name, path)

        monkeypatch.setattr(capi, "set_output_file", refuse)
        assert self.refusal(make).endswith(f"{stream}' cannot be opened")
        assert not any(pipe_folder.iterdir())
        assert len(stdio_pipe._DRAINER) == 0

    def test_thread__cannot_be_started__is_told_and_tried_again(
        self, make: Callable[[], HookInstance], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A later instance starts it."""

        def refuse(thread: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        with monkeypatch.context() as patch:
            patch.setattr(stdio_pipe, "_DRAINER", stdio_pipe._Drainer())
            with monkeypatch.context() as inner:
                inner.setattr(threading.Thread, "start", refuse)
                assert self.refusal(make).endswith(": can't start new thread")
            instance = make()
            assert fire(instance, "on-shell").stdout == "x"
            instance.close()
            assert len(stdio_pipe._DRAINER) == 0

    @on_linux
    def test_limit__of_open_files_below_the_systems__is_raised(
        self, make: Callable[[], HookInstance]
    ) -> None:
        """Many hooks are no reason to ask the user for more descriptors."""
        resource = pytest.importorskip("resource")
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        low = [number for number in range(1000) if number not in open_descriptors()][20]
        opened = []
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (low, limits[1]))
            opened = [make() for _ in range(12)]
            assert [fire(each, "on-shell").stdout for each in opened] == ["x"] * 12
            assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > low
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            for instance in opened:
                instance.close()

    def test_writer__that_raises__is_logged_and_the_thread_goes_on(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Also when it is the user's Ctrl-C; the guest never waits for what nobody reads."""
        caplog.set_level("ERROR", "inspector")
        taken: list[bytes] = []

        def odd(chunk: bytes) -> None:
            taken.append(chunk)
            if len(taken) == 1:
                raise KeyboardInterrupt

        config = wasmtime.WasiConfig()
        pipes = stdio_pipe.connect(config, {"stdout": odd, "stderr": odd})
        guest = StreamGuest(config)
        guest.write(10)
        wait_until(lambda: bool(taken))
        guest.write(20)
        wait_until(lambda: len(taken) == 2)
        wait_until(lambda: "a hook's output" in caplog.text)
        pipes.close()
        guest.store.close()
        assert [len(chunk) for chunk in taken] == [10, 20]

    def test_descriptor__that_cannot_be_read__ends_its_pipe_alone(
        self,
        make: Callable[[], HookInstance],
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """It is logged once instead of for ever, and other hooks are served."""
        caplog.set_level("ERROR", "inspector")
        config = wasmtime.WasiConfig()
        taken: list[bytes] = []
        pipes = stdio_pipe.connect(config, {"stdout": taken.append, "stderr": taken.append})
        broken = min(pipes._writers)
        real = os.read

        def read(descriptor: int, size: int) -> bytes:
            if descriptor == broken:
                raise OSError(5, "Input/output error")
            return real(descriptor, size)

        monkeypatch.setattr(os, "read", read)
        guest = StreamGuest(config)
        guest.write(10)
        wait_until(lambda: len(stdio_pipe._DRAINER) == 1)
        monkeypatch.undo()
        wait_until(lambda: "Input/output error" in caplog.text)
        assert caplog.text.count("Traceback") == 1
        instance = make()
        assert fire(instance, "on-shell").stdout == "x"
        instance.close()
        pipes.close()
        guest.store.close()
