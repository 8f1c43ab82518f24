"""The command line: carries out verbs, prints, and ends with an exit code.

Lives here: the verbs, the main door with its error forms, Ctrl+C. Not here: reading the
command line (workbench.arguments), layouts (workbench.report and the texts beside it),
the engine (worker). `__main__` imports it.
"""

import contextlib
import logging
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any, assert_never

import msgspec

from inspector import logs
from inspector.contract.profile import profile as profile_of
from inspector.errors import ErrorKind, InspectorError
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.protocol.inspection import FORMAT, Inspection
from inspector.protocol.message import CapsuleOpened, OpenCapsule
from inspector.workbench import arguments, sample, scenario, trace_source
from inspector.workbench.client import EngineClient
from inspector.workbench.inspection_text import findings_lines, inspection_lines
from inspector.workbench.junit import JunitReport
from inspector.workbench.qt_pair import require_screen, require_usable_pair
from inspector.workbench.report import JsonlReport, Report, TextReport
from inspector.workbench.scenario_run import RunOptions, ScenarioRun
from inspector.workbench.screenshot import make_plan
from inspector.workbench.self_test import SelfTest
from inspector.workbench.terminal import Terminal, wants_colour
from inspector.workbench.wit_text import wit_lines

EXIT_OK = 0
EXIT_FINDING = 1


def main(line: Sequence[str], *, engine_command: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        line: Arguments without the program's name.
        engine_command: Another engine than our own, for tests.

    Returns:
        The exit code.

    Source: docs/cli.md.
    """
    as_json = arguments.wants_json(line)
    _prepare_streams(as_json)
    try:
        return _run(line, engine_command)
    except BrokenPipeError:
        _abandon_stdout()
        return EXIT_OK
    except InspectorError as error:
        return _report_error(error, as_json)
    except KeyboardInterrupt:
        return _report_error(InspectorError(ErrorKind.INTERRUPTED, "interrupted."), as_json)
    except Exception as error:  # noqa: BLE001 - a door: the command line's
        logs.WORKBENCH.exception("internal error")
        message = f"internal error: {type(error).__name__}: {error}"
        hint = "Please report this together with the command line."
        bug = InspectorError(ErrorKind.INTERNAL, message, hint=hint)
        return _report_error(bug, as_json, traceback.format_exc())


def _run(line: Sequence[str], engine_command: Sequence[str] | None) -> int:
    command = arguments.parse(line)
    code = _Verbs(engine_command).carry_out(command)
    _flush()
    return code


# -- streams and errors ---------------------------------------------------------------


def _prepare_streams(as_json: bool) -> None:
    logs.configure("cli")
    if as_json and not os.environ.get(logs.LEVEL_VARIABLE):
        # stderr carries the error object and nothing else.
        logging.getLogger("inspector").setLevel(logging.CRITICAL + 1)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _write(text: str) -> None:
    """Write to stdout at once.

    Raises:
        BrokenPipeError: when nobody reads any more.
        InspectorError: NOT_WRITABLE when it cannot be written.
    """
    if sys.stdout is None:  # a windowed bundle has no console
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _abandon_stdout()
        message = f"the output cannot be written: {error.strerror or error}."
        raise InspectorError(ErrorKind.NOT_WRITABLE, message) from error


def _flush() -> None:
    _write("")


def _abandon_stdout() -> None:
    """Let what stdout still holds go nowhere, so that the interpreter's end is quiet."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _report_error(error: InspectorError, as_json: bool, trace: str | None = None) -> int:
    if as_json:
        document: dict[str, Any] = {
            "error": error.kind.value,
            "message": error.message,
            "hint": error.hint,
            "file": error.file,
            "line": error.line,
            "column": error.column,
        }
        if trace is not None:
            document["traceback"] = trace
        text = msgspec.json.encode(document).decode()
    else:
        text = f"{arguments.PROGRAM}: {error.sentence()}"
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
    return error.exit_code


# -- verbs ----------------------------------------------------------------------------


class _Verbs:
    """Carries out commands."""

    def __init__(self, engine_command: Sequence[str] | None) -> None:
        self._engine_command = engine_command

    def carry_out(self, command: arguments.Command) -> int:
        match command:
            case arguments.Help(text=text):
                _write(text)
                return EXIT_OK
            case arguments.Window():
                return _window(command)
            case arguments.Check():
                return self._check(command)
            case arguments.Inspect():
                return self._inspect(command)
            case arguments.Run():
                return self._run(command)
            case arguments.Replay():
                return self._replay(command)
            case arguments.Screenshot():
                return _screenshot(command)
            case arguments.SelfTest():
                return self._self_test()
        assert_never(command)

    def _client(self, record: str | None = None) -> EngineClient:
        return EngineClient(self._engine_command, record=record)

    # -- check and inspect --------------------------------------------------------------

    def _check(self, command: arguments.Check) -> int:
        found = self._opened(command.capsule, command.profile).diagnostics
        if command.format == "json":
            _write_json({"format": FORMAT, "diagnostics": found})
        else:
            _write_lines(findings_lines(found, _terminal()))
        return _code(found)

    def _inspect(self, command: arguments.Inspect) -> int:
        inspection = self._opened(command.capsule, command.profile)
        if command.hook is not None:
            inspection = _only_hook(inspection, command.hook)
        if command.format == "json":
            _write_json(inspection)
        elif command.format == "wit":
            for number, hook in enumerate(inspection.hooks):
                _write("\n" if number else "")
                _write_lines(wit_lines(hook))
        else:
            _write_lines(inspection_lines(inspection, _terminal()))
        return _code(inspection.diagnostics)

    def _opened(self, capsule: str, profile: str) -> Inspection:
        path = arguments.capsule_path(capsule)
        with self._client() as client, _stoppable(client):
            events = client.request(OpenCapsule(path, profile))
        return next(
            f.body for f in reversed(events) if isinstance(f.body, CapsuleOpened)
        ).inspection

    # -- run and replay -----------------------------------------------------------------

    def _run(self, command: arguments.Run) -> int:
        loaded = scenario.load(sample.scenario_path(command.scenario), command.profile)
        options = RunOptions(command.lenient_imports, command.workdir, command.home)
        report: Report
        match command.format:
            case "jsonl":
                report = JsonlReport(_write)
            case "junit":
                report = JunitReport(_write, command.fail_on)
            case _:
                report = TextReport(_write, _terminal())
        with self._client(command.record) as client:
            run = ScenarioRun(client, loaded, options)
            return _reported(client, run, command.capsule, report, command.fail_on)

    def _replay(self, command: arguments.Replay) -> int:
        trace = trace_source.load(command.trace, profile_of(command.profile))
        report = JsonlReport(_write) if command.format == "jsonl" else None
        extra = {
            "trace": {
                "lines": trace.lines,
                "replayed": len(trace.scenario.steps),
                "left_out": trace.left_out,
                "faults": trace.faults,
                "denied": trace.denied,
            }
        }
        with self._client() as client:
            run = ScenarioRun(client, trace.scenario)
            chosen = report or TextReport(_write, _terminal())
            return _reported(client, run, command.capsule, chosen, (), extra)

    # -- selftest -----------------------------------------------------------------------

    def _self_test(self) -> int:
        terminal = _terminal()
        passed = True
        client = self._client()
        with contextlib.closing(client), _stoppable(client):
            for result in SelfTest(client).results():
                passed = passed and result.passed
                mark, role = ("✓", "positive") if result.passed else ("✕", "negative")
                _write(f"{terminal.paint(mark, role)} {result.name:<20} {result.detail}\n")
        return EXIT_OK if passed else EXIT_FINDING


def _reported(
    client: EngineClient,
    run: ScenarioRun,
    capsule: str,
    report: Report,
    fail_on: Sequence[str],
    extra: Mapping[str, Any] | None = None,
) -> int:
    """Run and report; the summary is written however the run ends."""
    with _stoppable(client, run):
        inspection = run.open(arguments.capsule_path(capsule))
        report.opened(inspection, run.title)
        try:
            run.start()
            for entry in run.entries():
                report.entry(entry)
        except InspectorError as error:
            report.finished(run.summary, {**(extra or {}), "message": error.message})
            raise
    reasons = _reasons(run, inspection, fail_on)
    report.finished(run.summary, {**(extra or {}), "reasons": reasons})
    if run.stopped:
        raise InspectorError(ErrorKind.INTERRUPTED, "interrupted; the steps left did not run.")
    return EXIT_FINDING if reasons else EXIT_OK


def _reasons(run: ScenarioRun, inspection: Inspection, fail_on: Sequence[str]) -> list[str]:
    """Why a run ends with 1, in words: the same in text and JSON; empty when it does not."""
    reasons = []
    if _code(inspection.diagnostics):
        reasons.append("error-diagnostic")
    if run.summary.expectations_failed:
        reasons.append("expectation")
    return [*reasons, *(word for word in fail_on if run.found[word])]


@contextlib.contextmanager
def _stoppable(client: EngineClient, run: ScenarioRun | None = None) -> Iterator[None]:
    """Let the first Ctrl+C stop the running call and the second one everything."""
    presses = 0

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal presses
        presses += 1
        if presses > 1:
            raise KeyboardInterrupt
        if run is not None:
            run.stop()
        client.interrupt()

    try:
        before = signal.signal(signal.SIGINT, handle)
    except ValueError:  # not the main thread: nobody presses keys here
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# -- the window's two verbs -----------------------------------------------------------


def _window(command: arguments.Window) -> int:
    require_screen()
    capsule = None if command.capsule is None else arguments.capsule_path(command.capsule)
    chosen = None if command.scenario is None else sample.scenario_path(command.scenario)
    with _qt_told():
        from inspector.gui import app
    return app.run(capsule, chosen, command.demo)


def _screenshot(command: arguments.Screenshot) -> int:
    loaded = None
    if command.scenario is not None:
        loaded = scenario.load(sample.scenario_path(command.scenario))
    capsule, out = arguments.capsule_path(command.capsule), arguments.absolute(command.out)
    plan = make_plan(capsule, out, command.size, command.theme, loaded)
    with _qt_told():
        from inspector.gui import app
    return app.take_screenshot(plan)


@contextlib.contextmanager
def _qt_told() -> Iterator[None]:
    """Say in one sentence that Qt cannot be used, before or when it is imported."""
    require_usable_pair()
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("inspector"):
            raise
        message = f"the window cannot be opened: PySide6 cannot be loaded: {error}."
        hint = "Install PySide6-Essentials and the system libraries that it names."
        raise InspectorError(ErrorKind.USAGE, message, hint=hint) from error


# -- small parts ----------------------------------------------------------------------


def _terminal() -> Terminal:
    return Terminal(wants_colour(sys.stdout))


def _write_lines(lines: Iterator[str]) -> None:
    for line in lines:
        _write(f"{line}\n")


def _write_json(document: Any) -> None:
    _write(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")


def _code(diagnostics: Sequence[Diagnostic]) -> int:
    has_error = any(found.severity is Severity.ERROR for found in diagnostics)
    return EXIT_FINDING if has_error else EXIT_OK


def _only_hook(inspection: Inspection, name: str) -> Inspection:
    hooks = tuple(hook for hook in inspection.hooks if hook.name == name)
    if not hooks:
        names = ", ".join(hook.name for hook in inspection.hooks) or "none"
        message = f"--hook: the capsule has no hook {name!r}."
        raise InspectorError(ErrorKind.USAGE, message, hint=f"Its hooks: {names}.")
    found = tuple(d for d in inspection.diagnostics if d.hook == name)
    return msgspec.structs.replace(inspection, hooks=hooks, diagnostics=found)
