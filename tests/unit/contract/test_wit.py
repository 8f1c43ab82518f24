"""The WIT reader."""

import pytest

from inspector.contract import wit
from inspector.contract.type import signature, spell

HEAD = "package a:b@1.0.0;\n"


def interface(body: str, *more: str) -> wit.Interface:
    """The interface `i` of a package with a body."""
    found = wit.parse([HEAD + "interface i {" + body + "}", *more])
    return found.interfaces["a:b/i@1.0.0"]


class TestTypes:
    """Every kind of type."""

    @pytest.mark.parametrize(
        "text",
        [
            "list<string>",
            "option<list<u8>>",
            "result<u64, string>",
            "tuple<string, u32, bool>",
            "list<tuple<string, option<f64>>>",
        ],
    )
    def test_type__built_from_parts__is_spelled_back(self, text):
        """Reading and spelling are inverse."""
        found = interface(f"f: func(x: {text}) -> {text};")
        assert signature(found.functions["f"]) == f"func(x: {text}) -> {text}"

    def test_declarations__all_kinds__are_resolved_in_order(self):
        """Records, variants, enums and aliases."""
        found = interface(
            "enum e { one, two }"
            "record r { a: u32, b: option<e>, }"
            "variant v { none, some(r), }"
            "type t = list<v>;"
            "f: func(x: t);"
        )
        assert list(found.types) == ["e", "r", "v", "t"]
        assert spell(found.types["t"]) == "list<v>"
        assert signature(found.functions["f"]) == "func(x: list<v>)"

    def test_use__another_package__takes_its_type(self):
        """The file order does not matter."""
        other = "package c:d@2.0.0; interface j { record r { a: string, } }"
        found = interface("use c:d/j@2.0.0.{r}; f: func(x: r);", other)
        assert found.functions["f"].parameters[0].type.fields[0].name == "a"
        assert found.types == {}

    def test_use__same_package__takes_its_type(self):
        """A bare interface name means the same package."""
        found = wit.parse(
            [HEAD + "interface i { use j.{e}; f: func(x: e); } interface j { enum e { a } }"]
        )
        assert found.interfaces["a:b/i@1.0.0"].functions["f"].parameters[0].type.cases == ("a",)

    def test_world__imports_and_exports__get_full_names(self):
        """Comments and bare names are understood."""
        found = wit.parse(
            [HEAD + "// x\n/// y\nworld w { import c:d/e@1.0.0; export i; } interface i { }"]
        )
        world = found.worlds["a:b/w@1.0.0"]
        assert (world.imports, world.exports) == (("c:d/e@1.0.0",), ("a:b/i@1.0.0",))


class TestTrouble:
    """Texts that are no WIT."""

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (HEAD + "interface i {\n  f func();\n}", "line 3, column 5"),
            ("interface i { }", "line 1"),
            (HEAD + "interface i { f: func(x: nope); }", "nope"),
            (HEAD + "interface i { use c:d/j@1.0.0.{r}; }", "c:d/j@1.0.0"),
        ],
    )
    def test_parse__broken__says_where_or_what(self, text, words):
        """One sentence."""
        with pytest.raises(ValueError, match=words):
            wit.parse([text])
