"""A whole capsule manifest: order of checks, messages, values."""

import pytest

from inspector.errors import ErrorKind, InspectorError
from inspector.manifest.artifact_entry import Role
from inspector.manifest.capsule_manifest import CapsuleManifest, read
from inspector.manifest.hook_config import OverflowPolicy

HEAD = "name: c\nversion: 0.1.0\n"


def _entry(text: str) -> str:
    return f"{HEAD}artifacts:\n  - {{{text}}}\n"


def _top(text: str) -> str:
    return f"{HEAD}{text}\n"


def _http(text: str = "") -> str:
    return _top(f"inference: {{endpoint: 'https://m', model: m, driver: {{artifact: d}}, {text}}}")


def _refused(text: str) -> InspectorError:
    with pytest.raises(InspectorError) as caught:
        read(text, "murmur.yaml")
    assert caught.value.kind is ErrorKind.UNREADABLE_CAPSULE
    return caught.value


ENTRY = "murmur.yaml: invalid artifact declaration at index 0: "
CAPABILITY = "murmur.yaml: invalid capability config for "
INFERENCE = "murmur.yaml: invalid inference config for "
EXPLICIT = "must be set explicitly to true or false — a capability is never inferred"


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("", "murmur.yaml: missing required field 'name'", 1),
        ("version: 1", "murmur.yaml: missing required field 'name'", 1),
        ("name: ~\nversion: 1", "murmur.yaml: missing required field 'name'", 1),
        ("name: '  '\nversion: 1", "murmur.yaml: missing required field 'name'", 1),
        ("name: c", "murmur.yaml: missing required field 'version'", 1),
        ("name: c\nversion: ''", "murmur.yaml: missing required field 'version'", 2),
        (_entry("version: 1"), ENTRY + "missing required field 'name'", 4),
        (_entry("name: ' ', version: 1"), ENTRY + "missing required field 'name'", 4),
        (_entry("name: a"), ENTRY + "missing required field 'version'", 4),
        (
            _entry("name: a, version: 1, runtime: wasm"),
            ENTRY + "use 'runtime: tool'; implementation is declared in the artifact's own "
            "manifest (got 'wasm')",
            4,
        ),
        (
            _entry("name: a, version: 1, runtime: native"),
            ENTRY + "use 'runtime: tool'; implementation is declared in the artifact's own "
            "manifest (got 'native')",
            4,
        ),
        (
            _entry("name: a, version: 1, runtime: Hook"),
            ENTRY + "unknown runtime 'Hook'; expected one of: tool, driver, hook, skill",
            4,
        ),
        (
            _entry("name: a, version: 1, runtime: hook, source: ./x"),
            ENTRY + "artifact 'a' declares 'source:' but does not declare 'local_source: true' "
            "(runtime: hook)",
            4,
        ),
        (
            _entry("name: a, runtime: skill, source: x, local_source: false"),
            ENTRY + "artifact 'a' declares 'source:' but does not declare 'local_source: true' "
            "(runtime: skill)",
            4,
        ),
        (
            _entry("name: a, version: 1, runtime: skill, capabilities: {}"),
            ENTRY + "artifact 'a' declares per-artifact 'capabilities:' but has 'runtime: skill'; "
            "per-artifact capabilities are only recognized on 'runtime: hook', 'runtime: tool', "
            "and 'runtime: driver' entries — use the capsule-wide top-level 'capabilities:' "
            "block instead",
            4,
        ),
        (
            _entry("name: a, version: 1, capabilities: {task_io: {read: true}}"),
            ENTRY + "artifact 'a' declares 'capabilities.task_io:' but has 'runtime: tool'; the "
            "key grants the murmur:task-io/read host import and is only recognized on "
            "'runtime: hook' entries",
            4,
        ),
        (
            _entry("name: a, version: 1, runtime: driver, capabilities: {conversation: {}}"),
            ENTRY + "artifact 'a' declares 'capabilities.conversation:' but has 'runtime: "
            "driver'; the key grants the murmur:conversation/read host import and is only "
            "recognized on 'runtime: hook' entries",
            4,
        ),
        (
            _entry("name: a, version: 1, on_overflow: drop"),
            ENTRY + "artifact 'a' declares 'on_overflow:' but has 'runtime: tool'; the key "
            "governs an async hook's job queue and is only recognized on 'runtime: hook' entries",
            4,
        ),
        (
            _entry("name: a, version: 1, runtime: hook, on_overflow: Block"),
            ENTRY + "artifact 'a' declares unknown on_overflow 'Block'; expected: drop, block",
            4,
        ),
        (
            _entry("name: a, version: 1, runtime: skill, config: "),
            ENTRY + "artifact 'a' declares 'config:' but has 'runtime: skill'; the key is "
            "recognized only on 'runtime: hook', 'runtime: tool', and 'runtime: driver' entries",
            4,
        ),
        (
            _entry("name: a, version: 1, runtime: hook, capabilities: {task_io: {}}"),
            CAPABILITY + f"'capabilities.task_io.read': {EXPLICIT}",
            4,
        ),
        (
            _top("capabilities: {conversation: {read: ~}}"),
            CAPABILITY + f"'capabilities.conversation.read': {EXPLICIT}",
            3,
        ),
        (
            _top("capabilities: {plan: {}}"),
            CAPABILITY + f"'capabilities.plan.submit': {EXPLICIT}",
            3,
        ),
        (
            _top("capabilities: {task_io: {read: true}}"),
            CAPABILITY + "'capabilities.task_io': is recognized only on 'runtime: hook' artifact "
            "entries, not in the capsule-wide capabilities block — the grant is per-hook",
            3,
        ),
        (
            _top("config: ~"),
            CAPABILITY + "'config': is declared per artifact, on the 'runtime: hook', "
            "'runtime: tool' or 'runtime: driver' entry that reads it — there is no "
            "capsule-wide config block",
            3,
        ),
        (
            _top("capabilities: {shell: {allow: []}}"),
            CAPABILITY + "'capabilities.shell.allow': must contain at least one binary",
            3,
        ),
        (
            _top("capabilities: {peer_fetch: {}}"),
            CAPABILITY
            + "'capabilities.peer_fetch.allow': must be a non-empty list of network destinations",
            3,
        ),
        (
            _top("capabilities: {containment: total}"),
            CAPABILITY + "'capabilities.containment': must be one of: advisory, scoped, sealed; "
            "got 'total'",
            3,
        ),
        (
            _http("transport: grpc"),
            INFERENCE + "'inference.transport': unknown value 'grpc'",
            3,
        ),
        (
            _top("inference: {model: m, driver: {artifact: d}}"),
            INFERENCE + "'inference.endpoint': missing required field",
            3,
        ),
        (
            _top("inference: {endpoint: 'https://m', driver: {artifact: d}}"),
            INFERENCE + "'inference.model': missing required field",
            3,
        ),
        (
            _top("inference: {endpoint: 'https://m', model: m}"),
            INFERENCE + "'inference.driver': missing required field",
            3,
        ),
        (
            _top("inference: {endpoint: 'https://m', model: m, provider: {artifact: ' '}}"),
            INFERENCE + "'inference.driver.artifact': missing required field",
            3,
        ),
        (
            _top("inference: {endpoint: 'http://m.test', model: m, driver: {artifact: d}}"),
            INFERENCE + "'inference.endpoint': 'http://m.test' uses plain http:// with "
            "non-loopback host 'm.test' — use https:// for remote endpoints, or "
            "http://localhost or a loopback IP literal for local inference",
            3,
        ),
        (
            _top("inference: {endpoint: 'ftp://m', model: m, driver: {artifact: d}}"),
            INFERENCE + "'inference.endpoint': unsupported scheme 'ftp' in 'ftp://m' — expected "
            "http or https",
            3,
        ),
        (
            _top("inference: {endpoint: nowhere, model: m, driver: {artifact: d}}"),
            INFERENCE + "'inference.endpoint': failed to parse 'nowhere' as a URL: relative URL "
            "without a base",
            3,
        ),
        (
            _http("max_tokens: 0"),
            INFERENCE + "'inference.max_tokens': must be greater than 0",
            3,
        ),
        (_http("max_turns: 0"), INFERENCE + "'inference.max_turns': must be greater than 0", 3),
        (
            _http("max_task_reopens: 0"),
            INFERENCE + "'inference.max_task_reopens': is not a valid inference field; set "
            "lifecycle.max_task_reopens instead",
            3,
        ),
        (
            _http("system_prompt: a, system_prompt_file: b"),
            INFERENCE + "'inference.system_prompt': at most one of system_prompt, "
            "system_prompt_file, system_prompt_artifact may be set",
            3,
        ),
        (
            _http("compaction: {threshold: 1.5}"),
            INFERENCE + "'inference.compaction.threshold': must be in (0.0, 1.0] but got 1.5",
            3,
        ),
        (
            _http("compaction: {threshold: 0}"),
            INFERENCE + "'inference.compaction.threshold': must be in (0.0, 1.0] but got 0",
            3,
        ),
        (
            _http("compaction: {system_prompt: a, system_prompt_file: b}"),
            INFERENCE + "'inference.compaction.system_prompt': at most one of "
            "inference.compaction.system_prompt, inference.compaction.system_prompt_file may be "
            "set",
            3,
        ),
        (
            _top("inference: {endpoint: 'https://m', model: m, driver: {artifact: d, config: 5}}"),
            INFERENCE + "'inference.driver.config': expected mapping/object",
            3,
        ),
        (
            _top(
                "inference: {endpoint: 'https://m', model: m, "
                "driver: {artifact: d, config: {a: {~: 1}}}}"
            ),
            INFERENCE
            + "'inference.driver.config': failed to convert to JSON: key must be a string",
            3,
        ),
        (
            _http("system_prompt_artifact: gone"),
            INFERENCE + "'inference.system_prompt_artifact': artifact 'gone' is not declared in "
            "artifacts:",
            3,
        ),
        (
            _entry("name: t, version: 1")
            + "inference: {transport: process, command: x, system_prompt_artifact: t}",
            INFERENCE + "'inference.system_prompt_artifact': artifact 't' (runtime: tool) does "
            "not declare 'prompt_payload: true', which system_prompt_artifact requires",
            5,
        ),
        (
            _top("inference: {transport: process}"),
            INFERENCE + "'inference.command': missing required field",
            3,
        ),
        (
            _top("inference: {transport: process, command: x, driver: {artifact: d}}"),
            INFERENCE + "'inference.driver.artifact': is not valid with transport: process",
            3,
        ),
        (
            _top("inference: {transport: process, command: x, endpoint: 'https://m'}"),
            INFERENCE + "'inference.endpoint': is not valid with transport: process",
            3,
        ),
        (
            _top("inference: {transport: process, command: x, api_key: k}"),
            INFERENCE + "'inference.api_key': is not valid with transport: process",
            3,
        ),
        (
            _top("inference: {transport: process, command: x, max_tokens: 5}"),
            INFERENCE + "'inference.max_tokens': is not valid with transport: process",
            3,
        ),
        (
            _top("context: {max_tokens: 0}"),
            INFERENCE + "'context.max_tokens': must be greater than 0",
            3,
        ),
        (
            _top("context: {record: true}"),
            INFERENCE + "'context.record': unknown value 'true'; expected: on, off",
            3,
        ),
        (
            _top("context: {seed_budget: 1.01}"),
            INFERENCE + "'context.seed_budget': must be between 0.0 and 1.0",
            3,
        ),
        (
            _top("context: {seed_overflow_margin: -0.1}"),
            INFERENCE + "'context.seed_overflow_margin': must be between 0.0 and 1.0",
            3,
        ),
    ],
)
def test_read__refused__in_the_runtimes_words_at_the_place(
    text: str, message: str, line: int
) -> None:
    """Every message of a manifest that is refused at parse."""
    error = _refused(text)
    assert error.message == message
    assert (error.file, error.line) == ("murmur.yaml", line)


@pytest.mark.parametrize(
    "key",
    [
        *(f"limits.{k}" for k in ("memory_bytes", "table_elements", "instances")),
        "limits.deadline_seconds",
        *(f"resources.{k}" for k in ("max_processes", "cpu_seconds", "cgroup_cpu_percent")),
        "resources.workdir_max_bytes",
    ],
)
def test_read__zero_limit__is_refused_by_name(key: str) -> None:
    """A limit of zero is never meant."""
    block, name = key.split(".")
    error = _refused(_top(f"capabilities: {{{block}: {{{name}: 0}}}}"))
    assert error.message == CAPABILITY + f"'capabilities.{key}': must be greater than zero"


_SHELL = "capabilities: {shell: {allow: [py], "


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("interpreter_runtime: [{}]", "interpreter_runtime[0].binary", "must name a binary"),
        (
            "interpreter_runtime: [{binary: rb}]",
            "interpreter_runtime[0].binary",
            "'rb' is not in capabilities.shell.allow — interpreter_runtime can only narrow "
            "filesystem access for an already-allowlisted binary, never grant exec",
        ),
        (
            "interpreter_runtime: [{binary: py}]",
            "interpreter_runtime[0].dirs",
            "must name at least one directory",
        ),
        (
            "interpreter_runtime: [{binary: py, dirs: [{list_dir: true}]}]",
            "interpreter_runtime[0].dirs[0].path",
            "must name a host directory",
        ),
        (
            "interpreter_runtime: [{binary: py, dirs: [{path: lib, list_dir: true}]}]",
            "interpreter_runtime[0].dirs[0].path",
            "'lib' must be an absolute host path (start with '/') — these are filesystem paths "
            "outside the workdir",
        ),
        (
            "interpreter_runtime: [{binary: py, dirs: [{path: /lib}]}]",
            "interpreter_runtime[0].dirs[0].list_dir",
            "'/lib' must set list_dir explicitly to true or false — enumerability is never "
            "inferred",
        ),
        (
            "staged_runtime: [{binary: rb}]",
            "staged_runtime[0].binary",
            "'rb' is not in capabilities.shell.allow — staged_runtime can only stage the runtime "
            "tree behind an already-allowlisted binary, never grant exec",
        ),
        (
            "staged_runtime: [{binary: py}]",
            "staged_runtime[0].source_path",
            "must name the host directory holding the pinned runtime tree",
        ),
        (
            "staged_runtime: [{binary: py, source_path: opt}]",
            "staged_runtime[0].source_path",
            "'opt' must be an absolute host path (start with '/') — staged-runtime sources are "
            "host filesystem paths outside the workdir",
        ),
        (
            "staged_runtime: [{binary: py, source_path: /opt, pin: ' '}]",
            "staged_runtime[0].pin",
            "'/opt' must declare a non-empty pin identifying which build this tree is — it is "
            "never inferred, because it is the value a human compares across two hosts to "
            "confirm the same runtime shipped to both",
        ),
    ],
)
def test_read__shell_grants__are_checked(text: str, field: str, message: str) -> None:
    """Grants around the shell are refused one by one."""
    error = _refused(_top(_SHELL + text + "}}"))
    assert error.message == CAPABILITY + f"'capabilities.shell.{field}': {message}"


def test_read__both_runtimes_for_one_binary__is_refused() -> None:
    """The two ways to reach an interpreter exclude each other."""
    dirs = "dirs: [{path: /lib, list_dir: false}]"
    grants = f"interpreter_runtime: [{{binary: py, {dirs}}}], "
    staged = "staged_runtime: [{binary: py, source_path: /opt, pin: x}]"
    error = _refused(_top(_SHELL + grants + staged + "}}"))
    assert "'capabilities.shell.staged_runtime[0].binary': 'py' also has a" in error.message
    assert error.message.endswith("Remove the interpreter_runtime grant for 'py'")
    assert read(_top(_SHELL + grants + "}}"), "f").name == "c"
    assert read(_top(_SHELL + staged + "}}"), "f").name == "c"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("name: a\nversion: {}", "YAML syntax error"),
        ("artifacts: [{}]\nconfig: 1", "missing required field 'name'"),
        (_top("artifacts: [{}]\nconfig: 1"), "at index 0: missing required field 'name'"),
        (
            _top("config: 1\ncapabilities: {task_io: {}}"),
            "'capabilities.task_io': is recognized",
        ),
        (_top("config: 1\ncapabilities: {limits: {instances: 0}}"), "'config'"),
        (
            _top("inference: {}\ncapabilities: {limits: {instances: 0}}"),
            "'capabilities.limits.instances'",
        ),
        (_top("context: {record: x}\ninference: {}"), "'inference.endpoint'"),
        (
            _entry("name: a, version: 1, runtime: hook, on_overflow: x, capabilities: {shell: {}}"),
            "'capabilities.shell.allow'",
        ),
        (
            _entry("name: a, version: 1, runtime: skill, on_overflow: x, config: 1"),
            "'on_overflow:'",
        ),
        (_entry("runtime: x, source: y"), "missing required field 'name'"),
        (_entry("name: a, runtime: x, source: y"), "unknown runtime"),
        (
            _top("capabilities: {shell: {}, limits: {instances: 0}, containment: x}"),
            "shell.allow",
        ),
        (_top("context: {max_tokens: 0, record: x}"), "context.max_tokens"),
        (_top("context: {record: x, seed_budget: 9}"), "context.record"),
    ],
)
def test_read__several_faults__first_in_the_runtimes_order(text: str, first: str) -> None:
    """The order is YAML, name, version, entries, misplaced keys, then block by block."""
    assert first in _refused(text).message


def _read(text: str) -> CapsuleManifest:
    return read(text, "murmur.yaml")


def test_read__entry__has_its_values_and_defaults() -> None:
    """An entry without keys of its own is a tool that drops."""
    tool, hook = _read(
        f"{HEAD}artifacts:\n"
        "  - {name: t, version: 1.10}\n"
        "  - name: h\n    version: 2\n    runtime: hook\n    on_overflow: block\n"
        "    config: {a: 1}\n"
    ).entries
    assert (tool.role, tool.version, tool.on_overflow) == (Role.TOOL, "1.10", OverflowPolicy.DROP)
    assert (hook.role, hook.label, hook.on_overflow) == (Role.HOOK, "h@2", OverflowPolicy.BLOCK)
    assert (hook.line, hook.column, hook.config_line) == (5, 5, 9)


def test_read__local_source__replaces_the_version() -> None:
    """With a source the version is `local`, and a written one is remembered for a warning."""
    skill, hook = _read(
        f"{HEAD}artifacts:\n  - {{name: s, runtime: skill, source: x, version: 3}}\n"
        "  - {name: h, runtime: hook, source: x, local_source: true}\n"
    ).entries
    assert (skill.version, skill.ignored_version, skill.source) == ("local", "3", "x")
    assert (hook.version, hook.ignored_version) == ("local", None)


def test_read__blank_source__is_absent() -> None:
    """A blank source does not need `local_source`, and the version is required."""
    (entry,) = _read(_entry("name: a, version: 1, source: '  '")).entries
    assert (entry.source, entry.version) == (None, "1")


def test_read__context__has_its_values_and_defaults() -> None:
    """Record is on by default; `record: on` is a string, not a boolean."""
    default = _read(HEAD).context
    assert (default.max_tokens, default.record, default.seed_budget) == (0, True, 0.10)
    text = "context: {max_tokens: 9, record: off, record_store: ' r ', seed_budget: 0}"
    context = _read(_top(text)).context
    assert (context.max_tokens, context.record, context.seed_budget) == (9, False, 0.0)
    assert context.record_store is not None
    assert context.record_store.text == "r"
    assert _read(_top("context: {record: ' on '}")).context.record


def test_read__http_inference__has_its_values() -> None:
    """Driver configuration becomes compact JSON with sorted keys."""
    block = _read(
        _top(
            "inference:\n  endpoint: ' http://127.0.0.1:1/v1 '\n  model: m\n"
            "  api_key: ${KEY_1}\n  driver: {artifact: d, config: {b: 1, a: [x, ~]}}\n"
            "  compaction: {threshold: 0.5, system_prompt: sum up, model: small}\n"
        )
    ).inference
    assert block is not None
    assert (block.endpoint, block.model, block.driver) == ("http://127.0.0.1:1/v1", "m", "d")
    assert block.driver_config == '{"a":["x",null],"b":1}'
    assert block.api_key_variable == "KEY_1"
    assert (block.compaction_prompt, block.compaction_threshold) == ("sum up", 0.5)
    assert block.plain() == {
        "transport": "http",
        "model": "m",
        "endpoint": "http://127.0.0.1:1/v1",
        "api_key": "${KEY_1}",
        "driver": "d",
        "driver_config": '{"a":["x",null],"b":1}',
    }


@pytest.mark.parametrize("key", ["${lower}", "$KEY", "${1}", "${A} ", "sk-1", "${A}x"])
def test_read__api_key__only_an_exact_reference_is_one(key: str) -> None:
    """Anything else is a literal key (blanks at the ends do not count)."""
    block = _read(_http(f"api_key: '{key}'")).inference
    assert block is not None
    assert block.api_key_variable == ("A" if key == "${A} " else None)


def test_read__provider__is_an_alias_of_driver() -> None:
    """An older spelling of the driver block."""
    text = "inference: {endpoint: 'https://m', model: m, provider: {artifact: p, config: }}"
    block = _read(_top(text)).inference
    assert block is not None
    assert (block.driver, block.driver_config) == ("p", None)


def test_read__process_inference__may_have_no_model() -> None:
    """A process may choose its own model."""
    block = _read(_top("inference: {transport: process, command: cli}")).inference
    assert block is not None
    assert (block.transport, block.model, block.command) == ("process", "", "cli")


def test_read__limits__fill_up_with_defaults() -> None:
    """Only what is declared differs from the defaults."""
    block = _read(_top("capabilities: {limits: {instances: 0x10, deadline_seconds: +4}}"))
    assert block.capabilities is not None
    limits = block.capabilities.limits
    assert (limits.instances, limits.declared_deadline_s) == (16, 4)
    assert (limits.memory_bytes, limits.table_elements) == (536870912, 100000)


def test_read__observability__is_lowered_for_hooks() -> None:
    """Known scorers get their defaults, unknown ones are left out."""
    manifest = _read(
        _top(
            "observability:\n  otel_endpoint: ' http://o '\n  eval:\n    dataset_id: d\n"
            "    scorers:\n      - {type: exit_ok}\n      - {type: max_turns, name: n}\n"
            "      - {type: max_tokens, max: 7}\n      - {type: tool_sequence, expected: [a, b]}\n"
            "      - {type: llm_judge}\n      - {type: other}\n"
        )
    )
    assert manifest.otel_endpoint == "http://o"
    assert manifest.eval is not None
    assert manifest.eval.dataset_id == "d"
    assert manifest.eval.json == (
        '{"dataset_id":"d","scorers":[{"type":"exit_ok","name":"exit_ok"},'
        '{"type":"max_turns","name":"n","max":10},'
        '{"type":"max_tokens","name":"max_tokens","max":7},'
        '{"type":"tool_sequence","name":"tool_sequence","expected":["a","b"]},'
        '{"type":"llm_judge","name":"llm_judge"}]}'
    )


def test_read__empty_eval__has_no_dataset_key() -> None:
    """Without a dataset the key is left out."""
    manifest = _read(_top("observability: {otel_endpoint: ' ', eval: {}}"))
    assert manifest.otel_endpoint is None
    assert manifest.eval is not None
    assert manifest.eval.json == '{"scorers":[]}'


@pytest.mark.parametrize(
    ("text", "line", "starts", "hint"),
    [
        (
            "artefacts: []",
            3,
            "unrecognized key 'artefacts' at the top level — did you mean 'artifacts'?",
            "Write `artifacts`.",
        ),
        (
            "capabilities: {filesystem: {read-only: []}}",
            3,
            "unrecognized key 'read-only' in capabilities.filesystem — did you mean 'read_only'?",
            "Write `read_only`.",
        ),
        (
            "artifacts:\n  - {name: a, version: 1, capabilities: {network: {allwo: []}}}",
            4,
            "unrecognized key 'allwo' in artifacts[0].capabilities.network — did you mean 'allow'?",
            "Write `allow`.",
        ),
        (
            "quantum_teleport: 1",
            3,
            "unrecognized key 'quantum_teleport' at the top level — this build of mur does not",
            "Leave it out, or use a runtime that knows it.",
        ),
    ],
)
def test_read__unknown_key__is_a_warning_with_the_nearest_one(
    text: str, line: int, starts: str, hint: str
) -> None:
    """Unknown keys never refuse a file."""
    (warning,) = _read(_top(text)).warnings
    assert (warning.severity, warning.code, warning.line) == ("warning", "W-SEC-019", line)
    assert warning.message.startswith(starts)
    assert warning.hint == hint


def test_read__thousands_of_unknown_keys__are_counted() -> None:
    """Only the first hundred are named."""
    warnings = _read(HEAD + "".join(f"k{i}: 1\n" for i in range(5000))).warnings
    assert len(warnings) == 101
    assert warnings[-1].message == "4900 more keys are not recognized"
    assert warnings[-1].line == 103


def test_read__huge_unknown_key__is_quick() -> None:
    """A key of any length is compared in bounded time."""
    (warning,) = _read(_top(f"? {'x' * 100_000}\n: 1")).warnings
    assert "no key it does recognize" in warning.message
