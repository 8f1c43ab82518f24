"""What a guest can try on its host, one verb each; on-shell of the recorder runs them.

A refusal is an answer too: the tests compare the exception and its number.
"""

import encodings.idna  # noqa: F401 -- modules are only found while the component is built
import os
import socket
from pathlib import Path

TIMEOUT_S = 5


def run(verb: str, arguments: list[str]) -> object:
    """Try one thing.

    Args:
        verb: A name in VERBS.
        arguments: Its own.

    Returns:
        What came of it, or how it failed: class, number and text of the exception.
    """
    try:
        return {"done": VERBS[verb](*arguments)}
    except OSError as error:
        return {"failed": type(error).__name__, "errno": error.errno, "text": str(error)}


def _read(path: str) -> str:
    return Path(path).read_text("utf-8")


def _write(path: str, text: str) -> int:
    return Path(path).write_text(text, "utf-8")


def _list(path: str) -> list[str]:
    return sorted(found.name for found in Path(path).iterdir())


def _symlink(target: str, path: str) -> None:
    Path(path).symlink_to(target)


def _link(target: str, path: str) -> None:
    Path(path).hardlink_to(target)


def _rename(old: str, new: str) -> None:
    Path(old).rename(new)


def _remove(path: str) -> None:
    Path(path).unlink()


def _mkdir(path: str) -> None:
    Path(path).mkdir()


def _size(path: str) -> int:
    return Path(path).stat().st_size


def _connect(host: str, port: str) -> str:
    with socket.create_connection((host, int(port)), TIMEOUT_S) as connection:
        connection.sendall(b"hello")
    return "connected"


def _tcp(family: str, host: str, port: str) -> str:
    with socket.socket(getattr(socket, family), socket.SOCK_STREAM) as made:
        made.connect((host, int(port)))
        made.sendall(b"hello")
    return "connected"


def _listen(host: str, port: str) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
        made.bind((host, int(port)))
        made.listen()
    return "listening"


def _udp(family: str, host: str, port: str) -> str:
    with socket.socket(getattr(socket, family), socket.SOCK_DGRAM) as made:
        made.sendto(b"hello", (host, int(port)))
    return "sent"


def _resolve(name: str) -> list[str]:
    return sorted({str(found[4][0]) for found in socket.getaddrinfo(name, 80)})


def _print(size: str) -> None:
    print("x" * int(size))  # noqa: T201 -- how it arrives is the question


def _environment() -> dict[str, str]:
    return dict(os.environ)


VERBS = {
    "read": _read,
    "write": _write,
    "list": _list,
    "symlink": _symlink,
    "link": _link,
    "rename": _rename,
    "remove": _remove,
    "mkdir": _mkdir,
    "size": _size,
    "connect": _connect,
    "tcp": _tcp,
    "listen": _listen,
    "udp": _udp,
    "resolve": _resolve,
    "print": _print,
    "environment": _environment,
}
