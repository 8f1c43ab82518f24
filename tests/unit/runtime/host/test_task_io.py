"""murmur:task-io/read."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.manifest.grant import Grant
from inspector.runtime.host import task_io
from inspector.runtime.host.ledger import GrantKind, GrantLedger
from inspector.runtime.host.task_io import TaskIoState

_FORMS = ("as-given", "original")
_U64_MAX = 2**64 - 1


def _state(original="pristine", as_given="pristine + feedback", output=None):
    state = TaskIoState()
    state.begin_attempt(original, as_given)
    if output is not None:
        state.record_output(output)
    return state


def test_fresh_state__every_call__answers_no_task():
    """Stage, session-start and task-start see no task."""
    state = TaskIoState()
    for form in _FORMS:
        assert state.input_len(form) == {"err": "no-task"}
        assert state.read_input(form, 0, 10) == {"err": "no-task"}
    assert state.output_len() == {"err": "no-task"}
    assert state.read_output(0, 10) == {"err": "no-task"}


def test_fresh_state__offset_out_of_range__still_answers_no_task():
    """State errors come before the range check."""
    assert TaskIoState().read_input("original", _U64_MAX, 1) == {"err": "no-task"}
    assert TaskIoState().read_output(_U64_MAX, 1) == {"err": "no-task"}


def test_open_task__without_output__gives_inputs_and_no_output():
    """Between the start of an attempt and its output only the input is there."""
    state = _state()
    assert state.input_len("as-given") == {"ok": 19}
    assert state.input_len("original") == {"ok": 8}
    assert state.read_input("as-given", 0, _U64_MAX) == {"ok": "pristine + feedback"}
    assert state.read_input("original", 0, 100) == {"ok": "pristine"}
    assert state.output_len() == {"err": "no-output"}
    assert state.read_output(_U64_MAX, 1) == {"err": "no-output"}


def test_open_task__with_output__gives_it():
    """At task-end input and output are there."""
    state = _state(output="agent said this")
    assert state.output_len() == {"ok": 15}
    assert state.read_output(0, 100) == {"ok": "agent said this"}


def test_open_task__empty_output__is_an_output():
    """The empty text is not the absence of one."""
    state = _state(output="")
    assert state.output_len() == {"ok": 0}
    assert state.read_output(0, 5) == {"ok": ""}


def test_second_attempt__after_an_output__starts_without_one():
    """The output belongs to its attempt."""
    state = _state(output="first")
    state.begin_attempt("pristine", "pristine, again")
    assert state.output_len() == {"err": "no-output"}
    assert state.read_input("as-given", 0, 99) == {"ok": "pristine, again"}


def test_end_task__everything__is_cleared():
    """After the task nothing can be read."""
    state = _state(output="x")
    state.end_task()
    assert state.input_len("original") == {"err": "no-task"}
    assert state.output_len() == {"err": "no-task"}


def test_record_output__without_a_task__has_no_effect():
    """An output cannot open a task, nor survive into the next one."""
    state = TaskIoState()
    state.record_output("lost")
    assert state.output_len() == {"err": "no-task"}
    state.begin_attempt("a", "a")
    assert state.output_len() == {"err": "no-output"}


@pytest.mark.parametrize(
    ("offset", "max_bytes", "answer"),
    [
        (0, 0, {"ok": ""}),
        (0, 1, {"ok": "a"}),
        (0, 2, {"ok": "a"}),  # the end is cut back to a character
        (0, 3, {"ok": "aé"}),
        (1, 1, {"ok": ""}),  # the next character does not fit
        (1, 2, {"ok": "é"}),
        (2, 1, {"err": "out-of-range"}),  # inside a character
        (3, 3, {"ok": ""}),
        (3, 4, {"ok": "🤖"}),
        (4, 9, {"err": "out-of-range"}),
        (6, 9, {"err": "out-of-range"}),
        (7, 1, {"ok": "\0"}),
        (8, 0, {"ok": ""}),
        (8, _U64_MAX, {"ok": ""}),
        (9, 0, {"err": "out-of-range"}),
        (_U64_MAX, _U64_MAX, {"err": "out-of-range"}),
        (1, _U64_MAX, {"ok": "é🤖\0"}),
    ],
)
def test_window__of_mixed_widths__counts_utf8_bytes_and_keeps_characters_whole(
    offset, max_bytes, answer
):
    """Both reads follow the same rules; no size overflows."""
    text = "aé🤖\0"
    state = _state(text, text, output=text)
    assert state.read_input("original", offset, max_bytes) == answer
    assert state.read_output(offset, max_bytes) == answer


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(4, 9))
def test_window__paging_through_any_text__gives_it_back(text, step):
    """A reader that advances by what it got sees every byte once."""
    state = _state(text, text)
    pages, offset = [], 0
    while page := state.read_input("as-given", offset, step)["ok"]:
        pages.append(page)
        offset += len(page.encode())
    assert "".join(pages) == text


def test_implementations__without_the_grant__answer_not_granted_to_everything():
    """A denied read is a value, and never leaks a length."""
    ledger = GrantLedger("hook", Grant())
    functions = task_io.implementations(None, ledger)
    answers = [
        functions["input-len"]("original"),
        functions["read-input"]("original", 99, 1),
        functions["output-len"](),
        functions["read-output"](0, 1),
    ]
    assert answers == [{"err": "not-granted"}] * 4
    assert ledger.snapshot().of(GrantKind.TASK_IO)[0].refusals == 4


def test_implementations__with_the_grant__answer_from_the_state_and_count():
    """Each call is a use, whatever it answers."""
    ledger = GrantLedger("hook", Grant(task_io=True), clock_ms=lambda: 7)
    state = _state(output="done")
    functions = task_io.implementations(state, ledger)
    assert set(functions) == {"input-len", "read-input", "output-len", "read-output"}
    assert functions["input-len"]("as-given") == {"ok": 19}
    assert functions["read-input"]("original", 4, 4) == {"ok": "tine"}
    assert functions["output-len"]() == {"ok": 4}
    assert functions["read-output"](1, 2) == {"ok": "on"}
    (line,) = ledger.snapshot().of(GrantKind.TASK_IO)
    assert (line.uses, line.refusals, line.last_used_ms) == (4, 0, 7)


def test_state__moved_while_another_thread_reads__never_mixes_two_attempts():
    """A read sees one attempt as a whole."""
    state = TaskIoState()
    texts = ["a" * 50_000, "bb" * 50_000]
    state.begin_attempt(texts[0], texts[0])
    seen, stop = set(), threading.Event()

    def read():
        while not stop.is_set():
            seen.add(state.read_input("original", 0, _U64_MAX)["ok"])

    reader = threading.Thread(target=read)
    reader.start()
    for round_number in range(300):
        state.begin_attempt(texts[round_number % 2], "")
    stop.set()
    reader.join()
    assert seen <= set(texts)
