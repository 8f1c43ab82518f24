"""Network entries as rules, request targets, and the match of both."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.manifest.fault import Fault, Stage
from inspector.manifest.grant import NetworkRule
from inspector.manifest.network import Target, request_target, rule
from inspector.manifest.schema import Located


def _rule(entry: str) -> NetworkRule | Fault:
    return rule(Located(entry, 7, 3))


@pytest.mark.parametrize(
    ("entry", "scheme", "host", "port"),
    [
        ("https://collect.test", "https", "collect.test", 443),
        ("http://collect.test/", "http", "collect.test", 80),
        ("HTTPS://Collect.Test:8443", "https", "collect.test", 8443),
        ("  https://a.test  ", "https", "a.test", 443),
        ("https:///x", "https", "x", 443),
        ("https:\\\\x.test", None, "", None),
        ("https://user:pass@x.test", "https", "x.test", 443),
        ("metrics.test:8443", None, "metrics.test", 8443),
        ("api.test", None, "api.test", None),
        ("api.test:80", None, "api.test", None),
        ("api.test:443", None, "api.test", 443),
        ("h.test/", None, "h.test", None),
        ("h.test/.", None, "h.test", None),
        ("h.test:", None, "h.test", None),
        ("h.test.", None, "h.test.", None),
        ("127.1", None, "127.0.0.1", None),
        ("0x7f.1", None, "127.0.0.1", None),
        ("[::1]:8080", None, "[::1]", 8080),
        ("[0:0::1]", None, "[::1]", None),
        ("*", None, "*", None),
        ("*.api.test", None, "*.api.test", None),
        ("a_b.test", None, "a_b.test", None),
        ("faß.de", None, "xn--fa-hia.de", None),
        ("a%41.test", None, "aa.test", None),
    ],
)
def test_rule__entry__is_read_as_a_browser_reads_urls(
    entry: str, scheme: str | None, host: str, port: int | None
) -> None:
    """Normal forms of schemes, hosts and ports."""
    parsed = _rule(entry)
    if not host:
        # Without `://` it is the host form, which this is not.
        assert isinstance(parsed, Fault)
        return
    assert parsed == NetworkRule(entry, scheme, host, port, 7)


_TAIL = "URL allow entries must not include path, query, or fragment"
_HOST_TAIL = "host allow entries must be host or host:port only"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("", "entry must not be empty"),
        ("ftp://a.test", "unsupported URL scheme 'ftp' (expected http or https)"),
        ("a://b", "unsupported URL scheme 'a' (expected http or https)"),
        ("https://api.test/v1", _TAIL),
        ("https://api.test?", _TAIL),
        ("https://api.test#", _TAIL),
        ("https://api.test?q", _TAIL),
        ("ftp://a.test/v1", "unsupported URL scheme 'ftp' (expected http or https)"),
        ("https://", "invalid URL: empty host"),
        ("http://:80", "invalid URL: empty host"),
        ("http://x:99999", "invalid URL: invalid port number"),
        ("http://x:a", "invalid URL: invalid port number"),
        ("http://[::1]:a", "invalid URL: invalid port number"),
        ("http://[zz]", "invalid URL: invalid IPv6 address"),
        ("http://[::1", "invalid URL: invalid IPv6 address"),
        ("foo://[zz]/x", "invalid URL: invalid IPv6 address"),
        ("http://1.2.3.256", "invalid URL: invalid IPv4 address"),
        ("http://a b", "invalid URL: invalid domain character"),
        ("http://a%00b", "invalid URL: invalid domain character"),
        ("http://a<b", "invalid URL: invalid domain character"),
        ("http://xn--a\u00adé.test/\ufffd", _TAIL),
        ("://x", "invalid URL: relative URL without a base"),
        ("1a://x", "invalid URL: relative URL without a base"),
        ("h.test/v1", _HOST_TAIL),
        ("h.test?", _HOST_TAIL),
        ("h.test#", _HOST_TAIL),
        ("a\\b", _HOST_TAIL),
        ("x:99999", "invalid host allow entry: invalid port number"),
        ("foo:bar", "invalid host allow entry: invalid port number"),
        (":80", "invalid host allow entry: empty host"),
        ("1.2.3.4.5", "invalid host allow entry: invalid IPv4 address"),
        ("a b", "invalid host allow entry: invalid domain character"),
        ("\ufffd.test", "invalid host allow entry: invalid international domain name"),
    ],
)
def test_rule__bad_entry__is_the_runtimes_fault(entry: str, message: str) -> None:
    """Every message of an entry that is no rule."""
    parsed = _rule(entry)
    assert isinstance(parsed, Fault), parsed
    wanted = f"invalid network capability allow entry '{entry}': {message}"
    if entry.startswith("http://xn--"):
        assert parsed.message.startswith("invalid network capability allow entry")
    else:
        assert parsed.message == wanted
    assert (parsed.code, parsed.stage) == ("E-CAP-001", Stage.GRANT_NETWORK)
    assert (parsed.line, parsed.column) == (7, 3)


def test_rule__blank_entry__is_quoted_as_written_and_others_trimmed() -> None:
    """A blank entry shows its blanks; any other is shown without them."""
    blank, padded = _rule(" \t"), _rule(" h.test/v1 ")
    assert isinstance(blank, Fault)
    assert blank.message == (
        "invalid network capability allow entry ' \t': entry must not be empty"
    )
    assert isinstance(padded, Fault)
    assert "'h.test/v1'" in padded.message


@pytest.mark.parametrize(
    ("scheme", "authority", "use_tls", "target"),
    [
        ("https", "A.Test", True, Target("https", "a.test", 443)),
        ("HTTP", "a.test", True, Target("http", "a.test", 80)),
        (None, "a.test", True, Target("https", "a.test", 443)),
        (None, "a.test", False, Target("http", "a.test", 80)),
        ("https", "a.test:80", True, Target("https", "a.test", 80)),
        ("https", "a.test:", True, Target("https", "a.test", 443)),
        ("http", "[::1]:8080", True, Target("http", "[::1]", 8080)),
        ("http", "[::1]", True, Target("http", "[::1]", 80)),
        ("http", "user:pass@a.test:1", True, Target("http", "a.test", 1)),
        ("ftp", "a.test", True, Target("ftp", "a.test", None)),
        ("https", "", True, None),
        ("https", None, True, None),
        ("https", ":80", True, None),
        ("https", "a.test:99999", True, None),
        ("https", "a.test:x", True, None),
        ("https", "a.test:٣", True, None),
    ],
)
def test_request_target__request__is_normalized(
    scheme: str | None, authority: str | None, use_tls: bool, target: Target | None
) -> None:
    """Scheme and host are lower case, the port is the written or the default one."""
    assert request_target(scheme, authority, use_tls=use_tls) == target


@pytest.mark.parametrize(
    ("entry", "scheme", "authority", "allowed"),
    [
        ("https://a.test", "https", "a.test", True),
        ("https://a.test", "https", "A.TEST:443", True),
        ("https://a.test", "http", "a.test", False),
        ("https://a.test", "https", "a.test:444", False),
        ("https://a.test", "https", "b.a.test", False),
        ("a.test", "https", "a.test:444", True),
        ("a.test", "http", "a.test", True),
        ("a.test:80", "https", "a.test:9", True),
        ("a.test:443", "http", "a.test:443", True),
        ("a.test:443", "http", "a.test", False),
        ("*", "https", "a.test", False),
        ("*", "https", "*", True),
        ("a.test.", "https", "a.test", False),
        ("127.1", "http", "127.0.0.1", True),
        ("127.1", "http", "127.1", False),
    ],
)
def test_allows__rule_and_target__match_exactly(
    entry: str, scheme: str, authority: str, allowed: bool
) -> None:
    """No wildcard, no subdomain; scheme and port count only when the rule has them."""
    parsed, target = _rule(entry), request_target(scheme, authority)
    assert isinstance(parsed, NetworkRule)
    assert target is not None
    assert parsed.allows(target.scheme, target.host, target.port) is allowed


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40))
def test_rule__any_text__is_a_rule_or_a_fault(entry: str) -> None:
    """No entry makes the reading fail, and a rule's host is in normal form."""
    parsed = _rule(entry)
    if isinstance(parsed, Fault):
        assert parsed.message.startswith("invalid network capability allow entry '")
    else:
        assert parsed.host == parsed.host.lower() != ""
