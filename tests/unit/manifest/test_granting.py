"""From entries to grants; the worked examples; faults and warnings."""

import pytest

from inspector.contract.profile import profile
from inspector.errors import InspectorError
from inspector.manifest.capsule_manifest import CapsuleManifest, read
from inspector.manifest.fault import Fault, Stage
from inspector.manifest.grant import Grant, NetworkRule
from inspector.manifest.granting import (
    Derived,
    capsule_faults,
    capsule_warnings,
    derive,
    entry_warnings,
)
from inspector.manifest.hook_config import OverflowPolicy

CURRENT, OLD = profile("0.3"), profile("0.1")

EXAMPLE_A = """\
name: ledger-demo
version: 0.3.1
artifacts:
  - name: audit-trail
    version: 1.0.0
    runtime: hook
    on_overflow: block
    capabilities:
      network: {allow: ["https://collect.test", "metrics.test:8443"]}
      filesystem: {scope: audit/out}
      state: {store: audit-shared}
    config: {level: 2, tags: [a, b]}
  - name: gatekeeper
    version: 0.2.0
    runtime: hook
    capabilities:
      task_io: {read: true}
      conversation: {read: false}
      state: {}
"""


def _derived(manifest: CapsuleManifest, index: int = 0) -> Derived:
    return derive(manifest.entries[index], manifest.name, CURRENT)


def _entry(text: str) -> str:
    return (
        "name: demo\nversion: 0.1.0\nartifacts:\n"
        f"  - {{name: watcher, version: 0.0.9, runtime: hook, {text}}}\n"
    )


def _faults(text: str) -> list[tuple[str, str]]:
    return [(fault.code, fault.message) for fault in _derived(read(_entry(text), "f")).faults]


def test_example_a__two_hooks__get_what_their_entries_say() -> None:
    """Full grants, with the manifest lines of each declaration."""
    manifest = read(EXAMPLE_A, "f")
    audit, gate = _derived(manifest), _derived(manifest, 1)
    assert audit.grant == Grant(
        network=(
            NetworkRule("https://collect.test", "https", "collect.test", 443, 9),
            NetworkRule("metrics.test:8443", None, "metrics.test", 8443, 9),
        ),
        filesystem_scope="audit/out",
        state_store="audit-shared",
        config_json='{"level":2,"tags":["a","b"]}',
        lines={"network": 9, "filesystem": 10, "state": 11, "config": 12},
    )
    assert gate.grant == Grant(
        state_store="ledger-demo",
        task_io=True,
        lines={"task_io": 17, "conversation": 18, "state": 19},
    )
    assert (audit.faults, gate.faults) == ((), ())
    assert [e.on_overflow for e in manifest.entries] == [OverflowPolicy.BLOCK, OverflowPolicy.DROP]


def test_example_b__nothing_declared__grants_nothing() -> None:
    """The default denies everything."""
    assert _derived(read(_entry(""), "f")) == Derived(Grant(), ())


def test_example_c__inert_keys__are_one_warning() -> None:
    """Blocks that do nothing on a hook are named in one warning; limits stay as they are."""
    text = "capabilities: {shell: {allow: [git]}, limits: {deadline_seconds: 5}}"
    manifest = read(_entry(text), "f")
    (warning,) = entry_warnings(manifest.entries[0], CURRENT, "f")
    assert (warning.code, warning.severity, warning.hook) == ("W-SEC-006", "warning", "watcher")
    assert warning.message == (
        "hook 'watcher' declares capabilities.shell, capabilities.limits which the runtime does "
        "not apply per-hook"
    )
    assert manifest.capabilities is None
    assert _derived(manifest).grant == Grant()


def test_example_d__capsule_wide_deadline__reaches_hooks() -> None:
    """The declared deadline replaces the default of hook calls."""
    text = "name: tight\nversion: 0.1.0\ncapabilities: {limits: {deadline_seconds: 4}}\n"
    manifest = read(text, "f")
    assert manifest.capabilities is not None
    assert manifest.capabilities.limits.hook_deadline_s(30) == 4


def test_example_e__overflow_of_a_tool__is_refused() -> None:
    """The second entry is at fault."""
    text = (
        "name: wrong-role\nversion: 0.1.0\nartifacts:\n"
        "  - {name: watcher, version: 0.0.9, runtime: hook}\n"
        "  - {name: greper, version: 1.2.0, runtime: tool, on_overflow: drop}\n"
    )
    with pytest.raises(InspectorError, match="at index 1: artifact 'greper' declares") as caught:
        read(text, "f")
    assert caught.value.line == 5


def test_example_f__read_not_said__is_refused() -> None:
    """A capability is never inferred."""
    with pytest.raises(InspectorError, match=r"'capabilities\.task_io\.read': must be set"):
        read(_entry("capabilities: {task_io: {}}"), "f")


def test_example_g__climbing_scope__is_a_launch_fault() -> None:
    """The manifest parses; the launch is refused."""
    assert _faults("capabilities: {filesystem: {scope: a/../../b}}") == [
        (
            "E-CAP-002",
            "invalid filesystem capability scope 'a/../../b': scope cannot escape the workdir "
            "via '..'",
        )
    ]


def test_example_h__two_faults__config_comes_first() -> None:
    """Both are found, in the order in which the runtime meets them."""
    text = "capabilities: {network: {allow: ['https://api.test/v1']}}, config: "
    assert _faults(text) == [
        (
            "E-CAP-010",
            "invalid config for artifact 'watcher': 'config:' must be a mapping of keys to "
            "values, but this entry declares an empty block",
        ),
        (
            "E-CAP-001",
            "invalid network capability allow entry 'https://api.test/v1': URL allow entries "
            "must not include path, query, or fragment",
        ),
    ]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("5", "must be a mapping of keys to values, but this entry declares a number"),
        ("1.5", "must be a mapping of keys to values, but this entry declares a number"),
        ("[]", "must be a mapping of keys to values, but this entry declares a sequence"),
        ("~", "must be a mapping of keys to values, but this entry declares an empty block"),
        ("''", "must be a mapping of keys to values, but this entry declares a string"),
        ("yes", "must be a mapping of keys to values, but this entry declares a string"),
        ("true", "must be a mapping of keys to values, but this entry declares a boolean"),
    ],
)
def test_derive__config_of_another_shape__is_named(config: str, message: str) -> None:
    """A config is a mapping."""
    ((code, text),) = _faults(f"config: {config}")
    assert code == "E-CAP-010"
    assert text == f"invalid config for artifact 'watcher': 'config:' {message}"


@pytest.mark.parametrize(
    ("config", "shape"),
    [
        ("{1: x}", "a number key 1"),
        ("{1.0: x}", "a number key 1.0"),
        ("{true: x}", "a boolean key true"),
        ("{~: x}", "an empty block key null"),
        ("{[a]: x}", 'a sequence key ["a"]'),
        ("{{a: 1}: x}", 'a mapping key {"a":1}'),
        ("{{[b]: 1}: x}", "a mapping key <unprintable>"),
    ],
)
def test_derive__config_key_no_string__is_quoted(config: str, shape: str) -> None:
    """Top-level keys are strings."""
    ((_, text),) = _faults(f"config: {config}")
    assert text == (
        "invalid config for artifact 'watcher': every key in 'config:' must be a string, but "
        f"this entry declares {shape}"
    )


@pytest.mark.parametrize("key", ["~", "[a]", "{a: 1}"])
def test_derive__nested_key_that_json_lacks__does_not_serialize(key: str) -> None:
    """Nested keys become strings where JSON has a spelling for them."""
    ((_, text),) = _faults(f"config: {{a: {{? {key} : 1}}}}")
    assert text == (
        "invalid config for artifact 'watcher': 'config:' does not serialize to JSON: key must "
        "be a string"
    )


@pytest.mark.parametrize("key", [".inf", ".nan"])
def test_derive__infinite_key__does_not_serialize(key: str) -> None:
    """A key that is no finite number is told apart."""
    ((_, text),) = _faults(f"config: {{a: {{{key}: 1}}}}")
    assert text.endswith("JSON: float key must be finite (got NaN or +/-inf)")


def test_derive__config__keeps_order_and_types() -> None:
    """Scalars are resolved, keys keep their order, text is not escaped beyond need."""
    text = (
        'config: {b: 1, a: "1", c: 1.50, d: yes, e: TRUE, f: 2024-01-01, g: ~, h: {1: x, '
        'true: y, 1.5: z}, i: .inf, j: "é\\"\\n\\0", k: 18446744073709551615, '
        "l: -9223372036854775808, m: !own {x: !t 1}, n: {}}"
    )
    assert _derived(read(_entry(text), "f")).grant.config_json == (
        '{"b":1,"a":"1","c":1.5,"d":"yes","e":true,"f":"2024-01-01","g":null,'
        '"h":{"1":"x","true":"y","1.5":"z"},"i":null,"j":"é\\"\\n\\u0000",'
        '"k":18446744073709551615,"l":-9223372036854775808,'
        '"m":{"!own":{"x":{"!t":1}}},"n":{}}'
    )


def test_derive__config_at_the_limit__passes_and_one_byte_more_does_not() -> None:
    """Exactly 65536 bytes of JSON pass; bytes count, not characters."""
    fill = "é" * 32762
    manifest = read(_entry(f"config: {{a: '{fill}xxxx'}}"), "f")
    text = _derived(manifest).grant.config_json
    assert text is not None
    assert len(text.encode()) == 65536
    assert _faults(f"config: {{a: '{fill}xxxxx'}}") == [
        (
            "E-CAP-010",
            "invalid config for artifact 'watcher': 'config:' serializes to 65537 bytes of JSON, "
            "over the 65536-byte limit for MURMUR_ARTIFACT_CONFIG",
        )
    ]


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        ("/etc", "scope must be relative to the workdir"),
        ("..", "scope cannot escape the workdir via '..'"),
        ("a/../../b/c", "scope cannot escape the workdir via '..'"),
        ("./../a", "scope cannot escape the workdir via '..'"),
    ],
)
def test_derive__scope_out_of_the_workdir__is_refused(scope: str, message: str) -> None:
    """Judged by its text alone."""
    assert _faults(f"capabilities: {{filesystem: {{scope: {scope}}}}}") == [
        ("E-CAP-002", f"invalid filesystem capability scope '{scope}': {message}")
    ]


@pytest.mark.parametrize("scope", [".", "./a", "a/../b", "a/b", "a//b/", "...", "a\\..\\.."])
def test_derive__scope_below__is_granted_trimmed(scope: str) -> None:
    """These stay below the start; a backslash is a character like any other."""
    derived = _derived(read(_entry(f"capabilities: {{filesystem: {{scope: ' {scope} '}}}}"), "f"))
    assert (derived.grant.filesystem_scope, derived.faults) == (scope, ())


def test_derive__blank_scope__is_absent() -> None:
    """A scope of blanks grants no folder."""
    derived = _derived(read(_entry("capabilities: {filesystem: {scope: '  '}}"), "f"))
    assert derived.grant.filesystem_scope is None


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ("''", "a store name must not be empty"),
        ("'  '", "a store name must not be empty"),
        ("a/b", "a store name is a single path segment and must not contain '/'"),
        ("/a", "a store name is a single path segment and must not contain '/'"),
        ("..", "a store name must not begin with '.'"),
        (".hidden", "a store name must not begin with '.'"),
        ('"a\\0b"', "a store name must not contain a NUL character"),
    ],
)
def test_derive__bad_store_name__is_refused(store: str, message: str) -> None:
    """A store is one path segment; a blank name is a name, not absence."""
    ((code, text),) = _faults(f"capabilities: {{state: {{store: {store}}}}}")
    assert code == "E-CAP-009"
    assert text.startswith("invalid state store name '")
    assert text.endswith(f"': {message}")


def test_derive__state_without_store__is_named_after_the_capsule() -> None:
    """Also when the name is no store name, which is refused then."""
    assert _derived(read(_entry("capabilities: {state: {}}"), "f")).grant.state_store == "demo"
    manifest = read(_entry("capabilities: {state: {store: ~}}").replace("demo", "a/b", 1), "f")
    assert [fault.stage for fault in _derived(manifest).faults] == [Stage.STATE_NAME]
    manifest = read(_entry("capabilities: {state: }"), "f")
    assert _derived(manifest).grant.state_store is None


def test_derive__every_fault__in_the_runtimes_order() -> None:
    """Names and configs before anything is found; then network entries, then the scope."""
    text = (
        "config: 1, capabilities: {filesystem: {scope: /x}, network: {allow: [a/b, ok, '']}, "
        "state: {store: a/b}}"
    )
    derived = _derived(read(_entry(text), "f"))
    assert [fault.code for fault in derived.faults] == [
        "E-CAP-009",
        "E-CAP-010",
        "E-CAP-001",
        "E-CAP-001",
        "E-CAP-002",
    ]
    assert [rule.host for rule in derived.grant.network] == ["ok"]


def test_derive__old_profile__neither_grants_nor_checks() -> None:
    """A runtime without per-hook grants does not read them, and the inspector says so."""
    text = "config: 1, capabilities: {filesystem: {scope: /x}, shell: {allow: [git]}}"
    manifest = read(_entry(text), "f")
    assert derive(manifest.entries[0], "demo", OLD) == Derived(Grant(), ())
    notes = entry_warnings(manifest.entries[0], OLD, "f")
    assert [(note.severity, note.code) for note in notes] == [("info", "ignored-by-profile")] * 2
    assert ["capabilities" in note.message for note in notes] == [True, False]


def _wide(text: str) -> CapsuleManifest:
    return read(f"name: demo\nversion: 0.1.0\n{text}\n", "f")


def test_capsule_faults__capsule_wide_block__is_judged_first() -> None:
    """Entries, scope and read-only paths of the block, then names."""
    manifest = _wide(
        "capabilities:\n  network: {allow: [a/b]}\n"
        "  filesystem: {scope: ../x, read_only: [/etc, ' ', ../y, ok]}\n"
        "  state: {store: .x}\ncontext: {record_store: a/b}"
    )
    faults = capsule_faults(manifest)
    assert [(fault.code, fault.stage) for fault in faults] == [
        ("E-CAP-001", Stage.CAPSULE_POLICY),
        ("E-CAP-002", Stage.CAPSULE_POLICY),
        ("E-CAP-012", Stage.CAPSULE_POLICY),
        ("E-CAP-012", Stage.CAPSULE_POLICY),
        ("E-CAP-011", Stage.CAPSULE_POLICY),
        ("E-CAP-009", Stage.STATE_NAME),
    ]
    assert faults[2].message == (
        "invalid read-only path '/etc': read-only path must be relative to the workdir"
    )
    assert faults[4].message == (
        "invalid context.record_store 'a/b': must be a single path segment: no '/', no '.' or "
        "'..', not absolute, and not starting with a dot"
    )


def test_capsule_faults__record_off__does_not_judge_its_store() -> None:
    """A record that is off has no folder."""
    assert capsule_faults(_wide("context: {record: off, record_store: a/b}")) == []


def test_capsule_warnings__blocks_that_grant_nothing__are_named() -> None:
    """State and conversation are granted per artifact."""
    manifest = _wide("capabilities:\n  state: {}\n  conversation: {read: true}")
    found = capsule_warnings(manifest, "f")
    assert [(w.code, w.line) for w in found] == [("W-SEC-014", 4), ("W-SEC-016", 5)]
    assert capsule_warnings(_wide(""), "f") == []


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ((Stage.CONFIG, 5), (Stage.FIND, 0)),
        ((Stage.STATE_NAME, 5), (Stage.CONFIG, 0)),
        ((Stage.GRANT_SCOPE, 0), (Stage.FIND, 1)),
        ((Stage.COMPONENT, 1), (Stage.GRANT_NETWORK, 1)),
        ((Stage.CAPSULE_POLICY, 0), (Stage.STATE_NAME, 0)),
    ],
)
def test_order__faults_of_entries__is_the_launch_order(
    earlier: tuple[Stage, int], later: tuple[Stage, int]
) -> None:
    """First what is decided up front, then entry by entry."""
    first, second = (Fault(stage, "c", "m").order(index) for stage, index in (earlier, later))
    assert first < second
