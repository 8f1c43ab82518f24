"""What the tables of a firing's page say: requests, completions, frames, files, messages.

Lives here: pure functions from records to rows. Not here: the tables (cell_model,
views.table_page), parsing traps (workbench.backtrace), aligning messages
(workbench.message_diff). Only views import it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.contract.record import HttpRequest, InferenceCall, ManifestFile
from inspector.gui.models.cell_model import CellRow
from inspector.workbench.backtrace import Backtrace
from inspector.workbench.formatting import bytes_text, count_text, duration_text, one_line
from inspector.workbench.message_diff import Entry, Kind, entry_lines, text_of
from inspector.workbench.row_diff import DiffLine

REQUEST_TITLES = ("Method", "URL", "Allowed", "Rule", "Time")
INFERENCE_TITLES = ("Model", "Tokens in", "Tokens out", "Decision", "Time")
FRAME_TITLES = ("#", "Offset", "Function", "Module")
FILE_TITLES = ("File", "Size")
MESSAGE_TITLES = ("", "Role", "Tokens", "Content")
DIFF_TITLES = ("", "Line")

_SIGNS = {Kind.SAME: "", Kind.CHANGED: "~", Kind.REMOVED: "−", Kind.ADDED: "+"}
_KIND_ROLES = {
    Kind.SAME: "muted",
    Kind.CHANGED: "accent",
    Kind.REMOVED: "negative",
    Kind.ADDED: "positive",
}
_LINE_ROLES = {"+": "positive", "-": "negative", " ": "", "@": "muted", "#": "accent"}


def request_rows(requests: Sequence[HttpRequest]) -> tuple[CellRow, ...]:
    """One row per outgoing request."""
    return tuple(map(_request_row, requests))


def _request_row(request: HttpRequest) -> CellRow:
    nearest = request.rule or "no rule names the host"
    rule = nearest if request.allowed or request.rule is None else f"nearest: {nearest}"
    answer = "not seen" if request.status is None else str(request.status)
    lines = (
        f"{request.hook}: {request.method} {request.url}",
        f"allowed by {request.rule}" if request.allowed else request.explanation or "refused",
        f"rule: {rule}",
        f"status of the answer: {answer}" if request.allowed else "",
        f"handed over in {duration_text(request.duration_us)}" if request.duration_us else "",
    )
    texts = (
        request.method,
        request.url,
        "yes" if request.allowed else "no",
        rule,
        duration_text(request.duration_us),
    )
    icon, role = ("mark-honored", "") if request.allowed else ("mark-refused", "notice")
    return CellRow(texts, icon, role, "\n".join(line for line in lines if line))


def inference_rows(calls: Sequence[InferenceCall]) -> tuple[CellRow, ...]:
    """One row per completion that a hook asked for."""
    return tuple(map(_inference_row, calls))


def _inference_row(call: InferenceCall) -> CellRow:
    help_text = "A scripted answer of the inspector, not of a model." if call.scripted else ""
    lines = (
        f"{call.hook} asked {call.model or 'the model'}: {call.decision}",
        f"{count_text(call.input_tokens, 'token')} in, {call.output_tokens:,} out",
        help_text,
        call.error or "",
    )
    decision = call.decision + (" *" if call.scripted else "")
    texts = (
        call.model,
        f"{call.input_tokens:,}",
        f"{call.output_tokens:,}",
        decision,
        duration_text(call.duration_us),
    )
    icon, role = ("mark-error", "negative") if call.error else ("mark-honored", "")
    return CellRow(texts, icon, role, "\n".join(line for line in lines if line))


def frame_rows(trace: Backtrace) -> tuple[CellRow, ...]:
    """One row per frame, where it trapped first."""
    return tuple(
        CellRow(
            (f"{frame.number}", frame.offset, frame.function, frame.module),
            detail="\n".join(
                (
                    frame.symbol,
                    f"at offset {frame.offset} of {frame.module or 'the module'}",
                    *frame.places,
                )
            ),
        )
        for frame in trace.frames
    )


def file_rows(payload: Any, written: Sequence[ManifestFile]) -> tuple[CellRow, ...]:
    """Manifests of write-manifests as a tree of folders and files.

    Args:
        payload: The answer: a list of tool-manifest records.
        written: What on-stage wrote of it; its path is relative to the session folder.
    """
    paths = {file.binary: file.path for file in written}
    found: dict[str, str] = {}
    for item in payload if isinstance(payload, list | tuple) else ():
        if isinstance(item, Mapping):
            binary = str(item.get("binary-name", ""))
            path = paths.get(binary, f"not written: {binary}")
            found[path] = str(item.get("content", ""))
    return tuple(_tree(found))


def _tree(files: Mapping[str, str]) -> Iterator[CellRow]:
    open_folders: list[str] = []
    for path in sorted(files):
        is_written = not path.startswith("not written: ")
        *folders, name = path.split("/") if is_written else (path,)
        same = 0
        while same < min(len(folders), len(open_folders)) and folders[same] == open_folders[same]:
            same += 1
        for depth in range(same, len(folders)):
            yield CellRow((f"{folders[depth]}/", ""), "open", "muted", depth=depth)
        open_folders = folders
        size = bytes_text(len(files[path].encode()))
        role = "" if is_written else "caution"
        yield CellRow((name, size), "text", role, files[path], len(folders))


def message_rows(
    entries: Sequence[Entry], tokens: Sequence[tuple[int, int]] | None
) -> tuple[CellRow, ...]:
    """One row per message before or after.

    Args:
        entries: Aligned messages.
        tokens: Of each entry before and after; None while they are being counted.
    """
    return tuple(
        _message_row(entry, None if tokens is None else tokens[number])
        for number, entry in enumerate(entries)
    )


def _message_row(entry: Entry, tokens: tuple[int, int] | None) -> CellRow:
    role = str(entry.message.get("role", ""))
    count = "…" if tokens is None else _token_text(entry, *tokens)
    texts = (_SIGNS[entry.kind], role, count, one_line(text_of(entry.message), 500))
    return CellRow(texts, "", _KIND_ROLES[entry.kind], "\n".join(entry_lines(entry)))


def _token_text(entry: Entry, before: int, after: int) -> str:
    if entry.kind is Kind.CHANGED and before != after:
        return f"{before:,} → {after:,}"
    return f"{after if entry.after is not None else before:,}"


def diff_rows(lines: Sequence[DiffLine]) -> tuple[CellRow, ...]:
    """One row per line of a comparison."""
    return tuple(
        CellRow(
            ("" if line.sign in "#@ " else line.sign.replace("-", "−"), line.text),
            role=_LINE_ROLES[line.sign],
        )
        for line in lines
    )
