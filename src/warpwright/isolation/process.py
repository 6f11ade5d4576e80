"""A worker process as its parent sees it: started on demand, called with a deadline, killed when it must be."""

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Buffer, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from warpwright.errors import InfrastructureError
from warpwright.isolation.environment import worker_environment
from warpwright.isolation.framing import FramingError, Header, Json, read_header, read_into, write_message

START_LIMIT_S = 120.0
"""An interpreter that imports NumPy on a loaded machine takes seconds; two minutes means that it will never answer."""

_STDERR_LINES = 60
_LAST_WORDS_S = 3.0
_PIPE_BYTES = 1024 * 1024 if sys.platform == "linux" else -1
"""Arrays of tens of megabytes pass through; the usual 64 KiB cost a switch of processes each. -1: as the system has it."""


class Ended(StrEnum):
    """Why a worker is gone."""

    TIMEOUT = "timeout"
    CRASHED = "crashed"


class WorkerEnded(Exception):
    """The worker ended while it was working; the next call gets a fresh one. stderr: its last lines."""

    def __init__(self, how: Ended, exit_code: int | None, stderr: str) -> None:
        super().__init__(f"worker {how.value}, exit code {exit_code}")
        self.how = how
        self.exit_code = exit_code
        self.stderr = stderr


@dataclass(frozen=True, slots=True)
class Reply:
    """A worker's answer; the buffers are writable and owned by the receiver."""

    body: Json
    buffers: tuple[bytearray, ...]


class WorkerProcess:
    """One `python -m module` behind two pipes. Not thread-safe: one call at a time.

    The worker greets with one message (`greeting`), then answers each request with one message. It lives between calls.
    descriptors: open files that it inherits under the same numbers; not on Windows.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        directory: Path | None = None,
        descriptors: Sequence[int] = (),
    ) -> None:
        self._command = [sys.executable, "-P", "-m", module, *arguments]
        self._directory = directory
        self._descriptors = tuple(descriptors)
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._drain: threading.Thread | None = None
        self.greeting: Json = {}
        self.starts = 0

    @property
    def pid(self) -> int | None:
        """Process id; None if none is running."""
        return None if self._process is None or self._process.poll() is not None else self._process.pid

    def start(self) -> None:
        """Start the worker if none is running, and wait for its greeting.

        Raises: InfrastructureError if it does not come up.
        """
        if self._process is not None and self._process.poll() is None:
            return
        self.discard()
        self._spawn()
        try:
            self.greeting = self._exchange(None, (), START_LIMIT_S).body
        except WorkerEnded as ended:
            raise InfrastructureError(
                f"{' '.join(self._command[2:])} did not start ({ended}). Its last words:\n{ended.stderr}"
            ) from ended

    def call(self, body: Json, buffers: Sequence[Buffer] = (), *, time_limit_s: float) -> Reply:
        """One request and its reply.

        Raises: WorkerEnded if the worker is killed at its deadline or ends on its own.
        """
        self.start()
        return self._exchange(body, buffers, time_limit_s)

    def interrupt(self) -> None:
        """Kill the worker while another thread calls it: that call raises WorkerEnded."""
        process = self._process
        if process is not None:
            process.kill()

    def discard(self) -> None:
        """Kill the worker, if any; the next call starts a fresh one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if self._drain is not None:
            self._drain.join()
        for stream in (process.stdin, process.stdout, process.stderr):
            _close(stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    def _spawn(self) -> None:
        self._stderr.clear()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pipesize=_PIPE_BYTES,
            cwd=self._directory,
            env=worker_environment(),
            creationflags=creation_flags(),
            pass_fds=self._descriptors,
        )
        self.starts += 1
        self._drain = threading.Thread(target=_drain, args=(self._process.stderr, self._stderr), daemon=True)
        self._drain.start()

    def _exchange(self, body: Json | None, buffers: Sequence[Buffer], time_limit_s: float) -> Reply:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            process.kill()

        deadline = threading.Timer(time_limit_s, expire)
        deadline.daemon = True
        deadline.start()
        completed = False
        try:
            if body is not None:
                write_message(process.stdin, body, buffers)
            reply = _read_reply(process.stdout)
            completed = True
            return reply
        except (FramingError, OSError) as error:
            raise self._ended(process, timed_out=expired.is_set()) from error
        finally:
            deadline.cancel()
            if not completed or expired.is_set():  # also after Ctrl-C: the pipes are out of step
                self.discard()

    def _ended(self, process: subprocess.Popen[bytes], *, timed_out: bool) -> WorkerEnded:
        exit_code = _exit_code(process)
        if self._drain is not None:
            self._drain.join()
        how = Ended.TIMEOUT if timed_out else Ended.CRASHED
        return WorkerEnded(how, exit_code, "".join(self._stderr))


def _read_reply(stream: IO[bytes]) -> Reply:
    header: Header | None = read_header(stream)
    if header is None:
        raise FramingError("the worker closed its output")
    buffers = tuple(bytearray(size) for size in header.sizes_bytes)
    for buffer in buffers:
        read_into(stream, memoryview(buffer))
    return Reply(header.body, buffers)


def _drain(stream: IO[bytes] | None, lines: deque[str]) -> None:
    """Keep the last lines; a worker that writes without end must neither block nor fill our memory."""
    assert stream is not None
    while line := stream.readline(4096):
        lines.append(line.decode("utf-8", "replace"))


def _exit_code(process: "subprocess.Popen[bytes]") -> int | None:
    """Of a worker whose pipe has closed: it is about to end. None if it had to be killed."""
    try:
        return process.wait(_LAST_WORDS_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        try:
            stream.close()
        except BrokenPipeError:
            return  # unsent bytes for a worker that is gone


def creation_flags() -> int:
    """Windows: a worker gets no console window."""
    if sys.platform == "win32":
        return subprocess.CREATE_NO_WINDOW
    return 0
