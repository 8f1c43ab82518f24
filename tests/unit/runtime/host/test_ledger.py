"""The ledger of grants."""

import threading

from inspector.manifest.grant import Grant, NetworkRule
from inspector.runtime.host.ledger import GrantKind, GrantLedger

_RULES = (
    NetworkRule("https://a.test", "https", "a.test", 443),
    NetworkRule("b.test:81", None, "b.test", 81),
)
_FULL = Grant(
    network=_RULES, filesystem_scope="out", state_store="kept", task_io=True, conversation=True
)


def test_snapshot__of_a_full_grant__has_a_line_for_each_rule_and_each_kind():
    """Order and declaration are those of the operator's entry."""
    lines = GrantLedger("h", _FULL, has_driver=True).snapshot().uses
    assert [(line.kind, line.entry, line.declared) for line in lines] == [
        ("network", "https://a.test", True),
        ("network", "b.test:81", True),
        ("filesystem", "out", True),
        ("state", "kept", True),
        ("task_io", "", True),
        ("conversation", "", True),
        ("inference", "", True),
    ]


def test_snapshot__of_no_grant__says_that_nothing_is_declared():
    """Every kind has a line, so that a reader need not know the list."""
    lines = GrantLedger("h", Grant()).snapshot().uses
    assert [line.kind for line in lines] == list(GrantKind)
    assert not any(line.declared for line in lines)
    assert not any(line.is_idle for line in lines)


def test_used__several_times__counts_and_keeps_the_last_time():
    """Only the rule that allowed a request is used."""
    times = iter([10, 20, 30])
    ledger = GrantLedger("h", _FULL, clock_ms=lambda: next(times))
    ledger.used(GrantKind.NETWORK, "b.test:81")
    ledger.used(GrantKind.NETWORK, "b.test:81")
    first, second = ledger.snapshot().of(GrantKind.NETWORK)
    assert (first.uses, first.last_used_ms, first.is_idle) == (0, None, True)
    assert (second.uses, second.last_used_ms, second.is_idle) == (2, 20, False)


def test_refused__network_beyond_the_rules__counts_on_a_line_of_its_own():
    """A refusal belongs to no rule."""
    ledger = GrantLedger("h", _FULL)
    ledger.refused(GrantKind.NETWORK)
    line = ledger.snapshot().of(GrantKind.NETWORK)[-1]
    assert (line.entry, line.declared, line.refusals, line.is_idle) == ("", False, 1, False)


def test_refused__without_any_rule__counts_on_the_one_network_line():
    """No second line appears."""
    ledger = GrantLedger("h", Grant())
    ledger.refused(GrantKind.NETWORK)
    (line,) = ledger.snapshot().of(GrantKind.NETWORK)
    assert line.refusals == 1


def test_files__granted__are_never_called_idle():
    """Their use cannot be seen, so nothing is said about it."""
    ledger = GrantLedger("h", _FULL)
    for kind in (GrantKind.FILESYSTEM, GrantKind.STATE):
        (line,) = ledger.snapshot().of(kind)
        assert line.declared
        assert not line.observable
        assert not line.is_idle


def test_snapshot__taken_before_a_use__does_not_change():
    """A snapshot is a value."""
    ledger = GrantLedger("h", _FULL)
    before = ledger.snapshot()
    ledger.used(GrantKind.TASK_IO)
    assert before.of(GrantKind.TASK_IO)[0].uses == 0
    assert ledger.snapshot().of(GrantKind.TASK_IO)[0].uses == 1


def test_used__from_many_threads__loses_no_count():
    """Async hooks and the dispatcher count at once."""
    ledger = GrantLedger("h", _FULL)

    def count():
        for _ in range(2_000):
            ledger.used(GrantKind.TASK_IO)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.snapshot().of(GrantKind.TASK_IO)[0].uses == 8_000
