"""Custom sections of components, from honest and from hostile bytes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capsule import sections
from inspector.capsule.sections import (
    MAX_DEPTH,
    MAX_NAME_BYTES,
    MAX_PRODUCERS,
    MAX_SECTIONS,
    Producer,
    Sections,
)
from tests.helpers import wat
from tests.helpers.capsule_files import COMPONENT
from tests.helpers.wasm_bytes import (
    CUSTOM,
    OTHER,
    component,
    custom,
    leb,
    module,
    nested,
    producers,
    section,
    sized,
)


def _names(found: Sections) -> list[tuple[str, int, int]]:
    return [(each.name, each.size_bytes, each.depth) for each in found.custom]


class TestHonest:
    """What tools write."""

    def test_component__with_modules_and_components_inside__is_walked_in_file_order(self) -> None:
        """Depth first, other sections skipped by their length."""
        inner = component(custom("deep", b"xy"), nested(module(custom("deeper"))))
        data = component(
            section(OTHER, b"\xff" * 200),
            custom("first", b"abc"),
            nested(
                module(section(1, b"\1\2\3"), custom(".debug_info", b"d" * 300), custom("name"))
            ),
            nested(inner),
            custom("last"),
        )
        found = sections.read(data)
        assert _names(found) == [
            ("first", 3, 0),
            (".debug_info", 300, 1),
            ("name", 0, 1),
            ("deep", 2, 1),
            ("deeper", 0, 2),
            ("last", 0, 0),
        ]
        assert len(found.module_bytes) == 2
        assert found.is_whole

    def test_core_module__is_walked_too__and_has_nothing_inside(self) -> None:
        """Sections 1 and 4 of a module are types and tables, no modules."""
        data = module(section(1, module(custom("no"))), section(4, b"\0"), custom("name", b"1"))
        found = sections.read(data)
        assert _names(found) == [("name", 1, 0)]
        assert (found.module_bytes, found.is_whole) == ((len(data),), True)

    @pytest.mark.parametrize("data", [COMPONENT, wat.hook({}).component()])
    def test_real_component__is_whole(self, data: bytes) -> None:
        """What an engine takes, with padded lengths or without."""
        assert sections.read(data).is_whole

    def test_padded_lengths__are_numbers_too(self) -> None:
        """Linkers leave room for five bytes."""
        content = sized(b"name") + b"123"
        data = module(bytes((CUSTOM,)) + leb(len(content), 5) + content)
        assert _names(sections.read(data)) == [("name", 3, 0)]

    def test_producers__are_read_from_all_depths__each_once(self) -> None:
        """In file order."""
        rust = {"language": [("Rust", "")], "processed-by": [("rustc", "1.95.0"), ("x", "")]}
        data = component(
            nested(module(producers(rust))),
            nested(module(producers(rust))),
            producers({"sdk": [("Em", "3")]}),
        )
        assert sections.read(data).producers == (
            Producer("language", "Rust", ""),
            Producer("processed-by", "rustc", "1.95.0"),
            Producer("processed-by", "x", ""),
            Producer("sdk", "Em", "3"),
        )

    def test_name__that_is_no_text_or_long__is_shown_all_the_same(self) -> None:
        """Nothing of it is trusted."""
        data = component(custom(b"\xff\0"), custom("é" * 500, b"1"))
        first, second = sections.read(data).custom
        assert first.name == "\ufffd\0"
        assert len(second.name) == MAX_NAME_BYTES // 2
        assert second.size_bytes == 1


_HEAD = component()


class TestHostile:
    """Bytes that want to mislead; what stands before the lie is kept."""

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"(component)",
            b"\0asm",
            b"\0asm\2\0\0\0",
            b"\0asm\x0c\0\1\0",
            _HEAD[:-1],
        ],
    )
    def test_no_component__has_nothing_and_is_not_whole(self, data: bytes) -> None:
        """Text, other files, other encodings."""
        assert sections.read(data) == Sections(is_whole=False)

    @pytest.mark.parametrize(
        "tail",
        [
            bytes((CUSTOM,)),
            bytes((CUSTOM,)) + leb(1),
            bytes((CUSTOM,)) + leb(2**32 - 1) + b"x",
            bytes((CUSTOM,)) + leb(2**32) + b"x",
            bytes((CUSTOM,)) + b"\x80" * 5 + b"\0",
            bytes((CUSTOM,)) + b"\x80" * 100,
            bytes((CUSTOM,)) + b"\xff\xff\xff\xff\x1f",
            section(CUSTOM, b""),
            section(CUSTOM, leb(5) + b"abcd"),
            section(OTHER, b"")[:1] + leb(1),
        ],
    )
    def test_wrong_section__ends_the_walk(self, tail: bytes) -> None:
        """Lengths beyond the end, numbers beyond 32 bits, names beyond their section."""
        found = sections.read(component(custom("good")) + tail)
        assert _names(found) == [("good", 0, 0)]
        assert not found.is_whole

    def test_wrong_module__does_not_hide_what_stands_behind_it(self) -> None:
        """Its own length was right."""
        for broken in (module(custom("in"), b"\0\x7f"), b"\0asm\3\0\0\0", b""):
            kind = section(1, broken)
            found = sections.read(component(kind, custom("after")))
            assert ("after", 0, 0) in _names(found)
            assert not found.is_whole

    def test_depth__is_bounded_without_a_stack(self) -> None:
        """A thousand components in one another."""
        data = component(custom("core"))
        for _ in range(1000):
            data = component(custom("layer"), nested(data))
        found = sections.read(data)
        assert [each.depth for each in found.custom] == list(range(MAX_DEPTH))
        assert not found.is_whole

    def test_number_of_sections__is_bounded(self) -> None:
        """A section can be three bytes."""
        count = MAX_SECTIONS
        assert sections.read(component(custom("") * count)).is_whole
        found = sections.read(component(custom("") * (count + 1)))
        assert len(found.custom) == count
        assert not found.is_whole

    @pytest.mark.parametrize(
        "content",
        [
            leb(2**32 - 1),
            leb(1) + sized(b"language") + leb(2**32 - 1) + sized(b"a") + sized(b"b"),
            leb(1) + sized(b"language") + leb(1) + leb(99),
            b"\xff" * 9,
        ],
    )
    def test_wrong_producers__leave_the_file_whole(self, content: bytes) -> None:
        """An engine does not look at them either."""
        found = sections.read(component(custom("producers", content), custom("after")))
        assert [each.name for each in found.custom] == ["producers", "after"]
        assert found.is_whole

    def test_number_of_producers__is_bounded(self) -> None:
        """Over all sections together, fields included."""
        many = producers({"f": [(str(number), "") for number in range(1500)]})
        more = producers({"g": [(str(number), "") for number in range(1500)]})
        found = sections.read(component(many, more, many))
        assert len(found.producers) == MAX_PRODUCERS - 2

    def test_producer_fields_without_values__use_up_the_bound_too(self) -> None:
        """Each costs time, and two bytes are enough for one."""
        late = sized(b"late") + leb(1) + sized(b"x") + sized(b"")
        for empty, is_read in ((MAX_PRODUCERS - 2, True), (MAX_PRODUCERS, False)):
            content = leb(empty + 1) + (sized(b"") + leb(0)) * empty + late
            found = sections.read(component(custom("producers", content)))
            assert bool(found.producers) is is_read


_CUSTOMS = st.builds(
    lambda name, size: ("custom", name, size),
    st.text(max_size=8),
    st.integers(0, 300),
)
_TREES: st.SearchStrategy[Any] = st.recursive(
    st.lists(st.one_of(_CUSTOMS, st.just(("other",))), max_size=4).map(lambda s: ("module", s)),
    lambda inner: st.lists(st.one_of(_CUSTOMS, st.just(("other",)), inner), max_size=5).map(
        lambda parts: ("component", parts)
    ),
    max_leaves=12,
)


def _encode(tree: Any) -> bytes:
    """The bytes of a tree."""
    kind, *rest = tree
    if kind == "custom":
        return custom(rest[0], b"\xa5" * rest[1])
    if kind == "other":
        return section(OTHER, b"\x80" * 130)
    parts = [_encode(part) for part in rest[0]]
    if kind == "module":
        return module(*parts)
    held = [
        nested(data) if part[0] in ("module", "component") else data
        for part, data in zip(rest[0], parts, strict=True)
    ]
    return component(*held)


def _expected(tree: Any, depth: int = 0) -> list[tuple[str, int, int]]:
    """The custom sections of a tree."""
    kind, *rest = tree
    if kind == "custom":
        return [(rest[0], rest[1], depth)]
    if kind == "other":
        return []
    return [
        found
        for part in rest[0]
        for found in _expected(part, depth + (part[0] in ("module", "component")))
    ]


class TestAnything:
    """Properties over all trees and all bytes."""

    @given(_TREES)
    def test_tree__comes_back(self, tree: Any) -> None:
        """Every custom section with name, size and depth."""
        found = sections.read(_encode(tree))
        assert found.is_whole
        assert _names(found) == _expected(tree)

    @given(_TREES, st.data())
    def test_cut_off__gives_what_stands_before(self, tree: Any, data: st.DataObject) -> None:
        """No section is made up, none is changed."""
        whole = _encode(tree)
        cut = whole[: data.draw(st.integers(0, len(whole)))]
        found = _names(sections.read(cut))
        assert found == _expected(tree)[: len(found)]

    @given(_TREES, st.data())
    def test_changed_byte__never_reads_beyond_the_end(self, tree: Any, data: st.DataObject) -> None:
        """Whatever one byte says."""
        bent = bytearray(_encode(tree))
        bent[data.draw(st.integers(0, len(bent) - 1))] = data.draw(st.integers(0, 255))
        found = sections.read(bytes(bent))
        assert sum(each.size_bytes for each in found.custom) <= len(bent)
        assert all(size <= len(bent) for size in found.module_bytes)

    @given(st.sampled_from([b"", component(), module()]), st.binary(max_size=400))
    def test_any_bytes__are_read_without_an_error(self, head: bytes, tail: bytes) -> None:
        """Behind a right beginning and without one."""
        found = sections.read(head + tail)
        assert sum(each.size_bytes for each in found.custom) <= len(tail)
