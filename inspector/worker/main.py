"""The engine's entry: pipes, threads, and the end.

Lives here: set-up of the process, the reader thread, the request loop. Not here: what
requests do (engine). Only `__main__` imports it.

stdin carries requests, the original stdout carries replies and events. Whatever else
writes to stdout lands on stderr. Closing stdin ends the process.
"""

import os
import queue
import threading

from inspector import logs
from inspector.errors import ErrorKind, InspectorError
from inspector.protocol.frame import FrameError
from inspector.protocol.message import Done, Failed, Interrupt, Reply, RequestFrame, Shutdown
from inspector.worker.engine import Engine
from inspector.worker.wire import FrameWriter, read_requests

EXIT_OK = 0
EXIT_BROKEN = 4
LAST_GRACE_S = 2.0
"""Time between the end of stdin and a hard exit, for calls that do not come back."""


def main() -> int:
    """Run the engine until stdin closes or a Shutdown arrives.

    Returns:
        The exit code.
    """
    logs.configure("engine")
    source, sink = _take_pipes()
    writer = FrameWriter(sink)
    engine = Engine(writer.event)
    requests: queue.SimpleQueue[RequestFrame | None] = queue.SimpleQueue()
    reader = threading.Thread(
        target=_read, args=(source, requests, engine), name="requests", daemon=True
    )
    reader.start()
    try:
        return _serve(requests, engine, writer)
    finally:
        engine.close()


def _take_pipes() -> tuple[int, int]:
    """Keep stdin and stdout for frames; from now on prints go to stderr."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return source, sink


def _read(source: int, requests: "queue.SimpleQueue[RequestFrame | None]", engine: Engine) -> None:
    """Queue requests; an interrupt does not queue behind the call that it is for."""
    try:
        for frame in read_requests(source):
            if isinstance(frame.body, Interrupt):
                engine.interrupt()
            requests.put(frame)
    except FrameError as error:
        logs.WORKER.error("%s", error)
    requests.put(None)
    engine.interrupt()
    # The front is gone: a call that does not come back must not keep the process.
    timer = threading.Timer(LAST_GRACE_S, os._exit, (EXIT_BROKEN,))
    timer.daemon = True
    timer.start()


def _serve(
    requests: "queue.SimpleQueue[RequestFrame | None]", engine: Engine, writer: FrameWriter
) -> int:
    while (frame := requests.get()) is not None and not writer.broken:
        writer.reply(frame.id, _carry_out(engine, frame))
        if isinstance(frame.body, Shutdown):
            return EXIT_OK
    return EXIT_OK


def _carry_out(engine: Engine, frame: RequestFrame) -> Reply:
    try:
        engine.handle(frame.body)
    except InspectorError as error:
        return Failed(error.kind, error.message, error.hint, error.file, error.line, error.column)
    except Exception as error:  # noqa: BLE001 - a door: the worker's request loop
        logs.WORKER.exception("request failed")
        message = f"the engine could not carry out the request: {type(error).__name__}: {error}"
        return Failed(ErrorKind.INTERNAL, message, "Please report this with the engine's log.")
    return Done()
