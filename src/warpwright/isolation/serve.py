"""A worker's own side: greet, then answer requests until the parent closes the pipe or is gone."""

import os
import queue
import signal
import sys
import threading
from collections.abc import Buffer, Callable, Sequence
from dataclasses import dataclass
from typing import IO

from warpwright.isolation.framing import FramingError, Header, Json, read_header, read_into, write_message


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply: JSON body and raw buffers."""

    body: Json
    buffers: Sequence[Buffer] = ()


class Request:
    """One request; its buffers are read by the handler, in order, straight to where they belong."""

    def __init__(self, header: Header, stream: IO[bytes], all_read: Callable[[], None]) -> None:
        self.body = header.body
        self._sizes = list(header.sizes_bytes)
        self._stream = stream
        self._all_read = all_read
        if not self._sizes:
            all_read()

    def read_into(self, view: memoryview) -> None:
        """The next buffer into `view`, which has exactly its size."""
        if view.nbytes != self._sizes[0]:
            raise FramingError(f"buffer of {self._sizes[0]} bytes for a place of {view.nbytes}")
        read_into(self._stream, view)
        self._sizes.pop(0)
        if not self._sizes:
            self._all_read()

    def read_bytes(self) -> bytes:
        """The next buffer."""
        data = bytearray(self._sizes[0])
        self.read_into(memoryview(data))
        return bytes(data)

    def read_rest(self) -> None:
        """Take what the handler left, so that the next message can be found."""
        while self._sizes:
            self.read_bytes()


Handler = Callable[[Request], Answer]


def serve(start: Callable[[], tuple[Json, Handler]]) -> None:
    """Run a worker. `start` loads what is needed and returns the greeting and the handler.

    A reader thread notices the end of the pipe even while a request is being worked on: no worker outlives its parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    requests, replies = _take_pipes()
    greeting, handler = start()
    write_message(replies, greeting)
    arrived: queue.SimpleQueue[Header] = queue.SimpleQueue()
    all_read = threading.Semaphore(0)
    threading.Thread(target=_receive, args=(requests, arrived, all_read), daemon=True).start()
    while True:
        request = Request(arrived.get(), requests, all_read.release)
        answer = handler(request)
        request.read_rest()
        write_message(replies, answer.body, answer.buffers)


def _receive(stream: IO[bytes], arrived: "queue.SimpleQueue[Header]", all_read: threading.Semaphore) -> None:
    """Only this thread waits for the pipe; it steps aside while the handler takes a request's buffers from it."""
    while True:
        try:
            header = read_header(stream)
        except (FramingError, OSError):
            header = None
        if header is None:
            os._exit(0)
        arrived.put(header)
        all_read.acquire()


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Own copies of stdin and stdout; what a library prints goes to stderr instead of into the messages."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, replies
