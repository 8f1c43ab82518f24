"""Frames: every message there and back, in chunks of any size, and bytes that are none."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.contract.record import (
    Artifact,
    Decision,
    Disposition,
    Failure,
    Fault,
    HookCall,
    LogEntry,
    Outcome,
    StepRecord,
    Totals,
)
from inspector.protocol import frame
from inspector.protocol.frame import FrameDecoder, FrameError, decode_line, encode, encode_line
from inspector.protocol.message import (
    BeginTask,
    Decide,
    Done,
    Drain,
    EndTask,
    EngineReady,
    EventFrame,
    Failed,
    Fire,
    Hello,
    HookState,
    Interrupt,
    LogAppended,
    Notice,
    Observe,
    OpenCapsule,
    Progress,
    Pump,
    ReplyFrame,
    RequestFrame,
    ResetHook,
    SessionSettings,
    SessionStarted,
    SetHeld,
    Shutdown,
    StartSession,
    StepFinished,
    StepStarted,
    TaskOutput,
)

RECORD = StepRecord(
    step=3,
    event="on-shell",
    phase="decide",
    calls=(
        HookCall("h", "blocking", "deny", Disposition.HONORED, "no\0", reason="no\0"),
        HookCall("h", "async", "error", Disposition.ERROR, error="x", failure=Failure.TRAP),
    ),
    outcome=Outcome(
        (Artifact("h", "{}"),), ({"role": "u"},), decision=Decision("denied", "h", "n")
    ),
    faults=(Fault("h", "on-shell", "artifact"),),
    logs=(LogEntry("logs/hook-h.log", "two\nlines"),),
    totals=Totals(input_tokens=2**64 - 1),
    fields={"turn": 2**32 - 1, "argv": ["\ud7ff", "\U0010ffff"]},
)
FRAMES = [
    *[
        RequestFrame(number, body)
        for number, body in enumerate(
            [
                Hello(1),
                OpenCapsule("/x", "0.3"),
                StartSession(SessionSettings(env={"a": "b"}, inference={"reply": "x"})),
                SetHeld(held=True),
                Interrupt(),
                Shutdown(),
                *[
                    Fire(1, action)
                    for action in [
                        Observe("on-shell", {"turn": 2**32 - 1}),
                        Decide("on-shell"),
                        BeginTask("a", "b"),
                        TaskOutput("x"),
                        EndTask(),
                        Drain(50),
                        Pump(),
                        ResetHook("h"),
                    ]
                ],
            ],
            1,
        )
    ],
    ReplyFrame(1, Done()),
    ReplyFrame(2, Failed("usage", "m", "h", "f", 1, 2)),
    *[
        EventFrame(number, body)
        for number, body in enumerate(
            [
                EngineReady(1, {"a": "1"}),
                Progress("open", None, "x"),
                SessionStarted("s", "w", "a", "h", {"k": []}, ("git",), True),
                HookState("h", "ready", memory_bytes=2**40),
                StepStarted(1, "on-shell", "observe", {"turn": 1}),
                StepFinished(RECORD),
                LogAppended("stdout", "x", "h", 1),
                Notice("warning", "x"),
            ],
            1,
        )
    ],
]


class TestRoundTrip:
    """Every message there and back."""

    @pytest.mark.parametrize("message", FRAMES, ids=lambda f: type(f.body).__name__)
    def test_frame__any_message__comes_back_equal(self, message):
        """64-bit numbers and any text are exact."""
        assert FrameDecoder().feed(encode(message)) == [message]

    @given(st.lists(st.integers(1, 400), min_size=1, max_size=60))
    def test_frames__cut_anywhere__come_back_in_order(self, sizes):
        """Chunks of any size."""
        data = b"".join(encode(message) for message in FRAMES)
        decoder, found, start = FrameDecoder(), [], 0
        for size in (*sizes, len(data)):
            found += decoder.feed(data[start : start + size])
            start += size
        assert found == FRAMES
        assert decoder.pending_bytes == 0

    @given(st.text(), st.integers(0, 2**64 - 1))
    def test_event__any_text_and_number__is_exact(self, text, number):
        """NUL, controls, surrogate-free Unicode; u64."""
        message = EventFrame(1, StepStarted(1, text, "observe", {"a": text, "n": number}))
        assert FrameDecoder().feed(encode(message)) == [message]

    def test_line__of_a_recording__comes_back(self):
        """The same event as one line."""
        message = EventFrame(7, StepFinished(RECORD))
        line = encode_line(message)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert decode_line(line) == message


class TestTrouble:
    """Bytes that are no frames."""

    @pytest.mark.parametrize(
        "body",
        [b"", b"{}", b"[]", b'{"type":"request","id":1,"body":{"type":"nope"}}', b"\xff", b"{"],
    )
    def test_feed__no_message__is_an_error(self, body):
        """The connection cannot go on."""
        with pytest.raises(FrameError):
            FrameDecoder().feed(struct.pack("<I", len(body)) + body)

    def test_feed__huge_length__is_refused_before_anything_is_collected(self):
        """A stray length never makes the reader wait for gigabytes."""
        with pytest.raises(FrameError, match="exceeds"):
            FrameDecoder().feed(struct.pack("<I", frame.MAX_FRAME_BYTES + 1))

    def test_encode__too_long__is_refused(self, monkeypatch):
        """The limit holds on both sides."""
        monkeypatch.setattr(frame, "MAX_FRAME_BYTES", 100)
        with pytest.raises(FrameError, match="limit of 100"):
            encode(EventFrame(1, Notice("info", "x" * 200)))

    def test_line__garbage__is_an_error(self):
        """A broken recording says so."""
        with pytest.raises(FrameError):
            decode_line(b"nonsense\n")
