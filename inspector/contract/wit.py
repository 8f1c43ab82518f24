"""Reads WIT text into type values.

Lives here: the grammar, and the resolution of names and `use` across packages. Not
here: what WIT cannot say (rules). Only contract.contract imports it.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import lark
import msgspec

from inspector.contract.type import (
    PRIMITIVE_NAMES,
    Case,
    Enum,
    Field,
    Function,
    ListOf,
    OptionOf,
    Parameter,
    Primitive,
    Record,
    ResultOf,
    TupleOf,
    ValueType,
    Variant,
)

_GRAMMAR = r"""
start: package item*
package: "package" PATH ";"
?item: interface | world
interface: "interface" ID "{" member* "}"
world: "world" ID "{" world_item* "}"
world_item: "import" target ";" -> world_import
          | "export" target ";" -> world_export
target: PATH | ID
?member: use | record | variant | enum | alias | func
use: "use" target "." "{" ID ("," ID)* ","? "}" ";"
record: "record" ID "{" [field ("," field)* ","?] "}"
field: ID ":" type
variant: "variant" ID "{" case ("," case)* ","? "}"
case: ID ["(" type ")"]
enum: "enum" ID "{" ID ("," ID)* ","? "}"
alias: "type" ID "=" type ";"
func: ID ":" "func" "(" [param ("," param)* ","?] ")" ["->" type] ";"
param: ID ":" type
?type: "list" "<" type ">" -> list_type
     | "option" "<" type ">" -> option_type
     | "result" "<" type "," type ">" -> result_type
     | "tuple" "<" type ("," type)* ">" -> tuple_type
     | ID -> named_type
PATH: /[a-z][a-z0-9-]*:[a-z][a-z0-9-]*(\/[a-z][a-z0-9-]*)?(@[0-9]+\.[0-9]+\.[0-9]+)?/
ID: /[a-z][a-z0-9]*(-[a-z0-9]+)*/
COMMENT: /\/\/[^\n]*/
%ignore COMMENT
%import common.WS
%ignore WS
"""


class Interface(msgspec.Struct, frozen=True):
    """One interface with every name resolved.

    Attributes:
        name: Full instance name, e.g. `murmur:hook/lifecycle@0.8.0`.
        types: Its own named types, in declared order.
        functions: Its functions, in declared order.
    """

    name: str
    types: Mapping[str, ValueType]
    functions: Mapping[str, Function]


class World(msgspec.Struct, frozen=True):
    """A world: full names of what it imports and exports."""

    name: str
    imports: tuple[str, ...]
    exports: tuple[str, ...]


class WitSet(msgspec.Struct, frozen=True):
    """Everything declared by a set of WIT files."""

    interfaces: Mapping[str, Interface]
    worlds: Mapping[str, World]


@lru_cache(maxsize=1)
def _parser() -> lark.Lark:
    return lark.Lark(_GRAMMAR, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def parse(texts: Iterable[str]) -> WitSet:
    """Parse WIT files that may use each other's types.

    Args:
        texts: One text per file, each with its package line; any order.

    Returns:
        All interfaces and worlds by full name.

    Raises:
        ValueError: when a text does not parse or a name does not resolve.
    """
    try:
        trees = [_parser().parse(text) for text in texts]
    except lark.exceptions.UnexpectedInput as error:
        raise ValueError(f"WIT syntax error at line {error.line}, column {error.column}") from error
    return _Resolver(trees).resolve()


class _Resolver:
    """Turns parse trees into values, interface by interface, on demand."""

    def __init__(self, trees: Iterable[lark.Tree[Any]]) -> None:
        self._trees: dict[str, lark.Tree[Any]] = {}
        self._worlds: dict[str, World] = {}
        self._done: dict[str, Interface] = {}
        for tree in trees:
            self._collect(tree)

    def _collect(self, tree: lark.Tree[Any]) -> None:
        package = str(tree.children[0].children[0])
        for item in tree.children[1:]:
            assert isinstance(item, lark.Tree)
            name = _qualify(package, str(item.children[0]))
            if item.data == "interface":
                self._trees[name] = item
            else:
                self._worlds[name] = _world(name, package, item)

    def resolve(self) -> WitSet:
        interfaces = {name: self._interface(name) for name in self._trees}
        return WitSet(interfaces, dict(self._worlds))

    def _interface(self, name: str) -> Interface:
        if name in self._done:
            return self._done[name]
        if name not in self._trees:
            raise ValueError(f"WIT interface {name} is used but not declared")
        scope: dict[str, ValueType] = {}
        own: dict[str, ValueType] = {}
        functions: dict[str, Function] = {}
        for member in self._trees[name].children[1:]:
            assert isinstance(member, lark.Tree)
            self._member(name, member, scope, own, functions)
        self._done[name] = Interface(name, own, functions)
        return self._done[name]

    def _member(
        self,
        interface: str,
        tree: lark.Tree[Any],
        scope: dict[str, ValueType],
        own: dict[str, ValueType],
        functions: dict[str, Function],
    ) -> None:
        if tree.data == "use":
            self._use(interface, tree, scope)
        elif tree.data == "func":
            function = _function(tree, scope)
            functions[function.name] = function
        else:
            declared = str(tree.children[0])
            own[declared] = scope[declared] = _declaration(tree, scope)

    def _use(self, interface: str, tree: lark.Tree[Any], scope: dict[str, ValueType]) -> None:
        target = str(tree.children[0].children[0])
        package = re.sub(r"/[^@]*", "", interface)
        source = target if ":" in target else _qualify(package, target)
        for name in tree.children[1:]:
            if name is not None:
                scope[str(name)] = self._interface(source).types[str(name)]


def _qualify(package: str, name: str) -> str:
    """`murmur:hook@0.8.0` and `lifecycle` give `murmur:hook/lifecycle@0.8.0`."""
    head, _, version = package.partition("@")
    return f"{head}/{name}@{version}" if version else f"{head}/{name}"


def _world(name: str, package: str, tree: lark.Tree[Any]) -> World:
    found: dict[str, list[str]] = {"world_import": [], "world_export": []}
    for item in tree.children[1:]:
        target = str(item.children[0].children[0])
        found[str(item.data)].append(target if ":" in target else _qualify(package, target))
    return World(name, tuple(found["world_import"]), tuple(found["world_export"]))


def _subtrees(tree: lark.Tree[Any], kind: str) -> list[lark.Tree[Any]]:
    return [c for c in tree.children if isinstance(c, lark.Tree) and c.data == kind]


def _declaration(tree: lark.Tree[Any], scope: Mapping[str, ValueType]) -> ValueType:
    name = str(tree.children[0])
    if tree.data == "record":
        fields = _subtrees(tree, "field")
        return Record(
            name, tuple(Field(str(f.children[0]), _type(f.children[1], scope)) for f in fields)
        )
    if tree.data == "variant":
        return Variant(name, tuple(_case(case, scope) for case in _subtrees(tree, "case")))
    if tree.data == "enum":
        return Enum(name, tuple(str(case) for case in tree.children[1:] if case is not None))
    return _type(tree.children[1], scope)


def _case(tree: lark.Tree[Any], scope: Mapping[str, ValueType]) -> Case:
    payload = tree.children[1]
    return Case(str(tree.children[0]), None if payload is None else _type(payload, scope))


def _function(tree: lark.Tree[Any], scope: Mapping[str, ValueType]) -> Function:
    parameters = tuple(
        Parameter(str(p.children[0]), _type(p.children[1], scope)) for p in _subtrees(tree, "param")
    )
    result = tree.children[-1]
    return Function(
        str(tree.children[0]), parameters, None if result is None else _type(result, scope)
    )


def _type(tree: Any, scope: Mapping[str, ValueType]) -> ValueType:
    parts = tree.children
    if tree.data == "named_type":
        return _named(str(parts[0]), scope)
    if tree.data == "list_type":
        return ListOf(_type(parts[0], scope))
    if tree.data == "option_type":
        return OptionOf(_type(parts[0], scope))
    if tree.data == "result_type":
        return ResultOf(_type(parts[0], scope), _type(parts[1], scope))
    return TupleOf(tuple(_type(part, scope) for part in parts))


def _named(name: str, scope: Mapping[str, ValueType]) -> ValueType:
    if name in scope:
        return scope[name]
    if name in PRIMITIVE_NAMES:
        return Primitive(name)
    raise ValueError(f"WIT type {name} is used but not declared")
