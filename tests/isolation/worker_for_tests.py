"""A worker that does what its request says: started by test_process.py with `-m`."""

import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warpwright.isolation.limits import confine_reading
from warpwright.isolation.serve import Answer, Handler, Request, serve


def start() -> tuple[dict[str, Any], Handler]:
    if "fail" in sys.argv:
        raise RuntimeError("no library here")
    return {"pid": os.getpid(), "environment": sorted(os.environ)}, answer


def answer(request: Request) -> Answer:
    return ACTS[request.body["do"]](request)


def echo(request: Request) -> Answer:
    return Answer(request.body, (request.read_bytes()[::-1],))


def write(request: Request) -> Answer:
    sys.stdout.write("x" * request.body["count"])
    os.write(1, b"from C")
    return Answer({})


def scribble(request: Request) -> Answer:
    for descriptor in range(3, 10):  # among them is the pipe of the replies
        try:
            os.write(descriptor, b"not a message")
        except OSError:
            continue
    time.sleep(60)
    return Answer({})


def sleep(request: Request) -> Answer:
    time.sleep(60)
    return Answer({})


def fail(request: Request) -> Answer:
    raise MemoryError("full")


def leave(request: Request) -> Answer:
    os._exit(9)


def confine(request: Request) -> Answer:
    return Answer({"confined": confine_reading([Path(request.body["folder"])])})


def read(request: Request) -> Answer:
    try:
        return Answer({"text": Path(request.body["path"]).read_text(encoding="utf-8")})
    except PermissionError:
        return Answer({"text": None})


def connect(request: Request) -> Answer:
    try:
        socket.create_connection(("127.0.0.1", request.body["port"]), timeout=5).close()
    except PermissionError:
        return Answer({"connected": False})
    return Answer({"connected": True})


ACTS: dict[str, Callable[[Request], Answer]] = {
    "echo": echo,
    "ignore buffers": lambda request: Answer({"pid": os.getpid()}),
    "print": write,
    "sleep": sleep,
    "raise": fail,
    "exit": leave,
    "scribble": scribble,
    "confine": confine,
    "read": read,
    "connect": connect,
}


if __name__ == "__main__":
    serve(start)
