"""Judging outgoing requests."""

import pytest

from inspector.manifest.grant import NetworkRule
from inspector.runtime.host.http_policy import Verdict, judge


def _rule(scheme, host, port):
    entry = f"{scheme or 'any'}|{host}|{port or 'any'}"
    return NetworkRule(entry, scheme, host, port)


_HTTPS = _rule("https", "api.test", 443)
_LOOP = _rule("http", "127.0.0.1", 8080)
_ANY = _rule(None, "any.test", None)
_PORT = _rule(None, "port.test", 81)
_V6 = _rule(None, "[::1]", None)
_RULES = (_HTTPS, _LOOP, _ANY, _PORT, _V6)


def _judge(scheme, authority, path="/x", method="get", rules=_RULES):
    return judge(rules, method, scheme, authority, path)


@pytest.mark.parametrize(
    ("scheme", "authority", "rule"),
    [
        ("HTTPS", "api.test", _HTTPS),
        ("HTTPS", "api.test:443", _HTTPS),
        ("HTTPS", "API.Test", _HTTPS),
        ("HTTPS", "user:secret@api.test", _HTTPS),
        (None, "api.test", _HTTPS),
        ("HTTP", "127.0.0.1:8080", _LOOP),
        ("HTTP", "any.test", _ANY),
        ("HTTPS", "any.test:9", _ANY),
        ("HTTP", "port.test:81", _PORT),
        ("HTTPS", "port.test:81", _PORT),
        ("HTTP", "[::1]:3000", _V6),
        ("HTTP", "[::1]", _V6),
    ],
)
def test_judge__target_of_a_rule__is_forwarded_under_it(scheme, authority, rule):
    """Host equal, and scheme and port where the rule has them."""
    judged = _judge(scheme, authority)
    assert (judged.verdict, judged.rule, judged.explanation) == (Verdict.FORWARD, rule.entry, "")


@pytest.mark.parametrize(
    ("scheme", "authority", "nearest", "explanation"),
    [
        ("HTTP", "api.test", _HTTPS, "the rule is for https, and the request is http"),
        ("HTTP", "api.test:443", _HTTPS, "the rule is for https, and the request is http"),
        (
            "HTTPS",
            "api.test:8443",
            _HTTPS,
            "the rule is for port 443, and the request goes to port 8443",
        ),
        ("HTTPS", "127.0.0.1:8080", _LOOP, "the rule is for http, and the request is https"),
        (
            "HTTP",
            "127.0.0.1:8081",
            _LOOP,
            "the rule is for port 8080, and the request goes to port 8081",
        ),
        (
            "HTTP",
            "port.test",
            _PORT,
            "the rule is for port 81, and the request goes to port 80",
        ),
        (
            "HTTP",
            "[0:0:0:0:0:0:0:1]:3000",
            _V6,
            "the rule is for the host [::1], and the request spells it [0:0:0:0:0:0:0:1]; "
            "hosts are compared as text",
        ),
        (
            "HTTPS",
            "api.test.",
            _HTTPS,
            "the rule is for the host api.test, and the request spells it api.test.; "
            "hosts are compared as text",
        ),
        ("HTTPS", "sub.api.test", None, "none of the 5 rules names the host sub.api.test"),
        ("HTTPS", "*", None, "none of the 5 rules names the host *"),
        ("HTTPS", "api.test@evil.test", None, "none of the 5 rules names the host evil.test"),
        ("HTTPS", "", None, "the request names no host"),
        ("HTTPS", None, None, "the request names no host"),
        ("HTTPS", "user@", None, "the host cannot be read"),
        ("HTTP", "127.0.0.1:99999", None, "the host cannot be read"),
    ],
)
def test_judge__any_other_target__is_denied_with_the_nearest_rule(
    scheme, authority, nearest, explanation
):
    """The nearest rule names the host, in this spelling if possible."""
    judged = _judge(scheme, authority)
    entry = None if nearest is None else nearest.entry
    assert (judged.verdict, judged.rule) == (Verdict.DENY, entry)
    assert judged.explanation == explanation


def test_judge__without_rules__denies_everything_and_says_so():
    """No grant is no network."""
    judged = _judge("HTTPS", "api.test", rules=())
    assert (judged.verdict, judged.rule) == (Verdict.DENY, None)
    assert judged.explanation == "the hook has no network grant"


def test_judge__one_rule_for_another_host__is_told_in_the_singular():
    """The sentence fits the number of rules."""
    assert _judge("HTTP", "x.test", rules=(_LOOP,)).explanation == (
        "the one rule does not name the host x.test"
    )


def test_judge__several_rules_for_the_host__names_the_one_that_fails_in_less():
    """A wrong port is nearer than a wrong scheme."""
    rules = (_rule("https", "h.test", 443), _rule("http", "h.test", 81))
    judged = _judge("HTTP", "h.test", rules=rules)
    assert judged.rule == rules[1].entry


@pytest.mark.parametrize("other", ["ftp", "http", "HTTP", "https", ""])
def test_judge__other_scheme__is_refused_before_any_rule(other):
    """Also one that is spelled like a known scheme (spec/imports.md 6)."""
    judged = _judge({"other": other}, "any.test")
    assert (judged.verdict, judged.rule) == (Verdict.BAD_SCHEME, None)
    assert judged.url == f"{other}://any.test/x"


@pytest.mark.parametrize(
    ("method", "scheme", "authority", "path", "shown"),
    [
        ("get", "HTTP", "any.test", "/a?b=c", ("GET", "http://any.test/a?b=c")),
        ("post", None, "ANY.test:1", None, ("POST", "https://ANY.test:1/")),
        ({"other": "BREW"}, "HTTPS", None, "/", ("BREW", "https:///")),
    ],
)
def test_judge__method_and_url__are_kept_as_the_hook_gave_them(
    method, scheme, authority, path, shown
):
    """For the record."""
    judged = _judge(scheme, authority, path, method)
    assert (judged.method, judged.url) == shown
