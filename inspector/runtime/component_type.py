"""From a component's types to contract types.

Lives here: `TypeConverter`. Not here: which items a component has (component). Only
component and instance import it.

A component's types have no names of their own; a name is that of the exported type
that is equal. What contracts do not have (resources, streams, flags) becomes a
primitive with a telling name, which equals no contract type.
"""

from wasmtime import component as wc

from inspector.contract.type import (
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

_PRIMITIVES: tuple[tuple[type[wc.ValType], str], ...] = (
    (wc.Bool, "bool"),
    (wc.U8, "u8"),
    (wc.U16, "u16"),
    (wc.U32, "u32"),
    (wc.U64, "u64"),
    (wc.S8, "s8"),
    (wc.S16, "s16"),
    (wc.S32, "s32"),
    (wc.S64, "s64"),
    (wc.F32, "f32"),
    (wc.F64, "f64"),
    (wc.Char, "char"),
    (wc.String, "string"),
    (wc.ErrorContext, "error-context"),
    (wc.StreamType, "stream"),
    (wc.FutureType, "future"),
)

_BUDGET = 100_000
"""Parts of all types of one side of a component; a hostile one can have a million."""

_TOO_LARGE = Primitive("type-too-large")
_UNKNOWN = Primitive("unknown")


class TypeConverter:
    """Converts the types of one component."""

    def __init__(self) -> None:
        self._named: list[tuple[str, wc.ValType]] = []
        self._resources: list[tuple[str, wc.ResourceType]] = []
        self._left = _BUDGET

    def name_item(self, name: str, item: object) -> None:
        """Note an exported type or resource, so that equal types get its name."""
        if isinstance(item, wc.ResourceType):
            self._resources.append((name, item))
        elif isinstance(item, wc.RecordType | wc.VariantType | wc.EnumType):
            self._named.append((name, item))

    def function(self, name: str, function: wc.FuncType) -> Function:
        """Convert a function type."""
        try:
            parameters = tuple(
                Parameter(each, self.value_type(kind)) for each, kind in function.params
            )
            result = function.result
        except TypeError:
            return Function(name, (), _UNKNOWN)
        return Function(name, parameters, None if result is None else self.value_type(result))

    def value_type(self, kind: wc.ValType) -> ValueType:
        """Convert a type of any kind."""
        self._left -= 1
        if self._left < 0:
            return _TOO_LARGE
        for primitive, name in _PRIMITIVES:
            if isinstance(kind, primitive):
                return Primitive(name)
        try:
            return self._container(kind) or self._named_type(kind)
        except TypeError:
            # The library knows fewer kinds than the engine, and says so in this way.
            return _UNKNOWN

    def _container(self, kind: wc.ValType) -> ValueType | None:
        match kind:
            case wc.ListType():
                return ListOf(self.value_type(kind.element))
            case wc.OptionType():
                return OptionOf(self.value_type(kind.payload))
            case wc.TupleType():
                return TupleOf(tuple(self.value_type(item) for item in kind.elements))
            case wc.ResultType():
                return ResultOf(self._side(kind.ok), self._side(kind.err))
        return None

    def _side(self, kind: wc.ValType | None) -> ValueType | None:
        return None if kind is None else self.value_type(kind)

    def _named_type(self, kind: wc.ValType) -> ValueType:
        match kind:
            case wc.RecordType():
                fields = tuple(Field(name, self.value_type(part)) for name, part in kind.fields)
                return Record(self._name(kind, "record"), fields)
            case wc.VariantType():
                cases = tuple(Case(name, self._side(part)) for name, part in kind.cases)
                return Variant(self._name(kind, "variant"), cases)
            case wc.EnumType():
                return Enum(self._name(kind, "enum"), tuple(kind.names))
            case wc.FlagsType():
                return Primitive(f"flags<{', '.join(kind.names)}>")
            case wc.OwnType():
                return Primitive(f"own<{self._resource(kind.ty)}>")
            case wc.BorrowType():
                return Primitive(f"borrow<{self._resource(kind.ty)}>")
        return _UNKNOWN

    def _name(self, kind: wc.ValType, noun: str) -> str:
        return next((name for name, each in self._named if each == kind), noun)

    def _resource(self, kind: wc.ResourceType) -> str:
        return next((name for name, each in self._resources if each == kind), "resource")
