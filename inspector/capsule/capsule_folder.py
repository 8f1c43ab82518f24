"""A capsule out of its murmur.yaml and the places beside it.

Lives here: manifest, hooks and driver put together, findings collected. Not here: which
kind of path it is (opening), a hook alone (single_hook). Only inspector.capsule imports
it.
"""

from pathlib import Path

import msgspec

from inspector.capsule import artifact_search, hook_building, lock_file, reading, store
from inspector.capsule.artifact_search import Places
from inspector.capsule.capsule import (
    Capsule,
    DriverArtifact,
    EnvSettings,
    HookArtifact,
)
from inspector.capsule.environment import FORMATION_VARIABLE, Environment
from inspector.capsule.findings import Findings
from inspector.capsule.found import Found
from inspector.capsule.reading import ReadError
from inspector.contract.profile import Profile
from inspector.manifest import capsule_manifest, driver_grant, granting
from inspector.manifest.artifact_entry import ArtifactEntry, Role
from inspector.manifest.capability import Capabilities
from inspector.manifest.capsule_manifest import CapsuleManifest
from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.fault import NOT_FOUND, Fault, Stage
from inspector.manifest.inference_block import InferenceBlock
from inspector.manifest.state_store import segment_problem

_OTHER_ROLES = "Only hooks are inspected here; the launch needs it all the same."


def open_folder(
    shown: Path,
    manifest_path: Path,
    text: str,
    *,
    profile: Profile,
    home: Path | None,
    is_sample: bool = False,
) -> Capsule:
    """Open a capsule.

    Args:
        shown: The path that was named, absolute.
        manifest_path: Its murmur.yaml, absolute.
        text: The text of that file.
        profile: Judges the hooks.
        home: See store.home_store.
        is_sample: Whether it is one of the shipped samples.

    Raises:
        InspectorError: when the runtime refuses the manifest at parse.

    Source: spec/artifact.md 4.
    """
    manifest = capsule_manifest.read(text, str(manifest_path))
    opener = _Opener(manifest, manifest_path, profile, home, is_sample=is_sample)
    return opener.open(shown, text)


class _Opener:
    def __init__(
        self,
        manifest: CapsuleManifest,
        manifest_path: Path,
        profile: Profile,
        home: Path | None,
        *,
        is_sample: bool,
    ) -> None:
        self.manifest = manifest
        self.path = manifest_path
        self.project = manifest_path.parent
        self.profile = profile
        self.findings = Findings(str(manifest_path))
        lock = lock_file.read(self.project)
        if isinstance(lock, Fault):
            self.findings.refuse([lock])
            lock = None
        self.places = Places(self.project, store.home_store(home), is_sample, lock)
        self.environment = Environment(self.project)

    def open(self, shown: Path, text: str) -> Capsule:
        manifest, context = self.manifest, self.manifest.context
        self._whole_capsule()
        hooks = tuple(self._hook(e) for e in manifest.entries if e.role is Role.HOOK)
        driver = self._driver(manifest.inference)
        for entry in manifest.entries:
            self._other_entry(entry, driver)
        capabilities = manifest.capabilities or Capabilities()
        return Capsule(
            name=manifest.name,
            version=manifest.version,
            path=shown,
            project=self.project,
            manifest_path=self.path,
            hooks=hooks,
            limits=capabilities.limits,
            capabilities=_categories(capabilities),
            shell_allow=capabilities.shell_allow,
            model=manifest.inference.model if manifest.inference else "",
            system_prompt=self._compaction_prompt(manifest.inference),
            context_window=context.max_tokens,
            seed_budget=context.seed_budget,
            record_name=self._record_name(),
            env=EnvSettings(
                otel_endpoint=manifest.otel_endpoint,
                formation_id=self.environment.get(FORMATION_VARIABLE),
                eval_config=manifest.eval.json if manifest.eval else None,
                dataset_id=manifest.eval.dataset_id if manifest.eval else None,
            ),
            driver=driver,
            inference=self._inference(manifest.inference),
            diagnostics=self.findings.result(),
            manifest_text=text,
        )

    def _whole_capsule(self) -> None:
        file = str(self.path)
        self.findings.add(self.manifest.warnings)
        self.findings.add(granting.capsule_warnings(self.manifest, file))
        self.findings.refuse(granting.capsule_faults(self.manifest))
        if self.environment.problem is not None:
            problem = self.environment.problem
            self._note("env-file", str(problem), problem.hint, file=str(problem.path))
        seen: set[str] = set()
        for entry in self.manifest.entries:
            if entry.name in seen:
                text = f"two entries are named '{entry.name}'; logs and messages mix them up"
                self._note("same-name", text, "Give each entry a name of its own.", entry)
            seen.add(entry.name)

    def _note(
        self,
        code: str,
        message: str,
        hint: str,
        entry: ArtifactEntry | None = None,
        *,
        severity: Severity = Severity.WARNING,
        line: int | None = None,
        file: str | None = None,
    ) -> None:
        at = line if entry is None else entry.line
        hook = entry.name if entry is not None and entry.role is Role.HOOK else None
        place = file or str(self.path)
        self.findings.add([Diagnostic(severity, code, message, hint, place, at, None, hook)])

    # -- hooks --------------------------------------------------------------------

    def _hook(self, entry: ArtifactEntry) -> HookArtifact:
        derived = granting.derive(entry, self.manifest.name, self.profile)
        self.findings.add(granting.entry_warnings(entry, self.profile, str(self.path)))
        if entry.source is not None:
            found = Found(faults=(self._source_fault(entry, entry.source),))
        else:
            found = artifact_search.find(self.places, entry.name, entry.version)
        built = hook_building.build(
            entry.name,
            entry.version,
            found,
            self.profile,
            grant=derived.grant,
            on_overflow=entry.on_overflow,
            faults=derived.faults,
        )
        self.findings.add(built.notes)
        self.findings.refuse(built.faults, entry.index, entry.name, entry.line)
        return built.hook

    def _source_fault(self, entry: ArtifactEntry, source: str) -> Fault:
        """A `source` is read as a skill whatever the role (spec/manifest.md 2)."""
        path = self.project / source
        kind = reading.kind_of(path)
        if kind == "missing":
            message = f"skill source path not found: {path}"
        elif kind == "folder" and not _holds_skill(path):
            message = f"skill source directory '{path}' contains no skill.md"
        else:
            message = f"'source:' of '{entry.name}' is read as a skill, so the entry gives no hook"
        hint = (
            f"Leave `source` out; a hook under development goes below hooks/{entry.name}/ beside "
            "the manifest."
        )
        return Fault(Stage.FIND, "source-is-a-skill", message, hint, entry.line, entry.column)

    # -- driver and the rest --------------------------------------------------------

    def _driver(self, inference: InferenceBlock | None) -> DriverArtifact | None:
        if inference is None or inference.driver is None:
            return None
        place = inference.driver_place.line if inference.driver_place else None
        entry = next((e for e in self.manifest.entries if e.name == inference.driver), None)
        if entry is None or entry.source is not None:
            text = f"inference driver '{inference.driver}' is not declared in artifacts:"
            hint = "Add an entry with `runtime: driver` and this name."
            self._note("E-RUN-006", text, hint, line=place)
            return DriverArtifact(inference.driver, "", None, inference.driver_config)
        found = artifact_search.find(self.places, entry.name, entry.version)
        for fault in found.faults:
            hint = f"Until then hooks get no answer from the driver. {fault.hint}"
            self._note("E-RUN-006", fault.message, hint, entry, file=fault.file)
        narrowed = driver_grant.narrow(entry, self.manifest.capabilities)
        for fault in narrowed.faults:
            told = fault.diagnostic(str(self.path), None)
            hint = f"Until then hooks get no answer from the driver. {fault.hint}"
            self.findings.add([msgspec.structs.replace(told, severity=Severity.WARNING, hint=hint)])
        usable = None if found.faults or narrowed.faults else found.component
        config = inference.driver_config
        return DriverArtifact(entry.name, entry.version, usable, config, narrowed.grant)

    def _other_entry(self, entry: ArtifactEntry, driver: DriverArtifact | None) -> None:
        if entry.ignored_version is not None:
            text = (
                f"artifact '{entry.name}' declares both 'source:' and 'version: "
                f"{entry.ignored_version}'; version is ignored for local-source skills (using "
                "'local')"
            )
            self._note("ignored-version", text, "Leave `version` out.", entry)
        if entry.role in (Role.TOOL, Role.DRIVER):
            narrowed = driver_grant.narrow(entry, self.manifest.capabilities)
            self.findings.add(driver_grant.warnings(entry, narrowed, str(self.path)))
        is_driver = driver is not None and driver.name == entry.name
        if entry.role is Role.HOOK or entry.source is not None or is_driver:
            return
        if not artifact_search.is_stored(self.places, entry.name, entry.version):
            text = f"artifact {entry.label} not found in registry"
            self._note(NOT_FOUND, text, _OTHER_ROLES, entry)

    def _inference(self, inference: InferenceBlock | None) -> dict[str, object] | None:
        if inference is None:
            return None
        plain = inference.plain()
        variable = inference.api_key_variable
        if variable is not None:
            value = self.environment.get(variable)
            plain.pop("api_key")
            if value is not None:
                plain["api_key"] = value
            else:
                self._unset_key(inference, variable)
        return plain

    def _unset_key(self, inference: InferenceBlock, variable: str) -> None:
        """A property of the machine, not of the capsule: the inspector opens all the same."""
        text = (
            f"murmur.yaml: inference.api_key references ${{{variable}}} but the environment "
            "variable is not set"
        )
        place = inference.api_key_place
        hint = "Set it before the launch; hooks do not need it."
        self._note("E-MAN-003", text, hint, line=place.line if place else None)

    def _compaction_prompt(self, inference: InferenceBlock | None) -> str | None:
        if inference is None or inference.compaction_prompt_file is None:
            return inference.compaction_prompt if inference else None
        path = self.project / inference.compaction_prompt_file
        try:
            if not path.resolve().is_relative_to(self.project.resolve()):
                text = f"compaction prompt {path} lies outside the capsule's folder, so is not read"
                self._note("E-RUN-009", text, "Move it beside the manifest.")
                return None
            return reading.read_text(path)
        except ReadError as error:
            self._note("E-RUN-009", str(error), error.hint)
        except (OSError, ValueError, RuntimeError) as error:
            self._note("E-RUN-009", f"{path} cannot be read: {error}", "Check the path.")
        return None

    def _record_name(self) -> str | None:
        """Folder of the conversation record (spec/artifact.md 6)."""
        context, inference = self.manifest.context, self.manifest.inference
        if not context.record or (inference is not None and inference.transport == "process"):
            return None
        if context.record_store is not None:
            name = context.record_store.text
            return None if segment_problem(name) else name
        if segment_problem(self.manifest.name) is None:
            return self.manifest.name
        text = f"the capsule's name '{self.manifest.name}' cannot name a record folder"
        hint = "Set `context.record_store`, or choose a name without '/' and leading dot."
        self._note("record-name", text, hint, line=self.manifest.name_place.line)
        return None


def _categories(block: Capabilities) -> tuple[str, ...]:
    """Names of the categories that the capsule-wide block grants something of."""
    granted = {
        "network": bool(block.network),
        "filesystem": block.filesystem_scope is not None,
        "shell": bool(block.shell_allow),
    }
    return tuple(name for name, something in granted.items() if something)


def _holds_skill(folder: Path) -> bool:
    try:
        return any(name.lower() == "skill.md" for name in reading.names_in(folder))
    except ReadError:
        return False
