"""One wasmtime engine per hook: configuration, deadlines, interruption.

Lives here: `HookEngine` and the one ticker thread of the process. Not here: stores
(instance), memories (memory). Rooms above reach it through instance.

The epoch of an engine moves only to end a running call. The ticker counts 100 ms ticks
of the armed deadline and moves the epoch once when it is over; a denial and the user's
interrupt do the same at once. So no length of deadline makes an interrupt slow.
"""

import json
import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from wasmtime import Config, Engine, Store, WasmtimeError

from inspector import logs, paths
from inspector.manifest.grant import Limits
from inspector.runtime import lifetime
from inspector.runtime.memory import MemoryTracker

TICK_S = 0.1
"""Length of a tick of the mirrored runtime (spec/dispatch.md 7)."""


def deadline_ticks(deadline_s: int) -> int:
    """Ticks of a deadline in seconds, at least 1."""
    return max(1, deadline_s * 10)


class HookEngine:
    """The engine of one hook; one call runs at a time.

    Attributes:
        limits: Bounds of its stores.
        ticks: Ticks of 100 ms that an instantiation or a call may take.
        tracker: Makes the linear memories.
    """

    def __init__(self, limits: Limits, ticks: int) -> None:
        """Make an engine.

        Args:
            limits: Bounds of its stores.
            ticks: See `deadline_ticks`; at least 1.
        """
        self.limits = limits
        self.ticks = max(1, ticks)
        self._lock = threading.Lock()
        self._remaining: int | None = None
        self._interrupted = False
        self._closed = False
        overrun = weakref.WeakMethod(self._overrun)
        self.tracker = MemoryTracker(limits.memory_bytes, lambda: _call_weakly(overrun))
        self._engine = Engine(self._configuration())
        lifetime.register(self)
        _TICKER.add(self)

    def _configuration(self) -> Config:
        config = Config()
        config.wasm_component_model = True
        config.epoch_interruption = True
        _use_cache(config)
        self.tracker.install(config)
        return config

    @property
    def wasmtime_engine(self) -> Engine:
        """The engine of the library."""
        return self._engine

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted the last armed call."""
        return self._interrupted

    def arm(self, store: Store) -> None:
        """Set a fresh deadline before a store is entered.

        Args:
            store: The store that the next call enters.
        """
        with self._lock:
            self._interrupted = False
            self._remaining = self.ticks
            store.set_epoch_deadline(1)

    def disarm(self) -> None:
        """Stop the clock after a call."""
        with self._lock:
            self._remaining = None

    def interrupt(self) -> bool:
        """End the running call at once; any thread may ask.

        Guest code ends at its next loop or call; a guest inside a host function ends
        when the function returns.

        Returns:
            Whether a call was running.
        """
        with self._lock:
            if self._remaining is None or self._closed:
                return False
            self._interrupted = True
            self._engine.increment_epoch()
            return True

    def _overrun(self) -> None:
        """Make the running guest trap at its next check."""
        with self._lock:
            if not self._closed:
                self._engine.increment_epoch()

    def tick(self) -> None:
        """Count one tick of the armed deadline; only the ticker calls it."""
        with self._lock:
            if self._remaining is None or self._closed:
                return
            if self._remaining > 0:
                self._remaining -= 1
                if self._remaining == 0:
                    self._engine.increment_epoch()

    def close(self) -> None:
        """Give the engine back; stores and components of it must be closed before."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._remaining = None
        _TICKER.remove(self)
        self._engine.close()


def _call_weakly(method: "weakref.WeakMethod[Callable[[], None]]") -> None:
    found = method()
    if found is not None:
        found()


class _Ticker:
    """A daemon thread that ticks every open engine, and ends when there is none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engines: weakref.WeakSet[HookEngine] = weakref.WeakSet()
        self._thread: threading.Thread | None = None

    def add(self, engine: HookEngine) -> None:
        """Tick an engine from now on."""
        with self._lock:
            self._engines.add(engine)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="epoch", daemon=True)
                self._thread.start()

    def remove(self, engine: HookEngine) -> None:
        """Tick an engine no more."""
        with self._lock:
            self._engines.discard(engine)

    def __len__(self) -> int:
        return len(self._engines)

    def _run(self) -> None:
        while self._tick_all():
            time.sleep(TICK_S)

    def _tick_all(self) -> bool:
        """Tick once; False when the thread is to end. Holds no engine afterwards."""
        with self._lock:
            engines = list(self._engines)
            if not engines:
                self._thread = None
        for engine in engines:
            engine.tick()
        return bool(engines)


_TICKER = _Ticker()


def _use_cache(config: Config) -> None:
    """Keep compiled code in our cache folder, when it can be written.

    Only code that this program compiled is read back: the folder is the user's alone.
    """
    folder = paths.cache_dir() / "compiled"
    settings = paths.cache_dir() / "compiled.toml"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = f"[cache]\ndirectory = {json.dumps(str(folder))}\n"
        if not settings.is_file() or settings.read_text("utf-8") != text:
            _replace(settings, text)
        config.cache = str(settings)
    except (OSError, WasmtimeError) as error:
        logs.RUNTIME.warning("compiled hooks are not cached: %s", error)


def _replace(path: Path, text: str) -> None:
    """Write a file so that a second process sees all of it or none."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    temporary.write_text(text, "utf-8")
    temporary.replace(path)
