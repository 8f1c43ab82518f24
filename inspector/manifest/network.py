"""Network entries as rules, and request targets in the form that rules match.

Lives here: the WHATWG reading of `network.allow` and its messages. Not here: the match
(grant.NetworkRule), the gate (runtime). Rooms above may import it.
"""

import re

import ada_url
import msgspec

from inspector.manifest.fault import Fault, Stage
from inspector.manifest.grant import NetworkRule
from inspector.manifest.schema import Located

CODE = "E-CAP-001"
HINT = (
    "Write `https://host`, `http://host:port`, `host` or `host:port`, without a path; see "
    "the grants of the hook for what an entry means."
)
DEFAULT_PORTS = {"http": 80, "https": 443}
_SPECIAL_SCHEMES = ("http", "https", "ws", "wss", "ftp", "file")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_STRIPPED = "".join(map(chr, range(0x21)))
_FORBIDDEN = set("\0\t\n\r #/:<>?@[\\]^|%\x7f") | {chr(c) for c in range(0x20)}


class Target(msgspec.Struct, frozen=True):
    """Where a request goes.

    Attributes:
        scheme: Lower case.
        host: Lower case, IPv6 in brackets.
        port: None when neither the request nor its scheme gives one.
    """

    scheme: str
    host: str
    port: int | None


def rule(entry: Located) -> NetworkRule | Fault:
    """The rule of one entry.

    Args:
        entry: As written, with its place.

    Returns:
        The rule, or what the runtime refuses it for.

    Source: spec/manifest.md 4.2.
    """
    text = trimmed(entry.text)
    parsed = _url_form(text) if "://" in text else _host_form(text)
    if isinstance(parsed, str):
        message = f"invalid network capability allow entry '{text or entry.text}': {parsed}"
        return Fault(Stage.GRANT_NETWORK, CODE, message, HINT, entry.line, entry.column)
    scheme, host, port = parsed
    return NetworkRule(entry.text, scheme, host, port, entry.line)


_Parts = tuple[str | None, str, int | None]


def _url_form(text: str) -> _Parts | str:
    url = _parse(text)
    if isinstance(url, str):
        return f"invalid URL: {url}"
    scheme = url.protocol.removesuffix(":")
    if scheme not in DEFAULT_PORTS:
        return f"unsupported URL scheme '{scheme}' (expected http or https)"
    if url.pathname not in ("", "/") or _has_tail(text):
        return "URL allow entries must not include path, query, or fragment"
    return scheme, url.hostname, int(url.port) if url.port else DEFAULT_PORTS[scheme]


def _host_form(text: str) -> _Parts | str:
    if not text:
        return "entry must not be empty"
    url = _parse(f"http://{text}")
    if isinstance(url, str):
        return f"invalid host allow entry: {url}"
    if url.pathname not in ("", "/") or _has_tail(text):
        return "host allow entries must be host or host:port only"
    return None, url.hostname, int(url.port) if url.port else None


def _has_tail(text: str) -> bool:
    """Whether a query or fragment stands there, be it empty.

    In a parsed http URL the first `?` or `#` always starts one: user-info and host end
    at it, and neither can hold it unescaped.
    """
    return "?" in text or "#" in text


def _parse(text: str) -> ada_url.URL | str:
    try:
        return ada_url.URL(text)
    except ValueError:
        return url_problem(text)


def trimmed(text: str) -> str:
    """A text without white space at both ends, as Unicode defines it."""
    return text.strip("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + _SPACES)


_SPACES = "".join(map(chr, range(0x2000, 0x200B)))


def url_problem(text: str) -> str:
    """Why a text is no URL, in the words of the runtime's URL parser.

    Args:
        text: A text that does not parse.

    Source: spec/manifest.md 4.2 (ERR texts).
    """
    body = text.strip(_STRIPPED).replace("\t", "").replace("\n", "").replace("\r", "")
    scheme, colon, rest = body.partition(":")
    if not colon or not _SCHEME.fullmatch(scheme):
        return "relative URL without a base"
    special = scheme.lower() in _SPECIAL_SCHEMES
    if special:
        rest = rest.lstrip("/\\")
    elif rest.startswith("//"):
        rest = rest[2:]
    authority = re.split(r"[/?#\\]" if special else r"[/?#]", rest, maxsplit=1)[0]
    return _authority_problem(authority.rpartition("@")[2])


def _authority_problem(authority: str) -> str:
    host, _ = _split_port(authority)
    if not host:
        return "empty host"
    if host.startswith("["):
        return "invalid IPv6 address" if not _parses(f"http://{host}/") else "invalid port number"
    if _parses(f"http://{host}/"):
        return "invalid port number"
    decoded = ada_decoded(host)
    if any(c in _FORBIDDEN for c in decoded):
        return "invalid domain character"
    if re.fullmatch(r"(?:.*\.)?(?:[0-9]+|0[xX][0-9a-fA-F]*)\.?", decoded):
        return "invalid IPv4 address"
    return "invalid international domain name"


def _split_port(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, bracket, rest = authority.partition("]")
        return host + bracket, rest.removeprefix(":")
    host, _, port = authority.partition(":")
    return host, port


def _parses(text: str) -> bool:
    return bool(ada_url.check_url(text))


def ada_decoded(host: str) -> str:
    """A host with its percent escapes decoded, broken sequences as U+FFFD."""
    out = bytearray()
    data = host.encode("utf-8", "surrogatepass")
    index = 0
    while index < len(data):
        pair = data[index + 1 : index + 3]
        if data[index] == 0x25 and re.fullmatch(rb"[0-9a-fA-F]{2}", pair):
            out.append(int(pair, 16))
            index += 3
        else:
            out.append(data[index])
            index += 1
    return out.decode("utf-8", "replace")


def request_target(
    scheme: str | None, authority: str | None, *, use_tls: bool = True
) -> Target | None:
    """The target of an outgoing request in the form that rules match.

    Args:
        scheme: The URI's scheme, or None when it has none.
        authority: The URI's authority (`host`, `host:port`, user-info allowed), or None.
        use_tls: Whether the call asked for TLS; decides the scheme when there is none.

    Returns:
        The target, or None when there is no usable authority (the request is denied).

    Source: spec/manifest.md 4.2 (request target).
    """
    if not authority:
        return None
    name = scheme.lower() if scheme else ("https" if use_tls else "http")
    host, port = _split_port(authority.rpartition("@")[2])
    if not host or (port and not (port.isascii() and port.isdigit() and int(port) <= 65535)):
        return None
    return Target(name, host.lower(), int(port) if port else DEFAULT_PORTS.get(name))
