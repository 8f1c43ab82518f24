"""Offsets, needles and rows of linear memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import InspectorError
from inspector.workbench import memory_view
from inspector.workbench.memory_view import MOST_HITS, PAGE_BYTES, ROW_BYTES


class TestOffset:
    """parse_offset and pages."""

    @pytest.mark.parametrize(
        ("text", "offset"),
        [("0", 0), (" 4096 ", 4096), ("4_096", 4096), ("4,096", 4096), ("0x1F", 31), ("1fh", 31)],
    )
    def test_spellings(self, text, offset):
        """Decimal, and hexadecimal both ways."""
        assert memory_view.parse_offset(text, PAGE_BYTES) == offset

    @pytest.mark.parametrize("text", ["", "x", "0x", "1.5", "12 34", "9" * 5_000])
    def test_no_offset(self, text):
        """One sentence; long input is cut in it."""
        with pytest.raises(InspectorError) as caught:
            memory_view.parse_offset(text, PAGE_BYTES)
        assert len(caught.value.message) < 100

    @pytest.mark.parametrize("text", ["65536", "-1", "0x10000"])
    def test_outside(self, text):
        """It says where the memory ends."""
        with pytest.raises(InspectorError, match="ends at 0xffff"):
            memory_view.parse_offset(text, PAGE_BYTES)

    def test_pages(self):
        """A memory may end within one."""
        assert memory_view.page_start(PAGE_BYTES + 5) == PAGE_BYTES
        counts = [memory_view.page_count(n) for n in (0, 1, PAGE_BYTES, PAGE_BYTES + 1)]
        assert counts == [0, 1, 1, 2]


class TestSearch:
    """parse_needle, find."""

    def test_text_and_bytes(self):
        """Text is UTF-8."""
        assert memory_view.parse_needle("é") == b"\xc3\xa9"
        assert memory_view.parse_needle("hex: de ADbe") == b"\xde\xad\xbe"
        assert memory_view.parse_needle("hex:") == b""
        assert memory_view.parse_needle("") == b""

    @pytest.mark.parametrize("text", ["hex: d", "hex: zz", "hex: 0x12"])
    def test_no_bytes(self, text):
        """One sentence."""
        with pytest.raises(InspectorError, match="pairs of hexadecimal digits"):
            memory_view.parse_needle(text)

    def test_overlapping_places(self):
        """Each is one."""
        assert memory_view.find(b"aaab", b"aa").offsets == (0, 1)
        assert memory_view.find(b"aaab", b"").offsets == ()
        assert memory_view.find(b"", b"a").offsets == ()

    def test_too_many_places(self):
        """The rest is told of."""
        hits = memory_view.find(bytes(PAGE_BYTES), b"\0")
        assert (len(hits.offsets), hits.is_cut) == (MOST_HITS, True)
        assert not memory_view.find(bytes(MOST_HITS), b"\0").is_cut

    @given(st.binary(max_size=200), st.binary(min_size=1, max_size=3))
    def test_every_place_holds_the_bytes(self, data, needle):
        """And no other does."""
        expected = [i for i in range(len(data)) if data[i : i + len(needle)] == needle]
        assert list(memory_view.find(data, needle).offsets) == expected


class TestRows:
    """hex_text, plain_text, dump_text."""

    def test_row(self):
        """Two groups; what cannot be seen is a dot."""
        row = b"Hello, \x00\x7f\xff world"
        assert memory_view.hex_text(row).startswith("48 65 6c 6c 6f 2c 20 00  7f ff 20")
        assert memory_view.plain_text(row) == "Hello, ··· world"

    @pytest.mark.parametrize("length", [8, 16])
    def test_short_row_is_as_wide_as_a_whole_one(self, length):
        """Columns stand below each other."""
        widths = {len(memory_view.hex_text(bytes(n), length)) for n in range(1, length + 1)}
        assert len(widths) == 1

    def test_dump(self):
        """One line per row, with offsets of the memory."""
        lines = memory_view.dump_text(bytes(range(20)), 0x10000).split("\n")
        assert [line[:8] for line in lines] == ["00010000", "00010010"]
        assert lines[1].rstrip().endswith("····")
        assert len(lines) == -(-20 // ROW_BYTES)
