"""Whether an outgoing request may be sent, and the sentence that says why not.

Lives here: `judge` over a hook's own rules. Not here: reading rules and targets
(manifest.network), sending (http_gate). Only runtime and worker import it.
"""

import enum
import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from inspector.manifest.grant import NetworkRule
from inspector.manifest.network import Target, request_target


class Verdict(enum.StrEnum):
    """What the gate does; the cases of `verdict` in resources/wit/http-gate.wat."""

    FORWARD = "forward"
    DENY = "deny"
    BAD_SCHEME = "bad-scheme"


class Judgement(msgspec.Struct, frozen=True):
    """The answer for one request.

    Attributes:
        verdict: See Verdict.
        method: E.g. `GET`.
        url: Scheme, authority and path as the hook gave them.
        rule: Entry of the rule that allows it, or of the nearest one that does not;
            None when no rule names the host.
        explanation: Why it is refused, in one sentence; "" when it is allowed.
    """

    verdict: Verdict
    method: str
    url: str
    rule: str | None
    explanation: str = ""


_NO_RULE = "none of the {} rules names"
_SCHEMES = {"HTTP": "http", "HTTPS": "https"}


def judge(
    rules: Sequence[NetworkRule],
    method: str | Mapping[str, str],
    scheme: Any,
    authority: str | None,
    path: str | None,
) -> Judgement:
    """Judge a request.

    Args:
        rules: The hook's own; none denies everything.
        method: The `method` of the request, as a contract value.
        scheme: Its `option<scheme>`, as a contract value; None stands for https.
        authority: Host, with port and user-info if any.
        path: Path with query.

    Source: spec/imports.md 6, spec/manifest.md 4.2.
    """
    verb = method.upper() if isinstance(method, str) else method["other"]
    name = "https" if scheme is None else _SCHEMES.get(scheme) if isinstance(scheme, str) else None
    shown = name or scheme["other"]
    url = f"{shown}://{authority or ''}{path or '/'}"
    if name is None:
        why = f"the scheme is {shown}, and only http and https are sent"
        return Judgement(Verdict.BAD_SCHEME, verb, url, None, why)
    target = request_target(name, authority)
    if target is None:
        why = "the request names no host" if not authority else "the host cannot be read"
        return Judgement(Verdict.DENY, verb, url, None, why)
    for rule in rules:
        if rule.allows(target.scheme, target.host, target.port):
            return Judgement(Verdict.FORWARD, verb, url, rule.entry)
    nearest = _nearest(rules, target)
    entry = None if nearest is None else nearest.entry
    return Judgement(Verdict.DENY, verb, url, entry, _explain(rules, nearest, target))


def _nearest(rules: Sequence[NetworkRule], target: Target) -> NetworkRule | None:
    """The rule that fails in the least, among those that name the host in some spelling."""
    named = [rule for rule in rules if _same_place(rule.host, target.host)]
    return max(named, key=lambda rule: _likeness(rule, target), default=None)


def _likeness(rule: NetworkRule, target: Target) -> tuple[bool, bool, bool]:
    return (
        rule.host == target.host,
        rule.scheme in (None, target.scheme),
        rule.port in (None, target.port),
    )


def _explain(rules: Sequence[NetworkRule], nearest: NetworkRule | None, target: Target) -> str:
    if not rules:
        return "the hook has no network grant"
    if nearest is None:
        head = "the one rule does not name" if len(rules) == 1 else _NO_RULE.format(len(rules))
        return f"{head} the host {target.host}"
    if nearest.host != target.host:
        return (
            f"the rule is for the host {nearest.host}, and the request spells it {target.host}; "
            "hosts are compared as text"
        )
    if nearest.scheme not in (None, target.scheme):
        return f"the rule is for {nearest.scheme}, and the request is {target.scheme}"
    return f"the rule is for port {nearest.port}, and the request goes to port {target.port}"


def _same_place(one: str, other: str) -> bool:
    """Whether two hosts are one machine in two spellings, as far as the text tells."""
    if one.removesuffix(".") == other.removesuffix("."):
        return True
    addresses = [_address(host) for host in (one, other)]
    return addresses[0] is not None and addresses[0] == addresses[1]


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
