"""The gate in front of wasi:http, with a real component and a loopback server."""

import http.server
import threading
from functools import lru_cache
from pathlib import Path

import pytest
import wasmtime
from wasmtime import component as wc

from inspector.manifest.grant import Grant, Limits, NetworkRule
from inspector.runtime import host_function
from inspector.runtime.host import http_gate
from inspector.runtime.host.http_gate import HttpGate
from inspector.runtime.host.ledger import GrantKind, GrantLedger

_CLIENT = Path(__file__).parents[3] / "data" / "http_client.wat"
_VERSIONS = ("0.2.0", "0.2.3", "0.2.6", "0.2.12", "0.2.99")
_LIMITS = Limits()
_HTTP, _HTTPS, _OTHER, _NONE = range(4)
_DENIED = 1000 + 15
_PROTOCOL_ERROR = 1000 + 35
_REFUSED_CONNECTION = 2000 + 6


@pytest.fixture(scope="module")
def server():
    """A server on a free port that answers 204, and remembers request lines."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(f"{self.command} {self.path}")
            if self.path == "/moved":
                self.send_response(302)
                self.send_header("Location", "http://elsewhere.test/")
            else:
                self.send_response(204)
            self.end_headers()

        do_POST = do_GET  # noqa: N815 -- the name is the library's

        def log_message(self, *_):
            pass

    seen = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.seen = seen
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def port(server):
    server.seen.clear()
    return server.server_port


@lru_cache
def _engine():
    return wasmtime.Engine()


@lru_cache
def _client(version):
    return wc.Component(_engine(), _CLIENT.read_text("utf-8").replace("VERSION", version))


@pytest.fixture(scope="module", autouse=True)
def _closed_at_the_end():
    """The library's objects must not outlive its modules."""
    yield
    for version in _VERSIONS:
        _client(version).close()
    _engine().close()


class Hook:
    """A client behind a gate."""

    def __init__(self, *rules, version="0.2.0", on_request=None, limits=_LIMITS):
        self.requests = []
        self.ledger = GrantLedger("h", Grant(network=rules), clock_ms=lambda: 5)
        component = _client(version)
        imports = list(component.type.imports(_engine()))
        self.store = wasmtime.Store(_engine())
        self.store.set_limits(instances=limits.instances)
        self.store.set_wasi(wasmtime.WasiConfig())
        self.store.set_wasi_http()
        self.linker = wc.Linker(_engine())
        self.linker.add_wasip2()
        self.linker.add_wasi_http()
        gate = HttpGate("h", rules, self.ledger, on_request or self.requests.append, limits)
        gate.define(self.linker, self.store, imports)
        self.fetch_function = self.linker.instantiate(self.store, component).get_func(
            self.store, "fetch"
        )

    def fetch(self, authority, *, scheme=_HTTP, path="/a", method="", other="", options=False):
        arguments = (scheme, other, authority, path, method, options)
        return self.fetch_function(self.store, *arguments)

    def close(self):
        self.store.close()
        self.linker.close()


@pytest.fixture
def hooks():
    """Makes hooks, and closes them."""
    made = []

    def make(*rules, **options):
        made.append(Hook(*rules, **options))
        return made[-1]

    yield make
    for hook in made:
        hook.close()


def _loopback(port, scheme="http", host="127.0.0.1"):
    return NetworkRule(f"{scheme}://{host}:{port}", scheme, host, port)


class TestVerdicts:
    """What comes of a request."""

    def test_allowed__is_sent_and_answered(self, hooks, server, port):
        """The response arrives at the hook; the record names the rule."""
        hook = hooks(_loopback(port))
        assert hook.fetch(f"127.0.0.1:{port}", path="/a?b") == 204
        assert server.seen == ["GET /a?b"]
        (request,) = hook.requests
        assert (request.hook, request.method, request.allowed) == ("h", "GET", True)
        assert request.url == f"http://127.0.0.1:{port}/a?b"
        assert request.rule == f"http://127.0.0.1:{port}"
        assert (request.status, request.explanation) == (None, "")
        assert request.duration_us > 0

    @pytest.mark.parametrize("version", _VERSIONS)
    def test_any_version_of_the_interface__is_gated(self, hooks, server, port, version):
        """The exact name that the hook imports is what is shadowed."""
        hook = hooks(_loopback(port), version=version)
        assert hook.fetch(f"127.0.0.1:{port}") == 204
        assert hook.fetch(f"127.0.0.2:{port}") == _DENIED
        assert len(server.seen) == 1
        assert [request.allowed for request in hook.requests] == [True, False]

    def test_no_rules__everything_is_denied_without_a_connection(self, hooks, server, port):
        """handle itself answers HTTP-request-denied."""
        hook = hooks()
        assert hook.fetch(f"127.0.0.1:{port}") == _DENIED
        assert hook.fetch("telemetry.example.com", scheme=_HTTPS) == _DENIED
        assert server.seen == []
        assert [request.allowed for request in hook.requests] == [False, False]
        assert hook.requests[0].explanation == "the hook has no network grant"

    @pytest.mark.parametrize(
        ("scheme", "authority"),
        [
            (_HTTP, "127.0.0.1:1"),
            (_HTTP, "localhost:{port}"),
            (_HTTP, "127.0.0.2:{port}"),
            (_HTTPS, "127.0.0.1:{port}"),
            (_NONE, "127.0.0.1:{port}"),
            (_HTTP, "127.0.0.1@127.0.0.2:{port}"),
            (_HTTP, "127.0.0.1"),
            (_HTTP, "127.1:{port}"),
            (_HTTP, "[::ffff:127.0.0.1]:{port}"),
            (_HTTP, ""),
        ],
    )
    def test_other_target__is_denied(self, hooks, server, port, scheme, authority):
        """Another port, host, scheme or spelling is another target."""
        hook = hooks(_loopback(port))
        assert hook.fetch(authority.format(port=port), scheme=scheme) == _DENIED
        assert server.seen == []

    @pytest.mark.parametrize("authority", ["user:pass@127.0.0.1:{port}", "LOCALHOST:{port}"])
    def test_user_info_and_case__do_not_hide_the_host(self, hooks, port, authority):
        """They pass the rules; what the network makes of them is its own matter."""
        hook = hooks(_loopback(port), _loopback(port, host="localhost"))
        assert hook.fetch(authority.format(port=port)) != _DENIED
        assert hook.requests[0].allowed

    def test_ipv6__in_the_spelling_of_the_rule__is_sent(self, hooks):
        """Nobody listens there, which only a sent request can find."""
        hook = hooks(NetworkRule("http://[::1]:1", "http", "[::1]", 1))
        assert hook.fetch("[::1]:1") == _REFUSED_CONNECTION
        assert hook.fetch("[0::1]:1") == _DENIED

    @pytest.mark.parametrize("other", ["ftp", "http", "HTTP"])
    def test_other_scheme__is_a_protocol_error(self, hooks, server, port, other):
        """Before the rules are asked, and nothing is sent."""
        hook = hooks(_loopback(port))
        code = hook.fetch(f"127.0.0.1:{port}", scheme=_OTHER, other=other)
        assert code == _PROTOCOL_ERROR
        assert server.seen == []
        assert hook.requests[0].explanation.startswith(f"the scheme is {other}")

    def test_redirect__is_the_hooks_own_to_follow(self, hooks, server, port):
        """The host follows none; the hop would be a new request."""
        hook = hooks(_loopback(port))
        assert hook.fetch(f"127.0.0.1:{port}", path="/moved") == 302
        assert hook.fetch("elsewhere.test") == _DENIED
        assert len(server.seen) == 1
        assert len(hook.requests) == 2

    @pytest.mark.parametrize("method", ["POST", "BREW"])
    def test_method__is_recorded(self, hooks, port, method):
        """Known or not."""
        hook = hooks()
        hook.fetch(f"127.0.0.1:{port}", method=method)
        assert hook.requests[0].method == method

    @pytest.mark.parametrize("allowed", [True, False])
    def test_request_options__go_along(self, hooks, port, allowed):
        """The second owned handle is passed on or dropped as well."""
        hook = hooks(*([_loopback(port)] if allowed else []))
        code = hook.fetch(f"127.0.0.1:{port}", options=True)
        assert code == (204 if allowed else _DENIED)

    def test_path__longer_than_the_gates_first_memory__is_judged(self, hooks, port):
        """The gate's memory grows with the request and is used again."""
        hook = hooks()
        path = "/" + "x" * 65_000
        for _ in range(3):
            assert hook.fetch(f"127.0.0.1:{port}", path=path) == _DENIED
        assert [request.url for request in hook.requests] == [f"http://127.0.0.1:{port}{path}"] * 3


class TestSeparation:
    """One hook's gate is its own."""

    def test_rules_of_one_hook__are_not_another_ones(self, hooks, server, port):
        """Two gates on one engine."""
        granted, ungranted = hooks(_loopback(port)), hooks()
        assert ungranted.fetch(f"127.0.0.1:{port}") == _DENIED
        assert granted.fetch(f"127.0.0.1:{port}") == 204
        assert ungranted.fetch(f"127.0.0.1:{port}") == _DENIED
        assert len(server.seen) == 1
        assert (len(granted.requests), len(ungranted.requests)) == (1, 2)

    def test_hooks_on_many_threads__keep_to_their_rules(self, hooks, port):
        """Gates share no state."""
        made = [hooks(*([_loopback(port)] if n % 2 else [])) for n in range(4)]
        results = [[] for _ in made]

        def run(number):
            for _ in range(20):
                results[number].append(made[number].fetch(f"127.0.0.1:{port}"))

        threads = [threading.Thread(target=run, args=(n,)) for n in range(len(made))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [set(codes) for codes in results] == [{_DENIED}, {204}, {_DENIED}, {204}]

    def test_ledger__counts_uses_by_rule_and_refusals(self, hooks, port):
        """What was declared, used and refused."""
        hook = hooks(_loopback(port), NetworkRule("https://never.test", "https", "never.test", 443))
        hook.fetch(f"127.0.0.1:{port}")
        hook.fetch("127.0.0.1:1")
        used, never, refused = hook.ledger.snapshot().of(GrantKind.NETWORK)
        assert (used.uses, used.last_used_ms, used.is_idle) == (1, 5, False)
        assert (never.uses, never.is_idle) == (0, True)
        assert (refused.entry, refused.refusals) == ("", 1)


class TestSafety:
    """Nothing leaves the host function, nothing leaks."""

    @pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
    def test_receiver_that_raises__changes_nothing_for_the_hook(self, hooks, port, caplog, error):
        """A request that was sent stays sent."""

        def receive(_request):
            raise error("from the receiver")

        hook = hooks(_loopback(port), on_request=receive)
        assert hook.fetch(f"127.0.0.1:{port}") == 204
        assert hook.fetch("127.0.0.1:1") == _DENIED
        assert "the receiver of http requests" in caplog.text

    @pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
    def test_policy_that_raises__traps_the_hook_and_sends_nothing(
        self, hooks, server, port, caplog, monkeypatch, error
    ):
        """A gate that cannot decide is closed."""

        def fail(*_):
            raise error("from the policy")

        monkeypatch.setattr(http_gate.http_policy, "judge", fail)
        hook = hooks(_loopback(port))
        with pytest.raises(wasmtime.WasmtimeError, match="from the policy"):
            hook.fetch(f"127.0.0.1:{port}")
        assert server.seen == []
        assert "from the policy" in caplog.text

    def test_gate_that_cannot_be_made__traps_the_hook_and_sends_nothing(
        self, hooks, server, port, caplog, monkeypatch
    ):
        """The engine's own handler is shadowed all the same."""
        monkeypatch.setattr(http_gate, "_gate_binary", lambda: b"\0asm")
        hook = hooks(_loopback(port))
        with pytest.raises(wasmtime.WasmtimeError, match="nothing is sent"):
            hook.fetch(f"127.0.0.1:{port}")
        assert server.seen == []
        assert "no http gate for hook h" in caplog.text

    def test_closed_hook__leaves_no_gate_and_no_policy_behind(self, port):
        """Both registries are as they were."""
        before = len(http_gate._GATES), len(host_function._FUNCTIONS)
        hook = Hook(_loopback(port))
        hook.fetch(f"127.0.0.1:{port}")
        assert len(http_gate._GATES) == before[0] + 1
        hook.close()
        assert (len(http_gate._GATES), len(host_function._FUNCTIONS)) == before

    @pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory from /proc")
    @pytest.mark.parametrize("options", [True, False])
    def test_refused_requests__are_dropped(self, hooks, options):
        """A request that stayed in the engine's table would keep its path there."""
        hook = hooks(on_request=lambda _request: None)
        path = "/" + "x" * 60_000
        hook.fetch("127.0.0.1:1", path=path, options=options)
        before = _resident_bytes()
        for _ in range(1_000):
            assert hook.fetch("127.0.0.1:1", path=path, options=options) == _DENIED
        assert _resident_bytes() - before < 20_000_000

    def test_limit_of_instances__leaves_the_hook_as_much_as_without_a_gate(self, hooks, caplog):
        """The gate's own instances are not taken from the hook's bound."""
        needed = _needed_instances()
        hook = hooks(limits=Limits(instances=needed))
        assert hook.fetch("127.0.0.1:1") == _DENIED
        with pytest.raises(wasmtime.WasmtimeError, match="instance count too high"):
            hooks(limits=Limits(instances=needed - 1))
        assert caplog.text == ""


def _resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def _needed_instances():
    """The least bound with which the client can be instantiated without a gate."""
    for limit in range(1, 40):
        store = wasmtime.Store(_engine())
        store.set_limits(instances=limit)
        store.set_wasi(wasmtime.WasiConfig())
        store.set_wasi_http()
        try:
            with wc.Linker(_engine()) as linker:
                linker.add_wasip2()
                linker.add_wasi_http()
                linker.instantiate(store, _client("0.2.0"))
                return limit
        except wasmtime.WasmtimeError:
            continue
        finally:
            store.close()
    return pytest.fail("not even with 40 instances")


def test_gate__without_an_import_of_wasi_http__defines_nothing():
    """A hook that imports no handler pays for no gate."""
    store = wasmtime.Store(_engine())
    linker = wc.Linker(_engine())
    before = len(http_gate._GATES)
    gate = HttpGate("h", (), GrantLedger("h", Grant()), pytest.fail, _LIMITS)
    gate.define(linker, store, ["wasi:http/types@0.2.0", "wasi:cli/stdout@0.2.0"])
    assert len(http_gate._GATES) == before
    store.close()
    linker.close()
