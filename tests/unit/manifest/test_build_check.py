"""What building a hook under development would refuse."""

import pytest

from inspector.manifest.build_check import findings

GOOD = "name: a-1\nversion: 0.1.0\nruntime: hook\nrequires_files: [h.wasm]\n"


def test_findings__hook_in_order__has_none() -> None:
    """Everything that building wants is there."""
    assert findings(GOOD, "f", "h.wasm") == ()
    assert findings(GOOD, "f", None) == ()


@pytest.mark.parametrize(
    ("text", "code", "message", "line"),
    [
        (
            GOOD.replace("runtime: hook\n", ""),
            "E-MAN-001",
            "murmur.yaml: missing required field 'runtime'",
            None,
        ),
        *(
            (
                GOOD.replace("0.1.0", written),
                "E-MAN-003",
                f"murmur.yaml: field 'version' has invalid type (expected string, got {kind})",
                2,
            )
            for written, kind in [
                ("0.1", "number"),
                ("1", "number"),
                ("~", "null"),
                ("true", "bool"),
                ("[1]", "sequence"),
                ("{}", "mapping"),
            ]
        ),
        *(
            (
                GOOD.replace("a-1", name),
                "E-BLD-001",
                f"invalid artifact name '{name}': only lower-case ASCII letters, digits and "
                "inner hyphens, at most 100 characters",
                1,
            )
            for name in ("A", "a_b", "-a", "a-", "é", "x" * 101, "a b")
        ),
        (
            GOOD.replace("0.1.0", "latest"),
            "E-REG-004",
            "the version 'latest' is reserved and cannot be published",
            2,
        ),
        (
            GOOD.replace("h.wasm", "other.wasm"),
            "not-packed",
            "h.wasm is not in `requires_files`, so building does not pack it",
            None,
        ),
    ],
)
def test_findings__rule_broken__is_told_with_its_place(
    text: str, code: str, message: str, line: int | None
) -> None:
    """Each rule has its own finding, and none of them is an error of the launch."""
    (found,) = findings(text, "f", "h.wasm")
    assert (found.code, found.message, found.line, found.file) == (code, message, line, "f")
    assert found.severity in ("warning", "info")


def test_findings__text_component__is_never_packed() -> None:
    """Only binaries are."""
    (found,) = findings(GOOD, "f", "h.wat")
    assert found.message == "h.wat is text, which is never packed"


@pytest.mark.parametrize("text", ["", "[]", "a: [", "hello"])
def test_findings__no_mapping__is_refused_elsewhere(text: str) -> None:
    """Nothing is said twice."""
    assert findings(text, "f", "h.wasm") == ()
