"""What building a hook under development into an archive would refuse.

Lives here: the identity and packing rules, as findings that stop no launch. Not here:
what staging reads of the same file (hook_manifest). Only inspector.capsule imports it.
"""

import re

from inspector.manifest.diagnostic import Diagnostic, Severity
from inspector.manifest.hook_manifest import identity
from inspector.manifest.refusal import FILE_NAME
from inspector.manifest.yaml_scalar import resolve
from inspector.manifest.yaml_source import Mapping, Node, Scalar, Sequence, YamlError, parse

REQUIRED = ("name", "version", "runtime")
RESERVED_VERSIONS = ("latest", "stable", "edge")
MAX_NAME_CHARACTERS = 100
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
_QUOTE = "Put the value in quotes; building reads it as written only then."


def findings(text: str, file: str, component_name: str | None) -> tuple[Diagnostic, ...]:
    """Findings about a hook's own manifest.

    Args:
        text: The manifest.
        file: Its path.
        component_name: File name of the component beside it, or None when it is elsewhere.

    Returns:
        Findings in file order of the keys; none for text that is no mapping, which is
        refused elsewhere.

    Source: spec/artifact.md 2.
    """
    try:
        root = parse(text)
    except YamlError:
        return ()
    if not isinstance(root, Mapping):
        return ()
    values = {key.text: value for key, value in root.entries if isinstance(key, Scalar)}
    found = [_required(key, values.get(key), file) for key in REQUIRED]
    found.append(_name(values.get("name"), file))
    found.append(_version(values.get("version"), file))
    found.append(_packing(text, component_name, file))
    return tuple(finding for finding in found if finding is not None)


def _finding(
    code: str,
    message: str,
    hint: str,
    file: str,
    node: Node | None,
    severity: Severity = Severity.WARNING,
) -> Diagnostic:
    line, column = (node.line, node.column) if node is not None else (None, None)
    return Diagnostic(severity, code, message, hint, file, line, column)


def _required(key: str, node: Node | None, file: str) -> Diagnostic | None:
    if node is None:
        message = f"{FILE_NAME}: missing required field '{key}'"
        return _finding("E-MAN-001", message, "Add it before the hook is built.", file, None)
    if _text(node) is not None:
        return None
    message = f"{FILE_NAME}: field '{key}' has invalid type (expected string, got {_kind(node)})"
    return _finding("E-MAN-003", message, _QUOTE, file, node)


def _text(node: Node | None) -> str | None:
    value = resolve(node) if isinstance(node, Scalar) else None
    return value if isinstance(value, str) else None


def _kind(node: Node) -> str:
    if isinstance(node, Sequence):
        return "sequence"
    if isinstance(node, Mapping):
        return "mapping"
    value = resolve(node)
    if value is None:
        return "null"
    return "bool" if isinstance(value, bool) else "number"


def _name(node: Node | None, file: str) -> Diagnostic | None:
    name = _text(node)
    if name is None or (_NAME.fullmatch(name) and len(name) <= MAX_NAME_CHARACTERS):
        return None
    message = (
        f"invalid artifact name '{name}': only lower-case ASCII letters, digits and inner "
        f"hyphens, at most {MAX_NAME_CHARACTERS} characters"
    )
    return _finding("E-BLD-001", message, "Rename the hook before it is built.", file, node)


def _version(node: Node | None, file: str) -> Diagnostic | None:
    version = _text(node)
    if version not in RESERVED_VERSIONS:
        return None
    message = f"the version '{version}' is reserved and cannot be published"
    return _finding("E-REG-004", message, "Use a number such as 0.1.0.", file, node)


def _packing(text: str, component_name: str | None, file: str) -> Diagnostic | None:
    if component_name is None:
        return None
    if not component_name.lower().endswith(".wasm"):
        message = f"{component_name} is text, which is never packed"
        hint = "Build it to a *.wasm file before the hook is packed."
    elif component_name not in identity(text).requires_files:
        message = f"{component_name} is not in `requires_files`, so building does not pack it"
        hint = f"Add `requires_files: [{component_name}]`."
    else:
        return None
    return _finding("not-packed", message, hint, file, None, Severity.INFO)
