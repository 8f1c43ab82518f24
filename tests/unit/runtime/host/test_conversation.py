"""murmur:conversation/read."""

import json
import os
import sys

import pytest

from inspector.contract.contract import load
from inspector.manifest.grant import Grant
from inspector.runtime.host import conversation
from inspector.runtime.host.conversation import ConversationState
from inspector.runtime.host.ledger import GrantKind, GrantLedger

_MESSAGE = load("0.8.0").message
_EMPTY = {"ok": {"messages": [], "next-cursor": None, "total": 0}}


def _line(number, role="user"):
    return json.dumps({"role": role, "content": [f"m{number}"], "id": f"msg_{number}"})


class Record:
    """A record folder with one context, and a state that looks at it."""

    def __init__(self, folder, context="ctx_1"):
        self.notes = []
        self.root = folder / "record"
        self.path = self.root / "ctx_1" / "conversation.jsonl"
        self.path.parent.mkdir(parents=True)
        self.state = ConversationState(self.root, self.notes.append, _MESSAGE)
        self.state.set_context(context)

    def write(self, *lines, end="\n"):
        self.path.write_bytes("".join(f"{line}{end}" for line in lines).encode())

    def read(self, cursor=None, limit=100):
        return self.state.read_messages(cursor, limit)

    def ids(self, cursor=None, limit=100):
        return [m["id"] for m in self.read(cursor, limit)["ok"]["messages"]]


@pytest.fixture
def record(tmp_path):
    return Record(tmp_path)


class TestPaging:
    """Pages, cursors, limits."""

    def test_pages__follow_the_cursor_newest_first(self, record):
        """Five messages in pages of two."""
        record.write(*(_line(n) for n in range(1, 6)))
        first = record.read(None, 2)["ok"]
        assert [m["id"] for m in first["messages"]] == ["msg_5", "msg_4"]
        assert (first["next-cursor"], first["total"]) == ("mc_3", 5)
        second = record.read("mc_3", 2)["ok"]
        assert [m["id"] for m in second["messages"]] == ["msg_3", "msg_2"]
        assert second["next-cursor"] == "mc_1"
        last = record.read("mc_1", 2)["ok"]
        assert [m["id"] for m in last["messages"]] == ["msg_1"]
        assert (last["next-cursor"], last["total"]) == (None, 5)

    def test_page__that_holds_everything__has_no_next(self, record):
        """A full page at the oldest end is the last one."""
        record.write(_line(1), _line(2))
        assert record.read(None, 2)["ok"]["next-cursor"] is None

    @pytest.mark.parametrize(
        ("limit", "count"), [(0, 1), (1, 1), (100, 100), (101, 100), (2**32 - 1, 100)]
    )
    def test_limit__is_clamped_to_1_and_100(self, record, limit, count):
        """The host caps what it copies into a guest."""
        record.write(*(_line(n) for n in range(150)))
        assert len(record.ids(None, limit)) == count

    @pytest.mark.parametrize("cursor", ["mc_0", "mc_000", "mc_+0", "mc_" + "0" * 40])
    def test_cursor__zero__is_an_empty_page(self, record, cursor):
        """The oldest end is a position like any other."""
        record.write(_line(1))
        assert record.read(cursor) == {
            "ok": {"messages": [], "next-cursor": None, "total": 1},
        }

    @pytest.mark.parametrize("cursor", ["mc_2", "mc_02", "mc_+2", "mc_+002"])
    def test_cursor__as_rust_reads_numbers__is_taken(self, record, cursor):
        """A plus sign and leading zeros are fine."""
        record.write(_line(1), _line(2))
        assert record.ids(cursor, 1) == ["msg_2"]

    @pytest.mark.parametrize(
        "cursor",
        [
            "",
            "2",
            "mc_",
            "mc_+",
            "mc_-0",
            "mc_++1",
            "mc_ 1",
            "mc_1 ",
            "mc_1\n",
            "mc_0x1",
            "mc_1_0",
            "mc_\u0661",
            "MC_1",
            "mc_3",
            "mc_18446744073709551616",
            "mc_" + "9" * 5000,
        ],
    )
    def test_cursor__that_the_host_did_not_make__is_invalid(self, record, cursor):
        """Neither another spelling nor a position beyond the record."""
        record.write(_line(1), _line(2))
        assert record.read(cursor) == {"err": "invalid-cursor"}

    def test_cursor__while_lines_are_appended__stays_right(self, record):
        """Positions count from the oldest end."""
        record.write(*(_line(n) for n in range(1, 4)))
        cursor = record.read(None, 1)["ok"]["next-cursor"]
        record.write(*(_line(n) for n in range(1, 9)))
        assert record.ids(cursor, 2) == ["msg_2", "msg_1"]


class TestScope:
    """Root and context."""

    @pytest.mark.parametrize("cursor", [None, "not a cursor"])
    def test_no_root__is_an_empty_page_whatever_the_cursor(self, cursor):
        """A session without a record has nothing wrong with it."""
        state = ConversationState(None, pytest.fail, _MESSAGE)
        state.set_context("ctx_1")
        assert state.read_messages(cursor, 5) == _EMPTY

    def test_no_context__is_an_empty_page(self, record):
        """Before the first task nothing is in scope."""
        record.write(_line(1))
        record.state.set_context(None)
        assert record.read("nonsense") == _EMPTY

    @pytest.mark.parametrize("context", ["", ".", "..", ".hidden", "a/b", "/abs", "../ctx_1", "a/"])
    def test_context__not_one_segment__is_an_empty_page(self, record, context):
        """An id of a client never leads out of the record."""
        record.write(_line(1))
        record.state.set_context(context)
        assert record.read("nonsense") == _EMPTY

    def test_context__moved__shows_the_other_record(self, record):
        """Task N reads task N's conversation; the cache does not mix them up."""
        record.write(_line(1))
        assert record.ids() == ["msg_1"]
        other = record.root / "ctx_2" / "conversation.jsonl"
        other.parent.mkdir()
        other.write_text(_line(2) + "\n")
        record.state.set_context("ctx_2")
        assert record.ids() == ["msg_2"]
        record.state.set_context("ctx_1")
        assert record.ids() == ["msg_1"]

    def test_missing_file__is_an_empty_record(self, record):
        """Cursors are checked against no messages."""
        assert record.read() == _EMPTY
        assert record.read("mc_0") == _EMPTY
        assert record.read("mc_1") == {"err": "invalid-cursor"}

    def test_file__made_after_a_first_read__is_seen(self, record):
        """The emptiness of a missing file is not kept."""
        assert record.ids() == []
        record.write(_line(1))
        assert record.ids() == ["msg_1"]


class TestParsing:
    """Lines of the file."""

    def test_line_ends__of_both_kinds__split(self, record):
        """Other Unicode line ends do not."""
        text = _line(1) + "\r\n" + _line(2) + "\n" + json.dumps({"role": "a\u2028\x85b"})
        record.path.write_text(text, "utf-8", newline="")
        page = record.read()["ok"]
        assert (page["total"], page["messages"][0]["role"]) == (3, "a\u2028\x85b")
        assert record.notes == []

    def test_raw_line_separators__inside_a_line__do_not_split_it(self, record):
        """U+2028 and U+0085 may stand in JSON text as they are."""
        record.path.write_text('{"role":"a\u2028\x85b"}\n', "utf-8", newline="")
        assert record.read()["ok"]["messages"][0]["role"] == "a\u2028\x85b"

    def test_blank_lines__are_ignored_without_a_word(self, record):
        """White space is what Unicode calls so."""
        record.write("", "  \t", "\u3000\xa0", _line(1), "")
        assert record.ids() == ["msg_1"]
        assert record.notes == []

    def test_separator_controls__are_no_white_space(self, record):
        """Python's strip() takes four control characters for blanks, Rust does not."""
        record.write("\x1c", _line(1))
        assert record.ids() == ["msg_1"]
        assert record.notes[0].endswith(": line 1 is not a message and was skipped")

    def test_bad_line__is_skipped_and_named_once(self, record):
        """The first one of a session; later ones are silent."""
        record.write(_line(1), _line(2), _line(3), '{"role":"user"', "[]")
        assert record.ids() == ["msg_3", "msg_2", "msg_1"]
        note = f"[conversation] {record.path}: line 4 is not a message and was skipped"
        assert record.notes == [note]
        record.write("nonsense")
        assert record.ids() == []
        assert record.notes == [note]

    def test_line_numbers__count_blank_lines(self, record):
        """The number is that of an editor."""
        record.write("", "", "x")
        record.read()
        assert ": line 3 is" in record.notes[0]

    @pytest.mark.parametrize(
        "line",
        [
            '{"type":"murmur.record","capsule":"c","created_ms":1}',
            '{"role":null}',
            '{"role":["user"]}',
            '"user"',
            "{'role':'user'}",
            '{"role":"user","x":NaN}',
            '{"role":"\\ud800"}',
            '{"role":"user"} x',
            '\ufeff{"role":"user"}',
        ],
    )
    def test_line__that_is_no_message__is_reported(self, record, line):
        """The header of later versions is one of them."""
        record.write(line, _line(1))
        assert record.read()["ok"]["total"] == 1
        assert ": line 1 is" in record.notes[0]

    def test_rewrite_of_the_same_length__is_not_noticed(self, record):
        """The cache goes by path and byte length, as the runtime's does."""
        record.write(_line(1))
        assert record.ids() == ["msg_1"]
        record.write(_line(2))
        assert record.ids() == ["msg_1"]
        record.write(_line(2), _line(3))
        assert record.ids() == ["msg_3", "msg_2"]


class TestUnavailable:
    """Files that cannot be read."""

    def test_file_not_in_utf8__is_unavailable(self, record):
        """The text is the runtime's."""
        record.path.write_bytes(b'{"role":"\xff"}\n')
        assert record.read() == {"err": "unavailable: stream did not contain valid UTF-8"}

    @pytest.mark.skipif(sys.platform == "win32", reason="numbers and texts are those of POSIX")
    def test_folder_in_its_place__is_unavailable(self, record):
        """An I/O error is told as Rust tells it."""
        record.path.mkdir()
        assert record.read() == {"err": "unavailable: Is a directory (os error 21)"}

    @pytest.mark.skipif(sys.platform == "win32", reason="numbers and texts are those of POSIX")
    def test_context_that_is_a_file__is_unavailable(self, record):
        """Only a missing file is an empty record."""
        (record.root / "file").write_text("")
        record.state.set_context("file")
        assert record.read() == {"err": "unavailable: Not a directory (os error 20)"}

    def test_context_with_a_nul__is_unavailable(self, record):
        """NUL is a legal character of a segment, but no path can hold it."""
        record.state.set_context("a\0b")
        wanted = "unavailable: file name contained an unexpected NUL byte"
        assert record.read("nonsense") == {"err": wanted}

    def test_file__readable_again__is_read(self, record):
        """A failure is not kept."""
        record.path.write_bytes(b"\xff" * (len(_line(1)) + 1))
        assert "err" in record.read()
        record.write(_line(1))
        assert record.ids() == ["msg_1"]


class TestImplementations:
    """The functions that a hook calls."""

    def test_without_the_grant__everything_is_not_granted(self):
        """Distinguishable from an empty page."""
        ledger = GrantLedger("hook", Grant())
        read = conversation.implementations(None, ledger)["read-messages"]
        assert read(None, 5) == {"err": "not-granted"}
        assert read("nonsense", 0) == {"err": "not-granted"}
        assert ledger.snapshot().of(GrantKind.CONVERSATION)[0].refusals == 2

    def test_with_the_grant__reads_and_counts(self, record):
        """Each call is a use."""
        record.write(_line(1))
        ledger = GrantLedger("hook", Grant(conversation=True))
        read = conversation.implementations(record.state, ledger)["read-messages"]
        assert read(None, 5)["ok"]["total"] == 1
        assert read("nonsense", 5) == {"err": "invalid-cursor"}
        assert ledger.snapshot().of(GrantKind.CONVERSATION)[0].uses == 2


def test_record__of_many_messages__is_parsed_once_for_all_pages(record, monkeypatch):
    """Walking a record is not quadratic in its length."""
    record.write(*(_line(n) for n in range(250)))
    reads = []
    read_bytes = type(record.path).read_bytes
    monkeypatch.setattr(
        type(record.path), "read_bytes", lambda path: reads.append(path) or read_bytes(path)
    )
    seen, cursor = [], None
    while True:
        page = record.read(cursor, 7)["ok"]
        seen += [m["id"] for m in page["messages"]]
        cursor = page["next-cursor"]
        if cursor is None:
            break
    assert seen == [f"msg_{n}" for n in reversed(range(250))]
    assert reads == [record.path]


def test_path__in_a_note__is_as_the_root_was_given(tmp_path):
    """A relative root stays relative."""
    relative = os.path.relpath(tmp_path)
    record = Record(tmp_path)
    record.write("x")
    notes = []
    state = ConversationState(type(tmp_path)(relative) / "record", notes.append, _MESSAGE)
    state.set_context("ctx_1")
    state.read_messages(None, 1)
    assert notes[0].startswith(f"[conversation] {relative}")
