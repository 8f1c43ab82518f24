"""Compiling, and the description of what a component exports and imports."""

import re

import pytest

from inspector.contract import contract
from inspector.contract.contract import EVENTS
from inspector.contract.type import Function, Primitive, ValueType, signature, spell
from inspector.manifest.grant import Limits
from inspector.runtime.component import (
    CompiledHook,
    CompileError,
    binary_from_text,
    compile_hook,
    find_compatible,
)
from inspector.runtime.engine import HookEngine
from inspector.runtime.type_check import check_function
from tests.helpers import wat_host
from tests.helpers.value_strategy import contract_functions
from tests.helpers.wat import Answer, Error, HttpGet, component, hook

MODULE = b"\0asm\1\0\0\0"


def compiled(data: bytes) -> CompiledHook:
    """Compile on an engine of its own."""
    return compile_hook(HookEngine(Limits(), 10), data)


class TestCompiling:
    @pytest.mark.parametrize(
        ("data", "hint"),
        [
            (b"", "The file is empty."),
            (b"\x7fELF\2\1\1", "The file is no WebAssembly"),
            (b"hello", "The file is no WebAssembly"),
            (b"  (component)", "The file is WebAssembly text"),
            (MODULE, "The file is a core module, not a component"),
            (b"\0asm", "The component is damaged or cut off"),
            (hook({}).component()[:-7], "The component is damaged or cut off"),
            (hook({}).component() + b"\xff", "The component is damaged or cut off"),
        ],
    )
    def test_what_is_no_component_is_refused_with_a_hint(self, data: bytes, hint: str) -> None:
        """The engine's outermost text stands alone, its causes are the detail."""
        with pytest.raises(CompileError) as caught:
            compiled(data)
        assert caught.value.hint.startswith(hint)
        assert caught.value.text
        assert "Caused by" not in caught.value.text
        assert caught.value.detail.startswith(caught.value.text)

    def test_a_module_is_refused_in_the_engines_words(self) -> None:
        """What the runtime shows is the outermost text."""
        with pytest.raises(CompileError) as caught:
            compiled(MODULE)
        assert caught.value.text == "failed to parse WebAssembly module"
        assert "attempted to parse a wasm module with a component parser" in caught.value.detail

    def test_every_cut_of_a_component_is_refused_or_exports_nothing(self) -> None:
        """A cut between two sections is a component; none crashes."""
        data = hook({"on-shell": Answer()}).component()
        engine = HookEngine(Limits(), 10)
        for end in range(9, len(data), 97):
            try:
                cut = compile_hook(engine, data[:end])
            except CompileError:
                continue
            assert cut.shape.exports == {}

    def test_text_becomes_binary(self) -> None:
        """A component in WAT form can be compiled afterwards."""
        assert compiled(binary_from_text("(component)")).shape.exports == {}

    def test_text_that_does_not_parse_names_the_line(self) -> None:
        """The engine's own text has the place."""
        with pytest.raises(CompileError, match="1:12"):
            binary_from_text("(component ?)")

    def test_a_compiled_hook_moves_to_another_engine(self) -> None:
        """Without being compiled again."""
        first = compiled(hook({"on-shell": Answer()}).component())
        second = first.on(HookEngine(Limits(), 10))
        assert second.shape == first.shape
        assert second.engine is not first.engine


class TestShape:
    @pytest.mark.parametrize("version", contract.versions())
    def test_the_exported_functions_have_the_contracts_types(self, version: str) -> None:
        """Names of records, variants and enums are those of the exported types."""
        found = contract.load(version)
        shape = compiled(
            hook({event: Answer() for event in EVENTS}, version=version).component()
        ).shape
        assert list(shape.exports) == [found.interface]
        interface = shape.exports[found.interface]
        for event in EVENTS:
            exported = interface.functions[event]
            assert check_function(found.function(event), exported) is None
            assert signature(exported) == signature(found.function(event))
            assert undocumented(exported.parameters[0].type) == undocumented(found.record(event))

    @pytest.mark.parametrize(("label", "function"), list(contract_functions())[::5])
    def test_every_type_of_the_contracts_is_read_back(self, label: str, function: Function) -> None:
        """A component that imports a function shows the same function type."""
        text = wat_host.import_text("test:t/t@1.0.0", "t", [function])
        imported = compiled(component(f"(component {text})")).shape.imports["test:t/t@1.0.0"]
        assert check_function(function, imported.functions[function.name]) is None
        assert signature(imported.functions[function.name]) == signature(function), label

    def test_resources_have_names_and_functions_that_no_contract_has(self) -> None:
        """wasi:http is full of them."""
        double = hook({"on-shell": Error(HttpGet("http://localhost/"))})
        imports = compiled(double.component()).shape.imports
        handler = imports["wasi:http/outgoing-handler@0.2.0"]
        assert handler.resources == (
            "outgoing-request",
            "request-options",
            "future-incoming-response",
        )
        assert signature(handler.functions["handle"]) == (
            "func(request: own<outgoing-request>, options: option<own<request-options>>) -> "
            "result<own<future-incoming-response>, error-code>"
        )
        assert not handler.types_only

    def test_an_import_of_types_is_recognized(self) -> None:
        """It asks for nothing."""
        shape = compiled(hook({}, imports_types=True).component()).shape
        assert shape.imports["murmur:hook/lifecycle@0.8.0"].types_only
        assert list(shape.imports["murmur:hook/lifecycle@0.8.0"].types)

    def test_exports_and_imports_that_are_no_interfaces_are_listed_by_name(self) -> None:
        """Some toolchains leave some."""
        shape = compiled(hook({}, extra_exports=("init",)).component()).shape
        assert shape.other_exports == ("init",)
        text = '(component (import "plain" (func)) (import "mod" (core module)))'
        assert compiled(component(text)).shape.other_imports == ("plain", "mod")

    @pytest.mark.parametrize(
        ("wat", "name"),
        [
            ("(own $r)", "own<thing>"),
            ("(borrow $r)", "borrow<thing>"),
            ("$flags", "flags<a, b>"),
            ("char", "char"),
            ("f32", "f32"),
            ("(tuple u8 s8 u16 s16)", "tuple<u8, s8, u16, s16>"),
            ("(result)", "result"),
            ("(result (error string))", "result<_, string>"),
        ],
    )
    def test_every_kind_of_type_has_a_spelling(self, wat: str, name: str) -> None:
        """Kinds that no contract has become opaque primitives."""
        text = f"""(component (import "a:b/c@1.0.0" (instance
            (export "thing" (type $r (sub resource)))
            (type $flags' (flags "a" "b")) (export "options" (type $flags (eq $flags')))
            (export "f" (func (param "x" {wat}))))))"""
        shape = compiled(component(text)).shape.imports["a:b/c@1.0.0"]
        assert spell(shape.functions["f"].parameters[0].type) == name
        assert shape.resources == ("thing",)
        assert shape.types["options"] == Primitive("flags<a, b>")

    def test_a_type_of_a_hundred_thousand_parts_is_cut_off(self) -> None:
        """A hostile file can nest pairs of pairs; the description stays small."""
        pairs = ["(type $t0 (tuple u8 u8))"]
        pairs += [f"(type $t{n} (tuple $t{n - 1} $t{n - 1}))" for n in range(1, 16)]
        text = f"""(component {" ".join(pairs)} (import "a:b/c@1.0.0" (instance
            (alias outer 1 $t15 (type $t)) (export "f" (func (param "x" $t)))
            (export "g" (func (param "x" $t) (result string))))))"""
        shape = compiled(component(text)).shape.imports["a:b/c@1.0.0"]
        assert "type-too-large" in spell(shape.functions["g"].parameters[0].type)

    def test_nested_interfaces_and_modules_of_an_instance_are_listed(self) -> None:
        """They are neither functions nor types."""
        text = """(component (import "a:b/c@1.0.0" (instance
            (export "m" (core module)) (export "i" (instance)))))"""
        shape = compiled(component(text)).shape.imports["a:b/c@1.0.0"]
        assert shape.others == ("m", "i")
        assert not shape.types_only


@pytest.mark.parametrize(
    ("name", "names", "found"),
    [
        ("a:b/c@0.8.0", ["a:b/c@0.8.0", "a:b/c@0.8.5"], "a:b/c@0.8.0"),
        ("a:b/c@0.8.0", ["a:b/c@0.8.2", "a:b/c@0.8.10"], "a:b/c@0.8.10"),
        ("a:b/c@0.8.9", ["a:b/c@0.8.0"], "a:b/c@0.8.0"),
        ("a:b/c@0.8.0", ["a:b/c@0.9.0"], None),
        ("a:b/c@1.2.3", ["a:b/c@1.0.0"], "a:b/c@1.0.0"),
        ("a:b/c@1.2.3", ["a:b/c@2.0.0"], None),
        ("a:b/c@0.0.1", ["a:b/c@0.0.2"], None),
        ("a:b/c@0.0.1", ["a:b/c@0.0.1"], "a:b/c@0.0.1"),
        ("a:b/c@1.0.0-rc.1", ["a:b/c@1.0.0"], None),
        ("a:b/c@1.0.0", ["a:b/c@1.0.0-rc.1"], None),
        ("a:b/c@1.0.0+x", ["a:b/c@1.0.0"], "a:b/c@1.0.0"),
        ("a:b/c", ["a:b/c@1.0.0"], None),
        ("a:b/c@1.0.0", ["a:b/d@1.0.0"], None),
    ],
)
def test_find_compatible__names_with_versions__is_the_engines_choice(
    name: str, names: list[str], found: str | None
) -> None:
    """Exact first, else the highest compatible one."""
    assert find_compatible(name, names) == found


def undocumented(value_type: ValueType) -> str:
    """A type without its documentation, as one text."""
    return re.sub(r", doc='[^']*'|, doc=\"[^\"]*\"", "", repr(value_type)).replace(", doc=''", "")
