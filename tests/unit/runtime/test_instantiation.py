"""Making an instance: what is linked, what is resolved, and the texts of refusals."""

import gc
from pathlib import Path
from typing import Any, Literal

import pytest

from inspector.contract import contract
from inspector.contract.profile import PROFILES
from inspector.contract.record import Failure
from inspector.manifest.grant import Limits
from inspector.runtime import memory
from inspector.runtime.instance import InstantiationError
from inspector.runtime.wasi import WasiSettings
from tests.helpers.hook_instance import fire, running
from tests.helpers.raw_hook import raw_hook
from tests.helpers.wat import (
    HTTP_ERRORS,
    Answer,
    Environment,
    Error,
    FileText,
    HttpGet,
    Preopens,
    Print,
    Spin,
    component,
    hook,
    stub_hook,
    token_count,
)

CURRENT = "murmur:hook/lifecycle@0.8.0"
TOKENS = "murmur:runtime/tokens@0.3.0"
REBUILD = "(run `mur install` for a default artifact, or rebuild from source otherwise)"
VERSIONS = contract.versions()


def refusal(double: Any, **settings: Any) -> InstantiationError:
    """The error of an instance that cannot be made."""
    with pytest.raises(InstantiationError) as caught, running(double, **settings):
        pass
    return caught.value


def not_linked(interface: str) -> str:
    """The runtime's text of an import that the linker has not."""
    return (
        f"failed to instantiate hook h@1.0.0: component imports instance `{interface}`, but a "
        "matching implementation was not found in the linker"
    )


class TestLookUp:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_the_first_missing_required_function_is_named(self, version: str) -> None:
        """In the order of the required list, whatever else is missing."""
        found = contract.load(version)
        required = found.rules.required
        for index, missing in enumerate(required):
            names = required[:index]
            error = refusal(
                raw_hook(functions=names, version=version),
                profile=next(p for p in PROFILES.values() if p.contract_version == version),
            )
            text = f"hook h@1.0.0 missing function {found.interface}#{missing}"
            assert (error.text, error.failure) == (text, Failure.REJECTED)
            assert error.prefixed

    def test_optional_functions_are_resolved_when_they_are_there(self) -> None:
        """on-stage is in neither list."""
        names = contract.load("0.8.0").rules.required
        with running(stub_hook((*names, "on-task-end", "on-stage"))) as instance:
            assert instance.functions == {*names, "on-task-end"}

    def test_staging_resolves_on_stage_alone(self) -> None:
        """The required functions may all be missing."""
        with running(stub_hook(["on-stage"]), lookup="stage") as instance:
            assert instance.functions == {"on-stage"}

    def test_staging_a_hook_without_on_stage_is_refused(self) -> None:
        """The text names hook, version and function alone."""
        assert refusal(stub_hook(), lookup="stage").text == "hook h@1.0.0 missing on-stage"

    @pytest.mark.parametrize(
        ("profile", "text"),
        [
            (
                "0.1",
                "hook h@1.0.0 missing export murmur:hook/lifecycle@0.2.0; rebuild the hook "
                f"against the versioned WIT {REBUILD}",
            ),
            (
                "0.3",
                "hook h@1.0.0 does not export murmur:hook/lifecycle@0.8.0; rebuild the hook "
                f"against the current WIT {REBUILD}",
            ),
            (
                "0.4",
                "hook h@1.0.0 does not export murmur:hook/lifecycle@0.9.0; rebuild the hook "
                f"against the current WIT {REBUILD}",
            ),
        ],
    )
    def test_a_hook_without_the_interface_is_refused_in_the_profiles_words(
        self, profile: str, text: str
    ) -> None:
        """Exporting a retired version is exporting nothing; staging says the same."""
        double = stub_hook(interface="murmur:hook/lifecycle@0.5.0")
        lookups: tuple[Literal["session", "stage"], ...] = ("session", "stage")
        for lookup in lookups:
            error = refusal(double, profile=PROFILES[profile], lookup=lookup)
            assert error.text == text

    @pytest.mark.parametrize(
        ("interface", "is_found"),
        [
            ("murmur:hook/lifecycle@0.8.0", True),
            ("murmur:hook/lifecycle@0.8.7", True),
            ("murmur:hook/lifecycle@0.9.0", False),
            ("murmur:hook/lifecycle", False),
            ("murmur:hook/lifecycle@9.9.9", False),
        ],
    )
    def test_a_compatible_version_is_found_as_the_engine_finds_it(
        self, interface: str, is_found: bool
    ) -> None:
        """0.8.7 stands in for 0.8.0; its types are checked like any other's."""
        double = hook({"on-shell": Answer()}, interface=interface)
        if is_found:
            with running(double) as instance:
                assert fire(instance, "on-shell").answer == "none"
        else:
            assert "does not export" in refusal(double).text

    def test_a_function_exported_under_the_interfaces_name_is_no_interface(self) -> None:
        """The look-up finds something without functions in it."""
        data = raw_hook(interface="a:b/c@1.0.0", extra='(export "murmur:x/y@1.0.0" (func $stub))')
        assert "does not export" in refusal(data).text


class TestImports:
    def test_an_unknown_import_is_refused_before_the_export_is_looked_for(self) -> None:
        """The engine's outermost text; the causes are the detail."""
        double = stub_hook(interface="murmur:hook/lifecycle@0.5.0")
        data = raw_hook(
            imports='(import "murmur:task/task@0.1.0" (instance (export "f" (func))))',
            interface=double.interface,
        )
        error = refusal(data)
        assert error.text == not_linked("murmur:task/task@0.1.0")
        assert error.detail is not None
        assert "function implementation is missing" in error.detail

    def test_an_import_of_types_alone_needs_no_definition(self) -> None:
        """As guests built with wit-bindgen have of the lifecycle interface."""
        with running(hook({"on-shell": Answer()}, imports_types=True)) as instance:
            assert fire(instance, "on-shell").answer == "none"

    def test_a_host_function_imported_with_another_type_is_refused(self) -> None:
        """The C side would link it; the runtime does not."""
        data = raw_hook(
            imports=f'(import "{TOKENS}" (instance (export "count" '
            '(func (param "text" string) (result u32)))))'
        )
        error = refusal(data, host={TOKENS: {"count": len}})
        assert (error.text, error.failure) == (not_linked(TOKENS), Failure.REJECTED)
        assert error.detail == (
            "type mismatch with results: count: the result is u64 in the contract and u32 in "
            "the hook"
        )

    def test_names_of_parameters_do_not_matter(self) -> None:
        """Only their types are compared."""
        data = raw_hook(
            imports=f'(import "{TOKENS}" (instance (export "count" '
            '(func (param "other" string) (result u64)))))'
        )
        with running(data, host={TOKENS: {"count": len}}) as instance:
            assert "on-shell" in instance.functions

    @pytest.mark.parametrize("is_first", [True, False])
    def test_the_first_failing_import_is_the_one_that_is_named(self, is_first: bool) -> None:
        """An unknown import and one of another type, in either order."""
        wrong = f'(import "{TOKENS}" (instance (export "count" (func))))'
        unknown = '(import "murmur:x/y@1.0.0" (instance (export "f" (func))))'
        imports = unknown + wrong if is_first else wrong + unknown
        error = refusal(raw_hook(imports=imports), host={TOKENS: {"count": len}})
        assert error.text == not_linked("murmur:x/y@1.0.0" if is_first else TOKENS)

    def test_no_guest_code_runs_when_an_import_has_another_type(self) -> None:
        """The start function would spin forever."""
        data = raw_hook(
            "(func $spin (loop br 0)) (start $spin)",
            imports=f'(import "{TOKENS}" (instance (export "count" (func))))',
        )
        error = refusal(data, host={TOKENS: {"count": len}}, ticks=36_000)
        assert error.text == not_linked(TOKENS)

    def test_a_compatible_version_of_an_import_is_linked(self) -> None:
        """tokens@0.3.9 is served by tokens@0.3.0."""
        data = raw_hook(
            imports='(import "murmur:runtime/tokens@0.3.9" (instance (export "count" '
            '(func (param "text" string) (result u64)))))'
        )
        with running(data, host={TOKENS: {"count": len}}):
            pass

    def test_a_host_function_is_called(self) -> None:
        """The number comes back through the guest."""
        double = hook({"on-shell": Error(token_count("twelve chars"))})
        with running(double, host={TOKENS: {"count": len}}) as instance:
            assert fire(instance, "on-shell").text == "12"

    def test_wasi_http_is_linked_where_the_contract_has_it(self) -> None:
        """A 0.8.0 hook may import it; under 0.2.0 there is no such import."""
        step = Error(HttpGet("http://127.0.0.1:1/"))
        with running(hook({"on-shell": step})) as instance:
            text = fire(instance, "on-shell").text
        assert text == f"!{HTTP_ERRORS.index('connection-refused')}"
        error = refusal(hook({"on-shell": step}, version="0.2.0"))
        assert "component imports instance `wasi:http/" in error.text


class TestLimits:
    SMALL = Limits(memory_bytes=65536, table_elements=10, instances=2)

    def test_a_memory_that_begins_over_the_limit_is_refused(self) -> None:
        """The runtime's limiter sees the growth from nothing."""
        error = refusal(raw_hook("(memory 2)"), limits=self.SMALL)
        assert error.failure is Failure.RESOURCE_LIMIT
        assert error.text == (
            "failed to instantiate hook h@1.0.0: linear memory growth to 131072 bytes exceeds "
            "capabilities.limits.memory_bytes (65536)"
        )

    def test_a_table_that_begins_over_the_limit_is_refused(self) -> None:
        """In the words of the runtime's limiter, not of the C side's."""
        error = refusal(raw_hook("(table 11 funcref)"), limits=self.SMALL)
        assert error.failure is Failure.RESOURCE_LIMIT
        assert error.text == (
            "failed to instantiate hook h@1.0.0: table growth to 11 elements exceeds "
            "capabilities.limits.table_elements (10)"
        )

    def test_too_many_core_instances_are_refused(self) -> None:
        """The engine's own text."""
        extra = "(core instance $b (instantiate $main)) (core instance $c (instantiate $main))"
        error = refusal(raw_hook(extra=extra), limits=self.SMALL)
        assert error.text == (
            "failed to instantiate hook h@1.0.0: resource limit exceeded: instance count too "
            "high at 3"
        )

    def test_a_start_function_that_is_denied_memory_is_refused(self) -> None:
        """The runtime shows the backtrace; the denial is in the detail."""
        core = "(memory 1) (func $s (drop (memory.grow (i32.const 5))) (loop br 0)) (start $s)"
        error = refusal(raw_hook(core), limits=self.SMALL)
        assert error.failure is Failure.RESOURCE_LIMIT
        assert "error while executing at wasm backtrace" in error.text
        assert error.detail is not None
        assert "linear memory growth to 393216 bytes exceeds" in error.detail

    def test_a_start_function_that_goes_on_after_a_denial_is_refused_too(self) -> None:
        """Nothing checks the epoch before it ends."""
        core = "(memory 1) (func $s (drop (memory.grow (i32.const 5)))) (start $s)"
        error = refusal(raw_hook(core), limits=self.SMALL)
        assert error.text.endswith("exceeds capabilities.limits.memory_bytes (65536)")

    def test_a_spinning_start_function_is_ended_at_the_deadline(self) -> None:
        """The deadline is set before instantiation as well."""
        error = refusal(raw_hook("(func $s (loop br 0)) (start $s)"), ticks=1)
        assert error.failure is Failure.DEADLINE
        assert error.text.startswith(
            "failed to instantiate hook h@1.0.0: error while executing at wasm backtrace:"
        )

    def test_a_trapping_start_function_is_refused(self) -> None:
        """The cause is in the detail."""
        error = refusal(raw_hook("(func $s unreachable) (start $s)"))
        assert error.failure is Failure.TRAP
        assert error.detail is not None
        assert error.detail.endswith("wasm `unreachable` instruction executed")

    def test_memories_of_a_refused_hook_are_given_back(self) -> None:
        """No mapping is left behind."""
        gc.collect()
        before = len(memory._MEMORIES)
        refusal(raw_hook("(memory 1) (func $s unreachable) (start $s)"))
        assert len(memory._MEMORIES) == before


class TestWasi:
    def test_variables_are_seen_in_their_order_and_nothing_else(self) -> None:
        """The host's own environment is not there."""
        env = (("B", "two"), ("A", "one é\n"), ("EMPTY", ""))
        with running(
            hook({"on-shell": Error(Environment())}), wasi=WasiSettings(env=env)
        ) as instance:
            text = fire(instance, "on-shell").text
        assert text is not None
        assert [line for line in text.splitlines() if line] == ["B=two", "A=one é", "EMPTY="]

    def test_folders_are_seen_under_their_names_in_order(self, tmp_path: Path) -> None:
        """`.` first, then `state`; a file in it can be read."""
        for name in ("scope", "store"):
            (tmp_path / name).mkdir()
        (tmp_path / "store" / "note.txt").write_text("kept", "utf-8")
        preopens = ((str(tmp_path / "scope"), "."), (str(tmp_path / "store"), "state"))
        double = hook(
            {"on-shell": Error(Preopens()), "on-inference": Error(FileText("note.txt", "state"))}
        )
        with running(double, wasi=WasiSettings(preopens=preopens)) as instance:
            assert fire(instance, "on-shell").text == ".,state,"
            assert fire(instance, "on-inference").text == "kept"

    def test_without_a_grant_there_is_no_folder(self) -> None:
        """Nothing is preopened."""
        with running(hook({"on-shell": Error(Preopens())})) as instance:
            assert fire(instance, "on-shell").text == ""

    @pytest.mark.parametrize(
        ("make", "cause"),
        [
            (lambda path: None, "No such file or directory (os error 2)"),
            (lambda path: path.write_text("", "utf-8"), "Not a directory (os error 20)"),
        ],
    )
    def test_a_folder_that_cannot_be_opened_is_refused(
        self, tmp_path: Path, make: Any, cause: str
    ) -> None:
        """The text has no prefix in the runtime."""
        path = tmp_path / "scope"
        make(path)
        error = refusal(hook({}), wasi=WasiSettings(preopens=((str(path), "."),)))
        assert error.text == f"failed to initialize WASI for {path}: {cause}"
        assert not error.prefixed

    @pytest.mark.parametrize(
        ("name", "content"), [("A", "x\0y"), ("A\0", "x"), ("", "x"), ("A=B", "x")]
    )
    def test_a_variable_that_cannot_be_passed_is_refused(self, name: str, content: str) -> None:
        """A NUL would cut it off without a word."""
        error = refusal(hook({}), wasi=WasiSettings(env=((name, content),)))
        assert "variable" in error.text

    def test_what_a_start_function_prints_is_kept_apart(self) -> None:
        """It is the instance's, not the first call's."""
        with running(hook({"on-shell": Print("called")})) as instance:
            assert instance.startup.stdout == ""
            assert fire(instance, "on-shell").stdout == "called"


def test_the_deadline_of_a_call_is_not_that_of_the_start() -> None:
    """Instantiation arms and disarms; the call arms again."""
    with running(hook({"on-shell": Spin()}), ticks=1) as instance:
        assert instance._engine._remaining is None
        assert fire(instance, "on-shell").failure is Failure.DEADLINE
        assert instance._engine._remaining is None


@pytest.mark.parametrize("item", ["(instance $empty)", "(type $t)"])
def test_resolve__a_required_name_that_is_no_function__is_missing(item: str) -> None:
    """An instance or a type of that name is not taken for a function."""
    names = contract.load("0.8.0").rules.required[1:]
    exports = " ".join(f'(export "{name}" (func $stub))' for name in names)
    data = component(
        f"""(component
        (core module $main (func (export "stub")))
        (core instance $main (instantiate $main))
        (func $stub (canon lift (core func $main "stub")))
        (instance $empty) (type $t (record (field "a" u8)))
        (instance $lifecycle {exports} (export "on-session-start" {item}))
        (export "{CURRENT}" (instance $lifecycle)))"""
    )
    assert refusal(data).text == f"hook h@1.0.0 missing function {CURRENT}#on-session-start"


def test_resolve__a_module_under_the_interfaces_name__has_no_functions() -> None:
    """The name is found, its first required function is not."""
    data = component(f'(component (core module $m) (export "{CURRENT}" (core module $m)))')
    assert refusal(data).text == f"hook h@1.0.0 missing function {CURRENT}#on-session-start"
