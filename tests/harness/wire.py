"""A client of the harness of the tests' own, written after docs/harness.md: it shares no code with the product's."""

import contextlib
import io
import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Body = dict[str, Any]

LIMIT_S = 60.0
"""A process that lives longer is killed, so that a test that waits for it fails and does not hang."""

LARGEST_INLINE_BYTES = 64 * 1024
"""Attachments up to this size follow their line also where there is an exchange folder."""


@dataclass(frozen=True, slots=True)
class Reply:
    """body: the JSON line without `id` and `npy_bytes`. arrays: its attachments."""

    body: Body
    arrays: tuple[Array, ...]

    def __getitem__(self, field: str) -> Any:
        return self.body[field]

    @property
    def error(self) -> Body:
        """Of a request that was refused or failed through no fault of the candidate."""
        assert set(self.body) <= {"error", "fatal"}, self.body
        error: Body = self.body["error"]
        return error

    @property
    def fault(self) -> Body:
        """The candidate's."""
        assert set(self.body) == {"fault", "fatal"}, self.body
        fault: Body = self.body["fault"]
        return fault


def npy(array: Array) -> bytes:
    """A .npy stream; element types of two raw bytes are written as `<V2`, which stands for bfloat16."""
    stream = io.BytesIO()
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    if contiguous.dtype == np.dtype("V2"):
        header = {"descr": "<V2", "fortran_order": False, "shape": contiguous.shape}
        np.lib.format.write_array_header_1_0(stream, header)
        return stream.getvalue() + contiguous.tobytes()
    np.save(stream, contiguous, allow_pickle=False)
    return stream.getvalue()


class Wire:
    """One harness process. Leaving the context ends it, whatever it does.

    exchange: folder that the command names; the process finds large attachments there, and leaves them.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], exchange: Path | None = None) -> None:
        self.exchange = exchange
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(environment)
        )
        self._limit = threading.Timer(LIMIT_S, self.process.kill)
        self._limit.start()
        self._next_id = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._limit.cancel()
        if self.process.poll() is None:
            self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                with contextlib.suppress(BrokenPipeError):  # the process went before it read everything
                    stream.close()
        self.process.wait()

    def ask(self, op: str, /, *attachments: Array | bytes, **fields: Any) -> Reply:
        """One request and its reply."""
        number = self.send(op, *attachments, **fields)
        line, reply = self.receive_line()
        assert line["id"] == number, line
        return reply

    def send(self, op: str, /, *attachments: Array | bytes, **fields: Any) -> int:
        """One request; its id."""
        body = {"id": self._next_id, "op": op, **fields}
        self._next_id += 1
        streams = [part if isinstance(part, bytes) else npy(part) for part in attachments]
        files = [self._put(stream, f"x{body['id']}-{index}.npy") for index, stream in enumerate(streams)]
        if streams:
            body["npy_bytes"] = [len(stream) for stream in streams]
        if any(files):
            body["npy_files"] = files
        behind = [stream for stream, file in zip(streams, files, strict=True) if file is None]
        self.write(json.dumps(body).encode() + b"\n" + b"".join(behind))
        return self._next_id - 1

    def write(self, data: bytes) -> None:
        """Raw bytes into the harness's standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self) -> Reply:
        """The next reply."""
        return self.receive_line()[1]

    def finish(self) -> int:
        """Ends the input; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait()

    def exit_code(self) -> int:
        """Of a process that ends by itself."""
        return self.process.wait()

    def stderr(self) -> str:
        """Everything that it said, once it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def receive_line(self) -> tuple[Body, Reply]:
        """The next reply and its line as it came."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise AssertionError(f"no reply; exit code {self.process.wait()}: {self.stderr()}")
        whole = json.loads(line)
        body = dict(whole)
        sizes = body.pop("npy_bytes", [])
        files = body.pop("npy_files", [None] * len(sizes))
        arrays = tuple(self._array(size, file) for size, file in zip(sizes, files, strict=True))
        return whole, Reply({key: value for key, value in body.items() if key != "id"}, arrays)

    def _put(self, stream: bytes, name: str) -> str | None:
        if self.exchange is None or len(stream) <= LARGEST_INLINE_BYTES:
            return None
        (self.exchange / name).write_bytes(stream)
        return name

    def _array(self, size: int, file: str | None) -> Array:
        assert self.process.stdout is not None
        stream = self.process.stdout.read(size) if file is None else b""
        if file is not None:
            assert self.exchange is not None
            stream = (self.exchange / file).read_bytes()
            (self.exchange / file).unlink()
        assert len(stream) == size
        array: Array = np.load(io.BytesIO(stream), allow_pickle=False)
        return array


def clean_environment(**added: str) -> dict[str, str]:
    """This process's environment without settings of other tests, with some added."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WARPWRIGHT_")}
    return kept | added
