"""A hook's own murmur.yaml: binding, mode and policy.

Lives here: the eight checks in the runtime's order, and the identity that a hook project
declares. Not here: the operator's entry (artifact_entry). Rooms above may import it.
"""

import msgspec

from inspector.contract.contract import EVENTS, Contract, Phase
from inspector.contract.profile import Profile
from inspector.manifest.hook_config import ExecutionMode, HookConfig
from inspector.manifest.untyped import check_value
from inspector.manifest.yaml_scalar import resolve
from inspector.manifest.yaml_source import Mapping, Node, Scalar, YamlError, keys_of, parse


class HookConfigError(ValueError):
    """A hook manifest that the runtime refuses.

    Attributes:
        message: The runtime's text, without its wrapper.
        line: 1-based, or None.
        column: 1-based, or None.
    """

    def __init__(self, message: str, line: int | None, column: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class HookIdentity(msgspec.Struct, frozen=True):
    """What a packed or developed artifact says about itself.

    Attributes:
        name: A string, else None.
        version: A string, else None.
        runtime: A string, else None.
        requires_files: Strings of the list, else empty.
        is_capsule: Whether it has `artifacts`, so is the operator's file.
    """

    name: str | None = None
    version: str | None = None
    runtime: str | None = None
    requires_files: tuple[str, ...] = ()
    is_capsule: bool = False


def identity(text: str) -> HookIdentity:
    """Who a manifest says it is; whatever cannot be read is left out.

    Source: spec/artifact.md 2.
    """
    try:
        root = parse(text)
    except YamlError:
        return HookIdentity()
    if not isinstance(root, Mapping):
        return HookIdentity()
    values = {key.text: value for key, value in keys_of(root)}
    files = values.get("requires_files")
    items = getattr(files, "items", ())
    texts = (_string(item) for item in items)
    return HookIdentity(
        _string(values.get("name")),
        _string(values.get("version")),
        _string(values.get("runtime")),
        tuple(text for text in texts if text is not None),
        "artifacts" in values,
    )


def _string(node: Node | None) -> str | None:
    value = resolve(node) if isinstance(node, Scalar) else None
    return value if isinstance(value, str) else None


def read(text: str, profile: Profile) -> HookConfig:
    """Parse and check a hook's own manifest.

    Args:
        text: The whole file.
        profile: Its contract gives the accepted policies.

    Returns:
        The three keys that count.

    Raises:
        HookConfigError: for the first thing that the runtime refuses.

    Source: spec/manifest.md 5.
    """
    try:
        root = parse(text)
        if root is not None:
            check_value(root)
    except YamlError as error:
        raise HookConfigError(f"YAML parse error: {error.text}", error.line, error.column) from None
    keys = _Keys(root)
    contract = profile.contract
    binding = keys.choice("binding", EVENTS)
    mode = keys.choice("execution_mode", tuple(str(m) for m in ExecutionMode)) or "blocking"
    policy = keys.choice("commit_policy", contract.rules.commit_policies) or "none"
    config = HookConfig(binding, ExecutionMode(mode), policy)
    _check_mode(config, keys)
    if profile.checks_policy_binding:
        _check_policy(config, keys, contract)
    return config


class _Keys:
    """The string keys of the document, and where they stand."""

    def __init__(self, root: Node | None) -> None:
        entries = keys_of(root) if isinstance(root, Mapping) else ()
        self._values = {k.text: v for k, v in entries if isinstance(resolve(k), str)}

    def choice(self, key: str, accepted: tuple[str, ...]) -> str | None:
        """A string value out of a list, or None when the key has no string value."""
        word = _string(self._values.get(key))
        if word is not None and word not in accepted:
            raise self.refuse(key, f"unknown {key} '{word}'; expected: {', '.join(accepted)}")
        return word

    def refuse(self, key: str, message: str) -> HookConfigError:
        node = self._values.get(key)
        line, column = (node.line, node.column) if node is not None else (None, None)
        return HookConfigError(message, line, column)


def _check_mode(config: HookConfig, keys: _Keys) -> None:
    if config.execution_mode is not ExecutionMode.ASYNC:
        return
    if config.commit_policy != "none":
        raise keys.refuse(
            "commit_policy",
            "async-with-commit not supported: execution_mode 'async' requires commit_policy "
            f"'none' (got '{config.commit_policy}')",
        )
    if config.binding == "on-stage":
        raise keys.refuse(
            "execution_mode",
            "on-stage hooks must be blocking; execution_mode 'async' is not valid for binding "
            "'on-stage'",
        )


def _check_policy(config: HookConfig, keys: _Keys, contract: Contract) -> None:
    policy, binding = config.commit_policy, config.binding
    if policy == "none":
        return
    if binding is None:
        if policy == "deny":
            raise keys.refuse(
                "commit_policy",
                "commit_policy 'deny' requires an explicit binding: 'on-shell' or "
                "'on-tool-call'; a hook with no binding: is dispatched at every event, "
                "including decision points it was not written to decide",
            )
        return
    honored = honored_policy(binding, contract)
    if policy != honored:
        note = ""
        if binding == "on-inference":
            note = (
                " (on-inference commits an 'artifact' output, which has no commit_policy spelling)"
            )
        raise keys.refuse(
            "commit_policy",
            f"commit_policy '{policy}' is not valid for binding '{binding}'; binding "
            f"'{binding}' honors commit_policy '{honored}'{note}",
        )


def honored_policy(binding: str, contract: Contract) -> str:
    """The one policy that an event's binding honors, or `none`."""
    for phase in Phase:
        arm = contract.honored_arm(binding, phase)
        if arm in contract.rules.commit_policies:
            return str(arm)
    return "none"
