"""The keys that the runtime knows in a capsule's murmur.yaml, block by block.

Lives here: the table alone. Not here: how it is checked (schema), what the values mean
(capsule_manifest and the modules beside). Only inspector.manifest imports it.

Source: spec/manifest.md 1, 2, 3 and 6.
"""

from inspector.manifest.schema import Block, Field, Kind

_TEXT = Field(Kind.TEXT)
_TEXTS = Field(Kind.TEXTS)
_FLAG = Field(Kind.FLAG)
_CHOICE = Field(Kind.CHOICE)
_ANY = Field(Kind.ANY)
_VALUE = Field(Kind.VALUE)
_U16 = Field(Kind.COUNT, bits=16)
_U32 = Field(Kind.COUNT, bits=32)
_U64 = Field(Kind.COUNT, bits=64)
_USIZE = Field(Kind.COUNT, bits=0)
_FRACTION = Field(Kind.FRACTION)


def _block(struct: str, **fields: Field) -> Field:
    return Field(Kind.BLOCK, Block(struct, fields))


def _blocks(struct: str, **fields: Field) -> Field:
    return Field(Kind.BLOCKS, Block(struct, fields))


def _words(*words: str) -> Field:
    return Field(Kind.WORD, words=words)


_CAPABILITIES = _block(
    "RawCapabilities",
    network=_block("RawNetworkCapabilities", allow=_TEXTS, unix_sockets=_FLAG),
    peer_fetch=_block("RawPeerFetchCapabilities", allow=_TEXTS),
    filesystem=_block(
        "RawFilesystemCapabilities", scope=_TEXT, workdir_exec=_FLAG, read_only=_TEXTS
    ),
    shell=_block(
        "RawShellCapabilities",
        allow=_TEXTS,
        strip_env=_TEXTS,
        baseline_env=_TEXTS,
        interpreter_runtime=_blocks(
            "RawInterpreterRuntimeGrant",
            binary=_TEXT,
            dirs=_blocks("RawInterpreterRuntimeDir", path=_TEXT, list_dir=_CHOICE),
        ),
        staged_runtime=_blocks("RawStagedRuntimeGrant", binary=_TEXT, source_path=_TEXT, pin=_TEXT),
    ),
    spawn=_block("RawSpawnCapabilities", allow=_TEXTS),
    env=_block("RawEnvCapabilities", allow=_TEXTS),
    limits=_block(
        "RawResourceLimits",
        memory_bytes=_USIZE,
        table_elements=_USIZE,
        instances=_USIZE,
        deadline_seconds=_U64,
    ),
    resources=_block(
        "RawResourceCapabilities",
        max_processes=_U64,
        max_open_files=_U64,
        max_file_size_bytes=_U64,
        cpu_seconds=_U64,
        memory_bytes=_U64,
        cgroup_memory_bytes=_U64,
        cgroup_pids_max=_U64,
        cgroup_cpu_percent=_U32,
        cgroup_io_bytes_per_sec=_U64,
        workdir_max_bytes=_U64,
    ),
    state=_block("RawStateCapabilities", store=_TEXT),
    task_io=_block("RawTaskIoCapabilities", read=_CHOICE),
    conversation=_block("RawConversationCapabilities", read=_CHOICE),
    plan=_block("RawPlanCapabilities", submit=_CHOICE),
    containment=_TEXT,
)

_DRIVER = _block("RawInferenceDriver", artifact=_TEXT, config=_VALUE)

_INFERENCE = _block(
    "RawInferenceConfig",
    transport=_TEXT,
    endpoint=_TEXT,
    model=_TEXT,
    api_key=_TEXT,
    command=_TEXT,
    system_prompt=_TEXT,
    system_prompt_file=_TEXT,
    system_prompt_artifact=_TEXT,
    driver=_DRIVER,
    provider=_DRIVER,
    compaction=_block(
        "RawCompactionConfig",
        threshold=_FRACTION,
        model=_TEXT,
        system_prompt=_TEXT,
        system_prompt_file=_TEXT,
        dump_summaries=_CHOICE,
    ),
    max_turns=_U32,
    max_task_reopens=_U32,
    max_tokens=_U32,
    max_session_tokens=_U64,
)

CAPSULE = Block(
    "RawRuntimeManifest",
    {
        "name": _TEXT,
        "version": _TEXT,
        "artifacts": _blocks(
            "RawArtifact",
            name=_TEXT,
            version=_TEXT,
            runtime=_TEXT,
            source=_TEXT,
            local_source=_CHOICE,
            prompt_payload=_CHOICE,
            capabilities=_CAPABILITIES,
            on_overflow=_TEXT,
            config=_VALUE,
        ),
        "capabilities": _CAPABILITIES,
        "inference": _INFERENCE,
        "context": _block(
            "RawContextConfig",
            max_tokens=_U32,
            record=_TEXT,
            record_store=_TEXT,
            seed_budget=_FRACTION,
            seed_overflow_margin=_FRACTION,
            retain=_VALUE,
        ),
        "observability": _block(
            "RawObservabilityConfig",
            otel_endpoint=_TEXT,
            eval=_block(
                "RawEvalConfig",
                dataset_id=_TEXT,
                scorers=_blocks(
                    "RawScorerConfig",
                    type=Field(Kind.TEXT, required=True),
                    name=_TEXT,
                    max=_U64,
                    expected=_TEXTS,
                ),
            ),
        ),
        "trace": _ANY,
        "network": _block("RawNetworkConfig", internal_port=_U16),
        "lifecycle": _block(
            "RawLifecycleConfig",
            task_acceptance=_words("none", "single", "queue"),
            after_task=_words("exit", "sleep"),
            queue_depth=_USIZE,
            input_timeout_secs=_U64,
            conversation=_words("stateless", "threaded"),
            max_task_reopens=_U32,
            shell_grace_secs=_U64,
            delegation_deadline_secs=_U64,
        ),
        "exports": _ANY,
        "mur_version": _TEXT,
        "config": _VALUE,
        # Keys that building and publishing read from the same file.
        "runtime": _VALUE,
        "implementation": _VALUE,
        "execution": _VALUE,
        "requires_files": _VALUE,
    },
)
"""The root of a capsule manifest."""
