"""The WASI interfaces that doubles import, in WAT.

Lives here: their types as far as needed, and the table of functions that a step may
call. Not here: the calls (wat_wasi). Only tests.helpers.wat_* import it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

_ERROR_CODES = (
    "access would-block already bad-descriptor busy deadlock quota exist file-too-large "
    "illegal-byte-sequence in-progress interrupted invalid io is-directory loop too-many-links "
    "message-size name-too-long no-device no-entry no-lock insufficient-memory "
    "insufficient-space not-directory not-empty not-recoverable unsupported no-tty "
    "no-such-device overflow not-permitted pipe read-only invalid-seek text-file-busy "
    "cross-device"
)
"""`error-code` of wasi:filesystem/types, in order."""

_OPTION_STRING = "(option string)"
_HTTP_ERROR_CODES: tuple[tuple[str, str], ...] = (
    ("DNS-timeout", ""),
    ("DNS-error", "$dns-error-payload"),
    ("destination-not-found", ""),
    ("destination-unavailable", ""),
    ("destination-IP-prohibited", ""),
    ("destination-IP-unroutable", ""),
    ("connection-refused", ""),
    ("connection-terminated", ""),
    ("connection-timeout", ""),
    ("connection-read-timeout", ""),
    ("connection-write-timeout", ""),
    ("connection-limit-reached", ""),
    ("TLS-protocol-error", ""),
    ("TLS-certificate-error", ""),
    ("TLS-alert-received", "$tls-alert-payload"),
    ("HTTP-request-denied", ""),
    ("HTTP-request-length-required", ""),
    ("HTTP-request-body-size", "(option u64)"),
    ("HTTP-request-method-invalid", ""),
    ("HTTP-request-URI-invalid", ""),
    ("HTTP-request-URI-too-long", ""),
    ("HTTP-request-header-section-size", "(option u32)"),
    ("HTTP-request-header-size", "(option $field-size-payload)"),
    ("HTTP-request-trailer-section-size", "(option u32)"),
    ("HTTP-request-trailer-size", "$field-size-payload"),
    ("HTTP-response-incomplete", ""),
    ("HTTP-response-header-section-size", "(option u32)"),
    ("HTTP-response-header-size", "$field-size-payload"),
    ("HTTP-response-body-size", "(option u64)"),
    ("HTTP-response-trailer-section-size", "(option u32)"),
    ("HTTP-response-trailer-size", "$field-size-payload"),
    ("HTTP-response-transfer-coding", _OPTION_STRING),
    ("HTTP-response-content-coding", _OPTION_STRING),
    ("HTTP-response-timeout", ""),
    ("HTTP-upgrade-failed", ""),
    ("HTTP-protocol-error", ""),
    ("loop-detected", ""),
    ("configuration-error", ""),
    ("internal-error", _OPTION_STRING),
)
"""`error-code` of wasi:http/types, in order, with payloads."""

HTTP_ERRORS = tuple(name for name, _ in _HTTP_ERROR_CODES)

_HTTP_CASES = " ".join(f'(case "{n}"{" " + p if p else ""})' for n, p in _HTTP_ERROR_CODES)


def _shared(source: str, name: str) -> str:
    """A type of another imported interface, inside an instance type."""
    return (
        f"(alias outer 1 ${source}.{name} (type ${name}'))\n"
        f'(export "{name}" (type ${name} (eq ${name}\')))'
    )


@dataclass(frozen=True)
class WasiInterface:
    """One WASI interface as doubles import it.

    Attributes:
        name: With version.
        needs: Labels of interfaces whose types it uses.
        types: Names of types that later interfaces alias.
        body: The declarations inside its instance type.
    """

    name: str
    body: str
    needs: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


WASI: dict[str, WasiInterface] = {
    "environment": WasiInterface(
        "wasi:cli/environment@0.2.0",
        '(export "get-environment" (func (result (list (tuple string string)))))',
    ),
    "error": WasiInterface(
        "wasi:io/error@0.2.0", '(export "error" (type (sub resource)))', types=("error",)
    ),
    "poll": WasiInterface(
        "wasi:io/poll@0.2.0",
        '(export "pollable" (type $pollable (sub resource)))'
        '(export "[method]pollable.block" (func (param "self" (borrow $pollable))))',
        types=("pollable",),
    ),
    "clock": WasiInterface(
        "wasi:clocks/monotonic-clock@0.2.0",
        _shared("poll", "pollable")
        + '(export "subscribe-duration" (func (param "when" u64) (result (own $pollable))))',
        needs=("poll",),
    ),
    "streams": WasiInterface(
        "wasi:io/streams@0.2.0",
        '(export "output-stream" (type $output-stream (sub resource)))'
        + _shared("error", "error")
        + '(type $se (variant (case "last-operation-failed" (own $error)) (case "closed")))'
        '(export "stream-error" (type $stream-error (eq $se)))'
        '(export "[method]output-stream.blocking-write-and-flush" (func'
        ' (param "self" (borrow $output-stream)) (param "contents" (list u8))'
        " (result (result (error $stream-error)))))",
        needs=("error",),
        types=("output-stream",),
    ),
    "stdout": WasiInterface(
        "wasi:cli/stdout@0.2.0",
        _shared("streams", "output-stream")
        + '(export "get-stdout" (func (result (own $output-stream))))',
        needs=("streams",),
    ),
    "stderr": WasiInterface(
        "wasi:cli/stderr@0.2.0",
        _shared("streams", "output-stream")
        + '(export "get-stderr" (func (result (own $output-stream))))',
        needs=("streams",),
    ),
    "files": WasiInterface(
        "wasi:filesystem/types@0.2.0",
        '(export "descriptor" (type $descriptor (sub resource)))'
        + _shared("streams", "output-stream")
        + "(type $ec (enum "
        + " ".join(f'"{code}"' for code in _ERROR_CODES.split())
        + '))(export "error-code" (type $error-code (eq $ec)))'
        '(type $pf (flags "symlink-follow"))(export "path-flags" (type $path-flags (eq $pf)))'
        '(type $of (flags "create" "directory" "exclusive" "truncate"))'
        '(export "open-flags" (type $open-flags (eq $of)))'
        '(type $df (flags "read" "write" "file-integrity-sync" "data-integrity-sync"'
        ' "requested-write-sync" "mutate-directory"))'
        '(export "descriptor-flags" (type $descriptor-flags (eq $df)))'
        '(export "[method]descriptor.open-at" (func (param "self" (borrow $descriptor))'
        ' (param "path-flags" $path-flags) (param "path" string)'
        ' (param "open-flags" $open-flags) (param "flags" $descriptor-flags)'
        " (result (result (own $descriptor) (error $error-code)))))"
        '(export "[method]descriptor.append-via-stream" (func'
        ' (param "self" (borrow $descriptor))'
        " (result (result (own $output-stream) (error $error-code)))))"
        '(export "[method]descriptor.read" (func (param "self" (borrow $descriptor))'
        ' (param "length" u64) (param "offset" u64)'
        " (result (result (tuple (list u8) bool) (error $error-code)))))",
        needs=("streams",),
        types=("descriptor",),
    ),
    "preopens": WasiInterface(
        "wasi:filesystem/preopens@0.2.0",
        _shared("files", "descriptor")
        + '(export "get-directories" (func (result (list (tuple (own $descriptor) string)))))',
        needs=("files",),
    ),
    "http": WasiInterface(
        "wasi:http/types@0.2.0",
        _shared("poll", "pollable") + '(export "fields" (type $fields (sub resource)))'
        '(export "outgoing-request" (type $outgoing-request (sub resource)))'
        '(export "request-options" (type (sub resource)))'
        '(export "future-incoming-response" (type $future (sub resource)))'
        '(export "incoming-response" (type $response (sub resource)))'
        '(type $scheme\' (variant (case "HTTP") (case "HTTPS") (case "other" string)))'
        '(export "scheme" (type $scheme (eq $scheme\')))'
        '(type $d (record (field "rcode" (option string)) (field "info-code" (option u16))))'
        '(export "DNS-error-payload" (type $dns-error-payload (eq $d)))'
        '(type $t (record (field "alert-id" (option u8))'
        ' (field "alert-message" (option string))))'
        '(export "TLS-alert-received-payload" (type $tls-alert-payload (eq $t)))'
        '(type $s (record (field "field-name" (option string))'
        ' (field "field-size" (option u32))))'
        '(export "field-size-payload" (type $field-size-payload (eq $s)))'
        f"(type $ec (variant {_HTTP_CASES}))"
        '(export "error-code" (type $error-code (eq $ec)))'
        '(export "[constructor]fields" (func (result (own $fields))))'
        '(export "[constructor]outgoing-request" (func (param "headers" (own $fields))'
        " (result (own $outgoing-request))))"
        '(export "[method]outgoing-request.set-scheme" (func'
        ' (param "self" (borrow $outgoing-request)) (param "scheme" (option $scheme))'
        " (result (result))))"
        '(export "[method]outgoing-request.set-authority" (func'
        ' (param "self" (borrow $outgoing-request)) (param "authority" (option string))'
        " (result (result))))"
        '(export "[method]outgoing-request.set-path-with-query" (func'
        ' (param "self" (borrow $outgoing-request)) (param "path-with-query" (option string))'
        " (result (result))))"
        '(export "[method]future-incoming-response.subscribe" (func'
        ' (param "self" (borrow $future)) (result (own $pollable))))'
        '(export "[method]future-incoming-response.get" (func (param "self" (borrow $future))'
        " (result (option (result (result (own $response) (error $error-code)))))))"
        '(export "[method]incoming-response.status" (func (param "self" (borrow $response))'
        " (result u16)))",
        needs=("poll",),
        types=(
            "outgoing-request",
            "request-options",
            "future-incoming-response",
            "incoming-response",
            "error-code",
        ),
    ),
    "outgoing": WasiInterface(
        "wasi:http/outgoing-handler@0.2.0",
        _shared("http", "outgoing-request")
        + _shared("http", "request-options")
        + _shared("http", "future-incoming-response")
        + _shared("http", "error-code")
        + '(export "handle" (func (param "request" (own $outgoing-request))'
        ' (param "options" (option (own $request-options)))'
        " (result (result (own $future-incoming-response) (error $error-code)))))",
        needs=("http",),
    ),
}
"""WASI interfaces by label, each after those it needs."""


def wasi_import(label: str) -> str:
    """The import of a WASI interface, and aliases of the types it shares."""
    interface = WASI[label]
    lines = [f'(import "{interface.name}" (instance ${label} {interface.body}))']
    lines += [f'(alias export ${label} "{t}" (type ${label}.{t}))' for t in interface.types]
    return "\n".join(lines)


@dataclass(frozen=True)
class WasiFunction:
    """A WASI function that a step may call.

    Attributes:
        label: Its interface, a key of WASI.
        name: Its name there; `[drop]TYPE` is the drop of a resource.
        signature: Its core signature.
    """

    label: str
    name: str
    signature: str


WASI_FUNCTIONS: dict[str, WasiFunction] = {
    "get-environment": WasiFunction("environment", "get-environment", "(param i32)"),
    "sleep": WasiFunction("clock", "subscribe-duration", "(param i64) (result i32)"),
    "block": WasiFunction("poll", "[method]pollable.block", "(param i32)"),
    "drop-pollable": WasiFunction("poll", "[drop]pollable", "(param i32)"),
    "get-stdout": WasiFunction("stdout", "get-stdout", "(result i32)"),
    "get-stderr": WasiFunction("stderr", "get-stderr", "(result i32)"),
    "write": WasiFunction(
        "streams", "[method]output-stream.blocking-write-and-flush", "(param i32 i32 i32 i32)"
    ),
    "drop-stream": WasiFunction("streams", "[drop]output-stream", "(param i32)"),
    "get-directories": WasiFunction("preopens", "get-directories", "(param i32)"),
    "open-at": WasiFunction(
        "files", "[method]descriptor.open-at", "(param i32 i32 i32 i32 i32 i32 i32)"
    ),
    "append-stream": WasiFunction(
        "files", "[method]descriptor.append-via-stream", "(param i32 i32)"
    ),
    "read": WasiFunction("files", "[method]descriptor.read", "(param i32 i64 i64 i32)"),
    "drop-descriptor": WasiFunction("files", "[drop]descriptor", "(param i32)"),
    "new-fields": WasiFunction("http", "[constructor]fields", "(result i32)"),
    "new-request": WasiFunction(
        "http", "[constructor]outgoing-request", "(param i32) (result i32)"
    ),
    "set-scheme": WasiFunction(
        "http",
        "[method]outgoing-request.set-scheme",
        "(param i32 i32 i32 i32 i32) (result i32)",
    ),
    "set-authority": WasiFunction(
        "http",
        "[method]outgoing-request.set-authority",
        "(param i32 i32 i32 i32) (result i32)",
    ),
    "set-path": WasiFunction(
        "http",
        "[method]outgoing-request.set-path-with-query",
        "(param i32 i32 i32 i32) (result i32)",
    ),
    "subscribe": WasiFunction(
        "http", "[method]future-incoming-response.subscribe", "(param i32) (result i32)"
    ),
    "get-response": WasiFunction("http", "[method]future-incoming-response.get", "(param i32 i32)"),
    "status": WasiFunction("http", "[method]incoming-response.status", "(param i32) (result i32)"),
    "drop-future": WasiFunction("http", "[drop]future-incoming-response", "(param i32)"),
    "drop-response": WasiFunction("http", "[drop]incoming-response", "(param i32)"),
    "handle": WasiFunction("outgoing", "handle", "(param i32 i32 i32 i32)"),
}
"""By the name under which core code calls it."""


def wasi_labels(wanted: Iterable[str]) -> list[str]:
    """The interfaces that a set of labels needs, in the order of import."""
    needed: set[str] = set()
    pending = list(wanted)
    while pending:
        label = pending.pop()
        needed.add(label)
        pending += WASI[label].needs
    return [label for label in WASI if label in needed]
