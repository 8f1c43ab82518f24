"""The structural comparison of a component's function with the contract's."""

import itertools

import pytest

from inspector.contract import contract
from inspector.contract.contract import EVENTS
from inspector.contract.type import (
    BOOL,
    STRING,
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
from inspector.runtime.type_check import check_function, differences

A = Field("a", STRING)
B = Field("b", Primitive("u32"))
PAIR = Record("pair", (A, B))
SHAPE = Variant("shape", (Case("dot", None), Case("line", STRING)))
COLOUR = Enum("colour", ("red", "blue"))

DIFFERENT: list[tuple[ValueType, ValueType, str]] = [
    (STRING, BOOL, "parameter x is string in the contract and bool in the hook"),
    (Primitive("u32"), Primitive("u64"), "is u32 in the contract and u64 in the hook"),
    (STRING, Primitive("own<thing>"), "is string in the contract and own<thing> in the hook"),
    (STRING, OptionOf(STRING), "is string in the contract and option<string> in the hook"),
    (PAIR, STRING, "is pair in the contract and string in the hook"),
    (PAIR, Record("pair", (A,)), "record pair (parameter x) lacks the field b"),
    (Record("one", (A,)), PAIR, "record one (parameter x) has the extra field b"),
    (
        PAIR,
        Record("pair", (Field("c", STRING), Field("d", STRING))),
        "lacks the fields a, b and has the extra fields c, d",
    ),
    (PAIR, Record("pair", (B, A)), "has field b at position 1, wanted a"),
    (PAIR, Record("pair", (A, Field("b", BOOL))), "field pair.b is u32 in the contract and bool"),
    (SHAPE, Variant("shape", (Case("dot", None),)), "lacks the case line"),
    (
        SHAPE,
        Variant("shape", (Case("line", STRING), Case("dot", None))),
        "has case line at position 1, wanted dot",
    ),
    (
        SHAPE,
        Variant("shape", (Case("dot", STRING), Case("line", STRING))),
        "case shape.dot is nothing in the contract and string in the hook",
    ),
    (COLOUR, Enum("colour", ("red",)), "enum colour (parameter x) lacks the case blue"),
    (COLOUR, Enum("colour", ("blue", "red")), "has case blue at position 1, wanted red"),
    (ListOf(STRING), ListOf(BOOL), "items of parameter x is string in the contract and bool"),
    (OptionOf(STRING), OptionOf(BOOL), "content of parameter x is string in the contract"),
    (TupleOf((STRING,)), TupleOf((BOOL,)), "parameter x, item 0 is string in the contract"),
    (TupleOf((STRING,)), TupleOf((STRING, STRING)), "is tuple<string> in the contract"),
    (
        ResultOf(STRING, None),
        ResultOf(STRING, STRING),
        "the error side of parameter x is nothing in the contract and string in the hook",
    ),
    (
        ResultOf(STRING, STRING),
        ResultOf(BOOL, STRING),
        "the ok side of parameter x is string in the contract and bool in the hook",
    ),
]


def taking(value_type: ValueType, name: str = "x") -> Function:
    """A function of one parameter without result."""
    return Function("f", (Parameter(name, value_type),), None)


@pytest.mark.parametrize(("wanted", "found", "detail"), DIFFERENT)
def test_check_function__another_structure__is_a_mismatch_that_says_what_differs(
    wanted: ValueType, found: ValueType, detail: str
) -> None:
    """The engine's text for parameters, our sentence for the first difference."""
    mismatch = check_function(taking(wanted), taking(found))
    assert mismatch is not None
    assert mismatch.text == "type mismatch with parameters"
    assert mismatch.detail.startswith("f: ")
    assert detail in mismatch.detail


@pytest.mark.parametrize("value_type", [wanted for wanted, _, _ in DIFFERENT])
def test_check_function__other_names_of_types_and_parameters__is_no_mismatch(
    value_type: ValueType,
) -> None:
    """Only structure counts."""
    renamed = value_type
    match value_type:
        case Record():
            renamed = Record("other", value_type.fields)
        case Variant():
            renamed = Variant("other", value_type.cases)
        case Enum():
            renamed = Enum("other", value_type.cases)
    assert check_function(taking(value_type), taking(renamed, "y")) is None


def test_check_function__both_differ__parameters_are_named_first() -> None:
    """As the engine checks them."""
    wanted = Function("f", (Parameter("x", STRING),), STRING)
    found = Function("f", (), None)
    mismatch = check_function(wanted, found)
    assert mismatch is not None
    assert mismatch.text == "type mismatch with parameters"
    assert mismatch.detail == "f: the contract has 1 parameter, the hook 0 parameters"


def test_differences__are_all_there_are_and_the_first_is_check_functions() -> None:
    """Names of fields, then types of the fields that both have, down to the last."""
    wanted = Function(
        "f",
        (Parameter("x", Record("outer", (A, B, Field("pair", ListOf(PAIR))))),),
        ResultOf(SHAPE, STRING),
    )
    pair = Record("other", (Field("a", BOOL), Field("c", STRING)))
    found = Function(
        "f",
        (
            Parameter("y", Record("o", (Field("b", STRING), Field("pair", ListOf(pair))))),
            Parameter("z", STRING),
        ),
        ResultOf(Variant("v", (Case("line", None), Case("dot", None))), BOOL),
    )
    told = list(differences(wanted, found))
    assert [each.sentence for each in told] == [
        "the contract has 1 parameter, the hook 2 parameters",
        "the hook's record outer (parameter x) lacks the field a",
        "field outer.b is u32 in the contract and string in the hook",
        "the hook's record pair (items of field outer.pair) lacks the field b and has the extra "
        "field c",
        "field pair.a is string in the contract and bool in the hook",
        "the hook's variant shape (the ok side of the result) has case line at position 1, "
        "wanted dot",
        "case shape.line is string in the contract and nothing in the hook",
        "the error side of the result is string in the contract and bool in the hook",
    ]
    assert [each.brief for each in told if each.brief != each.sentence] == [
        "the hook's record outer lacks the field a",
        "the hook's record pair lacks the field b and has the extra field c",
        "the hook's variant shape has case line at position 1, wanted dot",
    ]
    mismatch = check_function(wanted, found)
    assert mismatch is not None
    assert mismatch.detail == f"f: {told[0].sentence}"


@pytest.mark.parametrize(("wanted", "found", "detail"), DIFFERENT)
def test_differences__of_one_parameter__begin_with_what_check_function_says(
    wanted: ValueType, found: ValueType, detail: str
) -> None:
    """One comparison for both."""
    first = next(differences(taking(wanted), taking(found)))
    assert detail in first.sentence


@pytest.mark.parametrize("result", [None, BOOL])
def test_check_function__another_result__is_a_mismatch_with_results(
    result: ValueType | None,
) -> None:
    """A missing result is another one."""
    mismatch = check_function(Function("f", (), STRING), Function("f", (), result))
    assert mismatch is not None
    assert mismatch.text == "type mismatch with results"
    theirs = "nothing" if result is None else "bool"
    assert mismatch.detail == f"f: the result is string in the contract and {theirs} in the hook"


@pytest.mark.parametrize("version", contract.versions())
def test_check_function__same_version__nothing_differs(version: str) -> None:
    """Each function is equal to itself."""
    for function in contract.load(version).lifecycle.functions.values():
        assert check_function(function, function) is None


@pytest.mark.parametrize(("ours", "theirs"), list(itertools.permutations(contract.versions(), 2)))
def test_check_function__another_version__every_function_differs(ours: str, theirs: str) -> None:
    """Each pair of accepted versions differs in hook-output or in message, so everywhere."""
    wanted, found = contract.load(ours), contract.load(theirs)
    for event in EVENTS:
        assert check_function(wanted.function(event), found.function(event)) is not None
