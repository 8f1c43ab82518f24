"""Ways out of a hook's grant: each fails inside the guest, and nothing outside is touched.

Every probe has a twin that stays inside and succeeds, so that a probe which is broken
itself does not count as a refusal. The doubles ask WASI directly; the hook that
componentize-py built goes through the C library that real guests use.
"""

import json
import socket
from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from inspector.contract.record import Failure
from inspector.protocol.message import BeginTask
from tests.helpers import toolchain
from tests.helpers.lab import Lab, LabHook, granted, lab
from tests.helpers.loopback import web_server
from tests.helpers.toolchain import ToolchainError
from tests.helpers.wat import (
    HTTP_ERRORS,
    AppendFile,
    ConversationPages,
    Environment,
    Error,
    FileText,
    HttpGet,
    Preopens,
    hook,
    task_input,
)

pytestmark = pytest.mark.process

NO_FOLDER = "!1"
"""FileText without the preopened folder."""
NOT_PERMITTED = "!33"
"""FileText when WASI answers `not-permitted`, its case 31."""
NO_ENTRY = "!22"
"""FileText when WASI answers `no-entry`, its case 20."""
TASK_NOT_GRANTED = "!0"
"""A task's text when task-io answers `not-granted`, its case 0."""
DENIED = f"!{HTTP_ERRORS.index('HTTP-request-denied')}"

SECRET = "the secret"
SCOPE = "{filesystem: {scope: scope}}"


def saying(source, capabilities: str = "{}") -> LabHook:
    """A hook that answers on-shell with an error of a source's text."""
    return granted(hook({"on-shell": Error(source)}).component(), capabilities)


def doing(step, capabilities: str = "{}") -> LabHook:
    """A hook that does one step at on-shell; a step that is refused traps."""
    return granted(hook({"on-shell": [step, Error("done")]}).component(), capabilities)


def tree(folder: Path) -> Mapping[str, bytes | str]:
    """Every path below a folder with its content, links with their target."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        else:
            found[name] = path.read_bytes() if path.is_file() else "folder"
    return found


class Place:
    """A scope with ways out of it, and what lies outside.

    Attributes:
        root: The folder given to `lab`; `work` in it is the accessible folder.
        outside: A folder that no hook is granted.
        scope: The granted folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.outside = root / "outside"
        self.scope = root / "work" / "scope"
        for folder in (self.outside, self.scope / "sub"):
            folder.mkdir(parents=True)
        for file in (self.outside / "secret.txt", self.scope.parent / "secret.txt"):
            file.write_text(SECRET)
        (self.scope / "inside.txt").write_text("inside")
        for name, target in {
            "to-outside": self.outside,
            "to-parent": "..",
            "secret-absolute.txt": self.outside / "secret.txt",
            "secret-relative.txt": "../secret.txt",
            "to-root": "/",
            "chain": "to-parent",
            "to-inside.txt": "inside.txt",
        }.items():
            (self.scope / name).symlink_to(target)

    def beyond(self) -> Mapping[str, bytes | str]:
        """Everything outside of the scope that a guest might want to change."""
        work = self.scope.parent
        at_work = {
            name: content
            for name, content in tree(work).items()
            if name.partition("/")[0] not in ("scope", ".murmur")
        }
        return {**tree(self.outside), **{f"work/{k}": v for k, v in at_work.items()}}


WAYS_OUT = {
    "dots": "../secret.txt",
    "dots-below": "sub/../../secret.txt",
    "dots-behind-dot": "./../secret.txt",
    "many-dots": "../../../../../../../../etc/passwd",
    "absolute": "/etc/passwd",
    "link-to-file": "secret-relative.txt",
    "absolute-link-to-file": "secret-absolute.txt",
    "link-to-folder": "to-parent/secret.txt",
    "absolute-link-to-folder": "to-outside/secret.txt",
    "link-to-link": "chain/secret.txt",
    "link-to-root": "to-root/etc/passwd",
    "dots-behind-link": "sub/../to-parent/secret.txt",
}
"""Paths of a guest, seen from its scope."""


class TestFolders:
    """A scope is all that there is of the file system."""

    @pytest.fixture(scope="class")
    @classmethod
    def place(cls, tmp_path_factory):
        return Place(tmp_path_factory.mktemp("folders"))

    @pytest.fixture(scope="class")
    @classmethod
    def before(cls, place):
        return place.beyond()

    @pytest.fixture(scope="class")
    @classmethod
    def calls(cls, place, before):
        """One call of each hook: readers and writers of every way out, and their twins."""
        hooks = {f"read-{n}": saying(FileText(path), SCOPE) for n, path in WAYS_OUT.items()}
        hooks |= {f"write-{n}": doing(AppendFile(p, "x"), SCOPE) for n, p in WAYS_OUT.items()}
        absolute = str(place.outside / "secret.txt")
        hooks |= {
            "read-host-path": saying(FileText(absolute), SCOPE),
            "write-host-path": doing(AppendFile(absolute, "x"), SCOPE),
            "write-new": doing(AppendFile("../new.txt", "x"), SCOPE),
            "write-new-by-link": doing(AppendFile("to-outside/new.txt", "x"), SCOPE),
            "read-backslash": saying(FileText("..\\secret.txt"), SCOPE),
            "read-inside": saying(FileText("inside.txt"), SCOPE),
            "read-inside-link": saying(FileText("to-inside.txt"), SCOPE),
            "read-inside-dots": saying(FileText("sub/../inside.txt"), SCOPE),
            "write-inside": doing(AppendFile("sub/mine.txt", "mine"), SCOPE),
            "folders": saying(Preopens(), SCOPE),
            "folders-ungranted": saying(Preopens()),
            "read-ungranted": saying(FileText("inside.txt")),
            "variables": saying(Environment(), SCOPE),
        }
        with lab(place.root, hooks) as running:
            return running.calls("on-shell")

    @pytest.mark.parametrize("name", [*WAYS_OUT, "host-path"])
    def test_read__way_out__is_not_permitted(self, calls, name):
        """The guest gets an error code and goes on."""
        assert calls[f"read-{name}"].error == NOT_PERMITTED

    @pytest.mark.parametrize("name", [*WAYS_OUT, "host-path", "new", "new-by-link"])
    def test_write__way_out__fails(self, calls, name):
        """The double traps when it cannot open; its twin does not."""
        assert calls[f"write-{name}"].failure is Failure.TRAP

    def test_everything_outside__after_all_probes__is_as_before(self, calls, place, before):
        """Nothing was written, made or taken away outside of the scope."""
        assert calls
        assert before["secret.txt"] == before["work/secret.txt"] == SECRET.encode()
        assert place.beyond() == before

    @pytest.mark.parametrize("name", ["inside", "inside-link", "inside-dots"])
    def test_read__inside__gives_the_text(self, calls, name):
        """Dots and links that stay inside are fine."""
        assert calls[f"read-{name}"].error == "inside"

    def test_write__inside__is_in_the_scope(self, calls, place):
        """The twin of the writers wrote."""
        assert calls["write-inside"].error == "done"
        assert (place.scope / "sub" / "mine.txt").read_text() == "mine"

    def test_backslash__on_posix__is_part_of_a_name(self, calls):
        """It separates nothing."""
        assert calls["read-backslash"].error == NO_ENTRY

    def test_folders__with_and_without_grant__are_only_the_granted(self, calls):
        """No grant, no folder; and no variable of the host either."""
        assert calls["folders"].error == ".,"
        assert calls["folders-ungranted"].error == ""
        assert calls["read-ungranted"].error == NO_FOLDER
        assert calls["variables"].error == ""


class TestNetwork:
    """A rule lets its own host, port and scheme through, as text."""

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls, tmp_path_factory):
        """One request of each hook, all to servers that would answer."""
        with web_server() as granted_server, web_server() as other:
            port = granted_server.port
            here = f"127.0.0.1:{port}"
            probes = {
                "same": (f"http://{here}", granted_server.url("/same")),
                "any-scheme": (here, granted_server.url("/any-scheme")),
                "case": (f"localhost:{port}", f"http://LOCALHOST:{port}/case"),
                "no-rule": (None, granted_server.url("/no")),
                "other-port": (here, other.url("/no")),
                "default-port": (f"http://{here}", "http://127.0.0.1/no"),
                "other-name": (here, granted_server.url("/no", "localhost")),
                "other-host": ("http://collect.test", granted_server.url("/no")),
                "http-for-https": (f"https://{here}", granted_server.url("/no")),
                "https-for-http": (f"http://{here}", f"https://{here}/no"),
                "mapped-ipv6": (here, granted_server.url("/no", "[::ffff:127.0.0.1]")),
                "ipv6-loopback": (here, granted_server.url("/no", "[::1]")),
                "long-ipv6": (f"[::1]:{port}", f"http://[0:0:0:0:0:0:0:1]:{port}/no"),
                "short-ipv4": (here, f"http://127.1:{port}/no"),
                "number-ipv4": (here, f"http://2130706433:{port}/no"),
                "trailing-dot": (f"localhost:{port}", f"http://localhost.:{port}/no"),
                "star": ("*", granted_server.url("/no")),
                "host-in-user-info": (here, f"http://{here}@localhost:{other.port}/no"),
                "host-in-path": (here, f"http://localhost:{other.port}/{here}"),
            }
            hooks = {
                name: saying(
                    HttpGet(url),
                    "{}" if rule is None else f'{{network: {{allow: ["{rule}"]}}}}',
                )
                for name, (rule, url) in probes.items()
            }
            with lab(tmp_path_factory.mktemp("network"), hooks) as running:
                record = running.observe("on-shell")
            yield record, granted_server.paths, other.paths

    @pytest.mark.parametrize(
        "name",
        [
            "no-rule",
            "other-port",
            "default-port",
            "other-name",
            "other-host",
            "http-for-https",
            "https-for-http",
            "mapped-ipv6",
            "ipv6-loopback",
            "long-ipv6",
            "short-ipv4",
            "number-ipv4",
            "trailing-dot",
            "star",
            "host-in-user-info",
            "host-in-path",
        ],
    )
    def test_request__not_the_rules_own_target__is_denied(self, run, name):
        """The guest gets http-request-denied, and the record says why."""
        record = run[0]
        (call,) = [call for call in record.calls if call.hook == name]
        (request,) = [request for request in record.requests if request.hook == name]
        assert call.error == DENIED
        assert not request.allowed
        assert request.explanation

    @pytest.mark.parametrize("name", ["same", "any-scheme", "case"])
    def test_request__the_rules_target__is_answered(self, run, name):
        """The twin of the denied ones reaches the server."""
        (call,) = [call for call in run[0].calls if call.hook == name]
        assert call.error == "200"

    def test_servers__after_all_probes__saw_the_allowed_requests_alone(self, run):
        """A denied request opens no connection."""
        _, asked, asked_of_other = run
        assert sorted(asked) == ["/any-scheme", "/case", "/same"]
        assert asked_of_other == []


class TestNeighbours:
    """A grant is one hook's own."""

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls, tmp_path_factory):
        """Two hooks with different grants of every kind, and a third with none."""
        root = tmp_path_factory.mktemp("neighbours")
        for name in ("a", "b"):
            folder = root / "work" / name
            folder.mkdir(parents=True)
            (folder / "own.txt").write_text(name)
            store = root / "murmur-home" / "state" / f"store-{name}"
            store.mkdir(parents=True)
            (store / "own.txt").write_text(f"store {name}")
        with ExitStack() as stack:
            servers = {name: stack.enter_context(web_server()) for name in ("a", "b")}
            grants = {
                name: f"{{filesystem: {{scope: {name}}}, state: {{store: store-{name}}}, "
                f'network: {{allow: ["{server.authority}"]}}, '
                f"task_io: {{read: {'true' if name == 'a' else 'false'}}}, "
                f"conversation: {{read: {'true' if name == 'b' else 'false'}}}}}"
                for name, server in servers.items()
            }
            hooks = {}
            for name, grant in {**grants, "none": "{}"}.items():
                hooks |= cls.probes(name, grant, servers)
            conversation = {"ctx": [{"role": "user", "content": "hello", "id": "m1"}]}
            running = stack.enter_context(lab(root, hooks, conversation=conversation))
            running.observe("on-task-start", {"context-id": "ctx"})
            running.fire(BeginTask("the task"))
            calls = running.calls("on-shell")
        return {name: call.error for name, call in calls.items()}

    @staticmethod
    def probes(name, grant, servers):
        """What a hook of that grant tries, by name."""
        own = "b" if name == "b" else "a"
        other = "a" if own == "b" else "b"
        sources = {
            "own-file": FileText("own.txt"),
            "their-file": FileText(f"../{other}/own.txt"),
            "own-state": FileText("own.txt", preopen="state"),
            "their-state": FileText(f"../store-{other}/own.txt", preopen="state"),
            "own-server": HttpGet(servers[own].url("/own")),
            "their-server": HttpGet(servers[other].url("/their")),
            "task": task_input(),
            "conversation": ConversationPages(10),
        }
        return {f"{name}-{probe}": saying(source, grant) for probe, source in sources.items()}

    @pytest.mark.parametrize("name", ["a", "b"])
    def test_two_hooks__different_grants__use_their_own_alone(self, run, name):
        """Folder, store and host of the other are out of reach."""
        answers = {probe: run[f"{name}-{probe}"] for probe in run_probes()}
        assert answers == {
            "own-file": name,
            "their-file": NOT_PERMITTED,
            "own-state": f"store {name}",
            "their-state": NOT_PERMITTED,
            "own-server": "200",
            "their-server": DENIED,
        }

    def test_hook_without_grants__in_the_same_session__has_nothing(self, run):
        """What the others were granted does not reach it."""
        assert {probe: run[f"none-{probe}"] for probe in run_probes()} == {
            "own-file": NO_FOLDER,
            "their-file": NO_FOLDER,
            "own-state": NO_FOLDER,
            "their-state": NO_FOLDER,
            "own-server": DENIED,
            "their-server": DENIED,
        }

    def test_task_and_conversation__one_hook_each__refuse_the_others(self, run):
        """The texts of the session go to those that the operator named."""
        assert run["a-task"] == "the task"
        assert run["b-conversation"] == "T=1;m1=user;N=-"
        assert [run[name] for name in ("b-task", "none-task")] == [TASK_NOT_GRANTED] * 2
        pages = [run[name] for name in ("a-conversation", "none-conversation")]
        assert pages == ["!not-granted"] * 2


def run_probes():
    """The probes of folders, stores and hosts."""
    return ["own-file", "their-file", "own-state", "their-state", "own-server", "their-server"]


class TestStateStores:
    """A store belongs to its name."""

    def test_two_hooks__one_store__share_it(self, tmp_path):
        """What one writes, the other reads; a third with another store does not."""
        writer = hook({"on-shell": AppendFile("note.txt", "kept", preopen="state")})
        read = FileText("note.txt", preopen="state")
        hooks = {
            "writer": granted(writer.component(), "{state: {store: common}}"),
            "reader": saying(read, "{state: {store: common}}"),
            "stranger": saying(read, "{state: {store: other}}"),
        }
        with lab(tmp_path, hooks) as running:
            calls = running.calls("on-shell")
        assert calls["writer"].result == "none"
        assert calls["reader"].error == "kept"
        assert calls["stranger"].error == NO_ENTRY
        assert (tmp_path / "murmur-home/state/common/note.txt").read_text() == "kept"

    def test_store__without_a_name__is_the_capsules_own(self, tmp_path):
        """An empty block and the capsule's name are one store."""
        writer = hook({"on-shell": AppendFile("note.txt", "kept", preopen="state")})
        hooks = {
            "writer": granted(writer.component(), "{state: {}}"),
            "reader": saying(FileText("note.txt", preopen="state"), "{state: {store: lab}}"),
        }
        with lab(tmp_path, hooks) as running:
            assert running.calls("on-shell")["reader"].error == "kept"

    def test_store__next_session__is_still_there(self, tmp_path):
        """A store outlives the engine that wrote it."""
        writer = hook({"on-shell": AppendFile("note.txt", "x", preopen="state")})
        store = "{state: {store: common}}"
        hooks = {
            "writer": granted(writer.component(), store),
            "reader": saying(FileText("note.txt", preopen="state"), store),
        }
        for text in ("x", "xx"):
            with lab(tmp_path / text, hooks, home=tmp_path / "home") as running:
                assert running.calls("on-shell")["reader"].error == text


EACCES = 2
EPERM = 63
ENOENT = 44
EAI_FAIL = -4
"""Numbers of the C library of WASI."""


@pytest.mark.toolchain
@pytest.mark.timeout(600)
class TestRealGuest:
    """The same through a C library, with what only it has: sockets, names, links."""

    @pytest.fixture(scope="class")
    @classmethod
    def place(cls, tmp_path_factory):
        return Place(tmp_path_factory.mktemp("guest"))

    @pytest.fixture(scope="class")
    @classmethod
    def before(cls, place):
        return place.beyond()

    @pytest.fixture(scope="class")
    @classmethod
    def running(cls, request, place, before, tmp_path_factory):
        """The recorder, with a scope and a store and no network."""
        try:
            built = toolchain.build(toolchain.RECORDER, toolchain.cache_folder(request.config))
        except ToolchainError as error:
            pytest.fail(str(error), pytrace=False)
        grant = "{filesystem: {scope: scope}, state: {}, network: {allow: [localhost]}}"
        hooks = {"recorder": granted(built.read_bytes(), grant)}
        home = tmp_path_factory.getbasetemp() / "engine-home"
        with lab(place.root, hooks, engine_home=home) as running:
            yield running

    @staticmethod
    def probe(running: Lab, verb: str, *arguments: object):
        """What a verb of the guest's probe came to."""
        fields = {"binary": "probe", "command": verb, "argv": [str(each) for each in arguments]}
        (call,) = running.observe("on-shell", fields).calls
        assert call.error is None, call.stderr
        word, _, value = call.stdout.partition(" ")
        assert word == "probe"
        return json.loads(value)

    @pytest.mark.parametrize("path", [p for p in WAYS_OUT.values() if p[0] != "/"])
    def test_read_and_write__way_out__is_not_permitted(self, running, place, before, path):
        """The C library has no other door."""
        assert self.probe(running, "read", path)["errno"] == EPERM
        assert self.probe(running, "write", path, "x")["errno"] == EPERM
        assert place.beyond() == before

    def test_absolute_path__of_a_host_file__is_looked_for_in_the_scope(
        self, running, place, before
    ):
        """To the C library the scope is the root; the host's file is not there."""
        path = place.outside / "secret.txt"
        assert self.probe(running, "read", path)["errno"] == ENOENT
        assert self.probe(running, "write", path, "x")["errno"] == ENOENT
        assert place.beyond() == before

    @pytest.mark.parametrize(
        ("verb", "arguments"),
        [
            ("list", ("..",)),
            ("size", ("../secret.txt",)),
            ("remove", ("../secret.txt",)),
            ("mkdir", ("../new",)),
            ("rename", ("inside.txt", "../taken.txt")),
            ("rename", ("../secret.txt", "brought.txt")),
            ("link", ("../secret.txt", "linked.txt")),
            ("link", ("inside.txt", "../linked.txt")),
            ("symlink", ("inside.txt", "../link.txt")),
            ("symlink", ("/etc/passwd", "absolute.txt")),
            ("list", ("to-root",)),
            ("read", ("state/../outside/secret.txt",)),
            ("read", ("state/../../outside/secret.txt",)),
        ],
    )
    def test_other_call__with_a_way_out__is_not_permitted(
        self, running, place, before, verb, arguments
    ):
        """Not only opening is kept inside."""
        assert self.probe(running, verb, *arguments)["errno"] == EPERM
        assert place.beyond() == before
        assert (place.scope / "inside.txt").read_text() == "inside"

    def test_link__made_by_the_guest_itself__does_not_lead_out(self, running, place, before):
        """A relative link may be made, and is refused where it is followed."""
        assert self.probe(running, "symlink", "..", "own-link") == {"done": None}
        assert self.probe(running, "read", "own-link/secret.txt")["errno"] == EPERM
        assert self.probe(running, "write", "own-link/secret.txt", "x")["errno"] == EPERM
        assert place.beyond() == before

    def test_calls__that_stay_inside__succeed(self, running, place):
        """The twins of the refused calls."""
        assert self.probe(running, "read", "inside.txt") == {"done": "inside"}
        assert self.probe(running, "mkdir", "made") == {"done": None}
        assert self.probe(running, "write", "made/a.txt", "text") == {"done": 4}
        assert self.probe(running, "link", "made/a.txt", "made/b.txt") == {"done": None}
        assert self.probe(running, "rename", "made/b.txt", "made/c.txt") == {"done": None}
        assert self.probe(running, "symlink", "c.txt", "made/d.txt") == {"done": None}
        assert self.probe(running, "size", "made/d.txt") == {"done": 4}
        assert self.probe(running, "remove", "made/a.txt") == {"done": None}
        assert self.probe(running, "list", "made") == {"done": ["c.txt", "d.txt"]}
        assert self.probe(running, "write", "state/kept.txt", "kept") == {"done": 4}
        store = place.root / "murmur-home" / "state" / "lab"
        assert (store / "kept.txt").read_text() == "kept"

    @pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
    def test_tcp__to_a_listening_socket__is_refused(self, running, family):
        """A network grant is for requests alone: no raw connection, to no host."""
        with listening(family, socket.SOCK_STREAM) as server:
            host, port = server.getsockname()[:2]
            answer = self.probe(running, "tcp", family, host, port)
            assert (answer["failed"], answer["errno"]) == ("PermissionError", EACCES)
            with pytest.raises(BlockingIOError):
                server.accept()

    @pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
    def test_udp__to_a_bound_socket__is_refused(self, running, family):
        """No datagram leaves."""
        with listening(family, socket.SOCK_DGRAM) as server:
            host, port = server.getsockname()[:2]
            answer = self.probe(running, "udp", family, host, port)
            assert (answer["failed"], answer["errno"]) == ("PermissionError", EACCES)
            with pytest.raises(BlockingIOError):
                server.recv(16)

    def test_listen__on_loopback__is_refused(self, running):
        """A hook opens no port."""
        answer = self.probe(running, "listen", "127.0.0.1", 0)
        assert (answer["failed"], answer["errno"]) == ("PermissionError", EACCES)

    @pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "collect.test"])
    def test_name__looked_up__is_refused(self, running, name):
        """Also a name that a rule lets requests through to."""
        answer = self.probe(running, "resolve", name)
        assert (answer["failed"], answer["errno"]) == ("gaierror", EAI_FAIL)

    def test_environment__of_the_host__is_not_seen(self, running):
        """A hook without config has no variable at all."""
        assert self.probe(running, "environment") == {"done": {}}


def listening(family: str, kind: socket.SocketKind):
    """A socket on the loopback address that never waits; closed at the end."""
    made = socket.socket(getattr(socket, family), kind)
    try:
        made.bind(("127.0.0.1" if family == "AF_INET" else "::1", 0))
    except OSError as error:
        made.close()
        pytest.skip(f"this machine has no such loopback address: {error}")
    if kind is socket.SOCK_STREAM:
        made.listen()
    made.setblocking(False)
    return closing(made)
