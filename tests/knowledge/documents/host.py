"""A documentation host on this machine, with faults to order."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

WORDS = "Words about kernels, warps and memory that make a page long enough to be one. " * 8


def page(title: str) -> bytes:
    """A page that passes for documentation."""
    article = f"<article><h1>{title}</h1><p>{WORDS}</p></article>"
    return f"<html><head><title>{title}</title></head><body>{article}</body></html>".encode()


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer. length: claimed Content-Length, None = the true one. dropped: close without an answer.

    trickle_s: pause between the thirds of the body.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None
    dropped: bool = False
    trickle_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked, when (monotonic)."""

    path: str
    headers: Mapping[str, str]
    at: float


class Host:
    """replies: per path the answers in turn, the last one for ever; a path that is not there is 404."""

    def __init__(self) -> None:
        self.replies: dict[str, list[Reply]] = {}
        self.requests: list[Request] = []
        self.before: Callable[[str], None] = lambda path: None
        self.busy = 0
        self.most_busy = 0
        self.address = ""
        self._lock = Lock()

    def serve(self, path: str, *replies: Reply) -> None:
        """Set the answers of a path."""
        self.replies[path] = list(replies)

    def asked(self, path: str) -> list[Request]:
        """Requests for a path."""
        return [request for request in self.requests if request.path == path]

    def answer(self, path: str, headers: Mapping[str, str]) -> Reply:
        """The next answer; 304 if the copy of the asker is the one that would be sent."""
        with self._lock:
            self.requests.append(Request(path, headers, time.monotonic()))
            self.busy += 1
            self.most_busy = max(self.most_busy, self.busy)
            waiting = self.replies.get(path, [Reply(b"<html><h1>Page Not Found</h1></html>", 404)])
            reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        self.before(path)
        tag = reply.headers.get("ETag")
        return Reply(status=304) if tag is not None and headers.get("If-None-Match") == tag else reply

    def done(self) -> None:
        """A request was answered."""
        with self._lock:
            self.busy -= 1


@contextmanager
def running() -> Iterator[Host]:
    """The host, until the block ends."""
    host = Host()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                self._reply(host.answer(self.path, dict(self.headers)))
            finally:
                host.done()

        def _reply(self, reply: Reply) -> None:
            if reply.dropped:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.status != 304:
                self.send_header("Content-Length", str(len(reply.body) if reply.length is None else reply.length))
            self.end_headers()
            try:
                third = len(reply.body) // 3 + 1
                for start in range(0, len(reply.body), third):
                    self.wfile.write(reply.body[start : start + third])
                    time.sleep(reply.trickle_s)
            except OSError:
                return  # the asker has enough

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    host.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield host
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
