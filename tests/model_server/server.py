"""The server: real HTTP on localhost, answers in order, requests kept."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Self

from model_server import anthropic_protocol, google_protocol, ollama_protocol, openai_protocol
from model_server.answer import Answer


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """Every message's text, in order."""
        return "\n".join(str(message.get("content")) for message in self.body.get("messages", ()))


_PROTOCOLS = {"/v1/messages": anthropic_protocol, "/api/chat": ollama_protocol}
"""By path; Google's has a colon in it, every other one speaks OpenAI's."""

_STREAM_TYPES = {ollama_protocol: "application/x-ndjson", google_protocol: "application/json"}

type Script = Sequence[Answer | Callable[[Request], Answer]] | Callable[[Request], Answer]


class ModelServer:
    """Answers requests by a script: one answer after the other, the last one for ever, or a function of the request."""

    def __init__(self, script: Script, port: int = 0) -> None:
        """port: 0 takes a free one."""
        self.requests: list[Request] = []
        self._script = script
        self._lock = threading.Lock()
        self._closing = threading.Event()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def address(self) -> str:
        """Without a path."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def base_url(self) -> str:
        """For clients of OpenAI's protocol."""
        return f"{self.address}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, request: Request) -> Answer:
        """The answer to the next request."""
        with self._lock:
            position = len(self.requests)
            self.requests.append(request)
        chosen = self._script if callable(self._script) else self._script[min(position, len(self._script) - 1)]
        return chosen(request) if callable(chosen) else chosen

    def wait(self, seconds: float) -> None:
        """Silence, cut short when the server closes."""
        self._closing.wait(seconds)


class _Handler(BaseHTTPRequestHandler):
    owner: ClassVar[ModelServer]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, sent)
        answer = self.owner.answer(request)
        self.owner.wait(answer.delay_s)
        if answer.hang_up:
            self.close_connection = True
        elif answer.raw is not None:
            self._send(answer, answer.raw)
        else:
            self._speak(answer, request)

    def _speak(self, answer: Answer, request: Request) -> None:
        path = self.path.partition("?")[0]
        protocol = google_protocol if ":" in path else _PROTOCOLS.get(path, openai_protocol)
        streams = "stream" in path if protocol is google_protocol else bool(request.body.get("stream"))
        if answer.status != 200:
            self._send(answer, json.dumps(protocol.error(answer)))
        elif streams and not answer.ignores_stream:
            kind = _STREAM_TYPES.get(protocol, "text/event-stream")
            self._stream(answer, kind, protocol.pieces(answer, request.body))
        else:
            self._send(answer, json.dumps(protocol.whole(answer, str(request.body.get("model")))))

    def _head(self, answer: Answer, content_type: str, more: Mapping[str, str]) -> None:
        self.send_response(answer.status)
        for name, value in {"content-type": content_type, **answer.headers, **more}.items():
            self.send_header(name, value)
        self.end_headers()

    def _send(self, answer: Answer, body: str) -> None:
        data = body.encode("utf-8", "surrogatepass")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client gave up
            self._head(answer, answer.content_type, {"content-length": str(len(data))})
            self.wfile.write(data)

    def _stream(self, answer: Answer, content_type: str, events: Iterable[str]) -> None:
        self.close_connection = True
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client gave up
            self._head(answer, content_type, {"connection": "close"})
            for event in self._until_stall(answer, events):
                self.wfile.write(event.encode())
                self.wfile.flush()

    def _until_stall(self, answer: Answer, events: Iterable[str]) -> Iterator[str]:
        for position, event in enumerate(events):
            if position == answer.stall_after:
                self.owner.wait(answer.stall_s)
                return
            yield event
            if answer.piece_pause_s:
                self.owner.wait(answer.piece_pause_s)
