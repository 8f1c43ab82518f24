"""What the capsule's ceiling leaves of a driver's or a tool's own entry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.manifest.capsule_manifest import read
from inspector.manifest.driver_grant import Narrowed, narrow, warnings
from inspector.manifest.grant import DriverGrant, NetworkRule


def _narrowed(wide: str, own: str | None) -> Narrowed:
    block = "" if own is None else f", capabilities: {own}"
    text = (
        "name: demo\nversion: 0.1.0\nartifacts:\n"
        f"  - {{name: drive, version: 1.0.0, runtime: driver{block}}}\n"
        f"capabilities: {wide}\n"
    )
    manifest = read(text, "f")
    return narrow(manifest.entries[0], manifest.capabilities)


def _left(ceiling: str, own: str) -> tuple[list[str], list[str]]:
    narrowed = _narrowed(f"{{network: {{allow: [{ceiling}]}}}}", f"{{network: {{allow: [{own}]}}}}")
    kept, dropped = narrowed.grant.network, narrowed.dropped
    return [rule.entry for rule in kept], [rule.entry for rule in dropped]


@pytest.mark.parametrize(
    ("ceiling", "own", "is_kept"),
    [
        ("a.test", "a.test", True),
        ("a.test", "'a.test:8443'", True),
        ("a.test", "'https://a.test'", True),
        ("a.test", "'http://A.test:8080'", True),
        ("a.test", "b.test", False),
        ("a.test", "sub.a.test", False),
        ("'a.test:443'", "'https://a.test'", True),
        ("'a.test:443'", "a.test", False),
        ("'a.test:443'", "'http://a.test:443'", True),
        ("'https://a.test'", "'a.test:443'", False),
        ("'https://a.test'", "'https://a.test:443/'", True),
        ("'https://a.test'", "'http://a.test'", False),
        ("'https://a.test'", "'https://a.test:444'", False),
        ("", "a.test", False),
    ],
)
def test_rule__is_kept_when_a_rule_of_the_ceiling_covers_it(
    ceiling: str, own: str, is_kept: bool
) -> None:
    """Host equal, scheme and port equal or open in the ceiling."""
    kept, dropped = _left(ceiling, own)
    assert (len(kept), len(dropped)) == ((1, 0) if is_kept else (0, 1))


def test_one_covering_rule__is_enough_and_the_order_is_the_entrys() -> None:
    """Each rule alone is looked at."""
    assert _left("b.test, a.test", "c.test, a.test, b.test, a.test") == (
        ["a.test", "b.test", "a.test"],
        ["c.test"],
    )


@pytest.mark.parametrize("own", [None, "{}", "{filesystem: {scope: out}}", "{network: null}"])
def test_entry_without_a_network_block__has_the_whole_ceiling(own: str | None) -> None:
    """Nothing there to narrow it."""
    narrowed = _narrowed("{network: {allow: [a.test, b.test]}}", own)
    assert [rule.entry for rule in narrowed.grant.network] == ["a.test", "b.test"]


@pytest.mark.parametrize("own", ["{network: {}}", "{network: {allow: []}}"])
def test_empty_network_block__leaves_nothing(own: str) -> None:
    """It narrows to no rule at all."""
    assert _narrowed("{network: {allow: [a.test]}}", own) == Narrowed(DriverGrant())


def test_no_capsule_wide_block__grants_nothing() -> None:
    """A driver has no more than its capsule."""
    manifest = read(
        "name: demo\nversion: 0.1.0\nartifacts:\n"
        "  - {name: t, version: 1, capabilities: {network: {allow: [a.test]}}}\n",
        "f",
    )
    narrowed = narrow(manifest.entries[0], manifest.capabilities)
    assert narrowed.grant == DriverGrant()
    (found,) = warnings(manifest.entries[0], narrowed, "f")
    assert (found.code, found.severity, found.file, found.line) == ("W-SEC-007", "warning", "f", 4)


def test_scope__is_the_entrys_and_not_the_capsules() -> None:
    """The capsule-wide scope is that of tools."""
    wide = "{filesystem: {scope: wide}}"
    assert _narrowed(wide, None).grant.filesystem_scope is None
    assert _narrowed(wide, "{filesystem: {scope: out/x}}").grant.filesystem_scope == "out/x"


def test_variables__are_the_capsules_and_not_the_entrys() -> None:
    """In written order."""
    narrowed = _narrowed("{env: {allow: [B, A]}}", "{env: {allow: [C]}}")
    assert narrowed.grant.env == ("B", "A")


def test_bad_entries__are_faults_and_the_rest_stays() -> None:
    """A bad rule of the ceiling covers nothing and is told elsewhere."""
    narrowed = _narrowed(
        "{network: {allow: [a.test, 'x://bad']}}",
        "{network: {allow: ['', a.test]}, filesystem: {scope: /}}",
    )
    assert [fault.code for fault in narrowed.faults] == ["E-CAP-001", "E-CAP-002"]
    assert [rule.entry for rule in narrowed.grant.network] == ["a.test"]
    assert narrowed.grant.filesystem_scope is None


_RULES = st.builds(
    NetworkRule,
    st.just("r"),
    st.sampled_from([None, "http", "https"]),
    st.sampled_from(["a", "b"]),
    st.sampled_from([None, 80, 443]),
)


@given(_RULES, _RULES)
def test_covers__is_that_every_allowed_target_is_allowed(
    ceiling: NetworkRule, rule: NetworkRule
) -> None:
    """Checked against all targets there are, one port that no rule names included."""
    targets = [
        (scheme, host, port)
        for scheme in ("http", "https", "ftp")
        for host in ("a", "b")
        for port in (80, 443, 1, None)
    ]
    allowed = [target for target in targets if rule.allows(*target)]
    assert ceiling.covers(rule) == all(ceiling.allows(*target) for target in allowed)
