"""Captured output: whose it is, how much is kept, and how bytes become text."""

import pytest

from inspector.runtime import wasi
from inspector.runtime.wasi import KEPT_BYTES, Captured, StdioCapture
from tests.helpers.hook_instance import fire, running
from tests.helpers.wat import Field, Print, hook


def write(capture: StdioCapture, *chunks: bytes, stream: str = "stdout") -> None:
    """Write chunks as the guest would."""
    for chunk in chunks:
        capture._streams[stream].write(chunk)


class TestCapture:
    def test_streams_are_apart_and_begin_anew_after_each_take(self) -> None:
        """The second take is empty."""
        capture = StdioCapture()
        write(capture, b"out")
        write(capture, b"err", stream="stderr")
        assert capture.take() == Captured("out", "err", 0)
        assert capture.take() == Captured("", "", 0)

    @pytest.mark.parametrize("character", ["é", "€", "😀"])
    def test_a_character_cut_by_chunks_is_whole(self, character: str) -> None:
        """Chunks are no lines and no characters."""
        capture = StdioCapture()
        write(capture, *(bytes([byte]) for byte in character.encode()))
        assert capture.take().stdout == character

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (b"a\xffb", "a\ufffdb"),
            (b"end\xe2\x82", "end\ufffd"),
            (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
            (b"nul\0\x1b[31m\r\n", "nul\0\x1b[31m\r\n"),
        ],
    )
    def test_bytes_that_are_no_text_are_shown_as_such(self, content: bytes, text: str) -> None:
        """Everything else is left as it is."""
        capture = StdioCapture()
        write(capture, content)
        assert capture.take().stdout == text

    def test_the_rest_over_the_limit_is_counted(self) -> None:
        """A mebibyte of each stream is kept."""
        capture = StdioCapture()
        write(capture, b"x" * (KEPT_BYTES - 1), b"yz", b"more")
        write(capture, b"e" * (KEPT_BYTES + 7), stream="stderr")
        taken = capture.take()
        assert taken.stdout == "x" * (KEPT_BYTES - 1) + "y"
        assert len(taken.stderr) == KEPT_BYTES
        assert taken.cut_bytes == 1 + 4 + 7

    def test_exactly_the_limit_is_kept_whole(self) -> None:
        """Nothing is counted as cut."""
        capture = StdioCapture()
        write(capture, b"x" * KEPT_BYTES)
        assert capture.take().cut_bytes == 0

    @pytest.mark.parametrize("character", ["é", "€", "😀"])
    def test_the_limit_does_not_leave_half_a_character(self, character: str) -> None:
        """Its bytes count as cut."""
        encoded = character.encode()
        for kept in range(1, len(encoded)):
            capture = StdioCapture()
            write(capture, b"x" * (KEPT_BYTES - kept), encoded)
            taken = capture.take()
            assert taken.stdout == "x" * (KEPT_BYTES - kept)
            assert taken.cut_bytes == len(encoded)

    def test_bad_bytes_at_the_limit_are_shown_and_not_taken_for_half_a_character(self) -> None:
        """A lone continuation byte is no beginning."""
        capture = StdioCapture()
        write(capture, b"x" * (KEPT_BYTES - 5), b"\x80" * 5, b"more")
        taken = capture.take()
        assert taken.stdout.endswith("\ufffd" * 5)
        assert taken.cut_bytes == 4


class TestGuest:
    def test_two_mebibytes_of_output_are_cut_and_the_next_call_is_clean(self) -> None:
        """The guest notices nothing."""
        with running(hook({"on-shell": Print(Field("command"))})) as instance:
            result = fire(instance, "on-shell", command="x" * (2 * KEPT_BYTES))
            assert (len(result.stdout), result.cut_bytes) == (KEPT_BYTES, KEPT_BYTES)
            assert result.answer == "none"
            after = fire(instance, "on-shell", command="short")
            assert (after.stdout, after.cut_bytes) == ("short", 0)

    def test_a_capture_that_raises_does_not_reach_the_guest(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Also not when it is the user's Ctrl-C; it is logged."""

        def interrupted(stream: object, chunk: bytes) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(wasi._Stream, "write", interrupted)
        with running(hook({"on-shell": Print("x")})) as instance:
            assert fire(instance, "on-shell").answer == "none"
        assert "a hook's output" in caplog.text

    def test_writers_are_forgotten_with_their_stores(self) -> None:
        """The registry is as before."""
        before = len(wasi._WRITERS)
        for _ in range(5):
            with running(hook({"on-shell": Print("x")})) as instance:
                fire(instance, "on-shell")
        assert len(wasi._WRITERS) == before
