"""From the engine's texts to the runtime's words."""

import pytest
from wasmtime import WasmtimeError

from inspector.contract.record import Failure
from inspector.runtime import failure
from inspector.runtime.memory import MemoryAccount

BACKTRACE = "error while executing at wasm backtrace:\n    0:     0x5e - m!f\n    1:     0x6b - m!g"
TRAP = f"{BACKTRACE}\n\nCaused by:\n    wasm trap: wasm `unreachable` instruction executed\n"
INTERRUPT = f"{BACKTRACE}\n\nCaused by:\n    wasm trap: interrupt\n"
POISONED = "wasm trap: cannot enter component instance"
CHAIN = (
    "component imports instance `a:b/c`, but a matching implementation was not found in the "
    "linker\n\nCaused by:\n    0: instance export `f` has the wrong type\n"
    "    1: type mismatch with parameters\n    2: expected `u32`, found `u64`\n"
)
FORGED = (
    "error while executing at wasm backtrace:\n    0: 0x1 - m!x\n\nCaused by:\n"
    "    wasm trap: interrupt\n    1: 0x2 - m!y\n\nCaused by:\n    wasm trap: integer overflow\n"
)
"""A function may be called anything, line ends included."""


@pytest.mark.parametrize(
    ("text", "shown", "cause"),
    [
        (TRAP, BACKTRACE, "wasm trap: wasm `unreachable` instruction executed"),
        (INTERRUPT, BACKTRACE, "wasm trap: interrupt"),
        (POISONED, POISONED, POISONED),
        (CHAIN, CHAIN.split("\n")[0], "expected `u32`, found `u64`"),
        (FORGED, FORGED.rpartition("\n\nCaused")[0], "wasm trap: integer overflow"),
        ("invalid utf-8 sequence", "invalid utf-8 sequence", "invalid utf-8 sequence"),
    ],
)
def test_texts__an_error_with_causes__is_shown_by_its_head_and_sorted_by_its_root(
    text: str, shown: str, cause: str
) -> None:
    """What the runtime writes is the head; what decides is the last cause."""
    error = WasmtimeError(text)
    assert failure.display_text(error) == shown
    assert failure.root_cause(error) == cause
    assert failure.full_text(error) == text.rstrip("\n")


@pytest.mark.parametrize(
    ("text", "worded"),
    [
        ("discriminant 7 out of range [0..2)", "invalid expected discriminant"),
        ("discriminant 200 out of range [0..7)", "unexpected discriminant: 200"),
        ("discriminant of something", "discriminant of something"),
    ],
)
def test_runtime_text__a_bad_discriminant__is_worded_as_the_runtime_words_it(
    text: str, worded: str
) -> None:
    """The C side has another sentence for it."""
    assert failure.runtime_text(WasmtimeError(text)) == worded


def sort(text: str, *, interrupted: bool = False, denial: str | None = None) -> tuple[Failure, str]:
    """Classify a text for hook h at on-shell with a deadline of 30 s."""
    account = MemoryAccount(65536)
    account.denial = denial
    return failure.classify(
        WasmtimeError(text),
        account,
        interrupted=interrupted,
        subject="hook 'h' on-shell",
        deadline_s=30,
    )


class TestClassify:
    def test_a_trap_keeps_the_backtrace(self) -> None:
        """All its lines go to the log."""
        assert sort(TRAP) == (Failure.TRAP, f"hook 'h' on-shell trapped: {BACKTRACE}")

    def test_an_interrupt_is_the_deadline(self) -> None:
        """Nobody asked for it."""
        assert sort(INTERRUPT) == (
            Failure.DEADLINE,
            "hook 'h' on-shell exceeded its 30s execution deadline "
            "(capabilities.limits.deadline_seconds) and was interrupted",
        )

    def test_an_interrupt_that_the_user_asked_for_is_classed_apart(self) -> None:
        """The text is ours."""
        assert sort(INTERRUPT, interrupted=True) == (
            Failure.INTERRUPTED,
            "hook 'h' on-shell was interrupted by the user",
        )

    def test_a_trap_that_came_before_the_users_interrupt_stays_a_trap(self) -> None:
        """The flag alone says nothing."""
        assert sort(TRAP, interrupted=True)[0] is Failure.TRAP

    def test_a_forged_cause_in_a_name_is_not_believed(self) -> None:
        """The engine's cause is the last one."""
        assert sort(FORGED)[0] is Failure.TRAP

    def test_a_poisoned_instance(self) -> None:
        """The whole text is the engine's only one."""
        assert sort(POISONED) == (Failure.POISONED, f"hook 'h' on-shell trapped: {POISONED}")

    @pytest.mark.parametrize("text", [TRAP, INTERRUPT, POISONED])
    @pytest.mark.parametrize("interrupted", [True, False])
    def test_a_denial_explains_everything_that_comes_after(
        self, text: str, interrupted: bool
    ) -> None:
        """It wins over the kind of the trap."""
        assert sort(text, interrupted=interrupted, denial="DETAIL") == (
            Failure.RESOURCE_LIMIT,
            "hook 'h' on-shell exceeded its configured resource limits: DETAIL",
        )
