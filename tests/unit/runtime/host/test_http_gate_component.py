"""resources/wit/http-gate.wat alone, over a wasi:http made of counted resources."""

import pytest
import wasmtime
from wasmtime import component as wc

from inspector import assets

_REQUEST, _OPTIONS, _FUTURE = 1, 2, 3
_NAMES = {
    _REQUEST: "outgoing-request",
    _OPTIONS: "request-options",
    _FUTURE: "future-incoming-response",
}


class World:
    """A gate in a store where every resource is ours.

    Attributes:
        dropped: (kind, number) of each resource whose destructor ran.
        sent: (request, options) numbers that reached the real handler.
        judged: What the policy was asked.
        verdict: What it answers.
        failure: What the handler answers instead of a future, or None.
    """

    def __init__(self):
        self.dropped, self.sent, self.judged = [], [], []
        self.verdict = "forward"
        self.failure = None
        self.method = wc.Variant("get")
        self.scheme = None
        self.authority = "host.test"
        self.path = None
        self.engine = wasmtime.Engine()
        self.linker = wc.Linker(self.engine)
        self.store = wasmtime.Store(self.engine)
        self._define_types()
        self._define_handler()
        text = assets.resource("wit", "http-gate.wat").read_text("utf-8")
        with wc.Component(self.engine, text) as component:
            instance = self.linker.instantiate(self.store, component)
        self._handle = instance.get_func(self.store, "handle")

    def _define_types(self):
        values = ("method", "scheme", "authority", "path")
        functions = ("method", "scheme", "authority", "path-with-query")
        with self.linker.root() as root, root.add_instance("wasi:http/types@0.2.0") as types:
            for kind, name in _NAMES.items():
                types.add_resource(name, wc.ResourceType.host(kind), self._destructor(kind))
            for value, function in zip(values, functions, strict=True):
                name = f"[method]outgoing-request.{function}"
                types.add_func(name, self._getter(value))

    def _destructor(self, kind):
        return lambda _store, number: self.dropped.append((kind, number))

    def _getter(self, value):
        def get(store, borrowed):
            borrowed.drop(store)
            return getattr(self, value)

        return get

    def _define_handler(self):
        with self.linker.root() as root:
            with root.add_instance("wasi:http/outgoing-handler@0.2.0") as handler:
                handler.add_func("handle", self._send)
            with root.add_instance("inspector:http-gate/policy") as policy:
                policy.add_func("judge", self._judge)

    def _send(self, store, request, options):
        numbers = tuple(
            None if each is None else each.to_host(store).rep for each in (request, options)
        )
        self.sent.append(numbers)
        if self.failure is not None:
            return self.failure
        return wc.ResourceHost.own(77, _FUTURE)

    def _judge(self, _store, *arguments):
        self.judged.append(arguments)
        return self.verdict

    def handle(self, request, options=None):
        """Call the gate; the number of the future, or the error case."""
        given = None if options is None else wc.ResourceHost.own(options, _OPTIONS)
        answer = self._handle(self.store, wc.ResourceHost.own(request, _REQUEST), given)
        return answer if isinstance(answer, wc.Variant) else answer.to_host(self.store).rep

    def close(self):
        self.store.close()
        self.linker.close()
        self.engine.close()


@pytest.fixture
def world():
    made = World()
    yield made
    made.close()


@pytest.mark.parametrize("options", [None, 9])
def test_forward__hands_both_resources_on_and_drops_none(world, options):
    """Ownership goes to the real handler, whose future comes back."""
    assert world.handle(5, options) == 77
    assert world.sent == [(5, options)]
    assert world.dropped == []


@pytest.mark.parametrize(
    ("verdict", "case"), [("deny", "HTTP-request-denied"), ("bad-scheme", "HTTP-protocol-error")]
)
@pytest.mark.parametrize("options", [None, 9])
def test_refusal__drops_each_resource_once_and_sends_nothing(world, verdict, case, options):
    """Nothing leaks, nothing is dropped twice."""
    world.verdict = verdict
    assert world.handle(5, options).tag == case
    assert world.sent == []
    wanted = [(_REQUEST, 5)] + ([] if options is None else [(_OPTIONS, options)])
    assert world.dropped == wanted


def test_many_requests__of_both_kinds__leave_no_handle_behind(world):
    """Each refused one is dropped, each sent one is not."""
    for number in range(1, 301):
        world.verdict = "deny" if number % 3 else "forward"
        world.handle(number, number)
    refused = [number for number in range(1, 301) if number % 3]
    assert [n for kind, n in world.dropped if kind == _REQUEST] == refused
    assert [n for kind, n in world.dropped if kind == _OPTIONS] == refused
    assert [request for request, _ in world.sent] == [n for n in range(1, 301) if not n % 3]


@pytest.mark.parametrize(
    ("method", "scheme", "authority", "path"),
    [
        (wc.Variant("get"), None, None, None),
        (wc.Variant("patch"), wc.Variant("HTTP"), "a.test:80", "/p?q=é"),
        (wc.Variant("other", "BREW"), wc.Variant("other", "ftp"), "", ""),
        (wc.Variant("delete"), wc.Variant("HTTPS"), "x" * 70_000, "/" + "y" * 300_000),
        (wc.Variant("other", "z" * 9), wc.Variant("HTTPS"), "\0", "\u0001"),
    ],
)
def test_policy__is_asked_with_the_requests_own_values(world, method, scheme, authority, path):
    """Also right after a request with other cases and longer texts."""
    world.method, world.scheme = wc.Variant("other", "q" * 500), wc.Variant("other", "r" * 500)
    world.authority = world.path = "s" * 500
    world.handle(1)
    world.method, world.scheme, world.authority, world.path = method, scheme, authority, path
    world.handle(2)
    assert world.judged[1] == (method, scheme, authority, path)


@pytest.mark.parametrize(
    "failure",
    [
        wc.Variant("DNS-timeout"),
        wc.Variant("connection-refused"),
        wc.Variant("internal-error", "text é"),
        wc.Variant("HTTP-request-body-size", 2**64 - 1),
    ],
)
def test_forward__error_of_the_real_handler__comes_back_whole(world, failure):
    """With its payload."""
    world.failure = failure
    got = world.handle(3)
    assert (got.tag, got.payload) == (failure.tag, failure.payload)
    assert world.dropped == []
