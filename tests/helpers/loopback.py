"""Servers on the loopback address, for guests that reach out and for those that must not.

Lives here: `WebServer`. Not here: engines and hooks (lab). Any test may import it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

_CHUNK = b"x" * 65_536


class WebServer:
    """An HTTP server that knows what it was asked.

    Paths: `/redirect?to=URL` answers 302, `/bytes?count=N` N bytes, any other path its
    own text.

    Attributes:
        host: As it is written in a URL.
        port: Where it listens.
        paths: Paths with query of all requests so far, in order.
    """

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self.paths: list[str] = []

    @property
    def authority(self) -> str:
        """Host and port."""
        return f"{self.host}:{self.port}"

    def url(self, path: str = "/", host: str | None = None) -> str:
        """A URL of this server, by another name of its host if wanted."""
        return f"http://{host or self.host}:{self.port}{path}"


@contextmanager
def web_server() -> Iterator[WebServer]:
    """Serve on 127.0.0.1 until the end of the context."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.paths.append(self.path)
            query = parse_qs(urlsplit(self.path).query)
            if "to" in query:
                self.send_response(302)
                self.send_header("Location", query["to"][0])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            size = int(query["count"][0]) if "count" in query else len(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self._send(size) if "count" in query else self.wfile.write(self.path.encode())

        def _send(self, size: int) -> None:
            try:
                for start in range(0, size, len(_CHUNK)):
                    self.wfile.write(_CHUNK[: size - start])
            except ConnectionError:
                # A client may have enough before the end.
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        served = WebServer("127.0.0.1", running.server_port)
        thread = threading.Thread(target=running.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield served
        finally:
            running.shutdown()
            thread.join()
