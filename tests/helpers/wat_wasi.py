"""Steps and sources of doubles that call WASI: output, files, environment, HTTP, clock.

Lives here: those that tests write down, and the core functions they bring along. Not
here: the imports' types (wat_wasi_import). Tests import these names from tests.helpers.wat.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.helpers.wat_scope import Scope
from tests.helpers.wat_source import Source, Text, make_text
from tests.helpers.wat_step import Step

_WRITE_ALL = """
(func $write-all (param $stream i32) (param $area i32)
  ;; Writes the text buffer; one call takes at most 4096 bytes.
  (local $at i32) (local $count i32)
  (block $done (loop $more
    (local.set $count (i32.sub (call $length) (local.get $at)))
    (br_if $done (i32.eqz (local.get $count)))
    (if (i32.gt_u (local.get $count) (i32.const 4096))
      (then (local.set $count (i32.const 4096))))
    (call $write (local.get $stream) (i32.add (call $text) (local.get $at))
      (local.get $count) (local.get $area))
    (if (i32.load8_u (local.get $area)) (then unreachable))
    (local.set $at (i32.add (local.get $at) (local.get $count)))
    (br $more)))
  (call $drop-stream (local.get $stream)))"""

_FIND_PREOPEN = """
(func $find-preopen (param $name i32) (param $name-length i32) (param $area i32) (result i32)
  ;; The handle of a preopened directory, or -1; the other handles are dropped.
  (local $entry i32) (local $end i32) (local $found i32)
  (local.set $found (i32.const -1))
  (call $get-directories (local.get $area))
  (local.set $entry (i32.load (local.get $area)))
  (local.set $end (i32.add (local.get $entry)
    (i32.mul (i32.load offset=4 (local.get $area)) (i32.const 12))))
  (block $done (loop $next
    (br_if $done (i32.eq (local.get $entry) (local.get $end)))
    (if (call $same-text (local.get $name) (local.get $name-length)
          (i32.load offset=4 (local.get $entry)) (i32.load offset=8 (local.get $entry)))
      (then (local.set $found (i32.load (local.get $entry))))
      (else (call $drop-descriptor (i32.load (local.get $entry)))))
    (local.set $entry (i32.add (local.get $entry) (i32.const 12)))
    (br $next)))
  (local.get $found))"""

_OPEN = """
(func $open (param $name i32) (param $name-length i32) (param $path i32) (param $path-length i32)
    (param $open-flags i32) (param $flags i32) (param $area i32) (result i32)
  ;; The handle of a file in a preopened directory; -1 without the directory, -2 - CODE
  ;; when it cannot be opened.
  (local $directory i32)
  (local.set $directory
    (call $find-preopen (local.get $name) (local.get $name-length) (local.get $area)))
  (if (i32.eq (local.get $directory) (i32.const -1)) (then (return (i32.const -1))))
  (call $open-at (local.get $directory) (i32.const 1) (local.get $path) (local.get $path-length)
    (local.get $open-flags) (local.get $flags) (local.get $area))
  (call $drop-descriptor (local.get $directory))
  (if (result i32) (i32.load8_u (local.get $area))
    (then (i32.sub (i32.const -2) (i32.load8_u offset=4 (local.get $area))))
    (else (i32.load offset=4 (local.get $area)))))"""

_APPEND_FILE = """
(func $append-file (param $file i32) (param $area i32)
  (if (i32.lt_s (local.get $file) (i32.const 0)) (then unreachable))
  (call $append-stream (local.get $file) (local.get $area))
  (if (i32.load8_u (local.get $area)) (then unreachable))
  (call $write-all (i32.load offset=4 (local.get $area)) (local.get $area))
  (call $drop-descriptor (local.get $file)))"""

_PUT_FILE = """
(func $put-file (param $file i32) (param $area i32) (param $mark i32)
  ;; Adds the first MiB of a file, or the mark and why it could not be opened: 1 for no
  ;; such directory, 2 + CODE else.
  (if (i32.lt_s (local.get $file) (i32.const 0))
    (then
      (call $put (local.get $mark) (i32.const 1))
      (call $decimal (i64.extend_i32_u (i32.sub (i32.const 0) (local.get $file))))
      (return)))
  (call $read (local.get $file) (i64.const 1048576) (i64.const 0) (local.get $area))
  (if (i32.load8_u (local.get $area)) (then unreachable))
  (call $put (i32.load offset=4 (local.get $area)) (i32.load offset=8 (local.get $area)))
  (call $drop-descriptor (local.get $file)))"""

_PUT_ENVIRONMENT = """
(func $put-environment (param $marks i32) (param $area i32)
  ;; Adds NAME=VALUE and a newline for each variable; `marks` holds "=" and the newline.
  (local $entry i32) (local $end i32)
  (call $get-environment (local.get $area))
  (local.set $entry (i32.load (local.get $area)))
  (local.set $end (i32.add (local.get $entry)
    (i32.mul (i32.load offset=4 (local.get $area)) (i32.const 16))))
  (block $done (loop $next
    (br_if $done (i32.eq (local.get $entry) (local.get $end)))
    (call $put (i32.load (local.get $entry)) (i32.load offset=4 (local.get $entry)))
    (call $put (local.get $marks) (i32.const 1))
    (call $put (i32.load offset=8 (local.get $entry)) (i32.load offset=12 (local.get $entry)))
    (call $put (i32.add (local.get $marks) (i32.const 1)) (i32.const 1))
    (local.set $entry (i32.add (local.get $entry) (i32.const 16)))
    (br $next))))"""

_PUT_PREOPENS = """
(func $put-preopens (param $comma i32) (param $area i32)
  ;; Adds the names of the preopened directories with a comma after each.
  (local $entry i32) (local $end i32)
  (call $get-directories (local.get $area))
  (local.set $entry (i32.load (local.get $area)))
  (local.set $end (i32.add (local.get $entry)
    (i32.mul (i32.load offset=4 (local.get $area)) (i32.const 12))))
  (block $done (loop $next
    (br_if $done (i32.eq (local.get $entry) (local.get $end)))
    (call $put (i32.load offset=4 (local.get $entry)) (i32.load offset=8 (local.get $entry)))
    (call $put (local.get $comma) (i32.const 1))
    (call $drop-descriptor (i32.load (local.get $entry)))
    (local.set $entry (i32.add (local.get $entry) (i32.const 12)))
    (br $next))))"""

_PUT_GET = """
(func $put-get (param $scheme i32) (param $authority i32) (param $authority-length i32)
    (param $path i32) (param $path-length i32) (param $area i32) (param $mark i32)
  ;; Adds the status of a GET, or the mark and the case number of the error code.
  (local $request i32) (local $future i32) (local $pollable i32)
  (local.set $request (call $new-request (call $new-fields)))
  (drop (call $set-scheme (local.get $request)
    (i32.const 1) (local.get $scheme) (i32.const 0) (i32.const 0)))
  (drop (call $set-authority (local.get $request)
    (i32.const 1) (local.get $authority) (local.get $authority-length)))
  (drop (call $set-path (local.get $request)
    (i32.const 1) (local.get $path) (local.get $path-length)))
  ;; result<future, error-code>: the payload is at 8.
  (call $handle (local.get $request) (i32.const 0) (i32.const 0) (local.get $area))
  (if (i32.load8_u (local.get $area))
    (then
      (call $put (local.get $mark) (i32.const 1))
      (call $decimal (i64.extend_i32_u (i32.load8_u offset=8 (local.get $area))))
      (return)))
  (local.set $future (i32.load offset=8 (local.get $area)))
  (local.set $pollable (call $subscribe (local.get $future)))
  (call $block (local.get $pollable))
  (call $drop-pollable (local.get $pollable))
  ;; option<result<result<response, error-code>>>: discriminants at 0, 8, 16, payload at 24.
  (call $get-response (local.get $future) (local.get $area))
  (call $drop-future (local.get $future))
  (if (i32.eqz (i32.load8_u (local.get $area))) (then unreachable))
  (if (i32.load8_u offset=8 (local.get $area)) (then unreachable))
  (if (i32.load8_u offset=16 (local.get $area))
    (then
      (call $put (local.get $mark) (i32.const 1))
      (call $decimal (i64.extend_i32_u (i32.load8_u offset=24 (local.get $area))))
      (return)))
  (call $decimal (i64.extend_i32_u (call $status (i32.load offset=24 (local.get $area)))))
  (call $drop-response (i32.load offset=24 (local.get $area))))"""


def _area(scope: Scope) -> str:
    return f"(i32.const {scope.module.area})"


def _address(scope: Scope, content: str) -> str:
    return f"(i32.const {scope.module.image.text(content)[0]})"


def _need_writing(scope: Scope) -> None:
    scope.helper("write-all", _WRITE_ALL, "write", "drop-stream")


def _opened(scope: Scope, preopen: str, path: str, open_flags: int, flags: int) -> str:
    scope.helper("find-preopen", _FIND_PREOPEN, "get-directories", "drop-descriptor")
    scope.helper("open", _OPEN, "open-at")
    return (
        f"(call $open {scope.text(preopen)} {scope.text(path)}"
        f" (i32.const {open_flags}) (i32.const {flags}) {_area(scope)})"
    )


@dataclass(frozen=True)
class Print(Step):
    """Write a text to `stdout` or `stderr`."""

    text: Text
    stream: str = "stdout"

    def code(self, scope: Scope) -> str:
        _need_writing(scope)
        scope.wasi(f"get-{self.stream}")
        return (
            f"{make_text(scope, self.text)}\n"
            f"(call $write-all (call $get-{self.stream}) {_area(scope)})"
        )


@dataclass(frozen=True)
class AppendFile(Step):
    """Append a text to a file in a preopened directory, making it; traps when refused."""

    path: str
    text: Text
    preopen: str = "."

    def code(self, scope: Scope) -> str:
        _need_writing(scope)
        scope.helper("append-file", _APPEND_FILE, "append-stream", "drop-descriptor")
        opened = _opened(scope, self.preopen, self.path, open_flags=1, flags=2)
        return f"{make_text(scope, self.text)}\n(call $append-file {opened} {_area(scope)})"


@dataclass(frozen=True)
class Sleep(Step):
    """Wait inside a host call."""

    duration_ms: int

    def code(self, scope: Scope) -> str:
        scope.wasi("sleep", "block", "drop-pollable")
        pollable = scope.local()
        return f"""
            (local.set {pollable} (call $sleep (i64.const {self.duration_ms * 1_000_000})))
            (call $block (local.get {pollable}))
            (call $drop-pollable (local.get {pollable}))"""


@dataclass(frozen=True)
class FileText(Source):
    """The first MiB of a file, or `!1` without the directory, `!N` when refused."""

    path: str
    preopen: str = "."

    def put(self, scope: Scope) -> str:
        opened = _opened(scope, self.preopen, self.path, open_flags=0, flags=1)
        scope.helper("put-file", _PUT_FILE, "read", "drop-descriptor")
        return f"(call $put-file {opened} {_area(scope)} {_address(scope, '!')})"


@dataclass(frozen=True)
class Environment(Source):
    """Every variable as NAME=VALUE and a newline, in the order of the host."""

    def put(self, scope: Scope) -> str:
        scope.helper("put-environment", _PUT_ENVIRONMENT, "get-environment")
        return f"(call $put-environment {_address(scope, '=' + chr(10))} {_area(scope)})"


@dataclass(frozen=True)
class Preopens(Source):
    """The names of the preopened directories, with a comma after each."""

    def put(self, scope: Scope) -> str:
        scope.helper("put-preopens", _PUT_PREOPENS, "get-directories", "drop-descriptor")
        return f"(call $put-preopens {_address(scope, ',')} {_area(scope)})"


@dataclass(frozen=True)
class HttpGet(Source):
    """The status of a GET request, or `!` and the case number in HTTP_ERRORS."""

    url: str

    def put(self, scope: Scope) -> str:
        parts = urlsplit(self.url)
        scope.helper(
            "put-get",
            _PUT_GET,
            "new-fields",
            "new-request",
            "set-scheme",
            "set-authority",
            "set-path",
            "handle",
            "subscribe",
            "block",
            "drop-pollable",
            "get-response",
            "drop-future",
            "status",
            "drop-response",
        )
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return (
            f"(call $put-get (i32.const {('http', 'https').index(parts.scheme)})"
            f" {scope.text(parts.netloc)} {scope.text(path)} {_area(scope)}"
            f" {_address(scope, '!')})"
        )
