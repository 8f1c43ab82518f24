"""The shipped contracts against their facts, value by value (docs/spec/contract.md)."""

import pytest

from inspector.contract import contract
from inspector.contract.contract import EVENTS, Phase
from inspector.contract.profile import PROFILES, profile
from inspector.contract.type import (
    Enum,
    ListOf,
    OptionOf,
    Primitive,
    Record,
    ResultOf,
    Variant,
    signature,
    spell,
)

MESSAGE_2 = "role string, content string"
MESSAGE_8 = f"{MESSAGE_2}, id option<string>, source-id option<string>"
FIELDS = {
    "0.2.0": {
        "message": MESSAGE_2,
        "on-task-start": "task-id string, context-id string, source string, input-bytes u64",
        "on-tool-call": "turn u32, tool-name string, input-bytes u64, output-bytes u64, "
        "duration-ms u64, status string",
        "on-shell": "turn u32, command string, exit-code s32, stdout string, stderr string, "
        "stdout-bytes u64, stderr-bytes u64, duration-ms u64",
        "on-compaction": "messages list<message>, session-tokens u64, threshold f64",
    },
    "0.8.0": {
        "message": MESSAGE_8,
        "on-task-start": "task-id string, context-id string, source string, input-bytes u64, "
        "budget-tokens u64, context-window u64, prior-tokens u64",
        "on-tool-call": "turn u32, tool-name string, input-bytes u64, input string, "
        "outcome option<tool-outcome>",
        "on-shell": "turn u32, binary string, command string, argv list<string>, "
        "script option<string>, recipe option<string>, outcome option<shell-outcome>",
        "on-compaction": "messages list<message>, session-tokens u64, threshold f64, "
        "model option<string>, system-prompt option<string>",
    },
}
FIELDS["0.9.0"] = FIELDS["0.8.0"] | {
    "message": f"{MESSAGE_8}, inserted-by option<context-insertion>"
}
COMMON = {
    "on-stage": "shell-allow list<string>",
    "on-session-start": "capsule-name string, capsule-version string, session-id string, "
    "model string, capabilities list<string>",
    "on-inference": "turn u32, input-tokens u64, output-tokens u64, decision string, "
    "tool-name option<string>, prompt option<string>, output option<string>, "
    "tools option<string>",
    "on-task-end": "task-id string, exit-status string",
    "on-session-end": "total-turns u32, total-input-tokens u64, total-output-tokens u64, "
    "total-tool-calls u32, total-shell-calls u32, duration-ms u64, exit-status string",
}
ARMS = {
    "0.2.0": ["none", "replace-context", "write-manifests", "artifact"],
    "0.8.0": [
        "none",
        "replace-context",
        "write-manifests",
        "artifact",
        "reopen-task",
        "seed-context",
        "deny",
    ],
}
ARMS["0.9.0"] = ARMS["0.8.0"]
OBSERVED = {
    "0.2.0": {
        "on-stage": "write-manifests",
        "on-inference": "artifact",
        "on-compaction": "replace-context",
    }
}
OBSERVED["0.8.0"] = OBSERVED["0.2.0"] | {
    "on-task-start": "seed-context",
    "on-task-end": "reopen-task",
}
OBSERVED["0.9.0"] = OBSERVED["0.8.0"]


def fields(record):
    """A record's fields as `name type, ...`."""
    return ", ".join(f"{field.name} {spell(field.type)}" for field in record.fields)


class TestRecords:
    """Every record of every version."""

    @pytest.mark.parametrize("version", FIELDS)
    @pytest.mark.parametrize("event", EVENTS)
    def test_record__any_event__has_the_fields_of_the_spec(self, version, event):
        """Names, types and order."""
        wanted = (FIELDS[version] | COMMON)[event] if event in COMMON else FIELDS[version][event]
        assert fields(contract.load(version).record(event)) == wanted

    @pytest.mark.parametrize("version", FIELDS)
    def test_message__any_version__has_the_fields_of_the_spec(self, version):
        """Names, types and order."""
        assert fields(contract.load(version).message) == FIELDS[version]["message"]

    @pytest.mark.parametrize("version", ["0.8.0", "0.9.0"])
    def test_outcomes__later_versions__have_the_fields_of_the_spec(self, version):
        """The nested records."""
        types = contract.load(version).lifecycle.types
        assert fields(types["tool-outcome"]) == "output-bytes u64, duration-ms u64, status string"
        assert fields(types["shell-outcome"]) == (
            "exit-code s32, stdout string, stderr string, stdout-bytes u64, stderr-bytes u64, "
            "duration-ms u64"
        )
        assert fields(types["tool-manifest"]) == "binary-name string, content string"

    @pytest.mark.parametrize("version", FIELDS)
    @pytest.mark.parametrize("event", EVENTS)
    def test_function__any__takes_one_record_and_returns_a_result(self, version, event):
        """`ctx` for on-session-start, `event` for the others."""
        function = contract.load(version).function(event)
        name = "ctx" if event == "on-session-start" else "event"
        record = function.parameters[0].type.name
        assert signature(function) == (f"func({name}: {record}) -> result<hook-output, string>")


class TestOutput:
    """The variant and its arms."""

    @pytest.mark.parametrize("version", ARMS)
    def test_arms__any_version__stand_in_discriminant_order(self, version):
        """The index is the discriminant."""
        assert list(contract.load(version).arms) == ARMS[version]

    def test_payloads__0_8__are_those_of_the_spec(self):
        """What each arm carries."""
        found = contract.load("0.8.0")
        texts = {arm: found.type_of_arm(arm) for arm in found.arms}
        assert {arm: None if t is None else spell(t) for arm, t in texts.items()} == {
            "none": None,
            "replace-context": "list<message>",
            "write-manifests": "list<tool-manifest>",
            "artifact": "string",
            "reopen-task": "string",
            "seed-context": "list<message>",
            "deny": "string",
        }


class TestTables:
    """What WIT cannot say."""

    @pytest.mark.parametrize("version", OBSERVED)
    @pytest.mark.parametrize("event", EVENTS)
    def test_honored__any_event__is_the_table_of_the_spec(self, version, event):
        """One arm at most in each phase, never the same in both."""
        found = contract.load(version)
        observed = found.honored_arm(event, Phase.OBSERVE)
        decided = found.honored_arm(event, Phase.DECIDE)
        assert observed == OBSERVED[version].get(event)
        gates = version != "0.2.0" and event in ("on-tool-call", "on-shell")
        assert decided == ("deny" if gates else None)
        assert observed is None or decided is None

    @pytest.mark.parametrize("version", ARMS)
    def test_requirements__any_version__are_six_two_and_on_stage(self, version):
        """Six required in the order of the check, two optional, on-stage in neither list."""
        found = contract.load(version)
        assert found.rules.required == (
            "on-session-start",
            "on-inference",
            "on-tool-call",
            "on-shell",
            "on-compaction",
            "on-session-end",
        )
        assert found.rules.optional == ("on-task-start", "on-task-end")
        assert found.requirement("on-stage") == "stage"
        assert found.requirement("on-shell") == "required"
        assert found.requirement("on-task-end") == "optional"

    def test_honoring_events__deny__are_both_decision_points(self):
        """Where an arm would count."""
        found = contract.load("0.8.0").honoring_events("deny")
        assert found == (("on-tool-call", Phase.DECIDE), ("on-shell", Phase.DECIDE))

    @pytest.mark.parametrize(
        ("version", "interface", "gate"),
        [
            ("0.8.0", "murmur:runtime/inference@0.3.0", "inference"),
            ("0.8.0", "murmur:runtime/tokens@0.3.0", "none"),
            ("0.8.0", "murmur:task-io/read@0.1.0", "task_io"),
            ("0.8.0", "murmur:conversation/read@0.1.0", "conversation"),
            ("0.8.0", "murmur:conversation/read@0.2.0", "missing"),
            ("0.8.0", "murmur:runtime/tokens@0.2.0", "missing"),
            ("0.8.0", "murmur:task/task@0.1.0", "missing"),
            ("0.8.0", "wasi:http/outgoing-handler@0.2.4", "network"),
            ("0.8.0", "wasi:http/types@0.2.0", "none"),
            ("0.8.0", "wasi:http/incoming-handler@0.2.0", "missing"),
            ("0.8.0", "wasi:filesystem/preopens@0.2.3", "filesystem"),
            ("0.8.0", "wasi:sockets/tcp@0.2.0", "none"),
            ("0.8.0", "wasi:cli/stdout@0.3.0", "missing"),
            ("0.8.0", "wasi:cli/stdout@0.20.0", "missing"),
            ("0.9.0", "murmur:runtime/inference@0.4.0", "inference"),
            ("0.9.0", "murmur:conversation/read@0.2.0", "conversation"),
            ("0.2.0", "wasi:cli/stdout@0.2.0", "none"),
            ("0.2.0", "wasi:http/types@0.2.0", "missing"),
            ("0.2.0", "murmur:runtime/tokens@0.3.0", "missing"),
        ],
    )
    def test_imports__any__are_provided_as_the_spec_says(self, version, interface, gate):
        """Exactly one version of each interface, and WASI 0.2."""
        rule = contract.load(version).import_rule(interface)
        assert ("missing" if rule is None else rule.gate or "none") == gate


class TestHostInterfaces:
    """The imports of 0.8.0."""

    @pytest.mark.parametrize(
        ("interface", "function", "wanted"),
        [
            (
                "murmur:runtime/inference@0.3.0",
                "run-inference",
                "func(request: inference-request) -> result<inference-response, string>",
            ),
            ("murmur:runtime/tokens@0.3.0", "count", "func(text: string) -> u64"),
            (
                "murmur:task-io/read@0.1.0",
                "input-len",
                "func(form: task-input-form) -> result<u64, io-error>",
            ),
            (
                "murmur:task-io/read@0.1.0",
                "read-input",
                "func(form: task-input-form, offset: u64, max-bytes: u64) -> "
                "result<string, io-error>",
            ),
            ("murmur:task-io/read@0.1.0", "output-len", "func() -> result<u64, io-error>"),
            (
                "murmur:task-io/read@0.1.0",
                "read-output",
                "func(offset: u64, max-bytes: u64) -> result<string, io-error>",
            ),
            (
                "murmur:conversation/read@0.1.0",
                "read-messages",
                "func(cursor: option<string>, limit: u32) -> result<message-page, string>",
            ),
            ("murmur:tool/run@0.1.0", "run", "func(input: tool-input) -> tool-result"),
        ],
    )
    def test_function__of_an_import__has_the_signature_of_the_spec(
        self, interface, function, wanted
    ):
        """Names, types and order."""
        found = contract.load("0.8.0").interfaces[interface]
        assert signature(found.functions[function]) == wanted

    def test_enums__of_the_imports__stand_in_order(self):
        """The index is the discriminant."""
        read = contract.load("0.8.0").interfaces["murmur:task-io/read@0.1.0"]
        assert read.types["io-error"].cases == (
            "not-granted",
            "no-task",
            "no-output",
            "out-of-range",
        )
        assert read.types["task-input-form"].cases == ("as-given", "original")


def flat(kind):
    """The core types that a value flattens to; variants join as the canonical ABI does."""
    match kind:
        case Primitive(name="string"):
            return ["i32", "i32"]
        case Primitive(name="u64"):
            return ["i64"]
        case Primitive(name="f64"):
            return ["f64"]
        case Primitive() | Enum():
            return ["i32"]
        case ListOf():
            return ["i32", "i32"]
        case OptionOf(payload=payload):
            return ["i32", *flat(payload)]
        case Record(fields=parts):
            return [core for part in parts for core in flat(part.type)]
        case Variant() | ResultOf():
            raise NotImplementedError
    raise AssertionError(kind)


class TestFlattening:
    """The core parameters of 0.8.0, which hand-written hooks rely on."""

    @pytest.mark.parametrize(
        ("event", "wanted"),
        [
            ("on-stage", "i32 i32"),
            ("on-session-start", " ".join(["i32"] * 10)),
            ("on-task-start", " ".join(["i32"] * 6 + ["i64"] * 4)),
            ("on-tool-call", "i32 i32 i32 i64 i32 i32 i32 i64 i64 i32 i32"),
            ("on-compaction", "i32 i32 i64 f64 i32 i32 i32 i32 i32 i32"),
            ("on-task-end", "i32 i32 i32 i32"),
            ("on-session-end", "i32 i64 i64 i32 i32 i64 i32 i32"),
        ],
    )
    def test_core_parameters__small_records__are_those_of_the_spec(self, event, wanted):
        """At most 16 flat values go in registers."""
        assert " ".join(flat(contract.load("0.8.0").record(event))) == wanted

    @pytest.mark.parametrize(
        ("version", "event", "count"),
        [("0.8.0", "on-inference", 17), ("0.8.0", "on-shell", 22)],
    )
    def test_core_parameters__large_records__exceed_sixteen(self, version, event, count):
        """They go behind one pointer."""
        assert len(flat(contract.load(version).record(event))) == count


class TestProfiles:
    """Which contract each runtime takes, and where behaviour differs."""

    def test_profiles__each__takes_one_contract(self):
        """Adding a version is a folder and a table."""
        assert {name: each.contract_version for name, each in PROFILES.items()} == {
            "0.1": "0.2.0",
            "0.3": "0.8.0",
            "0.4": "0.9.0",
        }
        assert set(contract.versions()) == {"0.2.0", "0.8.0", "0.9.0"}

    def test_profile__0_1__differs_as_the_spec_says(self):
        """Section 8, row by row."""
        old = profile("0.1")
        assert (old.async_policy, old.unhonored, old.grants) == ("detached", "silent", "inherited")
        assert not old.has_decisions
        assert not old.compaction_errors_surface
        assert not old.passes_config
        assert old.signs_checkpoints
        assert old.hook_deadline_s == 600
        assert profile("0.3").hook_deadline_s == 30

    def test_unknown__version_or_profile__is_a_key_error(self):
        """Nothing is guessed."""
        with pytest.raises(KeyError):
            contract.load("0.5.0")
        with pytest.raises(KeyError):
            profile("0.2")
